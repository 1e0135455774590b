//! NSRL RDS v3: SQLite databases, minimal and full, of any release.
//!
//! Columns are found by name, since releases differ. Plain tables are read page by page, in the order of the file and
//! on several threads, which takes a third of SQLite's time for three million rows, and also works inside an archive;
//! full sets, where `FILE` is a view, are read by SQLite.
//!
//! A database is not trusted. An RDS has only tables, indexes and views of their columns; anything else is rejected,
//! and [`guard`] limits SQLite.

mod batch;
mod delta;
mod files;
mod guard;
mod limits;
mod pages;
mod parallel_scan;
mod products;
mod record;
mod sql;
mod tree;

use super::input::Input;
use super::intake::Intake;
use crate::error::{Error, Why};
use files::Files;
use guard::{Guard, Role};
use hashmill_manifest::database;
use hashmill_os::SharedFile;
use limits::MOST_ITEMS;
use pages::{Database, Item, SchemaKind, find_item};
use products::{Columns, SideTables, TABLES, failed, failed_in};
use record::Value;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement, params_from_iter};
use std::path::Path;

/// Imports a database that is a file.
///
/// A log or journal with changes beside `path` is an error. SQLite opens `path` if it has to read the database.
pub(super) fn import_file(
    path: &Path,
    file: &SharedFile,
    intake: &mut Intake<'_>,
    deltas: &[Input],
) -> Result<(), Error> {
    intake.format("nsrl-3");
    let length = file.length().map_err(Error::io(path, "open"))?;
    database::is_merged(path).map_err(|why| Error::new(&intake.path, Why::Database(why.into())))?;
    if let Some(database) = Database::open(&intake.path, file, 0, length)?
        && import_pages(&database, intake, deltas)?
    {
        return Ok(());
    }
    import_by_sqlite(path, intake, deltas)
}

/// Imports a database inside another file. Returns false, without importing anything, if only SQLite can read it, for
/// which it must be a separate file.
#[cfg(feature = "archives")]
pub(super) fn import_inside(
    file: &SharedFile,
    (base, length): (u64, u64),
    intake: &mut Intake<'_>,
    deltas: &[Input],
) -> Result<bool, Error> {
    intake.format("nsrl-3");
    match Database::open(&intake.path, file, base, length)? {
        Some(database) => import_pages(&database, intake, deltas),
        None => Ok(false),
    }
}

/// Imports a database page by page; returns false if its `FILE` is not a plain table.
fn import_pages(database: &Database, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<bool, Error> {
    let schema = database.schema()?;
    is_of_rds(&schema).map_err(|why| database.error(why))?;
    let failed = failed(intake);
    let side = SideTables::new(intake).map_err(&failed)?;
    let file = find_item(&schema, "FILE").ok_or_else(|| Error::new(&intake.path, Why::Table("FILE")))?;
    if file.kind != SchemaKind::Table {
        return Ok(false);
    }
    side.create_as("FILE", &file.sql).map_err(|why| database.error(why))?;
    let columns = side.columns("FILE").map_err(&failed)?;
    if !columns.plain {
        return Ok(false);
    }
    side.run("BEGIN").map_err(&failed)?;
    for (table, _) in TABLES {
        let Some(item) = find_item(&schema, table) else { continue };
        if item.kind != SchemaKind::Table || !copy(database, item, &side, intake)? {
            return Ok(false);
        }
    }
    side.run("COMMIT").map_err(&failed)?;
    let mut files = Files::new(columns, &side, deltas, intake)?;
    files.scan(database, (&schema, file), &side, intake)?;
    files.finish(deltas, intake).map(|()| true)
}

/// Checks that a database has only tables, indexes and views. Triggers and virtual tables are never run here, but no
/// RDS has any, so a database with one is suspect.
fn is_of_rds(schema: &[Item]) -> Result<(), Why> {
    let foreign = schema.iter().find_map(|item| {
        let kind = match item.kind {
            SchemaKind::Table | SchemaKind::Index | SchemaKind::View => return None,
            SchemaKind::Trigger => "trigger",
            SchemaKind::Virtual => "virtual table",
            SchemaKind::Other => "part of an unknown kind",
        };
        Some(Why::Foreign { kind, name: item.name.as_str().into() })
    });
    foreign.map_or(Ok(()), Err)
}

/// Copies a small table; returns false if it is not a plain one.
fn copy(database: &Database, item: &Item, side: &SideTables, intake: &Intake<'_>) -> Result<bool, Error> {
    let failed = failed(intake);
    side.create_as(&item.name, &item.sql).map_err(|why| database.error(why))?;
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

/// The minimal size in bytes of a table's row in a database, with its cell pointer.
const LEAST_OF_ROW: u64 = 8;

/// Steps of SQLite's virtual machine for each byte of a database: many times the needs of a full set's views.
const STEPS_OF_BYTE: u64 = 64;

/// The limits of steps and rows for the smallest database.
const STEPS: u64 = 50_000_000;
const ROWS: u64 = 1000;

/// A database that SQLite reads.
struct SqliteSource {
    connection: Connection,
    guard: Guard,
    /// The most rows that a view may return.
    rows: u64,
    steps: u64,
}

impl SqliteSource {
    fn open(path: &Path, intake: &Intake<'_>) -> Result<Self, Error> {
        let failed = failed(intake);
        let opened = database::open(path);
        let mut connection = opened.map_err(|why| Error::new(&intake.path, Why::Database(why.into())))?;
        guard::confine(&connection).map_err(&failed)?;
        connection.execute_batch("PRAGMA query_only = ON").map_err(&failed)?;
        let tables = names(&connection).map_err(&failed)?;
        let tables = tables.map_err(|why| Error::new(&intake.path, why))?;
        let guard = Guard::set(&mut connection, tables, &intake.progress()).map_err(&failed)?;
        let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
        let (rows, steps) = (bytes / LEAST_OF_ROW + ROWS, bytes.saturating_mul(STEPS_OF_BYTE) + STEPS);
        Ok(SqliteSource { connection, guard, rows, steps })
    }

    /// Selects all rows of a table or view, if it exists.
    fn select(&self, table: &str, intake: &Intake<'_>) -> Result<Option<Statement<'_>>, Error> {
        let failed = failed_in(&called(table), intake);
        let sql = "SELECT count(*) FROM sqlite_schema
            WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
        let there: i64 = self.connection.query_row(sql, [table], |row| row.get(0)).map_err(&failed)?;
        let prepare = || self.connection.prepare(&format!("SELECT * FROM {table}"));
        let statement = (there > 0).then(|| self.guard.within(Role::View, self.steps, prepare));
        statement.transpose().map_err(failed)
    }

    /// Passes each row of a table or view, with its number from 1 and its values.
    fn rows<'i>(
        &self,
        statement: &mut Statement<'_>,
        table: &str,
        intake: &mut Intake<'i>,
        mut take: impl FnMut(u64, &[ValueRef<'_>], &mut Intake<'i>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = failed_in(&called(table), intake);
        let width = statement.column_count();
        let mut rows = statement.query([]).map_err(&failed)?;
        let mut number = 0;
        self.guard.begin(Role::View, self.steps);
        while let Some(row) = rows.next().map_err(&failed)? {
            number += 1;
            if number > self.rows {
                return Err(Error::new(&intake.path, Why::Endless(called(table).into())));
            }
            let values: Vec<_> =
                (0..width).map(|at| row.get_ref(at)).collect::<Result<_, _>>().map_err(&failed)?;
            take(number, &values, intake)?;
        }
        self.guard.begin(Role::Own, 0);
        Ok(())
    }
}

fn called(table: &str) -> String {
    format!("the table or view {table}")
}

/// Returns the names of all tables and views, if the database has nothing that an RDS lacks.
fn names(connection: &Connection) -> Result<Result<Vec<String>, Why>, rusqlite::Error> {
    let mut statement = connection.prepare("SELECT type, name, rootpage, sql FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        // Text that is not UTF-8 would make SQLite's interface fail later.
        let text = |at: usize| match row.get_ref(at) {
            Ok(rusqlite::types::ValueRef::Text(text)) => str::from_utf8(text).ok().map(str::to_string),
            _ => Some(String::new()),
        };
        let (Some(kind), Some(name), Some(sql)) = (text(0), text(1), text(3)) else {
            return Ok(Err(Why::Foreign { kind: "name or statement that is not text", name: "?".into() }));
        };
        let root = row.get::<_, Option<u32>>(2)?.unwrap_or(0);
        if items.len() == MOST_ITEMS {
            return Ok(Err(Why::Endless("the schema".into())));
        }
        items.push(Item { kind: SchemaKind::from_word(&kind, root), name, root, sql });
    }
    if let Err(why) = is_of_rds(&items) {
        return Ok(Err(why));
    }
    for (kind, sql) in COMPUTED {
        let mut statement = connection.prepare(sql)?;
        if let Some(row) = statement.query([])?.next()? {
            return Ok(Err(Why::Foreign { kind, name: row.get::<_, String>(0)?.into() }));
        }
    }
    let readable = items.into_iter().filter(|item| matches!(item.kind, SchemaKind::Table | SchemaKind::View));
    Ok(Ok(readable.map(|item| item.name).collect()))
}

/// Kinds of computed items, with queries that find one.
const COMPUTED: [(&str, &str); 2] = [
    (
        "generated column",
        "SELECT m.name || '.' || x.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x
         WHERE m.type = 'table' AND x.hidden <> 0",
    ),
    (
        "index on an expression",
        "SELECT m.name FROM sqlite_schema AS m, pragma_index_xinfo(m.name) AS x
         WHERE m.type = 'index' AND x.cid = -2",
    ),
];

/// Imports a database by querying SQLite for its rows.
fn import_by_sqlite(path: &Path, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let asked = SqliteSource::open(path, intake)?;
    let side = SideTables::new(intake).map_err(failed(intake))?;
    for (table, _) in TABLES {
        copy_by_sqlite(&asked, table, &side, intake)?;
    }
    let Some(mut statement) = asked.select("FILE", intake)? else {
        return Err(Error::new(&intake.path, Why::Table("FILE")));
    };
    let names = statement.column_names().map(str::to_ascii_lowercase).collect();
    let columns = Columns { names, row_number: None, plain: false };
    let mut files = Files::new(columns, &side, deltas, intake)?;
    asked.rows(&mut statement, "FILE", intake, |number, values, intake| {
        let values: Vec<_> = values.iter().copied().map(borrowed).collect();
        files.take(number as i64, &values, intake)
    })?;
    files.finish(deltas, intake)
}

fn copy_by_sqlite(
    asked: &SqliteSource,
    table: &str,
    side: &SideTables,
    intake: &mut Intake<'_>,
) -> Result<(), Error> {
    let failed = failed_in(&called(table), intake);
    let Some(mut statement) = asked.select(table, intake)? else { return Ok(()) };
    let names: Vec<_> = statement.column_names().map(str::to_string).collect();
    side.create(table, &names).map_err(&failed)?;
    side.run("BEGIN").map_err(&failed)?;
    let mut insertion = side.insertion(table, names.len()).map_err(&failed)?;
    asked.rows(&mut statement, table, intake, |_, values, _| {
        let values = values.iter().map(|value| rusqlite::types::Value::try_from(*value));
        let values: Vec<_> = values.map(|value| value.unwrap_or(rusqlite::types::Value::Null)).collect();
        insertion.execute(params_from_iter(values)).map(drop).map_err(&failed)
    })?;
    side.run("COMMIT").map_err(&failed)
}

fn borrowed(value: ValueRef<'_>) -> Value<'_> {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Text(text) => Value::Text(text),
        _ => Value::Other,
    }
}
