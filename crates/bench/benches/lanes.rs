//! Measures the rates of every lane kernel and of the banks, on one core with data in the level 2 cache.
//!
//! `cargo bench -p hashmill-bench --bench lanes -- [NAME…]` prints GB/s; the argument `costs` prints a row for every
//! kernel's table of costs (`COSTS` in its folder of `crates/digest/src`) instead.

use hashmill_bench::{Memory, Shape, TURN, Work, calibrate, shape, take_turns};
use hashmill_digest::probe::{PROBES, Plan, Probe, Width};
use hashmill_digest::{Costs, Isa};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "costs") {
        return costs();
    }
    for probe in PROBES
        .iter()
        .filter(|probe| words.is_empty() || words.iter().any(|word| word == probe.algorithm.name))
    {
        kernels(probe);
        banks(probe);
    }
}

fn costs() {
    for row in calibrate(TURN, &mut |_| {}) {
        let Costs { kernel, portable, hardware, wide } = row.costs;
        print!("{kernel}: alone {portable}, hardware {hardware}");
        for (isa, [one, two]) in Isa::ALL.iter().zip(wide).filter(|(_, costs)| *costs != [0, 0]) {
            print!(", {} [{one}, {two}]", format!("{isa:?}").to_lowercase());
        }
        println!(";");
    }
}

fn kernels(probe: &Probe) {
    let mut plans = vec![("single".to_string(), Plan::Single)];
    for isa in Isa::available() {
        for width in Width::ALL {
            plans.push((format!("{isa} {}", width.registers()), Plan::Only(isa, width)));
        }
    }
    let banks = plans.into_iter().filter_map(|(title, plan)| Some((title, (probe.lanes.bank)(plan)?)));
    let (titles, banks): (Vec<_>, Vec<_>) = banks.unzip();
    let shapes: Vec<Shape> = banks.iter().map(|bank| shape(probe, bank.lanes())).collect();
    let memory = Memory::with_shapes(shapes.iter().copied());
    let mut works: Vec<Work<'_>> =
        banks.into_iter().zip(&shapes).map(|(bank, shape)| shape.work(bank, &memory)).collect();
    for ((title, shape), time) in titles.iter().zip(&shapes).zip(take_turns(&mut works, TURN)) {
        let rate = shape.total() as f64 / time.best();
        println!("{:<12} {title:<14} x{:<3} {rate:6.2} GB/s", probe.algorithm.name, shape.streams);
    }
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

fn banks(probe: &Probe) {
    let memory = Memory::with_shapes(SHAPES.iter().map(|(_, shape)| *shape));
    let banks = SHAPES
        .iter()
        .filter_map(|(_, shape)| Some(shape.work((probe.lanes.bank)(Plan::Cheapest(Isa::Shani))?, &memory)));
    let mut works: Vec<Work<'_>> = banks.collect();
    for ((title, shape), time) in SHAPES.iter().zip(take_turns(&mut works, TURN)) {
        println!(
            "{:<12} bank: {title:<32} {:6.2} GB/s",
            probe.algorithm.name,
            shape.total() as f64 / time.best()
        );
    }
}
