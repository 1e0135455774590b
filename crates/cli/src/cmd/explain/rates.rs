//! How fast the algorithms are here, by a short measurement in memory.

use hashloom_digest::{Algorithm, Bank, Part};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Each measurement takes this long: enough for two digits on a quiet machine.
const TIME: Duration = Duration::from_millis(20);

/// Bytes of each stream in one call.
const BYTES: usize = 64 << 10;

/// What was measured; bytes a second.
#[derive(Serialize)]
pub struct Rates {
    pub algorithms: Vec<Rate>,
    /// All algorithms over the same bytes, one thread.
    pub expected_per_thread: f64,
    /// The same, all threads, if each has a core and reading keeps up.
    pub expected: f64,
    /// Where the numbers are from.
    pub basis: &'static str,
}

/// One algorithm.
#[derive(Serialize)]
pub struct Rate {
    pub name: &'static str,
    pub kernel: &'static str,
    pub lanes: usize,
    /// The kernel for a file alone.
    pub alone: &'static str,
    /// One thread, as many streams as there are lanes.
    pub many_files: f64,
    /// One thread, one stream.
    pub one_file: f64,
    /// Whether several threads can hash one file.
    pub splits: bool,
}

impl Rates {
    /// Measures each algorithm for a moment.
    pub fn measure(algorithms: &[&'static Algorithm], threads: usize) -> Rates {
        let buffer = vec![0x5a; BYTES];
        let algorithms: Vec<Rate> =
            algorithms.iter().map(|algorithm| Rate::measure(algorithm, &buffer)).collect();
        let expected_per_thread = together(algorithms.iter().map(|rate| rate.many_files));
        Rates {
            algorithms,
            expected_per_thread,
            expected: expected_per_thread * threads as f64,
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
}

/// The rate of several over the same bytes, one after another.
fn together(rates: impl Iterator<Item = f64>) -> f64 {
    let seconds_a_byte: f64 = rates.map(|rate| 1.0 / rate).sum();
    1.0 / seconds_a_byte
}

fn bytes_a_second(bank: &mut dyn Bank, streams: usize, buffer: &[u8]) -> f64 {
    let slots: Vec<_> = (0..streams).map(|_| bank.open()).collect();
    let batch: Vec<Part<'_>> = slots.iter().map(|&slot| Part { slot, bytes: buffer, last: false }).collect();
    // The first call brings code, tables and data near.
    bank.update(&batch);
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < TIME {
        bank.update(&batch);
        calls += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    slots.into_iter().for_each(|slot| bank.abandon(slot));
    (calls * streams * buffer.len()) as f64 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_over_the_same_bytes_add_their_times() {
        assert!((together([2.0, 2.0].into_iter()) - 1.0).abs() < 1e-9);
        assert!((together([3.0].into_iter()) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn every_algorithm_has_a_rate() {
        for name in ["blake3", "sha256", "xxh128"] {
            let algorithm = hashloom_digest::find(name).unwrap();
            let rates = Rates::measure(&[algorithm], 3);
            assert!(rates.algorithms[0].many_files > 1e5 && rates.algorithms[0].one_file > 1e5);
            assert!((rates.expected / rates.expected_per_thread - 3.0).abs() < 1e-9);
        }
    }
}
