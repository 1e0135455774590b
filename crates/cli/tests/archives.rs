//! `--inside archives`: members of archives, as the programs that made them know them.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::{Random, all_installed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;

/// Makes files below `tree`: short ones, an empty one, one that is handed on while it is decoded, and hard names.
fn tree(t: &Place) {
    let long: Vec<u8> = (0..3_000_000_u32).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect();
    t.file("tree/a.txt", "alpha").file("tree/empty", "").file("tree/long.bin", long);
    t.file("tree/docs/b.txt", "beta")
        .file("tree/docs/deep/c d.txt", "gamma")
        .file("tree/docs/é!.txt", "delta");
}

/// The archives of `tree`, by the commands that make them.
const ARCHIVES: &[(&str, &str, &[&str])] = &[
    ("a.tar", "tar cf a.tar tree", &["tar"]),
    ("v7.tar", "tar --format=v7 -cf v7.tar tree", &["tar"]),
    ("pax.tar", "tar --format=posix -cf pax.tar tree", &["tar"]),
    ("a.tar.gz", "tar czf a.tar.gz tree", &["tar", "gzip"]),
    ("a.tgz", "tar czf a.tgz ./tree", &["tar", "gzip"]),
    ("a.tar.zst", "tar --zstd -cf a.tar.zst tree", &["tar", "zstd"]),
    ("a.tar.xz", "tar cJf a.tar.xz tree", &["tar", "xz"]),
    ("a.tar.bz2", "tar cjf a.tar.bz2 tree", &["tar", "bzip2"]),
    ("a.zip", "zip -qr a.zip tree", &["zip"]),
    ("stream.zip", "zip -qr -fz- - tree > stream.zip", &["zip"]),
    ("a.7z", "7zz a -bso0 a.7z tree", &["7zz"]),
    ("apart.7z", "7zz a -bso0 -ms=off -m0=ppmd apart.7z tree", &["7zz"]),
    ("a.cpio", "find tree | cpio -o -H newc --quiet > a.cpio", &["cpio"]),
];

/// Returns the records of a run by path.
fn records(ran: impl std::borrow::Borrow<Ran>) -> BTreeMap<String, Value> {
    let lines = String::from_utf8(ran.borrow().stdout().to_vec()).unwrap();
    let record = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        (value["path"].as_str().unwrap().to_string(), value)
    };
    lines.lines().map(record).collect()
}

/// Checks that each file below `tree` has a record below a root, with its digest, its size and its time.
fn has_tree(t: &Place, found: &BTreeMap<String, Value>, root: &str) {
    let files = records(t.run("hash -c sha256 -f jsonl tree").code(0));
    assert!(files.len() >= 6);
    for (path, record) in files {
        let inside = format!("{root}/{path}");
        let other = found.get(&inside).unwrap_or_else(|| panic!("{inside} is missing: {:?}", found.keys()));
        assert_eq!(other["sha256"], record["sha256"], "{inside}");
        assert_eq!(other["size"], record["size"], "{inside}");
        assert!(other["container"].is_string() && other["mtime"].is_string(), "{inside}: {other}");
    }
}

case!(
    #[ignore = "campaign: takes long"]
    every_member_has_a_record,
    |t| {
        tree(t);
        let mut tried = 0;
        for (name, command, programs) in ARCHIVES {
            if !all_installed(programs) {
                continue;
            }
            tried += 1;
            t.shell(command).code(0);
            let ran = t.run(&format!("hash --inside archives -c sha256 -f jsonl -j1 {name}")).code(0).quiet();
            let found = records(&ran);
            has_tree(t, &found, &format!("{name}!"));
            assert_eq!(
                found.values().filter(|record| record["status"] == "hashed").count(),
                found.len(),
                "{name}"
            );
            let whole = records(t.run(&format!("hash -c sha256 -f jsonl {name}")).code(0));
            assert_eq!(found[*name]["sha256"], whole[*name]["sha256"]);
            for options in ["-j2", "-j4 -m 64M"] {
                let other =
                    t.run(&format!("hash --inside archives -c sha256 -f jsonl {options} {name}")).code(0);
                assert!(other.stdout() == ran.stdout(), "{name} {options}");
            }
        }
        assert!(tried >= 3);
    }
);

case!(compressed_files_have_one_member, |t| {
    t.file("data.txt", "some text\n".repeat(1000));
    let whole = records(t.run("hash -c md5 -f jsonl data.txt").code(0));
    for (program, name) in [("gzip", "data.txt.gz"), ("xz", "data.txt.xz"), ("zstd -q", "data.txt.zst")] {
        if all_installed(&[program.split(' ').next().unwrap()]) {
            t.shell(&format!("{program} -k data.txt")).code(0);
            let found = records(t.run(&format!("hash --inside archives -c md5 -f jsonl {name}")).code(0));
            let inside = &found[&format!("{name}!/data.txt")];
            assert_eq!(
                (inside["md5"].clone(), inside["size"].clone()),
                (whole["data.txt"]["md5"].clone(), 10_000.into())
            );
        }
    }
});

case!(archives_in_archives_are_read_to_a_depth, |t| {
    if !all_installed(&["tar", "zip", "gzip"]) {
        return;
    }
    tree(t);
    t.shell("zip -qr a.zip tree && tar czf b.tar.gz a.zip && tar cf c.tar b.tar.gz && zip -q -0 d.zip c.tar")
        .code(0);
    let ran = t.run("hash --inside archives -c sha256 -f jsonl d.zip").code(0).quiet();
    has_tree(t, &records(&ran), "d.zip!/c.tar!/b.tar.gz!/a.zip!");
    let one = t.run("hash --inside archives -c sha256 -f jsonl -j1 -m 64M d.zip").code(0);
    assert!(one.stdout() == ran.stdout());
    let few = t
        .run("hash --inside archives --max-nesting 2 -c sha256 -f jsonl d.zip")
        .code(2)
        .says("--max-nesting");
    let few = records(few);
    assert_eq!(few["d.zip!/c.tar!/b.tar.gz!"]["reason"], "too-deep");
    assert_eq!(few["d.zip!/c.tar!/b.tar.gz"]["status"], "hashed");
    assert_eq!(few.len(), 4);
});

case!(other_names_of_a_member_have_its_content, |t| {
    if !all_installed(&["tar"]) {
        return;
    }
    tree(t);
    t.shell("ln tree/a.txt tree/z1 && ln tree/long.bin tree/z2 && ln tree/long.bin tree/z3 && ln -s a.txt tree/sym").code(0);
    t.shell("mkfifo tree/fifo && ln tree/fifo tree/pipe && ln -P tree/sym tree/again && tar cf a.tar tree")
        .code(0);
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl a.tar").code(0).quiet());
    for (one, other) in [("a.txt", "z1"), ("long.bin", "z2"), ("long.bin", "z3")] {
        let digest = |name: &str| found[&format!("a.tar!/tree/{name}")]["sha256"].clone();
        assert!(digest(one).is_string() && digest(one) == digest(other), "{other}");
    }
    for (name, reason) in [("sym", "symlink"), ("again", "symlink"), ("fifo", "fifo"), ("pipe", "fifo")] {
        assert_eq!(found[&format!("a.tar!/tree/{name}")]["reason"], reason, "{name}");
    }
});

case!(a_link_is_another_name_of_the_last_member_before_it, |t| {
    if !all_installed(&["tar", "gzip"]) {
        return;
    }
    // GNU tar says what each name has once it is unpacked: of a path that is there twice, of links to links, of links before members.
    t.file(
        "twice.py",
        "import io, tarfile\nt = tarfile.open('t.tar', 'w')\nfor name, text, to in [('a', b'one', 0), ('early', b'', 'a'), ('a', b'two', 0), \
         ('late', b'', 'a'), ('chain', b'', 'early'), ('a', b'three', 0), ('last', b'', 'late'), ('b', b'four', 0), ('./b', b'five', 0), ('b2', b'', 'b'), ('b', b'', 'a'), ('b3', b'', './b')]:\n    \
         i = tarfile.TarInfo(name)\n    i.size = len(text)\n    i.type, i.linkname = (tarfile.LNKTYPE, to) if to else (tarfile.REGTYPE, '')\n    \
         t.addfile(i, io.BytesIO(text))\nt.close()\n",
    );
    t.shell("python3 twice.py && mkdir out && tar xf t.tar -C out && gzip -k t.tar").code(0);
    let wanted = records(t.run("hash -c md5 -f jsonl out").code(0));
    for archive in ["t.tar", "t.tar.gz"] {
        let found = records(t.run(&format!("hash --inside archives -c md5 -f jsonl {archive}")).code(0));
        for name in ["early", "late", "chain", "last", "b2", "b3"] {
            let (inside, outside) = (format!("{archive}!/{name}"), format!("out/{name}"));
            assert_eq!(found[&inside]["md5"], wanted[&outside]["md5"], "{inside}");
        }
    }
});

case!(content_of_what_is_no_file_is_not_passed_over, |t| {
    // A directory and a link to some programs, and files with content to others.
    t.file(
        "hidden.py",
        "import io, tarfile\nt = tarfile.open('h.tar', 'w')\nfor name, kind in [('plain', b'0'), ('folder/', b'0'), ('link', b'2'), \
         ('fifo', b'6'), ('dir', b'5')]:\n    i = tarfile.TarInfo(name)\n    i.size = 4\n    i.linkname = 'plain' if kind == b'2' else ''\n    \
         i.type = kind\n    t.fileobj.write(i.tobuf(tarfile.USTAR_FORMAT) + (b'evil'.ljust(512, b'\\0') if kind == b'0' else b''))\nt.close()\n",
    );
    t.shell("python3 hidden.py").code(0);
    let found = records(t.run("hash --inside archives -c md5 -f jsonl h.tar").code(2));
    let reasons: Vec<_> = ["folder", "link", "fifo"]
        .iter()
        .map(|name| found[&format!("h.tar!/{name}")]["reason"].clone())
        .collect();
    assert_eq!(reasons, ["ambiguous"; 3]);
    assert_eq!((found["h.tar!/plain"]["status"].clone(), found.len()), ("hashed".into(), 5));
});

case!(a_long_member_may_come_first, |t| {
    if !all_installed(&["tar"]) {
        return;
    }
    // Nothing is met before it, and nothing after it until it is read.
    tree(t);
    t.shell("mkdir one && cp tree/long.bin one/a && cat one/a one/a > one/b && tar cf a.tar -C one a b")
        .code(0);
    t.run("diff one a.tar").code(0);
    t.run("diff -j1 a.tar one").code(0);
    // Links to nothing come in one order.
    t.file("links.py", "import tarfile\nt = tarfile.open('l.tar', 'w')\nfor k in range(40):\n    i = tarfile.TarInfo(f'l{k}')\n    i.type = tarfile.LNKTYPE\n    i.linkname = f'gone{k}'\n    t.addfile(i)\nt.close()\n");
    t.shell("python3 links.py").code(0);
    let listed = || t.run("hash --inside archives -c md5 -f jsonl l.tar").code(2).stdout().to_vec();
    assert!(listed() == listed());
});

case!(damage_is_told_and_the_rest_is_read, |t| {
    if !all_installed(&["tar", "zip", "gzip"]) {
        return;
    }
    tree(t);
    t.shell("zip -qr0 a.zip tree && tar cf a.tar tree && gzip -k a.tar && gzip -kc tree/a.txt > a.txt.gz")
        .code(0);
    // A byte of a stored member: its checksum is wrong.
    let mut zip = t.read("a.zip");
    let at = zip.windows(5).position(|bytes| bytes == b"gamma").unwrap();
    zip[at] ^= 1;
    t.file("bad.zip", zip);
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl bad.zip").code(2));
    assert_eq!(found["bad.zip!/tree/docs/deep/c d.txt"]["reason"], "checksum-mismatch");
    assert_eq!(found.values().filter(|record| record["status"] == "hashed").count(), 6);
    let mut gzip = t.read("a.txt.gz");
    let end = gzip.len() - 8;
    gzip[end] ^= 1;
    t.file("bad.txt.gz", gzip);
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl bad.txt.gz").code(2));
    assert_eq!(found["bad.txt.gz!/bad.txt"]["reason"], "checksum-mismatch");
    // The end is missing.
    let half = t.read("a.tar.gz");
    t.file("half.tar.gz", &half[..half.len() / 2]);
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl half.tar.gz").code(2));
    assert!(found.values().any(|record| record["reason"] == "truncated"), "{found:?}");
    assert_eq!(found["half.tar.gz"]["status"], "hashed");
});

case!(
    #[ignore = "campaign: takes long"]
    bombs_are_refused,
    |t| {
        if !all_installed(&["gzip", "tar", "zip"]) {
            return;
        }
        fs::File::create(t.path("zeros")).unwrap().set_len(300 << 20).unwrap();
        t.file("beside", "x");
        t.shell("gzip -k zeros && tar czf z.tar.gz zeros beside && zip -q z.zip zeros beside").code(0);
        // Zeros are at most 1,032 times as long as what deflate makes of them.
        let few = "--max-ratio 100 -c crc32c -f jsonl";
        let found =
            records(t.run(&format!("hash --inside archives {few} zeros.gz")).code(2).says("--max-ratio"));
        assert_eq!(
            (&found["zeros.gz!/zeros"]["reason"], &found["zeros.gz!"]["reason"]),
            (&"bomb".into(), &"bomb".into())
        );
        let found = records(t.run(&format!("hash --inside archives {few} z.tar.gz")).code(2));
        assert_eq!(
            (&found["z.tar.gz!/zeros"]["reason"], &found["z.tar.gz!/beside"]["status"]),
            (&"bomb".into(), &"hashed".into())
        );
        let found = records(t.run(&format!("hash --inside archives {few} z.zip")).code(2));
        assert_eq!(
            (&found["z.zip!/zeros"]["reason"], &found["z.zip!/beside"]["status"]),
            (&"bomb".into(), &"hashed".into())
        );
        let all = records(t.run("hash --inside archives --max-ratio 0 -c crc32c -f jsonl z.zip").code(0));
        assert_eq!(all["z.zip!/zeros"]["size"], 300 << 20);
        let found = records(t.run("hash --inside archives --max-members 1 -c crc32c -f jsonl z.zip").code(2));
        assert_eq!((&found["z.zip!"]["reason"], found.len()), (&"bomb".into(), 3));
        let found =
            records(t.run("hash --inside archives --max-expanded 1M -c crc32c -f jsonl z.tar.gz").code(2));
        assert_eq!(found["z.tar.gz!"]["reason"], "bomb");
    }
);

case!(the_folder_on_top_of_an_archive_is_no_part_of_paths, |t| {
    if !all_installed(&["tar", "zip"]) {
        return;
    }
    tree(t);
    t.shell("tar czf a.tar.gz tree && cp -a tree tree-2 && zip -qr b.zip tree-2").code(0);
    for sides in ["tree a.tar.gz", "a.tar.gz tree", "b.zip tree", "tree-2 a.tar.gz", "a.tar.gz b.zip"] {
        t.run(&format!("diff {sides}"))
            .code(0)
            .prints("no difference")
            .says("which is not part of their paths");
    }
    t.file("tree/more", "new");
    t.run("diff a.tar.gz tree").code(1).prints("more");
    // A folder that the other side has, or a second one, stays a part of paths.
    t.shell("mkdir -p up && cp -a tree-2 up/tree").code(0);
    t.run("diff up a.tar.gz").code(0).prints("no difference").quiet();
    t.file("beside", "x");
    t.shell("tar cf two.tar tree-2 beside").code(0);
    t.run("diff tree-2 two.tar").code(1);
    // A link beside it is no part of it, either: it would fall together with a file in it.
    t.shell("ln -s tree-2 a.txt && tar cf link.tar tree-2 a.txt").code(0);
    t.run("diff tree-2 link.tar").code(1);
});

case!(a_sparse_file_is_no_bomb, |t| {
    if !all_installed(&["tar", "gzip"]) {
        return;
    }
    fs::File::create(t.path("disk")).unwrap().set_len(100 << 20).unwrap();
    t.file("beside", "x");
    for (name, format) in [("gnu.tar", "--format=gnu"), ("pax.tar", "--format=posix"), ("z.tar.gz", "-z")] {
        t.shell(&format!("tar {format} -cSf {name} disk beside")).code(0);
        let found = records(t.run(&format!("hash --inside archives -c crc32c -f jsonl {name}")).code(0));
        assert_eq!(found[&format!("{name}!/disk")]["size"], 100 << 20, "{name}");
        assert_eq!(found[&format!("{name}!/beside")]["status"], "hashed", "{name}");
        let few = format!("hash --inside archives --max-expanded 64M -c crc32c -f jsonl {name}");
        assert_eq!(records(t.run(&few).code(2))[&format!("{name}!")]["reason"], "bomb", "{name}");
    }
});

case!(a_member_that_claims_to_be_huge_takes_no_memory, |t| {
    // The size is 2^63 - 1, in base 256; the checksum of the header is right.
    let mut header = vec![0; 512];
    header[..4].copy_from_slice(b"huge");
    header[124] = 0x80;
    header[128..136].copy_from_slice(&(u64::MAX >> 1).to_be_bytes());
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar  \0");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header.extend([7; 2048]);
    t.file("huge.tar", header);
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl -m 64M huge.tar").code(2));
    assert!(
        found["huge.tar!/huge"]["reason"].is_string() || found["huge.tar!"]["reason"].is_string(),
        "{found:?}"
    );
});

case!(an_archive_takes_the_place_of_a_folder, |t| {
    if !all_installed(&["tar", "zip", "gzip"]) {
        return;
    }
    tree(t);
    t.shell("cd tree && tar czf ../a.tar.gz . && zip -qr ../a.zip . && cd .. && tar cf top.tar tree").code(0);
    t.run("diff tree a.tar.gz").code(0);
    t.run("diff a.zip tree").code(0);
    t.run("diff a.zip a.tar.gz").code(0);
    t.run("hash -c sha256 tree -o m").code(0);
    t.run("audit -k m a.zip").code(0);
    t.run("audit -k m top.tar").code(0);
    t.run("diff m a.tar.gz").code(0);
    t.file("tree/a.txt", "other");
    t.run("diff tree a.tar.gz").code(1);
    t.shell("rm tree/docs/b.txt").code(0);
    t.run("diff tree a.zip").code(1);
    t.run("hash -c sha256 tree -o other").code(0);
    t.run("audit -k other a.zip").code(1);
    // A list that names the archive is about the archive.
    t.run("hash -c sha256 a.zip -o itself").code(0);
    t.run("audit -k itself a.zip").code(0);
});

case!(the_digest_of_the_tree_in_an_archive_is_that_of_the_tree, |t| {
    if !all_installed(&["tar", "zip"]) {
        return;
    }
    tree(t);
    t.shell("chmod 755 tree/a.txt && ln -s a.txt tree/link && ln -P tree/link tree/zlink && mkdir tree/none && cd tree && tar cf ../a.tar . && zip -qry ../a.zip .").code(0);
    let digest = |name: &str| {
        let ran = t.run(&format!("tree -c git,swhid {name}")).code(0);
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        text.lines().map(|line| line.split("  ").next().unwrap().to_string()).collect::<Vec<_>>()
    };
    let whole = digest("tree");
    assert_eq!(whole.len(), 2);
    assert_eq!((digest("a.tar"), digest("a.zip")), (whole.clone(), whole));
    t.file("plain.txt", "x");
    t.run("tree -c git plain.txt").code(64).says("no archive");
    t.run("tree -c git --exclude x a.tar").code(64).says("taken whole");
});

case!(archives_on_disks_and_known_files_are_found, |t| {
    if !all_installed(&["mke2fs", "zip"]) {
        return;
    }
    t.file("tree/bad.exe", "evil").file("tree/good.txt", "fine");
    t.shell("mkdir disk && zip -qr disk/a.zip tree && cp disk/a.zip z.zip").code(0);
    fs::File::create(t.path("disk.img")).unwrap().set_len(4 << 20).unwrap();
    t.shell("mke2fs -q -F -t ext4 -d disk disk.img").code(0);
    let found = records(t.run("hash --inside all -c sha256 -f jsonl disk.img").code(0));
    assert_eq!(found["disk.img!/a.zip!/tree/bad.exe"]["container"], "zip");
    assert_eq!(found["disk.img!/a.zip"]["container"], "ext4");
    t.run("hash -c sha256 tree/bad.exe -o bad").code(0);
    t.run("known build -o set --bad bad").code(0);
    t.run("known match -k set --inside archives z.zip").code(1).prints("z.zip!/tree/bad.exe");
});

case!(equal_files_are_found_within_archives, |t| {
    if !all_installed(&["zip", "tar"]) {
        return;
    }
    let long = Random(5).bytes(3_000_000);
    t.file("d/a", "same").file("d/b", "other").file("d/long", &long).file("d/empty", "").file("d/none", "");
    t.shell("cd d && zip -q z.zip a b && tar -cf t.tar long a empty && ln a linked && cp z.zip y.zip")
        .code(0);
    let groups = |args: &str| -> Vec<Vec<String>> {
        let ran = t.run(&format!("dupes --inside archives {args} -f json d")).code(0);
        let groups = ran.json()["groups"].as_array().unwrap().clone();
        let paths = |group: &Value| {
            group["files"]
                .as_array()
                .unwrap()
                .iter()
                .map(|file| file["path"].as_str().unwrap().into())
                .collect()
        };
        groups.iter().map(paths).collect()
    };
    let wanted: &[&[&str]] = &[
        &["d/long", "d/t.tar!/long"],
        &["d/y.zip", "d/z.zip"],
        &["d/b", "d/y.zip!/b", "d/z.zip!/b"],
        &["d/a", "d/t.tar!/a", "d/y.zip!/a", "d/z.zip!/a"],
    ];
    for threads in ["-j1", "-j3"] {
        let mut found = groups(threads);
        // Those of equal waste come in the order of their sizes, which are the same here but for names.
        found.iter_mut().for_each(|group| group.sort());
        found.sort_by_key(|group| wanted.iter().position(|wanted| *wanted == &group[..]));
        assert_eq!(found, wanted, "{threads}");
    }
    assert_eq!(groups("--min-size 1M"), [["d/long", "d/t.tar!/long"]]);
    assert_eq!(groups("--min-size 0").len(), 5);
    assert_eq!(groups("d"), groups("-j2"), "operands that are there twice are no duplicates");
    t.run("dupes --inside archives --hard-links d").code(0).prints("d/linked");
    // One archive alone is no manifest.
    t.shell("cd d && zip -q one.zip a linked").code(0);
    t.run("dupes --inside archives d/one.zip").code(0).prints("d/one.zip!/a\nd/one.zip!/linked\n");
    // A member that can't be read is told, and in no group.
    t.shell("cd d && printf X | dd of=z.zip bs=1 seek=60 conv=notrunc 2> /dev/null").code(0);
    t.run("dupes --inside archives d").code(2).says("d/z.zip!/a");
});

/// Returns the paths of the records of files that were hashed, in order.
fn hashed(ran: impl std::borrow::Borrow<Ran>) -> Vec<String> {
    records(ran)
        .into_iter()
        .filter(|(_, record)| record["status"] == "hashed")
        .map(|(path, _)| path)
        .collect()
}

case!(filters_choose_members_by_their_paths, |t| {
    if !all_installed(&["tar", "zip", "gzip"]) {
        return;
    }
    t.file("tree/a.txt", "alpha").file("tree/out/b.txt", "beta").file("tree/c.bin", vec![7; 3000]);
    t.file("d/e.txt", "epsilon").file("d/f.bin", "phi");
    t.shell("cd tree; zip -qr ../in.zip .").code(0);
    t.shell("mv in.zip tree; cd tree; tar cf ../d/t.tar *; gzip -c c.bin > ../d/g.gz").code(0);
    let inside = |options: &str| {
        hashed(t.run(&format!("hash --inside archives -c sha256 -f jsonl {options} d")).code(0))
    };
    let in_zip = |path: &str| format!("d/t.tar!/in.zip!/{path}");
    let all = inside("");
    assert_eq!(all.len(), 12, "{all:?}");
    // Archives are passed through to what is included, at any depth.
    let texts = ["d/e.txt", "d/t.tar!/a.txt", "d/t.tar!/out/b.txt"].map(String::from);
    let mut texts = texts.to_vec();
    texts.splice(2..2, [in_zip("a.txt"), in_zip("out/b.txt")]);
    assert_eq!(inside("--include=*.txt"), texts);
    assert_eq!(inside("--include=out/*.txt"), [in_zip("out/b.txt"), "d/t.tar!/out/b.txt".into()]);
    assert_eq!(inside("--include=**/t.tar!/out/*"), ["d/t.tar!/out/b.txt"]);
    // All members of an archive that is included are.
    let zips = inside("--include=*.zip");
    assert_eq!(zips, all.iter().filter(|path| path.contains(".zip")).cloned().collect::<Vec<_>>());
    assert_eq!(zips.len(), 4);
    // Nothing is read of an archive that is excluded.
    for (glob, part) in [("*.zip", ".zip"), ("out/", "/out/"), ("t.tar", "t.tar"), ("*.bin", ".bin")] {
        let rest: Vec<String> = all.iter().filter(|path| !path.contains(part)).cloned().collect();
        assert_eq!(inside(&format!("--exclude={glob}")), rest, "{glob}");
    }
    t.file("rules", "out/\n");
    assert_eq!(inside("--exclude-from rules"), inside("--exclude=out/"));
    assert!(inside("--max-size=1K").iter().all(|path| !path.contains("c.bin") && !path.contains("t.tar")));
    let long = inside("--min-size=3000");
    assert_eq!(long, ["d/t.tar", "d/t.tar!/c.bin"], "{long:?}");
    assert_eq!(inside("--newer=2100-01-01"), [""; 0]);
    // The operand itself may have any name.
    t.shell("cp d/t.tar any").code(0);
    let of_any = t.run("hash --inside archives -c sha256 -f jsonl --include=*.txt any").code(0);
    assert_eq!(hashed(of_any)[0], "any!/a.txt");
});

case!(archives_are_left_out_where_only_their_members_are_wanted, |t| {
    if !all_installed(&["tar", "zip", "gzip"]) {
        return;
    }
    t.file("tree/a.txt", "alpha")
        .file("tree/c.bin", vec![7; 3000])
        .file("d/e.txt", "epsilon")
        .file("d/no.zip", "none");
    t.shell("cd tree; zip -qr ../in.zip .; mv ../in.zip .; tar cf ../d/t.tar *; gzip -c c.bin > ../d/g.gz")
        .code(0);
    let only = |options: &str| {
        hashed(t.run(&format!("hash --inside archives --only-inside -c sha256 -f jsonl {options} d")).code(0))
    };
    // A file that is no archive, in spite of its name, is one as any other.
    let members = ["d/e.txt", "d/g.gz!/g", "d/no.zip", "d/t.tar!/a.txt", "d/t.tar!/c.bin"];
    let nested = ["d/t.tar!/in.zip!/a.txt", "d/t.tar!/in.zip!/c.bin"];
    assert_eq!(only(""), [&members[..], &nested].concat());
    assert_eq!(only("--include=*.txt"), ["d/e.txt", "d/t.tar!/a.txt", "d/t.tar!/in.zip!/a.txt"]);
    assert_eq!(only("--include=*.tar"), [&members[3..], &nested].concat());
    // An archive that lies too deep is not looked into, and is hashed itself.
    let found =
        records(t.run("hash --inside archives --only-inside --max-nesting 1 -c sha256 -f jsonl d").code(2));
    assert_eq!(found["d/t.tar!/in.zip"]["status"], "hashed");
    // The other records are those of a run with the archives.
    let mut with = records(t.run("hash --inside archives -c sha256 -f jsonl d").code(0));
    for archive in ["d/g.gz", "d/t.tar", "d/t.tar!/in.zip"] {
        assert_eq!(with.remove(archive).unwrap()["status"], "hashed", "{archive}");
    }
    let without = t.run("hash --inside archives --only-inside -c sha256 -f jsonl d").code(0);
    let without = without.says("d/no.zip: nothing that is known is inside");
    assert_eq!(records(without), with);
    // A list with archives is compared as far as that goes.
    t.run("hash --inside archives -c sha256 -o all d").code(0);
    let told = "not compared: 3 (3 by filters: --only-inside true (typed))";
    t.run("audit --inside archives --only-inside -k all d").code(0).prints(told);
    // An archive with nothing inside is read itself.
    t.shell("mkdir e; tar cf e/a.tar -T /dev/null").code(0);
    assert_eq!(
        hashed(t.run("hash --inside archives --only-inside -c sha256 -f jsonl e").code(0)),
        ["e/a.tar"]
    );
    // An archive that can't be read to its end fails.
    let tar = t.read("d/t.tar");
    t.file("d/t.tar", &tar[..tar.len() / 2]);
    t.run("hash --inside archives --only-inside -c sha256 d").code(2).says("t.tar");
});

case!(filters_are_for_an_archive_in_the_place_of_a_folder_as_for_the_folder, |t| {
    if !all_installed(&["tar"]) {
        return;
    }
    t.file("d/a.txt", "alpha")
        .file("d/b.bin", "beta")
        .file("d/deep/c.txt", "gamma")
        .file("d/deep/e.bin", "delta");
    t.shell("ln -s a.txt d/link.bin; tar cf a.tar -C d .").code(0);
    t.run("hash -c sha256 -f sums -o list d").code(0);
    t.file("list", String::from_utf8(t.read("list")).unwrap().replace("  d/", "  "));
    for filter in ["--include=*.txt", "--exclude=*.bin", "--exclude=deep/", "--max-depth=1", "--max-size=4"] {
        let told =
            |of: &str| t.run(&format!("audit -c sha256 -k list {filter} {of}")).code(0).stdout().to_vec();
        let folder = String::from_utf8(told("d")).unwrap();
        assert!(folder.contains("not compared: "), "{filter}: {folder}");
        assert_eq!(String::from_utf8(told("a.tar")).unwrap(), folder, "{filter}");
        t.run(&format!("diff {filter} d a.tar")).code(0).prints("no difference");
        t.run(&format!("diff {filter} a.tar d")).code(0).prints("no difference");
    }
    // An archive that can't be read fails whatever is left out of it.
    let tar = t.read("a.tar");
    t.file("a.tar", &tar[..700]);
    t.run("diff --include=none d a.tar").code(2);
});

case!(a_member_with_two_names_is_told, |t| {
    if !all_installed(&["zip"]) {
        return;
    }
    t.file("seen.txt", "one").file("more.txt", "two");
    t.shell("zip -q0 a.zip seen.txt more.txt").code(0);
    // The local header names another file than the directory.
    let mut zip = t.read("a.zip");
    zip[30..38].copy_from_slice(b"evil.exe");
    let mut file = fs::File::create(t.path("b.zip")).unwrap();
    file.write_all(&zip).unwrap();
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl b.zip").code(2).says("evil.exe"));
    assert_eq!(found["b.zip!/seen.txt"]["reason"], "ambiguous");
    assert_eq!(found["b.zip!/more.txt"]["status"], "hashed");
    // One that is left out can't fail.
    t.run("hash --inside archives -c sha256 --exclude=seen.txt b.zip").code(0).prints("b.zip!/more.txt");
});

case!(a_wheel_is_checked_by_its_record, |t| {
    if !all_installed(&["python3", "zip"]) {
        return;
    }
    t.file("w/p/a.py", "print(1)\n").file("w/p/b,\"c\".py", "").file("w/p-1.dist-info/METADATA", "Name: p\n");
    t.file(
        "record.py",
        "import base64, csv, hashlib, os\n\
         out = csv.writer(open('w/p-1.dist-info/RECORD', 'w', newline=''))\n\
         for folder, _, names in os.walk('w'):\n\
         \u{20}   for name in names:\n\
         \u{20}       path = os.path.join(folder, name)\n\
         \u{20}       bytes = open(path, 'rb').read()\n\
         \u{20}       digest = base64.urlsafe_b64encode(hashlib.sha256(bytes).digest()).rstrip(b'=').decode()\n\
         \u{20}       if name != 'RECORD': out.writerow([path[2:], 'sha256=' + digest, len(bytes)])\n\
         out.writerow(['p-1.dist-info/RECORD', '', ''])\n",
    );
    t.shell("python3 record.py && cd w && zip -qr ../p-1-py3-none-any.whl .").code(0);
    t.run("check p-1-py3-none-any.whl").code(0).quiet().prints("p-1-py3-none-any.whl!/p/a.py: OK");
    t.file("w/p/a.py", "print(2)\n");
    t.shell("cd w && zip -qr ../bad.whl .").code(0);
    t.run("check bad.whl").code(1).prints("bad.whl!/p/a.py: FAILED");
    t.file("w/p/a.py", "print(1)\n").file("w/p/evil.py", "").file("w/p/inner.zip", t.read("bad.whl"));
    t.shell("cd w && zip -qr ../more.whl .").code(0);
    t.run("check more.whl")
        .code(1)
        .prints("more.whl!/p/evil.py")
        .prints("more.whl!/p/a.py: OK")
        .quiet_about("nesting");
    t.shell("rm w/p/evil.py w/p/inner.zip").code(0);
    t.shell("rm w/p/a.py && cd w && zip -qr ../less.whl .").code(0);
    t.run("check less.whl").code(1);
    t.shell("zip -q plain.zip record.py").code(0);
    t.run("check plain.zip").code(64).says("states no digests");
});

case!(packages_of_systems_are_checked_by_what_they_state, |t| {
    if all_installed(&["dpkg-deb", "ar", "xz"]) {
        t.file(
            "d/DEBIAN/control",
            "Package: p\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.c>\nDescription: d\n",
        );
        t.file("d/usr/share/p/a", "alpha").file("d/usr/share/p/b c", "beta");
        t.shell("cd d && md5sum usr/share/p/* > DEBIAN/md5sums && cd .. && chmod -R go-w d && dpkg-deb -Zxz -b d p.deb >/dev/null").code(0);
        t.run("check p.deb").code(0).prints("p.deb!/data.tar.xz!/usr/share/p/b c: OK");
        // The second member with the same path is the one that dpkg unpacks.
        t.file("x/usr/share/p/a", "evil");
        t.shell("ar x p.deb && xz -d data.tar.xz && tar rf data.tar -C x ./usr/share/p/a && ar rc twice.deb debian-binary control.tar.xz data.tar").code(0);
        t.run("check twice.deb")
            .code(2)
            .says("another member")
            .prints("twice.deb!/data.tar!/usr/share/p/a: FAILED");
        t.file("d/usr/share/p/a", "other");
        t.shell("dpkg-deb -Zgzip -b d bad.deb >/dev/null").code(0);
        t.run("check bad.deb").code(1).prints("bad.deb!/data.tar.gz!/usr/share/p/a: FAILED");
    }
    if all_installed(&["rpmbuild"]) {
        t.file(
            "p.spec",
            "Name: p\nVersion: 1\nRelease: 1\nSummary: p\nLicense: p\nBuildArch: noarch\n%description\np\n%install\n\
             mkdir -p %{buildroot}/opt\necho alpha > %{buildroot}/opt/a\nseq 9999 > %{buildroot}/opt/b\nln -s a %{buildroot}/opt/l\n%files\n/opt\n",
        );
        t.shell("rpmbuild -bb --quiet --define \"_topdir $PWD/r\" p.spec >/dev/null 2>&1 && cp r/RPMS/noarch/*.rpm p.rpm").code(0);
        let ran = t.run("check p.rpm").code(0);
        let text = String::from_utf8_lossy(ran.stdout()).into_owned();
        for wanted in [
            "p.rpm!/opt/a: OK",
            "p.rpm!/opt/b: OK",
            "p.rpm!/opt/l: OK",
            "p.rpm!payload (sha256): OK",
            "p.rpm!header (sha256): OK",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        // A byte of the payload.
        let mut rpm = t.read("p.rpm");
        let end = rpm.len() - 40;
        rpm[end] ^= 1;
        t.file("bad.rpm", rpm);
        let ran = t.run("check bad.rpm");
        assert!(matches!(ran.exit(), Some(1 | 2)), "{}", ran.stderr());
    }
});

case!(layers_of_a_container_are_checked_before_and_after_decompression, |t| {
    if !all_installed(&["tar", "gzip", "sha256sum"]) {
        return;
    }
    t.file("layer/etc/a", "alpha").file("make.sh", "set -e\nmkdir -p o/blobs/sha256\n\
        put() { d=$(sha256sum < $1 | cut -d' ' -f1); cp $1 o/blobs/sha256/$d; echo $d; }\n\
        tar cf layer.tar layer; diff=$(sha256sum < layer.tar | cut -d' ' -f1); gzip -nf layer.tar; l=$(put layer.tar.gz)\n\
        echo \"{\\\"rootfs\\\":{\\\"type\\\":\\\"layers\\\",\\\"diff_ids\\\":[\\\"sha256:${1:-$diff}\\\"]}}\" > config; c=$(put config)\n\
        echo \"{\\\"config\\\":{\\\"digest\\\":\\\"sha256:$c\\\"},\\\"layers\\\":[{\\\"digest\\\":\\\"sha256:$l\\\"}]}\" > manifest; m=$(put manifest)\n\
        echo \"{\\\"manifests\\\":[{\\\"digest\\\":\\\"sha256:$m\\\"}]}\" > o/index.json\n\
        echo '{\"imageLayoutVersion\":\"1.0.0\"}' > o/oci-layout; tar cf $2 -C o .; rm -r o\n");
    t.shell("sh make.sh '' image.tar").code(0);
    let ran = t.run("check image.tar").code(0).quiet();
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert_eq!(text.matches(": OK").count(), 4, "{text}");
    assert_eq!(text.matches("(decompressed): OK").count(), 1, "{text}");
    let wrong = "0".repeat(64);
    t.shell(&format!("sh make.sh {wrong} bad.tar")).code(0);
    t.run("check bad.tar").code(1).prints("(decompressed): FAILED");
});

case!(volumes_of_an_archive_are_read_where_all_are_there, |t| {
    t.file("d/a", Random(7).bytes(300_000)).file("d/b", "b");
    if t.other("zip", "-q -s 100k x.zip d/a d/b").is_none() {
        return;
    }
    let ran = t.run("hash --inside archives -c md5 -f sums x.zip").code(0);
    ran.prints("x.zip!/d/a\n").prints("x.zip!/d/b\n");
    t.run("diff d x.zip").code(0).prints("matched: 2");
    t.run("hash --inside archives -c md5 x.z01").code(2).says("give x.zip, the last one");
    t.remove("x.z02").run("hash --inside archives -c md5 x.zip").code(2).says("of which x.z02 is missing");
    t.run("diff d x.zip").code(2).says("of which x.z02 is missing").prints(".: unreadable\n");
    // Parts of what was cut, as 7-Zip names them.
    t.shell("zip -q y.zip d/a d/b && split -a 3 --numeric-suffixes=1 -b 100000 y.zip y.zip.").code(0);
    t.run("diff d y.zip.001").code(0).prints("matched: 2");
    t.remove("y.zip.002").run("diff d y.zip.001").code(2);
});

/// A zip with `member` as `payload.txt`, stored.
fn zip_of(t: &Place, member: &str) -> Vec<u8> {
    t.file("made/payload.txt", member);
    t.shell("cd made && rm -f ../made.zip && zip -q0 ../made.zip payload.txt").code(0);
    t.read("made.zip")
}

case!(a_name_hides_no_archive, |t| {
    if !all_installed(&["zip", "tar", "gzip"]) {
        return;
    }
    let zip = zip_of(t, "known bad");
    let long: Vec<u8> = [&Random(3).bytes(3_000_000), &*zip].concat();
    t.file("d/notes.txt", &zip).file("d/stub", [b"before it", &*zip, b"behind it"].concat());
    t.file("d/document.docx", &zip).file("d/plain", "no archive").file("d/tiny", "").file("long", long);
    t.shell("tar czf d/photo.jpg made/payload.txt && cp d/notes.txt inner && zip -q d/outer.bin inner")
        .code(0);
    t.shell("tar cf d/outer.log inner").code(0);
    let found = records(t.run("hash --inside archives -c sha256 -f jsonl d").code(0));
    for path in [
        "d/notes.txt!/payload.txt",
        "d/stub!/payload.txt",
        "d/document.docx!/payload.txt",
        "d/photo.jpg!/made/payload.txt",
        "d/outer.bin!/inner!/payload.txt",
        "d/outer.log!/inner!/payload.txt",
    ] {
        assert!(found.contains_key(path), "{path}: {:?}", found.keys());
    }
    assert_eq!(found.len(), 16, "{:?}", found.keys());
    // Filters choose what is in them; the files themselves are left out.
    let chosen = records(t.run("hash --inside archives --include payload.txt -c md5 -f jsonl d").code(0));
    assert_eq!(chosen.len(), 6, "{:?}", chosen.keys());
    // A list of it is audited in the same way, and without a look at that is told.
    t.run("hash --inside archives -c sha256 -o m.jsonl d").code(0);
    t.run("audit -k m.jsonl --inside archives d").code(0).prints("matched: 16");
    t.run("audit -k m.jsonl --inside images d").code(2).prints("8 inside of files that were not looked into");
    // A member that comes in order is told when its end was read.
    t.shell("mkdir e && tar cf e/a.tar long && zip -q0 e/b.zip long").code(0);
    t.run("hash --inside archives -c sha256 e")
        .code(2)
        .says("e/a.tar!/long: is an archive, or has one at its end");
    t.run("hash --inside archives -c sha256 -o e.jsonl e").code(2);
    let ran = t.run("audit --inside archives -k e.jsonl e").code(2);
    assert!(!String::from_utf8_lossy(ran.stdout()).contains("passed"));
    t.run("audit --inside archives -f json -k e.jsonl e").code(2).prints(r#""verdict":"undecided""#);
    t.run("diff --inside archives e.jsonl e").code(2);
});

case!(a_name_hides_no_disk, |t| {
    if !all_installed(&["mkfs.ext4"]) {
        return;
    }
    t.file("tree/a.txt", "on a disk").file("d/plain", "no disk").file("d/zeros", vec![0; 1 << 20]);
    t.shell("truncate -s 4M d/song.mp3 && mkfs.ext4 -q -d tree d/song.mp3").code(0);
    let found = records(t.run("hash --inside images -c sha256 -f jsonl d").code(0));
    assert!(found.contains_key("d/song.mp3!/a.txt"), "{:?}", found.keys());
    t.run("hash --inside all -c sha256 -o m.jsonl d").code(0);
    t.run("audit -k m.jsonl --inside images d").code(0);
    t.run("audit -k m.jsonl --inside archives d").code(2).prints("inside of files that were not looked into");
});
