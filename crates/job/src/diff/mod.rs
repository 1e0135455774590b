//! Compares two folders, two manifests, or one of each, in the categories of an audit.

mod contents;
mod event;
mod folder;
mod joined;
mod judge;
mod old;

pub use crate::audit::AuditSummary;
pub use event::{DiffEvent, DiffObserver};

use crate::algorithms::Algorithms;
use crate::audit::{Ground, Manifests, OnNotice, OpenLists};
use crate::error::Error;
use crate::misfit::Misfit;
use crate::notice::{Notice, of_signatures};
use folder::{Folder, Turn};
use hashmill_content::archive_folder::ArchiveFolder;
use hashmill_content::operands::archive_operand::{only_root, open_operand};
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, Selection, path_of};
use hashmill_digest::{Algorithm, Class, find};
use hashmill_engine::{Cancel, Live, Plan};
use hashmill_lists::companions;
use hashmill_lists::entries::List;
use hashmill_lists::history;
use hashmill_lists::listing::Listing;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::audit::{Known, Places, Root, find_common_root, find_roots};
use hashmill_os::names;
use joined::{Joined, SAMPLE};
use judge::Judge;
use old::Old;
use std::borrow::Cow;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of a comparison.
#[derive(Default)]
pub struct DiffJob {
    /// The old side: a folder, an archive or image in the place of one, or a manifest (`-` is standard input).
    pub old: PathBuf,
    /// The new side: a folder, an archive or image in the place of one, or a manifest (`-` is standard input).
    pub new: PathBuf,
    /// The algorithms to compare two folders by; BLAKE3 by default. With a manifest, its algorithms are used.
    pub algorithms: Option<Algorithms>,
    /// The files of two folders to compare, and how links are followed. It has no paths of its own.
    pub selection: Selection,
    /// Whether only content counts: files of the old side are missing if no new side has their content under any name. The
    /// selection then chooses among the files of the old side.
    pub by_content: bool,
    /// Further new sides, if only content counts.
    pub more: Vec<PathBuf>,
    /// Whether the selection excludes files, which prevents a comparison with a manifest.
    pub is_filtered: bool,
    /// Whether verdicts include the content of both sides.
    pub sides: bool,
    /// Whether files that match may only be counted. Otherwise each of them gets a verdict.
    pub counts_matched: bool,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// The signatures that the manifests must have.
    pub guard: Guard,
    /// Ends the comparison soon after it is set.
    pub cancel: Cancel,
}

/// A comparison whose manifests were read.
pub struct Diff {
    job: DiffJob,
    plan: Plan,
    sides: Sides,
}

/// Both operands, as far as they are read before the comparison.
enum Sides {
    Each(Side, Side),
    /// The differences between two manifests, and the new one.
    Joined(Box<Joined>, List),
    /// The old side and all new ones, of which only the content is compared.
    Contents(Side, Vec<Side>),
}

/// An operand.
enum Side {
    Folder,
    Manifest(Box<Manifests>),
}

impl Side {
    fn list(&self) -> Option<&Manifests> {
        if let Side::Manifest(list) = self { Some(list) } else { None }
    }
}

impl DiffJob {
    /// Makes a comparison of all files, with default settings.
    pub fn new(old: &Path, new: &Path) -> DiffJob {
        DiffJob { old: old.to_path_buf(), new: new.to_path_buf(), ..DiffJob::default() }
    }

    /// Reads the manifests and compares.
    ///
    /// # Errors
    /// As [`DiffJob::read`] and [`Diff::run`].
    pub fn run(self, observer: &mut DiffObserver<'_>) -> Result<AuditSummary, Error> {
        // An observer that wants no more events says so again at the first verdict.
        self.read(&mut |notice| {
            let _ = observer(DiffEvent::Notice(notice));
        })?
        .run(observer)
    }

    /// Reads the manifests.
    ///
    /// # Errors
    /// If options contradict each other, or a manifest can't be used.
    pub fn read(self, told: &mut dyn FnMut(Notice<'_>)) -> Result<Diff, Error> {
        if std::iter::once(&*self.old).chain(self.new_sides()).filter(|path| path.as_os_str() == "-").count()
            > 1
        {
            return Err(Misfit::StdinTwice.into());
        }
        self.check_strength()?;
        if self.by_content {
            self.check_contents()?;
        }
        let is_opened = |path: &Path| self.open(path).is_some();
        let has_inside =
            self.selection.inside.is_any() || is_opened(&self.old) || self.new_sides().any(is_opened);
        let resources = self.resources.beside(has_inside);
        let plan = Plan { cancel: self.cancel.clone(), ..resources.plan(Vec::new())? };
        if self.selection.inside.is_any() {
            self.resources.fits_images()?;
        }
        self.resources.give_way()?;
        let sides = self.sides(told)?;
        if let Sides::Contents(old, new) = &sides {
            let is_list = |side: &Side| side.list().is_some();
            if self.is_filtered && is_list(old) {
                return Err(Misfit::FilteredManifest.into());
            }
            if self.selection.inside.is_any() && is_list(old) && new.iter().all(is_list) {
                return Err(Misfit::InsideOfManifests.into());
            }
        }
        let has_list = !matches!(&sides, Sides::Each(Side::Folder, Side::Folder) | Sides::Contents(..));
        if has_list {
            if self.is_filtered {
                return Err(Misfit::FilteredManifest.into());
            }
            let is_folder = |side: &Side| matches!(side, Side::Folder);
            let has_folder = matches!(&sides, Sides::Each(old, new) if is_folder(old) || is_folder(new));
            if self.selection.inside.is_any() && !has_folder {
                return Err(Misfit::InsideOfManifests.into());
            }
            if self.algorithms.as_ref().is_some_and(|typed| !self.needs(typed, &sides)) {
                return Err(Misfit::AlgorithmsOfManifest.into());
            }
        }
        Ok(Diff { job: self, plan, sides })
    }

    /// Returns whether the lists among the sides need the key, for digests by these algorithms.
    fn needs(&self, typed: &Algorithms, sides: &Sides) -> bool {
        let lists: Vec<&Manifests> = match sides {
            Sides::Joined(joined, _) => vec![&joined.old, &joined.new],
            Sides::Each(old, new) => [old, new].into_iter().filter_map(Side::list).collect(),
            Sides::Contents(..) => Vec::new(),
        };
        let has = |row: &&'static Algorithm| lists.iter().any(|list| list.known.algorithms().contains(row));
        self.resources.key.is_some() && typed.digests.iter().all(has)
    }

    /// Refuses digests by which different files may be the same.
    fn check_strength(&self) -> Result<(), Misfit> {
        let Some(algorithms) = &self.algorithms else { return Ok(()) };
        let is_weak = |row: &Algorithm| matches!(row.class, Class::Checksum | Class::Truncated);
        match algorithms.digests.iter().find(|row| is_weak(row)) {
            Some(weak) if algorithms.digests.iter().all(|row| is_weak(row)) => {
                Err(Misfit::NotCryptographic(weak.name))
            }
            _ => Ok(()),
        }
    }

    /// Returns the digests to compare files by, if no manifest determines them.
    fn digests(&self) -> Result<Vec<&'static Algorithm>, Error> {
        Ok(self.typed()?.unwrap_or(vec![find("blake3").map_err(Error::Algorithm)?]))
    }

    /// Returns the digests that were asked for.
    fn typed(&self) -> Result<Option<Vec<&'static Algorithm>>, Misfit> {
        match &self.algorithms {
            Some(Algorithms { likeness, .. }) if !likeness.is_empty() => Err(Misfit::OnlySimilar),
            typed => Ok(typed.as_ref().map(|algorithms| algorithms.digests.clone())),
        }
    }

    fn sides(&self, told: &mut OnNotice<'_>) -> Result<Sides, Error> {
        if self.by_content {
            let mut side = |path: &Path| self.side(path, self.listing(path, told)?, told);
            let old = side(&self.old)?;
            return Ok(Sides::Contents(old, self.new_sides().map(side).collect::<Result<_, _>>()?));
        }
        let (old, new) = (self.listing(&self.old, told)?, self.listing(&self.new, told)?);
        if let Some(old) = old.as_ref().and_then(|listing| List::new(&self.old, listing))
            && let Some(new) = new.as_ref().and_then(|listing| List::new(&self.new, listing))
            && let Some(joined) = Joined::read(&old, &new, self.resources.memory, self.sides, &self.cancel)?
        {
            return Ok(Sides::Joined(Box::new(joined), new));
        }
        self.each(old, new, told)
    }

    /// Reads each side as a whole.
    fn each(
        &self,
        old: Option<Listing>,
        new: Option<Listing>,
        told: &mut OnNotice<'_>,
    ) -> Result<Sides, Error> {
        Ok(Sides::Each(self.side(&self.old, old, told)?, self.side(&self.new, new, told)?))
    }

    /// Opens an operand that is an archive or image in the place of a folder, or a path inside of one.
    fn open(&self, path: &Path) -> Option<(Bytes, Box<ArchiveFolder>)> {
        let Selection { inside, backing, .. } = &self.selection;
        open_operand(&names::path_bytes(path), inside, backing, &self.resources)
    }

    /// Opens a manifest; returns `None` if the operand is a folder, or an archive or image in the place of one.
    fn listing(&self, path: &Path, told: &mut OnNotice<'_>) -> Result<Option<Listing>, Error> {
        let is_list = history::is_history(path);
        let name = names::path_bytes(path);
        if !is_list && path.is_dir() || self.resources.stores.is_folder(&name) || self.open(path).is_some() {
            return Ok(None);
        }
        Ok(Some(self.guard.open(path.as_os_str(), &mut of_signatures(told))?))
    }

    fn side(&self, path: &Path, listing: Option<Listing>, told: &mut OnNotice<'_>) -> Result<Side, Error> {
        let Some(listing) = listing else { return Ok(Side::Folder) };
        let manifests =
            Manifests::new(self.sides).read(vec![(path.to_path_buf(), listing)], self.of_unnamed(), told)?;
        Ok(Side::Manifest(Box::new(manifests)))
    }
}

impl Diff {
    /// Compares the sides, and reports every verdict to the observer.
    ///
    /// # Errors
    /// If two manifests have no algorithm in common, or a folder has more files than memory can hold.
    pub fn run(self, observer: &mut DiffObserver<'_>) -> Result<AuditSummary, Error> {
        let Diff { job, plan, sides } = self;
        let comparison = Comparison { job: &job, plan, live: Arc::default() };
        match sides {
            Sides::Contents(old, new) => comparison.contents(old, new, observer),
            Sides::Joined(joined, new) => comparison.joined(*joined, &new, observer),
            Sides::Each(Side::Folder, Side::Folder) => comparison.folders(observer),
            Sides::Each(Side::Manifest(old), Side::Folder) => comparison.manifest_and_folder(*old, observer),
            Sides::Each(Side::Folder, Side::Manifest(new)) => comparison.folder_and_manifest(*new, observer),
            Sides::Each(Side::Manifest(old), Side::Manifest(new)) => {
                comparison.manifests(*old, *new, observer)
            }
        }
    }
}

/// A comparison in progress.
struct Comparison<'a> {
    job: &'a DiffJob,
    plan: Plan,
    /// The counters of all folders.
    live: Arc<Live>,
}

impl Comparison<'_> {
    fn folders(&self, observer: &mut DiffObserver<'_>) -> Result<AuditSummary, Error> {
        let plan = Plan { algorithms: self.job.digests()?, ..self.plan.clone() };
        let (mut old, mut new) = (self.folder(&self.job.old), self.folder(&self.job.new));
        let (of_old, of_new) = (top(&old, &new), top(&new, &old));
        for (folder, top) in [(&mut old, of_old), (&mut new, of_new)] {
            if let Some(top) = &top {
                let _ = observer(DiffEvent::Notice(Notice::WithoutTop { archive: &folder.path, top }));
            }
            folder.top = top;
        }
        if self.job.resources.counts {
            // Both are counted before either is read, so that the total covers both.
            old.count(Turn::MoreFollow);
            new.count(Turn::Last);
        }
        let known = Old::of_folder(&old, &plan, observer)?;
        self.judge_folder(known, Places::default(), &new, &plan, observer)
    }

    fn manifest_and_folder(
        &self,
        mut old: Manifests,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        let folder = self.only_folder(&self.job.new);
        if folder.is_bucket() {
            old.known.take_as_keys();
        }
        let (plan, open) = self.learn(&mut old, &folder, observer)?;
        let roots = root_below(&old.known, &folder).into_iter().collect();
        let places = Places { roots, ..Places::default() };
        let old = Old { open, ..Old::of_manifest(old, observer) };
        self.judge_folder(old, places, &folder, &plan, observer)
    }

    fn folder_and_manifest(
        &self,
        mut new: Manifests,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        let folder = self.only_folder(&self.job.old);
        if folder.is_bucket() {
            new.known.take_as_keys();
        }
        let (plan, open) = self.learn(&mut new, &folder, observer)?;
        // The other side's name for the folder here is the one in the manifest.
        let swapped = |root: Root| Root { known: root.local, local: root.known };
        let root = root_below(&new.known, &folder);
        let there = Places { roots: root.clone().into_iter().collect(), ..Places::default() };
        let ground = Ground { places: there, folder: Box::from(&*folder.path) };
        let roots = root.map(swapped).into_iter().collect();
        let old = Old { open, ..Old::of_folder(&folder, &plan, observer)? };
        let ground = Some(ground).filter(|_| !folder.is_bucket());
        self.judge_manifest(old, Places { roots, ..Places::default() }, ground, new, observer)
    }

    fn manifests(
        &self,
        mut old: Manifests,
        mut new: Manifests,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        old.known.settle_like(&new.known);
        new.known.settle_like(&old.known);
        old.known.assume();
        new.known.assume();
        let (ours, theirs) = (old.algorithms()?, new.algorithms()?);
        if !ours.iter().any(|algorithm| theirs.contains(algorithm)) {
            return Err(Error::NoCommonDigest([ours, theirs]));
        }
        let mut places = Places::default();
        if old.known.is_respelled() || new.known.is_respelled() {
            // A file has only one spelling of its path, so these are keys of objects.
            old.known.take_as_keys();
            new.known.take_as_keys();
        } else {
            places.roots.extend(find_common_root(&old.known, &new.known.sample(SAMPLE)));
        }
        self.judge_manifest(Old::of_manifest(old, observer), places, None, new, observer)
    }

    fn joined(
        &self,
        joined: Joined,
        list: &List,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        if self.plan.cancel.is_set() {
            return Ok(AuditSummary { interrupted: true, ..AuditSummary::default() });
        }
        let Joined { old, new, seen, matched } = joined;
        let (ours, theirs) = (old.algorithms()?, new.algorithms()?);
        if !ours.iter().any(|algorithm| theirs.contains(algorithm)) {
            return Err(Error::NoCommonDigest([ours, theirs]));
        }
        let old = Old::of_manifest(old, observer);
        let mut judge = Judge::new(old, Places::default(), &theirs, self.job);
        judge.see(&seen);
        let cancel = &self.plan.cancel;
        match !self.job.counts_matched && matched > 0 {
            true => judge.list(&new, list, matched, cancel, observer)?,
            false => {
                judge.matched(matched);
                judge.manifest(&new, cancel, observer);
            }
        }
        Ok(if cancel.is_set() { judge.interrupted() } else { judge.end(observer) })
    }

    fn folder<'b>(&'b self, path: &'b Path) -> Folder<'b> {
        let operands = std::iter::once(&*self.job.old).chain(self.job.new_sides());
        let live = Arc::clone(&self.live);
        let DiffJob { selection, resources, .. } = self.job;
        let mut own = selection.own.clone();
        let is_list = |path: &&Path| path.is_file() || history::is_history(path);
        let lists = operands.filter(is_list);
        lists.for_each(|list| companions::add(&mut own, list));
        let (path, container) = match self.job.open(path) {
            Some((root, container)) => (Cow::Owned(root.into_vec()), Some(container)),
            None => (names::path_bytes(path), None),
        };
        Folder { path, container, top: None, selection, resources, own, live }
    }

    /// Returns the folder that is compared with a manifest.
    fn only_folder<'b>(&'b self, path: &'b Path) -> Folder<'b> {
        let folder = self.folder(path);
        if self.job.resources.counts {
            folder.count(Turn::Last);
        }
        folder
    }

    /// Finds out the algorithms to compute for a folder's files to compare them with a manifest, and those digests of it
    /// for which none was found.
    fn learn(
        &self,
        manifests: &mut Manifests,
        folder: &Folder<'_>,
        observer: &mut DiffObserver<'_>,
    ) -> Result<(Plan, OpenLists), Error> {
        self.learn_all(manifests, folder, observer);
        let plan = Plan {
            algorithms: manifests.algorithms_to_compute(&self.job.resources)?,
            piece: manifests.known.piece_length().and_then(NonZeroU64::new),
            whole: manifests.known.has_wholes(),
            ..self.plan.clone()
        };
        Ok((plan, manifests.open()))
    }

    /// Learns the algorithms of digests that nothing names from the files of a folder.
    fn learn_all(&self, manifests: &mut Manifests, folder: &Folder<'_>, observer: &mut DiffObserver<'_>) {
        if !folder.is_bucket() {
            manifests.decide_styles(&[&*folder.path]);
        }
        let there = |root: Root| Root { local: Box::from(&*folder.path), ..root };
        let usual = || Root { known: Box::default(), local: Box::default() };
        let root = there(root_below(&manifests.known, folder).unwrap_or_else(usual));
        let places = Places { roots: vec![root], ..Places::default() };
        manifests.learn(&places, &self.plan, &mut |notice| {
            let _ = observer(DiffEvent::Notice(notice));
        });
    }

    fn judge_folder(
        &self,
        old: Old,
        places: Places,
        folder: &Folder<'_>,
        plan: &Plan,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        let ground = Ground { places: places.clone(), folder: Box::from(&*folder.path) };
        let mut judge = Judge::new(old, places, &plan.algorithms, self.job);
        if !folder.is_bucket() {
            judge.of_files(ground);
        }
        if !plan.cancel.is_set() {
            judge.folder(folder, plan, observer)?;
        }
        if plan.cancel.is_set() {
            return Ok(judge.interrupted());
        }
        for note in plan.reading.notes.take() {
            let _ = observer(DiffEvent::Notice(Notice::PageCache(&note)));
        }
        Ok(judge.end(observer))
    }

    fn judge_manifest(
        &self,
        old: Old,
        places: Places,
        of_old: Option<Ground>,
        new: Manifests,
        observer: &mut DiffObserver<'_>,
    ) -> Result<AuditSummary, Error> {
        let mut judge = Judge::new(old, places, &new.algorithms()?, self.job);
        if let Some(ground) = of_old {
            judge.of_old_files(ground);
        }
        judge.manifest(&new, &self.plan.cancel, observer);
        Ok(if self.plan.cancel.is_set() { judge.interrupted() } else { judge.end(observer) })
    }
}

/// Returns the folder that all files of an archive are below, if the other side has it not.
fn top(folder: &Folder<'_>, other: &Folder<'_>) -> Option<Bytes> {
    only_root(&folder.path, folder.container.as_deref()?, |root| other.has_folder(root))
}

/// Returns the manifest's name for the folder, if paths below the folder are relative to it. Keys of a bucket are
/// compared unchanged.
fn root_below(known: &Known, folder: &Folder<'_>) -> Option<Root> {
    if folder.is_bucket() {
        return None;
    }
    let members = folder.members();
    let mut exists = |path: &[u8]| {
        let slash = path.strip_prefix(b"/").unwrap_or(path);
        let path = [&*folder.path, b"/", slash].concat();
        match &members {
            Some(members) => members.contains(&*path),
            None => Path::new(&path_of(&path)).is_file(),
        }
    };
    let name =
        std::path::absolute(path_of(&folder.path)).ok().map(|whole| names::path_bytes(&whole).into_owned());
    find_roots(&known.sample(SAMPLE), &[b""], name.as_deref(), &mut exists).pop()
}
