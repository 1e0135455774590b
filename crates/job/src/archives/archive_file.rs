//! The bytes of an archive: a file, an object in a store, or a member of another archive or image.

use super::shared::{SharedBytes, Side};
use crate::site::{Site, stamp_of, stamp_within};
use hashmill_archive::Medium;
use hashmill_image::SharedFile;
use hashmill_source::{Bytes, Meta};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The bytes that are read ahead of a decoder.
const AHEAD: usize = 1 << 20;

/// An open archive, for all who read its members.
#[derive(Debug)]
pub(super) struct ArchiveFile {
    /// Its path, as it is shown.
    pub(super) path: Box<[u8]>,
    /// The path that stands for all of its members: `a.zip!`, or `a.zip` where it takes the place of a folder.
    pub(super) root: Box<[u8]>,
    bytes: ArchiveBytes,
    size: u64,
    /// The metadata when it was opened.
    opened: Meta,
    /// Whether it is a file of this machine, which several threads may read at several places.
    pub(super) is_near: bool,
    /// Tells its members from those of others, and from what was in it before; 0 if nothing does.
    stamp: u128,
}

/// The places where the bytes of an archive can be.
#[derive(Debug)]
pub(super) enum ArchiveBytes {
    /// A file on this machine, or an object in a store.
    File(Arc<dyn SharedFile>, Site),
    /// An object in a store, while it is hashed.
    Shared(Arc<SharedBytes>),
    /// A member that can be read at any position, or a copy of one that can't.
    Given(Box<dyn Bytes>),
}

impl ArchiveFile {
    /// Creates an archive of these bytes.
    ///
    /// # Errors
    /// If their size or times can't be looked up.
    pub(super) fn new(path: Box<[u8]>, bytes: ArchiveBytes) -> io::Result<ArchiveFile> {
        let opened = bytes.meta()?;
        let size = match &bytes {
            ArchiveBytes::File(file, _) => file.size()?,
            ArchiveBytes::Shared(_) | ArchiveBytes::Given(_) => opened.size,
        };
        let is_near = matches!(&bytes, ArchiveBytes::File(file, _) if file.is_near());
        let root = [&path, b"!".as_slice()].concat().into();
        let stamp = if bytes.is_lasting(&opened) { stamp_of(&[opened]) } else { 0 };
        Ok(ArchiveFile { path, root, bytes, size, opened, is_near, stamp })
    }

    /// Takes the place of a folder: the paths of members are those of files below it.
    pub(super) fn into_folder(self) -> ArchiveFile {
        ArchiveFile { root: self.path.clone(), ..self }
    }

    /// Returns its metadata as they are now. All bytes of an object are of the one that was opened.
    pub(super) fn meta(&self) -> io::Result<Meta> {
        match &self.bytes {
            ArchiveBytes::File(..) if !self.is_near => Ok(self.opened),
            bytes => bytes.meta(),
        }
    }

    /// Returns the stamp of the member with this number.
    pub(super) fn stamp(&self, number: u64) -> u128 {
        stamp_within(self.stamp, number)
    }

    /// Returns whether it was changed since it was opened.
    pub(super) fn is_changed(&self) -> io::Result<bool> {
        let meta = self.meta()?;
        let stamp = |meta: &Meta| (meta.mtime, meta.ctime, meta.size);
        Ok(stamp(&meta) != stamp(&self.opened))
    }

    /// Returns the bytes that are hashed meanwhile, if it is an object of which that is known.
    pub(super) fn shared(&self) -> Option<&Arc<SharedBytes>> {
        match &self.bytes {
            ArchiveBytes::Shared(shared) => Some(shared),
            ArchiveBytes::File(..) | ArchiveBytes::Given(_) => None,
        }
    }

    fn read(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.bytes {
            ArchiveBytes::File(file, _) => file.read_at(position, buffer),
            ArchiveBytes::Shared(shared) => shared.read(Side::Decoding, position, buffer),
            ArchiveBytes::Given(bytes) => bytes.read_at(position, buffer),
        }
    }
}

impl ArchiveBytes {
    /// Returns whether these metadata tell the bytes from what was in their place before.
    fn is_lasting(&self, meta: &Meta) -> bool {
        match self {
            ArchiveBytes::File(_, site) => !site.is_remote(),
            ArchiveBytes::Shared(_) => false,
            ArchiveBytes::Given(_) => meta.stamp != 0,
        }
    }

    fn meta(&self) -> io::Result<Meta> {
        match self {
            ArchiveBytes::File(_, site) => site.meta(&site.path),
            ArchiveBytes::Shared(shared) => shared.meta(),
            ArchiveBytes::Given(bytes) => bytes.meta(),
        }
    }
}

impl Medium for ArchiveFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        fill(position, buffer, self.size, |at, rest| self.read(at, rest))
    }

    fn limited_to(&self, range: Range<u64>) -> Option<Arc<dyn Medium>> {
        let ArchiveBytes::File(file, _) = &self.bytes else { return None };
        Some(Arc::new(LimitedFile { file: file.limited_to(range)?, size: self.size }))
    }
}

/// An archive in a store, of which a range is read.
#[derive(Debug)]
struct LimitedFile {
    file: Arc<dyn SharedFile>,
    size: u64,
}

impl Medium for LimitedFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        fill(position, buffer, self.size, |at, rest| self.file.read_at(at, rest))
    }
}

/// Fills a buffer by reads at rising positions. A position behind the end may be one that a system refuses.
fn fill(
    position: u64,
    buffer: &mut [u8],
    size: u64,
    read: impl Fn(u64, &mut [u8]) -> io::Result<usize>,
) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        if position >= size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match read(position.saturating_add(filled as u64), &mut buffer[filled..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    Ok(())
}

/// The bytes of an archive from its start to its end.
pub(super) struct FromStart {
    file: Arc<ArchiveFile>,
    next: u64,
}

impl FromStart {
    /// Creates a reader at the start.
    pub(super) fn new(file: Arc<ArchiveFile>) -> io::BufReader<FromStart> {
        FromStart::at(file, 0)
    }

    /// Creates a reader at a position.
    pub(super) fn at(file: Arc<ArchiveFile>, next: u64) -> io::BufReader<FromStart> {
        io::BufReader::with_capacity(AHEAD, FromStart { file, next })
    }
}

impl io::Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(self.next, buffer)?;
        self.next += read as u64;
        Ok(read)
    }
}
