//! `hashmill hash`: formats, operands, filters, order, outputs.

use crate::case;
use crate::util::golden;

/// Makes a tree with the same records on every machine.
fn tree(t: &crate::util::Place) -> &crate::util::Place {
    t.file("tree/a", "abc")
        .file("tree/sub/b", "")
        .file("tree/sub.c", "c\n")
        .file("tree/z\n", "newline")
        .link("tree/link", "a")
}

case!(every_format_is_as_stored, |t| {
    tree(t);
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv"] {
        golden(
            &format!("tree.{format}"),
            t.run(&format!("hash -c sha256,md5 -f {format} tree")).code(0).stdout(),
        );
    }
});

case!(pieces_come_before_their_file, |t| {
    t.file("f", "0123456789");
    golden("pieces.jsonl", t.run("hash -p 4 -f jsonl f").code(0).quiet().stdout());
    golden("pieces.hashdeep", t.run("hash -p 4 f").code(0).quiet().stdout());
    t.run("hash -p 4 -f sums f").code(64).says("sums has no pieces");
});

case!(hashdeep_reads_the_lists_of_its_format_that_have_its_digests, |t| {
    t.file("tree/a", "a");
    t.run("hash -o default tree").code(0).quiet();
    t.run("hash -f hashdeep -o list --force tree")
        .code(0)
        .says("hashdeep itself has no blake3 and can't read");
    t.run("hash -f hashdeep -c md5,sha256 -o own tree").code(0).quiet();
    let audited = |list| t.other("hashdeep", &format!("-r -l -a -k {list} tree"));
    let Some(own) = audited("own") else { return };
    own.code(0).prints("Audit passed");
    assert_ne!(audited("default").unwrap().exit(), Some(0));
});

case!(paths_are_bytes_in_every_format, |t| {
    t.odd_names();
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv"] {
        t.run(&format!("hash -c sha256 -f {format} -o known tree")).code(0).quiet();
        let ran = t.run("check --quiet --strict --new known").code(0).quiet().is("");
        assert!(ran.stdout().is_empty(), "{format}");
    }
});

case!(threads_do_not_show_in_the_output, |t| {
    for number in 0..300_u32 {
        t.file(format!("tree/{}/{number}", number % 7), vec![number as u8; (number * 997) as usize]);
    }
    let one = t.run("hash -j1 tree").code(0).quiet();
    t.run("hash -j8 tree").code(0).is(one.stdout());
    t.run("hash -j3 -m 2M tree").code(0).is(one.stdout());
    let any = t.run("hash -j8 --order any tree").code(0);
    let sorted = |text: &[u8]| {
        let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(any.stdout()), sorted(one.stdout()));
});

case!(standard_input_is_the_default_and_a_dash, |t| {
    let ran = t.feed("hash", "abc").code(0).quiet().prints(",-\n");
    t.feed("hash -", "abc").code(0).is(ran.stdout());
    t.file("f", "x");
    t.feed("hash f - f", "abc").code(0).prints("f\n").prints(",-\n");
});

case!(lists_of_paths_are_read, |t| {
    t.file("a", "1").file("b c", "2").file("d\ne", "3").file("-", "4");
    let wanted = t.run("hash -f sums a").code(0);
    t.file("list", "a\n\nb c")
        .run("hash -f sums --files-from list")
        .code(0)
        .prints(wanted.stdout())
        .prints("  b c\n");
    t.feed("hash -f sums -0 --files-from -", "d\ne\0a\0").code(0).prints("  d\\ne\n").prints("  a\n");
    t.feed("hash -f sums --files-from -", "-\n").code(0).prints("  ./-\n");
    t.feed("hash --files-from - -", "a\n").code(64).says("both");
    t.run("hash --files-from nosuch").code(64).says("nosuch: cannot open");
    t.file("empty", "").run("hash -f sums --files-from empty").code(0).is("");
});

case!(filters_choose_files, |t| {
    t.file("tree/a.c", "12345")
        .file("tree/b.h", "1")
        .file("tree/out/c.c", "12345")
        .file("tree/big", vec![0; 5000]);
    let ran = |options: &str| t.run(&format!("hash -f sums {options} tree")).code(0);
    let hash = |options: &str| ran(options).quiet();
    hash("--include *.c").prints("tree/a.c").prints("tree/out/c.c");
    assert_eq!(hash("--include *.c --exclude out").stdout().iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(hash("--min-size 5 --max-size 4K").stdout().iter().filter(|byte| **byte == b'\n').count(), 2);
    ran("--newer 2999-01-01").is("").says("nothing was read: 4 entries were left out");
    hash("--newer 1999-01-01T00:00:00+02:00").prints("tree/big");
    ran("--newer tree/big");
});

case!(links_are_followed_only_on_demand, |t| {
    t.file("tree/a", "1").file("other/b", "2").link("tree/l", "../other").link("tree/dangling", "nowhere");
    t.run("hash -f sums tree").code(0).says("2 entries skipped: 2 x symbolic link");
    t.run("hash -f sums --follow tree").code(2).prints("tree/l/b").says("tree/dangling: ");
    t.run("hash -f jsonl tree")
        .code(0)
        .quiet()
        .prints("{\"path\":\"tree/l\",\"status\":\"skipped\",\"reason\":\"symlink\"}\n");
});

case!(fifos_are_skipped_and_named, |t| {
    t.file("tree/a", "1").fifo("tree/pipe");
    t.run("hash tree").code(0).says("1 entry skipped: 1 x FIFO");
    t.shell("printf abc | $hashmill hash -f sums /dev/stdin").code(0).quiet();
    let ran = t.run("hash -f sums tree/pipe tree/a").code(2).prints("  tree/a\n");
    ran.says("tree/pipe: cannot open: it is a FIFO, and no program opened it to write within 5 s");
    t.shell("(printf 1 > tree/pipe) & $hashmill hash -f sums tree/pipe").code(0).quiet();
    t.shell("bash -c '\"$hashmill\" hash -f sums <(printf abc)'").code(0).quiet();
});

case!(a_missing_operand_is_named_and_the_rest_is_hashed, |t| {
    t.file("a", "1");
    t.run("hash -f sums nosuch a")
        .code(2)
        .prints("  a\n")
        .says("hashmill: nosuch: cannot look it up: No such file");
    t.run("hash -f jsonl nosuch").code(2).prints("\"status\":\"unreadable\"");
});

case!(counts_add_up, |t| {
    t.file("tree/a", "1").file("tree/b", "22").link("tree/l", "a");
    let ran = t.run("hash --stats=json tree nosuch").code(2);
    let line = ran.stderr().lines().find(|line| line.starts_with('{')).unwrap().to_string();
    let stats: serde_json::Value = serde_json::from_str(&line).unwrap();
    let number = |name: &str| stats[name].as_u64().unwrap();
    assert_eq!(number("seen"), number("hashed") + number("skipped") + number("failed"));
    assert_eq!([number("seen"), number("hashed"), number("skipped"), number("failed")], [4, 2, 1, 1]);
    assert_eq!(number("bytes"), 3);
    assert!(number("peak_memory") > 0);
    t.run("hash --stats tree").code(0).says("seen 3 = hashed 2 + skipped 1 + failed 0\n");
});

case!(the_output_is_left_out_of_the_walk, |t| {
    t.file("a", "1");
    t.run("hash -f sums -o out .").code(0).quiet();
    let first = t.read("out");
    t.run("hash -f sums -o out .").code(0).quiet();
    assert_eq!(t.read("out"), first);
    assert_eq!(t.leftovers(), Vec::<String>::new());
    t.remove("out").shell("$hashmill hash -f sums . > out").code(0).quiet();
    assert_eq!(t.read("out"), first);
});

case!(an_output_is_replaced_through_its_link, |t| {
    t.file("a", "1").file("real", "old").link("out", "real");
    t.run("hash -o out a").code(64).says("out: not replaced");
    t.run("hash -o out --force a").code(0).quiet();
    assert!(t.read("real").starts_with(b"%%%%") && t.path("out").is_symlink());
    t.run("hash -o /dev/stdout a").code(0).prints("%%%%");
    t.run("hash -o - a").code(0).prints("%%%%");
    t.run("hash -o . a").code(64).says("is a directory");
    t.run("hash -o no/such/dir a").code(2).says("No such file");
});

case!(progress_is_shown_on_demand, |t| {
    t.file("a", "1");
    t.run("hash --progress never a").code(0).quiet();
    t.run("hash --progress auto a").code(0).quiet();
    t.run("hash --progress always a").code(0).prints(",a\n");
});

case!(names_cannot_speak_to_the_terminal, |t| {
    t.run("hash a\x1b[31m\u{202e}b").code(2).says("a\\u{1b}[31m\\u{202e}b: cannot look it up");
});

case!(without_directories_only_the_files_of_the_operands_are_hashed, |t| {
    t.file("tree/a", "a").file("tree/below/b", "b").file("tree/below/deeper/c", "c");
    t.run("hash -c md5 -f sums --exclude */ tree").code(0).is("0cc175b9c0f1b6a831c399e269772661  tree/a\n");
});

case!(the_name_of_the_output_says_the_format, |t| {
    t.file("photos/a.jpg", "abc");
    for (name, begin) in [
        ("m.jsonl", "{\"path\""),
        ("m.json", "{\"path\""),
        ("m.csv", "path,"),
        ("m.xml", "<?xml"),
        ("m.parquet", "PAR1"),
        ("m.db", "SQLite format 3"),
        ("photos.manifest", "%%%% HASHDEEP"),
        ("photos.hash", "%%%% HASHDEEP"),
    ] {
        t.run(&format!("hash -o {name} photos")).code(0).quiet();
        let text = t.read(name);
        assert!(text.starts_with(begin.as_bytes()), "{name}: {}", String::from_utf8_lossy(&text));
        t.run(&format!("audit -k {name} photos")).code(0).prints("matched: 1");
    }
    // Typed options win.
    t.run("hash -f bsd -c sha256 -o m2.csv photos").code(0);
    assert!(t.read("m2.csv").starts_with(b"SHA256 ("));
    t.run("known build -o set --bad m.jsonl").code(0);
    t.run("known match --known-set set --show all -o found.csv photos").code(1);
    assert!(t.read("found.csv").starts_with(b"path,"));
});

case!(the_name_of_a_list_says_its_algorithm, |t| {
    t.file("photos/a.jpg", "abc");
    for (name, program) in [("SHA256SUMS", "sha256sum"), ("photos.md5", "md5sum"), ("B2SUMS", "b2sum")] {
        t.run(&format!("hash -o {name} photos")).code(0).quiet();
        t.shell(&format!("{program} -c {name}")).code(0);
    }
    t.run("hash -o photos.sfv photos").code(0).quiet();
    t.run("check photos.sfv").code(0);
    t.run("hash -c md5 -o SHA1SUMS photos")
        .code(64)
        .says("SHA1SUMS: the name implies sha1, but -c says md5: use -c sha1, or");
    assert!(!t.has("SHA1SUMS"));
});

case!(formats_have_the_names_that_people_use, |t| {
    t.file("a", "abc");
    for (alias, name) in [
        ("json", "jsonl"),
        ("ndjson", "jsonl"),
        ("xml", "dfxml"),
        ("coreutils", "sums"),
        ("gnu", "sums"),
        ("tag", "bsd"),
    ] {
        let strip = |ran: &crate::util::Ran| {
            // DFXML says when it was made.
            let text = String::from_utf8_lossy(ran.stdout()).into_owned();
            text.lines().filter(|line| !line.contains("time>")).map(str::to_string).collect::<Vec<_>>()
        };
        let wanted = strip(&t.run(&format!("hash -f {name} a")).code(0));
        assert_eq!(strip(&t.run(&format!("hash -f {alias} a")).code(0)), wanted, "{alias}");
    }
    t.run("check -f ndjson nosuch").code(64).says("nosuch");
    t.run("hash -f nosuch a").code(64).says("possible values: hashdeep, sums");
});
