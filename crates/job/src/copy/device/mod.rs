//! Destinations that are block devices: one file is written onto one from its start, and what lies behind its end stays.
//!
//! ```text
//!   bytes ──> writer ── synced ──> reader back ── answers, in order ──> run
//! ```
//!
//! A device has no names: it is compared as the bytes come, and only where it may be written over (`--force`) are they written, from
//! the first difference on. So a run that was cut short goes on where it ended.

mod back;
mod check;
mod start;
mod writer;

pub(super) use check::{check, is_device};

use super::answers::Answers;
use super::back::Verify;
use super::event::PlaceProgress;
use super::naming::Name;
use super::place::PlaceThreads;
use super::site::CopySite;
use super::threads::start;
use crate::error::Error;
use back::DeviceReader;
use hashmill_content::File as Tried;
use hashmill_engine::{Cancel, Plan};
use hashmill_os::{device_size, open_disk_alone};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{channel, sync_channel};
use writer::DeviceWriter;

/// The most entries that wait to be read back. Only one of them is the file.
const MOST_WAITING: usize = 1024;

/// A device that copies are written onto.
pub(super) struct DeviceSite {
    path: PathBuf,
}

impl DeviceSite {
    pub(super) fn new(path: &Path) -> DeviceSite {
        DeviceSite { path: path.to_path_buf() }
    }
}

impl CopySite for DeviceSite {
    fn path(&self, _: &Name) -> PathBuf {
        self.path.clone()
    }

    fn is_there(&self, _: &Name) -> bool {
        true
    }

    fn free(&self) -> Option<u64> {
        File::open(&self.path).and_then(|device| device_size(&device)).ok()
    }
}

/// Adds to an error what to do about a device that is in use.
fn with_advice(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::ResourceBusy => io::Error::new(
            ErrorKind::ResourceBusy,
            format!("{error}: unmount what is on it, and stop what uses it"),
        ),
        _ => error,
    }
}

/// Starts the threads of a device.
///
/// # Errors
/// If it is in use, or can't be opened.
pub(super) fn begin(to: &Path, is_forced: bool, verify: Verify, plan: &Plan) -> Result<PlaceThreads, Error> {
    let opened = open_disk_alone(to).map_err(with_advice);
    let opened = opened.and_then(|device| Ok((device_size(&device)?, device)));
    let (size, device) = opened.map_err(Error::at(to, Tried::Write))?;
    let device = Arc::new(device);
    let (sender, messages) = channel();
    let (next, written) = sync_channel(MOST_WAITING);
    let (answer, answers) = channel();
    let progress = Arc::<PlaceProgress>::default();
    let writer = DeviceWriter::new(Arc::clone(&device), size, is_forced, next, Arc::clone(&progress));
    let writer = start("writing copies", move || writer.run(&messages))?;
    // A copy that was written is verified although the run is cancelled.
    let plan = Plan { cancel: Cancel::default(), ..plan.clone() };
    let reader = DeviceReader::new(to, device, verify, plan, Arc::clone(&progress.back));
    let reader = start("reading copies back", move || reader.run(&written, &answer))?;
    let site = Arc::new(DeviceSite::new(to));
    Ok(PlaceThreads { site, progress, sender, answers: Answers::new(answers), writer, reader })
}
