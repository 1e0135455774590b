//! Measures builds of indexes and lookups, on real files, and compares other tools.
//!
//! `cargo bench -p hashmill-known` runs it small. The performance goals are for `KNOWN_DIGESTS=100000000
//! KNOWN_ROWS=10000000` (`KNOWN_HFIND`: digests in the list for `hfind`). `KNOWN_FOLDER` is the folder for the files,
//! which need some 60 bytes per digest and 600 per row. Peak memory is that of this process, so the build comes first.

use hashmill_digest::Digest;
use hashmill_known::{BuildOptions, Category, Index, Input, Strictness, build};
use hashmill_testing::Random;
use hashmill_testing::samples::rds;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const LOOKUPS: usize = 4_000_000;

fn main() {
    let folder = std::env::var_os("KNOWN_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = folder.join(format!("known-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let size = |name: &str, small| std::env::var(name).map_or(small, |text| text.parse().unwrap());
    lists(&folder, size("KNOWN_DIGESTS", 1_000_000));
    hfind(&folder, size("KNOWN_HFIND", 200_000));
    databases(&folder, size("KNOWN_ROWS", 100_000));
    std::fs::remove_dir_all(&folder).unwrap();
}

fn seconds<T>(deed: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = deed();
    (start.elapsed().as_secs_f64(), result)
}

/// Returns the processor time of this thread for a function, in seconds. Time spent waiting for other programs does not
/// count.
fn core_seconds<T>(deed: impl FnOnce() -> T) -> (f64, T) {
    let busy = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ').next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
    };
    let start = busy();
    let result = deed();
    (busy() - start, result)
}

fn compile(target: &Path, input: &Path) -> f64 {
    let means = BuildOptions { memory: 2 << 30, built: None, ..BuildOptions::default() };
    let input = Input::new(input, Category::Good);
    let build = || build(target, &[input], &means, Strictness::Strict, &mut |_, _| {}).unwrap();
    let before = processor_seconds();
    let (time, _) = seconds(build);
    println!(
        "  {time:.2} s, of which the processor worked {:.2} s on all threads",
        processor_seconds() - before
    );
    time
}

/// Returns the processor time of all threads of this process so far, in seconds.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().skip(11).take(2);
    // In hundredths of a second on every Linux.
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Measures lists of random digests of 20 and 16 bytes in hexadecimal lines.
fn lists(folder: &Path, count: u64) {
    let (list, index) = (folder.join("sha1.txt"), folder.join("sha1.hmk"));
    write_list(&list, count, 20);
    let time = compile(&index, &list);
    let ratio = std::fs::metadata(&index).unwrap().len() as f64 / (count * 20) as f64;
    println!(
        "build sha1 list: {count} digests, {time:.2} s, {:.2} million/s, {ratio:.3} of their bytes",
        million(count, time)
    );
    println!("peak memory: {} MiB", peak_memory() >> 20);
    std::fs::remove_file(&list).unwrap();
    look_up(&index, count, 20);
    std::fs::remove_file(&index).unwrap();
}

fn million(count: u64, time: f64) -> f64 {
    count as f64 / time / 1e6
}

fn write_list(path: &Path, count: u64, bytes: usize) {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    for number in 0..count {
        writeln!(out, "{}", known(number, bytes)).unwrap();
    }
    out.flush().unwrap();
}

/// Returns the digest with this number in the lists.
fn known(number: u64, bytes: usize) -> Digest {
    Random(number ^ 0x5555_0000_0000).digest(bytes)
}

/// Returns digests to look up, half of which are in the lists.
fn questions(count: u64, bytes: usize) -> Vec<Digest> {
    let mut random = Random(77);
    let question = |n: usize| match n % 2 {
        0 => known(random.below_u64(count), bytes),
        _ => random.digest(bytes),
    };
    (0..LOOKUPS).map(question).collect()
}

fn look_up(path: &Path, count: u64, bytes: usize) {
    let questions = questions(count, bytes);
    let (time, index) = seconds(|| {
        let index = Index::open(path).unwrap();
        black_box(index.find(&questions[0]).unwrap());
        index
    });
    println!("open and first look-up: {:.2} ms", time * 1e3);
    index.populate();
    let (time, found) =
        core_seconds(|| questions.iter().filter(|digest| index.find(digest).unwrap().is_some()).count());
    assert_eq!(found, LOOKUPS / 2);
    println!("single look-ups: {:.0} ns each", time / LOOKUPS as f64 * 1e9);
    let (time, hits) = core_seconds(|| index.find_all(&questions).unwrap());
    assert_eq!(hits.iter().flatten().count(), LOOKUPS / 2);
    println!("batched look-ups: {:.1} million/s", million(LOOKUPS as u64, time));
    let fresh = Index::open(path).unwrap();
    fresh.populate();
    let (time, _) = core_seconds(|| fresh.find_all(&questions).unwrap());
    println!("batched look-ups that verify blocks first: {:.1} million/s", million(LOOKUPS as u64, time));
    let (time, ()) = seconds(|| index.verify().unwrap());
    println!("verify: {time:.2} s");
}

/// Returns the peak of this process's resident memory in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) << 10
}

/// Measures 100,000 lookups of MD5 digests, by this crate from a cold start and by `hfind`.
fn hfind(folder: &Path, count: u64) {
    let (list, index, asked) = (folder.join("known.md5"), folder.join("md5.hmk"), folder.join("asked"));
    let mut out = BufWriter::new(File::create(&list).unwrap());
    (0..count).for_each(|n| writeln!(out, "{}  {n}", known(n, 16)).unwrap());
    out.flush().unwrap();
    let ours = compile(&index, &list);
    let questions = &questions(count, 16)[..100_000];
    let text: String = questions.iter().map(|digest| format!("{digest}\n")).collect();
    std::fs::write(&asked, text).unwrap();
    let (theirs, status) = seconds(|| {
        let mut make = Command::new("hfind");
        make.args(["-i", "md5sum"]).arg(&list).stdout(Stdio::null()).stderr(Stdio::null()).status()
    });
    if !status.is_ok_and(|status| status.success()) {
        println!("hfind: not installed, not compared");
        return;
    }
    println!("build md5 list: {count} digests, {ours:.2} s; hfind {theirs:.2} s");
    let (ours, _) = seconds(|| Index::open(&index).unwrap().find_all(questions).unwrap());
    let (core, _) = core_seconds(|| Index::open(&index).unwrap().find_all(questions).unwrap());
    let (theirs, _) = seconds(|| Command::new("hfind").arg("-f").arg(&asked).arg(&list).output());
    let times = theirs / ours;
    let [ours, core, theirs] = [ours, core, theirs].map(|time| time * 1e3);
    println!("100,000 look-ups: {ours:.2} ms ({core:.2} of a core); hfind {theirs:.0} ms ({times:.0} times)");
}

/// Measures an RDS 3 and an RDS 2 with this many rows.
fn databases(folder: &Path, count: u64) {
    let (database, index) = (folder.join("rds.db"), folder.join("rds.hmk"));
    rds::sqlite(&database, count, rds::Schema::Minimal);
    let scan = || {
        let connection = rusqlite::Connection::open(&database).unwrap();
        let sql = "SELECT count(*), max(sha1), max(md5) FROM FILE";
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    // The first run loads as much of the file into the cache as fits.
    scan();
    let (scanned, rows) = seconds(scan);
    let built = compile(&index, &database);
    println!(
        "build RDS 3: {rows} rows, {} MiB, {built:.2} s, {:.2} million rows/s; SQLite's scan {scanned:.2} s",
        std::fs::metadata(&database).unwrap().len() >> 20,
        million(rows as u64, built),
    );
    describe(&index);
    rds::text(folder, count);
    let built = compile(&index, &folder.join("NSRLFile.txt"));
    println!("build RDS 2: {count} rows, {built:.2} s, {:.2} million rows/s", million(count, built));
}

fn describe(path: &Path) {
    let index = Index::open(path).unwrap();
    for table in &index.about().tables {
        let bytes = table.bits as usize / 8;
        let ratio = index.table_bytes(bytes) as f64 / (table.count * bytes as u64) as f64;
        println!("  {} bits: {} digests, {ratio:.3} of their bytes with sizes", table.bits, table.count);
    }
    println!("  the whole file: {} MiB", index.file_bytes() >> 20);
}
