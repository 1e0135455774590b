//! The command: arguments in, exit code out.

mod args;
mod calibration;
mod cmd;
mod exit;
#[cfg(feature = "sign")]
mod keys;
mod left_out;
mod line;
mod message;
mod options;
mod output;
mod pace;
#[cfg(any(feature = "bench", feature = "report"))]
mod page;
mod progress;
mod signal;
mod stats;
mod system;

use anyhow::Context;
use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use exit::Exit;
use hashloom_digest::{Machine, VARIABLE};
use hashloom_hashdeep::Personality;
use hashloom_job::Error;
use hashloom_terminal::shown;
use output::WriteError;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    hashloom_job::on_warning(|warning| message::say(warning));
    system::raise_open_files();
    if let Some((personality, words)) = Personality::of(std::env::args_os().collect()) {
        // Programs compare what these commands write, so they say nothing of a calibration that is no use.
        let _ = calibration::install();
        // As the ones in C++: whoever writes to a pipe that nobody reads dies of it.
        system::restore(libc::SIGPIPE);
        return hashloom_hashdeep::main(personality, words);
    }
    match Cli::try_parse() {
        Ok(cli) => defined(cli).end(),
        Err(error) => usage(&error).end(),
    }
}

/// Takes in the options of a definition, if one is given, and runs.
fn defined(cli: Cli) -> Exit {
    let Command::Bench(options) = &cli.command else { return run(cli) };
    match cmd::bench::defined(options) {
        Ok(None) => run(cli),
        Ok(Some(words)) => Cli::try_parse_from(words).map_or_else(|error| usage(&error), run),
        Err(error) => {
            message::say(format_args!("{error:#}"));
            Exit::Unusable
        }
    }
}

fn run(cli: Cli) -> Exit {
    let done = select(&cli).and_then(|()| dispatch(cli.command));
    hashloom_job::tidy();
    done.unwrap_or_else(|error| {
        let exit = Exit::of(&error);
        if !is_closed(&error) {
            message::say(options::errors::text(&error));
        }
        exit
    })
}

/// Whether nobody reads standard output any more: there is nobody to tell.
fn is_closed(error: &anyhow::Error) -> bool {
    let write = match error.downcast_ref::<Error>() {
        Some(Error::Write(error)) => Some(error),
        _ => error.downcast_ref::<WriteError>(),
    };
    write.is_some_and(WriteError::closed)
}

/// Decides how kernels are chosen, before any is: held to the instruction set that was asked for, or else by
/// what was measured on this machine.
fn select(cli: &Cli) -> anyhow::Result<()> {
    let machine = match cli.isa {
        Some(machine) => machine,
        None => Machine::from_env().with_context(|| VARIABLE)?,
    };
    machine.select()?;
    let hashes = match cli.command {
        Command::Hash(_)
        | Command::Audit(_)
        | Command::Check(_)
        | Command::Bag(_)
        | Command::Diff(_)
        | Command::Dupes(_)
        | Command::Similar { .. }
        | Command::Known(_)
        | Command::Image(_)
        | Command::Explain(_)
        | Command::Tree(_)
        | Command::Seal(_)
        | Command::VerifySeal(_)
        | Command::Prove(_)
        | Command::VerifyProof(_)
        | Command::Redact(_)
        | Command::Algorithms => true,
        Command::Convert(_) | Command::Merge(_) | Command::Sign(_) | Command::Verify(_) => false,
        Command::Report(_) | Command::Outboard { .. } | Command::Bench(_) => false,
        Command::Completions { .. } | Command::Man { .. } => false,
    };
    if hashes && let Err(note) = calibration::install() {
        message::say(note);
    }
    Ok(())
}

fn dispatch(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Hash(args) => cmd::hash::run(&args, || help_of("hash")),
        Command::Audit(args) => cmd::audit::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Bag(command) => cmd::bag::run(&command),
        Command::Diff(options) => cmd::diff::run(&options),
        Command::Dupes(options) => cmd::dupes::run(*options),
        Command::Similar { command } => cmd::similar::run(&command),
        Command::Known(command) => cmd::known::run(command),
        Command::Image(options) => cmd::image::run(&options),
        Command::Sign(options) => cmd::sign::run(&options),
        Command::Verify(options) => cmd::verify::run(&options),
        Command::Report(options) => cmd::report::run(&options),
        Command::Tree(options) => cmd::tree::run(&options),
        Command::Explain(options) => cmd::explain::run(&options),
        Command::Seal(args) => cmd::seal::seal(&args),
        Command::VerifySeal(args) => cmd::seal::verify_seal(&args),
        Command::Prove(args) => cmd::seal::prove(&args),
        Command::VerifyProof(args) => cmd::seal::verify_proof(&args),
        Command::Redact(args) => cmd::seal::redact(&args),
        Command::Outboard { command } => cmd::seal::outboard(&command),
        Command::Bench(options) => cmd::bench::run(&options),
        Command::Convert(args) => cmd::convert::run(&args),
        Command::Merge(args) => cmd::merge::run(&args),
        Command::Algorithms => cmd::algorithms::run(),
        Command::Completions { shell } => cmd::completions::run(shell, Cli::command()),
        Command::Man { all: Some(directory), .. } => cmd::man::write_all(&directory, Cli::command()),
        Command::Man { command, all: None } => cmd::man::print(command.as_deref(), Cli::command()),
    }
}

/// What `--help` prints for a command.
fn help_of(command: &str) -> String {
    let mut all = Cli::command();
    all.build();
    all.find_subcommand_mut(command).map_or(String::new(), |command| command.render_help().to_string())
}

/// Help and version were asked for; anything else that stops clap is a wrong command line.
fn usage(error: &clap::Error) -> Exit {
    if let Some(missing) = left_out::asked_for(error) {
        message::say(missing);
        return Exit::Unusable;
    }
    let odd = |word: std::ffi::OsString| shown(word.as_bytes()) != word.as_bytes();
    if error.use_stderr() {
        // What was typed is shown; a shell may have typed the name of a file.
        if std::env::args_os().any(odd) {
            message::write(&String::from_utf8_lossy(&shown(error.render().to_string().as_bytes())));
        } else {
            // If nobody reads it, the exit code still tells.
            let _ = error.print();
        }
        return Exit::Unusable;
    }
    match error.print() {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::ReaderGone,
        Err(_) => Exit::Failed,
        Ok(()) => Exit::Fine,
    }
}
