//! Forged lists, and forged files that should pass for those that a list names.

use crate::case;
use hashmill_digest::{find, hash};
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn digest(name: &str, content: impl AsRef<[u8]>) -> String {
    hash(find(name).unwrap(), content.as_ref()).to_string()
}

/// Returns the name that a message has: Dropbox's digest of a short file is another one's, too.
fn named(name: &str) -> &str {
    if name == "dropbox" { "sha256d" } else { name }
}

/// `check` and `audit` of a list, and of it under a name that says the algorithm.
const JUDGES: [&str; 2] = ["check list", "audit -k list"];

case!(content_that_fits_a_checksum_is_no_match, |t| {
    // An attacker who can choose the content can choose these sums; the list could be of SHA-1, MD5 or SHA-256 as well.
    for (name, length) in [("hidrive", 5000), ("xxh128", 10), ("mailru", 100), ("dropbox", 10)] {
        let content = "x".repeat(length);
        t.file("f", &content).file("list", format!("{}  f\n", digest(name, &content)));
        for judge in JUDGES {
            t.run(judge)
                .code(1)
                .says("nothing names the algorithm")
                .says("name it with -c")
                .says(named(name));
        }
        t.run(&format!("check -c {name} list")).code(0);
        t.run(&format!("audit -c {name} -k list")).code(0);
    }
    for name in ["crc32", "crc32c", "xxh64", "adler32"] {
        t.file("f", "abc").file("list", format!("{}  f\n", digest(name, "abc")));
        t.run("check list")
            .code(2)
            .prints("f: NO ALGORITHM NAMED")
            .says("checksums are not guessed")
            .says(name);
        t.run("audit -k list").code(2).says("checksums are not guessed").says(name);
        t.run(&format!("check -c {name} list")).code(0);
        t.file(format!("x.{name}"), t.read("list")).run(&format!("check x.{name}")).code(0);
        t.file("f", "abd").run(&format!("check -c {name} list")).code(1);
    }
});

case!(what_is_guessed_is_told, |t| {
    t.file("f", "abc").file("list", format!("{}  f\n", digest("blake3", "abc")));
    t.run("check list").code(0).says("list: no algorithm is named; guessed: blake3");
    t.run("audit -k list").code(0).says("list: no algorithm is named; guessed: blake3");
    assert_eq!(t.run("check -f json list").code(0).json()["guessed"], serde_json::json!(["blake3"]));
    assert_eq!(t.run("audit -f json -k list").code(0).json()["guessed"], serde_json::json!(["blake3"]));
    t.run("check -c blake3 list").code(0).quiet();
    t.run("check --status list").code(0).quiet();
});

case!(a_signature_is_not_relied_on_by_a_guess, |t| {
    t.shell("ssh-keygen -q -t ed25519 -N '' -f key && (echo -n 'me '; cut -d' ' -f1,2 key.pub) > allowed")
        .code(0);
    t.file("install.sh", "abc");
    for (name, algorithm) in [("CHECKSUMS.txt", "sha1"), ("list", "sha256")] {
        t.file(name, format!("{}  install.sh\n", digest(algorithm, "abc")));
        t.run(&format!("sign {name} --key key")).code(0);
        for guard in ["", "--allowed-signers allowed"] {
            t.run(&format!("check {name} {guard}")).code(64).is("").says("a guess is not enough");
            t.run(&format!("audit -k {name} {guard}")).code(64).is("").says("a guess is not enough");
            t.run(&format!("check {name} -c {algorithm} {guard}")).code(0).prints("install.sh: OK");
            t.run(&format!("audit -k {name} -c {algorithm} {guard}")).code(0);
        }
        t.run(&format!("check {name} --ignore-signature")).code(0);
    }
    t.file("SHA1SUMS", format!("{}  install.sh\n", digest("sha1", "abc")))
        .run("sign SHA1SUMS --key key")
        .code(0);
    t.run("check SHA1SUMS --allowed-signers allowed").code(0);
});

/// Returns a line with the digests of some content.
fn several(path: &str, digests: &[String]) -> [String; 3] {
    [
        format!("{path}  {}\n", digests.join("  ")),
        format!("Path,Hash1,Hash2\n{path},{}\n", digests.join(",")),
        format!("path,md5,sha256\n{path},{}\n", digests.join(",")),
    ]
}

case!(every_digest_of_a_line_must_match, |t| {
    let right = |content: &str| vec![digest("md5", content), digest("sha256", content)];
    t.file("f", "abc");
    let half = [digest("md5", "abc"), digest("sha256", "other")];
    for (number, list) in several("f", &half).into_iter().enumerate() {
        t.file("list", &list);
        // Only the third list shows the algorithm of the second digest.
        let code = if number == 2 { 1 } else { 2 };
        for judge in JUDGES {
            t.run(judge).code(code);
        }
        if number < 2 {
            t.run("check list").code(2).prints("f: PARTLY VERIFIED\n").says("only partly verified");
            t.run("audit -k list").code(2).says("only partly verified").prints("partly-verified: 1");
        }
    }
    // One column is named. The algorithm of the other one is unknown; a digest that fits one leaves no doubt.
    for (second, code, says) in [("other", 2, "f: PARTLY VERIFIED\n"), ("abc", 0, "f: OK\n")] {
        for title in ["Hash1", "Hash", "hash_value"] {
            let digests = [digest("md5", "abc"), digest("sha256", second)].join(",");
            t.file("list", format!("path,md5,{title}\nf,{digests}\n"));
            for judge in JUDGES {
                t.run(judge).code(code);
            }
            t.run("check list").code(code).prints(says);
        }
    }
    // Two of one length.
    let digests = [digest("sha256", "abc"), digest("blake3", "abc"), digest("sha3-256", "other")];
    for (count, code) in [(2, 0), (3, 2)] {
        let titles = ["Hash1", "Hash2", "Hash"][..count].join(",");
        t.file("list", format!("path,{titles}\nf,{}\n", digests[..count].join(",")));
        t.run("check list").code(code);
        t.run("audit -k list").code(code);
    }
    // Five lines that taught both algorithms.
    let mut lines = String::new();
    for number in 0..5 {
        t.file(format!("g{number}"), format!("{number}"));
        lines += &several(&format!("g{number}"), &right(&number.to_string()))[0];
    }
    for list in [format!("{lines}{}", several("f", &half)[0]), format!("{}{lines}", several("f", &half)[0])] {
        t.file("list", list);
        t.run("check list").code(1).prints("f: FAILED\n");
        t.run("audit -k list").code(1).prints("f: changed\n");
    }
});

case!(an_empty_file_does_not_decide, |t| {
    for (name, code) in [("crc32c", 2), ("dropbox", 1), ("blake3", 0), ("sha3-256", 0)] {
        let mut list = format!("{}  empty\n", digest(name, ""));
        t.file("empty", "");
        for number in 0..20 {
            let content = format!("{number}");
            t.file(format!("f{number}"), &content);
            list += &format!("{}  f{number}\n", digest(name, &content));
        }
        t.file("list", &list);
        for judge in JUDGES {
            let ran = t.run(judge).code(code);
            if code > 0 {
                ran.says("name it with -c").says(named(name));
            }
        }
        t.run(&format!("check -c {name} list")).code(0);
        t.run(&format!("audit -c {name} -k list")).code(0);
    }
});

case!(a_damaged_line_is_one_damaged_line, |t| {
    let lines = |line: &dyn Fn(usize) -> String| (0..4).map(line).collect::<String>();
    (0..4).for_each(|number| {
        t.file(format!("f{number}"), format!("{number}"));
    });
    let md5 = |number: usize| digest("md5", number.to_string());
    let sha1 = |number: usize| digest("sha1", number.to_string());
    let sound = [
        lines(&|number| format!("{}  f{number}\n", md5(number))),
        lines(&|number| format!("MD5 (f{number}) = {}\n", md5(number))),
        lines(&|number| format!("f{number}  {}  {}\n", md5(number), sha1(number))),
        lines(&|number| format!("{} f{number}\n", md5(number))),
        lines(&|number| format!("{},f{number}\n", md5(number))),
    ];
    let damaged = [
        format!("{}\n", md5(9)),
        format!("D5 (a) = {}\n", md5(9)),
        format!("{} a\n", md5(9)),
        format!("a {}\n", md5(9)),
        "900150983cd24fb0  \n".to_string(),
        "(\n".to_string(),
    ];
    for list in &sound {
        for line in &damaged {
            t.file("list", [line.as_str(), list].concat());
            let checked = String::from_utf8_lossy(t.run("check list").stdout()).into_owned();
            let right = checked.lines().filter(|line| line.ends_with(": OK")).count();
            assert_eq!(right, 4, "{line}{list}{checked}");
        }
    }
});

case!(a_path_with_backslashes_is_found_by_both, |t| {
    t.file("a\\b", "1").file("dir/sub/c", "2").file("Users/u/d", "3");
    let line = |path: &str, content: &str| format!("{}  {path}\n", digest("md5", content));
    for (list, files) in [
        (line("a\\b", "1"), 1),
        (line("dir\\sub\\c", "2"), 1),
        (line("\\Users\\u\\d", "3"), 1),
        (line("a\\b", "1") + &line("dir\\sub\\c", "2") + &line("\\Users\\u\\d", "3"), 3),
        (line("a\\b", "1") + &line("dir/sub/c", "2"), 2),
    ] {
        t.file("list.md5", &list);
        t.run("check list.md5").code(0);
        t.run("audit -k list.md5").code(0).prints(format!("matched: {files}\n"));
        let json = t.run("audit -f json -k list.md5 a\\b dir Users").json();
        assert_eq!(json["counts"]["changed"], 0, "{list}");
    }
    // Two files whose names differ in this alone are two.
    t.file("x/y", "1").file("x\\y", "2");
    t.file("list.md5", line("x/y", "1") + &line("x\\y", "2"));
    t.run("check list.md5").code(0);
    t.run("audit -k list.md5").code(0).prints("matched: 2\n");
    t.remove("x/y").run("check list.md5").code(1).prints("x/y: FAILED open or read");
    t.run("audit -k list.md5").code(1).prints("matched: 1\n").prints("missing: 1\n");
});

/// Returns a server that counts connections.
fn counting() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, calls) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&calls);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 64]);
        }
    });
    (port, calls)
}

case!(a_list_makes_no_requests, |t| {
    let (port, calls) = counting();
    let url = format!("http://127.0.0.1:{port}/f");
    let md5 = digest("md5", "abc");
    let endpoint = format!("--endpoint http://127.0.0.1:{port} --anonymous");
    for path in [&url, "s3://bucket/key", "file:///etc/hostname"] {
        t.file("list.md5", format!("{md5}  {path}\n"));
        t.file("list.jsonl", format!("{{\"path\":\"{path}\",\"status\":\"hashed\",\"md5\":\"{md5}\"}}\n"));
        t.run("check list.md5").code(1).prints("FAILED open or read");
        t.run("check list.jsonl").code(1);
        t.run("audit -k list.md5").code(1).prints("missing: 1");
        // An endpoint that is typed is for places that are typed.
        t.run(&format!("check list.md5 {endpoint}")).code(64).says("--endpoint: has no effect here");
        t.run(&format!("dupes --manifest list.jsonl {endpoint}"));
        t.run("convert list.md5 out.csv");
        t.run("diff list.md5 list.jsonl");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 0);
});

case!(a_broken_signature_stops_whoever_reads_the_list, |t| {
    t.shell("ssh-keygen -q -t ed25519 -N '' -f key && (echo -n 'me '; cut -d' ' -f1,2 key.pub) > allowed")
        .code(0);
    t.shell(
        "ssh-keygen -q -t ed25519 -N '' -f other && (echo -n 'you '; cut -d' ' -f1,2 other.pub) > strangers",
    )
    .code(0);
    t.file("tree/a", "abc").run("hash -c md5,sha256 -f jsonl -o m.jsonl tree").code(0);
    t.run("sign m.jsonl --key key").code(0);
    let genuine = t.read("m.jsonl");
    let readers = [
        "audit -k m.jsonl tree",
        "check m.jsonl",
        "diff m.jsonl tree",
        "diff tree m.jsonl",
        "convert m.jsonl out.csv",
        "merge m.jsonl -o merged.jsonl",
        "known build -o set.hmk --bad m.jsonl",
        "report m.jsonl -o report.html",
        "dupes --manifest m.jsonl",
        "known query --known-set other.hmk --from m.jsonl",
        "known match --known-set other.hmk --manifest m.jsonl",
    ];
    t.run("seal create m.jsonl").code(0);
    for reader in ["seal create m.jsonl", "seal verify m.jsonl", "proof create m.jsonl tree/a -o proof"] {
        t.file("m.jsonl", [&genuine[..], b"\n"].concat()).run(reader).code(64).says("BROKEN signature");
    }
    t.file("m.jsonl", &genuine);
    t.file("other.txt", digest("md5", "x")).run("known build -o other.hmk --bad other.txt").code(0);
    for reader in readers {
        let outputs = ["out.csv", "merged.jsonl", "set.hmk", "report.html"];
        t.file("m.jsonl", [&genuine[..], b"\n"].concat());
        let ran = t.run(reader);
        assert_eq!(ran.exit(), Some(64), "{reader}: {}", ran.stderr());
        ran.says("BROKEN signature");
        assert!(outputs.iter().all(|name| !t.has(name)), "{reader}");
        // A genuine manifest is read if its signer is allowed, and the signer is named.
        t.file("m.jsonl", &genuine);
        let ran = t.run(&format!("{reader} --allowed-signers allowed"));
        assert_ne!(ran.exit(), Some(64), "{reader}: {}", ran.stderr());
        ran.says("m.jsonl.sig: good signature by me");
        outputs.iter().filter(|name| t.has(name)).for_each(|name| {
            t.remove(name);
        });
        t.run(&format!("{reader} --allowed-signers strangers"))
            .code(64)
            .says("0 of 1 required good signatures");
        outputs.iter().filter(|name| t.has(name)).for_each(|name| {
            t.remove(name);
        });
    }
});
