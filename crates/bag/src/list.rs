//! Manifests: lines of a digest and a path.

use crate::path::{self, encode};
use crate::text::lines;
use crate::{Finding, FindingKind, Version};
use hashmill_digest::{ALGORITHMS, Algorithm, Digest};

/// The kind of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// Lists the files below `data`.
    Payload,
    /// Lists all other files except tag manifests.
    Tags,
}

/// A manifest of a bag.
#[derive(Debug, Clone)]
pub struct List {
    /// The file name.
    pub name: String,
    /// The kind.
    pub of: ListKind,
    /// The algorithm of the digests.
    pub algorithm: &'static Algorithm,
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) path: String,
    /// The path as written, if decoding changed it.
    pub(crate) raw: Option<String>,
    pub(crate) digest: Digest,
}

impl List {
    /// Returns a manifest's kind and the name of its algorithm, or `None` for other file names.
    pub(crate) fn recognise(name: &str) -> Option<(ListKind, &str)> {
        let stem = name.strip_suffix(".txt")?;
        let tags = stem.strip_prefix("tagmanifest-").map(|algorithm| (ListKind::Tags, algorithm));
        tags.or_else(|| stem.strip_prefix("manifest-").map(|algorithm| (ListKind::Payload, algorithm)))
    }

    /// Reads the lines. Faults go to `findings`.
    pub(crate) fn parse<'a>(
        &'a self,
        text: &'a str,
        version: Version,
        findings: &'a mut Vec<Finding>,
    ) -> impl Iterator<Item = Line> + 'a {
        lines(text).filter_map(move |(number, line)| self.line(number, line, version, findings))
    }

    fn line(&self, number: u64, line: &str, version: Version, findings: &mut Vec<Finding>) -> Option<Line> {
        let place = || format!("{} line {number}", self.name);
        if line.starts_with('#') {
            findings.push(Finding::new(FindingKind::Comment, "", place()));
            return None;
        }
        let Some((digest, written)) = self.split(line) else {
            findings.push(Finding::new(FindingKind::Malformed, "", place()));
            return None;
        };
        let unmarked = written.trim_start_matches('*');
        if unmarked.len() != written.len() {
            findings.push(Finding::new(FindingKind::Star, unmarked, place()));
        }
        let path = path::decode(unmarked, version);
        if let Err(why) = self.check(&path) {
            findings.push(Finding::new(FindingKind::UnsafePath, path, format!("{} {why}", place())));
            return None;
        }
        let plain = path::plain(&path);
        if plain != path {
            findings.push(Finding::new(
                FindingKind::Spelling,
                plain.as_str(),
                format!("{} has '{path}'", place()),
            ));
        }
        self.note_place(&plain, findings);
        let raw = (path != unmarked).then(|| path::plain(unmarked));
        Some(Line { path: plain, raw, digest })
    }

    fn split<'l>(&self, line: &'l str) -> Option<(Digest, &'l str)> {
        let (digest, path) = line.split_once([' ', '\t'])?;
        let digest = self.algorithm.parse(digest.as_bytes()).ok()?;
        let path = path.trim_start_matches([' ', '\t']);
        (digest.bits() == self.algorithm.bits && !path.is_empty()).then_some((digest, path))
    }

    fn check(&self, path: &str) -> Result<(), String> {
        path::check(path).map_err(|why| why.to_string())?;
        let inside = path::plain(path).starts_with("data/");
        if self.of == ListKind::Payload && !inside { Err("is not below data".into()) } else { Ok(()) }
    }

    /// Adds a finding for payload and tag manifests in a tag manifest.
    fn note_place(&self, path: &str, findings: &mut Vec<Finding>) {
        let list = List::recognise(path).is_some_and(|(of, _)| of == ListKind::Tags);
        if self.of == ListKind::Tags && (list || path.starts_with("data/")) {
            findings.push(Finding::new(FindingKind::Misplaced, path, self.name.as_str()));
        }
    }
}

/// Returns the algorithm named by a manifest's file name. Only letters and digits count, in any case.
pub fn algorithm_of(name: &str) -> Option<&'static Algorithm> {
    let wanted = squeezed(name);
    // Names in Python's hashlib.
    let usual = match wanted.as_str() {
        "blake2b" => "blake2b512".to_string(),
        "blake2s" => "blake2s256".to_string(),
        _ => wanted,
    };
    let names = |row: &Algorithm| {
        [row.name].into_iter().chain(row.aliases.iter().copied()).any(|n| squeezed(n) == usual)
    };
    ALGORITHMS.iter().find(|row| names(row))
}

/// Returns the file name of a manifest.
pub fn file_name(of: ListKind, algorithm: &Algorithm) -> String {
    let start = match of {
        ListKind::Payload => "manifest",
        ListKind::Tags => "tagmanifest",
    };
    format!("{start}-{}.txt", squeezed(algorithm.name))
}

/// Formats the line of a file.
pub fn write_line(algorithm: &Algorithm, digest: &Digest, path: &str) -> String {
    format!("{}  {}\n", algorithm.format(digest), encode(path))
}

/// Keeps only letters and digits, in lower case (RFC 8493, 2.4).
fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;

    #[test]
    fn names_of_algorithms_are_squeezed() {
        for (name, algorithm) in [
            ("sha256", "sha256"),
            ("SHA-512", "sha512"),
            ("md5", "md5"),
            ("sha3_256", "sha3-256"),
            ("blake2b", "blake2b-512"),
            ("blake2s", "blake2s-256"),
            ("sha384", "sha384"),
        ] {
            assert_eq!(algorithm_of(name), Some(find(algorithm).unwrap()), "{name}");
        }
        assert_eq!(algorithm_of("shake"), None);
        for algorithm in ALGORITHMS {
            let name = file_name(ListKind::Tags, algorithm);
            let (of, found) = List::recognise(&name).unwrap();
            assert_eq!((of, algorithm_of(found)), (ListKind::Tags, Some(algorithm)), "{name}");
        }
    }
}
