//! What an algorithm is, and how one is found by name.

use crate::{ALGORITHMS, BadDigest, Bank, Digest, Tree};
use std::{fmt, hash, ptr};

/// One row of the registry. Rows are compared by identity: there is one of each.
pub struct Algorithm {
    /// The name in options, manifests and messages: lower case.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The name in BSD-style (`--tag`) lines, such as `SHA2-256` or `BLAKE2b-256`.
    pub tag: &'static str,
    /// Bits of the digest.
    pub bits: u32,
    /// What it is good for.
    pub class: Class,
    /// How the digest is written.
    pub text: Text,
    /// The standard or paper that defines it.
    pub source: &'static str,
    /// Makes a bank for many streams, on the best kernel that this machine runs.
    pub bank: fn() -> Box<dyn Bank>,
    /// Makes a bank for streams that come one after another: the fastest for a message alone.
    pub alone: fn() -> Box<dyn Bank>,
    /// How one message is hashed on several threads, where that is possible.
    pub tree: Option<&'static dyn Tree>,
}

/// How far a digest may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// No practical attack is known.
    Cryptographic,
    /// Made as a cryptographic hash; collisions can be made now or soon.
    Broken,
    /// Finds accidents only.
    Checksum,
}

/// The usual text of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Lower-case hexadecimal, most significant byte first.
    Hex,
    /// An unsigned decimal number (the POSIX `cksum`).
    Decimal,
}

/// A name that no row has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What was asked for.
    pub name: String,
    /// The most similar name that exists.
    pub nearest: &'static str,
}

impl Algorithm {
    /// The name of the kernel that runs on this machine, for people.
    pub fn kernel(&self) -> &'static str {
        (self.bank)().kernel()
    }

    /// The digest in the algorithm's usual text.
    pub fn format(&self, digest: &Digest) -> String {
        match self.text {
            Text::Hex => digest.to_string(),
            Text::Decimal => {
                let value = digest.as_bytes().iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                value.to_string()
            }
        }
    }

    /// Reads the algorithm's usual text, either case.
    ///
    /// # Errors
    /// [`BadDigest`] if it is not such a text or has another length.
    pub fn parse(&self, text: &[u8]) -> Result<Digest, BadDigest> {
        match self.text {
            Text::Hex => {
                let digest = Digest::from_hex(text)?;
                (digest.bits() == self.bits).then_some(digest).ok_or(BadDigest::Length(text.len()))
            }
            Text::Decimal => {
                let plain = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
                let text = plain.then(|| str::from_utf8(text).ok()).flatten().ok_or(BadDigest::Number)?;
                let value: u64 = text.parse().map_err(|_| BadDigest::Number)?;
                let bytes = value.to_be_bytes();
                let unused = 8 - (self.bits / 8) as usize;
                let fits = bytes[..unused].iter().all(|byte| *byte == 0);
                fits.then(|| Digest::new(&bytes[unused..])).ok_or(BadDigest::Number)
            }
        }
    }
}

/// The algorithm of this name, alias or tag, in any case.
///
/// # Errors
/// [`Unknown`], with the nearest name.
pub fn find(name: &str) -> Result<&'static Algorithm, Unknown> {
    let wanted = name.to_ascii_lowercase();
    let known = |row: &&Algorithm| {
        let tagged = row.tag.eq_ignore_ascii_case(name);
        row.name == wanted || tagged || row.aliases.contains(&wanted.as_str())
    };
    ALGORITHMS.iter().find(known).ok_or_else(|| Unknown { name: name.to_string(), nearest: nearest(&wanted) })
}

/// The algorithms of a comma-separated list, in its order, each once.
///
/// # Errors
/// [`Unknown`] for the first name that no row has.
pub fn parse_list(list: &str) -> Result<Vec<&'static Algorithm>, Unknown> {
    let mut found = Vec::new();
    for name in list.split(',') {
        let algorithm = find(name.trim())?;
        if !found.contains(&algorithm) {
            found.push(algorithm);
        }
    }
    Ok(found)
}

/// All algorithms whose digests have this many bits and are written in hexadecimal, likeliest first
/// (the registry's order).
pub fn of_bits(bits: u32) -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(move |row| row.bits == bits && row.text == Text::Hex)
}

fn nearest(wanted: &str) -> &'static str {
    let names = ALGORITHMS.iter().flat_map(|row| [row.name].into_iter().chain(row.aliases.iter().copied()));
    names.min_by_key(|name| edits(wanted, name)).unwrap_or("blake3")
}

/// Levenshtein's distance, by the row-at-a-time method of Wagner and Fischer.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Algorithm {}

impl hash::Hash for Algorithm {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm '{}'; did you mean '{}'?", self.name, self.nearest)
    }
}

impl std::error::Error for Unknown {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_by_alias() {
        assert_eq!(find("SHA256").unwrap().name, "sha256");
        assert_eq!(find("sha-256").unwrap().name, "sha256");
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        assert_eq!(find("sha265").unwrap_err().nearest, "sha256");
        assert_eq!(find("blake").unwrap_err().nearest, "blake3");
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
