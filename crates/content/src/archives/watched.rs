//! Bytes that are not looked into beforehand: objects of stores, and long members of archives. While they are hashed, their
//! start and end are kept, so that an archive or image that no name told is told afterwards.

use super::spooled::copy_at;
use crate::entry::unread::NotLookedInto;
use crate::entry::unread::WhyUnread;
use crate::inside;
use crate::wanted::Inside;
use hashmill_archive::{Medium, StreamFormat, is_known};
use hashmill_image::{SharedFile, is_marked};
use hashmill_source::{Bytes, EntryContent, Meta};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes that are kept of the end, in which a zip may end.
const END: usize = 256 << 10;

/// The bytes that are kept of the start, which tell a format: a 7z may begin in the first MiB, behind a program, with some
/// more bytes.
const START: u64 = (1 << 20) + 64;

/// Content that is watched while it is read.
#[derive(Debug)]
pub(crate) struct Watched {
    content: Arc<dyn EntryContent>,
    path: Box<[u8]>,
    inside: Inside,
    unread: NotLookedInto,
}

impl Watched {
    /// Creates content that tells what it was found to be, if it should have been looked into.
    pub(crate) fn new(
        content: Arc<dyn EntryContent>,
        path: Box<[u8]>,
        inside: Inside,
        unread: &NotLookedInto,
    ) -> Watched {
        Watched { content, path, inside, unread: unread.clone() }
    }

    /// Reads a member that comes in order and is hashed by nobody, so that it is told, too. What fails is told by the archive.
    pub(super) fn pass_over(&self) {
        let Ok(bytes) = self.open() else { return };
        let (mut buffer, mut offset) = (vec![0; END], 0);
        while let Ok(read @ 1..) = bytes.read_at(offset, &mut buffer) {
            offset += read as u64;
        }
    }
}

impl EntryContent for Watched {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let (path, inside, unread) = (self.path.clone(), self.inside, self.unread.clone());
        let (bytes, seen) = (self.content.open()?, Mutex::new(Some(Seen::default())));
        Ok(Box::new(Watching { bytes, path, inside, unread, seen }))
    }

    fn place(&self) -> Option<Box<[u8]>> {
        self.content.place()
    }

    fn behind(&self) -> Option<&dyn EntryContent> {
        Some(self.content.behind().unwrap_or(&*self.content))
    }

    fn known(&self) -> Option<Meta> {
        self.content.known()
    }

    fn start_at(&self, offset: u64) {
        self.content.start_at(offset);
    }

    fn is_remote(&self) -> bool {
        self.content.is_remote()
    }

    fn is_in_order(&self) -> bool {
        self.content.is_in_order()
    }

    fn holds_walk(&self) -> bool {
        self.content.holds_walk()
    }

    fn waits(&self) -> bool {
        self.content.waits()
    }
}

/// Bytes that are watched.
#[derive(Debug)]
struct Watching {
    bytes: Box<dyn Bytes>,
    path: Box<[u8]>,
    inside: Inside,
    unread: NotLookedInto,
    /// The bytes seen so far; none once they were judged.
    seen: Mutex<Option<Seen>>,
}

/// The parts of the start and the end that were read, in any order: many threads may read.
#[derive(Debug, Default)]
struct Seen {
    parts: BTreeMap<u64, Vec<u8>>,
    /// The end of the last byte that was read.
    size: u64,
    /// Whether bytes were asked for that are not kept: a zip has its directory there.
    asks_more: AtomicBool,
}

impl Seen {
    /// Keeps bytes of the start, and of the end as far as it is known.
    fn add(&mut self, offset: u64, bytes: &[u8]) {
        let end = offset.saturating_add(bytes.len() as u64);
        if offset < START {
            let length = bytes.len().min((START - offset) as usize);
            self.parts.entry(offset).or_insert_with(|| bytes[..length].to_vec());
        }
        let from = bytes.len().saturating_sub(END);
        let at = (offset + from as u64).max(START);
        if at < end && end.saturating_add(END as u64) > self.size {
            self.parts.insert(at, bytes[(at - offset) as usize..].to_vec());
        }
        if end > self.size {
            self.size = end;
            let kept_from = self.kept_from();
            let is_over = |at: u64, part: &[u8]| at >= START && at + part.len() as u64 <= kept_from;
            while let Some((at, _)) =
                self.parts.range(START..).next().filter(|(at, part)| is_over(**at, part))
            {
                let at = *at;
                self.parts.remove(&at);
            }
        }
    }

    /// Returns where the end begins of which all is kept.
    fn kept_from(&self) -> u64 {
        self.size.saturating_sub(END as u64).max(START)
    }

    /// Reads what of the start and the end was not read, as when a run began in the middle.
    fn complete(&mut self, bytes: &dyn Bytes) -> io::Result<()> {
        for range in [0..START.min(self.size), self.kept_from()..self.size] {
            let mut missing = vec![0; range.end.saturating_sub(range.start) as usize];
            if Medium::read_at(self, range.start, &mut missing).is_ok() {
                continue;
            }
            let mut held = 0;
            while held < missing.len() {
                match bytes.read_at(range.start + held as u64, &mut missing[held..])? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    read => held += read,
                }
            }
            self.asks_more = AtomicBool::default();
            self.parts.retain(|at, _| !range.contains(at));
            self.parts.insert(range.start, missing);
        }
        Ok(())
    }

    /// Returns whether they are an archive, as far as their start and end tell.
    fn is_archive(&self) -> bool {
        let mut first = vec![0; self.size.min(StreamFormat::FIRST as u64) as usize];
        let is_read = Medium::read_at(self, 0, &mut first).is_ok() && !first.is_empty();
        is_read && (is_known(self, &first) || self.asks_more.load(Ordering::Relaxed))
    }

    /// Returns whether they are an image of media, as far as their start and end tell.
    fn looks_like_image(self) -> bool {
        is_marked(&self).unwrap_or(false) || inside::is_disk(Arc::new(self)).unwrap_or(false)
    }

    /// Reads what was kept of a position; all else fails.
    fn read_some(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let part = self.parts.range(..=position).next_back();
        match part.map_or(0, |(at, part)| copy_at(part, position - at, buffer)) {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

impl SharedFile for Seen {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() { Ok(0) } else { self.read_some(offset, buffer) }
    }

    fn is_near(&self) -> bool {
        true
    }
}

impl Medium for Seen {
    fn size(&self) -> u64 {
        self.size
    }

    /// Reads what was kept; all else fails.
    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut read = 0;
        while read < buffer.len() {
            let position = position + read as u64;
            read += self.read_some(position, &mut buffer[read..]).inspect_err(|_| {
                self.asks_more.fetch_or(position < self.size, Ordering::Relaxed);
            })?;
        }
        Ok(())
    }
}

impl Watching {
    /// Tells what the bytes are, once all of them were read.
    fn judge(&self) {
        let size = self.bytes.has_size().then(|| self.bytes.meta().ok()).flatten().map(|meta| meta.size);
        let mut seen = self.seen.lock();
        // A file that was not read to its end has no digest, and fails by itself.
        let is_whole = |seen: &mut Seen| size.is_none_or(|size| size == seen.size);
        let Some(mut seen) = seen.take_if(is_whole) else { return };
        let why = if seen.complete(&*self.bytes).is_err() {
            WhyUnread::Unseen
        } else if self.inside.archives && seen.is_archive() {
            WhyUnread::Archive
        } else if self.inside.files && seen.looks_like_image() {
            WhyUnread::Image
        } else {
            return;
        };
        self.unread.add(&self.path, why);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.judge();
    }
}

impl Bytes for Watching {
    fn file(&self) -> io::Result<Option<File>> {
        self.bytes.file()
    }

    /// Looks them up, as is done before and after the bytes are read: their digest counts only when they were judged.
    fn meta(&self) -> io::Result<Meta> {
        let meta = self.bytes.meta()?;
        if self.bytes.has_size() && meta.size > 0 {
            self.judge();
        }
        Ok(meta)
    }

    fn peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.peek(buffer)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read_at(offset, buffer)?;
        self.seen.lock().iter_mut().for_each(|seen| seen.add(offset, &buffer[..read]));
        Ok(read)
    }

    fn prepare(&self, wait: bool) -> bool {
        self.bytes.prepare(wait)
    }

    fn is_in_order(&self) -> bool {
        self.bytes.is_in_order()
    }

    fn has_size(&self) -> bool {
        self.bytes.has_size()
    }

    fn version(&self) -> Option<Box<str>> {
        self.bytes.version()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that can be read anywhere, or nowhere.
    #[derive(Debug)]
    struct Plain(Option<Vec<u8>>);

    impl Bytes for Plain {
        fn meta(&self) -> io::Result<Meta> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.as_ref().ok_or(io::ErrorKind::Unsupported)?;
            Ok(copy_at(bytes, offset, buffer))
        }
    }

    /// Returns bytes with a directory of a zip of this length at their end, and a comment.
    fn ended(length: usize, directory: usize, comment: usize) -> Vec<u8> {
        let mut entries = vec![0; directory];
        entries[..4].copy_from_slice(b"PK\x01\x02");
        let size = (directory as u32).to_le_bytes();
        let end = [&b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &size, &[0; 4], &(comment as u16).to_le_bytes()];
        [&vec![7; length][..], &entries, &end.concat(), &vec![b'c'; comment]].concat()
    }

    /// Adds the bytes from a place on in parts of a size, in this order.
    fn seen(bytes: &[u8], from: usize, part: usize, is_next: impl Fn(usize) -> usize) -> Seen {
        let parts: Vec<(usize, &[u8])> = bytes[from..].chunks(part).enumerate().collect();
        let mut seen = Seen::default();
        for number in 0..parts.len() {
            let (at, bytes) = parts[is_next(number).min(parts.len() - 1)];
            seen.add((from + at * part) as u64, bytes);
        }
        seen
    }

    #[test]
    fn an_end_is_seen_in_whatever_order_it_is_read() {
        let program =
            [&b"MZ"[..], &[7; 700_000], b"7z\xbc\xaf\x27\x1c\0\x04\x8d\x9b\xd5\x0f", &[0; 3 << 20]].concat();
        let zips = [(100, 46, 0), (3 << 20, 46, 0), (3 << 20, 46, 60_000), (70_000, 46, 65_535)];
        let zips = zips.into_iter().chain([(3 << 20, 300_000, 0)]);
        let zips = zips.map(|(length, directory, comment)| ended(length, directory, comment));
        for (kind, bytes) in zips.chain([program]).enumerate() {
            for part in [4096, 65_536, 1 << 20, 5 << 20] {
                // As they come, two by two in the other order.
                for swapped in [0, 1] {
                    let parts = bytes.len().div_ceil(part);
                    let order =
                        |number: usize| if (number ^ swapped) < parts { number ^ swapped } else { number };
                    let mut seen = seen(&bytes, 0, part, order);
                    assert!(seen.complete(&Plain(None)).is_ok(), "{kind} {part} {swapped}");
                    assert!(seen.is_archive(), "{kind} {part} {swapped}");
                    let kept: usize = seen.parts.values().map(Vec::len).sum();
                    assert!(kept <= 2 * START as usize + 2 * END.max(part), "{kept}");
                }
            }
        }
    }

    #[test]
    fn an_image_is_seen_by_its_start_or_its_end() {
        let size = 3 << 20;
        let image = |at: usize, bytes: &[u8]| {
            let mut image = vec![0; size];
            image[at..at + bytes.len()].copy_from_slice(bytes);
            image
        };
        let dmg = [&b"koly\0\0\0\x04\0\0\x02\0"[..], &[0; 500]].concat();
        for (what, bytes, is_image) in [
            ("a fixed VHD", image(size - 512, b"conectix\0\0\0\x02\0\x01\0\0\xff\xff\xff\xff"), true),
            ("a DMG", image(size - 512, &dmg), true),
            ("a disc", image(16 * 2048, b"\x01CD001\x01"), true),
            ("an image of qcow2", image(0, b"QFI\xfb\0\0\0\x03"), true),
            ("zeros", vec![0; size], false),
            ("a VHD that goes on", image(size - 1024, b"conectix\0\0\0\x02"), false),
        ] {
            for part in [4096, 1 << 20] {
                let mut seen = seen(&bytes, 0, part, |number| number);
                assert!(seen.complete(&Plain(None)).is_ok(), "{what}");
                assert_eq!(seen.looks_like_image(), is_image, "{what}");
            }
        }
    }

    #[test]
    fn what_a_run_did_not_read_is_read_at_the_end() {
        let bytes = ended(3 << 20, 46, 60_000);
        let tar = [&[0; 257][..], b"ustar\x0000", &[0; 3 << 20]].concat();
        for (bytes, from) in [(&bytes, 4096), (&bytes, bytes.len() - 50_000), (&tar, 2 << 20)] {
            let mut begun = seen(bytes, from, 10_000, |number| number);
            assert!(begun.complete(&Plain(None)).is_err());
            assert!(begun.complete(&Plain(Some(bytes.clone()))).is_ok());
            let mut first = [0; 300];
            Medium::read_at(&begun, 0, &mut first).unwrap();
            assert_eq!(first[..], bytes[..300]);
            let whole = seen(bytes, 0, 10_000, |number| number);
            assert_eq!(begun.is_archive(), whole.is_archive());
        }
    }
}
