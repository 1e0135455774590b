//! The fence around mapped files: the only place of this crate with `unsafe`.
//!
//! An index is immutable: it is written under another name and renamed into place, so what is mapped never
//! changes as long as nobody writes into it on purpose. Whoever can't rely on that (a share that others
//! truncate) holds the bytes in memory instead.
#![allow(unsafe_code)]

use memmap2::{Advice, Mmap};
use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file, mapped or held.
pub(crate) enum Bytes {
    Mapped(Mmap),
    Held(Vec<u8>),
}

impl Bytes {
    /// Maps a file for look-ups in random order.
    pub fn map(file: &File) -> io::Result<Self> {
        // SAFETY: the map is read-only and shared, and is read by plain loads of bytes of which every
        // pattern is valid. Index files are never written in place (see above); a file that another
        // program truncates raises a signal that ends this one, which is loud but not unsound.
        let map = unsafe { Mmap::map(file)? };
        // Advice only: a system that does not know it loses some speed.
        let _ = map.advise(Advice::Random);
        #[cfg(target_os = "linux")]
        let _ = map.advise(Advice::HugePage);
        Ok(Bytes::Mapped(map))
    }

    /// Asks the system to have all of it in memory soon.
    pub fn populate(&self) {
        if let Bytes::Mapped(map) = self {
            let _ = map.advise(Advice::WillNeed);
            #[cfg(target_os = "linux")]
            let _ = map.advise(Advice::PopulateRead);
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
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
