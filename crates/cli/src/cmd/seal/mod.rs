//! `hashloom seal`, `verify-seal`, `prove`, `verify-proof`, `redact`, `outboard`.

pub mod options;
mod outboard;
mod proof;
mod redact;
mod roots;

pub use outboard::run as outboard;
pub use proof::{prove, verify_proof};
pub use redact::redact;
pub use roots::compare;

use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output};
use anyhow::{Context, anyhow, ensure};
use hashloom_digest::Digest;
use hashloom_seal::{Error, Seal, SealOptions, Secret, redact as redacted};
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Cursor, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A secret file has 65 bytes.
const MAX_SECRET: u64 = 4096;

/// Seals a manifest, and prints the seal.
///
/// # Errors
/// If the manifest can't be sealed, or the seal not be written.
pub fn seal(args: &options::Seal) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let place = args.output.clone().unwrap_or_else(|| beside(path, "seal"));
    if let Some(old) = &args.old {
        let same = old.canonicalize().is_ok_and(|old| place.canonicalize().is_ok_and(|place| old == place));
        ensure!(!same, "--old: {} would be written over: name another place with --output", shown(old));
    }
    let old = args.old.as_deref().map(read_seal).transpose()?;
    let secret = match (&args.secret, &old) {
        // The salts of an older seal come from a secret that there is.
        (Some(place), Some(_)) => Some(read_secret(place)?),
        (place, _) => place.as_deref().map(own_secret).transpose()?,
    };
    let how = match &old {
        Some(old) => {
            let how = old.successor(secret.as_ref());
            how.map_err(|error| anyhow!("--old: {error}"))?
        }
        None => new_seal(args, secret.as_ref())?,
    };
    let built = hashloom_seal::build(open(path)?, &how, &mut |_, _| false);
    let built = built.and_then(|built| {
        old.map_or(Ok(()), |old| old.check_beginning(built.earlier.as_ref())).map(|()| built.seal)
    });
    let Some(seal) = told(path, built)? else { return Ok(Exit::Differs) };
    write(Output::typed_or(args.output.as_deref(), &place)?, &seal)?;
    let mut output = output::stdout()?;
    output.write_all(&seal.to_text()).map_err(|error| output.error(error))?;
    output.finish()?;
    say_root(&place, &seal)?;
    Ok(Exit::Fine)
}

/// How a manifest is sealed that goes on with no other.
fn new_seal<'a>(args: &options::Seal, secret: Option<&'a Secret>) -> anyhow::Result<SealOptions<'a>> {
    let how = SealOptions::by(args.algorithm.0.name).map_err(|error| anyhow!("--algorithm: {error}"))?;
    let salts = secret.map(Secret::salts).transpose().context("the system gives no random numbers")?;
    Ok(SealOptions { origin: args.origin.as_str().into(), salts, ..how })
}

/// Says what to keep of a seal.
///
/// # Errors
/// None that can be met.
pub fn say_root(place: &Path, seal: &Seal) -> anyhow::Result<()> {
    let (records, root) = (message::count(seal.records, "record", "records"), seal.digest());
    message::about(place.as_os_str().as_bytes(), format_args!("{records}, root {root}"));
    Ok(())
}

/// Verifies that a manifest is the one that was sealed.
///
/// # Errors
/// If it can't be compared.
pub fn verify_seal(args: &options::VerifySeal) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let (redacted, input) = begins(path, redacted::START)?;
    if redacted {
        return verify_redacted(args, input);
    }
    let (seal, secret) = args.sealed.read(path)?;
    if told(&args.sealed.place(path), check_root(&seal, args.root.as_ref()))?.is_none() {
        return Ok(Exit::Differs);
    }
    let how = how(&seal, secret.as_ref(), path)?;
    let found = hashloom_seal::seal(input, &how).and_then(|found| seal.check(&found));
    if told(path, found)?.is_none() {
        return Ok(Exit::Differs);
    }
    let (records, root) = (message::count(seal.records, "record", "records"), seal.digest());
    well(format_args!("verified: {} is as sealed by {}: {records}, root {root}", shown(path), seal.origin))
}

fn verify_redacted(args: &options::VerifySeal, input: Box<dyn Read>) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let seal = args.sealed.seal.as_deref().map(read_seal).transpose()?;
    ensure!(
        seal.is_some() || args.root.is_some(),
        "{}: which seal does the redacted manifest belong to? give --seal or --root",
        shown(path)
    );
    let verified = redacted::verify(input, &mut |_| ());
    let verified = verified.and_then(|verified| {
        seal.as_ref().map_or(Ok(()), |seal| verified.seal.check_same(seal))?;
        check_root(&verified.seal, args.root.as_ref()).map(|()| verified)
    });
    let Some(redacted::Verified { seal, counts }) = told(path, verified)? else { return Ok(Exit::Differs) };
    let (all, root) = (message::count(seal.records, "record", "records"), seal.digest());
    well(format_args!(
        "verified: {} shows {} of {all} sealed by {}, {} hidden, root {root}",
        shown(path),
        counts.shown,
        seal.origin,
        counts.hidden
    ))
}

/// Compares a seal with `--root`, if it was given.
fn check_root(seal: &Seal, root: Option<&Digest>) -> Result<(), Error> {
    root.map_or(Ok(()), |root| seal.check_digest(root))
}

/// Prints one line: all is well.
fn well(line: impl Display) -> anyhow::Result<Exit> {
    let mut output = output::stdout()?;
    writeln!(output, "{line}").map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

impl options::Sealed {
    /// The seal of a manifest, and its secret if one was named.
    fn read(&self, manifest: &Path) -> anyhow::Result<(Seal, Option<Secret>)> {
        let secret = self.secret.as_deref().map(read_secret).transpose()?;
        Ok((read_seal(&self.place(manifest))?, secret))
    }

    fn place(&self, manifest: &Path) -> PathBuf {
        self.seal.clone().unwrap_or_else(|| beside(manifest, "seal"))
    }
}

fn how<'a>(seal: &Seal, secret: Option<&'a Secret>, path: &Path) -> anyhow::Result<SealOptions<'a>> {
    seal.options(secret).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// Tells of a difference; none then.
fn told<T>(path: &Path, result: Result<T, Error>) -> anyhow::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_difference() => {
            message::about(path.as_os_str().as_bytes(), error);
            Ok(None)
        }
        Err(error) => Err(anyhow!("{}: {error}", message::Shown(path.as_os_str().as_bytes()))),
    }
}

/// Writes a seal file.
///
/// # Errors
/// If that fails.
pub fn write(mut output: Output, seal: &Seal) -> anyhow::Result<()> {
    output.write_all(&seal.to_text()).map_err(|error| output.error(error))?;
    Ok(output.finish()?)
}

/// The name with something behind it.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(suffix);
    name.into()
}

fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    Ok(Box::new(File::open(path).with_context(|| cannot_read(path))?))
}

/// Whether a file begins like this; and the whole of it, from the same opening of it.
fn begins(path: &Path, start: &[u8]) -> anyhow::Result<(bool, Box<dyn Read>)> {
    let (first, whole) = peek(path, start.len())?;
    Ok((first == start, whole))
}

/// The first bytes of a file; and the whole of it, likewise.
fn peek(path: &Path, bytes: usize) -> anyhow::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut input = open(path)?;
    let mut first = Vec::new();
    input.by_ref().take(bytes as u64).read_to_end(&mut first).with_context(|| cannot_read(path))?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(input))))
}

fn shown(path: &Path) -> message::Shown<'_> {
    message::Shown(path.as_os_str().as_bytes())
}

fn cannot_read(path: &Path) -> String {
    format!("{}: cannot read", message::Shown(path.as_os_str().as_bytes()))
}

fn read_seal(place: &Path) -> anyhow::Result<Seal> {
    let seal = Seal::read(&mut open(place)?);
    seal.map_err(|error| anyhow!("{}: not usable as a seal: {error}", shown(place)))
}

fn read_secret(place: &Path) -> anyhow::Result<Secret> {
    let mut text = Vec::new();
    open(place)?.take(MAX_SECRET).read_to_end(&mut text).with_context(|| cannot_read(place))?;
    Secret::from_text(&text).map_err(|error| anyhow!("{}: {error}", place.display()))
}

/// The secret in this file; a new one, for its owner alone, if there is no such file.
fn own_secret(place: &Path) -> anyhow::Result<Secret> {
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
