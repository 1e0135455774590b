//! minisign: keys and signatures with one line of base64 each, and comments.
//!
//! Format: <https://jedisct1.github.io/minisign/#signature-format>. Signatures cover the BLAKE2b hash of the message
//! ("prehashed"). Older ones that cover the message itself can be verified if it fits in memory.

use crate::ssh::Moment;
use crate::{Broken, Error, KeyFault, Malformed, Message, PublicKey, SignFault, Unsupported};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use minisign::{PublicKeyBox, SecretKey, SecretKeyBox, SignatureBox};
use std::io;
use zeroize::Zeroizing;

/// The start of every file of minisign. The rest of that line is not authenticated.
pub const COMMENT: &str = "untrusted comment: ";
const TRUSTED: &str = "trusted comment: ";
/// The longest comment line that minisign reads completely, in bytes.
const LONGEST_COMMENT: usize = 1022;
/// The same for the comment that the signature covers.
const LONGEST_TRUSTED: usize = 8190;
/// The base64 length of an algorithm, a key number and a signature.
const SIGNATURE: usize = 100;
/// The base64 length of a signature alone.
const GLOBAL: usize = 88;
/// The length in bytes of an encrypted or plain secret key: algorithms, salt, limits, key number, key pair, checksum.
const SECRET: usize = 158;
/// The length in bytes of a public key: algorithm, key number, key.
const PUBLIC: usize = 42;
/// The longest message in bytes for signatures without prehashing.
const LEGACY: u64 = 1 << 30;

/// A parsed signature.
#[derive(Clone)]
pub struct MiniSignature(SignatureBox);

impl std::fmt::Debug for MiniSignature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MiniSignature({})", self.number())
    }
}

impl MiniSignature {
    /// Parses a signature. The complete form is checked, except the text of the untrusted comment.
    ///
    /// # Errors
    /// If it is not one.
    pub fn parse(text: &str) -> Result<MiniSignature, Broken> {
        let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
        let [comment, signature, trusted, global] = lines.as_slice() else {
            return Err(Malformed::FourLines.into());
        };
        if !comment.starts_with(COMMENT) || !trusted.starts_with(TRUSTED) {
            return Err(Malformed::Comments.into());
        }
        if comment.len() > LONGEST_COMMENT || trusted.len() > LONGEST_TRUSTED {
            return Err(Malformed::LongComments.into());
        }
        if text.contains(['\0', '\r']) {
            return Err(Malformed::LineStop.into());
        }
        if signature.len() != SIGNATURE || global.len() != GLOBAL {
            return Err(Malformed::SignatureLength.into());
        }
        let parsed = SignatureBox::from_string(text).map_err(|_| Malformed::Mini)?;
        // The library is lenient about blanks, so its own output must equal the input.
        let again = parsed.to_string();
        if again.strip_suffix('\n') != Some(text.strip_suffix('\n').unwrap_or(text)) {
            return Err(Malformed::Mini.into());
        }
        Ok(MiniSignature(parsed))
    }

    /// Returns the number of the signing key, as minisign shows it.
    pub fn number(&self) -> String {
        number(self.0.keynum())
    }

    /// Returns the comment that the signature covers.
    pub fn comment(&self) -> String {
        self.0.trusted_comment().unwrap_or_default()
    }

    /// Returns the time in the covered comment: `timestamp:1700000000`, with other fields after tabs.
    pub(crate) fn time(&self) -> Option<Moment> {
        let comment = self.comment();
        let seconds = comment.split('\t').find_map(|field| field.strip_prefix("timestamp:"))?;
        Moment::from_second(seconds.parse().ok()?).ok()
    }

    /// Returns the points of its two signatures: their first halves.
    fn points(&self) -> impl Iterator<Item = [u8; 32]> {
        let text = self.0.to_string();
        let half = |line: usize, from: usize| {
            let bytes = STANDARD.decode(text.lines().nth(line)?).ok()?;
            <[u8; 32]>::try_from(bytes.get(from..from + 32)?).ok()
        };
        // The first one comes after the algorithm (2 bytes) and the key number (8 bytes).
        [half(1, 10), half(3, 0)].into_iter().flatten()
    }

    pub(crate) fn is_by(&self, key: &minisign::PublicKey) -> bool {
        self.0.keynum() == key.keynum()
    }

    /// Verifies that it is a signature of this message by this key.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn verify(
        &self,
        message: &mut Message<'_>,
        key: &minisign::PublicKey,
    ) -> io::Result<Result<(), Broken>> {
        if self.points().any(|point| is_weak(&point)) {
            return Ok(Err(Malformed::WeakPoint.into()));
        }
        if !self.0.is_prehashed() && message.length()? > LEGACY {
            return Ok(Err(Unsupported::LongLegacy.into()));
        }
        let mut source = ErrorKeeper { source: message.start()?, error: None };
        let done = minisign::verify(key, &self.0, &mut source, true, false, true);
        match source.error {
            Some(error) => Err(error),
            None => Ok(done.map_err(|_| Broken::Signature)),
        }
    }
}

/// Keeps the error of a read, which the library reports like a signature that does not verify.
struct ErrorKeeper<'a> {
    source: &'a mut dyn crate::MessageSource,
    error: Option<io::Error>,
}

impl io::Read for ErrorKeeper<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.source.read(bytes).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.error = Some(io::Error::new(error.kind(), error.to_string()));
            }
        })
    }
}

impl io::Seek for ErrorKeeper<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

pub(crate) fn public_key(text: &str) -> Result<PublicKey, Error> {
    let key = PublicKeyBox::from_string(text).and_then(PublicKeyBox::into_public_key);
    let key = key.map_err(Error::MiniKey)?;
    let bytes = key.to_bytes();
    let point = bytes.get(10..).and_then(|point| <[u8; 32]>::try_from(point).ok());
    let good =
        bytes.len() == PUBLIC && bytes.starts_with(b"Ed") && point.is_some_and(|point| is_sound(&point));
    if !good {
        return Err(KeyFault::NotMiniPublic.into());
    }
    Ok(PublicKey::Mini(Box::new(key)))
}

/// Returns whether a point is weak: signatures with it match any message, so minisign rejects it.
fn is_weak(point: &[u8; 32]) -> bool {
    VerifyingKey::from_bytes(point).is_ok_and(|point| point.is_weak())
}

/// Returns whether a key is a point of the curve in canonical form, and not weak.
fn is_sound(key: &[u8; 32]) -> bool {
    // Above 2^255 - 20, the same coordinate has another, smaller form.
    let high = key[31] & 0x7f == 0x7f && key[1..31].iter().all(|byte| *byte == 0xff) && key[0] >= 0xed;
    VerifyingKey::from_bytes(key).is_ok_and(|point| !point.is_weak()) && !high
}

/// A secret key of minisign, possibly encrypted, as stored in its file.
pub struct MiniSecretKey {
    text: Zeroizing<String>,
    bytes: Zeroizing<Vec<u8>>,
}

impl MiniSecretKey {
    /// Parses a file.
    ///
    /// # Errors
    /// If it is not a secret key of minisign.
    pub fn parse(text: &str) -> Result<MiniSecretKey, Error> {
        let line = text.lines().nth(1).ok_or(KeyFault::MiniLine)?;
        let bytes = STANDARD.decode(line.trim()).map_err(KeyFault::MiniBase64)?;
        if bytes.len() == PUBLIC {
            return Err(KeyFault::MiniPublic.into());
        }
        if bytes.len() != SECRET || !bytes.starts_with(b"Ed") {
            return Err(KeyFault::NotMiniSecret.into());
        }
        Ok(MiniSecretKey { text: Zeroizing::new(text.to_string()), bytes: Zeroizing::new(bytes) })
    }

    /// Returns whether a passphrase protects it.
    pub fn is_encrypted(&self) -> bool {
        self.bytes[2..4] != [0, 0]
    }

    pub(crate) fn unlock(&self, passphrase: Option<&str>) -> Result<SecretKey, Error> {
        match passphrase {
            // minisign writes no checksum into unencrypted keys, so their bytes are not checked here; a signature is
            // verified with the public key before it is returned.
            _ if !self.is_encrypted() => SecretKey::from_bytes(&self.bytes).map_err(Error::MiniKey),
            None => Err(KeyFault::Protected.into()),
            Some(passphrase) => {
                let key = SecretKeyBox::from_string(&self.text).map_err(Error::MiniKey)?;
                key.into_secret_key(Some(passphrase.to_string())).map_err(|error| match error.kind() {
                    minisign::ErrorKind::Verify => Error::WrongPassphrase,
                    _ => Error::MiniKey(error),
                })
            }
        }
    }
}

/// Creates a signature that also covers a comment.
pub(crate) fn sign(
    key: &SecretKey,
    public: &minisign::PublicKey,
    message: &mut Message<'_>,
    comment: &str,
) -> Result<Vec<u8>, Error> {
    let mut source = ErrorKeeper { source: message.start().map_err(Error::Read)?, error: None };
    let untrusted = format!("signature from minisign secret key {}", number(public.keynum()));
    let made = minisign::sign(Some(public), key, &mut source, Some(comment), Some(&untrusted));
    if let Some(error) = source.error {
        return Err(Error::Read(error));
    }
    Ok(made.map_err(SignFault::Mini)?.to_bytes())
}

/// Returns a key's number as minisign shows it: little-endian, in hexadecimal.
pub(crate) fn number(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}
