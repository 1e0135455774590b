//! Histories of ASC-MHL in folders: found, verified, read as lists, and continued.
//!
//! A history lies in the folder `ascmhl` of the tree that it is of: a chain, and the manifest of each generation, whose C4 the
//! chain has. Folders below may have histories of their own; what lies there belongs to the innermost. So the folder `ascmhl`
//! stands for a list of the whole tree ([`open`]), and a run that writes a manifest there writes the next generation of each
//! history that it touches ([`next`]).
//!
//! A history is used as a whole or not at all: a generation that is missing or was altered makes it useless, as nobody could say
//! what the list would have had. What lies beside the chain and is not in it counts for nothing, and is told.
//!
//! The order of writing is inner histories before outer ones, which name the inner ones' new manifests, and each manifest before
//! the chain that names it. So whatever ends a run, no chain names a manifest that is not there; one that no chain names yet is
//! told at the next run, which leaves it out and takes a higher number.

mod below;
mod error;
mod found;
mod list;
mod load;
pub mod next;
mod patterns;
mod tree;

pub use error::{BadHistory, Problem};
pub use list::open;
pub use patterns::{Ignored, Patterns};

pub(crate) use below::Below;

use hashloom_manifest::format::history::{CHAIN, Chain, FOLDER, number_of};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Returns the chain of a history, if this is its folder.
pub fn chain_of(folder: &Path) -> Option<PathBuf> {
    let chain = folder.join(CHAIN);
    (folder.is_dir() && chain.symlink_metadata().is_ok_and(|meta| meta.is_file())).then_some(chain)
}

/// Returns whether this is a folder with a history.
pub fn is_history(folder: &Path) -> bool {
    chain_of(folder).is_some()
}

/// Returns the tree that a folder `ascmhl` is of, by its name where that has a folder before it.
pub fn root_of(folder: &Path) -> PathBuf {
    match (folder.file_name(), folder.parent()) {
        (Some(_), Some(root)) => root.to_path_buf(),
        _ => folder.join(".."),
    }
}

/// Returns a folder by a name that opens it: that of the working folder is not nothing.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns the manifests that the chain of a history names; nothing where it can't be read.
pub(crate) fn manifests(folder: &Path) -> Vec<PathBuf> {
    let chain = chain_of(folder).and_then(|chain| std::fs::read(chain).ok());
    let chain = chain.and_then(|text| Chain::parse(text).ok()).unwrap_or_default();
    chain.links().iter().map(|link| folder.join(OsStr::from_bytes(&link.name))).collect()
}

/// Returns whether a file belongs to a history by its name and place, so that nothing but the next generation may be written
/// there.
pub(crate) fn is_part(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
    let is_named = name == CHAIN.as_bytes() || number_of(name).is_some();
    is_named && path.parent().is_some_and(|folder| is_history(named(folder)))
}

/// Returns whether a path is that of a folder of a history: it has the name, and is a folder or nothing yet.
fn is_folder_name(path: &Path) -> bool {
    let named = path.file_name().is_some_and(|name| name == FOLDER);
    let here = || path.canonicalize().is_ok_and(|path| path.file_name().is_some_and(|name| name == FOLDER));
    named || path.is_dir() && here()
}
