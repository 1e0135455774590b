//! The walk of a run: what is new, and what is gone.

use super::event::{FileVerdict, ScrubEvent};
use super::ground::{Ground, is_below};
use super::{Run, now};
use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Selected, Selection};
use hashmill_keep::{Finding, Kept, Known, LONGEST_PATH, Verdict};
use hashmill_source::{Problem, Skip, WalkItem};
use std::collections::HashMap;

/// The memory in bytes for files that are gone and may be found elsewhere. One that is gone beyond that is missing, and new where it
/// went.
const MAX_GONE: usize = 64 << 20;

/// The bytes that such a file takes beside its path and its digests.
const EACH: usize = 128;

/// The files that are gone and may be found elsewhere: their paths by their digests.
#[derive(Debug, Default)]
pub(super) struct Gone {
    by_content: HashMap<Box<[u8]>, Vec<Box<[u8]>>>,
    bytes: usize,
}

impl Gone {
    fn add(&mut self, kept: &Kept) {
        // Empty files are all alike.
        let content = kept.content.as_ref().filter(|content| content.size != Some(0));
        if let Some(content) = content.filter(|_| self.bytes < MAX_GONE) {
            self.by_content.entry(content.digests.clone()).or_default().push(kept.path.clone());
            self.bytes += kept.path.len() + content.digests.len() + EACH;
        }
    }

    /// Takes a file that had this content.
    pub(super) fn take(&mut self, digests: &[u8]) -> Option<Box<[u8]>> {
        self.by_content.get_mut(digests)?.pop()
    }
}

impl Run<'_, '_> {
    /// Walks the folders, and notes what is there.
    pub(super) fn survey(&mut self, selection: Selection, resources: &Resources) -> Result<Ground, Error> {
        let operands = selection.paths.clone();
        let Selected { entries, .. } = selection.open(resources)?;
        let mut ground = Ground::new(operands, &resources.stores);
        self.state.survey()?;
        for item in entries {
            if self.is_over() {
                break;
            }
            match item {
                WalkItem::File(entry) if entry.path.len() > LONGEST_PATH => {
                    let why =
                        format!("its path has {} bytes, and a state takes {LONGEST_PATH}", entry.path.len());
                    let problem = Problem::Refused { why: why.into() };
                    self.summary.failed += 1;
                    self.tell(&ScrubEvent::Failed(&hashmill_source::Error { path: entry.path, problem }));
                }
                WalkItem::File(entry) => {
                    self.summary.met += 1;
                    ground.learn(&entry);
                    self.state.meet(&entry.path, entry.size)?;
                }
                WalkItem::Skipped { path, why } => {
                    self.summary.skipped += u64::from(why != Skip::EmptyFolder);
                    self.summary.left_out += u64::from(why.has_bytes() && why != Skip::Output);
                    // An entry that filters leave out is not gone. A link or a FIFO in the place of a file means that the file is.
                    if matches!(
                        why,
                        Skip::Filtered | Skip::Ignored | Skip::OtherFileSystem | Skip::Cloud | Skip::Output
                    ) {
                        self.state.set_apart(&path)?;
                    }
                }
                WalkItem::Failed(error) => {
                    self.summary.failed += 1;
                    self.tell(&ScrubEvent::Failed(&error));
                    self.state.set_apart(&error.path)?;
                }
            }
        }
        Ok(ground)
    }

    /// Leaves folders alone whose disk seems to be away, and tells them. Returns whether that is so of all.
    pub(super) fn is_all_away(&mut self, ground: &Ground) -> Result<bool, Error> {
        let mut is_all = true;
        for name in ground.names() {
            let device = ground.device(name);
            let below = self.state.below(name, device.unwrap_or(0))?;
            // After a restart, a disk may have another number: then its files are there.
            let is_other = device.is_some() && !below.has_device;
            let is_away = below.kept > 0 && below.met == 0 && (below.is_empty || is_other);
            if !is_away || self.has_apart(name)? {
                is_all = false;
                continue;
            }
            let state = if below.is_empty { "it is empty" } else { "it is on another device, without them" };
            self.leave_away(name, below.kept, state)?;
            self.state.unmeet_below(name)?;
        }
        Ok(is_all)
    }

    /// Leaves empty folders below the operands alone whose files were on another device, and tells them.
    pub(super) fn leave_unmounted(&mut self, ground: &Ground) -> Result<(), Error> {
        let mut behind = Vec::new();
        while let Some(gone) = self.some_gone(ground, &mut behind)? {
            for kept in gone {
                let stamp = kept.content.as_ref().and_then(|content| content.stamp);
                let Some(stamp) = stamp.filter(|stamp| stamp.device != 0) else { continue };
                if let Some(folder) = ground.empty_mount_point(&kept.path, stamp.device)
                    && !self.state.is_apart(&folder)?
                {
                    let below = self.state.below(&folder, stamp.device)?;
                    self.leave_away(&folder, below.kept, "it is empty, on another device")?;
                }
            }
        }
        Ok(())
    }

    /// Leaves a folder alone whose disk seems to be away, and tells it.
    fn leave_away(&mut self, folder: &[u8], kept: u64, state: &str) -> Result<(), Error> {
        let files = if kept == 1 { "1 file of it is".to_string() } else { format!("{kept} files of it are") };
        let why = format!("is it mounted? {files} kept, and {state}; nothing is changed");
        self.summary.failed += 1;
        let problem = Problem::Refused { why: why.into() };
        self.tell(&ScrubEvent::Failed(&hashmill_source::Error { path: folder.into(), problem }));
        Ok(self.state.set_apart(folder)?)
    }

    /// Returns whether any kept file of a folder was left out, or could not be looked at.
    fn has_apart(&self, folder: &[u8]) -> Result<bool, Error> {
        let mut behind = Vec::new();
        loop {
            let unmet = self.state.unmet(&behind)?;
            let Some(last) = unmet.last() else { return Ok(false) };
            behind = last.path.to_vec();
            for kept in unmet.iter().filter(|kept| is_below(&kept.path, folder)) {
                if self.state.is_apart(&kept.path)? {
                    return Ok(true);
                }
            }
        }
    }

    /// Keeps what is new, and notes what is gone.
    pub(super) fn settle(&mut self, ground: &Ground, discard: bool) -> Result<(), Error> {
        if !self.is_over() {
            self.look_aside(ground, discard)?;
            self.note_gone(ground)?;
        }
        self.state.add_new()?;
        Ok(self.state.commit()?)
    }

    /// Notes which kept files below the operands were not met, but for those that could not be met.
    fn note_gone(&mut self, ground: &Ground) -> Result<(), Error> {
        let mut behind = Vec::new();
        while let Some(gone) = self.some_gone(ground, &mut behind)? {
            for kept in gone {
                match kept.content {
                    // It was found by a run that was ended before it was read.
                    None => self.state.forget(&kept)?,
                    Some(_) => self.gone.add(&kept),
                }
            }
        }
        Ok(())
    }

    /// Keeps and tells that files are gone that were not found elsewhere.
    pub(super) fn tell_gone(&mut self, ground: &Ground) -> Result<(), Error> {
        let known = Known::bare(Verdict::Missing);
        let mut behind = Vec::new();
        while let Some(gone) = self.some_gone(ground, &mut behind)? {
            let keep = |kept| self.state.keep(&Finding { kept, known: &known, now: now() });
            let told: Vec<Kept> = gone.iter().map(keep).collect::<Result<_, _>>()?;
            self.state.commit()?;
            for kept in &told {
                self.tell(&ScrubEvent::Judged(&FileVerdict::of(kept)));
            }
        }
        Ok(())
    }

    /// Returns files that are gone, in the order of their paths: some of those behind a path, which becomes the last of them. None
    /// when there are no more.
    fn some_gone(&mut self, ground: &Ground, behind: &mut Vec<u8>) -> Result<Option<Vec<Kept>>, Error> {
        let unmet = self.state.unmet(behind)?;
        let Some(last) = unmet.last() else { return Ok(None) };
        *behind = last.path.to_vec();
        let mut gone = Vec::new();
        for kept in unmet {
            if ground.covers(&kept.path) && !self.state.is_apart(&kept.path)? {
                gone.push(kept);
            }
        }
        Ok(Some(gone))
    }
}
