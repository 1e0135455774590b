//! Files that moved together: one line for people, each for programs.

use crate::case;
use crate::util::Place;
use std::fmt::Write as _;

/// Makes a folder of this many files, each with a content of its own.
fn filled(t: &Place, folder: &str, files: usize) {
    for number in 0..files {
        t.file(format!("{folder}/{number}"), format!("{folder} {number}"));
    }
}

case!(a_folder_that_moved_is_one_line, |t| {
    filled(t, "tree/2019/jan", 60);
    filled(t, "tree/2019", 40);
    filled(t, "tree/stays", 3);
    t.shell("cd tree && $hashmill hash -o ../m .").code(0);
    t.shell("cd tree && mkdir archive && mv 2019 archive/").code(0);
    let counts = "matched: 3\nchanged: 0\nmoved: 100\n";
    let line = "moved: ./2019/ → ./archive/2019/ (100 files)\naudit failed\n";
    for threads in ["1", "2", "5"] {
        let ran = t.shell(&format!("cd tree && $hashmill audit -j {threads} -k ../m .")).code(1).quiet();
        ran.is(format!("{line}{counts}copied: 0\nnew: 0\nmissing: 0\nunreadable: 0\n"));
    }
    let all = t.shell("cd tree && $hashmill audit -v -k ../m .").code(1);
    let mut each = String::new();
    for number in 0..40 {
        writeln!(each, "./archive/2019/{number}: moved from ./2019/{number}").unwrap();
    }
    each.lines().for_each(|line| assert!(String::from_utf8_lossy(all.stdout()).contains(line), "{line}"));
    let json = t.shell("cd tree && $hashmill audit -f json -k ../m .").code(1).json();
    assert_eq!((json["entries"].as_array().unwrap().len(), &json["counts"]["moved"]), (103, &100.into()));
});

case!(a_folder_whose_files_went_different_ways_is_told_file_by_file, |t| {
    filled(t, "tree/a", 4);
    filled(t, "tree/b", 3);
    t.run("hash -o m tree").code(0);
    t.shell(
        "mkdir tree/x tree/y; mv tree/a/0 tree/a/1 tree/x; mv tree/a/2 tree/a/3 tree/y; mv tree/b tree/c",
    )
    .code(0);
    t.run("audit -q -k m tree").code(1).is(
        "moved: tree/b/ → tree/c/ (3 files)\ntree/x/0: moved from tree/a/0\ntree/x/1: moved from tree/a/1\n\
         tree/y/2: moved from tree/a/2\ntree/y/3: moved from tree/a/3\n",
    );
});

case!(diff_folds_as_audit_does_and_what_is_missing_comes_last, |t| {
    filled(t, "old/2019", 3);
    t.file("old/gone", "gone").file("old/same", "same").file("new/same", "same").file("new/copy", "same");
    t.shell("mkdir -p new/older; cp -r old/2019 new/older/").code(0);
    t.run("diff -q old new")
        .code(1)
        .is("copy: copied from same\nmoved: 2019/ → older/2019/ (3 files)\ngone: missing\n");
    t.run("hash -o m old").code(0);
    t.run("diff -q m new").code(1).prints("(3 files)\n");
});

case!(names_of_folders_are_escaped, |t| {
    t.file("tree/a\nb/1", "1").file("tree/a\nb/2", "2");
    t.run("hash -f jsonl -o m tree").code(0);
    t.shell("mv tree/a* tree/c").code(0);
    t.run("audit -q -k m tree").code(1).is("\\moved: tree/a\\nb/ → tree/c/ (2 files)\n");
});

case!(the_file_system_decides_whether_a_name_in_other_case_is_the_same, |t| {
    t.file("tree/photos/a.jpg", "a").file("tree/b", "b");
    t.run("hash -c sha256 -f sums -o m tree").code(0);
    t.shell("sed 's:photos/a.jpg:Photos/A.JPG:' m > respelled").code(0);
    let takes_for_one = t.run("hash tree/Photos/A.JPG").exit() == Some(0);
    let (code, matched, moved) = if takes_for_one { (0, 2, 0) } else { (1, 1, 1) };
    let counts = format!("matched: {matched}\nchanged: 0\nmoved: {moved}\n");
    t.run("audit -k respelled tree").code(code).prints(&counts);
    t.run("diff respelled tree").code(code).prints(&counts);
    // Keys of a list have no file system, and two lists neither.
    t.run("diff respelled m").code(1).prints("moved: 1\n");
});
