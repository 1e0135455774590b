//! The open file, and single reads of it: plain ones, and those that follow the settings.

use super::aligned::{ALIGNMENT, AlignedBytes};
use super::bad::BadRanges;
use super::direct::{Direct, is_aligned};
use super::drop_behind::DropBehind;
use super::open::{ByteSource, OpenBytes, Opened};
use super::stream;
use crate::deadline::with_limit;
use crate::sys::{emptied, pretends_sizes};
use crate::{BadBlocks, Bytes, Io, Rate, Reading, sys};
use hashmill_os::error::is_no_direct;
use hashmill_os::read_at;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

/// The size of a scratch buffer in bytes.
const SCRATCH_BYTES: usize = 256 << 10;

/// The size of the smallest sectors in bytes.
const SECTOR: usize = 512;

thread_local! {
    /// The buffer of this thread, for reads that can't go into the caller's buffer.
    static SCRATCH: RefCell<AlignedBytes> = RefCell::default();
}

#[derive(Debug)]
pub(super) enum Handle {
    /// A file without settings, like nearly all files.
    Plain(File),
    /// A stream without settings, which may have to be waited for.
    Stream(File),
    Configured(Box<Configured>),
    /// Content of the entry instead of the file; settings do not apply.
    Given(Option<File>, Box<dyn Bytes>),
}

/// A file that is read with settings.
#[derive(Debug)]
pub(super) struct Configured {
    /// Shared with calls that hang.
    file: Arc<File>,
    limit: Option<Duration>,
    /// Whether it is a stream, which may have to be waited for.
    waits: bool,
    rate: Option<Arc<Rate>>,
    direct: Option<Direct>,
    drop_behind: Option<DropBehind>,
    pub(super) bad: Option<BadRanges>,
    /// Whether nothing was cached when reading began.
    is_emptied: bool,
}

impl Handle {
    pub(super) fn new(opened: Opened, path: &[u8], reading: &Reading) -> Handle {
        let Opened { bytes, meta, kind } = opened;
        let file = match bytes {
            OpenBytes::Given(file, given) => return Handle::Given(file, given),
            OpenBytes::File(file) => file,
        };
        let offsets = kind.has_offsets();
        let drop_behind = offsets && DropBehind::is_wanted(reading.io, meta.size);
        // Nothing tells which of a device's bytes are cached.
        let is_fresh_device = kind == ByteSource::Device && reading.fresh;
        let direct = offsets && (reading.io == Io::Direct || is_fresh_device);
        // The writer of a pipe may be slow.
        let limit = reading.timeout.filter(|_| kind != ByteSource::Stream);
        // Zeros may replace unread bytes only if the size is reliable.
        let sized = |file: &File| kind == ByteSource::Device || !pretends_sizes(file);
        let zero = offsets && reading.bad_blocks == BadBlocks::Zero && meta.size > 0 && sized(&file);
        let fresh = kind == ByteSource::File && reading.fresh;
        if !(drop_behind || direct || zero || fresh) && limit.is_none() && reading.rate.is_none() {
            return if kind == ByteSource::Stream { Handle::Stream(file) } else { Handle::Plain(file) };
        }
        Handle::Configured(Box::new(Configured {
            limit,
            waits: kind == ByteSource::Stream,
            rate: reading.rate.clone(),
            direct: direct.then(|| Direct::start(&file, meta.dev, path, &reading.notes)).flatten(),
            drop_behind: drop_behind.then(|| DropBehind::new(&file, meta.size)),
            bad: zero.then(BadRanges::default),
            is_emptied: fresh && emptied(&file, meta.size),
            file: Arc::new(file),
        }))
    }

    /// Returns the file, if there is one.
    pub(super) fn file(&self) -> Option<&File> {
        match self {
            Handle::Plain(file) | Handle::Stream(file) => Some(file),
            Handle::Given(file, _) => file.as_ref(),
            Handle::Configured(configured) => Some(&configured.file),
        }
    }

    /// Returns the file with its settings, if it has any.
    pub(super) fn configured(&self) -> Option<&Configured> {
        match self {
            Handle::Plain(_) | Handle::Stream(_) | Handle::Given(..) => None,
            Handle::Configured(configured) => Some(configured),
        }
    }

    /// Returns whether all bytes come from the medium: they are read past the cache, or nothing was cached.
    pub(super) fn is_fresh(&self) -> bool {
        self.configured().is_some_and(|configured| {
            configured.is_emptied || configured.direct.as_ref().is_some_and(Direct::is_fresh)
        })
    }

    /// Returns the content that is read instead of the file, if any.
    pub(super) fn given(&self) -> Option<&dyn Bytes> {
        match self {
            Handle::Given(_, given) => Some(&**given),
            Handle::Plain(_) | Handle::Stream(_) | Handle::Configured(_) => None,
        }
    }

    /// Calls a function on the file, within the time limit.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&File) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        match self.configured().and_then(|configured| Some((configured, configured.limit?))) {
            None => question(self.file().ok_or(io::ErrorKind::Unsupported)?),
            Some((configured, limit)) => {
                let file = Arc::clone(&configured.file);
                with_limit(limit, move || question(&file))?
            }
        }
    }

    /// Makes one read of the next bytes. Fewer bytes than requested do not mean the end; zero bytes do.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Handle::Plain(file) => (&mut &*file).read(buffer),
            Handle::Stream(file) => {
                stream::wait(file)?;
                (&mut &*file).read(buffer)
            }
            Handle::Configured(configured) => configured.read(buffer),
            // Content has offsets and is read at them.
            Handle::Given(..) => Ok(0),
        }
    }

    /// Makes one read at an offset, with the same rules.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Handle::Plain(file) | Handle::Stream(file) => read_at(file, buffer, offset),
            Handle::Configured(configured) => configured.read_at(offset, buffer),
            Handle::Given(_, given) => given.read_at(offset, buffer),
        }
    }
}

impl Configured {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let buffer = self.slice(buffer);
        if self.waits {
            stream::wait(&self.file)?;
        }
        let read = match self.limit {
            None => (&mut &*self.file).read(buffer)?,
            Some(_) => self.read_by_scratch(buffer, |file, scratch| (&mut &*file).read(scratch))?,
        };
        self.pay(read);
        Ok(read)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let buffer = self.slice(buffer);
        let read = match self.direct.as_ref().filter(|direct| direct.is_on()) {
            Some(direct) => self.read_direct(direct, offset, buffer)?,
            None => self.read_cached(offset, buffer)?,
        };
        self.passed(offset, read);
        self.pay(read);
        Ok(read)
    }

    fn read_direct(&self, direct: &Direct, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let refused = |result: &io::Result<usize>| result.as_ref().is_err_and(is_no_direct);
        let mut result = match self.limit {
            None if is_aligned(offset, buffer) => read_at(self.source(), buffer, offset),
            // The sectors next to a bad one can only be read one by one, if the device has sectors that small.
            _ if buffer.len() <= SECTOR => self.read_around(offset, buffer, SECTOR),
            _ => self.read_around(offset, buffer, ALIGNMENT),
        };
        if refused(&result) && buffer.len() <= SECTOR {
            result = self.read_around(offset, buffer, ALIGNMENT);
        }
        if refused(&result) {
            direct.give_up(&self.file);
            result = self.read_cached(offset, buffer);
        }
        result
    }

    /// Reads whole blocks around the requested bytes, and copies these.
    fn read_around(&self, offset: u64, buffer: &mut [u8], block: usize) -> io::Result<usize> {
        let before = (offset % block as u64) as usize;
        let wanted = (before + buffer.len()).next_multiple_of(block).min(SCRATCH_BYTES);
        let start = offset - before as u64;
        let (scratch, result) =
            self.with_scratch(wanted, move |file, scratch| read_at(file, scratch, start))?;
        let read = result?;
        if (1..=before).contains(&read) {
            // The read is too short to contain any of the requested bytes.
            return_scratch(scratch);
            // A direct read ends inside a sector only where the file does.
            return if read.is_multiple_of(SECTOR) { self.read_cached(offset, buffer) } else { Ok(0) };
        }
        let got = read.saturating_sub(before).min(buffer.len());
        buffer[..got].copy_from_slice(&scratch[before..before + got]);
        return_scratch(scratch);
        Ok(got)
    }

    fn read_cached(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(direct) = self.direct.as_ref() {
            direct.stop(&self.file);
        }
        match self.limit {
            None => read_at(&self.file, buffer, offset),
            Some(_) => self.read_by_scratch(buffer, move |file, scratch| read_at(file, scratch, offset)),
        }
    }

    /// Reads into the scratch buffer, which a call that hangs may keep.
    fn read_by_scratch(
        &self,
        buffer: &mut [u8],
        read: impl FnOnce(&File, &mut [u8]) -> io::Result<usize> + Send + 'static,
    ) -> io::Result<usize> {
        let wanted = buffer.len().min(SCRATCH_BYTES);
        let (scratch, result) = self.with_scratch(wanted, read)?;
        let result = result.inspect(|&read| buffer[..read].copy_from_slice(&scratch[..read]));
        return_scratch(scratch);
        result
    }

    /// Reads into the scratch buffer, within the time limit.
    fn with_scratch(
        &self,
        wanted: usize,
        read: impl FnOnce(&File, &mut [u8]) -> io::Result<usize> + Send + 'static,
    ) -> io::Result<(AlignedBytes, io::Result<usize>)> {
        let mut scratch = SCRATCH.take();
        if scratch.len() < wanted {
            scratch = AlignedBytes::zeroed(SCRATCH_BYTES);
        }
        let Some(limit) = self.limit else {
            let result = read(self.source(), &mut scratch[..wanted]);
            return Ok((scratch, result));
        };
        let file = Arc::clone(self.source());
        with_limit(limit, move || {
            let result = read(&file, &mut scratch[..wanted]);
            (scratch, result)
        })
    }

    /// Returns the file that bytes are read from.
    fn source(&self) -> &Arc<File> {
        self.direct.as_ref().and_then(Direct::again).unwrap_or(&self.file)
    }

    /// Returns the part of the buffer that may be read at once.
    fn slice<'a>(&self, buffer: &'a mut [u8]) -> &'a mut [u8] {
        let most = self.rate.as_ref().map_or(buffer.len(), |rate| rate.slice().min(buffer.len()));
        &mut buffer[..most]
    }

    fn pay(&self, read: usize) {
        if let Some(rate) = &self.rate {
            rate.pay(read);
        }
    }

    /// Records that these bytes were read, or are a hole, so that their pages can be dropped.
    pub(super) fn passed(&self, offset: u64, length: usize) {
        if let Some(pages) = &self.drop_behind {
            pages.passed(offset, length as u64, &mut |range| sys::forget(&self.file, range));
        }
    }
}

fn return_scratch(scratch: AlignedBytes) {
    SCRATCH.set(scratch);
}
