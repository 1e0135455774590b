//! Case data: formats that carry them preserve any text, other programs ignore them, and without them nothing is
//! written.

use hashmill_digest::{Digest, find};
use hashmill_manifest::case::{About, Case, End, Fault, KnownSet, Start, Used, line};
use hashmill_manifest::format::{Body, FORMATS, Format, Hint, Layout, find_format, open, sniff};
use hashmill_manifest::{Named, Record, Status, Time};
use hashmill_testing::{Folder, installed};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fs;
use std::process::Command;
use std::sync::Arc;

fn carriers() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.writer.is_some() && format.carries.case)
}

/// Generates text with special characters of formats and terminals.
fn text() -> impl Strategy<Value = Box<str>> {
    let odd = vec!["\n", "\r", "\"", "\\", "\u{1b}[31m", "\u{85}", "\u{202e}", "\0", "#", "}", "\u{10ffff}"];
    let part = prop_oneof![
        any::<String>(),
        proptest::sample::select(odd).prop_map(String::from),
        any::<char>().prop_map(String::from),
    ];
    vec(part, 0..4).prop_map(|parts| parts.concat().into())
}

fn bytes() -> impl Strategy<Value = Box<[u8]>> {
    prop_oneof![
        vec(any::<u8>(), 0..20).prop_map(Vec::into_boxed_slice),
        text().prop_map(|text| text.as_bytes().into())
    ]
}

fn time() -> impl Strategy<Value = Time> {
    (-62_000_000_000..253_000_000_000_i64, 0..1_000_000_000_u32)
        .prop_map(|(seconds, nanoseconds)| Time { seconds, nanoseconds })
}

fn start() -> impl Strategy<Value = Start> {
    let option = || proptest::option::of(text());
    let who = (option(), option(), option(), time(), vec(time(), 0..3));
    let used = (text(), vec(text(), 0..3)).prop_map(|(algorithm, kernels)| Used { algorithm, kernels });
    let set = (bytes(), text(), option(), any::<u64>())
        .prop_map(|(path, identity, built, digests)| KnownSet { path, identity, built, digests });
    let what = (bytes(), text(), text(), vec(bytes(), 0..4), any::<u64>(), (vec(used, 0..3), vec(set, 0..3)));
    (who, what).prop_map(|((case, examiner, evidence, started, resumed), what)| {
        let (host, tool, version, command, command_left_out, (algorithms, sets)) = what;
        Start {
            case,
            examiner,
            evidence,
            started,
            resumed,
            host,
            tool,
            version,
            command,
            command_left_out,
            algorithms,
            sets,
        }
    })
}

fn end() -> impl Strategy<Value = End> {
    let fault = (bytes(), text()).prop_map(|(path, problem)| Fault { path, problem });
    (time(), any::<[u64; 7]>(), vec(fault, 0..3)).prop_map(|(ended, numbers, errors)| {
        let [seen, hashed, kept, skipped, failed, bytes, errors_left_out] = numbers;
        End { ended, seen, hashed, kept, skipped, failed, bytes, errors, errors_left_out }
    })
}

fn record() -> Record {
    let md5 = find("md5").unwrap();
    let digest = Digest::from_hex(b"900150983cd24fb0d6963f7d28e17f72").unwrap();
    Record {
        path: b"a.txt".as_slice().into(),
        size: Some(3),
        status: Status::Hashed,
        reason: None,
        version: None,
        piece: None,
        mtime: None,
        metadata: None,
        digests: vec![Named { algorithm: md5, digest, guessed: false }],
        likeness: Vec::new(),
        facts: None,
        leaves: Box::default(),
        bad_blocks: Box::default(),
        label: None,
    }
}

fn written(format: &Format, case: &Case, records: &[Record]) -> Vec<u8> {
    let algorithms = vec![find("md5").unwrap()];
    let layout = Layout { algorithms, case: case.start.clone().map(Arc::new), ..Layout::default() };
    let mut writer = format.writer.unwrap()(layout);
    let mut out = Vec::new();
    let place = tempfile::NamedTempFile::new().unwrap();
    writer.place(place.path());
    writer.begin(&mut out).unwrap();
    records.iter().for_each(|record| writer.record(record, &mut out).unwrap());
    case.end.iter().for_each(|end| writer.conclude(end, &mut out).unwrap());
    writer.end(&mut out).unwrap();
    if matches!(format.body, Body::Database(_)) { fs::read(place.path()).unwrap() } else { out }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: hashmill_testing::cases(400) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "campaign: takes long"]
    fn any_text_comes_back(start in start(), end in end(), records in 0..3_usize) {
        let case = Case { start: Some(start), end: Some(end) };
        let records = vec![record(); records];
        for format in carriers() {
            let bytes = written(format, &case, &records);
            let printable = !bytes.iter().any(|byte| byte.is_ascii_control() && *byte != b'\n');
            let printable = printable || !matches!(format.body, Body::Text);
            prop_assert!(printable, "{}", bytes.escape_ascii());
            // Without a record, the two list formats look alike.
            let named = if records.is_empty() && format.name == "bsd" { "sums" } else { format.name };
            prop_assert_eq!(sniff(&bytes).map(|format| format.name), Some(named));
            let mut reader = open(Box::new(&bytes[..]), Hint::None).unwrap().reader;
            let found = reader.by_ref().collect::<Result<Vec<_>, _>>().unwrap();
            prop_assert_eq!(found.len(), records.len());
            prop_assert_eq!(reader.case(), &case);
        }
    }
}

fn example() -> Case {
    let time = Time { seconds: 1_792_545_071, nanoseconds: 0 };
    let start = Start {
        case: Some("2026-17".into()),
        examiner: Some("Ada \"the\" Examiner".into()),
        evidence: Some("disk 3,\nfrom the \u{1b}[31msafe".into()),
        started: time,
        resumed: Vec::new(),
        host: b"lab\xff".as_slice().into(),
        tool: "hashmill".into(),
        version: "0.1.0".into(),
        command: vec![b"hashmill".as_slice().into(), b"caf\xe9".as_slice().into()],
        command_left_out: 0,
        algorithms: vec![Used { algorithm: "md5".into(), kernels: vec!["avx2".into()] }],
        sets: Vec::new(),
    };
    let errors = vec![Fault { path: b"b\n".as_slice().into(), problem: "permission denied".into() }];
    let (seen, hashed, kept, skipped, failed, bytes, errors_left_out) = (2, 1, 0, 0, 1, 3, 0);
    let end = End { ended: time, seen, hashed, kept, skipped, failed, bytes, errors, errors_left_out };
    Case { start: Some(start), end: Some(end) }
}

#[test]
fn the_shape_is_what_is_documented() {
    let case = example();
    let start = line::json(&About::Start(case.start.clone().unwrap())).unwrap();
    assert_eq!(
        str::from_utf8(&start).unwrap(),
        r#"{"case_start":{"case":"2026-17","examiner":"Ada \"the\" Examiner","#.to_string()
            + r#""evidence":"disk 3,\nfrom the \u001b[31msafe","started":"2026-10-21T01:11:11Z","#
            + r#""host":{"text":"lab�","b64":"bGFi/w=="},"tool":"hashmill","version":"0.1.0","#
            + r#""command":["hashmill",{"text":"caf�","b64":"Y2Fm6Q=="}],"#
            + r#""algorithms":[{"algorithm":"md5","kernels":["avx2"]}]}}"#
    );
    let end = line::json(&About::End(case.end.clone().unwrap())).unwrap();
    assert_eq!(
        str::from_utf8(&end).unwrap(),
        r#"{"case_end":{"ended":"2026-10-21T01:11:11Z","seen":2,"hashed":1,"skipped":0,"failed":1,"bytes":3,"#
            .to_string() + r#""errors":[{"path":"b\n","problem":"permission denied"}]}}"#
    );
}

#[test]
fn without_case_data_nothing_is_written() {
    for format in FORMATS.iter().filter(|format| format.writer.is_some() && format.only.is_empty()) {
        let bytes = written(format, &Case::NONE, &[record()]);
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("case") && !text.contains("# "), "{text}");
        let mut reader = open(Box::new(&bytes[..]), Hint::None).unwrap().reader;
        assert_eq!(reader.by_ref().count(), 1);
        assert!(reader.case().is_none());
    }
}

#[test]
fn formats_without_a_place_refuse_the_end() {
    for format in FORMATS.iter().filter(|format| format.writer.is_some() && !format.carries.case) {
        let mut writer = format.writer.unwrap()(Layout::default());
        let refused = writer.conclude(&example().end.unwrap(), &mut Vec::new()).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput, "{}", format.name);
    }
}

#[test]
fn what_is_broken_or_there_twice_is_malformed() {
    let bytes = written(find_format("sums").unwrap(), &example(), &[record()]);
    let text = String::from_utf8(bytes).unwrap();
    let errors = |text: &str| -> Vec<String> {
        let reader = open(Box::new(text.as_bytes()), Hint::None).unwrap().reader;
        reader.filter_map(|result| result.err().map(|bad| bad.to_string())).collect()
    };
    assert_eq!(
        errors(&format!("{text}{text}")),
        ["line 4: case data: given twice", "line 6: case data: given twice"]
    );
    for (from, to, why) in [
        ("\"seen\":2", "\"seen\":x", "not JSON"),
        ("\"seen\":2,", "", "has no `seen`"),
        ("2026-10-21T01", "2026-13-21T01", "not an RFC 3339 time"),
        ("bGFi", "bGFj", "b64 does not match text"),
        ("case_end", "case_fin", "is not known there"),
    ] {
        let found = errors(&text.replacen(from, to, 1));
        assert!(found.len() == 1 && found[0].contains("case data: ") && found[0].contains(why), "{found:?}");
    }
}

#[test]
fn what_stands_in_parts_must_be_whole() {
    let mut case = example();
    if let Some(start) = &mut case.start {
        start.evidence = Some("é".repeat(2000).into());
    }
    let text = String::from_utf8(written(find_format("hashdeep").unwrap(), &case, &[record()])).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().all(|line| line.len() < 2000));
    let without = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| *line);
        let text = kept.collect::<Vec<_>>().join("\n");
        let mut reader = open(Box::new(text.as_bytes()), Hint::None).unwrap().reader;
        let errors = reader.by_ref().filter(Result::is_err).count();
        (errors, reader.case().clone())
    };
    let parts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("# hashmill+")).collect();
    assert_eq!(parts, [2, 3]);
    for left_out in [2, 3, 4] {
        let (errors, found) = without(left_out);
        assert!(found.start != case.start && found.end == case.end);
        // Without the first part, the others are ordinary comments; without one in the middle the text differs.
        assert_eq!(errors, usize::from(left_out == 4), "{left_out}");
    }
    let cut = lines[..4].join("\n");
    let mut reader = open(Box::new(cut.as_bytes()), Hint::None).unwrap().reader;
    assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "line 4: case data: cut short");
    assert!(reader.next().is_none());
}

/// Returns whether the tool accepts the file; `None`, noted, if it is not installed.
fn accepts(tool: &str, arguments: &[&str], folder: &std::path::Path) -> Option<bool> {
    let output = Command::new(installed(tool)?).args(arguments).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.is_empty(), "{tool}: {said}");
    Some(output.status.success())
}

#[test]
fn hashdeep_and_coreutils_step_over_it() {
    let folder = Folder::new();
    folder.file("a.txt", "abc");
    let mut case = example();
    // The maximum size.
    if let Some(start) = &mut case.start {
        start.set_command((0..5000).map(|number| format!("argument-{number}").into_bytes().into()));
        assert!(start.command_left_out > 0);
    }
    for name in ["hashdeep", "sums", "bsd"] {
        folder.file(name, written(find_format(name).unwrap(), &case, &[record()]));
    }
    assert_ne!(accepts("hashdeep", &["-l", "-a", "-k", "hashdeep", "a.txt"], folder.path()), Some(false));
    assert_ne!(accepts("md5sum", &["-c", "--strict", "sums"], folder.path()), Some(false));
    assert_ne!(accepts("md5sum", &["-c", "--strict", "bsd"], folder.path()), Some(false));
}
