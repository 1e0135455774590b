//! `triage`: one read that says what each file is, the table, the page, and going on after an interruption.

use crate::case;
use crate::faults::faulty;
use crate::resume::{fed, signal, until_blocked};
use crate::util::{Place, installed};
use hashmill_testing::all_installed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

/// Makes files of which two are known to be bad, one is in an archive, one matches a rule, one has the name of another type
/// and one looks random.
fn evidence(t: &Place) {
    let noise: Vec<u8> = (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    t.file("disk/notes.txt", "words about nothing in particular\n")
        .file("disk/copy/notes.txt", "words about nothing in particular\n")
        .file("disk/photo.jpg", "%PDF-1.7\nnot a picture")
        .file("disk/bad.txt", "an evil text\n")
        .file("disk/noise", noise)
        .file("disk/long.txt", (0..900).map(|number| format!("line {number}\n")).collect::<String>());
    t.shell("tar -C disk -cf disk/all.tar bad.txt").code(0);
    t.file("rules.yar", "rule document { strings: $a = \"%PDF\" condition: $a at 0 }");
    t.run("hash -c sha256 -f sums -o bad.sha256 disk/bad.txt").code(0);
    t.run("known build -o bad.hmk --bad bad.sha256").code(0);
    t.run("similar digest -c ssdeep -o like.ssdeep disk/long.txt").code(0);
}

/// Returns the records of a case by path.
fn records(t: &Place, name: &str) -> BTreeMap<String, Value> {
    let text = String::from_utf8(t.read(name)).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let named = records.filter_map(|record| Some((record["path"].as_str()?.to_string(), record)));
    named.collect()
}

case!(one_read_says_what_each_file_is, |t| {
    evidence(t);
    let ran = t.run("triage disk -o case -k bad.hmk --like like.ssdeep --yara rules.yar").code(1);
    ran.prints("2 files are known bad, 1 file matches rules. 8 files hashed.\ncase/report.html\n");
    let found = records(t, "case/records.jsonl");
    assert_eq!(found.len(), 8, "{found:?}");
    for key in ["md5", "sha1", "sha256", "entropy", "ssdeep", "mtime", "yara"] {
        assert!(found["disk/notes.txt"].get(key).is_some(), "{key}: {}", found["disk/notes.txt"]);
    }
    assert_eq!(found["disk/photo.jpg"]["mismatch"], true);
    assert_eq!(found["disk/photo.jpg"]["yara"], json!(["document"]));
    assert_eq!(found["disk/bad.txt"]["category"], "bad");
    assert_eq!(found["disk/all.tar!/bad.txt"]["category"], "bad");
    assert_eq!(found["disk/notes.txt"]["category"], "unknown");
    let similar = String::from_utf8(t.read("case/similar.jsonl")).unwrap();
    assert_eq!(similar.lines().count(), 1, "{similar}");
    let pair: Value = serde_json::from_str(&similar).unwrap();
    assert_eq!(
        pair,
        json!({"a": "disk/long.txt", "b": "disk/long.txt", "algorithm": "ssdeep", "score": 100})
    );
    let page = String::from_utf8(t.read("case/report.html")).unwrap();
    for wanted in [
        "Matched by rules: 1 file",
        "Names of another type: 1 file",
        "Like listed files: 1 pair",
        "Problems: 2 records",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    // The table has the same records.
    t.run("convert case/records.sqlite table.jsonl").code(0);
    assert_eq!(records(t, "table.jsonl"), found);
});

case!(facts_and_digests_are_those_of_other_commands, |t| {
    evidence(t);
    t.run("triage disk -o case --yara rules.yar -c sha256 -f parquet").code(1);
    t.run("hash -c sha256 --facts type,entropy --yara rules.yar --metadata --inside all -f jsonl -o wanted.jsonl disk").code(1);
    let without_times = |mut found: BTreeMap<String, Value>| {
        found.values_mut().for_each(|record| {
            let record = record.as_object_mut().unwrap();
            ["read", "atime"].iter().for_each(|key| drop(record.remove(*key)));
        });
        found
    };
    let wanted = without_times(records(t, "wanted.jsonl"));
    assert_eq!(without_times(records(t, "case/records.jsonl")), wanted);
    assert!(t.has("case/records.parquet") && !t.has("case/records.sqlite") && !t.has("case/similar.jsonl"));
});

case!(what_was_not_read_is_told, |t| {
    evidence(t);
    let ran = t.run("triage disk nosuch -o case").code(2).says("nosuch: cannot look it up");
    ran.prints("1 file was not read as it should be. 8 files hashed.");
    // Neither the manifest, the table nor the page is replaced by one that lacks more.
    t.run("triage disk -o case --force").code(0);
    let before =
        ["records.jsonl", "records.sqlite", "report.html"].map(|name| t.read(&format!("case/{name}")));
    t.run("triage disk nosuch -o case")
        .code(2)
        .says("case/records.jsonl: not replaced: nosuch could not be read");
    let after =
        ["records.jsonl", "records.sqlite", "report.html"].map(|name| t.read(&format!("case/{name}")));
    assert!(before == after);
    t.run("triage disk --yara rules.yar --yara-max 5 -o small")
        .code(2)
        .says("disk/photo.jpg: not looked at by rules");
    t.run("triage disk -o parts --inside none").code(0);
    assert!(!records(t, "parts/records.jsonl").keys().any(|path| path.contains("!/")));
});

case!(the_files_of_a_case_are_not_data_of_it, |t| {
    evidence(t);
    t.run("triage disk -o disk/case").code(0).prints("8 files hashed");
    t.file("disk/case/notes-of-the-examiner.txt", "mine");
    fs::hard_link(t.path("disk/case/report.html"), t.path("disk/page.html")).unwrap();
    t.run("triage disk -o disk/case").code(0);
    let found = records(t, "disk/case/records.jsonl");
    let of_case: Vec<&String> = found.keys().filter(|path| path.starts_with("disk/case/")).collect();
    // One with another name may be data.
    assert_eq!(of_case, ["disk/case/notes-of-the-examiner.txt", "disk/case/report.html"]);
    assert!(found.contains_key("disk/page.html"));
});

case!(only_files_of_their_own_kind_are_replaced, |t| {
    evidence(t);
    for (name, kind) in
        [("report.html", "page"), ("records.sqlite", "manifest"), ("similar.jsonl", "list of similar files")]
    {
        t.file(format!("case/{name}"), "not ours");
        t.run("triage disk -o case")
            .code(64)
            .says(&format!("case/{name}: cannot replace: it is there, and is no {kind}"));
        assert!(!t.has("case/records.jsonl"), "nothing was hashed in vain");
        fs::remove_file(t.path(format!("case/{name}"))).unwrap();
    }
    t.run("triage disk -o case --like like.ssdeep").code(0);
    t.run("triage disk -o case -f parquet")
        .code(0)
        .says("case/similar.jsonl: is of an earlier run")
        .says("case/records.sqlite: is of an earlier run");
    t.file("file", "x").run("triage disk -o file").code(64).says("file: cannot make the folder of the case");
    t.run("triage disk -o no/such").code(64).says("no/such: cannot make the folder of the case");
    t.fifo("pipe");
    t.run("triage disk -o case --like pipe").code(64).says("pipe: --like takes a file");
    t.shell("$hashmill triage disk -o case --like - < like.ssdeep").code(64).says("-: --like takes a file");
    t.run("triage disk -o case --like nosuch").code(64).says("nosuch: --like takes a file");
    t.run("triage disk -o case --like rules.yar")
        .code(64)
        .says("rules.yar: begins with no digest of likeness");
    t.run("triage disk -o case --deleted --inside archives").code(64).says("--inside images");
    t.run("triage disk -o case --inside archives").code(0);
});

case!(an_interrupted_triage_goes_on_and_judges_all_files, |t| {
    evidence(t);
    t.fifo("pipe");
    std::thread::sleep(std::time::Duration::from_millis(50));
    let command = "triage disk pipe -o case -k bad.hmk --yara rules.yar";
    let mut child = t.command(command).stderr(Stdio::piped()).spawn().unwrap();
    let hold = fs::OpenOptions::new().read(true).write(true).open(t.path("pipe")).unwrap();
    until_blocked(t, &child);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(hold);
    assert!(!t.has("case/records.jsonl") && !t.has("case/report.html"));
    // Of files that were read before, the exit code and the counts are the same.
    let ran = fed(t, &format!("{command} --resume")).code(1);
    ran.says("9 files looked up: 2 bad, 7 unknown").says("1 file matches rules");
    assert_eq!(records(t, "case/records.jsonl").len(), 9);
});

case!(output_that_is_redirected_into_the_tree_is_not_data, |t| {
    evidence(t);
    t.shell("$hashmill triage disk -o case > disk/said.txt").code(0);
    assert!(!records(t, "case/records.jsonl").contains_key("disk/said.txt"));
});

case!(a_run_without_an_earlier_one_resumes_nothing, |t| {
    evidence(t);
    t.run("triage disk -o case --resume").code(0);
    t.run("triage disk -o case --resume").code(0);
    assert_eq!(records(t, "case/records.jsonl").len(), 8);
});

case!(a_table_that_cannot_be_written_loses_nothing, |t| {
    evidence(t);
    let faults = [("FAULT_WRITE_PATH", "records.sqlite"), ("FAULT_WRITE_AFTER", "4096")];
    let Some(ran) = faulty(t, &faults, "triage disk -o case -k bad.hmk") else { return };
    ran.code(2).says("case/records.sqlite");
    assert!(t.has("case/records.jsonl") && !t.has("case/records.sqlite") && !t.has("case/report.html"));
});

case!(deleted_files_of_images_are_looked_at, |t| {
    if !all_installed(&["mke2fs", "debugfs"]) {
        return;
    }
    evidence(t);
    t.shell("mke2fs -q -t ext2 -d disk disk.img 4M && debugfs -w -R 'rm /bad.txt' disk.img 2> /dev/null")
        .code(0);
    let ran = t.run("triage disk.img -o case -k bad.hmk --yara rules.yar").code(1);
    ran.prints("2 files are known bad, 1 file matches rules");
    let found = records(t, "case/records.jsonl");
    assert_eq!(found["disk.img!/bad.txt"]["allocation"], "intact", "{found:?}");
    assert_eq!(found["disk.img!/photo.jpg"]["yara"], json!(["document"]));
    t.run("triage disk.img -o live -k bad.hmk --no-deleted").code(1).prints("1 file is known bad");
});

case!(statistics_have_the_account_of_all_of_it, |t| {
    evidence(t);
    let ran = t.run("triage disk -o case -k bad.hmk --yara rules.yar --stats=json").code(1);
    let stats: Value = ran.stderr().lines().find_map(|line| serde_json::from_str(line).ok()).unwrap();
    assert_eq!(stats["account"]["entries"], json!({"done": 5, "differs": 3}), "{stats}");
    // The set has a digest that a run with -c md5,sha256 computes, and one that it doesn't.
    t.run("hash -c sha1 -f sums -o more.sha1 disk/noise").code(0);
    t.run("known build -o both.hmk --bad bad.sha256 more.sha1").code(0);
    for command in ["triage disk -o other -c md5,sha256", "known match -c md5,sha256 disk"] {
        let ran = t
            .run(&format!("{command} -k both.hmk --stats=json"))
            .code(2)
            .says("have no digest that was computed");
        let stats: Value = ran.stderr().lines().find_map(|line| serde_json::from_str(line).ok()).unwrap();
        assert_eq!(stats["account"]["lists"], json!({"incomplete": 1}), "{command}: {stats}");
    }
});

case!(sets_and_lists_of_any_algorithm_are_used, |t| {
    evidence(t);
    t.run("hash -c blake3 -f jsonl -o list.jsonl disk/bad.txt").code(0);
    t.run("known build -o blake.hmk --bad list.jsonl").code(0);
    t.run("similar index build -c tlsh -o like.index disk/long.txt").code(0);
    t.run("similar digest -c sdhash -f jsonl -o like.jsonl disk/long.txt").code(0);
    let likes = "--like like.index --like like.jsonl --like like.ssdeep";
    t.run(&format!("triage disk -o case -k blake.hmk {likes}")).code(1).prints("2 files are known bad");
    let similar = String::from_utf8(t.read("case/similar.jsonl")).unwrap();
    for algorithm in ["tlsh", "sdhash", "ssdeep"] {
        assert!(similar.contains(&format!("\"algorithm\":\"{algorithm}\"")), "{algorithm}: {similar}");
    }
    t.run("triage disk -o other -k blake.hmk -c md5").code(64).says("blake3");
    if installed("sqlite3").is_some() {
        let rows =
            t.shell("sqlite3 case/records.sqlite 'select count(*) from records where category = \"bad\"'");
        rows.code(0).is("2\n");
    }
});
