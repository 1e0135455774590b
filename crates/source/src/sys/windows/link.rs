//! The targets of symbolic links and junctions.

use super::calls::control;
use super::opening::open_name;
use hashmill_os::names;
use hashmill_os::reparse::{JUNCTION, SYMLINK};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use windows_sys::Wdk::Storage::FileSystem::FILE_OPEN_REPARSE_POINT;
use windows_sys::Win32::Storage::FileSystem::FILE_READ_ATTRIBUTES;
use windows_sys::Win32::System::Ioctl::FSCTL_GET_REPARSE_POINT;

/// `MAXIMUM_REPARSE_DATA_BUFFER_SIZE`.
const MAX_DATA: usize = 16 << 10;

/// Reads the target of a symbolic link or junction in a directory, as people are shown it.
pub(crate) fn read_link(directory: &File, name: &[u8]) -> io::Result<Vec<u8>> {
    let file = open_name(directory, name, FILE_READ_ATTRIBUTES, FILE_OPEN_REPARSE_POINT)?;
    let mut answer = vec![0; MAX_DATA];
    let length = control(&file, FSCTL_GET_REPARSE_POINT, &[], &mut answer)?;
    target(&answer[..length]).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Finds the name that is printed in `REPARSE_DATA_BUFFER`, or else the one that is used.
fn target(data: &[u8]) -> Option<Vec<u8>> {
    let half = |at: usize| Some(usize::from(u16::from_le_bytes(*data.get(at..at + 2)?.first_chunk()?)));
    let names = match u32::from_le_bytes(*data.first_chunk()?) {
        SYMLINK => 20,
        JUNCTION => 16,
        _ => return None,
    };
    let text = |start: usize, length: usize| data.get(names + start..)?.get(..length);
    let shown = text(half(12)?, half(14)?)?;
    let used = text(half(8)?, half(10)?)?;
    let text = if shown.is_empty() { used } else { shown };
    let units: Vec<u16> = text.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    let mut bytes = names::into_bytes(OsString::from_wide(&units));
    bytes.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(tag: u32, names: usize, texts: [&str; 2]) -> Vec<u8> {
        let [used, shown] =
            texts.map(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
        let mut data = vec![0; names];
        data[..4].copy_from_slice(&tag.to_le_bytes());
        for (at, number) in [(8, 0), (10, used.len()), (12, used.len()), (14, shown.len())] {
            data[at..at + 2].copy_from_slice(&(number as u16).to_le_bytes());
        }
        [data, used, shown].concat()
    }

    #[test]
    fn the_target_is_the_printed_name() {
        assert_eq!(
            target(&buffer(SYMLINK, 20, ["\\??\\C:\\a\\é", "C:\\a\\é"])).unwrap(),
            "C:/a/é".as_bytes()
        );
        assert_eq!(target(&buffer(JUNCTION, 16, ["\\??\\C:\\a", ""])).unwrap(), b"/??/C:/a");
        assert_eq!(target(&buffer(1, 16, ["a", "b"])), None);
        let whole = buffer(SYMLINK, 20, ["used", "shown"]);
        assert!((0..whole.len()).all(|end| target(&whole[..end]).is_none()));
    }
}
