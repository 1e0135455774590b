//! Records of extended headers (POSIX.1-2017, pax, "pax Extended Header"): lines of a length, a keyword and a
//! value.

use super::number;
use crate::Problem;
use hashmill_disk::Times;

/// The records that matter here, of one extended header or of several for the same member.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub path: Option<Vec<u8>>,
    pub link: Option<Vec<u8>>,
    pub size: Option<u64>,
    pub times: Times,
    pub sparse: SparseRecords,
    /// Whether the member is the rest of one that begins on another volume.
    pub continues: bool,
    /// The reason why they can't be trusted.
    pub fault: Option<Fault>,
}

/// The records of GNU tar for a sparse file (GNU tar manual, "Storing Sparse Files").
#[derive(Debug, Default)]
pub(super) struct SparseRecords {
    pub major: Option<u64>,
    pub minor: Option<u64>,
    pub name: Option<Vec<u8>>,
    /// The size with its holes.
    pub size: Option<u64>,
    /// The number of parts.
    pub count: Option<u64>,
    /// The offsets and lengths of parts.
    pub parts: Vec<(u64, u64)>,
    /// The offset of a part, when its length has not been met.
    offset: Option<u64>,
}

/// A reason why records can't be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Damaged(&'static str),
    /// Programs take another value each: of what.
    Ambiguous(&'static str),
    /// They are longer than the limit.
    Memory(u64),
}

impl Fault {
    pub(super) fn problem(self) -> Problem {
        match self {
            Fault::Damaged(what) => Problem::damaged(what),
            Fault::Ambiguous(what) => Problem::Ambiguous(what.into()),
            Fault::Memory(bytes) => Problem::Memory(bytes),
        }
    }
}

impl Records {
    /// Adds the records of a header, up to the first that is damaged. Zeros may fill the rest.
    pub(super) fn add(&mut self, mut text: &[u8]) {
        while text.first().is_some_and(|&byte| byte != 0) {
            let Some((keyword, value, rest)) = record(text) else {
                self.fault(Fault::Damaged("a record of an extended header has another length than it says"));
                return;
            };
            self.set(keyword, value);
            text = rest;
        }
    }

    /// Notes a fault, unless another was noted before.
    pub(super) fn fault(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn set(&mut self, keyword: &[u8], value: &[u8]) {
        match keyword {
            b"path" => self.fault = put(&mut self.path, name(value), "its path").or(self.fault),
            b"linkpath" => self.fault = put(&mut self.link, name(value), "its link's target").or(self.fault),
            b"size" => self.fault = put(&mut self.size, number::decimal(value), "its size").or(self.fault),
            b"mtime" => self.times.modified = number::time(value).or(self.times.modified),
            b"atime" => self.times.accessed = number::time(value).or(self.times.accessed),
            b"ctime" => self.times.changed = number::time(value).or(self.times.changed),
            b"LIBARCHIVE.creationtime" => self.times.created = number::time(value).or(self.times.created),
            b"GNU.volume.offset" => self.continues |= value != b"0",
            _ => {
                if let Some(keyword) = keyword.strip_prefix(b"GNU.sparse.") {
                    self.fault = self.sparse.set(keyword, value).or(self.fault);
                }
            }
        }
    }

    /// Returns whether any of these records changes which bytes are whose content or name.
    pub(super) fn divides(&self) -> bool {
        self.path.is_some() || self.link.is_some() || self.size.is_some() || self.sparse.is_used()
    }
}

impl SparseRecords {
    fn set(&mut self, keyword: &[u8], value: &[u8]) -> Option<Fault> {
        const OF: &str = "the parts of a sparse file";
        let number = number::decimal(value);
        match keyword {
            b"major" => put(&mut self.major, number, OF),
            b"minor" => put(&mut self.minor, number, OF),
            b"name" => put(&mut self.name, name(value), "its path"),
            b"size" | b"realsize" => put(&mut self.size, number, OF),
            b"numblocks" => put(&mut self.count, number, OF),
            b"offset" if self.offset.is_none() => put(&mut self.offset, number, OF),
            b"numbytes" => match (self.offset.take(), number) {
                (Some(offset), Some(length)) => {
                    self.parts.push((offset, length));
                    None
                }
                _ => Some(Fault::Damaged(OF)),
            },
            b"map" if self.parts.is_empty() => match parts(value) {
                Some(parts) => {
                    self.parts = parts;
                    None
                }
                None => Some(Fault::Damaged(OF)),
            },
            b"offset" | b"map" => Some(Fault::Damaged(OF)),
            _ => None,
        }
    }

    pub(super) fn is_used(&self) -> bool {
        self.major.is_some() || self.size.is_some() || self.name.is_some() || !self.parts.is_empty()
    }

    /// Returns the parts in format 0.0 or 0.1, which has all of them in records.
    ///
    /// # Errors
    /// If they are not as many as it says.
    pub(super) fn parts(self) -> Result<Vec<(u64, u64)>, Problem> {
        let is_whole =
            self.offset.is_none() && self.count.is_none_or(|count| count == self.parts.len() as u64);
        if is_whole { Ok(self.parts) } else { Err(Problem::damaged("the parts of a sparse file")) }
    }
}

/// Sets a value that programs take from different records if there are several: they must not differ.
fn put<T: PartialEq>(slot: &mut Option<T>, value: Option<T>, of: &'static str) -> Option<Fault> {
    let Some(value) = value else { return Some(Fault::Ambiguous(of)) };
    match slot {
        Some(before) if *before != value => Some(Fault::Ambiguous(of)),
        _ => {
            *slot = Some(value);
            None
        }
    }
}

/// Returns a name. Programs disagree on an empty one (no name, or that of the header) and on zeros in it.
fn name(value: &[u8]) -> Option<Vec<u8>> {
    (!value.is_empty() && !value.contains(&0)).then(|| value.into())
}

/// Returns the keyword and the value of the first record, and those after it.
fn record(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = text.iter().position(|&byte| byte == b' ')?;
    let length = usize::try_from(number::decimal(text.get(..space)?)?).ok()?;
    let (line, rest) = text.split_at_checked(length)?;
    let line = line.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = line.iter().position(|&byte| byte == b'=').filter(|&at| at > 0)?;
    Some((line.get(..equals)?, line.get(equals + 1..)?, rest))
}

/// Returns the parts of a map in format 0.1: offsets and lengths by turns.
fn parts(map: &[u8]) -> Option<Vec<(u64, u64)>> {
    if map.is_empty() {
        return Some(Vec::new());
    }
    let mut numbers = map.split(|&byte| byte == b',');
    let mut parts = Vec::new();
    while let Some(offset) = numbers.next() {
        parts.push((number::decimal(offset)?, number::decimal(numbers.next()?)?));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Records {
        let mut records = Records::default();
        records.add(text.as_bytes());
        records
    }

    #[test]
    fn values_may_have_any_bytes() {
        let records = records("15 path=a\nb=c\n\n11 size=12\n20 comment=whatever\n\0\0");
        assert_eq!(records.path.as_deref(), Some("a\nb=c\n".as_bytes()));
        assert_eq!((records.size, records.fault), (Some(12), None));
    }

    #[test]
    fn lengths_that_lie_are_told() {
        for text in [
            "12 path=ab\n",
            "10 path=ab\n",
            "99999999999999999999 path=a\n",
            "0 path=a\n",
            "x",
            "5 p\n",
            "6 =ab\n",
        ] {
            assert!(matches!(records(text).fault, Some(Fault::Damaged(_))), "{text:?}");
        }
    }

    #[test]
    fn values_that_programs_take_differently_are_told() {
        let cases = [
            "10 path=a\n10 path=b\n",
            "8 path=\n",
            "11 path=a\0\n",
            "9 size=\n",
            "11 size=-1\n",
            "28 size=9223372036854775808\n",
            "10 size=1\n10 size=2\n",
        ];
        for text in cases {
            assert!(matches!(records(text).fault, Some(Fault::Ambiguous(_) | Fault::Damaged(_))), "{text:?}");
        }
        assert_eq!(records("10 path=a\n10 path=a\n").fault, None);
    }
}
