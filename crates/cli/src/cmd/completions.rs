//! `hashloom completions SHELL`.

use crate::exit::Exit;
use crate::output;
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

/// Prints the completions of all commands for a shell.
///
/// # Errors
/// If they cannot be written.
pub fn run(shell: Shell, mut all: Command) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut all, "hashloom", &mut text);
    let mut output = output::stdout()?;
    output.write_all(&text).map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}
