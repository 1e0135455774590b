//! Outputs and lists in folders where others can write: the written bytes are those that were made, and the read bytes
//! are those that were verified. The shim plays the attacker, at the very moment that matters.

use crate::case;
use crate::faults::faulty;
use crate::util::{Place, is_root};
use hashmill_testing::{had_modules, not_possible};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown};

/// Makes a key, and a file that allows it.
fn signer(t: &Place) -> &Place {
    t.shell("ssh-keygen -q -t ed25519 -N '' -C alice -f alice").code(0);
    t.shell("echo \"alice@example.org $(cut -d' ' -f1,2 alice.pub)\" > allowed").code(0);
    t
}

/// Makes a signed list of the original tree, and a forged one of the changed tree.
fn tampered(t: &Place, format: &str) {
    t.file("tree/a", "aaa").file("tree/b", "bbb");
    t.run(&format!("hash -c sha256 -f {format} -o list tree")).code(0);
    t.run("sign list --key alice").code(0);
    t.file("tree/a", "evil");
    t.run(&format!("hash -c sha256 -f {format} -o forged tree")).code(0);
}

case!(what_was_verified_is_what_is_read, |t| {
    signer(t);
    for format in ["sums", "jsonl", "sqlite", "parquet"] {
        for command in ["audit -k list tree", "check list"] {
            // Another file of the name after it was opened; other bytes in the file after they were read.
            for how in ["FAULT_SWAP", "FAULT_REWRITE"] {
                tampered(t, format);
                let line = format!("{command} -c sha256 --allowed-signers allowed");
                t.run(&line).code(1).says("list.sig: good signature by alice@example.org");
                let Some(ran) = faulty(t, &[("FAULT_PATH", "list"), (how, "forged")], &line) else { return };
                ran.code(1).says("list.sig: good signature by alice@example.org");
                // The change did happen.
                t.run(&line).code(64).says("BROKEN");
            }
        }
    }
});

case!(a_list_out_of_a_pipe_is_verified_and_read_once, |t| {
    signer(t);
    tampered(t, "sums");
    t.rename("list", "genuine").fifo("list");
    let line =
        "timeout 60 $hashmill check list -c sha256 --allowed-signers allowed & cat genuine > list; wait $!";
    t.shell(line).code(1).says("good signature by alice").prints("tree/a: FAILED\n").prints("tree/b: OK\n");
    t.shell("timeout 60 $hashmill check list --allowed-signers allowed & cat forged > list; wait $!")
        .code(64)
        .says("BROKEN");
    t.shell("$hashmill check - --allowed-signers allowed < genuine").code(64).says("standard input has no");
});

case!(a_fifo_among_signatures_is_not_waited_for, |t| {
    signer(t);
    tampered(t, "sums");
    t.fifo("list.2.sig").fifo("list.tsr");
    for command in ["check list", "audit -k list tree"] {
        t.shell(&format!("timeout 60 $hashmill {command}")).code(64).says("not a regular file");
    }
    let verify = "timeout 60 $hashmill verify list --allowed-signers allowed";
    t.shell(verify).code(2).prints("list.tsr: cannot read").prints("list.2.sig: cannot read");
    t.shell("timeout 60 $hashmill sign list --key alice").code(0);
    t.remove("list.sig").fifo("list.sig");
    t.shell("timeout 60 $hashmill sign list --key alice").code(64).says("not a regular file");
});

case!(what_is_signed_is_what_was_written, |t| {
    signer(t).file("tree/a", "aaa");
    for options in ["", "-f csv", "-f parquet", "-f sqlite"] {
        t.file("forged", "forged");
        let faults = [("FAULT_WRITE_PATH", "out.hashmill-partial"), ("FAULT_WRITE_PLANT", "forged")];
        let line = format!("hash -c sha256 {options} -o out --sign alice tree");
        let Some(ran) = faulty(t, &faults, &line) else { return };
        ran.code(2).says("out: cannot write: somebody else put another file at");
        assert!(!t.has("out") && !t.has("out.sig") && !t.has("forged"), "{options}");
        for left in t.leftovers() {
            assert!(!left.contains("partial") || t.read(&left) == b"forged", "{left}");
            t.remove(&left);
        }
    }
    t.run("hash -c sha256 -o out --sign alice tree").code(0);
    t.run("verify out --allowed-signers allowed").code(0);
});

/// Names beside an output that somebody may foresee.
const FORESEEN: [&str; 6] = [
    ".out.hashmill-partial",
    ".out.hashmill-run",
    ".out.hashmill-kept",
    ".out.hashmill-seen",
    ".out.hashmill-begun",
    "out.seal",
];

case!(planted_links_and_fifos_are_neither_followed_nor_waited_for, |t| {
    t.file("tree/a", "aaa").file("victim", "precious");
    let wanted = t.run("hash -c sha256 tree").code(0);
    let planted: [&dyn Fn(&str); 5] = [
        &|name| {
            t.link(name, "victim");
        },
        &|name| {
            t.link(name, "nowhere");
        },
        &|name| {
            t.fifo(name);
        },
        &|name| fs::hard_link(t.path("victim"), t.path(name)).unwrap(),
        &|name| {
            t.file(name, "forged,file\n");
            fs::set_permissions(t.path(name), fs::Permissions::from_mode(0o666)).unwrap();
        },
    ];
    for name in FORESEEN {
        for plant in planted {
            plant(name);
            let own = name == "out.seal" && t.path(name).symlink_metadata().unwrap().is_file();
            let force = if own { "--force" } else { "" };
            if own {
                t.run("hash -c sha256 --seal -o out tree").code(64).is("").says("out.seal: not replaced");
                assert!(!t.has("out"));
            }
            t.shell(&format!("timeout 60 $hashmill hash -c sha256 --seal -o out {force} tree")).code(0);
            assert_eq!(t.read("out"), wanted.stdout(), "{name}");
            assert_eq!(t.read("victim"), b"precious", "{name}");
            t.run("seal verify out").code(0);
            assert!(t.path("out.seal").symlink_metadata().unwrap().is_file());
            assert_eq!(t.leftovers(), Vec::<String>::new());
            assert!(!t.has("nowhere"));
            t.remove("out.seal").remove("out");
        }
    }
});

case!(planted_links_are_not_followed_by_other_commands, |t| {
    signer(t).file("tree/a", "aaa").file("victim", "precious").file("big", vec![b'x'; 100_000]);
    t.run("hash -c sha256 -o list tree").code(0);
    for (name, command, code) in [
        ("list.seal", "seal create list", 0),
        ("list.sig", "sign list --key alice", 64),
        ("big.obao", "outboard create big", 0),
    ] {
        t.link(name, "victim").run(command).code(code);
        assert_eq!(t.read("victim"), b"precious", "{name}");
        t.remove(name).fifo(name);
        t.shell(&format!("timeout 60 $hashmill {command}")).code(code);
        t.remove(name).run(command).code(0);
    }
    fs::create_dir(t.path("home")).unwrap();
    t.file("home/letter", "precious").link(".bag.hashmill-partial", "home");
    t.run("bag create -o bag tree").code(64).says("is not a folder that a run of this user left");
    assert_eq!(t.read("home/letter"), b"precious");
    t.remove(".bag.hashmill-partial").run("bag create -o bag tree").code(0);
    t.link("tree/.hashmill-bag-partial", "../home").run("bag create tree").code(64).says("not a folder that");
    assert_eq!(t.read("home/letter"), b"precious");
});

case!(a_run_goes_on_only_with_what_nobody_else_can_have_written, |t| {
    for number in 0..5 {
        t.file(format!("tree/{number}"), number.to_string());
    }
    let wanted = t.run("hash -c sha256 tree").code(0);
    let faults = [
        ("FAULT_WRITE_PATH", ".out.hashmill-partial"),
        ("FAULT_WRITE_AFTER", "1000000"),
        ("FAULT_RENAME", "1"),
    ];
    if faulty(t, &faults, "hash -c sha256 -o out tree").is_none() {
        return;
    }
    let resume = "timeout 60 $hashmill hash -c sha256 -o out --resume tree";
    // As a run over a store leaves it.
    t.file(".out.hashmill-begun", "torn");
    let left = [".out.hashmill-partial", ".out.hashmill-run", ".out.hashmill-seen", ".out.hashmill-begun"];
    for name in left {
        let refused = |why: &str| {
            t.shell(resume).code(64).says(&format!("{name}: not resumed: ")).says(why);
            // Partials are renamed when they are verified; one of the others may have been refused.
            if t.has(".out.hashmill-kept") && !t.has(".out.hashmill-partial") {
                t.rename(".out.hashmill-kept", ".out.hashmill-partial");
            }
        };
        for mode in [0o666, 0o620] {
            fs::set_permissions(t.path(name), fs::Permissions::from_mode(mode)).unwrap();
            refused("others can write it");
        }
        fs::set_permissions(t.path(name), fs::Permissions::from_mode(0o600)).unwrap();
        fs::hard_link(t.path(name), t.path("other")).unwrap();
        refused("a hard link");
        t.remove(name).link(name, "other");
        refused("it is a symbolic link");
        t.remove(name).fifo(name);
        refused("it is a FIFO");
        t.remove(name).rename("other", name);
        if is_root() {
            chown(t.path(name), Some(65534), None).unwrap();
            refused("it belongs to another user (number 65534)");
            chown(t.path(name), Some(0), None).unwrap();
        }
    }
    t.run("hash -c sha256 -o out --resume --stats=json tree").code(0).says("\"kept\":5,");
    assert_eq!(t.read("out"), wanted.stdout());
    assert_eq!(t.leftovers(), Vec::<String>::new());
});

case!(a_link_that_another_user_made_does_not_say_where_an_output_goes, |t| {
    t.file("a", "1").file("victim", "precious").link("out", "victim");
    t.run("hash -o out a").code(64).says("out: not replaced");
    t.run("hash -o out --force a").code(0);
    assert!(t.read("victim").ends_with(b",a\n") && t.path("out").is_symlink());
    if !is_root() {
        return not_possible("files of another user");
    }
    t.file("victim", "precious").link("first", "out");
    lchown(t.path("out"), Some(65534), None).unwrap();
    for output in ["out", "first"] {
        for command in ["hash", "similar digest -c ssdeep -f jsonl"] {
            t.run(&format!("{command} -o {output} a")).code(2).says("a symbolic link that another user made");
        }
    }
    t.fifo("pipe");
    chown(t.path("pipe"), Some(65534), None).unwrap();
    t.shell("timeout 60 $hashmill hash -o pipe a").code(2).says("a FIFO that another user made");
    assert_eq!(t.read("victim"), b"precious");
});

case!(a_file_of_the_tree_is_not_left_out_by_another_name_of_it, |t| {
    t.file("tree/evil", "evil").file("tree/good", "good");
    for name in ["out", "out.seal", ".out.hashmill-run", ".out.hashmill-kept"] {
        fs::hard_link(t.path("tree/evil"), t.path(name)).unwrap();
        t.run("hash --seal -o out --force tree").code(0);
        let manifest = String::from_utf8(t.read("out")).unwrap();
        assert!(manifest.contains(",tree/evil\n") && manifest.contains(",tree/good\n"), "{name}");
        t.remove("out").remove("out.seal");
    }
});

case!(outputs_have_the_permissions_that_the_user_gives, |t| {
    t.file("a", "1");
    for (mask, mode) in [("022", 0o644), ("027", 0o640), ("002", 0o664)] {
        for format in ["hashdeep", "sqlite", "parquet"] {
            t.shell(&format!("umask {mask}; rm -f out; $hashmill hash -f {format} -o out a")).code(0);
            assert_eq!(t.path("out").metadata().unwrap().mode() & 0o777, mode, "{format} {mask}");
        }
    }
    fs::set_permissions(t.path("out"), fs::Permissions::from_mode(0o600)).unwrap();
    t.run("hash -o out a").code(0);
    assert_eq!(t.path("out").metadata().unwrap().mode() & 0o777, 0o600);
});

case!(records_of_any_length_are_sealed, |t| {
    let mut state = 1_u64;
    let noise = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    let noise: Vec<u8> = (0..5_000_000).map(noise).collect();
    t.file("tree/long", noise).file("tree/short", "short");
    for options in ["-c sha256,sdhash -f jsonl", "-c sdhash,md5 -f csv"] {
        t.run(&format!("hash {options} --seal -o list tree")).code(0);
        let longest = t.read("list").split(|byte| *byte == b'\n').map(<[u8]>::len).max();
        assert!(longest.unwrap() > 64 << 10);
        t.run("seal verify list").code(0);
        let seal = t.read("list.seal");
        // The result does not depend on how few bytes the system takes at once.
        for most in ["7777", "65535"] {
            let faults = [("FAULT_WRITE_PATH", ".list.hashmill-partial"), ("FAULT_WRITE_SHORT", most)];
            let Some(ran) = faulty(t, &faults, &format!("hash {options} --seal -o list tree")) else {
                return;
            };
            ran.code(0);
            t.run("seal verify list").code(0);
            assert_eq!(t.read("list.seal"), seal);
        }
    }
});

case!(a_failed_output_leaves_nothing_that_is_of_no_use, |t| {
    for number in 0..300 {
        t.file(format!("tree/{number}"), number.to_string());
    }
    t.file("out", "old");
    for format in ["sqlite", "parquet"] {
        for after in ["0", "5000"] {
            let faults = [("FAULT_WRITE_PATH", ".out.hashmill-partial"), ("FAULT_WRITE_AFTER", after)];
            let Some(ran) = faulty(t, &faults, &format!("hash -f {format} -o out --force tree")) else {
                return;
            };
            ran.code(2).says("out: cannot write: ");
            assert_eq!(t.read("out"), b"old");
            assert_eq!(t.leftovers(), Vec::<String>::new(), "{format} {after}");
        }
        // A killed run leaves it to the next one to tidy up.
        let faults = [
            ("FAULT_WRITE_PATH", ".out.hashmill-partial"),
            ("FAULT_WRITE_AFTER", "1000000"),
            ("FAULT_RENAME", "1"),
        ];
        faulty(t, &faults, &format!("hash -f {format} -o out --force tree"));
        assert_eq!(t.leftovers().len(), 1);
        t.run(&format!("hash -f {format} -o out --force tree")).code(0);
        assert_eq!(t.leftovers(), Vec::<String>::new());
        t.file("out", "old");
    }
    // A partial output that can be resumed is kept, and the message says so.
    let faults = [("FAULT_WRITE_PATH", ".out.hashmill-partial"), ("FAULT_WRITE_AFTER", "5000")];
    let Some(ran) = faulty(t, &faults, "hash -c sha256 -o out --force tree") else { return };
    ran.code(2).says("out: cannot write: No space left").says("--resume continues from there");
    t.run("hash -c sha256 -o out --force --resume tree").code(0);
    assert_eq!(t.read("out"), t.run("hash -c sha256 tree").code(0).stdout());
});

case!(with_few_descriptors_what_is_said_is_true, |t| {
    t.file("a", "1");
    for format in ["hashdeep", "sqlite", "parquet"] {
        t.run(&format!("hash -c sha256 -f {format} -o wanted a")).code(0);
        for limit in 5..10 {
            // Whoever runs the tests may have left descriptors open.
            let line = format!(
                "ulimit -n {limit}; exec $hashmill hash -c sha256 -f {format} -o out a 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-"
            );
            let ran = t.shell(&line);
            let (exit, said) = (ran.exit(), ran.stderr());
            assert_eq!(exit == Some(0), said.is_empty(), "{format} {limit}: {exit:?} {said}");
            assert!(exit != Some(0) || t.read("out") == t.read("wanted"), "{format} {limit}");
            assert!(!said.contains("cannot write") || !t.has("out"), "{format} {limit}: {said}");
            assert!(limit < 8 || exit == Some(0), "{format} {limit}: {said}");
            t.shell("rm -f out .out.hashmill*").code(0);
        }
    }
});

/// Plants a log beside a database that changes the content that SQLite finds in it.
fn plant_log(t: &Place, database: &str) -> bool {
    let script = "import sqlite3, shutil, sys\nname = sys.argv[1]\nshutil.copy(name, 'copy.db')\n\
                  base = sqlite3.connect('copy.db')\nbase.execute('PRAGMA journal_mode = WAL')\n\
                  base.execute(\"UPDATE records SET path = 'forged'\")\nbase.commit()\n\
                  shutil.copy('copy.db-wal', name + '-wal')\n";
    t.file("plant.py", script);
    let Some(ran) = t.other("python3", &format!("plant.py {database}")) else { return false };
    if !had_modules(ran.stderr().as_bytes()) {
        return false;
    }
    ran.code(0);
    true
}

case!(a_log_that_is_planted_beside_a_database_changes_nothing_of_it, |t| {
    signer(t).file("tree/a", "aaa").file("tree/b", "bbb");
    t.run("hash -c sha256 -f sqlite --seal --sign alice -o list tree").code(0);
    t.run("hash -c sha256 -f jsonl -o same tree").code(0);
    if !plant_log(t, "list") {
        return;
    }
    assert!(t.path("list-wal").metadata().unwrap().len() > 0);
    t.shell("rm -f copy.db* plant.py").code(0);
    let there = || -> Vec<String> {
        let names = fs::read_dir(t.path("")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let names = there();
    // The bytes that were signed and sealed are unchanged.
    t.run("verify list --allowed-signers allowed").code(0);
    t.run("seal verify list").code(0);
    t.run("audit -k list --allowed-signers allowed tree").code(0);
    for command in [
        "convert -f jsonl list out",
        "diff list same",
        "merge -o out list same",
        "check list",
        "known build -o out --good list",
    ] {
        // A copy of the signed bytes is read, which has no log beside it.
        let ran = t.run(command).code(0);
        assert!(!String::from_utf8_lossy(ran.stdout()).contains("forged"), "{command}");
        if t.has("out") {
            assert!(!String::from_utf8_lossy(&t.read("out")).contains("forged"), "{command}");
            t.remove("out");
        }
    }
    t.run("convert --ignore-signature -f jsonl list out").code(64).says("list-wal, and are not read");
    t.run("known build --ignore-signature -o out --good list").code(64).says("list-wal, and are not read");
    assert_eq!(there(), names);
    t.remove("list-wal").run("convert -f jsonl list -").code(0).is(t.read("same"));
    assert!(!t.has("list-wal") && !t.has("list-shm"));
});

case!(a_signed_inventory_is_read_with_the_files_that_it_names, |t| {
    signer(t).file("tree/a", "aaa").file("tree/b", "bbb");
    let etag = |text: &str| t.shell(&format!("printf '%s' {text} | md5sum | cut -c1-32"));
    let md5 = |text: &str| String::from_utf8_lossy(etag(text).stdout()).trim().to_string();
    let rows = format!(
        "\"b\",\"tree/a\",\"3\",\"{}\",\"SSE-S3\"\n\"b\",\"tree/b\",\"3\",\"{}\",\"SSE-S3\"\n",
        md5("aaa"),
        md5("bbb")
    );
    t.file("data.csv", &rows);
    let sum = String::from_utf8_lossy(t.shell("md5sum data.csv | cut -c1-32").stdout()).trim().to_string();
    t.file("manifest.json", format!(
        r#"{{"sourceBucket":"b","destinationBucket":"arn:aws:s3:::d","version":"2016-11-30","fileFormat":"CSV",
        "fileSchema":"Bucket, Key, Size, ETag, EncryptionStatus","files":[{{"key":"inv/data.csv","size":{},"MD5checksum":"{sum}"}}]}}"#,
        rows.len()
    ));
    t.run("sign manifest.json --key alice").code(0);
    let audit = "audit -k manifest.json --allowed-signers allowed tree";
    t.run(audit).code(0).says("good signature by alice").prints("matched: 2\n");
    // The file that the list names is bound by its checksum, also at the moment when it is read.
    t.file("forged", rows.replace(&md5("aaa"), &md5("bbb")));
    if let Some(ran) = faulty(t, &[("FAULT_PATH", "data.csv"), ("FAULT_SWAP", "forged")], audit) {
        assert!(ran.exit() != Some(1), "{}", ran.stderr());
    }
    t.file("data.csv", rows.replace(&md5("aaa"), &md5("bbb")));
    t.run(audit).code(64).says("data.csv: has the MD5");
    // An inventory of Azure names no checksums, so its signature covers no content: a message says so.
    t.file("data.csv", "Name,Content-Length,Content-MD5\ntree/a,3,\ntree/b,3,\n");
    t.file(
        "azure.json",
        r#"{"ruleDefinition":{},"inventoryCompletionTime":"x","files":[{"blob":"data.csv"}]}"#,
    );
    t.run("sign azure.json --key alice").code(0);
    t.run("audit -k azure.json --allowed-signers allowed tree")
        .says("does not cover the content of 1 of its files");
});

case!(permissions_are_taken_from_own_files_alone, |t| {
    if !is_root() {
        return not_possible("files of another user");
    }
    t.file("a", "1").file("out", "old");
    fs::set_permissions(t.path("out"), fs::Permissions::from_mode(0o666)).unwrap();
    chown(t.path("out"), Some(65534), None).unwrap();
    t.shell("umask 022; $hashmill hash -o out --force a").code(0);
    let meta = t.path("out").metadata().unwrap();
    assert_eq!((meta.uid(), meta.mode() & 0o777), (0, 0o644));
});

case!(a_secret_that_others_can_use_is_told_of, |t| {
    t.file("a", "1").run("hash -c sha256 -o list a").code(0);
    t.run("seal create --secret key list").code(0).quiet_about("others may use");
    assert_eq!(t.path("key").metadata().unwrap().mode() & 0o777, 0o600);
    for mode in [0o666, 0o604, 0o620] {
        fs::set_permissions(t.path("key"), fs::Permissions::from_mode(mode)).unwrap();
        t.run("seal create --secret key list")
            .code(0)
            .says(&format!("key: others may use this secret (mode {mode:04o}"));
    }
});

case!(a_list_of_paths_that_ends_early_gives_no_manifest, |t| {
    t.file("a", "1").file("b", "2").file("paths", "a\nb\n");
    let faults = [("FAULT_PATH", "paths"), ("FAULT_AFTER", "2")];
    for format in ["hashdeep", "sqlite", "parquet"] {
        let line = format!("hash -f {format} -o out --files-from paths");
        let Some(ran) = faulty(t, &faults, &line) else { return };
        ran.code(2).says("paths: cannot read the rest of the list of paths").says("out would lack them");
        assert!(!t.has("out"), "{format}");
        t.run(&line).code(0);
        assert_eq!(t.leftovers(), Vec::<String>::new());
        t.remove("out");
    }
    for line in [
        "similar index build -c ssdeep -o out --files-from paths",
        "similar digest -c ssdeep -o out --files-from paths",
    ] {
        faulty(t, &faults, line).map(|ran| ran.code(2).says("out: is not written"));
        assert!(!t.has("out") && t.leftovers().is_empty(), "{line}");
    }
});
