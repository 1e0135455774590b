//! The judge: compares observed records with known ones, and returns verdicts.

use super::comparison::{self, Comparison, Observed};
use super::contents::{Chains, Contents};
use super::known::Known;
use super::places::{Places, Scope};
use super::sides::{Content, Sides};
use super::{Category, Counts, Verdict};
use crate::stored::Strength;
use crate::{Named, Piece, Record, Status};
use hashmill_digest::Algorithm;
use std::fmt;

/// An audit in progress.
pub struct Audit {
    known: Known,
    places: Places,
    contents: Contents,
    /// For each known record, whether its path was seen or used up by a moved file.
    gone: Vec<bool>,
    /// For each known record, whether it was not compared: out of scope, left out, or its file unreadable.
    not_compared: Vec<bool>,
    /// Unknown paths with known content: whether they were moved or copied is decided at the end.
    deferred: Vec<Deferred>,
    counts: Counts,
    /// The algorithms by which files matched digests that nothing names, each with the number of the list.
    revealed: Vec<(usize, &'static Algorithm)>,
    /// The weakest evidence that is accepted.
    least: Strength,
    /// Whether verdicts include the content of both sides.
    with_sides: bool,
}

/// An observed record that can't be compared, or not completely, with the known one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// The local path.
    pub path: Box<[u8]>,
    /// The path in the manifest.
    pub known_path: Box<[u8]>,
    /// The reason.
    pub why: Incomparable,
    /// The content on both sides, if [`Audit::with_sides`] asked for it.
    pub sides: Option<Box<Sides>>,
}

/// The reason why an observed record can't be compared with the known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incomparable {
    /// There is no algorithm in common.
    Apart,
    /// No digest in the manifests can be computed here.
    Unsupported,
    /// The digests are unnamed, and digests of their length are not guessed.
    Unnamed,
    /// All that could be compared is equal, but the algorithm of some digest is unknown.
    Partly,
    /// The digests are no stronger evidence than this.
    Unproven(Strength),
    /// The manifest's digest is of the medium in an image, whose file was read as it lies.
    Medium,
    /// The manifest's digest is of the file of an image as it lies, of which the medium was read.
    AsItLies,
    /// The manifest's digest is of a piece of one of the two, and nothing tells of which.
    EitherReading,
}

/// An unknown path with known content.
struct Deferred {
    path: Box<[u8]>,
    piece: Option<Piece>,
    size: Option<u64>,
    /// The known records of this content.
    known: Chains,
    status: Status,
    /// Only kept if known records of one content may differ in other facts, or if verdicts include both sides.
    actual: Option<Box<Content>>,
}

/// The number of known records with a file's digests and size that are compared with it in full, of records of one path
/// that such a comparison takes in, and of sets of algorithms. More are there only if somebody made lists to keep an audit
/// busy for days: files under new names are then new, and not moved or copied.
const MAX_COMPARED: usize = 256;

impl Audit {
    /// Creates an audit against `known` of records with digests by `algorithms`.
    pub fn new(known: Known, places: Places, algorithms: &[&'static Algorithm]) -> Self {
        let contents = Contents::new(&known, algorithms);
        let (gone, not_compared) = (vec![false; known.len()], vec![false; known.len()]);
        let (deferred, counts, least) = (Vec::new(), Counts::default(), Strength::Crc);
        let (revealed, with_sides) = (Vec::new(), false);
        Audit { known, places, contents, gone, not_compared, deferred, counts, revealed, least, with_sides }
    }

    /// Adds the content of both sides to each verdict except `matched`. Moved and copied files then take more memory.
    pub fn with_sides(self, with_sides: bool) -> Audit {
        Audit { with_sides, ..self }
    }

    /// Sets the weakest evidence by which stored objects match; the default is a checksum.
    pub fn at_least(self, least: Strength) -> Audit {
        Audit { least, ..self }
    }

    /// Takes an observed record. Returns no verdict for moved and copied files, which are decided at the end, for
    /// skipped entries, and for pieces or whole files if the manifests have none.
    ///
    /// # Errors
    /// Returns [`Unjudged`] if path or content can't be compared; the record counts in no category.
    pub fn observe(&mut self, record: &Record) -> Result<Option<Verdict>, Unjudged> {
        if record.status == Status::Skipped {
            return Ok(None);
        }
        if let Some(piece) = self.empty_piece(record) {
            return self.observe_empty(record, piece);
        }
        if !self.concerns(record) {
            return Ok(None);
        }
        self.judge(record)
    }

    /// Takes an object that only represents a folder. If the manifests know it, it is judged as an empty file.
    ///
    /// # Errors
    /// As [`Audit::observe`].
    pub fn observe_folder(&mut self, path: &[u8]) -> Result<Option<Verdict>, Unjudged> {
        if self.entries(path, None).is_empty() {
            return Ok(None);
        }
        let digests = self.known.algorithms().into_iter().map(of_nothing).collect();
        self.judge(&Record::hashed(path.into(), Some(0), digests))
    }

    /// Judges an empty file by its piece. hashmill writes no pieces of an empty file, but hashdeep writes one, whose
    /// digests are those of the file.
    fn observe_empty(&mut self, record: &Record, piece: Record) -> Result<Option<Verdict>, Unjudged> {
        let entries = self.entries(&piece.path, piece.piece);
        let fits = self.compare(&entries, &Observed::from_record(&piece));
        let Some(verdict) = self.concerns(record).then(|| self.judge(record)).transpose()?.flatten() else {
            return self.judge(&piece);
        };
        self.see(&entries);
        if verdict.category != Category::Matched || !matches!(fits, Comparison::Different(_)) {
            return Ok(Some(verdict));
        }
        self.counts.replace(Category::Matched, Category::Changed);
        Ok(Some(Verdict { category: Category::Changed, sides: self.sides(&entries, &piece), ..verdict }))
    }

    /// Returns the piece of an empty file, if the manifests have such a piece for this path, or have only pieces.
    fn empty_piece(&self, record: &Record) -> Option<Record> {
        let pieces = record.piece.is_none() && self.known.piece_length().is_some();
        if !pieces || record.size != Some(0) || !record.is_sound() {
            return None;
        }
        let piece = Some(Piece { offset: 0, length: 0 });
        let digests = self.known.algorithms().into_iter().map(of_nothing).collect();
        let entries = self.entries(&record.path, piece);
        let known = !entries.is_empty() || !self.known.has_wholes();
        known.then(|| Record { piece, digests, ..record.clone() })
    }

    fn see(&mut self, entries: &[u32]) {
        for entry in entries {
            self.gone[*entry as usize] = true;
        }
    }

    fn judge(&mut self, record: &Record) -> Result<Option<Verdict>, Unjudged> {
        let mut entries = self.entries(&record.path, record.piece);
        if entries.is_empty() && self.is_known_as_whole(record) {
            return Ok(None);
        }
        if entries.first().is_some_and(|first| self.gone[*first as usize]) && record.is_sound() {
            // A record is of one file: the same one may be met twice, another one has no record.
            match self.compare(&entries, &Observed::from_record(record)) {
                Comparison::Equal(proof) if self.proves(proof) => return Ok(None),
                _ => entries.clear(),
            }
        }
        self.see(&entries);
        if !record.is_sound() {
            self.set_aside(&record.path);
        }
        let mut strength = None;
        let category = match entries.first() {
            _ if !record.is_sound() => Category::Unreadable,
            Some(first) => match self.compare(&entries, &Observed::from_record(record)) {
                Comparison::Equal(proof) if self.proves(proof) => {
                    strength = proof;
                    Category::Matched
                }
                Comparison::Different(proof) if self.proves(proof) => Category::Changed,
                comparison => return Err(self.unjudged(record, *first, &entries, comparison)),
            },
            None => match self.content(record) {
                Some(known) => {
                    self.reveal(&[self.contents.first(known)], record);
                    self.defer(record, known);
                    return Ok(None);
                }
                None => Category::New,
            },
        };
        if category == Category::Matched {
            self.reveal(&entries, record);
        }
        let known_path = entries.first().map(|entry| self.known.path(*entry).into());
        let is_told = category != Category::Matched;
        let sides = if is_told { self.sides(&entries, record) } else { None };
        Ok(Some(Verdict { strength, sides, ..self.verdict(category, record, known_path) }))
    }

    /// Returns whether a record is of a piece of a file that the manifests list as a whole only: the file tells of it.
    fn is_known_as_whole(&self, record: &Record) -> bool {
        let first = |piece: Piece| Piece { offset: 0, ..piece };
        let is_alone = |piece| self.entries(&record.path, Some(first(piece))).is_empty();
        record.piece.is_some_and(is_alone) && self.knows(&record.path)
    }

    /// Returns the content of these known records and of the observed one, if requested.
    fn sides(&self, entries: &[u32], record: &Record) -> Option<Box<Sides>> {
        let expected = || (!entries.is_empty()).then(|| self.known.content(entries));
        let reason = || record.reason.clone();
        let both = || Sides { expected: expected(), actual: Content::from_record(record), reason: reason() };
        self.with_sides.then(|| Box::new(both()))
    }

    fn proves(&self, proof: Option<Strength>) -> bool {
        proof.is_none_or(|proof| proof >= self.least)
    }

    /// Returns whether a path is known.
    pub fn knows(&self, path: &[u8]) -> bool {
        !self.entries(path, None).is_empty()
    }

    /// Returns the size that the manifests state of a path.
    pub fn known_size(&self, path: &[u8]) -> Option<u64> {
        self.entries(path, None).into_iter().find_map(|entry| self.known.size(entry))
    }

    /// Returns whether the known records of the path of a file have this content.
    pub fn has(&mut self, record: &Record) -> bool {
        let entries = self.entries(&record.path, None);
        let compared = self.compare(&entries, &Observed::from_record(record));
        let has = !entries.is_empty() && matches!(compared, Comparison::Equal(proof) if self.proves(proof));
        if has {
            self.reveal(&entries, record);
        }
        has
    }

    /// Notes by which algorithms a file matches known records that name none.
    fn reveal(&mut self, entries: &[u32], record: &Record) {
        for found in entries.iter().flat_map(|entry| self.known.revealed_by(*entry, record)) {
            if !self.revealed.contains(&found) {
                self.revealed.push(found);
            }
        }
        self.reveal_guesses(record);
    }

    /// Notes that the algorithms were guessed right by which a record of the observed list matches.
    pub fn reveal_guesses(&mut self, record: &Record) {
        let guesses = record.digests.iter().filter(|named| named.guessed && record.size != Some(0));
        let sure = guesses.filter(|named| comparison::of_empty(named.digest.as_bytes()).is_none());
        for found in sure.map(|named| (0, named.algorithm)) {
            if !self.revealed.contains(&found) {
                self.revealed.push(found);
            }
        }
    }

    /// Returns the algorithms by which files matched digests that nothing names, each with the number of its list: of
    /// those that are known, or 0 for that which is observed.
    pub fn revealed(&self) -> &[(usize, &'static Algorithm)] {
        &self.revealed
    }

    /// Marks a known path as present without judging it, so that it is not missing. Returns whether it is known.
    pub fn leave_out(&mut self, path: &[u8]) -> bool {
        let entries = self.entries(path, None);
        self.see(&entries);
        self.set_aside(path);
        !entries.is_empty()
    }

    /// Notes that the known records of a path and of its pieces can't be compared. Returns whether there are any.
    pub fn set_aside(&mut self, path: &[u8]) -> bool {
        let mut entries = self.entries(path, None);
        if let Some(length) = self.known.piece_length().filter(|length| *length > 0) {
            let pieces = (0..).map_while(|number: u64| {
                let piece = Piece { offset: length.checked_mul(number)?, length };
                Some(self.entries(path, Some(piece))).filter(|entries| !entries.is_empty())
            });
            entries.extend(pieces.collect::<Vec<_>>().concat());
        }
        entries.iter().for_each(|entry| self.not_compared[*entry as usize] = true);
        !entries.is_empty()
    }

    /// Excludes known paths outside this scope, which are neither missing nor the origin of moves. Returns their
    /// number.
    pub fn restrict(&mut self, scope: &Scope) -> u64 {
        let mut outside = 0;
        for entry in 0..self.known.len() as u32 {
            if !scope.has(&self.known.local(entry)) {
                self.gone[entry as usize] = true;
                self.not_compared[entry as usize] = true;
                outside += u64::from(self.known.is_first(entry));
            }
        }
        outside
    }

    /// Excludes known paths that can't be met, like those out of scope. Returns the number of those that were in scope.
    pub fn close(&mut self, is_closed: &dyn Fn(&[u8]) -> bool) -> u64 {
        let mut closed = 0;
        for entry in 0..self.known.len() as u32 {
            // Nearly all paths have no mark of a container, and need not be copied.
            let may_be = memchr::memchr(b'!', self.known.path(entry)).is_some();
            if may_be && !self.gone[entry as usize] && is_closed(&self.known.local(entry)) {
                self.gone[entry as usize] = true;
                self.not_compared[entry as usize] = true;
                closed += u64::from(self.known.is_first(entry));
            }
        }
        closed
    }

    /// Returns the verdicts that are decided at the end: moved and copied (in path order), missing (in manifest order).
    pub fn finish(mut self) -> Finish {
        self.deferred.sort_by(|a, b| {
            let key = |deferred: &Deferred| deferred.piece.map(|piece| piece.offset);
            a.path.cmp(&b.path).then_with(|| key(a).cmp(&key(b)))
        });
        let deferred = std::mem::take(&mut self.deferred).into_iter();
        Finish { audit: self, deferred, entry: 0 }
    }

    /// Returns the number of verdicts of each category so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the known records.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Returns whether the manifests have records of this kind (pieces or whole files).
    fn concerns(&self, record: &Record) -> bool {
        match record.piece {
            Some(_) => self.known.piece_length().is_some(),
            None => self.known.has_wholes() || self.known.piece_length().is_none(),
        }
    }

    fn compare(&self, entries: &[u32], observed: &Observed<'_>) -> Comparison {
        comparison::compare(entries.iter().map(|entry| self.known.line(*entry)), observed)
    }

    /// Returns the known records of a local path, under the first of its possible names that has some.
    fn entries(&self, path: &[u8], piece: Option<Piece>) -> Vec<u32> {
        let offset = piece.map(|piece| piece.offset);
        if let Some(mapped) = self.places.mapped_name(path) {
            return self.known.matching(&mapped, offset);
        }
        let exact = self.known.matching(path, offset);
        if !exact.is_empty() {
            return exact;
        }
        let others = self.places.known_names(path).into_iter().skip(1);
        others
            .map(|name| self.known.matching(&name, offset))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// Makes the reason why a file is not judged by the known records of its path, of which `first` is shown.
    fn unjudged(&self, record: &Record, first: u32, all: &[u32], comparison: Comparison) -> Unjudged {
        let why = match comparison {
            Comparison::Equal(proof) | Comparison::Different(proof) => {
                proof.map_or(Incomparable::Apart, Incomparable::Unproven)
            }
            Comparison::Doubted => Incomparable::Unproven(Strength::Composite),
            Comparison::Partly => Incomparable::Partly,
            Comparison::Apart => {
                let digests = || all.iter().flat_map(|entry| self.known.digests(*entry));
                match digests().next() {
                    None => Incomparable::Unsupported,
                    Some(_) if digests().all(|stored| stored.may_be.is_empty()) => Incomparable::Unnamed,
                    Some(_) => Incomparable::Apart,
                }
            }
        };
        let (path, known_path) = (record.path.clone(), self.known.path(first).into());
        Unjudged { path, known_path, why, sides: self.sides(all, record) }
    }

    fn verdict(&mut self, category: Category, record: &Record, known_path: Option<Box<[u8]>>) -> Verdict {
        self.counts.add(category);
        let status = Some(record.status);
        Verdict {
            category,
            path: record.path.clone(),
            known_path,
            piece: record.piece,
            status,
            strength: None,
            sides: None,
        }
    }

    /// Returns the known records with this content, of which the first is one for sure.
    fn content(&mut self, record: &Record) -> Option<Chains> {
        let groups = 0..self.known.groups().len().min(MAX_COMPARED) as u16;
        let chains: Vec<Chains> =
            groups.filter_map(|group| self.contents.find(&self.known, group, record)).collect();
        let observed = Observed::from_record(record);
        let is_content = |chains: &Chains| self.is_content(self.contents.first(*chains), &observed);
        chains.into_iter().find_map(|chains| self.contents.walk(chains).take(MAX_COMPARED).find(is_content))
    }

    /// Returns whether the known records of an entry's path all have this content.
    fn is_content(&self, entry: u32, observed: &Observed<'_>) -> bool {
        let siblings = self.siblings(entry, MAX_COMPARED + 1);
        if siblings.len() > MAX_COMPARED {
            return false;
        }
        match self.compare(&siblings, observed) {
            Comparison::Equal(proof) => self.proves(proof),
            comparison => comparison == Comparison::Partly,
        }
    }

    /// Returns all known records of the same path and piece, or this many.
    fn siblings(&self, entry: u32, most: usize) -> Vec<u32> {
        let offset = self.known.piece(entry).map(|piece| piece.offset);
        let mut all = self.known.matching_at_most(self.known.path(entry), offset, most);
        if !all.contains(&entry) {
            all.push(entry);
        }
        all
    }

    fn defer(&mut self, record: &Record, known: Chains) {
        let is_kept = self.has_several_groups() || self.with_sides;
        let actual = if is_kept { Content::from_record(record).map(Box::new) } else { None };
        let (path, piece, status) = (record.path.clone(), record.piece, record.status);
        self.deferred.push(Deferred { path, piece, size: record.size, known, status, actual });
    }

    /// Decides between moved and copied: moved if a known path of this content is gone, which then is used up.
    fn settle(&mut self, deferred: Deferred) -> Verdict {
        let free = self.free(&deferred);
        for entry in free.map(|entry| self.siblings(entry, usize::MAX)).unwrap_or_default() {
            self.gone[entry as usize] = true;
        }
        let category = if free.is_some() { Category::Moved } else { Category::Copied };
        self.counts.add(category);
        let from = free.unwrap_or(self.contents.first(deferred.known));
        let known_path = Some(self.known.path(from).into());
        let Deferred { path, piece, status, actual, .. } = deferred;
        let sides = self.with_sides.then(|| {
            let expected = Some(self.known.content(&self.siblings(from, MAX_COMPARED)));
            Box::new(Sides { expected, actual: actual.map(|content| *content), reason: None })
        });
        Verdict { category, path, known_path, piece, status: Some(status), strength: None, sides }
    }

    /// Returns the first known record of the content whose path is gone.
    fn free(&mut self, deferred: &Deferred) -> Option<u32> {
        let known = self.contents.skip(deferred.known, &self.gone)?;
        let mut all = self.contents.walk(known).map(|chains| self.contents.first(chains)).take(MAX_COMPARED);
        all.find(|entry| self.fits(*entry, deferred))
    }

    fn sides_of_missing(&self, entry: u32) -> Option<Box<Sides>> {
        let expected = || Some(self.known.content(&self.siblings(entry, MAX_COMPARED)));
        self.with_sides.then(|| Box::new(Sides { expected: expected(), ..Sides::default() }))
    }

    fn fits(&self, entry: u32, deferred: &Deferred) -> bool {
        let digests = deferred.actual.as_ref().map_or(&[][..], |content| &content.digests);
        let observed = Observed { size: deferred.size, digests, strength: deferred.status.strength() };
        let sure = !self.has_several_groups() || digests.is_empty() || self.is_content(entry, &observed);
        !self.gone[entry as usize] && sure
    }

    /// Returns whether known records differ in the algorithms of their digests.
    fn has_several_groups(&self) -> bool {
        self.known.groups().len() > 1
    }
}

/// Computes the digest of the empty input.
fn of_nothing(algorithm: &'static Algorithm) -> Named {
    Named { algorithm, digest: hashmill_digest::hash(algorithm, b""), guessed: false }
}

/// The verdicts at the end of an audit, as an iterator.
pub struct Finish {
    audit: Audit,
    deferred: std::vec::IntoIter<Deferred>,
    /// The next known record to examine.
    entry: u32,
}

impl Finish {
    /// Returns the number of verdicts of each category; final once the iterator has ended.
    pub fn counts(&self) -> Counts {
        self.audit.counts
    }

    /// Notes that the record of the last missing file was not compared.
    pub fn set_aside_last(&mut self) {
        if let Some(last) = self.entry.checked_sub(1) {
            self.audit.not_compared[last as usize] = true;
        }
    }

    /// Returns whether a record of the manifests was not compared.
    pub fn is_set_aside(&self, record: &Record) -> bool {
        let known = &self.audit.known;
        let entries = known.matching(&known.local_of(&record.path), record.piece.map(|piece| piece.offset));
        entries.iter().any(|entry| self.audit.not_compared[*entry as usize])
    }

    /// Returns the known records.
    pub fn known(&self) -> &Known {
        &self.audit.known
    }

    fn missing(&mut self) -> Option<Verdict> {
        while (self.entry as usize) < self.audit.gone.len() {
            let entry = self.entry;
            self.entry += 1;
            let known = &self.audit.known;
            if !self.audit.gone[entry as usize] && known.is_first(entry) {
                self.audit.counts.add(Category::Missing);
                let path: Box<[u8]> = self.audit.known.path(entry).into();
                let piece = self.audit.known.piece(entry);
                let known_path = Some(path.clone());
                let (category, status, strength) = (Category::Missing, None, None);
                let sides = self.audit.sides_of_missing(entry);
                return Some(Verdict { category, path, known_path, piece, status, strength, sides });
            }
        }
        None
    }
}

impl Iterator for Finish {
    type Item = Verdict;

    fn next(&mut self) -> Option<Verdict> {
        match self.deferred.next() {
            Some(deferred) => Some(self.audit.settle(deferred)),
            None => self.missing(),
        }
    }
}

impl Incomparable {
    /// Returns the word under which it is counted.
    pub const fn word(self) -> &'static str {
        match self {
            Incomparable::Apart
            | Incomparable::Medium
            | Incomparable::AsItLies
            | Incomparable::EitherReading => "not_compared",
            Incomparable::Unsupported => "unsupported",
            Incomparable::Unnamed => "unnamed",
            Incomparable::Partly => "partly-verified",
            Incomparable::Unproven(_) => "unproven",
        }
    }

    /// Returns the strength of the evidence, if it was too weak.
    pub fn strength(self) -> Option<Strength> {
        if let Incomparable::Unproven(strength) = self { Some(strength) } else { None }
    }
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", String::from_utf8_lossy(&self.path), self.why)
    }
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomparable::Apart => f.write_str("no algorithm in common with the manifest"),
            Incomparable::Unsupported => {
                f.write_str("the manifest has no digest of it that hashmill can compute")
            }
            Incomparable::Unnamed => f.write_str(
                "nothing names the algorithm of its digest, and checksums are not guessed (name it with -c)",
            ),
            Incomparable::Partly => f.write_str(
                "only partly verified: what could be compared is equal, but some digest could not be",
            ),
            Incomparable::Medium => f.write_str(
                "the manifest has the digest of the medium in the image, and the file was read as it lies (--inside images or --images reads the medium)",
            ),
            Incomparable::AsItLies => f.write_str(
                "the manifest has the digest of the file as it lies, and the medium in the image was read (without --inside images and --images the file is compared)",
            ),
            Incomparable::EitherReading => f.write_str(
                "it is an image, and nothing tells whether the manifest's digest is of the medium in it or of its file (with --images the medium is read, without it the file)",
            ),
            Incomparable::Unproven(strength) => {
                write!(f, "the store's evidence is too weak ({})", strength.word())
            }
        }
    }
}

impl std::error::Error for Unjudged {}
