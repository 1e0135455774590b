//! The state: a database of what is kept.

mod begun;
mod corrected;
mod look;
mod open;
mod repairs;
mod survey;
mod totals;

pub use begun::Begun;
pub use look::{PastRun, Share};
pub use repairs::{Repair, RepairStep, aside_name};
pub use survey::{Below, LONGEST_PATH, Part};
pub use totals::{ReadTotals, Totals};

use crate::error::{Error, Why};
use crate::judge::Known;
use crate::row::{self, COLUMNS};
use crate::{Kept, Seal, Verdict};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use std::io;
use std::path::{Path, PathBuf};

/// The most rows that are in memory at once.
const ROWS: i64 = 4096;

/// A state that no other process uses.
///
/// All that a run finds is in the database for good after [`State::commit`]: a process that is killed later loses nothing of it.
pub struct State {
    database: Connection,
    path: PathBuf,
    seal: Seal,
    algorithms: Box<str>,
    roots: Vec<Root>,
    run: Option<Run>,
    /// The number of files that were read in part.
    begun: u64,
    witness: Option<Box<Witness>>,
}

/// Gets the seal of what is about to be written, before it is. If it fails, nothing is written.
pub type Witness = dyn FnMut(&Seal) -> io::Result<()>;

/// A folder that a state is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its path as it was named.
    pub name: Box<[u8]>,
    /// Its path from the root of all, without links.
    pub place: Box<[u8]>,
}

/// A run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Its number, from 1.
    pub number: i64,
    /// When it began, in seconds since 1970.
    pub began: i64,
    /// The seed of its order.
    pub seed: u64,
}

/// A verdict on a kept file.
#[derive(Debug)]
pub struct Finding<'a> {
    /// The facts that were kept until now.
    pub kept: &'a Kept,
    /// The verdict.
    pub known: &'a Known,
    /// When, in seconds since 1970.
    pub now: i64,
}

impl State {
    /// Returns the file of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of the algorithms of its digests, with commas between.
    pub fn algorithms(&self) -> &str {
        &self.algorithms
    }

    /// Returns the seal of all that is in it.
    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Returns the folders that it is of.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Returns what is kept of a path.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn find(&self, path: &[u8]) -> Result<Option<Kept>, Error> {
        self.kept(path).map_err(|why| self.error(why))
    }

    /// Keeps a file as a list has it: no run has proved its content. Returns whether the path was not known.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn learn(&mut self, kept: &Kept) -> Result<bool, Error> {
        let learnt = self.kept(&kept.path).and_then(|known| match known {
            Some(_) => Ok(false),
            None => self.insert(kept).map(|()| true),
        });
        learnt.map_err(|why| self.error(why))
    }

    /// Keeps a verdict. Returns what is kept then.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn keep(&mut self, finding: &Finding<'_>) -> Result<Kept, Error> {
        let Finding { kept, known, now } = finding;
        let streak = if kept.verdict == Some(known.verdict) { kept.streak.saturating_add(1) } else { 1 };
        let was = match (known.verdict, kept.verdict) {
            (Verdict::Missing, Some(Verdict::Missing)) => kept.was,
            (Verdict::Missing, was) => was,
            _ => None,
        };
        let mut next =
            Kept { verdict: Some(known.verdict), was, streak, run: self.number(), ..(*kept).clone() };
        match known.verdict {
            Verdict::Edited | Verdict::Differs => next.proposal = known.content.clone().or(next.proposal),
            verdict if verdict.is_proof() => {
                next.content = known.content.clone().or(next.content);
                next.proposal = None;
                if known.is_proof {
                    next.first = if next.first == 0 { *now } else { next.first };
                    next.last = *now;
                }
            }
            _ => {}
        }
        self.update(kept, &next).map_err(|why| self.error(why))?;
        Ok(next)
    }

    /// Lets what a file has now count: an edit, or its absence. Returns what is kept then; nothing of a file that is gone.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn accept(&mut self, kept: &Kept, now: i64) -> Result<Option<Kept>, Error> {
        let accepted = match (kept.verdict, &kept.proposal) {
            (Some(Verdict::Missing), _) => self.delete(kept).map(|()| None),
            (_, Some(proposal)) => {
                let next = Kept {
                    content: Some(proposal.clone()),
                    proposal: None,
                    verdict: Some(Verdict::Verified),
                    was: None,
                    streak: 1,
                    // It is read, and proved, next.
                    first: 0,
                    last: 0,
                    run: self.number(),
                    path: kept.path.clone(),
                };
                self.update(kept, &next).map(|()| Some(next))
            }
            (_, None) => return Ok(Some(kept.clone())),
        };
        let accepted = accepted.and_then(|next| self.remember(kept, next.as_ref(), now).map(|()| next));
        accepted.map_err(|why| self.error(why))
    }

    /// Gives what is kept of a file that is gone to the path at which its content was found.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn move_to(&mut self, gone: &Kept, found: &Kept) -> Result<Kept, Error> {
        let next = Kept { verdict: Some(Verdict::Moved), streak: 1, first: gone.first, ..found.clone() };
        let moved = self.delete(gone).and_then(|()| self.update(found, &next));
        moved.map_err(|why| self.error(why))?;
        Ok(next)
    }

    /// Forgets a file.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn forget(&mut self, kept: &Kept) -> Result<(), Error> {
        self.delete(kept).map_err(|why| self.error(why))
    }

    /// Writes all that was changed since the last call, and its seal.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn commit(&mut self) -> Result<(), Error> {
        let committed = self.seal_up().and_then(|()| Ok(self.database.execute_batch("COMMIT; BEGIN")?));
        committed.map_err(|why| self.error(why))
    }

    /// Returns an error with the file.
    fn error(&self, why: Why) -> Error {
        Error { path: self.path.clone(), why }
    }

    fn number(&self) -> i64 {
        self.run.map_or(0, |run| run.number)
    }

    /// Lets a witness have every seal before it is that of the database.
    pub fn witness_by(&mut self, witness: Box<Witness>) {
        self.witness = Some(witness);
    }

    fn seal_up(&mut self) -> Result<(), Why> {
        if let Some(witness) = &mut self.witness {
            witness(&self.seal).map_err(Why::Witness)?;
        }
        let mut statement = self.database.prepare_cached("UPDATE seal SET sum = ?")?;
        statement.execute([self.seal.bytes()])?;
        Ok(())
    }

    fn kept(&self, path: &[u8]) -> Result<Option<Kept>, Why> {
        let query = format!("SELECT {COLUMNS} FROM file WHERE path = ?");
        let mut statement = self.database.prepare_cached(&query)?;
        let found = statement.query_row([path], |row| Ok(row::of_row(row))).optional()?;
        found.transpose()
    }

    fn insert(&mut self, kept: &Kept) -> Result<(), Why> {
        self.write("INSERT", kept)?;
        self.seal.add(&row::sealed(kept));
        Ok(())
    }

    /// Changes a row. A verdict ends what was begun.
    fn update(&mut self, was: &Kept, is: &Kept) -> Result<(), Why> {
        self.end_begun(&was.path)?;
        self.write("REPLACE", is)?;
        self.seal.remove(&row::sealed(was));
        self.seal.add(&row::sealed(is));
        Ok(())
    }

    fn delete(&mut self, kept: &Kept) -> Result<(), Why> {
        self.end_begun(&kept.path)?;
        let mut statement = self.database.prepare_cached("DELETE FROM file WHERE path = ?")?;
        statement.execute([&*kept.path])?;
        drop(statement);
        self.seal.remove(&row::sealed(kept));
        Ok(())
    }

    fn write(&self, verb: &str, kept: &Kept) -> Result<(), Why> {
        let places = ["?"; row::COUNT].join(",");
        let insert = format!("{verb} INTO file ({COLUMNS}) VALUES ({places})");
        self.database.prepare_cached(&insert)?.execute(params_from_iter(row::values(kept)))?;
        Ok(())
    }

    /// Adds to the history what counted before and what counts now.
    fn remember(&mut self, was: &Kept, is: Option<&Kept>, now: i64) -> Result<(), Why> {
        let digests = |kept: Option<&Kept>| {
            kept.and_then(|kept| kept.content.as_ref()).map(|content| content.digests.to_vec())
        };
        let (before, after) = (digests(Some(was)), digests(is));
        let mut statement = self
            .database
            .prepare_cached("INSERT INTO history (run, at, path, was, became) VALUES (?, ?, ?, ?, ?)")?;
        statement.execute(params![self.number(), now, &*was.path, before, after])?;
        drop(statement);
        let (query, id) = (
            "SELECT id, run, at, path, was, became FROM history WHERE id = ?",
            self.database.last_insert_rowid(),
        );
        self.seal_row(b'h', query, id, Seal::add)
    }
}

/// Returns a folder with a slash at its end.
fn with_slash(folder: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, slash].concat()
}
