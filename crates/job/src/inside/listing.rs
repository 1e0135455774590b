//! The thread that lists the file systems of an image.

use super::entry::{failed, item, metadata};
use super::medium::{Outer, Volume};
use super::volumes::{DiskLayout, DiskPart};
use crate::wanted::Inside;
use hashloom_disk::{FileSystem, Limits, Node, Problem, Walk};
use hashloom_manifest::Metadata;
use hashloom_source::WalkItem;
use std::sync::Arc;
use std::sync::mpsc::{SendError, SyncSender};

/// The number of entries that are put in order at a time. They take some 10 MiB, and up to three portions exist at once.
const PORTION: usize = 32 << 10;

/// An entry of a file system, on its way to the walk.
pub(super) struct Member {
    pub(super) item: WalkItem,
    pub(super) metadata: Option<Metadata>,
    /// The place of its first byte on the medium; what has none comes first.
    place: u64,
}

/// A listing that is under way.
pub(super) struct MemberListing {
    outer: Arc<Outer>,
    inside: Inside,
    sender: SyncSender<Vec<Member>>,
    portion: Vec<Member>,
}

/// The receiver is gone: nobody wants more entries.
struct Gone;

impl<T> From<SendError<T>> for Gone {
    fn from(_: SendError<T>) -> Gone {
        Gone
    }
}

impl MemberListing {
    pub(super) fn new(outer: Arc<Outer>, inside: Inside, sender: SyncSender<Vec<Member>>) -> MemberListing {
        MemberListing { outer, inside, sender, portion: Vec::new() }
    }

    /// Lists everything, until nobody wants more.
    pub(super) fn run(mut self) {
        let _ = self.all().and_then(|()| self.send());
    }

    fn all(&mut self) -> Result<(), Gone> {
        let DiskLayout { table, parts } = match DiskLayout::read(&self.outer) {
            Ok(layout) => layout,
            Err(problem) => return self.fail(&[self.outer.path(), b"!"].concat(), &problem),
        };
        for part in parts {
            let root = part.root(&self.outer);
            let partition = table.partitions.iter().find(|partition| partition.number == part.number);
            if let Some(problem) = partition.and_then(|partition| partition.problem.as_ref()) {
                self.fail(&root, problem)?;
            }
            match part.system() {
                Ok(None) => {}
                Ok(Some(system)) => self.entries(&root, system, &part)?,
                Err(problem) => self.fail(&root, &problem)?,
            }
        }
        Ok(())
    }

    fn entries(&mut self, root: &[u8], system: &dyn FileSystem, part: &DiskPart) -> Result<(), Gone> {
        let (outer, range) = (Arc::clone(&self.outer), part.range.clone());
        let volume = Arc::new(Volume { outer, range, device: part.number.into() });
        let container = system.info().kind.word();
        for entry in Walk::new(system, self.inside.deleted, Limits::default()) {
            let path: Box<[u8]> = [root, b"/", &*entry.path].concat().into();
            match entry.node {
                Err(problem) => self.fail(&path, &problem)?,
                Ok(node) => {
                    let (place, metadata) =
                        (part.start.saturating_add(place(&node)), metadata(&node, container));
                    if let Some(item) = item(path, node, &volume) {
                        self.push(Member { item, metadata: Some(metadata), place })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn fail(&mut self, path: &[u8], problem: &Problem) -> Result<(), Gone> {
        self.push(Member {
            item: failed(path, problem.word(), problem.to_string()),
            metadata: None,
            place: 0,
        })
    }

    fn push(&mut self, listed: Member) -> Result<(), Gone> {
        self.portion.push(listed);
        if self.portion.len() < PORTION { Ok(()) } else { self.send() }
    }

    /// Sends the entries so far, in the order of their first bytes on the medium.
    fn send(&mut self) -> Result<(), Gone> {
        let mut portion = std::mem::take(&mut self.portion);
        portion.sort_by_key(|listed| listed.place);
        Ok(self.sender.send(portion)?)
    }
}

/// Returns the place of a node's first byte in the file system; 0 if it has none.
fn place(node: &Node) -> u64 {
    let runs = node.content.as_ref().ok().and_then(|content| content.runs());
    let first = runs.and_then(|runs| runs.as_slice().iter().find_map(|run| run.place));
    first.unwrap_or(0)
}
