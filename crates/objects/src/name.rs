//! Digests in names.

use hashmill_digest::{Algorithm, Digest};

/// Reads a digest of this algorithm in lower-case hexadecimal, as stores write it.
pub(crate) fn of_text(algorithm: &Algorithm, text: &[u8]) -> Option<Digest> {
    let lower = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let fits = text.len() == digits(algorithm) && text.iter().all(lower);
    fits.then(|| Digest::from_hex(text).ok()).flatten()
}

/// Returns whether a text has this many lower-case hexadecimal digits and nothing else.
pub(crate) fn is_hex(text: &[u8], digits: usize) -> bool {
    text.len() == digits && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reads the digest that a path ends with: the file's name, without an extension if need be, or its name with those of
/// the folders above it before it (`ab/cdef…`).
pub(crate) fn of_path(algorithm: &Algorithm, path: &[u8]) -> Option<Digest> {
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let name = parts.next()?;
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or(name);
    if let Some(digest) = [name, stem].iter().find_map(|text| algorithm.parse(text).ok()) {
        return Some(digest);
    }
    let mut joined = stem.to_vec();
    for part in parts {
        joined.splice(0..0, part.iter().copied());
        if joined.len() >= digits(algorithm) {
            break;
        }
    }
    let fits = joined.len() == digits(algorithm);
    fits.then(|| Digest::from_hex(&joined).ok()).flatten()
}

fn digits(algorithm: &Algorithm) -> usize {
    algorithm.bits as usize / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{find, hash};

    #[test]
    fn folders_belong_to_the_digest_or_not() {
        let md5 = find("md5").unwrap();
        let abc = hash(md5, b"abc");
        for path in [
            "900150983cd24fb0d6963f7d28e17f72",
            "90/900150983cd24fb0d6963f7d28e17f72",
            "900150983CD24FB0D6963F7D28E17F72.bin",
            "90/0150983cd24fb0d6963f7d28e17f72",
            "cache/9/0/0150983cd24fb0d6963f7d28e17f72.tar.gz",
        ] {
            assert_eq!(of_path(md5, path.as_bytes()), Some(abc), "{path}");
        }
        for path in ["", "README", "90/150983cd24fb0d6963f7d28e17f72", "x90/0150983cd24fb0d6963f7d28e17f72"] {
            assert_eq!(of_path(md5, path.as_bytes()), None, "{path}");
        }
    }
}
