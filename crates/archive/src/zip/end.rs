//! The end of an archive: the record that leads to the directory (APPNOTE 6.3.10, 4.3.14 to 4.3.16).

use crate::fields::{u16_at, u32_at, u64_at};
use crate::{Medium, Problem};
use memchr::memmem;

/// The signatures of records.
pub(super) const END: [u8; 4] = *b"PK\x05\x06";
pub(super) const ENTRY: [u8; 4] = *b"PK\x01\x02";
const WIDE_END: [u8; 4] = *b"PK\x06\x06";
const LOCATOR: [u8; 4] = *b"PK\x06\x07";

/// The lengths of records without what may follow: of the end, its 64-bit form, and the locator of that.
pub(super) const END_LENGTH: usize = 22;
const WIDE_LENGTH: usize = 56;
const LOCATOR_LENGTH: usize = 20;

/// The place and size of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    /// The place of the end record.
    pub position: u64,
    /// The number of bytes before the archive, which is to be added to places of members.
    pub base: u64,
    /// The first byte of the directory.
    pub start: u64,
    /// The bytes of the directory.
    pub size: u64,
    /// The stated number of members.
    pub count: u64,
    /// Whether the number has 64 bits, not 16.
    pub is_wide: bool,
    /// Whether the comment reaches to the end of the bytes.
    pub is_last: bool,
    /// A disagreement between parts of the archive.
    pub doubt: Option<Box<str>>,
}

/// Returns the end of an archive, if one fits what is before it.
///
/// # Errors
/// If the bytes can't be read, or the archive has several volumes.
pub(super) fn find(medium: &dyn Medium) -> Result<Option<End>, Problem> {
    let length = medium.size().min(END_LENGTH as u64 + u64::from(u16::MAX));
    let first = medium.size() - length;
    let mut tail = vec![0; usize::try_from(length).unwrap_or(0)];
    medium.read_at(first, &mut tail)?;
    let (mut ends, mut is_split): (Vec<End>, _) = (Vec::new(), false);
    for at in memmem::rfind_iter(&tail, &END) {
        match tail.get(at..).and_then(|record| candidate(medium, first + at as u64, record)) {
            Some(Ok(end)) => ends.push(end),
            Some(Err(Problem::Unsupported(_))) => is_split = true,
            Some(Err(problem)) => return Err(problem),
            None => {}
        }
    }
    let chosen = ends.iter().position(|end| end.is_last).unwrap_or(0);
    let Some(mut end) = ends.get(chosen).cloned() else {
        return if is_split { Err(several_volumes()) } else { Ok(None) };
    };
    // Ends before the directory are those of archives in members, unless their comments hold all that follows.
    let is_other =
        |other: &&End| other.position != end.position && (other.position >= end.start || other.is_last);
    if let Some(other) = ends.iter().find(is_other) {
        end.doubt = Some(format!("end records fit at bytes {} and {}", other.position, end.position).into());
    }
    Ok(Some(end))
}

/// Returns the number of volumes, if the bytes end as the last volume of an archive does.
pub(crate) fn volumes(medium: &dyn Medium) -> Option<u32> {
    let record: [u8; END_LENGTH] = read(medium, medium.size().checked_sub(END_LENGTH as u64)?)?;
    let position = medium.size() - END_LENGTH as u64;
    let numbers = || wide(medium, position).map_or_else(|| Numbers::narrow(&record), |(_, wide)| Ok(wide));
    let numbers = Some(record).filter(|record| record.starts_with(&END)).and_then(|_| numbers().ok())?;
    numbers.is_split().then(|| numbers.disk.saturating_add(1))
}

/// Returns the problem of an archive of several volumes.
pub(super) fn several_volumes() -> Problem {
    Problem::Unsupported("an archive of several volumes".into())
}

/// The numbers in an end record of either form.
#[derive(Debug, PartialEq, Eq)]
struct Numbers {
    disk: u32,
    directory_disk: u32,
    here: u64,
    count: u64,
    size: u64,
    offset: u64,
}

impl Numbers {
    fn narrow(record: &[u8]) -> Result<Numbers, Problem> {
        Ok(Numbers {
            disk: u16_at(record, 4)?.into(),
            directory_disk: u16_at(record, 6)?.into(),
            here: u16_at(record, 8)?.into(),
            count: u16_at(record, 10)?.into(),
            size: u32_at(record, 12)?.into(),
            offset: u32_at(record, 16)?.into(),
        })
    }

    fn wide(record: &[u8]) -> Result<Numbers, Problem> {
        Ok(Numbers {
            disk: u32_at(record, 16)?,
            directory_disk: u32_at(record, 20)?,
            here: u64_at(record, 24)?,
            count: u64_at(record, 32)?,
            size: u64_at(record, 40)?,
            offset: u64_at(record, 48)?,
        })
    }

    /// Returns whether the numbers of a short record are those of the long one, or say that they are there.
    fn agrees(&self, wide: &Numbers) -> bool {
        let same = |narrow: u64, wide: u64, most: u64| narrow == most || narrow == wide;
        same(self.count, wide.count, u16::MAX.into())
            && same(self.size, wide.size, u32::MAX.into())
            && same(self.offset, wide.offset, u32::MAX.into())
    }

    /// Returns the numbers of the archive that its volumes are joined to; unchanged if they are not joined.
    fn joined(self, volumes: &[u64]) -> Numbers {
        let start = volumes
            .get(self.directory_disk as usize)
            .filter(|_| volumes.len() as u64 == u64::from(self.disk) + 1);
        match start.and_then(|start| self.offset.checked_add(*start)) {
            Some(offset) => Numbers { disk: 0, directory_disk: 0, here: self.count, offset, ..self },
            None => self,
        }
    }

    fn is_split(&self) -> bool {
        self.disk != 0 || self.directory_disk != 0 || self.here != self.count
    }
}

/// Returns the end that is at a position, if it fits.
fn candidate(medium: &dyn Medium, position: u64, record: &[u8]) -> Option<Result<End, Problem>> {
    let narrow = Numbers::narrow(record).ok()?;
    let comment = usize::from(u16_at(record, 20).ok()?);
    // A comment that was cut off leads to the same directory.
    let is_last = record.len() == END_LENGTH + comment;
    let wide = wide(medium, position);
    let agrees = wide.as_ref().is_none_or(|(_, wide)| narrow.agrees(wide));
    let is_wide = wide.is_some();
    let (stop, numbers) = wide.unwrap_or((position, narrow));
    let numbers = numbers.joined(medium.volumes());
    if numbers.is_split() {
        // The directory of a volume that is not the first can't be found: its end is all there is to go by.
        let is_likely = is_last && numbers.disk < 1000 && numbers.directory_disk <= numbers.disk;
        return (is_likely && numbers.here <= numbers.count).then(|| Err(several_volumes()));
    }
    let mut end = directory(medium, stop, &numbers)?;
    (end.position, end.is_wide, end.is_last) = (position, is_wide, is_last);
    if !agrees {
        end.doubt = Some("the two end records state other numbers".into());
    }
    Some(Ok(end))
}

/// Returns the 64-bit numbers before an end record, and the position of their record.
fn wide(medium: &dyn Medium, position: u64) -> Option<(u64, Numbers)> {
    let at = position.checked_sub(LOCATOR_LENGTH as u64)?;
    let locator: [u8; LOCATOR_LENGTH] = read(medium, at)?;
    if !locator.starts_with(&LOCATOR) {
        return None;
    }
    // The record is before the locator. Where bytes precede the archive, its place may not count them.
    let stated = u64_at(&locator, 8).ok()?;
    let volume = medium.volumes().get(u32_at(&locator, 4).ok()? as usize).copied().unwrap_or(0);
    [at.checked_sub(WIDE_LENGTH as u64)?, stated.checked_add(volume)?].into_iter().find_map(|start| {
        let record: [u8; WIDE_LENGTH] = read(medium, start)?;
        let end = u64_at(&record, 4).ok()?.checked_add(start)?.checked_add(12)?;
        let numbers = Numbers::wide(&record).ok()?;
        (record.starts_with(&WIDE_END) && end == at).then_some((start, numbers))
    })
}

/// Returns the directory of which the record begins at `stop`.
fn directory(medium: &dyn Medium, stop: u64, numbers: &Numbers) -> Option<End> {
    let Numbers { count, size, offset, .. } = *numbers;
    let begins = |at: u64| match count {
        0 => size == 0,
        _ => read::<4>(medium, at) == Some(ENTRY),
    };
    let adjacent = stop.checked_sub(size)?;
    let is_adjacent = begins(adjacent) && offset <= adjacent;
    let is_stated = offset.checked_add(size)? <= stop && begins(offset);
    let (start, base, doubt) = match (is_adjacent, is_stated) {
        (true, true) if adjacent != offset && count > 0 => {
            let both = format!("directories begin at bytes {offset} and {adjacent}");
            (adjacent, adjacent - offset, Some(both.into()))
        }
        (true, _) => (adjacent, adjacent - offset, None),
        (false, true) => {
            let gap = stop.checked_sub(offset + size)?;
            (offset, 0, Some(format!("{gap} bytes are between the directory and its end record").into()))
        }
        (false, false) => return None,
    };
    Some(End { position: stop, base, start, size, count, is_wide: false, is_last: false, doubt })
}

/// Reads bytes; none if they are not there.
pub(super) fn read<const N: usize>(medium: &dyn Medium, at: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    medium.read_at(at, &mut bytes).ok().map(|()| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a short end record.
    fn end(disk: u16, count: u16, size: u32, offset: u32, comment: &[u8]) -> Vec<u8> {
        let mut record = END.to_vec();
        for number in [disk, disk, count, count] {
            record.extend(number.to_le_bytes());
        }
        record.extend(size.to_le_bytes());
        record.extend(offset.to_le_bytes());
        record.extend((comment.len() as u16).to_le_bytes());
        [&record, comment].concat()
    }

    /// Returns bytes that begin like a directory.
    fn entry() -> Vec<u8> {
        [&ENTRY[..], &[0; 42]].concat()
    }

    fn found(parts: &[&[u8]]) -> Option<End> {
        find(&parts.concat()).unwrap()
    }

    #[test]
    fn offsets_count_bytes_before_the_archive_or_do_not() {
        let absolute = found(&[b"stub", &entry(), &end(0, 1, 46, 4, b"")]).unwrap();
        assert_eq!((absolute.start, absolute.base, &absolute.doubt), (4, 0, &None));
        let relative = found(&[b"stub", &entry(), &end(0, 1, 46, 0, b"comment")]).unwrap();
        assert_eq!((relative.start, relative.base, &relative.doubt), (4, 4, &None));
        assert!(relative.is_last);
        assert!(!found(&[&entry(), &end(0, 1, 46, 0, b""), b"trailing"]).unwrap().is_last);
        assert_eq!(found(&[b"stub", &entry(), &end(0, 1, 46, 5, b"")]), None);
        assert_eq!(found(&[&end(0, 0, 0, 0, b"")]).unwrap().count, 0);
        assert_eq!(found(&[b"no archive"]), None);
    }

    #[test]
    fn doubts_are_told() {
        let inner = [entry(), end(0, 1, 46, 0, b"")].concat();
        let both = found(&[&entry(), &end(0, 1, 46, 0, &inner)]).unwrap();
        assert!(both.doubt.unwrap().contains("end records fit"));
        let gap = found(&[&entry(), b"gap", &end(0, 1, 46, 0, b"")]).unwrap();
        assert_eq!(
            (gap.start, &*gap.doubt.unwrap()),
            (0, "3 bytes are between the directory and its end record")
        );
        let two = found(&[&entry(), &entry(), &end(0, 1, 46, 0, b"")]).unwrap();
        assert!(two.doubt.unwrap().contains("directories begin"));
    }

    #[test]
    fn volumes_are_told() {
        let error = find(&[&entry()[..], &end(2, 1, 46, 0, b"")].concat()).unwrap_err();
        assert_eq!(error.to_string(), "an archive of several volumes can't be read");
    }

    /// Volumes that were joined.
    #[derive(Debug)]
    struct Joined(Vec<u8>, Vec<u64>);

    impl Medium for Joined {
        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read_at(&self, position: u64, buffer: &mut [u8]) -> std::io::Result<()> {
            self.0.read_at(position, buffer)
        }

        fn volumes(&self) -> &[u64] {
            &self.1
        }
    }

    #[test]
    fn places_in_joined_volumes_are_relative_to_them() {
        let bytes = [b"PK\x07\x08volume".to_vec(), entry(), end(1, 1, 46, 0, b"")].concat();
        assert_eq!(volumes(&bytes), Some(2));
        let joined = |volumes: &[u64]| find(&Joined(bytes.clone(), volumes.to_vec()));
        let found = joined(&[0, 10]).unwrap().unwrap();
        assert_eq!((found.start, found.base, found.count, found.doubt), (10, 0, 1, None));
        // Not all volumes are there, or too many.
        assert!(joined(&[]).is_err() && joined(&[0]).is_err() && joined(&[0, 5, 10]).is_err());
        assert_eq!(volumes(&[entry(), end(0, 1, 46, 0, b"")].concat()), None);
    }

    #[test]
    fn wide_numbers_replace_those_that_do_not_fit() {
        let mut record = [&WIDE_END[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat();
        for number in [1_u64, 1, 46, 0] {
            record.extend(number.to_le_bytes());
        }
        let locator = [&LOCATOR[..], &[0; 4], &46_u64.to_le_bytes(), &1_u32.to_le_bytes()].concat();
        let parts = |end: Vec<u8>| found(&[b"stub", &entry(), &record, &locator, &end]);
        let wide = parts(end(0, u16::MAX, u32::MAX, u32::MAX, b"")).unwrap();
        assert_eq!((wide.start, wide.base, wide.count, wide.is_wide, wide.doubt), (4, 4, 1, true, None));
        assert!(parts(end(0, 2, u32::MAX, u32::MAX, b"")).unwrap().doubt.is_some());
        for at in 0..record.len() {
            let mut changed = record.clone();
            changed[at] = 0xff;
            let last = end(0, u16::MAX, u32::MAX, u32::MAX, b"");
            let _ = find(&[b"stub", &entry()[..], &changed, &locator, &last].concat());
        }
    }
}
