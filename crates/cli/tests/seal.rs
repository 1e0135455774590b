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

case!(a_manifest_is_sealed_and_a_changed_one_is_told, |t| {
    tree(t);
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        t.run(&format!("hash -c sha256,md5 -f {format} -o list tree")).code(0);
        let root = t.run("seal list").code(0);
        assert_eq!(root.stdout().len(), 65);
        t.run("verify-seal list").code(0).quiet();
        let list = t.read("list");
        // The same run seals as it writes.
        let seal = t.read("list.seal");
        t.remove("list.seal").run(&format!("hash -c sha256,md5 -f {format} -o list --seal tree")).code(0);
        assert!(t.read("list") == list && t.read("list.seal") == seal, "{format}");
        let at = list.iter().rposition(u8::is_ascii_digit).unwrap();
        let mut changed = list.clone();
        changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
        let ran = t.file("list", changed).run("verify-seal list");
        assert!([Some(1), Some(64)].contains(&ran.exit()), "{format}");
        t.file("list", list).run("verify-seal list").code(0);
        t.run("seal list -c sha3-256").code(0);
        t.run("verify-seal list").code(0);
    }
    t.run("seal list -c md5").code(64).says("not fit for seals");
    t.run("seal nothing").code(64).says("nothing: cannot read");
    t.file("prose", "no manifest\nat all\n").run("seal prose").code(64).says("is no manifest");
    t.file("broken", "900150983cd24fb0d6963f7d28e17f72  a\nbroken\n");
    t.run("seal broken").code(64).says("line 2: line: left out");
});

case!(a_proof_shows_one_record_without_the_others, |t| {
    tree(t);
    t.run("hash -c sha256,blake3 -o list --seal tree").code(0);
    t.run("prove list tree/07 -o proof").code(0).quiet();
    let root = String::from_utf8(t.read("list.seal")).unwrap();
    let root = root.split("\"root\":\"").nth(1).unwrap().split('"').next().unwrap();
    t.remove("list");
    t.run("verify-proof proof --seal list.seal").code(0).is("record 7 of 22: tree/07\n").quiet();
    t.run(&format!("verify-proof proof --root {root} --file tree/07")).code(0).quiet();
    t.run("verify-proof proof --seal list.seal --file tree/08").code(1).says("its size is not");
    t.file("tree/07", "8888888")
        .run("verify-proof proof --seal list.seal --file tree/07")
        .code(1)
        .says("its digest");
    t.run(&format!("verify-proof proof --root {}", "0".repeat(64))).code(1).says("another root");
    t.run("verify-proof proof").code(64);
    assert!(!String::from_utf8(t.read("proof")).unwrap().contains("tree/08"));
    t.run("hash -c sha256,blake3 -o list tree").code(0);
    t.run("prove list tree/08").code(1).says("the records are not those that were sealed");
    t.run("seal list").code(0);
    t.run("prove list tree/08 tree/none").code(1).says("no record has the path tree/none");
    t.run("verify-proof proof --seal list.seal").code(1).says("the proof is for another root");
    // Lists do not name the algorithm: any of its length will do.
    t.run("hash -c sha3-256 -f sums -o sums --seal tree").code(0);
    t.run("prove sums tree/05 -o proof").code(0);
    t.run("verify-proof proof --seal sums.seal --file tree/05").code(0);
});

case!(a_redacted_manifest_shows_some_records_and_keeps_the_root, |t| {
    tree(t);
    t.run("hash -c sha256 -f jsonl -o list tree").code(0);
    t.run("seal list").code(0);
    t.run("redact list --hide tree/1* -o shown").code(0).says("12 records shown, 10 hidden").says("no salts");
    t.run("verify-seal shown --seal list.seal").code(0).says("12 records shown, 10 hidden");
    let text = String::from_utf8(t.read("shown")).unwrap();
    assert!(text.contains("tree/09") && !text.contains("tree/15"));
    t.run("verify-seal shown").code(64).says("--seal");
    t.run("seal list --secret secret").code(0);
    assert_eq!(fs::metadata(t.path("secret")).unwrap().permissions().mode() & 0o777, 0o600);
    t.run("verify-seal shown --seal list.seal").code(1).says("of another root");
    t.run("verify-seal list").code(64).says("--secret");
    t.run("verify-seal list --secret secret").code(0).quiet();
    t.run("redact list --keep 0* -o salted --secret secret").code(0).says("10 records shown, 12 hidden\n");
    t.run("verify-seal salted --seal list.seal").code(0);
    t.run("prove list tree/04 -o proof --secret secret").code(0);
    t.run("verify-proof proof --seal list.seal --file tree/04").code(0);
    t.run("redact list -o x").code(64);
    t.run("redact list --keep [ -o x").code(64).says("--keep");
    assert!(!t.has("x"));
});

case!(differences_are_found_by_the_trees, |t| {
    tree(t);
    t.run("hash -o one tree").code(0);
    t.run("diff --roots one one").code(0).is("");
    t.file("tree/03", "other").remove("tree/05").file("tree/20", "new").run("hash -o two tree").code(0);
    t.run("diff --roots one two").code(1).is("+ tree/03\n+ tree/20\n- tree/03\n- tree/05\n");
    t.run("seal one").code(0);
    t.run("seal two").code(0);
    t.run("diff --roots one.seal two.seal").code(1).is("").says("the roots differ");
    t.run("diff --roots one.seal one").code(0).quiet();
    t.run("diff --roots two one.seal").code(1);
    t.run("seal two -c blake3").code(0);
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
    t.run(&format!("outboard verify disk --root {root}")).code(0).quiet();
    let mut changed = content.clone();
    changed[700_000] ^= 1;
    t.file("disk", &changed);
    t.run(&format!("outboard verify disk --root {root}")).code(1).says("at byte 688128");
    t.run(&format!("outboard verify disk --root {root} --range 0..512K")).code(0).quiet();
    t.run(&format!("outboard verify disk --root {root} --range 700000..700001")).code(1);
    t.file("disk", &content[..content.len() - 1]);
    t.run(&format!("outboard verify disk --root {root} --range 0..1K")).code(1).says("1199999 bytes");
    t.file("disk", &content);
    t.run(&format!("outboard verify disk --root {}", "0".repeat(64))).code(1);
    t.run(&format!("outboard verify disk --root {root} --range 5..5")).code(64);
    t.run(&format!("outboard verify disk --root {root} --range 0..1G")).code(64);
    let pairs = t.read("disk.obao");
    t.file("disk.obao", &pairs[..100])
        .run(&format!("outboard verify disk --root {root}"))
        .code(64)
        .says("no outboard");
    t.run("outboard create disk --group 3K").code(64).says("power of two");
    t.file("empty", "").run("outboard create empty").code(0);
    t.run("outboard verify empty --root af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262")
        .code(0);
});
