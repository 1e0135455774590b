//! Single runs of programs, with their output and times.

use crate::program::Ended;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A program with its arguments, started without a shell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The program, as the system looks it up.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables, in addition to the inherited ones and `LC_ALL=C`.
    pub variables: Vec<(&'static str, String)>,
    /// The working directory; `None` for that of this process.
    pub directory: Option<PathBuf>,
    /// A folder that is emptied before the run; files that its processes write there are output, too.
    pub outputs: Option<PathBuf>,
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// Seconds from its start to its end.
    pub wall: f64,
    /// User time in seconds, including its children.
    pub user: f64,
    /// System time in seconds, including its children.
    pub system: f64,
    /// Its standard output, up to [`CAPTURED`](crate::program::CAPTURED) bytes.
    pub stdout: Vec<u8>,
    /// Its standard error, up to [`CAPTURED`](crate::program::CAPTURED) bytes.
    pub stderr: Vec<u8>,
}

/// Runs programs. [`super::System`] is the real implementation; tests have their own.
pub trait Runner {
    /// Runs a program to its end, or until the limit.
    fn run(&mut self, invocation: &Invocation, limit: Duration) -> Ran;
}

impl Invocation {
    /// Creates an invocation of a program with arguments.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Invocation { program: program.into(), arguments, ..Invocation::default() }
    }

    /// Appends an argument.
    pub fn and(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Appends arguments.
    pub fn with<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Returns the arguments for people; only the first ones of many.
    fn shown(&self) -> impl Iterator<Item = String> {
        let words = std::iter::once(&self.program).chain(&self.arguments).take(SHOWN);
        words.map(|word| quoted(&word.to_string_lossy()))
    }
}

/// The most words of a command line that are shown.
const SHOWN: usize = 24;

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=,:+%@".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The command line.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown().collect::<Vec<_>>().join(" "))?;
        if self.arguments.len() >= SHOWN { f.write_str(" …") } else { Ok(()) }
    }
}

/// Shows the reason why a run does not count.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Code(code) => write!(f, "ended with exit code {code}"),
            Ended::Signal(signal) => write!(f, "ended by signal {signal}"),
            Ended::Hung(limit) => write!(f, "not done after {} s, ended", limit.as_secs_f64()),
            Ended::Interrupted => f.write_str("interrupted"),
            Ended::NotRun(why) => write!(f, "cannot run: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_shown_as_one_would_type_it() {
        let line = Invocation::new("openssl", ["dgst", "-md5"]).and("a b").and("it's").and("");
        assert_eq!(line.to_string(), "openssl dgst -md5 'a b' 'it'\\''s' ''");
        let many = Invocation::new("md5sum", (0..100).map(|index| index.to_string()));
        assert_eq!(
            many.to_string(),
            format!("md5sum {} …", (0..23).map(|index| index.to_string()).collect::<Vec<_>>().join(" "))
        );
    }
}
