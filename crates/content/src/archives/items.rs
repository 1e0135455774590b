//! Members of archives as items of a walk.

use super::archive_file::ArchiveFile;
use super::overlaps::Overlaps;
use crate::archive_folder::LinkTexts;
use crate::entry::facts::EntryFact;
use crate::entry::portions::{ListedItem, failed};
use hashmill_archive::{Member, MemberKind, Problem, Time as MemberTime};
use hashmill_manifest::{FileAttributes, Metadata, Time};
use hashmill_source::{Entry, EntryContent, InsideFailure, Meta, Origin, Skip, WalkItem};
use std::io;
use std::sync::Arc;

/// Returns the path of a member below the root of its archive. Programs write `./a` for `a`; nothing else is changed.
pub(super) fn path(root: &[u8], member: &[u8]) -> Box<[u8]> {
    let mut rest = member;
    while let Some(shorter) = rest.strip_prefix(b"./") {
        rest = shorter;
    }
    [root, b"/", rest].concat().into()
}

/// The part of a member in a walk.
pub(super) enum MemberPart {
    /// None: it is a directory, which is only walked through.
    Nothing,
    /// An item without content to read.
    Item(WalkItem),
    /// It is a file, or another name of one.
    Content,
}

/// Returns the part of a member in a walk. Bytes that are stored for it are its content, whatever its kind. Texts of links are
/// noted if they are wanted.
pub(super) fn part_of(member: &Member, path: &[u8], links: &Option<LinkTexts>) -> MemberPart {
    if let Some(problem) = &member.problem {
        // One program takes it for a directory or a link, and another one may take it for a file.
        return MemberPart::Item(failure(path.strip_suffix(b"/").unwrap_or(path), problem));
    }
    if let (MemberKind::Link(target), Some(links)) = (&member.kind, links) {
        links.lock().insert(path.into(), target.as_slice().into());
    }
    let skipped = |why| MemberPart::Item(WalkItem::Skipped { path: path.into(), why });
    match &member.kind {
        MemberKind::Directory if links.is_none() => MemberPart::Nothing,
        MemberKind::Directory => MemberPart::Item(WalkItem::Skipped {
            path: path.strip_suffix(b"/").unwrap_or(path).into(),
            why: Skip::EmptyFolder,
        }),
        _ if member.is_stored() => MemberPart::Content,
        MemberKind::Link(_) => skipped(Skip::Link),
        MemberKind::Fifo => skipped(Skip::Fifo),
        MemberKind::Socket => skipped(Skip::Socket),
        MemberKind::Device => skipped(Skip::Device),
        MemberKind::File | MemberKind::HardLink(_) => MemberPart::Content,
    }
}

/// Returns the item that tells that a member and an earlier one fall together, if they do.
pub(super) fn overlap(overlaps: &mut Option<Overlaps>, member: &Member, root: &[u8]) -> Option<WalkItem> {
    let overlaps = overlaps.as_mut().filter(|_| member.problem.is_none())?;
    let why = overlaps.meet(&member.path, &member.kind, member.is_stored())?;
    Some(failed(&path(root, &member.path), "ambiguous", why.into()))
}

/// Returns the item of a member that can't be read.
pub(super) fn failure(path: &[u8], problem: &Problem) -> WalkItem {
    failed(path, problem.word(), problem.to_string())
}

/// Returns a problem as the error of a read.
pub(super) fn error(problem: Problem) -> io::Error {
    match problem {
        Problem::Io(error) => error,
        other => InsideFailure { word: other.word(), why: other.to_string().into() }.into(),
    }
}

/// Returns a member as an entry with this content.
pub(super) fn file(
    path: Box<[u8]>,
    size: Option<u64>,
    fact: EntryFact,
    content: Arc<dyn EntryContent>,
) -> ListedItem {
    let entry = Entry { size, content: Some(content), ..Entry::new(path, Origin::Path) };
    ListedItem { item: WalkItem::File(entry), fact: Some(fact) }
}

/// Returns the facts about a member beside its content.
pub(super) fn fact(member: &Member, container: &'static str) -> EntryFact {
    let times = &member.times;
    let metadata = Metadata {
        ctime: times.changed.map(time),
        accessed: times.accessed.map(time),
        created: times.created.map(time),
        container: Some(container.into()),
        attributes: stated_kind(member),
        ..Metadata::default()
    };
    EntryFact { metadata, mtime: times.modified.map(time) }
}

/// Returns the kind that a member's mode states although bytes are stored for it, which are hashed: a note.
fn stated_kind(member: &Member) -> FileAttributes {
    match member.kind {
        _ if !member.is_stored() => FileAttributes::default(),
        MemberKind::Link(_) => FileAttributes::SYMLINK,
        MemberKind::Fifo => FileAttributes::FIFO,
        MemberKind::Socket => FileAttributes::SOCKET,
        MemberKind::Device => FileAttributes::DEVICE,
        _ => FileAttributes::default(),
    }
}

fn time(time: MemberTime) -> Time {
    Time { seconds: time.seconds, nanoseconds: time.nanoseconds }
}

/// The metadata that a member has of its own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Own {
    modified: Option<MemberTime>,
    mode: Option<u32>,
    /// The number of the member in its archive.
    number: u64,
}

impl Own {
    pub(super) fn of(member: &Member, number: u64) -> Own {
        Own { modified: member.times.modified, mode: member.mode, number }
    }

    /// Returns the metadata of a member of this size while it is read: beside its own, those of the archive now.
    ///
    /// # Errors
    /// If those of the archive can't be looked up.
    pub(super) fn meta(&self, archive: &ArchiveFile, size: u64) -> io::Result<Meta> {
        /// The bits of a mode that say that it is a regular file.
        const REGULAR: u32 = 0o100_000;
        let meta = archive.meta()?;
        let mtime = self.modified.map_or(meta.mtime, |time| (time.seconds, time.nanoseconds));
        let mode = REGULAR | self.mode.unwrap_or(0o644) & 0o7777;
        Ok(Meta { size, mtime, mode, ino: 0, stamp: archive.stamp(self.number), ..meta })
    }
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn only_the_dot_at_the_start_of_a_path_goes() {
        for (member, wanted) in
            [("./a", "t!/a"), ("././a/./b", "t!/a/./b"), ("/a", "t!//a"), ("../a", "t!/../a")]
        {
            assert_eq!(*path(b"t!", member.as_bytes()), *wanted.as_bytes());
        }
    }
}
