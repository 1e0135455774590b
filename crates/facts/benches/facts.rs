//! The cost of facts beside a digest, on one stream in memory.
//!
//! `cargo bench -p hashmill-facts -- [MiB]`: the fastest of nine rounds of each, by turns. Bytes are passed in parts of
//! 256 KiB, as the engine passes them, by all computations in turn, so that each but the first finds them in the cache.

use hashmill_digest::find;
use hashmill_facts::{Ends, Histogram};
use hashmill_testing::Random;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 9;
const PART: usize = 256 << 10;

fn main() {
    let mib = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(256);
    let sha256 = find("sha256").expect("it is in the table");
    let blake3 = find("blake3").expect("it is in the table");
    let text: Vec<u8> =
        b"The quick brown fox jumps over the lazy dog.\n".iter().copied().cycle().take(mib << 20).collect();
    for (name, bytes) in
        [("random bytes", Random(1).bytes(mib << 20)), ("text", text), ("zeros", vec![0; mib << 20])]
    {
        let whole = |row: &'static hashmill_digest::Algorithm| {
            let mut bank = (row.alone)();
            let slot = bank.open();
            for part in bytes.chunks(PART) {
                bank.update(&[hashmill_digest::StreamPart { slot, bytes: part, last: false }]);
            }
            black_box(bank.close(slot));
        };
        let mut jobs: [(&str, &mut dyn FnMut()); 4] = [
            ("sha256", &mut || whole(sha256)),
            ("blake3", &mut || whole(blake3)),
            ("entropy", &mut || {
                let mut histogram = Histogram::default();
                bytes.chunks(PART).for_each(|part| histogram.update(part));
                black_box(histogram.entropy());
            }),
            ("type", &mut || {
                let mut ends = Ends::new(Some(bytes.len() as u64));
                bytes.chunks(PART).for_each(|part| ends.push(part));
                black_box(ends.content_type());
            }),
        ];
        let mut best = [f64::MAX; 4];
        for _ in 0..ROUNDS {
            for (job, best) in jobs.iter_mut().zip(&mut best) {
                let start = Instant::now();
                (job.1)();
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        println!("{name}, {mib} MiB");
        for ((what, _), seconds) in jobs.iter().zip(best) {
            let rate = (mib << 20) as f64 / seconds / 1e9;
            println!(
                "  {what:8} {:8.2} ms {rate:8.2} GB/s {:7.1} % of sha256",
                seconds * 1e3,
                100.0 * seconds / best[0]
            );
        }
    }
}
