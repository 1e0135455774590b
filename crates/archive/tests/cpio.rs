//! cpio archives of random trees, made by GNU cpio and bsdtar.

pub mod tree;

use hashmill_archive::{Compression, MemberKind};
use hashmill_testing::{all_installed, cases, installed, not_possible};
use std::io::Read;
use tree::{Random, Special, Tree, cut, damage, read, run, seven_zip, skim};

/// The random trees for each format.
const TREES: usize = 6;
/// The damages to each archive.
const DAMAGES: usize = 200;

const ALL: Special = Special { links: true, fifos: true };

/// Archives a tree with GNU cpio.
fn gnu(tree: &Tree, form: &str, paths: &[Vec<u8>]) -> Vec<u8> {
    let list = paths.join(&0);
    // Inodes as they are, or numbered from the first one on.
    let inodes: &[&str] = if list.len().is_multiple_of(2) { &[] } else { &["--renumber-inodes"] };
    let arguments = [&["-0", "-o", "-H", form], inodes].concat();
    run(tree.folder.path(), "cpio", &arguments, list).expect("cpio failed")
}

/// Archives a tree with bsdtar.
fn bsd(tree: &Tree, form: &str) -> Vec<u8> {
    // Without -P it takes a backslash at the start of a name for an absolute path, and drops it.
    let arguments = ["-c", "-P", "-f", "-", "--format", form, "-n", "--null", "-T", "-"];
    run(tree.folder.path(), "bsdtar", &arguments, tree.paths.join(&0)).expect("bsdtar failed")
}

fn assert_whole(tree: &Tree, archive: &[u8], random: &mut Random, context: &str) {
    let (members, problem) = read("cpio", archive, random);
    assert!(problem.is_none(), "{context}: {problem:?}");
    tree.compare(&members, "", context);
    let paths: Vec<_> = members.into_iter().map(|read| read.member.path).collect();
    assert_eq!(skim("cpio", archive, random), paths, "{context}");
}

/// Leaves out some paths of a tree, so that files have more names than the archive has.
fn thin_out(tree: &mut Tree, random: &mut Random) {
    if random.below(2) == 0 {
        tree.paths.retain(|_| random.below(4) > 0);
    }
}

#[test]
fn trees_in_archives_of_gnu_cpio() {
    if installed("cpio").is_none() {
        return;
    }
    for form in ["newc", "crc", "odc", "bin", "hpodc", "hpbin"] {
        for case in 0..cases(TREES) as u64 {
            let mut random = Random(0x5eed + case * 77);
            let mut tree = Tree::new(&mut random, ALL);
            thin_out(&mut tree, &mut random);
            let archive = gnu(&tree, form, &tree.paths);
            assert_whole(&tree, &archive, &mut random, &format!("{form} {case}"));
            if form == "bin" {
                assert_whole(&tree, &swapped(&archive), &mut random, &format!("swapped {case}"));
            }
        }
    }
}

#[test]
fn trees_in_archives_of_bsdtar() {
    if installed("bsdtar").is_none() {
        return;
    }
    for form in ["newc", "odc", "bin", "pwb"] {
        for case in 0..cases(TREES) as u64 {
            let mut random = Random(0xb5d + case * 99);
            let special = Special { links: form != "pwb", fifos: !matches!(form, "bin" | "pwb") };
            let mut tree = Tree::new(&mut random, special);
            thin_out(&mut tree, &mut random);
            assert_whole(&tree, &bsd(&tree, form), &mut random, &format!("{form} {case}"));
        }
    }
}

/// Returns a binary archive with the bytes of the numbers in its headers in the other order.
fn swapped(archive: &[u8]) -> Vec<u8> {
    let mut swapped = archive.to_vec();
    let mut at = 0;
    while let Some(header) = archive.get(at..at + 26).filter(|header| header.starts_with(&[0xc7, 0x71])) {
        let half = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let (name, size) = (half(20), half(22) << 16 | half(24));
        swapped[at..at + 26].chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
        at += 26 + name.next_multiple_of(2) + size.next_multiple_of(2);
    }
    swapped
}

#[test]
fn an_initial_file_system_is_several_archives() {
    if installed("cpio").is_none() {
        return;
    }
    for case in 0..cases(TREES) as u64 {
        let mut random = Random(0x1417 + case);
        let tree = Tree::new(&mut random, ALL);
        // Names of a file stay together: an inode has its meaning in one archive only.
        let mut archive = gnu(&tree, "newc", &[]);
        archive.resize(archive.len() + 4 * random.below(300) as usize, 0);
        archive.extend(gnu(&tree, ["newc", "crc"][random.below(2) as usize], &tree.paths));
        assert_whole(&tree, &archive, &mut random, &format!("initial {case}"));
    }
}

#[test]
fn special_files_have_no_content() {
    let folder = tempfile::tempdir().unwrap();
    let paths = b"block\0character\0fifo\0file".to_vec();
    let made = run(folder.path(), "mknod", &["block", "b", "7", "3"], Vec::new())
        .and(run(folder.path(), "mknod", &["character", "c", "1", "5"], Vec::new()))
        .and(run(folder.path(), "mknod", &["fifo", "p"], Vec::new()));
    if made.is_none() {
        return not_possible("mknod");
    }
    if installed("cpio").is_none() {
        return;
    }
    std::fs::write(folder.path().join("file"), "content").unwrap();
    for form in ["newc", "crc", "odc", "bin", "hpodc", "hpbin"] {
        let archive = run(folder.path(), "cpio", &["-0", "-o", "-H", form], paths.clone()).unwrap();
        let (members, problem) = read("cpio", &archive, &mut Random(1));
        let kinds: Vec<_> = members.iter().map(|read| (&read.member.kind, read.member.size)).collect();
        let device = (&MemberKind::Device, Some(0));
        let expected = [device, device, (&MemberKind::Fifo, Some(0)), (&MemberKind::File, Some(7))];
        assert_eq!(kinds, expected, "{form}: {problem:?}");
    }
}

#[test]
fn a_compressed_archive_may_follow() {
    let packed = |bytes: &[u8]| {
        let mut packed = Vec::new();
        flate2::read::GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
        packed
    };
    if installed("cpio").is_none() || Compression::of(&packed(b"")).is_none() {
        return;
    }
    let mut random = Random(0x6a);
    let tree = Tree::new(&mut random, ALL);
    let plain = gnu(&tree, "newc", &tree.paths);
    let archive = [gnu(&tree, "newc", &[]), packed(&plain)].concat();
    assert_whole(&tree, &archive, &mut random, "compressed");
}

#[test]
fn seven_zip_lists_the_same() {
    if !all_installed(&["cpio", "7zz"]) {
        return;
    }
    for case in 0..cases(TREES) as u64 {
        let form = ["odc", "newc", "crc", "bin"][case as usize % 4];
        let mut random = Random(0x7777 + case);
        let tree = Tree::new(&mut random, Special { links: true, fifos: false });
        // It has another letter in the place of a backslash.
        let paths: Vec<_> = tree.paths.iter().filter(|path| !path.contains(&b'\\')).cloned().collect();
        let archive = gnu(&tree, form, &paths);
        std::fs::write(tree.place(b"out.cpio"), &archive).unwrap();
        let members = read("cpio", &archive, &mut random).0;
        let content =
            |path: &[u8]| members.iter().find(|read| read.member.path == path).unwrap().content.len();
        let size = |read: &tree::Read1| match &read.member.kind {
            MemberKind::Link(target) => target.len(),
            MemberKind::HardLink(target) => content(target),
            _ => read.content.len(),
        };
        let mut ours: Vec<_> = members.iter().map(|read| (read.member.path.clone(), size(read))).collect();
        let mut theirs = seven_zip(tree.folder.path(), "out.cpio", "-tCpio");
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{form} {case}");
    }
}

#[test]
fn checksums_are_those_of_gnu_cpio() {
    if installed("cpio").is_none() {
        return;
    }
    let mut random = Random(7);
    let tree = Tree::new(&mut random, ALL);
    let content = random.bytes(3000);
    std::fs::write(tree.place(b"checked"), &content).unwrap();
    let mut archive = gnu(&tree, "crc", &[tree.paths.clone(), vec![b"checked".to_vec()]].concat());
    let at = archive.windows(content.len()).position(|bytes| bytes == content).unwrap();
    archive[at + 1234] ^= 1;
    let (members, problem) = read("cpio", &archive, &mut random);
    assert!(problem.is_none());
    let wrong: Vec<_> = members.iter().filter(|read| read.problem.is_some()).collect();
    assert!(matches!(&wrong[..], [read] if read.member.path == b"checked"), "{wrong:?}");
    assert_eq!(wrong[0].member.kind, MemberKind::File);
}

#[test]
fn damaged_archives_lead_to_problems_only() {
    if installed("cpio").is_none() {
        return;
    }
    for (seed, form) in [(1, "newc"), (2, "crc"), (3, "odc"), (4, "bin")] {
        let mut random = Random(seed);
        let tree = Tree::new(&mut random, ALL);
        let small = |path: &&Vec<u8>| std::fs::symlink_metadata(tree.place(path)).unwrap().len() < 300;
        let paths: Vec<_> = tree.paths.iter().filter(small).cloned().collect();
        let archive = gnu(&tree, form, &paths);
        damage("cpio", &archive, &mut random, DAMAGES);
        cut("cpio", &archive, &mut random);
    }
}
