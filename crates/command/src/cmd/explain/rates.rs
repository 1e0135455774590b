//! The speed of the algorithms on this machine, by a short measurement in memory.

use crate::options::algorithms::Algorithms;
use hashmill_digest::{Algorithm, Bank, StreamPart};
use hashmill_similar::Similar;
use serde::Serialize;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

/// Each measurement takes this long: enough for two digits on a quiet machine.
const TIME: Duration = Duration::from_millis(20);

/// The bytes of each stream in one call.
const BYTES: usize = 64 << 10;

/// Measured rates, in bytes per second.
#[derive(Serialize)]
pub struct Rates {
    pub algorithms: Vec<Rate>,
    /// The rate of all algorithms over the same bytes, for one thread.
    pub expected_per_thread: f64,
    /// The rate of all threads that have a core of their own, if reading keeps up.
    pub expected: f64,
    /// The origin of the numbers.
    pub basis: &'static str,
}

/// The rates of one algorithm.
#[derive(Serialize)]
pub struct Rate {
    pub name: &'static str,
    pub kernel: &'static str,
    pub lanes: usize,
    /// The kernel for a single file.
    pub alone: &'static str,
    /// The rate of one thread with as many streams as there are lanes.
    pub many_files: f64,
    /// The rate of one thread with one stream.
    pub one_file: f64,
    /// Whether several threads can hash one file.
    pub splits: bool,
}

impl Rates {
    /// Measures each algorithm for a moment.
    pub fn measure(wanted: &Algorithms, threads: usize) -> Rates {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let buffer = noise();
        let digests = wanted.digests.iter().map(|algorithm| Rate::measure(algorithm, &buffer));
        let mut algorithms: Vec<Rate> = digests.collect();
        for (place, algorithm) in &wanted.likeness {
            algorithms.insert((*place).min(algorithms.len()), Rate::likeness(algorithm, &buffer));
        }
        let expected_per_thread = together(algorithms.iter().map(|rate| rate.many_files));
        Rates {
            algorithms,
            expected_per_thread,
            expected: expected_per_thread * threads.min(cores) as f64,
            basis: "measured now, in memory, 20 ms each",
        }
    }
}

impl Rate {
    fn measure(algorithm: &'static Algorithm, buffer: &[u8]) -> Rate {
        let (mut bank, mut alone) = ((algorithm.bank)(), (algorithm.alone)());
        let lanes = bank.lanes();
        Rate {
            name: algorithm.name,
            kernel: bank.kernel(),
            lanes,
            alone: alone.kernel(),
            many_files: bytes_a_second(bank.as_mut(), lanes, buffer),
            one_file: bytes_a_second(alone.as_mut(), 1, buffer),
            splits: algorithm.tree.is_some(),
        }
    }

    /// Measures one stream after another: likeness hashes have no lanes.
    fn likeness(algorithm: &'static Similar, buffer: &[u8]) -> Rate {
        let rate = likeness_a_second(algorithm, buffer);
        Rate {
            name: algorithm.name,
            kernel: hashmill_similar::kernel(),
            lanes: 1,
            alone: hashmill_similar::kernel(),
            many_files: rate,
            one_file: rate,
            splits: false,
        }
    }
}

/// Returns bytes without a pattern (SplitMix64): with a pattern likeness hashes would be faster than usual.
fn noise() -> Vec<u8> {
    let word = |i: u64| {
        let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ z >> 27).to_le_bytes()
    };
    (0..BYTES as u64 / 8).flat_map(word).collect()
}

/// Returns the rate of several algorithms over the same bytes, one after another.
fn together(rates: impl Iterator<Item = f64>) -> f64 {
    let seconds_a_byte: f64 = rates.map(|rate| 1.0 / rate).sum();
    1.0 / seconds_a_byte
}

fn bytes_a_second(bank: &mut dyn Bank, streams: usize, buffer: &[u8]) -> f64 {
    let slots: Vec<_> = (0..streams).map(|_| bank.open()).collect();
    let batch: Vec<StreamPart<'_>> =
        slots.iter().map(|&slot| StreamPart { slot, bytes: buffer, last: false }).collect();
    let rate = calls_a_second(|| bank.update(&batch)) * (streams * buffer.len()) as f64;
    slots.into_iter().for_each(|slot| bank.abandon(slot));
    rate
}

fn likeness_a_second(algorithm: &Similar, buffer: &[u8]) -> f64 {
    let hash = || {
        let mut stream = (algorithm.stream)();
        stream.expect(buffer.len() as u64);
        stream.update(buffer);
        black_box(stream.finish().is_ok());
    };
    calls_a_second(hash) * buffer.len() as f64
}

fn calls_a_second(mut call: impl FnMut()) -> f64 {
    // The first call loads code, tables and data into the caches.
    call();
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < TIME {
        call();
        calls += 1;
    }
    f64::from(calls) / start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::algorithms::algorithms;

    #[test]
    fn algorithms_over_the_same_bytes_add_their_times() {
        assert!((together([2.0, 2.0].into_iter()) - 1.0).abs() < 1e-9);
        assert!((together([3.0].into_iter()) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn every_algorithm_has_a_rate() {
        for name in ["blake3", "sha256", "xxh128", "ssdeep", "sdhash"] {
            let rates = Rates::measure(&algorithms(name).unwrap(), 3);
            assert!(rates.algorithms[0].many_files > 1e4 && rates.algorithms[0].one_file > 1e4);
            let cores = thread::available_parallelism().unwrap().get().min(3);
            assert!((rates.expected / rates.expected_per_thread - cores as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn algorithms_stand_as_they_were_typed() {
        let rates = Rates::measure(&algorithms("ssdeep,crc32,tlsh").unwrap(), 1);
        let names: Vec<_> = rates.algorithms.iter().map(|rate| rate.name).collect();
        assert_eq!(names, ["ssdeep", "crc32", "tlsh"]);
    }
}
