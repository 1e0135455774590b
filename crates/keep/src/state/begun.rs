//! Long files that were read in part: another run goes on with them.

use super::State;
use crate::Content;
use crate::error::{Error, Why};
use crate::row;
use rusqlite::{OptionalExtension, params};

/// A file that was read in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The path.
    pub path: Box<[u8]>,
    /// The size and the metadata that the file must still have; without digests.
    pub of: Content,
    /// The facts of the part that was read. Their form is up to those who read.
    pub read: Box<[u8]>,
    /// The content that a first reading gave, and whether it came from the medium, if this is the second one.
    pub first: Option<(Content, bool)>,
}

impl State {
    /// Returns what is known of a file that was read in part.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn begun(&self, path: &[u8]) -> Result<Option<Begun>, Error> {
        let begun = || -> Result<Option<Begun>, Why> {
            let mut statement =
                self.database.prepare_cached("SELECT stamp, read, first FROM begun WHERE path = ?")?;
            let found = statement.query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            let Some((of, read, first)) = found.optional()? else { return Ok(None) };
            let (of, read, first): (Vec<u8>, Vec<u8>, Option<Vec<u8>>) = (of, read, first);
            Ok(Some(Begun {
                path: path.into(),
                of: row::of_bytes(&of).ok_or(Why::Row)?,
                read: read.into(),
                first: first.map(|bytes| first_of(&bytes).ok_or(Why::Row)).transpose()?,
            }))
        };
        match self.begun {
            0 => Ok(None),
            _ => begun().map_err(|why| self.error(why)),
        }
    }

    /// Keeps what is known of a file that was read in part, instead of what was known before.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn keep_begun(&mut self, begun: &Begun) -> Result<(), Error> {
        let kept = self.end_begun(&begun.path).and_then(|()| self.insert_begun(begun));
        kept.map_err(|why| self.error(why))
    }

    fn insert_begun(&mut self, begun: &Begun) -> Result<(), Why> {
        let first = begun.first.as_ref().map(|(content, is_fresh)| {
            let mut bytes = vec![u8::from(*is_fresh)];
            bytes.extend(row::bytes_of(content));
            bytes
        });
        let mut statement = self.database.prepare_cached("INSERT INTO begun VALUES (?, ?, ?, ?)")?;
        statement.execute(params![&*begun.path, row::bytes_of(&begun.of), &*begun.read, first])?;
        drop(statement);
        self.begun += 1;
        self.seal_begun(&begun.path, super::Seal::add)
    }

    /// Forgets what was read of a file in part, if anything was.
    pub(super) fn end_begun(&mut self, path: &[u8]) -> Result<(), Why> {
        let is_begun = self.begun > 0
            && self.database.prepare_cached("SELECT 1 FROM begun WHERE path = ?")?.exists([path])?;
        if is_begun {
            self.seal_begun(path, super::Seal::remove)?;
            self.database.prepare_cached("DELETE FROM begun WHERE path = ?")?.execute([path])?;
            self.begun -= 1;
        }
        Ok(())
    }

    pub(super) fn count_begun(&self) -> Result<u64, Why> {
        let count: i64 = self.database.query_row("SELECT count(*) FROM begun", [], |row| row.get(0))?;
        Ok(count as u64)
    }

    fn seal_begun(&mut self, path: &[u8], change: fn(&mut super::Seal, &[u8])) -> Result<(), Why> {
        self.seal_row(b'b', "SELECT path, stamp, read, first FROM begun WHERE path = ?", path, change)
    }
}

fn first_of(bytes: &[u8]) -> Option<(Content, bool)> {
    let (is_fresh, content) = bytes.split_first()?;
    Some((row::of_bytes(content)?, *is_fresh != 0))
}
