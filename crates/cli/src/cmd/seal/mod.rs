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
use crate::output::Output;
use anyhow::{Context, anyhow};
use hashloom_seal::{Error, How, Seal, Secret, redact as redacted};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A secret file has 65 bytes.
const MAX_SECRET: u64 = 4096;

/// Seals a manifest.
///
/// # Errors
/// If the manifest can't be sealed, or the seal not be written.
pub fn seal(args: &options::Seal) -> anyhow::Result<Exit> {
    let how = How::by(args.algorithm.0.name).map_err(|error| anyhow!("--algorithm: {error}"))?;
    let secret = args.secret.as_deref().map(own_secret).transpose()?;
    let how = How { secret: secret.as_ref(), ..how };
    let seal = hashloom_seal::seal(open(&args.manifest)?, &how);
    let Some(seal) = told(&args.manifest, seal)? else { return Ok(Exit::Differs) };
    write(Output::typed_or(args.output.as_deref(), &beside(&args.manifest, "seal"))?, &seal)?;
    let mut output = Output::stdout()?;
    writeln!(output, "{}", seal.root.0).map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

/// Verifies that a manifest is the one that was sealed.
///
/// # Errors
/// If it can't be compared.
pub fn verify_seal(args: &options::VerifySeal) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let mut first = Vec::new();
    let start = redacted::START;
    open(path)?.take(start.len() as u64).read_to_end(&mut first).with_context(|| cannot_read(path))?;
    if first == start {
        return verify_redacted(path, &args.sealed);
    }
    let (seal, secret) = args.sealed.read(path)?;
    let how = how(&seal, secret.as_ref(), path)?;
    let found = hashloom_seal::seal(open(path)?, &how).and_then(|found| seal.check(&found));
    Ok(Exit::Differs.when(told(path, found)?.is_none()))
}

fn verify_redacted(path: &Path, sealed: &options::Sealed) -> anyhow::Result<Exit> {
    let place = sealed.seal.as_deref().context("--seal: which seal must the redacted manifest be of?")?;
    let seal = read_seal(place)?;
    let verified = redacted::verify(open(path)?, &mut |_| ());
    let verified = verified.and_then(|verified| verified.verify_seal(&seal).map(|()| verified));
    let Some(verified) = told(path, verified)? else { return Ok(Exit::Differs) };
    let counts = verified.counts;
    message::about(
        path.as_os_str().as_bytes(),
        format_args!("{} shown, {} hidden", message::count(counts.shown, "record", "records"), counts.hidden),
    );
    Ok(Exit::Fine)
}

impl options::Sealed {
    /// The seal of a manifest, and its secret if one was named.
    fn read(&self, manifest: &Path) -> anyhow::Result<(Seal, Option<Secret>)> {
        let place = self.seal.clone().unwrap_or_else(|| beside(manifest, "seal"));
        let secret = self.secret.as_deref().map(read_secret).transpose()?;
        Ok((read_seal(&place)?, secret))
    }
}

fn how<'a>(seal: &Seal, secret: Option<&'a Secret>, path: &Path) -> anyhow::Result<How<'a>> {
    seal.how(secret).map_err(|error| anyhow!("{}: {error}", path.display()))
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
    let text = seal.to_text().map_err(|error| output.error(io::Error::other(error)))?;
    output.write_all(&text).map_err(|error| output.error(error))?;
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

fn cannot_read(path: &Path) -> String {
    format!("{}: cannot read", message::Shown(path.as_os_str().as_bytes()))
}

fn read_seal(place: &Path) -> anyhow::Result<Seal> {
    let seal = Seal::read(&mut open(place)?);
    seal.map_err(|error| anyhow!("{}: not usable as a seal: {error}", place.display()))
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
