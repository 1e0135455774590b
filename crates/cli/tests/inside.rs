//! `--inside images`: the files on the media of images, as the programs that made them know them.

use crate::case;
use crate::image::acquire;
use crate::util::{Place, Ran};
use hashmill_testing::all_installed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// The size of each file system in these disks.
const PART: u64 = 8 << 20;

/// Makes files below `tree`: small ones, an empty one, one of several clusters, and names that need care.
pub fn tree(t: &Place) {
    let long: Vec<u8> = (0..300_000_u32).map(|at| (at.wrapping_mul(at) / 7) as u8).collect();
    t.file("tree/a.txt", "alpha").file("tree/empty", "").file("tree/long.bin", long);
    t.file("tree/docs/b.txt", "beta").file("tree/docs/deep/c d.txt", "gamma");
}

/// Makes a file system of this kind in the file `NAME`, with the files below `tree`.
pub fn system(t: &Place, name: &str, kind: &str) {
    fs::File::create(t.path(name)).unwrap().set_len(PART).unwrap();
    match kind {
        "ext4" | "ext2" => t.shell(&format!("mke2fs -q -F -t {kind} -d tree {name}")).code(0),
        "fat" => t.shell(&format!("mkfs.vfat {name} > /dev/null && mcopy -s -i {name} tree/* ::")).code(0),
        "ntfs" => t
            .shell(&format!(
                "mkfs.ntfs -q -F {name} > /dev/null 2>&1 && ntfscp -q {name} tree/a.txt a.txt && \
             ntfscp -q {name} tree/long.bin long.bin"
            ))
            .code(0),
        other => panic!("{other}"),
    };
}

/// Makes a disk with a GPT and these files as its partitions.
pub fn disk(t: &Place, name: &str, parts: &[&str]) {
    let mut file = fs::File::create(t.path(name)).unwrap();
    file.set_len((parts.len() as u64 + 1) * PART + (1 << 20)).unwrap();
    let sectors = PART / 512;
    let lines: String = (0..parts.len() as u64)
        .map(|at| format!("start={}, size={sectors}, type=L\n", 2048 + at * sectors))
        .collect();
    t.file("table", format!("label: gpt\n{lines}"));
    t.shell(&format!("sfdisk -q {name} < table")).code(0);
    for (at, part) in parts.iter().enumerate() {
        file.seek(SeekFrom::Start((1 << 20) + at as u64 * PART)).unwrap();
        file.write_all(&t.read(part)).unwrap();
    }
}

/// Returns the records of a run by path.
fn records(ran: impl std::borrow::Borrow<Ran>) -> BTreeMap<String, Value> {
    let lines = String::from_utf8(ran.borrow().stdout().to_vec()).unwrap();
    let record = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        (value["path"].as_str().unwrap().to_string(), value)
    };
    lines.lines().map(record).collect()
}

/// Checks that each file below `tree` has a record below a root in an image, with its digest and its size.
fn has_tree(t: &Place, found: &BTreeMap<String, Value>, root: &str, container: &str) {
    let files = records(t.run("hash -c sha256 -f jsonl tree").code(0));
    assert!(files.len() >= 5);
    for (path, record) in files {
        let inside = format!("{root}/{}", path.strip_prefix("tree/").unwrap());
        let other = found.get(&inside).unwrap_or_else(|| panic!("{inside} is missing: {:?}", found.keys()));
        assert_eq!(other["sha256"], record["sha256"], "{inside}");
        assert_eq!(other["size"], record["size"], "{inside}");
        assert_eq!(other["container"], container, "{inside}");
        assert!(other["inode"].is_u64() && other["mtime"].is_string(), "{inside}: {other}");
    }
}

case!(every_file_on_a_disk_has_a_record, |t| {
    if !all_installed(&["mke2fs", "mkfs.vfat", "mcopy", "sfdisk"]) {
        return;
    }
    tree(t);
    system(t, "one", "ext4");
    system(t, "two", "fat");
    disk(t, "disk.img", &["one", "two"]);
    let ran = t.run("hash --inside images -c sha256 -f jsonl -j1 disk.img").code(0).quiet();
    let found = records(&ran);
    has_tree(t, &found, "disk.img!/p1", "ext4");
    has_tree(t, &found, "disk.img!/p2", "fat12");
    let whole = records(t.run("hash -c sha256 -f jsonl disk.img").code(0));
    assert_eq!(found["disk.img"]["sha256"], whole["disk.img"]["sha256"]);
    for options in ["-j2", "-j4 -m 64M"] {
        let other = t.run(&format!("hash --inside images -c sha256 -f jsonl {options} disk.img")).code(0);
        assert!(other.stdout() == ran.stdout(), "{options}");
    }
    // Filters choose files by their paths there; all files of an image that is included are.
    let chosen = |options: &str| {
        let ran = t.run(&format!("hash --inside images -c sha256 -f jsonl {options} disk.img")).code(0);
        let mut found = records(ran);
        found.retain(|_, record| record["status"] == "hashed");
        found.into_keys().collect::<Vec<_>>()
    };
    assert_eq!(chosen("--include=p2/docs/*"), ["disk.img!/p2/docs/b.txt"]);
    assert_eq!(chosen("--include=b.txt --exclude=p1/"), ["disk.img!/p2/docs/b.txt"]);
    assert_eq!(chosen("--include=disk.img --exclude=*.txt"), chosen("--exclude=*.txt"));
    // All entries are counted.
    let stats = t.run("hash --inside images -c sha256 -o out.jsonl --stats=json disk.img").code(0);
    let stats: Value = serde_json::from_str(stats.stderr().lines().last().unwrap()).unwrap();
    let met = |status: &str| found.values().filter(|record| record["status"] == status).count();
    assert_eq!(stats["seen"], found.len());
    assert_eq!((stats["hashed"].clone(), stats["failed"].clone()), (met("hashed").into(), 0.into()));
});

case!(a_compressed_image_has_the_same_files, |t| {
    if !all_installed(&["mke2fs", "sfdisk", "ewfacquirestream"]) {
        return;
    }
    tree(t);
    system(t, "one", "ext4");
    disk(t, "disk.img", &["one"]);
    let Some(()) = acquire(t, "case", "-c deflate:fast -d sha1", &t.read("disk.img")) else { return };
    let found = records(t.run("hash --inside images -c sha256,sha1,md5 -f jsonl case.E01").code(0).quiet());
    has_tree(t, &found, "case.E01!/p1", "ext4");
    let raw = records(t.run("hash --inside images -c sha256,sha1,md5 -f jsonl disk.img").code(0));
    assert_eq!(found.len(), raw.len());
    for (path, record) in raw {
        assert_eq!(found[&path.replace("disk.img", "case.E01")]["md5"], record["md5"], "{path}");
    }
});

case!(media_are_left_out_where_only_their_files_are_wanted, |t| {
    if !all_installed(&["mke2fs", "sfdisk", "zip"]) {
        return;
    }
    tree(t);
    t.shell("cd tree; zip -q in.zip a.txt").code(0);
    system(t, "one", "ext4");
    t.file("d/no.img", "not one").shell("cp one d/one.dd").code(0);
    disk(t, "d/disk.img", &["one"]);
    let hashed = |options: &str| {
        let mut found = records(t.run(&format!("hash -c sha256 -f jsonl {options} d")).code(0));
        found.retain(|_, record| record["status"] == "hashed");
        found
    };
    let mut with = hashed("--inside all");
    for outer in ["d/disk.img", "d/one.dd", "d/disk.img!/p1/in.zip", "d/one.dd!/in.zip"] {
        with.remove(outer).unwrap();
    }
    assert_eq!(hashed("--inside all --only-inside"), with);
    assert!(with.contains_key("d/no.img") && with.contains_key("d/disk.img!/p1/in.zip!/a.txt"));
    t.run("hash --only-inside d").code(64).says("--inside");
    let Some(()) = acquire(t, "case", "-c deflate:fast", &t.read("d/disk.img")) else { return };
    let found = records(t.run("hash --inside images --only-inside -c sha256 -f jsonl case.E01").code(0));
    has_tree(t, &found, "case.E01!/p1", "ext4");
    assert!(!found.contains_key("case.E01"));
    // Media with nothing inside are read themselves.
    let Some(()) = acquire(t, "other", "-c none", &[7; 40_000]) else { return };
    let found = records(t.run("hash --inside images --only-inside -c sha256 -f jsonl other.E01").code(0));
    assert_eq!(found["other.E01"]["status"], "hashed");
});

case!(deleted_files_are_read_as_far_as_they_are_there, |t| {
    if !all_installed(&["mke2fs", "debugfs"]) {
        return;
    }
    tree(t);
    system(t, "disk.img", "ext2");
    t.shell("debugfs -w -R 'rm /long.bin' disk.img 2> /dev/null").code(0);
    let live = records(t.run("hash --inside images -c sha256 -f jsonl disk.img").code(0));
    assert!(!live.contains_key("disk.img!/long.bin"));
    let all = records(t.run("hash --inside images --deleted -c sha256 -f jsonl disk.img").code(0));
    let deleted = &all["disk.img!/long.bin"];
    let there = records(t.run("hash -c sha256 -f jsonl tree/long.bin").code(0));
    assert_eq!(deleted["allocation"], "intact", "{deleted}");
    assert_eq!(deleted["sha256"], there["tree/long.bin"]["sha256"]);
    assert!(all["disk.img!/a.txt"].get("allocation").is_none());
    t.run("image list --deleted disk.img").code(0).prints("disk.img!/long.bin (deleted, intact)");
});

case!(disks_are_described_listed_and_exported, |t| {
    if !all_installed(&["mke2fs", "mkfs.vfat", "mcopy", "sfdisk"]) {
        return;
    }
    tree(t);
    system(t, "one", "ext4");
    system(t, "two", "fat");
    disk(t, "disk.img", &["one", "two"]);
    let text = t.run("image info disk.img").code(0);
    text.prints("GPT (512-byte sectors)").prints("8388608 bytes at 1048576").prints("ext4").prints("fat12");
    let json = t.run("image info -f json disk.img").code(0).json();
    assert_eq!(json["disk"]["scheme"], "gpt");
    assert_eq!(json["disk"]["parts"][1]["file_system"]["kind"], "fat12");
    let mut listed = t.run("image list disk.img").code(0);
    for path in ["disk.img!/p1/docs/deep/c d.txt", "disk.img!/p2/docs/deep/c d.txt", "disk.img!/p1/docs/"] {
        listed = listed.prints(path);
    }
    t.run("image export disk.img!/p2/long.bin -o out").code(0);
    assert_eq!(t.read("out"), t.read("tree/long.bin"));
    t.run("image export disk.img!/p1/none -o other").code(64).says("no such file");
    assert!(!t.has("other"));
    let below = t.run("image list disk.img!/p1/docs").code(0);
    let paths = below.stdout().split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let paths: Vec<_> = paths.map(|line| line.rsplit(|byte| *byte == b'\t').next().unwrap()).collect();
    let wanted = ["path", "docs/", "docs/b.txt", "docs/deep/", "docs/deep/c d.txt"].map(|path| match path {
        "path" => path.to_string(),
        path => format!("disk.img!/p1/{path}"),
    });
    assert_eq!(paths, wanted.iter().map(|path| path.as_bytes()).collect::<Vec<_>>());
    let number = t.run("image list -f jsonl disk.img!/p1/a.txt").code(0).json()["inode"].to_string();
    t.run("image list disk.img!/p1/a.txt").code(0).prints(format!("\t{number}\tdisk.img!/p1/a.txt\n"));
    t.run("image list disk.img!/p1/none").code(64).says("disk.img!/p1/none: there is no such file");
    t.file("text", "no disk at all");
    t.run("image list text").code(64).says("no file system");
});

case!(folders_on_disks_are_exported, |t| {
    if !all_installed(&["mke2fs", "mkfs.vfat", "mcopy", "sfdisk", "debugfs", "zip"]) {
        return;
    }
    tree(t);
    t.shell("cd tree; zip -qr in.zip docs; cd docs; zip -q ../docs/deep/b.zip b.txt").code(0);
    t.shell("cd tree; zip -q in.zip docs/deep/b.zip; ln -s a.txt link").code(0);
    system(t, "one", "ext4");
    t.shell("rm tree/link").code(0);
    system(t, "two", "fat");
    disk(t, "disk.img", &["one", "two"]);
    // A partition, a folder, all.
    t.run("image export disk.img!/p1 -o p1").code(0).says("1 entry without content");
    t.shell("diff -r tree p1").code(0);
    t.run("image export disk.img!/p2/docs/ -o docs").code(0).quiet();
    t.shell("diff -r tree/docs docs").code(0);
    t.run("image export disk.img!/ -o all").code(0);
    t.shell("diff -r tree all/p1 && diff -r tree all/p2").code(0);
    // Archives are files, unless the path leads into them.
    t.run("image export disk.img!/p1/in.zip!/docs -o zipped").code(0).quiet();
    t.shell("diff -r tree/docs zipped").code(0);
    t.run("image export disk.img!/p1/in.zip!/docs/deep/b.zip!/b.txt -o -").code(0).is("beta");
    t.run("image export tree/in.zip!/docs/b.txt -o -").code(0).is("beta");
    t.run("image export tree/in.zip!/docs/b.txt/none -o none").code(64).says("no such file");
    // Nothing is replaced, but by --force.
    t.run("image export disk.img!/p2/docs -o docs")
        .code(2)
        .says("docs: cannot write: is a folder that is not empty");
    t.file("docs/b.txt", "other");
    t.run("image export disk.img!/p2/docs -o docs --force").code(0);
    t.shell("diff -r tree/docs docs").code(0);
    t.run("image export disk.img!/p2/docs -o -").code(64).says("-o FOLDER");
    // Deleted files come when they are asked for, and take no name of another.
    t.shell("debugfs -w -R 'rm /long.bin' one 2> /dev/null").code(0);
    t.run("image export one!/ -o live").code(0);
    assert!(!t.has("live/long.bin"));
    t.run("image export --deleted one!/ -o both");
    assert_eq!(t.read("both/long.bin"), t.read("tree/long.bin"));
});

case!(mactime_reads_the_bodyfile_of_an_image, |t| {
    if !all_installed(&["mke2fs", "debugfs", "fls", "mactime"]) {
        return;
    }
    tree(t);
    t.file("tree/a|b", "");
    system(t, "one", "ext2");
    t.shell("debugfs -w -R 'rm /long.bin' one 2> /dev/null").code(0);
    let ran = t.run("image list --deleted -f body one").code(2).says("one!/a|b: is left out");
    t.file("ours", ran.stdout());
    t.shell("fls -r -m 'one!' one > theirs; sed -i '/a|b/d' theirs").code(0);
    // Type, number, size and times of each file that both know; the Sleuth Kit has modes and owners, too.
    let lines = |name: &str| {
        let text = String::from_utf8(t.read(name)).unwrap();
        let line = |line: &str| {
            let fields: Vec<_> = line.split('|').collect();
            assert_eq!(fields.len(), 11, "{line}");
            // Of ext2, the Sleuth Kit does not read the time of the creation.
            let times = fields[6..10].join("|");
            (fields[1].to_string(), format!("{}|{}|{times}", fields[2], fields[3].chars().next().unwrap()))
        };
        text.lines().map(line).collect::<BTreeMap<_, _>>()
    };
    let (ours, theirs) = (lines("ours"), lines("theirs"));
    for path in ["one!/a.txt", "one!/docs/deep/c d.txt", "one!/docs", "one!/empty"] {
        assert_eq!(ours[path], theirs[path], "{path}");
    }
    assert!(ours.contains_key("one!/long.bin (deleted)"), "{:?}", ours.keys());
    let timeline = t.shell("mactime -b ours -d").code(0);
    timeline.prints("one!/docs/b.txt").prints("long.bin (deleted)");
    t.shell("debugfs -w -R 'rm \"/a|b\"' one 2> /dev/null").code(0);
    let hashed = t.run("hash --inside images --only-inside --deleted -f body one").code(0);
    for line in String::from_utf8(hashed.stdout().to_vec()).unwrap().lines() {
        let (md5, rest) = line.split_once('|').unwrap();
        let name = rest.split('|').next().unwrap();
        let mut wanted: Vec<_> =
            String::from_utf8(t.read("ours")).unwrap().lines().map(str::to_string).collect();
        wanted.retain(|line| line.starts_with(&format!("0|{name}|")));
        assert!(md5.len() == 32 && wanted == [format!("0|{rest}")], "{line} {wanted:?}");
    }
    hashed.prints("|one!/long.bin (deleted)|");
});

case!(no_path_in_an_archive_leads_out_of_the_folder_of_an_export, |t| {
    use hashmill_testing::samples::zip::{archive, member};
    let members = ["../evil", "/abs", "ok/../../evil", "ok/a", "ok//a", "ok/b", "ok/b/c"];
    t.file("odd.zip", archive(&members.map(|name| member(name, name))));
    t.file("work/keep", "");
    let ran = t.run("image export odd.zip!/ -o work/out").code(2);
    for path in ["../evil", "/abs", "ok/../../evil"] {
        assert!(ran.stderr().contains(&format!("odd.zip!/{path}: ")), "{path}: {}", ran.stderr());
    }
    assert!(!t.has("evil") && !t.has("work/evil") && !t.has("work/out/abs"));
    assert_eq!(t.read("work/out/ok/a"), b"ok/a");
    // One with a path of its own can be had.
    t.run("image export odd.zip!//abs -o abs").code(0);
    assert_eq!(t.read("abs"), b"/abs");
    // A link in the folder is not followed.
    t.shell("mkdir linked aside; ln -s ../aside linked/ok").code(0);
    t.run("image export odd.zip!/ -o linked --force").code(2).says("something else than a folder");
    t.shell("rmdir aside").code(0);
    // A member that can't be read gets no name.
    let mut bytes = archive(&[member("ok/a", "content")]);
    let place = bytes.windows(7).position(|part| part == b"content").unwrap();
    bytes[place] ^= 1;
    t.file("bad.zip", bytes);
    t.run("image export bad.zip!/ok -o bad").code(2);
    assert!(!t.has("bad/a"));
});

case!(images_take_the_place_of_folders_in_a_comparison, |t| {
    if !all_installed(&["mke2fs", "sfdisk", "mkfs.vfat", "mcopy", "qemu-img"]) {
        return;
    }
    tree(t);
    system(t, "one", "fat");
    disk(t, "a.img", &["one"]);
    t.shell("qemu-img convert -O qcow2 a.img a.qcow2").code(0);
    t.run("diff a.qcow2 a.img").code(0).prints("no difference");
    t.file("tree/a.txt", "other").file("tree/added", "new");
    t.shell("mv tree/docs/b.txt tree/moved.txt; rm tree/empty").code(0);
    system(t, "one", "fat");
    disk(t, "b.img", &["one"]);
    for (old, new) in [("a.qcow2", "b.img"), ("a.qcow2!/p1", "tree"), ("a.img", "tree"), ("a.img!/p1", "one")]
    {
        let found = t.run(&format!("diff -f json {old} {new}")).code(1).json();
        let has = |category: &str, path: &str| {
            let entries = found["entries"].as_array().unwrap();
            entries
                .iter()
                .any(|entry| entry["category"] == category && entry["path"].as_str().unwrap().ends_with(path))
        };
        for (category, path) in
            [("changed", "a.txt"), ("new", "added"), ("moved", "moved.txt"), ("missing", "empty")]
        {
            assert!(has(category, path), "{old} {new}: {category} {path}: {found}");
        }
    }
    t.run("hash -c sha256 -f jsonl tree -o list.jsonl").code(0);
    t.run("diff list.jsonl b.img!/p1").code(0);
    t.run("diff b.img!/p1 list.jsonl").code(0);
    // Doubts of either side are told; what may be there is not said to be new or missing.
    t.shell("head -c 10M a.img > cut.img").code(0);
    for sides in ["a.img cut.img", "cut.img a.img"] {
        t.run(&format!("diff {sides}")).code(2).says("cut.img!: ").prints("new: 0\nmissing: 0\n");
    }
    t.run("diff a.img b.img!/p1/none").code(2).says("there is no such file").prints("missing: 0\n");
});

case!(lists_of_files_on_disks_are_audited, |t| {
    if !all_installed(&["mke2fs", "debugfs"]) {
        return;
    }
    tree(t);
    system(t, "disk.img", "ext4");
    for format in ["jsonl", "csv", "sqlite", "parquet", "dfxml"] {
        let list = format!("list.{format}");
        t.run(&format!("hash --inside images -c sha256 -o {list} disk.img")).code(0);
        t.run(&format!("audit --inside images -k {list} disk.img")).code(0);
        // Nothing of a record is lost on the way.
        t.run(&format!("convert {list} back.jsonl --force")).code(0);
        has_tree(t, &records(t.shell("cat back.jsonl")), "disk.img!", "ext4");
    }
    t.run("audit --inside images -k list.jsonl --update next.jsonl disk.img").code(0);
    has_tree(t, &records(t.shell("cat next.jsonl")), "disk.img!", "ext4");
    t.run("hash --inside images -c sha1,md5 -f dfxml disk.img").code(0).prints("hashmill:container='ext4'");
    t.file("other", "changed").shell("debugfs -w -R 'rm /a.txt' disk.img 2> /dev/null").code(0);
    t.shell("debugfs -w -R 'write other a.txt' disk.img 2> /dev/null").code(0);
    t.run("audit --inside images -k list.jsonl disk.img").code(1).prints("disk.img!/a.txt");
});

case!(known_files_are_found_on_disks, |t| {
    if !all_installed(&["mke2fs"]) {
        return;
    }
    tree(t);
    system(t, "disk.img", "ext4");
    t.run("hash -c sha256 -o bad.jsonl tree/docs").code(0);
    t.run("known build -o set --bad bad.jsonl").code(0);
    let found = t.run("known match -k set --show bad --inside images disk.img").code(1);
    let found = found.prints("disk.img!/docs/b.txt").prints("\"category\":\"bad\"");
    assert_eq!(records(&found).len(), 2);
});

case!(encrypted_volumes_are_told_and_not_read, |t| {
    if !all_installed(&["sfdisk", "mke2fs"]) {
        return;
    }
    tree(t);
    system(t, "one", "ext4");
    let mut luks = b"LUKS\xba\xbe\0\x01aes".to_vec();
    luks.resize(PART as usize, 7);
    t.file("two", luks);
    disk(t, "disk.img", &["one", "two"]);
    let found = t.run("hash --inside images -c sha256 -f jsonl disk.img").code(2).says("encrypted");
    let found = records(&found);
    has_tree(t, &found, "disk.img!/p1", "ext4");
    assert_eq!(found["disk.img!/p2"]["reason"], "encrypted");
    assert_eq!(found["disk.img!/p2"]["status"], "unreadable");
});

case!(other_files_are_read_as_themselves, |t| {
    t.file("notes.txt", "no disk").file("data.img", "named like a disk").file("empty.iso", "");
    let plain = t.run("hash -c sha256 -f jsonl .").code(0);
    let inside = t.run("hash --inside images -c sha256 -f jsonl .").code(0);
    let inside = inside.says("./data.img: nothing that is known is inside; 1 more file is like it");
    let digests = |ran: &Ran| -> Vec<(String, Value)> {
        records(ran).into_iter().map(|(path, record)| (path, record["sha256"].clone())).collect()
    };
    assert_eq!(digests(&plain), digests(&inside));
    t.run("hash --inside images -c sha256 -f jsonl notes.txt").code(0).prints("notes.txt");
    t.run("hash --deleted notes.txt").code(64);
});

case!(damaged_directories_cost_only_their_own_entries, |t| {
    if !all_installed(&["mkfs.vfat", "mcopy"]) {
        return;
    }
    tree(t);
    system(t, "disk.img", "fat");
    let sound = records(t.run("hash --inside images -c sha256 -f jsonl disk.img").code(0));
    let mut bytes = t.read("disk.img");
    // The chain of the long file leads back to its own start.
    let at = bytes.windows(11).position(|name| name == b"LONG    BIN").unwrap();
    let first = u16::from_le_bytes([bytes[at + 26], bytes[at + 27]]);
    let reserved = u16::from_le_bytes([bytes[14], bytes[15]]) as usize * 512;
    let place = reserved + usize::from(first) * 3 / 2;
    let entry = u16::from_le_bytes([bytes[place], bytes[place + 1]]);
    let looped = if first.is_multiple_of(2) { entry & 0xf000 | first } else { entry & 0x000f | first << 4 };
    bytes[place..place + 2].copy_from_slice(&looped.to_le_bytes());
    t.file("disk.img", bytes);
    let damaged = records(t.run("hash --inside images -c sha256 -f jsonl disk.img").code(2).says("long.bin"));
    // Beside the same entries, the tables of clusters are told, which differ now.
    assert_eq!(damaged.len(), sound.len() + 1);
    for (path, record) in sound {
        let name = Path::new(&path).file_name().unwrap();
        if name == "long.bin" {
            assert_eq!(damaged[&path]["status"], "unreadable");
        } else if path != "disk.img" {
            assert_eq!(damaged[&path]["sha256"], record["sha256"], "{path}");
        }
    }
});

case!(attributes_are_told_in_words_and_kept, |t| {
    if !all_installed(&["mkfs.vfat", "mattrib"]) {
        return;
    }
    tree(t);
    system(t, "disk.img", "fat");
    t.shell("mattrib +r +h +s -a -i disk.img ::a.txt && mattrib -a -i disk.img ::empty").code(0);
    let attributes = |ran: &Ran| -> Vec<(String, Value)> {
        let found = records(ran).into_iter().map(|(path, record)| (path, record["attributes"].clone()));
        found.filter(|(_, attributes)| !attributes.is_null()).collect()
    };
    t.run("hash --inside images -c sha256 -f jsonl -o list disk.img").code(0);
    let list = t.run("convert -f jsonl list -").code(0);
    let found = attributes(&list);
    let of = |name: &str| {
        let is_it = |(path, _): &&(String, Value)| path.ends_with(name);
        found.iter().find(is_it).map(|(_, attributes)| attributes.as_str().unwrap())
    };
    assert_eq!((of("/a.txt"), of("/empty")), (Some("readonly hidden system"), None));
    assert_eq!((of("/b.txt"), of("disk.img")), (Some("archive"), None));
    for format in ["csv", "sqlite", "parquet"] {
        t.run(&format!("hash --inside images -c sha256 -f {format} -o list.{format} disk.img")).code(0);
        assert_eq!(
            attributes(&t.run(&format!("convert -f jsonl list.{format} -")).code(0)),
            found,
            "{format}"
        );
    }
    // A seal binds them.
    t.run("seal create list").code(0);
    let changed =
        String::from_utf8(t.read("list")).unwrap().replace("readonly hidden system", "hidden system");
    t.file("list", changed);
    t.run("seal verify list").code(1);
});

case!(every_byte_of_a_disk_has_one_use, |t| {
    if !all_installed(&["mke2fs", "mkfs.vfat", "mcopy", "sfdisk"]) {
        return;
    }
    tree(t);
    system(t, "one", "ext4");
    system(t, "two", "fat");
    disk(t, "disk.img", &["one", "two"]);
    let ran = t.run("hash --inside images --unallocated -c sha256 -f jsonl disk.img").code(0);
    let numbers = |line: &str| -> Vec<u64> {
        let words = line.rsplit_once(": ").unwrap().1.split(|char: char| !char.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let told = ran.stderr();
    let sums: Vec<&str> = told.lines().filter(|line| line.contains("unallocated")).collect();
    assert_eq!(sums.len(), 3, "{sums:?}");
    for line in &sums {
        let [size, files, slack, metadata, unallocated] = numbers(line)[..] else { panic!("{line}") };
        assert_eq!(size, files + slack + metadata + unallocated, "{line}");
    }
    let found = records(&ran);
    let free = |root: &str| -> u64 {
        let entries = found.iter().filter(|(path, _)| path.starts_with(&format!("{root}/$Unalloc/")));
        entries.map(|(_, record)| record["size"].as_u64().unwrap()).sum()
    };
    let sum = |root: &str| numbers(sums.iter().find(|line| line.contains(&format!("{root}: "))).unwrap())[4];
    for root in ["disk.img!", "disk.img!/p1", "disk.img!/p2"] {
        assert_eq!(free(root), sum(root), "{root}");
        assert!(free(root) > 0);
    }
    // The digest of such an entry is that of these bytes.
    let (path, record) = found.iter().find(|(path, _)| path.starts_with("disk.img!/p1/$Unalloc/")).unwrap();
    let (offset, length) = path.rsplit_once('/').unwrap().1.split_once('-').unwrap();
    let start = (1 << 20) + offset.parse::<usize>().unwrap();
    t.file("bytes", &t.read("disk.img")[start..start + length.parse::<usize>().unwrap()]);
    let there = records(t.run("hash -c sha256 -f jsonl bytes").code(0));
    assert_eq!(record["sha256"], there["bytes"]["sha256"]);
});

case!(holes_are_read_up_to_a_bound, |t| {
    if !all_installed(&["mke2fs"]) {
        return;
    }
    tree(t);
    fs::File::create(t.path("tree/huge")).unwrap().set_len(200 << 20).unwrap();
    system(t, "disk.img", "ext4");
    let found = records(t.run("hash --inside images -c crc32c -f jsonl disk.img").code(0));
    assert_eq!(found["disk.img!/huge"]["size"], 200 << 20);
    t.shell("truncate -s 2G tree/huge").code(0);
    system(t, "disk.img", "ext4");
    let few = "hash --inside images --max-expanded 1M -c crc32c -f jsonl disk.img";
    let found = records(t.run(few).code(2).says("--max-expanded"));
    assert_eq!(found["disk.img!/huge"]["reason"], "bomb");
    assert_eq!(found["disk.img!/a.txt"]["status"], "hashed");
});
