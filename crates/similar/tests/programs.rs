//! Comparisons with the installed programs, on families of files.

use crate::common::{Random, digest_by, go_on};
use hashmill_similar::{LikenessDigest, Named, Search, find};
use hashmill_testing::installed;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::process::Command;

/// Returns a file and variants: bytes inserted, deleted or changed, truncated, two joined, one inside another, moved.
fn family(numbers: &mut Random, length: usize) -> Vec<Vec<u8>> {
    let (base, other) = (numbers.bytes(length), numbers.bytes(length));
    let at = numbers.below(length / 2) + length / 4;
    let some = numbers.bytes(1 + length / 50);
    let mut replaced = base.clone();
    (0..5).for_each(|_| replaced[numbers.below(length)] ^= 0x55);
    vec![
        [&base[..at], &some, &base[at..]].concat(),
        [&base[..at], &base[at + some.len()..]].concat(),
        base[..at].to_vec(),
        base[at..].to_vec(),
        [&base[..], &other].concat(),
        [&other[..at], &base, &other[at..]].concat(),
        [&base[at..], &base[..at]].concat(),
        [&base[..at], &vec![0; length / 3], &base[at..]].concat(),
        replaced,
        base,
        other,
    ]
}

fn families() -> Vec<(String, Vec<u8>)> {
    let mut numbers = Random(33);
    let lengths = [60, 200, 700, 3000, 4096, 20_000, 150_000];
    let families = lengths.map(|length| family(&mut numbers, length));
    let files = families.into_iter().flatten().enumerate();
    files.map(|(i, bytes)| (format!("f{i:03}"), bytes)).collect()
}

/// Runs a program in a folder with the files; returns `None`, noted, if it is not installed.
fn run(program: &[&str], files: &[(String, Vec<u8>)], extra: &[(&str, Vec<u8>)]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
    extra.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
    let mut command = Command::new(installed(program[0])?);
    let ran = command.args(&program[1..]).current_dir(folder.path()).output().unwrap();
    Some(String::from_utf8(ran.stdout).unwrap())
}

fn digests(row: &str, files: &[(String, Vec<u8>)]) -> Vec<Named> {
    let row = find(row).unwrap();
    let digest = |bytes: &[u8]| digest_by((row.stream)(), bytes).ok();
    let named = |(name, bytes): &(String, Vec<u8>)| {
        Some(Named { name: name.clone().into_bytes(), digest: digest(bytes)? })
    };
    files.iter().filter_map(named).collect()
}

#[test]
fn ssdeep_agrees() {
    let files = families();
    let names = files.iter().map(|(name, _)| name.as_str());
    let program: Vec<&str> = ["ssdeep", "-l", "-s"].into_iter().chain(names.clone()).collect();
    let Some(printed) = run(&program, &files, &[]) else { return };
    let ours = digests("ssdeep", &files);
    let mut lines = "ssdeep,1.1--blocksize:hash:hash,filename\n".to_string();
    ours.iter().for_each(|named| lines.push_str(str::from_utf8(&named.lines()).unwrap()));
    assert_eq!(lines, printed);

    // All pairs of the files, and of the list that we write.
    let score = |a: &[u8], b: &[u8], score: i32| {
        format!("{} matches {} ({score})", String::from_utf8_lossy(b), String::from_utf8_lossy(a))
    };
    let mut found = BTreeSet::new();
    let search = Search { limit: 1, threads: 2, stop: None };
    let take = |pair: hashmill_similar::Pair| {
        found.insert(score(&ours[pair.a].name, &ours[pair.b].name, pair.score));
    };
    (find("ssdeep").unwrap().pairs)(&ours, &search, &mut go_on(take)).unwrap();
    let program: Vec<&str> = ["ssdeep", "-l", "-s", "-d"].into_iter().chain(names).collect();
    let printed = run(&program, &files, &[]).unwrap();
    assert_eq!(found, printed.lines().map(str::to_string).collect());
    let list = [("list.csv", lines.into_bytes())];
    let printed = run(&["ssdeep", "-s", "-x", "list.csv"], &[], &list).unwrap();
    assert_eq!(printed.lines().filter(|line| !line.is_empty()).count(), 2 * found.len());
}

#[test]
fn tlsh_agrees() {
    let files = families();
    let ours = digests("tlsh", &files);
    let mut lines: HashMap<&str, String> = HashMap::new();
    for (name, _) in files.iter().filter(|(_, bytes)| bytes.len() >= 256) {
        let Some(printed) = run(&["tlsh", "-f", name], &files, &[]) else { return };
        lines.insert(name, printed.split_whitespace().next().unwrap_or("").to_string());
    }
    let known = |named: &&Named| lines.contains_key(str::from_utf8(&named.name).unwrap());
    let ours: Vec<Named> = ours.iter().filter(known).cloned().collect();
    let mut list = Vec::new();
    for named in &ours {
        let LikenessDigest::Tlsh(digest) = &named.digest else { unreachable!() };
        let text = String::from_utf8(digest.text()).unwrap();
        let theirs = &lines[str::from_utf8(&named.name).unwrap()];
        // Versions before 4 don't write T1.
        assert_eq!(text.trim_start_matches("T1"), theirs.trim_start_matches("T1"));
        list.extend(format!("{theirs}\t{}\n", String::from_utf8_lossy(&named.name)).bytes());
    }
    let printed = run(&["tlsh", "-xref", "-l", "list"], &[], &[("list", list)]).unwrap();
    let mut found = BTreeSet::new();
    let take = |pair: hashmill_similar::Pair| {
        let [a, b] = [pair.a, pair.b].map(|at| String::from_utf8_lossy(&ours[at].name).into_owned());
        found.insert(format!("{a}\t{b}\t{}", pair.score));
    };
    let search = Search { limit: 9999, threads: 1, stop: None };
    (find("tlsh").unwrap().pairs)(&ours, &search, &mut go_on(take)).unwrap();
    assert!(!found.is_empty());
    assert_eq!(found, printed.lines().map(str::to_string).collect());
}
