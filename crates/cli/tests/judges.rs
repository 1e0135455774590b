//! Digests and lists of other systems beside the programs that define them: fsverity, torrentfile, git, rclone.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::{Random, had_modules, python, set_up};
use std::path::Path;

/// Sizes around the borders of blocks, and of levels of trees of them.
const SIZES: &[usize] = &[
    0, 1, 1023, 1024, 1025, 4095, 4096, 4097, 8192, 8193, 16383, 16384, 16385, 32768, 32769, 49152, 65536,
    65537, 262_144, 262_145, 524_288, 524_289, 1_000_000,
];

/// Returns a file of each size; their names.
fn files(t: &Place) -> Vec<String> {
    let mut chance = Random(41);
    let file = |size: &usize| {
        let name = format!("f{size}");
        t.file(&name, chance.bytes(*size));
        name
    };
    SIZES.iter().map(file).collect()
}

/// Returns hashmill's digests of these files: `DIGEST  NAME`, a line each.
fn ours(t: &Place, algorithm: &str, names: &[String]) -> Vec<(String, String)> {
    let ran = t.run(&format!("hash -c {algorithm} -f csv {}", names.join(" "))).code(0);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields.last().unwrap().to_string(), fields[0].to_string())
    };
    let mut rows: Vec<_> = text.lines().skip(1).map(row).collect();
    rows.sort();
    rows
}

/// Returns the same of a program that prints `DIGEST NAME`.
fn theirs(ran: &Ran) -> Vec<(String, String)> {
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let row = |line: &str| {
        let (digest, name) = line.split_once(' ').unwrap();
        (digest.to_string(), name.to_string())
    };
    let mut rows: Vec<_> = text.lines().map(row).collect();
    rows.sort();
    rows
}

case!(fs_verity_is_what_fsverity_computes, |t| {
    let names = files(t);
    for (algorithm, option) in [("fs-verity", "sha256"), ("fs-verity-sha512", "sha512")] {
        let args = format!("digest --hash-alg={option} {}", names.join(" "));
        let Some(ran) = t.other("fsverity", &args) else { return };
        assert_eq!(ours(t, algorithm, &names), theirs(&ran.code(0)));
    }
});

case!(
    #[ignore = "campaign: needs Python's packages"]
    bittorrent_v2_is_what_torrentfile_computes,
    |t| {
        // An empty file has no root.
        let names: Vec<String> = files(t).into_iter().filter(|name| name != "f0").collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let Some(python) = python() else { return };
        let script = root.join("tests/peers/bittorrent_v2.py");
        let ran = t.shell(&format!("{} {} {}", python.display(), script.display(), names.join(" ")));
        if !had_modules(ran.stderr().as_bytes()) {
            return;
        }
        assert_eq!(ours(t, "bittorrent-v2", &names), theirs(&ran.code(0)));
    }
);

/// Returns a tree with names that git quotes, and others.
fn tree(t: &Place) -> &Place {
    for name in ["a", "b c", "sub/x", "\u{fc}", "quo\"te", "back\\slash", "tab\there", "\"quoted\"", "a.b/c"]
    {
        t.file(name, name.repeat(3));
    }
    t.file(b"latin-\xfc\x01", "").file("feed\nline", "x")
}

/// Returns git's listing of all files here, in a repository of this format.
fn listed(t: &Place, format: &str, options: &str) -> Vec<u8> {
    let line = format!(
        "export GIT_DIR=$PWD/repository GIT_WORK_TREE=$PWD HOME=$PWD GIT_CONFIG_NOSYSTEM=1
         git init -q --object-format={format} && git add -A -f -- . ':!repository' ':!list' &&
         git ls-tree {options} $(git write-tree) && rm -rf repository"
    );
    t.shell(&line).code(0).stdout().to_vec()
}

case!(lists_of_git_are_checked, |t| {
    tree(t);
    for format in ["sha1", "sha256"] {
        for options in ["-r", "-r -l", "-r -z", "-r -l -z"] {
            let list = listed(t, format, options);
            t.file("list", list);
            let ran = t.run("check list").code(0).quiet().prints("sub/x: OK\n");
            assert_eq!(ran.stdout().split(|byte| *byte == b'\n').count(), 12, "{options}");
        }
    }
    t.file("a", "aaa changed").run("check list").code(1).prints("a: FAILED\n").prints("b c: OK\n");
    t.remove("b c").run("check list").code(1).says("b c");
});

case!(what_git_lists_and_is_no_file_is_not_checked, |t| {
    t.file("a", "a").file("sub/x", "x").link("link", "a");
    let list = [
        listed(t, "sha1", "-r"),
        b"160000 commit 78981922613b2afb6025042ff6bd878ac1994e85\tmodule\n".to_vec(),
    ];
    t.file("list", list.concat());
    t.run("check list")
        .code(2)
        .prints("a: OK\n")
        .prints("sub/x: OK\n")
        .says("link: not checked: a symbolic link")
        .says("module: not checked: a submodule");
    let list = listed(t, "sha1", "");
    t.file("list", list).run("check list").code(2).says("sub: not checked: a folder");
});

case!(
    #[ignore = "campaign: needs rclone"]
    lists_of_rclone_are_checked,
    |t| {
        for name in ["a", "b c", "sub/x", "\u{fc}", "  two blanks"] {
            t.file(format!("tree/{name}"), format!("content of {name}"));
        }
        for algorithm in
            ["md5", "sha1", "sha256", "whirlpool", "crc32", "dropbox", "quickxor", "hidrive", "mailru"]
        {
            for form in ["", "--base64"] {
                let Some(ran) = t.other("rclone", &format!("hashsum {algorithm} tree {form}")) else {
                    return;
                };
                t.file(format!("tree.{algorithm}"), ran.code(0).stdout());
                let line = format!("cd tree && $hashmill check ../tree.{algorithm}");
                let ran = t.shell(&line).code(0).prints("sub/x: OK\n");
                assert_eq!(ran.stdout().split(|byte| *byte == b'\n').count(), 6, "{algorithm} {form}");
                t.rename(&format!("tree.{algorithm}"), "tree.list");
                t.shell(&format!("cd tree && $hashmill check -c {algorithm} ../tree.list")).code(0);
            }
        }
    }
);

case!(files_of_which_rclone_has_no_digest_are_not_checked, |t| {
    let md5 = "0cc175b9c0f1b6a831c399e269772661";
    t.file("a", "a").file("b c", "").file("d", "").file("e", "");
    let list = format!("{:>32}  b c\n{md5}  a\n{:>32}  d\n{:>32}  e\n", "UNSUPPORTED", "ERROR", "");
    t.file("list", list);
    t.run("check list")
        .code(2)
        .is("a: OK\n")
        .says("b c: not checked: the list has no digest of it")
        .says("d: not checked: it could not be read when the list was made")
        .says("e: not checked: the list has no digest of it");
});

case!(lists_of_buckets_are_checked, |t| {
    let large = vec![7; 20 << 20];
    t.file("a", "abc").file("d/large", &large).file("sum", "abc");
    let etag = |list: &str, name: &str| {
        let ran = t.run(&format!("hash -c {list} -f jsonl {name}")).code(0);
        ran.json()[list].as_str().unwrap().to_string()
    };
    let entry = |key: &str, etag: &str, size: usize, more: &str| {
        format!(
            r#"{{"Key": "{key}", "ETag": "\"{etag}\"", "Size": {size}{more}, "StorageClass": "STANDARD"}}"#
        )
    };
    let (whole, parts) = (etag("md5", "a"), etag("s3-etag:8M", "d/large"));
    assert!(parts.ends_with("-3"));
    let entries = [
        entry("a", &whole, 3, ""),
        entry("d/", "d41d8cd98f00b204e9800998ecf8427e", 0, ""),
        entry("d/large", &parts, 20 << 20, ""),
        entry("sum", "900150983cd24fb0d6963f7d28e17f72-2", 9 << 20, r#", "ChecksumCRC32": "NSRBwg==""#),
    ];
    t.file("list", format!("{{\n  \"Contents\": [\n{}\n  ]\n}}\n", entries.join(",\n")));
    let ran = t.run("check list").code(2);
    ran.prints("a: OK\n").prints("d/large: OK\n").says("d/: not checked");
    t.file("list", format!("[{}, {}]", entries[0], entries[2]));
    t.run("check list").code(0).is("a: OK\nd/large: OK\n");
    t.file("d/large", &large[1..]).run("check list").code(1).is("a: OK\nd/large: FAILED\n");
    t.file("list", format!(r#"{{"Contents": [{}], "NextToken": "x"}}"#, entries[0]));
    t.run("check list").code(2).prints("a: OK\n").says("cut short");
    let unclear = entry("a", "900150983cd24fb0d6963f7d28e17f72-2", 9 << 20, "");
    t.file("list", format!("[{unclear}]"))
        .run("check list")
        .code(2)
        .is("a: UNSUPPORTED\n")
        .says("unknown part length");
});

case!(answers_of_s3_are_refused_by_name, |t| {
    t.file("head.json", "{\n    \"LastModified\": \"2026-01-01\",\n    \"ETag\": \"\\\"0cc175b9c0f1b6a831c399e269772661-2\\\"\"\n}\n");
    t.run("check head.json").code(64).says("an answer of Amazon S3 about one object").says("s3-etag:SIZE");
});

/// Returns the records that the defining package reads in a document of the folder `tree`: `DIGEST NAME` per line; none
/// if the package is not installed.
fn read_by_package(t: &Place, kind: &str, file: &str) -> Option<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (python, script) = (python()?, root.join("tests/peers/documents.py"));
    let ran = t.shell(&format!("cd tree && {} {} {kind} {file}", python.display(), script.display()));
    if !had_modules(ran.stderr().as_bytes()) {
        return None;
    }
    let text = String::from_utf8(ran.code(0).stdout().to_vec()).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines.sort();
    Some(lines)
}

/// Names that mean something in JSON, XML, YAML or tags and values.
const WRITTEN: &[&str] =
    &["a", "b c", "sub/x", "\u{fc}\u{1f600}", "quo\"te&<", "true", "1e5", "sub/-: #", "z/y\\n/x", "<text>"];

case!(
    #[ignore = "campaign: takes long"]
    documents_are_read_by_the_packages_that_define_them,
    |t| {
        for name in WRITTEN {
            t.file(format!("tree/{name}"), name.repeat(3));
        }
        for (format, kind, algorithms, file) in [
            (
                "ascmhl",
                "ascmhl",
                "md5,sha1,sha512,xxh64,xxh3,xxh128",
                "ascmhl/0001_tree_2026-01-01_000000Z.mhl",
            ),
            ("spdx", "spdx", "sha1,sha256,md5,sha3-256,blake2b-512,sha224", "../m.spdx.json"),
            ("spdx-tag", "spdx", "sha1,sha256", "../m.spdx"),
            ("in-toto", "in_toto", "sha256,md5", "../m.intoto"),
            ("croissant", "croissant", "sha256,md5", "../m.json"),
            ("dvc-dir", "dvc_dir", "md5", "../m.dir"),
            ("dvc", "dvc", "md5", "../m.dvc"),
            ("stix", "stix", "md5,sha1,sha256,sha512,sha3-256,sha3-512", "../m.stix.json"),
        ] {
            t.shell(&format!(
            "cd tree && mkdir -p ascmhl && $hashmill hash -c {algorithms} -f {format} -o {file} --exclude ascmhl ."
        ))
        .code(0);
            let Some(found) = read_by_package(t, kind, file) else { continue };
            let algorithm = hashmill_digest::find(algorithms.split(',').next().unwrap()).unwrap();
            let below = match kind {
                "spdx" | "in_toto" | "stix" => "./",
                "dvc" => "tree/",
                _ => "",
            };
            let expected = WRITTEN.iter().map(|name| {
                let digest = hashmill_digest::hash(algorithm, name.repeat(3).as_bytes());
                format!("{digest} {below}{name}")
            });
            let mut expected: Vec<String> = expected.collect();
            expected.sort();
            assert_eq!(found, expected, "{format}");
            // And so do we.
            t.shell(&format!("cd tree && $hashmill audit -k {file} --exclude ascmhl .")).code(0);
        }
    }
);

/// Returns a folder with two generations of a history.
fn history(t: &Place) -> Option<String> {
    let program = set_up("venv/bin/ascmhl")?;
    let program = program.display().to_string();
    t.file("reel/a.mov", "first");
    t.shell(&format!("{program} create reel -h md5")).code(0);
    t.file("reel/b.mov", "second");
    t.shell(&format!("{program} create reel -h md5")).code(0);
    Some(program)
}

case!(
    #[ignore = "campaign: needs ascmhl"]
    the_chain_of_ascmhl_is_checked,
    |t| {
        let Some(program) = history(t) else { return };
        let names = t.shell("ls reel/ascmhl/*.mhl").code(0);
        let names: Vec<&str> = str::from_utf8(names.stdout()).unwrap().lines().collect();
        assert_eq!(names.len(), 2);
        let all = names.iter().map(|name| format!("{name}: OK\n")).collect::<String>();
        // From above, and from beside it.
        t.run("check reel/ascmhl/ascmhl_chain.xml").code(0).is(&all);
        let beside = all.replace("reel/ascmhl/", "");
        t.shell("cd reel/ascmhl && $hashmill check ascmhl_chain.xml").code(0).is(&beside);
        t.shell("cd reel/ascmhl && $hashmill check < ascmhl_chain.xml").code(0).is(&beside);
        t.run("audit -k reel/ascmhl/ascmhl_chain.xml reel/ascmhl").code(0).prints("matched: 2\n");
        // A history that the program considers broken is broken for hashmill too.
        t.shell(&format!("{program}-debug verify reel")).code(0);
        let first = t.read(names[0]);
        t.file(names[0], [&first[..], b"\n"].concat());
        assert_ne!(t.shell(&format!("{program}-debug verify reel")).exit(), Some(0));
        let ran = t.run("check reel/ascmhl/ascmhl_chain.xml").code(1);
        ran.prints(format!("{}: FAILED\n", names[0])).prints(format!("{}: OK\n", names[1]));
        t.remove(names[1])
            .run("check reel/ascmhl/ascmhl_chain.xml")
            .code(1)
            .prints(format!("{}: FAILED open", names[1]));
    }
);

// Debian's package starts a service that loads databases, so scripts/setup leaves ClamAV out.
case!(
    #[ignore = "campaign: needs sigtool"]
    signatures_of_clamav_are_what_sigtool_writes,
    |t| {
        let names = ["a", "b.bin", "c"];
        for (name, size) in names.iter().zip([1000, 70_000, 300_000]) {
            t.file(name, Random(size as u64).bytes(size));
        }
        for (algorithm, list) in [("md5", "x.hdb"), ("sha1", "x.hsb"), ("sha256", "x.hsb")] {
            let Some(ran) = t.other("sigtool", &format!("--{algorithm} {}", names.join(" "))) else { return };
            t.file(list, ran.code(0).stdout());
            // The name of the match is here that of the file.
            t.run(&format!("check {list}")).code(0).is("a: OK\nb.bin: OK\nc: OK\n");
            t.run(&format!("known build -o s.hmk --bad {list}")).code(0);
            // Both find the files of the list, and not another one.
            t.file("d", "another one");
            let Some(scan) = t.other("clamscan", &format!("--no-summary -d {list} a b.bin c d")) else {
                return;
            };
            let scan = String::from_utf8(scan.stdout().to_vec()).unwrap();
            let theirs: Vec<&str> = scan
                .lines()
                .filter(|line| line.ends_with(" FOUND"))
                .filter_map(|line| line.split(':').next())
                .collect();
            assert_eq!(theirs, names, "{algorithm}: {scan}");
            let ours = t.run("known match --known-set s.hmk a b.bin c d").code(1);
            let ours = str::from_utf8(ours.stdout()).unwrap();
            let bad = ours.lines().filter(|line| line.contains("\"category\":\"bad\""));
            assert_eq!(bad.count(), names.len(), "{algorithm}");
        }
    }
);
