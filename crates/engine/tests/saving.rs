//! Long remote files: states are saved as they are read, and another run goes on from them.

use crate::util::plan;
use hashmill_digest::{About, Algorithm, Digest, Saved, StreamPart, parse_list};
use hashmill_engine::{EngineEvent, EntryResult, Live, Plan, ReadSoFar, Saver, run};
use hashmill_source::{Bytes, Entry, EntryContent, Meta, Origin, WalkItem};
use parking_lot::Mutex;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

const MIB: u64 = 1 << 20;

/// States are saved after each 64 MiB, but not behind the end.
const SIZE: u64 = 130 * MIB + 77;

/// A remote file whose bytes follow from their places.
#[derive(Debug)]
struct Remote {
    size: u64,
    /// The lowest offset that was read.
    lowest: Arc<AtomicU64>,
}

/// Each MiB begins elsewhere in a pattern, which is copied: a loop over bytes took a quarter of the time of all tests here.
fn fill(mut offset: u64, mut buffer: &mut [u8]) {
    static PATTERN: LazyLock<Vec<u8>> = LazyLock::new(|| (0..MIB + 251).map(|at| (at % 251) as u8).collect());
    while !buffer.is_empty() {
        let at = offset % MIB;
        let (part, rest) = buffer.split_at_mut(buffer.len().min((MIB - at) as usize));
        part.copy_from_slice(&PATTERN[(at + offset / MIB % 251) as usize..][..part.len()]);
        offset += part.len() as u64;
        buffer = rest;
    }
}

impl EntryContent for Remote {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(Remote { size: self.size, lowest: Arc::clone(&self.lowest) }))
    }

    fn is_remote(&self) -> bool {
        true
    }
}

impl Bytes for Remote {
    fn meta(&self) -> io::Result<Meta> {
        let mode = 0o100_644;
        Ok(Meta {
            dev: 0,
            ino: 0,
            size: self.size,
            mtime: (1, 0),
            ctime: (1, 0),
            blocks: 1,
            mode,
            attributes: 0,
            stamp: 1,
        })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.lowest.fetch_min(offset, Ordering::Relaxed);
        let length = buffer.len().min(self.size.saturating_sub(offset) as usize);
        fill(offset, &mut buffer[..length]);
        Ok(length)
    }
}

/// States in memory.
#[derive(Debug, Default)]
struct Memory {
    begun: Option<Vec<Saved>>,
    kept: Mutex<Vec<Vec<Saved>>>,
}

impl Saver for Memory {
    fn takes(&self, entry: &Entry) -> bool {
        entry.is_remote()
    }

    fn begun(&self, _: &Entry, _: &Meta) -> Option<Vec<Saved>> {
        self.begun.clone()
    }

    fn keep(&self, _: &Entry, _: &Meta, states: &[Saved], _: &ReadSoFar) {
        self.kept.lock().push(states.to_vec());
    }
}

/// Runs a plan over one file of this size. Returns its digests, the states, and the lowest offset that was read.
fn hashed(plan: &Plan, size: u64, begun: Option<Vec<Saved>>) -> (Vec<Digest>, Vec<Vec<Saved>>, u64) {
    let (memory, lowest) =
        (Arc::new(Memory { begun, ..Memory::default() }), Arc::new(AtomicU64::new(u64::MAX)));
    let content: Arc<dyn EntryContent> = Arc::new(Remote { size, lowest: Arc::clone(&lowest) });
    let path = b"file".as_slice().into();
    let entry = Entry { size: Some(size), content: Some(content), ..Entry::new(path, Origin::Path) };
    let plan = Plan { saving: Some(Arc::clone(&memory) as _), ..plan.clone() };
    let mut digests = Vec::new();
    run(&plan, [WalkItem::File(entry)].into_iter(), &Arc::new(Live::default()), &mut |event| {
        if let EngineEvent::Done(EntryResult { record, trouble: None, .. }) = event {
            assert_eq!(record.size, Some(size));
            digests = record.digests.iter().map(|named| named.digest).collect();
        }
        ControlFlow::Continue(())
    });
    let kept = std::mem::take(&mut *memory.kept.lock());
    (digests, kept, lowest.load(Ordering::Relaxed))
}

/// Computes the digests without an engine.
fn wanted(algorithms: &[&'static Algorithm], size: u64) -> Vec<Digest> {
    let mut banks: Vec<_> = algorithms.iter().map(|algorithm| (algorithm.alone)()).collect();
    let about = About::file(b"file", Some(size));
    let slots: Vec<_> = banks.iter_mut().map(|bank| bank.open_about(&about)).collect();
    let mut buffer = vec![0; MIB as usize];
    for offset in (0..size).step_by(MIB as usize) {
        let length = (size - offset).min(MIB) as usize;
        fill(offset, &mut buffer[..length]);
        for (bank, slot) in banks.iter_mut().zip(&slots) {
            let last = offset + MIB >= size;
            bank.update(&[StreamPart { slot: *slot, bytes: &buffer[..length], last }]);
        }
    }
    banks.iter_mut().zip(slots).map(|(bank, slot)| bank.close(slot)).collect()
}

const ALGORITHMS: &str = "sha256,md5,blake3,crc32,s3-etag,tth,xxh3,blake2b,git-blob,btih,s3-etag:5M";

#[test]
#[ignore = "campaign: takes long"]
fn a_second_run_goes_on_where_states_were_saved() {
    let wanted = wanted(&parse_list(ALGORITHMS).unwrap(), SIZE);
    for (threads, memory) in [(1, 512), (3, 512), (2, 24)] {
        let plan = Plan { memory: memory << 20, ..plan(ALGORITHMS, threads) };
        let (digests, kept, lowest) = hashed(&plan, SIZE, None);
        assert_eq!((&digests, lowest), (&wanted, 0));
        assert!(!kept.is_empty(), "{threads} threads, {memory} MiB");
        for states in kept {
            let from = states[0].bytes;
            assert!(states.iter().all(|state| state.bytes == from) && from >= 64 * MIB);
            let (digests, later, lowest) = hashed(&plan, SIZE, Some(states));
            assert_eq!((&digests, lowest), (&wanted, from));
            assert!(later.iter().all(|states| states[0].bytes > from));
        }
    }
}

#[test]
fn states_that_do_not_fit_are_not_used() {
    let plan = plan("sha256,crc32", 2);
    let (digests, kept, _) = hashed(&plan, SIZE, None);
    let states = kept.last().unwrap();
    let swapped: Vec<Saved> = states.iter().rev().cloned().collect();
    for other in [swapped, states[..1].to_vec(), Vec::new()] {
        let (again, _, lowest) = hashed(&plan, SIZE, Some(other));
        assert_eq!((&again, lowest), (&digests, 0));
    }
    // Nothing of a file is left to read there.
    let short = states[0].bytes;
    let (_, _, lowest) = hashed(&plan, short, Some(states.clone()));
    assert_eq!(lowest, 0);
}

#[test]
fn nothing_is_saved_of_short_files_or_without_all_states() {
    assert!(hashed(&plan("sha256", 2), 127 * MIB, None).1.is_empty());
    assert!(hashed(&plan("sha256,xxh64", 2), SIZE, None).1.is_empty());
}
