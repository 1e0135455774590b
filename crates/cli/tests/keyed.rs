//! BLAKE3 with a key, as a derivation of keys, and with digests of other lengths. `b3sum` is the judge.

use crate::case;
use crate::util::{Place, installed};

const KEY: &[u8; 32] = b"whats the Elvish word for friend";
const FORMATS: [&str; 7] = ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml", "sqlite"];

/// A tree with small files and one that several threads hash.
fn tree(t: &Place) {
    t.file("key", KEY).file("other", [7; 32]);
    t.file("tree/empty", "").file("tree/small", "small").file("tree/block", vec![b'b'; 1024]);
    t.file("tree/large", (0..3_000_000_u32).map(|place| (place % 251) as u8).collect::<Vec<_>>());
}

case!(digests_are_those_of_b3sum, |t| {
    tree(t);
    if installed("b3sum").is_none() {
        return;
    }
    for (ours, theirs) in [
        ("--keyed key", "--keyed"),
        ("--derive-key context:2026", "--derive-key context:2026"),
        ("--length 7", "--length 7"),
        ("--length 32", "--length 32"),
        ("--length 64", "--length 64"),
        ("--keyed key --length 50", "--keyed --length 50"),
        ("--derive-key x --length 20", "--derive-key x --length 20"),
    ] {
        let wanted = t.shell(&format!("b3sum {theirs} --no-names tree/* < key")).code(0);
        for threads in [1, 4] {
            let line = format!("$hashmill hash -j {threads} --bare {ours} tree/*");
            t.shell(&line).code(0).is(wanted.stdout());
        }
        // Its lists have no names of algorithms: the options say which.
        t.shell(&format!("b3sum {theirs} tree/* < key > list")).code(0);
        t.run(&format!("check {ours} list")).code(0).prints("tree/large: OK\n");
        t.run(&format!("audit {ours} -k list tree")).code(0);
        t.file("tree/small", "SMALL");
        t.run(&format!("check {ours} list")).code(1).prints("tree/small: FAILED\n");
        t.file("tree/small", "small");
    }
});

case!(
    #[ignore = "campaign: takes long"]
    no_list_of_keyed_digests_is_taken_for_plain_ones,
    |t| {
        tree(t);
        for (options, name, asks) in [
            ("--keyed key", "blake3-keyed", "--keyed FILE"),
            ("--derive-key x", "blake3-derive-key", "--derive-key CONTEXT"),
            ("--keyed key --length 48", "blake3-keyed:48", "--keyed FILE"),
        ] {
            for format in FORMATS {
                t.run(&format!("hash {options} -f {format} -o list.{format} --force tree")).code(0);
                let says = format!("{name} needs its key: {asks}");
                t.run(&format!("check list.{format}")).code(64).says(&says).is("");
                t.run(&format!("check -c blake3 list.{format}")).code(64).says(&says);
                t.run(&format!("audit -k list.{format} tree")).code(64).says(&says);
                t.run(&format!("diff list.{format} tree")).code(64).says(&says);
                t.run(&format!("check {options} list.{format}")).code(0).prints("tree/large: OK\n");
                t.run(&format!("audit {options} -k list.{format} tree")).code(0);
                t.run(&format!("diff {options} list.{format} tree")).code(0);
            }
            // Commands that only read digests need no key, and keep the algorithm's name.
            t.run("convert list.jsonl again.csv --force").code(0);
            t.run("diff list.jsonl again.csv").code(0).prints("matched: 4\n");
            assert!(String::from_utf8(t.read("again.csv")).unwrap().contains(name));
        }
        t.run("hash --keyed key --seal -f jsonl -o sealed.jsonl tree").code(0);
        t.run("seal verify sealed.jsonl").code(0);
        t.shell("$hashmill proof create sealed.jsonl tree/small > proof").code(0);
        t.run("proof verify proof --seal-file sealed.jsonl.seal --file tree/small")
            .code(1)
            .says("its digest needs a key");
        t.run("known build -q -o set --bad sealed.jsonl").code(0);
        t.run("known match --known-set set tree").code(64).says("blake3-keyed needs its key");
        t.run("audit --keyed other -k list.jsonl tree").code(1).prints("changed: 4\n");
        // Plain digests and keyed ones have nothing in common.
        t.run("hash -f jsonl -o plain.jsonl tree").code(0);
        t.run("diff plain.jsonl list.jsonl").code(64).says("no digest in common: blake3 and blake3-keyed:48");
    }
);

case!(the_key_is_read_from_a_file_or_standard_input, |t| {
    tree(t);
    let by_file = t.run("hash --bare --keyed key tree/small").code(0);
    t.feed("hash --bare --keyed - tree/small", KEY).code(0).is(by_file.stdout());
    t.feed("hash --keyed - -", KEY).code(64).says("standard input can't be both the key");
    t.feed("hash --keyed - --files-from - x", KEY).code(64).says("can't be both");
    t.feed("check --keyed - -", KEY).code(64).says("can't be both");
    t.file("short", "abc").file("hex", format!("{}\n", "0".repeat(64)));
    t.run("hash --keyed short tree").code(64).says("short: a key is 32 raw bytes, not hexadecimal");
    t.run("hash --keyed hex tree").code(64).says("this file has more");
    t.run("hash --keyed none tree").code(64).says("none: cannot read the key: No such file");
    t.run("hash --keyed key --derive-key x tree").code(64);
});

case!(the_modes_change_blake3_alone, |t| {
    tree(t);
    let ran = t.run("hash -c sha256,blake3,md5 --keyed key -f csv tree/small").code(0);
    ran.prints("sha256,blake3-keyed,md5");
    t.run("hash -c blake3-keyed --keyed key -f csv tree/small").code(0).prints("blake3-keyed");
    t.run("hash -c blake3-keyed tree").code(64).says("blake3-keyed needs its key: --keyed FILE");
    t.run("hash -c sha256 --keyed key tree").code(64).says("--keyed: -c names no blake3");
    t.run("hash -c md5 --length 9 tree").code(64).says("--length: -c names no blake3");
    t.run("hash --length 65 tree").code(64);
    t.run("hash --length 0 tree").code(64);
    t.run("hash -c blake3,blake3:9 --length 16 tree").code(64).says("blake3:16 twice");
    t.run("hash --length 16 -f csv tree/small").code(0).prints("blake3:16");
    t.run("hash --keyed key -o m tree --resume")
        .code(64)
        .says("--resume: nothing tells whether it is the same key");
    t.run("diff --keyed key tree tree").code(0);
    t.run("diff -c md5 --keyed key tree tree").code(64);
});
