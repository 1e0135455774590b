//! Tar: POSIX's ustar, with pax records for what does not fit. Source: POSIX.1-2017, pax, "ustar Interchange Format".

use super::{Member, Pack};
use std::io::{self, Write};

const BLOCK: usize = 512;
/// The largest number in eleven octal digits.
const LARGEST: u64 = 0o777_7777_7777;
/// The longest name in a header.
const LONGEST_NAME: usize = 100;

/// A tar that is being written.
pub(super) struct Tar<W> {
    out: W,
    /// The size of the current member.
    size: u64,
}

impl<W: Write> Tar<W> {
    pub(super) fn new(out: W) -> Tar<W> {
        Tar { out, size: 0 }
    }

    /// Fills the last block of a content.
    fn pad(&mut self) -> io::Result<()> {
        let over = (self.size % BLOCK as u64) as usize;
        self.out.write_all(&[0; BLOCK][..(BLOCK - over) % BLOCK])
    }
}

impl<W: Write> Pack for Tar<W> {
    fn begin(&mut self, member: &Member<'_>) -> io::Result<()> {
        let records = records(member);
        if !records.is_empty() {
            let (size, mode) = (records.len() as u64, 0o644);
            let path = &format!("PaxHeader/{}", member.path.trim_end_matches('/'));
            self.out.write_all(&header(&Member { path, size, mode, mtime: 0 }, b'x'))?;
            self.out.write_all(&records)?;
            self.size = size;
            self.pad()?;
        }
        self.size = member.size;
        self.out.write_all(&header(member, if member.is_folder() { b'5' } else { b'0' }))
    }

    fn content(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    fn end(&mut self, _: u32) -> io::Result<()> {
        self.pad()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        self.out.flush()
    }
}

/// Returns the pax records of what a header can't hold.
fn records(member: &Member<'_>) -> Vec<u8> {
    let mut records = Vec::new();
    if member.path.len() > LONGEST_NAME || !member.path.is_ascii() {
        records.extend(record("path", member.path));
    }
    if member.size > LARGEST {
        records.extend(record("size", &member.size.to_string()));
    }
    if time(member).is_none() {
        records.extend(record("mtime", &member.mtime.to_string()));
    }
    records
}

/// Formats a record, which begins with its own length.
fn record(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}").into_bytes()
}

fn header(member: &Member<'_>, kind: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, start(member.path).as_bytes());
    put(100, format!("{:07o}\0{:07o}\0{:07o}\0", member.mode & 0o7777, 0, 0).as_bytes());
    let size = if member.size > LARGEST { 0 } else { member.size };
    put(124, format!("{size:011o}\0{:011o}\0        ", time(member).unwrap_or(0)).as_bytes());
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(329, b"0000000\x000000000\0");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Returns as much of a name as a header can hold.
fn start(path: &str) -> &str {
    let end = (0..=LONGEST_NAME.min(path.len())).rev().find(|end| path.is_char_boundary(*end));
    &path[..end.unwrap_or(0)]
}

/// Returns the time, if a header can hold it.
fn time(member: &Member<'_>) -> Option<u64> {
    u64::try_from(member.mtime).ok().filter(|seconds| *seconds <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_its_own_digits() {
        assert_eq!(record("path", "x"), b"9 path=x\n");
        assert_eq!(record("path", &"x".repeat(90)).len(), 99);
        assert_eq!(record("path", &"x".repeat(91)).len(), 101);
        assert!(record("path", &"x".repeat(91)).starts_with(b"101 "));
    }

    #[test]
    fn what_does_not_fit_is_in_records() {
        let member = Member { path: "a/b", size: 3, mode: 0o644, mtime: 1 };
        assert!(records(&member).is_empty());
        let path = &"é".repeat(70);
        let large = Member { path, size: 1 << 40, mode: 0o644, mtime: -1 };
        let text = String::from_utf8(records(&large)).unwrap();
        assert!(text.contains(" size=1099511627776\n") && text.contains(" mtime=-1\n"), "{text}");
        assert!(text.contains(&format!(" path={path}\n")));
        assert!(str::from_utf8(&header(&large, b'0')[..LONGEST_NAME]).is_ok());
    }
}
