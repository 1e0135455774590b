//! NSRL RDS v3: SQLite databases, minimal and full, of any release.
//!
//! SQLite reads them. Columns are found by name, since releases differ, and `FILE` may be a table or, in full sets, a
//! view. Deltas are run on a copy.
//!
//! A database is not trusted. An RDS has only tables, indexes and views of their columns; anything else is rejected,
//! and [`guard`] limits SQLite.

mod database;
mod files;
mod guard;
mod products;
mod script;

use super::input::Input;
use super::intake::Intake;
use super::unpacked::Unpacked;
use crate::error::{Error, Why};
use database::RdsDatabase;
use files::Files;
use hashmill_os::SharedFile;
use products::Packages;
use std::io::Read;
use std::path::Path;

/// Imports a database that is a file. A log or journal with changes beside `path` is an error.
///
/// SQLite opens files by their names, so a copy that was verified is copied once more, to a file with a name.
pub(super) fn import_file(
    path: &Path,
    file: &SharedFile,
    intake: &mut Intake<'_>,
    deltas: &[Input],
) -> Result<(), Error> {
    if intake.held.is_none() {
        let merged = hashmill_manifest::database::check_merged(path);
        merged.map_err(|why| Error::new(&intake.path, Why::Database(why.into())))?;
        if deltas.is_empty() {
            return import(&RdsDatabase::open(path, intake)?, intake);
        }
    }
    let length = file.length().map_err(Error::io(path, "open"))?;
    import_stream(file.again(), length, intake, deltas)
}

/// Imports a database of this many bytes, which is copied to a temporary file beside the output.
pub(super) fn import_stream(
    stream: impl Read,
    bytes: u64,
    intake: &mut Intake<'_>,
    deltas: &[Input],
) -> Result<(), Error> {
    let copy = Unpacked::new(stream, bytes, intake)?;
    if deltas.is_empty() {
        return import(&RdsDatabase::open(&copy.path, intake)?, intake);
    }
    let mut database = RdsDatabase::open_copy(&copy.path, intake)?;
    script::apply(deltas, &database, intake)?;
    database.measure(&copy.path);
    import(&database, intake)
}

fn import(database: &RdsDatabase, intake: &mut Intake<'_>) -> Result<(), Error> {
    intake.format("nsrl-3");
    let index = database.covering_index("FILE", intake)?;
    let Some(mut rows) = database.select("FILE", index, intake)? else {
        return Err(Error::new(&intake.path, Why::Table("FILE")));
    };
    let packages = Packages::read(database, intake)?;
    let mut files = Files::new(&rows.columns(), packages, intake)?;
    database.each(&mut rows, intake, |number, values, intake| files.take(number, values, intake))?;
    files.finish(intake)
}
