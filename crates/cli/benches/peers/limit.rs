//! The least time that the work of a case can take on this machine.

use hashmill_bench::{Memory, Shape, TURN, take_turns};
use hashmill_digest::find;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The least time that reading and hashing can take on this machine, one after the other on every core.
pub struct Limit {
    files: Vec<PathBuf>,
    pub threads: usize,
    /// Seconds a byte takes on one core, all kernels of the case together, each at its peak.
    pub hashing: f64,
}

impl Limit {
    pub fn new(algorithms: &str, at: &Path) -> io::Result<Self> {
        let threads = std::thread::available_parallelism()?.get();
        let mut files = Vec::new();
        list(at, &mut files)?;
        Ok(Limit { files, threads, hashing: algorithms.split(',').map(peak).sum() })
    }

    /// Returns the seconds that it takes to read all files on all cores, and to do nothing with them.
    pub fn read(&self) -> io::Result<f64> {
        let start = Instant::now();
        let next = AtomicUsize::new(0);
        let read = || {
            let mut memory = vec![0; READ + PAGE];
            let page = memory.as_ptr().align_offset(PAGE);
            let buffer = &mut memory[page..page + READ];
            while let Some(path) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut file = File::open(path)?;
                while file.read(buffer)? > 0 {}
            }
            Ok(())
        };
        if let [file] = &self.files[..] {
            return read_one(file, self.threads).map(|()| start.elapsed().as_secs_f64());
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(read)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })
        .map(|()| start.elapsed().as_secs_f64())
    }
}

/// Bytes of one read.
const READ: usize = 256 << 10;
const PAGE: usize = 4096;

/// Reads one file, every thread a stretch of it.
fn read_one(path: &Path, threads: usize) -> io::Result<()> {
    let length = path.metadata()?.len();
    let share = length.div_ceil(threads as u64);
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads as u64)
            .map(|part| {
                scope.spawn(move || {
                    let mut memory = vec![0; READ + PAGE];
                    let page = memory.as_ptr().align_offset(PAGE);
                    let file = File::open(path)?;
                    let mut at = part * share;
                    while at < ((part + 1) * share).min(length) {
                        at += file.read_at(&mut memory[page..page + READ], at)?.max(1) as u64;
                    }
                    Ok(())
                })
            })
            .collect();
        parts.into_iter().try_for_each(|part| part.join().expect("no panic"))
    })
}

fn list(at: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if at.is_file() {
        files.push(at.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(at)? {
        list(&entry?.path(), files)?;
    }
    Ok(())
}

/// Seconds a byte takes on one core where the algorithm is fastest: all lanes full, or one long stream.
fn peak(algorithm: &str) -> f64 {
    let bank = find(algorithm).expect("an algorithm of the registry").bank;
    let lanes = bank().lanes();
    let full = Shape { streams: lanes, bytes: 16 << 10, whole: false };
    let shapes = [full, Shape { streams: 1, bytes: 64 << 10, whole: false }];
    let memory = Memory::with_shapes(shapes);
    let mut works = shapes.map(|shape| shape.work(bank(), &memory));
    let times = take_turns(&mut works, TURN);
    let seconds = shapes.iter().zip(times).map(|(shape, times)| times.best() / 1e9 / shape.total() as f64);
    seconds.fold(f64::INFINITY, f64::min)
}
