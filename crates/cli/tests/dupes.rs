//! `hashmill dupes`: groups of files with the same content, from files and from manifests.

use crate::case;
use crate::util::{Place, is_root};
use hashmill_testing::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Returns the groups of a JSON result, without their order.
fn groups(ran: &crate::util::Ran) -> BTreeSet<BTreeSet<String>> {
    let json = ran.json();
    let paths = |group: &serde_json::Value| {
        let files = group["files"].as_array().unwrap();
        files.iter().map(|file| file["path"].as_str().unwrap().to_string()).collect()
    };
    json["groups"].as_array().unwrap().iter().map(paths).collect()
}

/// Returns the groups found by comparing every pair.
fn naive(root: &Path, below: &str) -> BTreeSet<BTreeSet<String>> {
    let mut contents: BTreeMap<Vec<u8>, BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let name = format!("{below}/{}", entry.unwrap().file_name().to_string_lossy());
        let content = fs::read(root.join(&name)).unwrap();
        contents.entry(content).or_default().insert(name);
    }
    contents
        .into_iter()
        .filter(|(content, files)| !content.is_empty() && files.len() > 1)
        .map(|(_, f)| f)
        .collect()
}

/// Files of like sizes, above and below every stage's bounds, many of them equal but for one byte.
fn tricky(t: &Place) {
    let mut random = Random(7);
    for (kind, size) in
        [1u64, 4095, 4096, 65_535, 65_536, 70_000, 1 << 20, (1 << 20) + 5].into_iter().enumerate()
    {
        let content: Vec<u8> = (0..size).map(|at| (at * 31 + kind as u64) as u8).collect();
        for number in 0..6 {
            let mut content = content.clone();
            // The first byte, the last, one in the middle, or none.
            let last = content.len() - 1;
            let at = [0, last, last / 2, random.below_u64(size) as usize][random.below(4)];
            if random.below(3) > 0 {
                content[at] ^= 1;
            }
            t.file(format!("tree/{kind}-{number}"), content);
        }
    }
    // More of one size than are compared byte by byte.
    for number in 0..40_u8 {
        t.file(format!("tree/many-{number}"), vec![number % 7; 5000]);
    }
}

case!(files_of_the_same_content_are_found_whatever_their_sizes, |t| {
    tricky(t);
    let wanted = naive(&t.path(""), "tree");
    assert!(wanted.len() > 8, "{wanted:?}");
    let ran = t.run("dupes -f json tree").code(0);
    assert_eq!(groups(&ran), wanted);
    for options in ["-j 1", "-j 7 --prefetch 2", "-m 64M --io direct", "--timeout 60", "-c sha256"] {
        let other = t.run(&format!("dupes -f json {options} tree")).code(0);
        assert_eq!(groups(&other), wanted, "{options}");
        if !options.contains("sha256") {
            assert_eq!(other.stdout(), ran.stdout(), "{options}");
        }
    }
    t.run("hash -o known tree").code(0);
    assert_eq!(groups(&t.run("dupes -f json known").code(0)), wanted);
    // If no digest is requested, bytes are compared; a digest that is named decides.
    let hashed = t.run("dupes -c blake3 tree").code(0);
    for options in ["", "-j 1", "-j 7", "-j 2 -m 64M", "--timeout 60", "--stats=json"] {
        let compared = t.run(&format!("dupes {options} tree")).code(0);
        assert_eq!(compared.stdout(), hashed.stdout(), "{options}");
    }
    assert_eq!(
        hashed.stdout().split(|byte| *byte == b'\n').filter(|line| line.is_empty()).count(),
        wanted.len()
    );
});

case!(the_greatest_waste_comes_first, |t| {
    t.file("d/a", "1").file("d/b", "22").file("d/c", "1").file("d/e", "22").file("d/f", "only one");
    t.file("d/empty", "").file("d/void", "");
    let text = "d/b\nd/e\n\nd/a\nd/c\n";
    t.run("dupes d")
        .code(0)
        .is(text)
        .says("2 groups of files with the same content; 2 files could be spared: 3 bytes");
    t.run("dupes d/a d/c d/b").code(0).is("d/a\nd/c\n");
    t.run("dupes d/c d/a d/b").code(0).is("d/c\nd/a\n");
    t.run("dupes -0 d").code(0).is("d/b\0d/e\0\0d/a\0d/c\0\0");
    t.run("dupes --min-size 0 d").code(0).prints("d/empty\nd/void\n");
    t.run("dupes --min-size 2 d").code(0).is("d/b\nd/e\n");
    t.run("dupes --exclude e d").code(0).is("d/a\nd/c\n");
    t.run("dupes d/f d/a").code(0).is("").says("no two files have the same content");
});

case!(names_of_any_bytes_come_out_whole, |t| {
    t.file(b"d/\xff\n", "same").file("d/b\\", "same").file("d/\u{1b}[31m", "same");
    t.run("dupes d").code(0).is(b"d/\x1b[31m\n\\d/b\\\\\n\\d/\xff\\n\n");
    t.run("dupes -0 d").code(0).is(b"d/\x1b[31m\0d/b\\\0d/\xff\n\0\0");
    let json = t.run("dupes -f json d").code(0).json();
    assert_eq!(json["groups"][0]["files"][2]["path_b64"], "ZC//Cg==");
});

case!(hard_links_are_one_file, |t| {
    t.file("d/a", "same").file("d/z", "same");
    for name in ["d/link", "d/more"] {
        fs::hard_link(t.path("d/a"), t.path(name)).unwrap();
    }
    t.file("e/x", "alone");
    fs::hard_link(t.path("e/x"), t.path("e/y")).unwrap();
    t.run("dupes d e").code(0).is("d/a\nd/z\n").says("1 file could be spared: 4 bytes");
    t.run("dupes --hard-links d e").code(0).is("d/a\n  = d/link\n  = d/more\nd/z\n");
    let json = t.run("dupes -f json d").code(0).json();
    assert_eq!(json["groups"][0]["files"][0]["links"][1]["path"], "d/more");
    assert_eq!(json["counts"]["duplicates"], 1);
    // A file that is named twice has no duplicate either.
    t.run("dupes e e ./e/x").code(0).is("");
});

case!(what_cannot_be_read_is_named_and_counts_nowhere, |t| {
    t.file("d/a", "same").file("d/b", "same").file("d/c", "same").link("d/l", "a").fifo("d/p");
    t.run("dupes d").code(0).is("d/a\nd/b\nd/c\n").says("2 entries skipped: 1 x symbolic link, 1 x FIFO");
    t.run("dupes d nowhere").code(2).is("d/a\nd/b\nd/c\n").says("nowhere: ");
    t.run("dupes d /dev/null").code(2).says("/dev/null: is not a regular file");
    t.run("dupes d -").code(2).says("standard input");
    if !is_root() {
        fs::set_permissions(t.path("d/b"), std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
        t.run("dupes d").code(2).is("d/a\nd/c\n").says("d/b: ");
    }
});

case!(paths_of_any_length_are_looked_at, |t| {
    // No call takes a path of more than 4095 bytes, so one half is moved below the other.
    let down = "n=$(printf 'n%.0s' $(seq 250)); d=$n/$n/$n/$n/$n/$n/$n/$n/$n; mkdir -p top/$d other/$d; \
        echo same > other/$d/a; echo same > other/$d/b; mv other top/$d";
    t.shell(down).code(0);
    t.run("dupes top").code(0).says("1 group").prints("/a\ntop/").prints("/b\n");
});

case!(nothing_is_changed, |t| {
    t.file("d/a", "same").file("d/b", "same");
    let look = || ["d/a", "d/b", "d"].map(|name| t.path(name).metadata().unwrap().modified().unwrap());
    let before = look();
    t.run("dupes d").code(0);
    assert_eq!(look(), before);
    t.shell("$hashmill dupes d > d/out 2>/dev/null; cat d/out").code(0).is("d/a\nd/b\n");
});

case!(manifests_tell_of_duplicates_by_their_strongest_digest, |t| {
    t.file("d/a", "same").file("d/b", "same").file("d/c", "other").file("d/e", "").file("d/f", "");
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        t.run(&format!("hash -c md5,sha256 -f {format} -o known d")).code(0);
        let ran = t.run("dupes -f json known").code(0);
        assert_eq!(groups(&ran).len(), 1, "{format}");
        let group = &ran.json()["groups"][0];
        assert_eq!((group["sha256"].as_str().unwrap().len(), &group["md5"]), (64, &serde_json::Value::Null));
    }
    t.run("hash -c md5 -o weak d").code(0);
    t.run("dupes weak").code(0).is("d/a\nd/b\n").says("grouped by md5 only");
    t.run("dupes --min-size 0 weak").code(0).is("d/a\nd/b\n\nd/e\nd/f\n");
    t.run("hash -c crc32 -f jsonl -o sum d").code(0);
    t.run("dupes sum").code(0).says("a checksum");
    t.run("dupes --manifest weak --manifest known -c sha256").code(0).is("d/a\nd/b\n");
    t.feed("dupes -", t.read("known")).code(0).is("d/a\nd/b\n");
});

case!(records_that_say_nothing_are_named, |t| {
    let line = |path: &str, what: &str| format!("{{\"path\":\"{path}\",{what}}}\n");
    let sha = "\"size\":1,\"status\":\"hashed\",\"sha256\":\"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b\"";
    let md5 = "\"size\":1,\"status\":\"hashed\",\"md5\":\"c4ca4238a0b923820dcc509a6f75849b\"";
    let list =
        [line("a", sha), line("b", sha), line("c", md5), line("d", "\"status\":\"unreadable\"")].concat();
    t.file("list", list);
    let ran = t.run("dupes list").code(2).is("a\nb\n");
    ran.says("1 record has no sha256 digest").says("d: was not read when the manifest was made");
    t.file("bad", "this is no manifest\n").run("dupes bad").code(64);
});

case!(command_lines_that_make_no_sense_are_refused, |t| {
    t.file("d/a", "same").run("hash -o known d").code(0);
    t.run("dupes").code(64);
    t.run("dupes -c md5 d").code(64).says("cryptographic");
    t.run("dupes -f json -0 d").code(64);
    t.run("dupes --manifest known d").code(64);
    t.run("dupes --images --io direct d").code(64);
    t.run("dupes --exclude a known").code(64).says("filters");
    t.run("dupes --hard-links known").code(64).says("links");
    t.run("dupes missing-manifest").code(2).says("missing-manifest");
});

case!(jdupes_finds_the_same, |t| {
    tricky(t);
    let Some(ran) = t.other("jdupes", "-r -q -j tree") else { return };
    let theirs = ran.code(0).json();
    let paths = |set: &serde_json::Value| {
        let files = set["fileList"].as_array().unwrap();
        files.iter().map(|file| file["filePath"].as_str().unwrap().to_string()).collect()
    };
    let theirs: BTreeSet<BTreeSet<String>> =
        theirs["matchSets"].as_array().unwrap().iter().map(paths).collect();
    assert_eq!(groups(&t.run("dupes -f json tree").code(0)), theirs);
});
