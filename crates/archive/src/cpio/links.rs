//! Names of the same file in one archive.
//!
//! In `newc` and `crc` a file with several names has its content only at the last of them, as GNU cpio, bsdtar
//! and rpm write it: the names before are headers with size 0, which look like empty files. As GNU cpio does,
//! such a name is held back until the content comes, then it follows the file as a link to it. If no content
//! comes, the file is empty: the first of its names is a file, the others are links to it. A name without content
//! that comes after the content is a link, as for the Linux kernel.

use super::contents::ContentNames;
use crate::{Member, MemberKind, Problem};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of a device, high and low, and that of an inode.
pub(super) type InodeNumber = [u32; 3];

/// The bytes that a name takes besides its own.
const OVERHEAD: u64 = 320;

/// Names with their places in the archive.
type Names<M> = Vec<(u64, M)>;

/// A member that comes next.
#[derive(Debug)]
pub(super) struct ReadyMember {
    member: Member,
    /// The path that it is a link to, once for all links to it: many short names may be those of a file with a
    /// long one.
    target: Option<Arc<[u8]>>,
}

impl ReadyMember {
    fn link(member: Member, target: &Arc<[u8]>) -> ReadyMember {
        ReadyMember { member, target: Some(target.clone()) }
    }

    pub(super) fn into_member(mut self) -> Member {
        if let Some(target) = self.target {
            self.member.kind = MemberKind::HardLink(target.to_vec());
        }
        self.member
    }
}

impl From<Member> for ReadyMember {
    fn from(member: Member) -> ReadyMember {
        ReadyMember { member, target: None }
    }
}

/// The names of files that have several.
#[derive(Debug)]
pub(super) struct LinkNames {
    /// Names without content.
    held: HashMap<InodeNumber, Names<Member>>,
    contents: ContentNames,
    met: u64,
    /// The bytes that names without content may still take.
    left: u64,
    limit: u64,
}

impl LinkNames {
    /// Creates a memory of so many bytes.
    pub(super) fn new(bytes: u64) -> LinkNames {
        let half = bytes / 2;
        LinkNames { held: HashMap::new(), contents: ContentNames::new(half), met: 0, left: half, limit: half }
    }

    /// Takes a name without content, and returns it if it need not be held back.
    pub(super) fn meet_empty(&mut self, inode: InodeNumber, mut member: Member) -> Option<Member> {
        if let Some(path) = self.contents.meet(inode) {
            member.kind = MemberKind::HardLink(path.to_vec());
            return Some(member);
        }
        let Some(left) = self.left.checked_sub(taken(&member)) else {
            member.problem = Some(Problem::TooMany("names of files that come before their contents"));
            return Some(member);
        };
        self.left = left;
        self.met += 1;
        self.held.entry(inode).or_default().push((self.met, member));
        None
    }

    /// Takes the name of a file with content and so many names, and returns the names before as links to it.
    pub(super) fn meet_content(&mut self, inode: InodeNumber, path: &[u8], names: u32) -> Vec<ReadyMember> {
        let held = self.held.remove(&inode).unwrap_or_default();
        self.left += held.iter().map(|(_, member)| taken(member)).sum::<u64>();
        let met = u32::try_from(held.len()).unwrap_or(u32::MAX).saturating_add(1);
        self.contents.insert(inode, path, names.saturating_sub(met));
        let target: Arc<[u8]> = if held.is_empty() { Arc::new([]) } else { path.into() };
        held.into_iter().map(|(_, member)| ReadyMember::link(member, &target)).collect()
    }

    /// Returns the names of empty files, in their order, at the end of an archive.
    pub(super) fn take_empty(&mut self) -> Vec<ReadyMember> {
        let forgot = self.contents.forgot;
        self.take(|mut first, others| {
            // One of the names that were not remembered may have had the content.
            first.problem = forgot.then_some(Problem::TooMany("files with several names"));
            let target: Arc<[u8]> = first.path.as_slice().into();
            let links = others.into_iter().map(|(place, member)| (place, ReadyMember::link(member, &target)));
            (first.into(), links.collect())
        })
    }

    /// Returns the names without content where an archive ends too early.
    pub(super) fn take_lost(&mut self) -> Vec<ReadyMember> {
        let lost = |mut member: Member| {
            member.size = None;
            member.problem = Some(Problem::Truncated);
            ReadyMember::from(member)
        };
        self.take(|first, others| {
            (lost(first), others.into_iter().map(|(place, member)| (place, lost(member))).collect())
        })
    }

    /// Returns the names that were held back, in their order, and forgets everything. A function has the first
    /// name of each file and the others with their places.
    fn take(
        &mut self,
        change: impl Fn(Member, Names<Member>) -> (ReadyMember, Names<ReadyMember>),
    ) -> Vec<ReadyMember> {
        let mut ready = Vec::new();
        for (_, names) in self.held.drain() {
            let mut names = names.into_iter();
            if let Some((place, first)) = names.next() {
                let (first, others) = change(first, names.collect());
                ready.push((place, first));
                ready.extend(others);
            }
        }
        ready.sort_unstable_by_key(|(place, _)| *place);
        self.contents.clear();
        self.left = self.limit;
        ready.into_iter().map(|(_, member)| member).collect()
    }
}

/// Returns the bytes that a name takes which is held back.
fn taken(member: &Member) -> u64 {
    member.path.len() as u64 + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(members: Vec<ReadyMember>) -> Vec<(String, MemberKind)> {
        members
            .into_iter()
            .map(ReadyMember::into_member)
            .map(|member| (String::from_utf8(member.path).unwrap(), member.kind))
            .collect()
    }

    #[test]
    fn names_follow_the_content_or_the_first_name() {
        let mut names = LinkNames::new(1 << 20);
        assert!(names.meet_empty([0, 0, 1], Member::new("a")).is_none());
        assert!(names.meet_empty([0, 0, 2], Member::new("empty")).is_none());
        assert!(names.meet_empty([0, 0, 1], Member::new("b")).is_none());
        assert!(names.meet_empty([0, 0, 2], Member::new("void")).is_none());
        let of_c = || MemberKind::HardLink(b"c".to_vec());
        assert_eq!(
            kinds(names.meet_content([0, 0, 1], b"c", 4)),
            [("a".into(), of_c()), ("b".into(), of_c())]
        );
        assert_eq!(names.meet_empty([0, 0, 1], Member::new("d")).unwrap().kind, of_c());
        let of_empty = MemberKind::HardLink(b"empty".to_vec());
        let expected = [("empty".into(), MemberKind::File), ("void".into(), of_empty)];
        assert_eq!(kinds(names.take_empty()), expected);
        assert!(names.meet_empty([0, 0, 1], Member::new("a")).is_none(), "the next archive begins");
        assert!(matches!(names.take_lost()[0].member.problem, Some(Problem::Truncated)));
    }

    #[test]
    fn memory_is_bounded() {
        let mut names = LinkNames::new(2 * (OVERHEAD + 1));
        for inode in 0..9 {
            assert!(names.meet_empty([0, 0, inode], Member::new("a")).is_none());
            assert_eq!(names.meet_content([0, 0, inode], b"b", 2).len(), 1);
        }
        assert!(names.meet_empty([0, 0, 10], Member::new("a")).is_none());
        let refused = names.meet_empty([0, 0, 10], Member::new("b")).unwrap();
        assert!(matches!(refused.problem, Some(Problem::TooMany(_))));
        for inode in 11..16 {
            assert!(names.meet_content([0, 0, inode], b"c", 3).is_empty());
        }
        assert!(matches!(names.take_empty()[0].member.problem, Some(Problem::TooMany(_))));
    }
}
