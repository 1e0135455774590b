//! Files mapped into memory, read only, behind a guard: a mapped file that is cut short, or that the disk can't give,
//! raises SIGBUS where its bytes are read, which would end the program. Behind the guard the missing bytes are zeros, and
//! [`Mapped::missing`] says from where on.
//!
//! Bytes that other programs write into the file change in the map. Whoever hashes them must find out afterwards whether
//! the file held still, as with any file.
#![allow(unsafe_code)]

#[cfg(unix)]
mod guard;

pub use memmap2::Advice;

use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};

/// A file that is mapped. Any number of threads may read it.
#[derive(Debug)]
pub struct Mapped {
    /// Goes before the map: from then on its addresses are nobody's.
    #[cfg(unix)]
    watch: guard::Watch,
    map: Mmap,
}

impl Mapped {
    /// Maps the first `length` bytes of a file.
    ///
    /// # Errors
    /// If the system can't map it: it is empty or no file, its file system has no maps, the process has too many, or too
    /// little address space is left.
    pub fn of(file: &File, length: usize) -> io::Result<Mapped> {
        // SAFETY: the map is read only, and is read by plain loads of bytes, of which every pattern is valid. No address
        // or length is derived from a byte that is read twice. Where bytes are missing, the guard maps zeros.
        let map = unsafe { MmapOptions::new().len(length).map(file)? };
        Ok(Mapped {
            #[cfg(unix)]
            watch: guard::Watch::over(&map)?,
            map,
        })
    }

    /// The offset of the first byte that was read and was not there: of the page that it lies on. Zeros were read from
    /// there on. Not seen is what was cut off within the file's last page, which are zeros, too: the size tells.
    pub fn missing(&self) -> Option<usize> {
        #[cfg(unix)]
        return self.watch.missing();
        #[cfg(not(unix))]
        None
    }

    /// Tells the system how the map will be read. Advice only: a system that does not know it loses some speed.
    pub fn advise(&self, advice: Advice) {
        let _ = self.map.advise(advice);
    }

    /// Enters the pages of a range into the page table at once, rather than one fault after another.
    pub fn populate(&self, range: Range<usize>) {
        let range = self.inside(range);
        #[cfg(target_os = "linux")]
        let _ = self.map.advise_range(Advice::PopulateRead, range.start, range.len());
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }

    /// Takes the pages that lie in a range out of the page table again; the page cache keeps them. Until then they count
    /// as memory of this process. They may be read again.
    pub fn release(&self, range: Range<usize>) {
        let range = self.inside(range);
        #[cfg(target_os = "linux")]
        // SAFETY: the range lies within the map. Of a shared map of a file nothing is lost: its bytes come from the page cache again. Where the guard
        // has put zeros, they stay zeros.
        let _ = unsafe {
            self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, range.start, range.len())
        };
        #[cfg(not(target_os = "linux"))]
        let _ = range;
    }

    /// The part of a range that lies within the map.
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
