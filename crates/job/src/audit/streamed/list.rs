//! A manifest outside memory: its records by path, in a temporary file.

use super::blocks::{BlockEntry, BlockWriter, Blocks};
use crate::audit::manifests::{SAMPLE, meant, places_of};
use crate::error::Error;
use hashmill_content::output::{WriteError, scratch};
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_engine::Cancel;
use hashmill_lists::entries::numbers;
use hashmill_lists::entries::{Entries, List, ListEntry, Order, SizeAndTime, Stop, has_others, hashed};
use hashmill_lists::learn::named_file;
use hashmill_lists::listed::{self, Reach};
use hashmill_manifest::audit::{Places, Scope};
use hashmill_manifest::format::{Hint, open_path};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_source::{Problem, WalkItem};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// The most files without a digest, which are kept in memory.
const UNDIGESTED: usize = 1 << 16;

/// A manifest whose records wait in a temporary file.
#[derive(Clone)]
pub(crate) struct StreamedList {
    /// The records as the manifest has them.
    pub(super) rows: Blocks,
    /// The same by path, with their numbers, if the manifest has another order.
    by_path: Option<Blocks>,
    pub(super) algorithms: Arc<Vec<&'static Algorithm>>,
    /// Files that are listed without a digest.
    pub(super) undigested: Arc<Vec<Bytes>>,
    /// Whether a path may be one of something inside of another file.
    pub(super) has_inside: bool,
    /// Links, FIFOs and the like by path, if the format has a place for them.
    pub(crate) others: Option<Blocks>,
}

/// A record of a file that was hashed.
pub(super) struct KnownRow {
    entry: BlockEntry,
    pub(super) number: u64,
    /// Where facts and digests begin behind the path.
    facts: usize,
    pub(super) algorithms: Arc<Vec<&'static Algorithm>>,
}

impl StreamedList {
    /// Reads a manifest; one in no order is sorted in about `memory` bytes. Returns `None` if it has to be read into
    /// memory as a whole.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub(crate) fn read(
        path: &Path,
        list: &List,
        is_of_listed: bool,
        memory: usize,
        cancel: &Cancel,
    ) -> Result<Option<StreamedList>, Error> {
        let name = names::path_bytes(path);
        let opened = open_path(path, Hint::from_name(&name)).and_then(|opened| opened.of_files(&name));
        let Ok(opened) = opened else { return Ok(None) };
        if is_of_listed && listed::base(path, opened.base).is_some() {
            return Ok(None);
        }
        let has_others = has_others(opened.format);
        drop(opened);
        let filled = StreamedList::fill(list, Order::ByPath(0), cancel).or_else(|stop| match stop {
            Stop::Unordered => StreamedList::fill_unordered(list, memory, cancel),
            stop => Err(stop),
        });
        match filled {
            Ok(streamed) if list.is_unchanged() => Ok(streamed
                .map(|streamed| StreamedList { others: streamed.others.filter(|_| has_others), ..streamed })),
            Err(Stop::Failed(why)) => Err(why.into()),
            _ => Ok(None),
        }
    }

    fn fill(list: &List, order: Order, cancel: &Cancel) -> Result<Option<StreamedList>, Stop> {
        let (mut rows, mut undigested) = (BlockWriter::new().map_err(failed)?, Vec::new());
        let (mut algorithms, mut others) = (Vec::new(), BlockWriter::new().map_err(failed)?);
        let mut has_inside = false;
        thread::scope(|scope| {
            let mut entries = Entries::start(scope, list, order, cancel)?.ready()?;
            while let Some(entry) = entries.peek() {
                has_inside |= memchr::memmem::find(entry.path, b"!/").is_some();
                match entry.unhashed {
                    None => rows
                        .push(entry.path, &[facts(&entry).to_bytes().as_flattened(), entry.digests])
                        .map_err(failed)?,
                    Some(record) if record.status == Status::Skipped => {
                        others.push(entry.path, &[]).map_err(failed)?;
                    }
                    Some(_) if undigested.len() == UNDIGESTED => return Err(Stop::Whole),
                    Some(_) => undigested.push(entry.path.into()),
                }
                if algorithms.is_empty() {
                    algorithms = entries.algorithms().to_vec();
                }
                entries.advance()?;
            }
            Ok(())
        })?;
        if algorithms.is_empty() {
            return Ok(None);
        }
        let (rows, others) = (rows.finish().map_err(failed)?, others.finish().map_err(failed)?);
        let (algorithms, undigested) = (Arc::new(algorithms), Arc::new(undigested));
        let (by_path, others) = (None, Some(others));
        Ok(Some(StreamedList { rows, by_path, algorithms, undigested, has_inside, others }))
    }

    fn fill_unordered(list: &List, memory: usize, cancel: &Cancel) -> Result<Option<StreamedList>, Stop> {
        let Some(mut streamed) = StreamedList::fill(list, Order::AsWritten, cancel)? else { return Ok(None) };
        let [mut rows, mut others] =
            [BlockWriter::new().map_err(failed)?, BlockWriter::new().map_err(failed)?];
        thread::scope(|scope| {
            let mut entries = Entries::start(scope, list, Order::ByPath(memory), cancel)?.ready()?;
            while let Some(entry) = entries.peek() {
                match entry.unhashed {
                    None => {
                        let facts = facts(&entry).to_bytes();
                        let rest = [&entry.hashed.to_le_bytes()[..], facts.as_flattened(), entry.digests];
                        rows.push(entry.path, &rest).map_err(failed)?;
                    }
                    Some(record) if record.status == Status::Skipped => {
                        others.push(entry.path, &[]).map_err(failed)?;
                    }
                    Some(_) => {}
                }
                entries.advance()?;
            }
            Ok(())
        })?;
        streamed.by_path = Some(rows.finish().map_err(failed)?);
        streamed.others = Some(others.finish().map_err(failed)?);
        Ok(Some(streamed))
    }

    /// Returns the row of this number.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(super) fn row(&mut self, number: u64) -> Result<Option<KnownRow>, WriteError> {
        let entry = self.rows.entry(number).map_err(scratch::failed)?;
        let algorithms = Arc::clone(&self.algorithms);
        Ok(entry.map(|entry| KnownRow { number: entry.number, entry, facts: 0, algorithms }))
    }

    /// Returns the row of this path.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(super) fn find(&mut self, path: &[u8]) -> Result<Option<KnownRow>, WriteError> {
        let algorithms = Arc::clone(&self.algorithms);
        let Some(rows) = &mut self.by_path else {
            let entry = self.rows.find(path).map_err(scratch::failed)?;
            return Ok(entry.map(|entry| KnownRow { number: entry.number, entry, facts: 0, algorithms }));
        };
        let entry = rows.find(path).map_err(scratch::failed)?;
        Ok(entry.map(|entry| {
            let [number] = numbers(entry.rest());
            KnownRow { number, entry, facts: size_of::<u64>(), algorithms }
        }))
    }

    /// Returns the path of a record, in the order in which a manifest in memory has them.
    fn path(&mut self, number: u64) -> Result<Option<Bytes>, WriteError> {
        match number.checked_sub(self.rows.count) {
            None => Ok(self.row(number)?.map(|row| row.path().into())),
            Some(number) => Ok(self.undigested.get(number as usize).cloned()),
        }
    }

    /// Maps the manifest's paths to paths below the operands.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(crate) fn places(&mut self, operands: &[Bytes], stores: &Stores) -> Result<Places, Error> {
        let count = self.rows.count + self.undigested.len() as u64;
        let step = count.div_ceil(SAMPLE as u64).max(1);
        let paths = (0..count).step_by(step as usize).map(|number| self.path(number));
        let sample = paths.collect::<Result<Option<Vec<Bytes>>, _>>()?.unwrap_or_default();
        Ok(places_of(&sample.into_iter().map(Vec::from).collect::<Vec<_>>(), operands, stores))
    }

    /// Returns the part of the manifest that the operands select, as [`Scope::from_operands`] does.
    ///
    /// # Errors
    /// If the file can't be read back.
    pub(crate) fn scope(&mut self, operands: &[Bytes], places: &Places) -> Result<Option<Scope>, Error> {
        let (mut number, mut error) = (0, None);
        let paths = std::iter::from_fn(|| {
            number += 1;
            let path = self.path(number - 1).unwrap_or_else(|why| {
                error = Some(why);
                None
            });
            path.map(Vec::from)
        });
        let scope = Scope::from_paths(paths, operands, places.working.as_deref());
        error.map_or(Ok(scope), |why| Err(why.into()))
    }

    /// Returns the algorithms of the digests.
    ///
    /// # Errors
    /// If the key of one is missing.
    pub(crate) fn algorithms_to_compute(
        &self,
        resources: &Resources,
    ) -> Result<Vec<&'static Algorithm>, Error> {
        Ok(resources.with_key(self.algorithms.to_vec())?)
    }

    /// Returns the files that the manifest names.
    pub(crate) fn files(&self, places: &Places, reach: &Reach) -> ListedFiles {
        ListedFiles { list: self.clone(), places: places.clone(), reach: reach.clone(), next: 0 }
    }
}

fn failed(error: io::Error) -> Stop {
    Stop::Failed(scratch::failed(error))
}

fn facts(entry: &ListEntry<'_>) -> SizeAndTime {
    SizeAndTime { size: entry.size, mtime: entry.mtime }
}

impl KnownRow {
    pub(super) fn path(&self) -> &[u8] {
        self.entry.key()
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.facts_and_digests().0.size
    }

    /// Returns the digests side by side.
    pub(super) fn digests(&self) -> &[u8] {
        self.facts_and_digests().1
    }

    fn facts_and_digests(&self) -> (SizeAndTime, &[u8]) {
        SizeAndTime::from_bytes(&self.entry.rest()[self.facts..])
    }

    /// Returns the record.
    pub(super) fn record(&self) -> Record {
        let (facts, digests) = self.facts_and_digests();
        hashed(self.path(), facts, &self.algorithms, digests)
    }
}

/// The files that a manifest names, one after another.
#[derive(Clone)]
pub(crate) struct ListedFiles {
    list: StreamedList,
    places: Places,
    reach: Reach,
    next: u64,
}

impl Iterator for ListedFiles {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        self.next += 1;
        match self.list.path(self.next - 1) {
            Ok(path) => path.map(|path| named_file(&meant(&path, &self.places), &self.reach)),
            Err(why) => {
                self.next = u64::MAX;
                let problem = Problem::List(io::Error::other(why.to_string()));
                Some(WalkItem::Failed(hashmill_source::Error { path: Box::default(), problem }))
            }
        }
    }
}
