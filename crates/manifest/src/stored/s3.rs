//! Digests that S3 reports for an object: the ETag and additional checksums.
//!
//! Source: Amazon S3 User Guide, "Checking object integrity"; API Reference, "Object", "HeadObject".

use super::name::of_base64;
use crate::Named;
use hashmill_digest::{Algorithm, Digest, find};

/// Usual part lengths of clients, in MiB: 8 (AWS), 5 (rclone), 15 (s3cmd) and others.
const USUAL: [u64; 12] = [5, 8, 15, 16, 32, 50, 64, 100, 128, 256, 512, 1024];

/// The maximum length of a part, in bytes.
const LONGEST_PART: u64 = 5 << 30;

/// A checksum that S3 keeps with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum {
    /// The lowercase name in `x-amz-checksum-…` headers, inventories and reports.
    pub name: &'static str,
    /// The key in the JSON and XML of the API.
    pub key: &'static str,
    /// The algorithm name for the whole object.
    pub whole: &'static str,
    /// The algorithm name for the composite checksum of parts, if there is one.
    pub parts: &'static str,
}

/// All checksums of S3, strongest first.
pub const CHECKSUMS: [Checksum; 10] = [
    Checksum { name: "sha512", key: "ChecksumSHA512", whole: "sha512", parts: "" },
    Checksum { name: "sha256", key: "ChecksumSHA256", whole: "sha256", parts: "s3-sha256" },
    Checksum { name: "sha1", key: "ChecksumSHA1", whole: "sha1", parts: "s3-sha1" },
    Checksum { name: "md5", key: "ChecksumMD5", whole: "md5", parts: "" },
    Checksum { name: "xxhash128", key: "ChecksumXXHASH128", whole: "xxh128", parts: "" },
    Checksum { name: "xxhash3", key: "ChecksumXXHASH3", whole: "xxh3", parts: "" },
    Checksum { name: "xxhash64", key: "ChecksumXXHASH64", whole: "xxh64", parts: "" },
    Checksum { name: "crc64nvme", key: "ChecksumCRC64NVME", whole: "crc64nvme", parts: "" },
    Checksum { name: "crc32c", key: "ChecksumCRC32C", whole: "crc32c", parts: "s3-crc32c" },
    Checksum { name: "crc32", key: "ChecksumCRC32", whole: "crc32", parts: "s3-crc32" },
];

/// An entity tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Etag {
    /// The MD5 of the content, unless the object is encrypted with a key that S3 does not hold alone.
    Md5(Named),
    /// The MD5 of the MD5s of this number of parts.
    Parts(Digest, u32),
    /// An ETag that is no digest of the content.
    Opaque,
}

impl Etag {
    /// Parses an entity tag, with or without quotes.
    pub fn read(text: &str) -> Etag {
        let text = text.trim_matches('"');
        let (digits, number) = match text.split_once('-') {
            Some((digits, number)) => match number.parse() {
                Ok(number @ 1..=10_000) => (digits, Some(number)),
                _ => return Etag::Opaque,
            },
            None => (text, None),
        };
        let digest = Digest::from_hex(digits.as_bytes()).ok().filter(|digest| digest.bits() == 128);
        match (digest, number, find("md5")) {
            (Some(digest), Some(number), _) => Etag::Parts(digest, number),
            (Some(digest), None, Ok(algorithm)) => Etag::Md5(Named { algorithm, digest, guessed: false }),
            _ => Etag::Opaque,
        }
    }

    /// Returns the digest of this tag, assuming this part length.
    pub fn with_part(&self, part: u64) -> Option<Named> {
        match self {
            Etag::Md5(named) => Some(*named),
            Etag::Parts(digest, number) => {
                of_parts("s3-etag", part, &[digest.as_bytes(), &number.to_be_bytes()].concat())
            }
            Etag::Opaque => None,
        }
    }
}

/// Returns the composite digest for this part length; `bytes` ends with the number of parts.
pub fn of_parts(family: &str, part: u64, bytes: &[u8]) -> Option<Named> {
    let algorithm = find(&format!("{family}:{part}")).ok()?;
    let fits = algorithm.bits as usize == 8 * bytes.len();
    fits.then(|| Named { algorithm, digest: Digest::new(bytes), guessed: false })
}

/// Returns whether a store's composite digest may be of parts with other lengths than the algorithm's name says: lists
/// only give their number. With a single part it can't.
pub fn may_be_of_others(algorithm: &Algorithm, digest: &[u8]) -> bool {
    algorithm.name.starts_with("s3-") && !digest.ends_with(&1_u32.to_be_bytes())
}

/// Returns whether `size` bytes in parts of length `part` make `number` parts.
pub fn even(size: u64, part: u64, number: u32) -> bool {
    part > 0 && size.div_ceil(part).max(1) == u64::from(number)
}

/// Returns the usual part lengths that make `number` parts of `size` bytes, likeliest first. For a single part, any
/// length that is not shorter than the object will do.
pub fn usual_parts(size: u64, number: u32) -> Vec<u64> {
    let usual = USUAL.into_iter().map(|mib| mib << 20);
    if number == 1 {
        return usual.chain([LONGEST_PART]).find(|part| *part >= size).into_iter().collect();
    }
    // The default of AWS's own clients comes first.
    let mut fits: Vec<u64> = usual.filter(|part| even(size, *part, number)).collect();
    fits.sort_by_key(|part| *part != 8 << 20);
    fits
}

impl Checksum {
    /// Parses a digest of the whole object, or of parts of this length with their number at the end.
    pub fn read(&self, text: &str, part: Option<u64>) -> Option<Named> {
        match (text.split_once('-'), part) {
            (None, _) => of_base64(self.whole, text),
            (Some(_), Some(part)) if !self.parts.is_empty() => {
                let algorithm = find(&format!("{}:{part}", self.parts)).ok()?;
                let digest = algorithm.parse(text.as_bytes()).ok()?;
                Some(Named { algorithm, digest, guessed: false })
            }
            (Some(_), _) => None,
        }
    }
}

/// Returns the number of parts at the end of a composite digest's text.
pub fn many_parts(text: &str) -> Option<u32> {
    text.trim_matches('"').rsplit_once('-')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    #[test]
    fn entity_tags_are_of_content_of_parts_or_of_nothing() {
        let Etag::Md5(named) = Etag::read(&format!("\"{MD5}\"")) else { panic!("an MD5") };
        assert_eq!((named.algorithm.name, named.digest.to_string()), ("md5", MD5.to_string()));
        let parts = Etag::read(&format!("{MD5}-3"));
        assert!(matches!(parts, Etag::Parts(_, 3)));
        let named = parts.with_part(16 << 20).unwrap();
        assert_eq!(named.algorithm.name, "s3-etag:16M");
        assert_eq!(named.algorithm.format(&named.digest), format!("{MD5}-3"));
        for text in
            ["", "\"\"", "0x8D88B27414D9FC0", &MD5[1..], &format!("{MD5}-"), &format!("{MD5}-0"), "a-b"]
        {
            assert_eq!(Etag::read(text), Etag::Opaque, "{text}");
        }
    }

    #[test]
    fn parts_have_a_usual_length_that_makes_their_number() {
        for (mib, number, wanted) in [
            (20, 3, &[8][..]),
            (9, 2, &[8, 5]),
            (801, 161, &[5]),
            (30, 2, &[15, 16]),
            (3, 1, &[5]),
            (7, 3, &[]),
        ] {
            let wanted: Vec<u64> = wanted.iter().map(|mib| mib << 20).collect();
            assert_eq!(usual_parts(mib << 20, number), wanted, "{mib} {number}");
        }
        assert_eq!(usual_parts(0, 1), [5 << 20]);
    }

    #[test]
    fn checksums_are_of_the_object_or_of_its_parts() {
        let sha256 = &CHECKSUMS[1];
        let text = "h0KPxSKAPTEGXnvOPPA/5HUJZjHl4Hu9eg/eYMTPJcc=";
        assert_eq!(sha256.read(text, None).unwrap().algorithm.name, "sha256");
        let parts = sha256.read(&format!("{text}-2"), Some(5 << 20)).unwrap();
        assert_eq!(parts.algorithm.name, "s3-sha256:5M");
        assert_eq!(sha256.read(&format!("{text}-2"), None), None);
        assert_eq!(sha256.read("", None), None);
    }
}
