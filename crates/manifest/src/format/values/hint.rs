//! Hints about the algorithm of untagged digests, from a file's name or the user.

use super::foreign::{Foreign, are_relatives};
use hashmill_digest::{Algorithm, find};

/// The algorithm of a manifest's untagged digests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hint {
    /// Nothing is known; the likeliest algorithm for each digest's length is guessed.
    #[default]
    None,
    /// The file's name contains the algorithm. Digests of another length are guessed.
    Name(&'static Algorithm),
    /// The file's name contains an unsupported algorithm. Digests of another length are guessed.
    Foreign(Foreign),
    /// The user named the algorithm. Digests of another length are malformed.
    Forced(&'static Algorithm),
}

impl Hint {
    /// Derives the algorithm from a manifest's file name: `SHA256SUMS`, `sha1sum.txt`, `x.iso.md5`, `x.b3`, `x.xxh3`.
    pub fn from_name(path: &[u8]) -> Self {
        let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let words = name.rsplit('.').chain(name.rsplit(['.', '_', '-']));
        words.filter_map(word).next().unwrap_or_default()
    }

    /// Derives the algorithm from a comment above the digests: `# MD5 checksums`. A comment that names several
    /// algorithms or does not mention digests is ignored: rhash lists files in comments, and these may have any names.
    pub(crate) fn from_comment(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text).to_ascii_lowercase();
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-/_.".contains(letter);
        let words = || text.split(|letter| !is_part(letter)).map(|word| word.trim_end_matches('.'));
        let speaks =
            words().any(|word| DIGESTS.contains(&word) || word.ends_with("sum") || word.ends_with("sums"));
        let mut found = Hint::None;
        for hint in words().filter(|_| speaks).filter_map(word) {
            if found != Hint::None && found != hint {
                return Hint::None;
            }
            found = hint;
        }
        found
    }

    /// Derives the algorithm from a comment that says nothing else, like `# SHA512 HASH` between the lines of Gentoo's
    /// DIGESTS, or from one of corz checksum (`#md5#NAME#TIME`): it is about the lines below, whatever was said before.
    pub(crate) fn from_heading(text: &[u8]) -> Self {
        let mut parts = text.split(|byte| *byte == b'#');
        if let (Some(b""), Some(name), Some(_), Some(_)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            return word(&name).unwrap_or_default();
        }
        let lower = String::from_utf8_lossy(text).to_ascii_lowercase();
        let is_known =
            |text: &str| DIGESTS.contains(&text) || word(text).is_some() || text.starts_with("checksum");
        let words = || lower.split(|letter: char| "#;: \t".contains(letter)).filter(|word| !word.is_empty());
        if words().all(is_known) { Hint::from_comment(text) } else { Hint::None }
    }

    /// Returns whether a digest by an algorithm may be one that [`Hint::Forced`] named by another: by the same, or by one of
    /// its family with digests of another length, or by one that needs the same key.
    pub fn may_name(forced: &Algorithm, algorithm: &Algorithm) -> bool {
        let same_key = forced.key_mode.is_some() && forced.key_mode == algorithm.key_mode;
        forced == algorithm || same_key || are_relatives(forced, algorithm)
    }

    /// Returns the algorithm of a digest of this many bits according to this hint.
    pub(crate) fn for_bits(self, bits: u32) -> Option<&'static Algorithm> {
        match self {
            Hint::Name(algorithm) if algorithm.bits == bits => Some(algorithm),
            Hint::Forced(algorithm) => Some(algorithm),
            _ => None,
        }
    }
}

/// Words by which a comment mentions digests, besides words like `checksums`.
const DIGESTS: &[&str] = &["digest", "digests", "hash", "hashes"];

/// Returns whether a word of a file's name, in lower case, is an algorithm's name.
pub(in crate::format) fn is_algorithm(text: &str) -> bool {
    word(text).is_some()
}

/// Parses a word of a file's name: an algorithm's name, with an optional suffix `sum` or `sums`.
fn word(word: &str) -> Option<Hint> {
    // `SHASUMS256`: a suffix in the middle.
    let middle =
        word.strip_prefix("shasums").filter(|rest| !rest.is_empty()).map(|bits| format!("sha{bits}"));
    let word = middle.as_deref().unwrap_or(word);
    let stem = word.strip_suffix("sums").or(word.strip_suffix("sum")).unwrap_or(word);
    let name = match stem {
        "sfv" => "crc32",
        "b2" | "blake2b" => "blake2b-512",
        "b3" => "blake3",
        "ck" => "cksum",
        _ => stem,
    };
    match name {
        // Some tools use this name for the algorithm of 1994, others for that of 2012.
        "gost" => None,
        _ => find(name).ok().map(Hint::Name).or_else(|| Foreign::of_name(name).map(Hint::Foreign)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sum_files_tell_the_algorithm() {
        let cases: [(&[u8], &str); 9] = [
            (b"SHA256SUMS", "sha256"),
            (b"dir.md5/sha1sum.txt", "sha1"),
            (b"x.iso.md5", "md5"),
            (b"x.b3", "blake3"),
            (b"a.xxh3", "xxh3"),
            (b"B2SUMS", "blake2b-512"),
            (b"C:\\sums\\files.sfv", "crc32"),
            (b"debian-12.sha512.txt", "sha512"),
            (b"x-md5_all.txt", "md5"),
        ];
        for (name, algorithm) in cases {
            let hint = Hint::from_name(name);
            assert_eq!(hint, Hint::Name(find(algorithm).unwrap()), "{}", name.escape_ascii());
        }
        assert_eq!(Hint::from_name(b"manifest.txt"), Hint::None);
    }

    #[test]
    fn names_and_comments_tell_algorithms_that_are_not_here() {
        let foreign = |name| Hint::Foreign(Foreign::of_name(name).unwrap());
        assert_eq!(Hint::from_name(b"x.md4"), Hint::Name(find("md4").unwrap()));
        assert_eq!(Hint::from_name(b"x.md2"), foreign("md2"));
        assert_eq!(Hint::from_name(b"dir/ED2KSUMS"), Hint::Name(find("ed2k").unwrap()));
        assert_eq!(Hint::from_name(b"x.gost94-cryptopro"), Hint::Name(find("gost94-cryptopro").unwrap()));
        assert_eq!(Hint::from_name(b"x.gost"), Hint::None);
        assert_eq!(Hint::from_comment(b"; MD2 checksums"), foreign("md2"));
        assert_eq!(Hint::from_comment(b"# MD5 checksums made by x"), Hint::Name(find("md5").unwrap()));
        assert_eq!(Hint::from_comment(b"# md5 or sha1 digests"), Hint::None);
        assert_eq!(Hint::from_comment(b"# made by md5sum."), Hint::Name(find("md5").unwrap()));
        assert_eq!(Hint::from_comment(b";    3  03:48.27 2026-11-22 blake3.rs"), Hint::None);
        assert_eq!(Hint::from_comment(b";    3  03:48.27 2026-11-22 hash/blake3.rs"), Hint::None);
        assert_eq!(Hint::from_comment(b";    3  03:48.27 2026-11-22 blake3"), Hint::None);
        assert_eq!(Hint::from_comment(b"; Generated by RHash v1.4.3 on 2026-11-22"), Hint::None);
    }
}
