//! The commands, and the choice of one by a command line.

use crate::algorithm::Algorithm;
use crate::path::bare;
use crate::sys;
use crate::usage::{Line, screens};
use hashmill_os::names;
use std::ffi::{OsStr, OsString};

/// The version of hashdeep that the commands reproduce.
pub const VERSION: &str = "4.4";

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Personality {
    /// `hashdeep`: several algorithms, its own list format, audits.
    Hashdeep,
    /// One of the commands for a single algorithm.
    Single(Algorithm),
}

impl Personality {
    /// Returns all six commands.
    pub fn all() -> impl Iterator<Item = Personality> {
        std::iter::once(Personality::Hashdeep).chain(Algorithm::all().map(Personality::Single))
    }

    /// Returns the name of the command.
    pub fn name(self) -> String {
        match self {
            Personality::Hashdeep => "hashdeep".into(),
            Personality::Single(algorithm) => format!("{}deep", algorithm.name()),
        }
    }

    /// Returns the lines of its help that describe options, for a man page.
    pub fn option_lines(self) -> Vec<&'static str> {
        let [first, more, _] = screens(self);
        let lines = first.iter().chain(more).filter_map(|line| match line {
            Line::Text(text) if text.starts_with("See the man page") => None,
            Line::Text(text) | Line::Plain(text) => Some(*text),
            Line::Threads => Some("-j <num>  - use num threads (default: one for each processor)"),
            Line::Title | Line::Call => None,
        });
        lines.collect()
    }

    /// Returns the command with this name, ignoring directories.
    pub fn named(path: &OsStr) -> Option<Personality> {
        let file = bare(&names::path_bytes(path)).to_ascii_lowercase();
        match sys::command(&file).strip_suffix(b"deep")? {
            b"hash" => Some(Personality::Hashdeep),
            name => Algorithm::all()
                .find(|algorithm| algorithm.name().as_bytes() == name)
                .map(Personality::Single),
        }
    }

    /// Returns the command named by the program or the first word, and the words from that name on.
    pub fn from_words(mut words: Vec<OsString>) -> Option<(Personality, Vec<OsString>)> {
        if let Some(personality) = Personality::named(words.first()?) {
            return Some((personality, words));
        }
        let personality =
            Personality::named(words.get(1)?).filter(|_| !names::path_bytes(&words[1]).contains(&b'/'))?;
        words.remove(0);
        Some((personality, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn personality(line: &str) -> Option<(Personality, usize)> {
        let words = line.split(' ').map(OsString::from).collect();
        Personality::from_words(words).map(|(personality, words)| (personality, words.len()))
    }

    #[test]
    fn commands_are_known_by_either_name() {
        assert_eq!(personality("/usr/bin/hashdeep -r"), Some((Personality::Hashdeep, 2)));
        assert_eq!(personality("hashmill md5deep -r a"), Some((Personality::Single(Algorithm::MD5), 3)));
        assert_eq!(personality("./WhirlpoolDeep").map(|found| found.1), Some(1));
        assert_eq!(personality("hashmill hash hashdeep"), None);
        assert_eq!(personality("hashmill ./md5deep"), None);
        assert_eq!(personality("deep"), None);
    }
}
