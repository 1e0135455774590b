use super::*;
use crate::implementation::Origin;
use crate::{Comparison, Document, FakeClock, Host, export, view_of};
use hashmill_digest::find;
use std::cell::Cell;

fn settings(names: &[&str], iterations: u64) -> CyclesSettings {
    CyclesSettings {
        algorithms: names.iter().map(|name| find(name).unwrap()).collect(),
        likeness: Vec::new(),
        block: 256,
        iterations,
        seed: 1,
        reference: Reference { algo: names[0].to_string(), implementation: None },
    }
}

/// Measures with a fake clock. Each reading of the clock takes a microsecond, and so does each turn; it counts 2 ticks
/// and 3 core cycles per nanosecond.
fn measured(settings: &CyclesSettings, looks: usize) -> (CycleMeasurements, Vec<String>) {
    let clock = FakeClock::with_counters(Duration::from_micros(1), 2, 3);
    let left = Cell::new(looks);
    let told = std::cell::RefCell::new(Vec::new());
    let stop = std::sync::Mutex::new(left);
    let stop = || {
        let left = stop.lock().unwrap();
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let mut tell = |what: &str| told.borrow_mut().push(what.to_string());
    let measured = run(settings, &mut Control { clock: &clock, stop: &stop, tell: &mut tell, watch: None });
    (measured, told.into_inner())
}

#[test]
fn each_row_is_the_sum_of_its_turns() {
    let (measured, told) = measured(&settings(&["blake3", "xxh3"], 95), usize::MAX);
    let names: Vec<&str> = measured.rows.iter().map(|row| row.algo.as_str()).collect();
    assert_eq!(names[..3], ["null-nop", "null-memcpy", "blake3"]);
    assert_eq!(names.last(), Some(&"xxh3"));
    assert_eq!(told.len(), 10 * measured.rows.len());
    let first = &told[..measured.rows.len()];
    assert!(first.iter().all(|what| what.starts_with("round 1 of 10: ")), "{first:?}");
    assert!(first.contains(&format!("round 1 of 10: blake3 {}", measured.rows[2].implementation)));
    assert_ne!(
        first,
        told[measured.rows.len()..][..first.len()]
            .iter()
            .map(|what| what.replace("round 2", "round 1"))
            .collect::<Vec<_>>(),
        "in another order"
    );
    for row in measured.rows.iter().filter(|row| row.lanes == 1) {
        // Ten turns of 9 or 10 iterations; a microsecond between readings, two between the counters.
        assert_eq!((row.iterations, row.nanoseconds), (95, 10_000), "{row:?}");
        assert_eq!((row.ticks, row.core_cycles, row.cycles), (Some(40_000), Some(60_000), Some(60_000)));
        assert!((row.cycles_per_iteration.unwrap() - 60_000.0 / 95.0).abs() < 1e-9);
        assert!((row.ns_per_byte - 10_000.0 / 95.0 / 256.0).abs() < 1e-9);
        assert!((row.mib_per_second - 95.0 * 256.0 / 1e-5 / 1_048_576.0).abs() < 1e-6);
        assert!(row.digest_right && row.ns_per_iteration_ci95.is_some());
        // Two readings in each turn after that of the processor time: half of two microseconds, if both were seen.
        assert!(row.processor_s.is_some_and(|time| (5e-6..=10.1e-6).contains(&time)), "{row:?}");
        let again = stats::Statistics::from_sample(&row.ns_per_iteration_samples).unwrap();
        assert_eq!((again.count, again.ci95), (10, row.ns_per_iteration_ci95));
    }
    for row in measured.rows.iter().filter(|row| row.lanes > 1) {
        assert_eq!(row.iterations % row.lanes as u64, 0, "{row:?}");
        assert!(row.iterations >= 95 && row.digest_right, "{row:?}");
    }
    assert_eq!(measured.summary.counted, Counted::CoreCycles);
    assert_eq!(measured.summary.ticks_per_second, Some(2e9));
    assert!(measured.warnings.is_empty() && !measured.interrupted);
}

#[test]
fn costs_are_compared_with_the_reference() {
    let mut settings = settings(&["blake3", "sha256"], 10);
    settings.reference.algo = "sha256".to_string();
    let (measured, _) = measured(&settings, usize::MAX);
    let calibration = measured.rows.iter().filter(|row| row.origin == Origin::Calibration);
    assert!(calibration.clone().count() == 2 && calibration.into_iter().all(|row| row.perf_vs.is_none()));
    let sha256 = measured.rows.iter().find(|row| row.algo == "sha256").unwrap();
    assert_eq!(sha256.perf_vs, Some(1.0));
    let reference = measured.summary.reference.unwrap();
    assert_eq!(reference.implementation.as_deref(), Some(sha256.implementation.as_str()));
}

#[test]
fn likeness_algorithms_have_rows_of_their_own() {
    let likeness = ["ssdeep", "tlsh", "sdhash", "mrsh-v2"].map(|name| hashmill_similar::find(name).unwrap());
    let settings = CyclesSettings { likeness: likeness.to_vec(), block: 4096, ..settings(&["crc32"], 20) };
    let (measured, _) = measured(&settings, usize::MAX);
    let rows: Vec<_> = measured.rows.iter().rev().take(4).rev().collect();
    assert_eq!(
        rows.iter().map(|row| row.name()).collect::<Vec<_>>(),
        ["ssdeep", "tlsh", "sdhash", "mrsh-v2"]
    );
    assert!(rows.iter().all(|row| row.digest_right && row.iterations == 20 && row.perf_vs.is_some()));
}

#[test]
fn one_message_is_compared_on_every_instruction_set() {
    // By hand: 16 and 4 ticks per byte; md5 has a single row, so it is not in the table.
    let mut document = document();
    let row = |implementation: &str, ticks: f64| CyclesRow {
        implementation: implementation.to_string(),
        cycles_per_byte: Some(ticks),
        ns_per_byte: ticks / 2.0,
        ns_per_iteration: ticks / 2.0 * 4096.0,
        mib_per_second: 1e9 / (ticks / 2.0) / 1_048_576.0,
        ..document.rows[1].clone()
    };
    let rows = vec![
        row("avx2 (blake3)", 4.0),
        row("portable (blake3)", 16.0),
        CyclesRow { algo: "md5".to_string(), ..row("portable", 9.0) },
        CyclesRow { lanes: 8, ..row("avx2 x8", 1.0) },
    ];
    document.rows = rows;
    let view = crate::view::<Cycles>(&document);
    let table = &view.tables[1];
    assert_eq!(table.caption, "One message at a time, by instruction set");
    let cells: Vec<String> = table
        .rows
        .iter()
        .map(|row| row.iter().map(hashmill_report::Cell::plain).collect::<Vec<_>>().join("|"))
        .collect();
    assert_eq!(
        cells,
        ["BLAKE3|avx2 (blake3)|4.000|2.0000|476.8|4.00", "BLAKE3|portable (blake3)|16.000|8.0000|119.2|1.00"]
    );
}

#[test]
fn an_interrupt_leaves_what_was_measured() {
    let (measured, _) = measured(&settings(&["sha256"], 100), 4);
    assert!(measured.interrupted);
    assert_eq!(measured.rows.len(), 3);
    assert!(measured.rows.iter().all(|row| row.iterations > 0 && row.iterations <= 64));
}

#[test]
fn a_wrong_digest_is_told_and_not_ranked() {
    let settings = settings(&["sha256"], 3);
    let mut candidates = Candidate::all(&settings.algorithms, &settings.likeness, settings.block);
    candidates.insert(2, Candidate::wrong(find("sha256").unwrap(), settings.block));
    let clock = FakeClock::new(Duration::from_micros(1));
    let (stop, mut tell) = (|| false, |_: &str| {});
    let mut control = Control { clock: &clock, stop: &stop, tell: &mut tell, watch: None };
    let measured = compete(&settings, &mut candidates, &mut control);
    assert!(!measured.rows[2].digest_right && measured.rows[2].perf_vs.is_none());
    assert!(measured.rows[3].digest_right && measured.rows[3].perf_vs == Some(1.0));
    assert!(measured.warnings.len() == 1 && measured.warnings[0].contains("wrong digest"));
    assert_eq!((measured.summary.counted, measured.rows[3].cycles), (Counted::Nothing, None));
}

/// Results in the documentation of btrfs: BLAKE3 16107, BLAKE2b 18377 cycles per iteration.
fn document() -> Document<CyclesRow, CyclesSummary> {
    let row = |algo: &str, implementation: &str, cycles: u64| CyclesRow {
        algo: algo.to_string(),
        implementation: implementation.to_string(),
        origin: if implementation.is_empty() { Origin::Calibration } else { Origin::Library },
        lanes: 1,
        block_bytes: 4096,
        iterations: 100_000,
        nanoseconds: cycles / 2,
        ticks: Some(cycles),
        core_cycles: None,
        cycles: Some(cycles),
        cycles_per_iteration: Some(cycles as f64 / 1e5),
        cycles_per_byte: Some(cycles as f64 / 1e5 / 4096.0),
        ns_per_iteration: cycles as f64 / 2e5,
        ns_per_iteration_ci95: Some(1.25),
        ns_per_iteration_samples: Vec::new(),
        processor_s: Some(0.5),
        ns_per_byte: cycles as f64 / 2e5 / 4096.0,
        mib_per_second: 4096.0 / (cycles as f64 / 2e5) * 1e9 / 1_048_576.0,
        digest_right: true,
        perf_vs: (!implementation.is_empty()).then(|| cycles as f64 / 1_610_700_000.0),
    };
    let rows = vec![
        row("null-nop", "", 56_061_823),
        row("blake3", "avx2 (blake3)", 1_610_700_000),
        row("blake2b-512", "avx2 (blake2b_simd)", 1_837_700_000),
    ];
    let reference = Reference { algo: "blake3".into(), implementation: Some("avx2 (blake3)".into()) };
    let summary = CyclesSummary {
        counted: Counted::Ticks,
        ticks_per_second: Some(2e9),
        block_bytes: 4096,
        iterations: 100_000,
        seed: 5,
        reference: Some(reference),
    };
    let timestamp = "2026-11-21T12:00:00+00:00".to_string();
    Document { host: Host::default(), ..Document::here(Cycles::NAME, timestamp, rows, summary) }
}

#[test]
fn people_see_what_they_know_from_hash_speedtest() {
    let wanted = "\
Block size: 4096
Iterations: 100000
Units: ticks of the time-stamp counter (2000.0 MHz, measured)

algorithm  implementation       lanes      cycles  cycles/i  cycles/B    ns/i  ± 95 % (ns)  processor (s)    ns/B    MiB/s  perf vs BLAKE3
NULL-NOP                            1    56061823       561     0.137   280.3          1.2          0.500  0.0684  13935.5
BLAKE3     avx2 (blake3)            1  1610700000     16107     3.932  8053.5          1.2          0.500  1.9662    485.0           1.000
BLAKE2b    avx2 (blake2b_simd)      1  1837700000     18377     4.487  9188.5          1.2          0.500  2.2433    425.1   1.141 (+14 %)

perf vs: the cost of the row over that of the column, one message at a time
                BLAKE3        BLAKE2b
BLAKE3           1.000  0.876 (-12 %)
BLAKE2b  1.141 (+14 %)          1.000
";
    let view = crate::view::<Cycles>(&document());
    let shown = export::terminal(&view);
    assert_eq!(shown, wanted);
    assert_eq!(view.charts.len(), 1);
    assert_eq!(view.charts[0].y.unit, "TSC ticks/B");
}

#[test]
fn a_document_that_was_written_is_shown_as_the_same() {
    let document = document();
    let read = view_of(document.to_json().as_bytes()).unwrap();
    assert_eq!(read, crate::view::<Cycles>(&document));
    let csv = export::csv(&document.rows);
    let head =
        "algo,implementation,origin,lanes,block_bytes,iterations,nanoseconds,ticks,core_cycles,cycles,";
    assert!(csv.starts_with(head), "{csv}");
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.contains("\r\nblake3,avx2 (blake3),library,1,4096,100000,805350000,1610700000,,1610700000,"));
}
