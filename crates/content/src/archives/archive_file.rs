//! The bytes of an archive: a file, an object in a store, or a member of another archive or image.

use super::shared::{SharedBytes, Side};
use crate::inside::site::{Site, stamp_of, stamp_within};
use hashmill_archive::{Medium, Problem};
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
    /// The positions of volumes that places in the archive are relative to.
    volumes: Vec<u64>,
    /// The reason why nothing in it can be read.
    lack: Option<Box<str>>,
}

/// The places where the bytes of an archive can be.
#[derive(Debug)]
pub(super) enum ArchiveBytes {
    /// A file on this machine, or an object in a store.
    File(Arc<dyn SharedFile>, Site),
    /// An object in a store, while it is hashed.
    Shared(Arc<SharedBytes>),
    /// Files that are the volumes of an archive.
    Volumes(Vec<VolumeFile>),
    /// A member that can be read at any position, or a copy of one that can't.
    Given(Box<dyn Bytes>),
}

/// A file that is a volume of an archive.
#[derive(Debug)]
pub(super) struct VolumeFile {
    pub(super) file: Arc<dyn SharedFile>,
    pub(super) site: Site,
    /// The number of bytes before it.
    pub(super) start: u64,
    pub(super) size: u64,
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
            ArchiveBytes::Shared(_) | ArchiveBytes::Volumes(_) | ArchiveBytes::Given(_) => opened.size,
        };
        let is_near = matches!(&bytes, ArchiveBytes::File(file, _) if file.is_near());
        let root = [&path, b"!".as_slice()].concat().into();
        let stamp = if bytes.is_lasting(&opened) { stamp_of(&[opened]) } else { 0 };
        let (volumes, lack) = (Vec::new(), None);
        Ok(ArchiveFile { path, root, bytes, size, opened, is_near, stamp, volumes, lack })
    }

    /// Takes the volumes in the place of the file; `has_places` if places in the archive are relative to them.
    pub(super) fn joined(self, files: Vec<VolumeFile>, has_places: bool) -> ArchiveFile {
        let volumes = if has_places { files.iter().map(|file| file.start).collect() } else { Vec::new() };
        match ArchiveFile::new(self.path.clone(), ArchiveBytes::Volumes(files)) {
            Ok(joined) => ArchiveFile { root: self.root, volumes, ..joined },
            Err(why) => self.lacking(format!("an archive of several volumes ({why})")),
        }
    }

    /// Sets the reason why nothing in it can be read.
    pub(super) fn lacking(self, why: String) -> ArchiveFile {
        ArchiveFile { lack: Some(why.into()), ..self }
    }

    /// Returns why nothing in it can be read, if a volume is missing.
    pub(super) fn lack(&self) -> Option<Problem> {
        self.lack.clone().map(Problem::Unsupported)
    }

    /// Returns the file on this machine, or the object, that it is.
    pub(super) fn site(&self) -> Option<&Site> {
        if let ArchiveBytes::File(_, site) = &self.bytes { Some(site) } else { None }
    }

    /// Takes the place of a folder: the paths of members are those of files below it.
    pub(super) fn into_folder(self) -> ArchiveFile {
        ArchiveFile { root: self.path.clone(), ..self }
    }

    /// Returns its metadata as they are now. An object can't change: all its bytes are of one version.
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
            ArchiveBytes::File(..) | ArchiveBytes::Volumes(_) | ArchiveBytes::Given(_) => None,
        }
    }

    fn read(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.bytes {
            ArchiveBytes::File(file, _) => file.read_at(position, buffer),
            ArchiveBytes::Shared(shared) => shared.read(Side::Decoding, position, buffer),
            ArchiveBytes::Volumes(files) => VolumeFile::read(files, position, buffer),
            ArchiveBytes::Given(bytes) => bytes.read_at(position, buffer),
        }
    }
}

impl ArchiveBytes {
    /// Returns whether these metadata tell the bytes from what was in their place before.
    fn is_lasting(&self, meta: &Meta) -> bool {
        match self {
            ArchiveBytes::File(_, site) => !site.is_remote(),
            ArchiveBytes::Shared(_) | ArchiveBytes::Volumes(_) => false,
            ArchiveBytes::Given(_) => meta.stamp != 0,
        }
    }

    fn meta(&self) -> io::Result<Meta> {
        match self {
            ArchiveBytes::File(_, site) => site.meta(&site.path),
            ArchiveBytes::Shared(shared) => shared.meta(),
            ArchiveBytes::Volumes(files) => VolumeFile::meta(files),
            ArchiveBytes::Given(bytes) => bytes.meta(),
        }
    }
}

impl VolumeFile {
    fn read(files: &[VolumeFile], position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let next = files.partition_point(|file| file.start <= position);
        let Some(file) = next.checked_sub(1).and_then(|last| files.get(last)) else { return Ok(0) };
        let left = usize::try_from((file.start + file.size).saturating_sub(position)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        file.file.read_at(position - file.start, &mut buffer[..length])
    }

    /// Returns the number of bytes of all, and their newest times.
    fn meta(files: &[VolumeFile]) -> io::Result<Meta> {
        let all: io::Result<Vec<Meta>> = files.iter().map(|file| file.site.meta(&file.site.path)).collect();
        let joined = all?.into_iter().reduce(|one, other| Meta {
            size: one.size.saturating_add(other.size),
            mtime: one.mtime.max(other.mtime),
            ctime: one.ctime.max(other.ctime),
            ..other
        });
        joined.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Medium for ArchiveFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        fill(position, buffer, self.size, |at, rest| self.read(at, rest))
    }

    fn volumes(&self) -> &[u64] {
        &self.volumes
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
