//! Checks all segments, and all digests of parts.

use super::digests::{CHUNK_DIGESTS, PartDigest};
use super::stream::{Bevy, ImageStream};
use super::zip::{STORED, content, locate};
use super::{Volume, names, place};
use crate::claim::{Claim, ClaimCheck, DigestOutcome};
use crate::disks::blocks::{Report, Source};
use crate::ewf::table::{most_stored, unreadable};
use crate::finding::{ImageLocation, ProblemKind};
use crate::hashing::Hashing;
use crate::inflate::Inflater;
use hashmill_digest::{Crc32, Digest, find, hash};
use std::path::Path;
use std::sync::Arc;

/// The number of bytes that are read at once.
const PART: usize = 1 << 20;

/// The largest segment of a map, and of others that are read whole.
const MOST_PART: u64 = 128 << 20;

/// Checks a volume. The bytes of the media are read once for the digests of chunks.
pub(super) fn check(volume: &Volume, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
    let path = Arc::clone(source.files.path(0));
    let mut pass = Check { volume, source, path, inflater: Inflater::new(), proven: true };
    pass.headers(report)?;
    let map = pass.map(report);
    let mut chunks = Vec::new();
    for stream in &volume.layout.streams {
        chunks.extend(pass.stream(stream, report)?);
    }
    pass.whole(report, &chunks, map.as_deref());
    Some(())
}

struct Check<'a> {
    volume: &'a Volume,
    source: &'a Source<'a>,
    path: Arc<Path>,
    inflater: Inflater,
    /// All digests of parts match.
    proven: bool,
}

impl<'a> Check<'a> {
    fn segment(&self, number: usize) -> ImageLocation {
        let entry = self.volume.segments.entry(number);
        entry.map_or_else(ImageLocation::default, |entry| place(&self.path, &entry.name, entry.place))
    }

    /// Compares the directory with the headers before segments, and reads what has a checksum only.
    fn headers(&mut self, report: &mut Report<'_>) -> Option<()> {
        for number in 0..self.volume.segments.entries.len() {
            report.go_on()?;
            let Some(entry) = self.volume.segments.entry(number) else { continue };
            let problem = match locate(entry, self.source) {
                Ok(placed) if !placed.agrees => Some(ProblemKind::HeadersDisagree),
                Ok(placed) if entry.method == STORED => self.checksum(number, placed.data, report)?,
                Ok(_) => content(entry, self.source, MOST_PART).err(),
                Err(kind) => Some(kind),
            };
            if let Some(kind) = problem {
                report.findings.add(kind, self.segment(number));
            }
        }
        Some(())
    }

    /// Compares the checksum of a stored segment. The outer `None` means to stop.
    fn checksum(&self, number: usize, data: u64, report: &mut Report<'_>) -> Option<Option<ProblemKind>> {
        let Some(entry) = self.volume.segments.entry(number) else { return Some(None) };
        let mut checksum = Crc32::new();
        let read = self.pieces(data, entry.size, report, &mut |bytes| checksum.update(bytes))?;
        Some(match read {
            Err(kind) => Some(kind),
            Ok(()) => (checksum.sum() != entry.crc).then_some(ProblemKind::ContentChecksum),
        })
    }

    /// Reads bytes of the file in pieces. The outer `None` means to stop.
    fn pieces(
        &self,
        start: u64,
        length: u64,
        report: &Report<'_>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Option<Result<(), ProblemKind>> {
        let mut buffer = vec![0; length.min(PART as u64) as usize];
        let mut done = 0;
        while done < length {
            report.go_on()?;
            let wanted = (length - done).min(PART as u64) as usize;
            let Some(part) = buffer.get_mut(..wanted) else { break };
            match self.source.files.read_at(0, start.saturating_add(done), part) {
                Ok(read) if read == wanted => take(part),
                Ok(_) => return Some(Err(ProblemKind::ChunkOutside)),
                Err(error) => return Some(Err(unreadable(&error))),
            }
            done += wanted as u64;
        }
        Some(Ok(()))
    }

    /// Notes a digest of a part that does not match.
    fn compare(&mut self, stored: &PartDigest<'_>, found: &Digest, name: &str, report: &mut Report<'_>) {
        if !stored.is(found) {
            self.proven = false;
            let stored = format!("{} ({})", name, stored.algorithm.name).into();
            report
                .findings
                .add(ProblemKind::PartDigest { stored }, place(&self.path, b"information.turtle", 0));
        }
    }

    /// Compares the digests of a map's parts. Returns those that are part of the digest of the whole.
    fn map(&mut self, report: &mut Report<'_>) -> Option<Vec<Digest>> {
        let volume = self.volume;
        let part = |name: &str| {
            let segment = volume.segments.find(&format!("{}/{name}", volume.stream))?;
            volume.segments.content(self.source, segment, MOST_PART).ok()
        };
        let (points, list, order) = (part("map"), part("idx"), part("mapPath"));
        let whole: Vec<u8> = [&points, &list, &order].into_iter().flatten().flatten().copied().collect();
        let parts = [
            ("mapPointHash", points.as_deref()),
            ("mapIdxHash", list.as_deref()),
            ("mapPathHash", order.as_deref()),
            ("mapHash", Some(&whole[..])),
        ];
        let mut found = Vec::new();
        for (name, bytes) in parts {
            for stored in volume.digests(&volume.stream, &format!("aff4:{name}")) {
                let digest = hash(stored.algorithm, bytes.unwrap_or_default());
                self.compare(&stored, &digest, name, report);
                if name != "mapHash" {
                    found.push(digest);
                }
            }
        }
        // The two that say where all bytes are have to be in it.
        let named = |name: &str| !volume.digests(&volume.stream, name).is_empty();
        (named("aff4:mapPointHash") && named("aff4:mapIdxHash")).then_some(found)
    }

    /// Reads all chunks of a stream, and compares all digests of them. Returns the digests of their digests.
    fn stream(&mut self, stream: &ImageStream, report: &mut Report<'_>) -> Option<Vec<Digest>> {
        let volume = self.volume;
        let mut columns = Vec::new();
        for name in CHUNK_DIGESTS {
            let algorithm = names::algorithm(name).and_then(|name| find(name).ok());
            let stored = volume.chunk_digests(stream, name);
            if let (Some(algorithm), Some(first)) = (algorithm, stored.first().copied()) {
                let all = Hashing::new(first.algorithm);
                columns.push(Column { name, algorithm, stored, all, bytes: Vec::new() });
            }
        }
        let linear = volume.digests(&stream.name, "aff4:hash");
        // Those of the medium itself are compared as such.
        let linear = if stream.name == volume.stream { Vec::new() } else { linear };
        let mut hashing: Vec<Hashing> = linear.iter().map(|one| Hashing::new(one.algorithm)).collect();
        if !columns.is_empty() || !hashing.is_empty() {
            self.chunks(stream, &mut columns, &mut hashing, report)?;
        }
        for (stored, hashing) in linear.iter().zip(hashing) {
            self.compare(stored, &hashing.finish().digest, "digest of the stream", report);
        }
        let mut found = Vec::new();
        for column in columns {
            let digest = column.all.finish().digest;
            for stored in &column.stored {
                self.compare(stored, &digest, &format!("digest of the digests by {}", column.name), report);
            }
            found.push(digest);
        }
        Some(found)
    }

    fn chunks(
        &mut self,
        stream: &ImageStream,
        columns: &mut [Column<'_>],
        hashing: &mut [Hashing],
        report: &mut Report<'_>,
    ) -> Option<()> {
        let mut bytes = vec![0; stream.chunk_size as usize];
        let mut stored = Vec::new();
        for (number, bevy) in &stream.bevies {
            let first = number.saturating_mul(stream.chunks);
            let count = stream.size.div_ceil(stream.chunk_size);
            let chunks = first..first.saturating_add(stream.chunks).min(count);
            let loaded = columns.iter_mut().all(|column| column.load(self, stream, *number).is_some());
            if !loaded && !chunks.is_empty() {
                self.lost(ProblemKind::Malformed, bevy, report);
            }
            for chunk in chunks {
                report.go_on()?;
                let at = chunk * stream.chunk_size;
                let wanted = (stream.size - at).min(stream.chunk_size) as usize;
                if let Err(kind) = self.chunk(stream, chunk, &mut stored, &mut bytes) {
                    self.lost(kind, bevy, report);
                    break;
                }
                let found = bytes.get(..wanted).unwrap_or_default();
                hashing.iter_mut().for_each(|one| one.update(found));
                for column in columns.iter_mut() {
                    if !column.take((chunk - first) as usize, found, &bytes) {
                        self.lost(ProblemKind::ChunkChecksum, bevy, report);
                    }
                }
            }
        }
        Some(())
    }

    /// Notes that chunks of a bevy are not as they were.
    fn lost(&mut self, kind: ProblemKind, bevy: &Bevy, report: &mut Report<'_>) {
        self.proven = false;
        report.findings.add(kind, self.segment(bevy.data));
    }

    /// Reads and decompresses a chunk; what a short one leaves are zeros.
    fn chunk(
        &mut self,
        stream: &ImageStream,
        number: u64,
        stored: &mut Vec<u8>,
        bytes: &mut [u8],
    ) -> Result<(), ProblemKind> {
        let chunk = stream.chunk(self.source, &self.volume.segments, number)?;
        stored.resize(chunk.length.min(most_stored(stream.chunk_size)) as usize, 0);
        self.source.files.read_exact_at(0, chunk.offset, stored).map_err(|error| unreadable(&error))?;
        let whole = chunk.length == stream.chunk_size && !stream.compression.always;
        let length = match stream.compression.packing.filter(|_| !whole) {
            None => {
                let place = bytes.get_mut(..stored.len()).ok_or(ProblemKind::ChunkLength)?;
                place.copy_from_slice(stored);
                stored.len()
            }
            Some(packing) => self.inflater.unpack(packing, stored, bytes)?,
        };
        bytes.get_mut(length..).unwrap_or_default().fill(0);
        let needed = (stream.size - number * stream.chunk_size).min(stream.chunk_size);
        if (length as u64) < needed { Err(ProblemKind::ChunkLength) } else { Ok(()) }
    }

    /// Compares the digests of the whole, which are made of those of the parts.
    fn whole(&mut self, report: &mut Report<'_>, chunks: &[Digest], map: Option<&[Digest]>) {
        let volume = self.volume;
        let single = volume.layout.streams.len() <= 1 && volume.layout.missing.is_empty();
        // Without digests of chunks, it would say nothing about them.
        let covered = single && map.is_some() && (!chunks.is_empty() || volume.layout.streams.is_empty());
        for stored in volume.whole() {
            let parts: Vec<u8> =
                chunks.iter().chain(map.unwrap_or_default()).flat_map(Digest::as_bytes).copied().collect();
            let digest = hash(stored.algorithm, &parts);
            let outcome = match (covered && self.proven, stored.is(&digest)) {
                (true, true) => DigestOutcome::Match,
                (_, false) if single => DigestOutcome::Mismatch,
                _ => DigestOutcome::NotComputed,
            };
            let place = place(&self.path, b"blockMapHash", 0);
            let Ok(stated) = stored.algorithm.parse(stored.text.as_bytes()) else {
                report.findings.add(ProblemKind::BadClaim, place);
                continue;
            };
            let claim = Claim { algorithm: stored.algorithm, digest: stated, place, intact: true };
            if report.claims.iter().all(|known| known.claim != claim) {
                report.claims.push(ClaimCheck { claim, outcome });
            }
        }
    }
}

/// The digests of all chunks with one algorithm.
struct Column<'a> {
    name: &'static str,
    algorithm: &'static hashmill_digest::Algorithm,
    /// The digests of all of them together.
    stored: Vec<PartDigest<'a>>,
    all: Hashing,
    /// Those of the bevy.
    bytes: Vec<u8>,
}

impl Column<'_> {
    /// Reads the digests of a bevy's chunks; `None` if there are none.
    fn load(&mut self, check: &Check<'_>, stream: &ImageStream, bevy: u64) -> Option<()> {
        self.bytes.clear();
        let segments = &check.volume.segments;
        let spellings = [".blockHash.", "/blockHash.", "."];
        let names = spellings.map(|between| format!("{}/{bevy:08}{between}{}", stream.name, self.name));
        let found = names.iter().find_map(|name| segments.find(name))?;
        let most = stream.chunks.saturating_mul(64);
        self.bytes = segments.content(check.source, found, most).ok()?;
        Some(())
    }

    /// Compares the digest of a chunk, which the end of the stream may cut off.
    fn take(&mut self, index: usize, found: &[u8], whole: &[u8]) -> bool {
        let digest = hash(self.algorithm, found);
        let length = digest.as_bytes().len();
        let start = index.saturating_mul(length);
        let stored = self.bytes.get(start..start.saturating_add(length)).unwrap_or_default();
        let padded = found.len() < whole.len() && stored == hash(self.algorithm, whole).as_bytes();
        let digest = if padded { hash(self.algorithm, whole) } else { digest };
        self.all.update(digest.as_bytes());
        stored == digest.as_bytes()
    }
}
