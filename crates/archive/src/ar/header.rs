//! Headers of members: sixty bytes of text.

use crate::fields::array;
use crate::{Member, Problem, Time, Times};

/// The header of a member.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: [u8; 16],
    modified: Option<i64>,
    mode: Option<u32>,
    /// The bytes up to the next header, but for one that makes them even.
    pub(super) size: u64,
}

impl Header {
    pub(super) const LENGTH: usize = 60;

    /// Returns the header in these bytes.
    pub(super) fn parse(bytes: &[u8]) -> Result<Header, Problem> {
        let size = number(&array::<10>(bytes, 48)?, 10);
        let size = size.filter(|_| bytes.get(58..60) == Some(b"`\n"));
        Ok(Header {
            name: array(bytes, 0)?,
            modified: number(&array::<12>(bytes, 16)?, 10).and_then(|time| time.try_into().ok()),
            mode: number(&array::<8>(bytes, 40)?, 8).and_then(|mode| mode.try_into().ok()),
            size: size.ok_or_else(|| Problem::damaged("no header is where a member must follow"))?,
        })
    }

    /// Returns a member with these facts.
    pub(super) fn member(&self, path: Vec<u8>, size: u64) -> Member {
        let modified = self.modified.map(|seconds| Time { seconds, nanoseconds: 0 });
        Member {
            size: Some(size),
            stored: Some(size),
            times: Times { modified, ..Times::default() },
            mode: self.mode.map(|mode| mode & 0o7777),
            ..Member::new(path)
        }
    }
}

/// Returns the number in digits with spaces after them; none if there are no digits or something else, such as
/// the `-1` of tables.
pub(super) fn number(text: &[u8], base: u32) -> Option<u64> {
    let digits = text.trim_ascii();
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = char::from(*digit).to_digit(base)?;
        number.checked_mul(base.into())?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        let bytes = b"debian-binary   1700000000  0     0     100644  4         `\n";
        let member = Header::parse(bytes).unwrap().member(b"a".to_vec(), 4);
        assert_eq!((member.size, member.mode), (Some(4), Some(0o644)));
        assert_eq!(member.times.modified.map(|time| time.seconds), Some(1_700_000_000));
    }

    #[test]
    fn numbers_are_digits_and_spaces() {
        assert_eq!(number(b"12  ", 10), Some(12));
        assert_eq!(number(b"    ", 10), None);
        assert_eq!(number(b"-1  ", 10), None);
        assert_eq!(number(b"18  ", 8), None);
        assert_eq!(number(b"99999999999999999999", 10), None);
        let wrong_end = b"a               0           0     0     644     4         `\r";
        assert!(Header::parse(wrong_end).is_err());
        assert!(Header::parse(b"a/").is_err());
    }
}
