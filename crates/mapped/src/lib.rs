//! Read-only memory maps of files behind a guard. If a mapped file is truncated or its disk fails, reading the map
//! raises a fault (SIGBUS; on Windows an in-page error), which would end the program. With the guard, missing bytes are
//! read as zeros, and [`Mapped::missing`] returns the position of the first.
//!
//! [`Mapped`] is such a map, and all of this crate; it knows nothing of what it is read for.
//!
//! If other programs write to the file, the bytes in the map change. As with any file, the reader must check afterwards
//! whether it was changed.
#![allow(unsafe_code)]

mod advice;
mod guard;
#[cfg_attr(target_os = "linux", path = "sys/linux.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;

pub use advice::Advice;

use guard::Watch;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use sys::Map;

/// A mapped file. Any number of threads may read it.
#[derive(Debug)]
pub struct Mapped {
    /// Dropped before the map, whose addresses are unguarded from then on.
    watch: Watch,
    map: Map,
}

impl Mapped {
    /// Maps the first `length` bytes of a file.
    ///
    /// # Errors
    /// If the system can't map it: it is empty or not a regular file, its file system doesn't support maps, or the
    /// process has too many maps or too little address space.
    pub fn new(file: &File, length: usize) -> io::Result<Mapped> {
        let map = Map::of(file, length)?;
        Ok(Mapped { watch: Watch::over(map.bytes())?, map })
    }

    /// Returns the offset of the first page that was read and missing, from where on zeros were read; on Windows 0, as
    /// zeros take the place of the whole map there. A file truncated within its last page is not detected, because the
    /// rest of that page is read as zeros, too: check the size.
    pub fn missing(&self) -> Option<usize> {
        self.watch.missing()
    }

    /// Advises the system how the map will be read. Ignoring the advice only costs speed.
    pub fn advise(&self, advice: Advice) {
        self.map.advise(advice);
    }

    /// Adds the pages of a range to the page table at once, which avoids a fault for each.
    pub fn populate(&self, range: Range<usize>) {
        self.map.populate(self.inside(range));
    }

    /// Removes the pages of a range from the page table; they stay in the page cache. Until then they count as memory
    /// of this process. They may be read again.
    pub fn release(&self, range: Range<usize>) {
        self.map.release(self.inside(range));
    }

    /// Returns the part of a range that lies within the map.
    fn inside(&self, range: Range<usize>) -> Range<usize> {
        let end = range.end.min(self.len());
        range.start.min(end)..end
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.bytes()
    }
}
