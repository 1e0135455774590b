//! Case data in manifests.

use crate::case;
use hashmill_os::names;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::{fs, thread, time::Duration};

const ASKED: &str = "--case 2026-17 --examiner Ada --evidence disk";

/// Returns the start and the end of a manifest's case data, read as anybody would.
fn about(text: &[u8]) -> (Value, Value) {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let mut joined = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(part) = line.strip_prefix("# hashmill+") {
            joined += part;
        } else if let Some(part) = line.strip_prefix("# hashmill ") {
            found.push(std::mem::take(&mut joined) + part);
        } else if line.starts_with("{\"case_") {
            found.push(line.to_string());
        }
    }
    let [start, end] = found.try_into().expect("a start and an end");
    let of = |text: &str, key: &str| serde_json::from_str::<Value>(text).unwrap()[key].take();
    (of(&start, "case_start"), of(&end, "case_end"))
}

/// Returns the lines that are not case data.
fn records(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept = lines.filter(|line| !line.starts_with(b"# hashmill") && !line.starts_with(b"{\"case_"));
    kept.flatten().copied().collect()
}

case!(a_manifest_says_who_made_it_and_how_it_went, |t| {
    t.file("tree/a", "abc").file("tree/b", "defg").link("tree/link", "a");
    for format in ["hashdeep", "sums", "bsd", "jsonl"] {
        let ran = t.run(&format!("hash -f {format} -c sha256,md5 {ASKED} tree")).code(0);
        let (start, end) = about(ran.stdout());
        assert_eq!(start["case"], "2026-17");
        assert_eq!(start["examiner"], "Ada");
        assert_eq!(start["evidence"], "disk");
        assert_eq!(start["tool"], "hashmill");
        assert_eq!(start["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(start["command"][1], "hash");
        assert_eq!(start["command"].as_array().unwrap().last().unwrap(), "tree");
        assert_eq!(start["host"], fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim_end());
        assert_eq!(start["algorithms"][0]["algorithm"], "sha256");
        assert_eq!(start["algorithms"][1]["algorithm"], "md5");
        assert!(!start["algorithms"][0]["kernels"].as_array().unwrap().is_empty());
        let counts = ["seen", "hashed", "skipped", "failed", "bytes"].map(|key| end[key].as_u64().unwrap());
        assert_eq!(counts, [3, 2, 1, 0, 7], "{format}");
        assert_eq!(end["errors"], Value::Array(Vec::new()));
        assert!(start["started"].as_str().unwrap() <= end["ended"].as_str().unwrap());
        let plain = t.run(&format!("hash -f {format} -c sha256,md5 tree")).code(0);
        assert_eq!(records(ran.stdout()), plain.stdout(), "{format}: the records are the same");
        assert_eq!(records(plain.stdout()), plain.stdout(), "{format}: nothing is said unasked");
        t.file("list", ran.stdout());
        t.run("audit -k list tree").code(0).prints("matched: 2").quiet_about("WARNING");
        t.run("check list").code(0).quiet_about("WARNING");
    }
});

case!(errors_are_in_the_manifest, |t| {
    t.file("tree/a", "abc").file("tree/gone\nfor ever", "x");
    t.run(&format!("hash -f jsonl {ASKED} tree missing")).code(2);
    let ran = t.run(&format!("hash -f hashdeep {ASKED} tree missing")).code(2);
    let (_, end) = about(ran.stdout());
    assert_eq!(end["failed"], 1);
    assert_eq!(end["errors"][0]["path"], "missing");
    let problem = end["errors"][0]["problem"].as_str().unwrap();
    assert!(ran.stderr().contains(&format!("missing: {problem}")), "{problem}");
    let unreadable = t.path("tree/a");
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&unreadable).is_err() {
        let ran = t.run("hash --case x tree").code(2);
        assert_eq!(about(ran.stdout()).1["errors"][0]["path"], "tree/a");
    }
});

case!(what_was_typed_is_kept_byte_for_byte, |t| {
    t.file("a", "abc");
    let mut command = t.command("hash -c sha256 -f sums --case");
    command.arg("line\nfeed \u{1b}[31m").arg(names::name(b"caf\xe9").unwrap());
    let ran = t.ran(command, "odd words").code(2);
    let (start, end) = about(ran.stdout());
    assert_eq!(start["case"], "line\nfeed \u{1b}[31m");
    assert_eq!(start["command"].as_array().unwrap().last().unwrap()["b64"], "Y2Fm6Q==");
    assert_eq!(end["errors"][0]["path"]["b64"], "Y2Fm6Q==");
    assert!(!ran.stdout().contains(&0x1b));
});

case!(formats_without_a_place_are_refused_before_the_run, |t| {
    t.file("a", "abc").file("out", "old");
    for option in ["--case x", "--examiner x", "--evidence x"] {
        t.run(&format!("hash -f csv -o out {option} a")).code(64).says("the format csv has no place");
    }
    t.run("hash -f csv --case x a").code(64).says("hashdeep, sums, bsd, jsonl");
    assert_eq!(t.read("out"), b"old");
    let mut command = t.command("hash a --evidence");
    command.arg("x".repeat(5000));
    t.ran(command, "too long").code(64).says("--evidence: more than 4096 bytes");
});

case!(a_resumed_run_says_when_it_began_and_was_gone_on_with, |t| {
    for number in 0..50 {
        t.file(format!("a/{number}"), number.to_string());
    }
    thread::sleep(Duration::from_millis(50));
    t.fifo("pipe");
    let mut child = t.command(&format!("hash -o out {ASKED} a pipe")).spawn().unwrap();
    let hold = fs::OpenOptions::new().read(true).write(true).open(t.path("pipe")).unwrap();
    let lines = || {
        let partial = fs::read(t.path(".out.hashmill-partial")).unwrap_or_default();
        partial.iter().filter(|byte| **byte == b'\n').count()
    };
    while lines() <= 50 {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-KILL", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap();
    drop(hold);
    let partial = t.read(".out.hashmill-partial");
    let first = String::from_utf8(partial).unwrap();
    let first = first.lines().find_map(|line| line.strip_prefix("# hashmill ")).unwrap();
    let first: Value = serde_json::from_str(first).unwrap();
    t.remove("pipe").file("pipe", "piped");
    t.run("hash -o out --resume --case other a pipe").code(64).says("--case other");
    t.run("hash -o out --resume a pipe").code(64).says("can't go on");
    t.run(&format!("hash -o out --resume {ASKED} a pipe")).code(0);
    let (start, end) = about(&t.read("out"));
    assert_eq!(start["started"], first["case_start"]["started"]);
    assert_eq!(start["resumed"].as_array().unwrap().len(), 1);
    assert_eq!(
        [&end["seen"], &end["hashed"], &end["kept"]].map(|count| count.as_u64().unwrap()),
        [51, 51, 50]
    );
    t.run("hash a pipe -o plain").code(0);
    assert_eq!(records(&t.read("out")), t.read("plain"));
    assert!(t.leftovers().is_empty());
});
