//! minisign: keys and signatures with one line of base64 each, and comments.
//!
//! Format: <https://jedisct1.github.io/minisign/#signature-format>. Signatures cover the BLAKE2b hash of the message
//! ("prehashed"). Older ones that cover the message itself can be verified if it fits in memory.

use crate::broken::{malformed, unsupported};
use crate::cryptography::ed25519;
use crate::cryptography::ed25519::{Ed25519Key, Point};
use crate::cryptography::kdf::{ScryptCost, scrypt};
use crate::error::{PROTECTED, bad_key, text};
use crate::ssh::Moment;
use crate::{Broken, Error, Message, PublicKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
/// The length in bytes of an encrypted or plain secret key: algorithms, salt, limits, and the sealed part.
const SECRET: usize = 158;
/// The start of its sealed part: key number, key pair, checksum.
const SEALED: usize = 54;
/// The base64 length of a public key: algorithm, key number, key.
const PUBLIC: usize = 56;
/// The length of a key number in bytes.
const NUMBER: usize = 8;
/// The longest message in bytes for signatures without prehashing.
const LEGACY: u64 = 1 << 30;

/// The algorithm of keys, and of signatures without prehashing.
const PLAIN: &[u8; 2] = b"Ed";
const PREHASHED: &[u8; 2] = b"ED";
/// The derivation of the stream that encrypts a secret key; zero bytes: it is not encrypted.
const SCRYPT: &[u8; 2] = b"Sc";

/// Faults of signatures.
const LENGTH: &str = "its signatures do not have the right length";
const FORM: &str = "it is not in the exact form that minisign writes";
/// Faults of keys.
pub(crate) const PUBLIC_CANT: &str = "a public key of minisign can't sign";
const NO_LINE: &str = "the line with the key is missing";
const NOT_PUBLIC: &str = "not a public key of minisign";
const NOT_SECRET: &str = "not a secret key of minisign";

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MiniKey {
    number: [u8; NUMBER],
    point: Point,
}

impl MiniKey {
    /// Returns its number, as minisign shows it.
    pub fn number(&self) -> String {
        number(&self.number)
    }

    pub(crate) fn point(&self) -> &Point {
        &self.point
    }
}

/// A parsed signature.
#[derive(Clone)]
pub struct MiniSignature {
    is_prehashed: bool,
    number: [u8; NUMBER],
    signature: [u8; ed25519::SIGNATURE],
    comment: String,
    /// The signature of the first one and the comment.
    global: [u8; ed25519::SIGNATURE],
}

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
            return Err(malformed("it does not have four lines"));
        };
        if !comment.starts_with(COMMENT) || !trusted.starts_with(TRUSTED) {
            return Err(malformed("its comments are missing or in the wrong place"));
        }
        if comment.len() > LONGEST_COMMENT || trusted.len() > LONGEST_TRUSTED {
            return Err(malformed("its comments are longer than minisign allows"));
        }
        if text.contains(['\0', '\r']) {
            return Err(malformed("it has a byte at which minisign stops reading a line"));
        }
        if signature.len() != SIGNATURE || global.len() != GLOBAL {
            return Err(malformed(LENGTH));
        }
        let (first, global) = (decoded(signature)?, decoded(global)?);
        let comment = &trusted[TRUSTED.len()..];
        // minisign ignores blanks around the comment, which could be changed unseen.
        if comment.trim() != comment {
            return Err(malformed(FORM));
        }
        let (algorithm, rest) = first.split_first_chunk::<2>().ok_or_else(|| malformed(LENGTH))?;
        let (number, own) = rest.split_first_chunk::<NUMBER>().ok_or_else(|| malformed(LENGTH))?;
        let is_prehashed = match algorithm {
            PREHASHED => true,
            PLAIN => false,
            _ => return Err(malformed(FORM)),
        };
        Ok(MiniSignature {
            is_prehashed,
            number: *number,
            signature: own.try_into().map_err(|_| malformed(LENGTH))?,
            comment: comment.into(),
            global: global.as_slice().try_into().map_err(|_| malformed(LENGTH))?,
        })
    }

    /// Returns the number of the signing key, as minisign shows it.
    pub fn number(&self) -> String {
        number(&self.number)
    }

    /// Returns the comment that the signature covers.
    pub fn comment(&self) -> &str {
        &self.comment
    }

    /// Returns the time in the covered comment: `timestamp:1700000000`, with other fields after tabs.
    pub(crate) fn time(&self) -> Option<Moment> {
        let seconds = self.comment.split('\t').find_map(|field| field.strip_prefix("timestamp:"))?;
        Moment::from_second(seconds.parse().ok()?).ok()
    }

    pub(crate) fn is_by(&self, key: &MiniKey) -> bool {
        self.number == key.number
    }

    /// Verifies that it is a signature of this message by this key.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn verify(&self, message: &mut Message<'_>, key: &MiniKey) -> io::Result<Result<(), Broken>> {
        // The first half of each signature is a point.
        let points = [&self.signature, &self.global].map(|both| both.first_chunk::<32>());
        if points.into_iter().flatten().any(ed25519::is_weak) {
            return Ok(Err(malformed("it has a weak point, which minisign refuses")));
        }
        if !self.is_prehashed && message.length()? > LEGACY {
            return Ok(Err(unsupported(
                "a signature of more than 1 GiB made without hashing first (minisign -l)",
            )));
        }
        let signed = if self.is_prehashed { prehash(message)? } else { message.bytes()? };
        let covered = [&self.signature, self.comment.as_bytes()].concat();
        let good = self.is_by(key)
            && ed25519::verifies(&key.point, &signed, &self.signature)
            && ed25519::verifies(&key.point, &covered, &self.global);
        Ok(if good { Ok(()) } else { Err(Broken::Signature) })
    }
}

/// Decodes a line of a signature.
fn decoded(line: &str) -> Result<Vec<u8>, Broken> {
    STANDARD.decode(line).map_err(|_| malformed(FORM))
}

/// Returns the BLAKE2b hash of a message.
fn prehash(message: &mut Message<'_>) -> io::Result<Vec<u8>> {
    let mut state = blake2b_simd::State::new();
    message.read(&mut |bytes| {
        state.update(bytes);
    })?;
    Ok(state.finalize().as_bytes().to_vec())
}

pub(crate) fn public_key(file: &str) -> Result<PublicKey, Error> {
    let line = file.lines().nth(1).ok_or_else(|| bad_key(NO_LINE))?;
    if line.len() != PUBLIC {
        return Err(bad_key(NOT_PUBLIC));
    }
    let bytes = STANDARD.decode(line.trim()).map_err(|source| bad_key(text(source)))?;
    let parts = bytes.strip_prefix(PLAIN).and_then(|rest| rest.split_first_chunk::<NUMBER>());
    let (number, point) = parts.ok_or_else(|| bad_key(NOT_PUBLIC))?;
    let point = Point::try_from(point).map_err(|_| bad_key(NOT_PUBLIC))?;
    if ed25519::is_weak(&point) || !ed25519::is_canonical(&point) {
        return Err(bad_key(NOT_PUBLIC));
    }
    Ok(PublicKey::Mini(Box::new(MiniKey { number: *number, point })))
}

/// A secret key of minisign, possibly encrypted, as stored in its file.
pub struct MiniSecretKey(Zeroizing<[u8; SECRET]>);

/// A secret key that is ready to sign.
pub(crate) struct MiniSigner {
    key: Ed25519Key,
    number: [u8; NUMBER],
}

impl MiniSecretKey {
    /// Parses a file.
    ///
    /// # Errors
    /// If it is not a secret key of minisign.
    pub fn parse(file: &str) -> Result<MiniSecretKey, Error> {
        let line = file.lines().nth(1).ok_or_else(|| bad_key(NO_LINE))?.trim();
        let bytes = Zeroizing::new(STANDARD.decode(line).map_err(|source| bad_key(text(source)))?);
        if line.len() == PUBLIC {
            return Err(bad_key(PUBLIC_CANT));
        }
        if bytes.len() != SECRET || !bytes.starts_with(PLAIN) {
            return Err(bad_key(NOT_SECRET));
        }
        let mut own = Zeroizing::new([0; SECRET]);
        own.copy_from_slice(&bytes);
        Ok(MiniSecretKey(own))
    }

    /// Returns whether a passphrase protects it.
    pub fn is_encrypted(&self) -> bool {
        self.0[2..4] != [0, 0]
    }

    pub(crate) fn unlock(&self, passphrase: Option<&str>) -> Result<MiniSigner, Error> {
        let mut sealed = Zeroizing::new(self.0[SEALED..].to_vec());
        match passphrase {
            // minisign writes no checksum into unencrypted keys.
            _ if !self.is_encrypted() => {}
            None => return Err(bad_key(PROTECTED)),
            Some(passphrase) => self.unseal(passphrase, &mut sealed)?,
        }
        let (number, pair) = sealed.split_first_chunk::<NUMBER>().ok_or_else(|| bad_key(NOT_SECRET))?;
        let key = Ed25519Key::new(&pair[..32], &pair[32..64])
            .ok_or_else(|| bad_key("its secret and its public half do not belong together"))?;
        Ok(MiniSigner { key, number: *number })
    }

    /// Decrypts the sealed part, and compares its checksum.
    fn unseal(&self, passphrase: &str, sealed: &mut [u8]) -> Result<(), Error> {
        if self.0[2..4] != *SCRYPT {
            return Err(bad_key("it is encrypted in an unknown way"));
        }
        let salt = &self.0[6..38];
        let limit = |from: usize| u64::from_le_bytes(std::array::from_fn(|at| self.0[from + at]));
        let costly = || bad_key("its costs of scrypt are higher than minisign allows");
        let cost = cost(limit(38), limit(46)).ok_or_else(costly)?;
        let mut stream = Zeroizing::new(vec![0; sealed.len()]);
        scrypt(passphrase.as_bytes(), salt, cost, &mut stream);
        sealed.iter_mut().zip(stream.iter()).for_each(|(byte, other)| *byte ^= other);
        let (key, checksum) = sealed.split_at(NUMBER + 64);
        let found =
            blake2b_simd::Params::new().hash_length(32).to_state().update(PLAIN).update(key).finalize();
        // The comparison takes the same time wherever they differ.
        if found == *checksum { Ok(()) } else { Err(Error::WrongPassphrase) }
    }
}

impl MiniSigner {
    pub fn public(&self) -> MiniKey {
        MiniKey { number: self.number, point: *self.key.public() }
    }
}

/// Returns the costs of scrypt for limits of operations and of memory, as libsodium chooses them.
fn cost(operations: u64, memory: u64) -> Option<ScryptCost> {
    const R: u64 = 8;
    let operations = operations.max(32768);
    // The lowest power of two, from the second on, that is more than half of the greatest number.
    let n = |most: u64| (1..63).map(|log| 1_u64 << log).find(|n| *n > most / 2);
    if operations < memory / 32 {
        return ScryptCost::new(n(operations / (R * 4))?, R, 1);
    }
    let n = n(memory / (R * 128))?;
    ScryptCost::new(n, R, (operations / 4 / n).min(0x3fff_ffff) / R)
}

/// Creates a signature that also covers a comment.
pub(crate) fn sign(key: &MiniSigner, message: &mut Message<'_>, comment: &str) -> Result<Vec<u8>, Error> {
    let made = key.key.sign(&prehash(message).map_err(Error::Read)?).ok_or(Error::Unverified)?;
    let global = key.key.sign(&[&made, comment.as_bytes()].concat()).ok_or(Error::Unverified)?;
    let first = STANDARD.encode([&PREHASHED[..], &key.number, &made].concat());
    let (number, global) = (number(&key.number), STANDARD.encode(global));
    let text = format!(
        "{COMMENT}signature from minisign secret key {number}\n{first}\n{TRUSTED}{comment}\n{global}\n"
    );
    Ok(text.into_bytes())
}

/// Returns a key's number as minisign shows it: little-endian, in hexadecimal.
fn number(bytes: &[u8; NUMBER]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_of_libsodium() {
        let wanted = |n, p| ScryptCost::new(n, 8, p);
        // The limits that minisign writes, those for interactive use, and lower ones.
        assert_eq!(cost(33_554_432, 1 << 30), wanted(1 << 20, 1));
        assert_eq!(cost(524_288, 16_777_216), wanted(1 << 14, 1));
        assert_eq!(cost(0, 16_777_216), wanted(1 << 10, 1));
        assert_eq!(cost(1_048_576, 1 << 20), wanted(1 << 10, 32));
        assert_eq!(cost(1 << 40, 1 << 31), None);
        assert_eq!(cost(u64::MAX, u64::MAX), None);
    }
}
