//! Images of xorriso and genisoimage, against the files that went in, 7-Zip and the Sleuth Kit.

use crate::seen::everything;
use crate::tools::{Random, done, run};
use hashmill_disk::{DeletedEntries, Medium, NodeKind, Seekable};
use hashmill_testing::cases;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An entry: `d`, `l`, `p` or `f`, its bytes, and its time in seconds.
type Shown = (char, Vec<u8>, i64);

fn medium(image: &Path) -> Arc<dyn Medium> {
    Arc::new(Seekable::new(File::open(image).unwrap()).unwrap())
}

/// Reads an image.
fn read(image: &Path) -> BTreeMap<String, Shown> {
    let mut shown = BTreeMap::new();
    for (path, seen) in everything(&medium(image), DeletedEntries::LeftOut) {
        let path = String::from_utf8(path).unwrap();
        let node = seen.entry.node.unwrap_or_else(|problem| panic!("{path}: {problem}"));
        let kind = match node.kind {
            NodeKind::Directory => 'd',
            NodeKind::Link => 'l',
            NodeKind::Fifo => 'p',
            _ => 'f',
        };
        let seconds = node.times.modified.map_or(0, |time| time.seconds);
        shown.insert(path, (kind, seen.bytes.unwrap(), seconds));
    }
    shown
}

/// Reads a folder.
fn tree(folder: &Path, below: &str, shown: &mut BTreeMap<String, Shown>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{below}{}", entry.file_name().to_str().unwrap());
        let kind = entry.file_type().unwrap();
        let seconds = entry.path().symlink_metadata().unwrap().mtime();
        let (kind, bytes) = match () {
            () if kind.is_dir() => ('d', Vec::new()),
            () if kind.is_symlink() => {
                ('l', fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes())
            }
            () if kind.is_file() => ('f', fs::read(entry.path()).unwrap()),
            () => ('p', Vec::new()),
        };
        if kind == 'd' {
            tree(&entry.path(), &format!("{path}/"), shown);
        }
        shown.insert(path, (kind, bytes, seconds));
    }
}

/// Writes random files below a folder; with `is_posix`, also what only Rock Ridge has.
fn write_tree(folder: &Path, random: &mut Random, is_posix: bool) {
    let mut folders = vec![folder.to_owned()];
    fs::create_dir(folder).unwrap();
    for number in 0..10 + random.below(60) {
        let parent = folders[random.below(folders.len() as u64) as usize].clone();
        let path = parent.join(name(random, number, is_posix));
        let depth = path.components().count() - folder.components().count();
        match random.below(if is_posix { 8 } else { 5 }) {
            0 if depth < 6 => {
                fs::create_dir(&path).unwrap();
                // Deep ones come often.
                folders.extend([path.clone(), path]);
            }
            5 => symlink(target(random), &path).unwrap(),
            6 if number % 4 == 0 => drop(run("mkfifo", &[path.to_str().unwrap()], "")),
            7 => link(folder, &path),
            _ => write_file(&path, random),
        }
    }
}

/// Writes folders that lie deeper than ISO 9660 permits.
fn write_deep(folder: &Path) {
    let deep = folder.join("deep/b/c/d/e/f/g/h/i/j/k/l");
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("leaf"), "leaf").unwrap();
    symlink("../../some/./where", deep.join("link")).unwrap();
    symlink("/", folder.join("deep/b/link")).unwrap();
    fs::hard_link(deep.join("leaf"), folder.join("deep/b/second")).unwrap();
    fs::create_dir_all(folder.join("deep/b/c/d/e/f/g2/h/i")).unwrap();
    fs::write(folder.join("deep/b/c/d/e/f/g/h/side"), "side").unwrap();
}

fn name(random: &mut Random, number: u64, is_posix: bool) -> String {
    match random.below(6) {
        0 => format!("{number}.txt"),
        1 => format!("A longer name, with spaces {number}.tar.gz"),
        2 => format!("\u{fc}ml\u{e4}ut-\u{20ac}-{number}"),
        3 if is_posix => format!("{number}-{}", "n".repeat(random.below(200) as usize)),
        3 => format!("{number}-{}", "n".repeat(random.below(40) as usize)),
        4 => format!(".hidden{number}"),
        _ => format!("file{number}.two.dots"),
    }
}

fn target(random: &mut Random) -> String {
    const PARTS: [&str; 5] = [".", "..", "a", "some.name", "q"];
    let part =
        |random: &mut Random| PARTS[random.below(5) as usize].repeat(1 + random.below(2) as usize * 19);
    let parts: Vec<String> =
        (0..1 + random.below(8)).map(|_| part(random)).map(|part| part.replace("....", "x")).collect();
    let root = ["", "/"][random.below(2) as usize];
    format!("{root}{}", parts.join("/"))
}

fn write_file(path: &Path, random: &mut Random) {
    let size = [0, 1, 2047, 2048, 2049, random.below(100_000)][random.below(6) as usize];
    let byte = random.next() as u8;
    fs::write(path, (0..size).map(|at| (at % 251) as u8 ^ byte).collect::<Vec<u8>>()).unwrap();
}

/// Makes a second name for a file, if there is one.
fn link(folder: &Path, path: &Path) {
    let is_file = |entry: &PathBuf| entry.symlink_metadata().unwrap().is_file();
    let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(is_file);
    found.into_iter().for_each(|file| fs::hard_link(file, path).unwrap());
}

#[test]
fn images_with_rock_ridge_are_read_as_they_went_in() {
    let options: [(&str, &[&str]); 6] = [
        ("xorriso", &["-as", "mkisofs", "-quiet", "-R"]),
        ("xorriso", &["-as", "mkisofs", "-quiet", "-R", "-J", "-iso-level", "3"]),
        ("xorriso", &["-as", "mkisofs", "-quiet", "-R", "-rr_reloc_dir", "moved", "-hide-rr-moved"]),
        ("genisoimage", &["-quiet", "-R", "-input-charset", "utf-8"]),
        ("genisoimage", &["-quiet", "-R", "-D", "-J", "-input-charset", "utf-8"]),
        ("genisoimage", &["-quiet", "-R", "-iso-level", "3", "-hide-rr-moved", "-input-charset", "utf-8"]),
    ];
    let mut random = Random(11);
    for round in 0..cases(12) as u64 {
        let (program, options) = options[round as usize % options.len()];
        let folder = tempfile::tempdir().unwrap();
        let (files, image) = (folder.path().join("files"), folder.path().join("image"));
        // Of many random symbolic links genisoimage writes some in parts that are not whole, or runs without end.
        write_tree(&files, &mut random, program == "xorriso");
        write_deep(&files);
        let places = ["-o", image.to_str().unwrap(), files.to_str().unwrap()];
        if done(program, &[options, &places].concat(), "").is_none() {
            continue;
        }
        let mut expected = BTreeMap::new();
        tree(&files, "", &mut expected);
        let mut found = read(&image);
        // The place of directories that were moved up.
        for moved in ["rr_moved", ".rr_moved", "moved"] {
            if !expected.contains_key(moved) && found.remove(moved).is_some() {
                assert!(!found.keys().any(|path| path.starts_with(&format!("{moved}/"))));
            }
        }
        let paths = |shown: &BTreeMap<String, Shown>| shown.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&found), paths(&expected), "{program} {options:?}");
        for (path, shown) in expected {
            assert!(
                found[&path] == shown,
                "{program} {options:?}: {path}: {:?} {:?}",
                found[&path].0,
                found[&path].2
            );
        }
    }
}

#[test]
fn images_with_other_names_are_read_as_7zip_reads_them() {
    let options: [(&str, &[&str]); 5] = [
        ("xorriso", &["-as", "mkisofs", "-quiet", "--norock", "-iso-level", "3"]),
        ("xorriso", &["-as", "mkisofs", "-quiet", "--norock", "-J", "-joliet-long"]),
        ("genisoimage", &["-quiet", "-input-charset", "utf-8"]),
        ("genisoimage", &["-quiet", "-J", "-joliet-long", "-input-charset", "utf-8"]),
        ("genisoimage", &["-quiet", "-iso-level", "4", "-input-charset", "iso8859-1"]),
    ];
    let (mut random, mut compared) = (Random(12), 0);
    for round in 0..cases(10) as u64 {
        let (program, options) = options[round as usize % options.len()];
        let folder = tempfile::tempdir().unwrap();
        let (files, image) = (folder.path().join("files"), folder.path().join("image"));
        write_tree(&files, &mut random, false);
        let places = ["-o", image.to_str().unwrap(), files.to_str().unwrap()];
        if done(program, &[options, &places].concat(), "").is_none() {
            continue;
        }
        let out = folder.path().join("out");
        let to = format!("-o{}", out.to_str().unwrap());
        let Some((is_extracted, _)) = run("7zz", &["x", "-y", &to, image.to_str().unwrap()], "") else {
            return;
        };
        // It can't extract a file and a directory that got one name.
        if !is_extracted {
            continue;
        }
        compared += 1;
        let mut expected = BTreeMap::new();
        tree(&out, "", &mut expected);
        let found = read(&image);
        let paths = |shown: &BTreeMap<String, Shown>| shown.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&found), paths(&expected), "{program} {options:?}");
        for (path, (kind, bytes, seconds)) in expected {
            let is_same = (found[&path].0, &found[&path].1) == (kind, &bytes);
            assert!(is_same && (kind == 'd' || found[&path].2 == seconds), "{program} {options:?}: {path}");
        }
    }
    assert!(compared > 0, "nothing was compared");
}

#[test]
fn the_sleuth_kit_finds_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let (files, image) = (folder.path().join("files"), folder.path().join("image"));
    write_tree(&files, &mut Random(13), false);
    let arguments = [
        "-quiet",
        "-J",
        "-joliet-long",
        "-input-charset",
        "utf-8",
        "-o",
        image.to_str().unwrap(),
        files.to_str().unwrap(),
    ];
    if done("genisoimage", &arguments, "").is_none() {
        return;
    }
    let Some(out) = done("fls", &["-r", "-p", "-F", "-f", "iso9660", image.to_str().unwrap()], "") else {
        return;
    };
    let found = read(&image);
    let text = String::from_utf8(out).unwrap();
    let mut count = 0;
    for (number, path) in text.lines().filter_map(|line| line.strip_prefix("r/r ")?.split_once(":\t")) {
        let (_, bytes) = run("icat", &["-f", "iso9660", image.to_str().unwrap(), number], "").unwrap();
        assert!(found[path].1 == bytes, "{path}");
        count += 1;
    }
    assert_eq!(count, found.values().filter(|shown| shown.0 == 'f').count());
}

#[test]
fn images_to_start_from_are_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let (files, image) = (folder.path().join("files"), folder.path().join("image"));
    fs::create_dir(&files).unwrap();
    let bytes: Vec<u8> = (0..4096).map(|at| (at % 253) as u8).collect();
    fs::write(files.join("boot.bin"), &bytes).unwrap();
    fs::write(files.join("efi.img"), [7; 8192]).unwrap();
    let arguments = [
        "-as",
        "mkisofs",
        "-quiet",
        "-R",
        "-b",
        "boot.bin",
        "-no-emul-boot",
        "-boot-load-size",
        "4",
        "-eltorito-alt-boot",
        "-e",
        "efi.img",
        "-no-emul-boot",
        "-o",
        image.to_str().unwrap(),
        files.to_str().unwrap(),
    ];
    if done("xorriso", &arguments, "").is_none() {
        return;
    }
    let seen = everything(&medium(&image), DeletedEntries::LeftOut);
    let boot = &seen[&b"$Boot1-x86"[..]];
    assert_eq!(boot.bytes.as_ref().unwrap(), &bytes[..2048]);
    assert_eq!(boot.entry.node.as_ref().unwrap().kind, NodeKind::Metadata);
    assert_eq!(seen[&b"$Boot2-EFI"[..]].bytes.as_ref().unwrap(), &[7; 8192]);
}

/// Makes a disc with an image to start from that no tree names.
fn with_hidden_image(folder: &Path, bytes: &[u8], options: &[&str]) -> Option<Vec<u8>> {
    let (files, image) = (folder.join("files"), folder.join("image"));
    fs::create_dir_all(&files).unwrap();
    fs::write(files.join("boot.bin"), bytes).unwrap();
    fs::write(files.join("other"), [9; 3000]).unwrap();
    let hidden = ["-quiet", "-R", "-J", "-b", "boot.bin", "-hide", "boot.bin", "-hide-joliet", "boot.bin"];
    let paths = ["-o", image.to_str().unwrap(), files.to_str().unwrap()];
    done("genisoimage", &[&hidden[..], options, &paths].concat(), "")?;
    Some(fs::read(image).unwrap())
}

fn doubts(image: &[u8]) -> Vec<String> {
    let medium: Arc<dyn Medium> = Arc::new(image.to_vec());
    crate::seen::opened(&medium).info().doubts.iter().map(ToString::to_string).collect()
}

#[test]
fn the_rest_of_an_image_to_start_from_that_no_tree_names_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = vec![7; 10_000];
    for (options, is_told) in [
        (&["-no-emul-boot", "-boot-load-size", "4"][..], true),
        (&["-no-emul-boot", "-boot-load-size", "20"], false),
    ] {
        let Some(image) = with_hidden_image(folder.path(), &bytes, options) else { return };
        let doubts = doubts(&image);
        assert_eq!(doubts.len(), usize::from(is_told), "{options:?} {doubts:?}");
        assert!(doubts.iter().all(|doubt| doubt.starts_with("$Boot1-x86 ")), "{doubts:?}");
    }
    // The table of partitions has the size of the image of a disk.
    let mut disk = vec![5; 20 * 512];
    disk[446..510].fill(0);
    (disk[450], disk[454], disk[458], disk[510], disk[511]) = (0x80, 1, 19, 0x55, 0xaa);
    let Some(image) = with_hidden_image(folder.path(), &disk, &["-hard-disk-boot"]) else { return };
    assert_eq!(doubts(&image), [""; 0]);
    let medium: Arc<dyn Medium> = Arc::new(image);
    assert!(
        everything(&medium, DeletedEntries::LeftOut)[&b"$Boot1-x86"[..]].bytes.as_ref().unwrap() == &disk
    );
}

#[test]
fn images_that_are_not_to_be_started_from_and_long_catalogs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["-no-emul-boot", "-boot-load-size", "4"];
    let Some(mut image) = with_hidden_image(folder.path(), &[7; 2048], &options) else { return };
    let catalog =
        image.windows(32).position(|at| at.starts_with(&[1, 0, 0, 0]) && at.ends_with(&[0x55, 0xaa]));
    let catalog = catalog.unwrap();
    let entry: [u8; 32] = image[catalog + 32..catalog + 64].try_into().unwrap();
    assert_eq!(entry[0], 0x88);
    // A catalog of 80 entries at the end of the disc, to which the descriptor leads.
    let mut long = image[catalog..catalog + 32].to_vec();
    for number in 0..80 {
        long.extend([if number == 3 { 0 } else { 0x88 }]);
        long.extend(&entry[1..]);
    }
    image.resize(image.len().next_multiple_of(2048), 0);
    let place = (image.len() / 2048) as u32;
    long.resize(2 * 2048, 0);
    image.extend(long);
    image[17 * 2048 + 71..][..4].copy_from_slice(&place.to_le_bytes());
    let medium: Arc<dyn Medium> = Arc::new(image);
    let seen = everything(&medium, DeletedEntries::LeftOut);
    for name in ["$Boot1-x86", "$Boot4-x86", "$Boot80-x86"] {
        assert_eq!(seen[name.as_bytes()].bytes.as_deref(), Ok(&[7; 2048][..]), "{name}");
    }
}

/// A file of 5 GiB, in two extents: the image takes that much space.
#[test]
#[ignore = "writes 5 GiB"]
fn a_file_of_several_gib_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (files, image) = (folder.path().join("files"), folder.path().join("image"));
    fs::create_dir(&files).unwrap();
    let size = (5 << 30) + 12_345;
    let large = File::create(files.join("large")).unwrap();
    large.set_len(size).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&large, b"the end", size - 7).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&large, b"here", (4 << 30) - 2).unwrap();
    for (program, options) in [
        ("xorriso", &["-as", "mkisofs", "-quiet", "-R", "-iso-level", "3"][..]),
        ("genisoimage", &["-quiet", "-R", "-iso-level", "3", "-allow-limited-size"]),
    ] {
        let arguments = [options, &["-o", image.to_str().unwrap(), files.to_str().unwrap()]].concat();
        if done(program, &arguments, "").is_none() {
            continue;
        }
        let medium = medium(&image);
        let system = crate::seen::opened(&medium);
        let mut entries =
            hashmill_disk::Walk::new(&*system, DeletedEntries::LeftOut, hashmill_disk::Limits::default());
        let node = entries.next().unwrap().node.unwrap();
        eprintln!("{program}: {} bytes", node.size);
        let mut bytes = [0; 7];
        let content = node.content.unwrap();
        if program == "xorriso" {
            assert_eq!(node.size, size);
        }
        if node.size == size {
            assert_eq!(content.read_at(&*medium, size - 7, &mut bytes).unwrap(), 7);
            assert_eq!(bytes, *b"the end");
            assert_eq!(content.read_at(&*medium, (4 << 30) - 2, &mut bytes[..4]).unwrap(), 4);
            assert_eq!(bytes[..4], *b"here");
        }
    }
}
