//! Imports of inputs that are read sequentially.

use super::content::ImportFormat;
use super::intake::Intake;
use super::{json, list, nsrl_text, table};
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
    let name = names::path_bytes(path.unwrap_or(&intake.path));
    let hint = intake.algorithm.map_or_else(|| Hint::from_name(&name), Hint::Forced);
    match content {
        ImportFormat::NsrlText => {
            let tables = path.map(|path| nsrl_text::Tables::beside(path, intake)).transpose()?;
            nsrl_text::import(stream, tables.unwrap_or_default(), intake)
        }
        ImportFormat::Table => table::import(stream, hint, intake),
        ImportFormat::Json => json::import(stream, hint, intake),
        ImportFormat::Delta => Err(Error::new(&intake.path, Why::LoneDelta)),
        ImportFormat::List | ImportFormat::Sqlite | ImportFormat::Zip | ImportFormat::Compressed => {
            list::import(stream, hint, intake)
        }
    }
}
