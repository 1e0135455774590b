//! The known files: loading, lookup by digest, and marks for those that matched.
//!
//! A record takes 32 bytes, one allocation for its digests and name, and four bytes in the index of each algorithm.

use crate::algorithm::{Algorithm, AlgorithmSet, COUNT};
use crate::sys;
use hashmill_digest::Digest;
use std::collections::HashMap;
use std::ops::Range;

#[derive(Default)]
pub struct Known {
    files: Vec<KnownFile>,
    /// For each algorithm, the files with its digest, sorted by digest, name, and position in the lists.
    by_digest: [Vec<u32>; COUNT],
    /// For a file, the lines after it that are not rows, which may be the rest of a name with line feeds.
    loose_lines: HashMap<u32, LooseLines>,
    /// The number of such lines at the end.
    loose_count: u32,
}

/// Lines that follow a row and are not rows themselves.
#[derive(Default)]
struct LooseLines {
    /// The lines, each preceded by a line feed.
    text: Vec<u8>,
    /// Their number; each of them counts as a file without a name.
    count: u32,
}

pub struct KnownFile {
    /// The digests in the order of their algorithms, then the name.
    body: Box<[u8]>,
    name_at: u16,
    /// The algorithms of its digests.
    digests: AlgorithmSet,
    /// The algorithms with a text in the list that no digest can equal.
    impossible: AlgorithmSet,
    /// Whether a file matched it.
    matched: bool,
    /// The size in the list.
    pub size: u64,
}

/// A known file under construction.
#[derive(Default)]
pub struct Draft {
    pub name: Vec<u8>,
    /// The size; 0 if the list has none.
    pub size: u64,
    digests: [Option<Digest>; COUNT],
    impossible: AlgorithmSet,
}

/// The index of a known file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index(u32);

impl Draft {
    /// Creates a draft with this name.
    pub fn named(name: &[u8]) -> Draft {
        Draft { name: name.to_vec(), ..Draft::default() }
    }

    /// Takes the text of a digest. One with a wrong length or other characters than hexadecimal digits is stored as
    /// impossible to match. An empty text is no digest.
    pub fn digest(&mut self, algorithm: Algorithm, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        match Digest::from_hex(text).ok().filter(|digest| digest.as_bytes().len() == algorithm.bytes()) {
            Some(digest) => self.digests[algorithm.index()] = Some(digest),
            None => self.impossible.insert(algorithm),
        }
    }

    /// Returns whether it has neither name nor digest.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty()
            && self.impossible == AlgorithmSet::NONE
            && self.digests.iter().all(Option::is_none)
    }

    fn finish(self) -> KnownFile {
        let mut body = Vec::with_capacity(self.name.len() + 48);
        let mut digests = AlgorithmSet::NONE;
        for algorithm in Algorithm::all() {
            if let Some(digest) = &self.digests[algorithm.index()] {
                body.extend_from_slice(digest.as_bytes());
                digests.insert(algorithm);
            }
        }
        let name_at = body.len() as u16;
        // Lists may come from other systems.
        body.extend_from_slice(&sys::shown(&self.name));
        let body = body.into_boxed_slice();
        KnownFile { body, name_at, digests, impossible: self.impossible, matched: false, size: self.size }
    }
}

impl KnownFile {
    /// Returns the name in the list.
    pub fn name(&self) -> &[u8] {
        &self.body[usize::from(self.name_at)..]
    }

    /// Returns the digest of an algorithm, if the list has one.
    pub fn digest(&self, algorithm: Algorithm) -> Option<&[u8]> {
        if !self.digests.contains(algorithm) {
            return None;
        }
        let start: usize =
            self.digests.iter().take_while(|before| *before != algorithm).map(Algorithm::bytes).sum();
        Some(&self.body[start..start + algorithm.bytes()])
    }

    /// Returns whether the list has another digest of this algorithm.
    pub fn contradicts(&self, algorithm: Algorithm, digest: &[u8]) -> bool {
        self.impossible.contains(algorithm) || self.digest(algorithm).is_some_and(|known| known != digest)
    }
}

impl Known {
    pub fn add(&mut self, draft: Draft) {
        let file = draft.finish();
        // 2^32 records would need over 100 GB.
        let index = self.files.len() as u32;
        for algorithm in file.digests.iter() {
            self.by_digest[algorithm.index()].push(index);
        }
        self.files.push(file);
        self.loose_count = 0;
    }

    /// Adds a line that is not a row. It counts as a file without a name, unless it continues the previous name.
    pub fn add_loose_line(&mut self, line: &[u8], draft: Draft) {
        let index = self.files.len() as u32;
        if let Some(row) = (index - self.loose_count).checked_sub(1) {
            let loose_lines = self.loose_lines.entry(row).or_default();
            loose_lines.text.extend([b"\n", line].concat());
            loose_lines.count += 1;
        }
        let loose_count = self.loose_count + 1;
        self.add(draft);
        self.loose_count = loose_count;
    }

    /// Sorts the indexes, without which no file can be found.
    pub fn index(&mut self) {
        let files = &self.files;
        for algorithm in Algorithm::all() {
            let key = |index: &u32| {
                let file = &files[*index as usize];
                (file.digest(algorithm), file.name(), *index)
            };
            self.by_digest[algorithm.index()].sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        }
    }

    /// Returns the number of known files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of matched files.
    pub fn matched(&self) -> usize {
        self.files.iter().filter(|file| file.matched).count()
    }

    /// Returns the files that were not matched, in the order of loading.
    pub fn unmatched(&self) -> impl Iterator<Item = &KnownFile> {
        self.files.iter().filter(|file| !file.matched)
    }

    pub fn get(&self, index: Index) -> &KnownFile {
        &self.files[index.0 as usize]
    }

    /// Finds a file by digest, preferably one with this name, and marks it as matched.
    pub fn find_and_mark(&mut self, algorithm: Algorithm, digest: &[u8], name: &[u8]) -> Option<Index> {
        let found = self.find(algorithm, digest, name)?;
        self.files[found as usize].matched = true;
        Some(Index(found))
    }

    fn find(&mut self, algorithm: Algorithm, digest: &[u8], name: &[u8]) -> Option<u32> {
        if let Some(end) = name.iter().position(|byte| *byte == b'\n') {
            self.join_broken_name(algorithm, digest, &name[..end], &name[end..]);
        }
        let same = &self.by_digest[algorithm.index()][self.range(algorithm, digest)];
        let at = same.partition_point(|at| self.files[*at as usize].name() < name);
        let found = same.get(at).filter(|at| self.files[**at as usize].name() == name);
        found.or_else(|| same.iter().min()).copied()
    }

    /// Returns the range of a digest in the index of an algorithm.
    fn range(&self, algorithm: Algorithm, digest: &[u8]) -> Range<usize> {
        let index = &self.by_digest[algorithm.index()];
        let of = |at: &u32| self.files[*at as usize].digest(algorithm);
        let start = index.partition_point(|at| of(at) < Some(digest));
        let length = index[start..].partition_point(|at| of(at) == Some(digest));
        start..start + length
    }

    /// Joins a name that was split at line feeds: a row has its first line, and the lines after that row are the rest.
    fn join_broken_name(&mut self, algorithm: Algorithm, digest: &[u8], first: &[u8], rest: &[u8]) {
        let has_failed = |row: &u32| {
            let loose_lines = self.loose_lines.get(row);
            loose_lines.is_some_and(|loose_lines| loose_lines.text == rest)
                && self.files[*row as usize].name() == first
        };
        let same = &self.by_digest[algorithm.index()][self.range(algorithm, digest)];
        let Some(row) = same.iter().copied().find(has_failed) else { return };
        let loose_lines = self.loose_lines.remove(&row).unwrap_or_default();
        let (file, behind) = (row as usize, row as usize + 1);
        for stray in &mut self.files[behind..behind + loose_lines.count as usize] {
            stray.matched = true;
        }
        self.files[file].body = [&self.files[file].body, rest].concat().into_boxed_slice();
        self.put_in_order(file);
    }

    /// Moves a file with a changed name to its new position in every index.
    fn put_in_order(&mut self, file: usize) {
        for algorithm in self.files[file].digests.iter() {
            let digest = self.files[file].digest(algorithm).unwrap_or_default();
            let range = self.range(algorithm, digest);
            let files = &self.files;
            let key = |at: &u32| (files[*at as usize].name(), *at);
            self.by_digest[algorithm.index()][range].sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(files: &[(&str, &str)]) -> Known {
        let mut known = Known::default();
        for (digest, name) in files {
            let mut draft = Draft::named(name.as_bytes());
            draft.digest(Algorithm::MD5, digest.as_bytes());
            known.add(draft);
        }
        known.index();
        known
    }

    #[test]
    fn a_file_is_found_by_digest_and_if_it_can_be_by_name() {
        let (one, two) = ("0".repeat(32), "1".repeat(32));
        let mut known = known(&[(&two, "x"), (&one, "a"), (&one, "b")]);
        let mut find = |name: &str| {
            let found = known.find_and_mark(Algorithm::MD5, &[0; 16], name.as_bytes()).unwrap();
            known.get(found).name().to_vec()
        };
        assert_eq!(find("b"), b"b");
        assert_eq!(find("c"), b"a");
        assert_eq!(known.matched(), 2);
        assert_eq!(known.unmatched().next().unwrap().name(), b"x");
        assert!(known.find_and_mark(Algorithm::MD5, &[2; 16], b"a").is_none());
    }

    #[test]
    fn a_name_with_line_feeds_is_joined() {
        let (one, two) = ("0".repeat(32), "1".repeat(32));
        let mut known = known(&[]);
        for line in [&one, "b,c", &two, "", "d"] {
            let mut draft = Draft::named(b"a");
            draft.digest(Algorithm::MD5, line.as_bytes());
            if line.len() == 32 {
                known.add(draft)
            } else {
                known.add_loose_line(line.as_bytes(), Draft::default())
            }
        }
        known.index();
        let mut find = |name: &[u8]| {
            known
                .find_and_mark(Algorithm::MD5, &[0x11; 16], name)
                .map(|found| known.get(found).name().to_vec())
        };
        assert_eq!(find(b"a\nx").unwrap(), b"a");
        assert_eq!(find(b"a\n\nd").unwrap(), b"a\n\nd");
        let unmatched: Vec<_> = known.unmatched().map(|file| file.digest(Algorithm::MD5).is_some()).collect();
        assert_eq!(unmatched, [true, false]);
    }

    #[test]
    fn a_text_that_is_no_digest_is_never_found_and_contradicts() {
        let mut draft = Draft::default();
        let sha1 = Algorithm::named(b"sha1").unwrap();
        draft.digest(Algorithm::MD5, b"00");
        draft.digest(sha1, b"");
        let file = draft.finish();
        assert!(file.contradicts(Algorithm::MD5, &[0; 16]));
        assert!(!file.contradicts(sha1, &[0; 20]));
        assert_eq!(file.digest(Algorithm::MD5), None);
    }
}
