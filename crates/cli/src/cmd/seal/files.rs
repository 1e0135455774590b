//! Manifests, seals and secrets: reading them, and saying what they came to.

use crate::exit::Exit;
use crate::message;
use crate::output;
use anyhow::{Context, anyhow};
use hashloom_digest::Digest;
use hashloom_seal::{Error, Seal, SealOptions, Secret};
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Cursor, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A secret file has 65 bytes.
const MAX_SECRET: u64 = 4096;

/// Says what to keep of a seal.
pub(super) fn say_root(place: &Path, seal: &Seal) {
    let (records, root) = (message::count(seal.records, "record", "records"), seal.digest());
    message::about(place.as_os_str().as_bytes(), format_args!("{records}, root {root}"));
}

/// Compares a seal with `--root`, if it was given.
pub(super) fn check_root(seal: &Seal, root: Option<&Digest>) -> Result<(), Error> {
    root.map_or(Ok(()), |root| seal.check_digest(root))
}

/// Prints one line: all is well.
pub(super) fn well(line: impl Display) -> anyhow::Result<Exit> {
    let mut output = output::stdout()?;
    writeln!(output, "{line}").map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

pub(super) fn how<'a>(
    seal: &Seal,
    secret: Option<&'a Secret>,
    path: &Path,
) -> anyhow::Result<SealOptions<'a>> {
    seal.options(secret).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// Tells of a difference; none then.
pub(super) fn told<T>(path: &Path, result: Result<T, Error>) -> anyhow::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_difference() => {
            message::about(path.as_os_str().as_bytes(), error);
            Ok(None)
        }
        Err(error) => Err(anyhow!("{}: {error}", message::Shown(path.as_os_str().as_bytes()))),
    }
}

/// The name with something behind it.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(suffix);
    name.into()
}

pub(super) fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    Ok(Box::new(File::open(path).with_context(|| cannot_read(path))?))
}

/// Whether a file begins like this; and the whole of it, from the same opening of it.
pub(super) fn begins(path: &Path, start: &[u8]) -> anyhow::Result<(bool, Box<dyn Read>)> {
    let (first, whole) = peek(path, start.len())?;
    Ok((first == start, whole))
}

/// The first bytes of a file; and the whole of it, likewise.
pub(super) fn peek(path: &Path, bytes: usize) -> anyhow::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut input = open(path)?;
    let mut first = Vec::new();
    input.by_ref().take(bytes as u64).read_to_end(&mut first).with_context(|| cannot_read(path))?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(input))))
}

pub(super) fn shown(path: &Path) -> message::Shown<'_> {
    message::Shown(path.as_os_str().as_bytes())
}

pub(super) fn cannot_read(path: &Path) -> String {
    format!("{}: cannot read", message::Shown(path.as_os_str().as_bytes()))
}

pub(super) fn read_seal(place: &Path) -> anyhow::Result<Seal> {
    let seal = Seal::read(&mut open(place)?);
    seal.map_err(|error| anyhow!("{}: not usable as a seal: {error}", shown(place)))
}

pub(super) fn read_secret(place: &Path) -> anyhow::Result<Secret> {
    let mut text = Vec::new();
    open(place)?.take(MAX_SECRET).read_to_end(&mut text).with_context(|| cannot_read(place))?;
    Secret::from_text(&text).map_err(|error| anyhow!("{}: {error}", place.display()))
}

/// The secret in this file; a new one, for its owner alone, if there is no such file.
pub(super) fn own_secret(place: &Path) -> anyhow::Result<Secret> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place);
    let mut file = match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return read_secret(place),
        made => made.with_context(|| format!("{}: cannot make it", place.display()))?,
    };
    let secret = Secret::random().context("the system gives no random numbers")?;
    let written = file.write_all(secret.to_text().as_bytes()).and_then(|()| file.sync_all());
    written.with_context(|| format!("{}: cannot write", place.display()))?;
    Ok(secret)
}
