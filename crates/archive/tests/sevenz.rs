//! 7z archives of random trees, compared with the programs that wrote them.

mod damage;
mod programs;
mod random_trees;
mod reading;

use hashmill_archive::Limits;
use hashmill_testing::cases;
use programs::{bsdtar, listed, py7zr, seven};
use random_trees::{Random, content, options, prepared, seed};
use reading::{Read, compare, open, read};
use std::fs;

/// The number of archives.
const CASES: usize = 60;

#[test]
fn archives_of_7zz_are_read_as_7zz_reads_them() {
    for case in 0..cases(CASES) as u64 {
        let random = &mut Random((seed(7) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let options = options(random);
        let what = format!("case {case}, {options:?}");
        if seven("a", &options, &path, &["."], &root).is_none() {
            return;
        }
        // Members that are added have blocks of their own.
        if random.below(4) == 0 {
            fs::write(root.join("added"), content(random)).unwrap();
            fs::write(root.join("more"), content(random)).unwrap();
            seven("u", &random_trees::options(random), &path, &["."], &root).unwrap();
        }
        let stub = if random.below(8) == 0 { stub(random) } else { Vec::new() };
        let part = 1 + random.below(100_000) as usize;
        let bytes = [stub, fs::read(&path).unwrap()].concat();
        if !compare(&path, bytes, &root, part, &what) {
            return;
        }
    }
}

/// Returns the start of a program, as it comes before archives that unpack themselves.
fn stub(random: &mut Random) -> Vec<u8> {
    let mut stub = fs::read(std::env::current_exe().unwrap()).unwrap();
    stub.truncate(random.below(1 << 20) as usize);
    if stub.starts_with(b"\x7fELF") { stub } else { Vec::new() }
}

#[test]
#[ignore = "campaign: needs Python's packages"]
fn archives_of_other_programs_are_read_as_7zz_reads_them() {
    for case in 0..cases(CASES / 5) as u64 {
        let random = &mut Random((seed(8) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let part = 1 + random.below(100_000) as usize;
        let made = if case % 5 == 0 { py7zr(random, &path, &root) } else { bsdtar(random, &path, &root) };
        let Some(what) = made else { continue };
        if !compare(&path, fs::read(&path).unwrap(), &root, part, &format!("case {case}, {what}")) {
            return;
        }
    }
}

#[test]
fn what_is_encrypted_is_told_and_the_rest_is_read() {
    let random = &mut Random(9);
    let (_folder, root, path) = prepared(random);
    fs::write(root.join("plain"), "text").unwrap();
    if seven("a", &[], &path, &["."], &root).is_none() {
        return;
    }
    fs::write(root.join("secret"), "text").unwrap();
    seven("a", &["-psecret".into()], &path, &["secret"], &root).unwrap();
    let mut met = 0;
    for Read { member, content } in read(fs::read(&path).unwrap(), 100).unwrap() {
        let is_secret = member.path == b"secret";
        met += usize::from(is_secret);
        assert_eq!(member.problem.is_some_and(|problem| problem.word() == "encrypted"), is_secret);
        assert_eq!(content.is_err_and(|problem| problem.word() == "encrypted"), is_secret);
    }
    assert_eq!(met, 1);
    let hidden = path.with_file_name("hidden.7z");
    seven("a", &["-psecret".into(), "-mhe".into()], &hidden, &["."], &root).unwrap();
    assert_eq!(read(fs::read(&hidden).unwrap(), 100).err().unwrap().word(), "encrypted");
}

#[test]
fn items_that_stand_for_deletions_are_passed_over() {
    let random = &mut Random(10);
    let (_folder, root, path) = prepared(random);
    for name in ["gone", "empty", "stays"] {
        fs::write(root.join(name), if name == "empty" { "" } else { name }).unwrap();
    }
    fs::create_dir(root.join("folder")).unwrap();
    if seven("a", &["-snl".into()], &path, &["."], &root).is_none() {
        return;
    }
    for name in ["gone", "empty"] {
        fs::remove_file(root.join(name)).unwrap();
    }
    fs::remove_dir(root.join("folder")).unwrap();
    fs::write(root.join("new"), "new").unwrap();
    let update = path.with_file_name("update.7z");
    let option = format!("-up3q3r2x2y2z0w2!{}", update.display());
    seven("u", &["-snl".into(), "-u-".into(), option], &path, &["."], &root).unwrap();
    let expected = listed(&update).unwrap();
    let is_deletion = |path: &str| expected[path].get("Anti").is_some_and(|anti| anti == "+");
    assert!(is_deletion("gone") && is_deletion("empty") && is_deletion("folder"));
    let paths = read(fs::read(&update).unwrap(), 100).unwrap().into_iter().map(|read| read.member.path);
    let mut paths: Vec<String> = paths.map(|path| String::from_utf8(path).unwrap()).collect();
    paths.sort_unstable();
    let expected: Vec<&String> = expected.keys().filter(|path| !is_deletion(path)).collect();
    assert_eq!(paths.iter().collect::<Vec<&String>>(), expected);
    assert!(paths.contains(&"new".into()));
}

#[test]
fn a_dictionary_that_is_too_long_is_the_problem_of_its_block() {
    let random = &mut Random(13);
    let (_folder, root, path) = prepared(random);
    let long: Vec<u8> = (0..200_000).map(|_| random.next() as u8).collect();
    fs::write(root.join("long"), &long).unwrap();
    fs::write(root.join("short"), "text").unwrap();
    for method in ["-m0=LZMA:d=1m", "-m0=LZMA2:d=1m", "-m0=PPMd:mem=1m"] {
        let (method, copy) = (vec![method.to_string()], vec!["-m0=Copy".to_string()]);
        let _ = fs::remove_file(&path);
        if seven("a", &method, &path, &["long"], &root).is_none() {
            return;
        }
        seven("a", &copy, &path, &["short"], &root).unwrap();
        let mut members = open(fs::read(&path).unwrap(), &Limits { memory: 100_000 }).unwrap();
        let mut problems = Vec::new();
        while let Some(member) = members.next().unwrap() {
            problems.push((
                String::from_utf8(member.path).unwrap(),
                member.problem.map(|problem| problem.word()),
            ));
            assert_eq!(members.read(&mut [0; 10]).is_ok(), problems.last().unwrap().1.is_none());
        }
        assert_eq!(problems, [("long".into(), Some("needs-memory")), ("short".into(), None)], "{method:?}");
        // No dictionary needs to be longer than the content.
        let mut members = open(fs::read(&path).unwrap(), &Limits { memory: 200_000 }).unwrap();
        let problem = members.next().unwrap().unwrap().problem;
        assert_eq!(problem.is_some(), method[0].contains("PPMd"));
    }
}
