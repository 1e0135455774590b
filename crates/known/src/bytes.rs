//! The fence around mapped files: with [`fault`] the only place of this crate with `unsafe`.
//!
//! An index is immutable: it is written under another name and renamed, so a map does not change unless somebody writes
//! into the file on purpose. If somebody cuts the file short, [`fault`] handles the signal, and [`Bytes::is_whole`]
//! reports it.
#![allow(unsafe_code)]

#[cfg(unix)]
mod fault;

use memmap2::{Advice, Mmap};
use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file, mapped or held.
pub(crate) enum Bytes {
    Mapped(Mapped),
    Held(Vec<u8>),
}

/// A file that is mapped.
pub(crate) struct Mapped {
    /// Goes before the map: from then on its addresses are nobody's.
    #[cfg(unix)]
    watch: fault::Watch,
    map: Mmap,
    file: File,
}

impl Bytes {
    /// Maps a file for look-ups in random order.
    pub fn map(file: File) -> io::Result<Self> {
        // SAFETY: the map is read-only and shared, and is read by plain loads of bytes of which every
        // pattern is valid. Index files are never written in place (see above); where another program truncates one,
        // `fault` maps zeros where bytes are missing.
        let map = unsafe { Mmap::map(&file)? };
        // Advice only: a system that does not know it loses some speed.
        let _ = map.advise(Advice::Random);
        #[cfg(target_os = "linux")]
        let _ = map.advise(Advice::HugePage);
        #[cfg(unix)]
        let watch = fault::Watch::over(&map)?;
        Ok(Bytes::Mapped(Mapped {
            #[cfg(unix)]
            watch,
            map,
            file,
        }))
    }

    /// Whether all bytes that were read so far were those of the file: it is as long as it was.
    pub fn is_whole(&self) -> bool {
        match self {
            Bytes::Held(_) => true,
            Bytes::Mapped(mapped) => mapped.is_whole(),
        }
    }

    /// Asks the system to have all of it in memory soon.
    pub fn populate(&self) {
        if let Bytes::Mapped(mapped) = self {
            let _ = mapped.map.advise(Advice::WillNeed);
            #[cfg(target_os = "linux")]
            let _ = mapped.map.advise(Advice::PopulateRead);
        }
    }
}

impl Mapped {
    /// What is cut off within a page reads as zeros without a signal, so the length is asked for too.
    fn is_whole(&self) -> bool {
        #[cfg(unix)]
        if self.watch.has_faulted() {
            return false;
        }
        self.file.metadata().is_ok_and(|data| data.len() >= self.map.len() as u64)
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(mapped) => &mapped.map,
            Bytes::Held(bytes) => bytes,
        }
    }
}

/// Brings the cache line of a byte near, if there is such a byte.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if at < bytes.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: `at` is inside the slice; a prefetch reads nothing that the program could see.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}
