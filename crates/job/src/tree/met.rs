//! Entries below a directory, as a run of the engine finds them.

use super::event::{TreeEvent, TreeObserver};
use super::survey::Survey;
use crate::counting;
use crate::location::is_location;
use crate::mixed;
use crate::notice::Notice;
use crate::selection::{Bytes, below};
use hashloom_digest::Digest;
use hashloom_engine::{self as engine, EntryResult, Live, Plan, Stats, Trouble};
use hashloom_manifest::Piece;
use hashloom_source::{Filter, Meta, Skip, WalkOptions};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The entries below a directory.
#[derive(Default)]
pub(crate) struct Met {
    /// Entries, in the order of the walk.
    pub things: Vec<Thing>,
    /// Entries that could not be read, by their paths below the directory.
    pub failed: Vec<Bytes>,
    /// Counters and times of the run.
    pub stats: Stats,
}

/// An entry below a directory.
pub(crate) struct Thing {
    /// The path below the directory.
    pub path: Bytes,
    pub what: What,
}

/// The kind of an entry, with its content.
pub(crate) enum What {
    /// A folder without entries.
    Folder,
    File(File),
    /// A symbolic link.
    Link {
        /// Its text; empty if no system needs it.
        target: Bytes,
        /// The file that it leads to, if that file was read.
        file: Option<File>,
    },
    /// An entry that no system supports.
    Special(Skip),
}

/// A file that was hashed.
pub(crate) struct File {
    pub mode: u32,
    /// One digest for each algorithm of the plan; none if the plan has only pieces.
    pub digests: Vec<Digest>,
    /// Digests of its pieces, by the first algorithm.
    pub pieces: Vec<(Piece, Digest)>,
}

/// The walk of a directory: where, and with which settings.
pub(crate) struct Look<'a> {
    pub folder: &'a [u8],
    pub filter: Filter,
    pub walk: WalkOptions,
    /// Handling of links, and the choice of entries.
    pub survey: Survey,
    /// Whether entries are counted in parallel to the walk.
    pub counts: bool,
}

impl Look<'_> {
    /// Walks the directory and hashes its files. If the plan was cancelled, the result is incomplete.
    pub fn run(self, plan: &Plan, live: &Arc<Live>, observer: &mut TreeObserver<'_>) -> Met {
        let Look { folder, filter, walk, survey, counts } = self;
        let options = WalkOptions { filter, empty_folders: true, ..walk };
        if counts && !is_location(folder) {
            let options = WalkOptions { empty_folders: false, ..counting::options(options.clone()) };
            let entries = survey.anew().watch(mixed::walk_one(folder, options));
            counting::count(live, move || Some(Box::new(entries)));
        }
        let entries = survey.clone().watch(mixed::walk_one(folder, options));
        let mut met = Met::default();
        let mut pieces = Vec::new();
        met.stats = engine::run(plan, entries, live, &mut |event| {
            match event {
                engine::EngineEvent::Piece(record) => {
                    let digest = record.digests.first().map(|named| named.digest);
                    pieces.extend(record.piece.zip(digest));
                }
                engine::EngineEvent::Done(outcome) => {
                    let pieces = std::mem::take(&mut pieces);
                    met.take(outcome, pieces, (folder, &survey), observer);
                }
            }
            ControlFlow::Continue(())
        });
        observer(TreeEvent::AllRead);
        plan.reading
            .notes
            .take()
            .iter()
            .for_each(|note| observer(TreeEvent::Notice(Notice::PageCache(note))));
        met
    }
}

impl Met {
    fn take(
        &mut self,
        outcome: EntryResult,
        pieces: Vec<(Piece, Digest)>,
        (folder, survey): (&[u8], &Survey),
        observer: &mut TreeObserver<'_>,
    ) {
        let EntryResult { record, meta, trouble, .. } = outcome;
        let path = Bytes::from(below(&record.path, folder));
        let what = match trouble {
            None => {
                let mode = meta.map_or(0, |Meta { mode, .. }| mode);
                let digests = record.digests.iter().map(|named| named.digest).collect();
                let file = File { mode, digests, pieces };
                match survey.link(&path) {
                    Some(target) => What::Link { target, file: Some(file) },
                    None => What::File(file),
                }
            }
            Some(Trouble::Failed(error)) => {
                observer(TreeEvent::Failed(&error));
                self.failed.push(path);
                return;
            }
            Some(Trouble::Skipped(Skip::Link)) => {
                What::Link { target: survey.link(&path).unwrap_or_default(), file: None }
            }
            Some(Trouble::Skipped(Skip::EmptyFolder)) if !path.is_empty() => What::Folder,
            Some(Trouble::Skipped(Skip::EmptyFolder | Skip::Filtered | Skip::Output)) => return,
            Some(Trouble::Skipped(why)) => What::Special(why),
        };
        self.things.push(Thing { path, what });
    }
}

/// Returns the noun with which errors name an unsupported entry.
pub(crate) fn with_article(why: Skip) -> &'static str {
    match why {
        Skip::Fifo => "a FIFO",
        Skip::Socket => "a socket",
        Skip::Device => "a device",
        Skip::OtherFileSystem => "on another file system",
        _ => "an entry that is not read",
    }
}
