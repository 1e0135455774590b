//! Interrupted runs, and going on with them.

use crate::case;
use crate::faults::faulty;
use crate::inside;
use crate::util::{Place, Ran};
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Starts a run over many small files, then an operand that blocks it for ever: a FIFO that is held open and never
/// written to. Everything before it is finished, in path order.
pub fn blocked(t: &Place, options: &str) -> (Child, fs::File) {
    if !t.has("pipe") {
        t.fifo("pipe");
    }
    let child = t.command(&format!("hash -o out {options} a pipe b")).stderr(Stdio::piped()).spawn().unwrap();
    // Opening for reading, too, never waits.
    let hold = fs::OpenOptions::new().read(true).write(true).open(t.path("pipe")).unwrap();
    (child, hold)
}

fn tree(t: &Place) {
    for number in 0..200_u32 {
        t.file(format!("a/{number}"), number.to_string().repeat(number as usize));
        t.file(format!("b/{number}"), number.to_string());
    }
    // Files modified when a run starts are hashed again.
    thread::sleep(Duration::from_millis(50));
}

/// Waits until the partial output has this many lines.
pub fn until_lines(t: &Place, lines: usize) {
    until("the partial output stays short", || {
        let partial = fs::read(t.path(".out.hashmill-partial")).unwrap_or_default();
        partial.iter().filter(|byte| **byte == b'\n').count() >= lines
    });
}

/// Waits until the run has come to the pipe.
pub fn until_blocked(t: &Place, child: &Child) {
    let descriptors = format!("/proc/{}/fd", child.id());
    let pipe = t.path("pipe");
    until("the pipe is not opened", || {
        let mut open = fs::read_dir(&descriptors).unwrap().flatten();
        open.any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|to| to == pipe))
    });
}

pub fn until(otherwise: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        // Only an event that never happens takes this long.
        assert!(start.elapsed() < Duration::from_secs(600), "{otherwise}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

/// Runs a command without interruption: the pipe provides its bytes at once.
///
/// A process that only writes to the pipe may lose its reader a moment later: a program that another test starts has
/// all descriptors of this one until it is executed. So the pipe is held open until the run has read from it: it may open it
/// more than once, and what nobody holds open is empty.
pub fn fed(t: &Place, command: &str) -> Ran {
    let mut hold = fs::OpenOptions::new().read(true).write(true).open(t.path("pipe")).unwrap();
    hold.write_all(b"piped").unwrap();
    let child = t.command(command).stderr(Stdio::piped()).spawn().unwrap();
    until("the pipe is not read", || rustix::io::ioctl_fionread(&hold).unwrap() == 0);
    drop(hold);
    Ran::new("fed", child.wait_with_output().unwrap())
}

/// Its manifest.
fn whole(t: &Place, options: &str, output: &str) {
    fed(t, &format!("hash -o {output} {options} a pipe b")).code(0);
}

fn interrupted_then_resumed(t: &Place, signals: &[&str], options: &str) {
    tree(t);
    for name in signals {
        let earlier = t.has(".out.hashmill-partial");
        let (mut child, hold) = blocked(t, &format!("{options} {}", if earlier { "--resume" } else { "" }));
        until_blocked(t, &child);
        if !earlier {
            until_lines(t, 200);
        }
        signal(&child, name);
        let status = child.wait().unwrap();
        match *name {
            "KILL" => assert_eq!(status.signal(), Some(9)),
            _ => assert_eq!(status.code(), Some(130)),
        }
        drop(hold);
        assert!(!t.has("out"));
    }
    whole(t, &format!("{options} --resume"), "out");
    whole(t, options, "wanted");
    assert!(t.read("out") == t.read("wanted"), "{}", String::from_utf8_lossy(&t.read("out")));
    assert_eq!(t.leftovers(), Vec::<String>::new());
}

case!(a_run_ended_by_sigint_is_gone_on_with, |t| {
    interrupted_then_resumed(t, &["INT"], "-c md5,sha256");
});

case!(a_run_ended_by_sigterm_is_gone_on_with, |t| {
    interrupted_then_resumed(t, &["TERM"], "-f jsonl");
});

case!(a_killed_run_is_gone_on_with, |t| {
    interrupted_then_resumed(t, &["KILL"], "-f csv -c crc32,blake3");
});

case!(a_run_killed_again_and_again_is_gone_on_with, |t| {
    interrupted_then_resumed(t, &["KILL", "INT", "KILL"], "-f sums -c sha256,blake3");
});

case!(facts_are_gone_on_with, |t| {
    interrupted_then_resumed(t, &["KILL"], "--facts type,entropy -f jsonl");
});

case!(matches_of_rules_are_gone_on_with_by_the_same_rules_alone, |t| {
    tree(t);
    // Only files that the first run has read are so long.
    let rules = "rule long { condition: filesize > 500 }";
    t.file("r.yar", rules);
    let (mut child, hold) = blocked(t, "--yara r.yar -f jsonl");
    until_blocked(t, &child);
    until_lines(t, 200);
    signal(&child, "KILL");
    child.wait().unwrap();
    drop(hold);
    t.file("r.yar", "rule short { condition: filesize < 500 }");
    let resumed = "hash -o out --yara r.yar -f jsonl --resume a pipe b";
    t.run(resumed).code(64).says("can't go on");
    t.file("r.yar", rules);
    fed(t, resumed).code(1).says("33 files match rules");
    fed(t, "hash -o wanted --yara r.yar -f jsonl a pipe b").code(1);
    assert!(t.read("out") == t.read("wanted"));
});

case!(formats_of_pronom_are_gone_on_with_by_the_same_signatures_alone, |t| {
    tree(t);
    let signatures = |t: &Place, puid: &str| {
        let format = format!("<FileFormat ID='1' PUID='{puid}'><Extension>txt</Extension></FileFormat>");
        t.file("droid.xml", format!("<FFSignatureFile Version='1'><FileFormatCollection>{format}</FileFormatCollection></FFSignatureFile>"));
    };
    signatures(t, "fmt/1");
    let (mut child, hold) = blocked(t, "--pronom droid.xml -f jsonl");
    until_blocked(t, &child);
    until_lines(t, 200);
    signal(&child, "KILL");
    child.wait().unwrap();
    drop(hold);
    let resumed = "hash -o out --pronom droid.xml -f jsonl --resume a pipe b";
    signatures(t, "fmt/2");
    t.run(resumed).code(64).says("can't go on");
    signatures(t, "fmt/1");
    fed(t, resumed).code(0);
    fed(t, "hash -o wanted --pronom droid.xml -f jsonl a pipe b").code(0);
    assert!(t.read("out") == t.read("wanted"));
});

case!(pieces_are_gone_on_with, |t| {
    interrupted_then_resumed(t, &["KILL"], "-p 100");
});

case!(leaves_are_gone_on_with, |t| {
    interrupted_then_resumed(t, &["KILL"], "--leaves -c glacier,tth -f jsonl");
});

case!(a_store_s_text_is_gone_on_with, |t| {
    interrupted_then_resumed(t, &["KILL"], "-c crc64nvme,md5 --text azure -f csv");
});

case!(names_below_the_folder_of_the_list_are_gone_on_with, |t| {
    t.file("c/x", "x").file("c/y", "y");
    interrupted_then_resumed(t, &["KILL"], "-f gentoo -c sha512 ./c");
    assert!(t.read("out").starts_with(b"DATA c/x "));
});

case!(a_torn_line_is_dropped, |t| {
    tree(t);
    let (mut child, hold) = blocked(t, "");
    until_lines(t, 202);
    signal(&child, "KILL");
    child.wait().unwrap();
    drop(hold);
    let partial = t.read(".out.hashmill-partial");
    for cut in [1, 10, 60, 100, partial.len() - 30] {
        let (name, cut) = (".out.hashmill-partial", partial.len() - cut);
        t.file(name, &partial[..cut]);
        whole(t, "--resume", "out");
        whole(t, "", "wanted");
        let (out, wanted) = (t.read("out"), t.read("wanted"));
        assert!(out == wanted, "{}", String::from_utf8_lossy(&out));
        let run = "hashmill 0.1.0 -c blake3 -f hashdeep -p 0 --times false --bad-blocks fail\n";
        t.file(".out.hashmill-run", run);
    }
});

case!(what_changed_meanwhile_is_hashed_again, |t| {
    tree(t);
    let (mut child, hold) = blocked(t, "");
    until_lines(t, 200);
    signal(&child, "INT");
    child.wait().unwrap();
    drop(hold);
    t.file("a/7", "changed").file("a/10", "x").file("a/1000new", "new").remove("a/100");
    whole(t, "--resume --stats=json", "out");
    whole(t, "", "wanted");
    assert_eq!(t.read("out"), t.read("wanted"));
});

case!(finished_files_are_not_read_again, |t| {
    tree(t);
    let (mut child, hold) = blocked(t, "");
    until_lines(t, 200);
    signal(&child, "INT");
    child.wait().unwrap();
    drop(hold);
    fed(t, "hash -o out --resume --stats=json a pipe b")
        .code(0)
        .says("\"hashed\":401,")
        .says("\"kept\":200,");
});

case!(other_options_are_refused, |t| {
    tree(t);
    let (mut child, hold) = blocked(t, "");
    until_lines(t, 200);
    signal(&child, "INT");
    child.wait().unwrap();
    drop(hold);
    t.run("hash -o out --resume -c md5 a").code(64).says("--force starts again");
    t.run("hash -o out --resume -f csv a").code(64).says("can't go on");
    assert!(t.has(".out.hashmill-partial"));
    t.run("hash -o out -c md5 a").code(64).says("--resume goes on from there, --force starts again");
    assert!(t.has(".out.hashmill-partial"));
    t.run("hash -o out -c md5 --force a").code(0);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(where_nothing_was_finished_nothing_is_left, |t| {
    t.file("a/file", "a").file("b/file", "b").fifo("pipe");
    let child = t.command("hash -o out pipe a").stderr(Stdio::piped()).spawn().unwrap();
    let hold = fs::OpenOptions::new().read(true).write(true).open(t.path("pipe")).unwrap();
    until_blocked(t, &child);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    drop(hold);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("interrupted") && !said.contains("--resume"), "{said}");
    assert_eq!(t.leftovers(), Vec::<String>::new());
    t.run("hash -o out a").code(0);
});

case!(two_runs_cannot_write_one_output, |t| {
    tree(t);
    let (mut child, _hold) = blocked(t, "");
    until_lines(t, 200);
    t.run("hash -o out a").code(2).says("another run is writing it");
    t.run("hash -o out --resume a").code(64).says("another run is writing it");
    signal(&child, "INT");
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
});

case!(nothing_to_go_on_with_is_a_fresh_start, |t| {
    t.file("a", "1").run("hash -o out --resume a").code(0).quiet();
    t.run("hash -o out --resume a").code(0).quiet();
});

case!(an_interrupted_run_to_standard_output_keeps_what_it_wrote, |t| {
    tree(t);
    t.fifo("pipe");
    let child = t.command("hash -f sums a pipe").stdout(fs::File::create(t.path("written")).unwrap()).spawn();
    let mut child = child.unwrap();
    let _hold = fs::OpenOptions::new().read(true).write(true).open(t.path("pipe")).unwrap();
    // They come out now and then: the first ones are there before the last one is hashed.
    until("not all finished files are written", || {
        t.read("written").iter().filter(|byte| **byte == b'\n').count() == 200
    });
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(t.read("written").iter().filter(|byte| **byte == b'\n').count(), 200);
});

/// Kills a run when one of its files has this many bytes; returns false if that can't be done.
fn killed_at(t: &Place, file: &str, bytes: usize, line: &str) -> bool {
    let bytes = bytes.to_string();
    let faults = [
        ("FAULT_WRITE_PATH", file),
        ("FAULT_WRITE_AFTER", bytes.as_str()),
        ("FAULT_WRITE_ERRNO", "KILL"),
        ("FAULT_RENAME", "1"),
    ];
    faulty(t, &faults, line).is_some()
}

/// Files with pieces, and one name that formats escape.
fn small_tree(t: &Place) {
    for number in 0..12_u32 {
        t.file(format!("tree/{number:02}"), number.to_string().repeat(40 * number as usize));
    }
    t.file("tree/with\nfeed", "odd").file("tree/empty", "");
    thread::sleep(Duration::from_millis(20));
}

case!(
    #[ignore = "campaign: takes long"]
    a_run_killed_at_any_byte_is_gone_on_with,
    |t| {
        small_tree(t);
        for options in [
            "-c md5,sha256",
            "-f sums -c md5,crc32",
            "-f bsd",
            "-f csv",
            "-f dfxml",
            "-p 100",
            "-f jsonl -p 200",
        ] {
            let line = format!("hash {options} -o out tree");
            t.run(&line).code(0);
            let wanted = t.read("out");
            t.remove("out");
            let whole = wanted.len();
            // In the header, within a line, at its end, near the end, and when only the name is missing.
            let line_end = wanted.iter().rposition(|byte| *byte == b'\n').unwrap_or(whole);
            for at in [0, 1, 30, whole / 3, whole / 2, whole / 2 + 17, whole * 4 / 5, line_end - 1, whole] {
                if !killed_at(t, ".out.hashmill-partial", at, &line) {
                    return;
                }
                assert!(!t.has("out") && t.read(".out.hashmill-partial").len() == at);
                // Killed again on the way, at another place; then the results of both are joined.
                killed_at(t, ".out.hashmill-partial", whole * 2 / 3, &format!("{line} --resume"));
                t.run(&format!("{line} --resume")).code(0);
                assert!(t.read("out") == wanted, "{options}, killed at {at}");
                assert_eq!(t.leftovers(), Vec::<String>::new());
                t.remove("out");
            }
            // While marks are written: records without them are hashed again.
            for at in [0, 7, 16, 100] {
                killed_at(t, ".out.hashmill-seen", at, &line);
                killed_at(t, ".out.hashmill-seen", at, &format!("{line} --resume"));
                t.run(&format!("{line} --resume")).code(0);
                assert!(t.read("out") == wanted, "{options}, marks cut at {at}");
                t.remove("out");
            }
        }
    }
);

case!(what_changed_is_told_by_the_clock_of_its_own_file_system, |t| {
    small_tree(t);
    let line = "hash -c sha256 -o out tree";
    if !killed_at(t, ".out.hashmill-partial", 1 << 20, line) {
        return;
    }
    // Changed after it was hashed, in a way that shows neither in size nor in the time of the content. The run's own
    // file is newer than that, as it is where the clock of a server is behind.
    let modified = fs::metadata(t.path("tree/03")).unwrap().modified().unwrap();
    t.file("tree/03", "4".repeat(120));
    fs::File::options().write(true).open(t.path("tree/03")).unwrap().set_modified(modified).unwrap();
    thread::sleep(Duration::from_millis(50));
    let run = t.read(".out.hashmill-run");
    t.remove(".out.hashmill-run").file(".out.hashmill-run", run);
    t.run(&format!("{line} --resume --stats=json")).code(0).says("\"kept\":13,");
    assert_eq!(t.read("out"), t.run("hash -c sha256 tree").code(0).stdout());
});

case!(pieces_whose_file_was_not_written_are_not_the_next_files, |t| {
    small_tree(t);
    let line = "hash -p 100 -c md5 -f jsonl -o out tree";
    t.run(line).code(0);
    let wanted = t.read("out");
    if !killed_at(t.remove("out"), ".out.hashmill-partial", 1 << 20, line) {
        return;
    }
    let partial = String::from_utf8(t.read(".out.hashmill-partial")).unwrap();
    let at = partial.find("{\"path\":\"tree/05\"").unwrap();
    let orphan = partial.lines().find(|line| line.contains("tree/04")).unwrap();
    assert!(orphan.contains("\"offset\":0"));
    let orphan = orphan.replace("tree/04", "tree/04-gone") + "\n";
    let spoiled = [&partial[..at], &orphan, &partial[at..]].concat();
    t.file(".out.hashmill-partial", spoiled);
    t.run(&format!("{line} --resume --stats=json")).code(0).says("\"kept\":14,");
    assert_eq!(t.read("out"), wanted);
});

/// A disk image, archives in each other, and an archive with three members of one name, of which the first is damaged.
fn containers(t: &Place) -> Option<()> {
    if !hashmill_testing::all_installed(&["mke2fs", "sfdisk", "tar", "python3"]) {
        return None;
    }
    inside::tree(t);
    inside::system(t, "p1", "ext4");
    t.shell("mkdir in && tar -czf in/b.tar.gz tree && tar -cf in/c.tar tree in/b.tar.gz").code(0);
    inside::disk(t, "in/a.img", &["p1"]);
    let zip = "import warnings, zipfile
warnings.simplefilter('ignore')
with zipfile.ZipFile('in/d.zip', 'w') as new:
    [new.writestr(zipfile.ZipInfo('same'), text) for text in ('first', 'other', 'third')]
bytes = open('in/d.zip', 'rb').read()
open('in/d.zip', 'wb').write(bytes.replace(b'first', b'worst'))
";
    t.file("zip.py", zip).shell("python3 zip.py").code(0);
    thread::sleep(Duration::from_millis(20));
    Some(())
}

/// Returns how many records a resumed run kept.
fn kept(ran: &Ran) -> usize {
    let text = ran.stderr();
    let number = text.split("\"kept\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

case!(
    #[ignore = "campaign: takes long"]
    entries_of_images_and_archives_are_gone_on_with,
    |t| {
        let Some(()) = containers(t) else { return };
        for options in
            ["-f jsonl -c sha256,md5", "-f csv", "-f dfxml -c md5", "-c sha256", "-f jsonl -p 1000"]
        {
            let line = format!("hash --inside all {options} -o out in");
            t.run(&line).code(2).says("in/d.zip!/same");
            let wanted = t.read("out");
            t.remove("out");
            let whole = wanted.len();
            for at in [0, 30, whole / 5, whole / 3, whole / 2 + 17, whole * 4 / 5, whole - 30, whole] {
                if !killed_at(t, ".out.hashmill-partial", at, &line) {
                    return;
                }
                let resumed = format!("{line} --resume --stats=json");
                if at != whole {
                    killed_at(t, ".out.hashmill-partial", whole * 2 / 3, &resumed);
                }
                let ran = t.run(&resumed).code(2).says("in/d.zip!/same");
                assert!(t.read("out") == wanted, "{options}, killed at {at}");
                assert_eq!(t.leftovers(), Vec::<String>::new());
                // All but the members of one name: their first is expected, and not there.
                assert!(at != whole || kept(&ran) >= 20, "{options}: {} kept", kept(&ran));
                t.remove("out");
            }
        }
    }
);

case!(a_segment_in_the_place_of_another_is_read, |t| {
    if !hashmill_testing::all_installed(&["mke2fs"]) {
        return;
    }
    inside::tree(t);
    inside::system(t, "whole", "ext4");
    let bytes = t.read("whole");
    let at = bytes.windows(5).position(|bytes| bytes == b"alpha").unwrap();
    // The first segment is one file in both folders, and the newest.
    t.file("other/s.002", [b"delta", &bytes[at + 5..]].concat()).file("in/s.002", &bytes[at..]);
    t.file("in/s.001", &bytes[..at]);
    fs::hard_link(t.path("in/s.001"), t.path("other/s.001")).unwrap();
    thread::sleep(Duration::from_millis(20));
    let line = "hash --inside images -f jsonl -c sha256 -o out in/s.001";
    if !killed_at(t, ".out.hashmill-partial", 1 << 20, line) {
        return;
    }
    t.rename("in", "gone").rename("other", "in");
    t.run(&format!("{line} --resume")).code(0);
    let resumed = t.read("out");
    t.remove("out").run(line).code(0);
    assert!(t.read("out") == resumed);
});

case!(entries_of_changed_images_and_archives_are_read_again, |t| {
    let Some(()) = containers(t) else { return };
    let line = "hash --inside all -f jsonl -c sha256 -o out in";
    if !killed_at(t, ".out.hashmill-partial", 1 << 20, line) {
        return;
    }
    // Its members have the sizes and times of before.
    let (changed, place) = (t.read("in/c.tar"), t.path("in/c.tar"));
    let modified = fs::metadata(&place).unwrap().modified().unwrap();
    let at = changed.windows(5).position(|bytes| bytes == b"alpha").unwrap();
    t.file("in/c.tar", [&changed[..at], b"delta", &changed[at + 5..]].concat());
    fs::File::options().write(true).open(&place).unwrap().set_modified(modified).unwrap();
    let ran = t.run(&format!("{line} --resume --stats=json")).code(2);
    let resumed = t.read("out");
    assert!(kept(&ran) >= 10);
    t.remove("out").run(line).code(2);
    assert!(t.read("out") == resumed);
});

case!(a_member_that_should_have_been_looked_into_is_told_by_the_run_that_goes_on, |t| {
    let footer = [&b"conectix\0\0\0\x02\0\x01\0\0\xff\xff\xff\xff"[..], &[0; 492]].concat();
    t.file("b/0", "b").file("payload.bin", [&vec![0; 2 << 20], &footer[..]].concat());
    t.file("a/1", "1").shell("tar czf a/a.tgz payload.bin").code(0);
    thread::sleep(Duration::from_millis(50));
    let options = "--inside all -f jsonl -c sha256";
    let (mut child, hold) = blocked(t, options);
    until_lines(t, 3);
    signal(&child, "KILL");
    child.wait().unwrap();
    drop(hold);
    let told = "a/a.tgz!/payload.bin: is an image of media, and was not looked into";
    let resumed = fed(t, &format!("hash -o out {options} --resume a pipe b")).code(2).says(told);
    let whole = fed(t, &format!("hash -o wanted {options} a pipe b")).code(2).says(told);
    let about = |ran: &Ran| {
        let mut lines: Vec<String> = ran.stderr().lines().map(str::to_owned).collect();
        lines.retain(|line| line.contains("payload"));
        lines
    };
    assert_eq!(about(&resumed), about(&whole));
    let text = |name| {
        let text = String::from_utf8(t.read(name)).unwrap();
        text.lines().filter(|line| !line.contains("\"pipe\"")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(text("out"), text("wanted"));
});
