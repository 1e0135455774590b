//! A proxy to a store that records reads, delays them, or ends them.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The way to the bucket `bucket` of a store on this machine. It ends with the process.
pub struct Gate {
    pub port: u16,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    to: u16,
    read: Mutex<Vec<(String, Option<Range<u64>>)>>,
    holds: Mutex<Option<Here>>,
    cuts: Mutex<Option<Here>>,
    is_cut: AtomicBool,
}

/// Reads of a key that begin at this byte or behind it.
type Here = (&'static str, u64);

impl Gate {
    pub fn start(to: u16) -> Gate {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let inner = Arc::new(Inner { to, ..Inner::default() });
        let shared = Arc::clone(&inner);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                shared.connect(client);
            }
        });
        Gate { port, inner }
    }

    /// From now on a read of this key waits for ever.
    pub fn hold(&self, key: &'static str) {
        self.hold_from(key, 0);
    }

    /// From now on a read of this key that begins at this byte or behind it waits for ever.
    pub fn hold_from(&self, key: &'static str, byte: u64) {
        *self.inner.holds.lock().unwrap() = Some((key, byte));
    }

    /// From a read of this key on nothing passes.
    pub fn cut_at(&self, key: &'static str) {
        self.cut_from(key, 0);
    }

    /// From a read of this key on that begins at this byte or behind it nothing passes.
    pub fn cut_from(&self, key: &'static str, byte: u64) {
        *self.inner.cuts.lock().unwrap() = Some((key, byte));
    }

    /// From now on all passes again.
    pub fn open(&self) {
        *self.inner.holds.lock().unwrap() = None;
        *self.inner.cuts.lock().unwrap() = None;
        self.inner.is_cut.store(false, Ordering::SeqCst);
    }

    /// Returns the keys that were read since it was asked the last time, sorted, each once.
    pub fn take(&self) -> Vec<String> {
        let read = std::mem::take(&mut *self.inner.read.lock().unwrap());
        let mut read: Vec<String> = read.into_iter().map(|(key, _)| key).collect();
        read.sort();
        read.dedup();
        read
    }

    /// Returns the ranges that were asked for since it was asked the last time, sorted.
    pub fn take_ranges(&self) -> Vec<Range<u64>> {
        let read = std::mem::take(&mut *self.inner.read.lock().unwrap());
        let mut ranges: Vec<_> = read.into_iter().filter_map(|(_, range)| range).collect();
        ranges.sort_by_key(|range| range.start);
        ranges
    }
}

impl Inner {
    fn connect(self: &Arc<Inner>, client: TcpStream) {
        // Where nothing passes, the client's end is closed.
        if self.is_cut.load(Ordering::SeqCst) {
            return;
        }
        let server = TcpStream::connect(("127.0.0.1", self.to)).unwrap();
        let (from, into) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let (forth, back) = (Arc::clone(self), Arc::clone(self));
        thread::spawn(move || pass(client, server, &mut |bytes| forth.asked(bytes)));
        thread::spawn(move || pass(from, into, &mut |_| !back.is_cut.load(Ordering::SeqCst)));
    }

    /// Notes a request, and says whether it passes.
    fn asked(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        if let Some((key, _)) = text.strip_prefix("GET /bucket/").and_then(|rest| rest.split_once(' ')) {
            let range = range(&text);
            let start = range.as_ref().map_or(0, |range| range.start);
            self.read.lock().unwrap().push((key.to_owned(), range));
            let is = |here: Here| here.0 == key && here.1 <= start;
            if self.cuts.lock().unwrap().is_some_and(is) {
                self.is_cut.store(true, Ordering::SeqCst);
            }
            while self.holds.lock().unwrap().is_some_and(is) {
                thread::sleep(Duration::from_millis(5));
            }
        }
        !self.is_cut.load(Ordering::SeqCst)
    }
}

/// Returns the range that a request asks for.
fn range(request: &str) -> Option<Range<u64>> {
    let lines = request.lines().map(str::to_ascii_lowercase);
    let asked = lines.filter_map(|line| Some(line.strip_prefix("range: bytes=")?.to_owned())).next()?;
    let (first, last) = asked.split_once('-')?;
    Some(first.parse().ok()?..last.parse::<u64>().ok()? + 1)
}

/// Passes bytes on while they may pass.
fn pass(mut from: TcpStream, mut into: TcpStream, may: &mut dyn FnMut(&[u8]) -> bool) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if !may(&buffer[..read]) || into.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = (into.shutdown(Shutdown::Both), from.shutdown(Shutdown::Both));
}
