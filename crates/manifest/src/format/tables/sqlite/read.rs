//! Reads a database, some rows at a time. It is untrusted: its schema is checked before use.

use super::{END, HEADER, PIECES, RECORDS, START, quoted};
use crate::Record;
use crate::case::{Case, line};
use crate::database;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::read::lines::MAX_LIKENESS_LINE;
use crate::format::values::draft::{Draft, Key, algorithms};
use crate::format::{Hint, Reader, Unusable, whole};
use hashmill_digest::Algorithm;
use hashmill_similar::Similar;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Row};
use std::collections::VecDeque;
use std::io::Read;
use std::path::Path;

/// The number of rows fetched together.
const BATCH: usize = 512;

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    whole::stream(input, open)
}

/// The message about a database of the NSRL.
const RDS: &str = "it is a set of known digests (an RDS of the NSRL), which names no files here (hashmill known build and \
                   known match use it)";

/// Opens a database; pending changes next to it are an error.
pub(super) fn opened(path: &Path) -> Result<Connection, Unusable> {
    database::open(path).map_err(|why| match why {
        database::Error::Sqlite(error) => damaged(error),
        why => {
            Unusable::Foreign { what: "is an SQLite database that can't be relied on", source: why.into() }
        }
    })
}

pub(super) fn damaged(error: Error) -> Unusable {
    Unusable::Foreign { what: "is not a readable SQLite database", source: error.into() }
}

/// Returns whether a database has the table of an RDS, or the view that replaces it in full sets.
fn is_rds(database: &Connection) -> Result<bool, Error> {
    let found =
        "SELECT count(*) FROM sqlite_schema WHERE type IN ('table', 'view') AND name IN ('FILE', 'METADATA')";
    database.query_row(found, [], |row| row.get(0)).map(|found: i64| found > 0)
}

pub(in crate::format) fn open(path: &Path) -> Result<Box<dyn Reader>, Unusable> {
    let database = confine(opened(path)?).map_err(damaged)?;
    let foreign = |why: String| Unusable::Foreign {
        what: "is an SQLite database, but not a manifest",
        source: why.into(),
    };
    let records = columns(&database, RECORDS).map_err(damaged)?;
    let Some(records) = records else {
        let rds = is_rds(&database).map_err(damaged)?;
        return Err(foreign(if rds { RDS.to_string() } else { format!("it has no table '{RECORDS}'") }));
    };
    check(&records).map_err(|what| foreign(format!("its table '{RECORDS}' {what}")))?;
    let pieces = columns(&database, PIECES).map_err(damaged)?;
    if let Some(pieces) = &pieces {
        check(pieces).map_err(|what| foreign(format!("its table '{PIECES}' {what}")))?;
    }
    let (algorithms, likeness) = algorithms(&records);
    let (case, bad) = case(&database).map_err(damaged)?;
    Ok(Box::new(Database {
        case,
        bad,
        likeness,
        algorithms,
        tables: pieces
            .map(|keys| Table::new(PIECES, keys))
            .into_iter()
            .chain([Table::new(RECORDS, records)])
            .collect(),
        database,
        ended: false,
    }))
}

struct Database {
    database: Connection,
    /// The tables, pieces first: of equal ids, the piece comes before the file.
    tables: Vec<Table>,
    algorithms: Vec<&'static Algorithm>,
    likeness: Vec<(usize, &'static Similar)>,
    case: Case,
    /// An error in the case data.
    bad: Option<Bad>,
    ended: bool,
}

struct Table {
    keys: Vec<Key>,
    select: String,
    /// The id of the last fetched row.
    last: i64,
    rows: VecDeque<(i64, Result<Record, Bad>)>,
    ended: bool,
}

impl Iterator for Database {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(bad) = self.bad.take() {
            return Some(Err(bad.at(1)));
        }
        if self.ended {
            return None;
        }
        for table in &mut self.tables {
            if let Err(error) = table.fill(&self.database) {
                self.ended = true;
                let line = table.last.max(0).unsigned_abs() + 1;
                return Some(Err(Bad::new("database", Why::Damaged(error.into())).at(line)));
            }
        }
        let next = self.tables.iter_mut().filter(|table| !table.rows.is_empty());
        let (id, record) =
            next.min_by_key(|table| table.rows.front().map(|(id, _)| *id))?.rows.pop_front()?;
        Some(record.map_err(|bad| bad.at(id.max(0).unsigned_abs())))
    }
}

impl Reader for Database {
    fn columns(&self) -> &[&'static Algorithm] {
        &self.algorithms
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &self.likeness
    }

    fn case(&self) -> &Case {
        &self.case
    }
}

impl Table {
    fn new(name: &str, keys: Vec<Key>) -> Self {
        let columns: String = keys.iter().map(|key| format!(", {}", quoted(*key))).collect();
        let select =
            format!("SELECT rowid{columns} FROM {name} WHERE rowid > ? ORDER BY rowid LIMIT {BATCH}");
        Table { keys, select, last: i64::MIN, rows: VecDeque::new(), ended: false }
    }

    /// Fetches the next rows, if none is left.
    fn fill(&mut self, database: &Connection) -> Result<(), Error> {
        if !self.rows.is_empty() || self.ended {
            return Ok(());
        }
        let mut statement = database.prepare_cached(&self.select)?;
        let mut rows = statement.query([self.last])?;
        while let Some(row) = rows.next()? {
            self.last = row.get(0)?;
            self.rows.push_back((self.last, record(row, &self.keys)?));
        }
        self.ended = self.rows.len() < BATCH;
        Ok(())
    }
}

/// Returns the record of a row; these columns follow its id.
fn record(row: &Row<'_>, keys: &[Key]) -> Result<Result<Record, Bad>, Error> {
    let mut draft = Draft::default();
    for (place, key) in keys.iter().enumerate() {
        if let Err(bad) = take(&mut draft, *key, row.get_ref(place + 1)?) {
            return Ok(Err(bad));
        }
    }
    Ok(draft.finish())
}

fn take(draft: &mut Draft, key: Key, value: ValueRef<'_>) -> Result<(), Bad> {
    let number = matches!(key, Key::Size | Key::Offset | Key::Length);
    match value {
        ValueRef::Null => Ok(()),
        ValueRef::Real(value) if key.is_real() => draft.real(key, value),
        ValueRef::Integer(value) if key.is_real() => draft.real(key, value as f64),
        // Other tables have other things under these names.
        _ if (key.is_fact() || key == Key::Version || key.is_metadata())
            && !matches!(value, ValueRef::Text(_)) =>
        {
            Ok(())
        }
        ValueRef::Integer(value) if number => {
            draft.number(key, u64::try_from(value).map_err(|_| Bad::new(key.name(), Why::Number))?)
        }
        ValueRef::Text(text) if !number => draft.text(key, text),
        ValueRef::Blob(bytes) if key == Key::Path => draft.text(key, bytes),
        _ => Err(Bad::new(key.name(), Why::Type)),
    }
}

/// Restricts a database, so that its contents can only be read.
pub(super) fn confine(database: Connection) -> Result<Connection, Error> {
    database.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_LIKENESS_LINE as i32)?;
    database
        .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")?;
    Ok(database)
}

/// Returns the case data, and an error if some of it can't be parsed.
fn case(database: &Connection) -> Result<(Case, Option<Bad>), Error> {
    let (mut case, mut bad) = (Case::NONE, None);
    if !exists(database, HEADER)? {
        return Ok((case, bad));
    }
    let mut names = database.prepare("SELECT name FROM pragma_table_info(?)")?;
    let names = names.query_map([HEADER], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    if !["key", "value"].iter().all(|name| names.iter().any(|known| known == name)) {
        return Ok((case, bad));
    }
    let mut rows = database.prepare(&format!("SELECT value FROM {HEADER} WHERE key = ? LIMIT 2"))?;
    for key in [START, END] {
        let mut rows = rows.query([key])?;
        while let Some(row) = rows.next()? {
            let text = row.get_ref(0)?.as_bytes().unwrap_or_default();
            bad = bad.or(line::read(text, &mut case).err());
        }
    }
    Ok((case, bad))
}

/// Returns whether a table exists. Views and virtual tables, which compute their rows, are excluded.
pub(super) fn exists(database: &Connection, table: &str) -> Result<bool, Error> {
    let found = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ? AND rootpage > 0";
    database.query_row(found, [table], |row| row.get(0)).map(|found: i64| found > 0)
}

/// Returns the known columns of a table; `None` if there is no such table.
fn columns(database: &Connection, table: &str) -> Result<Option<Vec<Key>>, Error> {
    if !exists(database, table)? {
        return Ok(None);
    }
    let mut names = database.prepare("SELECT name FROM pragma_table_info(?)")?;
    let keys =
        names.query_map([table], |row| Ok(Key::from_name(row.get_ref(0)?.as_bytes().unwrap_or_default())))?;
    let keys = keys.filter(|key| !matches!(key, Ok(Key::Other | Key::Foreign(_))));
    keys.collect::<Result<_, _>>().map(Some)
}

/// Checks that a table has the columns that records need.
fn check(keys: &[Key]) -> Result<(), String> {
    if !keys.contains(&Key::Path) {
        return Err("has no column 'path'".to_string());
    }
    let digests = keys.iter().any(|key| matches!(key, Key::Digest(_) | Key::Likeness(_)));
    if !digests && !keys.contains(&Key::Status) {
        return Err("has no column that is named after an algorithm".to_string());
    }
    Ok(())
}
