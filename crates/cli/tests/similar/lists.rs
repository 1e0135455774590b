//! Lists of digests, and the output of pairs and searches for them.

use super::families;
use crate::case;

const SSDEEP: &str = "ssdeep,1.1--blocksize:hash:hash,filename\n\
    96:abcdefghijklmnopqrstuvwxyz:abcdefghijklm,\"a, b\"\n\
    96:abcdefghijklmnopqrstuvwxyz:abcdefghijklm,\"q\\\"uote\"\n\
    96:abcdefghijklmnopqrstuvwxyz:abcdefghijklm,\"twice\"\n\
    96:abcdefghijklmnopqrstuvwxyZ:abcdefghijklM,\"twice\"\n";

const PAIRS: &str = "a,b,algorithm,score\n\
    \"a, b\",\"q\"\"uote\",ssdeep,100\n\
    \"a, b\",twice,ssdeep,100\n\
    \"a, b\",twice,ssdeep,97\n\
    \"q\"\"uote\",twice,ssdeep,100\n\
    \"q\"\"uote\",twice,ssdeep,97\n\
    twice,twice,ssdeep,97\n";

case!(lists_have_names_of_every_kind_and_either_line_end, |t| {
    t.file("unix", SSDEEP).file("dos", SSDEEP.replace('\n', "\r\n"));
    t.run("similar pairs -c ssdeep --lists unix").code(0).quiet().is(PAIRS);
    t.run("similar pairs -c ssdeep --lists dos").code(0).quiet().is(PAIRS);
    t.feed("similar pairs -c ssdeep --lists -", SSDEEP).code(0).quiet().is(PAIRS);
    t.run("similar pairs -c ssdeep -t 98 --lists unix").code(0).prints("twice,ssdeep,100\n");
    t.run("similar pairs -c ssdeep -f sdhash --lists unix").code(0).prints("a, b|twice|097\n");
});

case!(a_line_that_is_no_digest_is_named_and_the_rest_is_used, |t| {
    t.file("list", SSDEEP.to_string() + "97:a:b,\"x\"\n\n3:a!:b,\"x\"\n");
    t.run("similar pairs -c ssdeep --lists list")
        .code(2)
        .is(PAIRS)
        .says("list: line 6: column 1: the block size is not 3 times a power of two")
        .says("list: line 8: column 4: not a base64 character");
    t.file("many", SSDEEP.to_string() + &"nothing\n".repeat(15));
    t.run("similar pairs -c ssdeep --lists many").code(2).says("5 more lines not understood");
    t.file("none", "nothing\n")
        .run("similar pairs -c ssdeep --lists none")
        .code(64)
        .says("no digest by ssdeep");
    t.run("similar pairs -c ssdeep --lists nosuch").code(64).says("nosuch: cannot open");
    t.file("empty", "").run("similar pairs -c ssdeep --lists empty").code(0).is("a,b,algorithm,score\n");
});

case!(a_search_may_be_for_one_digest_that_is_typed, |t| {
    let digest = "96:abcdefghijklmnopqrstuvwxyz:abcdefghijklm";
    t.file("list", SSDEEP);
    t.run(&format!("similar search -c ssdeep --lists --against {digest} list")).code(0).quiet().is(format!(
        "a,b,algorithm,score\n\"a, b\",{digest},ssdeep,100\n\"q\"\"uote\",{digest},ssdeep,100\n\
         twice,{digest},ssdeep,100\ntwice,{digest},ssdeep,97\n"
    ));
    // The name of a file is a list; an operand that is neither file nor digest is an error.
    t.file(digest, SSDEEP);
    t.run(&format!("similar search -c ssdeep --lists --against {digest} list"))
        .code(0)
        .prints("twice,twice,ssdeep,97");
    t.run("similar search -c ssdeep --lists --against 96:a!:b list").code(64).says("96:a!:b: cannot open");
    let tlsh = format!("T1{}", "0".repeat(70));
    t.run(&format!("similar search -c tlsh --lists --against {digest}x list")).code(64);
    t.file("one", format!("{tlsh}\tx\n"));
    t.run(&format!("similar search -c tlsh --lists --against {tlsh} one"))
        .code(0)
        .prints(format!("x,{tlsh},tlsh,0\n"));
});

case!(comparisons_and_their_time_are_among_the_numbers, |t| {
    t.file("list", SSDEEP).file("tree/a", vec![7; 5000]).file("tree/b", vec![8; 5000]);
    let numbers = |args: &str| -> serde_json::Value {
        let ran = t.run(&format!("similar {args} --stats=json")).code(0);
        serde_json::from_str(ran.stderr().lines().last().unwrap()).unwrap()
    };
    // Four digests make six pairs, two lists of four sixteen.
    let pairs = numbers("pairs -c ssdeep --lists list");
    assert_eq!(pairs["comparisons"], 6);
    assert!(
        pairs["comparing"].as_f64().unwrap() > 0.0 && pairs["comparisons_per_second"].as_f64().unwrap() > 0.0
    );
    assert!(pairs.get("hashed").is_none(), "no file was read");
    assert_eq!(numbers("search -c ssdeep --lists --against list list")["comparisons"], 16);
    assert_eq!(numbers("pairs -c ssdeep --between --lists list list")["comparisons"], 16);
    assert_eq!(numbers("pairs -c ssdeep --cluster --lists list")["comparisons"], 6);
    let files = numbers("pairs -c ssdeep tree");
    assert_eq!((&files["comparisons"], &files["hashed"]), (&1.into(), &2.into()));
    t.run("similar index build -c ssdeep --lists -o index list").code(0);
    assert_eq!(numbers("search -c ssdeep --lists --against index list")["comparisons"], 16);
    t.run("similar pairs -c ssdeep --lists list --stats").code(0).says("comparisons 6 in 0.");
});

case!(digests_of_other_versions_and_algorithms_say_so, |t| {
    t.file("ssdeep", "ssdeep,2.0--x\n").file("tlsh", format!("T2{}\tx\n", "0".repeat(70)));
    t.file("sdhash", "sdbf:04:1:a:600:sha1:256:5:7ff:160:1:3:AA==\n");
    t.run("similar pairs -c ssdeep --lists ssdeep").code(64).says("another version of ssdeep");
    t.run("similar pairs -c tlsh --lists tlsh").code(64).says("only T1 is known");
    t.run("similar pairs -c sdhash --lists sdhash").code(64).says("only 03 is known");
    t.file("a", SSDEEP);
    t.run("similar pairs -c tlsh --lists a").code(64).says("a: holds digests by ssdeep, not by tlsh");
    t.run("similar search -c tlsh --against a ssdeep").code(64).says("holds digests by ssdeep");
});

case!(every_algorithms_lists_are_read_back, |t| {
    let names = families(t).join(" ");
    for (row, limit) in [("ssdeep", 1), ("tlsh", 100), ("sdhash", 1), ("mrsh-v2", 1)] {
        let pairs = t.run(&format!("similar pairs -c {row} -t {limit} {names}")).code(0);
        assert!(pairs.stdout().iter().filter(|byte| **byte == b'\n').count() > 10, "{row}");
        for format in ["reference", "jsonl", "csv"] {
            t.run(&format!("similar digest -c {row} -f {format} -o list {names}")).code(0);
            let again = t.run(&format!("similar pairs -c {row} -t {limit} --lists list")).code(0);
            again.is(pairs.stdout());
        }
        let one = t.run(&format!("similar digest -c {row} -j1 {names}")).code(0);
        t.run(&format!("similar digest -c {row} -j5 -m 2M tree")).code(0).is(one.stdout());
        t.run(&format!("similar pairs -c {row} -t {limit} -j1 tree")).code(0).is(pairs.stdout());
    }
});

case!(one_list_is_searched_in_another, |t| {
    t.file("a", SSDEEP).file("b", SSDEEP.replace("twice", "other"));
    let ran = t.run("similar search -c ssdeep --lists --against b a").code(0).quiet();
    ran.prints("twice,other,ssdeep,97\n").prints("\"a, b\",\"a, b\",ssdeep,100\n");
    let ran = t.run("similar pairs -c ssdeep --between --lists a b").code(0).quiet();
    let lines = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert_eq!(lines.lines().count(), 17);
    t.run("similar pairs -c ssdeep --between --lists a").code(64).says("two PATHs");
});

case!(names_of_any_bytes_are_shown, |t| {
    let text = "some words that make a digest of more than a few letters ".repeat(40);
    t.file(b"tree/\xff\n", &text).file("tree/b", &text);
    let ran = t.run("similar pairs -c ssdeep -f jsonl tree").code(0);
    let pair = ran.json();
    assert_eq!((&pair["a"], &pair["score"]), (&"tree/b".into(), &100.into()));
    assert_eq!(pair["b_b64"], "dHJlZS//Cg==");
    t.run("similar digest -c ssdeep tree").code(2).prints("tree/b").says("cannot hold this name");
    t.run("similar digest -c ssdeep -f jsonl -o list tree").code(0);
    t.run("similar pairs -c ssdeep -f jsonl --lists list").code(0).is(ran.stdout());
});

case!(groups_and_sparse_digests, |t| {
    families(t);
    t.run("similar pairs -c mrsh-v2 --cluster tree").code(0).prints("group,path\n1,tree/0-0\n1,tree/0-3\n");
    t.run("similar pairs -c mrsh-v2 --cluster -f jsonl tree")
        .code(0)
        .prints("{\"group\":1,\"path\":\"tree/0-0\"}\n");
    t.run("similar pairs -c mrsh-v2 --cluster -f sdhash tree").code(64).says("no groups");
    let all = t.run("similar pairs -c ssdeep -f jsonl tree").code(0).says("(sparse); --no-sparse");
    all.prints("{\"a\":\"tree/empty\",\"b\":\"tree/plain\",\"algorithm\":\"ssdeep\",\"score\":100,\"sparse\":true}\n");
    let some = t.run("similar pairs -c ssdeep -f jsonl --no-sparse tree").code(0);
    assert!(!String::from_utf8(some.stdout().to_vec()).unwrap().contains("sparse"));
});

case!(options_that_do_not_fit_are_refused, |t| {
    t.file("a", SSDEEP);
    t.run("similar pairs -c ssdeep --tlsh-old a").code(64).says("--tlsh-old goes with -c tlsh only");
    t.run("similar digest -c tlsh --ssdeep-long a").code(64).says("--ssdeep-long");
    t.run("similar compare -c tlsh --sdhash-version 3.4 a a").code(64).says("--sdhash-version");
    t.run("similar pairs -c ssdeep --lists --include *.c a").code(64).says("filters");
    t.run("similar digest -c ssdeep,tlsh -f reference a").code(64).says("one algorithm only");
    t.run("similar search -c ssdeep --against - -").code(64).says("both");
    t.run("similar pairs -c ssdeep").code(64);
});

case!(digests_are_compared_as_typed, |t| {
    let compare = |a: &str, b: &str| t.run(&format!("similar compare -c ssdeep --digest {a} {b}"));
    let (a, b) =
        ("96:abcdefghijklmnopqrstuvwxyz:abcdefghijklm", "96:abcdefghijklmnopqrstuvwxyZ:abcdefghijklM");
    compare(a, b).code(0).quiet().is("97\n");
    compare(a, a).code(0).is("100\n");
    compare(a, "96:x").code(64).says("B: not a digest by ssdeep: column");
    t.run(&format!("similar compare -c md5 {a} {b}")).code(64).says("no such likeness algorithm");
});
