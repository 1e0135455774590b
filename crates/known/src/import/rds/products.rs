//! The small tables of an RDS, which describe packages. They are kept in an SQLite database in memory, so that deltas
//! can change them by any statement.

use super::super::intake::Intake;
use super::guard::{Guard, Role, confine, why};
use crate::build::{BuildProgress, DetailNumber};
use crate::error::{Error, Why};
use crate::{Detail, Product};
use hashbrown::HashMap;
use rusqlite::{Connection, Statement};
use std::sync::Arc;

/// The tables, and the columns needed of each. A table without them stays empty.
pub(super) const TABLES: [(&str, &[&str]); 4] = [
    (
        "PKG",
        &[
            "package_id",
            "name",
            "version",
            "operating_system_id",
            "manufacturer_id",
            "language",
            "application_type",
        ],
    ),
    ("OS", &["operating_system_id", "name", "version", "manufacturer_id"]),
    ("MFG", &["manufacturer_id", "name"]),
    ("VERSION", &["version", "build_set"]),
];

/// The page size of the database in memory.
const PAGE: u64 = 4096;

/// The most steps for creating a table, which do not depend on any size.
const STEPS_OF_TABLE: u64 = 1_000_000;

/// The steps that a statement of a delta may take: a base, and more for each of its bytes.
const STEPS_OF_STATEMENT: (u64, u64) = (100_000_000, 10_000);

/// The most operating systems and manufacturers joined with a package, on average. An RDS has one.
const JOINED: u64 = 16;

/// The small tables of a database, in memory.
pub(super) struct SideTables {
    connection: Connection,
    guard: Guard,
    /// The memory limit in bytes.
    pub most: u64,
    progress: Arc<BuildProgress>,
}

impl SideTables {
    /// Starts without tables. They may take as much memory as the input's details.
    pub fn new(intake: &Intake<'_>) -> Result<Self, rusqlite::Error> {
        let (most, progress) = (intake.room(), intake.progress());
        let mut connection = Connection::open_in_memory()?;
        let pages = format!("PRAGMA page_size = {PAGE}; PRAGMA max_page_count = {}", most / PAGE);
        connection.execute_batch(&pages)?;
        confine(&connection)?;
        let tables = TABLES.map(|(table, _)| table.to_string()).to_vec();
        let guard = Guard::set(&mut connection, tables, &progress)?;
        Ok(SideTables { connection, guard, most, progress })
    }

    /// Creates a table with its statement from the database. Anything else in such a statement is rejected.
    pub fn create_as(&self, table: &str, sql: &str) -> Result<(), Why> {
        let work = || self.connection.execute(sql, []).map(drop);
        let made = self.guard.within(Role::Table, STEPS_OF_TABLE, work);
        made.map_err(|source| self.why(&format!("the table {table}"), source))
    }

    /// Runs a statement of a delta; `what` names it in messages.
    pub fn script(&self, what: &str, sql: &str) -> Result<(), Why> {
        let (least, each) = STEPS_OF_STATEMENT;
        let work = || self.connection.execute(sql, []).map(drop);
        let done = self.guard.within(Role::Script, least + each * sql.len() as u64, work);
        done.map_err(|source| self.why(what, source))
    }

    /// Interprets an error caused by `what`.
    pub fn why(&self, what: &str, source: rusqlite::Error) -> Why {
        why(what, source, self.most, &self.progress)
    }

    /// Creates a table with columns of these names.
    pub fn create(&self, table: &str, columns: &[String]) -> Result<(), rusqlite::Error> {
        let columns: Vec<_> = columns.iter().map(|name| quoted(name)).collect();
        self.run(&format!("CREATE TABLE {table} ({})", columns.join(", ")))
    }

    /// Returns the columns of a table, in order, and the one that represents the row number.
    pub fn columns(&self, table: &str) -> Result<Columns, rusqlite::Error> {
        let sql = format!("SELECT name, type, pk, hidden FROM pragma_table_xinfo({})", quoted(table));
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut columns = Columns { names: Vec::new(), row_number: None, plain: true };
        let mut keys = 0;
        while let Some(row) = rows.next()? {
            let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
            let (key, hidden): (i64, i64) = (row.get(2)?, row.get(3)?);
            keys += i64::from(key > 0);
            if key > 0 && kind.eq_ignore_ascii_case("INTEGER") {
                columns.row_number = Some(columns.names.len());
            }
            columns.plain &= hidden == 0;
            columns.names.push(name.to_ascii_lowercase());
        }
        columns.row_number = columns.row_number.filter(|_| keys == 1);
        let sql = format!("SELECT wr FROM pragma_table_list({})", quoted(table));
        let without: i64 = self.connection.query_row(&sql, [], |row| row.get(0)).unwrap_or(0);
        columns.plain &= without == 0;
        Ok(columns)
    }

    /// Returns the indexes of a table that its own statement creates.
    pub fn indexes(&self, table: &str) -> Result<Vec<IndexColumns>, rusqlite::Error> {
        let sql = format!(
            "SELECT l.name, x.cid FROM pragma_index_list({}) AS l, pragma_index_xinfo(l.name) AS x
             WHERE l.partial = 0 AND l.origin IN ('pk', 'u') ORDER BY l.seq, x.seqno",
            quoted(table)
        );
        let mut statement = self.connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut indexes: Vec<IndexColumns> = Vec::new();
        while let Some(row) = rows.next()? {
            let (name, column): (String, i64) = (row.get(0)?, row.get(1)?);
            if indexes.last().is_none_or(|(last, _)| *last != name) {
                indexes.push((name, Vec::new()));
            }
            if let Some((_, columns)) = indexes.last_mut() {
                columns.push(usize::try_from(column).ok());
            }
        }
        Ok(indexes)
    }

    /// Prepares a statement that adds a row of this many values; many times faster inside one transaction.
    pub fn insertion(&self, table: &str, values: usize) -> Result<Statement<'_>, rusqlite::Error> {
        let marks = vec!["?"; values].join(", ");
        self.connection.prepare(&format!("INSERT OR IGNORE INTO {table} VALUES ({marks})"))
    }

    /// Runs statements of this crate.
    pub fn run(&self, sql: &str) -> Result<(), rusqlite::Error> {
        self.connection.execute_batch(sql)
    }

    /// Returns the name of the database: its build set and version.
    pub fn name(&self) -> Option<String> {
        if self.columns("VERSION").ok()?.names.is_empty() {
            return None;
        }
        let [version, set] = ["version", "build_set"].map(|name| self.text("VERSION", name));
        let sql = format!("SELECT {version}, {set} FROM VERSION ORDER BY rowid DESC LIMIT 1");
        let pair = self.connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
        let (version, set): (String, String) = pair.ok()?;
        Some(format!("NSRL RDS {version} {set}").trim_end().to_string())
    }

    /// Returns an expression for a column as text; empty text if the column is missing.
    fn text(&self, table: &str, column: &str) -> String {
        let there = self.columns(table).is_ok_and(|columns| columns.place(column).is_some());
        match there {
            true => format!("coalesce(CAST({table}.{column} AS TEXT), '')"),
            false => "''".to_string(),
        }
    }

    /// Returns all packages, with the details of their files.
    pub fn packages(&self, intake: &mut Intake<'_>) -> Result<Packages, Error> {
        let failed = failed(intake);
        let endless = Error::new(&intake.path, Why::Endless("the join of PKG, OS and MFG".into()));
        self.join(intake).map_err(failed)?.ok_or(endless)
    }

    /// Returns `None` if the tables have far more rows for a number than those of an RDS.
    fn join(&self, intake: &mut Intake<'_>) -> Result<Option<Packages>, rusqlite::Error> {
        for (table, columns) in TABLES {
            if self.columns(table)?.names.is_empty() {
                self.create(table, &columns.iter().map(|name| name.to_string()).collect::<Vec<_>>())?;
            }
        }
        let mut details = HashMap::new();
        let count = self.connection.query_row("SELECT count(*) FROM PKG", [], |row| row.get::<_, i64>(0))?;
        let mut left = (count.unsigned_abs() + 1000) * JOINED;
        let mut statement = self.connection.prepare(&self.selection())?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            left -= 1;
            if left == 0 {
                return Ok(None);
            }
            let text = |at: usize| row.get::<_, String>(at).map(String::into_boxed_str);
            let Ok(package) = row.get::<_, String>(0)?.parse::<i64>() else { continue };
            let (name, version, language, kind) = (text(1)?, text(2)?, text(3)?, text(4)?);
            let (os, os_version, manufacturer) = (text(5)?, text(6)?, text(7)?);
            let product = Product { name, version, manufacturer, os, os_version, language };
            let types = if kind.is_empty() { Vec::new() } else { vec![kind] };
            let row = Detail { product: Some(product), types, ..intake.detail() };
            let detail = details.entry(package).or_insert_with(|| intake.detail());
            *detail = detail.union(&row);
        }
        let none = intake.number(&intake.detail());
        let number = |(package, detail): (i64, Detail)| (package, intake.number(&detail));
        let far: HashMap<i64, DetailNumber> = details.into_iter().map(number).collect();
        intake.rank();
        let near = (0..2 * far.len() as i64).map(|package| *far.get(&package).unwrap_or(&none)).collect();
        Ok(Some(Packages { near, far, none }))
    }

    fn selection(&self) -> String {
        let pkg = ["package_id", "name", "version", "language", "application_type"];
        let text = |table: &str, column: &str| self.text(table, column);
        let parts = pkg.map(|name| text("PKG", name));
        // SQLite creates an index for the join only for materialized tables; without one the join takes hours.
        format!(
            "WITH O AS MATERIALIZED (SELECT {} AS id, {} AS name, {} AS version FROM OS),
             M AS MATERIALIZED (SELECT {} AS id, {} AS name FROM MFG)
             SELECT {}, coalesce(O.name, ''), coalesce(O.version, ''), coalesce(M.name, '')
             FROM PKG LEFT JOIN O ON O.id = {} LEFT JOIN M ON M.id = {}",
            text("OS", "operating_system_id"),
            text("OS", "name"),
            text("OS", "version"),
            text("MFG", "manufacturer_id"),
            text("MFG", "name"),
            parts.join(", "),
            text("PKG", "operating_system_id"),
            text("PKG", "manufacturer_id"),
        )
    }
}

/// The name of an index, and the table's column for each value of its rows; `None` for the row number.
pub(super) type IndexColumns = (String, Vec<Option<usize>>);

pub(super) struct Columns {
    /// The names in lower case.
    pub names: Vec<String>,
    /// The column that stands for the row number and is not stored in the row.
    pub row_number: Option<usize>,
    /// Whether rows are stored as declared, in a tree by their numbers.
    pub plain: bool,
}

impl Columns {
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|column| column == name)
    }
}

/// Quotes any name for SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The details of the files of each package.
pub(super) struct Packages {
    /// The details of the first packages, indexed by package: most sets number theirs from 1.
    near: Vec<DetailNumber>,
    far: HashMap<i64, DetailNumber>,
    /// The detail of files in no known package.
    none: DetailNumber,
}

impl Packages {
    /// Returns the number of the detail of a file in this package.
    pub fn number(&self, package: Option<i64>) -> DetailNumber {
        let Some(package) = package else { return self.none };
        let near = usize::try_from(package).ok().and_then(|at| self.near.get(at));
        *near.or_else(|| self.far.get(&package)).unwrap_or(&self.none)
    }
}

/// Converts an error of SQLite, with the input that it is about.
pub(super) fn failed(intake: &Intake<'_>) -> impl Fn(rusqlite::Error) -> Error + use<> {
    failed_in("the database", intake)
}

/// Like [`failed`], naming the part of the input.
pub(super) fn failed_in(what: &str, intake: &Intake<'_>) -> impl Fn(rusqlite::Error) -> Error + use<> {
    let (what, path, most, progress) =
        (what.to_string(), intake.path.clone(), intake.room(), intake.progress());
    move |source| Error::new(&path, why(&what, source, most, &progress))
}
