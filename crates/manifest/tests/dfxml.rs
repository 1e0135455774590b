//! DFXML: our output against the schemas of its working group, output of fiwalk, and hostile documents.

use hashmill_digest::{Algorithm, Digest, find};
use hashmill_facts::{
    Basis, Bits, ChiSquare, Class, ContentFacts, ContentType, Entropy, Meta, MetaValue, Pronom, PronomFormat,
    Rule, RuleFacts, RuleMatch, ScanStatus, StringMatches,
};
use hashmill_manifest::case::{Case, End, Fault, Start};
use hashmill_manifest::format::{Hint, Layout, find_format, open};
use hashmill_manifest::{Named, Piece, Record, Status, Time};
use hashmill_testing::{all_installed, installed, path};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

fn testdata(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/dfxml").join(name)
}

fn named(algorithm: &'static Algorithm) -> Named {
    Named { algorithm, digest: Digest::new(&vec![7; (algorithm.bits / 8) as usize]), guessed: false }
}

fn record(path: &[u8], status: Status, piece: Option<Piece>) -> Record {
    let algorithms = ["md5", "sha256", "blake3", "sha3-256", "cksum"].map(|name| find(name).unwrap());
    Record {
        path: path.into(),
        size: piece.map_or(Some(u64::MAX), |piece| Some(piece.length)),
        status,
        reason: None,
        version: None,
        piece,
        mtime: Some(Time { seconds: 1_792_545_071, nanoseconds: 120_000_000 }).filter(|_| piece.is_none()),
        metadata: None,
        digests: if status == Status::Hashed { algorithms.map(named).to_vec() } else { Vec::new() },
        likeness: Vec::new(),
        facts: None,
        leaves: Box::default(),
        bad_blocks: Box::default(),
        label: None,
    }
}

/// Creates files with pieces before and after their records, with every status and every byte in names.
fn records() -> Vec<Record> {
    let piece = |offset| Some(Piece { offset, length: 512 });
    let mut records = vec![
        record(b"a", Status::Hashed, piece(0)),
        record(b"a", Status::Hashed, piece(512)),
        record(b"a", Status::Hashed, None),
        record(b"a", Status::Hashed, piece(1024)),
        record(b"b", Status::Unreadable, piece(0)),
        record(b"b", Status::Hashed, piece(512)),
        record(b"b", Status::Unreadable, None),
        record(b"c", Status::Changed, None),
        record(b"d", Status::Skipped, None),
        Record {
            mtime: Some(Time { seconds: -62_167_219_200, nanoseconds: 0 }),
            ..record(b"e", Status::Hashed, None)
        },
        Record { size: None, ..record(b"f", Status::Hashed, None) },
    ];
    let facts = |mime: &str, name: &str| ContentFacts {
        content_type: Some(Arc::new(ContentType {
            mime: mime.into(),
            name: name.into(),
            extensions: ["a".into(), "b".into()].into(),
        })),
        mismatch: Some(true),
        pronom: pronom(),
        entropy: Some(Entropy { bits: Bits::from_millionths(7).unwrap(), chi_square: ChiSquare::new(1.5) }),
        class: Some(Class::Compressed),
        rules: rules(ScanStatus::TooManyMatches),
    };
    let of_piece = ContentFacts { entropy: facts("", "").entropy, ..ContentFacts::default() };
    records.extend([
        Record { facts: Some(Box::new(of_piece)), ..record(b"g", Status::Hashed, piece(0)) },
        Record {
            facts: Some(Box::new(facts("a/b+c", "R&B <'gr\u{f6}\u{df}er'>"))),
            ..record(b"g", Status::Hashed, None)
        },
    ]);
    records.extend((1..=255).map(|byte| record(&[b'x', byte, b'y'], Status::Hashed, None)));
    records.push(record(
        "gr\u{f6}\u{df}e \u{10ffff} \u{ffff} ]]> <!-- & '\" ".as_bytes(),
        Status::Hashed,
        None,
    ));
    records
}

/// Returns formats of PRONOM whose texts need care.
fn pronom() -> Option<Arc<Pronom>> {
    let format = |puid: &str, name: &str, basis| PronomFormat {
        puid: puid.into(),
        name: name.into(),
        version: "1, \"2\"".into(),
        mime: "".into(),
        basis,
    };
    let formats = [
        format("fmt/1", "", Basis::Container),
        format("fmt/2", "R&B <'gr\u{f6}\u{df}er'>", Basis::Signature),
    ];
    Some(Arc::new(Pronom { signatures: "V7 (0123)".into(), formats: formats.into() }))
}

/// Returns a match of a rule with everything that one may have.
fn rules(status: ScanStatus) -> Option<Arc<RuleFacts>> {
    let meta = |name: &str, value| Meta { name: name.into(), value };
    let rule = Rule {
        name: "a_rule".into(),
        namespace: "dir/gr\u{f6}\u{df}e, \"2\".yar".into(),
        tags: ["one".into(), "two".into()].into(),
        meta: [
            meta("author", MetaValue::Text("<me> & 'you'\n\u{ffff}".into())),
            meta("author", MetaValue::Text("true".into())),
            meta("number", MetaValue::Integer(i64::MIN)),
            meta("truth", MetaValue::Truth(true)),
        ]
        .into(),
    };
    let string = StringMatches { name: "$a".into(), places: [(0, 4), (u64::MAX, 1)].into(), count: 7 };
    let bare = Rule { name: "b".into(), namespace: "".into(), tags: [].into(), meta: [].into() };
    let matches = [
        RuleMatch { rule: Arc::new(rule), strings: [string].into() },
        RuleMatch { rule: Arc::new(bare), strings: [].into() },
    ];
    Some(Arc::new(RuleFacts { status, matches: matches.into() }))
}

fn written(records: &[Record], case: &Case) -> Vec<u8> {
    let layout = Layout { case: case.start.clone().map(Arc::new), ..Layout::default() };
    let mut writer = find_format("dfxml").unwrap().writer.unwrap()(layout);
    let mut text = Vec::new();
    writer.begin(&mut text).unwrap();
    records.iter().for_each(|record| writer.record(record, &mut text).unwrap());
    case.end.iter().for_each(|end| writer.conclude(end, &mut text).unwrap());
    writer.end(&mut text).unwrap();
    text
}

fn read(text: &[u8]) -> Vec<Record> {
    let opened = open(Box::new(text), Hint::None).unwrap();
    assert_eq!(opened.format.name, "dfxml");
    opened.reader.map(|record| record.unwrap()).collect()
}

/// Validates a document against both schemas.
fn assert_valid(text: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ours.xml"), text).unwrap();
    for schema in ["dfxml-1.2.0.xsd", "dfxml-2.0.0-beta.0.xsd"] {
        let Some(xmllint) = installed("xmllint") else { return };
        let mut xmllint = Command::new(xmllint);
        xmllint.args(["--noout", "--nonet", "--schema"]).arg(testdata(schema)).arg("ours.xml");
        let output = xmllint.current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.trim()), (Some(0), "ours.xml validates"), "{schema}");
    }
}

fn case() -> Case {
    let time = Time { seconds: 1_792_545_071, nanoseconds: 0 };
    let start = Start {
        case: Some("2026-17 <&>".into()),
        examiner: Some("Gr\u{f6}\u{df}e \u{ffff}\u{1b}[31m".into()),
        evidence: None,
        started: time,
        resumed: vec![time],
        host: b"h\xff".as_slice().into(),
        tool: "hashmill".into(),
        version: "1".into(),
        command: vec![b"hashmill".as_slice().into(), b"a\nb".as_slice().into()],
        command_left_out: 0,
        algorithms: Vec::new(),
        sets: Vec::new(),
    };
    let (seen, hashed, kept, skipped, failed, bytes) = (2, 1, 0, 0, 1, 3);
    let errors = vec![Fault { path: b"x\x01".as_slice().into(), problem: "]]> permission denied".into() }];
    let end = End { ended: time, seen, hashed, kept, skipped, failed, bytes, errors, errors_left_out: 0 };
    Case { start: Some(start), end: Some(end) }
}

#[test]
fn case_data_stand_in_elements_of_the_schema_and_come_back_whole() {
    let text = written(&records(), &case());
    assert_valid(&text);
    let shown = String::from_utf8_lossy(&text);
    for element in [
        "<dc:identifier>2026-17 &lt;&amp;&gt;</dc:identifier>",
        "<host>h\u{fffd}</host>",
        "<command_line>hashmill a\u{fffd}b</command_line>",
        "<start_time>2026-10-21T01:11:11Z</start_time>",
    ] {
        assert!(shown.contains(element), "{element}: {shown}");
    }
    let mut reader = open(Box::new(&text[..]), Hint::None).unwrap().reader;
    assert_eq!(reader.by_ref().flatten().count(), records().len());
    assert_eq!(reader.case(), &case());
}

#[test]
fn ours_is_valid_by_the_schemas_and_read_back() {
    let records = records();
    let text = written(&records, &Case::NONE);
    assert_valid(&text);
    // A year outside XML Schema is omitted.
    let expected: Vec<Record> = records
        .into_iter()
        .map(|record| Record { mtime: record.mtime.filter(|time| time.seconds > 0), ..record })
        .collect();
    assert_eq!(read(&text), expected);
}

#[test]
fn many_pieces_wait_in_bounded_memory_for_their_file() {
    let piece = |number: u64| record(b"a", Status::Hashed, Some(Piece { offset: 512 * number, length: 512 }));
    let mut records: Vec<Record> = (0..20_000).map(piece).collect();
    records.push(record(b"a", Status::Hashed, None));
    let text = written(&records, &Case::NONE);
    assert_eq!(read(&text), records);
    let objects = memchr::memmem::find_iter(&text, b"<fileobject>").count();
    assert!((2..10).contains(&objects), "{objects}");
}

#[test]
fn what_fiwalk_says_of_files_is_read() {
    let text = fs::read(testdata("fiwalk.xml")).unwrap();
    let opened = open(Box::new(text.as_slice()), Hint::None).unwrap();
    let (records, notes): (Vec<_>, Vec<_>) = opened.reader.partition(Result::is_ok);
    let records: Vec<Record> = records.into_iter().flatten().collect();
    let told: Vec<(&str, Status, usize)> = records
        .iter()
        .map(|record| (str::from_utf8(&record.path).unwrap(), record.status, record.digests.len()))
        .collect();
    // No directories, links or virtual files; fiwalk has no digest of an empty file, but it is known.
    let expected = [
        ("a&b<c>", Status::Hashed, 2),
        ("caf\\xE9", Status::Hashed, 2),
        ("ctl\\x01x", Status::Hashed, 2),
        ("dir/big", Status::Hashed, 2),
        ("empty", Status::Hashed, 2),
    ];
    let mut told = told;
    told.sort_by_key(|(path, ..)| path.to_string());
    let mut expected = expected;
    expected.sort_by_key(|(path, ..)| path.to_string());
    assert_eq!(told, expected);
    // A deleted file is none of the tree.
    let [Err(note)] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(note.is_note() && note.to_string().ends_with("the first is a.txt"), "{note}");
    let file = records.iter().find(|record| *record.path == *b"a&b<c>").unwrap();
    assert_eq!((file.size, file.mtime.is_some(), file.piece), (Some(4), true, None));
    assert_eq!(file.digests[0].digest, hashmill_digest::hash(find("md5").unwrap(), b"amp\n"));
    assert_eq!(file.digests[1].digest, hashmill_digest::hash(find("sha1").unwrap(), b"amp\n"));
}

#[cfg(unix)]
#[test]
fn what_fiwalk_writes_here_is_read() {
    if !all_installed(&["mke2fs", "fiwalk"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tree")).unwrap();
    fs::write(folder.path().join("tree/file"), b"abc").unwrap();
    let make = "truncate -s 1M fs.img && mke2fs -q -F -d tree fs.img && fiwalk -X out.xml fs.img";
    let made = Command::new("sh")
        .args(["-c", make])
        .env("PATH", path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let records = read(&fs::read(folder.path().join("out.xml")).unwrap());
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(*records[0].path, *b"file");
    assert_eq!(records[0].digests[0].digest.to_string(), MD5);
}

#[test]
fn sector_digests_old_times_and_other_objects_are_understood() {
    let text = format!(
        "<dfxml><volume><fileobject><filename>f</filename><name_type>r</name_type><filesize/><mtime>86400</mtime>\
         <byte_runs><byte_run file_offset='0' img_offset='9' len='512'><hashdigest type='md5'>{MD5}</hashdigest></byte_run>\
         <byte_run file_offset='512' len='88'/></byte_runs><hashdigest type='md5'>{MD5}</hashdigest>\
         <d:original_fileobject xmlns:d='x'><filename>was</filename><hashdigest type='sha1'>0</hashdigest></d:original_fileobject>\
         </fileobject></volume></dfxml>"
    );
    let records = read(text.as_bytes());
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].piece, Some(Piece { offset: 0, length: 512 }));
    assert_eq!((records[1].piece, records[1].mtime), (None, Some(Time { seconds: 86400, nanoseconds: 0 })));
    assert!(records.iter().all(|record| *record.path == *b"f" && record.digests.len() == 1));
}

/// Returns the first error, and the number of errors.
fn refused(text: &str) -> (String, usize) {
    let reader = (find_format("dfxml").unwrap().reader)(Box::new(text.as_bytes()), Hint::None);
    let mut all: Vec<String> =
        reader.map(|record| record.map_or_else(|bad| bad.to_string(), |_| "a record".into())).collect();
    let number = all.len();
    (all.swap_remove(0), number)
}

#[test]
fn hostile_documents_are_refused() {
    let bomb =
        "<?xml version='1.0'?><!DOCTYPE dfxml [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><dfxml>&b;</dfxml>";
    assert_eq!(
        refused(bomb),
        ("line 1: document: a document type with definitions of its own".to_string(), 1)
    );
    let deep = format!("<dfxml>{}", "<x>".repeat(1_000_000));
    assert_eq!(refused(&deep), ("line 1: document: more than 64 nested elements".to_string(), 1));
    let entity = format!(
        "<dfxml><fileobject><filename>a&b;</filename><hashdigest type='md5'>{MD5}</hashdigest></fileobject></dfxml>"
    );
    assert!(refused(&entity).0.contains("reference"), "{:?}", refused(&entity));
    let split = format!("<dfxml><fileobject><filename>{}", "x<!-- -->".repeat(3 << 20));
    assert_eq!(refused(&split).0, "line 1: text: longer than 1048576 bytes");
    let digest = format!("<hashdigest type='md5'>{MD5}</hashdigest>");
    let twice = format!("<dfxml><fileobject><filename>a</filename>{}</fileobject></dfxml>", digest.repeat(2));
    assert_eq!(refused(&twice), ("line 1: hashdigest: given twice".to_string(), 2));
    let nul = "<dfxml><fileobject><filename>a&#0;</filename>";
    assert!(refused(nul).0.starts_with("line 1: document:"), "{:?}", refused(nul));
}
