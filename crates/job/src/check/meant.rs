//! Names of a list that other programs changed, and the files that they may be of: each file has one name in a list.

use super::list::Lack;
use hashmill_lists::listed::{Separators, local};
use hashmill_manifest::Record;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, hash_map::RandomState};
use std::hash::BuildHasher;

/// The most changed names that are remembered; behind them names are taken as they are.
const MAX_NAMES: usize = 1 << 20;

/// The reason why a file is not checked that an earlier line was taken for.
const TAKEN: &str = "an earlier line, whose own file is not there, was taken for this one";

/// The files that lines with other names were taken for. They are hashes, with a key that nobody knows.
#[derive(Default)]
pub(super) struct Meant {
    key: RandomState,
    /// The name in the list by the name of the file.
    taken: HashMap<u64, u64>,
}

impl Meant {
    /// Gives claims whose files are not there the names that other programs may have meant ([`local`]), unless another line
    /// names that file. A claim of a file that an earlier line was taken for is moved to what is lacking.
    pub(super) fn settle(
        &mut self,
        below: &[u8],
        separators: Separators,
        claims: &mut Vec<Record>,
        lacking: &mut Vec<Lack>,
    ) {
        let hash = |path: &[u8]| self.key.hash_one(path);
        if !self.taken.is_empty() {
            let of_others = claims.extract_if(.., |claim| self.taken.contains_key(&hash(&claim.path)));
            lacking.extend(of_others.map(|claim| (claim.path, TAKEN)));
        }
        let other = |(number, claim): (usize, &Record)| match local(below, &claim.path, separators) {
            Cow::Owned(path) => Some((number, path)),
            Cow::Borrowed(_) => None,
        };
        let others: Vec<_> = claims.iter().enumerate().filter_map(other).collect();
        if others.is_empty() {
            return;
        }
        let named: HashSet<u64> = claims.iter().map(|claim| hash(&claim.path)).collect();
        for (number, path) in others {
            let claim = &mut claims[number];
            let (from, to) = (hash(&claim.path), hash(&path));
            // In a list, backslashes or slashes are separators as a whole.
            let is_divided = without_separators(&claim.path).eq(without_separators(&path));
            let is_free = is_divided
                || self.taken.len() < MAX_NAMES && self.taken.get(&to).is_none_or(|before| *before == from);
            if named.contains(&to) || !is_free {
                continue;
            }
            if !is_divided {
                self.taken.insert(to, from);
            }
            claim.path = path.into();
        }
    }
}

fn without_separators(path: &[u8]) -> impl Iterator<Item = &u8> {
    path.iter().filter(|byte| !matches!(byte, b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_lists::listed::prefix;
    use hashmill_manifest::Status;

    #[test]
    fn a_file_has_one_name_in_a_list() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("n"), "").unwrap();
        let below = prefix(folder.path());
        let mut meant = Meant::default();
        let mut settled = |names: &[&str]| {
            let record =
                |name: &&str| Record::bare([&*below, name.as_bytes()].concat().into(), Status::Hashed);
            let (mut claims, mut lacking) = (names.iter().map(record).collect(), Vec::new());
            meant.settle(&below, Separators::Unknown, &mut claims, &mut lacking);
            let name = |path: &[u8]| String::from_utf8(path[below.len()..].to_vec()).unwrap();
            let names = claims.iter().map(|claim| name(&claim.path)).collect::<Vec<_>>().join(" ");
            (names, lacking.len())
        };
        assert_eq!(settled(&["\"n\"", "n"]), ("\"n\" n".into(), 0));
        assert_eq!(settled(&["\"n\"", "\"n\"", "*n"]), ("n n *n".into(), 0));
        // Also behind many lines.
        assert_eq!(settled(&["*n", "\"n\""]), ("*n n".into(), 0));
        assert_eq!(settled(&["m", "n"]), ("m".into(), 1));
    }
}
