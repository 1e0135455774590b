//! Likeness digests beside others, in the same read.

use super::{Random, families};
use crate::case;
use crate::faults::faulty;

const ALL: &str = "sha256,ssdeep,tlsh,sdhash,mrsh-v2";

case!(all_digests_come_of_one_read, |t| {
    families(t);
    let records = t.run(&format!("hash -c {ALL} -f jsonl tree")).code(0).quiet();
    let plain = t.run("hash -c sha256 -f jsonl tree").code(0);
    let alone = ["ssdeep", "tlsh", "sdhash", "mrsh-v2"].map(|row| {
        let ran = t.run(&format!("similar digest -c {row} tree")).code(0);
        String::from_utf8(ran.stdout().to_vec()).unwrap()
    });
    let lines = |text: &[u8]| -> Vec<serde_json::Value> {
        text.split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    };
    let (records, plain) = (lines(records.stdout()), lines(plain.stdout()));
    assert_eq!(records.len(), plain.len());
    for (record, plain) in records.iter().zip(&plain) {
        assert_eq!((&record["path"], &record["sha256"]), (&plain["path"], &plain["sha256"]));
        for (row, text) in ["ssdeep", "tlsh", "sdhash", "mrsh-v2"].iter().zip(&alone) {
            match record[row].as_str() {
                Some(digest) => assert!(text.contains(digest), "{row} {record}"),
                None => assert!(record[format!("{row}_status")].is_string(), "{row} {record}"),
            }
        }
    }
    let tiny = records.iter().find(|record| record["path"] == "tree/tiny").unwrap();
    assert_eq!(tiny["tlsh_status"], "too-small");
    let plain = records.iter().find(|record| record["path"] == "tree/plain").unwrap();
    assert_eq!(plain["tlsh_status"], "too-little-variation");
    assert_eq!(plain["ssdeep_status"], "sparse");
});

case!(the_order_typed_is_the_order_written, |t| {
    t.file("f", Random(1).bytes(3000));
    let ran = t.run("hash -c ssdeep,md5,tlsh,crc32 -f csv f").code(0);
    ran.prints("path,path_b64,size,status,reason,ssdeep,ssdeep_status,md5,tlsh,tlsh_status,crc32\r\n");
    let text = t.run("hash -c ssdeep,md5,tlsh,crc32 -f jsonl f").code(0);
    let text = String::from_utf8(text.stdout().to_vec()).unwrap();
    let places = ["\"ssdeep\"", "\"md5\"", "\"tlsh\"", "\"crc32\""].map(|key| text.find(key).unwrap());
    assert!(places.is_sorted(), "{text}");
});

case!(other_formats_say_which_can, |t| {
    t.file("f", "x");
    for format in ["hashdeep", "sums", "bsd", "dfxml"] {
        let ran = t.run(&format!("hash -c md5,ssdeep -f {format} f")).code(64).is("");
        ran.says("has no place for likeness digests; ecs, jsonl, csv, parquet and sqlite have");
    }
});

case!(pieces_have_likeness_too, |t| {
    t.file("f", Random(2).bytes(2_500_000));
    let records = t.run("hash -c sha256,ssdeep,tlsh -p 1M -f jsonl f").code(0);
    let one = t.run("hash -c sha256,ssdeep,tlsh -p 1M -f jsonl -j1 -m 1M f").code(0);
    assert_eq!(records.stdout(), one.stdout());
    assert_eq!(records.stdout().split(|byte| *byte == b'\n').count(), 5);
    let bytes = t.read("f");
    t.file("piece", &bytes[1 << 20..2 << 20]);
    let piece = t.run("similar digest -c tlsh piece").code(0);
    let digest = String::from_utf8(piece.stdout()[..72].to_vec()).unwrap();
    let second = records.stdout().split(|byte| *byte == b'\n').nth(1).unwrap();
    let second: serde_json::Value = serde_json::from_slice(second).unwrap();
    assert_eq!((&second["offset"], second["tlsh"].as_str()), (&(1 << 20).into(), Some(&*digest)));
});

case!(standard_input_is_as_good_as_a_file, |t| {
    // From 16 MiB on sdhash takes blocks, which a pipe does not tell beforehand.
    for length in [100_000, (16 << 20) + 5] {
        t.file("f", Random(3).bytes(length));
        let file = t.run(&format!("hash -c {ALL} -f jsonl f")).code(0).quiet().json();
        let pipe = t.shell(&format!("cat f | $hashmill hash -c {ALL} -f jsonl -")).code(0).quiet().json();
        for row in ["sha256", "ssdeep", "tlsh"] {
            assert_eq!(file[row], pipe[row]);
        }
        let named = |text: &serde_json::Value| text.as_str().unwrap().replace(":1:f:", ":1:-:");
        assert_eq!(named(&file["sdhash"]), named(&pipe["sdhash"]));
        assert_eq!(file["mrsh-v2"].as_str().unwrap()[1..], pipe["mrsh-v2"].as_str().unwrap()[1..]);
    }
});

case!(a_run_with_likeness_is_gone_on_with, |t| {
    families(t);
    let whole = t.run(&format!("hash -c {ALL} -f jsonl tree")).code(0);
    t.run(&format!("hash -c {ALL} -f jsonl -o out tree")).code(0);
    assert_eq!(t.read("out"), whole.stdout());
    // Killed when nine records are written.
    let half: usize = whole.stdout().split_inclusive(|byte| *byte == b'\n').take(9).map(<[u8]>::len).sum();
    let half = half.to_string();
    let kill = [
        ("FAULT_WRITE_PATH", ".out.hashmill-partial"),
        ("FAULT_WRITE_AFTER", half.as_str()),
        ("FAULT_WRITE_ERRNO", "KILL"),
    ];
    std::thread::sleep(std::time::Duration::from_millis(20));
    if faulty(t.remove("out"), &kill, &format!("hash -c {ALL} -f jsonl -o out tree")).is_none() {
        return;
    }
    t.run(&format!("hash -c {ALL} -f jsonl -o out --resume --stats tree"))
        .code(0)
        .says("9 from the interrupted run");
    assert_eq!(t.read("out"), whole.stdout());
});

case!(
    #[ignore = "campaign: takes long"]
    how_files_are_read_changes_no_likeness,
    |t| {
        families(t);
        for command in [
            "similar digest -c ssdeep,tlsh,sdhash,mrsh-v2",
            &format!("hash -c {ALL} -f csv -p 3K --bad-blocks zero"),
        ] {
            let plain = t.run(&format!("{command} tree")).code(0);
            for options in
                ["--io direct", "--prefetch 0", "--prefetch 2", "-j 1", "--timeout 600 --bwlimit 1T --nice"]
            {
                t.run(&format!("{command} {options} tree")).code(0).is(plain.stdout());
            }
        }
    }
);

case!(manifests_with_likeness_are_audited_by_their_digests, |t| {
    t.file("tree/a", "abc").file("tree/b", Random(4).bytes(5000));
    t.run("hash -c sha256,ssdeep -f jsonl -o known tree").code(0);
    t.run("audit -k known tree").code(0);
    t.file("tree/b", "changed").run("audit -k known tree").code(1);
    t.run("hash -c ssdeep -f jsonl -o alone tree").code(0);
    t.run("audit -k alone tree").code(64).says("no digests to compare with");
});

case!(likeness_algorithms_are_listed, |t| {
    t.run("algorithms").code(0).prints("\nssdeep\t-\tsimilarity\t1\t").prints("\ntlsh\t280\tsimilarity\t1\t");
});
