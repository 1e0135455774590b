//! The bytes of an index, and the hint that some of them will be read soon: the only place of this crate with `unsafe`.
//!
//! An index is immutable: it is written under another name and renamed, so a map does not change unless somebody writes
//! into the file on purpose. If somebody cuts the file short, [`Bytes::is_whole`] reports it.
#![allow(unsafe_code)]

use hashloom_mapped::{Advice, Mapped};
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;

/// The bytes of a file, mapped or held.
pub(crate) enum Bytes {
    Mapped(Mapped, File),
    Held(Vec<u8>),
}

impl Bytes {
    /// Maps a file of this length for look-ups in random order; reads it where it can't be mapped, as on some file systems of
    /// networks and of programs.
    pub fn map(file: File, length: u64) -> io::Result<Self> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let map = match Mapped::of(&file, length) {
            Ok(map) => map,
            // There is too little memory for the bytes as well.
            Err(error) if error.kind() == io::ErrorKind::OutOfMemory => return Err(error),
            Err(_) => return Bytes::read(&file, length),
        };
        map.advise(Advice::Random);
        #[cfg(target_os = "linux")]
        map.advise(Advice::HugePage);
        Ok(Bytes::Mapped(map, file))
    }

    fn read(file: &File, length: usize) -> io::Result<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length)?;
        bytes.resize(length, 0);
        file.read_exact_at(&mut bytes, 0)?;
        Ok(Bytes::Held(bytes))
    }

    /// Whether all bytes that were read so far were those of the file: it is as long as it was. What is cut off within a
    /// page reads as zeros without a signal, so the length is asked for too.
    pub fn is_whole(&self) -> bool {
        match self {
            Bytes::Held(_) => true,
            Bytes::Mapped(map, file) => {
                map.missing().is_none() && file.metadata().is_ok_and(|data| data.len() >= map.len() as u64)
            }
        }
    }

    /// Asks the system to have all of it in memory soon.
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
