//! Formats of other programs: their samples are read completely, and the programs accept our output.

use hashmill_digest::{Digest, find};
use hashmill_manifest::format::{FORMATS, Hint, Layout, find_format, open, sniff};
use hashmill_manifest::{Named, Record, Status};
use hashmill_testing::{Folder, installed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn sample(name: &str) -> Vec<u8> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Renders each record and each message as a line.
fn told(format: &str, text: &[u8]) -> Vec<String> {
    assert_eq!(sniff(text).map(|format| format.name), Some(format), "{}", text.escape_ascii());
    let opened = open(Box::new(text), Hint::None).unwrap();
    assert_eq!(opened.format.name, format);
    opened.reader.map(|result| result.map_or_else(|bad| bad.to_string(), |record| line(&record))).collect()
}

fn line(record: &Record) -> String {
    let digests = record.digests.iter().map(|named| {
        let text = named.algorithm.format(&named.digest);
        format!(" {}={}", named.algorithm.name, &text[..text.len().min(8)])
    });
    let size = record.size.map(|size| format!(" {size} bytes")).unwrap_or_default();
    let time =
        record.mtime.and_then(|time| time.to_rfc3339()).map(|time| format!(" {time}")).unwrap_or_default();
    let reason = record
        .reason
        .as_deref()
        .map(|reason| format!(" {} {reason}", record.status.word()))
        .unwrap_or_default();
    format!("{}{size}{time}{reason}{}", String::from_utf8_lossy(&record.path), digests.collect::<String>())
}

#[test]
fn mtree_of_bsd_is_read_in_every_shape() {
    let expected = [
        "a.txt 3 bytes md5=90015098",
        "caf\u{e9} 1 bytes md5=fbade9e3",
        "link skipped symlink",
        "n#=\\x 1 bytes md5=fbade9e3",
        "with space 1 bytes md5=9dd4e461",
        "sub/b 1 bytes md5=41529076",
    ];
    let plain = |line: &String| {
        let words = line.split(' ').filter(|word| {
            !word.starts_with("20") && !word.starts_with("sha") && !word.starts_with("ripemd")
        });
        words.collect::<Vec<_>>().join(" ")
    };
    for shape in ["mtree/netbsd", "mtree/paths", "mtree/last"] {
        let found = told("mtree", &sample(shape));
        let found: Vec<String> = found.iter().map(plain).filter(|line| !line.contains("ascmhl")).collect();
        assert_eq!(found, expected, "{shape}");
    }
    assert_eq!(told("mtree", &sample("mtree/own")), ["a b 3 bytes 1970-01-01T00:00:01.5Z sha256=ba7816bf"]);
    let all = told("mtree", &sample("mtree/paths"));
    let wanted = "a.txt 3 bytes 2026-11-22T20:43:48.391018406Z md5=90015098 ripemd160=8eb208f7 sha1=a9993e36 sha256=ba7816bf \
                  sha384=cb00753f sha512=ddaf35a1";
    assert!(all.iter().any(|line| line == wanted), "{all:?}");
}

#[test]
fn what_is_wrong_in_mtree_is_told() {
    for (text, wanted) in [
        ("#mtree\na type=file md5=x\n", "line 2: digest: "),
        ("#mtree\na type=file size=x\n", "line 2: size: "),
        ("#mtree\na type=whiteout\n", "line 2: type: "),
        ("#mtree\n..\n", "line 2: folder: "),
        ("#mtree\na\\q type=file\n", "line 2: name: "),
        ("#mtree\na type=file \\\n", "line 2: line: cut short"),
        ("#mtree\na\\q type=dir\nb type=file\n", "line 2: name: "),
    ] {
        let found = told("mtree", text.as_bytes());
        assert!(found[0].starts_with(wanted), "{found:?}");
    }
    let found = told("mtree", b"#mtree\na\\q type=dir\nb type=file\n");
    assert_eq!(found[1], "line 3: folder: missing");
    assert_eq!(told("mtree", b"#mtree\na type=file size=3\n"), ["a 3 bytes unreadable unsupported"]);
}

#[test]
fn documents_of_json_are_read() {
    let none = "unreadable unsupported";
    for (format, seed, expected) in [
        (
            "cyclonedx",
            "syft",
            vec![
                "lib/z.c sha256=ba7816bf".to_string(),
                "a.txt sha1=a9993e36 streebog256=ba7816bf".into(),
                format!("none {none}"),
            ],
        ),
        ("spdx", "spdx23", vec!["./a.txt sha1=a9993e36 sha256=ba7816bf".into()]),
        (
            "spdx-tag",
            "spdx23",
            vec!["./a.txt sha1=a9993e36 sha256=ba7816bf".into(), format!("./lib/none {none}")],
        ),
        ("spdx3", "spdx3", vec!["a.txt sha256=ba7816bf".into()]),
        ("in-toto", "statement", vec!["a.txt sha256=ba7816bf".into(), "b sha1=a9993e36".into()]),
        (
            "croissant",
            "croissant",
            vec![
                "data/a.csv 3 bytes sha256=ba7816bf".into(),
                "b c.zip md5=90015098".into(),
                format!("repo {none}"),
            ],
        ),
        (
            "npm",
            "v3",
            vec![
                "types-ms-2.1.0.tgz sha512=1ac08221".into(),
                "is-number-7.0.0.tgz sha512=e350a27e".into(),
                "left-pad-1.3.0.tgz sha512=5c8e4c3f".into(),
            ],
        ),
        ("dvc-dir", "dir", vec!["a.txt md5=90015098".into(), "sub/b md5=90015098".into()]),
        (
            "ecs",
            "auditbeat",
            vec![
                "/etc/a.txt 3 bytes 2026-11-01T09:59:59Z sha1=a9993e36 sha256=ba7816bf".into(),
                "C:\\a b.txt 3 bytes md5=90015098".into(),
                format!("/etc/gone {none}"),
                "c sha3-256=3a985da7".into(),
            ],
        ),
        (
            "premis",
            "mets",
            vec!["%transferDirectory%objects/a b.txt 3 bytes sha256=ba7816bf md5=90015098".into()],
        ),
        ("premis", "older", vec!["data/a.txt.gz 3 bytes sha1=a9993e36".into(), format!("id-2 {none}")]),
        (
            "stix",
            "bundle",
            vec![
                "C:\\Windows\\System32\\a.txt 3 bytes 2016-12-21T19:00:00Z md5=90015098 sha256=ba7816bf"
                    .into(),
                "b sha3-512=b751850b".into(),
                format!("none {none}"),
                "line 10: parent_directory_ref: missing".into(),
            ],
        ),
    ] {
        assert_eq!(told(format, &sample(&format!("{format}/{seed}"))), expected, "{format}");
    }
    let found = told("rclone", &sample("rclone/lsjson"));
    assert_eq!(found.len(), 2, "{found:?}");
    let a = found.iter().find(|line| line.starts_with("a.txt ")).unwrap();
    assert!(a.starts_with("a.txt 3 bytes 2026-01-02T03:04:05Z "), "{a}");
    for digest in
        ["md5=90015098", "sha256=ba7816bf", "crc32=352441c2", "quickxor=", "dropbox=", "mailru=", "hidrive="]
    {
        assert!(a.contains(digest), "{a}");
    }
}

/// A document without files must not pass as one whose files all match.
#[test]
fn documents_without_files_or_ends_are_told() {
    let library = format!(
        "{{\"bomFormat\":\"CycloneDX\",\"components\":[{{\"type\":\"library\",\"name\":\"x\",\"hashes\":[{{\"alg\":\"MD5\",\"content\":\"{MD5}\"}}]}}]}}"
    );
    assert_eq!(told("cyclonedx", library.as_bytes()), ["line 1: files: missing"]);
    for name in [
        "cyclonedx/syft",
        "spdx/spdx23",
        "in-toto/statement",
        "rclone/lsjson",
        "mhl/mhl1",
        "ascmhl/ascmhl",
        "ascmhl-chain/chain",
        "aide/aide",
    ] {
        let format = name.split('/').next().unwrap();
        let whole = sample(name);
        let found = told(format, &whole[..whole.len() - 12]);
        let last = found.last().unwrap();
        assert!(last.starts_with("line "), "{name}: {last}");
    }
}

/// Of two values for one key, some programs take the first and some the last, so such a list is ambiguous.
#[test]
fn a_key_of_json_that_is_there_twice_is_told() {
    for (name, key, list) in [
        ("cyclonedx/syft", "content", Some("components")),
        ("spdx/spdx23", "fileName", Some("files")),
        ("spdx3/spdx3", "hashValue", Some("@graph")),
        ("in-toto/statement", "sha256", Some("subject")),
        ("croissant/croissant", "sha256", Some("distribution")),
        ("dvc-dir/dir", "md5", None),
        ("npm/v1", "integrity", Some("dependencies")),
        ("npm/v3", "integrity", Some("packages")),
        ("rclone/lsjson", "md5", None),
    ] {
        let format = name.split('/').next().unwrap();
        let text = String::from_utf8(sample(name)).unwrap();
        let key = format!("\"{key}\":");
        let first = text.find(&key).unwrap_or_else(|| panic!("{name}: {key}"));
        let (before, behind) = text.split_at(first);
        let found = told(format, format!("{before}{key} \"x\", {behind}").as_bytes());
        assert!(found.iter().any(|line| line.contains("duplicate key")), "{name}: {found:?}");
        let Some(list) = list else { continue };
        // A list with the same key, written with an escape, comes before or after the original one.
        let escaped = format!("\\u{:04x}{}", list.as_bytes()[0], &list[1..]);
        let (before, behind) = text.rsplit_once('}').unwrap();
        let found = told(format, format!("{before},\"{escaped}\":[]}}{behind}").as_bytes());
        assert!(found.last().unwrap().contains("duplicate key"), "{name}: {found:?}");
    }
    let escaped = String::from_utf8(sample("spdx/spdx23")).unwrap().replace("\"files\"", "\"fil\\u0065s\"");
    assert_eq!(told("spdx", escaped.as_bytes())[0], "./a.txt sha1=a9993e36 sha256=ba7816bf");
}

#[test]
fn media_hash_lists_are_read() {
    let found = told("ascmhl", &sample("ascmhl/ascmhl"));
    let expected = [
        "sub/b 1 bytes 2026-11-22T20:43:48Z sha512=121b4774 md5=41529076 xxh64=c13a0c34",
        "a.txt 3 bytes 2026-11-22T20:43:48Z sha512=ddaf35a1 md5=90015098 xxh64=44bc2cf5",
    ];
    assert_eq!(found[..2], expected);
    assert_eq!(found.len(), 6);
    assert_eq!(told("ascmhl", &sample("ascmhl/verified")), ["a & b 3 bytes xxh32=32d153ff xxh128=06b05ab6"]);
    let old = told("mhl", &sample("mhl/mhl1"));
    assert_eq!(
        old,
        [
            "A/clip & 1.mov 3 bytes 2026-01-02T03:04:05Z xxh64=44bc2cf5",
            "b 3 bytes xxh64=44bc2cf5",
            "c 3 bytes xxh32=32d153ff md5=90015098",
            "d 3 bytes unreadable unsupported",
        ]
    );
    assert_eq!(
        told("ascmhl-chain", &sample("ascmhl-chain/chain")),
        ["0001_A_2026-11-23_104146Z.mhl sha512=64578119", "0002_A_2026-11-23_104147Z.mhl sha512=36bde182"]
    );
    let failed = String::from_utf8(sample("ascmhl/ascmhl"))
        .unwrap()
        .replace("action=\"original\"", "action=\"failed\"");
    assert!(told("ascmhl", failed.as_bytes()).iter().all(|line| line.ends_with("unreadable unsupported")));
}

#[test]
fn what_windows_programs_write_is_read() {
    for (format, seed, expected) in [
        ("powershell", "table", vec!["C:\\Users\\u\\a b.txt sha256=ba7816bf", "line 5: name: cut short"]),
        ("powershell", "list", vec!["C:\\Users\\u\\ab.txt md5=90015098", "C:\\b md5=90015098"]),
        ("csv", "powershell", vec!["C:\\a, b.txt sha256=ba7816bf"]),
        ("certutil", "certutil", vec!["C:\\a.iso sha256=ba7816bf", "b md5=90015098"]),
        ("fciv", "fciv", vec!["sub\\a.txt md5=90015098 sha1=a9993e36"]),
    ] {
        let text = sample(&format!("{format}/{seed}"));
        assert_eq!(told(format, &text), expected, "{format} {seed}");
        // Output redirected by `>` of PowerShell.
        for mark in ["\u{feff}", ""] {
            let text = format!("{mark}{}", String::from_utf8(text.clone()).unwrap());
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(told(format, &wide), expected, "{format} {seed} in UTF-16");
        }
    }
}

#[test]
fn names_and_paths_in_two_columns_make_one_path() {
    let left = |names: &str| format!("line 1: columns: left out: {names}");
    for (seed, expected) in [
        (
            "xways",
            vec![
                left("\"Description\", \"Hash set\""),
                "\\Users\\u\\a.txt 3 bytes md5=90015098 sha1=a9993e36".into(),
                "\\b 3 bytes md5=90015098".into(),
                // The path of a folder with the same name as its file.
                "\\x\\u\\u md5=90015098".into(),
            ],
        ),
        ("xways_de", vec!["Bilder\\a.txt 3 bytes sha1=a9993e36".into(), "ü md5=90015098".into()]),
        ("xways_whole", vec!["\\Users\\u\\a.txt md5=90015098".into(), "b md5=90015098".into()]),
    ] {
        let text = sample(&format!("csv/{seed}"));
        assert_eq!(told("csv", &text), expected, "{seed}");
        let wide: Vec<u8> =
            str::from_utf8(&text).unwrap().encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(told("csv", &[b"\xff\xfe", &wide[..]].concat()), expected, "{seed} in UTF-16");
    }
}

/// With one file, or files of one name, both readings are possible: neither is assumed.
#[test]
fn a_path_that_may_be_a_folder_is_told() {
    let unclear = |line: u32| {
        format!(
            "line {line}: path: not clear whether it is the file's folder or its whole path: call its column 'Full Path' if it is whole"
        )
    };
    assert_eq!(told("csv", format!("Name,Path,MD5\nb,a/b,{MD5}\n").as_bytes()), [unclear(2)]);
    let rows = format!("b,a/b,{MD5}\nb,c/b,{MD5}\n");
    assert_eq!(told("csv", format!("Name,Path,MD5\n{rows}").as_bytes()), [unclear(2), unclear(3)]);
    // Another name makes it clear, and so does the title.
    let clear = told("csv", format!("Name,Path,MD5\n{rows}c,c,{MD5}\n").as_bytes());
    assert_eq!(clear, ["a/b md5=90015098", "c/b md5=90015098", "c md5=90015098"]);
    let full = told("csv", format!("Name,Full Path,MD5\n{rows}").as_bytes());
    assert_eq!(full[1..], ["a/b md5=90015098", "c/b md5=90015098"]);
    // A row far behind the sampled ones contradicts.
    let many: String = (0..3000).map(|number| format!("{number},x/{number},{MD5}\n")).collect();
    let found = told("csv", format!("Name,Path,MD5\n{many}b,y,{MD5}\n").as_bytes());
    assert_eq!((found.len(), &found[2999]), (3001, &"x/2999 md5=90015098".to_string()));
    assert_eq!(found[3000], unclear(3002));
    assert_eq!(
        told("csv", format!("Name,Path,MD5\n,x/a,{MD5}\nb,x,{MD5}\n").as_bytes()),
        ["line 2: name: missing", "x/b md5=90015098"]
    );
}

/// The column of the algorithm is Get-FileHash's.
#[test]
fn digests_beside_their_algorithm_are_no_unnamed_ones() {
    let text = format!("Name,Hash\na,{MD5}\nb,{SHA256}\nc,00\n");
    let found = told("csv", text.as_bytes());
    assert_eq!(found[..2], ["a md5=90015098", "b sha256=ba7816bf"]);
    assert!(found[2].starts_with("line 4: digest: "), "{found:?}");
    let text = format!("\"Algorithm\",\"Hash\",\"Path\"\n\"SHA256\",\"{SHA256}\",\"a\"\n");
    assert_eq!(told("csv", text.as_bytes()), ["a sha256=ba7816bf"]);
}

#[test]
fn other_lists_are_read() {
    for (format, seed, expected) in [
        (
            "clamav",
            "hdb",
            vec![
                "Win.Test.Abc-1 3 bytes md5=90015098",
                "Win.Test.Abc-2 sha256=ba7816bf",
                "Win.Test.Abc-3 3 bytes sha1=a9993e36",
            ],
        ),
        ("dvc", "dvc", vec!["a.txt 3 bytes md5=90015098", "data \u{e9} unreadable folder"]),
        ("dvc", "digits", vec!["n: \u{e9} md5=12345678"]),
        ("dvc", "lock", vec!["it''s 3 bytes md5=90015098", "it's md5=90015098"]),
        ("md5deep", "c", vec!["a.txt md5=90015098", "with, comma md5=90015098"]),
        ("md5deep", "zc", vec!["a.txt 3 bytes md5=90015098"]),
        ("md5deep", "t", vec!["with space md5=90015098"]),
        ("md5deep", "zt", vec!["with space 3 bytes md5=90015098"]),
    ] {
        assert_eq!(told(format, &sample(&format!("{format}/{seed}"))), expected, "{format} {seed}");
    }
    let found = told("aide", &sample("aide/aide"));
    assert!(
        found.contains(&"/srv/t/a.txt 3 bytes md5=90015098 sha256=ba7816bf sha512=ddaf35a1".to_string()),
        "{found:?}"
    );
    assert!(found.contains(&"/srv/t/link skipped symlink".to_string()), "{found:?}");
    assert!(found.iter().any(|line| line.starts_with("/srv/t/n#=\\x 1 bytes md5=")), "{found:?}");
}

/// A long name continues in the next line; ambiguous values are refused.
#[test]
fn outputs_of_dvc_are_read_as_yaml_has_them() {
    let output = |path: &str| format!("outs:\n- md5: {MD5}\n  size: 3\n  path: {path}\n");
    assert_eq!(
        told("dvc", output("a long\n    name.txt").as_bytes()),
        ["a long name.txt 3 bytes md5=90015098"]
    );
    for path in ["a # b", "a\n  path: b", "a\n    b # c", "a: b", "'a\n    b'", "\"a\n    b\""] {
        let found = told("dvc", output(path).as_bytes());
        assert!(found.len() == 1 && found[0].starts_with("line "), "{path:?}: {found:?}");
    }
    // The folder of the outputs comes first.
    for (folder, path) in [("..", "../a"), ("'a b'", "a b/a"), (".", "a")] {
        let found = told("dvc", format!("md5: {MD5}\nwdir: {folder}\n{}", output("a")).as_bytes());
        assert_eq!(found, [format!("{path} 3 bytes md5=90015098")]);
    }
    assert_eq!(told("dvc", format!("{}wdir: x\n", output("a")).as_bytes()).len(), 2);
    assert!(told("dvc", format!("wdir: &x y\n{}", output("a")).as_bytes()).len() == 2);
}

/// A name in a list is not a document.
#[test]
fn names_make_no_format() {
    for name in [
        "\"bomFormat\": ",
        "type=file",
        "<FCIV>",
        "@@begin_db",
        "outs:",
        "SHA1 hash of x:",
        "Algorithm : x",
        "#mtree",
        "[]",
        "SPDXVersion: SPDX-2.3",
        "<hashlist xmlns=\"urn:ASC:MHL:v2.0\">",
        "<ascmhldirectory>",
    ] {
        let list = format!("{SHA256}  {name}\n{SHA256}  b\n");
        assert_eq!(told("sums", list.as_bytes())[0], format!("{name} sha256=ba7816bf"));
    }
    let json = format!("{{\"path\":\"bomFormat\",\"md5\":\"{MD5}\"}}\n");
    assert_eq!(told("jsonl", json.as_bytes()), ["bomFormat md5=90015098"]);
}

/// Writes records with digests by these algorithms.
fn written(format: &str, records: &[Record], algorithms: &[&str]) -> Vec<u8> {
    let algorithms = algorithms.iter().map(|name| find(name).unwrap()).collect();
    let mut writer =
        find_format(format).unwrap().writer.unwrap()(Layout { algorithms, times: true, ..Layout::default() });
    let mut text = Vec::new();
    writer.begin(&mut text).unwrap();
    records.iter().for_each(|record| writer.record(record, &mut text).unwrap());
    writer.end(&mut text).unwrap();
    text
}

fn record(path: &str, content: &[u8], algorithms: &[&str]) -> Record {
    let digests = algorithms.iter().map(|name| {
        let algorithm = find(name).unwrap();
        Named { algorithm, digest: hashmill_digest::hash(algorithm, content), guessed: false }
    });
    Record::hashed(path.as_bytes().into(), Some(content.len() as u64), digests.collect())
}

#[test]
fn mtree_takes_what_is_written() {
    let folder = Folder::new();
    let names = ["a.txt", "with space", "n#=\\x", "caf\u{e9}", "new\nline", "star*", "x/y/z", "x/a", "w/q"];
    for name in names {
        folder.file(name.as_bytes(), name.as_bytes());
    }
    let all = ["md5", "sha1", "ripemd160", "sha256", "sha384", "sha512"];
    let records: Vec<Record> = names.iter().map(|name| record(name, name.as_bytes(), &all)).collect();
    fs::write(folder.path().join("spec"), written("mtree", &records, &all)).unwrap();
    let Some(mtree) = installed("mtree") else { return };
    let run = |extra: &str| {
        fs::write(folder.path().join("a.txt"), extra).unwrap();
        // -e ignores additional files.
        let arguments = ["-e", "-f", "spec", "-p", "."];
        let output = Command::new(&mtree).args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(run("a.txt"), (true, String::new()));
    let (right, said) = run("b.txt");
    assert!(!right && said.contains("sha256"), "{said}");
}

/// The last version in a format's row is the one that is written.
#[test]
fn the_version_that_a_row_names_is_written() {
    let mut compared = 0;
    for format in FORMATS.iter().filter(|format| format.writer.is_some() && !format.versions.is_empty()) {
        let algorithms: &[&str] = match format.only {
            [] => &["sha256"],
            _ if !format.needs.is_empty() => format.needs,
            only => &only[..1],
        };
        let text = written(format.name, &[record("./a", b"abc", algorithms)], algorithms);
        let version = format.versions.rsplit(' ').next().unwrap();
        let text = String::from_utf8_lossy(&text);
        assert!(text.contains(version), "{}: {text}", format.name);
        compared += 1;
    }
    assert!(compared >= 9, "{compared}");
}

#[test]
fn what_is_written_has_the_shape_of_its_standard() {
    let one = [record("a/b c.txt", b"abc", &["sha256"])];
    let text = |format| String::from_utf8(written(format, &one, &["sha256"])).unwrap();
    assert_eq!(text("gentoo"), format!("DATA a/b\\x20c.txt 3 SHA256 {SHA256}\n"));
    assert_eq!(text("record"), "\"a/b c.txt\",sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n");
    assert_eq!(
        text("mtree"),
        format!("#mtree\n. type=dir\n./a type=dir\n./a/b\\040c.txt type=file size=3 sha256={SHA256}\n")
    );
    assert_eq!(
        text("cyclonedx"),
        format!(
            "{{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.6\",\"version\":1,\"components\":[\n{{\"type\":\"file\",\"name\":\"a/b c.txt\",\"hashes\":[{{\"alg\":\"SHA-256\",\"content\":\"{SHA256}\"}}]}}\n]}}\n"
        )
    );
    let both = [record("./a/b c.txt", b"abc", &["sha1", "sha256"])];
    let said = |format| String::from_utf8(written(format, &both, &["sha1", "sha256"])).unwrap();
    let id = "https://spdx.org/spdxdocs/files-";
    assert!(said("spdx").contains(&format!("\"documentNamespace\":\"{id}")));
    assert!(said("spdx").contains(
        "{\"SPDXID\":\"SPDXRef-File-1\",\"fileName\":\"./a/b c.txt\",\"checksums\":[{\"algorithm\":\"SHA1\""
    ));
    let tags = said("spdx-tag");
    let end = format!(
        "\nFileName: ./a/b c.txt\nSPDXID: SPDXRef-File-1\nFileChecksum: SHA1: a9993e364706816aba3e25717850c26c9cd0d89d\n\
         FileChecksum: SHA256: {SHA256}\nRelationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-File-1\n"
    );
    assert!(tags.starts_with("SPDXVersion: SPDX-2.3\n") && tags.ends_with(&end), "{tags}");
    let digest = format!(
        "\"digest\":{{\"sha1\":\"a9993e364706816aba3e25717850c26c9cd0d89d\",\"sha256\":\"{SHA256}\"}}"
    );
    assert!(
        said("in-toto").contains(&format!("{{\"name\":\"./a/b c.txt\",{digest}}}")),
        "{}",
        said("in-toto")
    );
    let md5 = [record("./a/b c.txt", b"abc", &["md5"])];
    let said = |format| String::from_utf8(written(format, &md5, &["md5"])).unwrap();
    assert_eq!(said("dvc"), format!("outs:\n- md5: {MD5}\n  size: 3\n  hash: md5\n  path: \"a/b c.txt\"\n"));
    assert_eq!(said("dvc-dir"), format!("[{{\"md5\": \"{MD5}\", \"relpath\": \"a/b c.txt\"}}]"));
    assert!(said("mhl").ends_with(&format!(
        "  <hash>\n    <file>a/b c.txt</file>\n    <size>3</size>\n    <md5>{MD5}</md5>\n  </hash>\n</hashlist>\n"
    )));
    assert!(said("ascmhl").contains(&format!(
        "    <hash>\n      <path size=\"3\">a/b c.txt</path>\n      <md5 action=\"original\">{MD5}</md5>\n    </hash>\n"
    )));
    assert!(said("croissant").contains("\"contentUrl\":\"a/b c.txt\",\"contentSize\":\"3 B\""));
    assert_eq!(
        text("rclone"),
        format!(
            "[\n{{\"Path\":\"a/b c.txt\",\"Name\":\"b c.txt\",\"Size\":3,\"ModTime\":\"\",\"IsDir\":false,\"Hashes\":{{\"sha256\":\"{SHA256}\"}}}}\n]\n"
        )
    );
}

#[test]
fn a_document_that_says_two_things_of_a_file_is_malformed() {
    let own = format!(
        "\"hashmill\":{{\"path\":\"a\",\"size\":3,\"status\":\"hashed\",\"md5\":\"{MD5}\",\"entropy\":1}}"
    );
    let document = |file: &str| format!("{{\"ecs\":{{\"version\":\"8.17.0\"}},\"file\":{{{file}}},{own}}}\n");
    let other = "0".repeat(32);
    for (file, wanted) in [
        (format!("\"path\":\"a\",\"size\":3,\"hash\":{{\"md5\":\"{MD5}\"}}"), "a 3 bytes md5=90015098"),
        ("\"path\":\"a\"".into(), "a 3 bytes md5=90015098"),
        ("\"path\":\"b\"".into(), "line 1: path: does not match hashmill"),
        ("\"path\":\"a\",\"size\":4".into(), "line 1: size: "),
        (format!("\"path\":\"a\",\"hash\":{{\"md5\":\"{other}\"}}"), "line 1: digest: "),
        (
            format!("\"path\":\"a\",\"hash\":{{\"md5\":\"{MD5}\",\"md5\":\"{other}\"}}"),
            "line 1: digest: given twice",
        ),
        ("\"path\":\"a\",\"path\":\"a\"".into(), "line 1: path: given twice"),
        ("\"path\":\"a\",\"size\":\"x\"".into(), "line 1: size: "),
    ] {
        let found = told("ecs", document(&file).as_bytes());
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{file}: {found:?}");
    }
    let twice = document("\"path\":\"a\"").replacen("\"ecs\":", &format!("{own},\"ecs\":"), 1);
    assert_eq!(told("ecs", twice.as_bytes()).len(), 1);
    assert!(told("ecs", twice.as_bytes())[0].starts_with("line 1: hashmill: "));
    let listed = format!("{{\"ecs.version\":[\"8\"],\"file.path\":[\"a\"],\"file.hash.md5\":[\"{MD5}\"]}}\n");
    assert_eq!(told("ecs", listed.as_bytes()), ["a md5=90015098"]);
    let several = listed.replace("[\"a\"]", "[\"a\",\"b\"]");
    assert_eq!(told("ecs", several.as_bytes()), ["line 1: path: given twice"]);
    let deep = format!("{{\"ecs\":1,\"file\":{}1{}}}\n", "{\"hash\":".repeat(200), "}".repeat(200));
    assert!(told("ecs", deep.as_bytes())[0].starts_with("line 1: object: "));
}

/// A folder that is two would be another one for other programs.
#[test]
fn an_identifier_of_two_folders_is_malformed() {
    let folder = |path| format!("{{\"type\":\"directory\",\"id\":\"directory--1\",\"path\":\"{path}\"}},");
    let file = format!(
        "{{\"type\":\"file\",\"name\":\"f\",\"hashes\":{{\"MD5\":\"{MD5}\"}},\"parent_directory_ref\":\"directory--1\"}}"
    );
    let bundle =
        |folders: &str| format!("{{\"type\":\"bundle\",\"id\":\"bundle--1\",\"objects\":[{folders}{file}]}}");
    assert_eq!(told("stix", bundle(&[folder("a"), folder("a")].concat()).as_bytes()), ["a/f md5=90015098"]);
    let told = told("stix", bundle(&[folder("a"), folder("b")].concat()).as_bytes());
    assert_eq!(told, ["line 1: path: given twice", "a/f md5=90015098"]);
}

/// Files in more folders than a reader remembers are read back, also those of a folder that came long before.
#[test]
fn folders_of_a_bundle_are_written_again_before_they_are_forgotten() {
    let folders = (0..20_000).map(|number| record(&format!("all/{number}/a"), b"abc", &["md5"]));
    let all: Vec<Record> = folders.chain([record("all/z", b"abc", &["md5"])]).collect();
    let text = written("stix", &all, &["md5"]);
    let found = told("stix", &text);
    assert_eq!(found.len(), all.len());
    assert_eq!(found[20_000], "all/z 3 bytes md5=90015098");
}

#[test]
fn formats_refuse_what_they_have_no_place_for() {
    let md5 = find("md5").unwrap();
    let named = |algorithm| Named { algorithm, digest: Digest::new(&[7; 16]), guessed: false };
    let plain = Record::hashed(b"a".as_slice().into(), Some(3), vec![named(md5)]);
    let latin = Record { path: b"caf\xe9".as_slice().into(), ..plain.clone() };
    let sizeless = Record { size: None, ..plain.clone() };
    let blank = Record { path: b" ".as_slice().into(), ..plain.clone() };
    let absolute = Record { path: b"/a".as_slice().into(), ..plain.clone() };
    let sha1 = find("sha1").unwrap();
    let named_sha1 = Named { algorithm: sha1, digest: Digest::new(&[7; 20]), guessed: false };
    let unread = Record::bare(b"a".as_slice().into(), Status::Unreadable);
    for (format, record, fits) in [
        ("gentoo", &plain, true),
        ("gentoo", &latin, false),
        ("gentoo", &sizeless, false),
        ("record", &plain, false),
        ("rclone", &latin, false),
        ("rclone", &sizeless, true),
        ("cyclonedx", &latin, false),
        ("mhl", &plain, true),
        ("mhl", &latin, false),
        ("mhl", &sizeless, false),
        ("mhl", &blank, false),
        ("ascmhl", &sizeless, true),
        ("ascmhl", &latin, false),
        ("spdx", &plain, false),
        ("spdx", &Record { digests: vec![named_sha1], ..plain.clone() }, true),
        ("spdx", &Record { digests: vec![named_sha1], ..absolute.clone() }, false),
        ("spdx-tag", &Record { digests: vec![named_sha1], ..blank.clone() }, false),
        (
            "spdx-tag",
            &Record { digests: vec![named_sha1], path: b"a\nb".as_slice().into(), ..plain.clone() },
            false,
        ),
        ("in-toto", &plain, true),
        ("in-toto", &latin, false),
        ("croissant", &plain, true),
        ("croissant", &latin, false),
        ("croissant", &Record { path: b"x://y".as_slice().into(), ..plain.clone() }, false),
        ("dvc", &plain, true),
        ("dvc", &latin, false),
        ("dvc-dir", &plain, true),
        ("dvc-dir", &latin, false),
        ("dvc-dir", &Record { digests: vec![named_sha1], ..plain.clone() }, false),
        ("mtree", &latin, true),
        ("mtree", &unread, true),
    ] {
        let mut writer = find_format(format).unwrap().writer.unwrap()(Layout {
            algorithms: vec![md5],
            ..Layout::default()
        });
        let mut text = Vec::new();
        writer.begin(&mut text).unwrap();
        let before = text.len();
        let done = writer.record(record, &mut text);
        assert_eq!(done.is_ok(), fits, "{format}: {}", record.path.escape_ascii());
        assert_eq!(text.len() > before, fits && record.status == Status::Hashed);
    }
}
