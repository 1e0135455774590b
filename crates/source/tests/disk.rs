//! The policy for spinning disks compared with a thread for each file, on a model of a disk; and the library that makes
//! a whole program read from such a disk.

use crate::common::{Folder, preloaded};
use hashmill_source::{Medium, Policy, ReadOrder};
use hashmill_testing::installed;
use std::collections::VecDeque;
use std::fs;
use std::process::Command;

/// A disk with one head. The numbers are those of a common disk of 1 TB: 8 ms on average for a seek, 7,200 rotations a
/// minute, 150 MB/s; `testdata/disk.c` has the same.
struct Disk {
    head: u64,
    seconds: f64,
}

/// A file in one extent.
#[derive(Debug, Clone, Copy)]
struct Laid {
    start: u64,
    length: u64,
}

/// The part of a file that its reader has not read yet.
struct Rest(Laid);

/// The order in which the pending requests of several readers are served.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Served {
    /// In turn.
    Fairly,
    /// The nearest one to the head first, the best that a scheduler or the drive itself can do.
    Nearest,
}

/// The number of bytes that the kernel fetches at once.
const WINDOW: u64 = 128 << 10;

const DISK: f64 = 1e12;
const RATE: f64 = 150e6;
const TRACK: u64 = 1 << 20;

impl Disk {
    fn cost(&self, start: u64) -> f64 {
        match start.checked_sub(self.head) {
            Some(gap) if gap < TRACK => gap as f64 / RATE,
            _ => 1e-3 + 13.1e-3 * (start.abs_diff(self.head) as f64 / DISK).sqrt() + 4.2e-3,
        }
    }

    fn read(&mut self, start: u64, length: u64) {
        self.seconds += self.cost(start) + length as f64 / RATE;
        self.head = start + length;
    }
}

/// Returns the time that this many readers take, each with one file at a time, read in windows.
fn time(files: impl IntoIterator<Item = Laid>, readers: usize, served: Served) -> f64 {
    let mut files = files.into_iter();
    let mut disk = Disk { head: 0, seconds: 0.0 };
    let mut pending: VecDeque<Rest> = files.by_ref().take(readers).map(Rest).collect();
    while !pending.is_empty() {
        let next = match served {
            Served::Fairly => 0,
            Served::Nearest => nearest(&disk, &pending),
        };
        let Some(Rest(mut file)) = pending.remove(next) else { break };
        let window = file.length.min(WINDOW);
        disk.read(file.start, window);
        (file.start, file.length) = (file.start + window, file.length - window);
        if file.length > 0 {
            pending.push_back(Rest(file));
        } else {
            pending.extend(files.next().map(Rest));
        }
    }
    disk.seconds
}

fn nearest(disk: &Disk, pending: &VecDeque<Rest>) -> usize {
    // A reader that has just been served requests again only after the others: it hashes meanwhile.
    let waiting = pending.len().saturating_sub(1).max(1);
    let cost = |at: &usize| disk.cost(pending[*at].0.start);
    (0..waiting).min_by(|one, other| cost(one).total_cmp(&cost(other))).unwrap_or(0)
}

fn by_policy(policy: Policy, files: &[Laid]) -> f64 {
    assert!(policy.alone, "the model knows no way to hold several readers back");
    let mut files = files.to_vec();
    if policy.order == ReadOrder::Disk {
        files.sort_by_key(|file| file.start);
    }
    time(files, policy.most, Served::Fairly)
}

/// Returns files of sizes between the bounds, in the order of their positions.
fn in_order(number: u64, least: u64, most: u64) -> Vec<Laid> {
    let mut random = random();
    let mut files: Vec<Laid> = Vec::new();
    let mut start = 0;
    for _ in 0..number {
        let length = least + random(most - least + 1);
        files.push(Laid { start, length });
        // Mostly one after the other, as they were written, with gaps in between.
        start += length + if random(8) == 0 { random(2_000_000_000) } else { 0 };
    }
    files
}

/// Shuffles the files: the order of paths is not that of positions.
fn shuffled(mut files: Vec<Laid>) -> Vec<Laid> {
    let mut random = random();
    for last in (1..files.len()).rev() {
        files.swap(last, random(last as u64 + 1) as usize);
    }
    files
}

/// Returns random numbers below a bound, by Marsaglia's xorshift.
fn random() -> impl FnMut(u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

#[test]
fn the_policy_for_spinning_disks_beats_a_thread_for_each_file() {
    let policy = Policy::from_medium(Medium::Rotational);
    for (what, files, ratio) in [
        ("100 files of 8 to 64 MiB", shuffled(in_order(100, 8 << 20, 64 << 20)), 1.4),
        ("the same, written in the order of paths", in_order(100, 8 << 20, 64 << 20), 1.4),
        ("4,500 files of 4 to 800 KiB", shuffled(in_order(4500, 4 << 10, 800 << 10)), 1.4),
        ("the same, written in the order of paths", in_order(4500, 4 << 10, 800 << 10), 1.4),
        ("20,000 files of 1 to 16 KiB", shuffled(in_order(20_000, 1 << 10, 16 << 10)), 1.4),
        // Here threads read in the order of the disk, too.
        ("the same, written in the order of paths", in_order(20_000, 1 << 10, 16 << 10), 0.999),
    ] {
        let ours = by_policy(policy, &files);
        let bytes: u64 = files.iter().map(|file| file.length).sum();
        let rate = |seconds: f64| bytes as f64 / 1e6 / seconds;
        for threads in [2, 4, 24] {
            for served in [Served::Fairly, Served::Nearest] {
                let theirs = time(files.iter().copied(), threads, served);
                println!(
                    "{what}: policy {ours:.1} s ({:.0} MB/s), {threads} threads served {served:?} {theirs:.1} s \
                     ({:.0} MB/s): {:.2} times",
                    rate(ours),
                    rate(theirs),
                    theirs / ours
                );
                assert!(
                    theirs >= ratio * ours,
                    "{what}: {threads} threads take {theirs} s, the policy {ours} s"
                );
            }
        }
        let by_path = time(files.iter().copied(), 1, Served::Fairly);
        println!("{what}: one reader in the order of paths {by_path:.1} s");
        assert!(by_path >= ours);
    }
}

#[test]
fn a_single_file_takes_the_disks_rate() {
    let seconds =
        by_policy(Policy::from_medium(Medium::Rotational), &[Laid { start: 0, length: 150_000_000 }]);
    assert!((seconds - 1.0).abs() < 0.01);
}

#[test]
fn a_program_can_be_made_to_read_from_a_spinning_disk() {
    if installed("cmp").is_none() {
        return;
    }
    let folder = Folder::new("simulated-disk");
    for name in ["a", "b"] {
        let file = fs::File::create(folder.join(name)).unwrap();
        fs::write(folder.join(name), vec![7; 4 << 20]).unwrap();
        // Only a file that is on the disk has a position.
        file.sync_all().unwrap();
    }
    let report = |program: &str| {
        let said = folder.join("report");
        let _ = fs::remove_file(&said);
        let output = Command::new(program)
            .args([folder.join("a"), folder.join("b")])
            .env("LD_PRELOAD", preloaded("disk"))
            .envs([("DISK_PATH", "simulated-disk"), ("DISK_SCALE", "0")])
            .env("DISK_REPORT", &said)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(said).unwrap();
        let number = |name: &str| {
            let mut words = text.split_whitespace().skip_while(|word| *word != name).skip(1);
            words.next().unwrap().parse::<u64>().unwrap()
        };
        println!("{program}: {text}");
        (number("seeks"), number("bytes"), number("ms"))
    };
    // `cat` reads one file after the other, `cmp` goes back and forth between them.
    let (one, both) = (report("cat"), report("cmp"));
    assert_eq!((one.1, both.1), (8 << 20, 8 << 20));
    assert!(one.0 <= 2 && both.0 >= 50, "{one:?} {both:?}");
    assert!(both.2 > 3 * one.2, "{one:?} {both:?}");
}
