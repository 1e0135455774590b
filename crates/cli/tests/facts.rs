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
    for format in ["csv", "dfxml", "ecs", "premis", "sqlite", "parquet"] {
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
        ran.says("has no place for facts about content; ecs, jsonl, csv, dfxml");
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

/// Writes a signature file of one format by bytes, and one by its extension.
fn signatures(t: &Place, version: u32) {
    let xml = format!(
        "<FFSignatureFile Version='{version}'><InternalSignatureCollection><InternalSignature ID='1'>\
         <ByteSequence Reference='BOFoffset'><SubSequence Position='1' SubSeqMinOffset='0' SubSeqMaxOffset='0'>\
         <Sequence>'%PDF'</Sequence></SubSequence></ByteSequence></InternalSignature></InternalSignatureCollection>\
         <FileFormatCollection><FileFormat ID='1' PUID='fmt/18' Name='Acrobat &quot;PDF&quot;, 1.4' Version='1.4' \
         MIMEType='application/pdf'><InternalSignatureID>1</InternalSignatureID></FileFormat>\
         <FileFormat ID='2' PUID='x-fmt/111' Name='Text'><Extension>txt</Extension></FileFormat>\
         </FileFormatCollection></FFSignatureFile>"
    );
    t.file("droid.xml", xml);
}

case!(formats_of_pronom_are_in_records_of_every_format, |t| {
    tree(t);
    signatures(t, 7);
    let command = "hash -c crc32 --pronom droid.xml";
    let found = records(t, &format!("{command} -f jsonl tree"));
    let puids: Vec<_> = found.iter().map(|record| record["puid"][0].as_str()).collect();
    assert_eq!(puids, [Some("fmt/18"), Some("x-fmt/111"), None, None, None]);
    let bases: Vec<_> = found.iter().map(|record| record["puid_formats"][0]["basis"].as_str()).collect();
    assert_eq!(bases[..2], [Some("signature"), Some("extension")]);
    assert_eq!(found[0]["puid_formats"][0]["name"], "Acrobat \"PDF\", 1.4");
    assert_eq!(found[2]["puid"], Value::Array(Vec::new()));
    assert!(found[0]["puid_signatures"].as_str().unwrap().starts_with("V7 ("));
    for format in ["csv", "dfxml", "ecs", "premis", "sqlite", "parquet"] {
        t.run(&format!("{command} -f {format} -o list.{format} tree")).code(0);
        t.run(&format!("convert list.{format} {format}.jsonl --lossy")).code(0);
        let all = String::from_utf8(t.read(&format!("{format}.jsonl"))).unwrap();
        let back: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(back.len(), found.len());
        for (own, wanted) in back.iter().zip(&found) {
            assert_eq!(own["puid"], wanted["puid"], "{format}");
            assert_eq!(own["puid_formats"], wanted["puid_formats"], "{format}");
            assert_eq!(own["puid_signatures"], wanted["puid_signatures"], "{format}");
        }
    }
});

case!(members_and_known_files_have_formats_of_pronom, |t| {
    tree(t);
    signatures(t, 7);
    t.shell("tar -cf all.tar tree").code(0);
    let found = records(t, "hash -c crc32 -f jsonl --inside archives --pronom droid.xml all.tar");
    let of = |path: &str| found.iter().find(|record| record["path"] == path).unwrap()["puid"].to_string();
    assert_eq!(of("all.tar!/tree/a.jpg"), "[\"fmt/18\"]");
    assert_eq!(of("all.tar"), "[]");
    t.run("hash -c md5 -o list tree/a.jpg").code(0);
    t.run("known build -o set --as mine list").code(0);
    let found = records(t, "known match -k set --show mine --pronom droid.xml tree");
    assert_eq!((found.len(), &found[0]["puid"][0]), (1, &"fmt/18".into()));
    t.run("known match -k set --manifest list --pronom droid.xml").code(64).says("cannot be used with");
});

case!(signature_files_are_needed_and_checked, |t| {
    tree(t);
    t.file("bad.xml", "<FFSignatureFile>\n<InternalSignatureCollection>\n<InternalSignature/>\n</InternalSignatureCollection></FFSignatureFile>");
    t.file("other.xml", "<a/>");
    t.run("hash -f jsonl --facts puid tree").code(64).says("the fact 'puid' is asked for by --pronom FILE");
    let run = |file: &str| t.run(&format!("hash -f jsonl --pronom {file} tree")).code(64);
    run("none.xml").says("none.xml: cannot read the signature file");
    run("bad.xml").says("bad.xml: cannot use").says("line 3: ");
    run("other.xml").says("no signature file of DROID");
});

case!(formats_by_other_signatures_are_not_reused, |t| {
    tree(t);
    signatures(t, 7);
    // A read now is after all that could change the files unseen.
    thread::sleep(Duration::from_millis(2100));
    let command = "-c crc32 -f jsonl --pronom droid.xml";
    t.run(&format!("hash --metadata -o old.jsonl tree {command}")).code(0);
    let reused = |t: &Place| {
        let found = records(t, &format!("hash --reuse old.jsonl tree {command}"));
        found.iter().filter(|record| record["reused"] == true).count()
    };
    assert_eq!(reused(t), 5);
    signatures(t, 8);
    assert_eq!(reused(t), 0);
});
