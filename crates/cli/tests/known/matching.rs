//! Files hashed and classified in one pass, and manifests.

use crate::case;
use crate::util::Place;

/// `tree` has one good, one bad, one unknown file, and one of a category of the user's.
fn tree(t: &Place) {
    for name in ["good", "bad", "mine", "new"] {
        t.file(format!("tree/{name}"), name);
    }
    for (name, algorithm) in [("good", "md5"), ("bad", "sha256"), ("mine", "md5")] {
        t.run(&format!("hash -c {algorithm} -f sums -o {name}.{algorithm} tree/{name}")).code(0);
    }
    t.run("known build -o s.hmk --good good.md5 --bad bad.sha256 --as mine mine.md5").code(0).quiet();
}

fn names(text: &[u8]) -> Vec<(String, String, String)> {
    let records = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    records
        .map(|line| {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap();
            let text = |key: &str| record[key].as_str().unwrap_or_default().to_string();
            (text("path").replace("tree/", ""), text("category"), text("set"))
        })
        .collect()
}

fn row(name: &str, category: &str, set: &str) -> (String, String, String) {
    (name.into(), category.into(), set.into())
}

case!(known_good_is_left_out_and_bad_shows_in_the_code, |t| {
    tree(t);
    let ran = t
        .run("known match --known-set s.hmk tree")
        .code(1)
        .says("looked up: 1 bad, 1 good, 1 mine, 1 unknown")
        .prints("\"md5\":")
        .prints("\"sha256\":");
    let all = [row("bad", "bad", "bad"), row("mine", "mine", "mine"), row("new", "unknown", "")];
    assert_eq!(names(ran.stdout()), all);
    let shown = |show: &str, code| {
        names(t.run(&format!("known match --known-set s.hmk {show} tree")).code(code).stdout())
    };
    assert_eq!(shown("--show good,mine", 1), [row("good", "good", "good"), row("mine", "mine", "mine")]);
    assert_eq!(shown("--show unknown", 1), [row("new", "unknown", "")]);
    assert_eq!(shown("--only-unknown", 1), shown("--show unknown", 1));
    assert_eq!(shown("--show all", 1).len(), 4);
    assert_eq!(shown("--exclude bad", 0), [row("mine", "mine", "mine"), row("new", "unknown", "")]);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(several_sets_are_asked_together, |t| {
    tree(t);
    t.run("hash -c sha1 -f sums -o new.sha1 tree/new tree/good").code(0);
    t.run("known build -o t.hmk --bad new.sha1").code(0);
    let ran = t.run("known match --known-set s.hmk -k t.hmk --show bad tree").code(1);
    assert_eq!(
        names(ran.stdout()),
        ["bad", "good", "new"].map(|n| row(n, "bad", if n == "bad" { n } else { "new" }))
    );
});

case!(unreadable_files_are_always_shown, |t| {
    tree(t);
    t.run("known match --known-set s.hmk --only-unknown tree nosuch")
        .code(2)
        .says("nosuch")
        .prints("\"status\":\"unreadable\"");
});

case!(what_no_set_could_find_is_refused, |t| {
    tree(t);
    t.run("hash --known-set s.hmk -f jsonl tree")
        .code(64)
        .says("s.hmk: has digests of md5, sha256 only; choose");
    t.run("known match --known-set s.hmk -c sha1 tree").code(64).says("choose among them by -c");
    t.run("hash --known-set s.hmk -c md5 tree")
        .code(64)
        .says("the format hashdeep has no place for categories");
    t.run("known match --known-set s.hmk -f sums --show good tree").code(64).says("--only-unknown");
    t.run("known match tree").code(64).says("--known-set");
    t.run("hash --exclude-type x tree").code(64).says("--known-set");
    t.run("known match --known-set nosuch.hmk tree").code(64).says("nosuch.hmk: cannot open");
    t.run("known match --known-set s.hmk --manifest m tree").code(64).says("--manifest");
});

case!(hash_writes_what_is_known_and_reads_it_back, |t| {
    tree(t);
    for format in ["jsonl", "csv"] {
        t.run(&format!("hash --known-set s.hmk -c md5,sha256 -f {format} -o all.{format} tree"))
            .code(0)
            .quiet();
        let ran = t
            .run(&format!("known match --known-set s.hmk --show all -f jsonl --manifest all.{format}"))
            .code(1);
        let all = [("bad", "bad"), ("good", "good"), ("mine", "mine"), ("new", "unknown")];
        assert_eq!(names(ran.stdout()), all.map(|(n, c)| row(n, c, if n == "new" { "" } else { n })));
        t.run(&format!("audit -k all.{format} tree")).code(0);
    }
    let csv = String::from_utf8(t.read("all.csv")).unwrap();
    assert!(csv.starts_with("path,path_b64,size,status,reason,md5,sha256,category,set\r\n"), "{csv}");
    assert!(csv.contains(",bad,bad\r\n") && csv.contains(",unknown,\r\n"), "{csv}");
});

case!(threads_and_batches_change_nothing, |t| {
    tree(t);
    for number in 0..700 {
        t.file(
            format!("tree/many/{number:04}"),
            if number % 3 == 0 { "bad".to_string() } else { format!("{number}") },
        );
    }
    let wanted = t.run("hash --known-set s.hmk -c sha256 -f jsonl -j 1 tree").code(0);
    let rows = names(wanted.stdout());
    assert_eq!(rows.iter().filter(|row| row.1 == "bad").count(), 235);
    assert_eq!(rows.iter().filter(|row| row.1 == "unknown").count(), 469);
    t.run("hash --known-set s.hmk -c sha256 -f jsonl -j 4 -o out tree").code(0);
    assert_eq!(t.read("out"), wanted.stdout());
    let plain = t.run("hash -c sha256 -f jsonl tree").code(0);
    assert_eq!(names(plain.stdout()).len(), rows.len());
});

case!(a_manifest_shrinks_to_what_is_unknown, |t| {
    tree(t);
    for (format, more) in
        [("hashdeep", ""), ("sums", ""), ("bsd", ""), ("dfxml", ""), ("jsonl", " --times"), ("csv", "")]
    {
        t.run(&format!("hash -c md5 -f {format} -o all{more} tree")).code(0);
        t.run("known match --known-set s.hmk --only-unknown --manifest all -o left").code(0);
        t.run("audit -k left tree/new tree/bad").code(0);
        let left = String::from_utf8_lossy(&t.read("left")).into_owned();
        assert!(left.contains("tree/new") && left.contains("tree/bad"), "{format}: {left}");
        assert!(!left.contains("tree/good") && !left.contains("tree/mine"), "{format}: {left}");
    }
    t.feed("known match --known-set s.hmk --manifest -", t.read("all")).code(0).prints("tree/mine");
    t.run("known match --known-set s.hmk --manifest nosuch").code(64).says("nosuch: cannot open");
    let broken = [t.read("all").as_slice(), b"tree/x,,3,hashed,,zz\r\n"].concat();
    t.file("all", broken).run("known match --known-set s.hmk --manifest all").code(2).says("all: line 6");
    t.run("hash -c md5 -p 2 -o all --force tree/new").code(0);
    t.run("known match --known-set s.hmk --manifest all")
        .code(0)
        .says("records of pieces are left out")
        .prints("tree/new");
});

case!(a_resumed_run_needs_the_same_sets, |t| {
    tree(t);
    t.run("hash --known-set s.hmk -c md5 -f jsonl -o out tree").code(0);
    let whole = t.read("out");
    let first = whole.split_inclusive(|byte| *byte == b'\n').next().unwrap();
    let run = |set: &str| {
        t.shell(&format!("cd . && $hashmill hash --known-set {set} -c md5 -f jsonl -o out --resume tree"))
    };
    // The remains of a killed run: its options, and the records so far.
    t.shell("$hashmill hash --known-set s.hmk -c md5 -f jsonl -o out tree & sleep 0; wait").code(0);
    t.fifo("pipe");
    let mut child = t.command("hash --known-set s.hmk -c md5 -f jsonl -o out tree pipe").spawn().unwrap();
    // There, and whole: it is made before it is written.
    while !t.has(".out.hashmill-run") || !t.read(".out.hashmill-run").ends_with(b"\n") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    t.file(".out.hashmill-partial", first);
    t.run("known build -o t.hmk --good bad.sha256 good.md5").code(0);
    run("t.hmk").code(64).says("can't go on");
    run("s.hmk").code(0);
    assert_eq!(t.read("out"), whole);
});

case!(an_audit_says_what_new_and_changed_files_are_known_as, |t| {
    tree(t);
    t.run("hash -c md5,sha256 -o all tree").code(0);
    t.file("tree/x", "bad")
        .file("tree/new", "mine")
        .file("tree/y", "zzz")
        .remove("tree/bad")
        .remove("tree/mine");
    t.run("hash -c sha256 -f sums -o y.sha256 tree/y").code(0);
    t.run("known build -o y.hmk --bad y.sha256").code(0);
    t.run("audit -v -k all --known-set s.hmk --known-set y.hmk tree")
        .code(1)
        .prints("tree/new: changed, known mine in mine\n")
        .prints("tree/y: new, known bad in y\n")
        .prints("tree/x: moved from tree/bad\n");
    let json = t.run("audit --format json -k all --known-set y.hmk tree").code(1).json();
    let entry = |path: &str| {
        json["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == path).unwrap().clone()
    };
    assert_eq!(
        (&entry("tree/y")["known_category"], &entry("tree/y")["known_set"]),
        (&"bad".into(), &"y".into())
    );
    assert_eq!(entry("tree/new")["known_category"], "unknown");
    assert!(entry("tree/good")["known_category"].is_null());
    t.run("hash -c sha1 -o all tree").code(0);
    t.run("audit -k all --known-set s.hmk tree")
        .code(64)
        .says("--known-set")
        .says("has digests of md5, sha256 only");
    t.run("audit -k all --known-set all tree").code(64).says("all: is not an index of known digests");
});

case!(a_record_that_one_of_several_sets_can_not_have_is_told, |t| {
    t.file("tree/bad", "bad").file("tree/other", "other");
    for (name, algorithm, file) in [("bad", "sha1", "tree/bad"), ("other", "md5", "tree/other")] {
        t.run(&format!("hash -c {algorithm} -f jsonl -o {name}.list {file}")).code(0);
        t.run(&format!("known build -o {name}.hmk --bad {name}.list")).code(0);
    }
    let sets = "known match -k bad.hmk -k other.hmk --show bad";
    t.run("hash -c md5 -f jsonl -o md5 tree/bad").code(0);
    t.run(&format!("{sets} --manifest md5")).code(64).says("bad.hmk: has digests of sha1 only");
    // Only the first record has digests by both.
    t.run("hash -c md5,sha1 -f jsonl -o both tree/other").code(0);
    t.file("mixed", [t.read("both"), t.read("md5")].concat());
    t.run(&format!("{sets} --manifest mixed")).code(2).says("1 record was not looked up in every set");
    t.run("hash -c md5,sha1 -f jsonl -o both tree").code(0);
    t.run(&format!("{sets} --manifest both")).code(1).says("2 records looked up: 2 bad");
});

case!(entries_that_no_computed_digest_finds_are_told, |t| {
    t.file("tree/a", "abc").file("tree/b", "def");
    t.run("hash -c md5 -f sums -o md5 tree/a").code(0);
    t.run("hash -c sha1 -f sums -o sha1 tree/b").code(0);
    t.run("known build -o set.hmk --bad md5 --bad sha1").code(0);
    t.run("known match -k set.hmk tree").code(1);
    t.run("known match -k set.hmk -c md5 tree/b")
        .code(2)
        .says("set.hmk: 1 of 2 entries have no digest that was computed");
    t.run("known match -k set.hmk -c sha1 tree/b").code(2).prints("bad");
    t.run("known match -k set.hmk -c md5,sha1 tree/b").code(1);
});
