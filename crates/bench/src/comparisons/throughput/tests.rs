use super::*;
use crate::{Comparison, Document, FakeClock, Host, export, view_of};
use hashmill_digest::find;
use std::sync::atomic::{AtomicUsize, Ordering};

fn settings(names: &[&str], threads: &[usize]) -> ThroughputSettings {
    ThroughputSettings {
        algorithms: names.iter().map(|name| find(name).unwrap()).collect(),
        threads: threads.to_vec(),
        input_bytes: 80,
        duration: Duration::from_millis(50),
        seed: 1,
        code: Code::All,
    }
}

/// Measures with a fake clock. Each reading of the clock takes two milliseconds, so each call seems to.
fn measured(settings: &ThroughputSettings, looks: usize) -> ThroughputMeasurements {
    let clock = FakeClock::new(Duration::from_millis(2));
    let looked = AtomicUsize::new(0);
    let stop = || looked.fetch_add(1, Ordering::Relaxed) >= looks;
    run(settings, &mut Control { clock: &clock, stop: &stop, tell: &mut |_| {}, watch: None }).unwrap()
}

#[test]
fn a_row_has_the_messages_of_all_its_calls() {
    let measured = measured(&settings(&["sha256", "sha256d"], &[1]), usize::MAX);
    assert!(!measured.interrupted && measured.warnings.is_empty());
    for row in &measured.rows {
        // Five turns of ten milliseconds, two for each call: 25 calls in 50 milliseconds.
        assert_eq!(row.total_hashes, 25 * row.batch as u64, "{row:?}");
        assert!((row.duration_s - 0.05).abs() < 1e-9);
        assert!((row.hashes_per_sec - 500.0 * row.batch as f64).abs() < 1e-6);
        assert!((row.ns_per_hash - 2e6 / row.batch as f64).abs() < 1e-6);
        assert!(row.digest_right && row.hashes_per_sec_ci95 == Some(0.0));
        assert_eq!(row.hashes_per_sec_samples.len(), 5);
        let again = stats::Statistics::from_sample(&row.hashes_per_sec_samples).unwrap();
        assert_eq!(again.ci95, row.hashes_per_sec_ci95, "the interval follows from the samples");
        // The clock's processor works half of the time.
        assert!(row.processor_s.is_some_and(|time| (0.025..0.035).contains(&time)), "{row:?}");
        assert_eq!(row.batch == 1, row.mode == Mode::Single);
    }
    assert!(measured.rows.iter().any(|row| row.portable));
    // sha256 has the same rate as sha256d in the same mode.
    assert!(measured.summary.speedups.iter().all(|speedup| (speedup.speedup - 1.0).abs() < 1e-9));
    assert_eq!(measured.summary.speedups.len(), measured.rows.len());
}

#[test]
fn without_portable_code_there_are_no_such_rows() {
    let settings = ThroughputSettings { code: Code::Best, ..settings(&["sha256", "blake3", "xxh3"], &[1]) };
    let best = measured(&settings, usize::MAX).rows;
    let all = measured(&ThroughputSettings { code: Code::All, ..settings }, usize::MAX).rows;
    assert!(best.len() < all.len() || all.iter().all(|row| row.portable));
    assert!(best.iter().any(|row| row.algo == "xxh3" && row.mode == Mode::Single));
    assert!(best.iter().all(|row| row.algo != "xxh3" || row.mode == Mode::Single), "it has no lanes");
    assert_eq!(measured(&settings_without_reference(), usize::MAX).summary.speedups, []);
}

fn settings_without_reference() -> ThroughputSettings {
    settings(&["md5"], &[1])
}

#[test]
fn threads_hash_side_by_side() {
    let measured = measured(&settings(&["blake3d"], &[1, 3]), usize::MAX);
    let threads: Vec<usize> = measured.rows.iter().map(|row| row.threads).collect();
    assert!(threads.is_sorted() && threads.contains(&1) && threads.contains(&3));
    for row in &measured.rows {
        // Each thread makes at least one call in each turn.
        assert!(row.total_hashes >= 5 * (row.threads * row.batch) as u64 && row.digest_right, "{row:?}");
    }
}

#[test]
fn an_interrupt_leaves_what_was_measured() {
    let measured = measured(&settings(&["sha256"], &[1]), 3);
    assert!(measured.interrupted);
    assert!(!measured.rows.is_empty() && measured.rows.iter().all(|row| row.total_hashes > 0));
}

fn document() -> Document<ThroughputRow, ThroughputSummary> {
    let row = |algo: &str, rate: f64| ThroughputRow {
        algo: algo.to_string(),
        threads: 4,
        input_bytes: 80,
        duration_s: 2.0,
        total_hashes: (rate * 2.0) as u64,
        hashes_per_sec: rate,
        ns_per_hash: 1e9 / rate,
        implementation: "x86 sha".to_string(),
        mode: Mode::Single,
        batch: 1,
        portable: false,
        hashes_per_sec_ci95: Some(1000.0),
        hashes_per_sec_samples: vec![rate; 5],
        processor_s: Some(8.0),
        digest_right: true,
    };
    let wrong = ThroughputRow { digest_right: false, ..row("blake3", 9e9) };
    let (rows, mut summary, warnings) =
        result::settle(vec![row("sha256d", 2e6), row("sha256", 5e6), wrong], 9);
    summary.verified = Some(Verified { messages: 2000, seed: 7 });
    let timestamp = "2026-11-21T12:00:00+00:00".to_string();
    let document = Document::here(Throughput::NAME, timestamp, rows, summary);
    Document { host: Host::default(), warnings, ..document }
}

#[test]
fn programs_find_the_names_that_they_know() {
    let json: serde_json::Value = serde_json::from_str(&document().to_json()).unwrap();
    assert_eq!(json["comparison"], "throughput");
    let row = &json["rows"][1];
    for (key, value) in [
        ("algo", "sha256".into()),
        ("threads", serde_json::Value::from(4)),
        ("input_bytes", 80.into()),
        ("duration_s", 2.0.into()),
        ("total_hashes", 10_000_000.into()),
        ("hashes_per_sec", 5e6.into()),
        ("ns_per_hash", 200.0.into()),
    ] {
        assert_eq!(row[key], value, "{key}");
    }
    assert_eq!(json["summary"]["reference"], "sha256d");
    assert_eq!(json["summary"]["speedups"][1]["speedup"], 2.5);
    assert_eq!(json["summary"]["speedups"].as_array().unwrap().len(), 2, "what is wrong is not ranked");
}

#[test]
fn blake3d_is_compared_with_sha256d_by_their_fastest_rows() {
    let row = |algo: &str, threads, portable, rate| ThroughputRow {
        algo: algo.to_string(),
        threads,
        portable,
        hashes_per_sec: rate,
        ..document().rows.remove(0)
    };
    let rows = vec![
        row("sha256d", 1, false, 4e6),
        row("sha256d", 1, true, 1e6),
        row("sha256d", 4, false, 10e6),
        row("blake3d", 1, false, 6e6),
        row("blake3d", 1, true, 2e6),
        row("blake3d", 4, false, 30e6),
    ];
    let (_, summary, _) = result::settle(rows.clone(), 0);
    assert_eq!(summary.speedup_blake3d_vs_sha256d_single_thread, Some(1.5));
    assert_eq!(summary.speedup_blake3d_vs_sha256d_multi_thread, Some(3.0));
    let scaling: Vec<_> = summary.speedups.iter().map(|found| (found.speedup, found.scaling)).collect();
    // 10 and 30 million divided by 4 million, with the same kind of code.
    let wanted = [(1.0, 1.0), (1.0, 1.0), (1.0, 2.5), (1.5, 1.5), (2.0, 2.0), (3.0, 7.5)];
    assert_eq!(scaling, wanted.map(|(speedup, scaling)| (speedup, Some(scaling))));
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["speedup_blake3d_vs_sha256d_single_thread"], 1.5);
    let one = rows.into_iter().filter(|row| row.threads == 1).collect();
    let (_, summary, _) = result::settle(one, 0);
    assert_eq!(summary.speedup_blake3d_vs_sha256d_multi_thread, None);
}

#[test]
fn programs_of_the_other_comparison_find_what_they_read() {
    let row = |algo: &str, threads, mode, portable, rate: f64| ThroughputRow {
        algo: algo.to_string(),
        threads,
        mode,
        portable,
        hashes_per_sec: rate,
        ..document().rows.remove(0)
    };
    let (single, batch) = (Mode::Single, Mode::Batch);
    let mut document = document();
    document.rows = vec![
        row("sha256d", 1, single, false, 4e6),
        row("sha256d", 1, single, true, 1e6),
        row("sha256d", 4, single, false, 10e6),
        row("blake3d", 1, single, false, 5e6),
        row("blake3d", 1, batch, false, 40e6),
        row("blake3d", 4, single, false, 15e6),
        ThroughputRow { digest_right: false, ..row("blake3", 1, single, false, 9e9) },
    ];
    document.host =
        Host { cpu_model: "AMD EPYC".into(), cores: 2, system: "linux 6.1".into(), ..Host::default() };
    let pow = pow(&document);
    assert_eq!(pow["comparison"], "pow-throughput");
    assert_eq!((&pow["host"], &pow["host_cores"]), (&"linux 6.1 AMD EPYC".into(), &2.into()));
    assert_eq!(pow["timestamp"], "2026-11-21T12:00:00Z");
    let names: Vec<_> = pow["rows"].as_array().unwrap().iter().map(|row| row["algo"].clone()).collect();
    assert_eq!(names, ["sha256d", "sha256d-portable", "sha256d", "blake3d", "blake3d"]);
    let mut keys: Vec<&String> = pow["rows"][0].as_object().unwrap().keys().collect();
    keys.sort();
    let wanted =
        ["algo", "duration_s", "hashes_per_sec", "input_bytes", "ns_per_hash", "threads", "total_hashes"];
    assert_eq!(keys, wanted);
    assert_eq!(pow["summary"]["speedup_blake3d_vs_sha256d_single_thread"], 1.25);
    assert_eq!(pow["summary"]["speedup_blake3d_vs_sha256d_multi_thread"], 1.5);
}

#[test]
fn people_see_rates_and_speedups() {
    let document = document();
    let view = crate::view::<Throughput>(&document);
    assert_eq!(view_of(document.to_json().as_bytes()).unwrap(), view);
    let wanted = "messages of 80 bytes
verified: all implementations agree over 2000 random messages each (seed 7)
warning: blake3 x86 sha gave a wrong digest: its row is not ranked

algorithm  implementation  calls   threads    hashes/s  ± 95 %  processor (s)  ns/hash     × sha256d  × sha256d on one thread
sha256d    x86 sha         single        4     2000000    1000          8.000   500.00          1.00
sha256     x86 sha         single        4     5000000    1000          8.000   200.00          2.50
blake3     x86 sha         single        4  9000000000    1000          8.000     0.11  wrong digest
";
    assert_eq!(export::terminal(&view), wanted);
    assert_eq!(view.charts[0].series.len(), 1);
    let csv = export::csv(&document.rows);
    assert!(csv.starts_with("algo,threads,input_bytes,duration_s,total_hashes,hashes_per_sec,ns_per_hash,"));
}
