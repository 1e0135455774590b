//! Names of older versions, which go on working as they did: commands, and options. Help, completions and man pages show the names
//! that are typed now; `docs/names.md` lists both.
//!
//! One grammar: a verb acts on files and lists (`hash`, `audit`, `sign`); a noun has verbs for what it makes (`seal create`,
//! `bag verify`). A name of an option means one thing in every command that has it.

use clap::{Arg, Command};
use std::ffi::OsString;

/// The command that older versions seal with. It is the noun of others now.
const SEAL: &str = "seal";

/// Commands of older versions, and the words that are typed now.
const COMMANDS: [(&str, [&str; 2]); 5] = [
    (SEAL, [SEAL, "create"]),
    ("verify-seal", [SEAL, "verify"]),
    ("redact", [SEAL, "redact"]),
    ("prove", ["proof", "create"]),
    ("verify-proof", ["proof", "verify"]),
];

/// An option of older versions.
struct Renamed {
    /// The words of the command, as they are typed now.
    command: &'static str,
    /// The old name, with its hyphens.
    old: &'static str,
    /// The name that is typed now, without hyphens.
    now: &'static str,
    /// Whether it was a key of settings, too.
    is_key: bool,
}

/// Options of older versions.
const OPTIONS: [Renamed; 10] = [
    // It means a set elsewhere.
    Renamed { is_key: false, ..renamed("audit", "--known", "manifest") },
    renamed("hash", "--known", "known-set"),
    renamed("known match", "--known", "known-set"),
    renamed("known match", "-k", "known-set"),
    renamed("known query", "--known", "known-set"),
    renamed("known query", "-k", "known-set"),
    renamed("similar pairs", "--known", "known-set"),
    renamed("similar search", "--known", "known-set"),
    renamed("sign", "-k", "key"),
    renamed("verify", "-s", "signature"),
];

const fn renamed(command: &'static str, old: &'static str, now: &'static str) -> Renamed {
    Renamed { command, old, now, is_key: true }
}

impl Renamed {
    /// Returns the old name as a key of settings, if it was one.
    fn key(&self) -> Option<&'static str> {
        self.old.strip_prefix("--").filter(|_| self.is_key)
    }

    fn add_to(&self, arg: Arg) -> Arg {
        match (self.old.strip_prefix("--"), self.old.chars().nth(1)) {
            (Some(long), _) => arg.alias(long),
            (None, Some(short)) => arg.short_alias(short),
            (None, None) => arg,
        }
    }
}

/// Replaces the command of a line by the words that are typed now.
pub fn replaced(mut words: Vec<OsString>) -> Vec<OsString> {
    let at = first(&words, 1);
    let at = if words.get(at).is_some_and(|word| word == "help") { at + 1 } else { at };
    let Some((old, now)) = COMMANDS.iter().find(|(old, _)| words.get(at).is_some_and(|word| word == *old))
    else {
        return words;
    };
    let is_noun = *old == SEAL && (words[at - 1] == "help" || has_verb(&words[at..]));
    if !is_noun {
        words.splice(at..=at, now.map(OsString::from));
    }
    words
}

/// Returns the place of the first word from a place on that does not belong to `--isa`.
fn first(words: &[OsString], mut at: usize) -> usize {
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        match word {
            "--isa" => at += 2,
            _ if word.starts_with("--isa=") => at += 1,
            _ => break,
        }
    }
    at
}

/// Returns whether a verb of the noun, or a question about it, comes behind `seal`. A manifest with the name of a verb is `./NAME`.
fn has_verb(words: &[OsString]) -> bool {
    let verbs = COMMANDS.iter().filter(|(_, now)| now[0] == SEAL).map(|(_, now)| now[1]);
    let next = words.get(first(words, 1));
    next.is_none_or(|word| verbs.chain(["help", "-h", "--help"]).any(|verb| word == verb))
}

/// Adds the old names of options to the command and those below it; `path` is the words that lead to it.
pub fn with_options(command: Command, path: &str) -> Command {
    if command.has_subcommands() {
        let names: Vec<String> =
            command.get_subcommands().map(|below| below.get_name().to_string()).collect();
        return names.iter().fold(command, |command, name| {
            command.mut_subcommand(name, |below| with_options(below, &format!("{path} {name}")))
        });
    }
    OPTIONS.iter().filter(|row| row.command == path).fold(command, |command, row| {
        command.mut_args(|arg| if arg.get_long() == Some(row.now) { row.add_to(arg) } else { arg })
    })
}

/// Returns the words that are typed now for a command of older versions.
pub fn command(name: &str) -> Option<[&'static str; 2]> {
    COMMANDS.iter().find(|(old, _)| *old == name).map(|(_, now)| *now)
}

/// Returns whether these words are a command of older versions.
pub fn is_command(words: &[&str]) -> bool {
    matches!(words, [name] if command(name).is_some())
}

/// Returns the words that lead to a command: those that are typed now, then those of older versions.
pub fn paths_of<'w>(path: &[&'w str]) -> Vec<Vec<&'w str>> {
    let old = COMMANDS.iter().find(|(_, now)| path == now).map(|(old, _)| vec![*old]);
    std::iter::once(path.to_vec()).chain(old).collect()
}

/// Returns the keys of an option of a command in settings: its name, then that of older versions.
pub fn keys_of<'w>(path: &[&str], option: &'w str) -> Vec<&'w str> {
    let path = path.join(" ");
    let old = OPTIONS.iter().filter(|row| row.command == path && row.now == option).find_map(Renamed::key);
    std::iter::once(option).chain(old).collect()
}

/// Returns whether settings of older versions may have this key for an option of some command.
pub fn is_key_of(arg: &Arg, key: &str) -> bool {
    let is_one = |row: &Renamed| row.key() == Some(key) && arg.get_long() == Some(row.now);
    arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&key)) && OPTIONS.iter().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;
    use std::collections::BTreeMap;
    use std::fs;

    fn words(line: &str) -> String {
        let words = replaced(line.split(' ').map(OsString::from).collect());
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn old_commands_become_new_ones_wherever_they_stand() {
        for (old, now) in [
            ("h seal m", "h seal create m"),
            ("h seal -o s m", "h seal create -o s m"),
            ("h --isa portable seal --isa avx2 m", "h --isa portable seal create --isa avx2 m"),
            ("h seal ./verify", "h seal create ./verify"),
            ("h --isa=portable prove m p", "h --isa=portable proof create m p"),
            ("h verify-seal --help", "h seal verify --help"),
            ("h help verify-proof", "h help proof verify"),
            ("h redact m", "h seal redact m"),
        ] {
            assert_eq!(words(old), now);
        }
        for same in [
            "h",
            "h seal",
            "h seal --help",
            "h seal -h",
            "h help seal",
            "h seal help create",
            "h seal create m",
            "h seal --isa portable verify m",
            "h hash seal",
            "h hash prove",
            "h --isa",
        ] {
            assert_eq!(words(same), same);
        }
    }

    /// Calls `check` with each command and the words that lead to it.
    fn each(command: &Command, path: &str, check: &mut dyn FnMut(&Command, &str)) {
        check(command, path);
        for below in command.get_subcommands() {
            each(below, format!("{path} {}", below.get_name()).trim(), check);
        }
    }

    #[test]
    fn every_row_is_of_a_command_or_an_option() {
        let mut all = BTreeMap::new();
        each(&whole(), "", &mut |command, path| drop(all.insert(path.to_owned(), command.clone())));
        for (old, now) in COMMANDS {
            assert!(all.contains_key(&now.join(" ")), "{old}");
            assert!(old == SEAL || !all.contains_key(old), "{old} is shown");
        }
        for row in OPTIONS {
            let command = &all[row.command];
            let arg = command.get_arguments().find(|arg| arg.get_long() == Some(row.now));
            let arg = arg.unwrap_or_else(|| panic!("{} --{}", row.command, row.now));
            let is_there = match row.old.strip_prefix("--") {
                Some(long) => arg.get_all_aliases().unwrap_or_default().contains(&long),
                None => {
                    arg.get_all_short_aliases().unwrap_or_default().contains(&row.old.chars().nth(1).unwrap())
                }
            };
            assert!(is_there, "{} {}", row.command, row.old);
        }
    }

    #[test]
    fn a_letter_means_one_option_in_all_commands() {
        let mut letters: BTreeMap<char, String> = BTreeMap::new();
        each(&whole(), "", &mut |command, path| {
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let Some((letter, long)) = arg.get_short().zip(arg.get_long()) else { continue };
                // One or several.
                let long = if long == "algorithms" { "algorithm" } else { long };
                let first = letters.entry(letter).or_insert_with(|| long.to_owned());
                assert_eq!(first, long, "{path} -{letter}");
            }
        });
        assert!(letters.len() > 10, "{letters:?}");
    }

    #[test]
    fn the_docs_list_all_old_names() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/names.md");
        let text = fs::read_to_string(folder).unwrap();
        let listed: Vec<&str> = text.lines().filter(|line| line.starts_with("| `hashmill ")).collect();
        let commands =
            COMMANDS.iter().map(|(old, now)| format!("| `hashmill {old}` | `hashmill {}` |", now.join(" ")));
        let options = OPTIONS.iter().map(|Renamed { command, old, now, .. }| {
            format!("| `hashmill {command} {old}` | `hashmill {command} --{now}` |")
        });
        assert_eq!(listed, commands.chain(options).collect::<Vec<_>>());
    }
}
