//! One pass over lists gives the same output, events and results as two.

use super::{ConvertEvent, ConvertJob, ConvertObserver, Target};
use crate::error::Error;
use crate::merge::MergeJob;
use hashmill_content::output::{OutputPath, To};
use hashmill_testing::{Random, cases};
use std::fmt::Debug;
use std::fs;
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The formats to write: with and without headers, with all facts and with few.
const FORMATS: [&str; 6] = ["jsonl", "csv", "parquet", "dfxml", "hashdeep", "sha256"];

/// A number of lines that is not reached.
const NEVER: usize = 1_000_000;

/// Writes a list in which one of so many lines has something that the first ones lack, and which ends in disorder.
fn write(to: &Path, lines: usize, odd: usize, random: &mut Random) {
    let mut text = String::new();
    for number in 0..lines {
        let path = format!("{:04}/{}", number / 3, number % 3);
        let content = random.below(3);
        let digest = hashmill_digest::hash(hashmill_digest::find("sha256").unwrap(), &[content as u8]);
        let digest: String = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let (path, digest) = (format!("\"path\":\"{path}\""), format!("\"sha256\":\"{digest}\""));
        let plain = format!("{{{path},\"size\":{content},\"status\":\"hashed\",{digest}}}\n");
        text += &match random.one_in(odd).then(|| random.below(9)) {
            Some(0) => format!("{{{path},\"status\":\"unreadable\",\"reason\":\"EIO\"}}\n"),
            Some(1) => format!("{{{path},\"status\":\"hashed\",\"crc32\":\"01234567\"}}\n"),
            Some(2) => plain.replace("}", ",\"mtime\":\"2024-01-02T03:04:05Z\"}"),
            Some(3) => plain.replace("\"size\"", "\"offset\":0,\"length\"") + &plain,
            Some(4) => "nonsense\n".into(),
            Some(5) => plain.replace("\"path\":\"", "\"path\":\"\\n"),
            Some(6) => plain.clone() + &plain.replace("sha256", "xxh64").replace(&digest[10..26], ""),
            Some(7) => plain.replace("\"path\":\"", "\"path\":\"."),
            Some(_) => format!("{{{path},\"status\":\"hashed\",{digest}}}\n"),
            None => plain,
        };
    }
    fs::write(to, text).unwrap();
}

/// Runs a job; returns its events and result as text, and what it wrote.
fn run<T: Debug>(
    to: &Path,
    job: impl FnOnce(Target, &mut ConvertObserver<'_>) -> Result<T, Error>,
) -> (Vec<String>, String, Option<Vec<u8>>) {
    let target = Target::new(To::File(OutputPath { force: true, ..to.into() }));
    let mut events = Vec::new();
    let done = job(target, &mut |event: ConvertEvent<'_>| {
        events.push(format!("{event:?}"));
        Continue(())
    });
    let done = done.map_or_else(|error| error.to_string(), |summary| format!("{summary:?}"));
    let written = fs::read(to).ok();
    let _ = fs::remove_file(to);
    (events, done, written)
}

/// Returns a target of this format.
fn of(format: &str, target: Target) -> Target {
    let lossy = !matches!(format, "jsonl" | "hashdeep");
    Target { format: hashmill_manifest::format::find_format(format), lossy, ..target }
}

/// Converts a list in both ways, and returns whether one pass was enough.
fn convert(from: &Path, to: &Path, format: &str) -> bool {
    let mut was_one = false;
    let either = run(to, |target, observer| {
        ConvertJob::new(from, of(format, target)).passes(observer, |passes| {
            let one = passes.one()?;
            was_one = one.is_some();
            one.map_or_else(|| passes.two(), Ok)
        })
    });
    let two = run(to, |target, observer| {
        ConvertJob::new(from, of(format, target)).passes(observer, |passes| passes.two())
    });
    assert_eq!(either, two, "{format}: {}", fs::read_to_string(from).unwrap());
    was_one
}

/// Merges lists in both ways, and returns whether one pass was enough.
fn merge(lists: &[PathBuf], to: &Path, format: &str) -> bool {
    let mut was_one = false;
    let job = |target| MergeJob::new(lists.to_vec(), of(format, target)).open(&mut |_| ());
    let either = run(to, |target, observer| {
        let (merge, teller) = (job(target)?, super::Teller::new(observer));
        let one = merge.one(&teller)?;
        was_one = one.is_some();
        one.map_or_else(|| merge.two(&teller), Ok)
    });
    let two = run(to, |target, observer| job(target)?.two(&super::Teller::new(observer)));
    let text = || lists.iter().map(|list| fs::read_to_string(list).unwrap()).collect::<Vec<_>>().join("\n");
    assert_eq!(either, two, "{format}: {}", text());
    was_one
}

#[test]
#[ignore = "campaign: takes long"]
fn one_pass_is_as_good_as_two() {
    let lab = TempDir::new().unwrap();
    let (lists, to) = (["a", "b", "c"].map(|name| lab.path().join(name)), lab.path().join("out"));
    // By whether lists were merged, and whether one pass was enough.
    let mut seen = [[0; 2]; 2];
    let random = &mut Random(37);
    for _ in 0..cases(150) {
        for list in &lists {
            write(list, random.below(40), *random.pick(&[4, 30, NEVER, NEVER]), random);
        }
        let format = *random.pick(&FORMATS);
        seen[0][usize::from(convert(&lists[0], &to, format))] += 1;
        let some = &lists[..2 + random.below(2)];
        seen[1][usize::from(merge(some, &to, format))] += 1;
    }
    assert!(seen.iter().flatten().all(|number| *number > 3), "{seen:?}");
}

#[test]
fn many_lists_get_no_threads() {
    let lab = TempDir::new().unwrap();
    let (list, to) = (lab.path().join("list"), lab.path().join("out"));
    write(&list, 30, NEVER, &mut Random(1));
    assert!(merge(&vec![list.clone(); 16], &to, "jsonl"));
    assert!(!merge(&vec![list; 17], &to, "jsonl"));
}

#[cfg(unix)]
mod of_devices {
    use super::*;

    #[test]
    fn what_cannot_be_written_again_is_read_twice() {
        let lab = TempDir::new().unwrap();
        let (from, to) = (lab.path().join("list"), lab.path().join("link"));
        write(&from, 30, NEVER, &mut Random(1));
        std::os::unix::fs::symlink("/dev/null", &to).unwrap();
        let target = Target::new(To::File(OutputPath { force: true, ..to.into() }));
        let job = ConvertJob::new(&from, of("jsonl", target));
        let run = job.passes(&mut |_| Continue(()), |passes| {
            assert!(passes.one()?.is_none());
            passes.two()
        });
        assert_eq!(run.unwrap(), crate::convert::ConvertSummary::default());
    }
}
