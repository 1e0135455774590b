//! `hashloom similar index`: digests saved for later searches.

use super::members::Wanted;
use super::options;
use crate::exit::Exit;
use crate::message::Shown;
use crate::output::{self, Output};
use anyhow::{Context, ensure};
use hashloom_similar::index::{Error, Index, Totals, Writer};
use std::fs::File;
use std::io::{BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Builds an index.
///
/// # Errors
/// If a list is not usable, or the index cannot be written.
pub fn build(args: &options::Build) -> anyhow::Result<Exit> {
    let row = args.which.row()?;
    ensure!(!args.output.is_dir(), "{}: is a directory", args.output.display());
    let output = Output::file(&args.output)?;
    let mut writer = Writer::begin(output.clone(), row).map_err(|error| failed(error, &output))?;
    let wanted = Wanted {
        paths: &args.paths,
        lists: args.lists,
        no_sparse: false,
        known: None,
        sources: &args.sources,
        resources: &args.resources,
        own: Some(&args.output),
    };
    let built =
        wanted.each(row, &output, &mut |named| writer.push(named).map_err(|error| failed(error, &output)));
    match built {
        Ok(Exit::Interrupted) => {
            output.discard();
            Ok(Exit::Interrupted)
        }
        Ok(exit) => {
            writer.end().map_err(|error| failed(error, &output))?;
            output.finish()?;
            Ok(exit)
        }
        Err(error) => {
            output.discard();
            Err(error)
        }
    }
}

/// Errors of writing are those of the output.
fn failed(error: Error, output: &Output) -> anyhow::Error {
    match error {
        Error::Io(source) => output.error(source).into(),
        other => other.into(),
    }
}

/// Reads all of an index and says what it holds.
///
/// # Errors
/// If it is none, or damaged.
pub fn info(path: &Path) -> anyhow::Result<Exit> {
    let name = Shown(path.as_os_str().as_bytes());
    let file = File::open(path).with_context(|| format!("{name}: cannot open"))?;
    let bytes = file.metadata().with_context(|| format!("{name}: cannot look it up"))?.len();
    let mut index = Index::open(BufReader::with_capacity(1 << 20, file)).with_context(|| name.to_string())?;
    for block in &mut index {
        block.with_context(|| name.to_string())?;
    }
    let Totals { digests, sparse, blocks } = index.totals();
    let mut output = output::stdout()?;
    let text = format!(
        "algorithm: {}\ndigests: {digests}\nsparse: {sparse}\nblocks: {blocks}\nbytes: {bytes}\n",
        index.algorithm().name
    );
    output.write_all(text.as_bytes()).map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}
