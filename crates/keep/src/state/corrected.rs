//! Corrections of a state that its user asks for: times of a clock that was wrong, and a folder that was moved.

use super::{ROWS, State, with_slash};
use crate::error::{Error, Why};
use crate::row::{self, COLUMNS};
use crate::{Kept, Root, Seal};
use rusqlite::params;

impl State {
    /// Replaces times that are ahead of the clock by the last one that is not: what was proved then is due as if it had been
    /// proved before.
    ///
    /// # Errors
    /// If the database can't be read or written.
    pub fn correct_times(&mut self, now: i64) -> Result<(), Error> {
        self.correct_runs(now)
            .and_then(|before| self.correct_files(now, before))
            .map_err(|why| self.error(why))
    }

    /// Corrects the times of runs, and returns the last time that is right; 1 without any, as 0 means never.
    fn correct_runs(&mut self, now: i64) -> Result<i64, Why> {
        let query = "SELECT coalesce(max(time), 1) FROM (SELECT began AS time FROM run UNION ALL SELECT ended FROM run)
                     WHERE time <= ?";
        let before: i64 = self.database.query_row(query, [now], |row| row.get(0))?;
        let mut ahead =
            self.database.prepare("SELECT id FROM run WHERE max(began, coalesce(ended, began)) > ?")?;
        let runs: Vec<i64> = ahead.query_map([now], |row| row.get(0))?.collect::<Result<_, _>>()?;
        drop(ahead);
        let update = "UPDATE run SET began = iif(began > ?1, ?2, began), ended = iif(ended > ?1, ?2, ended) WHERE id = ?3";
        for run in runs {
            self.seal_run(run, Seal::remove)?;
            self.database.execute(update, params![now, before, run])?;
            self.seal_run(run, Seal::add)?;
        }
        Ok(before)
    }

    fn correct_files(&mut self, now: i64, before: i64) -> Result<(), Why> {
        let right = |time: i64| if time > now { before } else { time };
        let mut behind = Vec::new();
        loop {
            let some = self.some(&format!("max(first, last) > {now}"), &behind).map_err(|error| error.why)?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = last.path.to_vec();
            for kept in &some {
                let (first, last) = (right(kept.first), right(kept.last));
                self.update(kept, &Kept { first, last, ..kept.clone() })?;
            }
        }
    }

    /// Lets a folder lie elsewhere: its files keep their history under their new paths.
    ///
    /// # Errors
    /// If the state is not of this folder, has files at the new place, or can't be written.
    pub fn move_root(&mut self, name: &[u8], to: &Root) -> Result<(), Error> {
        self.rename_root(name, to).map_err(|why| self.error(why))
    }

    fn rename_root(&mut self, name: &[u8], to: &Root) -> Result<(), Why> {
        let Some(number) = self.roots.iter().position(|root| *root.name == *name) else {
            return Err(Why::NotMoved(name.into()));
        };
        if *name != *to.name {
            if self.roots.iter().any(|root| root.name == to.name) {
                return Err(Why::Occupied(to.name.clone()));
            }
            self.rename_files(name, &to.name)?;
            self.rename_repairs(name, &to.name)?;
        }
        let key = format!("root {number:06}");
        self.seal_row(b'a', "SELECT name, value FROM about WHERE name = ?", &key, Seal::remove)?;
        self.database.execute("DELETE FROM about WHERE name = ?", [&key])?;
        self.add_about(&key, &to.as_bytes())?;
        self.roots[number] = to.clone();
        Ok(())
    }

    fn rename_files(&mut self, name: &[u8], to: &[u8]) -> Result<(), Why> {
        // New paths may lie among the old ones: all are taken away before any is written.
        self.database.execute(
            &format!("CREATE TEMP TABLE moving AS SELECT {COLUMNS} FROM file WHERE path = ?1 OR substr(path, 1, length(?2)) = ?2"),
            params![name, with_slash(name)],
        )?;
        self.each_moving(|state, kept| state.delete(&kept))?;
        self.each_moving(|state, kept| {
            let path = renamed(&kept.path, name, to);
            match state.kept(&path)? {
                Some(_) => Err(Why::Occupied(path)),
                None => state.insert(&Kept { path, ..kept }),
            }
        })?;
        Ok(self.database.execute_batch("DROP TABLE temp.moving")?)
    }

    fn each_moving(&mut self, mut each: impl FnMut(&mut State, Kept) -> Result<(), Why>) -> Result<(), Why> {
        let query =
            format!("SELECT {COLUMNS}, rowid FROM temp.moving WHERE rowid > ?1 ORDER BY rowid LIMIT ?2");
        let mut behind = 0;
        loop {
            let mut statement = self.database.prepare_cached(&query)?;
            let rows =
                statement.query_map([behind, ROWS], |row| Ok((row::of_row(row), row.get(row::COUNT)?)))?;
            let some = rows.collect::<Result<Vec<_>, _>>()?;
            drop(statement);
            let Some((_, last)) = some.last() else { return Ok(()) };
            behind = *last;
            some.into_iter().try_for_each(|(kept, _)| each(self, kept?))?;
        }
    }

    /// Lets open repairs find their files.
    fn rename_repairs(&mut self, name: &[u8], to: &[u8]) -> Result<(), Why> {
        let mut behind = 0;
        loop {
            let some = self.open_repairs(behind).map_err(|error| error.why)?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = last.id;
            for repair in some.iter().filter(|repair| is_below(&repair.path, name)) {
                self.seal_repair(repair.id, Seal::remove)?;
                let path = renamed(&repair.path, name, to);
                self.database
                    .execute("UPDATE repair SET path = ? WHERE id = ?", params![&*path, repair.id])?;
                self.seal_repair(repair.id, Seal::add)?;
            }
        }
    }
}

/// Returns whether a path is this folder, or below it.
fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path == folder || path.starts_with(&with_slash(folder))
}

/// Returns the path of a file after its folder was moved.
fn renamed(path: &[u8], folder: &[u8], to: &[u8]) -> Box<[u8]> {
    match path.strip_prefix(&*with_slash(folder)) {
        Some(rest) => [&*with_slash(to), rest].concat().into(),
        None => to.into(),
    }
}
