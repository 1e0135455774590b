//! The place of an image: below an operand of the walk, at a path, in a store, or in an archive or another image.

use crate::imaging::{self, OpenOptions, place};
use crate::stores::{Stores, stores_of};
use hashmill_digest::{find, hash};
use hashmill_image::{Error as ImageError, Image, Opener, SharedFile, open_image};
use hashmill_os::names;
use hashmill_source::{Bytes, Entry, Meta, OperandDirectory, Origin};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of an image: the path by which its files are opened (that of the entry, or its location), and the operand
/// below which the walk found it, the store that it is in, or its bytes where it lies in an archive or another image.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) path: PathBuf,
    pub(crate) operand: Option<Arc<OperandDirectory>>,
    pub(crate) stores: Option<Stores>,
    pub(crate) held: Option<HeldFile>,
}

/// A member of an archive or image that can be read at any position.
#[derive(Debug, Clone)]
pub(crate) struct HeldFile(pub(crate) Arc<dyn Bytes>);

/// An opener of one member alone: what else it names is not there.
#[derive(Debug)]
struct OneMember(PathBuf, HeldFile);

/// An opener of image files below an operand. Like a walk, it follows no symbolic link.
#[derive(Debug)]
struct BelowOperand(Arc<OperandDirectory>);

impl Site {
    pub(crate) fn from_entry(entry: &Entry) -> Site {
        let place = entry.content.as_ref().and_then(|content| content.place());
        let path = names::path_to_try(&place.unwrap_or_else(|| entry.path.clone())).into_owned();
        let stores = entry.content.as_deref().and_then(stores_of).cloned();
        Site { path, operand: entry.operand.clone(), stores, held: None }
    }

    /// Returns the place of a member that can be read at any position.
    pub(crate) fn of_member(entry: &Entry, bytes: Arc<dyn Bytes>) -> Site {
        let path = names::path_to_try(&entry.path).into_owned();
        Site { path, operand: None, stores: None, held: Some(HeldFile(bytes)) }
    }

    /// Returns whether it is in a store, where other bytes may look the same.
    pub(crate) fn is_remote(&self) -> bool {
        let is_unknown = |held: &HeldFile| known(&*held.0).is_none();
        self.stores.is_some() || self.held.as_ref().is_some_and(is_unknown)
    }

    pub(crate) fn opener(&self) -> Result<(Arc<dyn Opener>, PathBuf), ImageError> {
        if let Some(held) = &self.held {
            return Ok((Arc::new(OneMember(self.path.clone(), held.clone())), self.path.clone()));
        }
        match &self.operand {
            None => place::opener(&self.path, self.stores.as_ref()),
            Some(operand) => Ok((Arc::new(BelowOperand(Arc::clone(operand))), self.path.clone())),
        }
    }

    pub(crate) fn open(&self, options: &OpenOptions) -> Result<Image, ImageError> {
        let (opener, path) = self.opener()?;
        imaging::open_by(&opener, &path, options)
    }

    /// Opens one of the image's files, unless it is in a store.
    pub(crate) fn file(&self, path: &Path) -> io::Result<Option<File>> {
        match &self.operand {
            Some(operand) => open_below(operand, path).map(Some),
            None if self.held.is_some() || self.stores.is_some() => Ok(None),
            None => open_image(path).map(Some),
        }
    }

    /// Returns the metadata of one of the image's files.
    pub(crate) fn meta(&self, path: &Path) -> io::Result<Meta> {
        if let Some(held) = &self.held {
            return held.0.meta();
        }
        match &self.operand {
            Some(operand) => operand.meta(&names::path_bytes(path)),
            None => place::meta(path, self.stores.as_ref()),
        }
    }
}

impl Opener for BelowOperand {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        Ok(Arc::new(open_below(&self.0, path)?))
    }

    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        let folder = &*names::path_bytes(path.parent().unwrap_or(Path::new("")));
        let mut found = self.0.names(folder)?;
        found.retain(|name| names::bytes(name).starts_with(start));
        Ok(found)
    }
}

impl Opener for OneMember {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        if path == self.0 { Ok(Arc::new(self.1.clone())) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn beside(&self, _path: &Path, _start: &[u8]) -> io::Result<Vec<OsString>> {
        Ok(Vec::new())
    }
}

impl SharedFile for HeldFile {
    fn size(&self) -> io::Result<u64> {
        self.0.meta().map(|meta| meta.size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }

    fn is_near(&self) -> bool {
        true
    }
}

/// Opens a regular file below an operand. It was a regular file when it was listed, but may have been replaced since.
fn open_below(operand: &OperandDirectory, path: &Path) -> io::Result<File> {
    let path = &*names::path_bytes(path);
    let file = || io::Error::new(io::ErrorKind::Unsupported, "it is no longer a regular file");
    // Checked before opening, because opening a FIFO alone wakes its writer.
    let meta = operand.meta(path)?;
    if !meta.is_file() && !meta.is_link() {
        return Err(file());
    }
    let opened = operand.open_file(path)?;
    if opened.metadata()?.is_file() { Ok(opened) } else { Err(file()) }
}

/// Returns a stamp for what is in a container whose files have these metadata: the container is another if they differ.
/// Returns 0 if this build can't compute one.
pub(crate) fn stamp_of(container: &[Meta]) -> u128 {
    let mut bytes = Vec::new();
    for Meta { ino, size, mtime, ctime, stamp, .. } in container {
        let numbers = [*ino, *size, mtime.0 as u64, mtime.1.into(), ctime.0 as u64, ctime.1.into()];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(stamp.to_le_bytes());
    }
    let digest = find("blake3").ok().map(|algorithm| hash(algorithm, &bytes));
    let first = digest.and_then(|digest| digest.as_bytes().first_chunk().copied());
    first.map_or(0, u128::from_le_bytes)
}

/// Returns the stamp of an entry in a container: no other in it has the same number. Returns 0 if the container has none.
pub(crate) fn stamp_within(container: u128, number: u64) -> u128 {
    if container == 0 { 0 } else { container.wrapping_add(number.into()).max(1) }
}

/// Returns the metadata of bytes in a container before they are read, if they tell them from what was there before.
pub(crate) fn known(bytes: &dyn Bytes) -> Option<Meta> {
    bytes.meta().ok().filter(|meta| bytes.has_size() && meta.stamp != 0)
}

/// Returns the entry of an image that was given as an operand: a path, or the location of an object.
pub fn operand(path: &Path, stores: &Stores) -> Entry {
    let typed = &*names::path_bytes(path);
    stores.named(typed).unwrap_or_else(|| Entry::new(typed.into(), Origin::Operand))
}
