//! All output of these commands: lines on standard output or in `-W`'s file, messages on standard error, line ends.

use crate::flags::{Switch, Switches};
use crate::sys::{self, NEWLINE};
use hashmill_os::error::is_no_reader;
use hashmill_terminal::{Filter, shown};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};

/// The outputs of a command.
pub struct Screen {
    /// The command's own name, which precedes messages.
    pub name: String,
    standard: BufWriter<io::Stdout>,
    file: Option<BufWriter<File>>,
    /// Whether standard output is a terminal, so that every line is written at once.
    is_terminal: bool,
    /// Escapes text for a terminal.
    filter: Filter,
    end: &'static str,
    /// Whether messages are shown: neither `-s` nor `-S` was given.
    wants_messages: bool,
    /// The first write error.
    failure: Option<io::Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The file of `-W` if there is one, else standard output.
    Output,
    /// Standard output, regardless of `-W`.
    Standard,
}

impl Screen {
    /// Creates a screen for a command with this name.
    pub fn new(name: String) -> Screen {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let standard = BufWriter::with_capacity(1 << 16, stdout);
        Screen {
            name,
            standard,
            file: None,
            is_terminal,
            filter: Filter::default(),
            end: NEWLINE,
            wants_messages: true,
            failure: None,
        }
    }

    /// Applies the switches for line ends and messages.
    pub fn apply(&mut self, switches: Switches) {
        self.end = if switches.has(Switch::Zero) { "\0" } else { NEWLINE };
        self.wants_messages = !switches.has(Switch::Silent) && !switches.has(Switch::WarnOnly);
    }

    /// Redirects lines to a file.
    pub fn write_to(&mut self, file: File) {
        self.file = Some(BufWriter::with_capacity(1 << 16, file));
    }

    pub fn wants_messages(&self) -> bool {
        self.wants_messages
    }

    pub fn line(&mut self, to: Target, line: impl AsRef<[u8]>) {
        let line = line.as_ref();
        if self.shows(to) && line.contains(&b'\n') {
            // A line feed in a name.
            let parts: Vec<&[u8]> = line.split(|byte| *byte == b'\n').collect();
            self.text(to, parts.join(&b"\\n"[..]));
        } else {
            self.text(to, line);
        }
    }

    /// Returns whether this output is a terminal.
    fn shows(&self, to: Target) -> bool {
        self.is_terminal && !(self.file.is_some() && to == Target::Output)
    }

    /// Writes text of our own, possibly several lines.
    pub fn text(&mut self, to: Target, text: impl AsRef<[u8]>) {
        self.raw(to, text.as_ref());
        let end = self.end.as_bytes();
        let result = match (&mut self.file, to) {
            (Some(file), Target::Output) => file.write_all(end),
            _ => self.standard.write_all(end),
        };
        self.keep(result);
        if self.is_terminal {
            self.flush();
        }
    }

    /// Writes bytes unchanged.
    pub fn raw(&mut self, to: Target, bytes: &[u8]) {
        let result = match (&mut self.file, to) {
            (Some(file), Target::Output) => file.write_all(bytes),
            _ if self.is_terminal => self.standard.write_all(&self.filter.pass(bytes)),
            _ => self.standard.write_all(bytes),
        };
        self.keep(result);
    }

    pub fn flush(&mut self) {
        let result = self.standard.flush();
        self.keep(result);
        let result = self.file.as_mut().map_or(Ok(()), Write::flush);
        self.keep(result);
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    /// Returns whether writing failed, so that the run can end.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Flushes both outputs and returns whether everything was written. A closed pipe causes no message.
    pub fn finish(&mut self) -> bool {
        self.flush();
        let Some(error) = self.failure.take() else { return true };
        if !is_no_reader(&error) {
            self.say_always(format!("write failed: {}", cause(&error)));
        }
        false
    }

    /// Writes a message with the command's name, unless messages are off.
    pub fn say(&mut self, message: impl AsRef<[u8]>) {
        if self.wants_messages {
            self.say_always(message);
        }
    }

    /// Writes a message with the command's name, even if messages are off.
    pub fn say_always(&mut self, message: impl AsRef<[u8]>) {
        let text = [self.name.as_bytes(), b": ", message.as_ref(), b"\n"].concat();
        self.error(&text);
    }

    /// Writes the hint after a misused command line.
    pub fn hint(&mut self) {
        let hint = format!("Try `{} -h` for more information.\n", self.name);
        self.error(hint.as_bytes());
    }

    /// Writes a line about a file to standard error.
    pub fn error_line(&mut self, line: &[u8]) {
        let text = [line, self.end.as_bytes()].concat();
        self.error(&text);
    }

    /// Writes bytes to standard error at once, after pending output.
    pub fn error(&mut self, text: &[u8]) {
        if self.is_terminal {
            self.flush();
        }
        error_bytes(text);
    }
}

/// Writes bytes to standard error; escapes control characters if it is a terminal.
pub fn error_bytes(text: &[u8]) {
    let mut stderr = io::stderr();
    // If standard error is closed, the error can't be reported.
    let _ = if stderr.is_terminal() { stderr.write_all(&shown(text)) } else { stderr.write_all(text) };
}

/// Returns the C library's text for an error, without the number that Rust adds.
pub fn cause(error: &io::Error) -> String {
    if let Some(text) = sys::reason(error) {
        return text.to_string();
    }
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(end)) => text[..end].to_string(),
        _ => text,
    }
}
