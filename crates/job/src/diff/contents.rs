//! The files of one side whose content the other sides have nowhere, whatever their names.

use super::event::{DiffEvent, DiffObserver};
use super::folder::{Folder, Turn};
use super::old::is_filtered;
use super::{Comparison, DiffJob, Side};
use crate::audit::{AuditSummary, Manifests};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::Notice;
use hashmill_content::selection::{Bytes, Selection};
use hashmill_digest::{Algorithm, Class};
use hashmill_engine::{self as engine, Plan, Trouble};
use hashmill_lists::distinct::distinct;
use hashmill_lists::listing::name_of;
use hashmill_manifest::audit::{Category, Content, Incomparable, Sides, Unjudged, Verdict};
use hashmill_manifest::{Named, Record, Status};
use hashmill_os::{Links, facts_at, names};
use hashmill_source::{Identity, Meta, Skip, identity};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The content of files of the old side.
struct Wanted {
    size: Option<u64>,
    /// The path at which a new side has it.
    found: Option<Bytes>,
    /// The digests, for verdicts with details.
    details: Option<Content>,
}

/// A file of the old side.
struct OldFile {
    path: Bytes,
    /// The number of its content; `None` for an empty file and for one that could not be read.
    content: Option<usize>,
    status: Status,
}

/// A search for the content of the old side.
struct Search<'a> {
    job: &'a DiffJob,
    /// The algorithms by which content is looked up.
    algorithms: Vec<&'static Algorithm>,
    files: Vec<OldFile>,
    contents: Vec<Wanted>,
    /// For each algorithm, the content with a digest.
    by_digest: Vec<HashMap<Box<[u8]>, usize>>,
    empty: u64,
    /// How many names the old side has for each file on this machine, by device and inode number.
    names: HashMap<Identity, u64>,
    /// The file of the last entry.
    last: OuterFile,
    /// Files of new sides that are files of the old one, and have no other name.
    same: u64,
    summary: AuditSummary,
}

impl DiffJob {
    /// Refuses digests by which anybody can make different files the same, and sides that lie in each other.
    pub(super) fn check_contents(&self) -> Result<(), Misfit> {
        let typed = self.algorithms.iter().flat_map(|typed| &typed.digests);
        let weak = typed.clone().find(|row| row.class != Class::Cryptographic);
        if let Some(weak) = weak {
            return Err(Misfit::NotCryptographic(weak.name));
        }
        let whole = |path: &Path| names::canonical(path).ok();
        let is_folder = |path: &Path| path.is_dir() || self.selection.inside.is_any();
        let Some(old) = whole(&self.old).filter(|_| is_folder(&self.old)) else { return Ok(()) };
        let is_same = |new: &&&Path| {
            let new = whole(new).filter(|_| is_folder(new));
            new.is_some_and(|new| new.starts_with(&old) || old.starts_with(new))
        };
        let news: Vec<&Path> = self.new_sides().collect();
        match news.iter().find(is_same) {
            Some(new) => Err(Misfit::of_place(
                &*names::path_bytes(new),
                "one of the two folders lies in the other: files would be found as themselves (name folders \
                 beside it, or leave it out by a list)",
            )),
            None => Ok(()),
        }
    }

    /// Returns all new sides.
    pub(super) fn new_sides(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.new).chain(&self.more).map(PathBuf::as_path)
    }

    /// Returns the only algorithm that was asked for, which digests are of that nothing names.
    pub(super) fn of_unnamed(&self) -> Option<&'static Algorithm> {
        match self.algorithms.as_ref().map(|typed| &typed.digests[..]) {
            Some([only]) if self.by_content => Some(only),
            _ => None,
        }
    }
}

impl Comparison<'_> {
    /// Reports which files of the old side have content that the new sides have nowhere.
    pub(super) fn contents(
        &self,
        mut old: Side,
        mut new: Vec<Side>,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        let job = self.job;
        self.settle(&mut old, &mut new, observer)?;
        let algorithms = self.choose(&old, &new)?;
        let plan = Plan { algorithms: algorithms.clone(), ..self.plan.clone() };
        let mut search = Search {
            job,
            by_digest: algorithms.iter().map(|_| HashMap::new()).collect(),
            algorithms,
            files: Vec::new(),
            contents: Vec::new(),
            empty: 0,
            names: HashMap::new(),
            last: OuterFile::default(),
            same: 0,
            summary: AuditSummary::default(),
        };
        self.count(&old, &new);
        match &mut old {
            Side::Folder => self.folder(&job.old).hash(&plan, observer, &mut |event, observer| {
                search.take_old(event, observer);
                Ok(ControlFlow::Continue(()))
            })?,
            Side::Manifest(list) => search.each(list, observer, &mut Search::hold_all)?,
        }
        let one = Plan { algorithms: plan.algorithms.iter().take(1).copied().collect(), ..self.plan.clone() };
        let selection = search.selection();
        for (path, side) in job.new_sides().zip(&mut new) {
            if self.plan.cancel.is_set() {
                break;
            }
            match side {
                Side::Manifest(list) => search.each(list, observer, &mut Search::find)?,
                Side::Folder => {
                    let folder = Folder { selection: &selection, ..self.folder(path) };
                    folder.hash(&one, observer, &mut |event, observer| {
                        search.take_new(event, observer);
                        Ok(ControlFlow::Continue(()))
                    })?;
                }
            }
        }
        Ok(search.end(self.plan.cancel.is_set(), observer))
    }

    /// Counts the files of all folders.
    fn count(&self, old: &Side, new: &[Side]) {
        let sides = std::iter::once((&*self.job.old, old)).chain(self.job.new_sides().zip(new));
        let folders: Vec<&Path> =
            sides.filter(|(_, side)| matches!(side, Side::Folder)).map(|(path, _)| path).collect();
        for (place, path) in folders.iter().enumerate().filter(|_| self.job.resources.counts) {
            let turn = if place + 1 == folders.len() { Turn::Last } else { Turn::MoreFollow };
            self.folder(path).count(turn);
        }
    }

    /// Learns the algorithms of digests that nothing names from files of the other side that have the same paths.
    fn settle(&self, old: &mut Side, new: &mut [Side], observer: &mut DiffObserver<'_>) -> Result<(), Error> {
        let is_folder = |side: &Side| matches!(side, Side::Folder);
        let other = self.job.new_sides().zip(&*new).find(|(_, side)| is_folder(side)).map(|(path, _)| path);
        let of_old = is_folder(old).then_some(&*self.job.old);
        let all = std::iter::once((&*self.job.old, old, other));
        for (path, side, beside) in
            all.chain(self.job.new_sides().zip(new).map(|(path, side)| (path, side, of_old)))
        {
            let Side::Manifest(list) = side else { continue };
            if let Some(beside) = beside {
                self.learn_all(list, &self.folder(beside), observer);
            }
            if list.is_open() {
                let why = "nothing names the algorithm of its digests (name it with -c)";
                return Err(Error::of_place(name_of(path.as_os_str()), why));
            }
            if !list.known.has_wholes() && !list.known.is_empty() {
                let why = "has digests of pieces alone, which don't tell whether a file is there";
                return Err(Error::of_place(name_of(path.as_os_str()), why));
            }
            list.know_undigested()?;
        }
        Ok(())
    }

    /// Chooses the algorithms by which content is looked up: what was asked for, else those that most lists have, the
    /// longest first.
    fn choose(&self, old: &Side, new: &[Side]) -> Result<Vec<&'static Algorithm>, Error> {
        let typed = self.job.typed()?.unwrap_or_default();
        let ours = usable(&self.job.old, old)?;
        let news = self.job.new_sides().zip(new).map(|(path, side)| usable(path, side));
        let news: Vec<Vec<_>> = news.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let lists = || news.iter().chain(&ours);
        let number = |row: &'static Algorithm| lists().filter(|list| list.contains(&row)).count();
        let best = |rows: &[&'static Algorithm]| -> Option<&'static Algorithm> {
            rows.iter().rev().max_by_key(|row| (typed.contains(row), number(row), row.bits)).copied()
        };
        let choose = |theirs: &Vec<&'static Algorithm>| {
            let is_shared = |row: &&&'static Algorithm| ours.as_ref().is_none_or(|ours| ours.contains(*row));
            let shared: Vec<_> = theirs.iter().filter(is_shared).copied().collect();
            let none = || Error::NoCommonDigest([ours.clone().unwrap_or_default(), theirs.clone()]);
            best(&shared).ok_or_else(none)
        };
        let mut chosen = news.iter().map(choose).collect::<Result<Vec<_>, _>>()?;
        if chosen.is_empty() {
            chosen = match &ours {
                Some(ours) => best(ours).into_iter().collect(),
                None => self.job.digests()?,
            };
        }
        match typed.iter().find(|row| !chosen.contains(row)) {
            Some(row) => Err(Misfit::OfNoList(row.name).into()),
            None => Ok(self.job.resources.with_key(distinct(chosen))?),
        }
    }
}

/// Returns the algorithms of a list by which files of the same digest have the same content; `None` for a folder and for a
/// list without digests.
fn usable(path: &Path, side: &Side) -> Result<Option<Vec<&'static Algorithm>>, Error> {
    let Side::Manifest(list) = side else { return Ok(None) };
    let all = list.known.algorithms();
    let usable: Vec<_> = all.iter().copied().filter(|row| row.class == Class::Cryptographic).collect();
    if !usable.is_empty() || all.is_empty() {
        return Ok(Some(usable).filter(|usable| !usable.is_empty()));
    }
    let has: Vec<&str> = all.iter().map(|row| row.name).collect();
    let why = "has no cryptographic digest, which it takes to know content by";
    Err(Error::of_place(name_of(path.as_os_str()), format!("{why} (it has: {})", has.join(", "))))
}

/// A file on this machine that an entry is, or lies in.
#[derive(Default, PartialEq, Eq)]
struct OuterFile {
    path: Box<[u8]>,
    id: Identity,
}

impl OuterFile {
    /// Finds the file of an entry; none if it lies elsewhere, or if the file system doesn't tell files apart. `last` is that
    /// of the entry before.
    fn of(path: &[u8], meta: &Meta, last: &OuterFile) -> Option<OuterFile> {
        let mut ends = memchr::memmem::find_iter(path, b"!/").peekable();
        if ends.peek().is_none() {
            return (meta.ino != 0).then(|| OuterFile { path: path.into(), id: (meta.dev, meta.ino) });
        }
        if path.strip_prefix(&*last.path).is_some_and(|rest| rest.starts_with(b"!/")) {
            return Some(OuterFile { path: last.path.clone(), id: last.id });
        }
        // A folder may be named so, too: the first part that is a file is the one.
        ends.chain([path.len()]).find_map(|end| {
            let facts = facts_at(&names::path_to_try(&path[..end]), Links::Follow).ok()?;
            let is_one = !facts.is_folder() && facts.id.1 != 0;
            is_one.then(|| OuterFile { path: path[..end].into(), id: identity(facts.id) })
        })
    }
}

impl Search<'_> {
    /// Returns what is read of the new sides. Filters choose among the files of the old side; files of another size
    /// than all of these are not read.
    fn selection(&self) -> Selection {
        let all = self.job.selection.clone();
        let mut selection = Selection {
            filter: Default::default(),
            rules: Default::default(),
            ignore_files: Vec::new(),
            max_depth: None,
            follow: false,
            one_file_system: false,
            ..all
        };
        let sizes: Option<HashSet<u64>> = self.contents.iter().map(|content| content.size).collect();
        if let Some(sizes) = sizes.filter(|_| !selection.inside.is_any()) {
            selection.filter = hashmill_source::Filter::of_sizes(sizes);
        }
        selection
    }

    /// Passes the records of a list.
    fn each(
        &mut self,
        list: &mut Manifests,
        observer: &mut DiffObserver<'_>,
        take: &mut dyn FnMut(&mut Self, Record, &mut DiffObserver<'_>),
    ) -> Result<(), Error> {
        self.summary.malformed += list.malformed;
        self.summary.failed += list.unread.len() as u64;
        let unread: HashSet<&[u8]> = list.unread.iter().map(|record| &*record.path).collect();
        for path in &unread {
            let _ = observer(DiffEvent::Unread(path));
        }
        let wholes = list.known.records().filter(|record| record.piece.is_none());
        for record in wholes.filter(|record| !unread.contains(&*record.path)) {
            take(self, record, observer);
        }
        Ok(())
    }

    /// Takes an entry of a folder that is the old side.
    fn take_old(&mut self, event: engine::EngineEvent, observer: &mut DiffObserver<'_>) {
        let engine::EngineEvent::Done(outcome) = event else { return };
        let engine::EntryResult { record, meta, trouble, .. } = outcome;
        let outer = meta.and_then(|meta| OuterFile::of(&record.path, &meta, &self.last));
        if let Some(outer) = outer.filter(|outer| *outer != self.last) {
            *self.names.entry(outer.id).or_default() += 1;
            self.last = outer;
        }
        match trouble {
            None => self.hold(record, observer),
            Some(Trouble::Skipped(Skip::EmptyFolder)) => {}
            Some(Trouble::Skipped(why)) if !why.has_bytes() => self.summary.counted.unlisted += 1,
            Some(Trouble::Skipped(Skip::Output)) => self.summary.counted.own += 1,
            Some(Trouble::Skipped(why)) if is_filtered(why) => self.summary.counted.left_out.filtered += 1,
            Some(trouble) => {
                self.fail(&record, trouble, observer);
                self.files.push(OldFile { path: record.path, content: None, status: Status::Unreadable });
            }
        }
    }

    /// Takes an entry of a folder that is a new side.
    fn take_new(&mut self, event: engine::EngineEvent, observer: &mut DiffObserver<'_>) {
        let engine::EngineEvent::Done(outcome) = event else { return };
        let engine::EntryResult { record, meta, trouble, .. } = outcome;
        match trouble {
            None if self.is_gone_with_old(&record, meta.as_ref()) => self.same += 1,
            None => self.find(record, observer),
            Some(Trouble::Skipped(why)) if !why.has_bytes() || is_filtered(why) || why == Skip::Output => {}
            Some(trouble) => self.fail(&record, trouble, observer),
        }
    }

    /// Returns whether a file of a new side is or lies in one of the old side that has no names but those there: it was mounted
    /// twice.
    fn is_gone_with_old(&mut self, record: &Record, meta: Option<&Meta>) -> bool {
        let Some(outer) = meta.and_then(|meta| OuterFile::of(&record.path, meta, &self.last)) else {
            return false;
        };
        let names = self.names.get(&outer.id).copied();
        let facts = names.map(|_| facts_at(&names::path_to_try(&outer.path), Links::Follow));
        self.last = outer;
        matches!((names, facts), (Some(names), Some(Ok(facts))) if facts.links <= names)
    }

    /// Reports what could not be read.
    fn fail(&mut self, record: &Record, trouble: Trouble, observer: &mut DiffObserver<'_>) {
        self.summary.failed += 1;
        let _ = match &trouble {
            Trouble::Failed(error) => observer(DiffEvent::Failed(error)),
            Trouble::Skipped(why) => observer(DiffEvent::Other(&record.path, why.reason())),
        };
    }

    /// Holds a record of a list. Where it states several digests by one algorithm, each of them is content that is looked for.
    fn hold_all(&mut self, record: Record, observer: &mut DiffObserver<'_>) {
        let stated: Vec<Named> = record
            .digests
            .iter()
            .filter(|named| self.algorithms.contains(&named.algorithm))
            .cloned()
            .collect();
        let is_one = distinct(stated.iter().map(|named| named.algorithm.name)).len() == stated.len();
        if is_one {
            return self.hold(record, observer);
        }
        for named in stated {
            self.hold(Record { size: None, digests: vec![named], ..record.clone() }, observer);
        }
    }

    /// Holds a file of the old side.
    fn hold(&mut self, record: Record, observer: &mut DiffObserver<'_>) {
        let path = record.path.clone();
        if self.is_empty(&record) {
            self.empty += 1;
            self.files.push(OldFile { path, content: None, status: Status::Hashed });
        } else if self.is_told(&record, observer) {
            let known = self.numbers(&record).next();
            let number = known.unwrap_or(self.contents.len());
            if known.is_none() {
                let details = if self.job.sides { Content::from_record(&record) } else { None };
                self.contents.push(Wanted { size: record.size, found: None, details });
            }
            for (algorithm, held) in self.algorithms.iter().zip(&mut self.by_digest) {
                if let Some(digest) = record.digest(algorithm) {
                    held.entry(digest.as_bytes().into()).or_insert(number);
                }
            }
            self.files.push(OldFile { path, content: Some(number), status: Status::Hashed });
        }
    }

    /// Notes where a new side has the content of files of the old one.
    fn find(&mut self, record: Record, observer: &mut DiffObserver<'_>) {
        if self.is_empty(&record) || !self.is_told(&record, observer) {
            return;
        }
        let numbers: Vec<usize> = self.numbers(&record).collect();
        for number in numbers {
            let content = &mut self.contents[number];
            let is_same = record.size.is_none() || content.size.is_none() || record.size == content.size;
            if is_same && content.found.is_none() {
                content.found = Some(record.path.clone());
            }
        }
    }

    /// Returns the numbers of the content that has digests of this record.
    fn numbers<'r>(&'r self, record: &'r Record) -> impl Iterator<Item = usize> + 'r {
        let held = |named: &Named| {
            let place = self.algorithms.iter().position(|row| *row == named.algorithm)?;
            self.by_digest[place].get(named.digest.as_bytes()).copied()
        };
        record.digests.iter().filter_map(held)
    }

    /// Returns whether a file has no content that could be lacking. Its digest shows that: a size may be wrong.
    fn is_empty(&self, record: &Record) -> bool {
        let is_of_nothing = |row: &&'static Algorithm| {
            record.digest(row).is_some_and(|digest| *digest == hashmill_digest::hash(row, b""))
        };
        record.size.is_none_or(|size| size == 0) && self.algorithms.iter().any(is_of_nothing)
    }

    /// Returns whether a record has a digest of whole content by one of the algorithms, and reports it if it has none.
    fn is_told(&mut self, record: &Record, observer: &mut DiffObserver<'_>) -> bool {
        let why = match record.status.strength() {
            Some(strength) => Incomparable::Unproven(strength),
            None if self.algorithms.iter().any(|row| record.digest(row).is_some()) => return true,
            None if record.digests.is_empty() => Incomparable::Unsupported,
            None => Incomparable::Apart,
        };
        let (path, known_path) = (record.path.clone(), record.path.clone());
        let _ = observer(DiffEvent::Unjudged(&Unjudged { path, known_path, why, sides: None }));
        self.summary.counted.unjudged += 1;
        self.summary.counted.unsupported += u64::from(why == Incomparable::Unsupported);
        self.summary.counted.unproven += u64::from(why.strength().is_some());
        false
    }

    /// Reports a verdict on each file of the old side, and returns the results.
    fn end(self, is_interrupted: bool, observer: &mut DiffObserver<'_>) -> AuditSummary {
        let Search { mut summary, mut contents, files, empty, same, job, .. } = self;
        summary.counted.is_by_content = true;
        if is_interrupted {
            return AuditSummary { interrupted: true, ..summary };
        }
        if empty > 0 {
            let _ = observer(DiffEvent::Notice(Notice::EmptyFiles(empty)));
        }
        if same > 0 {
            let _ = observer(DiffEvent::Notice(Notice::SameFiles(same)));
        }
        for OldFile { path, content, status } in files {
            let wanted = content.map(|number| &mut contents[number]);
            let known_path = wanted.as_ref().and_then(|wanted| wanted.found.clone());
            let category = match &wanted {
                _ if status == Status::Unreadable => Category::Unreadable,
                Some(_) if known_path.is_none() => Category::Missing,
                _ => Category::Matched,
            };
            summary.counted.counts.add(category);
            if category == Category::Matched && job.counts_matched {
                continue;
            }
            let expected =
                wanted.filter(|_| category == Category::Missing).and_then(|wanted| wanted.details.clone());
            let sides =
                expected.map(|content| Box::new(Sides { expected: Some(content), ..Sides::default() }));
            let status = (category != Category::Missing).then_some(status);
            let verdict = Verdict { category, path, known_path, piece: None, status, strength: None, sides };
            if observer(DiffEvent::Verdict(&verdict)).is_break() {
                return AuditSummary { interrupted: true, ..summary };
            }
        }
        let judged: u64 =
            Category::ALL.into_iter().map(|category| summary.counted.counts.count(category)).sum();
        summary.counted.is_idle = judged + summary.counted.unjudged + summary.failed == 0;
        let _ = observer(DiffEvent::AllJudged(&summary));
        summary
    }
}
