//! NSRL RDS v3: SQLite databases, minimal and full, of any release.
//!
//! Columns are found by name, as releases differ in them. Plain tables are read page by page; full sets,
//! where `FILE` is a view, and databases with a write-ahead log are read by SQLite.

mod delta;
mod pages;
mod products;
mod sql;

use super::Input;
use super::intake::Intake;
use crate::build::Saying;
use crate::error::{Error, Why};
use delta::{Delta, Row};
use hashloom_digest::{Algorithm, Digest, find};
use hashloom_manifest::format::{self, Malformed};
use pages::{Database, Item, Value};
use products::{Columns, Packages, Side, TABLES, failed};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// The digests that an RDS has, by column. Its CRC-32 is too short for exact answers.
const DIGESTS: [&str; 3] = ["sha256", "sha1", "md5"];

/// Imports a database that is a file.
pub(super) fn import_file(path: &Path, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    intake.format("nsrl-3");
    let length = std::fs::metadata(path).map_err(Error::io(path, "open"))?.len();
    let mut log = path.as_os_str().to_os_string();
    log.push("-wal");
    let logged = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    let database = if logged { None } else { Database::open(path, 0, length)? };
    if let Some(database) = database
        && import_pages(&database, intake, deltas)?
    {
        return Ok(());
    }
    import_by_sqlite(path, intake, deltas)
}

/// Imports a database that lies at a place in another file. False if SQLite itself has to read it, for
/// which it must be a file of its own; nothing was imported then.
pub(super) fn import_inside(
    path: &Path,
    (base, length): (u64, u64),
    intake: &mut Intake<'_>,
    deltas: &[Input],
) -> Result<bool, Error> {
    intake.format("nsrl-3");
    match Database::open(path, base, length)? {
        Some(database) => import_pages(&database, intake, deltas),
        None => Ok(false),
    }
}

/// Imports a database page by page; false if its `FILE` is no plain table.
fn import_pages(database: &Database, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<bool, Error> {
    let schema = database.schema()?;
    let failed = failed(intake);
    let side = Side::new().map_err(&failed)?;
    let file = find_item(&schema, "FILE").ok_or_else(|| Error::new(&intake.path, Why::Table("FILE")))?;
    if !file.is_table {
        return Ok(false);
    }
    side.create_as(&file.sql).map_err(&failed)?;
    let columns = side.columns("FILE").map_err(&failed)?;
    if !columns.plain {
        return Ok(false);
    }
    side.run("BEGIN").map_err(&failed)?;
    for (table, _) in TABLES {
        let Some(item) = find_item(&schema, table) else { continue };
        if !item.is_table || !copy(database, item, &side, intake)? {
            return Ok(false);
        }
    }
    side.run("COMMIT").map_err(&failed)?;
    let mut files = Files::new(columns, side, deltas, intake)?;
    let row_number = files.columns.row_number;
    database.rows(file.root, &mut |number, values| match row_number {
        None => files.take(number, values, intake),
        Some(place) => {
            let mut values = values.to_vec();
            if let Some(value) = values.get_mut(place) {
                *value = Value::Integer(number);
            }
            files.take(number, &values, intake)
        }
    })?;
    files.finish(deltas, intake).map(|()| true)
}

fn find_item<'a>(schema: &'a [Item], name: &str) -> Option<&'a Item> {
    schema.iter().find(|item| item.name.eq_ignore_ascii_case(name) && !item.sql.is_empty())
}

/// Copies a small table; false if it is no plain one.
fn copy(database: &Database, item: &Item, side: &Side, intake: &Intake<'_>) -> Result<bool, Error> {
    let failed = failed(intake);
    side.create_as(&item.sql).map_err(&failed)?;
    let columns = side.columns(&item.name).map_err(&failed)?;
    if columns.plain {
        database.rows(item.root, &mut |number, values| {
            let mut values: Vec<_> = values.iter().map(owned).collect();
            values.resize(columns.names.len(), rusqlite::types::Value::Null);
            if let Some(place) = columns.row_number {
                values[place] = rusqlite::types::Value::Integer(number);
            }
            side.insert(&item.name, values).map_err(&failed)
        })?;
    }
    Ok(columns.plain)
}

fn owned(value: &Value<'_>) -> rusqlite::types::Value {
    match value {
        Value::Integer(value) => (*value).into(),
        Value::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        Value::Null | Value::Other => rusqlite::types::Value::Null,
    }
}

/// Imports a database by asking SQLite for its rows.
fn import_by_sqlite(path: &Path, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let failed = failed(intake);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(&failed)?;
    let side = Side::new().map_err(&failed)?;
    for (table, _) in TABLES {
        copy_by_sqlite(&connection, table, &side).map_err(&failed)?;
    }
    let Some(mut statement) = select_all(&connection, "FILE").map_err(&failed)? else {
        return Err(Error::new(path, Why::Table("FILE")));
    };
    let names = statement.column_names().map(|name| name.to_ascii_lowercase()).collect();
    let columns = Columns { names, row_number: None, plain: false };
    let width = columns.names.len();
    let mut files = Files::new(columns, side, deltas, intake)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    let mut number = 0;
    while let Some(row) = rows.next().map_err(&failed)? {
        let value = |at| row.get_ref(at).map(borrowed);
        let values: Vec<_> = (0..width).map(value).collect::<Result<_, _>>().map_err(&failed)?;
        number += 1;
        files.take(number, &values, intake)?;
    }
    files.finish(deltas, intake)
}

/// All rows of a table or view, if there is one of this name.
fn select_all<'c>(
    connection: &'c Connection,
    table: &str,
) -> Result<Option<rusqlite::Statement<'c>>, rusqlite::Error> {
    let sql =
        "SELECT count(*) FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    let there: i64 = connection.query_row(sql, [table], |row| row.get(0))?;
    (there > 0).then(|| connection.prepare(&format!("SELECT * FROM {table}"))).transpose()
}

fn copy_by_sqlite(connection: &Connection, table: &str, side: &Side) -> Result<(), rusqlite::Error> {
    let Some(mut statement) = select_all(connection, table)? else { return Ok(()) };
    let names: Vec<_> = statement.column_names().map(|name| name.to_string()).collect();
    side.create(table, &names)?;
    side.run("BEGIN")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..names.len()).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        side.insert(table, values)?;
    }
    side.run("COMMIT")
}

fn borrowed(value: rusqlite::types::ValueRef<'_>) -> Value<'_> {
    match value {
        rusqlite::types::ValueRef::Null => Value::Null,
        rusqlite::types::ValueRef::Integer(value) => Value::Integer(value),
        rusqlite::types::ValueRef::Text(text) => Value::Text(text),
        _ => Value::Other,
    }
}

/// The rows of `FILE` on their way into an index.
struct Files {
    columns: Columns,
    digests: Vec<(&'static Algorithm, usize)>,
    size: Option<usize>,
    package: Option<usize>,
    packages: Packages,
    delta: Delta,
}

impl Files {
    fn new(columns: Columns, side: Side, deltas: &[Input], intake: &mut Intake<'_>) -> Result<Self, Error> {
        let place = |name: &&str| Some((find(name).ok()?, columns.place(name)?));
        let digests: Vec<_> = DIGESTS.iter().filter_map(place).collect();
        if digests.is_empty() {
            let why = Why::Column { table: "FILE", column: DIGESTS[0].into() };
            return Err(Error::new(&intake.path, why));
        }
        let delta = Delta::read(deltas, &columns.names, &side)?;
        intake.set(&side.name().unwrap_or_default());
        intake.take_name(&intake.path.clone());
        let packages = side.packages().map_err(failed(intake))?;
        let [size, package] = ["file_size", "package_id"].map(|name| columns.place(name));
        Ok(Files { columns, digests, size, package, packages, delta })
    }

    /// Takes a row as it is in the database.
    fn take(&mut self, number: i64, values: &[Value<'_>], intake: &mut Intake<'_>) -> Result<(), Error> {
        if self.delta.is_empty() {
            return self.add(number, values, intake);
        }
        let width = self.columns.names.len();
        let row: Row = values.iter().take(width).map(text_of).collect();
        match self.delta.apply(row, 0) {
            Some(row) => self.add_text(number, &row, intake),
            None => Ok(()),
        }
    }

    fn add_text(&mut self, number: i64, row: &Row, intake: &mut Intake<'_>) -> Result<(), Error> {
        let values: Vec<_> =
            row.iter().map(|text| text.as_deref().map_or(Value::Null, Value::Text)).collect();
        self.add(number, &values, intake)
    }

    fn add(&mut self, number: i64, values: &[Value<'_>], intake: &mut Intake<'_>) -> Result<(), Error> {
        let mut digests = Decoded::default();
        for (algorithm, place) in &self.digests {
            let text = match values.get(*place) {
                Some(Value::Text(text)) if !text.is_empty() => text,
                _ => continue,
            };
            if let Err(why) = digests.push(algorithm, text) {
                let line = number.unsigned_abs();
                return intake.malformed(Malformed { line, part: algorithm.name, why });
            }
        }
        let integer = |place: Option<usize>| values.get(place?).and_then(integer);
        let size = integer(self.size).and_then(|size| u64::try_from(size).ok());
        let detail = self.packages.number(integer(self.package), intake);
        intake.record(digests.iter(), Saying { detail, size })
    }

    /// Adds what the deltas insert.
    fn finish(mut self, deltas: &[Input], intake: &mut Intake<'_>) -> Result<(), Error> {
        let names = self.columns.names.clone();
        delta::insertions(deltas, &names, &mut |row, statement| match self.delta.apply(row, statement) {
            Some(row) => self.add_text(statement as i64, &row, intake),
            None => Ok(()),
        })
    }
}

/// The digests of a row.
#[derive(Default)]
struct Decoded {
    digests: [Option<(&'static Algorithm, Digest)>; DIGESTS.len()],
    count: usize,
}

impl Decoded {
    fn push(&mut self, algorithm: &'static Algorithm, text: &[u8]) -> Result<(), format::Why> {
        if text.len() != algorithm.bits as usize / 4 {
            return Err(format::Why::Length { algorithm, digits: text.len() });
        }
        let digest = Digest::from_hex(text).map_err(format::Why::Digest)?;
        self.digests[self.count] = Some((algorithm, digest));
        self.count += 1;
        Ok(())
    }

    fn iter(&self) -> impl Iterator<Item = (&'static Algorithm, &[u8])> {
        self.digests.iter().flatten().map(|(algorithm, digest)| (*algorithm, digest.as_bytes()))
    }
}

fn integer(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Text(text) => str::from_utf8(text).ok()?.trim().parse().ok(),
        _ => None,
    }
}

/// A value as text, as SQLite compares a column of text or of numbers with a literal of the other kind.
fn text_of(value: &Value<'_>) -> Option<Box<[u8]>> {
    match value {
        Value::Integer(value) => Some(value.to_string().into_bytes().into()),
        Value::Text(text) => Some((*text).into()),
        Value::Null | Value::Other => None,
    }
}
