//! The same against a store of another maker, filled by AWS's own library: versitygw and boto3.

use crate::stores::gateway::{Gateway, KEY, SECRET};
use crate::util::Place;
use hashmill_testing::had_modules;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Returns a Python with boto3; none, noted, if there is none.
pub fn python() -> Option<PathBuf> {
    let python = hashmill_testing::python()?;
    let tried = Command::new(&python).args(["-c", "import boto3, awscrt"]).output().unwrap();
    had_modules(&tried.stderr).then_some(python)
}

/// Fills the bucket with boto3; returns the store's answers about the objects.
fn fill(place: &Place, gateway: &Gateway<'_>) -> Option<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/uploads.py");
    let mut command = Command::new(python()?);
    command.arg(script).arg(gateway.endpoint()).current_dir(place.path(""));
    command.env("AWS_ACCESS_KEY_ID", KEY).env("AWS_SECRET_ACCESS_KEY", SECRET);
    Some(place.ran(command, "uploads.py").code(0).json())
}

#[test]
#[ignore = "campaign: takes long"]
fn all_that_boto3_uploads_is_proved() {
    let place = Place::new();
    let Some(gateway) = Gateway::start(&place) else { return };
    let Some(said) = fill(&place, &gateway) else { return };
    let json = gateway.run("audit s3://bucket/ --against d -f json").json();
    let all = said.as_object().unwrap();
    // Objects uploaded in parts of different lengths have no comparable digest, unless there is one of the whole
    // object.
    let told =
        |key: &str| json["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == key).cloned();
    for (key, sums) in all {
        let whole = sums["ChecksumType"] == "FULL_OBJECT";
        match told(key) {
            Some(entry) if entry["category"] == "unproven" => {
                assert!(key.contains("uneven") && !whole, "{key}: {sums}");
            }
            Some(entry) => assert_eq!(entry["category"], "matched", "{key}: {sums}"),
            None => panic!("{key} is not listed: {sums}"),
        }
    }
    let none = |word: &str| assert_eq!(json["counts"][word], 0, "{word}: {}", json["counts"]);
    ["changed", "new", "missing", "unreadable"].into_iter().for_each(none);
    // One byte of each is another: nothing may pass.
    for key in all.keys().filter(|key| *key != "empty") {
        let name = format!("d/{key}");
        let mut bytes = place.read(&name);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        place.file(&name, bytes);
    }
    let json = gateway.run("audit s3://bucket/ --against d -f json").json();
    assert_eq!(json["counts"]["matched"], 1, "{json}");
    gateway.run("audit s3://bucket/ --against d --download").code(1).prints("matched: 1\n");
}

#[test]
#[ignore = "campaign: takes long"]
fn a_bucket_that_is_whole_is_proved_by_its_listing() {
    let place = Place::new();
    let Some(gateway) = Gateway::start(&place) else { return };
    if fill(&place, &gateway).is_none() {
        return;
    }
    let ran = gateway.run("audit s3://bucket/whole/ --against d/whole --stats=json").code(0);
    ran.prints("matched by content: 5").says("\"list\":1").says("\"head\":0");
}
