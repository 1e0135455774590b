//! The time stamp of a file.

use crate::cmd::sign::stamping;
use crate::exit::Exit;
use crate::message::Shown;
use crate::output::{Output, WriteError};
use clap::Args;
use hashloom_job::signatures::beside;
use hashloom_sign::ssh::Moment;
use hashloom_sign::stamp::{LONGEST, Request, Roots, Stamp, StampStatement};
use hashloom_sign::{Broken, Message};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Time stamps (RFC 3161)")]
pub struct Stamps {
    /// The certificates that a time stamp's must lead to (PEM); then there must be a time stamp
    #[arg(long, value_name = "FILE")]
    pub timestamp_roots: Option<PathBuf>,
    /// The time stamp [default: MANIFEST.tsr, if it is there; it must be good then]
    #[arg(long, value_name = "FILE")]
    pub timestamp: Option<PathBuf>,
    /// The request that it must answer (its nonce)
    #[arg(long, value_name = "FILE")]
    pub timestamp_request: Option<PathBuf>,
    /// Don't look at a time stamp; else one that can't be verified is exit code 1
    #[arg(long, conflicts_with_all = ["timestamp_roots", "timestamp", "timestamp_request"])]
    pub ignore_timestamp: bool,
}

/// The files, read.
pub struct Stamped<'a> {
    options: &'a Stamps,
    roots: Option<Roots>,
    request: Option<Request>,
}

impl Stamps {
    /// Reads the files.
    ///
    /// # Errors
    /// If one is not usable.
    pub fn read(&self) -> anyhow::Result<Stamped<'_>> {
        let roots = self.timestamp_roots.as_deref().map(stamping::roots).transpose()?;
        let request = self.timestamp_request.as_deref().map(stamping::request).transpose()?;
        Ok(Stamped { options: self, roots, request })
    }
}

impl Stamped<'_> {
    /// Says what the time stamp shows.
    ///
    /// # Errors
    /// If that can't be written.
    pub fn verify(
        &self,
        (file, message): (&Path, &mut Message<'_>),
        output: &Output,
    ) -> Result<Exit, WriteError> {
        let path = self.options.timestamp.clone().unwrap_or_else(|| beside::stamp(file));
        if self.options.ignore_timestamp {
            return Ok(Exit::Fine);
        }
        let wanted = self.roots.is_some() || self.request.is_some() || self.options.timestamp.is_some();
        if !wanted && path.symlink_metadata().is_err() {
            return Ok(Exit::Fine);
        }
        let (exit, text) = self.judge((file, message), &path);
        let line = format!("{}: {}\n", Shown(path.as_os_str().as_bytes()), Shown(text.as_bytes()));
        output.clone().write_all(line.as_bytes()).map_err(|error| output.error(error))?;
        Ok(exit)
    }

    fn judge(&self, (file, message): (&Path, &mut Message<'_>), path: &Path) -> (Exit, String) {
        let read = if self.options.timestamp.is_some() { beside::read } else { beside::found };
        let bytes = match read(path, LONGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.options.timestamp.is_none() => {
                return (Exit::Differs, "there is no time stamp".into());
            }
            Err(error) => return (Exit::Failed, format!("cannot read: {error}")),
        };
        match self.check(message, &bytes) {
            Ok(Ok(text)) if self.roots.is_some() => (Exit::Fine, text),
            Ok(Ok(text)) => (Exit::Differs, text),
            Ok(Err(Broken::Unsupported(what))) => (Exit::Differs, format!("UNSUPPORTED time stamp: {what}")),
            Ok(Err(broken)) => (Exit::Differs, format!("BROKEN time stamp: {broken}")),
            Err(error) => (Exit::Failed, format!("cannot read {}: {error}", file.display())),
        }
    }

    fn check(&self, message: &mut Message<'_>, bytes: &[u8]) -> io::Result<Result<String, Broken>> {
        let stamp = match Stamp::parse(bytes) {
            Ok(stamp) => stamp,
            Err(broken) => return Ok(Err(broken)),
        };
        if let Err(broken) = stamp.is_of(message, self.request.as_ref())? {
            return Ok(Err(broken));
        }
        Ok(match &self.roots {
            Some(roots) => stamp.by(roots, Moment::now()).map(|seen| good(&seen)),
            // Anybody can make a stamp of any time with a certificate of their own.
            None => Ok(format!(
                "time stamp NOT VERIFIED: it says {} by '{}'; give the certificates to trust with --timestamp-roots, or go on without it with --ignore-timestamp",
                stamp.time(),
                stamp.says().authority
            )),
        })
    }
}

fn good(seen: &StampStatement) -> String {
    let over = Some(seen.until).filter(|until| *until < Moment::now());
    let over = over.map_or(String::new(), |until| format!(" (valid then; its certificate ended on {until})"));
    format!("good time stamp: these bytes existed at {}, says '{}'{over}", seen.time, seen.authority)
}
