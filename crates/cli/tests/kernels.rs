//! `bench cycles` and `bench throughput`. Their measurements are not tested here: only that they are written to the
//! right place, and that mistakes are reported before anything is measured.

use crate::case;
use crate::util::Place;
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// As short as it gets.
const CYCLES: &str = "bench cycles --iterations 3 --block 64";
const THROUGHPUT: &str = "bench throughput --duration 0.005 --threads 1,2,1";

fn json(t: &Place, name: &str) -> Value {
    serde_json::from_slice(&t.read(name)).unwrap()
}

case!(cycles_are_printed_and_written_everywhere, |t| {
    let exports = "--export-json a.json --export-csv a.csv --export-markdown a.md --plot a.svg";
    t.run(&format!("{CYCLES} {exports}"))
        .code(0)
        .quiet()
        .prints("Block size: 64\nIterations: 3\nUnits: ")
        .prints("NULL-NOP")
        .prints("NULL-MEMCPY")
        .prints("perf vs BLAKE3")
        .prints("CRC32C");
    let found = json(t, "a.json");
    assert_eq!(found["comparison"], "cycles");
    assert!(found["host"]["cores"].as_u64().unwrap() > 0 && found["host"]["cpu_model"].is_string());
    assert!(found["timestamp"].as_str().unwrap().ends_with("+00:00"));
    let rows = found["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["digest_right"] == true && row["iterations"].as_u64().unwrap() >= 3));
    for algo in ["null-nop", "null-memcpy", "crc32c", "xxh64", "xxh3", "sha256", "blake2b-512", "blake3"] {
        assert!(rows.iter().any(|row| row["algo"] == algo), "{algo}");
    }
    assert_eq!(found["summary"]["reference"]["algo"], "blake3");
    let csv = String::from_utf8(t.read("a.csv")).unwrap();
    assert_eq!(csv.lines().count(), rows.len() + 1);
    assert!(t.read("a.md").starts_with(b"# Cycles for a block\n"));
    assert!(t.read("a.svg").starts_with(b"<svg "));
    assert!(t.leftovers().is_empty());
});

case!(pictures_are_of_the_kind_that_their_name_says, |t| {
    t.run(&format!("{CYCLES} -c sha256,md5 --plot a.SVG")).code(0).quiet();
    assert!(t.read("a.SVG").starts_with(b"<svg "));
    t.run(&format!("{CYCLES} -c sha256,md5 --plot a.html")).code(0).quiet();
    let page = String::from_utf8(t.read("a.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("NULL-MEMCPY"));
});

case!(throughput_has_the_rows_that_programs_know, |t| {
    t.run(&format!("{THROUGHPUT} --export-json a.json --plot a.svg"))
        .code(0)
        .quiet()
        .prints("messages of 80 bytes\n")
        .prints("sha256d");
    let found = json(t, "a.json");
    assert_eq!(found["comparison"], "throughput");
    let rows = found["rows"].as_array().unwrap();
    for algo in ["sha256", "sha256d", "blake3", "blake3d"] {
        for threads in [1, 2] {
            let row = rows.iter().find(|row| row["algo"] == algo && row["threads"] == threads).unwrap();
            assert_eq!(row["input_bytes"], 80);
            assert!(row["total_hashes"].as_u64().unwrap() > 0 && row["digest_right"] == true);
            for key in ["duration_s", "hashes_per_sec", "ns_per_hash"] {
                assert!(row[key].as_f64().unwrap() > 0.0, "{key}");
            }
        }
    }
    assert!(rows.iter().any(|row| row["mode"] == "batch"));
    assert!(found["summary"]["speedups"].as_array().unwrap().len() == rows.len());
});

case!(implementations_are_compared_first_where_that_is_wanted, |t| {
    t.run(&format!("{THROUGHPUT} -c sha256d --verify --export-json a.json"))
        .code(0)
        .quiet()
        .prints("verified: all implementations agree over 2000 random messages each (seed ");
    assert_eq!(json(t, "a.json")["summary"]["verified"]["messages"], 2000);
});

case!(an_instruction_set_that_is_forced_holds_here_too, |t| {
    t.run(&format!("--isa portable {CYCLES} -c sha256,md5 --export-json a.json")).code(0);
    let found = json(t, "a.json");
    let names = found["rows"].as_array().unwrap().iter().map(|row| row["implementation"].as_str().unwrap());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.starts_with("portable")), "{names:?}");
    t.run(&format!("{THROUGHPUT} --no-portable -c sha256,xxh3 --input-bytes 1K"))
        .code(0)
        .prints("1024 bytes");
});

case!(what_cannot_be_measured_is_said_and_is_64, |t| {
    for (args, why) in [
        ("cycles -c sha265", "did you mean 'sha256'?"),
        ("cycles --iterations 0", "--iterations"),
        ("cycles --block 0", "at least one byte"),
        ("cycles --block 1T", "at most 64 MiB"),
        ("cycles -c md5 --reference sha256", "--reference sha256: it is not measured"),
        ("cycles -c md5 --reference md5:mmx", "there are: "),
        ("cycles --reference nosuch", "unknown algorithm 'nosuch'"),
        ("cycles --plot a.gif", ".svg or .html"),
        ("cycles --export-json a --export-csv a", "both write"),
        ("throughput --duration 0", "at least a thousandth of a second"),
        ("throughput --duration -1", "at least a thousandth"),
        ("throughput --duration nan", "a duration has"),
        ("throughput --duration 3s", "not a number of seconds"),
        ("throughput --threads 0", "--threads"),
        ("throughput --threads 1,,2", "--threads"),
        ("throughput --input-bytes 1G", "at most 1 MiB"),
        ("throughput -c ssdeep", "unknown algorithm 'ssdeep'"),
    ] {
        t.run(&format!("bench {args}")).code(64).is("").says(why);
    }
    assert!(t.leftovers().is_empty());
});

case!(a_file_that_cannot_be_written_is_found_before_anything_is_measured, |t| {
    // Measuring would take a day: the mistake must be found before.
    let long = "bench throughput --duration 86400 --threads 1";
    for option in ["--export-json no/a", "--export-csv no/a", "--export-markdown no/a", "--plot no/a.svg"] {
        t.run(&format!("{long} {option}")).code(2).is("").says("no/").says("cannot write");
    }
    t.run(&format!("{long} --export-json kept --export-csv no/a")).code(2);
    fs::create_dir(t.path("folder.svg")).unwrap();
    t.run(&format!("{long} --plot folder.svg")).code(2).says("folder.svg: cannot write");
    assert!(t.leftovers().is_empty() && !t.has("kept"));
});

case!(an_interrupt_leaves_the_results_so_far, |t| {
    // A signal that comes before the measurement begins leaves no results: then it comes later.
    let mut delay = Duration::from_millis(20);
    while !t.has("a.json") {
        let mut command = t.command("bench throughput --duration 86400 --threads 1 --export-json a.json");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        while !catches_interrupts(&fs::read_to_string(&status).unwrap()) {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(delay);
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        delay *= 2;
        assert!(delay < Duration::from_secs(60), "never any results");
    }
    let found = json(t, "a.json");
    assert_eq!((&found["comparison"], &found["interrupted"]), (&"throughput".into(), &true.into()));
    assert!(t.leftovers().is_empty());
});

/// Whether SIGINT is in the mask of the signals that a process has handlers for.
fn catches_interrupts(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 1 << 1 != 0
}
