//! `hashmill image export IMAGE!/PATH`: one file on the media of an image.

use super::open::open;
use super::options::Export;
use crate::access;
use crate::message;
use crate::options::force::Force;
use crate::output;
use hashmill_job::account::{Account, Item};
use hashmill_job::hash::To;
use hashmill_job::inside::Disk;
use hashmill_job::output::OutputKind;
use hashmill_os::names;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Splits the path of a file inside of an image; `None` if it is that of a file outside, which may have `!/` in its name.
pub(super) fn split(path: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let bytes = names::path_bytes(path);
    if path.exists() {
        return None;
    }
    let at = bytes.windows(2).position(|pair| pair == b"!/")?;
    Some((names::path_to_try(&bytes[..at]).into_owned(), bytes[at..].to_vec()))
}

/// Writes the file, and returns the exit code.
pub(super) fn export(options: &Export, image: &Path) -> anyhow::Result<Account> {
    options.how.means(&[image], &options.opening);
    let opened = match open(image, &options.opening.options()?) {
        Ok(opened) => opened,
        Err(refused) => return Ok(*refused),
    };
    let disk = match Disk::new(image, opened, &access::stores()) {
        Ok(disk) => disk,
        Err(problem) => {
            message::about_path(image, problem);
            return Ok(Account::failed(Item::Container, 1));
        }
    };
    let force = Force { force: options.force };
    let mut output = match force.to(Some(&options.output))? {
        To::Stream(output) => output,
        To::File(place) => output::create(&place, OutputKind::Anything)?,
    };
    match disk.export(&names::path_bytes(&options.path), &mut output) {
        Ok(_) => {
            output.finish()?;
            Ok(Account::default())
        }
        Err(error) => {
            output.discard();
            message::about_path(&options.path, &error);
            Ok(if error.kind() == ErrorKind::NotFound {
                Account::unusable(Item::Container, 1)
            } else {
                Account::failed(Item::Container, 1)
            })
        }
    }
}
