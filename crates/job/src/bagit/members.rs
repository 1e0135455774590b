//! The members of an archive as files of a bag: paths that lead out of it, and members that are in each other's place.

use super::archived::{ArchivedBag, below_top};
use hashmill_bag::{FindingKind, Judge, Seen, Unsafe, check};
use hashmill_content::selection::Bytes;
use hashmill_source::Skip;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// The bytes of memory for each member beside its path.
const OVERHEAD: usize = 256;

/// The path of a member in its archive.
pub(super) enum MemberPath {
    /// It stands for the archive itself.
    Root,
    /// It is below the archive. Empty and `.` parts are left out, as whoever unpacks it does.
    Inside(Bytes),
    /// It leads elsewhere.
    Unsafe(Bytes, Unsafe),
}

impl MemberPath {
    /// Takes the path of an item of the archive with this path.
    pub(super) fn new(path: &[u8], archive: &[u8]) -> MemberPath {
        let Some(written) = path.strip_prefix(archive).and_then(|rest| rest.strip_prefix(b"/")) else {
            return MemberPath::Root;
        };
        let path = plain(written);
        // A tilde means nothing to programs that unpack archives.
        match check(&String::from_utf8_lossy(written)) {
            Err(Unsafe::Empty) => MemberPath::Root,
            Err(why) if why != Unsafe::Home => MemberPath::Unsafe(written.into(), why),
            _ if path.is_empty() => MemberPath::Root,
            _ => MemberPath::Inside(path),
        }
    }
}

/// Returns a path without empty and `.` parts.
pub(super) fn plain(path: &[u8]) -> Bytes {
    let parts: Vec<&[u8]> =
        path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
    parts.join(&b'/').into()
}

/// The members that were met.
pub(super) struct Members {
    /// The path of the archive.
    archive: Bytes,
    /// The folder of the bag in it.
    top: Bytes,
    /// A hash of the content at each path.
    met: HashMap<Bytes, u64>,
    hasher: RandomState,
    /// The bytes of memory that are left.
    left: usize,
    /// Whether there were more members than memory.
    is_full: bool,
}

/// Something with a path below the folder of the bag that was not met before.
pub(super) enum Meeting {
    /// The first with this path.
    First(Bytes),
    /// Another file with this path, which differs.
    Otherwise(Bytes),
    /// Nothing to judge, or it was judged.
    Judged,
}

impl Members {
    /// Creates an empty set of the members of an archive.
    pub(super) fn new(bag: &ArchivedBag) -> Members {
        Members {
            archive: bag.path.clone(),
            top: bag.top.clone(),
            met: HashMap::new(),
            hasher: RandomState::new(),
            left: bag.memory,
            is_full: false,
        }
    }

    /// Takes a file.
    pub(super) fn meet_file(&mut self, path: &[u8], seen: &Seen, judge: &mut Judge) -> Meeting {
        let digests = seen.digests.iter().map(|(algorithm, digest)| (algorithm.name, digest.as_bytes()));
        let print = self.hasher.hash_one((seen.size, digests.collect::<Vec<_>>()));
        // 0 and 1 stand for other things.
        self.meet(path, print | 2, judge)
    }

    /// Takes an entry that is not a file.
    pub(super) fn meet_other(&mut self, path: &[u8], why: Skip, judge: &mut Judge) -> Meeting {
        self.meet(path, u64::from(why != Skip::EmptyFolder), judge)
    }

    /// Takes a member that could not be read. Returns its path below the bag; none if there were too many.
    pub(super) fn meet_failed(&mut self, path: &[u8], judge: &mut Judge) -> Option<Bytes> {
        if !self.has_memory_for(path, judge) {
            return None;
        }
        match MemberPath::new(path, &self.archive) {
            MemberPath::Inside(path) => Some(below_top(&path, &self.top).unwrap_or(&path).into()),
            MemberPath::Root => Some(Bytes::default()),
            MemberPath::Unsafe(path, _) => Some(path),
        }
    }

    fn meet(&mut self, path: &[u8], print: u64, judge: &mut Judge) -> Meeting {
        if !self.has_memory_for(path, judge) {
            return Meeting::Judged;
        }
        let path = match MemberPath::new(path, &self.archive) {
            MemberPath::Root => return Meeting::Judged,
            MemberPath::Unsafe(path, why) => {
                judge.add_finding(
                    FindingKind::UnsafePath,
                    &path,
                    &format!("the archive has it, but it {why}"),
                );
                return Meeting::Judged;
            }
            MemberPath::Inside(path) => path,
        };
        let Some(below) = below_top(&path, &self.top).map(Bytes::from) else {
            judge.add_finding(FindingKind::Ambiguous, &path, "it is not in the folder of the bag");
            return Meeting::Judged;
        };
        match self.met.insert(path, print) {
            None if below.is_empty() => Meeting::Judged,
            None => Meeting::First(below),
            Some(other) if other == print => Meeting::Judged,
            Some(other) if other > 1 && print > 1 => Meeting::Otherwise(below),
            Some(_) => {
                let why = "the archive has a file and something else with this path";
                judge.add_finding(FindingKind::Ambiguous, &below, why);
                Meeting::Judged
            }
        }
    }

    fn has_memory_for(&mut self, path: &[u8], judge: &mut Judge) -> bool {
        match self.left.checked_sub(path.len() + OVERHEAD) {
            Some(left) => self.left = left,
            None if self.is_full => {}
            None => {
                self.is_full = true;
                let why = "the archive has more members than memory is allowed for (allow more with -m)";
                judge.add_finding(FindingKind::Unreadable, b"", why);
            }
        }
        !self.is_full
    }

    /// Reports members that are below a file or a link: what is at their paths depends on who unpacks them.
    pub(super) fn finish(self, judge: &mut Judge) {
        let mut all: Vec<(Bytes, u64)> = self.met.into_iter().collect();
        // With the slash before all other bytes, what is below a path comes right after it.
        let key = |byte: &u8| if *byte == b'/' { 0 } else { u16::from(*byte) + 1 };
        all.sort_by(|(a, _), (b, _)| a.iter().map(key).cmp(b.iter().map(key)));
        for pair in all.windows(2) {
            let [(path, print), (next, _)] = pair else { continue };
            let is_above = next.strip_prefix(&**path).is_some_and(|rest| rest.starts_with(b"/"));
            if *print > 0 && is_above {
                let below = below_top(next, &self.top).unwrap_or(next);
                let why = "the archive has something else than a folder in the place of a folder above it";
                judge.add_finding(FindingKind::Ambiguous, below, why);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_members_are_safe_or_not() {
        let name = |path: &[u8]| match MemberPath::new(path, b"a.zip") {
            MemberPath::Root => "root".to_string(),
            MemberPath::Inside(path) => format!("in {}", String::from_utf8_lossy(&path)),
            MemberPath::Unsafe(_, why) => why.to_string(),
        };
        assert_eq!(name(b"a.zip"), "root");
        assert_eq!(name(b"a.zip/"), "root");
        assert_eq!(name(b"a.zip/./"), "root");
        assert_eq!(name(b"a.zip/b//./c/"), "in b/c");
        assert_eq!(name(b"a.zip/~b/c"), "in ~b/c");
        assert_eq!(&*plain(b"./a//b/./c/"), b"a/b/c");
        for path in
            [&b"a.zip//etc/x"[..], b"a.zip/../x", b"a.zip/b/../../x", b"a.zip/C:\\x", b"a.zip/b\\..\\x"]
        {
            assert!(!name(path).starts_with("in "), "{path:?}");
        }
    }
}
