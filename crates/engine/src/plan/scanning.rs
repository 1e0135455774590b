//! The scan of whole contents by rules, and its share of memory.

use hashmill_facts::{ContentScanner, RuleFacts, ScanStatus};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::Arc;

/// A scanner, the longest content that it is given, and the memory for contents that come in parts.
///
/// Nobody waits for memory: the next part of a content may only come when another one was read to its end. What finds
/// no room goes to a temporary file, and back for its scan, one at a time.
#[derive(Debug)]
pub struct Scanning {
    scanner: Arc<dyn ContentScanner>,
    longest: usize,
    /// The bytes that are free for contents in parts.
    free: Mutex<usize>,
    /// Held by the thread that has a content of a temporary file in memory.
    turn: Mutex<()>,
}

impl Scanning {
    /// Creates it. All threads together keep at most `memory` bytes, or one content if it is longer.
    pub fn new(scanner: Arc<dyn ContentScanner>, longest: usize, memory: usize) -> Scanning {
        let free = Mutex::new(memory.saturating_sub(longest));
        Scanning { scanner, longest, free, turn: Mutex::new(()) }
    }

    /// Returns the longest content that is scanned, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Scans content.
    pub(crate) fn scan(&self, content: Cow<'_, [u8]>) -> RuleFacts {
        self.scanner.scan(content)
    }

    /// Scans content that is in a file.
    pub(crate) fn scan_file(&self, mut file: File, length: usize) -> RuleFacts {
        let _turn = self.turn.lock();
        let mut read = || -> io::Result<Vec<u8>> {
            file.rewind()?;
            let mut content = vec![0; length];
            file.read_exact(&mut content)?;
            Ok(content)
        };
        match read() {
            Ok(content) => self.scanner.scan(content.into()),
            Err(_) => RuleFacts::unscanned(ScanStatus::Broken),
        }
    }

    /// Takes this many bytes, if they are free.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Option<Share> {
        let mut free = self.free.lock();
        *free = free.checked_sub(bytes)?;
        Some(Share { scanning: Arc::clone(self), bytes })
    }
}

/// A share of the memory, which is given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    scanning: Arc<Scanning>,
    bytes: usize,
}

impl Share {
    /// Returns the bytes that it has.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.scanning.free.lock() += self.bytes;
    }
}
