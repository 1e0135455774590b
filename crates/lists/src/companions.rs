//! Files that belong to a list and not to the tree that it describes: its signatures, time stamp and seal. Only files
//! with the name and content of such a file count.
//!
//! Remains of an interrupted run beside a list don't belong to it: anybody can make a file with such a name and content,
//! and would hide it. A run knows its own files by their identities.

use crate::sealing::{self, SEAL};
use crate::signatures::{SIGNATURE, name};
use crate::{history, kinds};
use hashmill_content::output::OutputKind;
use hashmill_content::selection::Bytes;
use hashmill_content::selection::own::OwnFiles;
use hashmill_os::names;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How many bytes of two files are compared at once.
const CHUNK: u64 = 64 << 10;

/// Adds a list and the files that belong to it.
pub fn add(own: &mut OwnFiles, list: &Path) {
    add_below(own, list, &[]);
}

/// Adds a list and the files that belong to it. Of a history, also the files in copies of its tree, which these folders may
/// be: those with the same place and the same content.
pub fn add_below(own: &mut OwnFiles, list: &Path, copies: &[Bytes]) {
    let mut files = history::parts(list);
    let root = history::tree_of(list);
    for below in files.iter().filter_map(|part| part.strip_prefix(&root).ok()) {
        for copy in copies.iter().map(|folder| names::path_to_try(folder).join(below)) {
            if has_same_content(&root.join(below), &copy).unwrap_or(false) {
                own.add(&copy);
            }
        }
    }
    if files.iter().all(|file| file.file_name() != list.file_name()) && !history::is_history(list) {
        files.push(list.to_path_buf());
    }
    add_parts(own, &files);
}

/// Adds lists and files of histories, each with the files that belong to it.
pub fn add_parts(own: &mut OwnFiles, files: &[PathBuf]) {
    for file in files {
        own.add(file);
        add_beside(own, file);
    }
}

/// Returns whether two regular files have the same bytes.
fn has_same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let is_file = |path: &Path| path.symlink_metadata().map(|meta| meta.is_file());
    if !is_file(one)? || !is_file(other)? {
        return Ok(false);
    }
    let mut files = [one, other].map(File::open);
    let [Ok(one), Ok(other)] = &mut files else { return Ok(false) };
    let mut chunks = [const { Vec::new() }; 2];
    loop {
        for (file, chunk) in [&mut *one, &mut *other].into_iter().zip(&mut chunks) {
            chunk.clear();
            file.take(CHUNK).read_to_end(chunk)?;
        }
        match &chunks {
            [one, other] if one != other => return Ok(false),
            [one, _] if one.is_empty() => return Ok(true),
            _ => {}
        }
    }
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
    name::openpgp(list).iter().for_each(|path| own.add_alone(path));
}

fn add_kind(own: &mut OwnFiles, file: &Path, kind: &OutputKind) {
    let is_file = file.symlink_metadata().is_ok_and(|meta| meta.is_file());
    if is_file && kind.has(file) {
        own.add_alone(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_what_looks_like_a_file_of_a_list_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let stamp = [0x30, 2, 5, 0];
        for name in ["m", "m.sig", "m.seal", ".m.hashmill-run", ".m.hashmill-partial", "m.txt"] {
            fs::write(at(name), "hashmill 1 -c md5 -f sums -p 0 --times false --bad-blocks fail\n").unwrap();
        }
        fs::write(at("m.tsr"), stamp).unwrap();
        // Remains of an interrupted run can be empty.
        fs::write(at(".m.hashmill-seen"), "").unwrap();
        let mut own = OwnFiles::default();
        add(&mut own, &at("m"));
        let is = |name: &str| own.is_at(&names::path_bytes(&at(name)));
        assert!(is("m") && is("m.tsr"));
        for name in [
            "m.sig",
            "m.seal",
            ".m.hashmill-run",
            ".m.hashmill-partial",
            ".m.hashmill-seen",
            "m.txt",
            "nosuch",
        ] {
            assert!(!is(name), "{name}");
        }
    }
}
