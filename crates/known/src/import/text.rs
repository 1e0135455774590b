//! Imports of inputs that are read sequentially.

use super::content::ImportFormat;
use super::intake::Intake;
use super::{csv, list, nsrl_text};
use crate::error::{Error, Why};
use hashmill_manifest::format::Hint;
use hashmill_os::names;
use std::io::Read;
use std::path::Path;

/// Imports a stream that is not a database. `path` is its file, if it has one: its tables are beside it.
pub(super) fn import(
    content: ImportFormat,
    stream: Box<dyn Read + '_>,
    intake: &mut Intake<'_>,
    path: Option<&Path>,
) -> Result<(), Error> {
    match content {
        ImportFormat::NsrlText => {
            let tables = path.map(|path| nsrl_text::Tables::beside(path, intake)).transpose()?;
            nsrl_text::import(stream, tables.unwrap_or_default(), intake)
        }
        ImportFormat::Csv => csv::import(stream, intake),
        ImportFormat::Delta => Err(Error::new(&intake.path, Why::LoneDelta)),
        ImportFormat::List | ImportFormat::Sqlite | ImportFormat::Zip => {
            let name = names::path_bytes(path.unwrap_or(&intake.path));
            let hint = intake.algorithm.map_or_else(|| Hint::from_name(&name), Hint::Forced);
            list::import(stream, hint, intake)
        }
    }
}
