//! Search for histories below a folder.

use super::is_history;
use hashmill_manifest::format::history::FOLDER;
use hashmill_os::names;
use std::fs;
use std::path::Path;

/// Returns the paths of the folders below a root that have a history, relative to the root, outer ones first. Links are
/// not followed, so there is no loop. Folders that can't be listed are reported by the walk that reads the tree.
pub(super) fn below(root: &Path) -> Vec<Box<[u8]>> {
    let mut found: Vec<Box<[u8]>> = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(path) = open.pop() {
        for name in folders(&root.join(names::path_to_try(&path))) {
            let path = if path.is_empty() { name } else { [&path[..], b"/", &name[..]].concat() };
            let folder = root.join(names::path_to_try(&path)).join(FOLDER);
            if folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) && is_history(&folder) {
                found.push(path.as_slice().into());
            }
            open.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the names of the folders in a folder, except that of its history.
fn folders(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let found = entries.filter(is_folder).map(|entry| names::into_bytes(entry.file_name()));
    found.filter(|name| name != FOLDER.as_bytes()).collect()
}
