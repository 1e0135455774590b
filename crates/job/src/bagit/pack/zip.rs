//! Zip without compression, with 64-bit fields where they are needed. Source: PKWARE's APPNOTE.TXT 6.3.10; Info-ZIP's
//! extra field `UT` for times.

use super::{Member, Pack};
use hashmill_manifest::Time;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

/// The value of a field whose number is in the extra field for 64 bits.
const FULL: u32 = u32::MAX;
/// The place of the CRC in a local header.
const CRC: u64 = 14;
/// The version of a reader that knows folders, and of one that knows 64-bit fields.
const VERSIONS: [u16; 2] = [20, 45];
/// Names are UTF-8.
const UTF8: u16 = 0x800;
/// The mode bits of Unix are in the attributes.
const UNIX: u16 = 3 << 8;

/// A zip that is being written.
pub(super) struct Zip {
    out: BufWriter<File>,
    members: Vec<Listed>,
}

/// A member in the central directory.
struct Listed {
    name: String,
    size: u64,
    crc: u32,
    offset: u64,
    mode: u32,
    mtime: i64,
}

impl Zip {
    pub(super) fn new(out: BufWriter<File>) -> Zip {
        Zip { out, members: Vec::new() }
    }
}

impl Pack for Zip {
    fn begin(&mut self, member: &Member<'_>) -> io::Result<()> {
        let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "a zip can't hold so long a name");
        let length = u16::try_from(member.path.len()).map_err(|_| too_long())?;
        let kind = if member.is_folder() { 0o040_000 } else { 0o100_000 };
        let listed = Listed {
            name: member.path.into(),
            size: member.size,
            crc: 0,
            offset: self.out.stream_position()?,
            mode: kind | (member.mode & 0o7777),
            mtime: member.mtime,
        };
        let mut extra = listed.time();
        if listed.size >= u64::from(FULL) {
            extra.extend(wide(&[listed.size, listed.size]));
        }
        let mut header = Vec::new();
        number(&mut header, 0x0403_4b50_u32.to_le_bytes());
        listed.common(&mut header);
        number(&mut header, length.to_le_bytes());
        number(&mut header, (extra.len() as u16).to_le_bytes());
        self.out.write_all(&[&header[..], listed.name.as_bytes(), &extra].concat())?;
        self.members.push(listed);
        Ok(())
    }

    fn content(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    fn end(&mut self, crc: u32) -> io::Result<()> {
        let Some(member) = self.members.last_mut() else { return Ok(()) };
        member.crc = crc;
        let end = self.out.stream_position()?;
        self.out.seek(SeekFrom::Start(member.offset + CRC))?;
        self.out.write_all(&crc.to_le_bytes())?;
        self.out.seek(SeekFrom::Start(end))?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let start = self.out.stream_position()?;
        for member in &self.members {
            self.out.write_all(&member.central())?;
        }
        let size = self.out.stream_position()? - start;
        self.out.write_all(&end(self.members.len() as u64, size, start))?;
        self.out.flush()
    }
}

impl Listed {
    /// Whether it has 64-bit fields in the central directory.
    fn is_wide(&self) -> bool {
        self.size.max(self.offset) >= u64::from(FULL)
    }

    /// Appends the fields that both headers have, from the version to the sizes.
    fn common(&self, header: &mut Vec<u8>) {
        number(header, VERSIONS[usize::from(self.is_wide())].to_le_bytes());
        number(header, UTF8.to_le_bytes());
        number(header, 0_u16.to_le_bytes());
        let (date, time) = dos(self.mtime);
        number(header, time.to_le_bytes());
        number(header, date.to_le_bytes());
        number(header, self.crc.to_le_bytes());
        number(header, low(self.size).to_le_bytes());
        number(header, low(self.size).to_le_bytes());
    }

    /// Returns the extra field with the time of the last change, unless that is after 2038.
    fn time(&self) -> Vec<u8> {
        let mut extra = Vec::new();
        if let Ok(seconds) = i32::try_from(self.mtime) {
            extra.extend_from_slice(b"UT\x05\0\x01");
            number(&mut extra, seconds.to_le_bytes());
        }
        extra
    }

    fn central(&self) -> Vec<u8> {
        let mut extra = self.time();
        let (size, offset) = (self.size, self.offset);
        let is_full = |value: u64| value >= u64::from(FULL);
        match (is_full(size), is_full(offset)) {
            (false, false) => {}
            (true, false) => extra.extend(wide(&[size, size])),
            (false, true) => extra.extend(wide(&[offset])),
            (true, true) => extra.extend(wide(&[size, size, offset])),
        }
        let mut header = Vec::new();
        number(&mut header, 0x0201_4b50_u32.to_le_bytes());
        number(&mut header, (UNIX | VERSIONS[1]).to_le_bytes());
        self.common(&mut header);
        number(&mut header, (self.name.len() as u16).to_le_bytes());
        number(&mut header, (extra.len() as u16).to_le_bytes());
        // No comment; the first part; no attributes of the program.
        number(&mut header, [0; 6]);
        let folder = if self.name.ends_with('/') { 0x10 } else { 0 };
        number(&mut header, ((self.mode << 16) | folder).to_le_bytes());
        number(&mut header, low(offset).to_le_bytes());
        [&header[..], self.name.as_bytes(), &extra].concat()
    }
}

/// Returns the end of an archive whose central directory has so many members and bytes, and begins there.
fn end(members: u64, size: u64, start: u64) -> Vec<u8> {
    let mut end = Vec::new();
    if members >= u64::from(u16::MAX) || size.max(start) >= u64::from(FULL) {
        number(&mut end, 0x0606_4b50_u32.to_le_bytes());
        number(&mut end, 44_u64.to_le_bytes());
        number(&mut end, (UNIX | VERSIONS[1]).to_le_bytes());
        number(&mut end, VERSIONS[1].to_le_bytes());
        number(&mut end, [0; 8]);
        for value in [members, members, size, start] {
            number(&mut end, value.to_le_bytes());
        }
        number(&mut end, 0x0706_4b50_u32.to_le_bytes());
        number(&mut end, [0; 4]);
        number(&mut end, (start + size).to_le_bytes());
        number(&mut end, 1_u32.to_le_bytes());
    }
    let count = u16::try_from(members).unwrap_or(u16::MAX);
    number(&mut end, 0x0605_4b50_u32.to_le_bytes());
    number(&mut end, [0; 4]);
    number(&mut end, count.to_le_bytes());
    number(&mut end, count.to_le_bytes());
    number(&mut end, low(size).to_le_bytes());
    number(&mut end, low(start).to_le_bytes());
    number(&mut end, [0; 2]);
    end
}

fn number<const N: usize>(header: &mut Vec<u8>, bytes: [u8; N]) {
    header.extend_from_slice(&bytes);
}

/// Returns a number for a field of 32 bits.
fn low(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(FULL)
}

/// Returns the extra field for numbers of 64 bits.
fn wide(values: &[u64]) -> Vec<u8> {
    let mut extra = vec![1, 0];
    number(&mut extra, (8 * values.len() as u16).to_le_bytes());
    values.iter().for_each(|value| number(&mut extra, value.to_le_bytes()));
    extra
}

/// Returns a date and a time as DOS has them, in UTC; the nearest one that it has.
fn dos(seconds: i64) -> (u16, u16) {
    const FIRST: i64 = 315_532_800;
    const LAST: i64 = 4_354_819_198;
    let time = Time { seconds: seconds.clamp(FIRST, LAST), nanoseconds: 0 };
    let text = time.to_rfc3339().unwrap_or_default();
    let part = |at: usize, length: usize| -> u16 {
        text.get(at..at + length).and_then(|digits| digits.parse().ok()).unwrap_or(0)
    };
    let date = (part(0, 4).saturating_sub(1980) << 9) | (part(5, 2) << 5) | part(8, 2);
    (date, (part(11, 2) << 11) | (part(14, 2) << 5) | (part(17, 2) / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_dos() {
        assert_eq!(dos(0), ((1 << 5) | 1, 0));
        assert_eq!(dos(1_577_937_845), ((40 << 9) | (1 << 5) | 2, (4 << 11) | (4 << 5) | 2));
        assert_eq!(dos(i64::MAX), ((127 << 9) | (12 << 5) | 31, (23 << 11) | (59 << 5) | 29));
    }

    #[test]
    fn large_numbers_have_fields_of_64_bits() {
        let listed = |size, offset| Listed { name: "a".into(), size, crc: 1, offset, mode: 0, mtime: 0 };
        assert_eq!(listed(1, 2).central().len(), 46 + 1 + 9);
        assert_eq!(listed(1 << 32, 2).central().len(), 46 + 1 + 9 + 20);
        assert_eq!(listed(1 << 32, 1 << 33).central().len(), 46 + 1 + 9 + 28);
        assert_eq!([end(1, 2, 3).len(), end(65535, 2, 3).len(), end(1, 2, 1 << 32).len()], [22, 98, 98]);
    }
}
