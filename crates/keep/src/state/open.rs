//! Opening: a new state, or one whose seal is checked.

use super::{Root, Run, State};
use crate::error::{Error, Why};
use crate::row::{self, COLUMNS};
use crate::{Kept, Seal};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, ToSql, params};
use std::path::Path;

/// Marks a database as a state.
const APPLICATION: i64 = 0x686d_7363;

/// The version of the tables below.
const VERSION: i64 = 1;

/// The pages of the log after which it is merged into the database: 64 MiB.
const LOG_PAGES: i64 = 16 << 10;

/// The pages of the database that stay in memory, and those of temporary tables: 16 MiB each.
const CACHED_KIB: i64 = 16 << 10;

/// The longest value in bytes that a row may have: a path, or digests.
const MOST_BYTES: i32 = 1 << 20;

/// The tables. Of them, only `seal` is not sealed.
const TABLES: [(&str, &str); 7] = [
    ("about", "CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID"),
    (
        "begun",
        "CREATE TABLE begun (path BLOB PRIMARY KEY, stamp BLOB NOT NULL, read BLOB NOT NULL, first BLOB) STRICT, \
         WITHOUT ROWID",
    ),
    (
        "file",
        "CREATE TABLE file (path BLOB PRIMARY KEY, digests BLOB, size INTEGER, device INTEGER, inode INTEGER, \
         mtime INTEGER, mtime_ns INTEGER, ctime INTEGER, ctime_ns INTEGER, proposal BLOB, first INTEGER NOT NULL, \
         last INTEGER NOT NULL, verdict INTEGER, streak INTEGER NOT NULL, run INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    ),
    (
        "history",
        "CREATE TABLE history (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, at INTEGER NOT NULL, path BLOB NOT NULL, \
         was BLOB, became BLOB) STRICT",
    ),
    (
        "repair",
        "CREATE TABLE repair (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, at INTEGER NOT NULL, path BLOB NOT NULL, \
         aside BLOB NOT NULL, step INTEGER NOT NULL, copy_device INTEGER, copy_inode INTEGER, device INTEGER NOT NULL, \
         inode INTEGER NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, \
         ctime INTEGER NOT NULL, ctime_ns INTEGER NOT NULL) STRICT",
    ),
    (
        "run",
        "CREATE TABLE run (id INTEGER PRIMARY KEY, began INTEGER NOT NULL, ended INTEGER, seed INTEGER NOT NULL, \
         files INTEGER NOT NULL, bytes INTEGER NOT NULL, summary TEXT NOT NULL) STRICT",
    ),
    ("seal", "CREATE TABLE seal (sum BLOB NOT NULL) STRICT"),
];

impl State {
    /// Opens a state, or makes one that has digests by these algorithms, and checks that its rows are those that were sealed.
    ///
    /// # Errors
    /// If another process uses it, if it is no state or was altered, or if the algorithms are not those of the state.
    pub fn open(path: &Path, algorithms: Option<&str>) -> Result<State, Error> {
        let opened = connect(path).and_then(|database| {
            let mut state = State {
                database,
                path: path.to_path_buf(),
                seal: Seal::default(),
                algorithms: Box::default(),
                roots: Vec::new(),
                run: None,
                begun: 0,
                witness: None,
            };
            match state.is_empty()? {
                true => state.make(algorithms.unwrap_or("blake3"))?,
                false => state.check()?,
            }
            state.read_about()?;
            state.begun = state.count_begun()?;
            match algorithms {
                Some(names) if *names != *state.algorithms => Err(Why::Algorithms(state.algorithms)),
                _ => Ok(state),
            }
        });
        opened.map_err(|why| Error { path: path.to_path_buf(), why })
    }

    /// Notes the folders that a run is about. Those of the first run stay.
    ///
    /// # Errors
    /// If the state is of other folders.
    pub fn belong_to(&mut self, roots: &[Root]) -> Result<(), Error> {
        let noted = match self.roots.is_empty() {
            true => roots.iter().try_for_each(|root| self.add_root(root)),
            false => roots.iter().try_for_each(|root| self.knows_root(root)),
        };
        noted.map_err(|why| self.error(why))
    }

    /// Checks that the clock is not behind that of an earlier run.
    ///
    /// # Errors
    /// If it is, or the database can't be read.
    pub fn check_clock(&self, now: i64) -> Result<(), Error> {
        let checked = self.last_time().and_then(|last| match last {
            Some(last) if last > now => Err(Why::Clock { last, now }),
            _ => Ok(()),
        });
        checked.map_err(|why| self.error(why))
    }

    /// Begins a run: gives it a number.
    ///
    /// # Errors
    /// If the clock is behind that of an earlier run, or the database can't be written.
    pub fn begin(&mut self, now: i64, seed: u64) -> Result<Run, Error> {
        self.check_clock(now)?;
        let run = self.insert_run(now, seed).map_err(|why| self.error(why))?;
        self.run = Some(run);
        Ok(run)
    }

    fn is_empty(&self) -> Result<bool, Why> {
        Ok(self.database.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?)
    }

    fn make(&mut self, algorithms: &str) -> Result<(), Why> {
        for (_, table) in TABLES {
            self.database.execute_batch(table)?;
        }
        self.database.pragma_update(None, "application_id", APPLICATION)?;
        self.database.pragma_update(None, "user_version", VERSION)?;
        self.database.execute("INSERT INTO seal VALUES (?)", [self.seal.bytes()])?;
        self.add_about("algorithms", algorithms.as_bytes())?;
        self.seal_up()
    }

    /// Checks that the database is a state of this version, and that its rows are those that were sealed.
    fn check(&mut self) -> Result<(), Why> {
        let pragma = |name| self.database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        if pragma("application_id")? != APPLICATION {
            return Err(Why::NotAState);
        }
        match pragma("user_version")? {
            VERSION => {}
            other => return Err(Why::Version(other)),
        }
        let mut statement = self
            .database
            .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")?;
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(String, String)> = found.collect::<Result<_, _>>()?;
        drop(statement);
        if !found.iter().map(|(name, table)| (name.as_str(), table.as_str())).eq(TABLES) {
            return Err(Why::Schema);
        }
        let sealed: Vec<u8> = self.database.query_row("SELECT sum FROM seal", [], |row| row.get(0))?;
        self.seal = self.sum()?;
        if Seal::of_bytes(&sealed).as_ref() == Some(&self.seal) { Ok(()) } else { Err(Why::Altered) }
    }

    /// Computes the seal of all rows.
    fn sum(&self) -> Result<Seal, Why> {
        let mut seal = Seal::default();
        let mut files = self.database.prepare(&format!("SELECT {COLUMNS} FROM file"))?;
        let mut rows = files.query([])?;
        while let Some(row) = rows.next()? {
            seal.add(&row::sealed(&row::of_row(row)?));
        }
        for (tag, query) in [
            (b'a', "SELECT name, value FROM about"),
            (b'b', "SELECT path, stamp, read, first FROM begun"),
            (b'h', "SELECT id, run, at, path, was, became FROM history"),
            (b'p', &format!("SELECT {} FROM repair", super::repairs::COLUMNS)),
            (b'r', "SELECT id, began, ended, seed, files, bytes, summary FROM run"),
        ] {
            let mut statement = self.database.prepare(query)?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                seal.add(&row::sealed_values(tag, row, columns)?);
            }
        }
        Ok(seal)
    }

    fn read_about(&mut self) -> Result<(), Why> {
        let mut statement = self.database.prepare("SELECT name, value FROM about ORDER BY name")?;
        let rows =
            statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
        let (mut algorithms, mut roots) = (None, Vec::new());
        for row in rows {
            let (name, value) = row?;
            match name.as_str() {
                "algorithms" => algorithms = String::from_utf8(value).ok(),
                name if name.starts_with("root ") => roots.push(split(&value).ok_or(Why::Row)?),
                _ => return Err(Why::Row),
            }
        }
        drop(statement);
        (self.algorithms, self.roots) = (algorithms.ok_or(Why::Row)?.into(), roots);
        Ok(())
    }

    pub(super) fn add_about(&mut self, name: &str, value: &[u8]) -> Result<(), Why> {
        self.database.execute("INSERT INTO about VALUES (?, ?)", params![name, value])?;
        self.seal_row(b'a', "SELECT name, value FROM about WHERE name = ?", name, Seal::add)
    }

    fn add_root(&mut self, root: &Root) -> Result<(), Why> {
        if self.roots.iter().any(|known| known.name == root.name) {
            return Ok(());
        }
        self.add_about(&format!("root {:06}", self.roots.len()), &root.as_bytes())?;
        self.roots.push(root.clone());
        Ok(())
    }

    fn knows_root(&self, root: &Root) -> Result<(), Why> {
        match self.roots.iter().find(|known| known.name == root.name) {
            None => Err(Why::OtherTree(self.roots.iter().map(|known| known.name.clone()).collect())),
            Some(was) if was.place != root.place => {
                Err(Why::Elsewhere(root.name.clone(), was.place.clone(), root.place.clone()))
            }
            Some(_) => Ok(()),
        }
    }

    fn last_time(&self) -> Result<Option<i64>, Why> {
        Ok(self
            .database
            .query_row("SELECT max(max(began, coalesce(ended, began))) FROM run", [], |row| row.get(0))?)
    }

    fn insert_run(&mut self, now: i64, seed: u64) -> Result<Run, Why> {
        let insert = "INSERT INTO run (began, seed, files, bytes, summary) VALUES (?, ?, 0, 0, '')";
        self.database.execute(insert, params![now, seed as i64])?;
        let number = self.database.last_insert_rowid();
        self.seal_run(number, Seal::add)?;
        Ok(Run { number, began: now, seed })
    }

    /// Adds the row of a run to the seal, or takes it away.
    pub(super) fn seal_run(&mut self, number: i64, change: fn(&mut Seal, &[u8])) -> Result<(), Why> {
        let query = "SELECT id, began, ended, seed, files, bytes, summary FROM run WHERE id = ?";
        self.seal_row(b'r', query, number, change)
    }

    /// Adds a row to the seal as it is in the database, or takes it away.
    pub(super) fn seal_row(
        &mut self,
        tag: u8,
        query: &str,
        key: impl ToSql,
        change: fn(&mut Seal, &[u8]),
    ) -> Result<(), Why> {
        let mut statement = self.database.prepare_cached(query)?;
        let columns = statement.column_count();
        let row = statement.query_row([key], |row| Ok(row::sealed_values(tag, row, columns)))??;
        change(&mut self.seal, &row);
        Ok(())
    }

    /// Returns all files in the order of their paths.
    ///
    /// # Errors
    /// If the database can't be read, or `each` fails.
    pub fn each(&self, each: &mut dyn FnMut(Kept) -> Result<(), Error>) -> Result<(), Error> {
        let query = format!("SELECT {COLUMNS} FROM file ORDER BY path");
        let mut statement = self.database.prepare(&query).map_err(|error| self.error(error.into()))?;
        let mut rows = statement.query([]).map_err(|error| self.error(error.into()))?;
        while let Some(row) = rows.next().map_err(|error| self.error(error.into()))? {
            each(row::of_row(row).map_err(|why| self.error(why))?)?;
        }
        Ok(())
    }
}

/// Opens a database for this process alone, and begins to write.
fn connect(path: &Path) -> Result<Connection, Why> {
    // A link that somebody put there would choose where the state is made.
    if path.is_symlink() && !path.exists() {
        return Err(Why::Dangling);
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    database.busy_timeout(std::time::Duration::ZERO)?;
    // The file may be anybody's: nothing in its schema is run.
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    database.set_limit(Limit::SQLITE_LIMIT_LENGTH, MOST_BYTES)?;
    // Held by this process, the log of changes needs no shared memory, and works on network file systems, too.
    database.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    let mode: String = database.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    debug_assert!(mode == "wal");
    database.pragma_update(None, "synchronous", "NORMAL")?;
    // The log is merged rarely: each time waits for the disk.
    database.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    database.pragma_update(None, "cell_size_check", true)?;
    database.pragma_update(None, "temp_store", "FILE")?;
    for schema in ["main", "temp"] {
        database.pragma_update(Some(schema), "cache_size", -CACHED_KIB)?;
    }
    database.execute_batch("BEGIN IMMEDIATE")?;
    Ok(database)
}

impl Root {
    /// Returns its name after the length of that, and its place.
    pub(super) fn as_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        row::put(&mut bytes, &self.name);
        bytes.extend(&self.place);
        bytes
    }
}

/// Reads a folder: its name, whose length stands before it, and its place.
fn split(value: &[u8]) -> Option<Root> {
    let (length, rest) = value.split_first_chunk::<8>()?;
    let (name, place) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some(Root { name: name.into(), place: place.into() })
}
