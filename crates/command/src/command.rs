//! The whole command: from the command line to the exit code.

use crate::access;
use crate::args::{self, Typed};
use crate::exit::{self, account_of, is_closed};
use crate::options::{errors, sources};
use crate::output::{self, WriteError};
use crate::settings::calibration;
use crate::sys::Console;
use crate::words::message::count;
use crate::words::{left_out, level, message, tip, typed, unused, version};
use crate::{options, settings, signal, sys};
use anyhow::Context;
use hashmill_content::Stores;
use hashmill_digest::{Machine, VARIABLE};
use hashmill_hashdeep::Personality;
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_os::names;
use hashmill_source::MapFiles;
use hashmill_terminal::{masked, shown};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

/// Runs a command line, and returns its exit code. The first word is the name of the program; the path of the program
/// is only needed to measure it. A process can do this for one command after another, each of which begins anew.
pub fn run(words: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    // Before anything is opened, which would get the number of a stream that is closed.
    hashmill_os::hold_closed_streams();
    let _console = Console::begin();
    message::begin();
    typed::set(words, program);
    level::begin();
    settings::begin();
    unused::begin();
    signal::renew();
    access::begin(stores());
    sys::raise_open_files();
    if let Some((personality, words)) = Personality::from_words(typed::words().to_vec()) {
        // Programs compare the output of these commands, so they print nothing about an unusable calibration.
        let _ = calibration::install();
        // Programs in C die when they write to a pipe without a reader, and so does this one.
        sys::die_without_reader();
        return hashmill_hashdeep::main(personality, words);
    }
    let words = typed::words();
    if let Some(text) = version::asked(words) {
        return exit::end(&print(&text));
    }
    match Typed::parse(words.to_vec()) {
        Ok(typed) => exit::end(&defined(typed)),
        Err(error) => exit::end(&usage(error)),
    }
}

/// Returns the access to stores that the environment determines, with the remotes of the user's settings and those of
/// rclone's: `NAME:BUCKET/KEY` is a location then. Their files are read when the first operand looks like one.
#[cfg(feature = "stores")]
pub fn stores() -> Stores {
    Stores::new(Default::default(), settings::remotes::read)
}

/// Returns no access: this build has no stores.
#[cfg(not(feature = "stores"))]
fn stores() -> Stores {
    Stores::default()
}

fn print(text: &str) -> Account {
    printed(output::print(text.as_bytes()))
}

/// Returns the account after printing a text for people.
fn printed(done: Result<(), WriteError>) -> Account {
    match done {
        Err(error) => {
            let error = error.into();
            if !is_closed(&error) {
                message::say(&error);
            }
            account_of(&error)
        }
        Ok(()) => Account::new(Item::Output, Outcome::Done, 1),
    }
}

/// Adds the options of a definition, if one is given, and runs the command.
fn defined(typed: Typed) -> Account {
    match typed.defined() {
        Ok(None) => obey(typed),
        Ok(Some(words)) => Typed::parse(words).map_or_else(usage, obey),
        Err(error) => {
            message::say(errors::chain(&error));
            unusable()
        }
    }
}

/// Says that all entries were left out, if they were.
fn tell_idle(account: &Account) {
    if account.is_idle() {
        let entries = account.number(Item::Entry, Outcome::LeftOut);
        let (entries, was) = (count(entries, "entry", "entries"), if entries == 1 { "was" } else { "were" });
        message::say(format_args!("nothing was read: {entries} {was} left out, and no other has bytes"));
    }
}

/// Returns the account of a command line that can't be obeyed.
fn unusable() -> Account {
    Account::new(Item::Operand, Outcome::Unusable, 1)
}

fn obey(typed: Typed) -> Account {
    let problems = settings::problems(args::whole);
    if !problems.is_empty() {
        problems.iter().for_each(message::say);
        return unusable();
    }
    settings::tell_unknown(args::whole);
    let done = match select(&typed) {
        Ok(()) => match typed.run() {
            Ok(done) => {
                let unread = sources::tell_unread();
                done.iter().for_each(tell_idle);
                done.map(|done| unused::tell(done.and(unread)))
            }
            Err(error) => return usage(error),
        },
        Err(error) => Err(error),
    };
    signal::files().tidy();
    done.unwrap_or_else(|error| {
        let account = account_of(&error);
        if signal::is_interrupted() && !account.is_interrupted {
            // An interrupted read, or an incomplete file, is a consequence of the signal.
            signal::tell();
            return Account::interrupted();
        }
        if !is_closed(&error) {
            message::say(options::errors::text(&error));
        }
        account
    })
}

/// Decides how kernels are chosen, before the first one is: by the requested instruction set, or else by measurements
/// of this machine.
fn select(typed: &Typed) -> anyhow::Result<()> {
    let machine = match typed.isa {
        Some(machine) => machine,
        None => Machine::from_env().with_context(|| VARIABLE)?,
    };
    machine.select()?;
    MapFiles::from_env()?;
    if typed.row.hashes
        && let Err(note) = calibration::install()
    {
        message::say(note);
    }
    Ok(())
}

/// Prints help or version if they were requested; any other error of clap is a wrong command line.
fn usage(mut error: clap::Error) -> Account {
    tip::better(&mut error, typed::words());
    let error = &error;
    if let Some(missing) = left_out::asked_for(error) {
        message::say(missing);
        return unusable();
    }
    let odd = |word: &OsString| *shown(&names::bytes(word)) != *names::bytes(word);
    if error.use_stderr() {
        // The typed words are shown; a shell may have inserted the name of a file, and an address may contain a secret.
        let text = error.render().to_string();
        let text = masked(text.as_bytes());
        if matches!(text, Cow::Owned(_)) || typed::words().iter().any(odd) {
            message::write(&String::from_utf8_lossy(&shown(&text)));
        } else {
            // If this can't be written, the exit code still shows the mistake.
            let _ = error.print();
        }
        return unusable();
    }
    let written = error.print().and_then(|()| io::stdout().flush());
    printed(written.map_err(output::unwritten))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_second_command_knows_nothing_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).into_os_string();
        fs::write(path("file"), "abc").unwrap();
        fs::write(path("list"), format!("{}  {}\n", "0".repeat(32), path("file").display())).unwrap();
        let command = |words: &[OsString]| {
            let words = [&["hashmill".into()], words].concat();
            run(words, None)
        };
        assert_eq!(command(&["check".into(), "-v".into(), "--status".into(), path("list")]), 1);
        assert!(level::is_verbose());
        let words = ["hash".into(), "-c".into(), "md5".into(), "-o".into(), path("out"), path("file")];
        assert_eq!(command(&words), 0);
        assert!(!level::is_verbose() && typed::words().last() == Some(&path("file")));
        assert_eq!(command(&["nosuch".into()]), 64);
        assert_eq!(command(&["hash".into(), path("none")]), 2);
    }
}
