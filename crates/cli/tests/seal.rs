//! Seals, proofs, redacted manifests and outboards as their users meet them.

use crate::case;
use crate::util::Place;
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn tree(t: &Place) {
    for number in 0..20_u32 {
        t.file(format!("tree/{number:02}"), number.to_string().repeat(number as usize));
    }
    t.file("tree/deep/name\nwith feed", "odd").file(b"tree/caf\xe9", "latin");
}

/// Returns the root that identifies a seal: its SHA-256.
fn root(t: &Place, seal: &str) -> String {
    let text = t.read(seal);
    hashmill_digest::hash(hashmill_digest::find("sha256").unwrap(), &text).to_string()
}

/// Returns a line of a seal, counted from one.
fn line(t: &Place, seal: &str, number: usize) -> String {
    String::from_utf8(t.read(seal)).unwrap().lines().nth(number - 1).unwrap().to_string()
}

case!(a_manifest_is_sealed_and_a_changed_one_is_told, |t| {
    tree(t);
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        t.run(&format!("hash -c sha256,md5 -f {format} -o list tree")).code(0);
        let list = t.read("list");
        let sealed = t.run("seal create list").code(0);
        let (root, records) = (root(t, "list.seal"), line(t, "list.seal", 2));
        let sealed = sealed.is(t.read("list.seal"));
        sealed.says(&format!("list.seal: {records} records, root {root}\n"));
        let verified = format!("verified: list is as sealed by hashmill: {records} records, root {root}\n");
        t.run("seal verify list").code(0).quiet().is(&verified);
        t.run(&format!("seal verify list --root {root}")).code(0).quiet().is(verified);
        // The same run seals while it writes.
        let seal = t.read("list.seal");
        t.remove("list.seal").run(&format!("hash -c sha256,md5 -f {format} -o list --seal tree")).code(0);
        assert!(t.read("list") == list && t.read("list.seal") == seal, "{format}");
        let at = list.iter().rposition(u8::is_ascii_digit).unwrap();
        let mut changed = list.clone();
        changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
        let ran = t.file("list", changed).run("seal verify list");
        assert!([Some(1), Some(64)].contains(&ran.exit()), "{format}");
        t.file("list", list).run("seal verify list").code(0);
        t.run("seal create list -c sha3-256").code(0);
        t.run("seal verify list").code(0);
    }
    t.run("seal create list -c md5").code(64).says("not fit for seals");
    t.run("seal create list --origin a+b").code(64).says("an origin has").says("write 'a-b'");
    t.shell("$hashmill seal create list --origin 'lab of X'").code(64).says("write 'lab-of-X'");
    t.run("seal create nothing").code(64).says("nothing: cannot read");
    t.file("prose", "no manifest\nat all\n").run("seal create prose").code(64).says("is not a manifest");
    t.file("broken", "900150983cd24fb0d6963f7d28e17f72  a\nbroken\n");
    t.run("seal create broken").code(64).says("line 2: line: left out");
});

case!(a_proof_shows_one_record_without_the_others, |t| {
    tree(t);
    t.run("hash -c sha256,blake3 -o list --seal tree").code(0);
    t.run("proof create list tree/07 -o proof").code(0).quiet();
    let root = root(t, "list.seal");
    t.remove("list");
    let proven = "proven: tree/07 is record 8 of 22 sealed by hashmill\n";
    t.run("proof verify proof --seal-file list.seal").code(0).is(proven).quiet();
    let both = format!("{proven}verified: tree/07 is what record 8 says\n");
    t.run(&format!("proof verify proof --root {root} --file tree/07")).code(0).quiet().is(both);
    t.run("proof verify proof --seal-file list.seal --file tree/08").code(1).says("its size is not");
    t.file("tree/07", "8888888")
        .run("proof verify proof --seal-file list.seal --file tree/07")
        .code(1)
        .says("tree/07: its digest is not the record's");
    t.run(&format!("proof verify proof --root {}", "0".repeat(64)))
        .code(1)
        .is("")
        .says("proof: the seal is not the one with this root\n");
    t.run("proof verify proof").code(64);
    t.run("proof verify proof --seal-file list.seal --old list.seal")
        .code(64)
        .says("--old is for proofs that");
    assert!(!String::from_utf8(t.read("proof")).unwrap().contains("tree/08"));
    t.run("hash -c sha256,blake3 -o list tree").code(0);
    t.run("proof create list tree/08").code(1).is("").says("the records are not those that were sealed");
    t.run("seal create list").code(0);
    t.run("proof create list tree/08 tree/none").code(1).is("").says("no record has the path tree/none");
    t.run("proof verify proof --seal-file list.seal")
        .code(1)
        .is("")
        .says("proof: the seal is not the expected one\n");
});

case!(a_proof_of_a_list_that_names_no_algorithm_needs_its_name, |t| {
    tree(t);
    t.run("hash -c sha3-256 -f sums -o LIST --seal tree").code(0);
    t.rename("LIST", "SHA1SUMS").rename("LIST.seal", "SHA1SUMS.seal");
    t.run("proof create SHA1SUMS tree/05 -o proof").code(0);
    let verify = "proof verify proof --seal-file SHA1SUMS.seal --file tree/05";
    t.run(verify)
        .code(64)
        .says("tree/05: the sealed list does not name the algorithm of its digest of 256 bits")
        .says("(name the algorithm: -c ALG)");
    t.run(&format!("{verify} -c sha3-256")).code(0).quiet();
    t.run(&format!("{verify} -c sha256")).code(1).says("tree/05: its digest is not the record's");
    t.run(&format!("{verify} -c sha1")).code(64).says("its digest has 256 bits, but one by sha1 has 160");
    t.run("proof verify proof --seal-file SHA1SUMS.seal").code(0);
    // A digest by a checksum that a file can be made to fit is not taken for a SHA-1.
    let json = t.run("hash -c hidrive -f jsonl tree/05").code(0).json();
    let hidrive = json["hidrive"].as_str().unwrap();
    t.file("SHA1SUMS", format!("{hidrive}  tree/05\n")).run("seal create SHA1SUMS").code(0);
    t.run("proof create SHA1SUMS tree/05 -o proof").code(0);
    t.run(verify).code(64).says("does not name the algorithm");
    t.run(&format!("{verify} -c sha1")).code(1).says("its digest is not the record's");
});

case!(a_proof_of_a_part_does_not_stand_for_the_file, |t| {
    t.file("f", "abcdefgh").run("hash -p 4 -c md5,sha256 -o list --seal f").code(0);
    t.run("proof create list f -o proof").code(0);
    t.run("proof verify proof --seal-file list.seal --file f").code(0);
    // The head, then two lines for each record: only the first record stays.
    let text = String::from_utf8(t.read("proof")).unwrap();
    let cut: Vec<&str> = text.split_inclusive('\n').take(3).collect();
    t.file("cut", cut.concat());
    for content in ["abcdefgh", "abcdWORSE", "abcd"] {
        t.file("f", content)
            .run("proof verify cut --seal-file list.seal --file f")
            .code(1)
            .is("proven: f (4 bytes from byte 0 on) is record 1 of 3 sealed by hashmill\n")
            .says("f: 4 bytes of it are as proven, but the proof is not of the whole file");
    }
    let json = t.run("proof verify cut --seal-file list.seal --file f -f json").code(1).json();
    assert_eq!((&json[0]["offset"], &json[0]["length"]), (&0.into(), &4.into()));
    // Both pieces without the record of the whole file: nothing shows that the file ends there.
    let both: Vec<&str> = text.split_inclusive('\n').take(5).collect();
    t.file("cut", both.concat()).file("f", "abcdefgh");
    t.run("proof verify cut --seal-file list.seal --file f").code(1).says("f: 8 bytes of it are as proven");
    t.run("proof verify cut --seal-file list.seal").code(0);
});

case!(names_in_proofs_can_t_speak_to_the_terminal, |t| {
    t.file("tree/evil: OK\x1b[8m\n", "x").run("hash -f jsonl -o list --seal tree").code(0);
    t.run("seal create list --origin example.org/lab").code(0);
    let mut prove = t.command("proof create list -o proof");
    prove.arg("tree/evil: OK\x1b[8m\n");
    t.ran(prove, "prove").code(0);
    let proven = "proven: tree/evil: OK\\u{1b}[8m\\n is record 1 of 1 sealed by example.org/lab\n";
    t.run("proof verify proof --seal-file list.seal").code(0).is(proven);
});

case!(a_proof_says_what_kind_of_record_it_is_of, |t| {
    t.file("tree/a", "abcdef").run("hash -p 4 -c md5,sha256 -o list --seal tree").code(0);
    t.run("proof create list tree/a -o proof").code(0);
    let proven = "proven: tree/a (4 bytes from byte 0 on) is record 1 of 3 sealed by hashmill
proven: tree/a (2 bytes from byte 4 on) is record 2 of 3 sealed by hashmill
proven: tree/a is record 3 of 3 sealed by hashmill
verified: tree/a is what records 1, 2, 3 say\n";
    t.run("proof verify proof --seal-file list.seal --file tree/a").code(0).is(proven);
    t.file("tree/a", "abcdeF")
        .run("proof verify proof --seal-file list.seal --file tree/a")
        .code(1)
        .says("its digest");
    t.file("lost", "{\"path\":\"gone\",\"status\":\"unreadable\"}\n").run("seal create lost").code(0);
    t.run("proof create lost gone -o proof").code(0);
    let proven = "proven: gone (unreadable) is record 1 of 1 sealed by hashmill\n";
    t.run("proof verify proof --seal-file lost.seal").code(0).is(proven);
});

case!(what_is_pinned_binds_more_than_the_records, |t| {
    tree(t);
    t.run("hash -c md5 -f jsonl --case 2026-17 --examiner Ada -o list --seal tree").code(0);
    let pinned = root(t, "list.seal");
    let (text, first) = (String::from_utf8(t.read("list")).unwrap(), t.read("list.seal"));
    for (changed, what) in [
        (text.replace("\"examiner\":\"Ada\"", "\"examiner\":\"Eve\""), "but the case data are not"),
        (
            text.lines().filter(|line| !line.contains("case_")).map(|line| format!("{line}\n")).collect(),
            "were removed",
        ),
        (text.replace("\"size\":0", "\"size\": 0"), "but other bytes of the file are not"),
    ] {
        assert!(changed != text);
        t.file("list", &changed).file("list.seal", &first);
        t.run("seal verify list").code(1).is("").says(what);
        // Sealed anew it has the same tree, but is not what was pinned.
        t.run("seal create list").code(0);
        assert_eq!(
            line(t, "list.seal", 3),
            String::from_utf8(first.clone()).unwrap().lines().nth(2).unwrap()
        );
        t.run("seal verify list").code(0);
        let ran = t.run(&format!("seal verify list --root {pinned}")).code(1).is("");
        ran.says("list.seal: the seal is not the one with this root");
    }
    t.file("list", &text).file("list.seal", &first);
    t.run(&format!("seal verify list --root {pinned}")).code(0);
    // The root covers the sealer's name.
    t.run("seal create list --origin example.org/lab").code(0).prints("example.org/lab\n22\n");
    t.run("seal verify list").code(0).prints("as sealed by example.org/lab: 22 records");
    t.run(&format!("seal verify list --root {pinned}")).code(1);
    // The root of the tree alone is not accepted.
    let tree = line(t, "list.seal", 3);
    let tree =
        t.shell(&format!("printf %s {tree} | base64 -d | od -An -tx1 | tr -d ' \\n'")).stdout().to_vec();
    let tree = String::from_utf8(tree).unwrap();
    t.run(&format!("seal verify list --root {tree}")).code(1).says("does not say how many records");
    t.run("proof create list tree/03 -o proof").code(0);
    t.run(&format!("proof verify proof --root {tree}")).code(1).says("does not say how many records");
});

case!(a_seal_of_the_first_version_is_refused_by_name, |t| {
    t.file("tree/a", "a").run("hash -f jsonl -o list tree").code(0);
    t.file("list.seal", "{\"hashmill_seal\":1,\"algorithm\":\"sha256\",\"root\":\"00\",\"records\":1}\n");
    t.run("seal verify list").code(64).says("version 1 is not supported: this hashmill reads version 2");
    t.run("diff --roots list list.seal").code(64).says("version 1");
    t.file("note", "example.org/log\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n");
    t.run("seal verify list --seal-file note").code(64).says("a checkpoint of another program");
});

case!(a_manifest_that_was_added_to_is_proven_to_be, |t| {
    t.file("tree/a", "a").file("tree/b", "b").run("hash -c sha256 -f jsonl -o monday tree").code(0);
    t.file("tree/c", "c").run("hash -c sha256 -f jsonl -o tuesday tree").code(0);
    for secret in ["", " --secret secret"] {
        t.run(&format!("seal create monday{secret} --origin lab")).code(0);
        let sealed = t.run(&format!("seal create tuesday --old monday.seal{secret}")).code(0);
        sealed.prints("lab\n3\n");
        t.run(&format!("seal verify tuesday{secret}")).code(0);
        t.run(&format!("proof create tuesday --old monday.seal -o proof{secret}")).code(0).quiet().is("");
        let proven = "proven: the 3 records sealed by lab begin with the 2 of the older seal, unchanged\n";
        t.run("proof verify proof --seal-file tuesday.seal --old monday.seal").code(0).is(proven).quiet();
        let (old, new) = (root(t, "monday.seal"), root(t, "tuesday.seal"));
        t.run(&format!("proof verify proof --root {new} --old-root {old}")).code(0).is(proven);
        t.run(&format!("proof verify proof --root {new} --old-root {new}"))
            .code(1)
            .is("")
            .says("proof: --old: the seal is not the one with this root");
        t.run(&format!("proof verify proof --root {old} --old-root {old}")).code(1).is("");
        t.run(&format!("proof verify proof --root {new}")).code(64).says("give --old or --old-root");
        t.run(&format!("proof verify proof --root {new} --old-root {old} --file proof"))
            .code(64)
            .says("--file");
        t.run(&format!("proof create monday --old tuesday.seal{secret}"))
            .code(1)
            .is("")
            .says("fewer than the 3 records");
    }
    // Salts must be those of the older seal.
    t.run("seal create tuesday --old monday.seal").code(64).says("--secret");
    t.run("seal create tuesday --old monday.seal --secret none").code(64).says("none: cannot read");
    assert!(!t.has("none"));
    // A changed manifest is not a continuation, and gets no seal.
    t.file("tree/a", "other").run("hash -c sha256 -f jsonl -o wednesday tree").code(0);
    let ran = t.run("seal create wednesday --old monday.seal --secret secret").code(1).is("");
    ran.says("its first 2 records are not those of the older seal");
    assert!(!t.has("wednesday.seal"));
    t.run("seal create wednesday --origin lab").code(0);
    t.run("seal create monday --origin lab").code(0);
    t.run("proof create wednesday --old monday.seal").code(1).is("").says("its first 2 records");
    t.run("proof create wednesday").code(64);
    t.run("proof create wednesday --old monday.seal tree/a").code(64);
});

case!(a_signature_of_a_seal_is_one_of_the_text_that_logs_know, |t| {
    t.file("tree/a", "a").run("hash -f jsonl -o list --seal tree").code(0);
    if hashmill_testing::installed("ssh-keygen").is_none() {
        return;
    }
    t.shell("ssh-keygen -q -t ed25519 -N '' -f key").code(0);
    t.run("sign list.seal --key key").code(0);
    t.run("verify list.seal --public-key key.pub").code(0);
    t.shell("(echo -n 'lab '; cat key.pub) > allowed").code(0);
    t.shell("ssh-keygen -Y verify -f allowed -I lab -n file -s list.seal.sig < list.seal").code(0);
});

case!(a_redacted_manifest_shows_some_records_and_keeps_the_root, |t| {
    tree(t);
    t.run("hash -c sha256 -f jsonl -o list tree").code(0);
    t.run("seal create list").code(0);
    t.run("seal redact list --hide tree/1* -o shown")
        .code(0)
        .says("12 records shown, 10 hidden")
        .says("no salts");
    let pinned = root(t, "list.seal");
    let verified =
        format!("verified: shown shows 12 of 22 records sealed by hashmill, 10 hidden, root {pinned}\n");
    t.run("seal verify shown --seal-file list.seal").code(0).is(&verified).quiet();
    t.run(&format!("seal verify shown --root {pinned}")).code(0).is(verified).quiet();
    let text = String::from_utf8(t.read("shown")).unwrap();
    assert!(text.contains("tree/09") && !text.contains("tree/15"));
    t.run("seal verify shown").code(64).says("--seal");
    let hidden = text.lines().find(|line| line.contains("hidden")).unwrap();
    t.file("shown", text.replacen(&format!("{hidden}\n"), "", 1));
    let ran = t.run("seal verify shown --seal-file list.seal").code(1).is("");
    ran.says("21 records and hashes, but 22 were sealed");
    t.file("shown", text);
    t.run("seal create list --secret secret").code(0);
    assert_eq!(fs::metadata(t.path("secret")).unwrap().permissions().mode() & 0o777, 0o600);
    t.run("seal verify shown --seal-file list.seal")
        .code(1)
        .is("")
        .says("shown: the seal is not the expected one\n");
    t.run("seal verify list").code(64).says("--secret");
    t.run("seal verify list --secret secret").code(0).quiet();
    t.run("seal redact list --keep 0* -o salted --secret secret")
        .code(0)
        .says("10 records shown, 12 hidden\n");
    t.run("seal verify salted --seal-file list.seal").code(0);
    t.run("proof create list tree/04 -o proof --secret secret").code(0);
    t.run("proof verify proof --seal-file list.seal --file tree/04").code(0);
    // The same manifest with the same secret gets other salts.
    let first = t.read("list.seal");
    t.run("seal create list --secret secret").code(0);
    assert!(t.read("list.seal") != first);
    t.run("proof verify proof --seal-file list.seal").code(1);
    t.run("seal redact list -o x").code(64);
    t.run("seal redact list --keep [ -o x").code(64).says("--keep");
    t.file("list", [&t.read("list")[..], b"\n"].concat());
    t.run("seal redact list --keep 0* -o x --secret secret").code(1).says("other bytes of the file are not");
    assert!(!t.has("x"));
});

case!(each_file_is_opened_once, |t| {
    tree(t);
    t.run("hash -c sha256 -f jsonl -o list --seal tree").code(0);
    t.run("proof create list tree/09 -o proof").code(0);
    t.run("seal redact list --keep 0* -o shown").code(0);
    // The content of a FIFO can't be read twice.
    let once = |name: &str, args: &str| {
        t.rename(name, "content").fifo(name);
        let feed = format!("timeout 20 sh -c 'cat content > {name}'");
        t.shell(&format!("{feed} & timeout 20 $hashmill {args}")).code(0);
        t.remove(name).rename("content", name);
    };
    for name in ["list", "list.seal"] {
        once(name, "seal verify list");
        once(name, "proof create list tree/09");
        once(name, "seal redact list --hide 0* -o x");
        once(name, "diff --roots list list.seal");
    }
    t.remove("x");
    once("list", "seal create list -o x");
    for name in ["shown", "list.seal"] {
        once(name, "seal verify shown --seal-file list.seal");
    }
    for name in ["proof", "list.seal", "tree/09"] {
        once(name, "proof verify proof --seal-file list.seal --file tree/09");
    }
});

case!(differences_are_found_by_the_trees, |t| {
    tree(t);
    t.run("hash -o one tree").code(0);
    t.run("diff --roots one one").code(0).is("");
    t.file("tree/03", "other").remove("tree/05").file("tree/20", "new").run("hash -o two tree").code(0);
    t.run("diff --roots one two").code(1).is("+ tree/03\n+ tree/20\n- tree/03\n- tree/05\n");
    t.run("seal create one").code(0);
    t.run("seal create two").code(0);
    t.run("diff --roots one.seal two.seal").code(1).is("").says("the records differ");
    t.run("diff --roots one.seal one").code(0).quiet();
    let spaced = [&t.read("one")[..], b"# more\n"].concat();
    t.file("spaced", spaced).run("diff --roots one.seal spaced").code(0).says("but other bytes");
    t.run("diff --roots two one.seal").code(1);
    t.run("seal create two -c blake3").code(0);
    t.run("diff --roots one.seal two.seal").code(64).says("different algorithms");
    t.run("diff --roots one two -c md5").code(64);
});

case!(any_range_of_a_large_file_is_verified_with_its_outboard, |t| {
    let content: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    t.file("disk", &content);
    let root = String::from_utf8(t.run("outboard create disk").code(0).stdout().to_vec()).unwrap();
    let root = root.trim_end();
    assert!(t.run("hash -c blake3 disk").code(0).prints(root).stdout().len() > 64);
    assert_eq!(t.read("disk.obao").len(), 8 + 73 * 64);
    let verified = format!("verified: disk: all 1200000 bytes are what the root {root} stands for\n");
    t.run(&format!("outboard verify disk --root {root}")).code(0).quiet().is(verified);
    let mut changed = content.clone();
    changed[700_000] ^= 1;
    t.file("disk", &changed);
    t.run(&format!("outboard verify disk --root {root}")).code(1).says("at byte 688128");
    t.run(&format!("outboard verify disk --root {root} --range 0..512K"))
        .code(0)
        .quiet()
        .prints("verified: disk: bytes 0 up to 524288 of 1200000 are what the root");
    t.run(&format!("outboard verify disk --root {root} --range 700000..700001")).code(1);
    t.file("disk", &content[..content.len() - 1]);
    t.run(&format!("outboard verify disk --root {root} --range 0..1K")).code(1).says("1199999 bytes");
    // A length that somebody changed in the outboard, too, with as many groups, and with fewer.
    let pairs = t.read("disk.obao");
    for length in [content.len() - 1, content.len() - 3000, content.len() + 5] {
        let padded = [&content[..], &[0; 5]].concat();
        t.file("disk", &padded[..length]);
        t.file("disk.obao", [&(length as u64).to_le_bytes()[..], &pairs[8..]].concat());
        t.run(&format!("outboard verify disk --root {root} --range 0..1K"))
            .code(1)
            .says("does not lead to the root");
    }
    t.file("disk.obao", &pairs);
    t.file("disk", &content);
    t.run(&format!("outboard verify disk --root {}", "0".repeat(64))).code(1);
    t.run(&format!("outboard verify disk --root {root} --range 5..5")).code(64);
    t.run(&format!("outboard verify disk --root {root} --range 0..1G")).code(64);
    let pairs = t.read("disk.obao");
    t.file("disk.obao", &pairs[..100])
        .run(&format!("outboard verify disk --root {root}"))
        .code(64)
        .says("not an outboard");
    t.run("outboard create disk --group 3K --force").code(64).says("power of two");
    t.file("empty", "").run("outboard create empty").code(0);
    t.run("outboard verify empty --root af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262")
        .code(0);
});

case!(what_a_seal_stands_for_is_told_to_programs, |t| {
    t.file("a", "abc").run("hash -o m a").code(0);
    let sealed = t.run("seal create m -f json").code(0);
    let facts: serde_json::Value = serde_json::from_slice(sealed.stdout()).unwrap();
    assert_eq!((facts["seal"].as_str(), facts["records"].as_u64()), (Some("m.seal"), Some(1)), "{facts}");
    let root = facts["root"].as_str().unwrap();
    t.run(&format!("seal verify m --root {root}")).code(0);
});
