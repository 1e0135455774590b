//! Where the bytes of a file are.

use super::calls::{control, number};
use crate::holes::Segment;
use std::fs::File;
use std::io::{self, Seek};
use windows_sys::Win32::Foundation::ERROR_MORE_DATA;
use windows_sys::Win32::System::Ioctl::{FSCTL_GET_RETRIEVAL_POINTERS, FSCTL_QUERY_ALLOCATED_RANGES};

/// The place of the first extent's cluster in `RETRIEVAL_POINTERS_BUFFER`.
const CLUSTER: usize = 24;

/// Returns the file's own offset.
pub(crate) fn position(file: &File) -> io::Result<u64> {
    let mut file = file;
    file.stream_position()
}

/// Returns what kind of bytes are at an offset inside a file of this size, and where they end.
pub(crate) fn segment(file: &File, offset: u64, size: u64) -> io::Result<Segment> {
    let asked = [offset.to_le_bytes(), size.saturating_sub(offset).to_le_bytes()].concat();
    let mut answer = [0; 16];
    let length = match control(file, FSCTL_QUERY_ALLOCATED_RANGES, &asked, &mut answer) {
        Ok(length) => length,
        // There is more than one range. The first is there.
        Err(error) if error.raw_os_error() == Some(ERROR_MORE_DATA as i32) => answer.len(),
        // The file system has no holes: all is data.
        Err(_) => return Ok(Segment::Data { end: u64::MAX }),
    };
    let (start, bytes) = (number(&answer, 0), number(&answer, 8));
    Ok(match length {
        0 => Segment::Hole { end: size },
        _ if start > offset => Segment::Hole { end: start.min(size) },
        _ => Segment::Data { end: start.saturating_add(bytes) },
    })
}

/// Returns the number of the cluster of a file's first extent, which orders files as their offsets would.
///
/// # Errors
/// If the file system does not tell.
pub(crate) fn disk_position(file: &File) -> io::Result<Option<u64>> {
    let mut answer = [0; 32];
    match control(file, FSCTL_GET_RETRIEVAL_POINTERS, &0_u64.to_le_bytes(), &mut answer) {
        Ok(length) if length < answer.len() => return Ok(None),
        Err(error) if error.raw_os_error() != Some(ERROR_MORE_DATA as i32) => return Err(error),
        _ => {}
    }
    // -1 stands for a hole.
    Ok(Some(number(&answer, CLUSTER)).filter(|cluster| *cluster != u64::MAX))
}
