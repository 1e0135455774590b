//! `hashloom image hash`: what `hash` does, over the media of images of every kind.

use super::options::Hash;
use super::{open, options};
use crate::cmd;
use crate::cmd::hash::{BadBlocks, Sorted};
use crate::exit::Exit;
use crate::images;
use crate::options::case::Case;
use crate::options::known::Types;
use crate::options::sources::Sources;
use hashloom_image::Format;
use hashloom_source::{Entry, Found, Origin};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(options: &options::Hash) -> anyhow::Result<Exit> {
    let mut exit = Exit::Fine;
    let mut found: Vec<Found> = Vec::new();
    for path in &options.paths {
        match open(path, options.raw) {
            Ok(image) => found.extend(entries(path, image.format(), options.raw)),
            Err((refused, _)) => exit = exit.and(refused),
        }
    }
    if found.is_empty() && exit != Exit::Fine {
        return Ok(exit);
    }
    let hashed = cmd::hash::run_on(&as_hash(options), Box::new(found.into_iter()))?;
    Ok(exit.and(hashed))
}

fn entries(path: &Path, format: Format, raw: bool) -> Vec<Found> {
    let entry = Entry::new(path.as_os_str().as_bytes().into(), Origin::Operand);
    match format {
        Format::Ewf1Logical | Format::Ewf2Logical => images::singles(entry).collect(),
        Format::Ewf1 | Format::Ewf2 | Format::Raw => vec![images::media(entry, raw)],
    }
}

/// The same as options of `hash`.
fn as_hash(options: &Hash) -> cmd::hash::Options {
    cmd::hash::Options {
        paths: Vec::new(),
        algorithms: options.algorithms.clone(),
        piecewise: options.piecewise,
        format: options.format.clone(),
        times: false,
        output: options.output.clone(),
        sign: Vec::new(),
        resume: false,
        order: Sorted::Path,
        bad_blocks: BadBlocks::Fail,
        known: Vec::new(),
        types: Types::default(),
        seal: false,
        case: Case::default(),
        sources: Sources { images: true, ..Sources::default() },
        means: options.means.clone(),
    }
}
