//! Files with several names (hard links) among what is copied: the copies of the names that come later become names of the first one's copy.
//! A file is forgotten when all its names were met, and there is room for so many files; a name of one that had no room becomes a file of
//! its own, which is counted.

use super::message::{Names, SecondName};
use super::naming::Name;
use hashmill_os::{FileId, read_exact_at};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Write};

/// The bytes of memory that a file takes, here and at the destinations. Its name waits in a temporary file.
const BYTES: usize = 128;

/// Files with several names, of which not all were met.
pub(super) struct LinkedFiles {
    files: HashMap<FileId, FirstName>,
    /// The names of first copies, one behind the other; none so far where there is no such file.
    names: Option<File>,
    end: u64,
    most: usize,
}

/// The name of the first copy of a file.
struct FirstName {
    /// Its place among the names, which is the number of the file.
    at: u64,
    length: usize,
    is_source: bool,
    /// The names that are still to come.
    left: u64,
}

impl LinkedFiles {
    /// Makes room for so many bytes.
    pub(super) fn new(memory: usize) -> LinkedFiles {
        LinkedFiles { files: HashMap::new(), names: None, end: 0, most: memory / BYTES }
    }

    /// Takes the name of the copy of a file with so many names, and returns what it is among them.
    pub(super) fn meet(&mut self, id: FileId, links: u64, name: &Name) -> Names {
        if links < 2 {
            return Names::One;
        }
        let has_room = self.files.len() < self.most;
        match self.files.entry(id) {
            Entry::Occupied(mut file) => {
                let first = file.get_mut();
                first.left = first.left.saturating_sub(1);
                let is_last = first.left == 0;
                let (name, number) = (read(self.names.as_ref(), first), first.at);
                if is_last {
                    file.remove();
                }
                name.map_or(Names::Unlinked, |first| Names::Second(SecondName { first, number, is_last }))
            }
            Entry::Vacant(none) if has_room => match write(&mut self.names, &name.below) {
                Err(_) => Names::Unlinked,
                Ok(()) => {
                    let (at, length) = (self.end, name.below.len());
                    none.insert(FirstName { at, length, is_source: name.is_source, left: links - 1 });
                    // Also one with an empty name has a number of its own.
                    self.end += length as u64 + 1;
                    Names::First(at)
                }
            },
            Entry::Vacant(_) => Names::Unlinked,
        }
    }
}

fn read(names: Option<&File>, first: &FirstName) -> io::Result<Name> {
    let mut below = vec![0; first.length];
    read_exact_at(names.ok_or(io::ErrorKind::NotFound)?, &mut below, first.at)?;
    Ok(Name { below, is_source: first.is_source })
}

/// Adds a name behind the others.
fn write(names: &mut Option<File>, name: &[u8]) -> io::Result<()> {
    let file = match names {
        Some(file) => file,
        none => none.insert(tempfile::tempfile()?),
    };
    file.write_all(&[name, b"\n"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name { below: text.into(), is_source: false }
    }

    /// Meets a name, and returns it with what it is.
    fn met(files: &mut LinkedFiles, id: u128, links: u64, text: &str) -> String {
        match files.meet((1, id), links, &name(text)) {
            Names::One => "one".into(),
            Names::First(_) => "first".into(),
            Names::Unlinked => "unlinked".into(),
            Names::Second(SecondName { first, is_last, .. }) => {
                let last = if is_last { ", the last" } else { "" };
                format!("second of {}{last}", String::from_utf8(first.below).unwrap())
            }
        }
    }

    #[test]
    fn files_whose_names_were_all_met_make_room_for_others() {
        let mut files = LinkedFiles::new(2 * BYTES);
        for (id, links, text, wanted) in [
            (1, 1, "a", "one"),
            (2, 3, "b", "first"),
            (3, 2, "d/c", "first"),
            (4, 2, "e", "unlinked"),
            (2, 3, "f", "second of b"),
            (3, 2, "g", "second of d/c, the last"),
            (5, 2, "h", "first"),
            (4, 2, "i", "unlinked"),
            (2, 3, "j", "second of b, the last"),
            (5, 2, "k", "second of h, the last"),
            (5, 2, "l", "first"),
        ] {
            assert_eq!(met(&mut files, id, links, text), wanted, "{text}");
        }
        assert_eq!(files.files.len(), 1);
    }

    #[test]
    fn numbers_are_those_of_files() {
        let mut files = LinkedFiles::new(BYTES * 10);
        let number = |names| match names {
            Names::First(number) | Names::Second(SecondName { number, .. }) => number,
            _ => panic!("{names:?}"),
        };
        let first: Vec<u64> = ["", "a", "bb"]
            .iter()
            .zip(0..)
            .map(|(text, id)| number(files.meet((1, id), 2, &name(text))))
            .collect();
        let second: Vec<u64> = (0..3).map(|id| number(files.meet((1, id), 2, &name("x")))).collect();
        assert_eq!(first, second);
        assert!(first[0] != first[1] && first[1] != first[2]);
    }
}
