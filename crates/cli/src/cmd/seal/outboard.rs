//! `hashloom outboard`.

use super::files::{cannot_read, shown, told, well};
use super::options::{Create, Outboard, Verify};
use crate::exit::Exit;
use crate::output::{self, Output};
use anyhow::{Context, bail};
use hashloom_job::sealing::{about, with_ending};
use hashloom_seal::outboard;
use std::fs::File;
use std::io::Write;

/// The command, from options to exit code.
///
/// # Errors
/// If a file can't be read or written.
pub fn run(command: &Outboard) -> anyhow::Result<Exit> {
    match command {
        Outboard::Create(args) => create(args),
        Outboard::Verify(args) => verify(args),
    }
}

fn create(args: &Create) -> anyhow::Result<Exit> {
    let path = &args.file;
    let content = File::open(path).with_context(|| cannot_read(path))?;
    if !content.metadata().with_context(|| cannot_read(path))?.is_file() {
        bail!("{}: is not a file", shown(path));
    }
    let output = Output::typed_or(args.output.as_deref(), &with_ending(path, "obao"))?;
    let file = output.handle().map_err(|error| output.error(error))?;
    let made = outboard::create(&content, &file, args.group);
    if made.is_err() {
        output.discard();
    }
    let Some(root) = told(made.map_err(about(path)))? else { return Ok(Exit::Failed) };
    output.finish()?;
    let mut out = output::stdout()?;
    writeln!(out, "{root}").map_err(|error| out.error(error))?;
    out.finish()?;
    Ok(Exit::Fine)
}

fn verify(args: &Verify) -> anyhow::Result<Exit> {
    let path = &args.file;
    let place = args.outboard.clone().unwrap_or_else(|| with_ending(path, "obao"));
    let content = File::open(path).with_context(|| cannot_read(path))?;
    let pairs = File::open(&place).with_context(|| cannot_read(&place))?;
    let length = match outboard::length(&pairs) {
        Ok(length) => length,
        Err(error) => bail!("{}: {error}", shown(&place)),
    };
    let range = args.range.clone().unwrap_or(0..length);
    let verified = outboard::verify(&content, &pairs, &args.root, range.clone());
    if told(verified.map_err(about(path)))?.is_none() {
        return Ok(Exit::Differs);
    }
    let part = if range == (0..length) {
        format!("all {length} bytes")
    } else {
        format!("bytes {} up to {} of {length}", range.start, range.end)
    };
    well(format_args!("verified: {}: {part} are what the root {} stands for", shown(path), args.root))
}
