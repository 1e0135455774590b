//! The thread that lists the file systems of an image.

use super::bounds::Bounds;
use super::coverage::Coverer;
use super::entry::{fact, item, unallocated};
use super::medium::{Outer, Volume};
use super::volumes::{DiskLayout, DiskPart, image_doubts};
use crate::entry::facts::{Coverage, EntryFact, EntryFacts};
use crate::entry::portions::{ListedItem, Portions, failed};
use crate::wanted::Inside;
use hashmill_disk::{
    ByteRun, DeletedEntries, FileSystem, Limits, Medium, Node, Problem, Range, Scheme, Volumes, Walk,
};
use hashmill_manifest::Metadata;
use hashmill_source::WalkItem;
use std::sync::Arc;
use std::sync::mpsc::SendError;

/// The number of entries that are put in order at a time. They take some 10 MiB, and up to three portions exist at once.
const PORTION: usize = 8 << 10;

/// An entry of a file system, on its way to the walk.
struct Member {
    item: WalkItem,
    fact: Option<EntryFact>,
    /// The place of its first byte on the medium; what has none comes first.
    place: u64,
}

/// A listing that is under way.
pub(super) struct MemberListing {
    outer: Arc<Outer>,
    inside: Inside,
    facts: EntryFacts,
    bounds: Bounds,
    sender: Portions,
    portion: Vec<Member>,
    /// The number of nodes that were met.
    nodes: u64,
}

/// The receiver is gone: nobody wants more entries.
struct Gone;

impl<T> From<SendError<T>> for Gone {
    fn from(_: SendError<T>) -> Gone {
        Gone
    }
}

impl MemberListing {
    pub(super) fn new(
        outer: Arc<Outer>,
        inside: Inside,
        facts: EntryFacts,
        sender: Portions,
    ) -> MemberListing {
        let bounds = Bounds::new(inside, outer.image.media_size());
        MemberListing { outer, bounds, inside, facts, sender, portion: Vec::new(), nodes: 0 }
    }

    /// Lists everything, until nobody wants more.
    pub(super) fn run(mut self) {
        let _ = self.all().and_then(|()| self.send());
    }

    fn all(&mut self) -> Result<(), Gone> {
        let DiskLayout { table, parts } = match DiskLayout::read(Arc::clone(&self.outer) as _) {
            Ok(layout) => layout,
            Err(problem) => return self.fail(&[&*self.outer.path, b"!"].concat(), &problem),
        };
        let (whole, medium) = ([&*self.outer.path, b"!"].concat(), self.outer.image.media_size());
        let doubts: Vec<Problem> =
            image_doubts(&self.outer.image).chain(table.doubts.iter().cloned()).collect();
        doubts.iter().try_for_each(|doubt| self.fail(&whole, doubt))?;
        for part in &parts {
            let root = part.root(&self.outer);
            let partition = table.partitions.iter().find(|partition| partition.number == part.number);
            let partition = partition.filter(|_| part.other.is_none());
            if let Some(problem) = partition.and_then(|partition| partition.problem.as_ref()) {
                self.fail(&root, problem)?;
            }
            match part.system() {
                Ok(None) => {}
                Ok(Some(system)) => {
                    self.entries(&root, system, part, partition.is_some_and(|one| one.overlaps))?
                }
                Err(problem) => self.fail(&root, &problem)?,
            }
        }
        if self.inside.unallocated && !table.partitions.is_empty() && !table.has_whole {
            self.between(&table, medium)?;
        }
        Ok(())
    }

    fn entries(
        &mut self,
        root: &[u8],
        system: &dyn FileSystem,
        part: &DiskPart,
        is_repeated: bool,
    ) -> Result<(), Gone> {
        let (outer, range) = (Arc::clone(&self.outer), part.range.clone());
        let volume = Arc::new(Volume { outer, range });
        let container = system.info().kind.word();
        system.info().doubts.iter().try_for_each(|doubt| self.fail(root, doubt))?;
        let mut covered = Coverer::default();
        let deleted = if self.inside.deleted { DeletedEntries::Listed } else { DeletedEntries::LeftOut };
        for entry in Walk::new(system, deleted, Limits::default()) {
            if is_repeated && let Err(why) = self.bounds.repeated() {
                return self.push(Member { item: failed(root, "bomb", why), fact: None, place: 0 });
            }
            let path: Box<[u8]> = [root, b"/", &*entry.path].concat().into();
            match entry.node {
                Err(problem) => {
                    covered.is_partial = true;
                    self.fail(&path, &problem)?;
                }
                Ok(node) => {
                    if self.inside.unallocated {
                        covered.entry(&node, entry.is_repeated);
                    }
                    let (place, fact) = (part.start.saturating_add(place(&node)), fact(&node, container));
                    self.nodes += 1;
                    if let Some(item) = item(path, self.nodes, node, &volume, &mut self.bounds) {
                        self.push(Member { item, fact: Some(fact), place })?;
                    }
                }
            }
        }
        if self.inside.unallocated { self.free(root, system, &volume, covered) } else { Ok(()) }
    }

    /// Lists the free places of a file system, and what is behind its end.
    fn free(
        &mut self,
        root: &[u8],
        system: &dyn FileSystem,
        volume: &Arc<Volume>,
        mut covered: Coverer,
    ) -> Result<(), Gone> {
        covered.sort();
        let (size, container) = (volume.range.size(), Some(system.info().kind.word()));
        let known = system.info().size.min(size);
        let behind = Ok(ByteRun { at: known, length: size - known, place: Some(known) });
        for run in system.free().chain([behind]) {
            match run {
                Err(problem) => {
                    covered.is_partial = true;
                    self.fail(&[root, b"/$Unalloc"].concat(), &problem)?;
                }
                Ok(run) if run.length == 0 => {}
                Ok(run) => {
                    covered.free(run.at, run.length);
                    self.place(root, run, volume, container)?;
                }
            }
        }
        self.facts.add(covered.sum(root.into(), size));
        Ok(())
    }

    /// Lists the places of the medium that are in no partition, and not of the table.
    fn between(&mut self, table: &Volumes, size: u64) -> Result<(), Gone> {
        let medium: Arc<dyn Medium> = Arc::clone(&self.outer) as _;
        let range = Range::new(medium, 0, size);
        let volume = Arc::new(Volume { outer: Arc::clone(&self.outer), range });
        let root = [&*self.outer.path, b"!"].concat();
        let (first, last) = of_table(table, size);
        let (mut at, mut unallocated) = (first, 0);
        let ends = table
            .partitions
            .iter()
            .map(|partition| (partition.start, partition.start.saturating_add(partition.size)));
        for (start, end) in ends.chain([(size - last, size)]) {
            let length = start.min(size).saturating_sub(at);
            if length > 0 {
                unallocated += length;
                self.place(&root, ByteRun { at, length, place: Some(at) }, &volume, None)?;
            }
            at = at.max(end);
        }
        let metadata = first + last;
        let files = size.saturating_sub(metadata + unallocated);
        let path = root.into();
        let (slack, contradictory, is_partial) = (0, 0, false);
        self.facts.add(Coverage {
            path,
            size,
            files,
            slack,
            metadata,
            unallocated,
            contradictory,
            is_partial,
        });
        Ok(())
    }

    /// Lists bytes that nothing uses as one entry.
    fn place(
        &mut self,
        root: &[u8],
        run: ByteRun,
        volume: &Arc<Volume>,
        container: Option<&'static str>,
    ) -> Result<(), Gone> {
        let path = [root, format!("/$Unalloc/{}-{}", run.at, run.length).as_bytes()].concat();
        let place = run.at;
        let metadata =
            Metadata { container: Some(container.unwrap_or("disk").into()), ..Metadata::default() };
        let item = unallocated(path.into(), run, volume);
        self.push(Member { item, fact: Some(EntryFact { metadata, mtime: None }), place })
    }

    fn fail(&mut self, path: &[u8], problem: &Problem) -> Result<(), Gone> {
        self.push(Member { item: failed(path, problem.word(), problem.to_string()), fact: None, place: 0 })
    }

    fn push(&mut self, listed: Member) -> Result<(), Gone> {
        self.portion.push(listed);
        if self.portion.len() < PORTION { Ok(()) } else { self.send() }
    }

    /// Sends the entries so far, in the order of their first bytes on the medium.
    fn send(&mut self) -> Result<(), Gone> {
        let mut portion = std::mem::take(&mut self.portion);
        portion.sort_by_key(|listed| listed.place);
        let listed = |Member { item, fact, .. }| ListedItem { item, fact };
        Ok(self.sender.send(portion.into_iter().map(listed).collect())?)
    }
}

/// Returns the place of a node's first byte in the file system; 0 if it has none.
fn place(node: &Node) -> u64 {
    let runs = node.content.as_ref().ok().and_then(|content| content.runs());
    let first = runs.and_then(|runs| runs.as_slice().iter().find_map(|run| run.place));
    first.unwrap_or(0)
}

/// Returns the bytes that a partition table takes at the start of a medium, and at its end.
fn of_table(table: &Volumes, size: u64) -> (u64, u64) {
    let sector = u64::from(table.sector);
    // The header of a GPT, and 128 entries of 128 bytes.
    let gpt = sector + 128 * 128;
    let (first, last) = match table.scheme {
        Scheme::Gpt | Scheme::Hybrid => (sector + gpt, gpt),
        Scheme::Mbr | Scheme::None => (sector, 0),
    };
    (first.min(size), last.min(size.saturating_sub(first)))
}
