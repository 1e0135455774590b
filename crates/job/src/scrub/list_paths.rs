//! The paths of a list as a walk of the operands spells them, by the rules of an audit.

use crate::audit::{SAMPLE, places_of};
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_lists::history;
use hashmill_lists::listed::{self, exists};
use hashmill_manifest::audit::Places;
use hashmill_os::roots::with_slashes;
use std::path::Path;

/// Paths of a list, evenly spread.
#[derive(Debug)]
pub(super) struct PathSample {
    paths: Vec<Vec<u8>>,
    /// Each path whose number is a multiple of this is in the sample.
    step: u64,
    seen: u64,
}

/// The way from paths of a list to those of a walk.
pub(super) struct ListPaths<'a> {
    operands: &'a [Bytes],
    /// The folder in front of relative paths.
    prefix: Box<[u8]>,
    places: Places,
}

impl Default for PathSample {
    fn default() -> PathSample {
        PathSample { paths: Vec::new(), step: 1, seen: 0 }
    }
}

impl PathSample {
    pub(super) fn add(&mut self, path: &[u8]) {
        if self.seen.is_multiple_of(self.step) {
            self.paths.push(path.to_vec());
        }
        self.seen += 1;
        if self.paths.len() == 2 * SAMPLE {
            let mut number = 0;
            self.paths.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.step *= 2;
        }
    }
}

impl<'a> ListPaths<'a> {
    /// Finds where the files of a list lie below the operands.
    pub(super) fn new(
        list: &Path,
        sample: PathSample,
        operands: &'a [Bytes],
        stores: &Stores,
    ) -> ListPaths<'a> {
        let prefix = match history::is_history(list) {
            true => listed::prefix(&history::root_of(list)),
            false => Box::default(),
        };
        let mut paths = ListPaths { operands, prefix, places: Places::default() };
        let sample: Vec<Vec<u8>> = sample.paths.iter().map(|path| paths.spelled(path)).collect();
        paths.places = places_of(&sample, operands, stores);
        paths
    }

    /// Returns the path of a file as the walk spells it; nothing if it lies below no operand.
    pub(super) fn local(&self, path: &[u8]) -> Option<Vec<u8>> {
        let path = self.spelled(path);
        let mut all =
            self.operands.iter().filter_map(|operand| self.places.walked_name(&path, operand)).peekable();
        let first = all.peek()?.clone();
        // Several operands may have a file of this name.
        Some(all.find(|path| exists(path)).unwrap_or(first))
    }

    /// Returns a path of the list with slashes. A name may have backslashes, too.
    fn spelled(&self, path: &[u8]) -> Vec<u8> {
        let path = listed::below_base(&self.prefix, path.into());
        let is_there = || {
            let below = |operand: &Bytes| exists(&[operand, &b"/"[..], &path].concat());
            exists(&path) || self.operands.iter().any(below)
        };
        let is_divided = memchr::memchr(b'\\', &path).is_some() && memchr::memchr(b'/', &path).is_none();
        if is_divided && !is_there() { with_slashes(&path) } else { path.into_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_a_long_list_is_spread_over_it() {
        let mut sample = PathSample::default();
        (0..10_000_u32).for_each(|number| sample.add(number.to_string().as_bytes()));
        assert!((SAMPLE..2 * SAMPLE).contains(&sample.paths.len()), "{}", sample.paths.len());
        assert_eq!((&*sample.paths[0], &*sample.paths[1]), (&b"0"[..], &b"32"[..]));
        assert_eq!(sample.paths.last().unwrap().len(), 4);
    }
}
