//! Files that belong to a list and not to the tree that it describes: its signatures, time stamp and seal, and the
//! remains of unfinished runs. Only files with the name and content of such a file count.

use crate::output::{LeftFile, OutputKind};
use crate::own::OwnFiles;
use crate::sealing::{self, SEAL};
use crate::signatures::{SIGNATURE, name};
use crate::{begun, history, kinds, output, resume, seen};
use hashmill_os::names;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::Path;

/// Returns these lists and the files that belong to them.
pub fn of_lists<'p>(lists: impl IntoIterator<Item = &'p Path>) -> OwnFiles {
    let mut own = OwnFiles::default();
    lists.into_iter().for_each(|list| add(&mut own, list));
    own
}

/// Adds a list and the files that belong to it.
pub fn add(own: &mut OwnFiles, list: &Path) {
    if let Some(chain) = history::chain_of(list) {
        history::manifests(list).iter().for_each(|manifest| own.add_alone(manifest));
        return add(own, &chain);
    }
    own.add(list);
    add_beside(own, list);
}

/// Returns the files that belong to a list, without the list.
pub fn beside(list: &Path) -> OwnFiles {
    let mut own = OwnFiles::default();
    add_beside(&mut own, list);
    own
}

fn add_beside(own: &mut OwnFiles, list: &Path) {
    let seal = sealing::beside(list);
    for file in [list, &seal] {
        name::all(file).iter().for_each(|path| add_kind(own, path, &SIGNATURE));
        add_kind(own, &name::stamp(file), &kinds::STAMP);
    }
    add_kind(own, &seal, &SEAL);
    let Some(own_name) = list.file_name() else { return };
    let left = output::left_beside(list, |of| of == own_name || is_with_ending(of, own_name));
    left.iter().filter(|(path, left)| is_left(path, *left)).for_each(|(path, _)| own.add_alone(path));
}

/// Returns whether a file has what an unfinished run writes into one with its name, and nothing else.
fn is_left(path: &Path, left: LeftFile) -> bool {
    let Some(meta) = path.symlink_metadata().ok().filter(Metadata::is_file) else { return false };
    match left {
        _ if meta.len() == 0 => true,
        LeftFile::Output => {
            kinds::is_manifest_throughout(path)
                || [SIGNATURE, SEAL, kinds::STAMP].iter().any(|kind| kind.has(path))
        }
        LeftFile::Options => resume::are_options(path),
        LeftFile::Seen => seen::are_marks(path),
        LeftFile::Begun => begun::are_states(path),
    }
}

fn add_kind(own: &mut OwnFiles, file: &Path, kind: &OutputKind) {
    let is_file = file.symlink_metadata().is_ok_and(|meta| meta.is_file());
    if is_file && kind.has(file) {
        own.add_alone(file);
    }
}

/// Returns whether a name is the list's with another ending appended: `m.sig` belongs to `m`.
fn is_with_ending(name: &OsStr, list: &OsStr) -> bool {
    let (name, list) = (names::bytes(name), names::bytes(list));
    name.strip_prefix(&*list).is_some_and(|rest| rest.starts_with(b"."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_what_looks_like_a_file_of_a_list_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in
            ["m", "m.sig", "m.seal", ".m.hashmill-run", ".n.hashmill-run", ".m.hashmill-else", "m.txt"]
        {
            fs::write(at(name), "hashmill 1 -c md5 -f sums -p 0 --times false --bad-blocks fail\n").unwrap();
        }
        fs::write(at(".m.hashmill-seen"), "anything").unwrap();
        let own = of_lists([at("m").as_path()]);
        let is = |name: &str| own.is_at(&names::path_bytes(&at(name)));
        assert!(is("m") && is(".m.hashmill-run"));
        for name in
            ["m.sig", "m.seal", ".n.hashmill-run", ".m.hashmill-else", ".m.hashmill-seen", "m.txt", "nosuch"]
        {
            assert!(!is(name), "{name}");
        }
    }
}
