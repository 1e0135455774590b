//! `hashloom check`: lists of our own and of other tools, in both directions.

use crate::case;
use crate::util::Place;

fn two(t: &Place) -> &Place {
    t.file("a", "1").file("b", "2").run("hash -c sha256 -f sums -o sums a b").code(0);
    t
}

case!(verdicts_are_those_of_sha256sum, |t| {
    two(t).file("c", "3").file("back\\slash\nname", "4");
    t.run("hash -c sha256 -f sums -o sums a b c back\\slash\nname").code(2);
    t.shell("$hashloom hash -c sha256 -f sums -o sums a b c 'back\\slash\nname'").code(0);
    t.file("b", "changed").remove("c");
    let ran = t
        .run("check sums")
        .code(1)
        .prints("a: OK\nb: FAILED\nc: FAILED open or read\n\\back\\\\slash\\nname: OK\n");
    let ran = ran
        .says("WARNING: 1 computed checksum did NOT match")
        .says("WARNING: 1 listed file could not be read");
    if let Some(other) = t.other("sha256sum", "-c sums") {
        other.code(1).is(ran.stdout());
    }
});

case!(options_are_those_of_sha256sum, |t| {
    two(t).file("b", "changed");
    t.run("check --quiet sums").code(1).is("b: FAILED\n");
    t.run("check --status sums").code(1).is("").quiet();
    t.remove("b").run("check --ignore-missing sums").code(0).is("a: OK\n").quiet();
    t.remove("a").run("check --ignore-missing sums").code(1).is("").says("no file was verified");
});

case!(malformed_lines_are_named_and_the_rest_is_checked, |t| {
    two(t);
    let mut list = t.read("sums");
    list.extend_from_slice(b"900150983cd24fb0d6963f7d28e17f  b\n");
    t.file("sums", list)
        .run("check sums")
        .code(2)
        .prints("a: OK\nb: OK\n")
        .says("sums: line 3: ")
        .says("1 line is improperly");
    t.run("check --status sums").code(2).is("").quiet();
    t.run("check --strict --warn sums").code(2);
});

case!(what_is_no_list_is_not_usable, |t| {
    t.file("empty", "").file("noise", "hello\nworld\n");
    t.run("check empty").code(64).says("empty: is empty");
    t.run("check noise").code(64).says("noise: is no manifest");
    t.run("check nosuch").code(64).says("nosuch: cannot open");
});

case!(new_files_are_reported_on_demand, |t| {
    t.file("d/a", "1").file("d/e/b", "2").run("hash -f sums -o sums d").code(0);
    t.run("check --new sums").code(0);
    t.file("d/e/c", "3").file("elsewhere", "4");
    t.run("check sums").code(0);
    t.run("check --new sums").code(1).is("d/a: OK\nd/e/b: OK\nd/e/c: NEW\n");
});

case!(unnamed_digests_are_learnt_from_the_first_match, |t| {
    t.file("a", "1").file("b", "2").file("c", "3");
    for algorithm in ["sha256", "blake3", "sha3-256", "blake2s-256", "sm3"] {
        t.run(&format!("hash -c {algorithm} -f sums -o list a b c")).code(0);
        t.file("a", "changed").run("check list").code(1).is("a: FAILED\nb: OK\nc: OK\n");
        t.file("a", "1").run(&format!("check -c {algorithm} list")).code(0);
    }
    t.run("check -c md5 list").code(2).says("md5 has 32 hexadecimal digits, not 64");
});

case!(a_list_comes_from_standard_input_too, |t| {
    let list = two(t).read("sums");
    t.feed("check -", list).code(0).is("a: OK\nb: OK\n");
});

case!(one_file_in_several_lines_is_read_once, |t| {
    t.file("a", "1").run("hash -c md5,sha256,crc32 -f bsd -o list a").code(0);
    t.run("check list").code(0).is("a: OK\na: OK\na: OK\n");
    t.run("check --stats=json list").says("\"hashed\":1,");
});

case!(sizes_are_checked_where_a_list_has_them, |t| {
    t.file("a", "1").run("hash -o known a").code(0);
    let text = String::from_utf8(t.read("known")).unwrap().replace("\n1,", "\n2,");
    t.file("known", text).run("check known").code(1).is("a: FAILED\n");
});

case!(a_list_cannot_make_us_wait_for_a_fifo, |t| {
    t.file("a", "1").run("hash -f sums -o list a").code(0);
    t.remove("a").fifo("a").run("check list").code(2).prints("a: FAILED open or read");
});

case!(lists_of_other_tools_are_understood, |t| {
    t.odd_names();
    for (tool, args) in [
        ("sha256sum", ""),
        ("sha256sum", "--tag"),
        ("md5sum", ""),
        ("sha1sum", "--tag"),
        ("sha512sum", ""),
        ("b2sum", "--tag"),
        ("b2sum", "-l 256 --tag"),
        ("cksum", "-a sm3"),
        // Without --tag: Debian 12 has a b3sum that does not know it.
        ("b3sum", ""),
    ] {
        // b3sum cannot write names that are no text.
        let names = if tool == "b3sum" { "tree/[a-k]*" } else { "tree/*" };
        if t.other(tool, "--version").is_some() {
            t.shell(&format!("{tool} {args} {names} > list")).code(0);
            t.run("check --quiet list").code(0).is("").quiet();
        }
    }
});

case!(lists_of_tools_without_escaping_are_understood, |t| {
    for name in ["plain", "with space", "comma,s", "(paren) = x", "gr\u{f6}\u{df}e", "%%%% x"] {
        t.file(format!("tree/{name}"), name);
    }
    for (tool, args) in [
        ("cksum", ""),
        ("xxhsum", "-H0"),
        ("xxhsum", "-H1"),
        ("xxhsum", "-H2"),
        ("xxhsum", "-H1 --tag"),
        ("xxhsum", "-H3"),
        ("rhash", "--sha256"),
        ("rhash", "--md5 --bsd"),
        ("rhash", "--crc32"),
        ("hashdeep", "-c md5,sha256"),
        ("openssl", "dgst -sha256"),
    ] {
        if crate::util::installed(tool).is_some() {
            t.shell(&format!("{tool} {args} tree/* > list")).code(0);
            t.run("check --quiet list").code(0).is("").quiet();
        }
    }
});

case!(other_tools_understand_our_lists, |t| {
    t.odd_names();
    for (tool, algorithm) in
        [("sha256sum", "sha256"), ("md5sum", "md5"), ("b2sum", "blake2b-512"), ("sha1sum", "sha1")]
    {
        for format in ["sums", "bsd"] {
            t.run(&format!("hash -c {algorithm} -f {format} -o list tree")).code(0);
            t.other(tool, "--strict --quiet -c list").map(|ran| ran.code(0).quiet().is(""));
        }
    }
    t.run("hash -f sums -o list --exclude *[!a-z]* tree").code(0);
    t.other("b3sum", "--quiet -c list").map(|ran| ran.code(0));
});

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

case!(what_coreutils_steps_over_is_named_and_no_failure, |t| {
    t.file("a", "abc");
    let lines = format!("Release 1.2, checksums:\n\n# by hand\n{ABC}  a\n");
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{lines}-----BEGIN PGP SIGNATURE-----\n\nabc=\n\
         -----END PGP SIGNATURE-----\n"
    );
    for (name, list) in [("titled", &lines), ("signed", &signed)] {
        t.file(name, list);
        if let Some(other) = t.other("sha256sum", &format!("-c {name}")) {
            other.code(0).is("a: OK\n").says("improperly formatted");
        }
        t.run(&format!("check {name}")).code(0).is("a: OK\n").says("left out: it is no digest and name");
        t.run(&format!("check --strict {name}")).code(2).is("a: OK\n");
        t.run(&format!("convert -c sha256 {name} out.csv")).code(0).says("left out");
        t.run(&format!("audit -k {name} a")).code(0).says("left out").prints("matched: 1\n");
    }
    t.run("check signed").says("line 1: signature: of OpenPGP, not verified here");
    // A damaged line is no title, and a line that is not signed is not taken in.
    t.file("titled", format!("{lines}{}  b\n", &ABC[..60])).run("check titled").code(2);
    t.file("around", format!("{signed}{ABC}  b\n"));
    t.run("check around").code(2).is("a: OK\n").says("it stands outside of the signed text");
});

case!(documents_that_are_no_lists_are_refused_by_name, |t| {
    let text = format!("SPDXVersion: SPDX-2.3\nFileName: ./a\nFileChecksum: SHA256: {ABC}\n");
    t.file("a.spdx", text).file("a", "abc");
    for command in ["check a.spdx", "audit -k a.spdx a", "convert a.spdx out.csv"] {
        t.run(command).code(64).is("").says("is an SPDX document, which is not read here");
    }
    t.file("hashes", format!("certutil output\nSHA256 hash of a:\n{ABC}\n"));
    t.run("check hashes").code(64).says("is output of certutil");
});

case!(columns_of_a_table_are_all_compared, |t| {
    t.file("a", "abc");
    let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
    t.file("table.tsv", format!("name\tmd5\tsha1\tnote\na\t900150983cd24fb0d6963f7d28e17f72\t{sha1}\tx\n"));
    t.run("check table.tsv").code(0).is("a: OK\n").says("not taken in: \"note\"");
    t.file(
        "table.tsv",
        format!("name\tmd5\tsha1\tnote\na\t900150983cd24fb0d6963f7d28e17f72\t{}\tx\n", &ABC[..40]),
    );
    t.run("check table.tsv").code(1).is("a: FAILED\n");
});

case!(two_digests_of_one_length_are_each_found, |t| {
    t.file("a", "abc").file("b", "b");
    for options in [
        "--sha256 --sha3-256",
        "--sfv --sha256 --sha3-256",
        "-H --ripemd160",
        "-C --crc32c --sfv",
        "--sfv -C -M",
    ] {
        if crate::util::installed("rhash").is_some() {
            t.shell(&format!("rhash {options} a b > list")).code(0);
            t.run("check list").code(0).is("a: OK\nb: OK\n");
            t.file("b", "changed").run("check list").code(1).is("a: OK\nb: FAILED\n");
            t.file("b", "b");
        }
    }
});

case!(xxhsum_checks_our_lists, |t| {
    t.odd_names();
    for algorithm in ["xxh32", "xxh64", "xxh128", "xxh3"] {
        for format in ["sums", "bsd"] {
            // Line feeds and carriage returns in names are more than versions before 0.8.3 know.
            t.shell(&format!("$hashloom hash -c {algorithm} -f {format} tree | grep -v '^.\\?\\\\' > list"))
                .code(0);
            t.other("xxhsum", "--strict -c list").map(|ran| ran.code(0));
            t.run("check --quiet list").code(0).is("").quiet();
        }
    }
});
