//! The digests that a package states of its files and of its own parts.

use super::Package;
use super::files::{FilePaths, is_ghost, size};
use super::table::{TagTable, tag};
use crate::cpio::source::Source;
use crate::{Limits, Problem};
use std::io::Read;

/// The digests that an RPM package states. Nothing is compared here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpmStatements {
    /// The files that the package owns, in the order of its header.
    pub files: Vec<RpmFile>,
    /// The digests of parts of the package.
    pub parts: Vec<RpmPartDigest>,
}

/// A file as the header of a package lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpmFile {
    /// Its path: `/usr/bin/a`, which is `./usr/bin/a` in the payload; in a source package a name without a
    /// directory.
    pub path: Vec<u8>,
    /// Its size in bytes, if that is stated.
    pub size: Option<u64>,
    /// Its digest; none if it is not a file with content, or none is stated.
    pub digest: Option<RpmDigest>,
    /// The target of a symbolic link, which is its content in the payload.
    pub target: Option<Vec<u8>>,
    /// Whether the package owns it without bringing it (`%ghost`): the payload does not have it then.
    pub is_ghost: bool,
}

/// A digest with its algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpmDigest {
    /// The name of the algorithm: `sha256`; `unknown` if the package has a number that stands for none.
    pub algorithm: &'static str,
    /// The bytes of the digest.
    pub bytes: Vec<u8>,
}

/// The digest of a part of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpmPartDigest {
    /// The part.
    pub part: RpmPart,
    /// The position of its first byte in the package.
    pub start: u64,
    /// The position after its last byte; none if it reaches to the end of the package.
    pub end: Option<u64>,
    /// The digest.
    pub digest: RpmDigest,
}

/// The parts of a package that digests are stated of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpmPart {
    /// The header.
    Header,
    /// The header and the payload, as they are in the package.
    HeaderAndPayload,
    /// The payload as it is in the package.
    Payload,
    /// The payload before it was compressed: the digest is not of the bytes of the package, but of what they
    /// decode to.
    PlainPayload,
}

/// Reads the digests that a package states, up to the end of its header; not a byte of the payload is read.
///
/// # Errors
/// If the bytes are no package, end before the payload, or list more than the limit allows.
pub fn rpm_statements(package: &mut dyn Read, limits: &Limits) -> Result<RpmStatements, Problem> {
    let package = Package::read(&mut Source::unbuffered(package), limits)?;
    Ok(RpmStatements { files: files(&package.header, limits)?, parts: parts(&package)? })
}

fn files(header: &TagTable, limits: &Limits) -> Result<Vec<RpmFile>, Problem> {
    let paths = FilePaths::new(header, limits)?;
    let algorithm = algorithm(header, tag::FILE_DIGEST_ALGORITHM);
    let mut digests = header.strings(tag::FILE_DIGESTS).into_iter().flatten();
    let mut targets = header.strings(tag::LINK_TARGETS).into_iter().flatten();
    // Few directories with long names could be those of many files.
    let mut taken = 0_u64;
    let mut files = Vec::new();
    for index in 0..paths.len() {
        let path = paths.get(header, index)?;
        taken = taken.saturating_add(path.len() as u64);
        if taken > limits.memory {
            return Err(Problem::TooMany("bytes of paths in the header"));
        }
        let digest = digests.next().map(|(_, digits)| digits).filter(|digits| !digits.is_empty());
        let digest = digest.map(|digits| digest_in_digits(algorithm, digits)).transpose()?;
        let target = targets.next().map(|(_, target)| target.to_vec()).filter(|target| !target.is_empty());
        taken = taken.saturating_add(target.as_ref().map_or(0, |target| target.len() as u64));
        let (size, is_ghost) = (size(header, index), is_ghost(header, index));
        files.push(RpmFile { path, size, digest, target, is_ghost });
    }
    Ok(files)
}

/// Returns the digests of the parts, those in the signature first.
fn parts(package: &Package) -> Result<Vec<RpmPartDigest>, Problem> {
    let Package { signature, header, header_at, payload_at } = package;
    let mut parts = Vec::new();
    let mut add = |part, digest: Option<RpmDigest>| {
        let (start, end) = match part {
            RpmPart::Header => (*header_at, Some(*payload_at)),
            RpmPart::HeaderAndPayload => (*header_at, None),
            RpmPart::Payload | RpmPart::PlainPayload => (*payload_at, None),
        };
        parts.extend(digest.map(|digest| RpmPartDigest { part, start, end, digest }));
    };
    let digits = |table: &TagTable, tag, algorithm| {
        table.string(tag).map(|digits| digest_in_digits(algorithm, digits)).transpose()
    };
    add(RpmPart::Header, digits(signature, tag::SHA1_HEADER, "sha1")?);
    add(RpmPart::Header, digits(signature, tag::SHA256_HEADER, "sha256")?);
    let md5 = signature.binary(tag::SIGNATURE_MD5).map(<[u8]>::to_vec);
    add(RpmPart::HeaderAndPayload, md5.map(|bytes| RpmDigest { algorithm: "md5", bytes }));
    let of_payload = algorithm(header, tag::PAYLOAD_DIGEST_ALGORITHM);
    add(RpmPart::Payload, digits(header, tag::PAYLOAD_DIGEST, of_payload)?);
    add(RpmPart::PlainPayload, digits(header, tag::PLAIN_PAYLOAD_DIGEST, of_payload)?);
    Ok(parts)
}

/// Returns the algorithm that a tag has the number of: those of OpenPGP (RFC 9580, 9.5). Packages without it are
/// old.
fn algorithm(header: &TagTable, tag: u32) -> &'static str {
    match header.numbers(tag).and_then(|numbers| numbers.get(0)) {
        None | Some(1) => "md5",
        Some(2) => "sha1",
        Some(3) => "ripemd160",
        Some(8) => "sha256",
        Some(9) => "sha384",
        Some(10) => "sha512",
        Some(11) => "sha224",
        Some(12) => "sha3-256",
        Some(14) => "sha3-512",
        Some(_) => "unknown",
    }
}

/// Returns the digest in hexadecimal digits.
fn digest_in_digits(algorithm: &'static str, digits: &[u8]) -> Result<RpmDigest, Problem> {
    let byte = |pair: &[u8]| match *pair {
        [high, low] => {
            let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            Some(value(high)? << 4 | value(low)?)
        }
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    let bytes = bytes.ok_or_else(|| Problem::damaged("a digest that is not hexadecimal"))?;
    Ok(RpmDigest { algorithm, bytes })
}
