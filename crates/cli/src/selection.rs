//! Which entries a command works on: operands, lists of paths and filters become one walk.

use crate::images::{self, Entries};
use crate::options::sources::Sources;
use anyhow::{Context, bail, ensure};
use hashloom_manifest::Time;
use hashloom_source::{Filter, WalkOptions, walk};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The path that stands for standard input.
const STDIN: &[u8] = b"-";

/// A path as bytes.
pub type Bytes = Box<[u8]>;

/// Operands, one after another.
pub type Operands = Box<dyn Iterator<Item = Bytes> + Send>;

/// What a list of paths came to: the error that ended it early, if one did.
#[derive(Debug, Clone, Default)]
pub struct ListError(Arc<Mutex<Option<io::Error>>>);

impl ListError {
    /// The error, once.
    pub fn take(&self) -> Option<io::Error> {
        self.slot().take()
    }

    /// What it says, without taking it.
    pub fn problem(&self) -> Option<String> {
        self.slot().as_ref().map(|error| format!("cannot read the list of paths on: {error}"))
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<io::Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How to walk, by the options.
///
/// # Errors
/// If a glob or a time is not understood.
pub fn walk_options(sources: &Sources) -> anyhow::Result<WalkOptions> {
    Ok(WalkOptions {
        follow: sources.follow,
        one_file_system: sources.one_file_system,
        filter: filter(sources)?,
        ..WalkOptions::default()
    })
}

/// What is below the operands; with `--images`, what is in the images there.
pub fn entries(operands: Operands, options: WalkOptions, sources: &Sources) -> Entries {
    let found = walk(operands, options);
    if sources.images { images::opened(found) } else { Box::new(found) }
}

/// The operands typed, then those of `--files-from`, which are read as the walk goes on.
///
/// # Errors
/// If the list cannot be opened, or standard input would have to be both list and data.
pub fn operands(paths: &[OsString], sources: &Sources, error: &ListError) -> anyhow::Result<Operands> {
    let typed: Vec<Bytes> = paths.iter().map(|path| path.as_bytes().into()).collect();
    let Some(list) = &sources.files_from else { return Ok(Box::new(typed.into_iter())) };
    let end = if sources.null { 0 } else { b'\n' };
    let listed: Operands = if list.as_os_str().as_bytes() == STDIN {
        ensure!(
            !typed.iter().any(|path| **path == *STDIN),
            "standard input can't be both a path and the list"
        );
        let stdin = Box::new(BufReader::new(io::stdin()));
        // Here a file of the name `-` must be meant: standard input is the list.
        Box::new(
            lines(stdin, end, error.clone())
                .map(|path| if *path == *STDIN { b"./-".as_slice().into() } else { path }),
        )
    } else {
        let file = File::open(list).with_context(|| format!("{}: cannot open", list.display()))?;
        Box::new(lines(Box::new(BufReader::new(file)), end, error.clone()))
    };
    Ok(Box::new(typed.into_iter().chain(listed)))
}

/// The parts of a list. Empty ones are left out, as they name nothing.
fn lines(mut list: Box<dyn BufRead + Send>, end: u8, error: ListError) -> impl Iterator<Item = Bytes> + Send {
    let next = move || {
        let mut line = Vec::new();
        match list.read_until(end, &mut line) {
            Ok(0) => None,
            Ok(_) => Some(line),
            Err(source) => {
                *error.slot() = Some(source);
                None
            }
        }
    };
    let without_end = move |mut line: Vec<u8>| {
        if line.last() == Some(&end) {
            line.pop();
        }
        Bytes::from(line)
    };
    std::iter::from_fn(next).map(without_end).filter(|path| !path.is_empty())
}

fn filter(sources: &Sources) -> anyhow::Result<Filter> {
    let mut builder = Filter::builder();
    for glob in &sources.include {
        builder = builder.include(glob);
    }
    for glob in &sources.exclude {
        builder = builder.exclude(glob);
    }
    if let Some(size) = sources.min_size {
        builder = builder.min_size(size);
    }
    if let Some(size) = sources.max_size {
        builder = builder.max_size(size);
    }
    if let Some(newer) = &sources.newer {
        builder = builder.newer(moment(newer)?);
    }
    Ok(builder.build()?)
}

/// A file's last change, or a time as text.
fn moment(text: &OsString) -> anyhow::Result<SystemTime> {
    if let Ok(meta) = Path::new(text).metadata() {
        return meta.modified().context("--newer: no time of change");
    }
    let typed = text.to_string_lossy();
    let time = Time::from_rfc3339(&typed).or_else(|| Time::from_rfc3339(&format!("{typed}T00:00:00Z")));
    match time {
        Some(time) => system_time(time).context("--newer: too far from now"),
        None => {
            bail!("--newer: '{typed}' is neither a file nor a time like 2026-11-21 or 2026-11-21T10:00:00Z")
        }
    }
}

fn system_time(time: Time) -> Option<SystemTime> {
    let whole = Duration::from_secs(time.seconds.unsigned_abs());
    let start = if time.seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    start?.checked_add(Duration::from_nanos(time.nanoseconds.into()))
}

/// Device and inode of the file that standard output is redirected into, if it is one.
pub fn redirected() -> Option<(u64, u64)> {
    use std::os::fd::AsFd;
    let file = File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
    let meta = file.metadata().ok()?;
    meta.is_file().then(|| (meta.dev(), meta.ino()))
}

/// Device and inode of a file that the command reads.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

/// A path from a folder down, which it was met below.
pub fn below<'p>(path: &'p [u8], folder: &[u8]) -> &'p [u8] {
    let rest = path.strip_prefix(folder).unwrap_or(path);
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    &rest[slashes..]
}

/// The path of these bytes.
pub fn path_of(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &'static [u8], end: u8) -> Vec<Bytes> {
        lines(Box::new(text), end, ListError::default()).collect()
    }

    #[test]
    fn lists_are_bytes_between_ends() {
        let wanted: Vec<Bytes> =
            vec![b"a b".as_slice().into(), b"\xff\r".as_slice().into(), b"last".as_slice().into()];
        assert_eq!(parts(b"a b\n\n\xff\r\nlast", b'\n'), wanted);
        assert_eq!(parts(b"a\nb\0", 0), vec![Bytes::from(b"a\nb".as_slice())]);
    }

    #[test]
    fn times_may_be_dates() {
        let day = moment(&"1970-01-02".into()).unwrap();
        assert_eq!(day.duration_since(UNIX_EPOCH).unwrap(), Duration::from_secs(86_400));
        assert!(moment(&"yesterday".into()).is_err());
    }
}
