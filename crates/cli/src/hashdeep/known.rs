//! The known files: what was loaded, found again by digest, and which of them were met.
//!
//! A record takes 32 bytes, one allocation for its digests and name, and four bytes in the index of
//! each algorithm that it has a digest of.

use super::kinds::{COUNT, Kind, Kinds};
use hashloom_digest::Digest;

/// All known files.
#[derive(Default)]
pub struct Known {
    files: Vec<KnownFile>,
    /// For each kind, the files that have its digest, sorted by digest, name, and place in the lists.
    by_digest: [Vec<u32>; COUNT],
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
        let files = &self.files;
        let index = &self.by_digest[kind.index()];
        let digest_of = |at: &u32| files[*at as usize].digest(kind);
        let key = |at: &u32| (digest_of(at), files[*at as usize].name());
        let wanted = (Some(digest), name);
        let same = index.partition_point(|at| key(at) < wanted);
        let found = match index.get(same).filter(|at| key(at) == wanted) {
            Some(at) => *at,
            None => {
                let start = index.partition_point(|at| digest_of(at) < Some(digest));
                *index[start..].iter().take_while(|at| digest_of(at) == Some(digest)).min()?
            }
        };
        self.files[found as usize].met = true;
        Some(Index(found))
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
