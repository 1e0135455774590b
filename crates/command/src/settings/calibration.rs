//! The file that `hashmill bench calibrate` writes for later runs, and its use.

use crate::words::message::Shown;
use anyhow::Context;
use hashmill_digest::{Calibration, InvalidCalibration, Machine};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The reason why an existing calibration was not used.
#[derive(Debug)]
pub struct Ignored {
    path: PathBuf,
    why: Why,
}

#[derive(Debug)]
enum Why {
    InvalidDocument(io::Error),
    InvalidCalibration(InvalidCalibration),
}

/// Returns the path of the file, by the XDG base directory specification, which ignores relative directories.
///
/// # Errors
/// If neither variable names a directory.
pub fn path() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join("calibration"))
}

/// Returns the folder of the user's settings, likewise.
///
/// # Errors
/// As [`path`].
pub fn folder() -> anyhow::Result<PathBuf> {
    let config = hashmill_os::settings()
        .context("no directory for settings: neither XDG_CONFIG_HOME nor HOME is a whole path")?;
    Ok(config.join("hashmill"))
}

/// Installs the calibration of this machine, if there is one, for this process to choose kernels by. A process that is
/// restricted to an instruction set uses the built-in costs.
///
/// # Errors
/// [`Ignored`] if there is a calibration that can't be used; then the built-in costs stay.
pub fn install() -> Result<(), Ignored> {
    let Ok(path) = path() else { return Ok(()) };
    if Machine::detect().forced.is_some() {
        return Ok(());
    }
    let ignored = |why| Ignored { path: path.clone(), why };
    let text = match read(&path) {
        Ok(text) => text,
        Err(error) if absent(&error) => return Ok(()),
        // The folder belongs to another user, so it is unknown whether there is a file (HOME under sudo, for example).
        Err(_) if path.symlink_metadata().is_err() => return Ok(()),
        Err(error) => return Err(ignored(Why::InvalidDocument(error))),
    };
    let calibration = Calibration::parse(&text).map_err(|unfit| ignored(Why::InvalidCalibration(unfit)))?;
    // The rows are complete, and kernels that were chosen already stay as they are.
    let _ = hashmill_digest::Costs::install(calibration.costs);
    Ok(())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(Calibration::MOST_BYTES).read_to_end(&mut text)?;
    Ok(text)
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the calibration is not used: ", Shown::path(&self.path))?;
        match &self.why {
            Why::InvalidDocument(error) => write!(f, "it cannot be read: {error}"),
            Why::InvalidCalibration(unfit) => {
                write!(f, "{unfit}; 'hashmill bench calibrate' makes a new one")
            }
        }
    }
}
