//! What is known of a manifest besides its bytes: which algorithm its untagged digests are of.

use hashloom_digest::{Algorithm, find};

/// Which algorithm a manifest's untagged digests are of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hint {
    /// Nothing is known; the likeliest algorithm of each digest's length is guessed.
    #[default]
    None,
    /// The file's name says so. Digests of another length are guessed.
    Name(&'static Algorithm),
    /// The user says so. Digests of another length are malformed.
    Forced(&'static Algorithm),
}

impl Hint {
    /// Learns the algorithm from a manifest's file name: `SHA256SUMS`, `sha1sum.txt`, `x.iso.md5`, `x.b3`,
    /// `x.xxh3`.
    pub fn from_name(path: &[u8]) -> Self {
        let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let words = name.rsplit(['.', '_', '-']).chain([name.as_str()]);
        words.filter_map(algorithm).next().map_or(Hint::None, Hint::Name)
    }

    /// The algorithm that a digest of so many bits has by this hint.
    pub(crate) fn for_bits(self, bits: u32) -> Option<&'static Algorithm> {
        match self {
            Hint::Name(algorithm) if algorithm.bits == bits => Some(algorithm),
            Hint::Forced(algorithm) => Some(algorithm),
            _ => None,
        }
    }
}

/// The algorithm of a word in a file's name: its name alone, or with `sum` or `sums` behind it.
fn algorithm(word: &str) -> Option<&'static Algorithm> {
    let stem = word.strip_suffix("sums").or(word.strip_suffix("sum")).unwrap_or(word);
    let name = match stem {
        "sfv" => "crc32",
        "b2" => "blake2b-512",
        "b3" => "blake3",
        "ck" => "cksum",
        _ => stem,
    };
    find(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sum_files_tell_the_algorithm() {
        let cases: [(&[u8], &str); 8] = [
            (b"SHA256SUMS", "sha256"),
            (b"dir.md5/sha1sum.txt", "sha1"),
            (b"x.iso.md5", "md5"),
            (b"x.b3", "blake3"),
            (b"a.xxh3", "xxh3"),
            (b"B2SUMS", "blake2b-512"),
            (b"C:\\sums\\files.sfv", "crc32"),
            (b"debian-12.sha512.txt", "sha512"),
        ];
        for (name, algorithm) in cases {
            let hint = Hint::from_name(name);
            assert_eq!(hint, Hint::Name(find(algorithm).unwrap()), "{}", name.escape_ascii());
        }
        assert_eq!(Hint::from_name(b"manifest.txt"), Hint::None);
    }
}
