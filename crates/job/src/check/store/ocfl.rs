//! Checks objects of OCFL, and storage roots of them: lists each object, reads its inventories, hashes its files.
//!
//! Objects are hashed together, as many as have files enough to keep all threads busy. No link is followed, and no path that
//! an inventory has is opened: files are met by listing folders, and compared with what inventories say.

use super::StoreCheck;
use super::event::{ObjectVerdict, StoreEvent, StoreObserver, StoreSummary};
use super::place::{joined, read_small};
use crate::error::Error;
use crate::notice::Notice;
use hashmill_content::File as Tried;
use hashmill_content::selection::{Bytes, below};
use hashmill_engine::{self as engine, EngineEvent, EntryResult, Live, Plan, Trouble};
use hashmill_objects::{OcflEntry, OcflFault, OcflObject, OcflOutcome, OcflPlace, OcflRoot};
use hashmill_os::names;
use hashmill_source::{Entry, Error as Failure, Identity, OperandDirectory, Origin, Problem, WalkItem};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The number of files that are hashed together, if so many come.
const FILES: usize = 4096;

/// The part of the memory that the text of an inventory may take: what it says takes several times as much.
const SHARE: usize = 8;

/// Checks that a folder is a storage root or an object.
///
/// # Errors
/// If it is neither, or can't be listed.
pub(super) fn check_place(root: &[u8]) -> Result<(), Error> {
    let failed = |error| Error::file(root, Tried::List)(error);
    let operand = OperandDirectory::open(root).map_err(failed)?;
    let listed = list(&operand, root, &[]).map_err(failed)?;
    if place(&listed) == OcflPlace::Other {
        let why = "is no storage root or object of OCFL: it has no 0=ocfl_1.1 (E069), and no 0=ocfl_object_1.1 (E003) \
                   or inventory.json (E063)";
        return Err(Error::of_place(root, why));
    }
    Ok(())
}

/// Checks all objects.
pub(super) fn run(check: StoreCheck, observer: &mut StoreObserver<'_>) -> StoreSummary {
    let StoreCheck { job, root, plan, live, .. } = check;
    if job.resources.counts {
        hashmill_content::selection::counting::count_folder(&live, &root, &job.resources.stores);
    }
    let mut checker = Checker {
        operand: OperandDirectory::open(&root).map(Arc::new),
        plan,
        live,
        own: job.own.identities().to_vec(),
        most: (job.resources.memory / SHARE) as u64,
        batch: Vec::new(),
        ids: BTreeMap::new(),
        observer,
        summary: StoreSummary::default(),
        stopped: false,
    };
    checker.check(&root);
    let interrupted = checker.plan.cancel.is_set();
    if !interrupted {
        let notes = checker.plan.reading.notes.take();
        notes.iter().for_each(|note| checker.tell(StoreEvent::Notice(Notice::PageCache(note))));
    }
    checker.summary.interrupted = interrupted || checker.stopped;
    checker.summary
}

/// An object that waits for its files to be hashed.
struct Pending {
    folder: Bytes,
    object: OcflObject,
}

type Listed = BTreeMap<Vec<u8>, OcflEntry>;

struct Checker<'a> {
    operand: io::Result<Arc<OperandDirectory>>,
    plan: Plan,
    live: Arc<Live>,
    /// Outputs of this run, which are no parts of the store.
    own: Vec<Identity>,
    /// The most bytes of an inventory.
    most: u64,
    batch: Vec<Pending>,
    /// The folder of each identifier.
    ids: BTreeMap<Box<str>, Bytes>,
    observer: &'a mut (dyn FnMut(StoreEvent<'_>) -> hashmill_engine::flow::Flow + 'a),
    summary: StoreSummary,
    stopped: bool,
}

impl Checker<'_> {
    fn check(&mut self, root: &Bytes) {
        let operand = match &self.operand {
            Ok(operand) => Arc::clone(operand),
            Err(error) => return self.failed(root, Problem::List(io::Error::from(error.kind()))),
        };
        let listed = match list(&operand, root, &self.own) {
            Ok(listed) => listed,
            Err(error) => return self.failed(root, Problem::List(error)),
        };
        if place(&listed) == OcflPlace::Root {
            self.storage_root(&operand, root, listed);
        } else {
            let object = self.object(&operand, root, None);
            self.add(root.clone(), object);
        }
        self.hash(&operand);
    }

    /// Checks a storage root, and all objects below it.
    fn storage_root(&mut self, operand: &Arc<OperandDirectory>, root: &Bytes, mut listed: Listed) {
        let (extensions, _) =
            self.tree(operand, &joined(root, "extensions"), &listed.get(&b"extensions"[..]).copied());
        listed.extend(extensions.iter().map(|(path, entry)| ([b"extensions/", &**path].concat(), *entry)));
        let names: Vec<Vec<u8>> = listed.keys().filter(|name| OcflRoot::is_text(name)).cloned().collect();
        let texts = self.read(operand, root, &names);
        let mut state = OcflRoot::new(&listed, &texts);
        let mut folders = Vec::new();
        for (name, entry) in &listed {
            match entry {
                OcflEntry::Folder if !name.starts_with(b"extensions") => folders.push(name.clone()),
                OcflEntry::File => {
                    let is_read = texts.contains_key(name);
                    let is_compared = is_read && !name.starts_with(b"extensions/");
                    let outcome = OcflOutcome { is_compared, ..OcflOutcome::default() };
                    let is_told = state.has_findings(name) || names.contains(name) && !is_read;
                    if !is_told {
                        self.outcome(&joined(root, name), &outcome);
                    }
                }
                OcflEntry::Link | OcflEntry::Other => state.stray(name, *entry),
                OcflEntry::Folder => {}
            }
        }
        folders.reverse();
        while let Some(path) = folders.pop().filter(|_| !self.is_over()) {
            self.hierarchy(operand, root, &path, &mut state, &mut folders);
        }
        self.hash(operand);
        for finding in state.finish() {
            // The root itself is no file that could be compared.
            if finding.path.is_empty() && finding.fault == OcflFault::Warning {
                self.tell(StoreEvent::Warning(root, &finding.to_string()));
                continue;
            }
            let path = joined(root, &finding.path);
            self.outcome(&path, &OcflOutcome { findings: vec![finding], is_compared: false });
        }
    }

    /// Checks a folder below a storage root: an object, or one that leads to objects.
    fn hierarchy(
        &mut self,
        operand: &Arc<OperandDirectory>,
        root: &Bytes,
        path: &[u8],
        state: &mut OcflRoot,
        folders: &mut Vec<Vec<u8>>,
    ) {
        let folder = joined(root, path);
        let listed = match list(operand, &folder, &self.own) {
            Ok(listed) => listed,
            Err(error) => return self.failed(&folder, Problem::List(error)),
        };
        if place(&listed) == OcflPlace::Object {
            let object = self.object(operand, &folder, Some(state));
            if self.is_full(&object) {
                self.hash(operand);
            }
            state.object(path, object.id.as_deref());
            return self.add(folder, object);
        }
        state.folder(path, listed.is_empty());
        for (name, entry) in listed.into_iter().rev() {
            let inner = [path, b"/", &name].concat();
            match entry {
                OcflEntry::Folder => folders.push(inner),
                other => state.stray(&inner, other),
            }
        }
    }

    /// Lists an object, and reads what it says of itself.
    fn object(&mut self, operand: &OperandDirectory, folder: &Bytes, root: Option<&OcflRoot>) -> OcflObject {
        let (entries, unread) = self.tree(operand, folder, &Some(OcflEntry::Folder));
        let mut object = OcflObject::new(entries);
        unread.iter().for_each(|path| object.unreadable(path));
        if unread.iter().any(Vec::is_empty) {
            return object;
        }
        let names = object.texts();
        let texts = self.read(operand, folder, &names);
        names.iter().filter(|name| !texts.contains_key(*name)).for_each(|name| object.unreadable(name));
        object.inspect(&texts);
        if let (Some(version), Some(limit)) = (object.version, root.and_then(|root| root.version))
            && version > limit
        {
            object.find(b"", "E081", format!("is of OCFL {version}, and the storage root of {limit}"));
        }
        if let Some(id) = object.id.clone()
            && let Some(other) = self.ids.insert(id, folder.clone())
        {
            let why = format!("has the id of {}", hashmill_terminal::Shown(&other));
            object.find(b"inventory.json", "E037", why);
        }
        object
    }

    /// Lists all that is in a folder, by paths below it. Returns also what could not be listed.
    fn tree(
        &mut self,
        operand: &OperandDirectory,
        root: &Bytes,
        entry: &Option<OcflEntry>,
    ) -> (Listed, Vec<Vec<u8>>) {
        let (mut all, mut unread, mut folders) = (Listed::new(), Vec::new(), Vec::new());
        if *entry == Some(OcflEntry::Folder) {
            folders.push(Vec::new());
        }
        while let Some(folder) = folders.pop().filter(|_| !self.is_over()) {
            let place = joined(root, &folder);
            let listed = match list(operand, &place, &self.own) {
                Ok(listed) => listed,
                Err(error) => {
                    self.failed(&place, Problem::List(error));
                    unread.push(folder);
                    continue;
                }
            };
            for (name, entry) in listed {
                let path = if folder.is_empty() { name } else { [&folder, &b"/"[..], &name].concat() };
                if entry == OcflEntry::Folder {
                    folders.push(path.clone());
                }
                all.insert(path, entry);
            }
        }
        (all, unread)
    }

    /// Reads files whole, and reports those that can't be read.
    fn read(
        &mut self,
        operand: &OperandDirectory,
        folder: &[u8],
        names: &[Vec<u8>],
    ) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut texts = BTreeMap::new();
        for name in names {
            let path = joined(folder, name);
            match read_small(operand, &path, self.most) {
                Ok(text) => drop(texts.insert(name.clone(), text)),
                Err(source) => self.failed(&path, Problem::Read { offset: 0, source }),
            }
        }
        texts
    }

    fn add(&mut self, folder: Bytes, object: OcflObject) {
        self.batch.push(Pending { folder, object });
    }

    /// Returns whether what waits must be hashed before an object is added.
    fn is_full(&self, object: &OcflObject) -> bool {
        let Some(last) = self.batch.last() else { return false };
        let files: usize = self.batch.iter().map(|pending| pending.object.files().count() + 1).sum();
        files >= FILES || last.object.algorithms() != object.algorithms()
    }

    /// Hashes the files of all objects that wait, and tells what became of these.
    fn hash(&mut self, operand: &Arc<OperandDirectory>) {
        let mut batch = std::mem::take(&mut self.batch);
        let Some(first) = batch.first() else { return };
        let plan = Plan { algorithms: first.object.algorithms(), ..self.plan.clone() };
        let mut items = Vec::new();
        for pending in &batch {
            for path in pending.object.files() {
                let entry = Entry::new(joined(&pending.folder, path), Origin::Path);
                items.push(WalkItem::File(Entry { operand: Some(Arc::clone(operand)), ..entry }));
            }
        }
        if !items.is_empty() {
            let mut next = 0;
            let live = Arc::clone(&self.live);
            let stats = engine::run(&plan, items.into_iter(), &live, &mut |event| {
                if let EngineEvent::Done(outcome) = event {
                    while !is_below(&outcome.record.path, &batch[next].folder) && next + 1 < batch.len() {
                        next += 1;
                    }
                    self.take(&mut batch[next], &outcome);
                }
                if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            self.summary.stats.elapsed += stats.elapsed;
            self.summary.stats.add(&stats);
        }
        for Pending { folder, object } in batch {
            for (path, outcome) in object.finish() {
                if self.is_over() {
                    return;
                }
                self.outcome(&joined(&folder, &path), &outcome);
            }
        }
    }

    fn take(&mut self, pending: &mut Pending, outcome: &EntryResult) {
        let record = &outcome.record;
        let path = below(&record.path, &pending.folder);
        match &outcome.trouble {
            None => pending.object.file(path, |algorithm| record.digest(algorithm).copied()),
            Some(Trouble::Failed(error)) => {
                pending.object.unreadable(path);
                self.tell(StoreEvent::Failed(error));
                self.verdict(&record.path, ObjectVerdict::Unreadable);
            }
            Some(Trouble::Skipped(why)) => {
                pending.object.unreadable(path);
                self.tell(StoreEvent::Reason(&record.path, why.reason()));
                self.verdict(&record.path, ObjectVerdict::Unreadable);
            }
        }
    }

    /// Tells what was found about a path.
    fn outcome(&mut self, path: &[u8], outcome: &OcflOutcome) {
        let reasons: Vec<String> = outcome.findings.iter().rev().map(ToString::to_string).collect();
        let (reasons, worst) = (reasons.join("; "), outcome.findings.iter().map(|found| found.fault).max());
        match worst {
            None => {}
            Some(OcflFault::Warning) => self.tell(StoreEvent::Warning(path, &reasons)),
            Some(_) => self.tell(StoreEvent::Reason(path, &reasons)),
        }
        let verdict = match worst {
            None | Some(OcflFault::Warning) if outcome.is_compared => ObjectVerdict::Right,
            None | Some(OcflFault::Warning) => ObjectVerdict::Apart,
            Some(OcflFault::Superfluous) => ObjectVerdict::Superfluous,
            Some(OcflFault::Missing) => ObjectVerdict::Missing,
            Some(OcflFault::Damaged) => ObjectVerdict::Damaged,
            Some(OcflFault::Unsupported) => ObjectVerdict::Unsupported,
        };
        self.verdict(path, verdict);
    }

    fn failed(&mut self, path: &[u8], problem: Problem) {
        self.tell(StoreEvent::Failed(&Failure { path: path.into(), problem }));
        self.verdict(path, ObjectVerdict::Unreadable);
    }

    fn verdict(&mut self, path: &[u8], verdict: ObjectVerdict) {
        self.summary.add(verdict);
        self.tell(StoreEvent::Verdict(path, verdict, None));
    }

    fn tell(&mut self, event: StoreEvent<'_>) {
        self.stopped |= (self.observer)(event).is_break();
    }

    fn is_over(&self) -> bool {
        self.stopped || self.plan.cancel.is_set()
    }
}

/// Lists a folder, but for outputs of this run.
fn list(operand: &OperandDirectory, folder: &[u8], own: &[Identity]) -> io::Result<Listed> {
    let mut listed = Listed::new();
    for name in operand.names(folder)? {
        let name = names::bytes(&name).into_owned();
        let meta = match operand.meta(&joined(folder, &name)) {
            Ok(meta) if own.contains(&(meta.dev, meta.ino)) => continue,
            // It was removed meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            meta => meta?,
        };
        let entry = match () {
            () if meta.is_file() => OcflEntry::File,
            () if meta.is_directory() => OcflEntry::Folder,
            () if meta.is_link() => OcflEntry::Link,
            () => OcflEntry::Other,
        };
        listed.insert(name, entry);
    }
    Ok(listed)
}

fn place(listed: &Listed) -> OcflPlace {
    let files = listed.iter().filter(|(_, entry)| **entry == OcflEntry::File);
    OcflPlace::new(files.map(|(name, _)| &**name))
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| folder.ends_with(b"/") || rest.starts_with(b"/"))
}
