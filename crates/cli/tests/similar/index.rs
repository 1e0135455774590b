//! Saved indexes.

use super::families;
use crate::case;

case!(an_index_gives_what_its_list_gives, |t| {
    families(t);
    for (row, limit) in [("ssdeep", 1), ("tlsh", 100), ("sdhash", 1), ("mrsh-v2", 1)] {
        t.run(&format!("similar digest -c {row} -o list tree")).code(0);
        t.run(&format!("similar index build -c {row} -o by-list --lists list")).code(0);
        t.run(&format!("similar index build -c {row} -o by-tree tree")).code(0);
        assert_eq!(t.read("by-list"), t.read("by-tree"), "{row}");
        let search = |list: &str| t.run(&format!("similar search -c {row} -t {limit} --against {list} tree"));
        let listed = search("list").code(0);
        assert!(listed.stdout().iter().filter(|byte| **byte == b'\n').count() > 30, "{row}");
        search("by-list").code(0).is(listed.stdout());
        let info = t.run("similar index info by-list").code(0).quiet();
        info.prints(format!("algorithm: {row}\n")).prints("blocks: 1\n");
    }
});

case!(a_damaged_index_is_refused, |t| {
    families(t);
    t.run("similar index build -c ssdeep -o index tree").code(0);
    let whole = t.read("index");
    for at in (0..whole.len()).step_by(whole.len() / 20) {
        let mut altered = whole.clone();
        altered[at] ^= 4;
        t.file("index", &altered);
        t.run("similar index info index").code(64).is("");
        t.run("similar search -c ssdeep --against index tree/1-0").code(64);
        t.file("index", &whole[..at]).run("similar index info index").code(64).is("");
    }
    t.file("index", [&whole[..6], b"\x09\0", &whole[8..]].concat());
    t.run("similar search -c ssdeep --against index tree").code(64).says("version 9").says("build it again");
    t.file("index", &whole)
        .run("similar search -c tlsh --against index tree")
        .code(64)
        .says("by ssdeep, not by tlsh");
    t.run("similar index info tree/1-0").code(64).says("not an index");
});

case!(an_index_appears_only_when_whole, |t| {
    families(t);
    t.run("similar index build -c ssdeep -o index tree").code(0);
    let first = t.read("index");
    t.file("bad", "nothing\n").run("similar index build -c ssdeep -o index --lists bad").code(64);
    assert_eq!(t.read("index"), first);
    assert_eq!(t.leftovers(), Vec::<String>::new());
    // The index is no data of its own.
    t.run("similar index build -c ssdeep -o tree/index tree").code(0);
    t.run("similar index build -c ssdeep -o tree/index tree").code(0);
    assert_eq!(t.read("tree/index"), first);
    t.remove("tree/index");
    t.run("similar index build -c ssdeep -o index tree nosuch").code(2).says("nosuch");
});
