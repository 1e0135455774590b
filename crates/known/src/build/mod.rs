//! The build of an index: gathers records in memory, sorts them into runs beside the output, merges the runs, and
//! writes the tables.
//!
//! Merging runs bounds the memory for any digests. Partitioning by leading bytes would not, since all digests of a set
//! may start with the same bytes.

mod buckets;
mod heap;
mod partial;
mod progress;
mod runs;
mod sorter;
mod write;

use crate::Detail;
use crate::about::{About, BuildInput, DigestCounts};
use crate::detail::catalogue::Catalogue;
use crate::detail::dictionary;
use crate::error::{Error, Why};
use crate::layout::{self, Section, SectionKind};
use crate::table::{SHORTEST, UNKNOWN_SIZE};
use hashmill_digest::Algorithm;
use hashmill_output::RunFiles;
use heap::{Heap, RecordLayout};
use parking_lot::Mutex;
use partial::{Extent, Partial};
pub use progress::BuildProgress;
use sorter::{Sorter, Spools};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use write::{Renumbering, Tables};

/// The memory that a build needs besides its records: buffers, the catalogue of a medium-sized RDS, the program.
const OTHER: u64 = 96 << 20;

/// The least memory for records that still produces runs of a useful length.
const LEAST_MEMORY: u64 = 16 << 20;

/// Options of a build.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// The memory to use in bytes. The details of all digests are kept in memory and may exceed it; below 128 MiB every
    /// build does.
    pub memory: u64,
    /// The date of the build, in seconds since 1970 UTC. Without it, the same inputs produce the same bytes.
    pub built: Option<u64>,
    /// The progress of the build, for other threads.
    pub progress: Arc<BuildProgress>,
    /// The most bytes that the members of an archive may unpack to in total. By default 64 times the size of the
    /// archive, but at least 256 MiB.
    pub unpacked: Option<u64>,
    /// The unfinished files of the run, and the receiver of warnings about files.
    pub files: RunFiles,
}

impl Default for BuildOptions {
    fn default() -> Self {
        BuildOptions {
            memory: 1 << 30,
            built: None,
            progress: Arc::default(),
            unpacked: None,
            files: RunFiles::default(),
        }
    }
}

/// The number of a detail within a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DetailNumber(u32);

/// An index that is being built. If it is dropped before [`Builder::finish`], no partial file is left.
pub struct Builder {
    target: PathBuf,
    options: BuildOptions,
    heaps: Vec<Heap>,
    /// The heap for each length of digest, without and with sizes; an index out of range means none.
    heap_of: [[usize; 2]; hashmill_digest::MAX_BYTES + 1],
    used: usize,
    catalogue: Arc<Mutex<Catalogue>>,
    /// The sorter of full loads, once there is one.
    sorter: Option<Sorter>,
    algorithms: Vec<(&'static Algorithm, u64)>,
    sources: Vec<BuildInput>,
    added: u64,
}

impl Builder {
    /// Starts a build of `target`.
    pub fn new(target: &Path, options: BuildOptions) -> Self {
        let catalogue = Arc::new(Mutex::new(Catalogue::default()));
        Builder {
            target: target.to_path_buf(),
            options,
            heaps: Vec::new(),
            heap_of: [[usize::MAX; 2]; hashmill_digest::MAX_BYTES + 1],
            used: 0,
            catalogue,
            sorter: None,
            algorithms: Vec::new(),
            sources: Vec::new(),
            added: 0,
        }
    }

    /// Returns the number of a detail, to pass with each digest that it applies to.
    pub fn number(&mut self, detail: &Detail) -> DetailNumber {
        DetailNumber(self.catalogue.lock().number(detail))
    }

    /// Returns the number of the union of several details.
    pub(crate) fn union(&mut self, first: DetailNumber, others: &[DetailNumber]) -> DetailNumber {
        DetailNumber(self.catalogue.lock().union_all(first.0, others.iter().map(|number| number.0)))
    }

    /// Adds a digest. Returns false if it is too short for exact answers (below 64 bits) and was left out.
    ///
    /// # Errors
    /// If the runs can't be written.
    pub fn add(
        &mut self,
        algorithm: &'static Algorithm,
        digest: &[u8],
        annotation: Annotation,
    ) -> Result<bool, Error> {
        self.add_met(algorithm, digest, annotation, 1)
    }

    /// Adds a digest that occurred several times with the same annotation, like [`Builder::add`].
    pub(crate) fn add_met(
        &mut self,
        algorithm: &'static Algorithm,
        digest: &[u8],
        annotation: Annotation,
        times: u64,
    ) -> Result<bool, Error> {
        if digest.len() < SHORTEST {
            return Ok(false);
        }
        self.count(algorithm, times);
        self.added += times;
        self.options.progress.step(&self.options.progress.read, self.added, times, &self.target)?;
        let size = annotation.size.filter(|size| *size < UNKNOWN_SIZE - 1);
        let form = RecordLayout { digest: digest.len(), sized: size.is_some() };
        let load = self.load();
        let heap = &mut self.heap_of[form.digest][usize::from(form.sized)];
        if *heap >= self.heaps.len() {
            *heap = self.heaps.len();
            self.heaps.push(Heap::new(form, load));
        }
        self.used += self.heaps[*heap].push(digest, annotation.detail.0, size.unwrap_or(UNKNOWN_SIZE));
        if self.used < load { Ok(true) } else { self.spill().map(|()| true) }
    }

    #[inline]
    fn count(&mut self, algorithm: &'static Algorithm, times: u64) {
        match self.algorithms.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, count)) => *count += times,
            None => self.algorithms.push((algorithm, times)),
        }
    }

    /// Returns how many bytes of records are gathered while as many are sorted.
    fn load(&self) -> usize {
        (self.options.memory.saturating_sub(OTHER).max(LEAST_MEMORY) / 2) as usize
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.used = 0;
        self.heap_of = [[usize::MAX; 2]; hashmill_digest::MAX_BYTES + 1];
        let load = std::mem::take(&mut self.heaps);
        let mut sorter = match self.sorter.take() {
            Some(sorter) => sorter,
            None => Sorter::start(&self.target, Arc::clone(&self.catalogue))?,
        };
        if sorter.bring(load) {
            self.sorter = Some(sorter);
            return Ok(());
        }
        match sorter.finish() {
            Err(error) => Err(error),
            // The sorter only ends early with an error.
            Ok(_) => Err(Error::new(&self.target, Why::Io("sort", std::io::ErrorKind::Other.into()))),
        }
    }

    /// Adds an input to the index's description.
    pub fn note(&mut self, source: BuildInput) {
        self.sources.push(source);
    }

    pub(crate) fn options(&self) -> &BuildOptions {
        &self.options
    }

    /// Returns the path of the index.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Merges the runs, writes the index, and renames it to its target. Removes the partial files of killed builds.
    ///
    /// # Errors
    /// If there is no digest, or the index can't be written. Then an older index of that name is kept, and no partial
    /// file is left.
    pub fn finish(mut self) -> Result<About, Error> {
        self.spill()?;
        let mut spools = self.sorter.take().map_or_else(|| Ok(Spools::new()), Sorter::finish)?;
        if spools.is_empty() {
            return Err(Error::new(&self.target, Why::NoDigests));
        }
        let mut out = Partial::new(&self.target, &self.options.files)?;
        // The thread that shared it has ended.
        let mut catalogue = self.catalogue.lock();
        let mut tables = Tables {
            out: &mut out,
            target: &self.target,
            catalogue: &mut catalogue,
            numbers: Renumbering::default(),
            memory: (self.options.memory / 4) as usize,
            progress: &self.options.progress,
            written: 0,
        };
        let mut about = about(&self.options, self.sources);
        let mut counts = Counts { algorithms: &self.algorithms, about: &mut about };
        let mut sections = write_tables(&mut spools, &mut tables, &mut counts)?;
        let numbers = tables.numbers;
        sections.push(write_dictionary(&catalogue, &numbers, &mut out)?);
        sections.push(write_about(&about, &mut out)?);
        if sections.len() > layout::MOST_SECTIONS {
            return Err(Error::new(&self.target, Why::TooManyLengths));
        }
        let header = layout::encode(&sections, out.length());
        out.publish(&header)?;
        Ok(about)
    }
}

/// The detail and the size that are recorded with a digest.
#[derive(Debug, Clone, Copy)]
pub struct Annotation {
    /// The number from [`Builder::number`].
    pub detail: DetailNumber,
    /// The size of the file, if known.
    pub size: Option<u64>,
}

fn about(options: &BuildOptions, sources: Vec<BuildInput>) -> About {
    About {
        built_by: concat!("hashmill ", env!("CARGO_PKG_VERSION")).to_string(),
        built: options.built,
        answers: "exact: a hit has compared every bit of the digest".to_string(),
        sources,
        ..About::default()
    }
}

/// Counts the digests of tables by category and set.
struct Counts<'a> {
    algorithms: &'a [(&'static Algorithm, u64)],
    about: &'a mut About,
}

impl Counts<'_> {
    fn table(&mut self, bits: u32, written: &write::Written, all: &Tables<'_>) {
        let met = self.algorithms.iter().filter(|(algorithm, _)| algorithm.bits == bits);
        let algorithms = met.map(|(algorithm, count)| (algorithm.name.to_string(), *count)).collect();
        let mut table = DigestCounts { bits, count: written.count, algorithms, ..DigestCounts::default() };
        let counts = all.numbers.order.iter().copied().zip(written.by_detail.iter().copied());
        for (claims, count) in all.catalogue.by_claims(counts) {
            let detail = Detail { claims: claims.to_vec(), ..Detail::default() };
            self.detail(&detail, count, &mut table);
        }
        self.about.tables.push(table);
    }

    fn detail(&mut self, detail: &Detail, count: u64, table: &mut DigestCounts) {
        if let Some(claim) = detail.verdict() {
            add(&mut table.categories, claim.category.word(), count);
        }
        let mut sets: Vec<&str> = detail.claims.iter().map(|claim| &*claim.set).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.into_iter().for_each(|set| add(&mut table.sets, set, count));
        self.about.contradictions += if detail.is_contradictory() { count } else { 0 };
    }
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, count: u64) {
    match counts.get_mut(name) {
        Some(sum) => *sum += count,
        None => drop(counts.insert(name.to_string(), count)),
    }
}

fn write_tables(
    spools: &mut Spools,
    tables: &mut Tables<'_>,
    counts: &mut Counts<'_>,
) -> Result<Vec<Section>, Error> {
    let mut sections = Vec::new();
    while let Some((digest, mut spool)) = spools.pop_first() {
        let written = tables.write(digest, &mut spool)?;
        counts.table(digest as u32 * 8, &written, tables);
        sections.extend(written.sections);
    }
    Ok(sections)
}

fn write_dictionary(
    catalogue: &Catalogue,
    numbers: &Renumbering,
    out: &mut Partial,
) -> Result<Section, Error> {
    let mut writer = dictionary::Writer::default();
    catalogue.write(&numbers.order, &mut writer);
    let bytes = writer.finish().ok_or_else(|| Error::new(out.target(), Why::TooMany))?;
    write_section(SectionKind::Dictionary, &bytes, numbers.order.len(), out)
}

fn write_about(about: &About, out: &mut Partial) -> Result<Section, Error> {
    let text =
        serde_json::to_vec(about).map_err(|source| Error::io(out.target(), "describe")(source.into()))?;
    write_section(SectionKind::About, &text, 1, out)
}

fn write_section(kind: SectionKind, bytes: &[u8], count: usize, out: &mut Partial) -> Result<Section, Error> {
    out.begin()?;
    out.push(bytes)?;
    let Extent { offset, length, sum } = out.finish_section()?;
    Ok(Section { kind, digest: 0, offset, length, count: count as u64, first: 0, second: 0, sum })
}
