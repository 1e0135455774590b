//! `hashloom image`: what forensic images say about themselves, whether they are whole, what is in them.

mod export;
mod hash;
mod info;
mod list;
mod options;
mod verify;

pub use options::Command;

use crate::exit::Exit;
use crate::message;
use crate::options::report::Progress;
use crate::output::Output;
use crate::progress::Heartbeat;
use crate::signal;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use hashloom_engine::{Cancel, Live};
use hashloom_image::{Error, Finding, Image, Problem, Severity};
use serde::Serialize;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or an output cannot be written.
pub fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Info(options) => info::run(options),
        Command::Verify(options) => verify::run(options),
        Command::Hash(options) => hash::run(options),
        Command::Export(options) => export::run(options),
        Command::List(options) => list::run(options),
    }
}

/// A path as programs read it: as text, and its bytes where they are none.
#[derive(Serialize)]
struct Name {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
}

impl Name {
    fn of(path: &[u8]) -> Name {
        let path_b64 = str::from_utf8(path).is_err().then(|| STANDARD.encode(path));
        Name { path: String::from_utf8_lossy(path).into_owned(), path_b64 }
    }
}

/// Opens an image, or raw media whatever they look like; one that can't be opened is named, with all that was
/// found on the way.
fn open(path: &Path, raw: bool) -> Result<Image, (Exit, Error)> {
    let opened = if raw { Image::open_raw(path) } else { Image::open(path) };
    opened.map_err(|error| {
        message::about(path.as_os_str().as_bytes(), cause(&error, path));
        error.findings.iter().for_each(message::about_finding);
        (exit_of(&error), error)
    })
}

/// What keeps an image from being opened, with the segment that it is about, if it is another file.
fn cause(error: &Error, path: &Path) -> String {
    let what = match &error.problem {
        Problem::Io(error) => format!("cannot open: {error}"),
        container @ Problem::Container(_) => format!("{container}; --raw takes its own bytes"),
        problem => problem.to_string(),
    };
    if error.path == path { what } else { format!("{}: {what}", error.path.display()) }
}

/// What can't be read is one thing, what is no image that can be understood another.
fn exit_of(error: &Error) -> Exit {
    match error.problem {
        Problem::Io(_) => Exit::Failed,
        _ => Exit::Unusable,
    }
}

/// "note", "damage": how much a finding matters, in a word.
fn weight(finding: &Finding) -> &'static str {
    match finding.kind.severity() {
        Severity::Note => "note",
        Severity::Structure => "structure",
        Severity::Damage => "damage",
        Severity::Missing => "missing",
        Severity::Unsupported => "unsupported",
    }
}

/// A run over the media of images: its progress, and the signal that ends it.
struct Watch {
    live: Arc<Live>,
    cancel: Cancel,
    /// Bytes of the images before this one.
    before: u64,
    _heartbeat: Heartbeat,
}

impl Watch {
    /// Starts it for images that have so many bytes together; `output` is flushed meanwhile.
    fn start(progress: Progress, output: &Output, images: u64, bytes: u64) -> anyhow::Result<Watch> {
        let (live, cancel) = (Arc::new(Live::default()), Cancel::default());
        signal::watch(cancel.clone(), output.clone())?;
        live.files_met.store(images, Relaxed);
        live.bytes_met.store(bytes, Relaxed);
        live.walked.store(true, Relaxed);
        let heartbeat = Heartbeat::start(progress, Arc::clone(&live), output.clone());
        Ok(Watch { live, cancel, before: 0, _heartbeat: heartbeat })
    }

    /// Notes how many bytes of this image are done; the answer is whether to go on.
    fn note(&self, done: u64) -> ControlFlow<()> {
        self.live.bytes_done.store(self.before + done, Relaxed);
        if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// An image is done.
    fn next(&mut self, bytes: u64) {
        self.before += bytes;
        Live::add(&self.live.files_done, 1);
    }
}
