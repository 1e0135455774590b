//! The simplest command lines: `hash` with paths, `-c` and `-f`, and `check` with lists.
//!
//! To put the fifty options of a command together, and take what was typed out again, takes clap longer than a small file
//! takes to be hashed. So these lines are understood without it. What is any different is left to clap, what is wrong,
//! too: it says what.

use crate::cmd::{check, hash};
use crate::options::format::named;
use crate::settings;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// The options of a command.
#[derive(Debug)]
pub enum Plain {
    Hash(Box<hash::Options>),
    Check(Box<check::Options>),
}

/// The command and its options, if these words, the program's name among them, are such a line and nothing is set elsewhere.
pub fn understand(words: &[OsString]) -> Option<(&'static str, Plain)> {
    of_words(words).filter(|_| settings::is_nothing_set())
}

fn of_words(words: &[OsString]) -> Option<(&'static str, Plain)> {
    let [_, command, words @ ..] = words else { return None };
    match command.to_str()? {
        "hash" => Some(("hash", Plain::Hash(Box::new(of_hash(words)?)))),
        "check" => Some(("check", Plain::Check(Box::new(of_check(words)?)))),
        _ => None,
    }
}

fn of_hash(words: &[OsString]) -> Option<hash::Options> {
    let (mut names, mut format, mut paths) = (None, None, Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = match word.as_bytes() {
            b"-c" => &mut names,
            b"-f" => &mut format,
            _ => {
                paths.push(operand(word)?);
                continue;
            }
        };
        let is_first = value.replace(words.next()?.to_str()?).is_none();
        is_first.then_some(())?;
    }
    let format = match format {
        Some(name) => Some(named(name)?),
        None => None,
    };
    hash::Options::plain(paths, names, format).ok()
}

fn of_check(words: &[OsString]) -> Option<check::Options> {
    Some(check::Options::plain(words.iter().map(operand).collect::<Option<_>>()?))
}

/// A word that is no option.
fn operand(word: &OsString) -> Option<OsString> {
    (!word.is_empty() && !word.as_bytes().starts_with(b"-")).then(|| word.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;
    use clap::{ArgMatches, FromArgMatches};

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// What clap understands.
    fn matched(line: &str) -> String {
        let mut all = whole().try_get_matches_from(words(line)).unwrap();
        let (name, mut matches): (String, ArgMatches) = all.remove_subcommand().unwrap();
        let plain = match name.as_str() {
            "hash" => Plain::Hash(Box::new(hash::Options::from_arg_matches_mut(&mut matches).unwrap())),
            _ => Plain::Check(Box::new(check::Options::from_arg_matches_mut(&mut matches).unwrap())),
        };
        format!("{plain:?}")
    }

    #[test]
    fn they_are_understood_as_clap_does() {
        for line in [
            "hashloom hash",
            "hashloom hash a",
            "hashloom hash a b/c a",
            "hashloom hash -c sha256 a",
            "hashloom hash a -c md5,sha1,ssdeep b",
            "hashloom hash -f sums a",
            "hashloom hash -f jsonl -c all a b",
            "hashloom check",
            "hashloom check SHA256SUMS b",
        ] {
            let (_, plain) = of_words(&words(line)).expect(line);
            assert_eq!(format!("{plain:?}"), matched(line), "{line}");
        }
    }

    #[test]
    fn what_is_different_is_left_to_clap() {
        for line in [
            "hashloom",
            "hashloom --isa avx2 hash a",
            "hashloom audit a",
            "hashloom hash -",
            "hashloom hash --times a",
            "hashloom hash -cmd5 a",
            "hashloom hash -c",
            "hashloom hash -c nosuch a",
            "hashloom hash -c md5 -c sha1 a",
            "hashloom hash -f nosuch a",
            "hashloom hash -f xxhsum- a",
            "hashloom hash -- -a",
            "hashloom hash  a",
            "hashloom check -c md5 a",
            "hashloom check - a",
        ] {
            assert!(of_words(&words(line)).is_none(), "{line}");
        }
    }
}
