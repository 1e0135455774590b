//! ASC-MHL histories in folders: finding, verifying, reading as lists, and continuing.
//!
//! A history lies in the folder `ascmhl` of its tree. It consists of a chain and of the manifest of each generation;
//! the chain has the C4 of every manifest. Folders below may have histories of their own, and a file belongs to the
//! innermost history around it. The folder `ascmhl` therefore stands for a list of the whole tree (`open`), and a run
//! that writes a manifest there writes the next generation of each history that it touches ([`next`]).
//!
//! A history is used completely or not at all: a generation that is missing or was altered makes it unusable, because
//! nobody could tell what the complete list would be. Manifests beside the chain that it does not name are ignored and
//! reported.
//!
//! Inner histories are written before outer ones, which name the new manifests of the inner ones, and each manifest is
//! written before the chain that names it. So however a run ends, no chain names a manifest that does not exist. A
//! manifest that no chain names yet is reported by the next run, which ignores it and takes a higher number.

mod below;
mod chain;
mod folders;
mod found;
mod generations;
mod list;
mod load;
pub mod next;
mod patterns;
mod renames;
mod tree;

pub use patterns::{Ignored, Patterns};
pub use renames::Rename;

pub use below::Below;
#[cfg(feature = "sign")]
pub use chain::read_chain;
pub use generations::Generations;
pub use list::open;
pub use tree::Trust;

use crate::error::Error;
use chain::read_chain_at;
use hashmill_manifest::format::history::{CHAIN, Chain, FOLDER, number_of};
use hashmill_os::names;
use std::io;
use std::path::{Path, PathBuf};

/// Makes the error of a history that can't be used or continued because of this file or folder.
fn unfit(path: &Path, why: impl ToString) -> Error {
    Error::of_place(names::path_bytes(path), why)
}

/// Makes the error of a file of a history that can't be read from the error of the system.
fn unread(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_path_buf();
    move |source| unfit(&path, format!("cannot read: {source}"))
}

/// Returns the path of the chain, if this is the folder of a history.
pub fn chain_of(folder: &Path) -> Option<PathBuf> {
    let chain = folder.join(CHAIN);
    (folder.is_dir() && chain.symlink_metadata().is_ok_and(|meta| meta.is_file())).then_some(chain)
}

/// Returns whether this is the folder of a history.
pub fn is_history(folder: &Path) -> bool {
    chain_of(folder).is_some()
}

/// Returns the root of the tree that a folder `ascmhl` belongs to: the parent in its path if there is one, otherwise
/// the path with `..` at its end.
pub fn root_of(folder: &Path) -> PathBuf {
    match (folder.file_name(), folder.parent()) {
        (Some(_), Some(root)) => root.to_path_buf(),
        _ => folder.join(".."),
    }
}

/// Returns a path that opens a folder: `.` instead of an empty path.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns the files of the histories that are read with a list: chains, and the manifests that they name. With a manifest
/// alone, they are those of the chain that names it, if that history is whole.
pub(crate) fn parts(list: &Path) -> Vec<PathBuf> {
    if is_history(list) {
        let root = root_of(list);
        let inner = found::below(named(&root)).into_iter();
        let inner = inner.map(|below| root.join(names::path_to_try(&below)).join(FOLDER));
        return std::iter::once(list.to_path_buf())
            .chain(inner)
            .flat_map(|folder| parts_of(&folder))
            .collect();
    }
    let folder = named(list.parent().unwrap_or(Path::new("")));
    // A chain alone is a list of its manifests.
    let is_chain = list.file_name().is_some_and(|name| name == CHAIN);
    let parts = if is_part(list) && !is_chain { parts_of(folder) } else { Vec::new() };
    let is_named = parts.iter().any(|part| part.file_name() == list.file_name());
    if is_named && load::is_whole(folder) { parts } else { Vec::new() }
}

/// Returns the folder of the tree that a list is of, if it is a history or a part of one.
pub(crate) fn tree_of(list: &Path) -> PathBuf {
    root_of(if is_history(list) { list } else { list.parent().unwrap_or(Path::new("")) })
}

/// Returns the chain of a history, and the manifests that it names; none if it can't be read.
fn parts_of(folder: &Path) -> Vec<PathBuf> {
    let chain = chain_of(folder).and_then(|path| Some((read_chain_at(&path).ok()?, path)));
    let Some((text, path)) = chain else { return Vec::new() };
    let chain = Chain::parse(text).unwrap_or_default();
    let manifests = chain.links().iter().map(|link| folder.join(names::path_to_try(&link.name)));
    manifests.chain([path]).collect()
}

/// Returns whether the name and place of a file make it a part of a history, where only the next generation may be
/// written.
pub(crate) fn is_part(path: &Path) -> bool {
    let name = path.file_name().map(names::bytes).unwrap_or_default();
    let is_named = *name == *CHAIN.as_bytes() || number_of(&name).is_some();
    is_named && path.parent().is_some_and(|folder| is_history(named(folder)))
}

/// Returns whether a path is that of the folder of a history: it ends with the name, or leads to a folder with the
/// name.
fn is_folder_name(path: &Path) -> bool {
    let named = path.file_name().is_some_and(|name| name == FOLDER);
    let here =
        || names::canonical(path).is_ok_and(|path| path.file_name().is_some_and(|name| name == FOLDER));
    named || path.is_dir() && here()
}
