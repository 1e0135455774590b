//! Measures walks with and without listing ahead, from memory and from the disk: a tree of 2,000 directories with 50
//! files each; microseconds per directory, medians of interleaved rounds. The disk is measured only by the superuser,
//! who can empty the system's caches.

use hashmill_os::names;
use hashmill_source::{LookAhead, WalkItem, WalkOptions, walk};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const WIDE: usize = 40;
const DEEP: usize = 50;
const FILES: usize = 50;
const ROUNDS: usize = 15;
const COLD_ROUNDS: usize = 5;
const WAYS: [LookAhead; 3] = [LookAhead::Never, LookAhead::Auto, LookAhead::Always];

fn main() {
    let folder = std::env::temp_dir().join(format!("hashmill-walk-{}", std::process::id()));
    make(&folder);
    measure("from memory", &folder, ROUNDS, || ());
    if empty_caches() {
        measure("from the disk", &folder, COLD_ROUNDS, || assert!(empty_caches()));
    }
    fs::remove_dir_all(folder).expect("the folder was made here");
}

/// Creates the files in an order that differs from that of the names.
fn make(folder: &Path) {
    for number in 0..WIDE * DEEP {
        let number = number * 7919 % (WIDE * DEEP);
        let directory = folder.join(format!("{:02}/{:02}", number % WIDE, number / WIDE));
        fs::create_dir_all(&directory).expect("room for directories");
        for file in 0..FILES {
            File::create(directory.join(format!("file-{file:03}"))).expect("room for files");
        }
    }
}

fn measure(what: &str, folder: &Path, rounds: usize, before: impl Fn()) {
    let mut times = WAYS.map(|_| Vec::new());
    for _ in 0..rounds {
        for (way, times) in WAYS.into_iter().zip(&mut times) {
            before();
            let start = Instant::now();
            assert_eq!(walked(folder, way), WIDE * DEEP * FILES);
            times.push(start.elapsed().as_secs_f64() * 1e6 / (WIDE * DEEP) as f64);
        }
    }
    for (way, times) in WAYS.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("{what}, {way:?}: median {:.1} us a directory, best {:.1}", times[rounds / 2], times[0]);
    }
}

fn walked(folder: &Path, ahead: LookAhead) -> usize {
    let operands = [Box::from(names::path_bytes(folder))].into_iter();
    let options = WalkOptions { ahead, ..WalkOptions::default() };
    walk(operands, options).filter(|found| matches!(found, WalkItem::File(_))).count()
}

fn empty_caches() -> bool {
    let synced = Command::new("sync").status().is_ok_and(|status| status.success());
    synced && fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}
