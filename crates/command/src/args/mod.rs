//! The table of commands, one row each. The options of a command are defined in its module, and clap only builds those
//! of the command that is typed.

pub(crate) mod examples;
pub(crate) mod short;

use crate::cmd::{self, completions, man};
use crate::words::level;
use crate::{needs, settings};
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use hashmill_digest::Machine;
use hashmill_job::account::Account;
use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

/// Hashes trees of files as fast as the machine allows, and verifies their contents
#[derive(Debug, Parser)]
#[command(name = "hashmill", version, max_term_width = 100)]
#[command(arg_required_else_help = true, subcommand_required = true, after_help = SETTINGS)]
#[command(help_template = short::list(COMMANDS))]
struct Cli {
    /// Use no instructions beyond NAME (portable, sse4.1, avx2, avx512, shani, auto); the environment
    /// variable HASHMILL_ISA does the same
    #[arg(long, value_name = "NAME", global = true, value_parser = Machine::named)]
    isa: Option<Machine>,
}

/// The help text about settings.
const SETTINGS: &str = "Each option of a command can also be set by a variable (HASHMILL_MAX_SIZE is --max-size, \
HASHMILL_HASH_MAX_SIZE is that of hash alone) or in ~/.config/hashmill/config.toml (max-size = \"1G\", at the top or \
below [hash]). Typed options take precedence, and --no-NAME undoes a switch; --help shows settings as defaults, and -v \
prints their origin. --version -v describes the build.";

/// A command.
pub struct CommandRow {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its description in the list of commands.
    pub about: &'static str,
    /// Whether it hashes. Then kernels are chosen by measurements of this machine.
    pub hashes: bool,
    options: fn(Command) -> Command,
    run: fn(&mut ArgMatches) -> Result<Done, clap::Error>,
}

/// The result of a command.
type Done = anyhow::Result<Account>;

/// The options of a command that has subcommands.
#[derive(Debug, Args)]
struct Below<C: Subcommand> {
    #[command(subcommand)]
    command: C,
}

/// hashmill completions
#[derive(Debug, Args)]
struct Completions {
    /// Which shell
    shell: Shell,
}

/// hashmill man
#[derive(Debug, Args)]
struct Man {
    /// The command that it is about [default: hashmill itself]
    command: Option<String>,
    /// Write the pages of all commands into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    all: Option<PathBuf>,
}

/// Makes a row from the type of the options and the function that runs the command.
macro_rules! row {
    ($name:literal, $about:literal, $options:ty, $run:expr) => {
        CommandRow {
            name: $name,
            about: $about,
            hashes: false,
            options: <$options as Args>::augment_args,
            run: |matches| {
                let run: fn($options) -> Done = $run;
                Ok(run(<$options>::from_arg_matches_mut(matches)?))
            },
        }
    };
    (hashes: $($row:tt)+) => {
        CommandRow { hashes: true, ..row!($($row)+) }
    };
}

/// All commands, in the order of their list.
static COMMANDS: &[CommandRow] = &[
    row!(hashes: "hash", "Write a manifest: one record for each file below the paths", cmd::hash::Options,
        |options| cmd::hash::run(&options, || help_of("hash"))),
    row!(hashes: "audit", "Compare files with a manifest", cmd::audit::Options,
        |options| cmd::audit::run(&options)),
    row!(hashes: "check", "Check the files that lists of digests name, as sha256sum -c does", cmd::check::Options,
        |options| cmd::check::run(&options)),
    row!(hashes: "bag", "BagIt (RFC 8493): make a folder a bag, update and verify bags", Below<cmd::bag::Command>,
        |options| cmd::bag::run(&options.command)),
    row!(hashes: "copy", "Copy files to one or more places in one read, and verify the copies", cmd::copy::Options,
        |options| cmd::copy::run(&options)),
    row!(hashes: "diff", "Compare two folders, two manifests, or one of each", cmd::diff::Options,
        |options| cmd::diff::run(&options)),
    row!(hashes: "dupes", "List groups of files with the same content", cmd::dupes::Options, cmd::dupes::run),
    #[cfg(feature = "tables")]
    row!(hashes: "scrub", "Verify files again and again, and tell rot from edits", cmd::scrub::Options,
        |options| cmd::scrub::run(&options)),
    row!(hashes: "tree", "One digest of a directory, as Go, git and others define it",
        cmd::tree::Options, |options| cmd::tree::run(&options)),
    row!(hashes: "similar",
        "Find similar files by ssdeep, TLSH, sdhash and mrsh-v2",
        Below<cmd::similar::Command>, |options| cmd::similar::run(&options.command)),
    row!(hashes: "known", "Build sets of known digests; look up files and digests",
        Below<cmd::known::Command>, |options| cmd::known::run(options.command)),
    #[cfg(feature = "tables")]
    CommandRow {
        options: |command| cmd::triage::with_defaults(cmd::triage::Options::augment_args(command)),
        ..row!(hashes: "triage", "Find out in one read what each file is, with a page to look at",
            cmd::triage::Options, |options| cmd::triage::run(&options))
    },
    row!(
        "convert",
        "Write a manifest in another format",
        cmd::convert::Options,
        |options| cmd::convert::run(&options)
    ),
    row!("merge", "Make one manifest of several", cmd::merge::Options, |options| cmd::merge::run(&options)),
    #[cfg(feature = "images")]
    row!(hashes: "image", "Acquire, inspect, verify, hash and export forensic images and disks",
        cmd::image::Options, |options| cmd::image::run(&options)),
    #[cfg(feature = "sign")]
    row!("sign", "Sign a manifest: OpenSSH or minisign, and time stamps", cmd::sign::Options, |options| {
        cmd::sign::run(&options)
    }),
    #[cfg(feature = "sign")]
    row!("verify", "Verify signatures and time stamps of a manifest", cmd::verify::Options, |options| {
        cmd::verify::run(&options)
    }),
    #[cfg(feature = "tables")]
    row!("report", "Make one page of manifests, audits and verifications", cmd::report::Options, |options| {
        cmd::report::run(&options)
    }),
    row!(hashes: "seal", "Seals of manifests: a few lines that stand for all records",
        Below<cmd::seal::options::Seal>, |options| cmd::seal::seal(&options.command)),
    row!(hashes: "proof", "Proofs that records are in a sealed manifest, without the others",
        Below<cmd::seal::options::Proof>, |options| cmd::seal::proof(&options.command)),
    #[cfg(feature = "sign")]
    row!(
        "outboard",
        "BLAKE3 trees of large files, to verify any range without the rest",
        Below<cmd::seal::options::Outboard>,
        |options| cmd::seal::outboard::run(&options.command)
    ),
    row!(hashes: "explain", "Explain how these paths would be read and hashed here", cmd::explain::Options,
        |options| cmd::explain::run(&options, set_for("hash"))),
    #[cfg(feature = "tables")]
    row!("bench", "Measure this machine", cmd::bench::Options, |options| cmd::bench::run(&options)),
    row!(hashes: "algorithms", "List every algorithm with the kernel that this machine uses",
        cmd::algorithms::Options, |options| cmd::algorithms::run(&options)),
    row!("completions", "Print the completions for a shell", Completions, |options| completions::run(
        options.shell,
        whole()
    )),
    row!("man", "Print a man page", Man, |options| match options.all {
        Some(directory) => man::write_all(&directory, whole()),
        None => man::print(options.command.as_deref(), whole()),
    }),
];

/// A parsed command line, up to the options of its command.
pub struct Typed {
    /// `--isa`.
    pub isa: Option<Machine>,
    /// The command.
    pub row: &'static CommandRow,
    /// Its options.
    matches: ArgMatches,
}

impl Typed {
    /// Parses a command line.
    ///
    /// # Errors
    /// Its mistake; or the text that clap is asked to print.
    pub fn parse(words: Vec<OsString>) -> Result<Typed, clap::Error> {
        // Leaked: it is needed until the process ends, and dropping it costs more than it frees.
        let mut all = ManuallyDrop::new(needed(&words));
        let mut matches = all.try_get_matches_from_mut(words)?;
        let Cli { isa } = Cli::from_arg_matches(&matches)?;
        let typed = matches.remove_subcommand().and_then(|(name, matches)| {
            let row = COMMANDS.iter().find(|row| row.name == name)?;
            Some(Typed { isa, row, matches })
        });
        typed.ok_or_else(|| all.error(clap::error::ErrorKind::MissingSubcommand, "no command"))
    }

    /// Returns the command line that this one stands for, if it names a definition.
    ///
    /// # Errors
    /// If the definition is not usable.
    pub fn defined(&self) -> anyhow::Result<Option<Vec<OsString>>> {
        #[cfg(feature = "tables")]
        if self.row.name == "bench" {
            return cmd::bench::defined(&self.matches);
        }
        Ok(None)
    }

    /// Runs the command.
    ///
    /// # Errors
    /// A mistake in its options. Failures of the command are in the result.
    pub fn run(mut self) -> Result<Done, clap::Error> {
        level::set(&self.matches);
        settings::tell(&self.matches);
        let (below, matches) = settings::innermost(&self.matches);
        let words: Vec<&str> = std::iter::once(self.row.name).chain(below).collect();
        if let Err(error) = needs::check(&words, matches) {
            return Ok(Err(error));
        }
        if matches!(self.row.name, "explain" | "audit" | "diff") {
            settings::hold(&self.row.now(), &self.matches);
        }
        (self.row.run)(&mut self.matches).map_err(|error| error.format(&mut whole()))
    }
}

impl CommandRow {
    /// Builds the command with its options.
    fn now(&self) -> Command {
        self.with_options(self.bare())
    }

    /// Builds the command; its options are added when it is typed.
    fn later(&self) -> Command {
        /// Finds the row again, as clap takes no closure here.
        fn with_options(command: Command) -> Command {
            let row = COMMANDS.iter().find(|row| row.name == command.get_name());
            match row {
                Some(row) => settings::apply(row.with_options(command), &[row.name]),
                None => command,
            }
        }
        self.bare().defer(with_options)
    }

    fn bare(&self) -> Command {
        Command::new(self.name).about(self.about)
    }

    /// Adds the options. Their type has a description of its own, which must not become that of the command.
    fn with_options(&self, command: Command) -> Command {
        let command = (self.options)(command).about(self.about).long_about(None);
        short::hide_rare(examples::add(level::with_options(command), self.name))
    }
}

fn with_commands(row: fn(&CommandRow) -> Command) -> Command {
    Cli::command().subcommands(COMMANDS.iter().map(row))
}

/// Returns the command that parses these words: if the first word is a command, all others are left out.
fn needed(words: &[OsString]) -> Command {
    match COMMANDS.iter().find(|row| words.get(1).is_some_and(|word| word == row.name)) {
        Some(row) => Cli::command().subcommand(row.later()),
        None => with_commands(CommandRow::later),
    }
}

/// Returns the full command with all commands and options.
pub fn whole() -> Command {
    with_commands(CommandRow::now)
}

/// Returns the settings of a command.
fn set_for(name: &str) -> Vec<settings::ChangedOption> {
    let row = COMMANDS.iter().find(|row| row.name == name);
    row.map_or(Vec::new(), |row| settings::valid_settings(&row.now(), &[name]))
}

/// Returns the output of `--help` for a command.
fn help_of(command: &str) -> String {
    let mut all = whole();
    all.build();
    all.find_subcommand_mut(command).map_or(String::new(), |command| command.render_help().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Returns the words of every command.
    fn paths(command: &Command, path: &[String]) -> Vec<Vec<String>> {
        let below = command.get_subcommands().flat_map(|below| {
            let path = [path, &[below.get_name().to_string()]].concat();
            paths(below, &path)
        });
        [path.to_vec()].into_iter().chain(below).collect()
    }

    /// Returns clap's answer to these words.
    fn said(mut all: Command, words: &[String]) -> String {
        let words = [&["hashmill".to_string()], words].concat();
        all.try_get_matches_from_mut(words)
            .map_or_else(|error| error.render().ansi().to_string(), |_| "fine".into())
    }

    #[test]
    fn options_that_are_put_together_late_are_the_same() {
        let paths = paths(&whole(), &[]);
        assert!(paths.len() > 45, "{}", paths.len());
        for path in paths {
            let word = |word: &str| vec![word.to_string()];
            for words in [
                [path.clone(), word("--help")].concat(),
                [path.clone(), word("-h")].concat(),
                [path.clone(), word("--nosuch")].concat(),
                [word("help"), path.clone()].concat(),
                path,
            ] {
                let typed: Vec<OsString> =
                    std::iter::once("hashmill".into()).chain(words.iter().map(OsString::from)).collect();
                assert_eq!(said(needed(&typed), &words), said(whole(), &words), "{words:?}");
            }
        }
    }

    /// Adds the commands without subcommands, and the words that lead to them.
    fn add_leaves<'c>(command: &'c Command, path: &str, leaves: &mut Vec<(String, &'c Command)>) {
        if !command.has_subcommands() {
            leaves.push((path.to_owned(), command));
        }
        for below in command.get_subcommands() {
            add_leaves(below, format!("{path} {}", below.get_name()).trim(), leaves);
        }
    }

    #[test]
    fn a_letter_means_one_option_in_all_commands() {
        let all = whole();
        let mut leaves = Vec::new();
        add_leaves(&all, "", &mut leaves);
        let mut letters: BTreeMap<char, &str> = BTreeMap::new();
        for (path, command) in leaves {
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let Some((letter, long)) = arg.get_short().zip(arg.get_long()) else { continue };
                let meaning = match long {
                    // That with which files are compared: a manifest, or an index of known digests.
                    "known-set" => "manifest",
                    other => other,
                };
                let first = letters.entry(letter).or_insert(meaning);
                assert_eq!(*first, meaning, "{path} -{letter}");
            }
        }
        assert!(letters.len() > 10, "{letters:?}");
    }

    #[test]
    fn the_table_is_right() {
        whole().debug_assert();
        for row in COMMANDS {
            assert_eq!(COMMANDS.iter().filter(|other| other.name == row.name).count(), 1, "{}", row.name);
            let listed = short::GROUPS.iter().flat_map(|(_, names)| *names).filter(|name| **name == row.name);
            assert_eq!(listed.count(), 1, "{} is in one group of the list", row.name);
        }
    }
}
