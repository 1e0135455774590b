//! ar archives of random files, made by GNU ar, llvm-ar and bsdtar, and Debian packages.

use crate::cpio::tree::{Random, cut, damage, read, run, seven_zip, skim};
use hashmill_testing::{all_installed, cases, installed};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The random archives of each program and format.
const ARCHIVES: usize = 6;
/// The damages to each archive.
const DAMAGES: usize = 200;

/// Random files in a folder: their names and contents.
fn files(random: &mut Random) -> (TempDir, Vec<(String, Vec<u8>)>) {
    let folder = tempfile::tempdir().unwrap();
    let count = 1 + random.below(8);
    // Programs take a name that begins with a dash for an option, and no patterns.
    let name = |random: &mut Random, number| {
        let name = String::from_utf8(random.name(number)).unwrap();
        name.replace(['-', '*', '\\', '#'], "x").chars().take(120).collect::<String>()
    };
    let files: Vec<_> = (0..count).map(|number| (name(random, number), random.content())).collect();
    for (name, content) in &files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    (folder, files)
}

/// Adds an object with a symbol, so that archives get a table of symbols.
fn add_object(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    if run(folder, "as", &["-o", "symbol.o", "-"], b".globl symbol\nsymbol: .byte 1\n".to_vec()).is_some() {
        files.push(("symbol.o".into(), fs::read(folder.join("symbol.o")).unwrap()));
    }
}

fn assert_same(archive: &[u8], files: &[(String, Vec<u8>)], random: &mut Random, context: &str) {
    let (members, problem) = read("ar", archive, random);
    assert!(problem.is_none(), "{context}: {problem:?}");
    let members: Vec<_> = members.into_iter().map(|read| (read.member.path, read.content)).collect();
    let expected: Vec<_> =
        files.iter().map(|(name, content)| (name.clone().into_bytes(), content.clone())).collect();
    let names = |list: &[(Vec<u8>, Vec<u8>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&members), names(&expected), "{context}");
    assert!(members == expected, "{context}");
    assert_eq!(skim("ar", archive, random), names(&expected), "{context}");
}

#[test]
#[ignore = "campaign: needs llvm-ar"]
fn archives_of_ar_programs() {
    let programs: [(&str, &[&str]); 6] = [
        ("ar", &["rcs"]),
        ("ar", &["rcSD"]),
        ("llvm-ar", &["--format=gnu", "rcs"]),
        ("llvm-ar", &["--format=bsd", "rcs"]),
        ("llvm-ar", &["--format=darwin", "rcs"]),
        ("llvm-ar", &["--format=bsd", "rcS"]),
    ];
    for (program, options) in programs.iter().filter(|(program, _)| installed(program).is_some()) {
        for case in 0..cases(ARCHIVES) as u64 {
            let mut random = Random(0xa4 + case * 31);
            let (folder, mut files) = files(&mut random);
            if random.below(2) == 0 {
                add_object(folder.path(), &mut files);
            }
            let names = files.iter().map(|(name, _)| name.as_str());
            let arguments: Vec<_> = options.iter().copied().chain(["out.a"]).chain(names).collect();
            run(folder.path(), program, &arguments, Vec::new()).expect("ar failed");
            let archive = fs::read(folder.path().join("out.a")).unwrap();
            if options.contains(&"--format=darwin") {
                // Line feeds up to the next multiple of eight belong to the members.
                files
                    .iter_mut()
                    .for_each(|(_, content)| content.resize(content.len().next_multiple_of(8), b'\n'));
            }
            assert_same(&archive, &files, &mut random, &format!("{program} {options:?} {case}"));
        }
    }
}

#[test]
fn archives_of_bsdtar() {
    if installed("bsdtar").is_none() {
        return;
    }
    for form in ["arbsd", "argnu"] {
        for case in 0..cases(ARCHIVES) as u64 {
            let mut random = Random(0xb5d + case * 17);
            let (folder, mut files) = files(&mut random);
            // It leaves out names that need a table unless it is given the table.
            files.retain(|(name, _)| form == "arbsd" || name.len() < 16);
            if files.is_empty() {
                continue;
            }
            let names = files.iter().map(|(name, _)| name.as_str());
            // To anything but a file it writes blocks of 10 KiB, and zeros at the end are no part of the format.
            let options = ["-c", "-f", "out.a", "--format", form];
            let arguments: Vec<_> = options.into_iter().chain(names).collect();
            run(folder.path(), "bsdtar", &arguments, Vec::new()).expect("bsdtar failed");
            let archive = fs::read(folder.path().join("out.a")).unwrap();
            assert_same(&archive, &files, &mut random, &format!("{form} {case}"));
        }
    }
}

#[test]
fn seven_zip_lists_the_same() {
    if !all_installed(&["ar", "7zz"]) {
        return;
    }
    for case in 0..cases(ARCHIVES) as u64 {
        let mut random = Random(0x77 + case);
        let (folder, files) = files(&mut random);
        let names = files.iter().map(|(name, _)| name.as_str());
        let arguments: Vec<_> = ["rcs", "out.a"].into_iter().chain(names).collect();
        run(folder.path(), "ar", &arguments, Vec::new()).expect("ar failed");
        let archive = fs::read(folder.path().join("out.a")).unwrap();
        let ours = read("ar", &archive, &mut random)
            .0
            .into_iter()
            .map(|read| (read.member.path, read.content.len()));
        assert_eq!(ours.collect::<Vec<_>>(), seven_zip(folder.path(), "out.a", "-tAr"), "{case}");
    }
}

#[test]
fn thin_archives_are_told() {
    if installed("ar").is_none() {
        return;
    }
    let mut random = Random(5);
    let (folder, files) = files(&mut random);
    run(folder.path(), "ar", &["rc", "--thin", "out.a", &files[0].0], Vec::new()).expect("ar failed");
    let archive = fs::read(folder.path().join("out.a")).unwrap();
    assert_eq!(read("ar", &archive, &mut random).1.unwrap().word(), "unsupported-method");
}

#[test]
fn debian_packages_have_three_members() {
    if !all_installed(&["dpkg-deb", "ar"]) {
        return;
    }
    for (compression, ending) in [("none", ""), ("gzip", ".gz"), ("xz", ".xz"), ("zstd", ".zst")] {
        for case in 0..cases(1).min(40) as u64 {
            let mut random = Random(0xdeb + case);
            let (folder, _) = files(&mut random);
            let control = folder.path().join("DEBIAN");
            fs::create_dir(&control).unwrap();
            let text =
                "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.org>\nDescription: a\n";
            fs::write(control.join("control"), text).unwrap();
            let out = tempfile::tempdir().unwrap();
            let arguments = ["-Z", compression, "-b", folder.path().to_str().unwrap(), "a.deb"];
            run(out.path(), "dpkg-deb", &arguments, Vec::new()).expect("dpkg-deb failed");
            let archive = fs::read(out.path().join("a.deb")).unwrap();
            let names = ["debian-binary".into(), format!("control.tar{ending}"), format!("data.tar{ending}")];
            let content = |name: &String| run(out.path(), "ar", &["p", "a.deb", name], Vec::new()).unwrap();
            let expected: Vec<_> = names.iter().map(|name| (name.clone(), content(name))).collect();
            assert_same(&archive, &expected, &mut random, &format!("{compression} {case}"));
        }
    }
}

#[test]
#[ignore = "campaign: needs llvm-ar"]
fn damaged_archives_lead_to_problems_only() {
    for (seed, program, format) in [(2, "llvm-ar", "--format=gnu"), (3, "llvm-ar", "--format=bsd")] {
        if installed(program).is_none() {
            return;
        }
        let mut random = Random(seed);
        let (folder, mut files) = files(&mut random);
        files.retain(|(_, content)| content.len() < 300);
        add_object(folder.path(), &mut files);
        let names = files.iter().map(|(name, _)| name.as_str());
        let arguments: Vec<_> = [format, "rcs", "out.a"].into_iter().chain(names).collect();
        run(folder.path(), program, &arguments, Vec::new()).expect("llvm-ar failed");
        let archive = fs::read(folder.path().join("out.a")).unwrap();
        damage("ar", &archive, &mut random, DAMAGES);
        cut("ar", &archive, &mut random);
    }
}
