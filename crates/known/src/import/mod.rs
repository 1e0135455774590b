//! Imports of files: each input is recognised by its content and read once. Parts that are not understood are reported.

mod beginning;
mod cell;
mod checksum;
#[cfg(feature = "archives")]
mod compressed;
mod content;
mod counted;
mod input;
mod intake;
mod json;
mod left_out;
mod list;
mod meaning;
#[cfg(feature = "archives")]
mod members;
mod nsrl_text;
#[cfg(feature = "tables")]
mod rds;
#[cfg(feature = "tables")]
mod scripts;
mod separator;
mod stix;
mod table;
mod taken;
mod text;
#[cfg(any(feature = "archives", feature = "tables"))]
mod unpacked;
#[cfg_attr(not(feature = "archives"), path = "no_archives.rs")]
mod zip;

pub use input::{Input, Notice, Notices, Strictness};
pub use left_out::LeftOutReason;
pub use taken::Taken;

use crate::About;
use crate::build::{BuildOptions, Builder};
use crate::error::{Error, Why};
use beginning::beginning;
use content::{ImportFormat, recognise};
use hashmill_manifest::format::{self, Hint, SNIFFED};
use hashmill_os::{SharedFile, facts, open_to_read};
use intake::Intake;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

/// Builds an index from files.
///
/// Deltas of the RDS (`.sql`) change the database before them in the inputs.
///
/// # Errors
/// If an input can't be used, if a line is malformed and lines are strict, or if the index can't be written. Then an
/// older index of that name is unchanged, and no partial file is left.
pub fn build(
    target: &Path,
    inputs: &[Input],
    options: &BuildOptions,
    strictness: Strictness,
    notices: Notices<'_>,
) -> Result<About, Error> {
    let mut builder = Builder::new(target, options.clone());
    let mut left = inputs;
    while let Some((input, rest)) = left.split_first() {
        let deltas = rest.iter().take_while(|input| is_delta(&input.path)).count();
        let (deltas, rest) = rest.split_at(deltas);
        let mut intake = Intake::new(&mut builder, input, strictness, notices);
        deltas.iter().try_for_each(|delta| report_left_out(&delta.path, &mut intake))?;
        file(&mut intake, deltas)?;
        intake.finish();
        left = rest;
    }
    builder.finish()
}

fn is_delta(path: &Path) -> bool {
    // A pipe can be read only once, so not here.
    if !path.is_file() {
        return false;
    }
    let Ok(file) = File::open(path).map(SharedFile::new) else { return false };
    match content(&file) {
        Ok(ImportFormat::Delta) => true,
        Ok(ImportFormat::Zip) => zip::is_delta(path, &file),
        _ => false,
    }
}

fn content(file: &SharedFile) -> std::io::Result<ImportFormat> {
    beginning(Box::new(file.again())).map(|(first, _)| recognise(&first, None))
}

/// Reports the members of a delta's archive that are left out.
fn report_left_out(path: &Path, intake: &mut Intake<'_>) -> Result<(), Error> {
    let file = SharedFile::new(open_to_read(path).map_err(Error::io(path, "open"))?);
    match content(&file).map_err(Error::io(path, "read"))? {
        ImportFormat::Zip => zip::report_left_out(path, &file, intake),
        _ => Ok(()),
    }
}

/// Imports a file; a database with its deltas applied.
fn file(intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let path = intake.path.clone();
    let file = match &intake.held {
        Some(copy) => Arc::clone(copy),
        None => Arc::new(open_to_read(&path).map_err(Error::io(&path, "open"))?),
    };
    // A pipe can be read only once.
    if !facts(&file).map_err(Error::io(&path, "open"))?.is_file() {
        let (mut file, mut first) = (file, Vec::new());
        (&mut file).take(SNIFFED as u64).read_to_end(&mut first).map_err(Error::io(&path, "read"))?;
        let stream = Box::new(Cursor::new(first.clone()).chain(file));
        #[cfg(feature = "archives")]
        if recognise(&first, None) == ImportFormat::Compressed {
            return compressed::import(stream, intake);
        }
        if matches!(recognise(&first, None), ImportFormat::Zip | ImportFormat::Sqlite) {
            return Err(Error::new(&path, Why::Pipe));
        }
        let (first, stream) = beginning(stream).map_err(Error::io(&path, "read"))?;
        intake.take_name(&path);
        return text::import(recognise(&first, intake.column.as_deref()), stream, intake, Some(&path));
    }
    let file = SharedFile::shared(file);
    checksum::verify(&path, file.again(), intake)?;
    let (first, stream) = beginning(Box::new(file.again())).map_err(Error::io(&path, "read"))?;
    match recognise(&first, intake.column.as_deref()) {
        #[cfg(not(feature = "tables"))]
        ImportFormat::Sqlite => Err(Error::new(&path, crate::Why::Feature("tables"))),
        #[cfg(feature = "tables")]
        ImportFormat::Sqlite => match manifest(&path, &file, intake) {
            Ok(manifest) if deltas.is_empty() => {
                intake.take_name(&path);
                list::import_opened(manifest, intake)
            }
            _ => rds::import_file(&path, &file, intake, deltas),
        },
        ImportFormat::Zip => zip::import(&file, intake, deltas),
        #[cfg(feature = "archives")]
        ImportFormat::Compressed => compressed::import(Box::new(file.again()), intake),
        content => {
            intake.take_name(&path);
            text::import(content, stream, intake, Some(&path))
        }
    }
}

/// Opens a database as a manifest. A held copy is read as it is; a file, which may be large, is not copied.
fn manifest(
    path: &Path,
    file: &SharedFile,
    intake: &Intake<'_>,
) -> Result<format::Opened<'static>, format::Unusable> {
    match &intake.held {
        Some(_) => format::open(Box::new(file.again()), Hint::None),
        None => format::open_path(path, Hint::None),
    }
}
