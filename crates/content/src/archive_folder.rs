//! An archive in the place of a folder, however it is read.

use hashmill_engine::flow::Entries;
use hashmill_source::Bytes;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// The texts of symbolic links in an archive, by their paths.
pub type LinkTexts = Arc<Mutex<HashMap<Box<[u8]>, Box<[u8]>>>>;

/// An open archive that takes the place of a folder: returns the members, as the files below it, each time it is called.
pub type ArchiveFolder = dyn Fn(Option<LinkTexts>) -> Entries + Send + Sync;

/// Returns all bytes of a member; none if there are more than these.
///
/// # Errors
/// If it can't be read.
pub fn read_whole(bytes: &dyn Bytes, most: usize) -> io::Result<Option<Vec<u8>>> {
    let (mut text, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    while text.len() <= most {
        match bytes.read_at(text.len() as u64, &mut buffer)? {
            0 => return Ok(Some(text)),
            read => text.extend_from_slice(buffer.get(..read).unwrap_or_default()),
        }
    }
    Ok(None)
}
