//! The judge of an audit against a manifest outside memory.
//!
//! A file whose known record is equal is counted at once. All others are left to [`Audit`], the judge of manifests in
//! memory, with no more records than it needs: that of the path, and at the end those with the content of files under new
//! names. So its rules are those of every audit.

use super::blocks::{BlockWriter, Blocks};
use super::list::{KnownRow, StreamedList};
use crate::error::Error;
use hashmill_content::output::scratch;
use hashmill_content::output::sort::Sorter;
use hashmill_content::selection::Bytes;
use hashmill_engine::flow::Flow;
use hashmill_lists::entries::each_digest;
use hashmill_manifest::audit::{Audit, Category, Full, Known, Places, Scope, Unjudged, Verdict};
use hashmill_manifest::{Record, Status};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

/// A judge of records in any order.
pub(crate) struct StreamedJudge {
    list: StreamedList,
    places: Places,
    /// The records by content; made for the first file under a new name.
    contents: Option<Blocks>,
    /// A bit for each row: whether its path was seen.
    seen: Vec<u64>,
    /// The files without a digest: their places in the list, and whether each was seen.
    undigested: HashMap<Bytes, (usize, bool)>,
    /// Files with known content under unknown names.
    deferred: Vec<Record>,
    memory: usize,
    with_sides: bool,
}

/// The known record of a path.
enum FoundRecord {
    Hashed(KnownRow),
    /// One without a digest, with its path.
    Undigested(Bytes),
}

/// The result of looking at an observed record.
type Judged = Result<Option<Verdict>, Unjudged>;

impl StreamedJudge {
    /// Makes a judge that takes about `memory` bytes for sorting.
    pub(crate) fn new(list: StreamedList, places: Places, memory: usize, with_sides: bool) -> StreamedJudge {
        let numbered = list.undigested.iter().enumerate();
        let undigested = numbered.map(|(number, path)| (path.clone(), (number, false))).collect();
        let seen = vec![0; list.rows.count.div_ceil(64) as usize];
        let (contents, deferred) = (None, Vec::new());
        StreamedJudge { list, places, contents, seen, undigested, deferred, memory, with_sides }
    }

    /// Takes an observed record, as [`Audit::observe`] does.
    ///
    /// # Errors
    /// If temporary files can't be written or read.
    pub(crate) fn observe(&mut self, record: &Record) -> Result<Judged, Error> {
        if record.status == Status::Skipped || record.piece.is_some() {
            return Ok(Ok(None));
        }
        let mut found = self.find(&record.path)?;
        // A record is of one file: the same one may be met twice, another one has no record.
        if let Some(FoundRecord::Hashed(row)) = &found
            && record.is_sound()
            && self.is_seen(row.number)
        {
            if is_same(row, record) {
                return Ok(Ok(None));
            }
            found = None;
        }
        self.see(found.as_ref());
        if let Some(FoundRecord::Hashed(row)) = &found
            && is_same(row, record)
        {
            let known_path = Some(row.path().into());
            let (path, status) = (record.path.clone(), Some(record.status));
            let (category, piece, strength, sides) = (Category::Matched, None, None, None);
            return Ok(Ok(Some(Verdict { category, path, known_path, piece, status, strength, sides })));
        }
        if found.is_none() && record.is_sound() && self.has_content(record)? {
            self.deferred.push(record.clone());
            return Ok(Ok(None));
        }
        Ok(self.judge_of(found.as_slice())?.observe(record))
    }

    /// Takes an object that only represents a folder, as [`Audit::observe_folder`] does.
    ///
    /// # Errors
    /// If the temporary file can't be read.
    pub(crate) fn observe_folder(&mut self, path: &[u8]) -> Result<Judged, Error> {
        let found = self.find(path)?;
        self.see(found.as_ref());
        Ok(self.judge_of(found.as_slice())?.observe_folder(path))
    }

    /// Returns whether a path is known.
    ///
    /// # Errors
    /// If the temporary file can't be read.
    pub(crate) fn knows(&mut self, path: &[u8]) -> Result<bool, Error> {
        Ok(self.find(path)?.is_some())
    }

    /// Returns the size that the manifest states of a path, as [`Audit::known_size`] does.
    pub(crate) fn known_size(&mut self, path: &[u8]) -> Option<u64> {
        match self.find(path) {
            Ok(Some(FoundRecord::Hashed(row))) => row.size(),
            _ => None,
        }
    }

    /// Returns whether the known record of the path of a file has this content, as [`Audit::has`] does.
    pub(crate) fn has(&mut self, record: &Record) -> bool {
        let found = self.find(&record.path).ok().flatten();
        self.judge_of(found.as_slice()).is_ok_and(|mut audit| audit.has(record))
    }

    /// Marks a known path as present without judging it, as [`Audit::leave_out`] does.
    ///
    /// # Errors
    /// If the temporary file can't be read.
    pub(crate) fn leave_out(&mut self, path: &[u8]) -> Result<bool, Error> {
        let found = self.find(path)?;
        self.see(found.as_ref());
        Ok(found.is_some())
    }

    /// Excludes known paths outside this scope, as [`Audit::restrict`] does.
    ///
    /// # Errors
    /// If the temporary file can't be read.
    pub(crate) fn restrict(&mut self, scope: &Scope) -> Result<u64, Error> {
        self.exclude(&|path| !scope.has(path))
    }

    /// Excludes known paths that can't be met, as [`Audit::close`] does.
    ///
    /// # Errors
    /// If the temporary file can't be read.
    pub(crate) fn close(&mut self, is_closed: &dyn Fn(&[u8]) -> bool) -> Result<u64, Error> {
        if !self.list.has_inside {
            return Ok(0);
        }
        self.exclude(is_closed)
    }

    /// Excludes known paths that were not seen. Returns their number.
    fn exclude(&mut self, is_excluded: &dyn Fn(&[u8]) -> bool) -> Result<u64, Error> {
        let (mut excluded, mut number) = (0, 0);
        while let Some(row) = self.list.row(number)? {
            if !self.is_seen(number) && is_excluded(row.path()) {
                self.see(Some(&FoundRecord::Hashed(row)));
                excluded += 1;
            }
            number += 1;
        }
        for (path, (_, is_seen)) in &mut self.undigested {
            if !*is_seen && is_excluded(path) {
                *is_seen = true;
                excluded += 1;
            }
        }
        Ok(excluded)
    }

    fn find(&mut self, path: &[u8]) -> Result<Option<FoundRecord>, Error> {
        for name in self.places.plain_names(path) {
            if let Some(row) = self.list.find(&name)? {
                return Ok(Some(FoundRecord::Hashed(row)));
            }
            if let Some((path, _)) = self.undigested.get_key_value(&*name) {
                return Ok(Some(FoundRecord::Undigested(path.clone())));
            }
        }
        Ok(None)
    }

    fn see(&mut self, found: Option<&FoundRecord>) {
        match found {
            Some(FoundRecord::Hashed(row)) => {
                self.seen[(row.number / 64) as usize] |= 1 << (row.number % 64);
            }
            Some(FoundRecord::Undigested(path)) => {
                self.undigested.entry(path.clone()).and_modify(|(_, is_seen)| *is_seen = true);
            }
            None => {}
        }
    }

    fn is_seen(&self, number: u64) -> bool {
        self.seen[(number / 64) as usize] >> (number % 64) & 1 == 1
    }

    /// Makes a judge in memory that knows these records alone.
    fn judge_of(&self, all: &[FoundRecord]) -> Result<Audit, Error> {
        let mut known = self.known();
        for found in all {
            let added = match found {
                FoundRecord::Hashed(row) => known.add(&row.record()).map(|_| ()),
                FoundRecord::Undigested(path) => known.add_unsupported(path),
            };
            added.map_err(full)?;
        }
        Ok(self.judge(known))
    }

    /// Makes an empty collection of records.
    fn known(&self) -> Known {
        let mut known = Known::new();
        if self.with_sides {
            known.keep_times();
        }
        known
    }

    fn judge(&self, known: Known) -> Audit {
        Audit::new(known, self.places.clone(), &self.list.algorithms).with_sides(self.with_sides)
    }

    /// Returns whether a record has the content of an observed one.
    fn has_content(&mut self, record: &Record) -> Result<bool, Error> {
        for key in self.keys(record) {
            if self
                .contents()?
                .seek(&key)
                .map_err(scratch::failed)?
                .is_some_and(|entry| entry.key().starts_with(&key))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the keys with which the contents that an observed record may have begin: with its size, and without one.
    fn keys(&self, record: &Record) -> Vec<Vec<u8>> {
        let mut digests = Vec::new();
        for algorithm in self.list.algorithms.iter() {
            let Some(digest) = record.digest(algorithm) else { return Vec::new() };
            digests.extend_from_slice(digest.as_bytes());
        }
        match record.size {
            Some(size) => [size, u64::MAX].map(|size| [&digests[..], &size.to_be_bytes()].concat()).into(),
            None => vec![digests],
        }
    }

    /// Returns the records by content: digests, size and number of each.
    fn contents(&mut self) -> Result<&mut Blocks, Error> {
        if self.contents.is_none() {
            let (mut sorter, mut number) = (Sorter::new(self.memory), 0);
            while let Some(row) = self.list.row(number)? {
                let size = row.size().unwrap_or(u64::MAX).to_be_bytes();
                sorter.push(&[row.digests(), &size, &number.to_be_bytes()].concat(), &[])?;
                number += 1;
            }
            let mut sorted = sorter.sorted()?;
            let mut blocks = BlockWriter::new().map_err(scratch::failed)?;
            while let Some((key, _)) = sorted.next_entry()? {
                blocks.push(key, &[]).map_err(scratch::failed)?;
            }
            self.contents = Some(blocks.finish().map_err(scratch::failed)?);
        }
        match &mut self.contents {
            Some(contents) => Ok(contents),
            None => unreachable!("it was just made"),
        }
    }

    /// Returns the numbers of the records that decide about the files under new names: of each content the first, and all
    /// whose path was not seen.
    fn wanted(&mut self) -> Result<BTreeSet<u64>, Error> {
        let (mut wanted, mut done) = (BTreeSet::new(), HashSet::new());
        let keys: Vec<Vec<Vec<u8>>> = self.deferred.iter().map(|record| self.keys(record)).collect();
        for keys in keys.into_iter().filter(|keys| done.insert(keys.clone())) {
            let mut first = None;
            for key in keys {
                let mut next = self.contents()?.seek(&key).map_err(scratch::failed)?;
                while let Some(entry) = next.filter(|entry| entry.key().starts_with(&key)) {
                    let number = entry.key().last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
                    first = Some(first.map_or(number, |first: u64| first.min(number)));
                    wanted.extend((!self.is_seen(number)).then_some(number));
                    next = self.contents()?.entry(entry.number + 1).map_err(scratch::failed)?;
                }
            }
            wanted.extend(first);
        }
        Ok(wanted)
    }

    /// Tells the verdicts that need all files, as [`Audit::finish`] returns them.
    ///
    /// # Errors
    /// If temporary files can't be written or read.
    pub(crate) fn finish(mut self, tell: &mut dyn FnMut(Verdict) -> Flow) -> Result<(), Error> {
        let wanted = self.wanted()?;
        let mut audit = self.judge_of_wanted(&wanted)?;
        for record in std::mem::take(&mut self.deferred) {
            // They are told at the end.
            let _ = audit.observe(&record);
        }
        let mut verdicts = audit.finish().peekable();
        while let Some(verdict) = verdicts.next_if(|verdict| verdict.category != Category::Missing) {
            if tell(verdict) == ControlFlow::Break(()) {
                return Ok(());
            }
        }
        for number in 0..self.list.rows.count {
            if self.is_seen(number) {
                continue;
            }
            let Some(row) = self.list.row(number)? else { break };
            let missing = match wanted.contains(&number) {
                // Without a verdict, a moved file has used it up.
                true => verdicts.next_if(|verdict| *verdict.path == *row.path()),
                false => self.judge_of(&[FoundRecord::Hashed(row)])?.finish().next(),
            };
            if missing.is_some_and(|missing| tell(missing) == ControlFlow::Break(())) {
                return Ok(());
            }
        }
        let mut rest: Vec<_> = self.undigested.iter().filter(|(_, (_, is_seen))| !is_seen).collect();
        rest.sort_by_key(|(_, (number, _))| *number);
        let rest: Vec<_> = rest.into_iter().map(|(path, _)| FoundRecord::Undigested(path.clone())).collect();
        let _ = self.judge_of(&rest)?.finish().try_for_each(tell);
        Ok(())
    }

    /// Makes a judge in memory that knows the records of these numbers, and has seen those that were seen.
    fn judge_of_wanted(&mut self, wanted: &BTreeSet<u64>) -> Result<Audit, Error> {
        let mut known = self.known();
        for number in wanted {
            // Each row holds its block in memory, so they are not collected.
            if let Some(row) = self.list.row(*number)? {
                known.add(&row.record()).map_err(full)?;
            }
        }
        let mut audit = self.judge(known);
        for number in wanted {
            if self.is_seen(*number)
                && let Some(row) = self.list.row(*number)?
            {
                audit.leave_out(row.path());
            }
        }
        Ok(audit)
    }
}

/// Returns whether an observed file is known to be the same, with nothing else to consider.
fn is_same(row: &KnownRow, record: &Record) -> bool {
    let mut digests = each_digest(&row.algorithms, row.digests());
    let is_equal = |(algorithm, known): (_, &[u8])| {
        record.digest(algorithm).is_some_and(|digest| digest.as_bytes() == known)
    };
    let is_hashed = record.status == Status::Hashed && record.is_sound();
    let sizes = row.size().zip(record.size).is_none_or(|(known, size)| known == size);
    is_hashed && sizes && digests.all(is_equal)
}

fn full(why: Full) -> Error {
    Error::of_place(Bytes::default(), why)
}
