//! The manifests beside copies: their names.

use crate::algorithms::Algorithms;
use crate::misfit::Misfit;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_manifest::format::Format;
use hashmill_os::names::{path_bytes, path_to_try};
use hashmill_output::directory;
use std::path::{Path, PathBuf};

/// The format of which a manifest is a folder.
const HISTORY: &str = "ascmhl";

/// Returns the path of the manifest that copies of these sources get at a destination.
///
/// # Errors
/// If the format has no manifests there.
pub fn manifest_path(
    format: &Format,
    to: &Path,
    sources: &[Box<[u8]>],
    algorithms: &Algorithms,
    stores: &Stores,
) -> Result<PathBuf, Misfit> {
    let is_single = matches!(sources, [only] if path_to_try(only).is_file());
    let is_folder = match stores.is_location(&path_bytes(to)) {
        true if format.name == HISTORY => return Err(Misfit::InFolders(HISTORY)),
        true => is_prefix(to, stores),
        false => to.is_dir(),
    };
    let folder = if is_single && !is_folder { directory(to) } else { to };
    Ok(folder.join(name(format, algorithms)))
}

/// Returns whether copies lie below a location, even one of a single file.
fn is_prefix(to: &Path, stores: &Stores) -> bool {
    let to = path_bytes(to);
    stores.is_folder(&to) || stores.has_any(&with_slash(&to)).unwrap_or(false)
}

/// Returns the name of a manifest in a destination.
fn name(format: &Format, algorithms: &Algorithms) -> String {
    match (format.name, algorithms.digests.as_slice()) {
        (HISTORY, _) => "ascmhl/".into(),
        ("sums", [only]) => format!("{}SUMS", only.name.to_ascii_uppercase().replace('-', "_")),
        _ => match format.suffixes.first() {
            Some(suffix) => format!("manifest.{suffix}"),
            None => format!("manifest.{}", format.name),
        },
    }
}
