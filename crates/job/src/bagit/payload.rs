//! Hashing of the payload of a bag.

use super::event::{BagEvent, BagObserver, Refusal};
use crate::notice::Notice;
use hashmill_bag::{Oxum, check};
use hashmill_content::selection::{Bytes, below};
use hashmill_digest::Digest;
use hashmill_engine::{self as engine, EntryResult, Live, Plan, Trouble};
use hashmill_os::names;
use hashmill_source::{WalkOptions, walk};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The payload of a bag.
#[derive(Debug, Default)]
pub struct Payload {
    /// The files, sorted by path.
    pub files: Vec<Item>,
    /// The number of files and bytes.
    pub oxum: Oxum,
    /// The number of entries that can't be stored in a bag or can't be read; each was reported.
    pub refused: u64,
}

/// A file of the payload.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    /// The path relative to the folder.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// One digest for each algorithm of the plan.
    pub digests: Vec<Digest>,
}

impl Payload {
    /// Hashes all files of a folder, and reports entries that a bag can't contain: links and special files, which
    /// manifests can't list, and names that are not UTF-8.
    pub fn read(folder: &Path, plan: &Plan, live: &Arc<Live>, observer: &mut BagObserver<'_>) -> Payload {
        let operand = Bytes::from(names::path_bytes(folder));
        Payload::read_below(&operand, vec![operand.clone()], plan, live, observer)
    }

    /// Hashes all files of some files and folders, by their paths below a folder.
    pub fn read_below(
        folder: &Bytes,
        operands: Vec<Bytes>,
        plan: &Plan,
        live: &Arc<Live>,
        observer: &mut BagObserver<'_>,
    ) -> Payload {
        let entries = walk(operands.into_iter(), WalkOptions::default());
        observer(BagEvent::Reading(live));
        let mut payload = Payload::default();
        hashmill_engine::run(plan, entries, live, &mut |event| {
            if let engine::EngineEvent::Done(outcome) = event
                && let Err(why) = payload.take(&outcome, folder)
            {
                observer(BagEvent::Refused(&outcome.record.path, &why));
                payload.refused += 1;
            }
            ControlFlow::Continue(())
        });
        observer(BagEvent::AllRead);
        plan.reading.notes.take().iter().for_each(|note| observer(BagEvent::Notice(Notice::PageCache(note))));
        payload
    }

    fn take<'a>(&mut self, outcome: &'a EntryResult, folder: &[u8]) -> Result<(), Refusal<'a>> {
        let record = &outcome.record;
        match &outcome.trouble {
            None => {}
            Some(Trouble::Failed(error)) => return Err(Refusal::Unread(&error.problem)),
            Some(Trouble::Skipped(why)) => return Err(Refusal::Special(*why)),
        }
        let path = str::from_utf8(below(&record.path, folder)).map_err(|_| Refusal::NotUtf8)?;
        check(path).map_err(Refusal::Name)?;
        let size = record.size.unwrap_or(0);
        self.oxum.add(size);
        let digests = record.digests.iter().map(|named| named.digest).collect();
        self.files.push(Item { path: path.to_string(), size, digests });
        Ok(())
    }
}
