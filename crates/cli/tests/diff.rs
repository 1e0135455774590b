//! `hashmill diff`: folders and manifests, in every pairing.

use crate::case;
use crate::util::Place;
use hashmill_testing::{all_installed, not_possible};
use serde_json::Value;
use std::collections::BTreeSet;

/// Two folders with one file of each category.
fn two(t: &Place) -> &Place {
    t.file("old/same", "same").file("old/sub/same", "same too").file("old/changed", "before");
    t.file("old/moved", "moved").file("old/gone", "gone");
    t.file("new/same", "same").file("new/sub/same", "same too").file("new/changed", "after!");
    t.file("new/sub/moved", "moved").file("new/copy", "same").file("new/fresh", "fresh")
}

const COUNTS: &str = "matched: 2\nchanged: 1\nmoved: 1\ncopied: 1\nnew: 1\nmissing: 1\nunreadable: 0\n";

/// Returns category, path and known path of each entry, with paths relative to the tree.
fn verdicts(json: &Value) -> BTreeSet<(String, String, String)> {
    let tree = |value: &Value| {
        let path = value.as_str().unwrap_or_default().trim_start_matches("./");
        let parts: Vec<&str> = path.split('/').collect();
        let start = parts.iter().position(|part| ["old", "new"].contains(part)).map_or(0, |at| at + 1);
        parts[start..].join("/")
    };
    let entries = json["entries"].as_array().unwrap();
    let one = |entry: &Value| {
        (entry["category"].as_str().unwrap().to_string(), tree(&entry["path"]), tree(&entry["known_path"]))
    };
    entries.iter().map(one).collect()
}

case!(two_folders_are_compared_by_paths_below_them, |t| {
    two(t);
    let ran = t.run("diff old new").code(1).quiet();
    ran.is(format!(
        "changed: changed\nfresh: new\ncopy: copied from same\nsub/moved: moved from moved\ngone: missing\n\
         different\n{COUNTS}"
    ));
    t.run("diff --counts old new").code(1).is(format!("different\n{COUNTS}"));
    t.run("diff -q old new").code(1).is(
        "changed: changed\nfresh: new\ncopy: copied from same\nsub/moved: moved from moved\ngone: missing\n",
    );
    t.run("diff -v old/ ./new").code(1).prints("sub/same: matched\n").prints("changed: changed\n");
    t.run("diff -c md5,crc32 -j 3 old new").code(1).prints(COUNTS);
    t.run("diff old old").code(0).prints("no difference\nmatched: 5\n");
    t.run("diff --exclude gone --exclude changed --exclude fresh old new").code(1).prints("changed: 0\n");
});

case!(every_pairing_says_the_same, |t| {
    two(t);
    let folders = verdicts(&t.run("diff -f json old new").code(1).json());
    assert_eq!(folders.len(), 7);
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        let here = t.path("").display().to_string();
        t.run(&format!("hash -c md5,sha256 -f {format} -o a.list old")).code(0);
        t.run(&format!("hash -c sha256,md5 -f {format} -o b.list {here}new")).code(0);
        t.shell(&format!("cd new && $hashmill hash -c sha256 -f {format} -o ../c.list .")).code(0);
        for pair in ["a.list new", "old b.list", "old c.list", "a.list b.list", "a.list c.list"] {
            let ran = t.run(&format!("diff -f json {pair}")).code(1).quiet_about("WARNING");
            assert_eq!(verdicts(&ran.json()), folders, "{format} {pair}");
        }
        t.feed("diff -f json - b.list", t.read("a.list")).code(1).prints("\"moved\":1");
    }
});

case!(a_file_that_is_something_else_now_is_missing, |t| {
    t.file("old/a", "a").file("old/b", "b").file("new/b", "b").link("new/a", "b");
    t.run("diff old new").code(1).prints("a: missing\ndifferent\nmatched: 1\n");
    t.run("diff new old").code(1).prints("a: new\n");
    t.run("hash -o list old").code(0);
    t.run("diff list new").code(1).prints("missing: 1\n");
});

case!(what_filters_leave_out_is_counted, |t| {
    t.file("old/a.jpg", "1").file("old/b.txt", "2").file("new/a.jpg", "1").file("new/b.txt", "other");
    t.run("diff --exclude *.txt old new")
        .code(0)
        .prints("matched: 1\n")
        .prints("not compared: 1 (1 by filters");
    let ran = t.run("diff --include *.jgp old new").code(2).prints("undecided").prints("not compared: 2");
    ran.says("nothing was compared");
    t.shell("mkdir none nothing").code(0);
    t.run("diff none nothing").code(0);
});

case!(links_and_the_like_that_were_added_are_new, |t| {
    t.file("old/a", "1").link("old/link", "a").file("old/now-link", "2");
    t.file("new/a", "1").link("new/link", "a").link("new/now-link", "a").link("new/added", "a");
    t.fifo("new/fifo");
    for (tree, format) in [("old", "jsonl"), ("old", "csv"), ("new", "jsonl"), ("new", "sqlite")] {
        t.run(&format!("hash -f {format} -o {tree}.{format} {tree}")).code(0);
    }
    for pair in
        ["old new", "old.jsonl new", "old.csv new", "old new.jsonl", "old new.sqlite", "old.jsonl new.jsonl"]
    {
        let ran = t.run(&format!("diff {pair}")).code(1).prints("added: new\n").prints("fifo: new\n");
        ran.prints("now-link: missing\n").prints("new: 2\nmissing: 1\n");
    }
    t.run("diff old new").code(1).says("added: symbolic link").says("fifo: FIFO");
    let json = t.run("diff -f json old new.jsonl").code(1).json();
    let fifo = json["entries"].as_array().unwrap().iter().find(|entry| entry["status"] == "skipped");
    assert_eq!(fifo.unwrap()["category"], "new", "{json}");
    // Lines can't list them: they are counted.
    t.run("hash -f sums -o sums new").code(0);
    t.run("diff sums new").code(0).prints("no bytes: 4 (links");
    t.run("diff sums new.jsonl").code(0).prints("no bytes: 4 (links");
    t.run("diff old.jsonl old").code(0);
    t.run("diff new new").code(0).prints("new: 0\n");
});

case!(a_manifest_is_the_same_as_its_folder, |t| {
    t.odd_names().file("other/x", "x");
    let counts = &format!("matched: {}\n", std::fs::read_dir(t.path("tree")).unwrap().count());
    for format in ["jsonl", "hashdeep", "sums"] {
        t.run(&format!("hash -c sha1 -f {format} -o tree/known tree")).code(0);
        t.run("diff tree/known tree").code(0).prints(counts).quiet_about("WARNING");
        t.run("diff tree tree/known").code(0).prints(counts).quiet_about("WARNING");
        t.run("diff tree/known tree/known").code(0).prints(counts).quiet();
        t.remove("tree/known");
    }
});

case!(pieces_are_compared_with_pieces, |t| {
    t.file("old/a", "0123456789").file("new/a", "01234x6789");
    t.run("hash -c md5 -p 4 -o pieces old").code(0);
    t.run("diff pieces new").code(1).prints("a bytes 4 to 8: changed").prints("changed: 2\n");
    t.run("hash -c md5 -p 4 -o others new").code(0);
    t.run("diff pieces others").code(1).prints("bytes 4 to 8: changed").prints("matched: 2\nchanged: 2\n");
    t.run("diff old others").code(1).prints("matched: 2\nchanged: 2\n");
});

case!(what_was_not_read_on_one_side_is_never_new, |t| {
    t.file("b/x", "x").file("b/y", "y").file("b/z", "z");
    t.run("hash -f jsonl -o list b").code(0);
    let text = String::from_utf8(t.read("list")).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines[1] = "{\"path\":\"b/y\",\"status\":\"unreadable\"}".to_string();
    lines.push("{\"path\":\"b/w\",\"status\":\"unreadable\"}".to_string());
    t.file("list", lines.join("\n") + "\n");
    let ran = t.run("diff list b").code(2).says("b/y: was not read");
    ran.prints("y: unreadable\n").prints("w: missing\n").prints("new: 0\nmissing: 1\nunreadable: 1\n");
    t.run("diff b list").code(2).prints("b/y: unreadable").prints("missing: 0\n");
    t.run("diff list list").code(2).prints("matched: 2\n").prints("unreadable: 2\n");
});

case!(a_manifest_that_contradicts_itself_equals_nothing, |t| {
    let line = |digit: char| format!("{}  a\n", digit.to_string().repeat(32));
    t.file("one", line('1')).file("both", line('1') + &line('2'));
    t.run("diff one one").code(0);
    t.run("diff one both").code(1).prints("a: changed\n");
    t.run("diff both one").code(1).prints("a: changed\n");
});

case!(operands_that_are_not_usable_are_refused, |t| {
    two(t).file("text", "this is no manifest\n");
    t.run("diff old").code(64);
    t.run("diff old nowhere").code(64).says("nowhere: cannot open");
    t.run("diff old text").code(64).says("text: ");
    t.run("diff - -").code(64).says("both A and B");
    t.run("hash -c md5 -o a.list old").code(0);
    t.run("hash -c sha1 -o b.list new").code(0);
    t.run("diff a.list b.list").code(64).says("no digest in common: md5 and sha1");
    t.run("diff --exclude x a.list new").code(64).says("filters");
    t.run("diff -c md5 a.list new").code(64).says("-c");
    t.run("diff -c ssdeep old new").code(64);
});

case!(what_is_nowhere_is_found_whatever_its_name, |t| {
    t.file("card/IMG_1.jpg", "one").file("card/sub/IMG_2.jpg", "two").file("card/new.jpg", "three");
    t.file("card/empty", "")
        .file("nas/2024/beach.jpg", "one")
        .file("nas/other", "other")
        .file("usb/x", "two");
    let ran =
        t.run("diff --by-content card nas usb").code(1).prints("card/new.jpg: missing\ncontent is missing\n");
    let ran = ran.prints("matched: 3\nchanged: not looked for\n").prints("missing: 1\n");
    ran.says("1 empty file counts as there");
    t.run("diff --by-content -v card usb nas")
        .prints("card/IMG_1.jpg: matched, known as nas/2024/beach.jpg\n");
    t.run("diff --by-content -q card nas usb").code(1).is("card/new.jpg: missing\n");
    t.run("diff --by-content --exclude new.jpg card nas usb").code(0).prints("all content is there\n");
    t.run("diff --by-content --write missing=todo -0 card nas usb").code(1);
    assert_eq!(t.read("todo"), b"card/new.jpg\0");
    let json = t.run("diff --by-content -f json card nas usb").code(1).json();
    let entry = |name: &str| {
        let mut all = json["entries"].as_array().unwrap().iter();
        all.find(|entry| entry["path"] == name).unwrap().clone()
    };
    assert_eq!(entry("card/sub/IMG_2.jpg")["known_path"], "usb/x");
    assert_eq!(entry("card/new.jpg")["category"], "missing");
    assert_eq!(entry("card/new.jpg")["expected"]["size"], 5);
    assert_eq!(json["account"]["records"]["differs"], 1, "{json}");
    // A list on either side, and several with digests of their own.
    t.run("hash -c sha256 -f sums -o nas.sha256 nas").code(0);
    t.run("hash -c md5,blake3 -f jsonl -o usb.jsonl usb").code(0);
    t.run("hash -c sha256,blake3 -o card.list card").code(0);
    for sides in [
        "card nas.sha256 usb.jsonl",
        "card nas.sha256 usb",
        "card.list nas.sha256 usb.jsonl",
        "card.list usb nas",
    ] {
        let ran = t.run(&format!("diff --by-content {sides}")).code(1);
        ran.prints("card/new.jpg: missing\n").prints("matched: 3\n").prints("missing: 1\n");
    }
    t.run("diff card nas usb").code(64).says("with --by-content B may be several");
    t.shell("mkdir none").code(0);
    t.run("diff --by-content none nas").code(2).says("nothing was compared");
});

case!(names_that_are_relative_to_a_folder_inside_name_it, |t| {
    t.file("b/src/a", "1").file("b/src/d/a", "2");
    t.shell("cd b/src && $hashmill hash -o ../../in .").code(0);
    let ran = t.run("diff in b").code(1).prints("moved: ./ → src/ (2 files)");
    ran.says("relative to src/ of the second: compare with that folder");
    t.run("audit -k in b").code(1).says("relative to b/src/ of the second: compare with that folder");
    t.run("diff in b/src").code(0).quiet();
    t.run("diff -q in b").code(1).quiet();
});

case!(a_file_that_is_seen_twice_is_no_copy, |t| {
    t.file("card/a.jpg", "one").file("nas/b.jpg", "other");
    // A name more than those on the card stays when these are gone.
    t.shell("ln card/a.jpg nas/a.jpg").code(0);
    t.run("diff --by-content card nas").code(0).prints("all content is there\n");
    t.shell("rm nas/a.jpg && mkdir nas/usb").code(0);
    let mounted = "unshare -rm sh -c 'mount --bind card nas/usb";
    if t.shell(&format!("{mounted}'")).exit() != Some(0) {
        return not_possible("a folder that is mounted twice");
    }
    let ran = t.shell(&format!("{mounted} && $hashmill diff --by-content card nas'")).code(1);
    ran.says("1 file of B is one of A, and no copies").prints("card/a.jpg: missing\n");
    // So is what is inside of such a file, also in a folder that is named as if it were one.
    t.shell("mkdir zips! && cd card && zip -q ../zips!/a.zip a.jpg").code(0);
    let mounted = "unshare -rm sh -c 'mount --bind zips! nas/usb";
    let line = "$hashmill diff --by-content --inside archives --only-inside zips! nas'";
    t.shell(&format!("{mounted} && {line}")).code(1).prints("zips!/a.zip!/a.jpg: missing\n");
});

case!(files_in_two_images_are_not_one_for_their_numbers, |t| {
    if !all_installed(&["mkfs.ext4"]) {
        return;
    }
    t.file("tree/a", "one").shell("mkdir A B").code(0);
    for image in ["A/A.img", "B/B.img"] {
        t.shell(&format!("truncate -s 4M {image} && mkfs.ext4 -q -d tree {image}")).code(0);
    }
    t.run("diff --by-content --inside images --only-inside A B").code(0).prints("all content is there\n");
    t.run("diff --by-content A/A.img B/B.img").code(0).prints("all content is there\n");
});

case!(content_is_known_by_cryptographic_digests_alone, |t| {
    t.file("card/a", "one").file("nas/b", "one");
    t.run("hash -c md5 -o weak nas").code(0);
    t.run("hash -c sha256 -f sums -o list.txt nas").code(0);
    t.run("hash -c sha256,md5 -f jsonl -o nas.sha256 nas").code(0);
    t.run("diff --by-content card weak")
        .code(64)
        .says("weak: has no cryptographic digest")
        .says("it has: md5");
    t.run("diff --by-content -c md5 card nas").code(64).says("choose a cryptographic one");
    t.run("diff --by-content -c sha512 card list.txt").code(2).says("sha512 has 128");
    t.run("diff --by-content -c sha512 card nas.sha256").code(64).says("-c sha512: no list has such digests");
    t.run("diff --by-content card list.txt").code(64).says("list.txt: nothing names the algorithm");
    t.run("diff --by-content -c sha256 card list.txt").code(0);
    t.run("diff --by-content -c sha256 card nas").code(0);
    t.run("diff --by-content --exclude x -c sha256 list.txt nas").code(64).says("filters need folders");
    t.run("diff --by-content --allow-weak card nas").code(64).says("--allow-weak: has no effect here");
    t.run("hash -c sha256 -p 2 -o pieces nas").code(0);
    t.feed("diff --by-content -c sha256 - nas", t.read("list.txt")).code(0);
});

case!(files_are_not_found_as_themselves, |t| {
    t.file("all/card/a", "one").file("all/nas/b", "two");
    for sides in ["all/card all", "all all/card", "all/card all/card"] {
        t.run(&format!("diff --by-content {sides}")).code(64).says("lies in the other");
    }
    t.link("all/nas/link", "../card");
    t.run("diff --by-content --follow all/card all/nas").code(1).prints("all/card/a: missing");
});

case!(what_cannot_be_read_is_not_there, |t| {
    t.file("nas/b", "one").run("hash -c sha256 -f jsonl -o nas.jsonl nas").code(0);
    t.file("card/a", "one").file("card/b", "two");
    let lost = "{\"path\":\"nas/c\",\"status\":\"unreadable\"}\n";
    t.file("nas.jsonl", [&t.read("nas.jsonl")[..], lost.as_bytes()].concat());
    t.run("diff --by-content card nas.jsonl").code(2).says("nas/c: was not read").prints("card/b: missing");
    t.file("both", format!("{}  a\n{}  a\n", "1".repeat(64), "2".repeat(64)));
    let one = t.run("hash -c sha256 -f sums card/a").code(0).stdout()[..64].to_vec();
    t.file("both", [&one[..], b"  a\n", &[b'2'; 64], b"  a\n"].concat());
    let ran = t.run("diff --by-content -c sha256 both nas").code(1);
    ran.prints("matched: 1\n").prints("missing: 1\n");
});

#[cfg(feature = "images")]
case!(an_archive_can_be_either_side, |t| {
    t.file("card/a", "one")
        .file("card/b", "two")
        .shell("tar cf card.tar card && mkdir nas && cp card.tar nas")
        .code(0);
    t.run("diff --by-content card.tar card").code(0);
    t.run("diff --by-content card card.tar").code(0);
    t.run("diff --by-content card nas").code(1).prints("missing: 2");
    t.run("diff --by-content --inside archives card nas").code(0);
});

#[cfg(feature = "images")]
case!(archives_in_an_archive_that_is_an_operand_are_looked_into, |t| {
    if !all_installed(&["zip"]) {
        return;
    }
    for (name, x) in [("A", "one"), ("B", "two")] {
        t.file(format!("{name}/in/x"), x)
            .file(format!("{name}/in/y"), "same")
            .file(format!("{name}/top"), "t");
        t.shell(&format!("cd {name} && zip -qr in.zip in && zip -q ../{name}.zip in.zip top")).code(0);
    }
    t.shell("cd A && zip -q0r in0.zip in && mv in0.zip in.zip && zip -q ../stored.zip in.zip top").code(0);
    t.shell("cd A && truncate -s -9 in.zip && zip -q ../torn.zip in.zip top").code(0);
    let ran = t.run("diff --inside archives -v A.zip B.zip").code(1);
    ran.prints("in.zip!/in/x: changed\n").prints("in.zip!/in/y: matched\n").prints("top: matched\n");
    t.run("diff A.zip stored.zip").code(1).prints("changed: 1");
    t.run("diff --inside archives --only-inside A.zip stored.zip").code(0).prints("matched: 3");
    let told = "in.zip!: the archive ends too early";
    t.run("diff --inside archives torn.zip torn.zip").code(2).says(told);
    t.run("diff --inside archives --exclude in.zip torn.zip torn.zip").code(0).prints("matched: 1");
    t.run("diff --inside archives --include x A.zip B.zip").code(1).prints("matched: 0").prints("changed: 1");
    t.run("diff --inside archives --max-nesting 1 A.zip A.zip").code(2).says("it lies in 1 archives already");
    t.run("hash --inside archives --max-nesting 1 A.zip").code(2).says("it lies in 1 archives already");
});

#[cfg(feature = "images")]
case!(images_in_an_operand_that_is_an_archive_or_image_are_looked_into, |t| {
    if !all_installed(&["zip", "mkfs.ext4"]) {
        return;
    }
    for (name, content) in [("A", "one"), ("B", "two")] {
        t.file(format!("{name}/a"), content).shell(&format!("mkdir {name}in")).code(0);
        t.shell(&format!("truncate -s 4M {name}in/usb.img && mkfs.ext4 -q -d {name} {name}in/usb.img"))
            .code(0);
        t.shell(&format!("zip -qj {name}.zip {name}in/usb.img")).code(0);
        t.shell(&format!("truncate -s 8M {name}.img && mkfs.ext4 -q -d {name}in {name}.img")).code(0);
    }
    for inside in ["images", "all"] {
        for end in ["zip", "img"] {
            let ran = t.run(&format!("diff --inside {inside} A.{end} B.{end}")).code(1);
            ran.prints("usb.img!/a: changed\n");
        }
    }
    t.run("diff --inside archives A.zip A.zip")
        .code(0)
        .says("usb.img: is named as an image, and was not looked into");
});

#[cfg(feature = "images")]
case!(an_archive_that_is_mounted_twice_is_no_copy, |t| {
    if !all_installed(&["zip"]) {
        return;
    }
    t.file("d/a", "one").shell("mkdir card nas && zip -qr card/a.zip d").code(0);
    t.run("diff --by-content card/a.zip card/a.zip").code(1).says("1 file of B is one of A, and no copies");
    let mounted = "unshare -rm sh -c 'mount --bind card nas";
    if t.shell(&format!("{mounted}'")).exit() != Some(0) {
        return not_possible("a folder that is mounted twice");
    }
    let ran = t.shell(&format!("{mounted} && $hashmill diff --by-content card/a.zip nas/a.zip'")).code(1);
    ran.says("1 file of B is one of A, and no copies");
    for operands in ["card nas", "card/a.zip nas/a.zip"] {
        let ran = t.shell(&format!("{mounted} && $hashmill dupes --inside archives {operands}'")).code(0);
        assert_eq!(String::from_utf8_lossy(ran.stdout()), "", "{operands}");
    }
    // A copy is one.
    t.shell("cp card/a.zip nas/a.zip").code(0);
    t.run("dupes --inside archives card nas").code(0).prints("nas/a.zip!/d/a\n");
    t.run("diff --by-content card/a.zip nas/a.zip").code(0);
});
