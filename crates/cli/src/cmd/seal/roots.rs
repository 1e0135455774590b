//! `hashloom diff --roots`: two manifests, or seals, compared by the roots of their trees.

use super::files::shown;
use crate::exit::Exit;
use crate::message::{self, Shown};
use crate::output;
use anyhow::anyhow;
use hashloom_job::sealing::peek;
use hashloom_seal::{Error, Seal, SealOptions, diff};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// Bytes that tell whether a file is a seal.
const START: usize = 512;

/// The algorithm of the trees of two manifests: any would do.
const USUAL: &str = "sha256";

/// Compares two by their roots. Of two manifests the records are listed that only one has.
///
/// # Errors
/// If one is neither a seal nor a manifest, or they can't be compared.
pub fn compare(first: &OsStr, second: &OsStr) -> anyhow::Result<Exit> {
    let (first, second) = (Path::new(first), Path::new(second));
    let (one, other) = (side(first)?, side(second)?);
    let algorithm = match (&one, &other) {
        (Side::Seal(seal), _) | (_, Side::Seal(seal)) => seal.algorithm.name,
        _ => return records(first, second),
    };
    let (one, other) = (one.seal(first, algorithm)?, other.seal(second, algorithm)?);
    let differ = diff::roots_differ(&one, &other)
        .map_err(|error| anyhow!("{}, {}: {error}", first.display(), second.display()))?;
    if differ {
        message::say("the records differ; two manifests tell which");
    } else if one.case != other.case {
        message::say("the records are the same, but the case data are not");
    } else if one.manifest != other.manifest || one.format != other.format {
        message::say("the records are the same, but other bytes of the manifests are not");
    }
    Ok(Exit::Differs.when(differ))
}

/// What an operand is.
enum Side {
    Seal(Box<Seal>),
    Manifest(Box<dyn Read>),
}

/// The operand, opened once.
fn side(path: &Path) -> anyhow::Result<Side> {
    let (first, mut whole) = peek(path, START)?;
    if !Seal::is_start(&first) {
        return Ok(Side::Manifest(whole));
    }
    let seal = Seal::read(&mut whole);
    seal.map(|seal| Side::Seal(Box::new(seal)))
        .map_err(|error| anyhow!("{}: not usable as a seal: {error}", shown(path)))
}

impl Side {
    /// The seal that there is, or that the manifest would have.
    fn seal(self, path: &Path, algorithm: &str) -> anyhow::Result<Seal> {
        let sealed = match self {
            Side::Seal(seal) => return Ok(*seal),
            Side::Manifest(whole) => {
                SealOptions::by(algorithm).and_then(|how| hashloom_seal::seal(whole, &how))
            }
        };
        sealed.map_err(|error| anyhow!("{}: {error}", shown(path)))
    }
}

/// Lists what only one of two manifests has: `-` the first, `+` the second.
fn records(first: &Path, second: &Path) -> anyhow::Result<Exit> {
    let again = |path: &Path| -> Result<Box<dyn Read>, Error> { Ok(Box::new(File::open(path)?)) };
    let names = || format!("{}, {}", first.display(), second.display());
    let how = SealOptions::by(USUAL).map_err(|error| anyhow!("{}: {error}", names()))?;
    let mut output = output::stdout()?;
    let told = diff::records(&|| again(first), &|| again(second), &how, &mut |side, record| {
        let sign = if side == diff::Side::First { '-' } else { '+' };
        Ok(writeln!(output, "{sign} {}", Shown(&record.path))?)
    });
    let different = told.map_err(|error| anyhow!("{}: {error}", names()))?;
    output.finish()?;
    Ok(Exit::Differs.when(different > 0))
}
