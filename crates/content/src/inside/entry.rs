//! Entries of file systems as entries of a walk.

use super::bounds::Bounds;
use super::medium::Volume;
use crate::entry::facts::EntryFact;
use crate::entry::portions::failed;
use crate::inside::site::known;
use hashmill_disk::{
    Allocation, ByteRun, ByteRuns, Content, Medium, Node, NodeKind, Recovery, Time as DiskTime,
};
use hashmill_manifest::{self as manifest, FileAttributes, Metadata, Time};
use hashmill_source::{Bytes, Entry, EntryContent, Meta, Origin, Skip, WalkItem};
use std::io;
use std::sync::Arc;

/// The most bytes of the target of a link: longer ones no system follows.
const LONGEST_TARGET: u64 = 4096;

/// Returns the item of a walk for an entry of a file system, which alone has the number; `None` for a directory, which
/// is only walked through.
pub(super) fn item(
    path: Box<[u8]>,
    number: u64,
    node: Node,
    volume: &Arc<Volume>,
    bounds: &mut Bounds,
) -> Option<WalkItem> {
    let skipped = |why| WalkItem::Skipped { path: path.clone(), why };
    // An entry with bytes is a file, whatever its kind.
    let exceeds = |most| node.content.as_ref().is_ok_and(|content| content.size() > most);
    Some(match (node.kind, &node.content) {
        (NodeKind::Directory, Ok(_)) if node.stream.is_none() => return None,
        (NodeKind::Link, _) if !exceeds(LONGEST_TARGET) => skipped(Skip::Link),
        (NodeKind::Fifo, _) if !exceeds(0) => skipped(Skip::Fifo),
        (NodeKind::Socket, _) if !exceeds(0) => skipped(Skip::Socket),
        (NodeKind::Device, _) if !exceeds(0) => skipped(Skip::Device),
        _ if node.allocation == Allocation::Deleted(Recovery::Partial) => skipped(Skip::Lost),
        (_, Err(problem)) => failed(&path, problem.word(), problem.to_string()),
        (NodeKind::Metadata, Ok(content)) if is_mostly_holes(content) => skipped(Skip::Sparse),
        (_, Ok(content)) => match bounds.take(content) {
            Ok(()) => file(path, number, node, volume),
            Err(why) => failed(&path, "bomb", why),
        },
    })
}

fn file(path: Box<[u8]>, number: u64, node: Node, volume: &Arc<Volume>) -> WalkItem {
    let Ok(content) = node.content else {
        return failed(&path, "error", String::new());
    };
    let modified = node.times.modified.map(|time| (time.seconds, time.nanoseconds));
    let (size, device, ino) = (content.size(), volume.outer.device, node.number);
    let (volume, stamp) = (Arc::clone(volume), volume.outer.stamp(number));
    let content: Arc<dyn EntryContent> = Arc::new(MemberContent { volume, content, modified, ino, stamp });
    WalkItem::File(Entry {
        size: Some(size),
        device,
        ino,
        content: Some(content),
        ..Entry::new(path, Origin::Path)
    })
}

/// Returns whether metadata are a map of the whole volume in which nearly nothing is set, as the list of bad clusters.
fn is_mostly_holes(content: &Content) -> bool {
    const LARGE: u64 = 1 << 20;
    let Some(runs) = content.runs() else { return false };
    let stored: u64 = runs.as_slice().iter().filter(|run| run.place.is_some()).map(|run| run.length).sum();
    content.size() > LARGE && stored < content.size() / 16
}

/// Returns bytes that nothing uses as an item of a walk.
pub(super) fn unallocated(path: Box<[u8]>, run: ByteRun, volume: &Arc<Volume>) -> WalkItem {
    let mut runs = ByteRuns::default();
    if let Err(problem) = runs.push(run.place, run.length, volume.range.size()) {
        return failed(&path, problem.word(), problem.to_string());
    }
    let content = Content::Plain { runs: Arc::new(runs), size: run.length, valid: run.length };
    let (device, stamp, volume) = (volume.outer.device, volume.outer.stamp(0), Arc::clone(volume));
    let content: Arc<dyn EntryContent> =
        Arc::new(MemberContent { volume, content, modified: None, ino: 0, stamp });
    WalkItem::File(Entry {
        size: Some(run.length),
        device,
        content: Some(content),
        ..Entry::new(path, Origin::Path)
    })
}

/// Returns the facts about an entry beside its content.
pub(super) fn fact(node: &Node, container: &str) -> EntryFact {
    EntryFact { metadata: metadata(node, container), mtime: node.times.modified.map(time) }
}

/// Returns what a record says of an entry beside its content.
pub(super) fn metadata(node: &Node, container: &str) -> Metadata {
    let allocation = match node.allocation {
        Allocation::Live => None,
        Allocation::Deleted(Recovery::Intact) => Some(manifest::Allocation::Intact),
        Allocation::Deleted(Recovery::Overlapped) => Some(manifest::Allocation::Overlapped),
        Allocation::Deleted(Recovery::Partial) => Some(manifest::Allocation::Partial),
    };
    Metadata {
        ctime: node.times.changed.map(time),
        accessed: node.times.accessed.map(time),
        created: node.times.created.map(time),
        inode: Some(node.number),
        container: Some(container.into()),
        allocation,
        attributes: FileAttributes::new(node.attributes),
        ..Metadata::default()
    }
}

fn time(time: DiskTime) -> Time {
    Time { seconds: time.seconds, nanoseconds: time.nanoseconds }
}

/// The content of a file in a file system.
#[derive(Debug, Clone)]
struct MemberContent {
    volume: Arc<Volume>,
    content: Content,
    modified: Option<(i64, u32)>,
    ino: u64,
    stamp: u128,
}

impl EntryContent for MemberContent {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        if self.volume.outer.is_changed()? {
            return Err(io::Error::other("the image was changed since its files were listed"));
        }
        Ok(Box::new(self.clone()))
    }

    fn known(&self) -> Option<Meta> {
        known(self)
    }
}

impl Bytes for MemberContent {
    fn meta(&self) -> io::Result<Meta> {
        let meta = self.volume.outer.meta()?;
        let mtime = self.modified.unwrap_or(meta.mtime);
        Ok(Meta { size: self.content.size(), mtime, ino: self.ino, stamp: self.stamp, ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.content.read_at(&self.volume.range, offset, buffer).map_err(|problem| match problem {
            problem @ hashmill_disk::Problem::Io(_) => problem.into(),
            other => io::Error::new(io::ErrorKind::InvalidData, other),
        })
    }
}
