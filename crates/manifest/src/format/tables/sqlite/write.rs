//! Writes a database. It gets its final name once it is complete, so it needs no journal.

use super::{END, HEADER, PIECES, RECORDS, START, quoted};
use crate::Record;
use crate::case::{About, End, line};
use crate::format::tables::{cells, facts};
use crate::format::values::draft::Key;
use crate::format::writer::cannot_carry;
use crate::format::{Layout, Writer};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, params_from_iter};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The default memory for pages, in bytes.
const CACHE: usize = 64 << 20;

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    let keys: Vec<Key> = cells::keys(&layout).into_iter().filter(|key| *key != Key::PathB64).collect();
    let whole = keys.iter().copied().filter(|key| !matches!(key, Key::Offset | Key::Length)).collect();
    Box::new(SqliteWriter {
        records: Table::new(RECORDS, whole),
        pieces: Table::new(PIECES, keys),
        layout,
        place: None,
        cache: CACHE,
        database: None,
        id: 0,
    })
}

struct SqliteWriter {
    layout: Layout,
    records: Table,
    pieces: Table,
    place: Option<PathBuf>,
    cache: usize,
    database: Option<Connection>,
    /// The id of the last row.
    id: i64,
}

struct Table {
    name: &'static str,
    keys: Vec<Key>,
    insert: String,
}

impl Writer for SqliteWriter {
    fn place(&mut self, path: &Path) {
        self.place = Some(path.to_path_buf());
    }

    fn memory(&mut self, bytes: usize) {
        self.cache = (bytes / 4).min(CACHE);
    }

    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        let place = self.place.as_deref().ok_or(cannot_carry("a database needs a file of its own"))?;
        self.database = Some(self.create(place).map_err(failed)?);
        let start = self.layout.case.as_deref().cloned();
        start.map_or(Ok(()), |start| self.about(START, &About::Start(start)))
    }

    fn conclude(&mut self, end: &End, _: &mut dyn Write) -> io::Result<()> {
        self.about(END, &About::End(end.clone()))
    }

    fn record(&mut self, record: &Record, _: &mut dyn Write) -> io::Result<()> {
        cells::check(record, &self.layout)?;
        let table = if record.piece.is_some() { &self.pieces } else { &self.records };
        let Some(database) = &self.database else { return Ok(()) };
        self.id += 1;
        table.insert(database, self.id, record).map_err(failed)
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        let Some(database) = self.database.take() else { return Ok(()) };
        database.execute_batch("COMMIT").map_err(failed)?;
        database.close().map_err(|(_, error)| failed(error))
    }
}

impl SqliteWriter {
    /// Writes a part of the case data.
    fn about(&self, key: &str, about: &About) -> io::Result<()> {
        let Some(database) = &self.database else { return Ok(()) };
        let json = line::json(about)?;
        let text = String::from_utf8_lossy(&json);
        let insert = format!("INSERT INTO {HEADER} VALUES (?, ?)");
        database.execute(&insert, [key, &text]).map(|_| ()).map_err(failed)
    }

    fn create(&self, place: &Path) -> Result<Connection, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(place, flags)?;
        let kilobytes = self.cache.div_ceil(1024);
        database.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
             PRAGMA cache_size = -{kilobytes}; BEGIN;\n\
             CREATE TABLE {HEADER} (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;\n\
             INSERT INTO {HEADER} VALUES ('manifest', '1'), ('program', 'hashmill {}');\n",
            env!("CARGO_PKG_VERSION")
        ))?;
        database.execute_batch(&self.records.create())?;
        if self.layout.pieces {
            database.execute_batch(&self.pieces.create())?;
        }
        Ok(database)
    }
}

impl Table {
    fn new(name: &'static str, keys: Vec<Key>) -> Self {
        let places = vec!["?"; keys.len() + 1].join(", ");
        Table { name, keys, insert: format!("INSERT INTO {name} VALUES ({places})") }
    }

    fn create(&self) -> String {
        let columns = self.keys.iter().map(|key| {
            let kind = match *key {
                key if cells::is_number(key) => "INTEGER",
                key if key.is_real() => "REAL",
                _ => "TEXT",
            };
            let always = if matches!(key, Key::Path | Key::Status) { " NOT NULL" } else { "" };
            format!(", {} {kind}{always}", quoted(*key))
        });
        format!("CREATE TABLE {} (id INTEGER PRIMARY KEY{});\n", self.name, columns.collect::<String>())
    }

    fn insert(&self, database: &Connection, id: i64, record: &Record) -> Result<(), Error> {
        let mut statement = database.prepare_cached(&self.insert)?;
        let id = ToSqlOutput::Owned(Value::Integer(id));
        let values = self.keys.iter().map(|key| value(*key, record));
        statement.execute(params_from_iter(std::iter::once(id).chain(values)))?;
        Ok(())
    }
}

fn value(key: Key, record: &Record) -> ToSqlOutput<'_> {
    let owned = |value| ToSqlOutput::Owned(value);
    if cells::is_number(key) {
        let number = cells::number(key, record).and_then(|number| i64::try_from(number).ok());
        return owned(number.map_or(Value::Null, Value::Integer));
    }
    if key.is_real() {
        return owned(facts::real(key, record).map_or(Value::Null, Value::Real));
    }
    if key == Key::Path {
        let path = &*record.path;
        let text = str::from_utf8(path).is_ok();
        return ToSqlOutput::Borrowed(if text { ValueRef::Text(path) } else { ValueRef::Blob(path) });
    }
    match cells::text(key, record) {
        Some(text) => owned(Value::Text(String::from_utf8_lossy(&text).into_owned())),
        None => owned(Value::Null),
    }
}

/// Converts a database error to an error of the output.
fn failed(error: Error) -> io::Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull.into(),
        _ => io::Error::other(error),
    }
}
