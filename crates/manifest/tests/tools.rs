//! Lists of other tools are recognised and read, and the tools read our output: with the tools themselves if they are
//! installed, and always with recorded lines.

use hashmill_digest::{find, hash};
use hashmill_manifest::format::{Hint, Layout, find_format, open, sniff};
use hashmill_manifest::{Named, Piece, Record, Status};
use hashmill_testing::{Folder, installed};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// Difficult names for line formats.
const NAMES: [&[u8]; 9] = [
    b"a.txt",
    b"b (1) = c",
    b"back\\slash",
    b"new\nline",
    b"cr\r",
    b" spaces ",
    b"caf\xe9",
    b"a, \"b\"",
    b"x offset 0-6",
];

/// Creates a folder with files of these names.
fn with_names() -> Folder {
    let folder = Folder::new();
    for name in NAMES {
        folder.file(name, content(name));
    }
    folder
}

/// Returns the seven-byte content of the file of this name, so that one name looks like a piece of it.
fn content(name: &[u8]) -> Vec<u8> {
    format!("file {:02}", name.len()).into_bytes()
}

/// Returns the output of a tool; `None`, noted, if it is not installed.
fn output(folder: &Path, tool: &str, arguments: &[&OsStr]) -> Option<Vec<u8>> {
    let mut command = Command::new(installed(tool)?);
    let output = command.args(arguments).current_dir(folder).env("LC_ALL", "C").output();
    Some(output.unwrap().stdout)
}

fn names(options: &[&'static str], names: &[&'static [u8]]) -> Vec<&'static OsStr> {
    let options = options.iter().map(|option| OsStr::new(*option));
    options.chain(names.iter().map(|name| OsStr::from_bytes(name))).collect()
}

/// Reads a manifest that must have no malformed line.
fn read(format: &str, text: &[u8]) -> Vec<Record> {
    assert_eq!(sniff(text).map(|format| format.name), Some(format), "{}", text.escape_ascii());
    let reader = open(Box::new(text), Hint::None).unwrap().reader;
    reader.map(|result| result.unwrap_or_else(|bad| panic!("{bad}: {}", text.escape_ascii()))).collect()
}

/// Checks that the digest of each record is that of the file's content, by an algorithm of its length.
fn assert_right(records: &[Record], algorithm: &str, names: &[&[u8]]) {
    let algorithm = find(algorithm).unwrap();
    let paths: Vec<&[u8]> = records.iter().map(|record| &*record.path).collect();
    assert_eq!(paths, names);
    for record in records {
        let digest = hash(algorithm, &content(&record.path));
        let named = record.digests.iter().find(|named| named.digest == digest);
        let named = named.unwrap_or_else(|| panic!("{record:?} is not {digest}"));
        assert!(named.guessed || named.algorithm == algorithm, "{record:?}");
    }
}

#[test]
fn coreutils_lists_are_read() {
    let folder = with_names();
    for (tool, options, format, algorithm) in [
        ("sha256sum", &[][..], "sums", "sha256"),
        ("sha256sum", &["-b"], "sums", "sha256"),
        ("md5sum", &["--tag"], "bsd", "md5"),
        ("sha512sum", &["--tag"], "bsd", "sha512"),
        ("b2sum", &["--tag", "-l", "256"], "bsd", "blake2b-256"),
        ("b2sum", &["--tag"], "bsd", "blake2b-512"),
    ] {
        let Some(text) = output(folder.path(), tool, &names(options, &NAMES)) else { continue };
        assert_right(&read(format, &text), algorithm, &NAMES);
    }
    // cksum does not escape.
    let plain: Vec<&[u8]> =
        NAMES.into_iter().filter(|name| !name.contains(&b'\n') && !name.contains(&b'\r')).collect();
    let Some(text) = output(folder.path(), "cksum", &names(&[], &plain)) else { return };
    let records = read("sums", &text);
    // It does not mark lines either, so nothing is unescaped.
    assert_right(&records, "cksum", &plain);
    assert!(records.iter().all(|record| record.size == Some(7)));
}

#[test]
fn other_tools_lists_are_read() {
    let folder = with_names();
    // These tools can't read back other names themselves.
    let plain: [&[u8]; 3] = [b"a.txt", b"b (1) = c", b"a, \"b\""];
    for (tool, options, format, algorithm) in [
        ("openssl", &["dgst", "-sha256"][..], "bsd", "sha256"),
        ("openssl", &["dgst", "-sha512-256"], "bsd", "sha512-256"),
        ("openssl", &["dgst", "-r", "-sha1"], "sums", "sha1"),
        ("rhash", &["--bsd", "--sha3-256"], "bsd", "sha3-256"),
        ("rhash", &["--md5"], "sums", "md5"),
        ("rhash", &["--md5", "--sha1"], "sfv", "sha1"),
        ("rhash", &["--crc32"], "sfv", "crc32"),
        ("rhash", &["--sfv"], "sfv", "crc32"),
        ("xxhsum", &["-H1"], "sums", "xxh64"),
        ("xxhsum", &["-H2", "--tag"], "bsd", "xxh128"),
        ("xxhsum", &["-H3", "--tag"], "bsd", "xxh3"),
        ("xxhsum", &["-H1", "--tag", "--little-endian"], "bsd", "xxh64"),
        ("md5deep", &["-l", "-j0"], "sums", "md5"),
        ("md5deep", &["-l", "-j0", "-z"], "sums", "md5"),
    ] {
        let Some(text) = output(folder.path(), tool, &names(options, &plain)) else { continue };
        let records = read(format, &text);
        assert_right(&records, algorithm, &plain);
    }
}

#[test]
fn hashdeep_s_manifests_are_read() {
    let folder = with_names();
    let plain: Vec<&[u8]> =
        NAMES.into_iter().filter(|name| !name.contains(&b'\n') && name != b"x offset 0-6").collect();
    for (options, format) in [
        (&["-l", "-j0", "-c", "md5,sha1,sha256,tiger,whirlpool"][..], "hashdeep"),
        (&["-l", "-j0", "-d", "-c", "md5,sha1,sha256,tiger,whirlpool"], "dfxml"),
    ] {
        let Some(text) = output(folder.path(), "hashdeep", &names(options, &plain)) else { return };
        let records = read(format, &text);
        for algorithm in ["md5", "sha1", "sha256", "tiger", "whirlpool"] {
            assert_right(&records, algorithm, &plain);
        }
        assert!(records.iter().all(|record| record.size == Some(7) && record.digests.len() == 5));
    }
    for options in [&["-l", "-j0", "-p", "4", "-c", "md5"][..], &["-l", "-j0", "-d", "-p", "4", "-c", "md5"]]
    {
        let Some(text) = output(folder.path(), "hashdeep", &names(options, &[b"a.txt"])) else { return };
        let records = open(Box::new(&text[..]), Hint::None).unwrap().reader.map(Result::unwrap);
        let pieces: Vec<Piece> = records.filter_map(|record| record.piece).collect();
        assert_eq!(pieces, [Piece { offset: 0, length: 4 }, Piece { offset: 4, length: 3 }]);
    }
}

fn records(algorithm: &str, names: &[&[u8]]) -> Vec<Record> {
    let algorithm = find(algorithm).unwrap();
    let record = |name: &&[u8]| Record {
        path: (*name).into(),
        size: Some(7),
        status: Status::Hashed,
        reason: None,
        version: None,
        piece: None,
        mtime: None,
        metadata: None,
        digests: vec![Named { algorithm, digest: hash(algorithm, &content(name)), guessed: false }],
        likeness: Vec::new(),
        facts: None,
        leaves: Box::default(),
        bad_blocks: Box::default(),
        label: None,
    };
    names.iter().map(record).collect()
}

fn written(format: &str, algorithm: &str, names: &[&[u8]]) -> Vec<u8> {
    let layout = Layout { algorithms: vec![find(algorithm).unwrap()], ..Layout::default() };
    let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
    let mut text = Vec::new();
    writer.begin(&mut text).unwrap();
    for record in records(algorithm, names) {
        writer.record(&record, &mut text).unwrap();
    }
    writer.end(&mut text).unwrap();
    text
}

#[test]
fn coreutils_writes_the_same_lines_and_checks_ours() {
    let folder = with_names();
    for (tool, options, format, algorithm) in [
        ("sha256sum", &[][..], "sums", "sha256"),
        ("sha1sum", &["--tag"], "bsd", "sha1"),
        ("b2sum", &["--tag"], "bsd", "blake2b-512"),
        ("b2sum", &["--tag", "-l", "256"], "bsd", "blake2b-256"),
        ("sha512sum", &[], "sums", "sha512"),
    ] {
        let ours = written(format, algorithm, &NAMES);
        let Some(theirs) = output(folder.path(), tool, &names(options, &NAMES)) else { continue };
        assert_eq!(ours.escape_ascii().to_string(), theirs.escape_ascii().to_string(), "{tool} {options:?}");
        folder.file("sums", ours);
        let checked = Command::new(tool)
            .args(["-c", "--strict", "--quiet", "sums"])
            .current_dir(folder.path())
            .status();
        assert!(checked.unwrap().success(), "{tool} -c");
    }
}

#[test]
fn hashdeep_audits_our_manifest() {
    let folder = with_names();
    let plain: Vec<&[u8]> = NAMES
        .into_iter()
        .filter(|name| !name.contains(&b'\n') && !name.contains(&b'\r') && name != b"x offset 0-6")
        .collect();
    folder.file("known", written("hashdeep", "sha256", &plain));
    let mut arguments = names(&["-l", "-a", "-k", "known"], &[]);
    arguments.extend(plain.iter().map(|name| OsStr::from_bytes(name)));
    let Some(text) = output(folder.path(), "hashdeep", &arguments) else { return };
    assert_eq!(String::from_utf8_lossy(&text), "hashdeep: Audit passed\n");
}

#[test]
fn our_dfxml_is_well_formed_for_any_name() {
    let folder = Folder::new();
    let all: Vec<Vec<u8>> = (1..=255_u8).map(|byte| vec![b'a', byte, b'z']).collect();
    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    folder.file("x.xml", written("dfxml", "md5", &all));
    let check =
        "import sys, xml.dom.minidom as d; print(len(d.parse('x.xml').getElementsByTagName('fileobject')))";
    let Some(text) = output(folder.path(), "python3", &[OsStr::new("-c"), OsStr::new(check)]) else { return };
    assert_eq!(String::from_utf8_lossy(&text), "255\n");
}
