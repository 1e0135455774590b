//! The disk in an image, for those who list what is on it, or take one file from it.

use super::entry::metadata;
use super::medium::{ImageFiles, Outer};
use super::volumes::{DiskLayout, image_doubts};
use crate::inside::site::{Site, operand};
use crate::stores::Stores;
use hashmill_disk::{
    Allocation, Content, DeletedEntries, Limits, Medium, Node, NodeKind, Problem, Range, Recovery, Walk,
    WalkEntry,
};
use hashmill_image::Image;
use hashmill_manifest::Metadata;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The bytes that are copied at a time.
const PART: usize = 1 << 20;

/// The disk in an open image.
#[derive(Debug)]
pub struct Disk {
    outer: Arc<Outer>,
    layout: DiskLayout,
}

/// An entry of a file system on a disk.
#[derive(Debug)]
pub struct DiskEntry {
    /// Its path, with that of the image before it.
    pub path: Vec<u8>,
    /// The facts about it, with what records say of it beside its content; why they can't be read.
    pub facts: Result<(Node, Metadata), Problem>,
}

impl Disk {
    /// Looks at the media of an image.
    ///
    /// # Errors
    /// If not even the place of a partition table can be read.
    pub fn new(path: &Path, image: Image, stores: &Stores) -> Result<Disk, Problem> {
        let entry = operand(path, stores);
        let site = Site::from_entry(&entry);
        // Metadata of file systems are read in small pieces.
        let outer =
            Arc::new(Outer::new(entry.path, 0, Arc::new(image), site, ImageFiles::default(), PART * 64));
        let layout = DiskLayout::read(Arc::clone(&outer) as _)?;
        Ok(Disk { outer, layout })
    }

    /// Returns why files may be missing on the media, or other programs may find others, with the paths that it concerns.
    pub fn doubts(&self) -> Vec<(Vec<u8>, Problem)> {
        let whole = [&*self.outer.path, b"!"].concat();
        let table = image_doubts(&self.outer.image).chain(self.layout.table.doubts.iter().cloned());
        let mut doubts: Vec<_> = table.map(|doubt| (whole.clone(), doubt)).collect();
        for part in &self.layout.parts {
            let root = || part.root(&self.outer);
            match part.system() {
                Ok(None) => {}
                Ok(Some(system)) => {
                    doubts.extend(system.info().doubts.iter().map(|doubt| (root(), doubt.clone())));
                }
                Err(problem) => doubts.push((root(), problem)),
            }
        }
        doubts
    }

    /// Returns whether anything is known of the media.
    pub(crate) fn is_known(&self) -> bool {
        self.layout.is_known()
    }

    /// Returns the partitions and file systems.
    pub fn layout(&self) -> &DiskLayout {
        &self.layout
    }

    /// Reports each entry of all file systems, in the order of the paths, until the function returns an error.
    ///
    /// # Errors
    /// That of the function.
    pub fn list<E>(
        &self,
        deleted: DeletedEntries,
        tell: &mut dyn FnMut(DiskEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each(deleted, &mut |entry, _| tell(entry))
    }

    fn each<E>(
        &self,
        deleted: DeletedEntries,
        tell: &mut dyn FnMut(DiskEntry, &Range) -> Result<(), E>,
    ) -> Result<(), E> {
        let whole = Range::new(Arc::clone(&self.outer) as _, 0, self.outer.size());
        for (path, doubt) in self.doubts() {
            tell(DiskEntry { path, facts: Err(doubt) }, &whole)?;
        }
        for part in &self.layout.parts {
            let root = part.root(&self.outer);
            let Ok(Some(system)) = part.system() else { continue };
            let container = system.info().kind.word();
            for WalkEntry { path, node, .. } in Walk::new(system, deleted, Limits::default()) {
                let path = [&root, &b"/"[..], &path].concat();
                let facts = node.map(|node| {
                    let metadata = metadata(&node, container);
                    (node, metadata)
                });
                tell(DiskEntry { path, facts }, &part.range)?;
            }
        }
        Ok(())
    }

    /// Writes the content of the file with this path, which begins with that of the image. Of deleted files, the first
    /// with the path counts, and only if none is in use.
    ///
    /// # Errors
    /// If there is no such file ([`io::ErrorKind::NotFound`]), it is no file, or its bytes can't be read or written.
    pub fn export(&self, path: &[u8], out: &mut dyn Write) -> io::Result<u64> {
        // It may be in what can't be read.
        let mut unread = None;
        for deleted in [DeletedEntries::LeftOut, DeletedEntries::Listed] {
            if let Some((content, range)) = self.find(path, deleted, &mut unread)? {
                return copy(&content, &range, out);
            }
        }
        Err(unread.map_or_else(
            || io::Error::new(io::ErrorKind::NotFound, "there is no such file in the image"),
            io::Error::from,
        ))
    }

    fn find(
        &self,
        wanted: &[u8],
        deleted: DeletedEntries,
        unread: &mut Option<Problem>,
    ) -> io::Result<Option<(Content, Range)>> {
        let mut found = Ok(None);
        let _ = self.each(deleted, &mut |DiskEntry { path, facts }, range| {
            let rest = wanted.strip_prefix(&*path);
            match (facts, rest) {
                (facts, Some(b"")) => {
                    found = facts
                        .and_then(|(node, _)| content(node))
                        .map(|content| Some((content, range.clone())));
                    return Err(());
                }
                (Err(problem), Some([b'/', ..])) => *unread = Some(problem),
                _ => {}
            }
            Ok(())
        });
        found.map_err(io::Error::from)
    }
}

fn content(node: Node) -> Result<Content, Problem> {
    match node.kind {
        NodeKind::Directory if node.stream.is_none() => Err(Problem::Unsupported("a directory".into())),
        _ if node.allocation == Allocation::Deleted(Recovery::Partial) => {
            Err(Problem::Incomplete("it was deleted, and its content is lost".into()))
        }
        _ => node.content,
    }
}

fn copy(content: &Content, medium: &dyn Medium, out: &mut dyn Write) -> io::Result<u64> {
    let (mut done, mut part) = (0, vec![0; PART]);
    loop {
        let read = content.read_at(medium, done, &mut part)?;
        if read == 0 {
            return Ok(done);
        }
        out.write_all(&part[..read])?;
        done += read as u64;
    }
}
