//! A list that is read twice gives the groups of one that is read into memory.

use super::{Listed, ListedJob, whole};
use crate::audit::Manifests;
use crate::error::Error;
use hashmill_lists::signatures::guard::Guard;
use hashmill_testing::{Random, cases};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A number of lines that is not reached.
const NEVER: usize = 1_000_000;

/// Writes a list in which one of so many lines is odd.
fn write(to: &Path, odd: usize, is_shuffled: bool, algorithms: &[&str], random: &mut Random) {
    let mut lines = Vec::new();
    let (records, contents) = (random.below(60), 1 + random.below(80));
    for number in 0..records {
        let (content, path) = (random.below(contents), format!("{:03}", number));
        let digests = algorithms.iter().map(|name| {
            // Two contents have the same leading bytes.
            let row = hashmill_digest::find(name).unwrap();
            let mut digest = hashmill_digest::hash(row, &[content as u8 / 2]).as_bytes().to_vec();
            *digest.last_mut().unwrap() ^= content as u8 % 2;
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            format!(",\"{name}\":\"{hex}\"")
        });
        let digests: String = digests.collect();
        let (path, size) = (format!("\"path\":\"{path}\""), content % 7);
        let plain = format!("{{{path},\"size\":{size},\"status\":\"hashed\"{digests}}}\n");
        lines.push(match random.one_in(odd).then(|| random.below(5)) {
            Some(0) => format!("{{{path},\"status\":\"unreadable\",\"reason\":\"EIO\"}}\n"),
            Some(1) => format!("{{{path},\"status\":\"hashed\"{digests}}}\n"),
            Some(2) => plain.clone() + &plain,
            Some(3) => format!("{{{path},\"status\":\"hashed\",\"crc32\":\"01234567\"}}\n"),
            Some(_) => format!("{{{path},\"status\":\"skipped\",\"reason\":\"fifo\"}}\n"),
            None => plain,
        });
    }
    if is_shuffled {
        (1..lines.len()).for_each(|at| lines.swap(at, random.below(at + 1)));
    }
    fs::write(to, lines.concat()).unwrap();
}

fn text(listed: Result<Listed, Error>) -> String {
    listed.map_or_else(|error| error.to_string(), |listed| format!("{listed:?}"))
}

#[test]
fn lists_are_grouped_alike_in_memory_and_outside() {
    let lab = TempDir::new().unwrap();
    let path = lab.path().join("list.jsonl");
    let random = &mut Random(37);
    for _ in 0..cases(300) {
        let (odd, is_shuffled) = (*random.pick(&[4, 40, NEVER]), random.one_in(3));
        let algorithms = random.pick::<&[&str]>(&[&["sha256"], &["crc32", "md5"], &["md5"]]);
        write(&path, odd, is_shuffled, algorithms, random);
        let algorithm = *random.pick(&[None, None, hashmill_digest::find("md5").ok()]);
        let (min_size, memory) = (random.below_u64(3), *random.pick(&[64, 1 << 20]));
        let job = ListedJob { algorithm, memory, ..ListedJob::new(vec![path.clone()], min_size) };
        let listed = job.run(&mut |_| ()).map(Option::unwrap);
        let list = Guard::default().open(path.as_os_str(), &mut |_| ()).unwrap();
        let all = Manifests::default().read(vec![(path.clone(), list)], None, &mut |_| ());
        let all = all.and_then(|all| whole::listed(all, algorithm, min_size));
        assert_eq!(text(listed), text(all), "{}", fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn lists_that_are_alike_need_no_memory() {
    let lab = TempDir::new().unwrap();
    let path = lab.path().join("list.jsonl");
    write(&path, NEVER, true, &["sha256"], &mut Random(1));
    let job = ListedJob::new(vec![path.clone()], 0);
    let listing = Guard::default().open(path.as_os_str(), &mut |_| ()).unwrap();
    let list = hashmill_lists::entries::List::new(&path, &listing).unwrap();
    assert!(matches!(job.stream(&list), Err(hashmill_lists::entries::Stop::Unordered)));
    assert!(job.stream(&list).unwrap().is_some());
    let two = ListedJob::new(vec![path.clone(), PathBuf::from(&path)], 0).run(&mut |_| ()).unwrap().unwrap();
    assert_eq!(text(Ok(two)), text(Ok(job.run(&mut |_| ()).unwrap().unwrap())));
}
