//! Parses words into flags and operands by the rules of GNU's `getopt`: flags may be joined and may follow operands,
//! arguments may be attached, `--` ends the flags.

use crate::flags::{Flag, Takes, find};
use crate::personality::Personality;
use hashmill_os::names;
use std::ffi::OsString;

/// A parsed flag.
pub struct Given {
    pub flag: &'static Flag,
    /// The argument; empty if the flag takes none.
    pub argument: OsString,
}

/// An invalid flag.
#[derive(Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The command has no such flag.
    Unknown(u8),
    /// The flag's argument is missing.
    NoArgument(u8),
}

/// Parses the words of a command line one by one.
pub struct Words {
    personality: Personality,
    rest: std::vec::IntoIter<OsString>,
    /// Letters of the current word that are not parsed yet.
    joined: Vec<u8>,
    /// All words that were flags or their arguments.
    taken: Vec<OsString>,
    operands: Vec<OsString>,
    /// Whether to stop at the first operand, as POSIX specifies.
    strict: bool,
}

/// A parsed command line.
pub struct Sorted {
    /// All words with the operands moved after the flags, as hashdeep shows them.
    pub words: Vec<OsString>,
    pub operands: Vec<OsString>,
}

impl Words {
    /// Creates a parser of a command line; the first word is the name of the command.
    pub fn new(personality: Personality, words: Vec<OsString>) -> Words {
        let mut rest = words.into_iter();
        let taken = rest.next().into_iter().collect();
        let strict = std::env::var_os("POSIXLY_CORRECT").is_some();
        Words { personality, rest, joined: Vec::new(), taken, operands: Vec::new(), strict }
    }

    /// Returns the next flag; `None` if only operands are left.
    ///
    /// # Errors
    /// Returns [`Misuse`], after which parsing can continue.
    pub fn next_flag(&mut self) -> Option<Result<Given, Misuse>> {
        if self.joined.is_empty() && !self.next_word() {
            return None;
        }
        let letter = self.joined.remove(0);
        Some(match find(letter, self.personality) {
            None => Err(Misuse::Unknown(letter)),
            Some(flag) if flag.takes == Takes::Nothing => Ok(Given { flag, argument: OsString::new() }),
            Some(flag) => match self.argument() {
                Some(argument) => Ok(Given { flag, argument }),
                None => Err(Misuse::NoArgument(letter)),
            },
        })
    }

    /// Advances to the next word with flags, and collects operands. Returns false at the end.
    fn next_word(&mut self) -> bool {
        for word in self.rest.by_ref() {
            let bytes = names::bytes(&word).into_owned();
            if bytes == b"--" {
                self.taken.push(word);
                break;
            }
            if bytes.len() > 1 && bytes[0] == b'-' {
                self.joined = bytes[1..].to_vec();
                self.taken.push(word);
                return true;
            }
            self.operands.push(word);
            if self.strict {
                break;
            }
        }
        self.operands.extend(self.rest.by_ref());
        false
    }

    fn argument(&mut self) -> Option<OsString> {
        if !self.joined.is_empty() {
            return names::into_name(std::mem::take(&mut self.joined)).ok();
        }
        let word = self.rest.next()?;
        self.taken.push(word.clone());
        Some(word)
    }

    /// Returns the words and operands after the last flag.
    pub fn finish(self) -> Sorted {
        let words = self.taken.iter().chain(&self.operands).cloned().collect();
        Sorted { words, operands: self.operands }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understand(line: &str) -> (Vec<String>, Vec<OsString>, Vec<OsString>) {
        let words = line.split(' ').map(OsString::from).collect();
        let mut words = Words::new(Personality::Hashdeep, words);
        let mut flags = Vec::new();
        while let Some(given) = words.next_flag() {
            flags.push(match given {
                Ok(given) => format!("{}{}", char::from(given.flag.letter), given.argument.display()),
                Err(misuse) => format!("{misuse:?}"),
            });
        }
        let sorted = words.finish();
        (flags, sorted.words, sorted.operands)
    }

    #[test]
    fn flags_may_be_joined_attached_and_behind_operands() {
        let (flags, words, operands) = understand("hashdeep a -rp2k b -c md5 -- -x c");
        assert_eq!(flags, ["r", "p2k", "cmd5"]);
        let expected = ["hashdeep", "-rp2k", "-c", "md5", "--", "a", "b", "-x", "c"].map(OsString::from);
        assert_eq!(words, expected);
        assert_eq!(operands, expected[5..]);
    }

    #[test]
    fn misuse_is_reported_and_the_rest_still_read() {
        let (flags, _, operands) = understand("hashdeep -Br - -k");
        assert_eq!(flags, ["Unknown(66)", "r", "NoArgument(107)"]);
        assert_eq!(operands, [OsString::from("-")]);
    }
}
