//! `--yara`: rules that match, in every format, on members, of earlier runs, and what is not scanned.

use crate::case;
use crate::util::Place;
use serde_json::{Value, json};

/// Makes files, and rules of which one matches two of them, one all, and one none.
fn tree(t: &Place) {
    t.file("tree/a", "%PDF-1.7\n").file("tree/b", "words, and %PDF").file("tree/c", "words\n");
    t.file(
        "rules/pdf.yar",
        "rule pdf : document office { meta: author = \"me\" level = 3 strings: $a = \"%PDF\" condition: $a }",
    );
    t.file("rules/sub/more.yar", "rule small { condition: filesize < 100 }\nrule never { condition: false }");
}

/// Returns the records that a command prints.
fn records(t: &Place, command: &str, code: i32) -> Vec<Value> {
    let ran = t.run(command).code(code);
    let lines = ran.stdout().split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

case!(matching_rules_are_in_records_and_the_exit_code_is_1, |t| {
    tree(t);
    let found = records(t, "hash -c crc32 -f jsonl --yara rules/pdf.yar --yara-strings tree", 1);
    let of = |key: &str| found.iter().map(|record| record[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("yara"), [json!(["pdf"]), json!(["pdf"]), json!([])]);
    assert_eq!(of("yara_status"), ["scanned"; 3]);
    let string = |offset: u64| json!([{"name": "$a", "count": 1, "places": [[offset, 4]]}]);
    let matching = |offset| {
        json!([{"rule": "pdf", "namespace": "rules/pdf.yar", "tags": ["document", "office"],
            "meta": {"author": "me", "level": 3}, "strings": string(offset)}])
    };
    assert_eq!(of("yara_matches"), [matching(0), matching(11), Value::Null]);
    t.run("hash -c crc32 -f jsonl --yara rules/pdf.yar tree").code(1).says("2 files match rules");
    let none = records(t, "hash -c crc32 -f jsonl --yara rules/pdf.yar tree/c", 0);
    assert!(none[0].get("yara_matches").is_none());
    assert!(records(t, "hash -c crc32 -f jsonl tree/a", 0)[0].get("yara").is_none());
    // Rules in the order of operands and of their sorted names.
    let both = records(t, "hash -c crc32 -f jsonl --yara rules/sub/more.yar --yara rules tree/a", 1);
    assert_eq!(both[0]["yara"], json!(["small", "pdf"]));
    let folder = records(t, "hash -c crc32 -f jsonl --yara rules tree/a", 1);
    assert_eq!(folder[0]["yara"], json!(["pdf", "small"]));
});

case!(threads_change_nothing, |t| {
    tree(t);
    for number in 0..40 {
        t.file(format!("tree/many/{number}"), "%PDF".repeat(number * number * 40));
    }
    let command = "hash -c sha256 -f jsonl --yara rules --yara-strings tree";
    let one = t.run(&format!("{command} --threads 1")).code(1);
    for threads in [2, 5] {
        let many = t.run(&format!("{command} --threads {threads}")).code(1);
        assert!(many.stdout() == one.stdout(), "{threads} threads show");
    }
});

case!(every_format_with_facts_gives_them_back, |t| {
    tree(t);
    let command = "hash -c md5,blake3 --facts type --yara rules --yara-strings tree";
    let wanted = t.run(&format!("{command} -f jsonl")).code(1);
    for format in ["csv", "dfxml", "sqlite", "parquet"] {
        t.run(&format!("{command} -f {format} -o list.{format}")).code(1);
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
    for format in ["hashdeep", "sums", "bsd", "mhl"] {
        t.run(&format!("hash --yara rules -c md5 -f {format} tree"))
            .code(64)
            .says("has no place for facts about content");
    }
    t.run("hash --yara rules --bare -c md5 tree").code(64);
    t.run("hash --facts yara -f jsonl tree").code(64).says("the fact 'yara' is asked for by --yara RULES");
});

case!(what_is_not_scanned_is_told_with_exit_code_2, |t| {
    tree(t);
    let found = records(t, "hash -c crc32 -f jsonl --yara rules --yara-max 10 tree", 2);
    let of = |key: &str| found.iter().map(|record| record[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("yara_status"), ["scanned", "too-long", "scanned"]);
    assert_eq!(of("yara"), [json!(["pdf", "small"]), json!([]), json!(["small"])]);
    let ran = t.run("hash -c crc32 -f jsonl --yara rules --yara-max 10 --stats=json tree").code(2);
    let ran = ran.says("tree/b: not looked at by rules: it is longer than --yara-max");
    let ran = ran.says("2 files match rules, 1 file was not wholly looked at");
    ran.says("\"entries\":{\"differs\":2,\"not_looked_into\":1}");
    t.file("tree/b", "a".repeat(200_000));
    t.file("slow.yar", "rule slow { strings: $a = \"aaa\" condition: #a > 0 }");
    t.run("hash -c crc32 -f jsonl --yara slow.yar tree/b")
        .code(2)
        .says("tree/b: rules may be judged wrongly: a string occurs more often than is counted");
    let loops = "rule slow { condition: for all i in (0..2000000000) : (uint8(i % 100) == 97) }";
    t.file("slow.yar", loops);
    t.run("hash -c crc32 -f jsonl --yara slow.yar --yara-timeout 0.01 tree/b")
        .code(2)
        .says("tree/b: not wholly looked at by rules: the time of --yara-timeout was over");
    t.run("hash -c crc32 -f jsonl --yara rules -m 32M tree").code(1);
    t.run("hash -c crc32 -f jsonl --yara rules --yara-max 200M tree")
        .code(64)
        .says("--yara-max: contents of 209715200 bytes are to be scanned, and the memory allows 134217728");
});

case!(members_of_archives_and_standard_input_are_scanned, |t| {
    tree(t);
    t.shell("tar -cf all.tar tree && rm -r tree && mkdir tree && gzip all.tar && mv all.tar.gz tree/")
        .code(0);
    let found = records(t, "hash -c crc32 -f jsonl --inside archives --yara rules/pdf.yar tree", 1);
    let of = |path: &str| found.iter().find(|record| record["path"] == path).unwrap()["yara"].clone();
    assert_eq!(of("tree/all.tar.gz!/tree/a"), json!(["pdf"]));
    assert_eq!(of("tree/all.tar.gz!/tree/c"), json!([]));
    assert_eq!(of("tree/all.tar.gz"), json!([]));
    let ran = t.feed("hash -c crc32 -f jsonl --yara rules/pdf.yar -", "%PDF").code(1);
    assert!(String::from_utf8_lossy(ran.stdout()).contains("\"yara\":[\"pdf\"]"));
});

case!(known_match_finds_rules_and_a_bad_file_counts_once, |t| {
    tree(t);
    t.run("hash -c md5 -o list tree/a").code(0);
    t.run("known build -o set --bad list").code(0);
    let found = records(t, "known match -k set --show all --yara rules/pdf.yar tree", 1);
    let of = |record: &Value| (record["category"].clone(), record["yara"].clone());
    let wanted = [("bad", json!(["pdf"])), ("unknown", json!(["pdf"])), ("unknown", json!([]))];
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), wanted.map(|(word, yara)| (json!(word), yara)));
    let ran = t.run("known match -k set --show all --yara rules/pdf.yar --stats=json tree").code(1);
    ran.says("\"entries\":{\"differs\":2,\"done\":1}");
    t.run("known match -k set --manifest list --yara rules").code(64);
});

case!(earlier_results_of_rules_are_not_reused, |t| {
    tree(t);
    t.run("hash -c crc32 --metadata -o old.jsonl --yara rules tree").code(1);
    let ran = t.run("hash -c crc32 -f jsonl --reuse old.jsonl --yara rules tree").code(1);
    let ran = ran.says("old.jsonl: 3 records lack a fact that is wanted, so nothing is reused of them");
    assert!(!String::from_utf8_lossy(ran.stdout()).contains("\"reused\""));
});

case!(rules_that_are_not_usable_are_exit_code_64, |t| {
    tree(t);
    t.file("rules/bad.yar", "rule bad {\n  condition: nothing\n}");
    let ran = t.run("hash -f jsonl --yara rules tree").code(64);
    let ran = ran.says("hashmill: rules/bad.yar:2:14: error: unknown identifier");
    assert!(ran.stdout().is_empty());
    t.run("hash -f jsonl --yara nowhere tree").code(64).says("nowhere: cannot read rules");
    t.run("hash -f jsonl --yara-strings tree").code(64).says("--yara <RULES>");
    t.run("hash -f jsonl --yara rules --yara-max 0 tree").code(64).says("nothing would be scanned");
});
