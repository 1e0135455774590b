//! Every record and every list is accounted for: compared, carried over, left out by request, or told with an exit code.

use crate::case;
use crate::util::{Place, is_root};
use hashmill_testing::not_possible;
use serde_json::{Value, json};

/// Two folders with two files each, and their list `m`.
fn years(t: &Place) -> &Place {
    for (path, content) in [("p/2019/a", "a"), ("p/2019/b", "b"), ("p/2020/c", "c"), ("q/d", "d")] {
        t.file(path, content);
    }
    t.run("hash -q -c sha256 -o m p q").code(0);
    t
}

/// Returns the number of files in a list.
fn files(t: &Place, list: &str) -> usize {
    String::from_utf8(t.read(list)).unwrap().lines().filter(|line| !line.starts_with(['%', '#'])).count()
}

case!(what_an_update_did_not_compare_is_carried_over, |t| {
    years(t);
    for (operands, carried) in [("p/2019", 2), ("--exclude 2019/ p q", 2), ("p", 1)] {
        let told = format!("carried over: {carried} record");
        t.run(&format!("audit -k m --update next --force {operands}")).code(0).prints(&told);
        assert_eq!(files(t, "next"), 4, "{operands}");
        t.run("audit -k next p q").code(0).prints("matched: 4\n");
        let run = t.run(&format!("audit -k m --update next --force --prune {operands}")).code(0);
        run.prints(format!("pruned: {carried} record"));
        assert_eq!(files(t, "next"), 4 - carried, "{operands}");
    }
    let counts = t.run("audit -k m --update next --force -f json q").code(0).json()["counts"].clone();
    assert_eq!((&counts["carried_over"], &counts["not_compared"]), (&json!(3), &json!(3)));
    t.run("audit -k m --prune p").code(64).says("--update");
});

case!(a_file_that_nobody_looked_for_elsewhere_stays_in_the_next_list, |t| {
    years(t).rename("p/2019", "p/moved");
    t.run("audit -k m --update next").code(1).prints("missing: 2\n").prints("carried over: 2 records");
    t.run("audit -k next").code(1).prints("missing: 2\n");
    // With an operand it was looked for, and found under its new name.
    t.run("audit -k m --update next --force p q").code(1).prints("(2 files)\n");
    t.run("audit -k next p q").code(0).prints("matched: 4\n");
});

case!(records_are_carried_over_whole, |t| {
    t.file("p/a", "a").file("q/b", "b").run("hash --metadata -f jsonl -o m.jsonl p q").code(0);
    t.run("audit -k m.jsonl --update next.jsonl p").code(0).prints("carried over: 1 record that was");
    let lines =
        |list: &str| String::from_utf8(t.read(list)).unwrap().lines().map(String::from).collect::<Vec<_>>();
    assert_eq!(lines("next.jsonl")[1], lines("m.jsonl")[1]);
    // Learnt algorithms are not lost, and operands elsewhere give their names to all records.
    t.run("hash -c blake3 -f sums -o sums p q").code(0);
    t.shell("mkdir away && mv p q away").code(0);
    t.run("audit -k sums --update next.sums --exclude b away").code(0).prints("carried over: 1 record");
    t.run("check next.sums").code(0).is("away/p/a: OK\naway/q/b: OK\n");
});

case!(what_cannot_be_read_this_time_keeps_its_record, |t| {
    if is_root() {
        return not_possible("being refused as root");
    }
    years(t).shell("chmod 0 p/2019 q/d").code(0);
    t.run("audit -k m --update next p q").code(2).prints("unreadable: 3\n").prints("carried over: 3 records");
    let old = t.read("m");
    let told = "m: not replaced: it has a record of p/2019/a, which could not be read this time; --force replaces it";
    let run = t.run("hash -q -c sha256 -o m p q").code(2).says(told);
    run.says("--resume --force replaces the old manifest");
    t.run("audit -k m --update m --prune p q").code(2).says(told);
    assert_eq!(t.read("m"), old);
    t.run("hash -q -c sha256 --force -o m p q").code(2);
    t.shell("chmod 755 p/2019 q/d").code(0);
    assert_eq!((files(t, "next"), files(t, "m")), (4, 1));
    t.run("audit -k next p q").code(0).prints("matched: 4\n");
});

case!(two_operands_are_not_one_directory_of_a_list, |t| {
    t.file("t/a", "a").file("t/b", "b").file("t/c", "c").run("hash -o m t").code(0);
    t.shell("cp -r t one; cp -r t two; rm one/a two/b; mv t gone").code(0);
    let told = "one and two both stand for t of the manifest (compare each by itself)";
    t.run("audit -k m one two").code(64).says(told);
    t.run("audit -k m one")
        .code(1)
        .prints("matched: 2\n")
        .prints("missing: 1\n")
        .prints("one: taken for t of the list");
    // Where one of them has the name, the files of the other are copies.
    t.rename("one", "t")
        .run("audit -k m t two")
        .code(1)
        .prints("matched: 2\n")
        .prints("two/a: moved from t/a");
    // A record is compared with one file, however often it is met.
    let whole = t.path("t").display().to_string();
    t.run(&format!("audit -k m t t {whole}")).code(1).prints("matched: 2\n").prints("missing: 1\n");
});

case!(files_that_moved_up_are_told, |t| {
    t.file("photos/2019/a", "a").file("photos/2019/b", "b").file("photos/2019/c", "c").file("photos/x", "x");
    t.run("hash -f sums -c sha256 -o m photos").code(0);
    t.shell("mv photos/2019/* photos/ && rmdir photos/2019").code(0);
    let wholes = t.path("photos").display().to_string();
    for run in ["audit -k m photos", &format!("audit -k m {wholes}"), "diff m photos"] {
        t.run(run).code(1).prints("moved: 3\n").prints("matched: 1\n");
    }
    t.remove("photos/x");
    for run in ["audit -k m photos", &format!("audit -k m {wholes}"), "diff m photos"] {
        t.run(run).code(1).prints("moved: 3\n").prints("matched: 0\n");
    }
    // Two lists made from one place.
    t.shell("sed s:/2019/:/2020/: m > other").code(0);
    t.run("diff m other").code(1).prints("(3 files)\n").prints("matched: 1\n");
    t.shell("grep 2019 m > only; grep 2020 other > others").code(0);
    t.run("diff only others").code(1).prints("moved: 3\n");
});

case!(a_folder_may_have_a_subfolder_of_its_name, |t| {
    t.file("f/a", "1").file("f/b", "2").file("f/f/a", "3").file("f/f/b", "4").run("hash -o m f").code(0);
    t.run("audit -k m f").code(0).prints("matched: 4\n");
    t.run("diff m f").code(0).prints("matched: 4\n");
    t.shell("cd f && $hashmill audit -k ../m .").code(0).prints("matched: 4\n");
    t.rename("f/b", "f/c");
    for ran in [t.run("diff m f"), t.shell("cd f && $hashmill audit -k ../m .")] {
        ran.code(1).prints("matched: 3\nchanged: 0\nmoved: 1\n");
    }
    t.rename("f", "g").run("audit -k m g").code(1).prints("matched: 3\nchanged: 0\nmoved: 1\n");
});

case!(what_was_not_understood_is_in_the_document_and_on_the_page, |t| {
    t.file("t/a", "a").run("hash -c sha256 -f sums -o m.sha256 t").code(0);
    let line = String::from_utf8(t.read("m.sha256")).unwrap();
    t.file("bad.sha256", format!("{line}{}  t/b\n", &line[..60]));
    let page = |document: &Value, name: &str| {
        t.file(name, document.to_string());
        let page = t.run(&format!("report {name}")).code(0);
        let text = String::from_utf8_lossy(page.stdout()).into_owned();
        assert!(!text.contains("passed") && !text.contains("No difference"), "{text}");
        assert!(text.to_lowercase().contains("undecided"), "{text}");
    };
    for (run, text) in [
        ("audit -k bad.sha256 t", "audit undecided: not everything was read and understood"),
        ("diff bad.sha256 t", "undecided: not everything was read and understood"),
    ] {
        t.run(run).code(2).prints(text);
        let document = t.run(&format!("{run} -f json")).code(2).json();
        assert_eq!(document["malformed"], 1);
        assert_eq!(document["account"], json!({"records": {"done": 1, "failed": 1}}));
        page(&document, "a.json");
    }
    for lists in ["m.sha256 bad.sha256", "m.sha256 nosuch.sha256", "m.sha256 t/a"] {
        let document = t.run(&format!("check --strict -f json {lists}")).code(2).json();
        let list = &document["lists"][1];
        assert!(list["error"].is_string() || list["malformed"] == 1, "{document}");
        page(&document, "c.json");
    }
    let document = t.run("audit -k m.sha256 -f json t").code(0).json();
    t.file("a.json", document.to_string()).run("report a.json").code(0).prints("Audit passed");
});

case!(digests_that_no_set_has_are_not_looked_up, |t| {
    t.file("t/a", "a").file("t/b", "b").run("hash -c md5 -o bad t").code(0);
    t.run("known build -o s.hmk --bad bad").code(0);
    t.run("hash -f jsonl -o m.jsonl t").code(0);
    let args = "known match --known-set s.hmk --manifest";
    t.run(&format!("{args} m.jsonl")).code(64).says("has digests of md5 only");
    // Some records have them.
    t.run("hash -c md5 -f jsonl -o some.jsonl t/a").code(0);
    t.shell("grep t/b m.jsonl >> some.jsonl").code(0);
    t.run(&format!("{args} some.jsonl")).code(2).says("1 record was not looked up");
});

case!(what_was_not_read_is_not_looked_up, |t| {
    t.file("t/a", "a").run("hash -c md5 -f jsonl -o m.jsonl t").code(0);
    t.file("bad", format!("{:032x}\n", 1)).run("known build -o s.hmk --bad bad").code(0);
    let args = "known match -k s.hmk --show bad --manifest";
    t.run(&format!("{args} m.jsonl")).code(0);
    for lack in [
        "\"status\":\"unreadable\",\"reason\":\"EIO\"",
        "\"size\":9,\"status\":\"hashed\",\"md5\":\"900150983cd24fb0d6963f7d28e17f72\",\"bad_blocks\":[[0,5]]",
    ] {
        let list = String::from_utf8(t.read("m.jsonl")).unwrap() + "{\"path\":\"t/b\"," + lack + "}\n";
        t.file("lack.jsonl", list);
        t.run(&format!("{args} lack.jsonl")).code(2).says("lack.jsonl: 1 file was not read, or only in part");
    }
});

case!(what_no_set_can_have_is_not_looked_up, |t| {
    t.file("t/a", "a").file("bad", format!("{:032x}\n", 1)).run("known build -o s.hmk --bad bad").code(0);
    let (md5, sha256) = (format!("{:032x}", 2), format!("{:064x}", 2));
    t.run(&format!("known query -k s.hmk {md5}")).code(0);
    let ran = t.run(&format!("known query -f json -k s.hmk {sha256} {md5}")).code(2);
    let accounts: Vec<Value> =
        ran.json().as_array().unwrap().iter().map(|one| one["account"].clone()).collect();
    assert_eq!(accounts, [json!({"records": {"failed": 1}}), json!({"records": {"done": 1}})]);
    // Records of pieces alone, and of what was left out when the manifest was made.
    t.shell("$hashmill hash -c md5 -p 1 -f jsonl t | grep offset > p.jsonl").code(0);
    t.file("s.jsonl", "{\"path\":\"t/a\",\"size\":1,\"status\":\"skipped\",\"reason\":\"filtered\"}\n");
    for list in ["p.jsonl", "s.jsonl"] {
        t.run(&format!("known match -k s.hmk --manifest {list}"))
            .code(2)
            .says(&format!("{list}: nothing was looked up"));
    }
});

case!(a_file_that_only_begins_like_a_signature_is_not_left_out, |t| {
    t.file("t/a", "a").run("hash -c sha256 -f sums -o t/S t").code(0);
    let armor = "-----BEGIN PGP SIGNATURE-----\n\niQ==\n=aaaa\n-----END PGP SIGNATURE-----\n";
    t.file("t/S.asc", armor).run("audit -k t/S t").code(0).prints("t/S.asc");
    t.file("t/S.asc", format!("{armor}rm -rf .\n")).run("audit -k t/S t").code(1).prints("t/S.asc: new");
    t.remove("t/S.asc").file("t/S.gpg", "\u{88}and a payload").run("audit -k t/S t").code(1);
});

case!(filters_that_leave_nothing_are_told, |t| {
    t.file("t/a", "a").file("bad", format!("{:032x}\n", 1)).run("known build -o s.hmk --bad bad").code(0);
    let told = "nothing was read: 1 entry was left out, and no other has bytes";
    for command in
        ["hash", "hash --bare -c md5", "dupes", "similar digest -c ssdeep", "similar pairs -c ssdeep"]
    {
        t.run(&format!("{command} --exclude a t")).code(0).says(told);
    }
    for command in ["known match -k s.hmk", "scrub --state s"] {
        t.run(&format!("{command} --exclude a t")).code(2).says(told);
        assert!(!t.run(&format!("{command} t")).code(0).stderr().contains("nothing was read"));
    }
    // Files that are not due are met.
    t.file("t/b", "b").run("scrub --state s --max-age 9d --exclude b t").code(0);
    t.run("scrub --state s --exclude t/* t").code(2).says("nothing was read");
});

case!(digests_are_not_written_under_the_name_of_another_algorithm, |t| {
    t.file("t/a", "a").run("hash -c blake3 -f jsonl -o m.jsonl t").code(0);
    t.run("convert m.jsonl SHA256SUMS -f sums").code(64).says("can't carry");
    t.run("convert m.jsonl SHA256SUMS -f sums --lossy").code(64).says("the name says sha256");
    t.run("convert m.jsonl B3SUMS -f sums --lossy").code(0);
    t.run("check B3SUMS").code(0);
    t.run("audit -k B3SUMS --update SHA256SUMS t").code(64).says("the name says sha256");
    assert!(!t.has("SHA256SUMS"));
});

case!(a_conversion_tells_what_it_loses, |t| {
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    let record =
        |path: &str, rest: &str| format!("{{\"path\":\"{path}\",\"size\":3,\"status\":\"hashed\",{rest}}}\n");
    // Neighbours of one path with different categories are two records.
    let crc = "352441c2";
    let both = record("a", &format!("\"md5\":\"{md5}\",\"category\":\"good\",\"set\":\"s\""))
        + &record("a", &format!("\"crc32\":\"{crc}\",\"category\":\"bad\",\"set\":\"t\""));
    t.file("two.jsonl", &both).run("convert two.jsonl two.csv").code(0);
    assert!(String::from_utf8(t.read("two.csv")).unwrap().contains("bad"));
    // Records without a digest that the format holds.
    let all = record("a", &format!("\"md5\":\"{md5}\"")) + &record("b", &format!("\"crc32\":\"{crc}\""));
    t.file("all.jsonl", all).run("convert all.jsonl out.sfv --lossy").code(0).says("left out: 1 record");
    // Times that Parquet has no place for.
    let old = record("a", &format!("\"md5\":\"{md5}\",\"mtime\":\"1600-01-01T00:00:00Z\""));
    t.file("old.jsonl", old).run("convert old.jsonl old.parquet").code(2).says("1677");
});

case!(a_name_with_a_backslash_is_not_another_path, |t| {
    t.file("a/b", "1").file("a\\b", "1").file("c", "c").run("hash -c sha256 -f bsd -o m.bsd .").code(0);
    t.run("hash -c sha256 -f jsonl -o m.jsonl a a\\b").code(0);
    t.shell("rm 'a\\b'").code(0);
    t.run("check m.jsonl").code(1).prints("FAILED open or read");
    t.run("audit -k m.jsonl").code(1).prints("matched: 1\n").prints("missing: 1\n");
});

case!(names_that_other_programs_change_are_tried_in_each_comparison, |t| {
    t.file("t/a\ta", "1").file("t/b\nc", "2").file("t/d", "3");
    let digest = |content: &str| crate::util::digest("sha256", content.as_bytes());
    let list = |last: &str| {
        let lines = [("t/a\u{2409}a", "1"), ("t/b\u{240a}c", "2"), ("t/d", last)];
        let lines = lines.map(|(name, content)| {
            format!("{{\"path\":{},\"sha256\":\"{}\",\"status\":\"hashed\"}}\n", json!(name), digest(content))
        });
        t.file("m.jsonl", lines.concat())
    };
    for command in ["check m.jsonl", "audit -k m.jsonl t", "audit -k m.jsonl", "diff m.jsonl t"] {
        list("3").run(command).code(0);
        list("x").run(command).code(1);
    }
    t.file("t/a\ta", "other");
    for command in ["check m.jsonl", "audit -k m.jsonl t", "audit -k m.jsonl", "diff m.jsonl t"] {
        list("3").run(command).code(1);
    }
});

case!(a_file_is_not_its_own_duplicate, |t| {
    t.file("t/a", "content").run("hash -o one t").code(0);
    t.run("hash -o two ./t/a").code(0);
    t.run("dupes --manifest one --manifest two").code(0).is("");
});
