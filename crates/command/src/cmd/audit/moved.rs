//! Files that moved, for people: a folder that moved as a whole is one line.

use super::report::ReportLine;
use crate::words::line::{is_escaped, push_name};
use crate::words::message::count;
use hashmill_manifest::audit::{Category, MovedFolder, MovedFolders, Moves, Verdict};
use std::collections::HashSet;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use tempfile::SpooledTempFile;

/// The most bytes of paths that wait in memory; more wait in a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// Files that moved. They wait until all are known: only then is it clear which folders moved as a whole.
pub struct Moved {
    moves: Moves,
    /// The known and the new path of each, each after its length.
    waiting: BufWriter<SpooledTempFile>,
}

impl Default for Moved {
    fn default() -> Moved {
        Moved { moves: Moves::default(), waiting: BufWriter::new(SpooledTempFile::new(IN_MEMORY)) }
    }
}

impl Moved {
    /// Takes a file that moved. A file that is shown by itself only prevents that the folders above it become one line.
    ///
    /// # Errors
    /// If it can't be stored.
    pub fn take(&mut self, from: &[u8], verdict: &Verdict, is_shown: bool) -> io::Result<()> {
        if is_shown {
            self.moves.add_apart(from);
            return Ok(());
        }
        self.moves.add(from, &verdict.path);
        for path in [from, &verdict.path] {
            self.waiting.write_all(&(path.len() as u64).to_le_bytes())?;
            self.waiting.write_all(path)?;
        }
        Ok(())
    }

    /// Returns the lines of all, in the order in which they came; the line of a folder takes the place of its first
    /// file.
    ///
    /// # Errors
    /// If the stored paths can't be read.
    pub fn lines(self) -> io::Result<Lines> {
        let mut waiting = self.waiting.into_inner().map_err(io::IntoInnerError::into_error)?;
        waiting.rewind()?;
        Ok(Lines { waiting: BufReader::new(waiting), folders: self.moves.folders(), shown: HashSet::new() })
    }
}

/// The lines of files and folders that moved.
pub struct Lines {
    waiting: BufReader<SpooledTempFile>,
    folders: MovedFolders,
    /// The folders whose lines were returned.
    shown: HashSet<Vec<u8>>,
}

impl Lines {
    fn read(&mut self) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        if io::BufRead::fill_buf(&mut self.waiting)?.is_empty() {
            return Ok(None);
        }
        Ok(Some((self.path()?, self.path()?)))
    }

    fn path(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        self.waiting.read_exact(&mut length)?;
        let mut path = vec![0; u64::from_le_bytes(length) as usize];
        self.waiting.read_exact(&mut path)?;
        Ok(path)
    }

    /// Returns the line of a file; none if the line of its folder was returned before.
    fn line(&mut self, from: &[u8], to: &[u8]) -> Option<ReportLine> {
        match self.folders.around(from) {
            None => Some(ReportLine::moved(to, from)),
            Some((folder, _)) if self.shown.contains(folder) => None,
            Some((folder, moved)) => {
                self.shown.insert(folder.to_vec());
                Some(of_folder(folder, moved))
            }
        }
    }
}

impl Iterator for Lines {
    type Item = io::Result<ReportLine>;

    fn next(&mut self) -> Option<io::Result<ReportLine>> {
        loop {
            let read = self.read().transpose()?.map(|(from, to)| self.line(&from, &to));
            if let Some(line) = read.transpose() {
                return Some(line);
            }
        }
    }
}

/// Formats a folder as `moved: 2019/ → archive/2019/ (100 files)`.
fn of_folder(from: &[u8], moved: &MovedFolder) -> ReportLine {
    let to: &[u8] = if moved.to.is_empty() { b"./" } else { &moved.to };
    let before = if is_escaped(from) || is_escaped(to) { b"\\".to_vec() } else { Vec::new() };
    let mut after = b": ".to_vec();
    push_name(&mut after, from);
    after.extend_from_slice(" → ".as_bytes());
    push_name(&mut after, to);
    after.extend_from_slice(format!(" ({})\n", count(moved.files, "file", "files")).as_bytes());
    ReportLine { before, word: Category::Moved.word(), after }
}
