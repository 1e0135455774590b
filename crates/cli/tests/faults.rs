//! Faults from outside: failing reads, files that change, full disks, closed pipes.

use crate::case;
use crate::util::{Place, Ran, installed, is_root};
use hashmill_testing::{not_possible, preloadable};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Returns the preload library that makes system calls fail; none without a C compiler.
pub fn shim() -> Option<&'static PathBuf> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = SHIM.get_or_init(|| preloadable("fault", Path::new(env!("CARGO_TARGET_TMPDIR"))));
    built.as_ref()
}

/// Runs with faults; none if they cannot be injected.
pub fn faulty(t: &Place, faults: &[(&str, &str)], args: &str) -> Option<Ran> {
    let mut command = t.command(args);
    command.env("LD_PRELOAD", shim()?).envs(faults.iter().copied());
    Some(t.ran(command, &format!("{faults:?} {args}")))
}

/// Sizes at which reading goes different ways.
const SIZES: [(&str, usize); 3] = [("small", 5_000), ("middle", 300_000), ("large", 3_000_000)];

fn files(t: &Place) {
    for (name, size) in SIZES {
        t.file(format!("tree/{name}"), vec![b'x'; size]);
    }
    t.file("tree/good", "good");
}

case!(a_read_that_fails_gives_no_digest, |t| {
    files(t);
    for (name, size) in SIZES {
        for errno in ["EIO", "ESTALE"] {
            let after = (size / 2).to_string();
            let faults = [("FAULT_PATH", name), ("FAULT_AFTER", after.as_str()), ("FAULT_ERRNO", errno)];
            let Some(ran) = faulty(t, &faults, "hash -f jsonl tree") else { return };
            let status = format!("{{\"path\":\"tree/{name}\",\"status\":\"unreadable\"");
            ran.code(2)
                .says(&format!("tree/{name}: read failed at byte"))
                .prints(status)
                .prints("tree/good\",\"size\":4,\"status\":\"hashed\"");
            faulty(t, &faults, "hash -f sums tree").map(|ran| ran.code(2).prints("  tree/good\n"));
        }
    }
});

case!(short_and_interrupted_reads_change_nothing, |t| {
    files(t);
    let wanted = t.run("hash -c sha256,blake3 tree").code(0);
    for faults in
        [[("FAULT_PATH", "tree"), ("FAULT_SHORT", "999")], [("FAULT_PATH", "tree"), ("FAULT_EINTR", "1")]]
    {
        let Some(ran) = faulty(t, &faults, "hash -c sha256,blake3 tree") else { return };
        ran.code(0).quiet().is(wanted.stdout());
    }
});

case!(a_file_that_ends_early_gives_no_digest, |t| {
    files(t);
    for (name, size) in SIZES {
        let after = (size / 2).to_string();
        let faults = [("FAULT_PATH", name), ("FAULT_AFTER", after.as_str()), ("FAULT_EOF", "1")];
        let Some(ran) = faulty(t, &faults, "hash -f jsonl tree") else { return };
        ran.code(2).says(&format!("tree/{name}: ended after {after} of {size} bytes"));
    }
});

/// Options for each way of hashing: lanes, one stream, trees, pieces with and beside the whole, likeness.
const MAPPED: [&str; 7] = [
    "-c sha256,md5",
    "-c blake3",
    "-c xxh128",
    "-c blake3,sha1 -p 100000",
    "-c md5 -p 1M",
    "-c ssdeep",
    "-c tlsh,sha256",
];

/// Runs with faults where all files of 128 KiB and more are mapped; none if they can't be.
fn mapped(t: &Place, faults: &[(&str, &str)], args: &str) -> Option<Ran> {
    let maps = t.path("maps");
    let _ = fs::remove_file(&maps);
    let all = [faults, &[("HASHMILL_MAP", "always"), ("FAULT_MAPS", maps.to_str().unwrap())]].concat();
    let ran = faulty(t, &all, args)?;
    if !maps.exists() {
        not_possible("mapping files");
        return None;
    }
    Some(ran)
}

case!(
    #[ignore = "campaign: takes long"]
    a_map_that_fails_gives_no_digest,
    |t| {
        files(t);
        for (name, size) in [("middle", 300_000), ("large", 3_000_000)] {
            for what in MAPPED {
                for threads in ["1", "2", "16"] {
                    let line = format!("hash -f jsonl -j {threads} {what} tree");
                    for errno in ["EIO", "ESTALE"] {
                        let after = (size / 2).to_string();
                        let faults = [("FAULT_PATH", name), ("FAULT_AFTER", &after), ("FAULT_ERRNO", errno)];
                        let Some(ran) = mapped(t, &faults, &line) else { return };
                        let ran = ran.code(2).says(&format!("tree/{name}: read failed at byte"));
                        let ran = ran.prints(format!("{{\"path\":\"tree/{name}\",\"status\":\"unreadable\""));
                        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
                        assert!(text.contains(&format!("\"reason\":\"{errno}\"")), "{text}");
                        let hashed = text.lines().filter(|line| line.contains("\"status\":\"hashed\""));
                        assert!(hashed.clone().count() >= 3, "{text}");
                        assert!(hashed.clone().all(|line| !line.contains(name)), "{text}");
                    }
                    let after = (size / 3).to_string();
                    let faults = [("FAULT_PATH", name), ("FAULT_AFTER", &after), ("FAULT_EOF", "1")];
                    let Some(ran) = mapped(t, &faults, &line) else { return };
                    // Any thread may meet the end first.
                    ran.code(2).says(&format!("tree/{name}: ended after {after} of {size} bytes"));
                }
            }
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    a_mapped_file_that_is_cut_short_or_grows_gives_no_digest,
    |t| {
        for what in MAPPED {
            for threads in ["1", "2", "16"] {
                for cut in ["0", "4096", "200001", "2999999", "3000001", "9000000"] {
                    files(t);
                    thread::sleep(Duration::from_millis(20));
                    let faults = [("FAULT_PATH", "large"), ("FAULT_CUT", cut)];
                    let Some(ran) = mapped(t, &faults, &format!("hash -f jsonl -j {threads} {what} tree"))
                    else {
                        return;
                    };
                    let ran = ran.code(2).says("tree/large: changed while it was read");
                    let ran = ran.prints("\"path\":\"tree/large\",\"status\":\"changed-while-reading\"");
                    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
                    let of_large = text.lines().filter(|line| line.contains("tree/large"));
                    assert_eq!(of_large.count(), 1, "{text}");
                    assert!(text.contains("tree/middle\",\"size\":300000,\"status\":\"hashed\""), "{text}");
                }
            }
        }
    }
);

// There are so many pieces that they are written as they come: those before the fault are written, none behind it.
case!(pieces_behind_a_fault_of_a_map_are_not_written, |t| {
    t.file("file", vec![b'x'; 3_000_000]);
    let whole = t.run("hash -f jsonl -c crc32 -p 100 file").code(0);
    let whole = String::from_utf8(whole.stdout().to_vec()).unwrap();
    for threads in ["1", "2", "16"] {
        let faults = [("FAULT_PATH", "file"), ("FAULT_AFTER", "1500000")];
        let Some(ran) = mapped(t, &faults, &format!("hash -f jsonl -c crc32 -p 100 -j {threads} file"))
        else {
            return;
        };
        // Threads map parts of it side by side: any of those behind the fault may meet it first.
        let ran = ran.code(2).says("file: read failed at byte ");
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        assert!(lines.pop().is_some_and(|line| line.contains("unreadable")), "{text}");
        assert!(
            lines.len() <= 15_000 && lines.iter().zip(whole.lines()).all(|(line, wanted)| *line == wanted)
        );
    }
});

case!(checks_audits_and_duplicates_see_faults_of_maps, |t| {
    files(t);
    t.run("hash -f sums -o sums tree").code(0);
    let faults = [("FAULT_PATH", "tree/large"), ("FAULT_AFTER", "1000000")];
    let Some(ran) = mapped(t, &faults, "check sums") else { return };
    ran.code(2).prints("tree/large: FAILED open or read\n").prints("tree/middle: OK\n");
    mapped(t, &faults, "audit -k sums -v tree").map(|ran| ran.code(2).prints("tree/large: unreadable\n"));
});

case!(files_that_can_not_be_mapped_are_read, |t| {
    files(t);
    let wanted = t.run("hash -c sha256,blake3 tree").code(0);
    let faults = [("FAULT_PATH", "tree"), ("FAULT_NO_MAP", "1"), ("HASHMILL_MAP", "always")];
    let Some(ran) = faulty(t, &faults, "hash -c sha256,blake3 tree") else { return };
    ran.code(0).quiet().is(wanted.stdout());
    t.shell("ulimit -v 4000000; HASHMILL_MAP=always $hashmill hash -c sha256,blake3 --stats=json tree")
        .code(0)
        .says("\"mapping\":[]")
        .is(wanted.stdout());
});

case!(checks_and_audits_tell_unreadable_from_wrong, |t| {
    files(t);
    t.run("hash -f sums -o sums tree").code(0);
    let faults = [("FAULT_PATH", "tree/middle"), ("FAULT_AFTER", "0")];
    let Some(ran) = faulty(t, &faults, "check sums") else { return };
    ran.code(2).prints("tree/middle: FAILED open or read\n").prints("tree/large: OK\n");
    faulty(t, &faults, "audit -k sums -v tree")
        .map(|ran| ran.code(2).prints("tree/middle: unreadable\n").prints("matched: 3\n"));
});

/// Runs a command on a file that grows while it is read; none without the shim.
fn growing(t: &Place, args: &str, name: &str) -> Option<Ran> {
    // The first read waits in its log entry until the log is opened: time to append.
    let shim = shim()?;
    // A file that was just written is watched until it stays the same: it would grow before it is read.
    thread::sleep(Duration::from_millis(50));
    t.fifo("log");
    let mut command = t.command(args);
    command.env("LD_PRELOAD", shim).env("FAULT_PATH", name).env("FAULT_LOG", t.path("log"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let file = t.path(name);
    let descriptors = PathBuf::from(format!("/proc/{}/fd", child.id()));
    let is_open = || {
        fs::read_dir(&descriptors)
            .unwrap()
            .flatten()
            .any(|fd| fs::read_link(fd.path()).is_ok_and(|to| to == file))
    };
    while !is_open() {
        thread::sleep(Duration::from_millis(5));
    }
    // It looks at the size next, before it reads.
    thread::sleep(Duration::from_millis(100));
    fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"more").unwrap();
    // Opened for writing as well, so that later entries of the log need no other reader.
    let log = fs::OpenOptions::new().read(true).write(true).open(t.path("log")).unwrap();
    let ran = Ran::new("growing", child.wait_with_output().unwrap());
    drop(log);
    Some(ran)
}

case!(a_file_that_grows_while_it_is_read_gives_no_digest, |t| {
    t.file("file", vec![b'x'; 3_000_000]);
    let Some(ran) = growing(t, "hash -f jsonl file", "file") else { return };
    ran.code(2)
        .says("file: changed while it was read")
        .is("{\"path\":\"file\",\"status\":\"changed-while-reading\",\"reason\":\"changed\"}\n");
});

case!(a_model_that_changes_while_it_is_read_is_not_signed, |t| {
    t.file("m/file", vec![b'x'; 3_000_000]);
    t.shell("umask 077; openssl ecparam -name prime256v1 -genkey -noout -out k.pem").code(0);
    let Some(ran) = growing(t, "sign --model m --key k.pem -o out.sig", "m/file") else { return };
    ran.code(2).is("").says("m/file: changed while it was read").says("m: not signed");
    assert!(!t.has("out.sig"));
});

case!(a_full_device_is_named, |t| {
    t.file("a", "1");
    t.shell("$hashmill hash a > /dev/full")
        .code(2)
        .says("standard output: cannot write: No space left on device");
    t.run("hash -o /dev/full a").code(2).says("/dev/full: cannot write: No space left");
    t.run("hash -f sums -o sums a").code(0);
    t.shell("$hashmill check sums > /dev/full").code(2).says("cannot write");
    t.shell("$hashmill audit -k sums a > /dev/full").code(2).says("cannot write");
    t.shell("$hashmill algorithms > /dev/full").code(2).says("cannot write");
});

/// Commands that write to standard output, by their arguments.
const WRITING: [&str; 15] = [
    "hash a b",
    "hash -c md5 --bare a b",
    "audit -k known a b",
    "audit -f json -k known a b",
    "check known",
    "check -f jsonl known",
    "diff known known -f json",
    "dupes -f json a b",
    "convert known - -f csv -c blake3",
    "tree -c git .",
    "similar digest -c ssdeep a",
    "algorithms",
    "completions bash",
    "hash --help",
    "--version",
];

case!(an_output_that_is_closed_or_full_is_told, |t| {
    t.file("a", "1").file("b", "2").run("hash -f sums -o known a b").code(0);
    for args in WRITING {
        t.shell(&format!("$hashmill {args} >&-")).code(2).says("standard output: cannot write: Bad file");
        t.shell(&format!("$hashmill {args} >/dev/full"))
            .code(2)
            .says("standard output: cannot write: No space");
    }
    for command in ["md5deep", "hashdeep"] {
        t.shell(&format!("ln -s $hashmill {command}; ./{command} a >&-")).code(1).says("write failed");
    }
    t.run("hash -o /dev/full a").code(2).says("/dev/full: cannot write: No space left");
    t.shell("$hashmill hash -o /dev/stdout a >&-").code(2).says("/dev/stdout: cannot write");
});

case!(an_input_that_is_closed_is_not_empty, |t| {
    t.file("a", "1").run("hash -f sums -o known a").code(0);
    for args in ["hash -", "hash", "hash a -", "hash /dev/stdin"] {
        t.shell(&format!("$hashmill {args} <&-")).code(2).says("cannot open: ");
    }
    for args in ["check -", "audit -k - a", "hash --files-from - ", "convert - x.csv", "hash --keyed - a"] {
        t.shell(&format!("$hashmill {args} <&-")).code(64).says("Bad file descriptor");
    }
    t.shell("ln -s $hashmill md5deep; ./md5deep <&-").code(1).says("stdin: Bad file descriptor");
    // One that is empty is.
    t.shell("$hashmill hash -c md5 -f sums - </dev/null").code(0).is("d41d8cd98f00b204e9800998ecf8427e  -\n");
});

case!(messages_that_can_not_be_written_are_told_by_the_code, |t| {
    t.file("a", "1");
    for to in ["2>&-", "2>/dev/full"] {
        t.shell(&format!("$hashmill hash -f sums --stats=json a {to}")).code(2).prints("  a\n");
        // Without a message nothing is lost.
        t.shell(&format!("$hashmill hash -f sums a {to}")).code(0).prints("  a\n");
    }
});

case!(a_list_of_a_category_on_a_full_disk_is_told, |t| {
    for number in 0..3000 {
        t.file(format!("tree/{number:0100}"), number.to_string());
    }
    t.run("hash -o known tree").code(0);
    let faults = [("FAULT_WRITE_PATH", "hashmill-partial")];
    for args in ["audit -k known tree --write matched=list", "diff known tree --write matched=list"] {
        let Some(ran) = faulty(t, &faults, args) else { return };
        ran.code(2).says("list: cannot write: No space left on device");
        assert!(!t.has("list"));
    }
});

case!(memory_that_can_not_be_had_is_told, |t| {
    t.file("large", vec![b'x'; 60_000_000]);
    let ended = (100..300).step_by(20).filter(|megabytes| {
        let line = format!(
            "ulimit -v {megabytes}000; $hashmill hash -j 64 -m 8G -c blake3,sha256,sha3-256,whirlpool large"
        );
        let ran = t.shell(&line);
        // How much is needed depends on the build and on the threads.
        // The C library aborts by itself where its own memory can't be had.
        let has_ended = ran.stderr().contains("memory allocation of");
        if has_ended {
            ran.code(2).says("the memory that is needed can't be had");
        }
        has_ended
    });
    assert!(ended.count() > 0);
});

case!(a_full_disk_leaves_the_old_output, |t| {
    t.file("a", "1").file("out", "old");
    let faults = [("FAULT_WRITE_PATH", "hashmill-partial")];
    let Some(ran) = faulty(t, &faults, "hash -o out --force a") else { return };
    ran.code(2).says("out: cannot write: No space left on device");
    assert_eq!(t.read("out"), b"old");
    t.run("hash -o out --force --resume a").code(0).quiet();
    assert!(t.read("out").ends_with(b",a\n"));
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(a_reader_that_goes_away_is_no_error, |t| {
    for number in 0..3000 {
        t.file(format!("tree/{number:0100}"), "");
    }
    t.shell("$hashmill hash tree 2>err | head -n 1; test ! -s err").code(0);
    t.run("hash -f sums -o sums tree").code(0);
    t.shell("$hashmill check sums 2>err | head -n 1; test ! -s err").code(0);
});

case!(
    #[ignore = "campaign: takes long"]
    an_audit_that_nobody_reads_still_judges,
    |t| {
        for number in 0..2000 {
            t.file(format!("tree/{number:0100}"), number.to_string());
        }
        t.run("hash -o known tree").code(0);
        t.file("tree/zzz", "new");
        let line = "{ $hashmill audit -vv -k known --update next tree; echo $? > code; } | head -n 1";
        t.shell(line).code(0);
        assert_eq!(t.read("code"), b"1\n");
        assert!(t.has("next"));
    }
);

case!(a_closed_standard_error_does_not_stop_a_run, |t| {
    t.file("a", "1");
    t.shell("$hashmill hash -f sums nosuch a 2>&-").code(2).prints("  a\n");
    t.shell("$hashmill hash -f sums --stats --progress always nosuch a 2>/dev/full").code(2).prints("  a\n");
});

case!(unreadable_directories_and_files_are_named, |t| {
    t.file("tree/closed/a", "1").file("tree/open/b", "2").file("tree/secret", "3");
    t.run("hash -o known tree").code(0);
    t.shell("chmod 755 .; chmod 000 tree/closed tree/secret").code(0);
    let user = if is_root() { "setpriv --reuid=65534 --clear-groups " } else { "" };
    if is_root() && installed("setpriv").is_none() {
        return;
    }
    let copy = "cp $hashmill ./bin; chmod 755 bin";
    t.shell(copy).code(0);
    let ran = t.shell(&format!("{user}./bin hash -f sums tree")).code(2);
    ran.prints("tree/open/b\n")
        .says("tree/closed: cannot list")
        .says("tree/secret: cannot open: Permission denied");
    let ran = t.shell(&format!("{user}./bin audit -v -k known tree")).code(2);
    ran.prints("tree/closed/a: unreadable\n").prints("tree/secret: unreadable\n").prints("missing: 0\n");
    t.shell("chmod 755 tree/closed").code(0);
});
