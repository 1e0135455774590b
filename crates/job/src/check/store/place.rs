//! The folder of a store, which may lie below the named folder.

use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_objects::{Root, StoreKind, StoreLayout};
use hashmill_source::OperandDirectory;
use std::io::{self, Read};

/// The most bytes of the settings of a store.
const MAX_SETTINGS: u64 = 1 << 20;

/// Finds the folder of a store, and the layout that its settings say. Links below the named folder are not followed.
///
/// # Errors
/// If it has no store of this kind.
pub(super) fn root(
    folder: &[u8],
    layout: StoreLayout,
    stores: &Stores,
) -> Result<(Bytes, StoreLayout), Error> {
    let StoreLayout::Kind(kind) = layout else {
        if !stores.is_location(folder) {
            OperandDirectory::open(folder).map_err(Error::file(folder, Tried::List))?;
        }
        return Ok((folder.into(), layout));
    };
    if stores.is_location(folder) {
        let why =
            format!("a store of kind {} is read from a folder only (--name-is reads locations)", kind.name);
        return Err(Error::of_place(folder, why));
    }
    let operand = OperandDirectory::open(folder).map_err(Error::file(folder, Tried::List))?;
    let found = kind.roots.iter().find(|root| is_there(&operand, folder, root));
    let root = found.map(|root| joined(folder, root.path)).ok_or_else(|| none(folder, kind))?;
    if !kind.has_variants() {
        return Ok((root, layout));
    }
    let path = joined(&root, kind.settings);
    let settings = read_small(&operand, &path, MAX_SETTINGS).map_err(Error::file(&path, Tried::Read))?;
    Ok((root, StoreLayout::Kind(kind.with_settings(&settings))))
}

fn none(folder: &[u8], kind: &'static StoreKind) -> Error {
    let mut why = format!("is no store of kind {}: ", kind.name);
    for (number, root) in kind.roots.iter().enumerate() {
        let folder = Some(root.path).filter(|path| !path.is_empty());
        let parts: Vec<&str> = folder.into_iter().chain(root.marks.iter().copied()).collect();
        if !parts.is_empty() {
            let before = if number == 0 { "it has no" } else { " and no" };
            why += &format!("{before} {}", parts.join(", "));
        }
    }
    Error::of_place(folder, why)
}

/// Returns whether a folder has what tells that a store is there.
fn is_there(operand: &OperandDirectory, folder: &[u8], root: &Root) -> bool {
    let meta = |path: &str| operand.meta(&joined(folder, path)).ok();
    let is_folder = root.path.is_empty() || meta(root.path).is_some_and(|meta| meta.is_directory());
    is_folder
        && root.marks.iter().all(|mark| meta(mark).is_some())
        && root.others.iter().all(|other| meta(other).is_none())
}

/// Returns a path below a folder.
pub(super) fn joined(folder: &[u8], path: impl AsRef<[u8]>) -> Bytes {
    match (folder, path.as_ref()) {
        (_, b"") => folder.into(),
        ([.., b'/'], path) => [folder, path].concat().into(),
        (_, path) => [folder, b"/", path].concat().into(),
    }
}

/// Reads a regular file that has at most so many bytes.
pub(super) fn read_small(operand: &OperandDirectory, path: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let meta = operand.meta(path)?;
    if !meta.is_file() || meta.size > most {
        return Err(io::Error::other(format!("it is no regular file, or larger than {most} bytes")));
    }
    let mut bytes = Vec::new();
    operand.open_file(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
