//! Exit codes when the reader of standard output has gone, threads that can't be started, pieces of files that fail.

use crate::case;
use crate::faults::faulty;
use crate::util::{Place, Ran};
use hashmill_testing::{all_installed, is_of_windows};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

const SIGPIPE: i32 = 13;

/// Returns a pipe without a reader, from the start.
fn unread() -> Stdio {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Returns how a command ends if its standard output has no reader.
fn unheard(t: &Place, args: &str) -> ExitStatus {
    t.command(args).stdout(unread()).stderr(Stdio::null()).status().unwrap()
}

/// Returns whether a command ended as one whose reader has gone: by the signal, on Windows with the code that stands for it.
fn is_gone(status: ExitStatus) -> bool {
    let killed = (status.signal(), status.code()) == (Some(SIGPIPE), None);
    killed || (is_of_windows() && status.code() == Some(141))
}

fn tree(t: &Place) {
    for number in 0..40 {
        t.file(format!("tree/{number:02}"), number.to_string());
    }
    t.file("tree/twin", "1").file("disk.dd", vec![7; 4096]);
    t.file("mixed", (0..9000_u32).flat_map(|n| (n * n).to_le_bytes()).collect::<Vec<u8>>());
    t.run("hash -c sha256 -f sums -o sums tree").code(0);
    t.run("hash -c md5 -f jsonl -o list.jsonl tree").code(0);
    t.run("hash -c ssdeep -f jsonl -o alike.jsonl tree").code(0);
    t.run("known build -o set.hmk --good sums").code(0);
}

case!(a_reader_that_goes_away_ends_every_command, |t| {
    tree(t);
    for args in [
        "--help",
        "--version",
        "hash --help",
        "algorithms",
        "completions bash",
        "man",
        "hash tree",
        "hash -f sums tree",
        "hash -f jsonl tree/00",
        "hash --order any -j 3 tree",
        "hash -f dfxml tree",
        "check sums",
        "audit -k sums tree",
        "audit -vv -k sums tree",
        "audit --format json -k sums tree",
        "diff tree tree",
        "dupes tree",
        "dupes -f json tree",
        "report list.jsonl",
        "convert list.jsonl - -f csv",
        "merge -f csv list.jsonl",
        "similar digest -c ssdeep tree",
        "similar pairs -c ssdeep -t 0 tree",
        "similar search -c ssdeep --against alike.jsonl tree",
        "similar compare -c ssdeep mixed mixed",
        "known match --known-set set.hmk --show all tree",
        "known info set.hmk",
        "known query --known-set set.hmk d41d8cd98f00b204e9800998ecf8427e",
        "image info disk.dd",
        "explain tree",
        "hashdeep -r tree",
        "md5deep -r tree",
        "hashdeep -h",
    ] {
        let status = unheard(t, args);
        assert!(is_gone(status), "{args}: {status:?}");
    }
    // As a shell sees it.
    t.shell("{ $hashmill hash tree; echo $? > code; } | true; cat code").prints("141");
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(what_is_worse_is_said_though_nobody_reads, |t| {
    tree(t);
    t.file("tree/07", "changed").file("bad/a", "a");
    t.run("hash -c md5 -f sums -o bad.md5 bad").code(0);
    t.run("known build -o bad.hmk --bad bad.md5").code(0);
    t.shell("cp -r bad bag; $hashmill bag create bag; printf x >> bag/data/a").code(0);
    t.shell("sed p list.jsonl | sed '$s/.*/no record/' > torn.jsonl").code(0);
    for (args, code) in [
        ("check sums", 1),
        ("check nosuch sums", 2),
        ("check sums nosuch", 2),
        ("check nosuch", 64),
        ("audit -k sums tree", 1),
        ("audit -vv -k sums tree nosuch", 2),
        ("diff tree bad", 1),
        ("hash tree nosuch", 2),
        ("hash -f jsonl nosuch", 2),
        ("known match --known-set bad.hmk bad", 1),
        ("known query --known-set bad.hmk 0cc175b9c0f1b6a831c399e269772661", 1),
        ("known query --known-set bad.hmk nonsense", 2),
        ("similar digest -c ssdeep nosuch tree", 2),
        ("dupes nosuch tree", 2),
        ("bag verify bag", 1),
        ("image verify -f json disk.dd", 64),
        ("convert torn.jsonl - -f csv", 2),
    ] {
        let status = unheard(t, args);
        assert_eq!((status.code(), status.signal()), (Some(code), None), "{args}");
    }
});

case!(a_reader_that_goes_away_amid_many_differences_ends_diff_which_says_so, |t| {
    let list = |digest: u8| (0..2000).map(|n| format!("{digest:032}  {n:0100}\n")).collect::<String>();
    t.file("a.md5", list(1)).file("b.md5", list(2));
    let status = unheard(t, "diff --roots a.md5 b.md5");
    assert_eq!((status.code(), status.signal()), (Some(1), None));
});

case!(a_change_far_behind_the_first_write_is_not_known_yet, |t| {
    for number in 0..2000 {
        t.file(format!("tree/{number:0100}"), "");
    }
    t.run("hash -f sums -o sums tree").code(0);
    t.file("tree/zzz", "new").shell("echo \"$(head -c 64 /dev/zero | tr '\\0' 0)  tree/zzz\" >> sums");
    // The last line of many; the first of them cannot be written.
    let status = unheard(t, "check -j 1 sums");
    assert!(status.signal() == Some(SIGPIPE) || status.code() == Some(1), "{status:?}");
    // And the first of many.
    t.shell("sed -i '1s/^./g/;1s/^g/0/' sums; sed -i '1s/^[0-9a-f]*/'$(printf '0%.0s' $(seq 64))/ sums")
        .code(0);
    let status = unheard(t, "check sums");
    assert_eq!(status.code(), Some(1));
});

case!(what_goes_to_a_file_needs_no_reader, |t| {
    tree(t);
    let status = unheard(t, "hash -f sums -o out tree");
    assert_eq!(status.code(), Some(0));
    let wanted = t.read("out");
    t.shell("$hashmill hash -f sums -o closed tree >&-").code(0);
    assert_eq!(t.read("closed"), wanted);
    t.shell("$hashmill hash -f sums -o closed tree >&- 2>&- <&-").code(0);
    assert_eq!(t.read("closed"), wanted);
    // The result of an audit goes there, and would be lost.
    t.shell("$hashmill audit -k sums --update next tree >&-").code(2).says("standard output: cannot write");
    assert!(!t.has("next"));
});

case!(a_standard_error_that_nobody_reads_changes_nothing, |t| {
    tree(t);
    for (args, code) in [
        ("hash -f sums nosuch tree", 2),
        ("hash --progress always --stats tree", 0),
        ("check sums nosuch", 2),
        ("audit -k nosuch tree", 64),
        ("--nonsense", 64),
    ] {
        let status = t.command(args).stdout(Stdio::null()).stderr(unread()).status().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(code), None), "{args}");
    }
});

case!(the_hashdeep_commands_end_as_the_ones_of_4_4_do, |t| {
    tree(t);
    t.file("tree/07", "changed");
    t.shell("$hashmill hashdeep -c md5 -r tree/00 > known").code(0);
    if !all_installed(&["hashdeep", "md5deep"]) {
        return;
    }
    for args in [
        "hashdeep -r tree",
        "hashdeep -r -a -k known tree",
        "hashdeep -r -a -vvv -k known tree/00",
        "hashdeep -r -m -k known tree",
        "hashdeep -W written -r tree",
        "hashdeep nosuch",
        "hashdeep -h",
        "hashdeep -V",
        "md5deep -r tree",
        "md5deep tree/00",
        "md5deep tree/00 nosuch",
        "md5deep -z nosuch tree/00",
        "md5deep nosuch",
        "md5deep -e tree/00",
    ] {
        let (program, rest) = args.split_once(' ').unwrap();
        let theirs = |out: Stdio, err: Stdio| {
            let mut command = Command::new(program);
            command.args(rest.split(' ')).current_dir(t.path("")).stdin(Stdio::null());
            command.stdout(out).stderr(err).status().unwrap()
        };
        let ours = |out, err| t.command(args).stdout(out).stderr(err).status().unwrap();
        // A missing operand is 1 here, see docs/hashdeep.md.
        let ends = |status: ExitStatus| (status.code().filter(|_| !args.contains("nosuch")), status.signal());
        let (ours_out, theirs_out) = (ours(unread(), Stdio::null()), theirs(unread(), Stdio::null()));
        assert_eq!(ends(ours_out), ends(theirs_out), "{args}: standard output");
        let (ours_error, theirs_error) = (ours(Stdio::null(), unread()), theirs(Stdio::null(), unread()));
        assert_eq!(ends(ours_error), ends(theirs_error), "{args}: standard error");
    }
});

/// Runs a command that can start only this many threads.
fn with_threads(t: &Place, threads: usize, args: &str) -> Option<Ran> {
    faulty(t, &[("FAULT_THREADS", &threads.to_string())], args)
}

case!(
    #[ignore = "campaign: takes long"]
    fewer_threads_give_the_same,
    |t| {
        for number in 0..700 {
            t.file(format!("tree/{}/{number}", number % 7), vec![number as u8; number * 40]);
            t.file(format!("copy/{}/{number}", number % 7), vec![number as u8; number * 40]);
        }
        t.file("tree/large", vec![9; 5_000_000])
            .file("copy/large", vec![9; 5_000_000])
            .file("copy/0/0", "other");
        t.run("hash -c sha256 -f sums -o sums tree").code(0);
        t.run("hash -c md5 -f sums -o bad.md5 copy/0").code(0);
        t.run("known build -o set.hmk --bad bad.md5").code(0);
        for args in [
            "hash -j 4 tree",
            "hash -j 4 tree/large",
            "hash -j 4 -c sha256,blake3 -p 1000 tree/large tree/0",
            "hash -j 4 --prefetch 3 tree",
            "hash -j 4 -c ssdeep,md5 -f jsonl tree/0 tree/large",
            "check -j 4 sums",
            "audit -j 4 -vv -k sums tree",
            "diff -j 4 -v tree copy",
            "dupes -j 4 tree copy",
            "known match -j 4 --known-set set.hmk copy",
            "similar pairs -j 4 -c ssdeep tree/0 copy/0",
            "similar search -j 4 -c tlsh --against copy/1 tree/0",
            "hashdeep -j 4 -r tree",
            "md5deep -e -r tree/0",
        ] {
            let wanted = t.run(args);
            for threads in [0, 1, 2, 3, 5] {
                let Some(ran) = with_threads(t, threads, args) else { return };
                assert_eq!(ran.exit(), wanted.exit(), "{args} with {threads} threads: {}", ran.stderr());
                assert!(ran.stdout() == wanted.stdout(), "{args} with {threads} threads");
            }
        }
    }
);

case!(what_needs_a_thread_says_so, |t| {
    t.file("tree/a", "a").file("tree/b", "b");
    t.run("hash -c md5 -f sums -o sums tree").code(0);
    for threads in 0..6 {
        let ran = with_threads(t, threads, "known build -o set.hmk --bad sums");
        let Some(ran) = ran else { return };
        if ran.exit() != Some(0) {
            assert!(ran.stderr().contains("cannot start a thread"), "{}", ran.stderr());
            assert_eq!(ran.exit(), Some(2));
        }
        let ran = with_threads(t, threads, "hash --seal -o sealed tree").unwrap();
        // Before anything is hashed, or when all is and only the seal is missing.
        assert!(matches!(ran.exit(), Some(0 | 2 | 64)), "{}", ran.stderr());
        if ran.exit() != Some(0) {
            assert!(ran.stderr().contains("thread"), "{}", ran.stderr());
        }
        let args = "bench throughput -c sha256 --duration 0.005 --threads 3 --no-portable";
        let ran = with_threads(t, threads, args).unwrap();
        assert!(matches!(ran.exit(), Some(0 | 2)), "{}", ran.stderr());
        if ran.exit() == Some(2) {
            assert!(ran.stderr().contains("cannot start a thread"), "{}", ran.stderr());
        }
        let ran = with_threads(t, threads, "hash --timeout 10 tree").unwrap();
        assert!(matches!(ran.exit(), Some(0 | 2)), "{}", ran.stderr());
        if ran.exit() == Some(2) {
            assert!(ran.stderr().contains("cannot start a thread"), "{}", ran.stderr());
        }
    }
});

case!(
    #[ignore = "campaign: takes long"]
    no_piece_of_a_file_stays_that_failed,
    |t| {
        // 16 bytes each: far more than are held in memory.
        t.file("tree/a", vec![b'a'; 3_200_000]).file("tree/b", "good").file("tree/c", vec![b'c'; 1_600_000]);
        let faults = [("FAULT_PATH", "tree/a"), ("FAULT_AFTER", "3100000")];
        for format in ["hashdeep", "csv", "dfxml"] {
            let args = format!("hash -c md5 -p 16 -f {format} tree");
            let Some(ran) = faulty(t, &faults, &args) else { return };
            let ran = ran.code(2).says("tree/a: read failed");
            let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
            assert!(text.matches("tree/a").count() <= 1, "{format}");
            assert!(text.matches("tree/c").count() > if format == "dfxml" { 0 } else { 100_000 }, "{format}");
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    pieces_come_back_in_their_order,
    |t| {
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(|number| [number.to_be_bytes(); 4].concat()).collect();
        t.file("many", &bytes).file("few", &bytes[..160]);
        let ran = t.run("hash -c crc32 -p 16 -f jsonl few many").code(0);
        let mut offset = 0;
        let mut seen = 0;
        for line in ran.stdout().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let record: serde_json::Value = serde_json::from_slice(line).unwrap();
            if record["path"] != "many" || record["offset"].is_null() {
                continue;
            }
            assert_eq!((&record["offset"], &record["length"]), (&offset.into(), &16.into()));
            let piece = &bytes[offset as usize..][..16];
            let digest = hashmill_digest::hash(hashmill_digest::find("crc32").unwrap(), piece);
            assert_eq!(record["crc32"], digest.to_string());
            (offset, seen) = (offset + 16, seen + 1);
        }
        assert_eq!(seen, 200_000);
    }
);

case!(pieces_that_find_no_room_are_an_error, |t| {
    t.file("many", vec![b'x'; 3_200_000]);
    without_room(t, "hash -c md5 -p 16 -o out many");
    assert!(!t.has("out"));
});

/// Runs a command where temporary files can't be made, and where they find no room.
fn without_room(t: &Place, words: &str) {
    let mut command = t.command(words);
    command.env("TMPDIR", t.path("nowhere"));
    let ran = t.ran(command, "no TMPDIR").code(2);
    ran.says("nowhere: cannot write: records wait there").says("TMPDIR names").is("");
    // The temporary file has no name any more.
    let faults = [("FAULT_WRITE_PATH", "(deleted)"), ("FAULT_WRITE_AFTER", "100000")];
    let Some(ran) = faulty(t, &faults, words) else { return };
    ran.code(2).says("No space left on device").says("TMPDIR names another place").is("");
}

case!(lists_that_find_no_room_to_be_sorted_are_an_error, |t| {
    let line = |number: u32| {
        format!("{{\"path\":\"{number:08}\",\"status\":\"hashed\",\"md5\":\"{number:032x}\"}}\n")
    };
    // In memory, sorting may take a quarter of -m.
    let lines: String = (0..60_000).rev().map(line).collect();
    t.file("a.jsonl", &lines).file("b.jsonl", lines.replace("path\":\"00000077", "path\":\"00000077x"));
    let diff = "diff -j 1 -m 16M a.jsonl b.jsonl";
    t.run(diff).code(1).prints("00000077x: moved from 00000077\n").prints("matched: 59999\n");
    without_room(t, diff);
});

case!(long_lists_wait_outside_memory_while_files_are_audited, |t| {
    let line = |number: u32| {
        format!("{{\"path\":\"t/{number:08}\",\"status\":\"hashed\",\"md5\":\"{number:032x}\"}}\n")
    };
    let lines: String = (0..60_000).map(line).collect();
    // The digest of `abc`.
    let known = lines.replace(&format!("{:032x}", 77), "900150983cd24fb0d6963f7d28e17f72");
    t.file("list.jsonl", &known).file("t/00000078", "abc").file("t/00000079", "x").file("t/other", "abc");
    let audit = "audit -j 1 -m 16M -k list.jsonl t";
    let ran = t.run(audit).code(1);
    ran.prints("t/00000078: changed\n").prints("t/other: moved from t/00000077\n").prints("missing: 59997\n");
    without_room(t, audit);
});

case!(a_device_that_was_hashed_can_be_checked, |t| {
    // A path that looks like a block device once it is open.
    t.file("disk", vec![b'x'; 300_000]).file("other", "other");
    let faults = [("FAULT_PATH", "/disk"), ("FAULT_DEVICE", "yes")];
    let Some(ran) = faulty(t, &faults, "hash -c sha256 -f sums -o sums disk other") else { return };
    ran.code(0);
    faulty(t, &faults, "check sums").unwrap().code(0).prints("disk: OK\n");
    faulty(t, &faults, "audit -v -k sums").unwrap().code(0).prints("matched: 2\n");
    t.file("disk", vec![b'y'; 300_000]);
    faulty(t, &faults, "check sums").unwrap().code(1).prints("disk: FAILED\n");
    faulty(t, &faults, "audit -v -k sums").unwrap().code(1).prints("disk: changed\n");
});

case!(a_list_can_not_make_a_check_wait, |t| {
    t.file("disk", "x").file("other", "other");
    t.run("hash -c sha256 -f sums -o sums disk other").code(0);
    t.remove("disk").fifo("disk");
    t.run("check sums")
        .code(2)
        .prints("other: OK\n")
        .says("disk: is neither a regular file nor a block device");
    t.run("audit -v -k sums").code(2).prints("disk: unreadable\n").prints("matched: 1\n");
    t.remove("disk").link("disk", "/dev/zero");
    t.run("check sums").code(2).says("disk: is neither a regular file nor a block device");
    t.run("audit -v -k sums").code(2).prints("disk: unreadable\n");
});

case!(records_say_why_there_is_no_digest, |t| {
    t.file("tree/a", "a").file("tree/broken", vec![b'x'; 100_000]).fifo("tree/fifo").link("tree/link", "a");
    let path = t.path("tree/socket");
    let _socket = std::os::unix::net::UnixListener::bind(path).unwrap();
    t.run("hash -f jsonl tree")
        .code(0)
        .prints("{\"path\":\"tree/fifo\",\"status\":\"skipped\",\"reason\":\"fifo\"}");
    t.run("hash -f jsonl tree").code(0).prints("\"reason\":\"symlink\"").prints("\"reason\":\"socket\"");
    t.run("hash -f jsonl nosuch").code(2).prints("\"status\":\"unreadable\",\"reason\":\"ENOENT\"");
    for errno in ["EIO", "ESTALE"] {
        let faults = [("FAULT_PATH", "broken"), ("FAULT_AFTER", "10"), ("FAULT_ERRNO", errno)];
        let Some(ran) = faulty(t, &faults, "hash -f jsonl tree") else { return };
        ran.code(2).prints(format!("\"status\":\"unreadable\",\"reason\":\"{errno}\""));
    }
    let faults = [("FAULT_PATH", "broken"), ("FAULT_OPEN", "EACCES")];
    faulty(t, &faults, "hash -f csv -o list.csv tree").unwrap().code(2);
    let text = String::from_utf8(t.read("list.csv")).unwrap();
    assert!(text.starts_with("path,path_b64,size,status,reason,blake3\r\n"), "{text}");
    assert!(
        text.contains("tree/broken,,,unreadable,EACCES,\r\n")
            && text.contains("tree/link,,,skipped,symlink,")
    );
    let faults = [("FAULT_PATH", "broken"), ("FAULT_HANG", "read")];
    let ran = faulty(t, &faults, "hash -f jsonl --timeout 0.3 tree").unwrap().code(2);
    ran.prints("\"status\":\"unreadable\",\"reason\":\"timeout\"");
    // From one format into another and back.
    for name in ["list.sqlite", "list.parquet", "list.jsonl"] {
        t.run(&format!("convert list.csv {name}")).code(0);
        t.run(&format!("convert {name} - -f csv")).code(0).is(&text);
    }
    t.run("merge -o merged.csv list.csv").code(0);
    assert_eq!(t.read("merged.csv"), text.as_bytes());
    t.run("convert list.csv list.dfxml").code(64).says("reasons");
});

case!(an_unusable_list_hides_no_other, |t| {
    t.file("a", "abc").file("junk", [0, 1, 2, 3]).run("hash -f sums -c md5 -o good.md5 a").code(0);
    t.file("bad.md5", "d41d8cd98f00b204e9800998ecf8427e  a\n");
    t.run("check good.md5 junk").code(2).prints("a: OK\n");
    t.run("check junk bad.md5 nowhere").code(2).prints("a: FAILED\n");
    t.run("check good.md5 bad.md5").code(1);
    t.run("check junk nowhere").code(64);
    t.run("check junk").code(64);
    t.run("known build -o set.hmk --bad good.md5").code(0);
    t.run("known info set.hmk junk").code(2).prints("set.hmk");
    t.run("known info junk").code(64);
});
