//! Versions of objects: which one was read is in the record.

use super::gateway::{Gateway, KEY, SECRET};
use crate::case;
use crate::proof::gateway::python;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// The records of a manifest by their paths.
fn records(lines: &[u8]) -> BTreeMap<String, Value> {
    let lines = String::from_utf8(lines.to_vec()).unwrap();
    let record = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    lines.lines().map(record).map(|record| (record["path"].as_str().unwrap().to_owned(), record)).collect()
}

case!(records_name_the_version_that_was_read, |t| {
    let Some(gateway) = Gateway::start_versioned(t) else { return };
    let Some(python) = python() else { return };
    let mut command = Command::new(python);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/versions.py")).arg(gateway.endpoint());
    command.env("AWS_ACCESS_KEY_ID", KEY).env("AWS_SECRET_ACCESS_KEY", SECRET);
    let said = t.ran(command, "versions.py").code(0).json();
    let ran = gateway.run("hash -c md5 -f jsonl s3://bucket/").code(0);
    let found = records(ran.stdout());
    // What was deleted is not there; what was written before versions were kept has none.
    assert_eq!(found.keys().collect::<Vec<_>>(), ["large", "old", "twice"]);
    assert_eq!(found["old"].get("version"), None);
    for key in ["large", "twice"] {
        assert_eq!(found[key]["version"], said[key], "{key}");
    }
    let md5 = hashloom_digest::hash(hashloom_digest::find("md5").unwrap(), b"second");
    assert_eq!(found["twice"]["md5"], md5.to_string());
    // Every format that has records of objects has their versions, and gives them back.
    gateway.run("hash -c md5 -f jsonl s3://bucket/ -o m.jsonl").code(0);
    for format in ["csv", "parquet", "sqlite"] {
        gateway.run(&format!("hash -c md5 -f {format} s3://bucket/ -o m.{format}")).code(0);
        t.run(&format!("convert m.{format} again-{format}.jsonl")).code(0);
        assert_eq!(
            records(&t.read(&format!("again-{format}.jsonl"))),
            records(&t.read("m.jsonl")),
            "{format}"
        );
    }
    t.run("convert -f bsd m.jsonl out").code(64).says("2 versions of objects");
    t.run("convert -f bsd --lossy m.jsonl out").code(0);
    gateway.run("audit -k m.jsonl s3://bucket/").code(0);
    // Files have none, so their tables have no column for it.
    t.file("tree/a", "abc").run("hash -c md5 -f csv tree").code(0).prints("status,reason,md5");
});
