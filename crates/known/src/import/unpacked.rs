//! Unpacks a database, or an archive in an archive, to a temporary file beside the output.

use super::input::Notice;
use super::intake::Intake;
use crate::error::{Error, Why};
use hashmill_os::free_at;
use hashmill_output::{Unfinished, directory};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The number of bytes between two checks of the free space.
const SPAN: u64 = 256 << 20;

/// An unpacked file, readable only by its user and removed with this value. If a build is killed, the next one finds
/// the file unlocked and removes it.
pub(super) struct Unpacked {
    pub path: PathBuf,
    _unfinished: Unfinished,
}

impl Unpacked {
    /// Unpacks a stream of this many bytes, if there is space for them.
    pub fn new(mut stream: impl Read, bytes: u64, intake: &mut Intake<'_>) -> Result<Self, Error> {
        let target = intake.target().to_path_buf();
        check_room(&target, bytes, &intake.path)?;
        intake.notice(Notice::Unpacking(bytes));
        let made = Unfinished::passing(&target, intake.files());
        let (mut file, unfinished) = made.map_err(Error::io(&target, "create"))?;
        let copy = Unpacked { path: unfinished.place().to_path_buf(), _unfinished: unfinished };
        let (progress, mut buffer, mut written) = (intake.progress(), vec![0; 1 << 20], 0);
        loop {
            let length = stream.read(&mut buffer).map_err(Error::io(&intake.path, "read"))?;
            if length == 0 {
                return Ok(copy);
            }
            write(&mut file, &buffer[..length], &copy.path)?;
            let before = written / SPAN;
            written += length as u64;
            if written / SPAN > before {
                check_room(&target, bytes.saturating_sub(written), &intake.path)?;
            }
            if progress.is_cancelled() {
                return Err(Error::new(&target, Why::Cancelled));
            }
        }
    }
}

fn write(file: &mut File, bytes: &[u8], path: &Path) -> Result<(), Error> {
    file.write_all(bytes).map_err(Error::io(path, "write"))
}

/// Checks that this many bytes are free for `target`; succeeds if the system does not tell.
fn check_room(target: &Path, needed: u64, input: &Path) -> Result<(), Error> {
    let folder = directory(target);
    match free_at(folder) {
        Some(free) if free < needed => {
            Err(Error::new(input, Why::Space { needed, free, folder: folder.to_path_buf() }))
        }
        _ => Ok(()),
    }
}
