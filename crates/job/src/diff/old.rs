//! The first operand, whose files are the known ones.

use super::event::{DiffEvent, DiffObserver};
use super::folder::Folder;
use crate::audit::{Manifests, OpenLists, OtherPaths};
use crate::error::Error;
use hashmill_content::selection::Bytes;
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, Plan, Trouble};
use hashmill_lists::history::Patterns;
use hashmill_manifest::Record;
use hashmill_manifest::audit::Known;
use hashmill_os::roots::plain;
use hashmill_source::{Problem, Skip};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The known files of one side.
#[derive(Default)]
pub(super) struct Old {
    /// Files and their digests.
    pub(super) known: Known,
    /// Files that exist but could not be read.
    pub(super) unread: Vec<Bytes>,
    /// Directories whose files are not known.
    pub(super) apart: Vec<Bytes>,
    /// Parts of a manifest that could not be parsed.
    pub(super) malformed: u64,
    /// Entries that could not be read.
    pub(super) failed: u64,
    /// Patterns by which a manifest excludes new files.
    pub(super) ignoring: Vec<Patterns>,
    /// Links, FIFOs and the like; `None` if it is a manifest that can't list them.
    pub(super) others: Option<OtherPaths>,
    /// Entries that filters left out.
    pub(super) filtered: u64,
    /// The list, which is this side or the other one, if the algorithm of some digests is unknown.
    pub(super) open: OpenLists,
}

/// Returns whether a filter, a file of rules or `--one-file-system` left an entry out.
pub(super) fn is_filtered(why: Skip) -> bool {
    matches!(why, Skip::Filtered | Skip::Ignored | Skip::OtherFileSystem)
}

impl Old {
    /// Takes the known files from a manifest.
    pub(super) fn of_manifest(manifests: Manifests, observer: &mut DiffObserver<'_>) -> Old {
        for record in &manifests.unread {
            let _ = observer(DiffEvent::Unread(&record.path));
        }
        // Paths of the other side are relative to its folder.
        let (ignoring, others) = (manifests.ignoring_from_start(), manifests.others().cloned());
        let (malformed, failed) = (manifests.malformed, manifests.unread.len() as u64);
        let unread = manifests.unread.into_iter().map(|record| record.path).collect();
        Old {
            known: manifests.known,
            unread,
            apart: Vec::new(),
            malformed,
            failed,
            ignoring,
            others,
            filtered: 0,
            open: OpenLists::default(),
        }
    }

    /// Hashes the files of a folder.
    ///
    /// # Errors
    /// If there are more files than memory can hold.
    pub(super) fn of_folder(
        folder: &Folder<'_>,
        plan: &Plan,
        observer: &mut DiffObserver<'_>,
    ) -> Result<Old, Error> {
        let mut old = Old { others: Some(OtherPaths::new()), ..Old::default() };
        if folder.is_bucket() {
            old.known.take_as_keys();
        }
        // Pieces are held back, so that none remain of a file that changes at its very end.
        let mut pieces: HashMap<Bytes, Vec<Record>> = HashMap::new();
        folder.hash(plan, observer, &mut |event, observer| match event {
            engine::EngineEvent::Piece(record) => {
                pieces.entry(record.path.clone()).or_default().push(record);
                Ok(ControlFlow::Continue(()))
            }
            engine::EngineEvent::Done(outcome) => {
                let pieces = pieces.remove(&outcome.record.path).unwrap_or_default();
                old.take(outcome, pieces, folder, observer)
            }
        })?;
        Ok(old)
    }

    fn take(
        &mut self,
        outcome: engine::EntryResult,
        pieces: Vec<Record>,
        folder: &Folder<'_>,
        observer: &mut DiffObserver<'_>,
    ) -> Result<Flow, Error> {
        let engine::EntryResult { record, trouble, .. } = outcome;
        let place = Bytes::from(folder.below(&record.path));
        match trouble {
            None => {
                for record in pieces.into_iter().chain([record]) {
                    let record = Record { path: place.clone(), ..record };
                    let full = |why| Error::of_place(folder.path.clone(), why);
                    self.known.add(&record).map_err(full)?;
                }
            }
            Some(Trouble::Failed(error)) => {
                self.failed += 1;
                let list = matches!(error.problem, Problem::List(_));
                if list { &mut self.apart } else { &mut self.unread }.push(place);
                return Ok(observer(DiffEvent::Failed(&error)));
            }
            Some(Trouble::Skipped(why)) if !why.has_bytes() => {
                self.others.get_or_insert_default().insert(plain(&place).into(), record.reason);
            }
            Some(Trouble::Skipped(why)) => self.filtered += u64::from(is_filtered(why)),
        }
        Ok(ControlFlow::Continue(()))
    }
}
