//! Partition tables: MBR with logical partitions, GPT with its second copy, and both at once.
//!
//! Sources: UEFI Specification 2.10, chapter 5 (GPT); the kernels' and partition programs' reading of MBR.

mod gpt;
mod kinds;
mod mbr;

use crate::medium::cache::Cached;
use crate::registry::{is_known, names};
use crate::{Medium, Problem};
use std::fmt;
use std::sync::Arc;

/// The partitions of a medium.
#[derive(Debug)]
pub struct Volumes {
    /// The kind of partition table.
    pub scheme: Scheme,
    /// The bytes of a sector, in which the table counts. A table of type MBR does not tell: 512, unless the partitions
    /// make sense with 4,096 alone.
    pub sector: u32,
    /// The identifier of the disk: a GUID, or the eight digits of MBR.
    pub identifier: Option<String>,
    /// The partitions in the order of their starts. Extended partitions, which only hold others, are not among them.
    pub partitions: Vec<Partition>,
    /// Whether the medium as a whole is a file system beside its partitions, as isohybrid images are.
    pub has_whole: bool,
    /// Facts about the table worth telling: a second copy that was used, entries without sense.
    pub notes: Vec<String>,
    /// The reasons why partitions may be missing, or other programs may find others.
    pub doubts: Vec<Problem>,
}

/// A kind of partition table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// There is none: the medium is a file system as a whole, or empty.
    None,
    /// A master boot record.
    Mbr,
    /// A GUID partition table.
    Gpt,
    /// A GUID partition table, and a master boot record that names partitions, too.
    Hybrid,
}

/// A partition.
#[derive(Debug)]
pub struct Partition {
    /// Its number: 1, 2, … in the order of the starts.
    pub number: u32,
    /// The position of its first byte.
    pub start: u64,
    /// Its size in bytes, as stated: see [`Partition::problem`].
    pub size: u64,
    /// Its type as text, with the byte or GUID of the table behind it.
    pub kind: String,
    /// Its label, as bytes; none if it is empty, or the table is an MBR.
    pub name: Option<Vec<u8>>,
    /// Its identifier: a GUID, or that of the MBR with the number of the entry (`PARTUUID` of Linux).
    pub identifier: Option<String>,
    /// Why its place is wrong: it lies beyond the end of the medium, or overlaps another one. The bytes that are there
    /// can be read all the same.
    pub problem: Option<Problem>,
    /// Whether another one has some of its bytes, too.
    pub overlaps: bool,
}

impl Scheme {
    /// Returns the name in one word, as in records.
    pub fn word(self) -> &'static str {
        match self {
            Scheme::None => "none",
            Scheme::Mbr => "mbr",
            Scheme::Gpt => "gpt",
            Scheme::Hybrid => "hybrid",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Volumes {
    /// Returns the doubts and the notes as text.
    pub fn remarks(&self) -> Vec<String> {
        self.doubts.iter().map(ToString::to_string).chain(self.notes.iter().cloned()).collect()
    }

    fn none(notes: Vec<String>) -> Volumes {
        let partitions = Vec::new();
        let scheme = Scheme::None;
        let doubts = Vec::new();
        Volumes { scheme, sector: 512, identifier: None, partitions, has_whole: false, notes, doubts }
    }
}

/// Reads the partition table of a medium. A medium without one is not an error.
///
/// # Errors
/// If the first sector can't be read, and no other copy of a table is there.
pub fn volumes(medium: &Arc<dyn Medium>) -> Result<Volumes, Problem> {
    let medium: Arc<dyn Medium> = Arc::new(Cached::new(Arc::clone(medium)));
    if medium.size() < 512 {
        return Ok(Volumes::none(Vec::new()));
    }
    let mut first = [0; 512];
    let unread = medium.read_at(0, &mut first).err().map(Problem::from);
    let gpt = gpt::find(&*medium);
    if let (Some(error), None) = (&unread, &gpt) {
        return Err(error.clone());
    }
    // A boot sector ends like a boot record; that it is one, too, is only told by what lies in its partitions.
    let is_boot = mbr::is_boot_sector(&first);
    let mbr = mbr::MbrTable::parse(&first).filter(|mbr| !is_boot || mbr.has_known(&medium));
    let mut found = match (mbr, gpt) {
        (mbr, Some(gpt)) if is_used(&medium, mbr.as_ref(), &gpt) => with_gpt(&medium, mbr, gpt),
        (Some(mbr), gpt) => {
            let mut found = mbr.volumes(&medium);
            let unannounced = || Problem::ambiguous("there is a GPT, too, that the MBR does not announce");
            found.doubts.extend(gpt.map(|_| unannounced()));
            found
        }
        (None, Some(_)) => return Ok(Volumes::none(vec!["there is the rest of a GPT".into()])),
        (None, None) => return Ok(Volumes::none(Vec::new())),
    };
    found.doubts.extend(unread);
    put_in_order(&mut found.partitions, medium.size());
    found.has_whole = is_disc(&*medium, &found.partitions);
    let starts_with_it = found.partitions.iter().any(|one| one.start == 0);
    if !found.has_whole && !starts_with_it && !found.partitions.is_empty() {
        let names: Vec<_> = names(&*medium).collect();
        let doubt = |name| Problem::ambiguous(format!("the medium as a whole is {name}, too"));
        found.has_whole = !names.is_empty();
        found.doubts.extend(names.into_iter().map(doubt));
    }
    Ok(found)
}

/// Returns whether a GPT counts: the MBR announces it, or there is no MBR, and the medium is not in use by a file system
/// that was put over it.
fn is_used(medium: &Arc<dyn Medium>, mbr: Option<&mbr::MbrTable>, gpt: &gpt::Gpt) -> bool {
    match mbr {
        Some(mbr) => mbr.is_protective(),
        None => gpt.is_whole || !is_known(&**medium),
    }
}

/// Returns the partitions of a GPT, and those that only the MBR names.
fn with_gpt(medium: &Arc<dyn Medium>, mbr: Option<mbr::MbrTable>, gpt: gpt::Gpt) -> Volumes {
    let gpt::Gpt { sector, identifier, mut partitions, mut notes, mut doubts, .. } = gpt;
    if mbr.is_none() {
        notes.push("the protective MBR is missing".into());
    }
    let others = mbr
        .filter(mbr::MbrTable::is_hybrid)
        .map(|mbr| mbr.without_protective().partitions(medium, sector, &mut notes, &mut doubts));
    let scheme = if others.is_some() { Scheme::Hybrid } else { Scheme::Gpt };
    for other in others.into_iter().flatten() {
        if !partitions.iter().any(|one| (one.start, one.size) == (other.start, other.size)) {
            notes.push(format!("only the MBR names the partition at byte {}", other.start));
            partitions.push(other);
        }
    }
    Volumes { scheme, sector, identifier, partitions, has_whole: false, notes, doubts }
}

/// Sorts and numbers partitions, and tells which lie beyond the end or overlap.
fn put_in_order(partitions: &mut [Partition], size: u64) {
    partitions.sort_by_key(|partition| (partition.start, partition.size));
    // The partition before that reaches furthest.
    let mut furthest: Option<usize> = None;
    for index in 0..partitions.len() {
        let (before, after) = partitions.split_at_mut(index);
        let Some(this) = after.first_mut() else { break };
        this.number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        if this.end() > size {
            this.problem.get_or_insert(Problem::Beyond);
        }
        let other = furthest.and_then(|index| before.get_mut(index));
        let reaches = other.as_ref().map_or(0, |other| other.end());
        if let Some(other) = other.filter(|other| other.end() > this.start && this.size > 0) {
            let overlaps = |with: u32| Problem::damaged(format!("it overlaps partition {with}"));
            (this.overlaps, other.overlaps) = (true, true);
            this.problem.get_or_insert(overlaps(other.number));
            other.problem.get_or_insert(overlaps(this.number));
        }
        if this.end() > reaches {
            furthest = Some(index);
        }
    }
}

impl Partition {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }
}

/// Returns whether an ISO 9660 volume begins with the medium, and a partition lies over its first descriptor. A disk keeps
/// that place free of partitions, but may have bytes of an older use there.
fn is_disc(medium: &dyn Medium, partitions: &[Partition]) -> bool {
    const DESCRIPTOR: u64 = 16 * 2048;
    let mut descriptor = [0; 6];
    let is_iso = medium.read_at(DESCRIPTOR, &mut descriptor).is_ok() && descriptor == *b"\x01CD001";
    is_iso && partitions.iter().any(|one| one.start <= DESCRIPTOR && DESCRIPTOR < one.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(start: u64, size: u64) -> Partition {
        let kind = String::new();
        Partition {
            number: 0,
            start,
            size,
            kind,
            name: None,
            identifier: None,
            problem: None,
            overlaps: false,
        }
    }

    #[test]
    fn overlaps_are_told_of_both() {
        let mut partitions = [(50, 10), (0, 30), (90, 20), (5, 5), (30, 20), (20, 15)]
            .map(|(start, size)| placed(start, size));
        put_in_order(&mut partitions, 100);
        let told =
            partitions.map(|one| (one.start, one.number, one.problem.map(|problem| problem.to_string())));
        let overlaps = |with| Some(format!("its metadata are damaged: it overlaps partition {with}"));
        let beyond = Some(Problem::Beyond.to_string());
        let expected = [
            (0, 1, overlaps(2)),
            (5, 2, overlaps(1)),
            (20, 3, overlaps(1)),
            (30, 4, overlaps(3)),
            (50, 5, None),
            (90, 6, beyond),
        ];
        assert_eq!(told, expected);
    }
}
