//! The GUID partition table, and its second copy at the end of the medium.

use super::Partition;
use super::kinds::{GPT_KINDS, named};
use crate::fields::guid::guid;
use crate::fields::{le32, le64};
use crate::name::utf16_le;
use crate::{Medium, Problem};
use hashmill_digest::Crc32;

/// The most bytes that a table may have. It usually has 16 KiB.
const TABLE: u64 = 4 << 20;

/// A table that was found.
#[derive(Debug)]
pub(super) struct Gpt {
    pub(super) sector: u32,
    pub(super) identifier: Option<String>,
    pub(super) partitions: Vec<Partition>,
    pub(super) notes: Vec<String>,
    pub(super) doubts: Vec<Problem>,
    /// Whether the first copy is there without a fault.
    pub(super) is_whole: bool,
}

/// A header and the table that it leads to.
#[derive(Debug)]
struct Half {
    header: Vec<u8>,
    /// The bytes of an entry.
    entry: usize,
    table: Vec<u8>,
    /// The faults that were found in it.
    faults: Vec<&'static str>,
}

/// Finds the table: with sectors of 512 or 4,096 bytes, at the start or at the end.
pub(super) fn find(medium: &dyn Medium) -> Option<Gpt> {
    let halves = |sector: u32| (sector, first(medium, sector), second(medium, sector));
    let found = [512, 4096].map(halves);
    let faults = |half: &Option<Half>| half.as_ref().map_or(usize::MAX, |half| half.faults.len());
    let best = found.into_iter().min_by_key(|(_, one, other)| faults(one).min(faults(other)))?;
    match best {
        (_, None, None) => None,
        (sector, Some(one), None) => {
            let cut = one.cut(sector, medium.size());
            let found = one.told(sector, "the second GPT is missing");
            Some(Gpt { doubts: found.doubts.into_iter().chain(cut).collect(), ..found })
        }
        (sector, None, Some(other)) => {
            let note = "the first GPT is missing: the second was used";
            Some(Gpt { is_whole: false, ..other.told(sector, note) })
        }
        (sector, Some(one), Some(other)) => Some(one.with(other, sector)),
    }
}

/// Reads the first copy.
fn first(medium: &dyn Medium, sector: u32) -> Option<Half> {
    Half::read(medium, 1, sector)
}

/// Reads the second copy, at the end or where the first one says it is: the medium may have grown.
fn second(medium: &dyn Medium, sector: u32) -> Option<Half> {
    let last = (medium.size() / u64::from(sector)).checked_sub(1)?;
    Half::read(medium, last, sector).or_else(|| {
        let mut first = [0; 40];
        medium.read_at(sector.into(), &mut first).ok()?;
        let stated = le64(&first, 32).filter(|at| first.starts_with(b"EFI PART") && *at > 1)?;
        let mut half = Half::read(medium, stated, sector)?;
        half.faults.push("a place before the end of the medium");
        Some(half)
    })
}

impl Half {
    /// Reads a header and its table; none if there is no signature, or its table can't be read.
    fn read(medium: &dyn Medium, at: u64, sector: u32) -> Option<Half> {
        let mut header = vec![0; sector as usize];
        medium.read_at(at.checked_mul(sector.into())?, &mut header).ok()?;
        if !header.starts_with(b"EFI PART") {
            return None;
        }
        let mut faults = Vec::new();
        if header_sum(&header) != le32(&header, 16) {
            faults.push("a wrong checksum of its header");
        }
        if le64(&header, 24) != Some(at) {
            faults.push("a header of another sector");
        }
        let (start, count, entry) = (le64(&header, 72)?, le32(&header, 80)?, le32(&header, 84)?);
        let length = u64::from(count).checked_mul(entry.into()).filter(|length| *length <= TABLE)?;
        if entry < 128 {
            return None;
        }
        let mut table = vec![0; usize::try_from(length).ok()?];
        if medium.read_at(start.checked_mul(sector.into())?, &mut table).is_err() {
            faults.push("a table that can't be read");
        } else if Some(Crc32::sum_of(&table)) != le32(&header, 88) {
            faults.push("a wrong checksum of its table");
        }
        Some(Half { header, entry: usize::try_from(entry).ok()?, table, faults })
    }

    /// Returns the table of the better of two copies, with what is wrong and what differs.
    fn with(self, other: Half, sector: u32) -> Gpt {
        let (mut notes, mut doubts): (Vec<String>, _) = (Vec::new(), Vec::new());
        for (which, half) in [("first", &self), ("second", &other)] {
            if !half.faults.is_empty() {
                notes.push(format!("the {which} GPT has {}", half.faults.join(" and ")));
            }
        }
        if self.faults.is_empty() && other.faults.is_empty() && self.stated() != other.stated() {
            doubts.push(Problem::ambiguous("the second GPT differs from the first"));
        }
        if !self.faults.is_empty() && !other.faults.is_empty() {
            doubts.push(Problem::incomplete("both copies of the GPT have faults"));
        }
        let is_whole = self.faults.is_empty();
        let used = if self.faults.len() <= other.faults.len() {
            self
        } else {
            notes.push("the second GPT was used".into());
            other
        };
        Gpt {
            sector,
            identifier: guid(&used.header, 56),
            partitions: used.partitions(sector),
            notes,
            doubts,
            is_whole,
        }
    }

    /// Returns the table of the only copy.
    fn told(self, sector: u32, note: &str) -> Gpt {
        let notes = vec![note.to_owned()];
        let fault = || Problem::incomplete(format!("the only GPT has {}", self.faults.join(" and ")));
        let doubts = (!self.faults.is_empty()).then(fault).into_iter().collect();
        Gpt {
            sector,
            identifier: guid(&self.header, 56),
            partitions: self.partitions(sector),
            notes,
            doubts,
            is_whole: self.faults.is_empty(),
        }
    }

    /// Tells that the end of the disk is missing, by the place that a first copy states for the second one.
    fn cut(&self, sector: u32, size: u64) -> Option<Problem> {
        let last = le64(&self.header, 32).filter(|_| self.faults.is_empty())?;
        let stated = last.saturating_add(1).saturating_mul(sector.into());
        (stated > size).then_some(Problem::CutOff { held: size, stated })
    }

    /// Returns what both copies have in common: the usable sectors, the disk's identifier and the table.
    fn stated(&self) -> (Option<&[u8]>, Option<&[u8]>) {
        (self.header.get(40..72), self.header.get(80..92))
    }

    fn partitions(&self, sector: u32) -> Vec<Partition> {
        self.table.chunks_exact(self.entry).filter_map(|entry| partition(entry, sector)).collect()
    }
}

/// Returns the checksum of a header, with zeros in its place in it.
fn header_sum(header: &[u8]) -> Option<u32> {
    let length = usize::try_from(le32(header, 12)?).ok().filter(|length| *length >= 92)?;
    let mut header = header.get(..length)?.to_vec();
    header.get_mut(16..20)?.fill(0);
    Some(Crc32::sum_of(&header))
}

/// Returns the partition of an entry; none if it is not in use.
fn partition(entry: &[u8], sector: u32) -> Option<Partition> {
    let kind = entry.get(..16)?;
    if kind.iter().all(|byte| *byte == 0) {
        return None;
    }
    let (first, last) = (le64(entry, 32)?, le64(entry, 40)?);
    let is_ordered = first <= last;
    let count = if is_ordered { (last - first).saturating_add(1) } else { 0 };
    let name = entry.get(56..128)?;
    let until = name.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(name.len(), |units| units * 2);
    let name = utf16_le(name.get(..until)?);
    let kind = guid(kind, 0)?;
    Some(Partition {
        number: 0,
        start: first.saturating_mul(sector.into()),
        size: count.saturating_mul(sector.into()),
        kind: named(GPT_KINDS, &&*kind, || kind.clone()),
        name: Some(name).filter(|name| !name.is_empty()),
        identifier: guid(entry, 16),
        problem: (!is_ordered).then(|| Problem::damaged("it ends before its start")),
        overlaps: false,
    })
}
