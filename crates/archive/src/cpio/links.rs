//! Names of the same file in one archive.
//!
//! In `newc` and `crc` a file with several names has its content only at the last of them, as GNU cpio, bsdtar
//! and rpm write it: the names before are headers with size 0, which look like empty files. As GNU cpio does,
//! such a name is held back until the content comes, then it follows the file as a link to it. If no content
//! comes, the file is empty: the first of its names is a file, the others are links to it. A name without content
//! that comes after the content is a link, as for the Linux kernel.

use crate::{Member, MemberKind, Problem};
use std::collections::HashMap;

/// The number of a device, high and low, and that of an inode.
type InodeNumber = [u32; 3];

/// The bytes that a name takes besides its own.
const OVERHEAD: u64 = 160;

/// The names of files that have several.
#[derive(Debug)]
pub(super) struct LinkNames {
    /// Names without content, with their places in the archive.
    held: HashMap<InodeNumber, Vec<(u64, Member)>>,
    /// The names with the content.
    full: HashMap<InodeNumber, Vec<u8>>,
    met: u64,
    /// The bytes that may still be taken.
    left: u64,
    limit: u64,
    /// Whether there were more names than can be remembered.
    forgot: bool,
}

impl LinkNames {
    /// Creates a memory of so many bytes.
    pub(super) fn new(bytes: u64) -> LinkNames {
        LinkNames {
            held: HashMap::new(),
            full: HashMap::new(),
            met: 0,
            left: bytes,
            limit: bytes,
            forgot: false,
        }
    }

    /// Takes a name without content, and returns it if it need not be held back.
    pub(super) fn meet_empty(&mut self, inode: InodeNumber, mut member: Member) -> Option<Member> {
        if let Some(path) = self.full.get(&inode) {
            member.kind = MemberKind::HardLink(path.clone());
            return Some(member);
        }
        if !self.takes(&member.path) {
            member.problem = Some(Problem::TooMany("names of files that come before their contents"));
            return Some(member);
        }
        self.met += 1;
        self.held.entry(inode).or_default().push((self.met, member));
        None
    }

    /// Takes the name of a file with content, and returns the names before as links to it.
    pub(super) fn meet_full(&mut self, inode: InodeNumber, path: &[u8]) -> Vec<Member> {
        if self.takes(path) {
            self.full.insert(inode, path.to_vec());
        } else {
            self.full.remove(&inode);
        }
        let held = self.held.remove(&inode).unwrap_or_default();
        held.into_iter().map(|(_, member)| link(member, path)).collect()
    }

    /// Returns the names of empty files, in their order, at the end of an archive.
    pub(super) fn take_empty(&mut self) -> Vec<Member> {
        let forgot = self.forgot;
        self.take(|mut names| {
            let first = names.first().map(|(_, member)| member.path.clone()).unwrap_or_default();
            for (_, member) in names.iter_mut().skip(1) {
                member.kind = MemberKind::HardLink(first.clone());
            }
            // One of the names that were not remembered may have had the content.
            if let Some((_, member)) = names.first_mut().filter(|_| forgot) {
                member.problem = Some(Problem::TooMany("files with several names"));
            }
            names
        })
    }

    /// Returns the names without content where an archive ends too early.
    pub(super) fn take_lost(&mut self) -> Vec<Member> {
        self.take(|mut names| {
            for (_, member) in &mut names {
                member.size = None;
                member.problem = Some(Problem::Truncated);
            }
            names
        })
    }

    /// Returns the names that were held back, each file's as a function changes them, and forgets everything.
    fn take(&mut self, change: impl Fn(Vec<(u64, Member)>) -> Vec<(u64, Member)>) -> Vec<Member> {
        let mut names: Vec<_> = self.held.drain().flat_map(|(_, names)| change(names)).collect();
        names.sort_unstable_by_key(|(place, _)| *place);
        self.full.clear();
        (self.left, self.forgot) = (self.limit, false);
        names.into_iter().map(|(_, member)| member).collect()
    }

    /// Returns whether there is room for a name, and takes it.
    fn takes(&mut self, path: &[u8]) -> bool {
        let left = self.left.checked_sub(path.len() as u64 + OVERHEAD);
        self.left = left.unwrap_or(self.left);
        self.forgot |= left.is_none();
        left.is_some()
    }
}

fn link(mut member: Member, path: &[u8]) -> Member {
    member.kind = MemberKind::HardLink(path.to_vec());
    member
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(members: Vec<Member>) -> Vec<(String, MemberKind)> {
        members.into_iter().map(|member| (String::from_utf8(member.path).unwrap(), member.kind)).collect()
    }

    #[test]
    fn names_follow_the_content_or_the_first_name() {
        let mut names = LinkNames::new(1 << 20);
        assert!(names.meet_empty([0, 0, 1], Member::new("a")).is_none());
        assert!(names.meet_empty([0, 0, 2], Member::new("empty")).is_none());
        assert!(names.meet_empty([0, 0, 1], Member::new("b")).is_none());
        assert!(names.meet_empty([0, 0, 2], Member::new("void")).is_none());
        let of_c = || MemberKind::HardLink(b"c".to_vec());
        assert_eq!(kinds(names.meet_full([0, 0, 1], b"c")), [("a".into(), of_c()), ("b".into(), of_c())]);
        assert_eq!(names.meet_empty([0, 0, 1], Member::new("d")).unwrap().kind, of_c());
        let of_empty = MemberKind::HardLink(b"empty".to_vec());
        let expected = [("empty".into(), MemberKind::File), ("void".into(), of_empty)];
        assert_eq!(kinds(names.take_empty()), expected);
        assert!(names.meet_empty([0, 0, 1], Member::new("a")).is_none(), "the next archive begins");
        assert!(matches!(names.take_lost()[0].problem, Some(Problem::Truncated)));
    }

    #[test]
    fn memory_is_bounded() {
        let mut names = LinkNames::new(2 * OVERHEAD);
        assert!(names.meet_empty([0, 0, 1], Member::new("a")).is_none());
        let refused = names.meet_empty([0, 0, 1], Member::new("b")).unwrap();
        assert!(matches!(refused.problem, Some(Problem::TooMany(_))));
        assert!(matches!(names.take_empty()[0].problem, Some(Problem::TooMany(_))));
    }
}
