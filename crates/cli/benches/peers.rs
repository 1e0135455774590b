//! hashloom beside its peers, on the same work in the same run: `cargo bench -p hashloom --bench peers`.
//!
//! Each case runs every tool once to warm the page cache, then all tools in turn, round after round, so
//! that drift of the machine hits them alike. It prints the median of each and the ratio to ours.
//! Arguments pick cases by a part of their names; `ROUNDS` and `BENCH_DIR` set the number of rounds
//! (default 5) and where the files are made (default: the system's temporary folder). Trees and pieces are also
//! shown beside their limit: the time to read the same bytes on all cores without hashing them, and then to hash
//! them on all cores with every kernel at its peak.

use hashloom_bench::generated::Noise;
use hashloom_bench::{Memory, Shape, TURN, take_turns};
use hashloom_digest::find;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn main() -> io::Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let dir =
        std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from).join("hashloom-bench");
    for case in cases(&Corpus::make(&dir)?) {
        if wanted.is_empty() || wanted.iter().any(|part| case.name.contains(part.as_str())) {
            run(&case, rounds)?;
        }
    }
    Ok(())
}

/// The same work by several tools; the first is ours.
struct Case {
    name: String,
    bytes: u64,
    files: u64,
    tools: Vec<Tool>,
    /// What the bytes are hashed by and where they lie, if the result is shown beside the limit.
    limit: Option<(String, PathBuf)>,
}

struct Tool {
    name: String,
    command: String,
}

fn tool(name: &str, command: impl Into<String>) -> Tool {
    Tool { name: name.to_string(), command: command.into() }
}

/// What is hashed.
struct Corpus {
    /// One file of 1 GiB.
    large: PathBuf,
    /// 10,000 files of 2 KiB.
    small: PathBuf,
    /// About 4,500 files and 1.8 GB, sizes log-normal from 4 KB to 40 MB.
    mixed: PathBuf,
    mixed_bytes: u64,
}

const SMALL_FILES: u64 = 10_000;
const MIXED_FILES: u64 = 4_500;

impl Corpus {
    /// Makes what is not there yet: the same bytes on every machine.
    fn make(dir: &Path) -> io::Result<Self> {
        let mut noise = Noise::new(0x9e37_79b9_7f4a_7c15);
        let large = dir.join("large");
        let (small, mixed) = (dir.join("small"), dir.join("mixed"));
        let sizes: Vec<u64> = (0..MIXED_FILES).map(|_| log_normal(&mut noise)).collect();
        if !dir.join("complete").exists() {
            fs::create_dir_all(dir)?;
            noise.file(&large, 1 << 30, &|| true)?;
            for index in 0..SMALL_FILES {
                let folder = small.join(format!("{:02}", index % 100));
                fs::create_dir_all(&folder)?;
                noise.file(&folder.join(format!("{index:05}")), 2048, &|| true)?;
            }
            for (index, size) in sizes.iter().enumerate() {
                let folder = mixed.join(format!("{:02}", index % 45));
                fs::create_dir_all(&folder)?;
                noise.file(&folder.join(format!("{index:04}")), *size, &|| true)?;
            }
            File::create(dir.join("complete"))?;
        }
        Ok(Corpus { large, small, mixed, mixed_bytes: sizes.iter().sum() })
    }
}

/// A size between 4 KB and 40 MB whose logarithm is normal.
fn log_normal(noise: &mut Noise) -> u64 {
    (90_000.0 * (1.75 * noise.normal()).exp()).clamp(4_000.0, 40_000_000.0) as u64
}

fn cases(corpus: &Corpus) -> Vec<Case> {
    let mut cases = Vec::new();
    for (algorithm, rivals) in single_rivals() {
        cases.push(one_file(&corpus.large, algorithm, rivals));
    }
    for algorithm in ["md5", "sha1", "sha256", "sha512", "blake3", "md5,sha1,sha256"] {
        cases.push(tree("10,000 x 2 KiB", &corpus.small, 2048 * SMALL_FILES, SMALL_FILES, algorithm));
        cases.push(tree("4,500 mixed", &corpus.mixed, corpus.mixed_bytes, MIXED_FILES, algorithm));
    }
    let file = corpus.large.display();
    cases.push(Case {
        name: "1 GiB, pieces of 1 MiB, sha256".to_string(),
        bytes: 1 << 30,
        files: 1,
        tools: vec![
            tool("hashloom", format!("{OURS} hashdeep -c sha256 -p 1m {file}")),
            tool("hashdeep", format!("hashdeep -c sha256 -p 1m {file}")),
        ],
        limit: Some(("sha256".to_string(), corpus.large.clone())),
    });
    cases
}

const OURS: &str = env!("CARGO_BIN_EXE_hashloom");

/// For one file, by algorithm: the tools that know it.
fn single_rivals() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    vec![
        ("md5", vec![("openssl", "openssl dgst -md5"), ("md5sum", "md5sum"), ("rhash", "rhash --md5")]),
        ("sha1", vec![("openssl", "openssl dgst -sha1"), ("sha1sum", "sha1sum"), ("rhash", "rhash --sha1")]),
        (
            "sha256",
            vec![
                ("openssl", "openssl dgst -sha256"),
                ("sha256sum", "sha256sum"),
                ("rhash", "rhash --sha256"),
            ],
        ),
        (
            "sha512",
            vec![
                ("openssl", "openssl dgst -sha512"),
                ("sha512sum", "sha512sum"),
                ("rhash", "rhash --sha512"),
            ],
        ),
        ("sha3-256", vec![("openssl", "openssl dgst -sha3-256"), ("rhash", "rhash --sha3-256")]),
        ("blake2b-512", vec![("b2sum", "b2sum"), ("openssl", "openssl dgst -blake2b512")]),
        ("blake2s-256", vec![("openssl", "openssl dgst -blake2s256"), ("rhash", "rhash --blake2s")]),
        ("blake3", vec![("b3sum", "b3sum")]),
        ("ripemd160", vec![("rhash", "rhash --ripemd160")]),
        ("tiger", vec![("rhash", "rhash --tiger"), ("tigerdeep", "tigerdeep")]),
        ("whirlpool", vec![("rhash", "rhash --whirlpool")]),
        ("sm3", vec![("openssl", "openssl dgst -sm3"), ("cksum", "cksum -a sm3")]),
        ("streebog256", vec![("rhash", "rhash --gost12-256")]),
        ("crc32", vec![("rhash", "rhash --crc32")]),
        ("crc32c", vec![("rhash", "rhash --crc32c")]),
        ("cksum", vec![("cksum", "cksum")]),
        ("xxh32", vec![("xxhsum", "xxhsum -H0")]),
        ("xxh64", vec![("xxhsum", "xxhsum -H1")]),
        ("xxh128", vec![("xxhsum", "xxhsum -H2")]),
        (
            "md5,sha1,sha256",
            vec![("rhash", "rhash --md5 --sha1 --sha256"), ("hashdeep", "hashdeep -c md5,sha1,sha256")],
        ),
    ]
}

fn one_file(file: &Path, algorithm: &str, rivals: Vec<(&str, &str)>) -> Case {
    let file = file.display();
    let mut tools = vec![tool("hashloom", format!("{OURS} hash -f sums -c {algorithm} {file}"))];
    tools.extend(rivals.into_iter().map(|(name, command)| tool(name, format!("{command} {file}"))));
    Case { name: format!("1 GiB, {algorithm}"), bytes: 1 << 30, files: 1, tools, limit: None }
}

fn tree(name: &str, dir: &Path, bytes: u64, files: u64, algorithm: &str) -> Case {
    let at = dir.display();
    let mut tools = vec![tool("hashloom", format!("{OURS} hash -f sums -c {algorithm} {at}"))];
    let xargs = |program: &str| format!("find {at} -type f -print0 | xargs -0 -P2 -n 64 {program}");
    match algorithm {
        "blake3" => {
            tools.push(tool("b3sum", format!("find {at} -type f -print0 | xargs -0 -n 5000 b3sum")));
        }
        "md5,sha1,sha256" => {
            tools.push(tool("rhash", xargs("rhash --md5 --sha1 --sha256")));
            tools.push(tool("hashdeep", format!("hashdeep -r -j2 -c {algorithm} {at}")));
        }
        _ => {
            tools.push(tool(&format!("{algorithm}sum"), xargs(&format!("{algorithm}sum"))));
            tools.push(tool("rhash", xargs(&format!("rhash --{algorithm}"))));
        }
    }
    if ["md5", "sha1", "sha256"].contains(&algorithm) {
        tools.push(tool("hashdeep", format!("hashdeep -r -j2 -c {algorithm} {at}")));
    }
    if algorithm != "md5,sha1,sha256" {
        tools.push(tool("blazehash", format!("blazehash -r -c {algorithm} {at}")));
    }
    let limit = Some((algorithm.to_string(), dir.to_path_buf()));
    Case { name: format!("{name}, {algorithm}"), bytes, files, tools, limit }
}

fn run(case: &Case, rounds: usize) -> io::Result<()> {
    let present: Vec<&Tool> = case.tools.iter().filter(|tool| works(tool)).collect();
    let mut times = vec![Vec::new(); present.len()];
    let limit = case.limit.as_ref().map(|(algorithms, at)| Limit::of(algorithms, at)).transpose()?;
    let mut reads = Vec::new();
    for _ in 0..rounds {
        if let Some(limit) = &limit {
            reads.push(limit.read()?);
        }
        for (tool, times) in present.iter().zip(&mut times) {
            let start = Instant::now();
            shell(&tool.command).status()?;
            times.push(start.elapsed().as_secs_f64());
        }
    }
    println!("{} ({:.0} MB, {} files)", case.name, case.bytes as f64 / 1e6, case.files);
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    for (tool, median) in present.iter().zip(&medians) {
        let rate = case.bytes as f64 / median / 1e9;
        let ratio = median / medians[0];
        println!("  {:12} {:9.1} ms  {rate:6.2} GB/s  {ratio:6.2} x ours", tool.name, median * 1e3);
    }
    if let Some(limit) = limit {
        let reading = median(&mut reads);
        let hashing = case.bytes as f64 * limit.hashing / limit.threads as f64;
        let share = 100.0 * (reading + hashing) / medians[0];
        let (reading, hashing) = (reading * 1e3, hashing * 1e3);
        println!("  limit: reading {reading:.1} ms + kernels {hashing:.1} ms; we are at {share:.0} % of it");
    }
    Ok(())
}

/// The least time that reading and hashing can take on this machine, one after the other on every core.
struct Limit {
    files: Vec<PathBuf>,
    threads: usize,
    /// Seconds a byte takes on one core, all kernels of the case together, each at its peak.
    hashing: f64,
}

impl Limit {
    fn of(algorithms: &str, at: &Path) -> io::Result<Self> {
        let threads = std::thread::available_parallelism()?.get();
        let mut files = Vec::new();
        list(at, &mut files)?;
        Ok(Limit { files, threads, hashing: algorithms.split(',').map(peak).sum() })
    }

    /// The seconds that it takes to read all files on all cores, and to do nothing with them.
    fn read(&self) -> io::Result<f64> {
        let start = Instant::now();
        let next = AtomicUsize::new(0);
        let read = || {
            let mut memory = vec![0; READ + PAGE];
            let page = memory.as_ptr().align_offset(PAGE);
            let buffer = &mut memory[page..page + READ];
            while let Some(path) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut file = File::open(path)?;
                while file.read(buffer)? > 0 {}
            }
            Ok(())
        };
        if let [file] = &self.files[..] {
            return read_one(file, self.threads).map(|()| start.elapsed().as_secs_f64());
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(read)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })
        .map(|()| start.elapsed().as_secs_f64())
    }
}

/// Bytes of one read.
const READ: usize = 256 << 10;
const PAGE: usize = 4096;

/// Reads one file, every thread a stretch of it.
fn read_one(path: &Path, threads: usize) -> io::Result<()> {
    let length = path.metadata()?.len();
    let share = length.div_ceil(threads as u64);
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads as u64)
            .map(|part| {
                scope.spawn(move || {
                    let mut memory = vec![0; READ + PAGE];
                    let page = memory.as_ptr().align_offset(PAGE);
                    let file = File::open(path)?;
                    let mut at = part * share;
                    while at < ((part + 1) * share).min(length) {
                        at += file.read_at(&mut memory[page..page + READ], at)?.max(1) as u64;
                    }
                    Ok(())
                })
            })
            .collect();
        parts.into_iter().try_for_each(|part| part.join().expect("no panic"))
    })
}

fn list(at: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if at.is_file() {
        files.push(at.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(at)? {
        list(&entry?.path(), files)?;
    }
    Ok(())
}

/// Seconds a byte takes on one core where the algorithm is fastest: all lanes full, or one long stream.
fn peak(algorithm: &str) -> f64 {
    let bank = find(algorithm).expect("an algorithm of the registry").bank;
    let lanes = bank().lanes();
    let full = Shape { streams: lanes, bytes: 16 << 10, whole: false };
    let shapes = [full, Shape { streams: 1, bytes: 64 << 10, whole: false }];
    let memory = Memory::of(shapes);
    let mut works = shapes.map(|shape| shape.work(bank(), &memory));
    let times = take_turns(&mut works, TURN);
    let seconds = shapes.iter().zip(times).map(|(shape, times)| times.best() / 1e9 / shape.total() as f64);
    seconds.fold(f64::INFINITY, f64::min)
}

/// Runs a tool once, which also warms the cache; one that is missing or fails is left out, and said so.
fn works(tool: &Tool) -> bool {
    let works = shell(&tool.command).status().is_ok_and(|status| status.success());
    if !works {
        println!("  {:12} left out: it is not installed, or fails", tool.name);
    }
    works
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    shell
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
