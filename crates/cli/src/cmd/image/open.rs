//! Opening images, and how they and their findings are named.

use crate::exit::Exit;
use crate::message;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use hashloom_image::{Error, Finding, Image, Problem, Severity};
use serde::Serialize;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path as programs read it: as text, and its bytes where they are none.
#[derive(Serialize)]
pub(super) struct Name {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<String>,
}

impl Name {
    pub fn of(path: &[u8]) -> Name {
        let path_b64 = str::from_utf8(path).is_err().then(|| STANDARD.encode(path));
        Name { path: String::from_utf8_lossy(path).into_owned(), path_b64 }
    }
}

/// Opens an image, or raw media whatever they look like; one that can't be opened is named, with all that was
/// found on the way.
pub(super) fn open(path: &Path, raw: bool) -> Result<Image, (Exit, Error)> {
    let opened = if raw { Image::open_raw(path) } else { Image::open(path) };
    opened.map_err(|error| {
        message::about(path.as_os_str().as_bytes(), cause(&error, path));
        error.findings.iter().for_each(message::say);
        (exit_of(&error), error)
    })
}

/// What keeps an image from being opened, with the segment that it is about, if it is another file.
pub(super) fn cause(error: &Error, path: &Path) -> String {
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
pub(super) fn weight(finding: &Finding) -> &'static str {
    match finding.kind.severity() {
        Severity::Note => "note",
        Severity::Structure => "structure",
        Severity::Damage => "damage",
        Severity::Missing => "missing",
        Severity::Unsupported => "unsupported",
    }
}
