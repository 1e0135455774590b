//! Measures opening files below an operand without following links: a tree of 20,000 small files in 400 directories is
//! walked and read, from memory. Alternating rounds measure paths that are looked up from their start, as when links
//! are followed. Prints medians and the ratio.

use hashmill_os::names;
use hashmill_source::{Reader, Reading, WalkItem, WalkOptions, walk};
use std::fs;
use std::path::Path;
use std::time::Instant;

const DIRECTORIES: usize = 400;
const FILES: usize = 50;
const BYTES: usize = 1000;
const ROUNDS: usize = 21;

fn main() {
    let folder = std::env::temp_dir().join(format!("hashmill-beneath-{}", std::process::id()));
    for number in 0..DIRECTORIES {
        let directory = folder.join(format!("some/directories/{:02}/{:02}", number % 20, number / 20));
        fs::create_dir_all(&directory).expect("room for directories");
        for file in 0..FILES {
            fs::write(directory.join(format!("file-{file:03}")), [7; BYTES]).expect("room for files");
        }
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (follow, times) in [true, false].into_iter().zip(&mut times) {
            let start = Instant::now();
            assert_eq!(read(&folder, follow), DIRECTORIES * FILES * BYTES);
            times.push(start.elapsed().as_secs_f64() * 1e6 / (DIRECTORIES * FILES) as f64);
        }
    }
    let [paths, beneath] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    println!("by paths {paths:.2} us a file, below the operand {beneath:.2}, ratio {:.3}", beneath / paths);
    fs::remove_dir_all(folder).expect("the folder was made here");
}

/// Walks and reads on one thread. Returns the number of bytes.
fn read(folder: &Path, follow: bool) -> usize {
    let operands = [Box::from(names::path_bytes(folder))].into_iter();
    let mut buffer = vec![0; 4096];
    let mut total = 0;
    for found in walk(operands, WalkOptions { follow, ..WalkOptions::default() }) {
        let WalkItem::File(entry) = found else { panic!("{found:?}") };
        let mut reader = Reader::open(&entry, &Reading::default()).expect("it is there");
        let read = reader.read(&mut buffer).expect("it can be read");
        reader.finish(read as u64).expect("it held still");
        total += read;
    }
    total
}
