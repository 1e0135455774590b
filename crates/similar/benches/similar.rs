//! Speed of computing and comparing digests, next to OpenSSL, ssdeep and tlsh on the same file in the same run.
//!
//! `cargo bench -p hashmill-similar -- [MiB] [ALGORITHM]…`; named algorithms restrict it to their digests; `-- million`
//! compares a million ssdeep digests with another million. Times are user seconds of this process and its children from
//! /proc, so a busy machine has little effect.

use hashmill_similar::{
    LikenessDigest, Named, SIMILAR, Search, Set, Similar, find, mrsh, sdhash, ssdeep, tlsh,
};
use hashmill_testing::Random;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, hint};

/// The number of digests compared with one another.
const DIGESTS: usize = 2000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mib = words.iter().find_map(|word| word.parse().ok()).unwrap_or(500);
    let wanted: Vec<&Similar> = words.iter().filter_map(|word| find(word)).collect();
    if words.iter().any(|word| word == "million") {
        return million();
    }
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    if !wanted.is_empty() {
        return digests(&folder.path().join("random"), mib, &wanted);
    }
    digests(&folder.path().join("random"), mib, &SIMILAR.iter().collect::<Vec<_>>());
    compare();
    let list = folder.path().join("list.csv");
    all_pairs(&list);
}

/// Measures every algorithm on one random file.
fn digests(file: &Path, mib: usize, rows: &[&Similar]) {
    let bytes = Random(1).bytes(mib << 20);
    fs::write(file, &bytes).expect("room for the file");
    let file = file.to_str().expect("a plain name");
    let sha1 = tool(&["openssl", "sha1", file]);
    let md5 = tool(&["openssl", "md5", file]);
    println!("one random file of {mib} MiB, user seconds (and times of openssl md5)");
    for (name, seconds) in [("openssl sha1", sha1), ("openssl md5", md5)] {
        println!("  {name:18}{}", shown(seconds, md5));
    }
    for row in rows {
        let mut stream = (row.stream)();
        let seconds = user_seconds(|| {
            bytes.chunks(1 << 20).for_each(|part| stream.update(part));
            hint::black_box(stream.finish().ok());
        });
        println!("  {:18}{}", row.name, shown(Some(seconds), md5));
    }
    for words in [vec!["ssdeep", file], vec!["tlsh", "-f", file]] {
        println!("  {:18}{}   (the program)", words[0], shown(tool(&words), md5));
    }
    println!(
        "  references, in times of openssl md5: mrsh-v2 3.98, TLSH 5.68, ssdeep 7.04, sdhash 27.2 / 25.1"
    );
}

fn shown(seconds: Option<f64>, md5: Option<f64>) -> String {
    match (seconds, md5) {
        (Some(seconds), Some(md5)) => format!("{seconds:7.2}  {:6.2}", seconds / md5),
        (Some(seconds), None) => format!("{seconds:7.2}"),
        (None, _) => "not installed".to_string(),
    }
}

/// Measures comparisons by brute force on one core.
fn compare() {
    println!("comparisons a second on one core, by brute force (millions; references: TLSH 22, ssdeep 1.57,");
    println!("mrsh-v2 1.20 with 3.9 filter pairs each, sdhash 0.45 with 27 filter pairs each)");
    let rate = |name: &str, pairs: usize, seconds: f64| {
        println!("  {name:18}{:8.2}", pairs as f64 / seconds / 1e6);
    };
    let pairs = DIGESTS * (DIGESTS - 1) / 2;
    rate("tlsh", pairs, brute::<tlsh::Set>(&list("tlsh", DIGESTS)));
    rate("ssdeep", pairs, brute::<ssdeep::Set>(&list("ssdeep", DIGESTS)));
    rate("mrsh-v2", pairs, tiled::<mrsh::Set>(&list("mrsh-v2", DIGESTS)));
    rate("sdhash 4.0", pairs, tiled::<sdhash::Set<sdhash::Newer>>(&list("sdhash", DIGESTS)));
    rate("sdhash 3.4", pairs, tiled::<sdhash::Set<sdhash::Older>>(&list("sdhash-3.4", DIGESTS)));
    rate("sdhash --fast", pairs, tiled::<sdhash::Set<sdhash::Fast>>(&list("sdhash", DIGESTS)));
}

/// Measures all pairs of a list by brute force, without an index. No pair reaches the limit, so none is kept.
fn brute<S: Set>(list: &[Named]) -> f64 {
    let set = S::gather(list).expect("digests of one algorithm");
    user_seconds(|| {
        let pairs = set.scan_all(0..set.len(), &set, hashmill_similar::Columns::After, unlike::<S>());
        hint::black_box(pairs.len());
    })
}

/// Measures algorithms that always compare all pairs, in tiles.
fn tiled<S: Set>(list: &[Named]) -> f64 {
    let set = S::gather(list).expect("digests of one algorithm");
    user_seconds(|| {
        Search { limit: unlike::<S>(), threads: 1, stop: None }.pairs(&set, |_| unreachable!("no such score"))
    })
}

/// Returns a limit that no pair reaches.
fn unlike<S: Set>() -> i32 {
    match S::MEASURE {
        hashmill_similar::Measure::Score => 101,
        hashmill_similar::Measure::Distance => -1,
    }
}

/// Returns digests of files of 4 KiB to 90 KiB, some of them related: about 5 filters of sdhash, 2 of mrsh-v2.
fn list(row: &str, count: usize) -> Vec<Named> {
    let row = find(row).expect("a row");
    let (mut numbers, mut last) = (Random(7), Vec::new());
    let mut named = |i: usize| {
        if i.is_multiple_of(4) {
            let length = (4 << 10) + numbers.below(86 << 10);
            last = numbers.bytes(length);
        } else {
            let at = numbers.below(last.len());
            last[at] ^= 1;
            last.rotate_left(at / 2);
        }
        let mut stream = (row.stream)();
        stream.update(&last);
        Named { name: format!("file{i}").into_bytes(), digest: stream.finish().expect("a digest") }
    };
    (0..count).map(&mut named).collect()
}

/// Measures all pairs of many ssdeep digests, next to ssdeep itself.
fn all_pairs(file: &Path) {
    let list = list("ssdeep", 4457);
    let mut lines = format!("{}\n", ssdeep::HEADER).into_bytes();
    list.iter().for_each(|named| lines.extend(named.lines()));
    fs::File::create(file).and_then(|mut out| out.write_all(&lines)).expect("room for the list");
    let mut found = 0_usize;
    let ours = user_seconds(|| {
        let set = ssdeep::Set::gather(&list).expect("ssdeep digests");
        Search { limit: 1, threads: 1, stop: None }.pairs(&set, |_| {
            found += 1;
            ControlFlow::Continue(())
        });
    });
    println!("all pairs of {} ssdeep digests: {ours:.3} s, {found} pairs", list.len());
    if let Some(theirs) = tool(&["ssdeep", "-x", file.to_str().expect("a plain name")]) {
        println!("  ssdeep -x: {theirs:.2} s, {:.0} times as long", theirs / ours.max(0.005));
    }
}

/// Compares a million ssdeep digests with a million others on two threads.
fn million() {
    let mut numbers = Random(3);
    let mut digest = |i: usize| {
        let letter =
            |n: u64| b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[n as usize % 64];
        let mut part = |length: usize| (0..length).map(|_| letter(numbers.next() >> 20)).collect();
        let (first, second) = (part(34 + i % 30), part(17 + i % 15));
        let block = 3 << (i % 16);
        Named {
            name: Vec::new(),
            digest: LikenessDigest::Ssdeep(ssdeep::SsdeepDigest { block, first, second }),
        }
    };
    let list: Vec<Named> = (0..1_000_000).map(&mut digest).collect();
    let mut others: Vec<Named> = (0..500_000).map(&mut digest).collect();
    others.extend(list.iter().step_by(2).cloned());
    let (mut found, start) = (0_usize, std::time::Instant::now());
    let [set, other] = [&list, &others].map(|list| ssdeep::Set::gather(list).expect("ssdeep digests"));
    Search { limit: 1, threads: 2, stop: None }.against(&set, &other, |_| {
        found += 1;
        ControlFlow::Continue(())
    });
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown");
    println!("1,000,000 against 1,000,000: {found} pairs, {:.1} s, {peak}", start.elapsed().as_secs_f64());
}

/// Returns the user seconds of a program; `None` if it is not installed.
fn tool(words: &[&str]) -> Option<f64> {
    let before = ticks(15);
    let run = Command::new(words[0]).args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.ok().map(|_| (ticks(15) - before) as f64 / 100.0)
}

/// Returns the user seconds of this process for some work.
fn user_seconds(work: impl FnOnce()) -> f64 {
    let before = ticks(13);
    work();
    (ticks(13) - before) as f64 / 100.0
}

/// Returns a field of /proc/self/stat, counted from 0: 13 is the user time of this process, 15 that of its children.
fn ticks(field: usize) -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    stat.split(' ').nth(field).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}
