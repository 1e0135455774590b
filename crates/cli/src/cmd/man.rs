//! `hashloom man`: the man pages, made of the same text as `--help`.

use crate::exit::Exit;
use crate::output;
use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use std::io::Write;
use std::path::Path;

/// Prints the page of a command, or of hashloom itself.
///
/// # Errors
/// If there is no such command, or the page cannot be written.
pub fn print(name: Option<&str>, all: Command) -> anyhow::Result<Exit> {
    let page = Man::new(find(name, all)?);
    let mut text = Vec::new();
    page.render(&mut text)?;
    let mut output = output::stdout()?;
    output.write_all(&text).map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

/// Writes all pages into a directory.
///
/// # Errors
/// If one cannot be written.
pub fn write_all(directory: &Path, all: Command) -> anyhow::Result<Exit> {
    clap_mangen::generate_to(all, directory)
        .with_context(|| format!("{}: cannot write the man pages", directory.display()))?;
    Ok(Exit::Fine)
}

fn find(name: Option<&str>, mut all: Command) -> anyhow::Result<Command> {
    all.build();
    let Some(name) = name else { return Ok(all) };
    let mut found = &all;
    for word in name.split([' ', '-']) {
        found = found.find_subcommand(word).with_context(|| format!("there is no command '{name}'"))?;
    }
    let full = found.get_bin_name().unwrap_or(name).replace(' ', "-");
    Ok(found.clone().name(full))
}
