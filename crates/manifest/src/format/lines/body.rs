//! `body`: the bodyfile of the Sleuth Kit 3 and later, which mactime makes a timeline of: MD5, name, inode, mode, owner,
//! group, size, and the times of access, modification, change and creation in seconds since 1970, between bars. 0 stands
//! for what is not known. The name of a deleted file ends in ` (deleted)`, as fls writes it.
//!
//! Source: the Sleuth Kit's wiki, "Body file".

use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::{is_comment, without_cr};
use crate::format::values::naming::{Naming, is_hex, number};
use crate::format::writer::{cannot_carry, check_whole};
use crate::format::{Hint, Layout, Reader, Writer};
use crate::{Record, Status, Time};
use std::io::{self, Read, Write};

/// The only algorithm.
pub(in crate::format) const HOLDS: &[&str] = &["md5"];

/// The number of fields in a line.
const FIELDS: usize = 11;

/// Returns whether a digest stands for one that is not known: `0`, or as many as a digest has.
fn is_none(md5: &[u8]) -> bool {
    matches!(md5.len(), 1 | 32) && md5.iter().all(|digit| *digit == b'0')
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let fields: Vec<&[u8]> = without_cr(line).split(|byte| *byte == b'|').collect();
    let is_digest = |text: &[u8]| is_none(text) || text.len() == 32 && is_hex(text);
    fields.len() == FIELDS
        && is_digest(fields[0])
        && number(fields[6]).is_some()
        && fields[7..].iter().all(|text| seconds(text).is_some())
}

fn seconds(text: &[u8]) -> Option<i64> {
    str::from_utf8(text).ok()?.parse().ok()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, BodyLines { naming: Naming::new(hint) }))
}

struct BodyLines {
    naming: Naming,
}

impl Parse for BodyLines {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if line.is_empty() || is_comment(line) {
            return None;
        }
        self.record(line).transpose()
    }
}

impl BodyLines {
    /// Returns the record of a line; `None` if it is that of a folder.
    fn record(&mut self, line: &[u8]) -> Result<Option<Record>, Bad> {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b'|').collect();
        let &[md5, name, _, mode, _, _, size, _, written, ..] = &fields[..] else {
            return Err(Bad::new("fields", Why::Fields { found: fields.len(), expected: FIELDS }));
        };
        if fields.len() != FIELDS {
            return Err(Bad::new("fields", Why::Fields { found: fields.len(), expected: FIELDS }));
        }
        if name.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        let size = Some(number(size).ok_or(Bad::new("size", Why::Number))?);
        let written = seconds(written).ok_or(Bad::new("mtime", Why::Time))?;
        let mtime = Some(Time { seconds: written, nanoseconds: 0 }).filter(|time| time.seconds != 0);
        let record = match md5 {
            none if is_none(none) && mode.starts_with(b"d") => return Ok(None),
            none if is_none(none) => Record { size, ..Record::bare(name.into(), Status::Skipped) },
            md5 => {
                let named = self.naming.tagged(b"MD5", md5).map_err(|bad| bad.with_file(name))?;
                Record::hashed(name.into(), size, vec![named])
            }
        };
        Ok(Some(Record { mtime, ..record }))
    }
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    Box::new(BodyWriter)
}

struct BodyWriter;

impl Writer for BodyWriter {
    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed && record.status.strength().is_none() {
            return Ok(());
        }
        check_whole(record, HOLDS)?;
        if record.path.iter().any(|byte| matches!(byte, b'|' | b'\n' | b'\r')) {
            return Err(cannot_carry("the format has no names with | or line ends"));
        }
        let size = record.size.ok_or_else(|| cannot_carry("the format needs the size"))?;
        let [named] = &record.digests[..] else { return Err(cannot_carry("the format needs an MD5")) };
        if is_none(named.digest.to_string().as_bytes()) {
            return Err(cannot_carry("the format has no MD5 of zeros: it stands for none"));
        }
        let metadata = record.metadata.as_deref();
        let deleted =
            if metadata.is_some_and(|known| known.allocation.is_some()) { " (deleted)" } else { "" };
        let inode = metadata.and_then(|known| known.inode).unwrap_or(0);
        let seconds = |time: Option<Time>| time.map_or(0, |time| time.seconds);
        let accessed = seconds(metadata.and_then(|known| known.accessed));
        let changed = seconds(metadata.and_then(|known| known.ctime));
        let created = seconds(metadata.and_then(|known| known.created));
        let written = seconds(record.mtime);
        let start = format!("{}|", named.digest);
        let rest =
            format!("{deleted}|{inode}|r/r---------|0|0|{size}|{accessed}|{written}|{changed}|{created}\n");
        out.write_all(&[start.as_bytes(), &record.path, rest.as_bytes()].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{open, sniff};

    const FLS: &[u8] = b"0|/docs|12|d/drwxr-xr-x|0|0|1024|1|2|3|4\n\
        0|/a b (deleted)|13|r/rrw-r--r--|0|0|5|1|-2|3|0\n\
        900150983cd24fb0d6963f7d28e17f72|/abc|14-128-1|r/rrw-r--r--|7|8|3|1|1700000000|3|0\n";

    #[test]
    fn lines_of_fls_are_read_and_folders_left_out() {
        assert_eq!(sniff(FLS).unwrap().name, "body");
        let records: Vec<Record> =
            open(Box::new(FLS), Hint::None).unwrap().reader.map(Result::unwrap).collect();
        let shown =
            |record: &Record| (record.path.to_vec(), record.size, record.status, record.digests.len());
        assert_eq!(
            records.iter().map(shown).collect::<Vec<_>>(),
            [
                (b"/a b (deleted)".to_vec(), Some(5), Status::Skipped, 0),
                (b"/abc".to_vec(), Some(3), Status::Hashed, 1)
            ]
        );
        assert_eq!(records[1].mtime, Some(Time { seconds: 1_700_000_000, nanoseconds: 0 }));
    }

    #[test]
    fn a_line_with_other_fields_is_told() {
        for line in [
            &b"0|/a|b|1|r/r|0|0|5|1|2|3|4\n"[..],
            b"0|/a|1|r/r|0|0|five|1|2|3|4\n",
            b"zz|/a|1|r/r|0|0|5|1|2|3|4\n",
        ] {
            let mut reader = reader(Box::new(line), Hint::None);
            assert!(reader.next().unwrap().is_err(), "{}", line.escape_ascii());
        }
    }

    #[test]
    fn what_is_not_known_is_written_as_0() {
        let named = Naming::new(Hint::None).tagged(b"MD5", b"900150983cd24fb0d6963f7d28e17f72").unwrap();
        let record = Record::hashed(b"a b".as_slice().into(), Some(3), vec![named]);
        let mut out = Vec::new();
        BodyWriter.record(&record, &mut out).unwrap();
        assert_eq!(out, b"900150983cd24fb0d6963f7d28e17f72|a b|0|r/r---------|0|0|3|0|0|0|0\n");
        let named = Record { path: b"a|b".as_slice().into(), ..record.clone() };
        assert!(BodyWriter.record(&named, &mut out).is_err());
        let zeros = Naming::new(Hint::None).tagged(b"MD5", &[b'0'; 32]).unwrap();
        assert!(BodyWriter.record(&Record { digests: vec![zeros], ..record }, &mut out).is_err());
    }
}
