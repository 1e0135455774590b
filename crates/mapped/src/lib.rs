//! Read-only memory maps of files behind a guard. If a mapped file is truncated or its disk fails, reading the map
//! raises SIGBUS, which would end the program. With the guard, missing bytes are read as zeros, and [`Mapped::missing`]
//! returns the position of the first.
//!
//! If other programs write to the file, the bytes in the map change. As with any file, the reader must check afterwards
//! whether it was changed.
#![allow(unsafe_code)]

#[cfg(unix)]
mod guard;

pub use memmap2::Advice;

use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};

/// A mapped file. Any number of threads may read it.
#[derive(Debug)]
pub struct Mapped {
    /// Dropped before the map, whose addresses are unguarded from then on.
    #[cfg(unix)]
    watch: guard::Watch,
    map: Mmap,
}

impl Mapped {
    /// Maps the first `length` bytes of a file.
    ///
    /// # Errors
    /// If the system can't map it: it is empty or not a regular file, its file system doesn't support maps, or the
    /// process has too many maps or too little address space.
    pub fn new(file: &File, length: usize) -> io::Result<Mapped> {
        // SAFETY: the map is read only, and is read by plain loads of bytes, of which every pattern is valid. No address
        // or length is derived from a byte that is read twice. Where bytes are missing, the guard maps zeros.
        let map = unsafe { MmapOptions::new().len(length).map(file)? };
        Ok(Mapped {
            #[cfg(unix)]
            watch: guard::Watch::over(&map)?,
            map,
        })
    }

    /// Returns the offset of the first page that was read and missing, from where on zeros were read. A file truncated
    /// within its last page is not detected, because the rest of that page is read as zeros, too: check the size.
    pub fn missing(&self) -> Option<usize> {
        #[cfg(unix)]
        return self.watch.missing();
        #[cfg(not(unix))]
        None
    }

    /// Advises the system how the map will be read. Ignoring the advice only costs speed.
    pub fn advise(&self, advice: Advice) {
        let _ = self.map.advise(advice);
    }

    /// Adds the pages of a range to the page table at once, which avoids a fault for each.
    pub fn populate(&self, range: Range<usize>) {
        let range = self.inside(range);
        #[cfg(target_os = "linux")]
        let _ = self.map.advise_range(Advice::PopulateRead, range.start, range.len());
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }

    /// Removes the pages of a range from the page table; they stay in the page cache. Until then they count as memory
    /// of this process. They may be read again.
    pub fn release(&self, range: Range<usize>) {
        let range = self.inside(range);
        #[cfg(target_os = "linux")]
        // SAFETY: the range lies within the map. No content of a shared map of a file is lost: its bytes come from the
        // page cache again. Zeros that the guard has mapped stay zeros.
        let _ = unsafe {
            self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
        };
        #[cfg(not(target_os = "linux"))]
        let _ = range;
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
        &self.map
    }
}
