//! Rates of every lane kernel and of the banks, on one core with data that stays in the level 2 cache.
//!
//! `cargo bench -p hashloom-digest --bench lanes -- [NAME…]` prints GB/s; the word `costs` prints the rows
//! for `src/lanes/costs.rs` instead.

use hashloom_digest::probe::{IsaName, PROBES, Plan, Probe, Width};
use hashloom_digest::{Bank, Part};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (orders, names): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word == "costs");
    let wanted = |probe: &&Probe| names.is_empty() || names.iter().any(|name| name == probe.name);
    for probe in PROBES.iter().filter(wanted) {
        if orders.is_empty() { rates(probe) } else { costs(probe) }
    }
}

/// Bytes of one stream when a kernel is measured.
const RUN: usize = 16 * 1024;

/// What shows a kernel's rate. BLAKE3 has lanes for small messages alone.
fn kernel(probe: &Probe, streams: usize) -> Shape {
    if probe.name == "blake3" {
        return Shape { streams, bytes: 1024, whole: true };
    }
    Shape { streams, bytes: RUN, whole: false }
}

fn rates(probe: &Probe) {
    for (title, plan) in plans() {
        let Some(mut bank) = (probe.bank)(plan) else { continue };
        let streams = bank.lanes();
        let rate = measure(&mut *bank, kernel(probe, streams));
        println!("{:<12} {title:<14} x{streams:<3} {rate:6.2} GB/s", probe.name);
    }
    for (title, shape) in SHAPES {
        let Some(mut bank) = (probe.bank)(Plan::Cheapest(IsaName::Avx512)) else { continue };
        let rate = measure(&mut *bank, *shape);
        let (used, offered) = bank.occupancy();
        let full = used as f64 / offered.max(1) as f64;
        println!("{:<12} bank: {title:<32} {rate:6.2} GB/s, {full:.2} full, {}", probe.name, bank.kernel());
    }
}

/// A row of the table of costs.
fn costs(probe: &Probe) {
    let cost = |plan| {
        let Some(mut bank) = (probe.bank)(plan) else { return 0 };
        let streams = bank.lanes();
        let rate = measure(&mut *bank, kernel(probe, streams));
        (streams as f64 * probe.block as f64 / rate).round() as u64
    };
    let alone = cost(Plan::Single);
    let portable = cost(Plan::Only(IsaName::Portable, Width::One));
    let wide = IsaName::ALL.map(|isa| Width::ALL.map(|width| cost(Plan::Only(isa, width))));
    println!(
        "    Costs {{ kernel: {:?}, portable: {portable}, hardware: {alone}, wide: {wide:?} }},",
        probe.name
    );
}

fn plans() -> Vec<(String, Plan)> {
    let mut plans = vec![("single".to_string(), Plan::Single)];
    for isa in IsaName::available() {
        for width in Width::ALL {
            plans.push((format!("{isa} {}", width.registers()), Plan::Only(isa, width)));
        }
    }
    plans
}

/// What a bank is given at once.
#[derive(Clone, Copy)]
struct Shape {
    streams: usize,
    bytes: usize,
    /// Open and close the streams each time.
    whole: bool,
}

const SHAPES: &[(&str, Shape)] = &[
    ("1 stream, 64 KiB parts", Shape { streams: 1, bytes: 65536, whole: false }),
    ("4 streams, 64 KiB parts", Shape { streams: 4, bytes: 65536, whole: false }),
    ("16 streams, 64 KiB parts", Shape { streams: 16, bytes: 65536, whole: false }),
    ("64 streams, 64 KiB parts", Shape { streams: 64, bytes: 65536, whole: false }),
    ("64 messages of 2 KiB", Shape { streams: 64, bytes: 2048, whole: true }),
    ("256 messages of 2 KiB", Shape { streams: 256, bytes: 2048, whole: true }),
    ("256 messages of 100 bytes", Shape { streams: 256, bytes: 100, whole: true }),
    ("256 messages of 32 bytes", Shape { streams: 256, bytes: 32, whole: true }),
];

const PAGE: usize = 4096;

/// GB/s: the best of several short runs.
fn measure(bank: &mut dyn Bank, shape: Shape) -> f64 {
    // Buffers that are read into begin at a page.
    let memory = vec![0x5a_u8; shape.streams * shape.bytes + PAGE];
    let start = memory.as_ptr().align_offset(PAGE);
    let data = &memory[start..start + shape.streams * shape.bytes];
    let slots: Vec<_> = (0..shape.streams).map(|_| bank.open()).collect();
    let cut = |(slot, bytes)| Part { slot, bytes, last: shape.whole };
    let parts: Vec<_> = slots.into_iter().zip(data.chunks(shape.bytes)).map(cut).collect();
    let mut best = Duration::MAX;
    let mut rounds = 1;
    for _ in 0..12 {
        let start = Instant::now();
        for _ in 0..rounds {
            bank.update(&parts);
            if shape.whole {
                renew(bank, &parts);
            }
        }
        best = best.min(start.elapsed() / rounds);
        rounds = (Duration::from_millis(4).as_nanos() / best.as_nanos().max(1)).clamp(1, 1 << 20) as u32;
    }
    data.len() as f64 / best.as_nanos() as f64
}

/// Closes the streams and opens as many, which get the same slots.
fn renew(bank: &mut dyn Bank, parts: &[Part<'_>]) {
    for part in parts {
        black_box(bank.close(part.slot));
    }
    for _ in parts {
        bank.open();
    }
}
