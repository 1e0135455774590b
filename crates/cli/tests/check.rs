//! `hashmill check`: lists of our own and of other tools, in both directions.

use crate::case;
use crate::util::Place;

fn two(t: &Place) -> &Place {
    t.file("a", "1").file("b", "2").run("hash -c sha256 -f sums -o sums a b").code(0);
    t
}

case!(verdicts_are_those_of_sha256sum, |t| {
    two(t).file("c", "3").file("back\\slash\nname", "4");
    t.run("hash -c sha256 -f sums -o sums a b c back\\slash\nname").code(2);
    t.shell("$hashmill hash -c sha256 -f sums -o sums a b c 'back\\slash\nname'").code(0);
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
    t.remove("b").run("check --ignore-missing -c sha256 sums").code(0).is("a: OK\n").quiet();
    t.remove("a").run("check --ignore-missing sums").code(1).is("").says("no file was verified");
});

case!(a_list_that_names_no_file_is_unusable_for_all_commands, |t| {
    t.file("d/a", "a").file("only.hashdeep", "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## a comment\n");
    t.file("comments", "# a comment\n").file("header.csv", "path,size,status,md5\n").file("none.json", "[]");
    for list in ["only.hashdeep", "comments", "header.csv", "none.json"] {
        for command in ["check", "audit -k", "diff d", "known build -o s.hmk --bad"] {
            let operand = if command == "audit -k" { " d" } else { "" };
            t.run(&format!("{command} {list}{operand}")).code(64);
        }
    }
    t.run("check only.hashdeep").says("only.hashdeep: names no file");
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
    t.run("check noise").code(64).says("noise: is not a manifest");
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

// By all algorithms of a length a large file takes many times as long as by its own.
case!(
    #[ignore = "campaign: takes long"]
    a_large_file_is_hashed_by_the_likeliest_algorithm_first,
    |t| {
        let bytes: Vec<u8> = (0..9_000_000_u32).map(|at| (at % 251) as u8).collect();
        t.file("large", &bytes);
        for (algorithm, told) in [("sha256", false), ("blake3", true), ("sm3", true)] {
            t.run(&format!("hash -c {algorithm} -f sums -o list large")).code(0);
            let ran = t.run("check --stats=json list").code(0).is("large: OK\n").says("\"hashed\":1,");
            let notice = "list: no algorithm is named; large (9 MiB) does not match by the likeliest and is now hashed by";
            assert_eq!(ran.stderr().contains(notice), told, "{}", ran.stderr());
        }
        // One byte is another: by none of them it matches, and one reading for each step has shown that.
        let mut other = bytes;
        other[8_000_000] ^= 1;
        t.file("large", &other);
        t.run("check --stats=json list").code(1).prints("large: FAILED\n").says("\"hashed\":1,");
    }
);

case!(a_late_match_shows_the_algorithm_too, |t| {
    for number in 100..200 {
        t.file(format!("t/{number}"), format!("{number}"));
    }
    t.run("hash -c sha256 -f sums -o m t").code(0);
    for number in 100..190 {
        t.file(format!("t/{number}"), format!("changed {number}"));
    }
    for command in ["check m", "audit -k m t", "diff m t", "diff t m"] {
        let ran = t.run(command).code(1).says("no algorithm is named; guessed: sha256");
        assert!(!ran.stderr().contains("nothing names"), "{command}: {}", ran.stderr());
    }
    for number in 190..200 {
        t.file(format!("t/{number}"), "changed");
    }
    for command in ["check m", "audit -k m t", "diff m t", "diff t m"] {
        t.run(command).code(1).says("nothing names the algorithm of the digests with 64");
    }
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
    for (algorithm, option) in [("xxh32", "-H0"), ("xxh64", "-H1"), ("xxh128", "-H2")] {
        if crate::util::installed("xxhsum").is_some() {
            t.shell(&format!("xxhsum {option} tree/* > x.{algorithm}; cp x.{algorithm} list")).code(0);
            t.run(&format!("check --quiet x.{algorithm}")).code(0).is("").quiet();
            t.run(&format!("check --quiet -c {algorithm} list")).code(0).is("").quiet();
        }
    }
});

case!(a_list_that_anyone_can_forge_is_not_taken_for_a_good_one, |t| {
    t.file("a", "hi\n");
    t.run("hash -c xxh128 -f bsd -o tagged a").code(0);
    // The output of `xxhsum -H2` looks like a list of MD5; so does a forged one.
    t.shell(r"sed 's/.*(\(.*\)) = \(.*\)/\2  \1/' tagged > list").code(0);
    t.run("check list").code(1).is("a: FAILED\n").says("files match by xxh128");
    t.run("audit -k list a").code(1).says("files match by xxh128: name it with -c xxh128");
    t.run("check -c md5 list").code(1).is("a: FAILED\n");
    t.run("check -c xxh128 list").code(0).quiet().is("a: OK\n");
    t.run("check tagged").code(0).quiet();
    t.file("x.xxh128", t.read("list")).run("check x.xxh128").code(0).quiet();
    if crate::util::installed("xxhsum").is_some() {
        t.shell("xxhsum -H2 a > list").code(0);
        t.run("check --quiet list").code(1);
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
    t.run("hash -f sums -o list --force --exclude *[!a-z]* tree").code(0);
    t.other("b3sum", "--quiet -c list").map(|ran| ran.code(0));
});

case!(
    #[ignore = "campaign: takes long"]
    a_list_of_any_length_is_read_in_bounded_memory,
    |t| {
        t.file("there", "1").run("hash -c sha256 -f sums -o list there").code(0);
        let digest = String::from_utf8(t.read("list")).unwrap()[..64].to_string();
        let missing = (0..400_000).map(|number| format!("{digest}  nowhere/at/all/in/a/folder/{number}\n"));
        let text: String = missing.collect();
        t.file("list", format!("{text}{digest}  there\n{text}{digest}  ./there\n"));
        let ran = t.run("check --ignore-missing -j2 -m 8M --stats=json list").code(0);
        let text = ran.is("there: OK\n./there: OK\n").stderr();
        let stats: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let peak = stats["peak_memory"].as_u64().unwrap();
        // So many lines would take 530 MB if all were held. A machine with other work lets more files wait for their
        // turn: up to 280 MB were seen, and 65 alone.
        assert!(peak < 450 << 20, "{peak}");
    }
);

/// Lines so long that some 4,000 of them make a window.
fn long_lines(t: &Place, number: usize, name: impl Fn(usize) -> String) -> (String, Vec<String>) {
    let far = "./".repeat(1900);
    let digest = |name: &str| {
        let ran = t.run(&format!("hash -c md5 -f sums {name}")).code(0);
        String::from_utf8(ran.stdout()[..32].to_vec()).unwrap()
    };
    let digests = ["a", "b"].map(digest);
    let names: Vec<String> = (0..number).map(|line| format!("{far}{}", name(line))).collect();
    let lines = names.iter().enumerate().map(|(line, name)| format!("{}  {name}\n", digests[line % 2]));
    (lines.collect(), names)
}

case!(
    #[ignore = "campaign: takes long"]
    windows_of_a_list_are_not_seen,
    |t| {
        t.file("a", "1").file("b", "2");
        let (text, names) = long_lines(t, 9_000, |line| ["a", "b", "a", "b", "b"][line % 5].into());
        t.file("list", text);
        let right = |line: usize| ["a", "b"][line % 2] == ["a", "b", "a", "b", "b"][line % 5];
        let expected = names
            .iter()
            .enumerate()
            .map(|(line, name)| format!("{name}: {}\n", if right(line) { "OK" } else { "FAILED" }));
        let expected: String = expected.collect();
        for options in ["-j1", "-j4", "-j4 -m 16M"] {
            let ran = t.run(&format!("check {options} list")).code(1).is(&expected);
            ran.says(&format!(
                "{} computed checksums did NOT match",
                (0..9_000).filter(|line| !right(*line)).count()
            ));
        }
        t.feed("check -j2 -", t.read("list")).code(1).is(&expected);
    }
);

case!(lines_of_several_algorithms_keep_their_order, |t| {
    t.file("a", "1").file("b", "2").file("c", "3");
    for name in ["a", "b", "c"] {
        t.shell(&format!("$hashmill hash -c md5,sha1,sha256 -f bsd {name} >> list")).code(0);
    }
    // By digest, so that no two lines of a file or of an algorithm need stand side by side.
    t.shell("sort -t= -k2 list > mixed; sed 's/.*(\\(.*\\)).*/\\1: OK/' mixed > expected").code(0);
    for options in ["-j1", "-j3"] {
        t.run(&format!("check {options} mixed")).code(0).is(t.read("expected"));
    }
});

/// Digests of the file `a`, which holds `hi` and a line feed, by algorithms that are not here: the name that is
/// said, the tag, the ending of a list's name, the digest.
const FOREIGN: &[(&str, &str, &str, &str)] = &[
    ("MD2", "MD2  ", "md2", "7291db6af45a90d1f945751cb095f193"),
    ("SHA-512/224", "SHA2-512/224", "", "995961574682d8caf98e9ef9edc786287bcd2d50c8b72fd56b1b7928"),
    ("SHAKE128-128", "SHAKE-128", "", "2da148f0a886147f20bbf0deae3a5d14"),
];

/// Digests of the same file by algorithms of rhash, b2sum and b3sum: option of rhash, tag, ending, digest.
const OF_OTHERS: &[(&str, &str, &str, &str)] = &[
    ("--md4", "MD4  ", "md4", "7291db6af45a90d1f945751cb095f193"),
    ("--ed2k", "ED2K ", "ed2k", "7291db6af45a90d1f945751cb095f193"),
    ("--aich", "AICH ", "aich", "kxfgfbxd4t2pxjoqisbth6uz7rneastt"),
    ("--tth", "TTH  ", "tth", "5ic6v5nh2ecns4no3vrjlitplxyb7scm3ebgu5i"),
    ("--btih", "BTIH", "btih", "383b7e739b7388706a3fdf0cb2362bbfbb1f8a6a"),
    ("--has160", "HAS-160", "has160", "5885b971b9e6bee12490a6003b5f53fa1a68471e"),
    ("--gost94", "GOST94", "gost94", "eaf5438500ec16ddc088aaf020f4c22caf4d5f3e40400cd9e124cbd9ccfaa6e0"),
    (
        "--gost94-cryptopro",
        "GOST94-CRYPTOPRO",
        "gost94-cryptopro.txt",
        "89e97daf608f4cb6e16ee4457b80521edf8b916412d58a324fb5b5de144eb730",
    ),
    ("--snefru128", "SNEFRU-128", "snefru128", "551398cc7e15c36f883300ab24e6bc0c"),
    (
        "--snefru256",
        "SNEFRU-256",
        "snefru256",
        "adf394f655946d41192dd6553f028c7d8d1838b6136a947c59ddae07d0a051a8",
    ),
    (
        "--edonr256",
        "EDON-R256",
        "edonr256",
        "6febb05a5b5006c62703e2fbe9e4af319d670c83fdb292ae190d15d50bbdfbf0",
    ),
    ("", "BLAKE2b-128", "b2", "d34d45c68b57eca5c771e244c320c794"),
    ("", "BLAKE3-128", "b3", "0b8b60248fad7ac6dfac221b7e01a8b9"),
];

case!(digests_that_are_not_here_are_unsupported_and_not_failed, |t| {
    t.file("a", "hi\n");
    for (name, tag, ending, digest) in FOREIGN {
        let warning = format!("1 digest is unsupported: hashmill does not have {name}");
        t.file("list", format!("{tag} (a) = {digest}\n"));
        t.run("check list").code(2).is("a: UNSUPPORTED\n").says(&warning);
        // As OpenSSL writes it.
        t.file("list", format!("{}(a)= {digest}\n", tag.trim()));
        t.run("check -q list").code(2).is("a: UNSUPPORTED\n");
        t.run("check --status list").code(2).is("").quiet();
        if ending.is_empty() {
            continue;
        }
        for line in [format!("{digest}  a\n"), format!("{}  a\n", digest.to_ascii_uppercase())] {
            t.file(format!("x.{ending}"), line);
            t.run(&format!("check x.{ending}")).code(2).is("a: UNSUPPORTED\n").says(&warning);
        }
        t.file("list", format!("; {name} checksums\n{digest}  a\n"));
        t.run("check list").code(2).is("a: UNSUPPORTED\n").says(&warning);
    }
});

case!(digests_of_other_tools_are_checked, |t| {
    t.file("a", "hi\n").file("b c", "ho\n");
    for (_, tag, ending, digest) in OF_OTHERS {
        t.file("list", format!("{tag} (a) = {digest}\n"));
        t.run("check list").code(0).is("a: OK\n");
        for line in [format!("{digest}  a\n"), format!("{}  a\n", digest.to_ascii_uppercase())] {
            t.file(format!("x.{ending}"), line);
            t.run(&format!("check x.{ending}")).code(0).is("a: OK\n");
        }
        t.file("list", format!("{tag} (b c) = {digest}\n"));
        t.run("check list").code(1).is("b c: FAILED\n");
    }
    t.file("list", "0b8b60248fad7ac6dfac221b7e01a8b9  a\n");
    // A request for whole BLAKE3 digests is not satisfied by truncated ones, which are easier to forge.
    t.run("check -c b3 list").code(2).says("blake3 has 64 hexadecimal digits, not 32");
    t.run("check -c blake3:16 list").code(0).is("a: OK\n");
});

case!(lists_of_rhash_are_checked, |t| {
    t.file("a", "hi\n").file("b c", "ho\n");
    for (option, _, ending, _) in OF_OTHERS.iter().filter(|(option, ..)| !option.is_empty()) {
        for (form, list) in [("", format!("x.{ending}")), ("--bsd", "list".into())] {
            let Some(ran) = t.other("rhash", &format!("{option} {form} a")) else { return };
            t.file(&list, ran.code(0).stdout());
            t.run(&format!("check {list}")).code(0).is("a: OK\n");
        }
    }
    for options in ["--ed2k-link", "--magnet --md5 --sha1 --btih --sha256", "--magnet --btih", "--magnet -a"]
    {
        t.shell(&format!("rhash {options} a 'b c' > list")).code(0);
        t.run("check list").code(0).is("a: OK\nb c: OK\n");
    }
    t.file("b c", "changed\n").run("check list").code(1).is("a: OK\nb c: FAILED\n");
    // Where nothing names them, some of the digests are of algorithms that are not guessed.
    for options in ["--btih --sha1", "-a", "--md5 --md4"] {
        t.file("b c", "ho\n").shell(&format!("rhash {options} a 'b c' > list")).code(0);
        t.run("check list").code(2).is("a: PARTLY VERIFIED\nb c: PARTLY VERIFIED\n");
        t.run("audit -k list").code(2).prints("partly-verified: 2\n");
        t.file("b c", "changed\n").run("check list").code(2).prints("b c: FAILED\n");
        t.run("audit -k list").code(2).prints("b c: changed\n");
    }
});

case!(lists_of_clouds_are_not_guessed, |t| {
    t.file("a", "hi\n").file("b c", vec![9; 5 << 20]);
    let turn = r"sed 's/.*(\(.*\)) = \(.*\)/\2  \1/'";
    t.shell(&format!("$hashmill hash -c hidrive -f bsd a 'b c' | {turn} > list")).code(0);
    t.run("check list").code(1).says("name it with -c (hidrive");
    t.run("check -c hidrive list").code(0).is("a: OK\nb c: OK\n");
    t.run("check -c sha1 list").code(1).is("a: FAILED\nb c: FAILED\n");
    // Twenty bytes are their own digest at Mail.ru, so a file could be made to fit any list of SHA-1.
    t.file("list", "68690a0000000000000000000000000000000000  a\n");
    t.run("check list").code(1).is("a: FAILED\n");
    t.run("check -c mailru list").code(0).is("a: OK\n");
});

case!(of_what_is_only_guessed_it_is_said_what_was_tried, |t| {
    t.file("a", "hi\n").file("b", "x").file("list", "8291db6af45a90d1f945751cb095f193  a\n");
    let ran = t.run("check list").code(1).is("a: FAILED\n");
    ran.says("no file was read that matches by md5; name it with -c (xxh128").says("lacks (MD2");
    t.run("check -c md5 list").code(1).is("a: FAILED\n").quiet_about("name it");
    t.file("x.md5", t.read("list")).run("check x.md5").code(1).quiet_about("name it");
    t.run("hash -c md5 -f sums -o good a b").code(0);
    t.file("b", "y").run("check good").code(1).is("a: OK\nb: FAILED\n").quiet_about("name it");
});

case!(unsupported_lines_keep_their_place_and_missing_files_are_missing, |t| {
    two(t);
    let md2 = |name: &str| format!("MD2 ({name}) = 7291db6af45a90d1f945751cb095f193\n");
    let list = t.read("sums");
    t.file("mixed", [md2("b").as_bytes(), &list, md2("gone").as_bytes(), md2("a").as_bytes()].concat());
    let ran = t.run("check mixed").code(2);
    let ran = ran.is("b: UNSUPPORTED\na: OK\nb: OK\ngone: FAILED open or read\na: UNSUPPORTED\n");
    ran.says("3 digests are unsupported").says("1 listed file could not be read");
    t.run("check --ignore-missing mixed").code(2).is("b: UNSUPPORTED\na: OK\nb: OK\na: UNSUPPORTED\n");
    t.file("only", md2("gone")).run("check only").code(1);
    t.file("short", "MD2 (a) = 7291\n").run("check short").code(2).says("improperly formatted");
});

case!(other_formats_tell_what_is_unsupported_too, |t| {
    t.file("a", "hi\n");
    let md2 = "7291db6af45a90d1f945751cb095f193";
    for (name, text) in [
        ("m.jsonl", format!("{{\"path\":\"a\",\"md2\":\"{md2}\"}}\n")),
        ("m.csv", format!("path,md2\na,{md2}\n")),
        ("m.hashdeep", format!("%%%% HASHDEEP-1.0\n%%%% size,md2,filename\n3,{md2},a\n")),
    ] {
        t.file(name, text).run(&format!("check {name}")).code(2).is("a: UNSUPPORTED\n").says("MD2");
    }
    // One digest that can be computed is enough.
    t.run("hash -c md5 -f jsonl -o good.jsonl a").code(0);
    let text = String::from_utf8(t.read("good.jsonl")).unwrap();
    t.file("good.jsonl", text.replace("}", &format!(",\"md2\":\"{md2}\"}}")));
    t.run("check good.jsonl").code(0).is("a: OK\n").quiet();
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
        t.run(&format!("check {name}")).code(0).is("a: OK\n").says("left out: not a digest and a name");
        t.run(&format!("check --strict {name}")).code(2).is("a: OK\n");
        t.run(&format!("convert -c sha256 {name} out.csv")).code(0).says("left out");
        t.run(&format!("audit -k {name} a")).code(0).says("left out").prints("matched: 1\n");
    }
    t.run("check signed").says("line 1: signature: of OpenPGP, not verified here");
    // A damaged line is no title, and a line that is not signed is not taken in.
    t.file("titled", format!("{lines}{}  b\n", &ABC[..60])).run("check titled").code(2);
    t.file("around", format!("{signed}{ABC}  b\n"));
    t.run("check around").code(2).is("a: OK\n").says("it is outside the signed text");
});

case!(a_document_of_spdx_is_a_list, |t| {
    let text = format!("SPDXVersion: SPDX-2.3\nFileName: ./a\nFileChecksum: SHA256: {ABC}\n");
    t.file("a.spdx", text).file("a", "abc");
    t.run("check a.spdx").code(0).is("./a: OK\n");
    t.run("audit -k a.spdx a").code(0).prints("matched: 1\n");
    t.file("a", "abd").run("check a.spdx").code(1).is("./a: FAILED\n");
});

case!(documents_that_are_no_lists_are_refused_by_name, |t| {
    t.file("a", "abc");
    t.file("hashes", format!("SHA256-Hash von a:\n{ABC}\nCertUtil: -hashfile-Befehl wurde ausgeführt.\n"));
    t.run("check hashes").code(64).says("is output of certutil in another language");
});

case!(columns_of_a_table_are_all_compared, |t| {
    t.file("a", "abc");
    let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
    t.file("table.tsv", format!("name\tmd5\tsha1\tnote\na\t900150983cd24fb0d6963f7d28e17f72\t{sha1}\tx\n"));
    t.run("check table.tsv").code(0).is("a: OK\n").says("left out: \"note\"");
    t.file(
        "table.tsv",
        format!("name\tmd5\tsha1\tnote\na\t900150983cd24fb0d6963f7d28e17f72\t{}\tx\n", &ABC[..40]),
    );
    t.run("check table.tsv").code(1).is("a: FAILED\n");
});

case!(two_digests_of_one_length_are_each_found, |t| {
    t.file("a", "abc").file("b", "b");
    for options in ["--sha256 --sha3-256", "--sfv --sha256 --sha3-256", "-H --ripemd160", "--sfv -C -M"] {
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
            t.shell(&format!("$hashmill hash -c {algorithm} -f {format} tree | grep -v '^.\\?\\\\' > list"))
                .code(0);
            t.other("xxhsum", "--strict -c list").map(|ran| ran.code(0));
            t.run(&format!("check -c {algorithm} --quiet list")).code(0).is("").quiet();
            t.run("check --quiet list").code(0).is("").quiet();
        }
    }
});

case!(an_installed_python_package_is_checked_by_its_record, |t| {
    t.file("a/__init__.py", "abc").file("a/b,c.py", "");
    t.file(
        "a-1.dist-info/RECORD",
        "a/__init__.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\r\n\
         \"a/b,c.py\",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\na-1.dist-info/RECORD,,\r\n",
    );
    t.run("check a-1.dist-info/RECORD").code(0).is("a/__init__.py: OK\na/b,c.py: OK\n");
    t.file("a/__init__.py", "abd")
        .run("check a-1.dist-info/RECORD")
        .code(1)
        .prints("a/__init__.py: FAILED\n");
});

case!(a_tree_is_checked_by_the_manifest_of_gentoo, |t| {
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    t.file("files/fix.patch", "abc").file("with space", "abc");
    t.file(
        "Manifest",
        format!("TIMESTAMP 2026-01-01T00:00:00Z\nAUX fix.patch 3 SHA256 {sha256}\nDATA with\\x20space 3 SHA256 {sha256}\n"),
    );
    t.run("check Manifest").code(0).is("files/fix.patch: OK\nwith space: OK\n");
    t.file("with space", "abcd").run("audit -k Manifest").code(1).prints("with space: changed\n");
});

case!(a_list_from_windows_names_files_with_backslashes, |t| {
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    t.file("sub/a b.txt", "abc").file("back\\slash", "abc");
    t.file("list.md5", format!("{md5} *sub\\a b.txt\r\n{md5} *back\\slash\r\n{md5} *sub\\none\r\n"));
    // A name is taken as it is written where there is something of that name.
    t.run("check list.md5")
        .code(1)
        .prints("sub/a b.txt: OK\n")
        .prints("\\back\\\\slash: OK\n")
        .prints("FAILED open or read\n");
});

case!(what_powershell_redirects_is_checked, |t| {
    let text = "\u{feff}Algorithm : MD5\r\nHash      : 900150983CD24FB0D6963F7D28E17F72\r\nPath      : sub\\a.txt\r\n";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    t.file("sub/a.txt", "abc").file("hashes.txt", wide);
    t.run("check hashes.txt").code(0).is("sub/a.txt: OK\n");
    t.file("sub/a.txt", "abd").run("check hashes.txt").code(1).prints("sub/a.txt: FAILED\n");
});

case!(empty_standard_input_is_called_by_its_name, |t| {
    t.feed("check", "").code(64).says("standard input: is empty");
});

case!(verbose_says_what_files_should_be_and_are, |t| {
    t.file("a", "a").file("b", "b").file("c", "c");
    t.run("hash -c md5,sha1 -f jsonl -o list a b c").code(0);
    t.file("a", "b").file("c", "longer");
    t.run("check list").code(1).quiet_about("should be");
    let ran = t.run("check -v list").code(1).says("c: size: should be 1, is 6");
    let ran =
        ran.says("a: md5: should be 0cc175b9c0f1b6a831c399e269772661, is 92eb5ffee6ae2fec3ad71c777531578f");
    ran.says("a: sha1: should be 86f7e437faa5a7fce15d1ddcb9eaeaea377667b8, is e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98")
        .quiet_about("b: ");
    // Where nothing names the algorithm, the digest by that which others told.
    t.file("sums", "0cc175b9c0f1b6a831c399e269772661  a\n92eb5ffee6ae2fec3ad71c777531578f  b\n");
    t.run("check -v sums")
        .code(1)
        .says("a: md5: should be 0cc175b9c0f1b6a831c399e269772661, is 92eb5ffee6ae2f");
    t.run("check -v --status sums").code(1).quiet();
});

case!(a_digest_alone_is_of_the_file_beside_it, |t| {
    let sha256 = |text: &str| {
        let hash = hashmill_digest::hash(hashmill_digest::find("sha256").unwrap(), text.as_bytes());
        hash.to_string()
    };
    t.file("d/x.tar.gz", "1").file("d/x.tar.gz.sha256", sha256("1"));
    t.run("check d/x.tar.gz.sha256").code(0).is("d/x.tar.gz: OK\n");
    t.run("convert d/x.tar.gz.sha256 -f jsonl -").code(0).prints("\"path\":\"x.tar.gz\"");
    t.file("d/x.tar.gz", "2").run("check d/x.tar.gz.sha256").code(1).prints("d/x.tar.gz: FAILED\n");
    t.remove("d/x.tar.gz").run("check d/x.tar.gz.sha256").code(1).prints("FAILED open or read");
    t.file("two.sha256", format!("{0}\n{0}\n", sha256("1")));
    t.run("check two.sha256").code(64).says("set of known digests");
    t.file("sum.txt", sha256("1")).run("check sum.txt").code(64).says("DIGEST, two spaces, NAME");
});

case!(names_that_other_programs_changed_are_found, |t| {
    let md5 = "c4ca4238a0b923820dcc509a6f75849b";
    t.file("d/a b", "1").file("l.md5", format!("{md5} *\"d/a b\"\n"));
    t.run("check l.md5").code(0).is("d/a b: OK\n");
    t.file("tag", format!("MD5 ( d/a b ) = {md5}\n")).run("check tag").code(0).is("d/a b: OK\n");
    let mhl = |path: &str| {
        format!(
            "<hashlist version='1.1'><creatorinfo/><hash><file>{path}</file><md5>{md5}</md5></hash></hashlist>"
        )
    };
    t.file("m/a/b.mov", "1").file("m/l.mhl", mhl("a\\b.mov"));
    t.run("check m/l.mhl").code(0).is("m/a/b.mov: OK\n");
    t.file("l.md5", format!("{md5}  d/gone \n")).run("check l.md5").code(1);
    // A file has one name in a list: the other line is of a file that is gone.
    t.file("l.md5", format!("{md5} *\"d/a b\"\n{md5} *d/a b\n"));
    t.run("check l.md5").code(1).prints("\"d/a b\": FAILED open or read").prints("\nd/a b: OK");
});

case!(compressed_lists_are_read_and_never_replaced, |t| {
    two(t).shell("gzip -n sums").code(0);
    t.run("check sums.gz").code(0).is("a: OK\nb: OK\n");
    t.run("audit -k sums.gz a b").code(0).prints("matched: 2");
    t.run("diff sums.gz sums.gz").code(0);
    t.run("convert -c sha256 sums.gz list.jsonl").code(0);
    t.run("hash -c sha256 -f sums -o sums.gz a").code(64);
    t.run("hash -c sha256 -f sums -o sums.gz --resume a").code(64);
    t.file("a.gz", b"\x1f\x8b\x08\0 no gzip").run("check a.gz").code(64).says("can't be unpacked");
});

case!(the_next_step_is_told_where_files_are_not_found, |t| {
    let md5 = "c4ca4238a0b923820dcc509a6f75849b";
    t.file("d/a", "1").file("d/MD5SUMS", format!("{md5}  a\n"));
    t.run("check d/MD5SUMS").code(1).says("relative to its own folder: --base d");
    t.run("audit -k d/MD5SUMS")
        .code(1)
        .says("d/MD5SUMS: its names are relative to its own folder:")
        .says("-k LIST d'");
    t.run("audit -k d/MD5SUMS d").code(0);
    t.run("check --base d d/MD5SUMS").code(0).is("d/a: OK\n").quiet();
    t.file("d/MD5SUMS", format!("{md5}  /no/such/place/a\n"));
    t.run("check d/MD5SUMS").code(1).says("'hashmill audit -k LIST d' finds the files below d");
    let lines: String = (0..50).map(|number| format!("{md5}  disk/x/{number}\n")).collect();
    let ran = t.file("l.md5", lines).run("check l.md5").code(1);
    let ran = ran.says("disk/x/9: cannot open").says("40 files are missing, too").says("there is no disk:");
    ran.quiet_about("disk/x/10: cannot open").prints("disk/x/49: FAILED open or read\n");
    t.run("check -v l.md5").code(1).says("disk/x/49: cannot open");
    t.file("l.md5", format!("{md5}  a\n"));
    for line in ["check l.md5", "audit -k l.md5"] {
        t.run(line).code(1).says("its names are relative to d: --base d, or 'hashmill audit -k LIST d'");
    }
    t.run("check --base d l.md5").code(0);
    t.file("n/\u{e9}", "1").file("l.md5", format!("{md5}  n/e\u{301}\n"));
    for line in ["check l.md5", "audit -k l.md5"] {
        t.run(line).code(1).says("under a name that looks the same");
    }
    for content in ["1", "2"] {
        t.file("n/\u{e9}", content);
        for line in ["audit -k l.md5 n", "diff l.md5 n"] {
            t.run(line).code(1).says("the names on both sides look the same, and are of other characters");
        }
    }
    // A signature of OpenPGP belongs to the list, and another program checks it.
    let signature = "-----BEGIN PGP SIGNATURE-----\n\niQ==\n=aaaa\n-----END PGP SIGNATURE-----\n";
    t.file("d/MD5SUMS", format!("{md5}  a\n")).file("d/MD5SUMS.asc", signature);
    t.run("check --base d d/MD5SUMS").code(0).says("d/MD5SUMS.asc: not looked at").says("gpg --verify");
    t.run("check d/MD5SUMS.asc").code(64).says("gpg --verify checks the signature");
    t.shell("cd d && $hashmill hash -c md5 -f sums -o MD5SUMS .").code(0);
    assert_eq!(t.read("d/MD5SUMS"), format!("{md5}  ./a\n").as_bytes());
});

case!(an_algorithm_that_is_not_guessed_is_named_if_files_match_by_it, |t| {
    t.file("a", "hi\n").file("b", "x");
    for (name, verdict, code) in [
        ("xxh32", "NO ALGORITHM NAMED", 2),
        ("xxh64", "NO ALGORITHM NAMED", 2),
        ("xxh128", "FAILED", 1),
        ("blake3:20", "FAILED", 1),
    ] {
        let list = t.run(&format!("hash -c {name} -f jsonl a b")).code(0);
        let list = String::from_utf8(list.stdout().to_vec()).unwrap();
        let digest =
            |line: &str| line.split(&format!("\"{name}\":\"")).nth(1)?.split('"').next().map(String::from);
        let digests: Vec<String> = list.lines().filter_map(digest).collect();
        t.file("list", format!("{}  a\n{}  b\n", digests[0], digests[1]));
        let ran = t.run("check list").code(code).is(format!("a: {verdict}\nb: {verdict}\n"));
        ran.says(&format!("files match by {name}: name it with -c {name}"));
        t.run(&format!("check -c {name} list")).code(0).is("a: OK\nb: OK\n");
        // It is not enough that one file matches.
        t.file("list", format!("{}  a\n{}  b\n", digests[0], digests[0]));
        t.run("check list").quiet_about("files match by");
    }
});

case!(names_are_relative_to_the_folder_of_a_list_where_its_format_says_so, |t| {
    t.file("d/a", "1").file("d/s/b", "2").file("e", "3");
    for (format, algorithm, name) in [
        ("mhl", "md5", "d/l.mhl"),
        ("gentoo", "sha512", "d/Manifest"),
        ("dvc", "md5", "d/l.dvc"),
        ("record", "sha256", "d/p.dist-info/RECORD"),
    ] {
        t.file("d/p.dist-info/x", "");
        let what = format!("-c {algorithm} -f {format} -o {name}");
        t.run(&format!("hash {what} d/a d/s")).code(0);
        t.run(&format!("check {name}")).code(0).is("d/a: OK\nd/s/b: OK\n");
        t.run(&format!("audit -k {name} d/a d/s")).code(0).prints("matched: 2");
        t.run(&format!("audit -k {name} --update {name}.next d/a d/s")).code(0);
        assert_eq!(t.read(&format!("{name}.next")).len(), t.read(name).len(), "{format}");
        t.shell(&format!("$hashmill hash --force {what} $PWD/d/s d/./a")).code(0);
        t.run(&format!("check {name}")).code(0).prints("d/a: OK\n").prints("d/s/b: OK\n");
        t.run(&format!("hash --force {what} e")).code(64).says("e: is not below the folder of the list");
    }
});
