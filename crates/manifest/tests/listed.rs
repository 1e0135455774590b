//! Lists that programs of this machine write, of files with difficult names.

use crate::lists::{MD5, open_text, told};
use hashmill_digest::{find, hash, of_bits};
use hashmill_manifest::format::{Hint, open};
use hashmill_manifest::{Named, Record};
use hashmill_os::names;
use hashmill_testing::installed;
use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};

/// Difficult names for lists.
const NAMES: &[&[u8]] = &[
    b"plain",
    b"with space",
    b" lead",
    b"  two",
    b"trail ",
    b"cr\r",
    b"new\nline",
    b"back\\slash",
    b"\\lead",
    b"a\\nb",
    b"*star",
    b"(paren)",
    b"a) = b",
    b"MD5 (x) = y",
    b"caf\xe9",
    "gr\u{fc}\u{df}".as_bytes(),
    b"tab\tname",
    b"#hash",
    b";semi",
    b"a 12345678",
    b"a  12345678",
    b"900150983cd24fb0d6963f7d28e17f72",
    b"da39a3ee5e6b4b0d3255bfef95601890afd80709 x",
    b"f offset 0-6",
    b"\"quoted\"",
    b"comma,s",
    b"Upper",
    b"^hat",
    b"%41",
];

/// Returns whether a format without escapes can hold a name.
fn plain(name: &[u8]) -> bool {
    !name.iter().any(|byte| b"\n\r\\".contains(byte))
}

fn content(name: &[u8]) -> Vec<u8> {
    [b"content of ", name].concat()
}

/// Returns the output of a tool for all names; `None` if it is not installed or lacks the options.
fn output(folder: &std::path::Path, command: &[&str], names: &[&[u8]]) -> Option<Vec<u8>> {
    let names = names.iter().map(|name| names::name(name).unwrap());
    let (tool, options) = command.split_first()?;
    let done = Command::new(installed(tool)?)
        .args(options)
        .args(names)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (!done.stdout.is_empty()).then_some(done.stdout)
}

/// Returns whether a digest is that of the content by its algorithm, or, if guessed, by any of its length.
fn is_right(named: &Named, content: &[u8]) -> bool {
    let guess = || of_bits(named.digest.bits()).any(|row| hash(row, content) == named.digest);
    hash(named.algorithm, content) == named.digest || named.guessed && guess()
}

/// The names that must be read from a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holds {
    /// All.
    Any,
    /// All without control characters and backslashes.
    Plain,
    /// As `Plain`, without names that have another meaning in the format.
    Most,
    /// Possibly none, but nothing wrong.
    Nothing,
}

/// Every list format of the installed tools, with difficult names: every digest that is read is that of its file.
#[test]
#[ignore = "campaign: takes long"]
fn nothing_that_tools_write_is_misread() {
    use Holds::{Any, Most, Nothing, Plain};
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        fs::write(folder.path().join(names::name(name).unwrap()), content(name)).unwrap();
    }
    let mut commands: Vec<(String, Holds)> = Vec::new();
    for tool in ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"] {
        let options = ["", "-b", "--tag", "-z", "--tag -z"];
        commands.extend(options.iter().map(|option| (format!("{tool} {option}"), Any)));
    }
    commands.push(("b2sum -l 256".into(), Any));
    for algorithm in ["md5", "sha256", "blake2b", "sm3"] {
        for option in ["", "--untagged", "-z", "--untagged -z"] {
            commands.push((format!("cksum -a {algorithm} {option}"), Any));
        }
    }
    commands.extend(["-a sysv", "-a bsd", "-z"].map(|option| (format!("cksum {option}"), Nothing)));
    commands.push(("cksum".into(), Plain));
    for form in ["--sfv", "--simple", "--bsd", "--magnet", "--base32", "-b", "--uppercase"] {
        for kinds in [
            "-C",
            "-M",
            "-C -M",
            "-M -H",
            "-C -M -H --sha256",
            "--sha256 --sha3-256",
            "-C --crc32c",
            "-H --ripemd160",
            "-T",
            "-M -T",
            "-T --sha256",
            "-A",
            "-C -A -M",
            "--tiger --whirlpool",
            "-a",
        ] {
            let holds = match form {
                "--bsd" if !["-a", "-T", "-A"].contains(&kinds) => Plain,
                "--sfv" | "--simple" | "--uppercase"
                    if !["-T", "-A", "-a"].iter().any(|kind| kinds.contains(kind)) =>
                {
                    Most
                }
                _ => Nothing,
            };
            commands.push((format!("rhash {form} {kinds}"), holds));
        }
    }
    for kind in ["-H0", "-H1", "-H2", "-H3"] {
        commands.push((format!("xxhsum {kind}"), Plain));
        commands.push((format!("xxhsum {kind} --tag"), Plain));
        commands.push((format!("xxhsum {kind} --tag --little-endian"), Plain));
    }
    commands.push(("b3sum".into(), Nothing));
    for option in ["-sha256", "-md5", "-r -sha256", "-r -sha512-256", "-sha3-256", "-blake2b512", "-sm3"] {
        commands.push((format!("openssl dgst {option}"), Plain));
    }
    commands.push(("cksfv".into(), Most));
    for tool in ["md5deep", "sha1deep", "sha256deep", "tigerdeep", "whirlpooldeep"] {
        commands
            .extend(["-l -j0", "-l -j0 -z", "-l -j0 -0"].map(|option| (format!("{tool} {option}"), Plain)));
    }
    for options in ["-c", "-t", "-t -c", "-z -c", "-z -t", "-z -t -c"] {
        commands.push((format!("md5deep -l -j0 {options}"), Plain));
        commands.push((format!("sha256deep -l -j0 -0 {options}"), Plain));
    }
    for option in ["-c md5", "-c md5,sha256", "-d -c sha1"] {
        commands.push((format!("hashdeep -l -j0 {option}"), Plain));
    }
    for option in ["", "-b", "-a 256", "-a 512256", "--tag"] {
        commands.push((format!("shasum {option}"), Any));
    }
    commands.extend(["-U", "-0"].map(|option| (format!("shasum {option}"), Nothing)));
    for (command, holds) in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        // These tools treat the rest of a line as options, or crash on some names.
        let Some(text) = output(folder.path(), &words, NAMES) else { continue };
        check_list(&command, holds, &text);
    }
}

fn check_list(command: &str, holds: Holds, text: &[u8]) {
    let opened = match open(Box::new(text), Hint::None) {
        Ok(opened) => opened,
        Err(error) if holds == Holds::Nothing => return assert!(!error.to_string().is_empty()),
        Err(error) => panic!("{command}: {error}: {}", text.escape_ascii()),
    };
    let mut right: HashMap<Box<[u8]>, usize> = HashMap::new();
    for record in opened.reader.flatten().filter(|record| record.piece.is_none()) {
        let Some(name) = NAMES.iter().find(|name| ***name == *record.path) else { continue };
        let all = record.digests.iter().all(|named| is_right(named, &content(name)));
        // rhash supports algorithms that are missing here, some with equal lengths.
        assert!(all || command.contains("-a") || holds == Holds::Nothing, "{command}: {record:?}");
        *right.entry(record.path).or_default() += usize::from(all);
    }
    let special = |name: &[u8]| {
        b"#;".contains(&name[0])
            || name.starts_with(b" ")
            || name.ends_with(b" ")
            || name.ends_with(b"12345678")
    };
    for name in NAMES {
        let wanted = match holds {
            Holds::Any => true,
            Holds::Plain => plain(name),
            Holds::Most => plain(name) && !special(name),
            Holds::Nothing => false,
        };
        assert!(
            !wanted || right.contains_key(*name),
            "{command}: {} is lost: {}",
            name.escape_ascii(),
            text.escape_ascii()
        );
    }
}

/// Both directions, for each algorithm and form: we read xxhsum's output, and xxhsum checks ours.
#[test]
fn xxhsum_and_we_read_each_other() {
    use hashmill_manifest::Status;
    use hashmill_manifest::format::{Layout, find_format};
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<&[u8]> =
        NAMES.iter().copied().filter(|name| !name.contains(&b'\n') && !name.contains(&b'\r')).collect();
    for name in &names {
        fs::write(folder.path().join(names::name(name).unwrap()), content(name)).unwrap();
    }
    let Some(xxhsum) = installed("xxhsum") else { return };
    for name in ["xxh32", "xxh64", "xxh128", "xxh3"] {
        for format in ["sums", "bsd"] {
            let algorithm = find(name).unwrap();
            let layout = Layout { algorithms: vec![algorithm], ..Layout::default() };
            let mut writer = find_format(format).unwrap().writer.unwrap()(layout);
            let mut list = Vec::new();
            for path in &names {
                let digests =
                    vec![Named { algorithm, digest: hash(algorithm, &content(path)), guessed: false }];
                let record = Record { digests, ..Record::bare((*path).into(), Status::Hashed) };
                writer.record(&record, &mut list).unwrap();
            }
            fs::write(folder.path().join("list"), &list).unwrap();
            let check = Command::new(&xxhsum)
                .args(["-c", "--strict", "list"])
                .current_dir(folder.path())
                .output()
                .unwrap();
            let shown = String::from_utf8_lossy(&check.stdout);
            assert!(
                check.status.success() && shown.matches(": OK").count() == names.len(),
                "{name} {format}: {shown}"
            );
            let mut read = open_text(&list).reader;
            let again: Vec<Record> = read.by_ref().map(Result::unwrap).collect();
            assert!(
                again
                    .iter()
                    .zip(&names)
                    .all(|(record, name)| *record.path == **name
                        && is_right(&record.digests[0], &content(name)))
            );
        }
    }
    // Versions since 0.8.2 write XXH3 this way and escape names; the installed one may be older.
    let newer = b"XXH3_78af5f94892f3950  abc\n\\XXH3_78af5f94892f3950  a\\\\b\n";
    let records: Vec<Record> = open_text(newer).reader.map(Result::unwrap).collect();
    assert!(
        records.iter().all(|record| record.digests[0].algorithm.name == "xxh3" && !record.digests[0].guessed)
    );
    assert_eq!(*records[1].path, *b"a\\b");
}

/// gpg itself clear-signs a list with names that it must escape.
#[test]
fn what_gpg_clear_signs_is_read() {
    if installed("gpg").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let list = format!("-dash is a line\nFrom here\n{MD5}  a\n\n# c\n\\{MD5}  b\\nb\nMD5 (- c) = {MD5}  \n");
    fs::write(folder.path().join("list"), &list).unwrap();
    let script = "chmod 700 home; export GNUPGHOME=$PWD/home; \
        gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key t ed25519 sign never && \
        gpg --batch --quiet --pinentry-mode loopback --passphrase '' --clearsign -o signed list; code=$?; \
        gpgconf --kill all; exit $code";
    let done = Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let signed = fs::read_to_string(folder.path().join("signed")).unwrap();
    assert!(signed.contains("\n- -dash"), "{signed}");
    let found = told(&signed);
    let records: Vec<&String> = found.iter().filter(|told| !told.starts_with("note: ")).collect();
    assert_eq!(records, ["a: md5", "b\nb: md5", "- c: md5"], "{found:?}");
}

/// Pieces written by md5deep and its variants are recognised; names that only look similar remain names.
#[test]
fn pieces_of_md5deep_are_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let names: [&[u8]; 4] = [b"a", b"b offset 0-1", b"c, d", b"empty"];
    for name in names {
        let content = if name == b"empty" { Vec::new() } else { content(name) };
        fs::write(folder.path().join(names::name(name).unwrap()), content).unwrap();
    }
    if installed("md5deep").is_none() {
        return;
    }
    for options in ["-p 4", "-p 4 -0", "-p 4 -c", "-p 4 -t", "-p 4 -t -c -0"] {
        let command = format!("md5deep -l -j0 {options}");
        let words: Vec<&str> = command.split(' ').collect();
        let text = output(folder.path(), &words, &names).expect("it lists them");
        let opened = open_text(&text);
        assert_eq!(opened.format.name, "md5deep", "{options}: {}", text.escape_ascii());
        let mut bytes = HashMap::new();
        for record in opened.reader.map(Result::unwrap) {
            let content = fs::read(folder.path().join(names::path(&record.path).unwrap())).unwrap();
            let piece = record.piece.unwrap();
            let part = &content[piece.offset as usize..][..piece.length as usize];
            assert!(is_right(&record.digests[0], part), "{options}: {record:?}");
            *bytes.entry(record.path).or_insert(0) += part.len();
        }
        let wanted = |name: &[u8]| if name == b"empty" { 0 } else { content(name).len() };
        assert!(names.iter().all(|name| bytes.get(*name) == Some(&wanted(name))), "{options}: {bytes:?}");
    }
    assert_eq!(told(&format!("{MD5}  a offset 0-6\n")), ["a offset 0-6: md5"]);
    assert_eq!(told(&format!("{MD5}  a offset 0-6\n{MD5}  a offset 8-9\n"))[1], "a offset 8-9: md5");
}
