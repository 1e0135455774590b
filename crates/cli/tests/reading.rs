//! How files are read: the page cache, bad blocks, time limits, rates, and few descriptors.

use crate::case;
use crate::faults::faulty;
use crate::util::Place;
use std::thread;

/// Sizes at which reading goes different ways.
const SIZES: [(&str, usize); 4] =
    [("small", 5_000), ("middle", 300_000), ("large", 3_000_000), ("odd", 9_000_001)];

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8 + 1).collect()
}

fn files(t: &Place) {
    for (name, size) in SIZES {
        t.file(format!("tree/{name}"), paint(size));
    }
    t.file("tree/empty", "").file("tree/good", "good");
}

case!(
    #[ignore = "campaign: takes long"]
    every_way_of_reading_gives_the_same_output,
    |t| {
        files(t);
        for what in ["-c sha256,blake3,md5", "-c sha256 -p 1M", "-c crc32,sha1 -p 10000"] {
            let wanted = t.run(&format!("hash {what} tree")).code(0).quiet();
            for way in [
                "--io buffered",
                "--io direct",
                "--io direct -m 128K -j 2",
                "--io direct -j 1",
                "--io direct --timeout 600",
                "--timeout 600 --bwlimit 1T --nice",
            ] {
                let ran = t.run(&format!("hash {what} {way} tree")).code(0).is(wanted.stdout());
                // Where it can't be done, a note says so.
                assert!(ran.stderr().is_empty() || way.contains("direct"), "{}", ran.stderr());
            }
        }
        t.run("hash -f sums -c sha256 -o sums tree").code(0);
        t.run("check --io direct --timeout 600 --nice sums").code(0).prints("tree/odd: OK\n");
        t.run("audit --io direct --bwlimit 10G -k sums tree").code(0).prints("matched: 6\n");
    }
);

case!(what_can_not_be_read_directly_is_read_and_noted, |t| {
    files(t);
    let wanted = t.run("hash tree").code(0);
    let faults = [("FAULT_PATH", "/tree/"), ("FAULT_NO_DIRECT", "flag")];
    for command in ["hash --io direct tree", "hash --io direct -j 1 tree"] {
        let Some(ran) = faulty(t, &faults, command) else { return };
        let note = "hashmill: tree/empty: --io direct is not possible on its file system: ";
        ran.code(0).says(note).is(wanted.stdout());
    }
});

/// Returns the value of a file's bytes where these ranges are zeros.
fn zeroed(size: usize, bad: &[(usize, usize)]) -> Vec<u8> {
    let mut bytes = paint(size);
    bad.iter().for_each(|&(offset, length)| bytes[offset..offset + length].fill(0));
    bytes
}

case!(bad_blocks_are_hashed_as_zeros_and_named, |t| {
    files(t);
    for (name, size) in SIZES {
        let (one, two) = (size / 3 / 512 * 512, size / 512 * 512);
        let bad = format!("{}-{},{}-{}", one + 5, one + 6, two, size);
        let faults = [("FAULT_PATH", name), ("FAULT_BAD", bad.as_str())];
        let ranges = [(one, 512), (two, size - two)];
        t.file("zeroed", zeroed(size, &ranges));
        let digest = t.run("hash -f jsonl -c sha256 zeroed").code(0).json()["sha256"].clone();
        for way in ["", " -j 1", " --io direct", " --timeout 600"] {
            let Some(ran) =
                faulty(t, &faults, &format!("hash -f jsonl -c sha256 --bad-blocks zero{way} tree"))
            else {
                return;
            };
            let ran = ran.code(2).says(&format!("tree/{name}: "));
            let ran = ran.says("can't be read; the digests are of zeros there");
            let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
            let records = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
            let bad: Vec<_> = records.filter(|record| record.get("bad_blocks").is_some()).collect();
            assert_eq!(bad.len(), 1, "{text}");
            assert_eq!(bad[0]["path"], format!("tree/{name}"));
            assert_eq!(bad[0]["status"], "hashed");
            if way != " --io direct" {
                assert_eq!(bad[0]["bad_blocks"], serde_json::json!([[one, 512], [two, size - two]]));
                assert_eq!(bad[0]["sha256"], digest, "{name}{way}");
            }
        }
    }
});

case!(pieces_say_what_is_missing_of_them, |t| {
    t.file("file", paint(3_000_000));
    let faults = [("FAULT_PATH", "/file"), ("FAULT_BAD", "1048000-1049000")];
    for threads in ["1", "3"] {
        let options = format!("hash -j {threads} -p 1M -f csv -c md5 --bad-blocks zero file");
        let Some(ran) = faulty(t, &faults, &options) else { return };
        let ran = ran.code(2).prints("path,path_b64,size,status,reason,offset,length,md5,bad_blocks\r\n");
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        let ends: Vec<&str> = text.lines().skip(1).map(|line| line.splitn(9, ',').last().unwrap()).collect();
        // Page by page through the cache, and sector by sector inside.
        let whole = "\"[[1047552,1536]]\"";
        assert_eq!(ends, ["\"[[1047552,1024]]\"", "\"[[1048576,512]]\"", "", whole], "{text}");
    }
});

case!(digests_with_zeros_are_no_evidence, |t| {
    files(t);
    let faults = [("FAULT_PATH", "tree/middle"), ("FAULT_BAD", "4096-8192")];
    let command = "hash -f jsonl -c sha256 --bad-blocks zero -o list tree";
    let Some(ran) = faulty(t, &faults, command) else { return };
    ran.code(2);
    t.run("check list")
        .code(2)
        .says("tree/middle: not checked: parts of it could not be read when the list was made")
        .prints("tree/large: OK\n");
    t.run("audit -k list tree")
        .code(2)
        .prints("matched: 5\n")
        .prints("new: 0\n")
        .says("tree/middle: not compared");
    for format in ["hashdeep", "sums", "bsd", "dfxml"] {
        t.run(&format!("hash --bad-blocks zero -f {format} tree"))
            .code(64)
            .says("jsonl, csv, parquet and sqlite can");
    }
});

case!(a_resumed_run_hashes_files_with_bad_blocks_again, |t| {
    files(t);
    let wanted = t.run("hash -f jsonl -p 1M --bad-blocks zero tree").code(0);
    // Killed at its end.
    let faults = [
        ("FAULT_PATH", "tree/large"),
        ("FAULT_BAD", "4096-8192"),
        ("FAULT_WRITE_PATH", ".out.hashmill-partial"),
        ("FAULT_WRITE_AFTER", "1000000"),
        ("FAULT_RENAME", "1"),
    ];
    std::thread::sleep(std::time::Duration::from_millis(20));
    let killed = faulty(t, &faults, "hash -f jsonl -p 1M --bad-blocks zero -o out tree");
    if killed.is_none() {
        return;
    }
    let resume = "hash -f jsonl -p 1M --bad-blocks zero -o out --resume --stats=json tree";
    t.run(resume).code(0).says("\"kept\":5,");
    assert_eq!(t.read("out"), wanted.stdout());
});

case!(other_failures_are_no_bad_blocks, |t| {
    files(t);
    for errno in ["ESTALE", "ENXIO", "ENODEV"] {
        let faults = [("FAULT_PATH", "tree/large"), ("FAULT_AFTER", "2000000"), ("FAULT_ERRNO", errno)];
        let Some(ran) = faulty(t, &faults, "hash -f jsonl --bad-blocks zero tree") else { return };
        ran.code(2).says("tree/large: read failed at byte").prints("\"status\":\"unreadable\"");
    }
    let faults = [("FAULT_PATH", "tree/large"), ("FAULT_AFTER", "2000000"), ("FAULT_EOF", "1")];
    faulty(t, &faults, "hash -f jsonl --bad-blocks zero tree")
        .map(|ran| ran.code(2).says("tree/large: ended after 2000000 of 3000000 bytes"));
});

case!(a_device_is_hashed_to_its_size, |t| {
    t.file("disk", paint(9_000_001)).file("other", "other");
    let wanted = t.run("hash -c sha256,blake3 disk other").code(0);
    for options in ["", " -j 1", " --io direct", " --io buffered"] {
        let faults = [("FAULT_PATH", "/disk"), ("FAULT_DEVICE", "yes")];
        let Some(ran) = faulty(t, &faults, &format!("hash -c sha256,blake3{options} disk other")) else {
            return;
        };
        ran.code(0).quiet().is(wanted.stdout());
    }
    let faults = [("FAULT_PATH", "/disk"), ("FAULT_DEVICE", "4096")];
    faulty(t, &faults, "hash -f jsonl disk other").map(|ran| ran.code(2).says("disk: changed"));
});

case!(a_device_that_vanishes_ends_the_file_not_the_run, |t| {
    // A terabyte that fails from the first gigabyte on; where holes are is not asked of a device.
    let file = std::fs::File::create(t.path("disk")).unwrap();
    file.set_len(1 << 40).unwrap();
    t.file("other", "other");
    let faults = [("FAULT_PATH", "/disk"), ("FAULT_DEVICE", "yes"), ("FAULT_AFTER", "10000000")];
    for errno in ["EIO", "ENXIO", "ENODEV"] {
        let faults = [&faults[..], &[("FAULT_ERRNO", errno)]].concat();
        let command = "hash -f jsonl -c xxh3 --bad-blocks zero disk other";
        let Some(ran) = faulty(t, &faults, command) else { return };
        let ran = ran.code(2).prints("other\",\"size\":5,\"status\":\"hashed\"");
        ran.prints("disk\",\"status\":\"unreadable\"").says("disk: read failed at byte");
    }
});

case!(
    #[ignore = "campaign: takes long"]
    a_hanging_file_is_given_up,
    |t| {
        files(t);
        let manifest = t.run("hash -f jsonl tree").code(0);
        let all = String::from_utf8(manifest.stdout().to_vec()).unwrap();
        let given_up = |call: &str, name: &str| {
            let faults = [("FAULT_PATH", name), ("FAULT_HANG", call)];
            let Some(ran) = faulty(t, &faults, &format!("hash -f jsonl {TIMEOUT} tree")) else { return };
            let ran = ran.code(2).says(&format!("tree/{name}: ")).says(TIMED_OUT);
            let lost =
                format!("{{\"path\":\"tree/{name}\",\"status\":\"unreadable\",\"reason\":\"timeout\"}}");
            let mine = format!("{{\"path\":\"tree/{name}\",");
            let wanted = all.lines().map(|line| if line.starts_with(&mine) { &lost } else { line });
            ran.is(wanted.collect::<Vec<_>>().join("\n") + "\n");
        };
        // All at once: they only wait.
        thread::scope(|scope| {
            for (call, (name, _)) in
                ["open", "stat", "read"].into_iter().flat_map(|call| SIZES.map(|size| (call, size)))
            {
                let given_up = &given_up;
                scope.spawn(move || given_up(call, name));
            }
        });
    }
);

/// A limit that is long enough for all other files on a busy machine.
const TIMEOUT: &str = "--timeout 4";
const TIMED_OUT: &str = "no answer within 4s";

case!(
    #[ignore = "campaign: takes long"]
    a_hanging_directory_is_given_up,
    |t| {
        t.file("tree/a/one", "1")
            .file("tree/b/two", "2")
            .file("tree/b/deep/three", "3")
            .file("tree/c/four", "4");
        let cases =
            [("", "tree/b"), ("--follow", "tree/b"), ("-j 1 --follow --one-file-system", "tree/b/deep")];
        for (options, lost) in cases {
            let faults = [("FAULT_PATH", lost), ("FAULT_HANG", "list")];
            let command = format!("hash -f sums -c sha1 {TIMEOUT} {options} tree");
            let Some(ran) = faulty(t, &faults, &command) else { return };
            let ran = ran.code(2).says(&format!("{lost}: ")).says(TIMED_OUT);
            let ran = ran.prints("tree/a/one\n").prints("tree/c/four\n");
            if lost != "tree/b" {
                ran.prints("tree/b/two\n");
            }
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    a_hanging_look_is_given_up,
    |t| {
        t.file("tree/one", "1").file("tree/b/two", "2");
        let faults = [("FAULT_PATH", "tree/b"), ("FAULT_HANG", "open")];
        let Some(ran) = faulty(t, &faults, &format!("hash -f sums -c sha1 {TIMEOUT} tree")) else { return };
        ran.code(2).says("tree/b: ").says(TIMED_OUT).prints("tree/one\n");
    }
);

case!(
    #[ignore = "campaign: takes long"]
    few_descriptors_are_enough,
    |t| {
        for number in 0..200 {
            t.file(format!("tree/d{}/{number}", number % 7), paint(number * number * 30));
        }
        for options in ["-c blake3", "-c sha256,md5", "-c sha256 -p 10K"] {
            let wanted = t.run(&format!("hash {options} tree")).code(0).quiet();
            for limit in [12, 14, 20, 40] {
                let line = format!("ulimit -n {limit}; $hashmill hash {options} -j 8 tree");
                t.shell(&line).code(0).quiet().is(wanted.stdout());
                let line = format!("ulimit -n {limit}; $hashmill hash {options} -j 8 tree/*/*");
                t.shell(&line).code(0).quiet();
            }
        }
    }
);

case!(a_soft_limit_is_raised, |t| {
    for number in 0..100 {
        t.file(format!("tree/{number}"), "x");
    }
    t.shell("ulimit -Sn 12; $hashmill hash -j 4 tree").code(0).quiet();
});

case!(means_that_make_no_sense_are_refused, |t| {
    t.run("hash --timeout 0 .").code(64).says("more than zero");
    t.run("hash --timeout -1 .").code(64);
    t.run("hash --timeout soon .").code(64).says("not a number of seconds");
    t.run("hash --bwlimit 0 .").code(64).says("at least one byte");
    t.run("hash --bwlimit fast .").code(64).says("a size is a whole number");
    t.run("hash --io sideways .").code(64).says("buffered");
    t.run("hash --bad-blocks skip .").code(64).says("zero");
});
