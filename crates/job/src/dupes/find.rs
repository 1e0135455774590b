//! Search for files with the same content below paths. Files are told apart in stages: by size, by device and inode,
//! then byte by byte where few have the same size, or by the first and the last block where more have it, and finally
//! by a digest of all bytes. A file whose size no other file has is never opened.

use super::compare::{self, Buffer, Classes, Comparing};
use super::event::{DupesEvent, DupesObserver};
use super::group::{Group, Groups, Single};
use super::identities::Identities;
use super::inside::OncePerFile;
use super::part::BlockPosition;
use super::sizes::{Asking, measure};
use crate::account::{self, Account, Item, Outcome};
use crate::notice::Notice;
use hashmill_content::selection::ListError;
use hashmill_digest::Digest;
use hashmill_engine::flow::Entries;
use hashmill_engine::{self as engine, Live, Order, Plan, Stats, Trouble, run};
use hashmill_source::{Entry, Error, Origin, Reading, Skip, WalkItem};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{io, iter, thread};

/// The number of groups of files for each thread that compares. For fewer groups, no other thread is started.
const SHARE: usize = 4;

/// The result of a search.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// Files with the same content. Groups that waste most bytes come first.
    pub groups: Vec<Group>,
    /// The work done and the time it took.
    pub stats: Stats,
    /// Files that were met and could be compared.
    files: u64,
    /// Entries that could not be read when they were met.
    refused: u64,
    /// Entries that could not be read.
    pub failed: u64,
    /// Entries that were left out, by reason, except those that filters leave out and outputs.
    pub skipped: BTreeMap<Skip, u64>,
    /// Those.
    left_out: u64,
    /// The error that ended the list of paths early.
    pub list_problem: Option<io::Error>,
    /// Whether the search was cancelled; then there may be more groups.
    pub interrupted: bool,
}

impl Duplicates {
    /// Returns the account of the entries that were met.
    pub fn account(&self) -> Account {
        let later = self.failed - self.refused;
        let (hashed, failed) = (self.files.saturating_sub(later), self.failed);
        let skipped = self.skipped.values().sum::<u64>() + self.left_out;
        let stats = Stats { hashed, failed, skipped, ..Stats::default() };
        let mut account = account::of_entries(&stats, &self.skipped, 0);
        account.count(Item::List, Outcome::Incomplete, self.list_problem.is_some().into());
        account.is_interrupted = self.interrupted;
        account
    }
}

/// A search, ready to start.
pub struct Search {
    entries: Entries,
    list: ListError,
    wanted: StageSettings,
    plan: Plan,
    live: Arc<Live>,
}

/// The part of the settings that the stages need.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageSettings {
    /// The minimum size of a file in bytes.
    pub(super) min_size: u64,
    /// Whether each group has its digest.
    pub(super) digests: bool,
    /// Whether entries are inside of files.
    pub(super) inside: bool,
    /// Whether no entry is in a store.
    pub(super) is_here: bool,
}

impl Search {
    pub(super) fn new(entries: Entries, list: ListError, wanted: StageSettings, plan: Plan) -> Search {
        let plan = Plan { order: Order::Walk, ..plan };
        Search { entries, list, wanted, plan, live: Arc::default() }
    }

    /// Returns counters that are updated while files are read whole.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live)
    }

    /// Runs the search.
    pub fn run(self, observer: &mut DupesObserver<'_>) -> Duplicates {
        let Search { entries, list, wanted, plan, live } = self;
        let groups = Groups::new(plan.algorithms[0]);
        let mut stages = Stages { plan: &plan, live, groups, found: Duplicates::default(), observer };
        match wanted.inside {
            true => stages.hash_met(OncePerFile::new(
                entries,
                plan.reading.clone(),
                wanted.min_size,
                wanted.is_here,
            )),
            false => stages.tell_files_apart(entries, wanted),
        }
        let Stages { groups, found, observer, .. } = stages;
        observer(DupesEvent::AllRead);
        let interrupted = plan.cancel.is_set();
        if !interrupted {
            let notes = plan.reading.notes.take();
            notes.iter().for_each(|note| observer(DupesEvent::Notice(Notice::PageCache(note))));
        }
        Duplicates { groups: groups.finish(), list_problem: list.take(), interrupted, ..found }
    }
}

/// A function that takes the path of an entry, and its size and digest if it could be read.
type Taking<'a> = dyn FnMut(&[u8], Option<(u64, Digest)>) + 'a;

/// A file that may be a duplicate.
struct Candidate {
    entry: Entry,
    size: u64,
    links: Vec<Box<[u8]>>,
    /// Its number among the files whose size another file has, too.
    place: usize,
}

impl Candidate {
    fn named(self) -> (usize, Single) {
        (self.place, Single { path: self.entry.path, links: self.links })
    }
}

/// A search in progress.
struct Stages<'a> {
    plan: &'a Plan,
    live: Arc<Live>,
    groups: Groups,
    found: Duplicates,
    observer: &'a mut (dyn FnMut(DupesEvent<'_>) + 'a),
}

impl Stages<'_> {
    /// Finds the groups among files, which are read as little as that takes.
    fn tell_files_apart(&mut self, entries: Entries, wanted: StageSettings) {
        let candidates = self.collect(entries, wanted);
        let mut candidates = several(linked(several(candidates, |file| file.size)), |file| file.size);
        candidates.iter_mut().enumerate().for_each(|(place, file)| file.place = place);
        if !wanted.digests && compare::is_plain(&self.plan.reading) {
            candidates = self.compare(candidates);
        }
        let candidates = self.sieve(candidates, BlockPosition::Head);
        let candidates = self.sieve(candidates, BlockPosition::Tail);
        self.hash(candidates);
    }

    /// Hashes all that is met, in its order.
    fn hash_met(&mut self, entries: OncePerFile) {
        let (links, min_size, live) = (Arc::clone(&entries.links), entries.min_size, Arc::clone(&self.live));
        let (mut hashed, mut place, mut read) = (Vec::new(), 0, 0);
        self.run(entries, &live, &mut |path, outcome| {
            read += u64::from(outcome.is_some());
            hashed.extend(
                outcome
                    .filter(|(size, _)| *size >= min_size)
                    .map(|(size, digest)| (digest, Box::<[u8]>::from(path), place, size)),
            );
            place += 1;
        });
        (self.found.files, self.found.refused) = (read, self.found.failed);
        // An archive that was met twice has each of its members once.
        hashed.sort_unstable_by(|a, b| (a.0.as_bytes(), &a.1, a.2).cmp(&(b.0.as_bytes(), &b.1, b.2)));
        hashed.dedup_by(|next, first| (next.0, &next.1) == (first.0, &first.1));
        for (digest, path, place, size) in hashed {
            self.groups.add(Some(size), digest, place, Single { path, links: links.take(place) });
        }
    }

    fn collect(&mut self, entries: Entries, wanted: StageSettings) -> Vec<Candidate> {
        let (cancel, reading) = (self.plan.cancel.clone(), self.plan.reading.clone());
        let asking = Asking { threads: self.plan.threads.get(), reading: &reading };
        let met = entries.take_while(|_| !cancel.is_set()).filter_map(|found| self.meet(found)).map(Ok);
        let files = measure(met, asking);
        let mut candidates = Vec::with_capacity(files.len());
        for file in files {
            match file {
                Ok(entry) => {
                    self.found.files += 1;
                    if let Some(size) = entry.size.filter(|size| *size >= wanted.min_size) {
                        candidates.push(Candidate { entry, size, links: Vec::new(), place: 0 });
                    }
                }
                Err(error) => self.fail(&error),
            }
        }
        self.found.refused = self.found.failed;
        candidates
    }

    /// Returns the entry if it is a file that has a size, and reports anything else.
    fn meet(&mut self, found: WalkItem) -> Option<Entry> {
        match found {
            WalkItem::File(entry) => match (entry.size, entry.origin) {
                (_, Origin::Path) | (Some(_), _) => return Some(entry),
                (None, Origin::Stdin) => self.refuse(None),
                (None, Origin::Operand | Origin::Listed) => self.refuse(Some(&entry.path)),
            },
            // The user asked for both.
            WalkItem::Skipped { why: Skip::Filtered | Skip::Output, .. } => self.found.left_out += 1,
            WalkItem::Skipped { why, .. } => *self.found.skipped.entry(why).or_default() += 1,
            WalkItem::Failed(error) => self.fail(&error),
        }
        None
    }

    fn fail(&mut self, error: &Error) {
        (self.observer)(DupesEvent::Failed(error));
        self.found.failed += 1;
    }

    fn refuse(&mut self, path: Option<&[u8]>) {
        (self.observer)(DupesEvent::NoSize(path));
        self.found.failed += 1;
    }

    /// Removes the files whose part no other file of the same size has.
    fn sieve(&mut self, candidates: Vec<Candidate>, part: BlockPosition) -> Vec<Candidate> {
        let wanted = |file: &Candidate| file.size >= part.pays_from();
        let reading = &self.plan.reading;
        let parts =
            candidates.iter().filter(|file| wanted(file)).map(|file| part.entry(&file.entry, reading));
        let parts: Vec<Entry> = parts.collect();
        if parts.is_empty() {
            return candidates;
        }
        let mut digests: Vec<Option<Digest>> = Vec::with_capacity(parts.len());
        let parts = parts.into_iter().map(WalkItem::File);
        self.run(parts, &Arc::new(Live::default()), &mut |_, outcome| {
            digests.push(outcome.map(|(_, digest)| digest))
        });
        let mut digests = digests.into_iter();
        let tagged = candidates.into_iter().filter_map(|file| match wanted(&file) {
            // A file that can't be read was reported, and is left out.
            true => Some((digests.next()??, file)).map(|(digest, file)| (Some(digest), file)),
            false => Some((None, file)),
        });
        let left = several(tagged.collect(), |(digest, file)| (file.size, *digest));
        left.into_iter().map(|(_, file)| file).collect()
    }

    /// Compares files byte by byte where few have the same size, and returns those that are left for the engine.
    fn compare(&mut self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let start = Instant::now();
        let told = tell_apart(&candidates, self.plan);
        let mut candidates: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
        for GroupResult { files, size, classes } in told {
            let count = files.len() as u64;
            let (stats, live) = (&mut self.found.stats, &self.live);
            (stats.seen, stats.hashed) = (stats.seen + count, stats.hashed + count);
            // Of files that differ, only some bytes were read: at least their first ones.
            let same = classes.iter().map(Vec::len).sum::<usize>() as u64;
            stats.bytes += same.saturating_mul(size) + (count - same) * size.min(compare::EDGE);
            (0..count).for_each(|_| live.keep(size));
            for class in classes {
                let names = class.iter().filter_map(|number| candidates[files[*number]].take());
                self.groups.add_compared(size, names.map(Candidate::named).collect());
            }
            files.into_iter().for_each(|place| candidates[place] = None);
        }
        self.found.stats.elapsed += start.elapsed();
        candidates.into_iter().flatten().collect()
    }

    /// Hashes the remaining files completely.
    fn hash(&mut self, candidates: Vec<Candidate>) {
        let mut names = Vec::with_capacity(candidates.len());
        let mut entries = Vec::with_capacity(candidates.len());
        for file in candidates {
            entries.push(file.entry.clone());
            names.push(file.named());
        }
        if entries.is_empty() {
            return;
        }
        let (mut names, mut groups) = (names.into_iter(), Vec::new());
        self.live.expect(entries.iter().map(|entry| entry.size.unwrap_or(0)));
        let live = Arc::clone(&self.live);
        let entries = entries.into_iter().map(WalkItem::File);
        self.run(entries, &live, &mut |_, outcome| {
            if let (Some(name), Some((size, digest))) = (names.next(), outcome) {
                groups.push((size, digest, name));
            }
        });
        for (size, digest, (place, file)) in groups {
            self.groups.add(Some(size), digest, place, file);
        }
    }

    /// Hashes entries and calls `take` for each, in their order, with its path, size and digest. An entry that can't be
    /// read or is left out is reported here, and `take` gets `None`.
    fn run(
        &mut self,
        entries: impl Iterator<Item = WalkItem> + Send + 'static,
        live: &Arc<Live>,
        take: &mut Taking<'_>,
    ) {
        let (found, observer) = (&mut self.found, &mut *self.observer);
        let mut sink = |event: engine::EngineEvent| {
            let engine::EngineEvent::Done(outcome) = event else { return ControlFlow::Continue(()) };
            match &outcome.trouble {
                Some(Trouble::Failed(error)) => {
                    observer(DupesEvent::Failed(error));
                    found.failed += 1;
                }
                // The user asked for both.
                Some(Trouble::Skipped(Skip::Filtered | Skip::Output)) => found.left_out += 1,
                None => {}
                Some(Trouble::Skipped(why)) => *found.skipped.entry(*why).or_default() += 1,
            }
            let digest = outcome.record.digests.first().map(|named| named.digest);
            take(&outcome.record.path, outcome.record.size.zip(digest));
            ControlFlow::Continue(())
        };
        let stats = run(self.plan, entries, live, &mut sink);
        self.found.stats.elapsed += stats.elapsed;
        self.found.stats.add(&stats);
    }
}

/// The result of comparing the files of one size.
struct GroupResult {
    /// The places of the files among the candidates.
    files: Vec<usize>,
    size: u64,
    /// The files with the same content, by their numbers in `files`.
    classes: Classes,
}

/// Compares files where few have the same size, on all threads. The largest files come first, so that no thread is left
/// alone with them at the end. The result does not include files that are left for the engine.
fn tell_apart(candidates: &[Candidate], plan: &Plan) -> Vec<GroupResult> {
    let threads = plan.threads.get();
    let buffer = compare::BUFFER.min(plan.memory / threads).max(compare::MAX_COMPARED);
    let reading = Reading { reads_holes: true, ..plan.reading.clone() };
    let comparing = Comparing { reading: &reading, cancel: &plan.cancel, buffer };
    let mut sizes: HashMap<u64, Vec<usize>> = HashMap::new();
    candidates.iter().for_each(|file| sizes.entry(file.size).or_default().push(file.place));
    let mut sizes: Vec<_> =
        sizes.into_iter().filter(|(_, files)| files.len() <= compare::MAX_COMPARED).collect();
    sizes.sort_unstable_by_key(|(size, files)| (Reverse(size.saturating_mul(files.len() as u64)), files[0]));
    let told = |(size, files): &(u64, Vec<usize>), threads, buffer: &mut Buffer| {
        let entries: Vec<&Entry> = files.iter().map(|place| &candidates[*place].entry).collect();
        let classes = comparing.classes(&entries, *size, threads, buffer)?;
        Some(GroupResult { files: files.clone(), size: *size, classes })
    };
    let (shared, rest): (Vec<_>, Vec<_>) = sizes.into_iter().partition(|(size, _)| *size >= compare::SHARED);
    let mut buffer = Buffer::new(buffer);
    let mut all: Vec<GroupResult> =
        shared.iter().filter_map(|group| told(group, threads, &mut buffer)).collect();
    let next = AtomicUsize::new(0);
    let work = |buffer: &mut Buffer| {
        let groups = iter::from_fn(|| rest.get(next.fetch_add(1, Ordering::Relaxed)));
        groups.filter_map(|group| told(group, 1, buffer)).collect::<Vec<GroupResult>>()
    };
    thread::scope(|scope| {
        let helpers = 1..threads.min(rest.len().div_ceil(SHARE));
        let helper = |_| {
            let work = || work(&mut Buffer::new(comparing.buffer));
            // If no thread can be started, this one does the work.
            thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        let helpers: Vec<_> = helpers.filter_map(helper).collect();
        all.extend(work(&mut buffer));
        for helper in helpers {
            all.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    all
}

/// Returns the items whose key another item has, too, in their order.
fn several<T, K: Eq + std::hash::Hash>(items: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut counts: HashMap<K, u32> = HashMap::with_capacity(items.len());
    for item in &items {
        let count = counts.entry(key(item)).or_default();
        *count = count.saturating_add(1);
    }
    items.into_iter().filter(|item| counts.get(&key(item)).is_some_and(|count| *count > 1)).collect()
}

/// Returns each file once, with all its names. Files are identified by device and inode number, which a walk that looks
/// up sizes gets from the files themselves. A name that was met twice is kept once.
fn linked(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut met = Identities::with_capacity(candidates.len());
    let mut files: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for file in candidates {
        let id = (file.entry.device, file.entry.ino);
        match met.known(id, &file.entry.path, files.len(), |place| files[place].entry.path.clone()) {
            None => files.push(file),
            Some(first) => {
                let first = &mut files[first];
                if first.entry.path != file.entry.path && !first.links.contains(&file.entry.path) {
                    first.links.push(file.entry.path);
                }
            }
        }
    }
    files
}
