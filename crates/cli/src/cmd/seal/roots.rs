//! `hashloom diff --roots`: two manifests, or seals, compared by the roots of their trees.

use super::{open, read_seal};
use crate::exit::Exit;
use crate::message::{self, Shown};
use crate::output::Output;
use anyhow::{Context, anyhow};
use hashloom_seal::{Error, How, Seal, diff};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How a seal begins, and no manifest does.
const SEAL: &[u8] = b"{\"hashloom_seal\":";

/// The algorithm of the trees of two manifests: any would do.
const USUAL: &str = "sha256";

/// Compares two by their roots. Of two manifests the records are listed that only one has.
///
/// # Errors
/// If one is neither a seal nor a manifest, or they can't be compared.
pub fn compare(first: &OsStr, second: &OsStr) -> anyhow::Result<Exit> {
    let (first, second) = (Path::new(first), Path::new(second));
    let seals = (sealed(first)?, sealed(second)?);
    let algorithm = match (&seals.0, &seals.1) {
        (Some(seal), _) | (_, Some(seal)) => seal.algorithm.clone(),
        (None, None) => return records(first, second),
    };
    let one = root(first, seals.0, &algorithm)?;
    let other = root(second, seals.1, &algorithm)?;
    let differ = diff::roots_differ(&one, &other)
        .map_err(|error| anyhow!("{}, {}: {error}", first.display(), second.display()))?;
    if differ {
        message::say("the roots differ; two manifests tell which records do");
    }
    Ok(Exit::Differs.when(differ))
}

/// The seal, if the file is one.
fn sealed(path: &Path) -> anyhow::Result<Option<Seal>> {
    let mut start = Vec::new();
    let shown = Shown(path.as_os_str().as_bytes());
    open(path)?
        .take(SEAL.len() as u64)
        .read_to_end(&mut start)
        .with_context(|| format!("{shown}: cannot read"))?;
    if start == SEAL { read_seal(path).map(Some) } else { Ok(None) }
}

/// The seal that there is, or that the manifest would have.
fn root(path: &Path, seal: Option<Seal>, algorithm: &str) -> anyhow::Result<Seal> {
    if let Some(seal) = seal {
        return Ok(seal);
    }
    let sealed = How::by(algorithm).and_then(|how| hashloom_seal::seal(Box::new(File::open(path)?), &how));
    sealed.map_err(|error| anyhow!("{}: {error}", Shown(path.as_os_str().as_bytes())))
}

/// Lists what only one of two manifests has: `-` the first, `+` the second.
fn records(first: &Path, second: &Path) -> anyhow::Result<Exit> {
    let again = |path: &Path| -> Result<Box<dyn Read>, Error> { Ok(Box::new(File::open(path)?)) };
    let names = || format!("{}, {}", first.display(), second.display());
    let how = How::by(USUAL).map_err(|error| anyhow!("{}: {error}", names()))?;
    let mut output = Output::stdout()?;
    let told = diff::records(&|| again(first), &|| again(second), &how, &mut |side, record| {
        let sign = if side == diff::Side::First { '-' } else { '+' };
        Ok(writeln!(output, "{sign} {}", Shown(&record.path))?)
    });
    let different = told.map_err(|error| anyhow!("{}: {error}", names()))?;
    output.finish()?;
    Ok(Exit::Differs.when(different > 0))
}
