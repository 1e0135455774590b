//! Outputs of jobs, and standard output. Text for a terminal is filtered: a name must not contain control sequences
//! that the terminal obeys.

pub use hashmill_content::output::*;

use crate::words::status;
use crate::{access, sys};
use anyhow::ensure;
use hashmill_job::manifest_writer;
use hashmill_manifest::format::{Body, Format};
use hashmill_os::{Stream, standard};
use hashmill_terminal::Filter;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Its name in messages.
const NAME: &str = "standard output";

/// Opens standard output.
///
/// # Errors
/// If it is closed.
pub(crate) fn stdout() -> Result<Output, WriteError> {
    let file = standard(Stream::Output).map_err(|error| WriteError::of_stream(NAME, error))?;
    let screen = || Box::new(Terminal::new()) as Box<dyn Screen>;
    Ok(Output::stream(NAME, file, io::stdout().is_terminal().then(screen)))
}

/// Writes a text for people to standard output, completely.
///
/// # Errors
/// If it can't be written.
pub(crate) fn print(text: &[u8]) -> Result<(), WriteError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush()).map_err(unwritten)
}

/// Writes a whole result to standard output.
pub(crate) fn print_result(result: impl AsRef<[u8]>) -> Result<(), WriteError> {
    let output = stdout()?;
    output.put(result)?;
    output.finish()
}

/// Makes an error of standard output. Where it is closed, the error is about what holds its place.
pub(crate) fn unwritten(error: io::Error) -> WriteError {
    WriteError::of_stream(NAME, standard(Stream::Output).err().unwrap_or(error))
}

/// Returns the file that `-o` names: `-` is not a file.
pub(crate) fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// Checks that a manifest of this format can be written where `-o` says.
///
/// # Errors
/// The reason why it can't.
pub(crate) fn fits(format: &'static Format, path: Option<&Path>) -> anyhow::Result<()> {
    let path = named(path);
    let binary = matches!(format.body, Body::Whole(_));
    ensure!(
        path.is_some() || !binary || !io::stdout().is_terminal(),
        "{} is binary: write it to a file with -o",
        format.name
    );
    let place = path.map(|path| OutputPath { stores: access::stores(), ..path.into() });
    Ok(manifest_writer::fits(format, place.as_ref())?)
}

/// The abilities of a terminal.
#[derive(Debug, Default)]
struct Terminal {
    filter: Filter,
    /// Whether it shows colours, and they are wanted.
    colours: bool,
}

impl Terminal {
    fn new() -> Terminal {
        Terminal { filter: Filter::default(), colours: are_colours_wanted(|name| std::env::var_os(name)) }
    }
}

/// Returns whether colours are wanted, by <https://no-color.org> and the type of the terminal: `dumb` has none.
fn are_colours_wanted(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && sys::obeys_sequences(variable)
}

impl Screen for Terminal {
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.filter.pass(bytes)
    }

    fn end(&mut self) -> Vec<u8> {
        self.filter.end()
    }

    fn paint(&self, word: &str, tone: Tone) -> Option<Vec<u8>> {
        let colour = match tone {
            Tone::Good => "32",
            Tone::Doubtful => "33",
            Tone::Bad => "1;31",
        };
        self.colours.then(|| format!("\x1b[{colour}m{word}\x1b[0m").into_bytes())
    }

    fn write(&mut self, bytes: &[u8], terminal: &mut dyn Write) -> io::Result<()> {
        status::beside_output(bytes, || terminal.write_all(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Consoles of Windows say it themselves.
    #[cfg(unix)]
    #[test]
    fn colours_are_for_terminals_that_show_them_and_for_who_wants_them() {
        let wanted = |no_color: Option<&str>, term: Option<&str>| {
            are_colours_wanted(|name| if name == "TERM" { term } else { no_color }.map(OsString::from))
        };
        assert!(wanted(None, Some("xterm")) && wanted(Some(""), Some("xterm")));
        assert!(!wanted(Some("1"), Some("xterm")) && !wanted(None, Some("dumb")) && !wanted(None, None));
    }
}
