//! Signatures of OpenSSH: signing, parsing, verifying.

use super::key::{KeyData, KeySignature, SignatureFault};
use super::wire::{Fields, SshFault, put};
use super::{CERTIFICATE, armour};
use crate::broken::{malformed, unsupported};
use crate::{Broken, Error, Hash, Message};
use std::io;

const MAGIC: &[u8; 6] = b"SSHSIG";
const VERSION: u32 = 1;

/// A parsed signature.
#[derive(Debug, Clone)]
pub struct SshSignature {
    key: KeyData,
    namespace: String,
    hash: Hash,
    signature: KeySignature,
}

impl SshSignature {
    /// Parses an armoured signature.
    ///
    /// # Errors
    /// If it is not one, or of an unsupported kind.
    pub fn parse(text: &[u8]) -> Result<SshSignature, Broken> {
        let bytes = armour::decode_armour(text)?;
        let parts = Parts::read(&bytes)?;
        let whole = bytes.starts_with(MAGIC) && parts.version == VERSION && parts.reserved.is_empty();
        if !whole {
            return Err(malformed("it is not of version 1"));
        }
        let kind = Fields::new(parts.key).text()?;
        if kind.ends_with(CERTIFICATE) {
            return Err(unsupported(format!("signatures by certificates of OpenSSH ({kind})")));
        }
        let key = KeyData::parse(parts.key)?;
        if !key.is_supported() {
            return Err(unsupported(format!("keys of the kind {kind}")));
        }
        let signature = KeySignature::parse(parts.signature, &key).map_err(|fault| match fault {
            SignatureFault::Malformed(fault) => Broken::from(fault),
            SignatureFault::Kinds => malformed("its key and its signature are of different kinds"),
            SignatureFault::Sha1 => unsupported(format!("signatures by {kind}")),
        })?;
        let hash = match parts.hash {
            "sha256" => Hash::Sha256,
            "sha512" => Hash::Sha512,
            other => return Err(unsupported(format!("the hash {other}"))),
        };
        if parts.namespace.is_empty() {
            return Err(malformed("the namespace is empty"));
        }
        Ok(SshSignature { key, namespace: parts.namespace.into(), hash, signature })
    }

    /// Returns the key that it claims to be made with; [`SshSignature::verify`] checks that.
    pub fn key(&self) -> &KeyData {
        &self.key
    }

    /// Returns the namespace that it was made for.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Verifies that it is a signature of this message by its key, for this namespace.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn verify(&self, message: &mut Message<'_>, namespace: &str) -> io::Result<Result<(), Broken>> {
        if self.namespace != namespace {
            let (found, wanted) = (self.namespace.clone(), namespace.into());
            return Ok(Err(Broken::Namespace { found, wanted }));
        }
        let signed = signed(namespace, self.hash, &message.hash(self.hash)?);
        let good = self.key.verifies(&signed, &self.signature);
        Ok(if good { Ok(()) } else { Err(Broken::Signature) })
    }
}

/// Creates an armoured signature with a function that signs bytes.
pub(crate) fn sign(
    key: &KeyData,
    namespace: &str,
    message: &mut Message<'_>,
    with: &mut dyn FnMut(&[u8]) -> Result<KeySignature, Error>,
) -> Result<Vec<u8>, Error> {
    if namespace.is_empty() {
        return Err(Error::Namespace);
    }
    let digest = message.hash(Hash::Sha512).map_err(Error::Read)?;
    let signed = signed(namespace, Hash::Sha512, &digest);
    let signature = with(&signed)?;
    // Never return a signature that does not verify: an agent or memory may fail.
    if !key.verifies(&signed, &signature) {
        return Err(Error::Unverified);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_be_bytes());
    let hash = name(Hash::Sha512);
    for field in [key.as_bytes(), namespace.as_bytes(), b"", hash.as_bytes(), signature.as_bytes()] {
        put(&mut bytes, field);
    }
    Ok(armour::encode_armour(&bytes).into_bytes())
}

/// The fields inside the armour, with exact lengths.
struct Parts<'a> {
    version: u32,
    key: &'a [u8],
    namespace: &'a str,
    reserved: &'a [u8],
    hash: &'a str,
    signature: &'a [u8],
}

impl<'a> Parts<'a> {
    fn read(bytes: &'a [u8]) -> Result<Parts<'a>, SshFault> {
        let mut rest = Fields::new(bytes.get(MAGIC.len()..).unwrap_or_default());
        let parts = Parts {
            version: rest.number()?,
            key: rest.string()?,
            namespace: rest.text()?,
            reserved: rest.string()?,
            hash: rest.text()?,
            signature: rest.string()?,
        };
        rest.end()?;
        Ok(parts)
    }
}

/// Returns the name of a hash in signatures.
fn name(hash: Hash) -> &'static str {
    match hash {
        Hash::Sha256 => "sha256",
        Hash::Sha384 => "sha384",
        Hash::Sha512 => "sha512",
    }
}

/// Returns the bytes that are signed. They contain the hash of the message, which need not be in memory.
fn signed(namespace: &str, hash: Hash, digest: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for field in [namespace.as_bytes(), b"", name(hash).as_bytes(), digest] {
        put(&mut bytes, field);
    }
    bytes
}
