//! hashmill beside its peers, on the same work in the same run: `cargo bench -p hashmill --bench peers`.
//!
//! Each case runs every tool once to warm the page cache, then all tools in turn, round after round, so
//! that drift of the machine hits them alike. It prints the median of each and the ratio to ours.
//! Arguments pick cases by a part of their names; `ROUNDS`, `BENCH_DIR` and `BENCH_FILE` set the number of rounds
//! (default 5), where the files are made (default: the system's temporary folder), and how long the one file is
//! (default 1G). `blocks` picks digests made of blocks. Trees, pieces and blocks are also
//! shown beside their limit: the time to read the same bytes on all cores without hashing them, and then to hash
//! them on all cores with every kernel at its peak.

mod blocks;
mod cases;
mod corpus;
mod limit;

use corpus::{Corpus, Files};
use hashmill_digest::parse_size;
use limit::Limit;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() -> io::Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    let dir =
        std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from).join("hashmill-bench");
    let large = std::env::var("BENCH_FILE").ok().and_then(|text| parse_size(&text).ok()).unwrap_or(1 << 30);
    let corpus = Corpus { dir, large };
    for case in cases::cases(&corpus) {
        if wanted.is_empty() || wanted.iter().any(|part| case.name.contains(part.as_str())) {
            corpus.make(case.files)?;
            run(&case, &corpus, rounds)?;
        }
    }
    Ok(())
}

/// The same work by several tools; the first is ours.
struct Case {
    name: String,
    files: Files,
    tools: Vec<Tool>,
    /// The algorithm of the results that are shown beside the limit.
    limit: Option<String>,
}

struct Tool {
    name: String,
    command: String,
}

fn tool(name: &str, command: impl Into<String>) -> Tool {
    Tool { name: name.to_string(), command: command.into() }
}

fn run(case: &Case, corpus: &Corpus, rounds: usize) -> io::Result<()> {
    let (files, bytes) = corpus.size(case.files);
    let present: Vec<&Tool> = case.tools.iter().filter(|tool| works(tool)).collect();
    let mut times = vec![Vec::new(); present.len()];
    let at = corpus.path(case.files);
    let limit = case.limit.as_ref().map(|algorithms| Limit::new(algorithms, &at)).transpose()?;
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
    println!("{} ({:.0} MB, {} files)", case.name, bytes as f64 / 1e6, files);
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    for (tool, median) in present.iter().zip(&medians) {
        let rate = bytes as f64 / median / 1e9;
        let ratio = median / medians[0];
        println!("  {:12} {:9.1} ms  {rate:6.2} GB/s  {ratio:6.2} x ours", tool.name, median * 1e3);
    }
    if let Some(limit) = limit {
        let reading = median(&mut reads);
        let hashing = bytes as f64 * limit.hashing / limit.threads as f64;
        let share = 100.0 * (reading + hashing) / medians[0];
        let (reading, hashing) = (reading * 1e3, hashing * 1e3);
        println!("  limit: reading {reading:.1} ms + kernels {hashing:.1} ms; we are at {share:.0} % of it");
    }
    Ok(())
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
