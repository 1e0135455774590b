//! The bytes of an index, and prefetching: the only module of this crate with `unsafe`.
//!
//! An index is immutable: it is written under another name and renamed, so a map does not change unless somebody writes
//! to the file on purpose. If the file is truncated, [`Bytes::is_whole`] reports it.
#![allow(unsafe_code)]

use hashmill_mapped::{Advice, Mapped};
use hashmill_os::read_exact_at;
use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of a file, mapped or in memory.
pub(crate) enum Bytes {
    Mapped(Mapped, File),
    Held(Vec<u8>),
}

impl Bytes {
    /// Maps a file of this length for random lookups; reads it if it can't be mapped, as on some network and user-space
    /// file systems.
    pub fn map(file: File, length: u64) -> io::Result<Self> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let map = match Mapped::new(&file, length) {
            Ok(map) => map,
            // There is too little memory to read the bytes, too.
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => return Err(error),
            Err(_) => return Bytes::read(&file, length),
        };
        map.advise(Advice::Random);
        map.advise(Advice::HugePage);
        Ok(Bytes::Mapped(map, file))
    }

    fn read(file: &File, length: usize) -> io::Result<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length)?;
        bytes.resize(length, 0);
        read_exact_at(file, &mut bytes, 0)?;
        Ok(Bytes::Held(bytes))
    }

    /// Returns whether all bytes read so far were those of the file, that is, the file was not truncated. Bytes cut off
    /// inside a page read as zeros without a signal, so the length is checked as well.
    pub fn is_whole(&self) -> bool {
        match self {
            Bytes::Held(_) => true,
            Bytes::Mapped(map, file) => {
                map.missing().is_none() && file.metadata().is_ok_and(|data| data.len() >= map.len() as u64)
            }
        }
    }

    /// Asks the system to load the whole file into memory soon.
    pub fn populate(&self) {
        if let Bytes::Mapped(map, _) = self {
            map.advise(Advice::WillNeed);
            map.populate(0..map.len());
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map, _) => map,
            Bytes::Held(bytes) => bytes,
        }
    }
}

/// Prefetches the cache line of a byte, if it exists.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if at < bytes.len() {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: `at` is inside the slice; a prefetch has no visible effect.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}
