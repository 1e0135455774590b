//! The manifests that an audit compares with, read and prepared.

use super::others::OtherPaths;
use crate::error::Error;
use crate::notice::Notice;
use hashmill_content::output::WriteError;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, path_of};
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_engine::Plan;
use hashmill_facts::FactSet;
use hashmill_lists::SIGNED_GUESS;
use hashmill_lists::distinct::distinct;
use hashmill_lists::entries::has_others;
use hashmill_lists::entries::spool::Spool;
use hashmill_lists::history::{self, Below, Patterns};
use hashmill_lists::learn::{LOOKED_AT, LearningReports, learn};
use hashmill_lists::listed::{self, Separators, exists};
use hashmill_lists::listing::Listing;
use hashmill_lists::listing::name_of;
use hashmill_lists::unsupported::{Tried, Unsupported};
use hashmill_manifest::audit::{Known, Learner, Places, Root, Scope, find_prefix, find_roots};
use hashmill_manifest::format::{Format, Hint, Layout, Malformed, Reader, Why};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_os::roots::plain;
use std::collections::{BTreeSet, HashSet};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of known paths that are looked up below the operands.
pub(crate) const SAMPLE: usize = 256;

/// The same number where each lookup is a request to a store.
const ASKED: usize = 8;

/// A manifest, and the algorithms learnt for it.
struct List {
    name: Box<[u8]>,
    /// The first records with a digest whose algorithm nothing names.
    unnamed: Vec<Record>,
    /// Learns the algorithms of unnamed digests.
    learner: Learner,
    /// All records, if they are kept.
    kept: Option<Kept>,
}

/// Lists with unnamed digests whose algorithm no file showed before the comparison, by their numbers.
#[derive(Default)]
pub(crate) struct OpenLists(Vec<(usize, Bytes, Tried)>);

impl OpenLists {
    /// Reports for each by which algorithms files matched it in the comparison, or that none did. Returns these
    /// algorithms.
    pub fn tell(
        &self,
        revealed: &[(usize, &'static Algorithm)],
        told: &mut OnNotice<'_>,
    ) -> Vec<&'static Algorithm> {
        let mut all = Vec::new();
        for (number, list, tried) in &self.0 {
            let of_list = revealed.iter().filter(|(of, found)| of == number && found.bits == tried.bits);
            let algorithms: Vec<_> = of_list.map(|(_, algorithm)| *algorithm).collect();
            told(match &algorithms[..] {
                [] => Notice::Tried { list, tried: *tried },
                algorithms => Notice::Guessed { list, algorithms },
            });
            all.extend(algorithms);
        }
        all
    }
}

/// The records of a manifest as they were read, for the next manifest.
pub(super) struct Kept {
    named: Spool,
    /// Those with digests whose algorithms nothing names.
    unnamed: Spool,
}

/// Patterns of files that a manifest excludes.
struct LeavingOut {
    texts: Vec<Box<[u8]>>,
    /// The folder that they are relative to, if the format states one.
    base: Option<PathBuf>,
}

/// Receives notices.
pub type OnNotice<'a> = dyn FnMut(Notice<'_>) + 'a;

/// The manifests of an audit, read.
#[derive(Default)]
pub struct Manifests {
    /// The known records.
    pub known: Known,
    /// The format of the first manifest.
    pub format: Option<&'static Format>,
    /// Records of files that could not be read, or only in part, when their manifest was made.
    pub unread: Vec<Record>,
    /// Files that are listed without a digest.
    undigested: Vec<Bytes>,
    /// Paths that are listed and are not those of files, and whether a manifest can have none.
    others: OtherPaths,
    is_silent_of_others: bool,
    /// Whether a record has a modification time.
    pub times: bool,
    /// The facts about content that records have.
    pub facts: FactSet,
    /// Whether any record has metadata.
    pub metadata: bool,
    /// Whether records have versions.
    pub versions: bool,
    lists: Vec<List>,
    /// The number of lines that could not be parsed.
    pub malformed: u64,
    /// Whether there are digests of algorithms that can't be computed here.
    unsupported: bool,
    /// Whether the audit reads the files that the manifests name, so that paths have to be resolved correctly.
    in_place: bool,
    /// Whether paths of histories are relative to the folder of the history.
    for_audit: bool,
    /// Patterns of files that manifests exclude.
    patterns: Vec<LeavingOut>,
    /// Whether records are kept as they are read.
    keeps: bool,
}

impl Manifests {
    /// Makes an empty collection; `with_times` keeps the modification times of records.
    pub fn new(with_times: bool) -> Manifests {
        let mut manifests = Manifests::default();
        if with_times {
            manifests.known.keep_times();
        }
        manifests
    }

    /// Reads manifests and reports lines that could not be parsed. `algorithm` is that of digests whose algorithm
    /// nothing names.
    ///
    /// # Errors
    /// If a file is not a manifest, or is signed and contains digests whose algorithm nothing names.
    pub fn read(
        mut self,
        lists: Vec<(PathBuf, Listing)>,
        algorithm: Option<&'static Algorithm>,
        told: &mut OnNotice<'_>,
    ) -> Result<Manifests, Error> {
        for (path, list) in lists {
            self.add(&path, list, algorithm, told)?;
        }
        Ok(self)
    }

    /// Takes the records of one manifest, all of which could be parsed and name their algorithms.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn from_records(
        name: Box<[u8]>,
        records: Vec<Record>,
        with_times: bool,
    ) -> Result<Manifests, Error> {
        let mut manifests = Manifests::new(with_times);
        manifests.known.next_manifest();
        for record in records {
            manifests.known.add(&record).map_err(|why| Error::of_place(name.clone(), why))?;
            manifests.note(record);
        }
        manifests.lists.push(List { name, unnamed: Vec::new(), learner: Learner::default(), kept: None });
        Ok(manifests)
    }

    /// Prepares for an audit. Paths of histories are always resolved by the rules of their format, those of other
    /// manifests only if `is_of_listed`, that is if the files that the manifests name are audited.
    #[must_use]
    pub fn in_place(self, is_of_listed: bool) -> Manifests {
        Manifests { in_place: is_of_listed, for_audit: true, ..self }
    }

    /// Notes whether the manifests can list links, FIFOs and the like.
    #[must_use]
    pub(crate) fn listing_others(self, has_others: bool) -> Manifests {
        Manifests { is_silent_of_others: !has_others, ..self }
    }

    /// Keeps records as they are read, if the next manifest may take them over.
    #[must_use]
    pub fn keeping(self, keeps: bool) -> Manifests {
        Manifests { keeps, ..self }
    }

    /// Takes the records that were kept, with what was learnt about their digests.
    pub(super) fn take_kept(&mut self) -> Vec<(Kept, Learner)> {
        let kept = |list: &mut List| Some((list.kept.take()?, list.learner.clone()));
        self.lists.iter_mut().filter_map(kept).collect()
    }

    fn add(
        &mut self,
        path: &Path,
        list: Listing,
        algorithm: Option<&'static Algorithm>,
        told: &mut OnNotice<'_>,
    ) -> Result<(), Error> {
        let name = &*names::path_bytes(path);
        let hint = if name == b"-" { Hint::None } else { Hint::from_name(name) };
        let hint = algorithm.map_or(hint, Hint::Forced);
        let signed = list.is_signed();
        let opened = list.open(hint).and_then(|opened| opened.of_files(name));
        let opened = opened.map_err(|why| Error::Unusable { path: name.into(), why })?;
        self.format.get_or_insert(opened.format);
        self.is_silent_of_others |= !has_others(opened.format);
        self.known.next_manifest();
        self.lists.push(List {
            name: name_of(path.as_os_str()),
            unnamed: Vec::new(),
            learner: Learner::default(),
            kept: self.keeps.then(Kept::new).transpose()?,
        });
        let base = listed::base(path, opened.base);
        let is_based = self.in_place || self.for_audit && history::is_history(path);
        let prefix = base.as_deref().filter(|_| is_based).map(listed::prefix).unwrap_or_default();
        let mut reader = opened.reader;
        self.fill(name, &prefix, &mut *reader, told)?;
        if !reader.patterns().is_empty() {
            self.patterns.push(LeavingOut { texts: reader.patterns().to_vec(), base });
        }
        let is_guess = self.lists.last().is_some_and(|list| !list.unnamed.is_empty());
        if signed && is_guess { Err(Error::of_place(name, SIGNED_GUESS)) } else { Ok(()) }
    }

    fn fill(
        &mut self,
        list: &[u8],
        prefix: &[u8],
        reader: &mut (dyn Reader + '_),
        told: &mut OnNotice<'_>,
    ) -> Result<(), Error> {
        let full = |why| Error::of_place(list, why);
        let mut unsupported = Unsupported::default();
        for record in reader {
            match record {
                Ok(mut record) => {
                    record.path = listed::below_base(prefix, record.path);
                    self.known.add(&record).map_err(full)?;
                    if let Some(kept) = self.lists.last_mut().and_then(|list| list.kept.as_mut()) {
                        kept.push(&record)?;
                    }
                    self.note(record);
                }
                Err(Malformed { why: Why::Unsupported { algorithm, path }, .. }) if !path.is_empty() => {
                    self.known.add_unsupported(&listed::below_base(prefix, path)).map_err(full)?;
                    unsupported.add(algorithm);
                }
                Err(why @ Malformed { why: Why::Io(_), .. }) => {
                    return Err(Error::of_place(list, why));
                }
                Err(why) => {
                    self.malformed += u64::from(!why.is_note());
                    told(Notice::Malformed { list, why: &why });
                }
            }
        }
        self.unsupported |= unsupported.any();
        if unsupported.any() {
            told(Notice::Unsupported { list, digests: &unsupported });
        }
        Ok(())
    }

    /// Returns the paths that are listed and are not those of files: links, FIFOs and the like; `None` if a manifest is in a
    /// format that has none.
    pub(crate) fn others(&self) -> Option<&OtherPaths> {
        Some(&self.others).filter(|_| !self.is_silent_of_others)
    }

    fn note(&mut self, record: Record) {
        self.times |= record.mtime.is_some();
        self.metadata |= record.metadata.is_some();
        if let Some(facts) = &record.facts {
            self.facts = self.facts.with(facts.known());
        }
        self.versions |= record.version.is_some();
        if !record.is_sound() {
            if record.status == Status::Skipped {
                self.others.insert(plain(&record.path).into(), record.reason);
            } else if record.piece.is_none() {
                self.unread.push(record);
            }
            return;
        }
        let is_stored = record.status.strength().is_some();
        if record.digests.is_empty() && record.likeness.is_empty() && record.piece.is_none() && !is_stored {
            self.undigested.push(record.path);
            return;
        }
        if let Some(list) = self.lists.last_mut()
            && list.unnamed.len() < LOOKED_AT
            && record.digests.iter().any(|named| named.guessed)
        {
            list.unnamed.push(record);
        }
    }

    /// Adds the files that are listed without a digest to the known files: they can be missing, but no file equals
    /// them.
    ///
    /// # Errors
    /// If there are too many.
    pub fn know_undigested(&mut self) -> Result<(), Error> {
        let unread = self.unread.iter().map(|record| &record.path);
        for path in unread.chain(&self.undigested) {
            if !self.known.names(path) {
                let list = self.lists.last().map(|list| list.name.clone()).unwrap_or_default();
                self.known.add_unsupported(path).map_err(|why| Error::of_place(list, why))?;
            }
        }
        Ok(())
    }

    /// Returns the patterns of files that the manifests exclude, for a walk of these operands. Where no base is stated,
    /// or an operand lies outside it, patterns are relative to the operand.
    pub fn ignoring(&self, operands: &[Bytes]) -> Vec<Patterns> {
        let below = |base: Option<&Path>| {
            let found = base.and_then(|base| Below::new(base, operands).ok());
            found.map_or_else(|| Below::each(operands), |(below, elsewhere)| below.and_each(&elsewhere))
        };
        self.patterns.iter().map(|of| Patterns::new(&of.texts, below(of.base.as_deref()))).collect()
    }

    /// Returns the same patterns as [`Manifests::ignoring`], for paths that are relative to the base of the patterns.
    pub(crate) fn ignoring_from_start(&self) -> Vec<Patterns> {
        let start = || Below::each(&[Bytes::default()]);
        self.patterns.iter().map(|of| Patterns::new(&of.texts, start())).collect()
    }

    /// Learns the algorithms of unnamed digests from files that exist.
    pub fn learn(&mut self, places: &Places, plan: &Plan, told: &mut OnNotice<'_>) {
        for (number, list) in self.lists.iter_mut().enumerate() {
            let paths = list.unnamed.iter().map(|record| here(&self.known.local_of(&record.path), places));
            let paths: Vec<Bytes> = paths.collect();
            let lines = list.unnamed.iter().zip(&paths).map(|(record, path)| (record, &**path));
            let live = Arc::default();
            learn(
                &mut list.learner,
                lines,
                plan,
                &mut LearningReports { live: &live, trying: &mut |_, _, _| () },
            );
            self.known.settle(number, &list.learner);
            let algorithms = list.learner.all_learnt();
            if !algorithms.is_empty() {
                told(Notice::Guessed { list: &list.name, algorithms: &algorithms });
            }
        }
    }

    /// Returns whether a digest may be by this algorithm, as far as all could be read.
    pub(crate) fn may_need(&self, algorithm: &Algorithm) -> bool {
        let is_it = |row: &&'static Algorithm| Hint::may_name(algorithm, row);
        self.malformed > 0 || self.unsupported || self.known.algorithms().iter().any(is_it)
    }

    /// Returns whether the algorithm of any digest is unknown still.
    pub(crate) fn is_open(&self) -> bool {
        !self.open().0.is_empty()
    }

    /// Returns the lists with unnamed digests whose algorithm could not be learnt from a file.
    pub(crate) fn open(&self) -> OpenLists {
        let mut all = Vec::new();
        for (number, list) in self.lists.iter().enumerate() {
            let open = list.unnamed.iter().flat_map(|record| &record.digests).filter(|named| named.guessed);
            let open = open.map(|named| named.digest.bits());
            let open: BTreeSet<u32> = open.filter(|bits| list.learner.learnt(*bits, 0).is_none()).collect();
            for bits in open {
                let fits = list.learner.hinted(bits);
                let has_several = list.unnamed.iter().any(|record| record.digests.len() > 1);
                all.push((number, list.name.clone(), Tried { bits, fits, has_several }));
            }
        }
        OpenLists(all)
    }

    /// Returns the algorithms that were assumed for unnamed digests.
    pub fn guessed(&self) -> Vec<&'static Algorithm> {
        distinct(self.lists.iter().flat_map(|list| list.learner.all_learnt()))
    }

    /// Returns the algorithms that allow every record to be compared.
    ///
    /// # Errors
    /// If there are no digests at all. The result is empty if none of the digests can be computed here.
    pub fn algorithms(&self) -> Result<Vec<&'static Algorithm>, Error> {
        let algorithms = self.known.algorithms();
        let none = algorithms.is_empty() && !self.unsupported && self.known.is_empty();
        if none { Err(Error::NoDigests) } else { Ok(algorithms) }
    }

    /// Returns [`Manifests::algorithms`] for files that are to be hashed.
    ///
    /// # Errors
    /// As [`Manifests::algorithms`], and if the key of an algorithm is missing.
    pub fn algorithms_to_compute(&self, resources: &Resources) -> Result<Vec<&'static Algorithm>, Error> {
        Ok(resources.with_key(self.algorithms()?)?)
    }

    /// Decides which paths with backslashes are file names, by looking for them here and in these folders.
    pub fn decide_styles(&mut self, folders: &[&[u8]]) {
        let below = |folder: &[u8], path: &[u8]| exists(&[folder, b"/", path].concat());
        self.known
            .decide_styles(&mut |path| exists(path) || folders.iter().any(|folder| below(folder, path)));
    }

    /// Maps the manifests' paths to paths below the operands. For a bucket, paths are keys and are compared as they
    /// stand in the manifest.
    pub fn places(&mut self, operands: &[Bytes], stores: &Stores) -> Places {
        if operands.iter().any(|operand| stores.is_in_bucket(operand)) {
            return self.places_of_keys(operands, stores);
        }
        self.decide_styles(&local_of(operands, stores).collect::<Vec<_>>());
        let mut places = places_of(&self.known.sample(SAMPLE), operands, stores);
        if operands.is_empty() {
            places.roots.extend(root_of_medium(self.known.divided_paths()));
        }
        places
    }

    /// Maps the paths of the manifests to those of the members of an archive, which takes the place of a folder; none if
    /// they name the archive itself.
    pub fn places_in(&self, archive: &[u8], places: &Places, members: &HashSet<Bytes>) -> Option<Places> {
        let name = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().map(<[u8]>::to_vec);
        let is_same = |root: &Root| name(&root.known) == name(archive);
        if self.known.names(archive) || places.roots.iter().any(is_same) {
            return None;
        }
        let mut exists = |path: &[u8]| members.contains(path);
        let roots = find_roots(&self.known.sample(SAMPLE), &[archive], None, &mut exists);
        Some(Places { working: places.working.clone(), roots, prefixes: Vec::new() })
    }

    /// Returns the part of the manifests that the operands select, if operands are paths of the manifests; `None`
    /// stands for all of them.
    pub fn scope(&self, operands: &[Bytes], places: &Places, stores: &Stores) -> Option<Scope> {
        if !may_select(operands, places, stores) {
            return None;
        }
        Scope::from_operands(&self.known, operands, places.working.as_deref())
    }

    fn places_of_keys(&mut self, operands: &[Bytes], stores: &Stores) -> Places {
        self.known.take_as_keys();
        if operands.iter().filter(|operand| stores.is_location(operand)).count() > 1 {
            // On both sides, paths then begin with their location.
            return Places::default();
        }
        let prefix = |operand: &Bytes| {
            if !stores.is_folder(operand) {
                // The path of a single object is its name.
                let name = operand.rsplit(|byte| *byte == b'/').next();
                return find_prefix(self.known.local_paths(), &mut |key| Some(key) == name);
            }
            let folder = operand.strip_suffix(b"/").unwrap_or(operand);
            let mut exists = |key: &[u8]| stores.exists(&[folder, b"/", key].concat());
            find_prefix(self.known.sample(ASKED), &mut exists)
        };
        let stored = operands.iter().filter(|operand| stores.is_in_bucket(operand));
        Places { prefixes: stored.filter_map(prefix).collect(), ..Places::default() }
    }
}

impl Kept {
    fn new() -> Result<Kept, WriteError> {
        Ok(Kept { named: Spool::new(&Layout::default())?, unnamed: Spool::new(&Layout::default())? })
    }

    fn push(&mut self, record: &Record) -> Result<(), WriteError> {
        let is_unnamed = record.digests.iter().any(|named| named.guessed);
        if is_unnamed { self.unnamed.push(record) } else { self.named.push(record) }
    }

    /// Returns the records.
    pub(super) fn records(
        self,
        learner: &Learner,
    ) -> Result<impl Iterator<Item = Result<Record, WriteError>>, WriteError> {
        let settled = |mut record: Record| {
            record.digests.iter_mut().for_each(|named| named.guessed = true);
            learner.settle(&mut record);
            record
        };
        let unnamed = self.unnamed.records()?.map(move |record| record.map(settled));
        Ok(self.named.records()?.chain(unnamed))
    }
}

/// Returns the operands that are no locations.
fn local_of<'a>(operands: &'a [Bytes], stores: &'a Stores) -> impl Iterator<Item = &'a [u8]> {
    operands.iter().map(|operand| &**operand).filter(|operand| !stores.is_location(operand))
}

/// Maps a manifest's paths, of which this is a sample, to paths below the operands.
pub(crate) fn places_of(sample: &[Vec<u8>], operands: &[Bytes], stores: &Stores) -> Places {
    let working = env::current_dir().ok().map(|path| Bytes::from(names::into_path_bytes(path)));
    let local: Vec<&[u8]> = local_of(operands, stores).collect();
    let mut exists = |path: &[u8]| Path::new(&path_of(path)).is_file();
    let roots = find_roots(sample, &local, working.as_deref(), &mut exists);
    Places { working, roots, prefixes: Vec::new() }
}

/// Returns whether the operands may be paths of the manifest, and so select a part of it.
pub(super) fn may_select(operands: &[Bytes], places: &Places, stores: &Stores) -> bool {
    let elsewhere = |operand: &Bytes| stores.is_location(operand) || **operand == *b"-";
    places.roots.is_empty() && !operands.iter().any(elsewhere)
}

/// The known path of the root of a medium.
const MEDIUM: &[u8] = b"/";

/// Returns the root of a medium whose files lie in the working folder. Lists from Windows begin each path with a
/// backslash.
fn root_of_medium(mut paths: impl Iterator<Item = Vec<u8>>) -> Option<Root> {
    let found = paths.any(|path| path.strip_prefix(MEDIUM).is_some_and(exists) && !exists(&path));
    found.then(|| Root { known: MEDIUM.into(), local: Bytes::default() })
}

/// Returns the local path of a file that a manifest names. If another program changed the name, it is the changed one.
pub(super) fn meant(path: &[u8], places: &Places) -> Bytes {
    listed::local(b"", &here(path, places), Separators::Slashes).into()
}

/// Returns the local path of a path in the manifest.
pub fn here(path: &[u8], places: &Places) -> Bytes {
    let moved = |root: &Root| {
        let rest = path.strip_prefix(&*root.known)?;
        let is_inside = !root.known.is_empty() && rest.starts_with(b"!/");
        // Other files of the same list may lie at their listed path.
        let of_medium = &*root.known == MEDIUM && root.local.is_empty();
        if of_medium && (exists(path) || !exists(rest)) {
            return None;
        }
        let between: &[u8] = if root.local.is_empty() || is_inside { b"" } else { b"/" };
        Some([&root.local, between, rest.strip_prefix(b"/").unwrap_or(rest)].concat().into())
    };
    places.roots.iter().find_map(moved).unwrap_or_else(|| path.into())
}
