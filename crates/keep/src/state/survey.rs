//! The files that are there now beside those that are kept: new ones, those that are gone, and those that are due.

use super::{ROWS, State, with_slash};
use crate::error::{Error, Why};
use crate::row::{self, COLUMNS};
use crate::{Due, Kept, Order};
use rusqlite::functions::FunctionFlags;
use rusqlite::params;

/// The longest path in bytes that a state takes. Folders in folders could make longer ones.
pub const LONGEST_PATH: usize = 64 << 10;

/// The condition for the files at a path, and below the path with a slash.
const BELOW: &str = "(path = ?1 OR substr(path, 1, length(?2)) = ?2)";

impl State {
    /// Begins a survey: nothing was met yet.
    ///
    /// # Errors
    /// If the temporary tables can't be made.
    pub fn survey(&mut self) -> Result<(), Error> {
        let tables = "DROP TABLE IF EXISTS temp.met; DROP TABLE IF EXISTS temp.apart; DROP TABLE IF EXISTS temp.due;
                      CREATE TEMP TABLE met (path BLOB PRIMARY KEY, size INTEGER) WITHOUT ROWID;
                      CREATE TEMP TABLE apart (path BLOB PRIMARY KEY) WITHOUT ROWID;
                      CREATE TEMP TABLE due (place INTEGER PRIMARY KEY, path BLOB NOT NULL, size INTEGER NOT NULL)";
        self.database.execute_batch(tables).map_err(|error| self.error(error.into()))
    }

    /// Notes that a file is there, and its size if that is known.
    ///
    /// # Errors
    /// If the temporary table can't be written; the path has at most [`LONGEST_PATH`] bytes.
    pub fn meet(&mut self, path: &[u8], size: Option<u64>) -> Result<(), Error> {
        let noted = || -> Result<(), Why> {
            let mut statement = self.database.prepare_cached("INSERT OR IGNORE INTO met VALUES (?, ?)")?;
            statement.execute(params![path, size.map(|size| size as i64)])?;
            Ok(())
        };
        noted().map_err(|why| self.error(why))
    }

    /// Notes that nobody knows whether a path is there, or any below it: it was left out, or could not be listed.
    ///
    /// # Errors
    /// If the temporary table can't be written.
    pub fn set_apart(&mut self, path: &[u8]) -> Result<(), Error> {
        // No file below a longer path is kept.
        match path.len() {
            0..=LONGEST_PATH => self.note_apart(path).map_err(|why| self.error(why)),
            _ => Ok(()),
        }
    }

    fn note_apart(&mut self, path: &[u8]) -> Result<(), Why> {
        self.database.prepare_cached("INSERT OR IGNORE INTO apart VALUES (?)")?.execute([path])?;
        Ok(())
    }

    /// Keeps each file that was met and is not known yet, as one that was never read. Returns their number.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn add_new(&mut self) -> Result<u64, Error> {
        self.insert_new().map_err(|why| self.error(why))
    }

    fn insert_new(&mut self) -> Result<u64, Why> {
        let query = "SELECT path FROM met WHERE path > ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE file.path = met.path)
                     ORDER BY path LIMIT ?2";
        let (mut last, mut count) = (Vec::new(), 0);
        loop {
            let mut statement = self.database.prepare_cached(query)?;
            let paths = statement.query_map(params![last, ROWS], |row| row.get::<_, Vec<u8>>(0))?;
            let paths: Vec<Vec<u8>> = paths.collect::<Result<_, _>>()?;
            drop(statement);
            let Some(end) = paths.last() else { return Ok(count) };
            last.clone_from(end);
            count += paths.len() as u64;
            paths.into_iter().try_for_each(|path| self.insert(&Kept::unread(path.into())))?;
        }
    }

    /// Returns known files that were not met, in the order of paths: some of those behind a path.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn unmet(&self, behind: &[u8]) -> Result<Vec<Kept>, Error> {
        self.some("NOT EXISTS (SELECT 1 FROM met WHERE met.path = file.path)", behind)
    }

    /// Returns files in the order of paths: some of those behind a path.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn files(&self, behind: &[u8]) -> Result<Vec<Kept>, Error> {
        self.some("true", behind)
    }

    /// Returns files with an edit or an absence that may be accepted, likewise.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn unaccepted(&self, behind: &[u8]) -> Result<Vec<Kept>, Error> {
        self.some("(proposal IS NOT NULL OR verdict & 15 = 8)", behind)
    }

    /// Returns whether a file was met.
    ///
    /// # Errors
    /// If the temporary table can't be read.
    pub fn is_met(&self, path: &[u8]) -> Result<bool, Error> {
        let is_met = || -> Result<bool, Why> {
            Ok(self.database.prepare_cached("SELECT 1 FROM met WHERE path = ?")?.exists([path])?)
        };
        is_met().map_err(|why| self.error(why))
    }

    /// Returns what is known of the files at a path and below it: how many have a content, how many of these were met, how
    /// many others were met, and whether any was on this device.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn below(&self, folder: &[u8], device: u64) -> Result<Below, Error> {
        let count = || -> Result<Below, Why> {
            let number = |row: &rusqlite::Row<'_>, at| row.get::<_, i64>(at).map(|number| number as u64);
            let query = format!(
                "SELECT count(*), count(met.path), coalesce(sum(file.device = ?3), 0) FROM file LEFT JOIN met USING (path)
                 WHERE digests IS NOT NULL AND {BELOW}"
            );
            let (kept, met, near) = self.database.query_row(
                &query,
                params![folder, with_slash(folder), device as i64],
                |row| Ok((number(row, 0)?, number(row, 1)?, number(row, 2)?)),
            )?;
            let query = format!("SELECT count(*) FROM met WHERE {BELOW}");
            let there =
                self.database.query_row(&query, params![folder, with_slash(folder)], |row| number(row, 0))?;
            Ok(Below { kept, met, is_empty: there == 0, has_device: near > 0 })
        };
        count().map_err(|why| self.error(why))
    }

    /// Takes all paths at a path and below it from those that were met.
    ///
    /// # Errors
    /// If the temporary table can't be written.
    pub fn unmeet_below(&mut self, folder: &[u8]) -> Result<(), Error> {
        let unmet = self
            .database
            .execute(&format!("DELETE FROM met WHERE {BELOW}"), params![folder, with_slash(folder)]);
        unmet.map(drop).map_err(|error| self.error(error.into()))
    }

    /// Gives files that were missing and were met what they were before.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn bring_back(&mut self) -> Result<(), Error> {
        let mut behind = Vec::new();
        loop {
            let which = "verdict & 15 = 8 AND EXISTS (SELECT 1 FROM met WHERE met.path = file.path)";
            let some = self.some(which, &behind)?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = last.path.to_vec();
            let back = some.iter().try_for_each(|kept| self.update(kept, &kept.back()));
            back.map_err(|why| self.error(why))?;
        }
    }

    /// Returns whether a path was set apart, or one above it.
    ///
    /// # Errors
    /// If the temporary table can't be read.
    pub fn is_apart(&self, path: &[u8]) -> Result<bool, Error> {
        let is_noted = |path: &[u8]| -> Result<bool, Why> {
            Ok(self.database.prepare_cached("SELECT 1 FROM apart WHERE path = ?")?.exists([path])?)
        };
        // Folders above a path, with and without a slash at their end.
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let above = slashes.flat_map(|at| [&path[..at], &path[..=at]]);
        for place in above.chain([path]) {
            if is_noted(place).map_err(|why| self.error(why))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn some(&self, which: &str, behind: &[u8]) -> Result<Vec<Kept>, Error> {
        let some = || -> Result<Vec<Kept>, Why> {
            let query =
                format!("SELECT {COLUMNS} FROM file WHERE path > ?1 AND {which} ORDER BY path LIMIT ?2");
            let mut statement = self.database.prepare_cached(&query)?;
            let rows = statement.query_map(params![behind, ROWS], |row| Ok(row::of_row(row)))?;
            rows.map(|row| row?).collect()
        };
        some().map_err(|why| self.error(why))
    }

    /// Puts the files that were met and are due into their order. Returns how many there are.
    ///
    /// # Errors
    /// If the temporary table can't be written.
    pub fn plan(&mut self, order: Order) -> Result<Due, Error> {
        self.put_in_order(order).map_err(|why| self.error(why))
    }

    fn put_in_order(&mut self, order: Order) -> Result<Due, Why> {
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        self.database.create_scalar_function("jitter", 1, flags, move |context| {
            let path = context
                .get_raw(0)
                .as_blob()
                .map_err(|error| rusqlite::Error::UserFunctionError(error.into()))?;
            Ok(order.jitter(path))
        })?;
        // Suspects are read in every run, and so is what was missing until now; what is read for the first time comes before all that was. Jitter decides what is due, but
        // not the order: files of one age are read by their paths, as they lie on the disk and in this database.
        self.database.execute(
            "INSERT INTO due (path, size)
             SELECT path, coalesce(size, 0) FROM
                 (SELECT file.path, coalesce(file.size, met.size) AS size, (coalesce(verdict, 0) & 15 IN (3, 4, 5, 10) OR coalesce(verdict, 0) >> 4 = 8) AS suspect, last,
                         CASE last WHEN 0 THEN 0 ELSE last - jitter(file.path) END AS turn
                  FROM file JOIN met ON met.path = file.path)
             WHERE suspect OR last = 0 OR turn <= ?1
             ORDER BY suspect DESC, last = 0 DESC, last / ?2, path",
            [order.limit(), order.grain()],
        )?;
        let query = "SELECT count(*), coalesce(sum(size), 0) FROM due";
        let (files, bytes): (i64, i64) =
            self.database.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Due { files: files as u64, bytes: bytes as u64 })
    }

    /// Takes the next files that are due, in order. A file that is longer than may be is left for another run.
    ///
    /// `size_of` looks up the size of a file that was never read, if there is a limit.
    ///
    /// # Errors
    /// If the database can't be read or written.
    pub fn next(&mut self, part: Part, size_of: &mut dyn FnMut(&[u8]) -> u64) -> Result<Vec<Kept>, Error> {
        self.take(part, size_of).map_err(|why| self.error(why))
    }

    fn take(&mut self, part: Part, size_of: &mut dyn FnMut(&[u8]) -> u64) -> Result<Vec<Kept>, Why> {
        let columns: Vec<String> = COLUMNS.split(", ").map(|name| format!("file.{}", name.trim())).collect();
        let columns = columns.join(", ");
        let query = format!(
            "SELECT {columns}, place, due.size FROM due JOIN file ON file.path = due.path ORDER BY place"
        );
        let mut statement = self.database.prepare_cached(&query)?;
        let mut rows = statement.query([])?;
        let (mut taken, mut sum, mut end) = (Vec::new(), 0_u64, 0_i64);
        while let Some(row) = rows.next()? {
            let kept = row::of_row(row)?;
            let size = match row.get::<_, i64>(row::COUNT + 1)? as u64 {
                0 if kept.content.is_none() && part.is_limited => size_of(&kept.path),
                size => size,
            };
            let is_full = taken.len() as u64 >= part.files || sum.saturating_add(size) > part.bytes;
            if size <= part.longest || part.resumable.is_some_and(|least| size >= least) {
                if !taken.is_empty() && is_full {
                    break;
                }
                sum = sum.saturating_add(size);
                taken.push(kept);
            }
            end = row.get(row::COUNT)?;
        }
        drop(rows);
        drop(statement);
        self.database.prepare_cached("DELETE FROM due WHERE place <= ?")?.execute([end])?;
        Ok(taken)
    }
}

/// The files at a path and below it.
#[derive(Debug, Clone, Copy)]
pub struct Below {
    /// Those with a kept content.
    pub kept: u64,
    /// Those of them that were met.
    pub met: u64,
    /// Whether no file was met at all.
    pub is_empty: bool,
    /// Whether a kept file was on the device that was asked for.
    pub has_device: bool,
}

/// How much is taken at once.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The most files.
    pub files: u64,
    /// The most bytes, unless the first file has more.
    pub bytes: u64,
    /// The most bytes of one file.
    pub longest: u64,
    /// The bytes from which a file may be longer, as another run can go on with it.
    pub resumable: Option<u64>,
    /// Whether more than the order depends on sizes: what a run may read is limited.
    pub is_limited: bool,
}
