//! The damaged files that repairs put aside, and what killed repairs left.

use super::outcome::AsideNews;
use super::place::{Place, is_copy, is_damaged, second_name};
use crate::error::Error;
use crate::scrub::Run;
use crate::scrub::event::ScrubEvent;
use crate::scrub::ground::Ground;
use hashmill_keep::{Repair, RepairStep};
use hashmill_os::remove_in;
use hashmill_source::{Meta, meta_of};
use std::ops::ControlFlow;

/// The end of a repair that was killed, with what is to be told; or the damaged file is there.
type Finished = ControlFlow<Option<AsideNews>>;

impl Run<'_, '_> {
    /// Looks at the files that repairs put beside others: they are no files of the folders, as long as they are what was put there.
    /// Removes those that killed repairs left, and on request the damaged ones.
    pub(crate) fn look_aside(&mut self, ground: &Ground, discard: bool) -> Result<(), Error> {
        let mut behind = 0;
        loop {
            let some = self.state.open_repairs(behind)?;
            let Some(last) = some.last() else { return Ok(()) };
            behind = last.id;
            for listed in some.iter().filter(|repair| ground.covers(&repair.path)) {
                // Another one may have changed it: they may be names of one file.
                let Some(repair) = self.state.repair(listed.id)? else { continue };
                if let Some(news) = self.look_at(repair, ground, discard)? {
                    self.state.commit()?;
                    self.summary.discarded += u64::from(matches!(news, AsideNews::Discarded));
                    self.summary.failed += u64::from(matches!(news, AsideNews::Failed(_)));
                    self.tell(&ScrubEvent::Aside(&listed.aside_path(), &news));
                }
            }
        }
    }

    /// Looks at one file. Returns what is to be told of it.
    fn look_at(
        &mut self,
        mut repair: Repair,
        ground: &Ground,
        discard: bool,
    ) -> Result<Option<AsideNews>, Error> {
        // Otherwise, the folder may come back with its file system, or the walk could not list it and told so.
        let Ok(place) = Place::open(ground, &repair.path) else { return Ok(None) };
        if repair.step == RepairStep::Begun
            && let ControlFlow::Break(news) = self.finish(&place, &mut repair)?
        {
            return Ok(news);
        }
        match place.meta(&repair.aside) {
            Ok(Some(meta)) if is_kept(&repair, &meta) => {}
            Ok(Some(_)) => return self.lose(repair, AsideNews::Changed),
            // Without the file itself, too, another file system may be missing in that place.
            Ok(None) if !place.has_file() && self.state.find(&repair.path)?.is_some() => return Ok(None),
            Ok(None) => return self.lose(repair, AsideNews::Gone),
            Err(error) => return Ok(Some(AsideNews::Failed(error))),
        }
        self.state.unmeet(&repair.aside_path())?;
        match discard {
            true if self.is_well(&place)? => {
                self.remove(&place, repair, AsideNews::Discarded, Some(RepairStep::Discarded))
            }
            true => Ok(Some(AsideNews::Needed)),
            false => Ok(None),
        }
    }

    /// Finishes a repair that was killed, and goes on with the damaged file if the swap was done.
    fn finish(&mut self, place: &Place, repair: &mut Repair) -> Result<Finished, Error> {
        let over = |news| Ok(ControlFlow::Break(news));
        let touched = match place.finish_swap(repair) {
            Ok(touched) => touched,
            Err(error) => return over(Some(AsideNews::Failed(error))),
        };
        if let Some(ctime) = touched {
            self.state.follow(repair.damaged, ctime)?;
        }
        let path = repair.aside_path();
        if matches!(place.meta(&second_name(&repair.aside)), Ok(None)) {
            self.state.unmeet(&second_name(&path))?;
        }
        match place.meta(&repair.aside) {
            Ok(Some(meta)) if is_damaged(repair, &meta) => {
                self.state.follow(repair.damaged, meta.ctime)?;
                repair.step = RepairStep::Kept;
                repair.damaged.ctime = meta.ctime;
                self.state.note_repair(repair)?;
                Ok(ControlFlow::Continue(()))
            }
            Ok(Some(meta)) if is_copy(repair, &meta) || is_unnoted(repair, &meta) => {
                self.state.unmeet(&path)?;
                self.remove(place, repair.clone(), AsideNews::Leftover, None).map(ControlFlow::Break)
            }
            Ok(Some(_)) => self.lose(repair.clone(), AsideNews::Changed).map(ControlFlow::Break),
            Ok(None) if !place.has_file() => over(None),
            Ok(None) => {
                self.state.forget_repair(repair)?;
                over(None)
            }
            Err(error) => over(Some(AsideNews::Failed(error))),
        }
    }

    /// Removes the file beside, and notes or forgets the repair.
    fn remove(
        &mut self,
        place: &Place,
        mut repair: Repair,
        news: AsideNews,
        step: Option<RepairStep>,
    ) -> Result<Option<AsideNews>, Error> {
        // To lose a name changes the time of the others.
        let open = place.open_aside(&repair).filter(|_| step.is_some());
        if let Err(error) = remove_in(&place.folder, &repair.aside) {
            return Ok(Some(AsideNews::Failed(error)));
        }
        if let Some(meta) = open.and_then(|file| meta_of(&file).ok()) {
            self.state.follow(repair.damaged, meta.ctime)?;
        }
        match step {
            Some(step) => {
                repair.step = step;
                self.state.note_repair(&repair)?;
            }
            None => self.state.forget_repair(&repair)?,
        }
        Ok(Some(news))
    }

    fn lose(&mut self, mut repair: Repair, news: AsideNews) -> Result<Option<AsideNews>, Error> {
        repair.step = RepairStep::Lost;
        self.state.note_repair(&repair)?;
        Ok(Some(news))
    }

    /// Returns whether the repaired file is there, with the recorded content when it was read last; or it is kept no more: it was moved,
    /// or its absence was accepted.
    fn is_well(&self, place: &Place) -> Result<bool, Error> {
        let Some(kept) = self.state.find(&place.path)? else { return Ok(true) };
        Ok(place.has_file() && kept.verdict.is_some_and(|verdict| verdict.is_proof()))
    }
}

/// Returns whether a file is the damaged one that was put aside, and was not changed since. No program can set the time of the
/// metadata.
fn is_kept(repair: &Repair, meta: &Meta) -> bool {
    is_damaged(repair, meta) && repair.damaged.ctime == meta.ctime
}

/// Returns whether a file is the new copy of a repair that was killed before it could note that: it has no content yet.
fn is_unnoted(repair: &Repair, meta: &Meta) -> bool {
    repair.copy.is_none() && meta.is_file() && meta.size == 0
}
