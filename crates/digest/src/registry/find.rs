//! Finds algorithms by name.

use super::sized;
use crate::algorithm::parameter::BadParameter;
use crate::algorithm::{Algorithm, Text};
use crate::registry::{self, ALGORITHMS};
use std::fmt;

/// A name without a row, or with a bad parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The name that was given.
    pub name: Box<str>,
    /// The most similar name that exists.
    pub nearest: &'static str,
    /// The reason, if the name is known but the parameter is bad.
    pub parameter: Option<Box<BadParameter>>,
}

/// Finds an algorithm by name, alias or tag, in any case. A name may have a parameter: `s3-etag:8M`.
///
/// # Errors
/// [`Unknown`], with the nearest name.
pub fn find(name: &str) -> Result<&'static Algorithm, Unknown> {
    let wanted = name.to_ascii_lowercase();
    if let Some(row) = plain(&wanted) {
        return Ok(row);
    }
    let unknown = |parameter| Unknown { name: name.into(), nearest: nearest(&wanted), parameter };
    match sized::find(&wanted) {
        Some(found) => found.map_err(|bad| unknown(Some(Box::new(bad)))),
        None => Err(unknown(None)),
    }
}

/// Finds a row by name, alias or tag, in lower case.
pub(crate) fn plain(wanted: &str) -> Option<&'static Algorithm> {
    let known = |row: &&Algorithm| {
        row.name == wanted || row.tag.eq_ignore_ascii_case(wanted) || row.aliases.contains(&wanted)
    };
    registry::named().find(known)
}

/// Finds an algorithm by its exact name, with its parameter if it has one.
pub fn of_name(name: &str) -> Option<&'static Algorithm> {
    match registry::named().find(|row| row.name == name) {
        Some(row) => Some(row),
        None if name.contains(':') => {
            sized::find(&name.to_ascii_lowercase())?.ok().filter(|row| row.name == name)
        }
        None => None,
    }
}

/// Returns the algorithms of a comma-separated list, in order, each once.
///
/// # Errors
/// [`Unknown`] for the first unknown name.
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

/// Returns all algorithms with hexadecimal digests of this many bits, likeliest first (in the registry's order), those
/// of clouds last. This recognises the shape of a digest; [`guesses`](crate::guesses) returns the algorithms that a
/// digest may be taken for.
pub fn of_bits(bits: u32) -> impl Iterator<Item = &'static Algorithm> {
    let likely = ALGORITHMS.iter().filter(move |row| row.likely && row.bits == bits && row.text == Text::Hex);
    likely.chain(ALGORITHMS.iter().filter(move |row| row.of_cloud && row.bits == bits))
}

fn nearest(wanted: &str) -> &'static str {
    let names = ALGORITHMS.iter().flat_map(|row| [row.name].into_iter().chain(row.aliases.iter().copied()));
    names.min_by_key(|name| edits(wanted, name)).unwrap_or("blake3")
}

/// Returns the Levenshtein distance, by the row-at-a-time method of Wagner and Fischer.
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

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parameter {
            None => write!(f, "unknown algorithm '{}'; did you mean '{}'?", self.name, self.nearest),
            Some(bad) => write!(f, "algorithm '{}': {bad}", self.name),
        }
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
    fn torrents_of_both_versions_are_told_apart() {
        assert_eq!(find("BitTorrent").unwrap().name, "btih");
        assert_eq!(find("btv2").unwrap().name, "bittorrent-v2");
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
