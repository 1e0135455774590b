//! Counters of verdicts, and the verdicts on paths that were not met.

use super::here;
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_content::wanted::Inside;
use hashmill_content::within::{
    LogicalImages, is_as_long_as_medium, is_closed, may_be_of_image, of_either_reading, other_reading,
    read_otherwise,
};
use hashmill_engine::Cancel;
use hashmill_lists::history::Ignored;
use hashmill_lists::listed::{Separators, local};
use hashmill_lists::spelling::is_same_file;
use hashmill_manifest::Record;
use hashmill_manifest::audit::{Category, Counts, Incomparable, Places, Unjudged, Verdict};
use hashmill_manifest::stored::Strength;
use hashmill_os::roots::plain;
use hashmill_source::{Error, Problem};
use std::collections::{BTreeSet, HashMap};

/// Counters of verdicts.
#[derive(Debug, Default)]
pub struct Tally {
    /// The numbers so far.
    pub(crate) counted: Counted,
    /// Entries that could not be read.
    pub(crate) failed: u64,
    /// Paths below which nothing can be judged: directories that could not be listed or were left out.
    apart: HashMap<Bytes, Apart>,
    /// Operands that don't exist, until a missing file shows that a manifest lists them.
    vanished: BTreeSet<Bytes>,
    /// Files that no manifest lists and that patterns in manifests exclude.
    pub(crate) ignored: Ignored,
    /// The access to stores, which tells their locations from paths.
    stores: Stores,
    /// Where listed files lie on this machine; none if the other side is no file system.
    pub(crate) ground: Option<Ground>,
    /// The operands in stores, whose objects have their keys as paths.
    pub(crate) locations: Vec<Bytes>,
    /// The kinds of files that are looked into.
    inside: Inside,
    logical: LogicalImages,
}

/// Where the files of a comparison lie on this machine.
#[derive(Debug)]
pub struct Ground {
    /// Maps listed paths to those of the files.
    pub places: Places,
    /// The folder that the paths of the files are relative to; empty if they are whole.
    pub folder: Bytes,
}

/// The number of files in each category, and of files that were not compared.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The files in each category.
    pub counts: Counts,
    /// Files whose digests can't be computed here.
    pub unsupported: u64,
    /// All files that could not be compared.
    pub unjudged: u64,
    /// Files whose comparable digests are equal, with at least one digest of an unknown algorithm.
    pub partly: u64,
    /// Files whose digests are of algorithms that nothing names and that are not guessed.
    pub unnamed: u64,
    /// Files whose store gives insufficient evidence.
    pub unproven: u64,
    /// Listed files that were left out of the comparison.
    pub left_out: LeftOut,
    /// Files that belong to the manifests, such as their signatures, and are not compared.
    pub own: u64,
    /// Links, FIFOs and the like, where the manifests are in a format that can't list them.
    pub unlisted: u64,
    /// Files that no manifest lists and that patterns in manifests exclude.
    pub ignored: u64,
    /// Files that were not read: their digests were taken from an earlier manifest. They are also in their categories.
    pub reused: u64,
    /// Records that were not compared, and that the new manifest takes over.
    pub carried: u64,
    /// Records that were not compared, and that the new manifest lacks because that was requested.
    pub pruned: u64,
    /// Whether only listed files were examined, so that no file can be new, moved or copied.
    pub is_of_listed: bool,
    /// Whether only content was compared, so that a file is there or missing.
    pub is_by_content: bool,
    /// Whether there was nothing to compare.
    pub is_idle: bool,
    /// The number of files that match by a store's metadata, by the strength of the evidence.
    pub strengths: [u64; Strength::ALL.len()],
}

/// Listed files that were left out of a comparison, by reason.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// By filters or ignore files, or because they lie on another file system.
    pub filtered: u64,
    /// Because they don't lie below the operands.
    pub outside: u64,
    /// Because they belong to the manifests themselves.
    pub own: u64,
    /// Because they are inside of files that were not looked into.
    pub closed: u64,
}

impl LeftOut {
    /// Returns their total number.
    pub fn all(self) -> u64 {
        self.filtered + self.outside + self.own + self.closed
    }
}

/// The reason why nothing below a path can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apart {
    Failed,
    LeftOut,
}

impl Ground {
    /// Returns the whole path of a file.
    fn whole(&self, path: &[u8]) -> Vec<u8> {
        match &*self.folder {
            b"" => path.to_vec(),
            folder => [folder, b"/", path].concat(),
        }
    }
}

impl Counted {
    /// Returns whether everything was compared and nothing differs.
    pub fn passed(&self) -> bool {
        self.counts.passed() && self.unjudged == 0 && self.left_out.closed == 0 && !self.is_idle
    }

    /// Returns whether something differs from the manifests.
    pub fn differs(&self) -> bool {
        self.differing() > 0
    }

    /// Returns the number of files that differ from the manifests.
    pub fn differing(&self) -> u64 {
        let is_same = |category: &Category| matches!(category, Category::Matched | Category::Unreadable);
        let differing = Category::ALL.into_iter().filter(|category| !is_same(category));
        differing.map(|category| self.counts.count(category)).sum()
    }

    /// Returns the categories that can't occur because only listed files, or only content, were
    /// examined.
    pub fn not_looked_for(&self) -> &'static [&'static str] {
        match self.is_by_content {
            true => &["changed", "moved", "copied", "new"],
            false if self.is_of_listed => &["moved", "copied", "new"],
            false => &[],
        }
    }

    /// Returns each number with its word, in the order of reports.
    pub fn words(&self) -> Vec<(&'static str, u64)> {
        let categories = Category::ALL.map(|category| (category.word(), self.counts.count(category)));
        let others = [
            ("partly-verified", self.partly),
            ("unnamed", self.unnamed),
            ("unsupported", self.unsupported),
            ("unproven", self.unproven),
        ];
        categories.into_iter().chain(others.into_iter().filter(|(_, number)| *number > 0)).collect()
    }

    /// Returns the number of files that match by each strength of evidence, strongest first; empty if no store was
    /// asked.
    pub fn strengths(&self) -> Vec<(&'static str, u64)> {
        let all =
            Strength::ALL.into_iter().map(|strength| (strength.word(), self.strengths[strength as usize]));
        all.rev().filter(|(_, number)| *number > 0).collect()
    }
}

impl Tally {
    /// Creates counters for a comparison with this access to stores, which looks into these files.
    pub fn new(stores: &Stores, inside: Inside) -> Tally {
        Tally { stores: stores.clone(), inside, ..Tally::default() }
    }

    /// Records a read error; `place` is the path that verdicts use.
    pub fn failed(&mut self, error: &Error, place: &[u8]) {
        self.failed += 1;
        if matches!(error.problem, Problem::List(_)) {
            // The paths of a store's objects are relative to its location.
            let place = if self.stores.is_location(place) { Bytes::default() } else { place.into() };
            self.apart.insert(self.spelling(&place), Apart::Failed);
        }
    }

    /// Counts a file that can't be compared.
    pub fn unjudged(&mut self, unjudged: &Unjudged) {
        self.counted.unjudged += 1;
        *match unjudged.why {
            Incomparable::Unsupported => &mut self.counted.unsupported,
            Incomparable::Unproven(_) => &mut self.counted.unproven,
            Incomparable::Partly => &mut self.counted.partly,
            Incomparable::Unnamed => &mut self.counted.unnamed,
            Incomparable::Apart
            | Incomparable::Medium
            | Incomparable::AsItLies
            | Incomparable::EitherReading => return,
        } += 1;
    }

    /// Records an operand that can't be opened. Listed files that can't be opened are not operands, as only operands
    /// are looked up.
    pub fn vanished(&mut self, error: &Error) {
        if matches!(error.problem, Problem::Stat(_)) {
            self.vanished.insert(error.path.clone());
        }
    }

    /// Records that a path and everything below it were left out. `is_known` says whether a manifest lists the path.
    pub fn left_out(&mut self, path: &[u8], is_known: bool) {
        self.counted.left_out.filtered += u64::from(is_known);
        self.apart.insert(self.spelling(path), Apart::LeftOut);
    }

    /// Counts a file that belongs to the manifests. `is_known` says whether one of them lists it.
    pub fn own(&mut self, is_known: bool) {
        self.counted.own += 1;
        self.counted.left_out.own += u64::from(is_known);
    }

    /// Counts a file that no manifest lists and that this pattern of a manifest excludes.
    pub fn ignored(&mut self, pattern: &[u8]) {
        self.counted.ignored += 1;
        self.ignored.add(pattern);
    }

    /// Finds out whether anything was compared at all.
    pub fn end(&mut self) {
        let counted = &mut self.counted;
        let judged = Category::ALL.into_iter().map(|category| counted.counts.count(category)).sum::<u64>();
        counted.is_idle = judged + counted.unjudged == 0;
    }

    /// Counts a verdict.
    pub fn count(&mut self, verdict: &Verdict) {
        self.counted.counts.add(verdict.category);
        if let Some(strength) = verdict.strength {
            self.counted.strengths[strength as usize] += 1;
        }
    }

    /// Counts a verdict given at the end, and returns it if it is to be reported. A file that is missing below a
    /// directory that could not be listed may exist.
    pub fn last(&mut self, mut verdict: Verdict) -> Option<Verdict> {
        if verdict.category == Category::Moved && self.is_respelled(&verdict) {
            (verdict.category, verdict.sides) = (Category::Matched, None);
        }
        if verdict.category == Category::Missing {
            self.explain(&verdict.path);
            let local = self.ground.as_ref().map(|ground| here(&verdict.path, &ground.places));
            match self.apart(&verdict.path).or_else(|| self.apart(&local?)) {
                Some(Apart::LeftOut) => {
                    self.counted.left_out.filtered += 1;
                    return None;
                }
                Some(Apart::Failed) => verdict.category = Category::Unreadable,
                None if self.is_closed(&verdict.path) => {
                    self.counted.left_out.closed += 1;
                    return None;
                }
                None => {}
            }
        }
        self.count(&verdict);
        Some(verdict)
    }

    /// Returns whether a listed file is inside of one that is there and is not looked into.
    pub(crate) fn is_closed(&self, path: &[u8]) -> bool {
        let Some(ground) = &self.ground else { return false };
        let local = ground.whole(&here(path, &ground.places));
        is_closed(path, &local, &self.inside) || !self.inside.media && self.logical.have(&local)
    }

    /// Returns the path of a listed file, as far as it has one on this machine.
    pub(crate) fn local(&self, path: &[u8]) -> Bytes {
        self.ground.as_ref().map_or_else(|| path.into(), |ground| here(path, &ground.places))
    }

    /// Returns where a file that was read lies, with the access to it.
    fn place_of(&self, path: &[u8]) -> Option<(Bytes, Stores)> {
        if let Some(ground) = &self.ground {
            return Some((ground.whole(path).into(), Stores::default()));
        }
        let place = match &self.locations[..] {
            _ if self.stores.is_location(path) => path.into(),
            [location] if self.stores.is_folder(location) => [&with_slash(location), path].concat().into(),
            [location] => location.clone(),
            _ => return None,
        };
        Some((place, self.stores.clone()))
    }

    /// Looks again at an image that seems changed: the manifests' record may be of its medium, and the file was read, or the
    /// other way round. Where no size tells it, the other one is read, too; `fits` says whether a record has the known
    /// content. Returns the verdict, and what matched if it was the other one.
    pub(crate) fn other_reading(
        &self,
        verdict: Verdict,
        local: &[u8],
        record: &Record,
        known_size: Option<u64>,
        mut fits: impl FnMut(&Record) -> bool,
        cancel: &Cancel,
    ) -> (Result<Verdict, Unjudged>, Option<Incomparable>) {
        let is_changed = verdict.category == Category::Changed;
        let may_be = is_changed && (self.ground.is_some() || may_be_of_image(known_size, record.size));
        let place = may_be.then(|| self.place_of(local)).flatten();
        let Some((place, stores)) = place else { return (Ok(verdict), None) };
        let known_size = known_size.filter(|_| !is_as_long_as_medium(&place, &stores));
        let why = match (known_size, verdict.piece) {
            (Some(_), _) => other_reading(&place, known_size, &self.inside, &stores),
            (None, Some(_)) => of_either_reading(&place, &stores),
            (None, None) => match read_otherwise(&place, record, &self.inside, &self.stores, cancel) {
                Some((of, other)) if fits(&other) => {
                    return (Ok(Verdict { category: Category::Matched, sides: None, ..verdict }), Some(of));
                }
                _ => None,
            },
        };
        let Verdict { path, known_path, sides, .. } = &verdict;
        let known_path = known_path.clone().unwrap_or_default();
        let unjudged = |why| Unjudged { path: path.clone(), known_path, why, sides: sides.clone() };
        match why.map(unjudged) {
            Some(unjudged) => (Err(unjudged), None),
            None => (Ok(verdict), None),
        }
    }

    /// Returns whether the listed path of a moved file is another spelling of that at which it was found: for the file
    /// system, or as other programs write names.
    fn is_respelled(&self, verdict: &Verdict) -> bool {
        let (Some(ground), Some(known)) = (&self.ground, &verdict.known_path) else { return false };
        let (listed, found) = (ground.whole(&here(known, &ground.places)), ground.whole(&verdict.path));
        is_same_file(&listed, &found) || *local(b"", &listed, Separators::Slashes) == *found
    }

    /// Removes the operands that a missing file explains: the file itself, or a directory above it.
    fn explain(&mut self, path: &[u8]) {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        for end in ends.chain([path.len()]).collect::<Vec<_>>() {
            self.vanished.remove(&path[..end]);
        }
    }

    /// Returns the one spelling of a path that all others are compared by. Keys of stores have no others.
    fn spelling(&self, path: &[u8]) -> Bytes {
        if self.ground.is_some() { plain(path).into() } else { path.into() }
    }

    fn apart(&self, path: &[u8]) -> Option<Apart> {
        let path = &*self.spelling(path);
        // The directories above the path, with and without a slash at their end; the empty path stands for everything.
        let slashes = memchr::memchr_iter(b'/', path);
        let above = slashes.flat_map(|slash| [&path[..slash], &path[..=slash]]);
        [&path[..0]].into_iter().chain(above).find_map(|root| self.apart.get(root).copied())
    }

    /// Returns the operands that don't exist and that no manifest names.
    pub fn strangers(&self) -> impl Iterator<Item = &[u8]> {
        self.vanished.iter().map(|path| &**path)
    }
}
