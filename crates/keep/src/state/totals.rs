//! The numbers of a whole state, and the end of a run.

use super::State;
use crate::error::{Error, Why};
use crate::{Seal, Verdict};
use rusqlite::params;

/// The seconds of the runs that tell the rate.
const MONTH: i64 = 31 * 86_400;

/// The seconds of a day.
const DAY: f64 = 86_400.0;

/// The numbers of a whole state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// All files.
    pub files: u64,
    /// Their bytes, as far as sizes are known.
    pub bytes: u64,
    /// The files whose content was never proved.
    pub unread: u64,
    /// The time of the oldest last proof, of those that were read.
    pub oldest: Option<i64>,
    /// The files whose last proof is older than the age, or that were never read.
    pub late: u64,
    /// The bytes of these, as far as sizes are known.
    pub late_bytes: u64,
    /// The files by what was found last.
    pub verdicts: Vec<(Verdict, u64)>,
}

/// The files and bytes that a run read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadTotals {
    /// The number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl State {
    /// Counts all files. A file is late if its last proof is before `limit`; without one, no file is.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn totals(&self, limit: Option<i64>) -> Result<Totals, Error> {
        self.count(limit).map_err(|why| self.error(why))
    }

    fn count(&self, limit: Option<i64>) -> Result<Totals, Why> {
        let query =
            "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(last = 0), 0), min(nullif(last, 0)),
                            coalesce(sum(last < ?1), 0), coalesce(sum(size) FILTER (WHERE last < ?1), 0)
                     FROM file WHERE coalesce(verdict, 0) & 15 <> 8";
        let number = |value: i64| u64::try_from(value).unwrap_or(0);
        let mut totals = self.database.query_row(query, [limit.unwrap_or(i64::MIN)], |row| {
            Ok(Totals {
                files: number(row.get(0)?),
                bytes: number(row.get(1)?),
                unread: number(row.get(2)?),
                oldest: row.get(3)?,
                late: number(row.get(4)?),
                late_bytes: number(row.get(5)?),
                verdicts: Vec::new(),
            })
        })?;
        let mut statement = self.database.prepare(
            "SELECT verdict & 15, count(*) FROM file WHERE verdict & 15 <> 0 GROUP BY verdict & 15",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        for row in rows {
            let (verdict, count) = row?;
            totals.verdicts.push((Verdict::of_number(verdict).ok_or(Why::Row)?, number(count)));
        }
        Ok(totals)
    }

    /// Returns how many bytes a day runs read since the first of the last month; none before a second run.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn rate(&self, now: i64) -> Result<Option<f64>, Error> {
        let query = "SELECT min(began), coalesce(sum(bytes), 0), count(*) FROM run WHERE began >= ?";
        let since = self.database.query_row(query, [now.saturating_sub(MONTH)], |row| {
            Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        let (began, bytes, runs) = since.map_err(|error| self.error(error.into()))?;
        let days = began.map_or(0.0, |began| now.saturating_sub(began) as f64 / DAY);
        Ok((runs > 1 && days > 0.0).then(|| bytes as f64 / days))
    }

    /// Ends the run: notes what it did.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn end(&mut self, now: i64, read: ReadTotals, summary: &str) -> Result<(), Error> {
        self.end_run(now, read, summary).map_err(|why| self.error(why))
    }

    /// Writes everything, and merges the log of changes into the database.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn close(&mut self) -> Result<(), Error> {
        self.seal_up().map_err(|why| self.error(why))?;
        let closed = self.database.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE");
        closed.map_err(|error| self.error(error.into()))
    }

    fn end_run(&mut self, now: i64, read: ReadTotals, summary: &str) -> Result<(), Why> {
        let Some(run) = self.run.take() else { return Ok(()) };
        self.seal_run(run.number, Seal::remove)?;
        self.database.execute(
            "UPDATE run SET ended = ?, files = ?, bytes = ?, summary = ? WHERE id = ?",
            params![now, read.files as i64, read.bytes as i64, summary, run.number],
        )?;
        self.seal_run(run.number, Seal::add)
    }
}
