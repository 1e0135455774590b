//! The runs of a state, its devices, and the ages of its files.

use super::State;
use crate::error::{Error, Why};
use crate::row;
use crate::{Kept, Verdict};
use rusqlite::Row;

/// A run that a state remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastRun {
    /// When it began, in seconds since 1970.
    pub began: i64,
    /// When it ended; none if it was killed.
    pub ended: Option<i64>,
    /// The files that it read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The numbers of its verdicts, as the run noted them.
    pub summary: Box<str>,
}

/// The files of a device with the same verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The number of the device; none of files that were never read.
    pub device: Option<u64>,
    /// The last verdict on each.
    pub verdict: Option<Verdict>,
    /// The files.
    pub files: u64,
    /// Their bytes, as far as sizes are known.
    pub bytes: u64,
    /// Those whose content was never proved.
    pub unread: u64,
    /// The time of the oldest last proof.
    pub oldest: Option<i64>,
    /// One of them.
    pub example: Box<[u8]>,
}

impl State {
    /// Returns whether the state has had no run.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn is_new(&self) -> Result<bool, Error> {
        let query = "SELECT NOT EXISTS (SELECT 1 FROM run)";
        self.database.query_row(query, [], |row| row.get(0)).map_err(|error| self.error(error.into()))
    }

    /// Returns the last runs, at most so many, the latest at the end.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn runs(&self, most: u32) -> Result<Vec<PastRun>, Error> {
        let query = "SELECT began, ended, files, bytes, summary FROM run ORDER BY id DESC LIMIT ?";
        let mut runs = self.rows(query, i64::from(most), |row| {
            Ok(PastRun {
                began: row.get(0)?,
                ended: row.get(1)?,
                files: number(row.get(2)?),
                bytes: number(row.get(3)?),
                summary: row.get::<_, String>(4)?.into(),
            })
        })?;
        runs.reverse();
        Ok(runs)
    }

    /// Returns all files by device and verdict.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn shares(&self) -> Result<Vec<Share>, Error> {
        let query = "SELECT device, verdict & 15, count(*), coalesce(sum(size), 0), sum(last = 0), min(nullif(last, 0)), min(path)
                     FROM file GROUP BY device, verdict & 15 ORDER BY device, verdict & 15 LIMIT ?";
        self.rows(query, i64::MAX, |row| {
            Ok(Share {
                device: row.get::<_, Option<i64>>(0)?.map(|device| device as u64),
                verdict: row::of_number(row.get(1)?)?.0,
                files: number(row.get(2)?),
                bytes: number(row.get(3)?),
                unread: number(row.get(4)?),
                oldest: row.get(5)?,
                example: row.get::<_, Vec<u8>>(6)?.into(),
            })
        })
    }

    /// Tells for each file that is not gone when it was last proved; 0 for never.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn proofs(&self, each: &mut dyn FnMut(i64)) -> Result<(), Error> {
        let query = "SELECT last FROM file WHERE coalesce(verdict, 0) & 15 <> 8 LIMIT ?";
        self.rows(query, i64::MAX, |row| {
            each(row.get(0)?);
            Ok(())
        })?;
        Ok(())
    }

    /// Returns files that are not as it counts, in the order of paths: some of those behind a path.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn otherwise(&self, behind: &[u8]) -> Result<Vec<Kept>, Error> {
        self.some("verdict & 15 IN (2, 3, 4, 5, 8, 10)", behind)
    }

    fn rows<T>(
        &self,
        query: &str,
        most: i64,
        mut row: impl FnMut(&Row<'_>) -> Result<T, Why>,
    ) -> Result<Vec<T>, Error> {
        let mut read = || -> Result<Vec<T>, Why> {
            let mut statement = self.database.prepare_cached(query)?;
            let mut rows = statement.query([most])?;
            let mut all = Vec::new();
            while let Some(next) = rows.next()? {
                all.push(row(next)?);
            }
            Ok(all)
        };
        read().map_err(|why| self.error(why))
    }
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
