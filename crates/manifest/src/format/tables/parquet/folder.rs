//! A folder of Parquet files, as programs that write in several threads make it: one manifest.

use super::read::open;
use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::{Reader, Unusable};
use hashmill_digest::Algorithm;
use hashmill_similar::Similar;
use std::io;
use std::path::{Path, PathBuf};

/// The ends of names of Parquet files.
const SUFFIXES: [&str; 2] = ["parquet", "pq"];

/// The most levels of folders: each stands for a column by which a table is divided.
const MAX_DEPTH: usize = 16;

/// Opens all files of a folder, in the order of their paths; none of them if it is no folder of Parquet files.
pub(super) fn open_folder(folder: &Path) -> Result<Box<dyn Reader>, Unusable> {
    let mut files = Vec::new();
    collect(folder, MAX_DEPTH, &mut files)?;
    files.sort();
    let Some(first) = files.first() else {
        return Err(Unusable::Open(io::ErrorKind::IsADirectory.into()));
    };
    let reader = open(first)?;
    let (columns, likeness) = (reader.columns().to_vec(), reader.likeness().to_vec());
    for file in &files[1..] {
        let other = open(file)?;
        if other.columns() != columns || other.likeness() != likeness {
            return Err(foreign(format!("{} has other digests than {}", file.display(), first.display())));
        }
    }
    let rest = files.split_off(1).into_iter();
    Ok(Box::new(Folder { reader, rest, columns, likeness, rows: 0 }))
}

fn foreign(why: String) -> Unusable {
    Unusable::Foreign { what: "is a folder, but not one of Parquet files alone", source: why.into() }
}

/// Adds the Parquet files below a folder. Files that programs write beside them have names with a dot or an underscore
/// before them; folders with such names say which of the files count, or hold unfinished ones.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Unusable> {
    let (mut folders, mut other) = (Vec::new(), None);
    for name in hashmill_os::all_names_in(folder).map_err(Unusable::Open)? {
        let path = folder.join(&name);
        let is_beside = [&b"."[..], b"_"].iter().any(|start| name.as_encoded_bytes().starts_with(start));
        match path.is_dir() {
            true if depth == 0 || is_beside => other = Some(path),
            true => folders.push(path),
            false if is_beside => {}
            false if is_parquet(&path) => files.push(path),
            false => other = Some(path),
        }
    }
    match other {
        Some(other) if !files.is_empty() => Err(foreign(format!("{} is in it, too", other.display()))),
        Some(_) => Err(Unusable::Open(io::ErrorKind::IsADirectory.into())),
        None => folders.iter().try_for_each(|folder| collect(folder, depth - 1, files)),
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|end| SUFFIXES.iter().any(|suffix| end.eq_ignore_ascii_case(suffix)))
}

/// The records of several files.
struct Folder {
    reader: Box<dyn Reader>,
    rest: std::vec::IntoIter<PathBuf>,
    columns: Vec<&'static Algorithm>,
    likeness: Vec<(usize, &'static Similar)>,
    rows: u64,
}

impl Iterator for Folder {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.reader.next() {
                self.rows += 1;
                return Some(record);
            }
            match open(&self.rest.next()?) {
                Ok(reader) => self.reader = reader,
                Err(error) => {
                    self.rest = Vec::new().into_iter();
                    return Some(Err(Bad::new("file", Why::Damaged(Box::new(error))).at(self.rows + 1)));
                }
            }
        }
    }
}

impl Reader for Folder {
    fn columns(&self) -> &[&'static Algorithm] {
        &self.columns
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &self.likeness
    }
}
