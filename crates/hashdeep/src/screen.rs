//! Everything that these commands write, in one place: lines on standard output or in `-W`'s file,
//! messages on standard error, and how lines end.

use crate::flags::{Switch, Switches};
use hashloom_terminal::{Filter, shown};
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

/// Where the commands write.
pub struct Screen {
    /// The command's own name, in front of messages.
    pub name: String,
    standard: BufWriter<io::Stdout>,
    file: Option<BufWriter<File>>,
    /// Somebody watches standard output: lines must not wait.
    watched: bool,
    /// Stands between lines and a terminal.
    screen: Filter,
    end: u8,
    /// Messages are wanted.
    talks: bool,
    /// The first failure to write.
    broken: Option<io::Error>,
}

/// Which of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// `-W`'s file if there is one, else standard output.
    Output,
    /// Standard output, whatever `-W` says.
    Standard,
}

impl Screen {
    /// Standard output and standard error under a command's name.
    pub fn new(name: String) -> Screen {
        let stdout = io::stdout();
        let watched = stdout.is_terminal();
        let standard = BufWriter::with_capacity(1 << 16, stdout);
        Screen {
            name,
            standard,
            file: None,
            watched,
            screen: Filter::default(),
            end: b'\n',
            talks: true,
            broken: None,
        }
    }

    /// Takes over the switches that change how things are written.
    pub fn obey(&mut self, switches: Switches) {
        self.end = if switches.has(Switch::Zero) { 0 } else { b'\n' };
        self.talks = !switches.has(Switch::Silent) && !switches.has(Switch::WarnOnly);
    }

    /// Sends lines to a file from here on.
    pub fn write_to(&mut self, file: File) {
        self.file = Some(BufWriter::with_capacity(1 << 16, file));
    }

    /// Whether messages are wanted.
    pub fn talks(&self) -> bool {
        self.talks
    }

    /// Writes a line.
    pub fn line(&mut self, to: To, line: impl AsRef<[u8]>) {
        let line = line.as_ref();
        if self.shows(to) && line.contains(&b'\n') {
            // A line feed in a name.
            let parts: Vec<&[u8]> = line.split(|byte| *byte == b'\n').collect();
            self.text(to, parts.join(&b"\\n"[..]));
        } else {
            self.text(to, line);
        }
    }

    /// Whether a terminal shows it.
    fn shows(&self, to: To) -> bool {
        self.watched && !(self.file.is_some() && to == To::Output)
    }

    /// Writes text of our own, maybe of several lines.
    pub fn text(&mut self, to: To, text: impl AsRef<[u8]>) {
        self.raw(to, text.as_ref());
        let end = [self.end];
        let result = match (&mut self.file, to) {
            (Some(file), To::Output) => file.write_all(&end),
            _ => self.standard.write_all(&end),
        };
        self.keep(result);
        if self.watched {
            self.flush();
        }
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, to: To, bytes: &[u8]) {
        let result = match (&mut self.file, to) {
            (Some(file), To::Output) => file.write_all(bytes),
            _ if self.watched => self.standard.write_all(&self.screen.pass(bytes)),
            _ => self.standard.write_all(bytes),
        };
        self.keep(result);
    }

    /// Writes what is still waiting.
    pub fn flush(&mut self) {
        let result = self.standard.flush();
        self.keep(result);
        let result = self.file.as_mut().map_or(Ok(()), Write::flush);
        self.keep(result);
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.broken.get_or_insert(error);
        }
    }

    /// Whether writing failed, so that going on is useless.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Writes all that waits, and says whether everything was written. A reader who went away is told
    /// nothing.
    pub fn finish(&mut self) -> bool {
        self.flush();
        let Some(error) = self.broken.take() else { return true };
        if error.kind() != ErrorKind::BrokenPipe {
            self.insist(format!("write failed: {}", cause(&error)));
        }
        false
    }

    /// A message under the command's name, unless messages are unwanted.
    pub fn say(&mut self, message: impl AsRef<[u8]>) {
        if self.talks {
            self.insist(message);
        }
    }

    /// A message under the command's name, also in silent mode.
    pub fn insist(&mut self, message: impl AsRef<[u8]>) {
        let text = [self.name.as_bytes(), b": ", message.as_ref(), b"\n"].concat();
        self.error(&text);
    }

    /// The hint that follows a misused command line.
    pub fn hint(&mut self) {
        let hint = format!("Try `{} -h` for more information.\n", self.name);
        self.error(hint.as_bytes());
    }

    /// A line on standard error about a file.
    pub fn error_line(&mut self, line: &[u8]) {
        let text = [line, &[self.end]].concat();
        self.error(&text);
    }

    /// Bytes on standard error, in one piece. What was written before comes first.
    pub fn error(&mut self, text: &[u8]) {
        if self.watched {
            self.flush();
        }
        error_bytes(text);
    }
}

/// Writes bytes to standard error; to a terminal without what could speak to it.
pub fn error_bytes(text: &[u8]) {
    let mut stderr = io::stderr();
    // Nobody is left to tell if standard error is gone.
    let _ = if stderr.is_terminal() { stderr.write_all(&shown(text)) } else { stderr.write_all(text) };
}

/// The C library's words for an error, without the number that Rust adds.
pub fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(end)) => text[..end].to_string(),
        _ => text,
    }
}
