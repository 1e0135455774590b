//! The rate of scans on one core: `cargo bench -p hashmill-rules [-- RULES...]` scans this program's sources and programs
//! of the system in memory.

use hashmill_facts::ContentScanner;
use hashmill_rules::{Limits, RuleSet};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let rules: Vec<PathBuf> =
        std::env::args().skip(1).filter(|word| word != "--bench").map(PathBuf::from).collect();
    if rules.is_empty() {
        println!("name files or folders with rules");
        return;
    }
    let start = Instant::now();
    let rules = RuleSet::load(&rules, Limits::default()).unwrap();
    println!("{} rules compiled in {:.2} s", rules.count(), start.elapsed().as_secs_f64());
    let mut contents: Vec<Vec<u8>> = Vec::new();
    for folder in ["/usr/bin", "/usr/lib/x86_64-linux-gnu"] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        contents.extend(files.filter_map(|entry| std::fs::read(entry.path()).ok()));
    }
    let bytes: usize = contents.iter().map(Vec::len).sum();
    let start = Instant::now();
    let found: usize =
        contents.iter().map(|content| black_box(rules.scan(content.as_slice().into())).matches.len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    let rate = bytes as f64 / 1e6 / seconds;
    println!(
        "{} files, {:.0} MB in {seconds:.2} s: {rate:.0} MB/s; {found} matches",
        contents.len(),
        bytes as f64 / 1e6
    );
}
