//! `--facts`: types and entropy in records, in every format, on members, and of earlier runs.

use crate::case;
use crate::util::Place;
use serde_json::Value;
use std::thread;
use std::time::Duration;

/// Makes files of which one has a wrong extension, and one no type.
fn tree(t: &Place) {
    t.file("tree/a.jpg", "%PDF-1.7\n").file("tree/b.txt", "words\n".repeat(100)).file("tree/empty", "");
    t.file("tree/noise", hashmill_testing::Random(1).bytes(10_000)).file("tree/sub/c", "#!/bin/sh\n");
}

/// Returns the records that a command prints.
fn records(t: &Place, command: &str) -> Vec<Value> {
    let ran = t.run(command).code(0);
    let lines = ran.stdout().split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

case!(types_mismatches_and_entropy_are_in_records, |t| {
    tree(t);
    let found = records(t, "hash -c crc32 -f jsonl --facts entropy,type tree");
    let types: Vec<_> = found.iter().map(|record| record["type"]["mime"].as_str()).collect();
    assert_eq!(types, [Some("application/pdf"), Some("text/plain"), None, None, Some("text/x-shellscript")]);
    let mismatches: Vec<_> = found.iter().map(|record| record["mismatch"].as_bool()).collect();
    assert_eq!(mismatches, [Some(true), Some(false), None, None, None]);
    let entropies: Vec<_> = found.iter().map(|record| record["entropy"].to_string()).collect();
    assert_eq!(entropies[..3], ["3.169925", "2.584963", "0.0"]);
    let classes: Vec<_> = found.iter().map(|record| record["class"].as_str()).collect();
    assert_eq!(classes, [None, Some("text"), None, Some("random"), Some("text")]);
    assert!(found[2].get("chi2").is_none());
    // One fact alone, and none.
    let only = records(t, "hash -c crc32 -f jsonl --facts type tree/a.jpg");
    assert!(only[0].get("entropy").is_none() && only[0]["mismatch"] == true);
    let none = records(t, "hash -c crc32 -f jsonl tree/a.jpg");
    assert!(none[0].get("type").is_none());
});

case!(every_format_with_facts_gives_them_back, |t| {
    tree(t);
    let command = "hash -c md5,blake3 --facts type,entropy tree";
    let wanted = t.run(&format!("{command} -f jsonl")).code(0);
    for format in ["csv", "dfxml", "sqlite", "parquet"] {
        t.run(&format!("{command} -f {format} -o list.{format}")).code(0);
        t.run(&format!("convert list.{format} {format}.jsonl --lossy")).code(0);
        let text = |lines: &[u8]| {
            let lines = String::from_utf8_lossy(lines).into_owned();
            let lines = lines.lines().map(|line| {
                let mut record: Value = serde_json::from_str(line).unwrap();
                // DFXML has the times of all files.
                record.as_object_mut().unwrap().remove("mtime");
                record
            });
            lines.collect::<Vec<_>>()
        };
        assert_eq!(text(&t.read(&format!("{format}.jsonl"))), text(wanted.stdout()), "{format}");
    }
    t.run("convert list.csv new.sums -f sums").code(64).says("5 records' facts about content");
});

case!(formats_without_facts_and_facts_without_names_are_refused, |t| {
    tree(t);
    for format in ["hashdeep", "sums", "bsd", "mhl"] {
        let ran = t.run(&format!("hash --facts type -c md5 -f {format} tree")).code(64);
        ran.says("has no place for facts about content; jsonl, csv, dfxml");
    }
    t.run("hash --facts colour -f jsonl tree")
        .code(64)
        .says("no fact is named 'colour'; there are: type, entropy");
    t.run("hash --facts type --bare -c md5 tree").code(64);
});

case!(members_of_archives_have_facts, |t| {
    tree(t);
    t.shell("tar -cf all.tar tree && rm -r tree && mkdir tree && mv all.tar tree/").code(0);
    let found = records(t, "hash -c crc32 -f jsonl --inside archives --facts type,entropy tree");
    let pdf = found.iter().find(|record| record["path"] == "tree/all.tar!/tree/a.jpg").unwrap();
    assert_eq!((&pdf["type"]["mime"], &pdf["mismatch"]), (&"application/pdf".into(), &true.into()));
    assert_eq!(pdf["entropy"].to_string(), "3.169925");
    let archive = found.iter().find(|record| record["path"] == "tree/all.tar").unwrap();
    assert_eq!(archive["type"]["mime"], "application/x-tar");
});

case!(pieces_have_entropy, |t| {
    t.file("file.txt", ["a".repeat(1000), "ab".repeat(500), "b".into()].concat());
    let found = records(t, "hash -c crc32 -f jsonl -p 1000 --facts type,entropy file.txt");
    let entropies: Vec<_> = found.iter().map(|record| record["entropy"].to_string()).collect();
    assert_eq!(entropies, ["0.0", "1.0", "0.0", "0.811872"]);
    let types: Vec<_> = found.iter().map(|record| record.get("type").is_some()).collect();
    assert_eq!(types, [false, false, false, true]);
});

case!(known_match_finds_facts, |t| {
    tree(t);
    t.run("hash -c md5 -o list tree/a.jpg").code(0);
    t.run("known build -o set --as mine list").code(0);
    let found = records(t, "known match -k set --show mine --facts type tree");
    assert_eq!((found.len(), &found[0]["mismatch"]), (1, &true.into()));
});

case!(records_without_the_facts_are_not_reused, |t| {
    tree(t);
    // A read now is after all that could change the files unseen.
    thread::sleep(Duration::from_millis(2100));
    let run = |options: &str| records(t, &format!("hash -c crc32 -f jsonl {options} tree"));
    let reused = |records: &[Value]| records.iter().filter(|record| record["reused"] == true).count();
    t.run("hash -c crc32 --metadata -o plain.jsonl tree").code(0);
    t.run("hash -c crc32 --metadata -o typed.jsonl --facts entropy,type tree").code(0);
    let facts = |records: &[Value]| {
        let of =
            |record: &Value| ["type", "mismatch", "entropy", "chi2", "class"].map(|key| record[key].clone());
        records.iter().map(of).collect::<Vec<_>>()
    };
    let wanted = run("--facts type,entropy");
    let plain = run("--reuse plain.jsonl --facts type,entropy");
    assert_eq!((reused(&plain), facts(&plain)), (0, facts(&wanted)));
    let plain = t.run("hash -c crc32 -f jsonl --reuse plain.jsonl --facts entropy tree").code(0);
    plain.says("plain.jsonl: 5 records lack a fact that is wanted, so nothing is reused of them");
    // Two files have no type, so that they are read.
    let typed = run("--reuse typed.jsonl --facts type,entropy");
    assert_eq!((reused(&typed), facts(&typed)), (3, facts(&wanted)));
    assert_eq!(reused(&run("--reuse typed.jsonl --facts entropy")), 5);
    assert_eq!(reused(&run("--reuse typed.jsonl")), 5);
});
