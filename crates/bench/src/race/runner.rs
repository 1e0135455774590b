//! Runs a program once and takes its output and its times.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A program with its arguments: no shell takes part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The program, as the system finds it.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables of its environment, beside ours and `LC_ALL=C`.
    pub variables: Vec<(&'static str, String)>,
    /// The directory that it runs in; none for ours.
    pub directory: Option<PathBuf>,
    /// A folder that is made empty before it runs; what its processes wrote into files there is output, too.
    pub outputs: Option<PathBuf>,
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// Seconds from its start to its end.
    pub wall: f64,
    /// Seconds that processors worked for it, its children's too.
    pub user: f64,
    /// Seconds that the system worked for it, its children's too.
    pub system: f64,
    /// What it wrote to standard output, up to [`CAPTURED`] bytes.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, up to [`CAPTURED`] bytes.
    pub stderr: Vec<u8>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// We ended it, because it took longer than it may.
    Hung(Duration),
    /// We ended it, because the whole benchmark was to end.
    Interrupted,
    /// It could not be started or watched, for this reason.
    NotRun(String),
}

/// Bytes of output that are kept of a run: what a list of some hundred thousand digests needs. The rest is read
/// and dropped.
pub const CAPTURED: usize = 64 << 20;

/// Runs programs. The real one is [`super::System`]; tests have one of their own.
pub trait Runner {
    /// Runs it to its end, or until the limit is over.
    fn run(&mut self, invocation: &Invocation, limit: Duration) -> Ran;
}

impl Invocation {
    /// A program with arguments.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Invocation { program: program.into(), arguments, ..Invocation::default() }
    }

    /// The same with one more argument.
    pub fn and(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The same with more arguments.
    pub fn with<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Arguments that people read; of many only the first ones.
    fn shown(&self) -> impl Iterator<Item = String> {
        let words = std::iter::once(&self.program).chain(&self.arguments).take(SHOWN);
        words.map(|word| quoted(&word.to_string_lossy()))
    }
}

/// Words of a command line that are shown.
const SHOWN: usize = 24;

/// As one would type it.
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

/// Why a run does not count.
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
