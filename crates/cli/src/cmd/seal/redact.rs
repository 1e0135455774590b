//! `hashloom redact`.

use super::files::told;
use super::options::Redact;
use crate::exit::Exit;
use crate::message;
use crate::output::Output;
use anyhow::Context;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use hashloom_job::sealing::{about, open};
use hashloom_seal::redact as redacted;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Writes a manifest with some of its records hidden.
///
/// # Errors
/// If the manifest can't be read, or the redacted one not be written.
pub fn redact(args: &Redact) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let (keep, hide) = (globs(&args.keep).context("--keep")?, globs(&args.hide).context("--hide")?);
    let sealed = args.sealed.of(path);
    let (seal, secret) = sealed.read()?;
    sealed.options(&seal, secret.as_ref())?;
    let mut output = Output::file(&args.output)?;
    let mut hides = |record: &hashloom_manifest::Record| {
        let kept = args.keep.is_empty() || matches(&keep, &record.path);
        !kept || matches(&hide, &record.path)
    };
    let done = redacted::redact(open(path)?, (&seal, secret.as_ref()), &mut hides, &mut output);
    if done.is_err() {
        output.discard();
    }
    let Some(counts) = told(done.map_err(about(path)))? else { return Ok(Exit::Differs) };
    output.finish()?;
    let shown = message::count(counts.shown, "record", "records");
    message::say(format_args!("{shown} shown, {} hidden", counts.hidden));
    if counts.hidden > 0 && !seal.is_salted() {
        message::say("the seal has no salts: whoever guesses a hidden record can confirm it (seal --secret)");
    }
    Ok(Exit::Fine)
}

/// Globs as those of --include: one without a slash is for names, others for whole paths.
fn globs(texts: &[String]) -> anyhow::Result<[GlobSet; 2]> {
    let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
    for text in texts {
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build()?;
        if text.contains('/') {
            paths.add(glob)
        } else {
            names.add(glob)
        };
    }
    Ok([names.build()?, paths.build()?])
}

fn matches([names, paths]: &[GlobSet; 2], path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let is = |globs: &GlobSet, text: &[u8]| {
        !globs.is_empty() && globs.is_match_candidate(&Candidate::new(Path::new(OsStr::from_bytes(text))))
    };
    is(names, name) || is(paths, path)
}
