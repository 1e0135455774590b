//! Store paths of Nix: the digests that its database states, and archives of what lies below each path.

use super::claims::Claims;
use super::place::joined;
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::selection::{Bytes as Path, path_of};
use hashmill_objects::{NIX_DATABASE, Nar, nix_path};
use hashmill_os::{names, read_at};
use hashmill_source::{Bytes, Entry, EntryContent, Meta, OperandDirectory, Origin};
use parking_lot::Mutex;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// The most levels of folders below a store path.
const DEEPEST: usize = 256;

/// Refuses the store: this build can't read what the database beside it states.
///
/// # Errors
/// [`Misfit::LeftOut`](hashmill_content::Misfit::LeftOut).
#[cfg(not(feature = "tables"))]
pub(super) fn claims(_: &[u8]) -> Result<Claims, Error> {
    Err(hashmill_content::Misfit::LeftOut { what: "SQLite databases", feature: "tables" }.into())
}

/// Reads what the database beside a store states.
///
/// # Errors
/// If it can't be read.
#[cfg(feature = "tables")]
pub(super) fn claims(root: &[u8]) -> Result<Claims, Error> {
    let above = root.strip_suffix(b"store").unwrap_or(root);
    let path = [above, NIX_DATABASE.as_bytes()].concat();
    let wrong = |error: String| Error::file(&path, Tried::Read)(io::Error::other(error));
    let database =
        hashmill_manifest::database::open(&path_of(&path)).map_err(|error| wrong(error.to_string()))?;
    let mut claims = Claims { algorithm: "sha256", database: path.clone().into(), ..Claims::default() };
    let mut read = || -> rusqlite::Result<()> {
        let mut rows = database.prepare("SELECT path, hash FROM ValidPaths")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let (path, hash): (String, String) = (row.get(0)?, row.get(1)?);
            claims.digests.extend(nix_path(&path, &hash));
        }
        Ok(())
    };
    read().map_err(|error| wrong(error.to_string()))?;
    Ok(claims)
}

/// Returns the entry of a store path, which is read as an archive.
pub(super) fn entry(operand: &Arc<OperandDirectory>, path: Path) -> Entry {
    let content = StorePath { operand: Arc::clone(operand), path: path.clone() };
    let operand = Some(Arc::clone(operand));
    Entry { operand, content: Some(Arc::new(content)), ..Entry::new(path, Origin::Path) }
}

/// A store path.
#[derive(Debug, Clone)]
struct StorePath {
    operand: Arc<OperandDirectory>,
    path: Path,
}

impl EntryContent for StorePath {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let mut archiver = Archiver { operand: &self.operand, nar: Nar::start(), parts: Vec::new(), size: 0 };
        archiver.node(&self.path, 0)?;
        archiver.text();
        let Archiver { parts, size, .. } = archiver;
        Ok(Box::new(Archive { store_path: self.clone(), parts, size, open: Mutex::default() }))
    }
}

/// A part of an archive, with the offset at which it begins.
#[derive(Debug)]
struct Part {
    start: u64,
    length: u64,
    bytes: PartBytes,
}

#[derive(Debug)]
enum PartBytes {
    Text(Vec<u8>),
    File(Path),
}

/// Makes the parts of an archive.
struct Archiver<'a> {
    operand: &'a OperandDirectory,
    /// The text since the last file.
    nar: Nar,
    parts: Vec<Part>,
    size: u64,
}

impl Archiver<'_> {
    /// Adds what lies at a path.
    fn node(&mut self, path: &[u8], depth: usize) -> io::Result<()> {
        let meta = self.operand.meta(path)?;
        if meta.is_file() {
            self.nar.begin_file(meta.size, meta.mode & 0o100 != 0);
            self.text();
            self.add(meta.size, PartBytes::File(path.into()));
            self.nar.end_file(meta.size);
        } else if meta.is_link() {
            self.nar.link(&self.operand.read_link(path)?);
        } else if meta.is_directory() && depth < DEEPEST {
            self.folder(path, depth)?;
        } else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "has an entry that an archive can't have",
            ));
        }
        Ok(())
    }

    fn folder(&mut self, path: &[u8], depth: usize) -> io::Result<()> {
        let entries = self.operand.names(path)?;
        let mut entries: Vec<Vec<u8>> = entries.iter().map(|name| names::bytes(name).into_owned()).collect();
        entries.sort_unstable();
        self.nar.begin_folder();
        for name in entries {
            self.nar.begin_entry(&name);
            self.node(&joined(path, &name), depth + 1)?;
            self.nar.end();
        }
        self.nar.end();
        Ok(())
    }

    /// Makes a part of the text so far.
    fn text(&mut self) {
        let text = self.nar.take();
        self.add(text.len() as u64, PartBytes::Text(text));
    }

    fn add(&mut self, length: u64, bytes: PartBytes) {
        self.parts.push(Part { start: self.size, length, bytes });
        self.size = self.size.saturating_add(length);
    }
}

/// The archive of a store path.
#[derive(Debug)]
struct Archive {
    store_path: StorePath,
    parts: Vec<Part>,
    size: u64,
    /// The file that was read last, by the number of its part.
    open: Mutex<Option<(usize, Arc<File>)>>,
}

impl Archive {
    fn file(&self, number: usize, path: &[u8]) -> io::Result<Arc<File>> {
        let mut open = self.open.lock();
        if let Some((_, file)) = open.as_ref().filter(|(opened, _)| *opened == number) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(self.store_path.operand.open_file(path)?);
        *open = Some((number, Arc::clone(&file)));
        Ok(file)
    }
}

impl Bytes for Archive {
    fn meta(&self) -> io::Result<Meta> {
        let meta = self.store_path.operand.meta(&self.store_path.path)?;
        Ok(Meta { size: self.size, ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let number = self.parts.partition_point(|part| part.start + part.length <= offset);
        let Some(part) = self.parts.get(number) else { return Ok(0) };
        let inside = offset - part.start;
        let left = usize::try_from(part.length - inside).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let buffer = &mut buffer[..length];
        match &part.bytes {
            PartBytes::Text(text) => {
                buffer.copy_from_slice(&text[inside as usize..][..length]);
                Ok(length)
            }
            PartBytes::File(path) => match read_at(&*self.file(number, path)?, buffer, inside)? {
                0 => {
                    Err(io::Error::new(io::ErrorKind::InvalidData, "has a file that is shorter than it was"))
                }
                read => Ok(read),
            },
        }
    }
}
