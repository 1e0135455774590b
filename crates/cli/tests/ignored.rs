//! Files that walks skip: by ignore files, by depth, by globs from the root.

use crate::case;
use crate::util::{Place, installed};
use std::process::Command;

fn tree(t: &Place) -> &Place {
    for name in [
        "a.c",
        "a.o",
        "keep.o",
        "sub/b.o",
        "sub/b.c",
        "sub/deep/c.c",
        "out/x",
        "out/y",
        "{a,b}",
        "[x]",
        "d e",
    ] {
        t.file(format!("tree/{name}"), name);
    }
    t
}

/// Returns the paths that are hashed.
fn hashed(t: &Place, args: &str) -> Vec<String> {
    let ran = t.run(&format!("hash -f sums -c md5 {args}")).code(0);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    text.lines()
        .map(|line| line.split_once("  ").unwrap().1.trim_start_matches("tree/").to_string())
        .collect()
}

case!(files_of_rules_count_only_where_they_are_asked_for, |t| {
    tree(t).file("tree/.hashignore", "*.o\n!keep.o\nout/\n").file("tree/sub/.hashignore", "!b.o\ndeep");
    assert_eq!(hashed(t, "tree").len(), 13, "who fills a tree does not decide what is hashed of it");
    let wanted =
        [".hashignore", "[x]", "a.c", "d e", "keep.o", "sub/.hashignore", "sub/b.c", "sub/b.o", "{a,b}"];
    assert_eq!(hashed(t, "--hashignore tree"), wanted);
    // Skipped files are reported, even if the format can't record them.
    t.run("hash -f sums -c md5 --hashignore tree").says("3 entries skipped: 3 x left out by an ignore file");
    t.run("hash -f jsonl --hashignore tree").prints("\"path\":\"tree/out\"").prints("\"reason\":\"ignored\"");
    t.run("hash -o m.jsonl -f jsonl tree").code(0);
    t.run("audit -k m.jsonl --hashignore tree").code(0).prints("matched: 9\n").prints("missing: 0\n");
});

case!(git_and_hashmill_leave_out_the_same, |t| {
    let Some(git) = installed("git") else { return };
    let rules = [
        "*.o\n!keep.o\n",
        "/sub\n",
        "sub/*.c\n",
        "**/b.*\n!b.c\n",
        "out/*\n!out/x\n",
        "out\n!out/x\n",
        "{a,b}\n",
        "\\[x]\n",
        "[ab].[!o]\n",
        "[^a].o\nd\\ e  \n",
        "sub/**/c.c\n",
        "sub/**\n!sub/b.c\n",
        "*\n!*/\n!*.c\n",
        "#a.c\n\n\r\na.c\r\n",
        "?.o\nde*\n",
        "/*.c\n/*/*.o\n",
        "a.c/\nsub/\n!sub/b.c\n",
    ];
    tree(t);
    assert!(
        Command::new(&git).args(["init", "-q", "tree"]).current_dir(t.path("")).status().unwrap().success()
    );
    for (number, text) in rules.iter().enumerate() {
        t.file("tree/.gitignore", text);
        t.file("tree/sub/.gitignore", if number % 2 == 0 { "" } else { "!b.o\n" });
        let list = Command::new(&git)
            .args(["-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard"])
            .current_dir(t.path("tree"))
            .output()
            .unwrap();
        let mut wanted: Vec<String> = String::from_utf8(list.stdout)
            .unwrap()
            .lines()
            .map(|line| line.trim_matches('"').to_string())
            .collect();
        wanted.sort();
        let mut found = hashed(t, "--gitignore tree");
        found.sort();
        assert_eq!(found, wanted, "{text:?}");
    }
});

case!(patterns_of_a_file_hold_from_the_operand_down, |t| {
    tree(t).file("patterns", "*.o\n/sub/deep\n!keep.o\n");
    let wanted = ["[x]", "a.c", "d e", "keep.o", "out/x", "out/y", "sub/b.c", "{a,b}"];
    assert_eq!(hashed(t, "--exclude-from patterns tree"), wanted);
    t.run("hash --exclude-from nosuch tree").code(64).says("--exclude-from: nosuch: cannot read");
    t.run("audit -k patterns --exclude-from patterns").code(64).says("filters need a PATH");
});

case!(a_walk_goes_no_deeper_than_it_is_told, |t| {
    tree(t);
    let top = ["[x]", "a.c", "a.o", "d e", "keep.o", "{a,b}"];
    assert_eq!(hashed(t, "--no-recursion tree"), top);
    assert_eq!(hashed(t, "--max-depth 1 tree"), top);
    assert_eq!(hashed(t, "--max-depth 2 tree").len(), 10);
    assert_eq!(hashed(t, "--max-depth 0 tree tree/a.c"), ["a.c"]);
    assert_eq!(hashed(t, "--no-recursion -r tree").len(), 11);
    t.run("hash --no-recursion --max-depth 3 tree").code(64);
});

case!(a_glob_from_the_root_leaves_out_what_it_names, |t| {
    tree(t);
    let here = t.path("tree").canonicalize().unwrap().display().to_string();
    for (operand, folder) in
        [("tree", ""), ("./tree", ""), (here.as_str(), ""), (".", "cd tree; "), ("../tree", "cd tree; ")]
    {
        let ran = t.shell(&format!(
            "{folder}$hashmill hash -f sums --exclude '{here}/sub' --exclude '{here}/*.o' {operand}"
        ));
        let text = String::from_utf8(ran.code(0).stdout().to_vec()).unwrap();
        assert_eq!(text.lines().count(), 6, "{operand}: {text}");
    }
});

case!(what_would_be_hashed_is_listed_without_being_read, |t| {
    tree(t).file("tree/.hashignore", "*.o").link("tree/link", "a.c").file(b"tree/new\nline", "");
    std::fs::set_permissions(t.path("tree/a.c"), std::os::unix::fs::PermissionsExt::from_mode(0o000))
        .unwrap();
    let ran = t.run("hash --dry-run -o m --hashignore tree nosuch").code(2);
    ran.prints("tree/a.c\n")
        .prints("\\tree/new\\nline\n")
        .says("10 files of ")
        .says("nosuch")
        .says("3 x left out by an ignore file");
    assert!(!t.has("m"));
    t.run("hash --dry-run -q tree/a.c").code(0).quiet().is("tree/a.c\n");
});

case!(a_fifo_of_that_name_is_not_waited_for, |t| {
    tree(t).fifo("tree/.hashignore");
    t.run("hash --hashignore tree").code(0).prints("tree/a.o");
});
