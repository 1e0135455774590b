//! Compares the engine with this machine's limit, for files that are in memory.
//!
//! ```text
//! cargo bench -p hashmill-engine --bench limit -- PATH [ALGORITHM]...
//! ```
//!
//! The limit is the time to get every byte to a core, in the faster way for files of each size (read into a buffer of
//! 256 KiB, or mapped), plus the time of the kernel with its data in the cache and all lanes full, on all threads at
//! once. A single file has the one-stream kernel on one thread, unless the algorithm is a tree. `THREADS` and `ROUNDS`
//! (default: the machine's cores, 7) set the number of threads and repetitions. All cases take turns; the figures are
//! medians.

use hashmill_digest::{Algorithm, Bank, StreamPart, find};
use hashmill_engine::{Cancel, EngineEvent, Live, Order, Plan, Prefetch, run};
use hashmill_facts::FactSet;
use hashmill_source::{Entry, Reader, Reading, WalkItem, WalkOptions, walk};
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The smallest file of each size class. Each class is read in its faster way.
const CLASSES: [u64; 6] = [0, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 64 << 20];

/// Bytes of one read, and of the part of a file that a thread takes.
const BUFFER: usize = 256 << 10;
const PART: u64 = 2 << 20;

/// The duration of one kernel measurement.
const KERNEL: Duration = Duration::from_millis(50);

/// How bytes get to a core.
#[derive(Clone, Copy)]
enum Way {
    Read,
    Map,
}

/// An open file and the offset at which a thread starts.
struct Piece {
    reader: Arc<Reader>,
    offset: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some((path, names)) = arguments.split_first() else {
        return println!("nothing is measured without a PATH: see the top of crates/engine/benches/limit.rs");
    };
    let names = if names.is_empty() {
        ["md5", "sha1", "sha256", "sha512", "blake3", "xxh128"].map(String::from).to_vec()
    } else {
        names.to_vec()
    };
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = number("THREADS", cores);
    let rounds = number("ROUNDS", 7);
    let files = files(path);
    let bytes: u64 = files.iter().map(|(_, size)| size).sum();
    println!("{} files, {:.2} GB, {threads} threads, medians of {rounds}", files.len(), bytes as f64 / 1e9);
    let reading = reading_limit(&files, threads, rounds);
    println!(
        "\n{:12} {:>12} {:>12} {:>12} {:>10}",
        "algorithm", "kernel GB/s", "limit ms", "hashmill ms", "of limit"
    );
    for name in names {
        let algorithm = find(&name).unwrap_or_else(|_| panic!("{name}: no such algorithm"));
        let one = files.len() == 1;
        let serial = one && algorithm.tree.is_none();
        let rates =
            (0..rounds).map(|_| if serial { kernel(algorithm, 1, 1) } else { kernel(algorithm, threads, 0) });
        let rate = median(rates.collect());
        let kernel = bytes as f64 / rate;
        // While one thread hashes one stream, the others read.
        let limit = if serial && threads > 1 { kernel.max(reading) } else { kernel + reading };
        let ours = median((0..rounds).map(|_| engine(path, algorithm, threads)).collect());
        println!(
            "{name:12} {:12.2} {:12.1} {:12.1} {:8.0} %",
            rate / 1e9,
            limit * 1e3,
            ours * 1e3,
            limit / ours * 100.0
        );
    }
}

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Lists the files below a path with their sizes, the largest first.
fn files(path: &str) -> Vec<(Entry, u64)> {
    let found = walk([path.as_bytes().into()].into_iter(), WalkOptions::default());
    let sized = |found| match found {
        WalkItem::File(entry) => {
            let size = Reader::open(&entry, &Reading::default()).map(|reader| reader.meta().size);
            Some((entry, size.unwrap_or_else(|error| panic!("{error}"))))
        }
        WalkItem::Skipped { .. } | WalkItem::Failed(_) => None,
    };
    let mut files: Vec<(Entry, u64)> = found.filter_map(sized).collect();
    files.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    files
}

/// Returns the time to get all bytes to the cores, each size class in its faster way.
fn reading_limit(files: &[(Entry, u64)], threads: usize, rounds: usize) -> f64 {
    println!("\n          files of KiB    files    read GB/s  mapped GB/s");
    let mut total = 0.0;
    for (class, from) in CLASSES.iter().enumerate() {
        let below = CLASSES.get(class + 1).copied().unwrap_or(u64::MAX);
        let files: Vec<_> = files.iter().filter(|(_, size)| (*from..below).contains(size)).collect();
        let bytes: u64 = files.iter().map(|(_, size)| size).sum();
        if bytes == 0 {
            continue;
        }
        let (mut read, mut mapped) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            read.push(fetch(&files, threads, Way::Read));
            mapped.push(fetch(&files, threads, Way::Map));
        }
        let (read, mapped) = (median(read), median(mapped));
        let rate = |time: f64| bytes as f64 / time / 1e9;
        let range = format!("{} and more", from >> 10);
        println!("{range:>22} {:8} {:12.2} {:12.2}", files.len(), rate(read), rate(mapped));
        total += read.min(mapped);
    }
    total
}

/// Returns the time in which all threads together open the files and load every byte.
fn fetch(files: &[&(Entry, u64)], threads: usize, way: Way) -> f64 {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    // The threads share a few large files.
    let parts: Vec<Piece> = if files.len() < 4 * threads { parts(files) } else { Vec::new() };
    let work = || {
        let mut buffer = vec![0; BUFFER];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let piece = match parts.get(number) {
                Some(Piece { reader, offset }) => Piece { reader: Arc::clone(reader), offset: *offset },
                None if !parts.is_empty() => return,
                None => {
                    let Some((entry, _)) = files.get(number) else { return };
                    let reader =
                        Reader::open(entry, &Reading::default()).unwrap_or_else(|error| panic!("{error}"));
                    Piece { reader: Arc::new(reader), offset: 0 }
                }
            };
            let length = if parts.is_empty() { u64::MAX } else { PART };
            load(&piece, length, way, &mut buffer);
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    start.elapsed().as_secs_f64()
}

fn parts(files: &[&(Entry, u64)]) -> Vec<Piece> {
    let mut parts = Vec::new();
    for (entry, size) in files {
        let reader = Reader::open(entry, &Reading::default()).unwrap_or_else(|error| panic!("{error}"));
        let reader = Arc::new(reader);
        let offsets = (0..*size).step_by(PART as usize);
        parts.extend(offsets.map(|offset| Piece { reader: Arc::clone(&reader), offset }));
    }
    parts
}

/// Loads at most `length` bytes of a piece.
fn load(piece: &Piece, length: u64, way: Way, buffer: &mut [u8]) {
    let Piece { reader, offset } = piece;
    let end = reader.meta().size.min(offset.saturating_add(length));
    let map = match way {
        Way::Map => reader.map(),
        Way::Read => None,
    };
    if let Some(map) = map {
        let range = *offset as usize..end as usize;
        sum(&map[range.clone()]);
        return map.release(range);
    }
    for at in (*offset..end).step_by(BUFFER) {
        let wanted = (end - at).min(BUFFER as u64) as usize;
        let read = reader.read_at(at, &mut buffer[..wanted]).unwrap_or_else(|error| panic!("{error}"));
        sum(&buffer[..read]);
    }
}

fn sum(bytes: &[u8]) {
    let words = bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
    black_box(words.fold(0_u64, u64::wrapping_add));
}

/// Returns the bytes per second of a kernel on this many threads at once. 0 streams means one per lane.
fn kernel(algorithm: &'static Algorithm, threads: usize, streams: usize) -> f64 {
    let work = || {
        let mut bank = if streams == 1 { (algorithm.alone)() } else { (algorithm.bank)() };
        let streams = if streams == 0 { bank.lanes() } else { streams };
        rate(bank.as_mut(), streams)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(0.0)).sum()
    })
}

fn rate(bank: &mut dyn Bank, streams: usize) -> f64 {
    // Rows that start at multiples of a page would compete for the same cache sets.
    let row = (BUFFER / streams).min(64 << 10);
    let data = vec![7; streams * (row + 64)];
    let slots: Vec<_> = (0..streams).map(|_| bank.open()).collect();
    let parts: Vec<_> = slots
        .iter()
        .zip(data.chunks(row + 64))
        .map(|(slot, bytes)| StreamPart { slot: *slot, bytes: &bytes[..row], last: false })
        .collect();
    bank.update(&parts);
    let start = Instant::now();
    let mut bytes = 0;
    while start.elapsed() < KERNEL {
        bank.update(&parts);
        bytes += streams * row;
    }
    let rate = bytes as f64 / start.elapsed().as_secs_f64();
    slots.into_iter().for_each(|slot| bank.abandon(slot));
    rate
}

/// Returns the time in which the engine hashes everything below the path.
fn engine(path: &str, algorithm: &'static Algorithm, threads: usize) -> f64 {
    let plan = Plan {
        algorithms: vec![algorithm],
        likeness: Vec::new(),
        facts: FactSet::default(),
        scanning: None,
        pronom: None,
        leaves: false,
        piece: None,
        whole: true,
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        memory: 256 << 20,
        prefetch: Prefetch::Auto,
        reading: Reading::default(),
        order: Order::Walk,
        saving: None,
        tap: None,
        cancel: Cancel::default(),
    };
    let start = Instant::now();
    let entries = walk([path.as_bytes().into()].into_iter(), WalkOptions::default());
    run(&plan, entries, &Arc::new(Live::default()), &mut |event| {
        if let EngineEvent::Done(outcome) = event {
            black_box(outcome);
        }
        ControlFlow::Continue(())
    });
    start.elapsed().as_secs_f64()
}
