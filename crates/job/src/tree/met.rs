//! Entries below a directory, as a run of the engine finds them.

use super::event::{TreeEvent, TreeObserver};
use super::survey::Survey;
use crate::notice::Notice;
use hashmill_content::archive_folder::LinkTexts;
use hashmill_content::operands::archive_operand::as_folder;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, below};
use hashmill_content::selection::{counting, mixed};
use hashmill_digest::Digest;
use hashmill_engine::{self as engine, EntryResult, Live, Plan, Stats, Trouble};
use hashmill_manifest::Piece;
use hashmill_source::{Error, Filter, Meta, Problem, Skip, WalkOptions};
use std::collections::HashSet;
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
    /// Handling of links, and the choice of entries.
    pub survey: Survey,
    /// Threads, memory and settings of reading.
    pub resources: &'a Resources,
    /// Whether an archive may be in the place of the directory.
    pub is_archive_folder: bool,
}

impl Look<'_> {
    /// Walks the directory and hashes its files. If the plan was cancelled, the result is incomplete.
    pub fn run(self, plan: &Plan, live: &Arc<Live>, observer: &mut TreeObserver<'_>) -> Met {
        let Look { folder, filter, survey, resources, is_archive_folder } = self;
        let stores = &resources.stores;
        let texts = LinkTexts::default();
        let options = WalkOptions { filter, empty_folders: true, ..resources.walk() };
        let members = || as_folder(folder, resources, Some(Arc::clone(&texts)), options.clone());
        let members = is_archive_folder.then(members).flatten();
        let is_archive = members.is_some();
        let survey = if is_archive { survey.with_texts(texts) } else { survey };
        if resources.counts && !is_archive && !stores.is_location(folder) {
            let options = WalkOptions { empty_folders: false, ..counting::options(options.clone()) };
            let entries = survey.anew().watch(mixed::walk_one(folder, options, stores));
            counting::count(live, move || Some(Box::new(entries)));
        }
        let entries = survey
            .clone()
            .watch(members.unwrap_or_else(|| Box::new(mixed::walk_one(folder, options, stores))));
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
                    met.take(outcome, pieces, folder, &survey, observer);
                }
            }
            ControlFlow::Continue(())
        });
        if is_archive {
            met.settle(observer);
        }
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
        folder: &[u8],
        survey: &Survey,
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

impl Met {
    /// Makes the members of an archive the entries of a directory: of the directories among them only the empty ones count,
    /// and no path may be there twice or lead elsewhere.
    fn settle(&mut self, observer: &mut TreeObserver<'_>) {
        let things = std::mem::take(&mut self.things);
        let parents: HashSet<Bytes> =
            things.iter().flat_map(|thing| above(&thing.path)).map(Bytes::from).collect();
        let mut paths = HashSet::new();
        for thing in things {
            let is_folder = matches!(thing.what, What::Folder);
            if is_folder && (parents.contains(&thing.path) || paths.contains(&thing.path)) {
                continue;
            }
            let leads_out =
                thing.path.split(|byte| *byte == b'/').any(|name| matches!(name, b"" | b"." | b".."));
            let why = match leads_out {
                true => "its path is not one below a directory",
                false if parents.contains(&thing.path) => "the archive has it as a directory, too",
                false if !paths.insert(thing.path.clone()) => {
                    "the archive has several members with this path"
                }
                false => {
                    self.things.push(thing);
                    continue;
                }
            };
            let problem = Problem::Inside { word: "ambiguous", why: why.into() };
            observer(TreeEvent::Failed(&Error { path: thing.path.clone(), problem }));
            self.failed.push(thing.path);
        }
    }
}

/// Returns the directories above a path.
fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at])
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
