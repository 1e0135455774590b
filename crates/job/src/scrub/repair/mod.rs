//! Repairs: a damaged file is compared with a second copy, and replaced by it if that has the recorded content.
//!
//! ```text
//! second copy ── read, hash ──> new file beside ── sync, read back past the cache ──> swapped with the damaged one
//! ```
//!
//! Everything happens in the open folder of the file, by names in it, and follows no link. The new file has the bytes that were
//! hashed, whatever becomes of the second copy meanwhile. The swap is one step, and undone if it took away another file than the
//! one that was judged. The state knows the new file before it exists: what a killed run leaves is recognised by the next.

mod aside;
mod copying;
mod outcome;
mod place;
mod second;

pub use outcome::{AsideNews, RepairOutcome, RepairResult, Repairs};
pub use second::RepairFrom;
pub(super) use second::SecondCopy;

use super::Run;
use super::ground::{Ground, stamp_of_file};
use super::now;
use super::pending::Pending;
use crate::error::Error;
use copying::{Copying, is_zero};
use hashmill_keep::{Content, Finding, Kept, Known, Repair, RepairStep, Stamp, Verdict};
use hashmill_os::{copy_attributes, create_in, settle, sync_in, write_all_at};
use hashmill_source::{BadBlocks, Entry, Reading, meta_of};
use outcome::{Unrepaired, failed};
use place::{Damaged, Place};

/// A copy that lies beside a damaged file.
struct Made {
    /// Whether it was read back from the medium, past the cache.
    is_fresh: bool,
    size: u64,
}

impl Run<'_, '_> {
    /// Compares the damaged files that a part found with their second copies, repairs what can be, and tells their verdicts.
    pub(super) fn repair_damaged(&mut self, ground: &Ground) -> Result<(), Error> {
        let stop = self.stop.clone();
        let _held = stop.hold();
        for mut pending in std::mem::take(&mut self.damaged) {
            let outcome = if self.is_over() { None } else { self.attempt(&mut pending, ground)? };
            self.tell_found(pending, outcome.as_ref());
        }
        Ok(())
    }

    /// Attempts one repair. Returns nothing if the run was cancelled meanwhile.
    fn attempt(&mut self, pending: &mut Pending, ground: &Ground) -> Result<Option<RepairOutcome>, Error> {
        let Some(second) = &self.second else { return Ok(None) };
        // An earlier repair may have changed what is kept: another name of the same file was replaced.
        if let Some(kept) = self.state.find(&pending.kept.path)? {
            pending.kept = kept;
        }
        let kept = pending.kept.clone();
        let (shown, copy) = second.find(&kept.path);
        let mut outcome = RepairOutcome::new(kept.verdict.unwrap_or(Verdict::Rot), shown);
        let done = copy
            .map_err(|error| Unrepaired::of_copy(&error))
            .and_then(|copy| self.repair(&kept, &copy, ground, &mut outcome));
        match done {
            Ok(Some(next)) => pending.kept = next,
            Ok(None) => {}
            Err(Unrepaired::Cancelled) => return Ok(None),
            Err(Unrepaired::State(error)) => return Err(error),
            Err(why) => outcome.fail(why),
        }
        Ok(Some(outcome))
    }

    /// Repairs a file, or finds out that it could be. Returns what is kept of a file that was repaired.
    fn repair(
        &mut self,
        kept: &Kept,
        copy: &Entry,
        ground: &Ground,
        outcome: &mut RepairOutcome,
    ) -> Result<Option<Kept>, Unrepaired> {
        let place = Place::open(ground, &kept.path).map_err(failed("cannot open its folder"))?;
        let damaged = place.damaged(kept)?;
        outcome.links = damaged.links.saturating_sub(1);
        let Some(wanted) = &kept.content else {
            return Err(Unrepaired::Changed("nothing is kept of it".into()));
        };
        if !self.second.as_ref().is_some_and(|second| second.replace) {
            self.copying().read(copy, wanted, &mut |_, _| Ok(()))?;
            outcome.result = RepairResult::Repairable;
            return Ok(None);
        }
        let (made, stamp) = self.replace(&place, &damaged, copy, wanted, outcome)?;
        let content = Content { digests: wanted.digests.clone(), size: Some(made.size), stamp: Some(stamp) };
        let known =
            Known { content: Some(content), is_proof: made.is_fresh, ..Known::bare(Verdict::Restored) };
        // Other names of the damaged file follow its time, and so does this one.
        let kept = &self.state.find(&kept.path)?.unwrap_or_else(|| kept.clone());
        let next = self.state.keep(&Finding { kept, known: &known, now: now() })?;
        self.state.commit()?;
        outcome.result = RepairResult::Repaired;
        Ok(Some(next))
    }

    /// Replaces a damaged file, and returns the metadata of the new one.
    fn replace(
        &mut self,
        place: &Place,
        damaged: &Damaged,
        copy: &Entry,
        wanted: &Content,
        outcome: &mut RepairOutcome,
    ) -> Result<(Made, Stamp), Unrepaired> {
        let was = stamp_of_file(&damaged.meta);
        let mut repair = self.state.begin_repair(Repair {
            id: 0,
            run: 0,
            at: now(),
            path: place.path.clone(),
            aside: place.new_name().map_err(failed("cannot draw a name"))?,
            step: RepairStep::Begun,
            copy: None,
            size: damaged.meta.size,
            damaged: was,
        })?;
        let swapped = self
            .make(place, damaged, copy, wanted, &mut repair, outcome)
            .and_then(|made| place.swap(damaged, &repair).map(|swapped| (made, swapped)));
        let (made, swapped) = match swapped {
            Ok(swapped) => swapped,
            Err(why) => {
                if let Unrepaired::Touched(_, ctime) = why {
                    self.state.follow(was, ctime)?;
                }
                self.undo(place, &repair)?;
                return Err(why);
            }
        };
        if let Err(error) = sync_in(&place.folder) {
            outcome.why = Some(format!("a power cut may undo it: {error}").into());
        }
        if damaged.links > 1 {
            self.state.follow(was, swapped.damaged.ctime)?;
        }
        repair.step = RepairStep::Kept;
        repair.damaged.ctime = swapped.damaged.ctime;
        self.state.note_repair(&repair)?;
        outcome.aside = Some(repair.aside_path());
        Ok((made, stamp_of_file(&swapped.new)))
    }

    /// Makes the new file beside the damaged one, and proves that the medium has it.
    fn make(
        &mut self,
        place: &Place,
        damaged: &Damaged,
        copy: &Entry,
        wanted: &Content,
        repair: &mut Repair,
        outcome: &mut RepairOutcome,
    ) -> Result<Made, Unrepaired> {
        let file =
            create_in(&place.folder, &repair.aside).map_err(failed("cannot create a file beside it"))?;
        let meta = meta_of(&file).map_err(failed("cannot examine the new file"))?;
        repair.copy = Some((meta.dev, meta.ino));
        self.state.note_copy(repair)?;
        let written = self.copying().read(copy, wanted, &mut |offset, bytes| match damaged.has_holes
            && is_zero(bytes)
        {
            true => Ok(()),
            false => write_all_at(&file, bytes, offset).map_err(failed("cannot write the new file")),
        })?;
        file.set_len(written.size).map_err(failed("cannot write the new file"))?;
        outcome.unkept =
            copy_attributes(&damaged.file, &file).map_err(failed("cannot keep its attributes"))?;
        let synced = file.sync_all().and_then(|()| settle(&file));
        synced.map_err(failed("cannot write the new file to the disk"))?;
        let back = self.copying().read(&place.entry(&repair.aside), wanted, &mut |_, _| Ok(()));
        let back = back.map_err(Unrepaired::of_reading_back)?;
        match repair.copy == Some((back.meta.dev, back.meta.ino)) {
            true => Ok(Made { is_fresh: back.is_fresh, size: back.size }),
            false => {
                Err(Unrepaired::Failed("somebody else put another file in the place of the new one".into()))
            }
        }
    }

    /// Removes the new file, unless something else has its name.
    fn undo(&mut self, place: &Place, repair: &Repair) -> Result<(), Error> {
        place.remove_copy(repair);
        // Otherwise, the next run finishes the swap.
        if !place.has_second(repair) {
            self.state.forget_repair(repair)?;
        }
        Ok(self.state.commit()?)
    }

    /// Returns the way to read copies: past the cache, and no part may be unreadable.
    fn copying(&self) -> Copying<'_> {
        let reading = Reading { bad_blocks: BadBlocks::Fail, ..self.plan.reading.clone() };
        Copying { reading, algorithms: &self.plan.algorithms, cancel: &self.plan.cancel }
    }
}
