//! The walk of a run: what is new, and what is gone.

use super::event::{FileVerdict, ScrubEvent};
use super::ground::{Ground, is_below};
use super::{Run, now};
use crate::error::Error;
use crate::resources::Resources;
use crate::selection::{Selected, Selection};
use hashloom_keep::{Finding, Kept, Known, Verdict};
use hashloom_source::{Skip, WalkItem};
use std::collections::{BTreeMap, HashMap};

/// The most files that are gone and may be found elsewhere. What is gone beyond that is missing, and new where it went.
const MOST: usize = 1 << 20;

/// The files that are gone.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// Their paths by their digests, for files that moved.
    by_content: HashMap<Box<[u8]>, Vec<Box<[u8]>>>,
    /// All of them, in order; whether they moved.
    all: BTreeMap<Box<[u8]>, bool>,
}

impl Gone {
    fn add(&mut self, kept: &Kept) {
        if let Some(content) = kept.content.as_ref().filter(|_| self.all.len() < MOST) {
            // Empty files are all alike.
            if content.size != Some(0) {
                self.by_content.entry(content.digests.clone()).or_default().push(kept.path.clone());
            }
        }
        self.all.insert(kept.path.clone(), false);
    }

    /// Takes a file that had this content.
    pub(super) fn take(&mut self, digests: &[u8]) -> Option<Box<[u8]>> {
        let path = self.by_content.get_mut(digests)?.pop()?;
        self.all.insert(path.clone(), true);
        Some(path)
    }
}

impl Run<'_, '_> {
    /// Walks the folders, keeps what is new, and notes what is gone.
    pub(super) fn survey(&mut self, selection: Selection, resources: &Resources) -> Result<Ground, Error> {
        let operands = selection.paths.clone();
        let Selected { entries, .. } = selection.open(resources)?;
        let (mut ground, mut apart) = (Ground::new(), Vec::new());
        self.state.survey()?;
        for item in entries {
            if self.is_over() {
                break;
            }
            match item {
                WalkItem::File(entry) => {
                    ground.learn(&entry, &operands);
                    self.state.meet(&entry.path)?;
                }
                WalkItem::Skipped { path, why } => {
                    self.summary.skipped += u64::from(why != Skip::EmptyFolder);
                    // An entry that filters leave out is not gone. A link or a FIFO in the place of a file means that the file is.
                    if matches!(
                        why,
                        Skip::Filtered | Skip::Ignored | Skip::OtherFileSystem | Skip::Cloud | Skip::Output
                    ) {
                        apart.push(path);
                    }
                }
                WalkItem::Failed(error) => {
                    self.summary.failed += 1;
                    self.tell(&ScrubEvent::Failed(&error));
                    apart.push(error.path);
                }
            }
        }
        if !self.is_over() {
            self.note_gone(&operands, &apart)?;
        }
        self.state.add_new()?;
        self.state.commit()?;
        Ok(ground)
    }

    /// Notes which kept files below the operands were not met, but for those that could not be met.
    fn note_gone(&mut self, operands: &[Box<[u8]>], apart: &[Box<[u8]>]) -> Result<(), Error> {
        let gone = &mut self.gone;
        self.state.unmet(&mut |state, kept| {
            let is_in = |places: &[Box<[u8]>]| places.iter().any(|place| is_below(&kept.path, place));
            if !is_in(operands) || is_in(apart) {
                return Ok(());
            }
            match kept.content {
                // It was found by a run that was ended before it was read.
                None => state.forget(&kept),
                Some(_) => {
                    gone.add(&kept);
                    Ok(())
                }
            }
        })?;
        Ok(())
    }

    /// Keeps and tells that files are gone that were not found elsewhere.
    pub(super) fn tell_gone(&mut self) -> Result<(), Error> {
        let gone = std::mem::take(&mut self.gone.all);
        let known = Known::bare(Verdict::Missing);
        let mut told = Vec::new();
        for path in gone.into_iter().filter(|(_, moved)| !moved).map(|(path, _)| path) {
            let Some(kept) = self.state.find(&path)? else { continue };
            told.push(self.state.keep(&Finding { kept: &kept, known: &known, now: now() })?);
        }
        self.state.commit()?;
        for kept in &told {
            self.tell(&ScrubEvent::Judged(&FileVerdict::of(kept)));
        }
        Ok(())
    }
}
