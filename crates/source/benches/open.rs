//! Measures the overhead of a [`Reader`] over the bare calls, on 10,000 warm files of 2 KiB: microseconds per file, the
//! median of interleaved rounds. Then measures the walk, per file.

use hashmill_os::names;
use hashmill_source::{Entry, Origin, Reader, Reading, WalkItem, WalkOptions, walk};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

const FILES: usize = 10_000;
const ROUNDS: usize = 31;

fn main() {
    let folder = std::env::temp_dir().join(format!("hashmill-open-{}", std::process::id()));
    let paths = make(&folder);
    let mut buffer = vec![0; 64 << 10];
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        times[0].push(time(|| paths.iter().for_each(|path| bare(path, &mut buffer))));
        times[1].push(time(|| paths.iter().for_each(|path| reader(path, &mut buffer))));
        times[2].push(time(|| assert_eq!(walked(&folder), FILES)));
    }
    for (name, times) in ["open, read, close", "Reader", "walk"].iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("{name:<18} median {:.2} us a file, best {:.2}", times[ROUNDS / 2], times[0]);
    }
    fs::remove_dir_all(folder).expect("the folder was made here");
}

fn make(folder: &Path) -> Vec<PathBuf> {
    fs::create_dir_all(folder).expect("room for files");
    let paths: Vec<PathBuf> = (0..FILES).map(|number| folder.join(format!("file-{number:05}"))).collect();
    paths.iter().for_each(|path| fs::write(path, [7; 2048]).expect("room for files"));
    paths
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6 / FILES as f64
}

fn bare(path: &Path, buffer: &mut [u8]) {
    let read = File::open(path).and_then(|mut file| file.read(buffer));
    assert_eq!(read.expect("the file is there"), 2048);
}

fn reader(path: &Path, buffer: &mut [u8]) {
    let entry = Entry::new(names::path_bytes(path).into(), Origin::Path);
    let mut reader = Reader::open(&entry, &Reading::default()).expect("the file is there");
    let read = reader.read(buffer).expect("the file can be read");
    assert_eq!(read, 2048);
    reader.finish(read as u64).expect("the file holds still");
}

fn walked(folder: &Path) -> usize {
    let operands = [Box::from(names::path_bytes(folder))].into_iter();
    walk(operands, WalkOptions::default()).filter(|found| matches!(found, WalkItem::File(_))).count()
}
