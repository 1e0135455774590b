//! `hashmill audit`: every category, every kind of manifest.

use crate::case;
use crate::util::Place;
use hashmill_testing::all_installed;

fn known(t: &Place) -> &Place {
    t.file("tree/a", "aaa").file("tree/b", "bbb").file("tree/sub/c", "ccc");
    t.run("hash -c md5,sha256 -o known tree").code(0).quiet();
    t
}

case!(nothing_changed_passes, |t| {
    known(t).run("audit -k known tree").code(0).quiet().prints("audit passed\nmatched: 3\nchanged: 0\n");
    t.run("audit -k known").code(0).quiet().prints("matched: 3\n");
    t.run("audit -k known -v tree")
        .code(0)
        .prints("tree/a: matched\ntree/b: matched\ntree/sub/c: matched\naudit passed\n");
    t.run("audit --manifest known -q tree").code(0).quiet().is("");
    t.run("audit -k known --counts tree").code(0).is(t.run("audit -k known tree").stdout());
});

case!(what_is_not_as_it_should_be_comes_first, |t| {
    known(t).file("tree/zzz", "new").remove("tree/b");
    let usual = t.run("audit -k known tree").code(1);
    usual.is("tree/zzz: new\ntree/b: missing\naudit failed\n\
        matched: 2\nchanged: 0\nmoved: 0\ncopied: 0\nnew: 1\nmissing: 1\nunreadable: 0\n");
    let all = t.run("audit -v -k known tree").code(1);
    all.prints("tree/zzz: new\ntree/b: missing\ntree/a: matched\ntree/sub/c: matched\naudit failed\n");
    t.run("audit -q -k known tree").code(1).is("tree/zzz: new\ntree/b: missing\n");
    t.run("audit --counts -k known tree").code(1).prints("new: 1\n").prints("audit failed\nmatched: 2\n");
    t.run("audit -q -v -k known tree").code(64);
    // The same for programs, with the counts in the last line.
    let lines =
        t.run("audit -q -k known -f jsonl tree").code(1).stdout().split(|byte| *byte == b'\n').count();
    assert_eq!(lines, 4);
});

case!(programs_get_a_verdict_even_where_nothing_was_judged, |t| {
    known(t);
    let verdict = |command: &str, code: i32| {
        let document = t.run(command).code(code).json();
        (document["verdict"].as_str().unwrap_or_default().to_owned(), document["error"].clone())
    };
    for command in ["audit -k known tree", "check known", "diff known tree"] {
        assert_eq!(verdict(&format!("{command} -f json"), 0), ("passed".into(), serde_json::Value::Null));
    }
    for command in ["audit -k none tree", "check none", "diff none tree", "audit -k none -f jsonl tree"] {
        let format = if command.contains("jsonl") { "" } else { " -f json" };
        let (word, error) = verdict(&format!("{command}{format}"), 64);
        assert_eq!(word, "undecided", "{command}");
        let is_told =
            error.as_str().is_some_and(|said| said.starts_with("none: ") && !said.contains("os error"));
        assert!(is_told || command.starts_with("check"), "{command}: {error}");
    }
    t.file("tree/b", "changed");
    for command in ["audit -k known tree", "check known", "diff known tree"] {
        assert_eq!(verdict(&format!("{command} -f json"), 1).0, "failed", "{command}");
    }
});

case!(programs_get_a_line_for_each_entry, |t| {
    known(t).remove("tree/b");
    let ran = t.run("audit -k known -f jsonl tree").code(1);
    let lines: Vec<serde_json::Value> = ran
        .stdout()
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines.iter().filter(|line| line["category"] == "matched").count(), 2);
    assert_eq!(lines[3]["counts"]["missing"], 1);
});

case!(every_category_is_counted_and_listed, |t| {
    known(t).file("tree/d", "ddd").file("tree/e", "eee").run("hash -c md5,sha256 -o known tree").code(0);
    t.file("tree/b", "changed").rename("tree/sub/c", "tree/sub/moved").remove("tree/d");
    t.file("tree/new", "new").file("tree/copy", "aaa");
    let ran = t.run("audit -k known -v tree").code(1).quiet();
    let ran = ran.prints("tree/b: changed\n").prints("tree/new: new\n").prints("tree/d: missing\n");
    let ran = ran.prints("tree/copy: copied from tree/a\n").prints("tree/sub/moved: moved from tree/sub/c\n");
    ran.prints(
        "audit failed\nmatched: 2\nchanged: 1\nmoved: 1\ncopied: 1\nnew: 1\nmissing: 1\nunreadable: 0\n",
    );
});

case!(json_has_counts_and_entries, |t| {
    known(t).file(b"tree/\xff", "new").rename("tree/a", "tree/z").remove("tree/b");
    let json = t.run("audit -k known --format json tree").code(1).json();
    assert_eq!(json["counts"]["matched"], 1);
    assert_eq!(json["counts"]["moved"], 1);
    let entries = json["entries"].as_array().unwrap();
    let of = |category: &str| entries.iter().find(|entry| entry["category"] == category).unwrap();
    assert_eq!((&of("moved")["path"], &of("moved")["known_path"]), (&"tree/z".into(), &"tree/a".into()));
    assert_eq!((&of("new")["path_b64"], &of("new")["status"]), (&"dHJlZS//".into(), &"hashed".into()));
    assert_eq!(of("missing")["status"], serde_json::Value::Null);
});

case!(without_a_path_only_what_is_known_is_looked_at, |t| {
    known(t).file("tree/new", "new").remove("tree/b");
    t.run("audit -k known -v")
        .code(1)
        .prints("tree/b: missing\n")
        .prints("new: not looked for\nmissing: 1\n");
    t.run("audit -k known --include *.c").code(64).says("PATH");
});

case!(manifests_of_every_format_are_understood, |t| {
    t.odd_names();
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        t.run(&format!("hash -c sha1 -f {format} -o known tree")).code(0);
        t.run("audit -k known tree").code(0).quiet_about("WARNING").prints("new: 0\nmissing: 0\n");
        t.run("audit -k known").code(0).quiet_about("WARNING");
    }
});

case!(several_manifests_with_different_algorithms_work_together, |t| {
    t.file("tree/a", "1").file("tree/b", "2").file("tree/c", "3");
    t.run("hash -c md5 -o one tree/a").code(0);
    t.run("hash -c sha256,crc32 -f jsonl -o two tree/b tree/c").code(0);
    t.run("audit -k one -k two tree").code(0).quiet().prints("matched: 3\n");
    t.file("tree/b", "changed").rename("tree/a", "tree/z");
    t.run("audit -k one -k two -v tree").code(1).prints("b: changed\n").prints("z: moved from tree/a\n");
});

case!(a_manifest_from_windows_is_understood, |t| {
    known(t);
    let text = String::from_utf8(t.read("known")).unwrap();
    let lines = text.lines().map(|line| match line.starts_with('%') {
        true => line.to_string(),
        false => line
            .to_uppercase()
            .replace("TREE", "tree")
            .replace("/A", "\\a")
            .replace("/B", "\\b")
            .replace("/SUB/C", "\\sub\\c"),
    });
    t.file("known", lines.collect::<Vec<_>>().join("\r\n") + "\r\n");
    t.run("audit -k known tree").code(0).quiet().prints("matched: 3\n");
});

case!(relative_and_absolute_paths_meet, |t| {
    known(t);
    let absolute = t.path("tree").into_os_string().into_string().unwrap();
    t.run(&format!("audit -k known {absolute}")).code(0).quiet().prints("matched: 3\n");
    t.run(&format!("hash -o known {absolute}")).code(0);
    t.run("audit -k known tree").code(0).prints("matched: 3\n");
    t.run("audit -k known ./tree/").code(0).prints("matched: 3\n");
    t.rename("tree", "copy").run("audit -k known copy").code(0).prints("matched: 3\n");
});

case!(an_update_is_the_next_manifest, |t| {
    known(t).file("tree/b", "changed").file("tree/new", "new").remove("tree/a");
    t.run("audit -k known --update next tree").code(1).quiet();
    t.run("hash -c md5,sha256 -o fresh tree").code(0);
    assert_eq!(t.read("next"), t.read("fresh"));
    t.run("audit -k known --update known tree").code(1);
    t.run("audit -k known tree").code(0).prints("matched: 3\n");
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(manifest_and_update_are_left_out_of_the_walk, |t| {
    t.file("a", "1").run("hash -o known .").code(0);
    t.run("audit -k known .").code(0).prints("new: 0\n");
    t.run("audit -k known --update known .").code(0).prints("new: 0\n");
    t.run("audit -k known .").code(0).prints("matched: 1\n");
});

case!(pieces_are_compared_too, |t| {
    t.file("f", "0123456789").run("hash -p 4 -o known f").code(0);
    t.run("audit -k known f").code(0).quiet().prints("matched: 4\n");
    t.file("f", "0123x56789")
        .run("audit -k known -v f")
        .code(1)
        .prints("f bytes 4 to 8: changed\n")
        .prints("changed: 2\n");
});

case!(a_malformed_manifest_cannot_pass, |t| {
    known(t);
    let mut text = t.read("known");
    text.extend_from_slice(b"12,nonsense\n");
    t.file("known", text).run("audit -k known tree").code(2).prints("matched: 3\n").says("known: line 6: ");
    t.file("empty", "").run("audit -k empty tree").code(64).says("empty: is empty");
    t.run("audit -k nosuch tree").code(64).says("nosuch: cannot open");
});

case!(missing_operands_are_missing_files, |t| {
    known(t).remove("tree/b");
    t.run("audit -k known -v tree/a tree/b tree/sub").code(1).prints("tree/b: missing\n");
    t.run("audit -k known tree nosuch").code(2).says("nosuch: is not there, and no manifest names it");
    t.rename("tree/sub", "sub")
        .run("audit -k known tree/a tree/sub")
        .code(1)
        .prints("missing: 1\n")
        .prints("not compared: 1 (");
});

case!(what_filters_leave_out_is_not_missing, |t| {
    known(t).run("audit -k known --exclude sub tree").code(0).prints("matched: 2\n").prints("missing: 0\n");
    t.run("audit -k known --include a tree").code(0).prints("matched: 1\n").prints("missing: 0\n");
    // Where the list has other paths than the walk, a directory is as little entered.
    let list = String::from_utf8(t.run("hash -c sha256 -f sums tree").code(0).stdout().to_vec()).unwrap();
    for root in ["", "./"] {
        t.file("list", list.replace("  tree/", &format!("  {root}")));
        for filter in ["--exclude=sub", "--exclude=sub/", "--max-depth=1"] {
            for folder in ["tree", "./tree", "tree/"] {
                let ran = t.run(&format!("audit -c sha256 -k list {filter} {folder}")).code(0);
                ran.prints("matched: 2\n").prints("missing: 0\n").prints("not compared: 1 (1 by filters");
            }
        }
    }
});

case!(untagged_digests_are_learnt, |t| {
    t.file("tree/a", "1").file("tree/b", "2").run("hash -c sha3-256 -f sums -o known tree").code(0);
    t.run("audit -k known tree").code(0).prints("matched: 2\n");
    t.rename("tree", "other").run("audit -k known other").code(0).prints("matched: 2\n");
});

case!(hashdeep_agrees, |t| {
    if t.other("hashdeep", "-V").is_none() {
        return;
    }
    for name in ["a", "b c", "comma,s", "q\"", "gr\u{f6}\u{df}e"] {
        t.file(format!("tree/{name}"), name);
    }
    t.shell("hashdeep -r -l tree > known").code(0);
    t.run("audit -k known tree").code(0).quiet().prints("matched: 5\n");
    t.run("hash -c md5,sha256 -o ours tree").code(0);
    t.shell("hashdeep -a -k ours -r -l tree").code(0).prints("Audit passed");
});

case!(files_with_unsupported_digests_only_never_match, |t| {
    let md2 = "8291db6af45a90d1f945751cb095f193";
    t.file("a", "hi\n").file("b", "hi\n").run("hash -c sha256 -f bsd -o known b").code(0);
    let with = |names: &[&str]| {
        let lines: String = names.iter().map(|name| format!("MD2 ({name}) = {md2}\n")).collect();
        t.file("list", [t.read("known"), lines.into_bytes()].concat());
    };
    with(&["a"]);
    let ran = t.run("audit -k list a b").code(2).says("does not have MD2").says("a: not compared");
    ran.prints("audit failed\nmatched: 1\nchanged: 0\nmoved: 0\ncopied: 0\nnew: 0\nmissing: 0\n")
        .prints("unsupported: 1\n");
    let json = t.run("audit -k list --format json").code(2).json();
    assert_eq!((&json["counts"]["unsupported"], &json["counts"]["matched"]), (&1.into(), &1.into()));
    let words: Vec<_> = json["entries"].as_array().unwrap().iter().map(|entry| &entry["category"]).collect();
    assert_eq!(words, ["matched", "unsupported"]);
    // One that is not there is missing. Another digest of the same file is not all that the list says of it.
    with(&["gone"]);
    t.run("audit -k list").code(1).prints("missing: 1\n");
    with(&["b"]);
    t.run("audit -k list").code(2).prints("audit failed\n").prints("partly-verified: 1\n");
    t.run("check list").code(2);
    t.file("only", format!("MD2 (a) = {md2}\n"));
    t.run("audit -k only").code(2).prints("audit failed\nmatched: 0\n").prints("unsupported: 1\n");
    t.run("audit -k only a b").code(2).prints("new: 1\n");
    // If only the length shows the algorithm, the message lists the algorithms that were tried.
    t.file("plain", format!("{md2}  a\n")).run("audit -k plain a").code(1).says("lacks (MD2");
});

case!(pieces_of_an_empty_file_are_as_hashdeep_has_them, |t| {
    t.file("tree/abc", "abc").file("tree/long", "hello world").file("tree/empty", "");
    let list = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n\
        0,d41d8cd98f00b204e9800998ecf8427e,tree/empty offset 0-0\n\
        3,900150983cd24fb0d6963f7d28e17f72,tree/abc offset 0-2\n";
    t.file("own", list)
        .remove("tree/long")
        .run("audit -k own tree")
        .code(0)
        .quiet()
        .prints("matched: 2\nchanged: 0\n");
    t.run("audit -k own").code(0).quiet();
    t.file("tree/empty", "x").run("audit -k own tree").code(1).prints("changed: 1\n");
    t.file("tree/empty", "")
        .file("tree/abc", "")
        .run("audit -k own tree")
        .code(1)
        .prints("matched: 1\nchanged: 1\n");
    t.file("tree/abc", "abc").file("tree/other", "").run("audit -k own -v tree").code(1).prints("tree/other");
    t.remove("tree/other").remove("tree/empty").run("audit -k own tree").code(1).prints("missing: 1\n");
    // The digest of that piece counts, too.
    t.file("tree/empty", "").file("own", list.replace("d41d8", "d41d9")).run("audit -k own tree").code(1);
    t.file("tree/long", "hello world");
    for options in ["-p 4 -c md5", "-d -p 4 -c md5", "-d -c md5,sha256"] {
        if t.other("hashdeep", "-V").is_some() {
            t.shell(&format!("cd tree; hashdeep -l -j0 {options} abc empty long > ../known")).code(0);
            t.run("audit -k known tree").code(0).quiet().prints("audit passed\n");
            t.file("tree/empty", "x").run("audit -k known tree").code(1);
            t.file("tree/empty", "").file("known", "");
        }
    }
});

case!(an_empty_file_in_what_fiwalk_writes_is_known, |t| {
    t.file("tree/abc", "abc").file("tree/empty", "");
    let make = "truncate -s 1M fs.img && mke2fs -q -F -d tree fs.img && fiwalk -X known.xml fs.img";
    if !all_installed(&["mke2fs", "fiwalk"]) {
        return;
    }
    t.shell(make).code(0);
    t.run("audit -k known.xml tree").code(0).quiet().prints("audit passed\nmatched: 2\n");
    t.file("tree/empty", "x").run("audit -k known.xml tree").code(1).prints("changed: 1\n");
});

/// Three files, and a manifest of them.
fn films(t: &Place) -> &Place {
    t.file("t/a.jpg", "a").file("t/b.jpg", "b").file("t/c.mov", "c").file("t/2005/d.jpg", "d");
    t.run("hash -o m t").code(0);
    t
}

case!(what_filters_leave_out_is_counted, |t| {
    films(t).file("t/c.mov", "corrupt");
    t.run("audit -k m t").code(1).prints("t/c.mov: changed");
    let ran = t.run("audit -k m --exclude *.mov t").code(0).prints("audit passed\nmatched: 3\n");
    ran.prints("not compared: 1 (1 by filters: --exclude *.mov (typed))\n");
    t.run("audit -k m --exclude *.mov -f json t").code(0).prints("\"not_compared\":1}");
    // Files in a folder that is left out count as well.
    t.run("audit -k m --exclude 2005 --exclude *.mov t")
        .code(0)
        .prints("matched: 2\n")
        .prints("not compared: 2 (");
    // Nothing was compared.
    t.run("audit -k m --include *.JPG t")
        .code(2)
        .prints("audit failed\nmatched: 0\n")
        .says("nothing was compared");
    t.run("audit -k m --include *.JPG -f json t").code(2).prints("\"not_compared\":4}");
});

case!(filters_of_settings_are_not_those_of_comparisons, |t| {
    films(t).file("t/c.mov", "corrupt").file("config.toml", "exclude = [\"*.mov\"]\n");
    let with = |set: &str, args: &str| t.shell(&format!("{set} $hashmill {args}"));
    let file = "HASHMILL_CONFIG=config.toml";
    for set in [file, "HASHMILL_CONFIG= HASHMILL_EXCLUDE=*.mov"] {
        with(set, "hash t").code(0).quiet_about("c.mov");
        with(set, "audit -k m t").code(1).prints("t/c.mov: changed");
        with(set, "diff m t").code(1).prints("c.mov: changed");
    }
    t.file("config.toml", "[audit]\nexclude = [\"*.mov\"]\n");
    with(file, "audit -k m t")
        .code(0)
        .prints("not compared: 1 (1 by filters: --exclude *.mov (config.toml))\n");
    with(file, "diff m t").code(1).prints("c.mov: changed");
    with("HASHMILL_CONFIG= HASHMILL_AUDIT_EXCLUDE=*.mov", "audit -k m t")
        .code(0)
        .prints("(1 by filters: --exclude *.mov (HASHMILL_AUDIT_EXCLUDE))");
    // Undone by typing.
    with(file, "audit -k m --exclude none t").code(1).prints("t/c.mov: changed");
});

case!(an_audit_of_listed_files_looks_for_no_others, |t| {
    films(t).file("t/new", "new").rename("t/a.jpg", "t/moved.jpg");
    let ran = t.run("audit -k m").code(1).prints("t/a.jpg: missing\n").prints("moved: not looked for\n");
    ran.prints("copied: not looked for\nnew: not looked for\n");
    t.run("audit -k m -f json").code(1).prints("\"not_looked_for\":[\"moved\",\"copied\",\"new\"]");
    t.run("audit -k m t").code(1).prints("t/moved.jpg: moved from t/a.jpg\n").prints("new: 1\n");
});

case!(a_part_of_a_manifest_is_audited, |t| {
    films(t);
    let told = "not compared: 3 (3 elsewhere than what was named)\n";
    for part in ["t/2005", "./t/2005/", "t/2005/d.jpg"] {
        t.run(&format!("audit -k m {part}"))
            .code(0)
            .prints("matched: 1\n")
            .prints("missing: 0\n")
            .prints(told);
    }
    let whole = t.path("t").display().to_string();
    t.run(&format!("audit -k m {whole}")).code(0).prints("matched: 4\n");
    t.run(&format!("audit -k m {whole}/2005")).code(0).prints("matched: 1\n").prints(told);
    // The audit did not look whether the original still exists.
    t.rename("t/a.jpg", "t/2005/a.jpg");
    t.run("audit -k m t/2005").code(1).prints("t/2005/a.jpg: copied from t/a.jpg\n").prints(told);
    // One that is gone is a part, too.
    t.shell("rm -r t/2005").code(0);
    t.run("audit -k m t/2005").code(1).prints("missing: 1\n").prints(told);
    // Where the operand is no name of the manifest's, it stands for all of it, whatever lies there.
    t.file("else/d.jpg", "d");
    t.run("audit -k m else").code(1).prints("missing: 3\n");
});

case!(a_file_without_a_digest_is_known_all_the_same, |t| {
    t.file("t/a", "a");
    let a = String::from_utf8(t.run("hash -f jsonl t/a").code(0).stdout().to_vec()).unwrap();
    t.file("m", format!("{{\"path\":\"t/u\",\"status\":\"unreadable\"}}\n{a}"));
    t.run("audit -k m t").code(1).prints("t/u: missing\n");
    t.run("audit -k m").code(1).prints("t/u: missing\n");
    t.file("t/u", "u").run("audit -k m t").code(2).prints("new: 0\n").says("t/u: not compared");
    t.file("sums.md5", format!("{}  t/a\n{}  t/gone\n", "0cc175b9c0f1b6a831c399e269772661", " ".repeat(32)));
    t.run("audit -k sums.md5 t/a t/gone").code(1).prints("t/gone: missing\n").prints("matched: 1\n");
    t.run("audit -k sums.md5").code(1).prints("t/gone: missing\n");
});

case!(a_link_in_the_place_of_a_file_is_no_file, |t| {
    films(t).rename("t/a.jpg", "kept.jpg").link("t/a.jpg", "../kept.jpg");
    t.run("audit -k m t").code(1).prints("t/a.jpg: missing\n");
    t.run("diff m t").code(1).prints("a.jpg: missing\n");
    t.run("audit -k m t --follow").code(0);
    t.remove("t/a.jpg").fifo("t/a.jpg").run("audit -k m t").code(1).prints("t/a.jpg: missing\n");
});

// A list of lines has no place for them, so nothing tells which are new: they are counted.
case!(links_and_the_like_that_were_added_are_new, |t| {
    t.file("tree/a", "1").link("tree/old", "a");
    for format in ["jsonl", "csv", "sqlite", "dfxml"] {
        t.run(&format!("hash -f {format} -o known-{format} tree")).code(0);
        t.run(&format!("audit -k known-{format} tree")).code(0).prints("new: 0");
    }
    t.run("hash -f sums -o sums tree").code(0);
    t.link("tree/new", "a").fifo("tree/fifo");
    t.run("check --new known-jsonl")
        .code(1)
        .prints("tree/fifo: NEW")
        .says("tree/fifo: FIFO")
        .prints("tree/new: NEW");
    t.run("check --new sums").code(0);
    for format in ["jsonl", "csv", "sqlite", "dfxml"] {
        let ran = t.run(&format!("audit -k known-{format} tree")).code(1).prints("new: 2");
        ran.prints("tree/fifo: new").says("tree/fifo: FIFO").says("tree/new: symbolic link");
        t.shell(&format!("cd tree && $hashmill audit -k ../known-{format} .")).code(1).prints("new: 2");
    }
    let json = t.run("audit -f json -k known-jsonl tree").code(1).json();
    let entries = json["entries"].as_array().unwrap();
    let link = entries.iter().find(|entry| entry["path"] == "tree/new").unwrap();
    assert_eq!((&link["category"], &link["status"]), (&"new".into(), &"skipped".into()), "{link}");
    // The next manifest has them.
    t.run("audit -k known-jsonl --update next tree").code(1);
    t.run("audit -k next tree").code(0).prints("new: 0");
    let ran = t.run("audit -v -k sums tree").code(0).prints("no bytes: 3 (links, FIFOs and the like");
    ran.says("tree/fifo: FIFO").says("tree/new: symbolic link");
    let json = t.run("audit -f json -k sums tree").code(0).json();
    assert_eq!(json["account"]["entries"]["no_bytes"], 3);
});
