//! The disk in an image, for those who list what is on it, or take one file from it.

use super::entry::metadata;
use super::medium::{ImageFiles, Outer};
use super::volumes::DiskLayout;
use crate::site::{Site, operand};
use crate::stores::Stores;
use hashmill_disk::{Content, Limits, Medium, Node, NodeKind, Problem, Range, Walk, WalkEntry};
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
            Arc::new(Outer::new((entry.path, 0), Arc::new(image), site, ImageFiles::default(), PART * 64));
        let layout = DiskLayout::read(&outer)?;
        Ok(Disk { outer, layout })
    }

    /// Returns the partitions and file systems.
    pub fn layout(&self) -> &DiskLayout {
        &self.layout
    }

    /// Reports each entry of all file systems, in the order of the paths, until the function returns an error.
    ///
    /// # Errors
    /// That of the function.
    pub fn list<E>(&self, deleted: bool, tell: &mut dyn FnMut(DiskEntry) -> Result<(), E>) -> Result<(), E> {
        self.each(deleted, &mut |entry, _| tell(entry))
    }

    fn each<E>(
        &self,
        deleted: bool,
        tell: &mut dyn FnMut(DiskEntry, &Range) -> Result<(), E>,
    ) -> Result<(), E> {
        for part in &self.layout.parts {
            let root = part.root(&self.outer);
            let system = match part.system() {
                Ok(None) => continue,
                Ok(Some(system)) => system,
                Err(problem) => {
                    tell(DiskEntry { path: root, facts: Err(problem) }, &part.range)?;
                    continue;
                }
            };
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
        for deleted in [false, true] {
            let found = self.find(path, deleted);
            if let Some((content, range)) = found? {
                return copy(&content, &range, out);
            }
        }
        Err(io::Error::new(io::ErrorKind::NotFound, "there is no such file in the image"))
    }

    fn find(&self, wanted: &[u8], deleted: bool) -> io::Result<Option<(Content, Range)>> {
        let mut found = Ok(None);
        let _ = self.each(deleted, &mut |DiskEntry { path, facts }, range| {
            if path != wanted {
                return Ok(());
            }
            found = facts.and_then(|(node, _)| content(node)).map(|content| Some((content, range.clone())));
            Err(())
        });
        found.map_err(io::Error::from)
    }
}

fn content(node: Node) -> Result<Content, Problem> {
    match node.kind {
        NodeKind::Directory if node.stream.is_none() => Err(Problem::Unsupported("a directory".into())),
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
