//! Detection of cached file contents without reading them.
//!
//! On Linux, `cachestat` (Linux 6.5) counts pages and never starts I/O. If it is missing or refused, one byte is requested with
//! `RWF_NOWAIT`, but only at the start of the file: if the page is missing, kernels since 5.9 begin to read ahead
//! there. At the start, the next read would do the same; elsewhere it would be a useless seek. Files are not mapped for
//! `mincore`, which costs more than reading a small file.

use crate::sys::{cached_pages, read_without_waiting};
use hashmill_os::error::would_wait;
use std::fs::File;

/// Files up to this size are checked as a whole.
const WHOLE: u64 = 1 << 20;

/// Longer files are checked in samples of this size at the start, in the middle and at the end.
const SAMPLE: u64 = 64 << 10;

/// Before mapping, files up to this size are checked as a whole.
const RESIDENT_WHOLE: u64 = 16 << 20;

/// Longer files are checked in this many samples.
const RESIDENT_SAMPLES: u64 = 64;

/// Whether bytes are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cached {
    /// All bytes that were checked.
    Yes,
    /// Some of the bytes that were checked.
    Partly,
    /// None of the bytes that were checked.
    No,
    /// The system does not tell.
    Unknown,
}

/// Returns whether the first `size` bytes of a file are cached. For a large file it checks three samples. An empty file
/// is cached.
pub(crate) fn cached(file: &File, size: u64) -> Cached {
    let samples = [0, (size / 2).saturating_sub(SAMPLE / 2), size.saturating_sub(SAMPLE)];
    let samples = samples.map(|offset| (offset, SAMPLE));
    let samples = if size <= WHOLE { &[(0, size)] } else { &samples[..] };
    let mut all = (0, 0);
    for &(offset, length) in samples {
        let Some((cached, total)) = cached_pages(file, offset, length) else {
            return start_cached(file, size);
        };
        all = (all.0 + cached, all.1 + total);
    }
    match all {
        (cached, total) if cached == total => Cached::Yes,
        (0, _) => Cached::No,
        _ => Cached::Partly,
    }
}

/// Returns whether all bytes of a file are cached, as far as can be determined at low cost: files up to some size are
/// checked as a whole, longer ones in many places. False if the kernel does not tell.
pub(crate) fn is_resident(file: &File, size: u64) -> bool {
    let is_cached =
        |offset, length| cached_pages(file, offset, length).is_some_and(|(cached, total)| cached == total);
    if size <= RESIDENT_WHOLE {
        return is_cached(0, size);
    }
    let places = (0..RESIDENT_SAMPLES).map(|number| (size - SAMPLE) / (RESIDENT_SAMPLES - 1) * number);
    let mut places = places.chain([size - SAMPLE]);
    places.all(|offset| is_cached(offset, SAMPLE))
}

/// Returns the answer without `cachestat`, from the first byte. It is valid for a file that the kernel reads at once.
/// For a longer one, a cached start proves nothing.
pub(crate) fn start_cached(file: &File, size: u64) -> Cached {
    match read_without_waiting(file, 0) {
        Ok(()) if size <= SAMPLE => Cached::Yes,
        Ok(()) => Cached::Unknown,
        Err(error) if would_wait(&error) => Cached::No,
        Err(_) => Cached::Unknown,
    }
}
