//! The writer of generations: each file goes into the generation of the innermost history around it.

use super::folders;
use super::next::{Next, digest_of, name_of};
use super::renames::{Gone, Rename};
use hashmill_content::output::{LocalPath, Output, OutputKind};
use hashmill_content::selection::path_of;
use hashmill_manifest::format::history::{FOLDER, GenerationFolder, GenerationWriter};
use hashmill_manifest::format::{Made, Writer};
use hashmill_manifest::{Named, Record, Status};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Seek, Write};
use std::sync::Arc;
use tempfile::SpooledTempFile;

/// The maximum size in bytes of the files of a generation in memory; more go to an unnamed temporary file.
const IN_MEMORY: usize = 4 << 20;

/// A writer of generations. The outermost generation goes to the writer's output, the others to files of their own.
pub struct Generations {
    next: Arc<Next>,
    made: Made,
    /// The files of the histories that are gone, and so may have new names.
    gone: Gone,
    /// The digests of each file, by its path relative to the root.
    found: BTreeMap<Box<[u8]>, Vec<Named>>,
    outermost: Generation,
    /// The generations of inner histories, by their places in the tree; `None` where nothing was written.
    inner: Vec<Option<Inner>>,
}

struct Inner {
    generation: Generation,
    output: Output,
    name: String,
}

/// A generation. The digest of its tree comes before its files, which therefore wait.
struct Generation {
    writer: GenerationWriter,
    files: SpooledTempFile,
    tree: GenerationFolder,
}

impl Generation {
    fn new(writer: GenerationWriter) -> Generation {
        Generation { writer, files: SpooledTempFile::new(IN_MEMORY), tree: GenerationFolder::default() }
    }

    fn end(&mut self, made: &Made, out: &mut dyn Write) -> io::Result<()> {
        if let Some(own) = self.writer.made() {
            *own = made.clone();
        }
        self.writer.head(Some(&self.tree), out)?;
        self.files.rewind()?;
        io::copy(&mut self.files, out)?;
        self.writer.end(out)
    }
}

impl Generations {
    /// Begins the next generations of a tree of histories.
    pub fn new(next: Arc<Next>) -> Generations {
        let inner = next.tree.histories.iter().map(|_| None).collect();
        let (gone, outermost) = (Gone::new(&next.tree), Generation::new(next.generation(0)));
        Generations { made: Made::default(), gone, found: BTreeMap::new(), outermost, inner, next }
    }

    /// Returns the generation of a history; begins that of an inner one if there is none yet.
    fn generation(&mut self, place: usize) -> io::Result<&mut Generation> {
        if place == 0 {
            return Ok(&mut self.outermost);
        }
        if self.inner[place].is_none() {
            let history = &self.next.tree.histories[place];
            let root = self.next.tree.root.join(path_of(&history.below));
            let name = name_of(&root, history.next_number(), &self.next.date);
            let to = LocalPath::new(&root.join(FOLDER).join(&name), &self.next.files);
            let output = Output::file(&to, OutputKind::Anything).map_err(io::Error::other)?;
            let generation = Generation::new(self.next.generation(place));
            self.inner[place] = Some(Inner { generation, output, name });
        }
        let inner = self.inner[place].as_mut().ok_or(ErrorKind::NotFound)?;
        Ok(&mut inner.generation)
    }

    /// Writes the digests of all folders.
    fn folders(&mut self) -> io::Result<()> {
        let next = Arc::clone(&self.next);
        for mut folder in folders::all(&next, &std::mem::take(&mut self.found)) {
            let path = std::mem::take(&mut folder.path);
            if let Some(place) = next.tree.place_of(&path) {
                self.generation(place)?.tree = folder.clone();
            }
            if path.is_empty() {
                continue;
            }
            let (place, below) = next.tree.owner(&path);
            folder.path = below.into();
            let is_known = next.tree.histories[place].merged.folders().contains_key(below);
            if !is_known {
                folder.before = self.gone.folder(place, below, &folder.content);
            }
            let Generation { writer, files, .. } = self.generation(place)?;
            writer.folder(&folder, files)?;
        }
        Ok(())
    }

    /// Ends the generation of an inner history, and names it in the one around it.
    fn close(&mut self, place: usize) -> io::Result<()> {
        let Some(Inner { mut generation, mut output, name }) = self.inner[place].take() else {
            return Ok(());
        };
        generation.end(&self.made, &mut output)?;
        output.flush()?;
        let digest = digest_of(&output)?;
        output.finish().map_err(io::Error::other)?;
        let next = Arc::clone(&self.next);
        next.chain(place, name.as_bytes(), digest).map_err(io::Error::other)?;
        let (around, below) = next.tree.owner(&next.tree.histories[place].below);
        let path = [below, b"/ascmhl/", name.as_bytes()].concat();
        self.generation(around)?.writer.refer(&path, digest);
        Ok(())
    }
}

impl Writer for Generations {
    fn made(&mut self) -> Option<&mut Made> {
        Some(&mut self.made)
    }

    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record, _: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        let next = Arc::clone(&self.next);
        let outside = || io::Error::new(ErrorKind::InvalidInput, "it is not in the folder of the history");
        let whole = next.below.path(&record.path).ok_or_else(outside)?;
        let (place, path) = next.tree.owner(&whole);
        let is_new = next.tree.digests(&whole).is_empty();
        let before = if is_new { self.gone.file(place, path, record) } else { None };
        let Generation { writer, files, .. } = self.generation(place)?;
        let record = Record { path: path.into(), ..record.clone() };
        writer.file(&record, before.as_deref(), files)?;
        if let Some(before) = before {
            next.rename(Rename { from: next.tree.path(place, &before), to: (*whole).into() });
        }
        self.found.insert((*whole).into(), record.digests);
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.folders()?;
        // Inner histories come after those around them, so they are closed in reverse order.
        (1..self.inner.len()).rev().try_for_each(|place| self.close(place))?;
        self.outermost.end(&self.made, out)
    }
}
