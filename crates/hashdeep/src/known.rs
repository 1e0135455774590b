//! The known files: what was loaded, found again by digest, and which of them were met.
//!
//! A record takes 32 bytes, one allocation for its digests and name, and four bytes in the index of
//! each algorithm that it has a digest of.

use crate::kinds::{COUNT, Kind, Kinds};
use hashloom_digest::Digest;
use std::collections::HashMap;
use std::ops::Range;

/// All known files.
#[derive(Default)]
pub struct Known {
    files: Vec<KnownFile>,
    /// For each kind, the files that have its digest, sorted by digest, name, and place in the lists.
    by_digest: [Vec<u32>; COUNT],
    /// For a file, the lines behind it that are no rows: perhaps the rest of a name with line feeds.
    strays: HashMap<u32, Strays>,
    /// How many such lines came last.
    strayed: u32,
}

/// Lines that follow a row and are none.
#[derive(Default)]
struct Strays {
    /// The lines, each behind a line feed.
    text: Vec<u8>,
    /// How many, each of which counts as a file of no name.
    count: u32,
}

/// One known file.
pub struct KnownFile {
    /// The digests in the order of their kinds, then the name.
    body: Box<[u8]>,
    name_at: u16,
    /// Kinds whose digest it has.
    digests: Kinds,
    /// Kinds for which the list has a text that no digest can equal.
    impossible: Kinds,
    /// Whether something matched it.
    met: bool,
    /// Its size as the list has it.
    pub size: u64,
}

/// A known file while it is put together.
#[derive(Default)]
pub struct Draft {
    /// The name.
    pub name: Vec<u8>,
    /// The size; 0 if the list has none.
    pub size: u64,
    digests: [Option<Digest>; COUNT],
    impossible: Kinds,
}

/// Which known file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index(u32);

impl Draft {
    /// A file of which the name is known.
    pub fn named(name: &[u8]) -> Draft {
        Draft { name: name.to_vec(), ..Draft::default() }
    }

    /// Takes the text of a digest. One that is not as long as the algorithm's, or not hexadecimal, is
    /// kept in mind as one that nothing can match. Without text there is no digest.
    pub fn digest(&mut self, kind: Kind, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        match Digest::from_hex(text).ok().filter(|digest| digest.as_bytes().len() == kind.bytes()) {
            Some(digest) => self.digests[kind.index()] = Some(digest),
            None => self.impossible.insert(kind),
        }
    }

    /// Whether it has neither name nor digest.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty() && self.impossible == Kinds::NONE && self.digests.iter().all(Option::is_none)
    }

    fn finish(self) -> KnownFile {
        let mut body = Vec::with_capacity(self.name.len() + 48);
        let mut digests = Kinds::NONE;
        for kind in Kind::all() {
            if let Some(digest) = &self.digests[kind.index()] {
                body.extend_from_slice(digest.as_bytes());
                digests.insert(kind);
            }
        }
        let name_at = body.len() as u16;
        body.extend_from_slice(&self.name);
        let body = body.into_boxed_slice();
        KnownFile { body, name_at, digests, impossible: self.impossible, met: false, size: self.size }
    }
}

impl KnownFile {
    /// The name in the list.
    pub fn name(&self) -> &[u8] {
        &self.body[usize::from(self.name_at)..]
    }

    /// The digest of a kind, if the list has one.
    pub fn digest(&self, kind: Kind) -> Option<&[u8]> {
        if !self.digests.contains(kind) {
            return None;
        }
        let start: usize = self.digests.iter().take_while(|before| *before != kind).map(Kind::bytes).sum();
        Some(&self.body[start..start + kind.bytes()])
    }

    /// Whether the list says something of this kind that is not this digest.
    pub fn contradicts(&self, kind: Kind, digest: &[u8]) -> bool {
        self.impossible.contains(kind) || self.digest(kind).is_some_and(|known| known != digest)
    }
}

impl Known {
    /// Adds a file.
    pub fn add(&mut self, draft: Draft) {
        let file = draft.finish();
        // Four thousand million records would need over 100 GB.
        let index = self.files.len() as u32;
        for kind in file.digests.iter() {
            self.by_digest[kind.index()].push(index);
        }
        self.files.push(file);
        self.strayed = 0;
    }

    /// Adds what a line that is no row stands for: a file without a name, unless the line turns out to be
    /// the rest of the name before it.
    pub fn add_stray(&mut self, line: &[u8], draft: Draft) {
        let index = self.files.len() as u32;
        if let Some(row) = (index - self.strayed).checked_sub(1) {
            let strays = self.strays.entry(row).or_default();
            strays.text.extend([b"\n", line].concat());
            strays.count += 1;
        }
        let strayed = self.strayed + 1;
        self.add(draft);
        self.strayed = strayed;
    }

    /// Makes what was added ready to be found.
    pub fn index(&mut self) {
        let files = &self.files;
        for kind in Kind::all() {
            let key = |index: &u32| {
                let file = &files[*index as usize];
                (file.digest(kind), file.name(), *index)
            };
            self.by_digest[kind.index()].sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// How many were met.
    pub fn met(&self) -> usize {
        self.files.iter().filter(|file| file.met).count()
    }

    /// Those that were not met, as loaded.
    pub fn unmet(&self) -> impl Iterator<Item = &KnownFile> {
        self.files.iter().filter(|file| !file.met)
    }

    /// The file at an index.
    pub fn get(&self, index: Index) -> &KnownFile {
        &self.files[index.0 as usize]
    }

    /// Finds a file by digest, and marks it as met: the first that also has the name, else the first.
    pub fn meet(&mut self, kind: Kind, digest: &[u8], name: &[u8]) -> Option<Index> {
        let found = self.find(kind, digest, name)?;
        self.files[found as usize].met = true;
        Some(Index(found))
    }

    fn find(&mut self, kind: Kind, digest: &[u8], name: &[u8]) -> Option<u32> {
        if let Some(end) = name.iter().position(|byte| *byte == b'\n') {
            self.mend(kind, digest, (&name[..end], &name[end..]));
        }
        let same = &self.by_digest[kind.index()][self.range(kind, digest)];
        let at = same.partition_point(|at| self.files[*at as usize].name() < name);
        let found = same.get(at).filter(|at| self.files[**at as usize].name() == name);
        found.or_else(|| same.iter().min()).copied()
    }

    /// Where the index of a kind has a digest.
    fn range(&self, kind: Kind, digest: &[u8]) -> Range<usize> {
        let index = &self.by_digest[kind.index()];
        let of = |at: &u32| self.files[*at as usize].digest(kind);
        let start = index.partition_point(|at| of(at) < Some(digest));
        let length = index[start..].partition_point(|at| of(at) == Some(digest));
        start..start + length
    }

    /// Joins a name that line feeds broke: a row has its first line, and the lines behind that row are the
    /// rest.
    fn mend(&mut self, kind: Kind, digest: &[u8], (first, rest): (&[u8], &[u8])) {
        let is_broken = |row: &u32| {
            let strays = self.strays.get(row);
            strays.is_some_and(|strays| strays.text == rest) && self.files[*row as usize].name() == first
        };
        let same = &self.by_digest[kind.index()][self.range(kind, digest)];
        let Some(row) = same.iter().copied().find(is_broken) else { return };
        let strays = self.strays.remove(&row).unwrap_or_default();
        let (file, behind) = (row as usize, row as usize + 1);
        for stray in &mut self.files[behind..behind + strays.count as usize] {
            stray.met = true;
        }
        self.files[file].body = [&self.files[file].body, rest].concat().into_boxed_slice();
        self.put_in_order(file);
    }

    /// Puts a file whose name has changed into its place in every index.
    fn put_in_order(&mut self, file: usize) {
        for kind in self.files[file].digests.iter() {
            let digest = self.files[file].digest(kind).unwrap_or_default();
            let range = self.range(kind, digest);
            let files = &self.files;
            let key = |at: &u32| (files[*at as usize].name(), *at);
            self.by_digest[kind.index()][range].sort_unstable_by(|a, b| key(a).cmp(&key(b)));
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
            draft.digest(Kind::MD5, digest.as_bytes());
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
            let found = known.meet(Kind::MD5, &[0; 16], name.as_bytes()).unwrap();
            known.get(found).name().to_vec()
        };
        assert_eq!(find("b"), b"b");
        assert_eq!(find("c"), b"a");
        assert_eq!(known.met(), 2);
        assert_eq!(known.unmet().next().unwrap().name(), b"x");
        assert!(known.meet(Kind::MD5, &[2; 16], b"a").is_none());
    }

    #[test]
    fn a_name_with_line_feeds_is_joined() {
        let (one, two) = ("0".repeat(32), "1".repeat(32));
        let mut known = known(&[]);
        for line in [&one, "b,c", &two, "", "d"] {
            let mut draft = Draft::named(b"a");
            draft.digest(Kind::MD5, line.as_bytes());
            if line.len() == 32 {
                known.add(draft)
            } else {
                known.add_stray(line.as_bytes(), Draft::default())
            }
        }
        known.index();
        let mut find = |name: &[u8]| {
            known.meet(Kind::MD5, &[0x11; 16], name).map(|found| known.get(found).name().to_vec())
        };
        assert_eq!(find(b"a\nx").unwrap(), b"a");
        assert_eq!(find(b"a\n\nd").unwrap(), b"a\n\nd");
        let unmet: Vec<_> = known.unmet().map(|file| file.digest(Kind::MD5).is_some()).collect();
        assert_eq!(unmet, [true, false]);
    }

    #[test]
    fn a_text_that_is_no_digest_is_never_found_and_contradicts() {
        let mut draft = Draft::default();
        let sha1 = Kind::named(b"sha1").unwrap();
        draft.digest(Kind::MD5, b"00");
        draft.digest(sha1, b"");
        let file = draft.finish();
        assert!(file.contradicts(Kind::MD5, &[0; 16]));
        assert!(!file.contradicts(sha1, &[0; 20]));
        assert_eq!(file.digest(Kind::MD5), None);
    }
}
