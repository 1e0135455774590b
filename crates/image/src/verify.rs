//! Verification: whether an image is unchanged since it was made.

use crate::claim::{self, Claim, ClaimCheck, DigestOutcome};
use crate::disks::blocks::{Fillings, Report};
use crate::ewf::logical;
use crate::finding::{Finding, Findings, ImageLocation, ProblemKind, Severity, Span};
use crate::hashing::{Computed, Hashing};
use crate::image::pipeline::{Consumer, ImageRead, MediaPart, PipelineSummary, Progress, Resources, run};
use crate::image::{self, Image, Layout};
use hashmill_digest::{Algorithm, Digest, find};
use serde::Serialize;
use std::io::{self, Read};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// The options of a verification.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Threads and memory.
    pub means: Resources,
    /// Digests of the media to compute in addition to those that the image states.
    pub algorithms: Vec<&'static Algorithm>,
}

/// The outcome, worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageVerdict {
    /// Every stored digest matches, and there are no findings.
    Verified,
    /// Every stored digest matches, and there are notes.
    VerifiedWithNotes,
    /// Every stored digest matches, so the media are unchanged; other parts of the image are damaged.
    DigestsMatch,
    /// There is no stored digest to compare.
    NoDigest,
    /// A stored digest does not match.
    Mismatch,
    /// Chunks or structure are damaged.
    Damaged,
    /// Parts of the image are missing.
    Incomplete,
    /// The image is stored in an unsupported way.
    Unsupported,
}

/// The comparison of a stored digest of a file in a logical image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryCheck {
    /// The path of the file.
    #[serde(serialize_with = "logical::lossy")]
    pub path: Arc<[u8]>,
    /// The algorithm.
    #[serde(serialize_with = "claim::name")]
    pub algorithm: &'static Algorithm,
    /// The stored digest.
    #[serde(serialize_with = "claim::text")]
    pub stored: Digest,
    /// The digest of the bytes, if they could all be read.
    #[serde(serialize_with = "optional")]
    pub computed: Option<Digest>,
    /// The result.
    pub outcome: DigestOutcome,
}

/// The result of a verification.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    /// The outcome.
    pub verdict: ImageVerdict,
    /// The size of the media in bytes.
    pub media_size: u64,
    /// Bytes of the media that are in tables or files.
    pub read: u64,
    /// Digests of the media, with zeros for unreadable bytes; empty if parts are missing.
    pub digests: Vec<Computed>,
    /// The stored digests of the media.
    pub claims: Vec<ClaimCheck>,
    /// The stored digests of single files.
    pub entries: Vec<EntryCheck>,
    /// Problems and notes.
    pub findings: Vec<Finding>,
    /// The number of findings that were not kept, because there are too many.
    pub omitted_findings: u64,
}

fn optional<S: serde::Serializer>(digest: &Option<Digest>, to: S) -> Result<S::Ok, S::Error> {
    digest.map(|digest| digest.to_string()).serialize(to)
}

/// Checks every chunk, every table and every stored digest, and never stops at a problem. Returns `None` if `progress`
/// stopped it. `progress` gets bytes of the media, and then those of single files.
pub fn verify(image: &Image, options: &Options, progress: Progress<'_>) -> Option<Verification> {
    let mut findings = image.findings.clone();
    let ranges = image.covered();
    let whole = ranges.iter().map(|range| range.end - range.start).sum::<u64>() == image.chunk_count();
    let algorithms = if whole { wanted(image, options) } else { Vec::new() };
    // Zeros that are not stored matter only for digests.
    let ranges = if algorithms.is_empty() { image.in_files() } else { ranges };
    let pass = Pass { image, means: options.means, progress };
    let mut compared = Vec::new();
    pass.check_blocks(&mut findings, &mut compared)?;
    let (mut summary, digests) = pass.run(ranges.clone(), image.media_size, &algorithms)?;
    let readable = summary.findings.is_empty();
    findings.extend(std::mem::take(&mut summary.findings));
    findings.extend(image.table_findings());
    let mut claims = compare(image.claims(), &digests);
    if let Some(tail) = image.tail(summary.beyond).filter(|_| readable) {
        pass.compare_with_tail(ranges, tail, &mut claims, &mut findings)?;
    }
    claims.extend(compared);
    let entries = pass.entries(summary.bytes, &mut findings)?;
    let (findings, omitted) = findings.into_parts();
    let mut verification = Verification {
        verdict: ImageVerdict::Verified,
        media_size: image.media_size,
        read: summary.bytes,
        digests,
        claims,
        entries,
        findings,
        omitted_findings: omitted + summary.omitted,
    };
    verification.verdict = verification.judge();
    Some(verification)
}

/// Returns the algorithms of stored digests and of the options, each once.
fn wanted(image: &Image, options: &Options) -> Vec<&'static Algorithm> {
    let stored = image.claims.iter().map(|claim| claim.algorithm);
    let mut wanted: Vec<&'static Algorithm> = Vec::new();
    for algorithm in stored.chain(options.algorithms.iter().copied()) {
        if !wanted.contains(&algorithm) {
            wanted.push(algorithm);
        }
    }
    wanted
}

/// Compares digests of all media bytes with the stored ones. If one differs and there are bytes past the last whole
/// sector, which some programs hash as well, the media are read again with those.
pub fn compare_stored(image: &Image, digests: &[Computed], means: Resources) -> Vec<ClaimCheck> {
    let mut claims = compare(image.claims(), digests);
    if claims.iter().all(|check| check.outcome != DigestOutcome::Mismatch) {
        return claims;
    }
    let pass = Pass { image, means, progress: &|_| ControlFlow::Continue(()) };
    let last = image.chunk_count().saturating_sub(1)..image.chunk_count();
    let beyond = pass.feed(vec![last], image.media_size, &mut []).map_or(0, |summary| summary.beyond);
    if let Some(tail) = image.tail(beyond) {
        let _ = pass.compare_with_tail(image.covered(), tail, &mut claims, &mut Findings::default());
    }
    claims
}

fn compare(claims: &[Claim], digests: &[Computed]) -> Vec<ClaimCheck> {
    let check = |claim: &Claim| {
        let computed = digests.iter().find(|computed| computed.algorithm == claim.algorithm);
        let outcome = match computed {
            Some(computed) if computed.digest == claim.digest => DigestOutcome::Match,
            Some(_) => DigestOutcome::Mismatch,
            None => DigestOutcome::NotComputed,
        };
        ClaimCheck { claim: claim.clone(), outcome }
    };
    claims.iter().map(check).collect()
}

impl Image {
    /// Returns the chunks that are in the image.
    pub(crate) fn covered(&self) -> Vec<Range<u64>> {
        match &self.layout {
            Layout::Tables(tables) => tables.covered(self.chunk_count()),
            Layout::Parts(parts) => self.present(parts),
            Layout::Blocks(blocks) => self.present_blocks(&blocks.map.missing()),
        }
    }

    /// Returns the chunks in which bytes are stored. The others are missing, or zeros that the image does not store.
    pub(crate) fn stored(&self) -> Vec<Range<u64>> {
        match &self.layout {
            Layout::Tables(_) | Layout::Parts(_) => self.covered(),
            Layout::Blocks(blocks) => self.stored_blocks(blocks, Fillings::Stored),
        }
    }

    /// Returns the chunks of which a part is in a file, or can't be found.
    fn in_files(&self) -> Vec<Range<u64>> {
        match &self.layout {
            Layout::Tables(_) | Layout::Parts(_) => self.covered(),
            Layout::Blocks(blocks) => self.stored_blocks(blocks, Fillings::LeftOut),
        }
    }

    /// Returns the chunks of which files contain a part.
    fn present(&self, parts: &[image::RawFile]) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for part in parts.iter().filter(|part| part.file.is_some() && part.size > 0) {
            let chunks = part.start / self.chunk_size..(part.start + part.size).div_ceil(self.chunk_size);
            match ranges.last_mut() {
                Some(last) if last.end >= chunks.start => last.end = last.end.max(chunks.end),
                _ => ranges.push(chunks),
            }
        }
        ranges
    }

    /// Returns the bytes of the media that are in the image; the others count as zeros.
    pub fn held(&self) -> u64 {
        let chunks = match &self.layout {
            Layout::Blocks(blocks) => self.stored_blocks(blocks, Fillings::Stored),
            _ => {
                let missing: u64 = self.missing_media().iter().map(|span| span.count).sum();
                return self.media_size - missing.min(self.media_size);
            }
        };
        chunks.iter().map(|range| self.media_of(Span::between(range.start, range.end)).count).sum()
    }

    /// Returns the bytes past the media that stored digests may cover: bytes of the last chunk, or zeros that fill the
    /// last sector of a logical image.
    fn tail(&self, beyond: u64) -> Option<Tail> {
        if beyond > 0 {
            return Some(Tail { stored: beyond, zeros: 0 });
        }
        let whole = self.geometry.as_ref()?.media_size()?;
        let zeros = whole.checked_sub(self.media_size)?;
        (1..self.chunk_size).contains(&zeros).then_some(Tail { stored: 0, zeros })
    }

    /// Returns the problems of chunk tables.
    fn table_findings(&self) -> impl Iterator<Item = Finding> {
        let tables = match &self.layout {
            Layout::Tables(tables) => &tables.0[..],
            Layout::Parts(_) | Layout::Blocks(_) => &[],
        };
        tables.iter().flat_map(|table| table.health(&self.files, self.chunk_size).findings.clone())
    }
}

/// Bytes past the end of the media.
#[derive(Debug, Clone, Copy)]
struct Tail {
    stored: u64,
    zeros: u64,
}

impl Hashing {
    /// Creates one for each algorithm of the stored digests; none if parts of the media are missing.
    pub(crate) fn stored(image: &Image) -> Vec<Hashing> {
        let held = image.covered().iter().map(|range| range.end - range.start).sum::<u64>();
        let algorithms =
            if held == image.chunk_count() { wanted(image, &Options::default()) } else { Vec::new() };
        algorithms.into_iter().map(Hashing::new).collect()
    }
}

impl Consumer for Hashing {
    fn take(&mut self, part: &MediaPart<'_>) -> io::Result<()> {
        self.update(part.bytes);
        Ok(())
    }
}

/// The parameters of all passes over an image.
struct Pass<'a> {
    image: &'a Image,
    means: Resources,
    progress: Progress<'a>,
}

impl Pass<'_> {
    /// Reads the chunks once and computes digests.
    fn run(
        &self,
        chunks: Vec<Range<u64>>,
        end: u64,
        algorithms: &[&'static Algorithm],
    ) -> Option<(PipelineSummary, Vec<Computed>)> {
        let mut hashing: Vec<Hashing> = algorithms.iter().copied().map(Hashing::new).collect();
        let summary = self.feed(chunks, end, &mut hashing)?;
        Some((summary, hashing.into_iter().map(Hashing::finish).collect()))
    }

    /// Checks the tables of a virtual disk.
    fn check_blocks(&self, findings: &mut Findings, claims: &mut Vec<ClaimCheck>) -> Option<()> {
        let Layout::Blocks(blocks) = &self.image.layout else { return Some(()) };
        let go_on = || (self.progress)(0).is_continue();
        let mut report = Report { findings, claims, go_on: &go_on };
        blocks.map.check(&blocks.source(&self.image.files), &mut report)
    }

    fn feed(&self, chunks: Vec<Range<u64>>, end: u64, hashing: &mut [Hashing]) -> Option<PipelineSummary> {
        let consumers = hashing.iter_mut().map(|one| one as &mut dyn Consumer).collect();
        let job = ImageRead { image: self.image, chunks, end, means: self.means, progress: self.progress };
        // Hashing can't fail.
        let summary = run(&job, consumers).unwrap_or_default();
        (!summary.interrupted).then_some(summary)
    }

    /// Compares again with the bytes past the media: some programs omit a partial sector from the sector count, but
    /// hash it.
    fn compare_with_tail(
        &self,
        chunks: Vec<Range<u64>>,
        tail: Tail,
        claims: &mut [ClaimCheck],
        findings: &mut Findings,
    ) -> Option<()> {
        let open = |check: &&mut ClaimCheck| check.outcome == DigestOutcome::Mismatch;
        let mut algorithms: Vec<_> =
            claims.iter_mut().filter(open).map(|check| check.claim.algorithm).collect();
        algorithms.dedup();
        if algorithms.is_empty() {
            return Some(());
        }
        let mut hashing: Vec<Hashing> = algorithms.into_iter().map(Hashing::new).collect();
        self.feed(chunks, self.image.media_size + tail.stored, &mut hashing)?;
        let zeros = vec![0; tail.zeros as usize];
        hashing.iter_mut().for_each(|one| one.update(&zeros));
        let digests: Vec<Computed> = hashing.into_iter().map(Hashing::finish).collect();
        for check in claims.iter_mut().filter(open) {
            if digests
                .iter()
                .any(|one| one.algorithm == check.claim.algorithm && one.digest == check.claim.digest)
            {
                check.outcome = DigestOutcome::MatchWithTail;
            }
        }
        if claims.iter().any(|check| check.outcome == DigestOutcome::MatchWithTail) {
            let bytes = tail.stored + tail.zeros;
            findings.add(ProblemKind::TailBytes { bytes }, ImageLocation::default());
        }
        Some(())
    }

    /// Compares the digests of single files, several files at once.
    fn entries(&self, done: u64, findings: &mut Findings) -> Option<Vec<EntryCheck>> {
        let (next, read) = (AtomicUsize::new(0), AtomicU64::new(done));
        let entries = &self.image.entries;
        let threads = self.means.threads.clamp(1, entries.len().max(1));
        let go_on = |bytes: u64| {
            let done = read.fetch_add(bytes, Ordering::Relaxed) + bytes;
            (self.progress)(done).is_continue()
        };
        let work = || {
            let mut checks = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(entry) = entries.get(index) else { return Some(checks) };
                if !entry.folder && (entry.md5.is_some() || entry.sha1.is_some()) {
                    let Some(of_entry) = check_entry(self.image, entry, &go_on) else {
                        next.store(entries.len(), Ordering::Relaxed);
                        return None;
                    };
                    checks.push((index, of_entry));
                }
            }
        };
        let parts: Option<Vec<_>> = thread::scope(|scope| {
            // If the system can't start all threads, the comparison is only slower.
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..threads).map_while(start).collect();
            let own = work();
            let others = others.into_iter().map(|other| other.join().ok().flatten());
            std::iter::once(own).chain(others).collect()
        });
        let mut checks: Vec<_> = parts?.into_iter().flatten().collect();
        checks.sort_by_key(|(index, _)| *index);
        let checks: Vec<EntryCheck> = checks.into_iter().flat_map(|(_, checks)| checks).collect();
        if checks.iter().any(|check| check.outcome == DigestOutcome::NotComputed) {
            findings.add(ProblemKind::ContentOutside, ImageLocation::default());
        }
        Some(checks)
    }
}

/// Compares the stored digests of one file; `None` if `go_on`, which gets the bytes of each step, returns false.
fn check_entry(image: &Image, entry: &crate::Entry, go_on: &dyn Fn(u64) -> bool) -> Option<Vec<EntryCheck>> {
    let stored = [("md5", entry.md5), ("sha1", entry.sha1)];
    let stored = stored.into_iter().filter_map(|(name, digest)| Some((find(name).ok()?, digest?)));
    let stored: Vec<_> = stored.collect();
    let mut hashing: Vec<Hashing> = stored.iter().map(|(algorithm, _)| Hashing::new(algorithm)).collect();
    let readable = hash_entry(image, entry, &mut hashing, go_on)?;
    let pairs = stored.into_iter().zip(hashing.into_iter().map(Hashing::finish));
    let check = |((algorithm, stored), computed): ((&'static Algorithm, Digest), Computed)| {
        let computed = readable.then_some(computed.digest);
        let outcome = match computed {
            Some(digest) if digest == stored => DigestOutcome::Match,
            Some(_) => DigestOutcome::Mismatch,
            None => DigestOutcome::NotComputed,
        };
        EntryCheck { path: Arc::clone(&entry.path), algorithm, stored, computed, outcome }
    };
    Some(pairs.map(check).collect())
}

/// Hashes a file. Returns whether the content could be read completely; `None` if it was interrupted.
fn hash_entry(
    image: &Image,
    entry: &crate::Entry,
    hashing: &mut [Hashing],
    go_on: &dyn Fn(u64) -> bool,
) -> Option<bool> {
    let mut reader = image.entry_reader(entry);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Some(true),
            Ok(read) if go_on(read as u64) => hashing.iter_mut().for_each(|one| one.update(&buffer[..read])),
            Ok(_) => return None,
            Err(_) => return Some(false),
        }
    }
}

impl Verification {
    fn judge(&self) -> ImageVerdict {
        let worst = self.findings.iter().map(|finding| finding.kind.severity()).max();
        let outcomes = || {
            let media = self.claims.iter().map(|check| check.outcome);
            media.chain(self.entries.iter().map(|check| check.outcome))
        };
        if outcomes().any(|outcome| outcome == DigestOutcome::NotComputed) && worst < Some(Severity::Damage) {
            return ImageVerdict::Incomplete;
        }
        match worst {
            Some(Severity::Unsupported) => return ImageVerdict::Unsupported,
            Some(Severity::Missing) => return ImageVerdict::Incomplete,
            Some(Severity::Damage) => return ImageVerdict::Damaged,
            _ => {}
        }
        match (outcomes().any(|outcome| outcome == DigestOutcome::Mismatch), outcomes().next(), worst) {
            (true, _, _) => ImageVerdict::Mismatch,
            (false, None, Some(Severity::Structure)) => ImageVerdict::Damaged,
            (false, None, _) => ImageVerdict::NoDigest,
            (false, Some(_), Some(Severity::Structure)) => ImageVerdict::DigestsMatch,
            (false, Some(_), Some(_)) => ImageVerdict::VerifiedWithNotes,
            (false, Some(_), None) => ImageVerdict::Verified,
        }
    }
}

impl Image {
    /// Returns the spans of the media that are missing from the image.
    pub fn missing_media(&self) -> Vec<Span> {
        match &self.layout {
            Layout::Tables(tables) => {
                tables.gaps(self.chunk_count()).into_iter().map(|chunks| self.media_of(chunks)).collect()
            }
            Layout::Parts(parts) => {
                let missing = parts.iter().filter(|part| part.file.is_none());
                missing.map(|part| Span { first: part.start, count: part.size }).collect()
            }
            Layout::Blocks(blocks) => blocks.map.missing(),
        }
    }
}
