//! A database that SQLite reads, after its schema was checked.

use super::guard::{self, Guard, MOST_ITEMS, Role};
use crate::error::{Error, Why};
use crate::import::intake::Intake;
use hashmill_manifest::database;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Statement};
use std::path::Path;

/// The minimal size in bytes of a table's row in a database, with its cell pointer.
const LEAST_OF_ROW: u64 = 8;

/// Steps of SQLite's virtual machine for each byte of a database: many times the needs of a full set's views.
const STEPS_OF_BYTE: u64 = 64;

/// The limits of steps and rows for the smallest database.
const STEPS: u64 = 50_000_000;
const ROWS: u64 = 1000;

/// The steps that a statement of a delta may take besides: a base, and more for each of its bytes.
const STEPS_OF_STATEMENT: (u64, u64) = (100_000_000, 10_000);

const INSERT: &str = "INSERT";

/// The settings for changes of a copy, which is of no use if they fail.
const CHANGES: &str = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY";

pub(super) struct RdsDatabase {
    connection: Connection,
    guard: Guard,
    /// The most rows that a table or view may return.
    rows: u64,
    steps: u64,
}

/// All rows of a table or view: the number of each, then its values.
pub(super) struct Rows<'d> {
    table: &'static str,
    statement: Statement<'d>,
}

impl Rows<'_> {
    /// Returns the names of the columns.
    pub fn columns(&self) -> Vec<String> {
        self.statement.column_names().skip(1).map(str::to_string).collect()
    }
}

impl RdsDatabase {
    /// Opens a database for reading.
    pub fn open(path: &Path, intake: &Intake<'_>) -> Result<Self, Error> {
        let opened = database::open(path);
        let connection = opened.map_err(|why| Error::new(&intake.path, Why::Database(why.into())))?;
        connection.execute_batch("PRAGMA query_only = ON").map_err(failed(intake))?;
        Self::new(path, connection, intake)
    }

    /// Opens a copy of a database, which deltas change.
    pub fn open_copy(path: &Path, intake: &Intake<'_>) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed(intake))?;
        connection.execute_batch(CHANGES).map_err(failed(intake))?;
        Self::new(path, connection, intake)
    }

    fn new(path: &Path, mut connection: Connection, intake: &Intake<'_>) -> Result<Self, Error> {
        let failed = failed(intake);
        guard::confine(&connection).map_err(&failed)?;
        let tables = names(&connection).map_err(&failed)?;
        let tables = tables.map_err(|why| Error::new(&intake.path, why))?;
        let guard = Guard::set(&mut connection, tables, &intake.progress()).map_err(&failed)?;
        let mut database = RdsDatabase { connection, guard, rows: 0, steps: 0 };
        database.measure(path);
        Ok(database)
    }

    /// Sets the limits that follow from the size of the file.
    pub fn measure(&mut self, path: &Path) {
        let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
        self.rows = bytes / LEAST_OF_ROW + ROWS;
        self.steps = bytes.saturating_mul(STEPS_OF_BYTE) + STEPS;
    }

    /// Runs statements of this crate.
    pub fn run(&self, sql: &str, intake: &Intake<'_>) -> Result<(), Error> {
        self.connection.execute_batch(sql).map_err(failed(intake))
    }

    /// Runs a statement of a delta. Rows that are there already are not inserted again.
    pub fn change(&self, sql: &str) -> Result<(), rusqlite::Error> {
        let (least, each) = STEPS_OF_STATEMENT;
        let steps = self.steps + least + each * sql.len() as u64;
        let run =
            |sql: &str| self.guard.within(Role::Script, steps, || self.connection.execute(sql, []).map(drop));
        let is_there = |why: &rusqlite::Error| {
            why.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
                && sql.get(..INSERT.len()).is_some_and(|verb| verb.eq_ignore_ascii_case(INSERT))
        };
        match run(sql) {
            Err(why) if is_there(&why) => run(&format!("{INSERT} OR IGNORE{}", &sql[INSERT.len()..])),
            done => done,
        }
    }

    /// Returns the index of a table's primary key, if it has all columns. In that of `FILE`, the rows of one file are
    /// adjacent.
    pub fn covering_index(&self, table: &str, intake: &Intake<'_>) -> Result<Option<String>, Error> {
        let sql = "SELECT name FROM pragma_index_list(?1) AS l WHERE origin = 'pk'
            AND (SELECT count(*) FROM pragma_index_info(l.name)) = (SELECT count(*) FROM pragma_table_info(?1))";
        self.connection.query_row(sql, [table], |row| row.get(0)).optional().map_err(failed(intake))
    }

    /// Selects all rows of a table or view, if it exists; in the order of this index, if there is one.
    pub fn select(
        &self,
        table: &'static str,
        index: Option<String>,
        intake: &Intake<'_>,
    ) -> Result<Option<Rows<'_>>, Error> {
        let failed = failed_in(&called(table), intake);
        let sql = "SELECT count(*) FROM sqlite_schema
            WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
        let there: i64 = self.connection.query_row(sql, [table], |row| row.get(0)).map_err(&failed)?;
        if there == 0 {
            return Ok(None);
        }
        let index = index.map_or_else(String::new, |name| format!(" INDEXED BY {}", quoted(&name)));
        let prepare = |number: &str| {
            let sql = format!("SELECT {number}, * FROM {table}{index}");
            self.guard.within(Role::View, self.steps, || self.connection.prepare(&sql))
        };
        // Views have no row numbers, and not every table has.
        let statement = prepare("rowid").or_else(|_| prepare("NULL")).map_err(failed)?;
        Ok(Some(Rows { table, statement }))
    }

    /// Passes each row, with its number, or else its place from 1, and its values.
    pub fn each<'i>(
        &self,
        rows: &mut Rows<'_>,
        intake: &mut Intake<'i>,
        mut take: impl FnMut(i64, &[ValueRef<'_>], &mut Intake<'i>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let what = called(rows.table);
        let failed = failed_in(&what, intake);
        let width = rows.statement.column_count();
        let mut rows = rows.statement.query([]).map_err(&failed)?;
        let mut count = 0;
        self.guard.begin(Role::View, self.steps);
        while let Some(row) = rows.next().map_err(&failed)? {
            count += 1;
            if count > self.rows {
                return Err(Error::new(&intake.path, Why::Endless(what.into())));
            }
            let number = row.get::<_, Option<i64>>(0).ok().flatten().unwrap_or(count as i64);
            let values: Vec<_> =
                (1..width).map(|at| row.get_ref(at)).collect::<Result<_, _>>().map_err(&failed)?;
            take(number, &values, intake)?;
        }
        self.guard.begin(Role::Own, 0);
        Ok(())
    }
}

/// Returns the name of a table or view, for messages.
fn called(table: &str) -> String {
    format!("the table or view {table}")
}

/// Quotes any name for SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Converts an error of SQLite, with the input that it is about.
fn failed(intake: &Intake<'_>) -> impl Fn(rusqlite::Error) -> Error + use<> {
    failed_in("the database", intake)
}

/// Like [`failed`], naming the part of the input.
fn failed_in(what: &str, intake: &Intake<'_>) -> impl Fn(rusqlite::Error) -> Error + use<> {
    let (what, path, progress) = (what.to_string(), intake.path.clone(), intake.progress());
    move |source| Error::new(&path, guard::why(&what, source, &progress))
}

/// Returns the names of all tables and views, if the database has nothing that an RDS lacks.
fn names(connection: &Connection) -> Result<Result<Vec<String>, Why>, rusqlite::Error> {
    let mut statement = connection.prepare("SELECT type, name, sql, rootpage > 0 FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    let (mut readable, mut count) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        count += 1;
        if count > MOST_ITEMS {
            return Ok(Err(Why::Endless("the schema".into())));
        }
        let (kind, name) = match item(row) {
            Ok((kind, name)) => (kind, name),
            // Text that is not UTF-8 would make SQLite's interface fail later.
            Err(_) => ("name or statement that is not text", "?".to_string()),
        };
        match kind {
            "table" | "view" => readable.push(name),
            "index" => {}
            _ => return Ok(Err(Why::Foreign { kind, name: name.into() })),
        }
    }
    for (kind, sql) in COMPUTED {
        let found: Option<String> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
        if let Some(name) = found {
            return Ok(Err(Why::Foreign { kind, name: name.into() }));
        }
    }
    Ok(Ok(readable))
}

/// Returns the kind and the name of an item of the schema. Triggers and virtual tables are never run here, but no RDS
/// has any, so a database with one is suspect.
fn item(row: &Row<'_>) -> Result<(&'static str, String), rusqlite::Error> {
    let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
    row.get::<_, Option<String>>(2)?;
    let has_pages = row.get::<_, Option<bool>>(3)?.unwrap_or(false);
    let kind = match kind.as_str() {
        "table" if has_pages => "table",
        "table" => "virtual table",
        "index" => "index",
        "view" => "view",
        "trigger" => "trigger",
        _ => "part of an unknown kind",
    };
    Ok((kind, name))
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
