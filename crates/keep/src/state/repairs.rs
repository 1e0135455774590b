//! Repairs: which files were replaced by a second copy, and where the damaged ones are kept.
//!
//! A repair is written before anything is changed in a folder, and for good: whatever a killed run left, the next one knows it.

use super::{ROWS, State};
use crate::error::{Error, Why};
use crate::row;
use crate::{Content, Kept, Seal, Stamp};
use rusqlite::{OptionalExtension, Row, params};

/// Stands between the name of a file and the letters of the file beside it.
const MARK: &[u8] = b".hashmill-damaged-";

/// The letters of such names.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";

/// The number of random letters.
const LETTERS: usize = 12;

/// The most bytes of a name, and of what stands behind it during a repair.
const LONGEST_NAME: usize = 251;

/// The columns of a repair, in the order of [`of_row`].
pub(super) const COLUMNS: &str = "id, run, at, path, aside, step, copy_device, copy_inode, device, inode, size, \
                                  mtime, mtime_ns, ctime, ctime_ns";

/// A repair of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Its number, from 1; 0 until it is written.
    pub id: i64,
    /// The number of the run.
    pub run: i64,
    /// When it began, in seconds since 1970.
    pub at: i64,
    /// The path of the file.
    pub path: Box<[u8]>,
    /// The name of another file in the same folder: the new copy, until the two are swapped, then the damaged file.
    pub aside: Box<[u8]>,
    /// How far it came.
    pub step: RepairStep,
    /// Device and inode of the new copy, once it was made.
    pub copy: Option<(u64, u64)>,
    /// The size of the damaged file.
    pub size: u64,
    /// The metadata of the damaged file: since it was put aside, also with the time of that.
    pub damaged: Stamp,
}

/// How far a repair came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairStep {
    /// A copy is being made; nothing was replaced, unless a run was killed since.
    Begun,
    /// The file is replaced, and the damaged one is kept aside.
    Kept,
    /// The damaged file was removed.
    Discarded,
    /// Another file, or none, is in its place.
    Lost,
}

impl RepairStep {
    const ALL: [RepairStep; 4] =
        [RepairStep::Begun, RepairStep::Kept, RepairStep::Discarded, RepairStep::Lost];

    /// Returns the number that databases have for it.
    const fn number(self) -> i64 {
        match self {
            RepairStep::Begun => 1,
            RepairStep::Kept => 2,
            RepairStep::Discarded => 3,
            RepairStep::Lost => 4,
        }
    }
}

/// Returns the name of the file beside a file of this name, by random bytes.
pub fn aside_name(name: &[u8], random: [u8; LETTERS]) -> Box<[u8]> {
    let letters = random.map(|byte| ALPHABET[usize::from(byte % 32)]);
    [b".", cut(name, LONGEST_NAME - LETTERS - MARK.len() - 1), MARK, &letters].concat().into()
}

/// Returns whether a name is one that [`aside_name`] makes for the file of a path. The state may be anybody's, and what it
/// names is renamed and removed.
fn is_aside(aside: &[u8], path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let drawn =
        aside.last_chunk::<LETTERS>().filter(|drawn| drawn.iter().all(|byte| ALPHABET.contains(byte)));
    let place = |letter: u8| ALPHABET.iter().position(|known| *known == letter).unwrap_or(0) as u8;
    drawn.is_some_and(|drawn| *aside_name(name, drawn.map(place)) == *aside)
}

/// Returns the beginning of a name, which is not cut inside a character.
fn cut(name: &[u8], most: usize) -> &[u8] {
    if name.len() <= most {
        return name;
    }
    let is_inside = |at: usize| name[at] & 0xC0 == 0x80;
    let end = (most.saturating_sub(3)..=most).rev().find(|at| !is_inside(*at)).unwrap_or(most);
    &name[..end]
}

impl Repair {
    /// Returns the path of the file beside: the new copy, or the damaged file.
    pub fn aside_path(&self) -> Box<[u8]> {
        let folder = self.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        [&self.path[..folder], &self.aside].concat().into()
    }
}

impl State {
    /// Begins a repair. It is on the disk when this returns.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn begin_repair(&mut self, repair: Repair) -> Result<Repair, Error> {
        let begun = Repair { run: self.number(), step: RepairStep::Begun, ..repair };
        let id = self.for_good(|state| state.insert_repair(&begun))?;
        Ok(Repair { id, ..begun })
    }

    /// Notes which file the new copy is. That is on the disk when this returns.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn note_copy(&mut self, repair: &Repair) -> Result<(), Error> {
        self.for_good(|state| state.update_repair(repair))
    }

    /// Notes how far a repair came.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn note_repair(&mut self, repair: &Repair) -> Result<(), Error> {
        self.update_repair(repair).map_err(|why| self.error(why))
    }

    /// Forgets a repair that changed nothing.
    ///
    /// # Errors
    /// If the database can't be written.
    pub fn forget_repair(&mut self, repair: &Repair) -> Result<(), Error> {
        let mut forget = || -> Result<(), Why> {
            self.seal_repair(repair.id, Seal::remove)?;
            self.database.prepare_cached("DELETE FROM repair WHERE id = ?")?.execute([repair.id])?;
            Ok(())
        };
        forget().map_err(|why| self.error(why))
    }

    /// Returns repairs that have a file beside the repaired one, by their numbers: some of those behind a number.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn open_repairs(&self, behind: i64) -> Result<Vec<Repair>, Error> {
        let open = || -> Result<Vec<Repair>, Why> {
            let query =
                format!("SELECT {COLUMNS} FROM repair WHERE id > ?1 AND step <= 2 ORDER BY id LIMIT ?2");
            let mut statement = self.database.prepare_cached(&query)?;
            let rows = statement.query_map([behind, ROWS], |row| Ok(of_row(row)))?;
            rows.map(|row| row?).collect()
        };
        open().map_err(|why| self.error(why))
    }

    /// Returns a repair by its number, as it is now.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn repair(&self, id: i64) -> Result<Option<Repair>, Error> {
        let find = || -> Result<Option<Repair>, Why> {
            let query = format!("SELECT {COLUMNS} FROM repair WHERE id = ?");
            let mut statement = self.database.prepare_cached(&query)?;
            statement.query_row([id], |row| Ok(of_row(row))).optional()?.transpose()
        };
        find().map_err(|why| self.error(why))
    }

    /// Returns how many damaged files are kept, and their bytes.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn kept_aside(&self) -> Result<(u64, u64), Error> {
        let query = "SELECT count(*), coalesce(sum(size), 0) FROM repair WHERE step = 2";
        let counted =
            self.database.query_row(query, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
        let (files, bytes) = counted.map_err(|error| self.error(error.into()))?;
        Ok((u64::try_from(files).unwrap_or(0), u64::try_from(bytes).unwrap_or(0)))
    }

    /// Takes a path from those that were met: it is no file of the folder, but one that this state put there.
    ///
    /// # Errors
    /// If the temporary table can't be written.
    pub fn unmeet(&mut self, path: &[u8]) -> Result<(), Error> {
        let unmet = || -> Result<(), Why> {
            self.database.prepare_cached("DELETE FROM met WHERE path = ?")?.execute([path])?;
            Ok(())
        };
        unmet().map_err(|why| self.error(why))
    }

    /// Notes a new time of metadata for all files that are this inode, those that were put aside, too: one of its names was replaced or
    /// removed, which changes it.
    ///
    /// # Errors
    /// If the database can't be read or written.
    pub fn follow(&mut self, was: Stamp, ctime: (i64, u32)) -> Result<(), Error> {
        let mut last = 0;
        loop {
            let some = self.open_repairs(last)?;
            let Some(end) = some.last() else { break };
            last = end.id;
            for mut repair in
                some.into_iter().filter(|other| other.step == RepairStep::Kept && other.damaged == was)
            {
                repair.damaged.ctime = ctime;
                self.note_repair(&repair)?;
            }
        }
        let mut behind = Vec::new();
        loop {
            let which = format!("inode = {} AND device = {}", was.inode as i64, was.device as i64);
            let some = self.some(&which, &behind)?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = last.path.to_vec();
            for kept in some {
                let Some(content) = kept.content.clone().filter(|content| content.stamp == Some(was)) else {
                    continue;
                };
                let next = Kept {
                    content: Some(Content { stamp: Some(Stamp { ctime, ..was }), ..content }),
                    ..kept.clone()
                };
                self.update(&kept, &next).map_err(|why| self.error(why))?;
            }
        }
    }

    /// Makes a change that is on the disk when this returns: a power cut does not undo it.
    fn for_good<T>(&mut self, change: impl FnOnce(&mut State) -> Result<T, Why>) -> Result<T, Error> {
        let changed = || -> Result<T, Why> {
            self.commit_with("FULL")?;
            let done = change(self)?;
            self.commit_with("NORMAL")?;
            Ok(done)
        };
        changed().map_err(|why| self.error(why))
    }

    /// Commits, and sets how later commits are synced.
    fn commit_with(&mut self, synchronous: &str) -> Result<(), Why> {
        self.seal_up()?;
        Ok(self.database.execute_batch(&format!("COMMIT; PRAGMA synchronous = {synchronous}; BEGIN"))?)
    }

    fn insert_repair(&mut self, repair: &Repair) -> Result<i64, Why> {
        let (device, inode) = repair.copy.unzip();
        let Stamp { mtime, ctime, .. } = repair.damaged;
        let number = |number: u64| number as i64;
        self.database.execute(
            "INSERT INTO repair (run, at, path, aside, step, copy_device, copy_inode, device, inode, size,
                                 mtime, mtime_ns, ctime, ctime_ns)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                repair.run,
                repair.at,
                &*repair.path,
                &*repair.aside,
                repair.step.number(),
                device.map(number),
                inode.map(number),
                number(repair.damaged.device),
                number(repair.damaged.inode),
                number(repair.size),
                mtime.0,
                mtime.1,
                ctime.0,
                ctime.1
            ],
        )?;
        let id = self.database.last_insert_rowid();
        self.seal_repair(id, Seal::add)?;
        Ok(id)
    }

    fn update_repair(&mut self, repair: &Repair) -> Result<(), Why> {
        self.seal_repair(repair.id, Seal::remove)?;
        let (device, inode) = repair.copy.unzip();
        let (ctime, ctime_ns) = repair.damaged.ctime;
        let number = |number: u64| number as i64;
        self.database
            .prepare_cached(
                "UPDATE repair SET step = ?, copy_device = ?, copy_inode = ?, ctime = ?, ctime_ns = ? WHERE id = ?",
            )?
            .execute(params![
                repair.step.number(),
                device.map(number),
                inode.map(number),
                ctime,
                ctime_ns,
                repair.id
            ])?;
        self.seal_repair(repair.id, Seal::add)
    }

    pub(super) fn seal_repair(&mut self, id: i64, change: fn(&mut Seal, &[u8])) -> Result<(), Why> {
        self.seal_row(b'p', &format!("SELECT {COLUMNS} FROM repair WHERE id = ?"), id, change)
    }
}

/// Reads a row that was selected by [`COLUMNS`].
fn of_row(row: &Row<'_>) -> Result<Repair, Why> {
    let bytes = |at: usize| -> Result<Box<[u8]>, Why> { Ok(row.get::<_, Vec<u8>>(at)?.into()) };
    let number = |at: usize| -> Result<u64, Why> { Ok(row.get::<_, i64>(at)? as u64) };
    let step: i64 = row.get(5)?;
    let copy: (Option<i64>, Option<i64>) = (row.get(6)?, row.get(7)?);
    let (path, aside) = (bytes(3)?, bytes(4)?);
    if !is_aside(&aside, &path) {
        return Err(Why::Row);
    }
    Ok(Repair {
        id: row.get(0)?,
        run: row.get(1)?,
        at: row.get(2)?,
        path,
        aside,
        step: RepairStep::ALL.into_iter().find(|known| known.number() == step).ok_or(Why::Row)?,
        copy: copy.0.zip(copy.1).map(|(device, inode)| (device as u64, inode as u64)),
        size: number(10)?,
        damaged: Stamp {
            device: number(8)?,
            inode: number(9)?,
            mtime: row::time(row, 11)?,
            ctime: row::time(row, 13)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(cut(b"short", 9), b"short");
        assert_eq!(cut("aaaü".as_bytes(), 4), b"aaa");
        assert_eq!(cut("aaaaü".as_bytes(), 4), b"aaaa");
        assert_eq!(cut(&[0x80; 9], 4), [0x80; 4]);
    }

    #[test]
    fn only_names_that_are_drawn_for_a_file_are_beside_it() {
        let long = vec![b'x'; 255];
        for name in [b"a".as_slice(), "ü.txt".as_bytes(), &long] {
            let path = [b"tree/b/", name].concat();
            let aside = aside_name(name, [9, 200, 3, 31, 32, 0, 255, 7, 7, 7, 7, 7]);
            assert!(is_aside(&aside, &path) && aside.len() <= LONGEST_NAME);
            assert!(!is_aside(&aside, b"tree/b/other"));
        }
        for other in ["", "b", ".a", ".a.hashmill-damaged-", ".a.hashmill-damaged-abcdefghijk6", "../a"] {
            assert!(!is_aside(other.as_bytes(), b"tree/a"), "{other}");
        }
    }
}
