//! Entries with content of their own instead of the file at their path.

use hashmill_source::{Bytes, Cached, Entry, EntryContent, Meta, Origin, Problem, Reader, Reading};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes 0, 1, 2, …, which fail from some offset on, with a counter as their time.
#[derive(Debug, Clone)]
struct Counting {
    size: u64,
    fails: u64,
    changes: Arc<AtomicU64>,
    /// Whether they are only readable in order, and their number is unknown.
    streamed: bool,
}

impl EntryContent for Counting {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(self.clone()))
    }
}

impl Bytes for Counting {
    fn meta(&self) -> io::Result<Meta> {
        let meta = Meta::at("/".as_ref())?;
        let changes = self.changes.load(Ordering::Relaxed) as i64;
        let size = if self.streamed { 0 } else { self.size };
        Ok(Meta { size, ctime: (changes, 0), ..meta })
    }

    fn is_in_order(&self) -> bool {
        self.streamed
    }

    fn has_size(&self) -> bool {
        !self.streamed
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.fails {
            return Err(io::Error::other("damaged"));
        }
        // Short, so that a reader has to continue.
        let room = (self.size.min(self.fails) - offset.min(self.size)).min(buffer.len() as u64).min(700);
        for (place, byte) in (offset..).zip(&mut buffer[..room as usize]) {
            *byte = place as u8;
        }
        Ok(room as usize)
    }
}

fn open(content: &Counting) -> Reader {
    let content: Arc<dyn EntryContent> = Arc::new(content.clone());
    let entry = Entry { content: Some(content), ..Entry::new(Box::from(b"x".as_slice()), Origin::Path) };
    Reader::open(&entry, &Reading::default()).unwrap()
}

fn counting(size: u64) -> Counting {
    Counting { size, fails: u64::MAX, changes: Arc::default(), streamed: false }
}

#[test]
fn content_is_read_in_order_and_at_offsets() {
    for size in [0, 1, 700, 5000] {
        let mut reader = open(&counting(size));
        assert_eq!((reader.meta().size, reader.seekable()), (size, size > 0));
        assert_eq!(reader.cached(), Cached::Unknown);
        let (mut bytes, mut buffer) = (Vec::new(), [0; 1024]);
        loop {
            let read = reader.read(&mut buffer).unwrap();
            bytes.extend_from_slice(&buffer[..read]);
            if read < buffer.len() {
                break;
            }
        }
        assert!(bytes.iter().copied().eq((0..size).map(|place| place as u8)), "{size}");
        reader.finish(size).unwrap();
        let mut part = [0; 3];
        let read = reader.read_at(size.saturating_sub(2), &mut part).unwrap();
        assert_eq!(read as u64, size.min(2));
    }
}

#[test]
fn content_of_unknown_size_is_read_to_its_end() {
    for size in [0, 1, 5000] {
        let content = Counting { streamed: true, ..counting(size) };
        let mut reader = open(&content);
        assert_eq!((reader.meta().size, reader.seekable(), reader.has_size()), (0, false, false));
        let mut buffer = [0; 8192];
        assert_eq!(reader.read(&mut buffer).unwrap() as u64, size);
        assert!(buffer[..size as usize].iter().copied().eq((0..size).map(|place| place as u8)));
        reader.finish(size).unwrap();
        content.changes.fetch_add(1, Ordering::Relaxed);
        assert!(matches!(reader.finish(size).unwrap_err().problem, Problem::Changed { .. }));
    }
}

#[test]
fn content_that_is_damaged_short_or_changed_is_no_whole() {
    let damaged = Counting { fails: 1500, ..counting(5000) };
    let error = open(&damaged).read(&mut [0; 4096]).unwrap_err();
    assert_eq!(error.to_string(), "x: read failed at byte 1500: damaged");
    let content = counting(5000);
    let reader = open(&content);
    assert!(matches!(reader.finish(4999).unwrap_err().problem, Problem::Short { read: 4999, size: 5000 }));
    content.changes.fetch_add(1, Ordering::Relaxed);
    assert!(matches!(reader.finish(5000).unwrap_err().problem, Problem::Changed { .. }));
}
