//! Indexes that are damaged, builds that can't end well.

use super::{EMPTY, MD5};
use crate::case;
use crate::faults::faulty;
use crate::util::{Place, Ran};
use hashloom_testing::Random;
use std::io::Write;
use std::process::{Child, Command, Stdio};

fn old(t: &Place) -> Vec<u8> {
    t.file("old.md5", MD5).run("known build -o s.hlk --bad old.md5").code(0);
    t.read("s.hlk")
}

fn random_list(count: u64) -> String {
    let mut random = Random(7);
    (0..count).map(|_| format!("{}\n", random.digest(16))).collect()
}

case!(a_damaged_index_is_refused, |t| {
    let whole = old(t);
    let mut altered = whole.clone();
    altered[40] ^= 1;
    let cases: [(&[u8], &str); 5] = [
        (&whole[..whole.len() - 1], "is damaged: the file is not as long as its header says"),
        (&whole[..100], "is damaged: the header is cut short"),
        (&altered, "is damaged: the header's checksum"),
        (b"", "is not an index of known digests"),
        (b"%PDF-1.4\n", "is not an index of known digests"),
    ];
    for (content, why) in cases {
        t.file("d.hlk", content);
        for command in ["query -k d.hlk 00", "match -k d.hlk old.md5", "info d.hlk"] {
            t.run(&format!("known {command}")).code(64).says(&format!("d.hlk: {why}"));
        }
        t.run("hash --known-set d.hlk -f csv old.md5").code(64).says(&format!("d.hlk: {why}"));
    }
    // Of several, the others are still shown.
    t.run("known info d.hlk s.hlk").code(2).prints("s.hlk:\n");
});

case!(a_damaged_block_is_never_an_answer, |t| {
    let list = random_list(2000);
    let digest = &list[..32];
    t.file("list.md5", &list).run("known build -o s.hlk --bad list.md5").code(0);
    let mut index = t.read("s.hlk");
    let kept: Vec<u8> = digest.as_bytes()[4..]
        .chunks(2)
        .map(|hex| u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap())
        .collect();
    let at = index.windows(kept.len()).position(|part| part == kept).unwrap();
    index[at] ^= 0x20;
    t.file("d.hlk", index)
        .file("asked.hashdeep", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n0,{digest},f\n"));
    let told = "d.hlk: is damaged: a block of the entries (build it again)";
    t.run(&format!("known query --known-set d.hlk {digest}")).code(64).says(told);
    t.run("known query --known-set d.hlk --from list.md5").code(64).says(told);
    t.run("known match --known-set d.hlk --manifest asked.hashdeep --show bad,unknown").code(64).says(told);
});

case!(an_index_of_the_first_version_is_refused, |t| {
    let mut first = old(t);
    first[8] = 1;
    first.truncate(5000);
    t.file("d.hlk", first);
    t.run("known query --known-set d.hlk 00")
        .code(64)
        .says("is an index of version 1, but this build reads version 2 (build it again)");
});

case!(every_altered_byte_is_found_by_verifying, |t| {
    let whole = old(t);
    for at in (0..whole.len()).step_by(97) {
        let mut altered = whole.clone();
        altered[at] ^= 0x10;
        t.file("d.hlk", altered).run("known info --verify d.hlk").code(64).says("d.hlk: ");
    }
    t.run("known info --verify s.hlk").code(0).prints("verified        every byte");
});

case!(a_full_disk_leaves_the_old_index, |t| {
    let whole = old(t);
    t.file("list.md5", random_list(1000));
    for after in ["0", "5000"] {
        let faults = [("FAULT_WRITE_PATH", "hashloom-partial"), ("FAULT_WRITE_AFTER", after)];
        let Some(ran) = faulty(t, &faults, "known build -o s.hlk --good list.md5") else { return };
        ran.code(2).says("cannot write: No space left on device");
        assert_eq!(t.read("s.hlk"), whole);
        assert_eq!(t.leftovers(), Vec::<String>::new());
    }
});

/// Returns a build that has read a lot, has runs on disk, and waits for more.
fn waiting(t: &Place) -> (Child, std::process::ChildStdin) {
    let mut command = t.command("known build -m 1M -o s.hlk --good -");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a pipe holds: all but the end was read.
    input.write_all(random_list(600_000).as_bytes()).unwrap();
    (child, input)
}

case!(a_killed_build_leaves_the_old_index, |t| {
    let whole = old(t);
    let (mut child, _input) = waiting(t);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(t.read("s.hlk"), whole);
    // Runs have no names; an output that was being written has.
    t.file("s.hlk.99999.hashloom-partial", "half");
    t.run(&format!("known query --known-set s.hlk {MD5} {EMPTY}")).code(1);
    t.run("known build -o s.hlk --good old.md5").code(0);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(an_interrupted_build_leaves_nothing, |t| {
    let whole = old(t);
    let (child, mut input) = waiting(t);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    // The build checks for signals while it reads; after its end writing fails.
    let more = random_list(20_000);
    while input.write_all(more.as_bytes()).is_ok() {}
    drop(input);
    Ran::new("interrupted", child.wait_with_output().unwrap()).code(130).says("interrupted");
    assert_eq!(t.read("s.hlk"), whole);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});
