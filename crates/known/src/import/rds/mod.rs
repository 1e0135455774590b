//! NSRL RDS v3: SQLite databases, minimal and full, of any release.
//!
//! Columns are found by name, as releases differ in them. Plain tables are read page by page, in the order of
//! the file and on several threads; full sets, where `FILE` is a view, and databases with a write-ahead log
//! are read by SQLite.

mod batch;
mod crew;
mod delta;
mod files;
mod pages;
mod products;
mod record;
mod sql;
mod tree;

use super::Input;
use super::intake::Intake;
use crate::error::{Error, Why};
use files::Files;
use pages::{Database, Item, Kind};
use products::{Columns, Side, TABLES, failed};
use record::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
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
    if file.kind != Kind::Table {
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
        if item.kind != Kind::Table || !copy(database, item, &side, intake)? {
            return Ok(false);
        }
    }
    side.run("COMMIT").map_err(&failed)?;
    let mut files = Files::new(columns, &side, deltas, intake)?;
    files.scan(database, (&schema, file), &side, intake)?;
    files.finish(deltas, intake).map(|()| true)
}

fn find_item<'a>(schema: &'a [Item], name: &str) -> Option<&'a Item> {
    schema.iter().find(|item| item.name.eq_ignore_ascii_case(name))
}

/// Copies a small table; false if it is no plain one.
fn copy(database: &Database, item: &Item, side: &Side, intake: &Intake<'_>) -> Result<bool, Error> {
    let failed = failed(intake);
    side.create_as(&item.sql).map_err(&failed)?;
    let columns = side.columns(&item.name).map_err(&failed)?;
    if columns.plain {
        let mut insertion = side.insertion(&item.name, columns.names.len()).map_err(&failed)?;
        database.rows(item.root, |number, values| {
            let mut values: Vec<_> = values.iter().map(owned).collect();
            values.resize(columns.names.len(), rusqlite::types::Value::Null);
            if let Some(place) = columns.row_number {
                values[place] = rusqlite::types::Value::Integer(number);
            }
            insertion.execute(params_from_iter(values)).map(drop).map_err(&failed)
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
    let mut files = Files::new(columns, &side, deltas, intake)?;
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
    let mut insertion = side.insertion(table, names.len())?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values: Vec<rusqlite::types::Value> =
            (0..names.len()).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        insertion.execute(params_from_iter(values))?;
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
