//! States that begin with a manifest, and manifests of states.

use crate::case;
use crate::faults::faulty;
use crate::util::Place;
use hashmill_manifest::format::{FORMATS, Format};
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the verdicts by path, but for `verified`.
fn others(document: &Value) -> BTreeMap<String, String> {
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_string();
    let entries = document["entries"].as_array().unwrap().iter();
    let all = entries.map(|entry| (text(entry, "path"), text(entry, "verdict")));
    all.filter(|(_, verdict)| verdict != "verified").collect()
}

/// Checks that a run tells this of some files, and `verified` of all others.
fn tells(document: &Value, wanted: &[(&str, &str)]) {
    let wanted: BTreeMap<_, _> =
        wanted.iter().map(|(path, verdict)| (path.to_string(), verdict.to_string())).collect();
    assert_eq!(others(document), wanted, "{document:#}");
}

fn files(t: &Place) {
    t.file("tree/a", "abc").file("tree/b/c", "def").file("tree/b/d e", vec![7; 100_000]).file("tree/f", "");
}

/// Returns algorithms that a format can have.
fn algorithms(format: &Format) -> String {
    match (format.needs, format.only) {
        (needs @ [_, ..], _) => needs.join(","),
        (_, [only, ..]) => (*only).to_string(),
        _ if format.carries.algorithm => "sha256,blake3".to_string(),
        _ => "sha256".to_string(),
    }
}

/// Returns the lines of a manifest with paths and digests alone, sorted.
fn lines(t: &Place, manifest: &str, algorithms: &str) -> Vec<String> {
    let one = if algorithms.contains(',') { String::new() } else { format!("-c {algorithms}") };
    let ran = t.run(&format!("convert {one} --lossy {manifest} - -f sums"));
    let mut lines: Vec<_> = String::from_utf8_lossy(ran.stdout()).lines().map(str::to_string).collect();
    lines.sort();
    lines
}

case!(manifests_of_every_format_become_states_and_states_become_such_manifests, |t| {
    files(t);
    let written = FORMATS.iter().filter(|format| format.writer.is_some());
    let mut tried = 0;
    for format in written {
        let (name, algorithms) = (format.name, algorithms(format));
        t.run(&format!("hash -c {algorithms} -f {name} -o m.{name}.x tree")).code(0);
        let one = if algorithms.contains(',') { String::new() } else { format!("-c {algorithms}") };
        let began = t.run(&format!("scrub tree --state s.{name} -k m.{name}.x {one} -f json")).code(0);
        let document = began.json();
        tells(&document, &[]);
        assert_eq!(document["manifest"]["files"], 4, "{name}: {document:#}");
        t.run(&format!("scrub --state s.{name} --export e.{name}.x -f {name}")).code(0).quiet().is("");
        let (was, is) =
            (lines(t, &format!("m.{name}.x"), &algorithms), lines(t, &format!("e.{name}.x"), &algorithms));
        assert_eq!(was, is, "{name}");
        assert!(was.len() >= 4, "{name}: {was:?}");
        t.run(&format!("audit {one} -k e.{name}.x tree")).code(0);
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
});

case!(other_programs_verify_exported_lists, |t| {
    files(t);
    t.run("scrub tree --state blake3").code(0);
    t.run("scrub --state blake3 --export tree.b3").code(0).quiet();
    if let Some(ran) = t.other("b3sum", "--quiet -c tree.b3") {
        ran.code(0);
    }
    t.odd_names();
    t.run("scrub tree --state blake3").code(0);
    t.run("scrub tree --state sha256 -c sha256").code(0);
    t.run("scrub --state blake3 --export tree.b3").code(0).quiet();
    t.run("scrub --state sha256 --export SHA256SUMS").code(0).quiet();
    t.run("audit -k tree.b3 tree").code(0);
    t.run("audit -k SHA256SUMS").code(0);
    t.shell("sha256sum --quiet --strict -c SHA256SUMS").code(0);
    // A name that implies another algorithm is refused.
    t.run("scrub --state blake3 --export other.sha256").code(64).says("the name implies sha256");
    assert!(!t.has("other.sha256"));
});

case!(what_differs_from_a_manifest_is_told_until_it_is_accepted, |t| {
    files(t);
    t.file("tree/gone", "gone").file("tree/from", "moved");
    t.run("hash -f sums -o tree.b3 tree").code(0);
    t.file("tree/a", "other").file("tree/new", "new").remove("tree/gone").rename("tree/from", "tree/to");
    let wanted = [("tree/a", "differs"), ("tree/gone", "missing"), ("tree/new", "new"), ("tree/to", "moved")];
    tells(&t.run("scrub tree --state state -k tree.b3 -f json").code(1).json(), &wanted);
    let again = [("tree/a", "differs"), ("tree/gone", "missing")];
    let document = t.run("scrub tree --state state -f json").code(1).json();
    tells(&document, &again);
    let a = document["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == "tree/a").unwrap();
    assert_eq!((&a["streak"], a.get("verified")), (&2.into(), None));
    t.run("scrub tree --state state").code(1).prints(
        "tree/a: differs: the content is not that of the manifest; no time tells whether it was edited",
    );
    // The content of the manifest still counts.
    t.run("scrub --state state --export then.b3")
        .code(0)
        .says("2 files never verified")
        .says("2 files were found otherwise, or gone");
    t.run("audit -k then.b3 tree").code(1).prints("tree/a: changed").prints("tree/gone: missing");
    t.file("tree/gone", "gone");
    tells(&t.run("scrub tree --state state -f json --accept a").code(0).json(), &[("tree/gone", "restored")]);
    tells(&t.run("scrub tree --state state -f json").code(0).json(), &[]);
    t.run("scrub --state state --export now.b3").code(0).quiet();
    t.run("audit -k now.b3 tree").code(0);
});

case!(two_reads_that_differ_are_no_difference_from_a_manifest, |t| {
    files(t);
    t.run("hash -f sums -o tree.b3 tree").code(0);
    let flip = [("FAULT_PATH", "tree/b/d"), ("FAULT_FLIP", "99999")];
    let once = [flip[0], flip[1], ("FAULT_FLIPS", "1")];
    let Some(ran) = faulty(t, &once, "scrub tree --state once -k tree.b3 -f json") else { return };
    tells(&ran.code(1).json(), &[("tree/b/d e", "unstable")]);
    let Some(ran) = faulty(t, &flip, "scrub tree --state always -k tree.b3 -f json") else { return };
    tells(&ran.code(1).json(), &[("tree/b/d e", "differs")]);
});

case!(with_all_times_in_the_manifest_rot_is_told, |t| {
    files(t);
    t.run("hash --metadata -f jsonl -o tree.jsonl tree").code(0);
    let flip = [("FAULT_PATH", "tree/b/d"), ("FAULT_FLIP", "99999")];
    let Some(ran) = faulty(t, &flip, "scrub tree --state state -k tree.jsonl -f json") else { return };
    tells(&ran.code(1).json(), &[("tree/b/d e", "rot")]);
    t.shell("cp -a tree copy; printf x >> copy/a; touch -r tree/a copy/a").code(0);
    tells(&t.run("scrub copy --state other -k tree.jsonl -f json").code(1).json(), &[("copy/a", "differs")]);
    // An export has the times, too.
    t.run("scrub tree --state state").code(0);
    t.run("scrub --state state --export next.jsonl").code(0).quiet();
    let Some(ran) = faulty(t, &flip, "scrub tree --state next -k next.jsonl -f json") else { return };
    tells(&ran.code(1).json(), &[("tree/b/d e", "rot")]);
});

case!(manifests_made_elsewhere_find_their_files, |t| {
    files(t);
    let made = |line: &str| t.shell(line).code(0);
    made("cd tree && $hashmill hash -f sums -o ../below.b3 .");
    made("$hashmill hash -f sums -o whole.b3 $PWD/tree");
    made("$hashmill hash -f sums -o plain.b3 tree");
    made("sed 's|tree/|/mnt/disk/photos/|' plain.b3 > moved.b3");
    made("sed 's|tree/|photos/|; s|/|\\\\|g' plain.b3 > windows.b3");
    for (number, list) in ["below", "whole", "moved", "windows"].into_iter().enumerate() {
        for spelled in ["tree", "tree/", "./tree"] {
            let state = format!("s{number}{}", spelled.replace('/', "_"));
            let document =
                t.run(&format!("scrub {spelled} --state {state} -k {list}.b3 -f json")).code(0).json();
            tells(&document, &[]);
            assert_eq!(document["entries"].as_array().unwrap().len(), 4, "{list} {spelled}");
        }
    }
});

case!(what_a_state_cannot_take_of_a_manifest_is_told, |t| {
    files(t);
    t.run("hash -c md5,sha256 -f jsonl -o m.jsonl tree").code(0);
    t.shell("sha256sum tree/* tree/b/* 2>/dev/null > unnamed").code(1);
    t.run("scrub tree --state s1 -k unnamed").code(64).says("unnamed: nothing says by which algorithm");
    t.run("scrub tree --state s1 -k unnamed -c sha256 -f json").code(0);
    t.run("scrub tree --state s1 -k unnamed -c sha256").code(64).says("this state has had runs");
    t.run("scrub tree --state s2 -k m.jsonl -c sha1").code(64).says("it has no digests of whole files");
    t.file("elsewhere/x", "x");
    t.run("scrub elsewhere --state s3 -k m.jsonl")
        .code(64)
        .says("none of its 4 files lies below what is kept");
    // Nothing of it is in the state, which can still begin.
    t.run("scrub tree --state s3 -k m.jsonl").code(0);
    t.run("scrub tree/b elsewhere --state s4 -k m.jsonl -f json")
        .code(0)
        .says("m.jsonl: 2 files lie elsewhere");
    let odd = [
        r#"{"path":"tree/a","size":3,"status":"hashed","md5":"900150983cd24fb0d6963f7d28e17f72"}"#,
        r#"{"path":"tree/a","size":3,"status":"hashed","md5":"00000000000000000000000000000000"}"#,
        r#"{"path":"tree/b/c","status":"unreadable"}"#,
        "no record",
    ];
    t.file("odd.jsonl", odd.join("\n") + "\n");
    let ran = t.run("scrub tree --state s5 -k odd.jsonl -f json").code(2);
    let ran = ran.says("odd.jsonl: line 4").says("1 file has no digest").says("1 record contradicts");
    let wanted = [("tree/b/c", "new"), ("tree/b/d e", "new"), ("tree/f", "new")];
    tells(&ran.json(), &wanted);
    assert_eq!(ran.json()["manifest"]["contradictory"], 1);
    t.file("broken.b3", "\0\0\0");
    t.run("scrub tree --state s6 -k broken.b3").code(64);
    t.run("scrub tree --state s7 -k nowhere.b3").code(64).says("nowhere.b3");
});

case!(a_manifest_with_a_broken_signature_begins_no_state, |t| {
    files(t);
    t.shell("ssh-keygen -q -t ed25519 -N '' -f key").code(0);
    t.run("hash -f jsonl -o m.jsonl --sign key tree").code(0);
    t.run("scrub tree --state good -k m.jsonl --public-key key.pub").code(0).says("m.jsonl");
    t.shell("echo >> m.jsonl").code(0);
    t.run("scrub tree --state bad -k m.jsonl").code(64).says("m.jsonl");
    t.run("scrub tree --state bad -k m.jsonl --ignore-signature").code(0);
});

case!(an_export_replaces_nothing_but_manifests, |t| {
    files(t);
    t.run("scrub --state nowhere --export x.jsonl").code(64).says("nowhere: cannot open");
    assert!(!t.has("nowhere"));
    t.run("scrub tree --state state").code(0);
    t.file("photo.jpg", "not a manifest");
    t.run("scrub --state state --export photo.jpg").code(64).says("photo.jpg: not replaced");
    assert_eq!(t.read("photo.jpg"), b"not a manifest");
    t.run("scrub --state state --export state --force").code(64).says("the manifest would replace the state");
    t.run("scrub --state state --export tree").code(64).says("is a directory");
    t.run("scrub tree --state state --export x.jsonl").code(64);
    t.run("scrub --state state").code(64);
    t.run("scrub tree --state state -f sums").code(64).says("formats of manifests are for --export");
    t.run("scrub --state state --export - -f bsd").code(0).prints("BLAKE3 (tree/a) = ");
    t.run("scrub --state state --export x.sfv").code(64).says("crc32");
    // Files that were never read are left out, and that is told.
    t.run("scrub tree --state part --budget 3B").code(0);
    t.run("scrub --state part --export part.jsonl")
        .code(2)
        .says("files were never read, and are not in the manifest");
    assert!(t.leftovers().is_empty());
});
