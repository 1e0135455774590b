//! Digests of unchanged files from an earlier manifest.

use crate::case;
use crate::resume::{blocked, fed, signal, until_blocked, until_lines};
use crate::util::{Place, Ran, tested};
use serde_json::Value;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// The number of files of [`tree`].
const FILES: u64 = 150;

/// Makes a tree, and waits until its files are so old that a read now is after all that could change them unseen.
fn tree(t: &Place) {
    for number in 0..FILES {
        let folder = if number % 3 == 0 { "tree/sub" } else { "tree" };
        t.file(format!("{folder}/leaf{number:03}.dat"), format!("{number} ").repeat(number as usize));
    }
    settle();
}

fn settle() {
    thread::sleep(Duration::from_millis(2100));
}

/// Returns the records of a manifest.
fn records(t: &Place, name: &str) -> Vec<Value> {
    t.read(name).split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(record).collect()
}

fn record(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap()
}

/// Returns the paths of the reused records.
fn reused(t: &Place, name: &str) -> Vec<String> {
    let reused = records(t, name).into_iter().filter(|record| record["reused"] == true);
    reused.map(|record| record["path"].as_str().unwrap().to_string()).collect()
}

/// Returns the records of a manifest without what says that they are reused.
fn as_read(t: &Place, name: &str) -> Vec<Value> {
    let mut all = records(t, name);
    for record in &mut all {
        record.as_object_mut().unwrap().remove("reused");
    }
    all
}

/// Returns the numbers of a run with `--stats=json`.
fn numbers(ran: &Ran) -> Value {
    let text = ran.stderr();
    let line = text.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no numbers: {text}"))).unwrap()
}

/// Runs hashmill under strace, and returns how many files of [`tree`] it opened; none where that can't be.
fn opened(t: &Place, args: &str) -> Option<usize> {
    let trace = "-f -qq -o trace -e trace=open,openat,openat2";
    let ran = t.other("strace", &format!("{trace} {} {args}", tested()))?;
    if ran.stderr().contains("ptrace") {
        hashmill_testing::not_possible("strace");
        return None;
    }
    ran.code(0);
    let trace = String::from_utf8_lossy(&t.read("trace")).into_owned();
    Some(trace.lines().filter(|line| line.contains("leaf") && line.contains(".dat")).count())
}

case!(unchanged_files_are_not_opened, |t| {
    tree(t);
    t.run("hash -c md5 --metadata -f jsonl -o old.jsonl tree").code(0);
    if let Some(read) = opened(t, "hash -c md5 -o trace.jsonl tree") {
        assert_eq!(read as u64, FILES);
        assert_eq!(opened(t, "hash -c md5 --reuse old.jsonl -o traced.jsonl tree"), Some(0));
    }
});

case!(unchanged_files_have_the_digests_of_the_old_manifest, |t| {
    tree(t);
    t.run("hash -c sha256,md5 --metadata -f jsonl -o old.jsonl tree").code(0).quiet();
    assert!(reused(t, "old.jsonl").is_empty());
    let ran = t.run("hash -c sha256,md5 --reuse old.jsonl -o new.jsonl --stats=json tree").code(0);
    let numbers = numbers(&ran);
    assert_eq!(
        (&numbers["seen"], &numbers["hashed"], &numbers["reused"]),
        (&FILES.into(), &FILES.into(), &FILES.into())
    );
    let bytes: u64 = records(t, "old.jsonl").iter().map(|record| record["size"].as_u64().unwrap()).sum();
    assert_eq!((&numbers["bytes"], &numbers["bytes_reused"]), (&0.into(), &bytes.into()));
    assert_eq!(reused(t, "new.jsonl").len() as u64, FILES);
    // Also the time of reading is that of the run that read them, however often they are reused, and by itself.
    assert_eq!(as_read(t, "new.jsonl"), records(t, "old.jsonl"));
    t.run("hash -c sha256,md5 --reuse new.jsonl -o new.jsonl tree").code(0).quiet();
    assert_eq!(as_read(t, "new.jsonl"), records(t, "old.jsonl"));
    t.run("hash -c md5 --reuse old.jsonl -f csv --stats tree").code(0).says("150 files of the hashed ones");
});

case!(
    #[ignore = "campaign: takes long"]
    threads_and_the_order_of_the_old_manifest_do_not_matter,
    |t| {
        tree(t);
        t.run("hash --metadata -f jsonl -o old.jsonl tree/sub tree").code(0);
        // Some files are new, changed or gone.
        t.file("tree/new.dat", "new").file("tree/sub/0.dat", "new").file("tree/leaf100.dat", "changed");
        t.remove("tree/leaf101.dat");
        // The manifest in an order of its own, and one with a part of its records.
        t.shell("sort -t '\"' -k 24 old.jsonl > shuffled.jsonl; tac old.jsonl > reversed.jsonl").code(0);
        t.run("hash --reuse old.jsonl -j 1 -o wanted.jsonl tree/sub tree").code(0);
        assert_eq!(reused(t, "wanted.jsonl").len(), 150 + 50 - 2);
        let comparable = |name: &str| {
            let mut all = records(t, name);
            // A file that is read again, or that was read twice, was read at another time.
            all.iter_mut().for_each(|record| record["read"] = Value::Null);
            all
        };
        for (options, old) in
            [("-j 1", "reversed"), ("-j 4", "old"), ("-j 4", "shuffled"), ("-j 3 --prefetch 2", "reversed")]
        {
            t.run(&format!("hash --reuse {old}.jsonl {options} -o out.jsonl tree/sub tree")).code(0).quiet();
            assert_eq!(comparable("out.jsonl"), comparable("wanted.jsonl"), "{options} {old}");
        }
        // From here on, what is read can be reused, too.
        settle();
        t.run("hash --reuse old.jsonl -j 4 --order any -o any.jsonl tree/sub tree").code(0);
        let sorted = |name: &str| {
            let mut lines: Vec<String> = comparable(name).iter().map(Value::to_string).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted("any.jsonl"), sorted("wanted.jsonl"));
        // Other operands give the same paths, but in another order.
        t.run("hash --reuse old.jsonl -o swapped.jsonl tree tree/sub").code(0);
        assert_eq!(reused(t, "swapped.jsonl").len(), 150 + 50 - 2);
        t.run("hash --reuse any.jsonl -o again.jsonl tree/sub tree").code(0);
        assert_eq!(reused(t, "again.jsonl").len(), records(t, "any.jsonl").len());
    }
);

case!(each_change_of_a_file_is_seen, |t| {
    tree(t);
    t.run("hash --metadata -f jsonl -o old.jsonl tree").code(0);
    t.shell("printf x >> tree/leaf001.dat").code(0);
    // The same size, and the time of the content set back: the time of the inode tells.
    t.shell("touch -r tree/leaf010.dat time; printf 9 | dd of=tree/leaf010.dat conv=notrunc 2> log; touch -r time tree/leaf010.dat").code(0);
    t.shell("touch -d '2001-01-01' tree/leaf011.dat; chmod 600 tree/leaf013.dat").code(0);
    t.shell(
        "cp -p tree/leaf014.dat copy; mv copy tree/leaf014.dat; rm tree/leaf016.dat; mkfifo tree/leaf016.dat",
    )
    .code(0);
    t.shell("mv tree/leaf017.dat tree/moved.dat; mv tree/leaf019.dat tree/leaf020.dat").code(0);
    t.run("hash --reuse old.jsonl -o new.jsonl tree").code(0);
    let others: Vec<String> = records(t, "new.jsonl")
        .into_iter()
        .filter(|record| record["reused"] != true)
        .map(|record| record["path"].as_str().unwrap().replace("tree/", "").replace(".dat", ""))
        .collect();
    let changed = ["leaf001", "leaf010", "leaf011", "leaf013", "leaf014", "leaf016", "leaf020", "moved"];
    assert_eq!(others, changed);
    t.run("hash -f jsonl -o wanted.jsonl tree").code(0);
    let digests = |name: &str| {
        let all = records(t, name).into_iter();
        all.map(|record| (record["path"].clone(), record["blake3"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(digests("new.jsonl"), digests("wanted.jsonl"));
});

case!(other_devices_and_files_that_were_young_when_they_were_read_are_read, |t| {
    t.file("tree/leaf1.dat", "one").file("tree/leaf2.dat", "two").file("tree/leaf3.dat", "three");
    // This one has not even been written when it is read.
    t.shell("touch -d '2 hours' tree/leaf2.dat").code(0);
    settle();
    t.run("hash --metadata -f jsonl -o old.jsonl tree").code(0);
    t.run("hash --reuse old.jsonl -o new.jsonl tree").code(0).quiet();
    assert_eq!(reused(t, "new.jsonl"), ["tree/leaf1.dat", "tree/leaf3.dat"]);
    let old = String::from_utf8(t.read("old.jsonl")).unwrap();
    t.file("elsewhere.jsonl", old.replace("\"device\":", "\"device\":9"));
    let wanted = "elsewhere.jsonl: WARNING: 2 unchanged files are on a device with another number";
    t.run("hash --reuse elsewhere.jsonl -o new.jsonl tree").code(0).says(wanted);
    assert!(reused(t, "new.jsonl").is_empty());
    // A time of reading that has not come yet.
    let later = records(t, "old.jsonl").into_iter().map(|mut record| {
        record["read"] = "2999-01-01T00:00:00Z".into();
        record.to_string() + "\n"
    });
    t.file("later.jsonl", later.collect::<String>());
    t.run("hash --reuse later.jsonl -o new.jsonl tree").code(0).quiet();
    assert!(reused(t, "new.jsonl").is_empty());
});

case!(a_manifest_without_all_that_is_needed_is_refused_or_not_reused, |t| {
    tree(t);
    t.run("hash -f jsonl --times -o bare.jsonl tree").code(0);
    t.run("hash -o list tree").code(0);
    t.run("hash --metadata -c md5 -f jsonl -o old.jsonl tree").code(0);
    for list in ["bare.jsonl", "list"] {
        let ran = t.run(&format!("hash --reuse {list} -o new.jsonl tree")).code(64);
        ran.says(&format!("{list}: nothing in it shows whether files changed"))
            .says("hash --metadata -f jsonl");
    }
    t.run("hash --reuse none.jsonl -o new.jsonl tree").code(64).says("none.jsonl: cannot open");
    t.file("junk", "\0\u{1}junk");
    t.run("hash --reuse junk -o new.jsonl tree").code(64).says("junk: ");
    assert!(!t.has("new.jsonl"));
    for format in ["hashdeep", "sums", "dfxml"] {
        for option in ["--metadata", "--reuse old.jsonl"] {
            let wanted = format!("--metadata, --reuse: the format {format} has no place for metadata");
            t.run(&format!("hash {option} -f {format} -c md5 tree")).code(64).says(&wanted);
        }
    }
    for (options, wanted) in [
        ("-c md5,ssdeep", "--reuse: similarity digests are not reused: ssdeep"),
        ("-p 10", "cannot be used with"),
        ("-c glacier --leaves", "cannot be used with"),
        ("--dry-run", "cannot be used with"),
    ] {
        t.run(&format!("hash --reuse old.jsonl -f jsonl {options} tree")).code(64).says(wanted);
    }
    t.feed("hash --reuse - -f jsonl", "").code(64).says("--reuse -: standard input");
    // A digest by another algorithm than all others is no digest to reuse.
    let ran = t.run("hash --reuse old.jsonl -c sha256 -o new.jsonl tree").code(0);
    ran.says("old.jsonl: 150 records lack a digest that is wanted");
    assert!(reused(t, "new.jsonl").is_empty());
    t.file("empty.jsonl", "");
    t.run("hash --reuse empty.jsonl -c md5 -o new.jsonl tree").code(0).quiet();
    assert_eq!(records(t, "new.jsonl").len() as u64, FILES);
    let old = t.read("old.jsonl");
    t.feed("hash --reuse - -c md5 -o new.jsonl tree", &old).code(0).quiet();
    assert_eq!(as_read(t, "new.jsonl"), records(t, "old.jsonl"));
});

case!(a_damaged_manifest_costs_only_what_it_lacks, |t| {
    tree(t);
    t.run("hash --metadata -f jsonl -o old.jsonl tree").code(0);
    let old = t.read("old.jsonl");
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let mut torn = lines[..10].concat();
    torn.extend_from_slice(b"{\"path\":\"tree/leaf001.dat\",\"size\":\xff\n[1]\n");
    torn.extend_from_slice(&lines[12..20].concat());
    torn.extend_from_slice(&lines[20][..lines[20].len() / 2]);
    t.file("torn.jsonl", torn);
    let ran = t.run("hash --reuse torn.jsonl -o new.jsonl tree").code(0);
    ran.says("torn.jsonl: WARNING: 3 parts of it can't be parsed");
    assert_eq!(reused(t, "new.jsonl").len(), 18);
    t.run("hash -f jsonl -o wanted.jsonl tree").code(0);
    let digests = |name: &str| {
        let all = records(t, name).into_iter();
        all.map(|record| (record["path"].clone(), record["blake3"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(digests("new.jsonl"), digests("wanted.jsonl"));
    // Facts in other forms are none, and a record that was not hashed has no digest.
    let odd = String::from_utf8(old).unwrap();
    for (from, to) in [
        ("\"inode\":", "\"inode\":-"),
        ("\"ctime\":\"2", "\"ctime\":\"x"),
        ("\"device\":", "\"device\":[],\"was\":"),
        ("\"read\":", "\"read\":null,\"was\":"),
        ("\"mtime\":", "\"was\":"),
        ("\"size\":", "\"was\":"),
    ] {
        t.file("odd.jsonl", odd.replace(from, to));
        t.run("hash --reuse odd.jsonl -o new.jsonl tree")
            .code(64)
            .says("nothing in it shows whether files changed");
    }
});

case!(a_reused_digest_is_as_true_as_the_manifest, |t| {
    tree(t);
    t.run("hash -c md5 --metadata -f jsonl -o old.jsonl tree").code(0);
    t.run("hash -c md5 --reuse old.jsonl -o new.jsonl tree").code(0);
    let passed = t.run("audit -k new.jsonl --reuse old.jsonl tree").code(0);
    passed
        .prints("audit passed\n")
        .prints("matched: 150\n")
        .prints("reused: 150 (not read: their digests are of an earlier run)\n");
    let counts = &t.run("audit -k old.jsonl --reuse new.jsonl -f json tree").code(0).json()["counts"];
    assert_eq!((&counts["matched"], &counts["reused"]), (&150.into(), &150.into()));
    let plain = t.run("audit -k old.jsonl -f json tree").code(0).json();
    assert!(plain["counts"].get("reused").is_none());
    // A wrong digest is believed, which an audit without it finds.
    let forged = records(t, "old.jsonl").into_iter().map(|mut record| {
        record["md5"] = "0".repeat(32).into();
        record.to_string() + "\n"
    });
    t.file("forged.jsonl", forged.collect::<String>());
    t.run("audit -k old.jsonl --reuse forged.jsonl tree").code(1).prints("changed: 150\n");
    t.file("tree/leaf001.dat", "changed").file("tree/other.dat", "new");
    let found = t.run("audit -k old.jsonl --reuse old.jsonl --update next.jsonl tree").code(1);
    found.prints("tree/leaf001.dat: changed\n").prints("tree/other.dat: new").prints("reused: 149 ");
    assert_eq!(reused(t, "next.jsonl").len(), 149);
    t.run("audit -k old.jsonl --reuse old.jsonl").code(1).prints("changed: 1\n").prints("reused: 149 ");
    t.run("audit -k old.jsonl --reuse none.jsonl tree").code(64).says("none.jsonl: cannot open");
});

case!(a_broken_signature_of_the_old_manifest_stops_the_run, |t| {
    t.file("tree/leaf1.dat", "one");
    t.run("hash --metadata -f jsonl -o old.jsonl tree").code(0);
    t.file("old.jsonl.sig", "-----BEGIN SSH SIGNATURE-----\nbroken\n-----END SSH SIGNATURE-----\n");
    t.run("hash --reuse old.jsonl -o new.jsonl tree").code(64).says("old.jsonl.sig");
    t.run("hash --reuse old.jsonl --ignore-signature -o new.jsonl tree").code(0);
});

case!(other_formats_keep_what_is_needed, |t| {
    tree(t);
    t.run("hash -c md5 --metadata -f jsonl -o old.jsonl tree").code(0);
    let (mut from, mut names) = ("old.jsonl".to_string(), Vec::new());
    for name in ["a.csv", "b.parquet", "c.sqlite", "d.jsonl"] {
        t.run(&format!("convert {from} {name}")).code(0).quiet();
        t.run(&format!("hash -c md5 --reuse {name} -o new.jsonl tree")).code(0).quiet();
        assert_eq!(reused(t, "new.jsonl").len() as u64, FILES, "{name}");
        from = name.to_string();
        names.push(name);
    }
    assert!(t.read("old.jsonl") == t.read("d.jsonl"));
    t.run("hash -c md5 --reuse c.sqlite -o e.sqlite tree").code(0);
    t.run("convert e.sqlite f.jsonl").code(0);
    assert_eq!(reused(t, "f.jsonl").len() as u64, FILES);
    assert_eq!(as_read(t, "f.jsonl"), records(t, "old.jsonl"));
    // They don't matter where manifests are compared.
    t.run("diff old.jsonl f.jsonl").code(0);
    t.run("convert old.jsonl lost.md5").says("150 records' metadata");
});

case!(
    #[ignore = "campaign: takes long"]
    filters_and_links_are_those_of_the_new_run,
    |t| {
        tree(t);
        t.file("outside/leaf.dat", "outside").link("tree/link", "../outside/leaf.dat");
        settle();
        t.run("hash --metadata -f jsonl -o old.jsonl --follow tree").code(0);
        let ran = t.run("hash --reuse old.jsonl --exclude *01* -o new.jsonl --stats=json tree").code(0);
        let numbers = numbers(&ran);
        let of = |name: &str| numbers[name].as_u64().unwrap();
        assert_eq!(of("seen"), of("hashed") + of("skipped") + of("failed"));
        assert_eq!(of("reused"), of("hashed"));
        assert!(!reused(t, "new.jsonl").iter().any(|path| path.contains("01") || path.contains("link")));
        t.run("hash --reuse old.jsonl --follow -o new.jsonl tree").code(0);
        assert_eq!(reused(t, "new.jsonl").len() as u64, FILES + 1);
    }
);

case!(an_interrupted_run_that_reuses_is_gone_on_with, |t| {
    for number in 0..200_u32 {
        t.file(format!("a/{number}"), number.to_string().repeat(number as usize));
        t.file(format!("b/{number}"), number.to_string());
    }
    settle();
    t.run("hash --metadata -f jsonl -o old.jsonl a b").code(0);
    let options = "-f jsonl --reuse old.jsonl";
    let (mut child, hold) = blocked(t, options);
    until_blocked(t, &child);
    until_lines(t, 200);
    signal(&child, "KILL");
    child.wait().unwrap();
    drop(hold);
    fed(t, &format!("hash -o out {options} --resume a pipe b")).code(0);
    fed(t, &format!("hash -o wanted {options} a pipe b")).code(0);
    // The pipe is read, and changes meanwhile.
    let files = |name: &str| {
        let all = records(t, name).into_iter();
        all.filter(|record| record["path"] != "pipe").collect::<Vec<_>>()
    };
    assert_eq!(files("out"), files("wanted"));
    assert_eq!((files("out").len(), records(t, "out").len()), (400, 401));
    assert_eq!(reused(t, "out").len(), 400);
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

#[test]
fn files_below_a_folder_that_became_a_link_are_not_looked_up_there() {
    let t = &Place::new();
    t.file("tree/sub/leaf1.dat", "one");
    settle();
    t.run("hash --metadata -f jsonl -o old.jsonl tree").code(0);
    fs::rename(t.path("tree/sub"), t.path("moved")).unwrap();
    assert!(
        Command::new("ln")
            .args(["-s", "../moved", "tree/sub"])
            .current_dir(t.path(""))
            .status()
            .unwrap()
            .success()
    );
    t.run("hash --reuse old.jsonl -o new.jsonl tree").code(0);
    assert!(reused(t, "new.jsonl").is_empty());
}

case!(operands_may_be_spelled_in_another_way, |t| {
    tree(t);
    t.run("hash --metadata -c sha256 -o old.jsonl tree").code(0);
    let here = t.path("tree").display().to_string();
    for (line, new) in [
        ("cd tree && $hashmill hash --reuse ../old.jsonl -c sha256 -o ../new.jsonl .", "leaf001.dat"),
        (
            "cd tree/sub && $hashmill hash --reuse ../../old.jsonl -c sha256 -o ../../new.jsonl ../sub ..",
            "../leaf001.dat",
        ),
        (
            &*format!("$hashmill hash --reuse old.jsonl -c sha256 -o new.jsonl {here}"),
            &*format!("{here}/leaf001.dat"),
        ),
        ("$hashmill hash --reuse old.jsonl -c sha256 -o new.jsonl ./tree/", "tree/leaf001.dat"),
    ] {
        t.shell(line).code(0);
        let reused = reused(t, "new.jsonl");
        assert!(reused.len() as u64 >= FILES, "{line}: {}", reused.len());
        assert!(reused.iter().any(|path| path.ends_with(new.trim_start_matches("./"))), "{line}: {reused:?}");
        t.remove("new.jsonl");
    }
    t.file("tree/new", "new").run("hash --reuse old.jsonl -c sha256 -o new.jsonl ./tree").code(0);
    assert_eq!(reused(t, "new.jsonl").len() as u64, FILES);
});
