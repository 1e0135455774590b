//! Standard output. What goes to a terminal is filtered: nothing in a name may speak to it.

pub use hashloom_job::output::{Output, WriteError};

use anyhow::ensure;
use hashloom_job::hash::To;
use hashloom_job::manifest_writer;
use hashloom_job::output::Screen;
use hashloom_manifest::format::{Body, Format};
use hashloom_terminal::Filter;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::path::Path;

/// What messages call it.
const NAME: &str = "standard output";

/// Standard output.
///
/// # Errors
/// If it is not open.
pub fn stdout() -> Result<Output, WriteError> {
    let fd = io::stdout().as_fd().try_clone_to_owned().map_err(|error| WriteError::of_stream(NAME, error))?;
    let screen = || Box::new(Terminal::default()) as Box<dyn Screen>;
    Ok(Output::stream(NAME, File::from(fd), io::stdout().is_terminal().then(screen)))
}

/// Where `-o` says; without it, or with `-`, standard output.
///
/// # Errors
/// If that is not open.
pub fn to(path: Option<&Path>) -> Result<To, WriteError> {
    match named(path) {
        Some(path) => Ok(To::File(path.to_path_buf())),
        None => Ok(To::Stream(stdout()?)),
    }
}

/// The file that `-o` names: `-` is none.
pub fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// Whether a manifest of this format can go where `-o` says.
///
/// # Errors
/// Why not.
pub fn fits(format: &'static Format, path: Option<&Path>) -> anyhow::Result<()> {
    let path = named(path);
    let binary = matches!(format.body, Body::Whole(_));
    ensure!(
        path.is_some() || !binary || !io::stdout().is_terminal(),
        "{} is binary: write it to a file with -o",
        format.name
    );
    Ok(manifest_writer::fits(format, path)?)
}

/// A terminal.
#[derive(Debug, Default)]
struct Terminal(Filter);

impl Screen for Terminal {
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.0.pass(bytes)
    }

    fn end(&mut self) -> Vec<u8> {
        self.0.end()
    }
}
