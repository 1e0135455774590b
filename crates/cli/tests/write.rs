//! `--write CATEGORY=FILE` of `audit`, `diff` and `check`.

use crate::case;
use crate::util::Place;

/// A tree with a file of each category beside its manifest.
fn changed(t: &Place) {
    t.file("tree/same", "same").file("tree/changed", "before").file("tree/moved", "moved");
    t.file("tree/new\nline", "odd").file("tree/gone", "gone");
    t.run("hash -f jsonl -o m tree").code(0);
    t.file("tree/changed", "after!").rename("tree/moved", "tree/sub");
    t.file("tree/copy", "same").file("tree/fresh", "fresh").remove("tree/gone").remove("tree/new\nline");
}

case!(each_category_has_a_file_of_its_own, |t| {
    changed(t);
    let options = "--write matched=1 --write changed=2 --write moved=3 --write copied=4 --write new=5 \
                   --write missing=6 --write unreadable=7";
    let plain = t.run("audit -k m tree").code(1);
    t.run(&format!("audit -k m {options} tree")).code(1).quiet().is(plain.stdout());
    let found = || ["1", "2", "3", "4", "5", "6", "7"].map(|name| String::from_utf8(t.read(name)).unwrap());
    let wanted = [
        "tree/same\n",
        "tree/changed\n",
        "tree/sub\n",
        "tree/copy\n",
        "tree/fresh\n",
        "tree/gone\n\\tree/new\\nline\n",
        "",
    ];
    assert_eq!(found(), wanted);
    // The lists are the same for programs, and with NUL nothing is escaped.
    t.run(&format!("audit -q -f json -k m {options} --force tree")).code(1);
    assert_eq!(found(), wanted);
    t.run(&format!("audit -0 -k m {options} --force tree")).code(1);
    assert_eq!(found()[5], "tree/gone\0tree/new\nline\0");
    assert_eq!(found()[0], "tree/same\0");
});

case!(categories_may_share_a_file_and_be_written_twice, |t| {
    changed(t);
    t.run("audit -k m --write changed=bad --write missing=bad --write missing=gone tree").code(1);
    assert_eq!(t.read("bad"), b"tree/changed\ntree/gone\n\\tree/new\\nline\n");
    assert_eq!(t.read("gone"), b"tree/gone\n\\tree/new\\nline\n");
});

case!(the_lists_are_no_files_of_the_tree, |t| {
    t.file("tree/a", "a");
    t.run("hash -o m tree").code(0);
    t.run("audit -k m --write new=tree/new tree").code(0);
    t.run("audit -k m --write new=tree/new --force tree").code(0).prints("left out: 1 (");
    assert_eq!(t.read("tree/new"), b"");
    t.file("other/a", "a");
    t.run("diff --write new=other/new other tree").code(1);
    assert_eq!(t.read("other/new"), b"new\n");
});

case!(what_is_there_is_replaced_by_force_alone, |t| {
    changed(t);
    t.file("notes", "my notes\n");
    t.run("audit -k m --write new=notes tree").code(64).says("notes: not replaced: it is there; --force");
    assert_eq!(t.read("notes"), b"my notes\n");
    t.run("audit -k m --write new=notes --force tree").code(1);
    assert_eq!(t.read("notes"), b"tree/fresh\n");
    t.run("audit -k m --write new=- tree").code(64).says("standard output is taken by the result");
    t.run("audit -k m --write newer=x tree").code(64).says("no category is called 'newer'");
    t.run("audit -k m --write new=none/x tree").code(2).says("none/x");
    assert!(t.leftovers().is_empty(), "{:?}", t.leftovers());
});

case!(diff_writes_them_too, |t| {
    t.file("a/x", "1").file("b/x", "2").file("a/y", "3");
    t.run("diff --write changed=c --write missing=m a b").code(1);
    assert_eq!((t.read("c"), t.read("m")), (b"x\n".to_vec(), b"y\n".to_vec()));
    t.run("diff -0 --write missing=m --force a b").code(1);
    assert_eq!(t.read("m"), b"y\0");
    t.run("diff -0 a b").code(64).says("--write");
});

case!(check_writes_what_its_lists_name, |t| {
    changed(t);
    t.file("unknown", format!("SKEIN-256 (tree/fresh) = {}\n", "0".repeat(64)));
    t.run(
        "check --new --write matched=1 --write changed=2 --write missing=3 --write new=4 --write not-compared=5 \
         --write unreadable=6 m unknown",
    )
    .code(2);
    let read = |name: &str| String::from_utf8(t.read(name)).unwrap();
    assert_eq!((read("1").as_str(), read("2").as_str()), ("tree/same\n", "tree/changed\n"));
    assert_eq!(read("3"), "tree/gone\ntree/moved\n\\tree/new\\nline\n");
    assert_eq!(
        (read("4"), read("5"), read("6")),
        ("tree/copy\ntree/sub\n".into(), "tree/fresh\n".into(), "".into())
    );
    t.run("check --write moved=x m").code(64).says("check finds no file moved");
    t.run("check --status -0 --write missing=3 --force m").code(1).is("");
    assert_eq!(read("3"), "tree/gone\0tree/moved\0tree/new\nline\0");
});

case!(files_that_could_not_be_compared_have_a_list, |t| {
    t.file("tree/a", "a").file("list", format!("SKEIN-256 (tree/a) = {}\n", "0".repeat(64)));
    t.run("audit -k list --write not-compared=n tree").code(2);
    assert_eq!(t.read("n"), b"tree/a\n");
});
