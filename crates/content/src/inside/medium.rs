//! An open image, for many readers at once: chunks that were decompressed are kept for a while, so that the
//! media and the files on them are read in one pass.

use super::volumes::missing;
use crate::imaging::place;
use crate::inside::site::{Site, stamp_of, stamp_within};
use crate::stores::Stores;
use hashmill_disk::{Medium, Range};
use hashmill_image::{ChunkProblem, Image, ProblemKind, Window};
use hashmill_os::names;
use hashmill_source::Meta;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An open image, whose media or files are read.
pub(crate) struct Outer {
    pub(crate) path: Box<[u8]>,
    /// The device that its files are on; 0 if unknown.
    pub(crate) device: u64,
    pub(crate) image: Arc<Image>,
    pub(crate) site: Site,
    files: ImageFiles,
    /// The times of the files of the image when it was opened, if they are known.
    opened: Option<Stamp>,
    /// Tells what is in the image from what is in others, and from what was in it before; 0 if nothing does.
    stamp: u128,
    chunks: Mutex<Chunks>,
    /// One window for each thread that is reading.
    windows: Mutex<Vec<Window>>,
}

/// The files that the media of an image are read from.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImageFiles {
    /// Those that the image consists of.
    pub(crate) own: Arc<[PathBuf]>,
    /// Those of the images that it is a layer over.
    pub(crate) below: Arc<[PathBuf]>,
    /// The access to stores.
    pub(crate) stores: Stores,
}

/// The newest times of content and of metadata.
type Stamp = ((i64, u32), (i64, u32));

/// The chunks that were read last.
#[derive(Default)]
struct Chunks {
    /// The most chunks to keep; none are kept of images that are not compressed.
    most: usize,
    held: HashMap<u64, Chunk>,
    /// Counts the uses of chunks.
    turn: u64,
}

struct Chunk {
    bytes: Arc<[u8]>,
    used: u64,
}

impl Outer {
    /// Creates the media of an open image, and keeps this many bytes of them.
    pub(crate) fn new(
        path: Box<[u8]>,
        device: u64,
        image: Arc<Image>,
        site: Site,
        files: ImageFiles,
        memory: usize,
    ) -> Outer {
        let most = if image.is_compressed() { memory / image.chunk_size().max(1) as usize } else { 0 };
        let chunks = Mutex::new(Chunks { most, ..Chunks::default() });
        let windows = Mutex::default();
        let outer = Outer { path, device, image, site, files, opened: None, stamp: 0, chunks, windows };
        let opened = outer.meta().ok().map(|meta| (meta.mtime, meta.ctime));
        // Each file counts: of two with older times one can stand in the place of the other.
        let all: io::Result<Vec<Meta>> = outer.metas().collect();
        let stamp = all.ok().filter(|_| !outer.is_remote()).map_or(0, |all| stamp_of(&all));
        Outer { opened, stamp, ..outer }
    }

    /// Returns the stamp of an entry that alone has this number.
    pub(crate) fn stamp(&self, number: u64) -> u128 {
        stamp_within(self.stamp, number)
    }

    /// Returns whether a file of the image is in a store.
    fn is_remote(&self) -> bool {
        let mut files = self.files.own.iter().chain(self.files.below.iter());
        self.site.is_remote() || files.any(|path| self.files.stores.is_location(&names::path_bytes(path)))
    }

    /// Returns the metadata of the first file of the image, with the newest times of all its files.
    pub(crate) fn meta(&self) -> io::Result<Meta> {
        let mut newest: Option<Meta> = None;
        for meta in self.metas() {
            let meta = meta?;
            let first = newest.get_or_insert(meta);
            first.mtime = first.mtime.max(meta.mtime);
            first.ctime = first.ctime.max(meta.ctime);
        }
        newest.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Returns the metadata of all files of the image.
    fn metas(&self) -> impl Iterator<Item = io::Result<Meta>> {
        let own = self.files.own.iter().map(|path| self.site.meta(path));
        own.chain(self.files.below.iter().map(|path| place::meta(path, Some(&self.files.stores))))
    }

    /// Returns whether a file of the image was changed since it was opened.
    pub(crate) fn is_changed(&self) -> io::Result<bool> {
        let meta = self.meta()?;
        Ok(self.opened.is_some_and(|opened| opened != (meta.mtime, meta.ctime)))
    }

    /// Returns whether the image is one file.
    pub(crate) fn is_one_file(&self) -> bool {
        self.files.own.len() == 1
    }

    /// Opens the first file of the image, if it is on this machine.
    pub(crate) fn file(&self) -> io::Result<Option<File>> {
        self.site.file(self.files.own.first().ok_or(io::ErrorKind::NotFound)?)
    }

    /// Reads media bytes, up to the end of the media or of a chunk.
    pub(crate) fn read(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let keeps = self.chunks.lock().most > 0;
        if !keeps {
            return self.with_window(position, |window| {
                self.image.read_at(position, buffer, window).map_err(|problem| self.cause(problem))
            });
        }
        let left = usize::try_from(self.image.media_size().saturating_sub(position)).unwrap_or(usize::MAX);
        let length = left.min(buffer.len());
        let mut filled = 0;
        while filled < length {
            let at = position + filled as u64;
            let chunk = self.chunk(at / self.image.chunk_size())?;
            let within = (at % self.image.chunk_size()) as usize;
            let bytes = chunk.get(within..).unwrap_or_default();
            let taken = bytes.len().min(length - filled);
            if taken == 0 {
                break;
            }
            buffer[filled..filled + taken].copy_from_slice(&bytes[..taken]);
            filled += taken;
        }
        Ok(filled)
    }

    /// Returns why a chunk can't be read: the missing file rather than each chunk that is in it.
    fn cause(&self, problem: ChunkProblem) -> io::Error {
        let missing = missing(&self.image).filter(|_| problem.kind == ProblemKind::ChunkMissing);
        match missing {
            Some(missing) => io::Error::new(io::ErrorKind::InvalidData, missing.to_string()),
            None => problem.into(),
        }
    }

    /// Returns the bytes of a chunk.
    fn chunk(&self, number: u64) -> io::Result<Arc<[u8]>> {
        if let Some(bytes) = self.chunks.lock().get(number) {
            return Ok(bytes);
        }
        let size = self.image.chunk_size();
        let start = number.saturating_mul(size);
        let mut bytes = vec![0; size.min(self.image.media_size().saturating_sub(start)) as usize];
        self.with_window(start, |window| {
            self.image.read_at(start, &mut bytes, window).map_err(|problem| self.cause(problem))
        })?;
        let bytes: Arc<[u8]> = bytes.into();
        self.chunks.lock().put(number, Arc::clone(&bytes));
        Ok(bytes)
    }

    /// Reads with a window, if possible one that has the bytes at this offset already, which helps where chunks are
    /// large.
    pub(crate) fn with_window<T>(
        &self,
        offset: u64,
        read: impl FnOnce(&mut Window) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut window = self.window(offset);
        let done = read(&mut window);
        self.windows.lock().push(window);
        done
    }

    fn window(&self, offset: u64) -> Window {
        let mut windows = self.windows.lock();
        let found = windows.iter().position(|window| window.holds(&self.image, offset));
        match found {
            Some(found) => windows.swap_remove(found),
            None => windows.pop().unwrap_or_default(),
        }
    }
}

impl Chunks {
    fn get(&mut self, number: u64) -> Option<Arc<[u8]>> {
        self.turn += 1;
        let chunk = self.held.get_mut(&number)?;
        chunk.used = self.turn;
        Some(Arc::clone(&chunk.bytes))
    }

    /// Keeps a chunk. When there are too many, the half that was not used for the longest time goes.
    fn put(&mut self, number: u64, bytes: Arc<[u8]>) {
        if self.held.len() >= self.most {
            let mut turns: Vec<u64> = self.held.values().map(|chunk| chunk.used).collect();
            let middle = turns.len() / 2;
            let (_, median, _) = turns.select_nth_unstable(middle);
            let median = *median;
            self.held.retain(|_, chunk| chunk.used > median);
        }
        self.held.insert(number, Chunk { bytes, used: self.turn });
    }
}

impl Medium for Outer {
    fn size(&self) -> u64 {
        self.image.media_size()
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self.read(position, buffer)? {
            read if read == buffer.len() => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl fmt::Debug for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outer({})", String::from_utf8_lossy(&self.path))
    }
}

/// A file system on the media of an image.
#[derive(Debug)]
pub(crate) struct Volume {
    pub(crate) outer: Arc<Outer>,
    /// The bytes of the file system.
    pub(crate) range: Range,
}
