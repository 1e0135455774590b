//! Time stamps: asked for over HTTP, or carried to an authority and back in files.

use super::options::Stamping;
use crate::exit::Exit;
use crate::message;
use crate::output::{Output, WriteError};
use anyhow::{Context, anyhow, ensure};
use hashloom_job::signatures::{beside, staged};
use hashloom_sign::ssh::Moment;
use hashloom_sign::stamp::{LONGEST, Request, Roots, Stamp, ask};
use hashloom_sign::{Broken, Message};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Stamping {
    /// The certificates that the stamp's must lead to, if any were given.
    ///
    /// # Errors
    /// If the file is not usable.
    pub fn roots(&self) -> anyhow::Result<Option<Roots>> {
        self.timestamp_roots.as_deref().map(roots).transpose()
    }
}

/// Reads certificates.
///
/// # Errors
/// If the file is not usable.
pub fn roots(path: &Path) -> anyhow::Result<Roots> {
    let shown = path.display();
    let pem = fs::read(path).with_context(|| format!("{shown}: cannot read"))?;
    Roots::parse(&pem).map_err(|error| anyhow!("{shown}: {error}"))
}

/// A request that was written earlier.
///
/// # Errors
/// If the file is none.
pub fn request(path: &Path) -> anyhow::Result<Request> {
    let shown = path.display();
    let bytes = beside::read(path, LONGEST).with_context(|| format!("{shown}: cannot read"))?;
    Request::parse(&bytes).map_err(|error| anyhow!("{shown}: {error}"))
}

/// What was asked for: a request, an answer, or both.
///
/// # Errors
/// If a file can't be written, or is not what it should be.
pub fn stamp(
    file: &Path,
    options: &Stamping,
    roots: Option<&Roots>,
    message: &mut Message<'_>,
) -> anyhow::Result<Exit> {
    if !options.is_asked() {
        return Ok(Exit::Fine);
    }
    let answered = options.timestamp_response.as_deref();
    let request = match (&options.timestamp_request, answered) {
        (Some(path), Some(_)) => Some(request(path)?),
        (None, Some(_)) => None,
        (path, None) => {
            let request = Request::new(message).with_context(|| file.display().to_string())?;
            if let Some(path) = path {
                staged::write(Output::file(path)?, request.as_bytes())?.finish()?;
            }
            Some(request)
        }
    };
    let bytes = match (&options.timestamp, answered, &request) {
        (_, Some(path), _) => {
            beside::read(path, LONGEST).with_context(|| format!("{}: cannot read", path.display()))?
        }
        (Some(url), None, Some(request)) => match ask(url, request) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(failed(file, &error)),
        },
        _ => return Ok(Exit::Fine),
    };
    keep(file, &bytes, (request.as_ref(), roots), message)
}

/// Writes an answer down, if it is a stamp of this file.
fn keep(
    file: &Path,
    bytes: &[u8],
    (request, roots): (Option<&Request>, Option<&Roots>),
    message: &mut Message<'_>,
) -> anyhow::Result<Exit> {
    let stamp = match check(bytes, (request, roots), message).map_err(|error| WriteError::of(file, error))? {
        Ok(stamp) => stamp,
        Err(broken) => return Ok(failed(file, &format_args!("the time stamp is refused: {broken}"))),
    };
    let path = beside::stamp(file);
    ensure!(
        path.symlink_metadata().is_err() || replaces(&path, message),
        "{}: a time stamp of these bytes is there already; it may be the older and better one: move it away first",
        path.display()
    );
    staged::write(Output::replacing(&path)?, bytes)?.finish()?;
    let seen = stamp.says();
    let whose =
        if roots.is_some() { "" } else { " (whose certificate was not verified: no --timestamp-roots)" };
    message::about(
        path.as_os_str().as_bytes(),
        format_args!("time stamp of {} by '{}'{whose}", seen.time, message::Shown(seen.authority.as_bytes())),
    );
    Ok(Exit::Fine)
}

fn check(
    bytes: &[u8],
    (request, roots): (Option<&Request>, Option<&Roots>),
    message: &mut Message<'_>,
) -> std::io::Result<Result<Stamp, Broken>> {
    let stamp = match Stamp::parse(bytes) {
        Ok(stamp) => stamp,
        Err(broken) => return Ok(Err(broken)),
    };
    if let Err(broken) = stamp.is_of(message, request)? {
        return Ok(Err(broken));
    }
    Ok(match roots.map(|roots| stamp.by(roots, Moment::now())) {
        Some(Err(broken)) => Err(broken),
        _ => Ok(stamp),
    })
}

/// A stamp of other bytes is of no use any more.
fn replaces(path: &Path, message: &mut Message<'_>) -> bool {
    let Ok(bytes) = beside::found(path, LONGEST) else { return false };
    let stamp = Stamp::parse(&bytes);
    !stamp.is_ok_and(|stamp| matches!(stamp.is_of(message, None), Ok(Ok(()))))
}

fn failed(file: &Path, why: &dyn std::fmt::Display) -> Exit {
    message::about(file.as_os_str().as_bytes(), format_args!("no time stamp: {why}"));
    Exit::Failed
}
