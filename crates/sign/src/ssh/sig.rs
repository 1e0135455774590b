//! Signatures of OpenSSH: signing, parsing, verifying.

use super::{CERTIFICATE, armour, is_canonical};
use crate::{Broken, Error, Hash, Malformed, Message, SignFault, Unsupported};
use ssh_encoding::{Decode, Encode};
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, HashAlg, Signature, SshSig};
use std::io;

const MAGIC: &[u8; 6] = b"SSHSIG";

/// A parsed signature.
#[derive(Debug, Clone)]
pub struct SshSignature(SshSig);

impl SshSignature {
    /// Parses an armoured signature.
    ///
    /// # Errors
    /// If it is not one, or of an unsupported kind.
    pub fn parse(text: &[u8]) -> Result<SshSignature, Broken> {
        let bytes = armour::decode_armour(text)?;
        let parts = Parts::read(&bytes)?;
        let whole = bytes.starts_with(MAGIC) && parts.version == SshSig::VERSION && parts.reserved.is_empty();
        if !whole {
            return Err(Malformed::Version.into());
        }
        let kind = String::decode(&mut parts.key.as_slice())?;
        if kind.ends_with(CERTIFICATE) {
            return Err(Unsupported::SshCertificate(kind).into());
        }
        let key = exactly::<KeyData>(&parts.key)?;
        if let KeyData::Other(key) = &key {
            return Err(Unsupported::Key(key.algorithm()).into());
        }
        if !is_canonical(&key, &parts.key) {
            return Err(Malformed::Key.into());
        }
        let signature = exactly::<Signature>(&parts.signature)?;
        let hash = parts.hash.parse().map_err(|_| Unsupported::Hash(parts.hash))?;
        if !fits(&key, &signature) {
            return Err(Malformed::Kinds.into());
        }
        let sig = SshSig::new(key, parts.namespace, hash, signature)?;
        Ok(SshSignature(sig))
    }

    /// Returns the key that it claims to be made with; [`SshSignature::verify`] checks that.
    pub fn key(&self) -> &KeyData {
        self.0.public_key()
    }

    /// Returns the namespace that it was made for.
    pub fn namespace(&self) -> &str {
        self.0.namespace()
    }

    /// Verifies that it is a signature of this message by its key, for this namespace.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn verify(&self, message: &mut Message<'_>, namespace: &str) -> io::Result<Result<(), Broken>> {
        if self.namespace() != namespace {
            let (found, wanted) = (self.namespace().into(), namespace.into());
            return Ok(Err(Broken::Namespace { found, wanted }));
        }
        let Some((hash, name)) = hash(self.0.hash_alg()) else {
            return Ok(Err(Unsupported::Hash(self.0.hash_alg().to_string()).into()));
        };
        // RSA signatures state their hash, and SHA-1 is not accepted.
        if matches!(self.0.algorithm(), Algorithm::Rsa { hash: None } | Algorithm::Dsa) {
            return Ok(Err(Unsupported::Signature(self.0.algorithm()).into()));
        }
        let Some(signed) = signed(namespace, name, &message.hash(hash)?) else {
            return Ok(Err(Malformed::Namespace.into()));
        };
        let good = signature::Verifier::verify(self.key(), &signed, self.0.signature()).is_ok();
        Ok(if good { Ok(()) } else { Err(Broken::Signature) })
    }
}

/// Creates an armoured signature with a function that signs bytes.
pub(crate) fn sign(
    key: KeyData,
    namespace: &str,
    message: &mut Message<'_>,
    with: &mut dyn FnMut(&[u8]) -> Result<Signature, Error>,
) -> Result<Vec<u8>, Error> {
    let digest = message.hash(Hash::Sha512).map_err(Error::Read)?;
    let signed = signed(namespace, "sha512", &digest).ok_or(Error::Namespace)?;
    let signature = with(&signed)?;
    // Never return a signature that does not verify: an agent or memory may fail.
    signature::Verifier::verify(&key, &signed, &signature).map_err(|_| SignFault::Unverified)?;
    let sig = SshSig::new(key, namespace, HashAlg::Sha512, signature);
    let sig = sig.map_err(SignFault::Ssh)?;
    let mut bytes = Vec::new();
    sig.encode(&mut bytes).map_err(|error| SignFault::Ssh(error.into()))?;
    Ok(armour::encode_armour(&bytes).into_bytes())
}

/// The fields inside the armour, with exact lengths.
struct Parts {
    version: u32,
    key: Vec<u8>,
    namespace: String,
    reserved: Vec<u8>,
    hash: String,
    signature: Vec<u8>,
}

impl Parts {
    fn read(bytes: &[u8]) -> Result<Parts, ssh_encoding::Error> {
        let mut rest = bytes.get(MAGIC.len()..).unwrap_or_default();
        let parts = Parts {
            version: u32::decode(&mut rest)?,
            key: Vec::decode(&mut rest)?,
            namespace: String::decode(&mut rest)?,
            reserved: Vec::decode(&mut rest)?,
            hash: String::decode(&mut rest)?,
            signature: Vec::decode(&mut rest)?,
        };
        if rest.is_empty() { Ok(parts) } else { Err(ssh_encoding::Error::Length) }
    }
}

fn exactly<T: Decode<Error = ssh_key::Error>>(bytes: &[u8]) -> Result<T, Broken> {
    let mut rest = bytes;
    let found = T::decode(&mut rest)?;
    if rest.is_empty() { Ok(found) } else { Err(Malformed::Trailing.into()) }
}

/// Returns whether a signature is of the kind that a key creates; those of RSA also state a hash.
fn fits(key: &KeyData, signature: &Signature) -> bool {
    match signature.algorithm() {
        Algorithm::Rsa { .. } => matches!(key, KeyData::Rsa(_)),
        kind => key.algorithm() == kind,
    }
}

fn hash(hash: HashAlg) -> Option<(Hash, &'static str)> {
    match hash {
        HashAlg::Sha256 => Some((Hash::Sha256, "sha256")),
        HashAlg::Sha512 => Some((Hash::Sha512, "sha512")),
        _ => None,
    }
}

/// Returns the bytes that are signed. They contain the hash of the message, which need not be in memory.
fn signed(namespace: &str, hash: &str, digest: &[u8]) -> Option<Vec<u8>> {
    if namespace.is_empty() {
        return None;
    }
    let mut bytes = MAGIC.to_vec();
    namespace.encode(&mut bytes).ok()?;
    [0u8; 0].as_slice().encode(&mut bytes).ok()?;
    hash.encode(&mut bytes).ok()?;
    digest.encode(&mut bytes).ok()?;
    Some(bytes)
}
