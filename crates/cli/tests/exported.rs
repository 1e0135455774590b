//! Exports of many files that end early: what has its name is whole.

use crate::case;
use crate::resume::{signal, until};
use crate::util::{Place, Ran};
use hashmill_testing::not_possible;
use std::fs;
use std::process::Stdio;

/// The number of files.
const FILES: usize = 4000;

/// Returns the names of the files that were written so far, and of those that have no names yet.
fn written(t: &Place) -> (Vec<String>, usize) {
    let names = fs::read_dir(t.path("out/many")).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let (waiting, named): (Vec<String>, Vec<String>) = names.partition(|name| name.contains("partial"));
    (named, waiting.len())
}

/// Ends an export by a signal when some files have their names. Returns how it ended and how many have names; each of
/// these is whole.
fn end(t: &Place, by: &str) -> (Ran, usize) {
    let mut command = t.command("image export many.tar!/ -o out");
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    until("no file has its name", || {
        let has_ended = child.try_wait().unwrap().is_some();
        !written(t).0.is_empty() || has_ended
    });
    signal(&child, by);
    let ran = Ran::new(by, child.wait_with_output().unwrap());
    let (named, _) = written(t);
    for name in &named {
        assert_eq!(t.read(&format!("out/many/{name}")), t.read(&format!("many/{name}")), "{name}");
    }
    (ran, named.len())
}

case!(an_export_that_is_ended_leaves_whole_files, |t| {
    for number in 0..FILES {
        t.file(format!("many/{number}"), format!("file {number}\n").repeat(200));
    }
    t.shell("tar cf many.tar many").code(0);
    let (ran, named) = end(t, "INT");
    if named < FILES {
        ran.code(130).says("interrupted (").says("are written and stay; --force writes all again");
    }
    assert_eq!(written(t).1, 0, "nothing without a name is left");
    t.run("image export many.tar!/ -o out").code(2).says("--force writes into it");
    t.shell("rm -r out").code(0);
    let (_, named) = end(t, "KILL");
    assert!(named > 0);
    t.run("image export many.tar!/ -o out --force").code(0).quiet();
    assert_eq!(written(t).1, 0, "what the killed run left is removed");
    t.shell("diff -r many out/many").code(0).quiet();
});

case!(a_full_disk_ends_an_export_and_what_is_written_stays, |t| {
    for name in ["a", "b", "c", "d"] {
        t.file(name, name.repeat(900_000));
    }
    t.shell("tar cf all.tar a b c d && mkdir small").code(0);
    let mounted = "unshare -rm sh -c 'mount -t tmpfs -o size=2m none small";
    if t.shell(&format!("{mounted}'")).exit() != Some(0) {
        return not_possible("mounting a small file system");
    }
    let export =
        "$hashmill image export all.tar!/ -o small/out; code=$?; cd small/out && ls -A && exit $code";
    let ran = t.shell(&format!("{mounted} && {export}'")).code(2);
    ran.is("a\nb\n").says("No space left on device (2 files with 1.72 MiB are written and stay; make room");
    let ran = t.shell(&format!("{mounted} && $hashmill image export all.tar!/a -o small/a && $hashmill image export all.tar!/b -o small/b && $hashmill image export all.tar!/c -o small/c; code=$?; ls -A small && exit $code'"));
    ran.code(2).is("a\nb\n").says("small/c: cannot write: No space left on device");
});

case!(names_that_are_one_get_one_file, |t| {
    t.file("x/a", "one").file("y/a", "two");
    t.shell("tar cf twice.tar -C x a && tar rf twice.tar -C y a").code(0);
    t.run("image export twice.tar!/ -o out").code(2).says("another file that was written has its name");
});
