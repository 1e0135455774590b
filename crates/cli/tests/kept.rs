//! An output replaces only a file of its own kind, and a manifest only if it has all that was asked for.

use crate::case;
use crate::util::{Place, Ran, installed, is_root};
use hashmill_testing::not_possible;

fn photos(t: &Place) -> &Place {
    for number in 1..=3 {
        t.file(format!("photos/{number}.jpg"), format!("\u{ff}\u{d8}photo {number}"));
    }
    t.run("hash -o m photos").code(0);
    t
}

/// Runs a command that must leave a manifest as it was.
fn keeps(t: &Place, args: &str, code: i32, says: &str) {
    let old = t.read("m");
    t.run(args).code(code).says(says);
    assert_eq!(t.read("m"), old, "{args}");
}

case!(a_manifest_outlives_a_drive_that_is_not_there, |t| {
    photos(t);
    std::fs::rename(t.path("photos"), t.path("away")).unwrap();
    for format in ["hashdeep", "jsonl", "sqlite", "parquet", "sums"] {
        let line = format!("hash -f {format} -o m photos");
        keeps(t, &line, 2, "m: not replaced: photos could not be read; --force replaces it");
        keeps(t, &format!("{line} away"), 2, "not replaced: photos could not be read");
    }
    keeps(t, "audit -k m --update m photos away", 2, "m: not replaced: photos could not be read");
    // The mount point is there, and empty.
    std::fs::create_dir(t.path("photos")).unwrap();
    keeps(t, "hash -o m photos", 2, "m: not replaced: it lists 3 files, and the new one 0; --force");
    keeps(t, "audit -k m --update m photos", 2, "m: not replaced: it lists 3 files, and the new one 0");
    // The result of the audit is printed nevertheless.
    t.run("audit -k m --update m photos").code(2).prints("missing: 3");
    t.file("photos/1.jpg", "1");
    keeps(t, "hash -o m photos", 2, "it lists 3 files, and the new one 1");
    t.file("photos/2.jpg", "2").run("hash -o m photos").code(0);
    t.run("hash -o m --force nowhere").code(2).says("nowhere");
    assert!(!String::from_utf8_lossy(&t.read("m")).contains("photos/"));
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(what_was_hashed_is_kept_where_it_may_not_replace, |t| {
    photos(t);
    t.run("hash -o m nowhere photos").code(2).says("--resume");
    t.run("hash -o m --resume --force --stats=json nowhere photos").code(2).says("\"kept\":3");
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(a_folder_that_must_not_be_read_is_not_met, |t| {
    if is_root() {
        return not_possible("being refused as root");
    }
    photos(t).shell("chmod 0 photos").code(0);
    keeps(t, "hash -o m photos", 2, "m: not replaced: photos could not be read");
    t.shell("chmod 755 photos").code(0);
});

/// Checks that a command did not fail, whatever its result.
fn fine(ran: Ran) {
    assert!(matches!(ran.exit(), Some(0 | 1)), "{}", ran.stderr());
}

/// Commands that write, and whether another run replaces their output.
const WRITERS: [(&str, bool); 17] = [
    ("hash -o X tree", true),
    ("hash -f sqlite -o X tree", true),
    ("hash -f sums -c md5 -o X tree", true),
    ("audit -k known --update X tree", true),
    ("convert known X -f jsonl", true),
    ("merge known known -f jsonl -o X", true),
    ("known build -o X --bad known", true),
    ("known match --known-set set.hmk --show unknown -o X tree", true),
    ("report known -o X", true),
    ("sign known --key key -o X", true),
    ("seal create known -o X", true),
    ("seal redact known --hide tree/a -o X", true),
    ("proof create known tree/a -o X", true),
    ("outboard create tree/b -o X", true),
    ("similar digest -c ssdeep -o X tree", true),
    ("similar index build -c ssdeep -o X tree", true),
    ("image export --raw tree/b -o X", false),
];

case!(a_photo_is_never_replaced, |t| {
    if installed("ssh-keygen").is_none() {
        return;
    }
    t.file("tree/a", "abc").file("tree/b", "0123456789".repeat(20_000));
    t.shell("ssh-keygen -q -t ed25519 -N '' -f key").code(0);
    t.run("hash -c sha256 -o known tree").code(0);
    t.run("seal create known").code(0);
    t.run("known build -o set.hmk --bad known").code(0);
    let photo: Vec<u8> = [0xff, 0xd8, 0xff, 0xe0].into_iter().chain((0..4000_u32).map(|n| n as u8)).collect();
    let texts: [&[u8]; 3] = [&photo, b"Dear diary, today was a good day.\n", b"{\"name\": \"a package\"}\n"];
    for (writer, again) in WRITERS {
        for text in texts {
            t.file("X", text);
            t.run(writer).code(64).says("X: not replaced: it is there").says("--force replaces it");
            assert_eq!(t.read("X"), text, "{writer}");
        }
        fine(t.run(&format!("{writer} --force")));
        let whole = t.read("X");
        assert_ne!(whole, texts[2], "{writer}");
        match again {
            true => fine(t.run(writer)),
            false => drop(t.run(writer).code(64)),
        }
        // An empty file holds nothing that could be lost.
        fine(t.file("X", "").run(writer));
        assert_eq!(t.read("X").len(), whole.len(), "{writer}");
        t.remove("X");
    }
    t.file("known.seal", &photo).run("seal create known").code(64).says("is no seal");
    t.run("seal create known --force").code(0);
    t.file("tree/b.obao", &photo).run("outboard create tree/b").code(64).says("is no outboard");
    t.run("outboard create tree/b --force").code(0);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});
