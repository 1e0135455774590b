//! Opens SQLite databases read-only and ignores every file beside them.
//!
//! SQLite treats a write-ahead log (`NAME-wal`) or a journal (`NAME-journal`) next to a database as part of it. A
//! signature, a seal or a checksum covers the database file alone, so anyone who can put a file next to it could change
//! the rows that are read. Opened as immutable, the database is its own bytes: SQLite reads and creates no other file
//! (`NAME-shm`) and takes no lock. A database with pending changes next to it is refused, so that an old state is never
//! taken for the current one.

use rusqlite::{Connection, OpenFlags};
use std::ffi::OsString;
use std::fmt::{self, Write};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The reason why a database can't be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// This file next to the database holds changes that the database may lack.
    Unmerged(PathBuf),
    /// This file next to the database can't be read, so it may hold changes.
    Unseen(PathBuf, io::Error),
    /// SQLite can't open it.
    Sqlite(rusqlite::Error),
}

/// Opens a database for reading. The file must not change while it is open.
///
/// # Errors
/// If SQLite can't open it, or a log or journal next to it holds changes.
pub fn open(path: &Path) -> Result<Connection, Error> {
    check_merged(path)?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(address(path), flags).map_err(Error::Sqlite)
}

/// Checks that no file next to a database holds pending changes.
///
/// # Errors
/// If one does, or can't be read.
pub fn check_merged(path: &Path) -> Result<(), Error> {
    for ending in ["-wal", "-journal"] {
        let mut name = OsString::from(path);
        name.push(ending);
        let beside = PathBuf::from(name);
        match holds_changes(&beside) {
            Ok(false) => {}
            Ok(true) => return Err(Error::Unmerged(beside)),
            Err(why) => return Err(Error::Unseen(beside, why)),
        }
    }
    Ok(())
}

/// Returns whether a log or journal holds changes. SQLite leaves some behind that are empty or marked as applied.
fn holds_changes(beside: &Path) -> io::Result<bool> {
    match beside.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        // Opening a FIFO would block.
        Ok(meta) if !meta.is_file() => return Ok(true),
        meta => meta?,
    };
    let mut first = [0];
    Ok(File::open(beside)?.read(&mut first)? > 0 && first != [0])
}

/// Returns the URI that opens a database as immutable. A name may contain any byte.
fn address(path: &Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    // Two slashes would start a host name.
    let mut address = String::from(if name.starts_with(b"/") { "file://" } else { "file:" });
    for byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(*byte));
            }
            // Writing to memory can't fail.
            _ => drop(write!(address, "%{byte:02X}")),
        }
    }
    address + "?immutable=1"
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unmerged(beside) => write!(
                f,
                "unmerged changes are next to it in {}, and are not read (if they are yours, \
                 `sqlite3 DATABASE 'PRAGMA journal_mode = DELETE'` merges them; otherwise move that file away)",
                shown(beside)
            ),
            Error::Unseen(beside, why) => {
                write!(
                    f,
                    "unmerged changes may be next to it in {}, which can't be read: {why}",
                    shown(beside)
                )
            }
            Error::Sqlite(source) => source.fmt(f),
        }
    }
}

/// Returns the name of a file next to a database, with control characters escaped.
fn shown(beside: &Path) -> String {
    let name = beside.file_name().unwrap_or_default().to_string_lossy();
    name.chars().flat_map(|letter| letter.escape_debug()).collect()
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Unmerged(_) => None,
            Error::Unseen(_, why) => Some(why),
            Error::Sqlite(source) => Some(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_database_of_any_name_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let names = if cfg!(windows) {
            ["a.db", "a b&mode=rw#x%41.db", "file;a", "\u{e4}'.db"]
        } else {
            ["a.db", "a b?mode=rw#x%41&.db", "file:a", "\u{e4}'\"\\\n.db"]
        };
        for name in names {
            let path = folder.path().join(name);
            let made = Connection::open_with_flags(
                &path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            );
            made.unwrap().execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (7)").unwrap();
            // A slash before a drive is no path.
            let doubled = (!cfg!(windows)).then(|| PathBuf::from(format!("/{}", path.display())));
            for path in [Some(&path), doubled.as_ref()].into_iter().flatten() {
                let found: i64 =
                    open(path).unwrap().query_row("SELECT x FROM t", [], |row| row.get(0)).unwrap();
                assert_eq!(found, 7, "{name}");
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), names.len());
    }

    #[test]
    fn logs_and_journals_with_changes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
        for ending in ["-wal", "-journal"] {
            let beside = folder.path().join(format!("a.db{ending}"));
            for (content, merged) in [(&b""[..], true), (b"\0\0\0", true), (b"\xd9\xd5", false)] {
                fs::write(&beside, content).unwrap();
                assert_eq!(open(&path).is_ok(), merged, "{ending} {content:?}");
            }
            let said = open(&path).unwrap_err().to_string();
            assert!(said.contains(&format!("in a.db{ending}, and are not read")), "{said}");
            fs::remove_file(&beside).unwrap();
            fs::create_dir(&beside).unwrap();
            assert!(matches!(open(&path), Err(Error::Unmerged(_))));
            fs::remove_dir(&beside).unwrap();
        }
    }
}
