//! `kdb`: the hash database of Autopsy and The Sleuth Kit (`hfind -c x.kdb`): digests, with names and comments in
//! tables of their own, which are ignored. Only read.
//!
//! Source: the schema in The Sleuth Kit's documentation, "HashDB Schema".

use super::MAGIC;
use super::read::{confine, damaged, exists, opened};
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::{Hint, Reader, Unusable, whole};
use crate::{Named, Record};
use hashmill_digest::{Digest, find};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Row};
use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;

/// The table, and the beginning of its text in the schema.
const TABLE: &str = "hashes";
const SCHEMA: &[u8] = b"CREATE TABLE hashes";

/// The columns with digests, and their algorithms.
const COLUMNS: [(&str, &str); 3] = [("md5", "md5"), ("sha1", "sha1"), ("sha2_256", "sha256")];

/// The number of rows fetched together.
const BATCH: usize = 512;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(first, text).is_some();
    first.starts_with(MAGIC) && has(SCHEMA) && COLUMNS.iter().all(|(column, _)| has(column.as_bytes()))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    whole::stream(input, open)
}

pub(in crate::format) fn open(path: &Path) -> Result<Box<dyn Reader>, Unusable> {
    let database = confine(opened(path)?).map_err(damaged)?;
    if !exists(&database, TABLE).map_err(damaged)? {
        let source = format!("it has no table '{TABLE}'").into();
        return Err(Unusable::Foreign { what: "is an SQLite database, but not a set of digests", source });
    }
    Ok(Box::new(HashDatabase { database, rows: VecDeque::new(), last: i64::MIN, ended: false }))
}

struct HashDatabase {
    database: Connection,
    rows: VecDeque<Result<Record, Malformed>>,
    /// The id of the last fetched row.
    last: i64,
    ended: bool,
}

impl Iterator for HashDatabase {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rows.is_empty()
            && !self.ended
            && let Err(error) = self.fill()
        {
            self.ended = true;
            self.rows
                .push_back(Err(Bad::new("database", Why::Damaged(error.into())).at(line(self.last) + 1)));
        }
        self.rows.pop_front()
    }
}

impl Reader for HashDatabase {}

impl HashDatabase {
    /// Fetches the next rows.
    fn fill(&mut self) -> Result<(), Error> {
        let columns = COLUMNS.map(|(column, _)| column).join(", ");
        let select =
            format!("SELECT rowid, {columns} FROM {TABLE} WHERE rowid > ? ORDER BY rowid LIMIT {BATCH}");
        let mut statement = self.database.prepare_cached(&select)?;
        let mut rows = statement.query([self.last])?;
        let mut fetched = 0;
        while let Some(row) = rows.next()? {
            (self.last, fetched) = (row.get(0)?, fetched + 1);
            self.rows.push_back(record(row)?.map_err(|bad| bad.at(line(self.last))));
        }
        self.ended = fetched < BATCH;
        Ok(())
    }
}

/// Returns the number of a row in messages.
fn line(id: i64) -> u64 {
    id.max(0).unsigned_abs()
}

/// Returns the record of a row: digests without a name.
fn record(row: &Row<'_>) -> Result<Result<Record, Bad>, Error> {
    let mut digests = Vec::new();
    for (place, (_, name)) in COLUMNS.iter().enumerate() {
        match digest(name, row.get_ref(place + 1)?) {
            Ok(named) => digests.extend(named),
            Err(bad) => return Ok(Err(bad)),
        }
    }
    let missing = || Bad::new("digest", Why::Missing);
    let record = (!digests.is_empty()).then(|| Record::hashed(Box::default(), None, digests));
    Ok(record.ok_or_else(missing))
}

/// Returns the digest in a cell, if it is not empty.
fn digest(name: &str, value: ValueRef<'_>) -> Result<Option<Named>, Bad> {
    let algorithm = find(name).map_err(|unknown| Bad::new("digest", Why::Unknown(unknown)))?;
    match value {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) if 8 * bytes.len() as u32 == algorithm.bits => {
            Ok(Some(Named { algorithm, digest: Digest::new(bytes), guessed: false }))
        }
        ValueRef::Blob(bytes) => Err(Bad::new("digest", Why::Length { algorithm, digits: 2 * bytes.len() })),
        _ => Err(Bad::new("digest", Why::Type)),
    }
}
