//! Extra fields of headers (APPNOTE 6.3.10, 4.5 and 4.6; those of Info-ZIP as in its `extrafld.txt`).

use crate::fields::{u16_at, u32_at, u64_at};
use crate::{Problem, Time, Times};
use hashmill_digest::Crc32;

/// The fields that matter here.
#[derive(Debug, Default)]
pub(super) struct Extra<'a> {
    /// The numbers that did not fit into 32 bits (0x0001).
    pub wide: Option<&'a [u8]>,
    /// The name in UTF-8 (0x7075), if its checksum is that of the name in the header.
    pub path: Option<&'a [u8]>,
    /// Whether the member is encrypted by AES (0x9901) or strong encryption (0x0017).
    pub is_encrypted: bool,
    /// The times, the most exact ones.
    pub times: Times,
}

impl<'a> Extra<'a> {
    /// Reads the fields of a header with this name. Of fields that are there twice, the first counts.
    pub(super) fn parse(extra: &'a [u8], name: &[u8]) -> Extra<'a> {
        let mut found = Extra::default();
        let (mut unix, mut old, mut ntfs) = (Times::default(), Times::default(), Times::default());
        for (tag, data) in Fields(extra) {
            match tag {
                0x0001 => found.wide = found.wide.or(Some(data)),
                0x7075 => found.path = found.path.or_else(|| unicode_path(data, name)),
                0x9901 | 0x0017 => found.is_encrypted = true,
                0x5455 => unix = unix_times(data),
                0x5855 | 0x000d => old = old_unix_times(data),
                0x000a => ntfs = ntfs_times(data).unwrap_or_default(),
                _ => {}
            }
        }
        found.times = [ntfs, unix, old].into_iter().fold(Times::default(), |one, other| Times {
            modified: one.modified.or(other.modified),
            accessed: one.accessed.or(other.accessed),
            changed: None,
            created: one.created.or(other.created),
        });
        found
    }
}

/// Fields one after the other: a tag, a length and that many bytes. It ends where a field does not fit.
struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (tag, length) = (u16_at(self.0, 0).ok()?, u16_at(self.0, 2).ok()?);
        let (data, rest) = self.0.get(4..)?.split_at_checked(length.into())?;
        self.0 = rest;
        Some((tag, data))
    }
}

/// Numbers of 64 bits in the order in which their 32 bits did not suffice.
pub(super) struct WideNumbers<'a> {
    left: Option<&'a [u8]>,
}

impl<'a> WideNumbers<'a> {
    pub(super) fn new(field: Option<&'a [u8]>) -> WideNumbers<'a> {
        WideNumbers { left: field }
    }

    /// Returns a number of which a header has 32 bits.
    ///
    /// # Errors
    /// If its 64 bits are not in the field.
    pub(super) fn number(&mut self, narrow: u32) -> Result<u64, Problem> {
        let Some(field) = self.left.filter(|_| narrow == u32::MAX) else { return Ok(narrow.into()) };
        let number = u64_at(field, 0).map_err(|_| Problem::damaged("a zip64 field is too short"))?;
        self.left = field.get(8..);
        Ok(number)
    }
}

fn unicode_path<'a>(data: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut crc = Crc32::new();
    crc.update(name);
    let is_right = data.first() == Some(&1) && u32_at(data, 1).ok()? == crc.sum();
    data.get(5..).filter(|path| is_right && std::str::from_utf8(path).is_ok())
}

/// Returns the times of a field whose directory form has the first one alone.
fn unix_times(data: &[u8]) -> Times {
    let flags = data.first().copied().unwrap_or(0);
    let mut at = 1;
    let mut next = |bit: u8| -> Option<Time> {
        let seconds = (flags & bit != 0).then(|| u32_at(data, at).ok())??;
        at += 4;
        Some(unix(seconds))
    };
    Times { modified: next(1), accessed: next(2), changed: None, created: next(4) }
}

/// Returns the time of 32 bits of Unix, which have a sign.
fn unix(seconds: u32) -> Time {
    Time { seconds: i64::from(seconds.cast_signed()), nanoseconds: 0 }
}

fn old_unix_times(data: &[u8]) -> Times {
    let seconds = |at| u32_at(data, at).ok().map(unix);
    Times { accessed: seconds(0), modified: seconds(4), ..Times::default() }
}

fn ntfs_times(data: &[u8]) -> Option<Times> {
    let (_, times) = Fields(data.get(4..)?).find(|(tag, times)| *tag == 1 && times.len() >= 24)?;
    let intervals = |at| u64_at(times, at).ok().filter(|set| *set != 0).map(Time::from_filetime);
    Some(Times { modified: intervals(0), accessed: intervals(8), changed: None, created: intervals(16) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(tag: u16, data: &[u8]) -> Vec<u8> {
        [&tag.to_le_bytes(), &(data.len() as u16).to_le_bytes(), data].concat()
    }

    #[test]
    fn a_unicode_path_counts_only_for_its_name() {
        let mut crc = Crc32::new();
        crc.update(b"a\x84");
        let data = [&[1][..], &crc.sum().to_le_bytes(), "aä".as_bytes()].concat();
        let extra = field(0x7075, &data);
        assert_eq!(Extra::parse(&extra, b"a\x84").path, Some("aä".as_bytes()));
        assert_eq!(Extra::parse(&extra, b"a\x85").path, None);
    }

    #[test]
    fn times_are_the_most_exact_ones() {
        let ntfs = [&[0; 4][..], &field(1, &116_444_736_000_000_005_u64.to_le_bytes().repeat(3))].concat();
        let unix = field(0x5455, &[3, 7, 0, 0, 0]);
        let times = Extra::parse(&[unix.clone(), field(0x000a, &ntfs)].concat(), b"").times;
        assert_eq!(times.modified, Some(Time { seconds: 0, nanoseconds: 500 }));
        assert_eq!(Extra::parse(&unix, b"").times.modified, Some(Time { seconds: 7, nanoseconds: 0 }));
        assert_eq!(Extra::parse(&unix, b"").times.accessed, None);
    }

    #[test]
    fn times_of_unix_have_a_sign_and_those_of_ntfs_may_be_unset() {
        let before = Extra::parse(&field(0x5455, &[1, 0xff, 0xff, 0xff, 0xff]), b"").times.modified;
        assert_eq!(before, Some(Time { seconds: -1, nanoseconds: 0 }));
        let unset = [&[0; 4][..], &field(1, &[0; 24])].concat();
        assert_eq!(Extra::parse(&field(0x000a, &unset), b"").times, Times::default());
    }

    #[test]
    fn wide_numbers_come_in_the_order_of_those_that_lack() {
        let field: Vec<u8> = [5_u64, 6].iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut wide = WideNumbers::new(Some(&field));
        assert_eq!([u32::MAX, 3, u32::MAX].map(|narrow| wide.number(narrow).unwrap()), [5, 3, 6]);
        assert!(wide.number(u32::MAX).is_err());
        assert_eq!(WideNumbers::new(None).number(u32::MAX).unwrap(), u32::MAX.into());
    }

    #[test]
    fn fields_end_where_one_does_not_fit() {
        let whole = [field(0x9901, b""), field(0x5455, &[1, 9, 0, 0, 0])].concat();
        for length in 0..whole.len() {
            let extra = Extra::parse(&whole[..length], b"");
            assert_eq!((extra.is_encrypted, extra.times.modified), (length >= 4, None));
        }
    }
}
