//! `hashmill bag`: bags made, killed half-way, damaged, hostile, and taken by bagit-python and from it.

use crate::case;
use crate::util::{Place, Ran};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Makes a folder with names that bags must encode.
pub fn papers(t: &Place) -> &Place {
    t.file("papers/a.txt", "aaa")
        .file("papers/sub/dir/b", "bb")
        .file("papers/empty", "")
        .file("papers/.hidden", "h");
    t.file("papers/data/data", "data")
        .file("papers/gr\u{f6}\u{df}e", "letters")
        .file("papers/line\nfeed\r", "lines")
}

/// All files below a folder.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(
                    found.insert(path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap()),
                ),
            }
        }
    }
    found
}

/// bagit-python, where scripts/setup has put it.
pub fn bagit(t: &Place, args: &str) -> Option<Ran> {
    // As a script in this folder, it is found with the interpreter that has it.
    let mut command = Command::new(hashmill_testing::set_up("venv/bin/bagit.py")?);
    command.args(args.split_whitespace()).current_dir(t.path("")).env("PYTHONDONTWRITEBYTECODE", "1");
    Some(t.ran(command, &format!("bagit.py {args}")))
}

pub fn kinds(json: &Value) -> Vec<String> {
    let findings = json["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["kind"].as_str().unwrap().to_string()).collect()
}

case!(a_folder_becomes_a_bag_in_its_place, |t| {
    papers(t);
    fs::create_dir(t.path("papers/nothing")).unwrap();
    let before = files(&t.path("papers"));
    t.run("bag create -i Contact-Name=A=B papers/").code(0).says("papers/: a bag of 7 files, 22 bytes");
    assert_eq!(files(&t.path("papers/data")), before);
    assert!(t.path("papers/data/nothing").is_dir() && !t.has("papers/.hashmill-bag-partial"));
    t.run("bag verify papers").code(0).quiet().is("papers: valid (7 files, 22 bytes of payload)\n");
    t.run("bag verify --complete papers").code(0).quiet().prints("papers: complete");
    t.run("bag verify --oxum papers").code(0).quiet().prints("papers: as many bytes and files");
    let info = String::from_utf8(t.read("papers/bag-info.txt")).unwrap();
    assert!(info.starts_with("Contact-Name: A=B\nBagging-Date: 2"), "{info}");
    assert!(info.ends_with("Bag-Software-Agent: hashmill 0.1.0\nPayload-Oxum: 22.7\n"), "{info}");
    assert!(
        String::from_utf8(t.read("papers/manifest-sha512.txt")).unwrap().contains("  data/line%0Afeed%0D\n")
    );
    t.run("bag create papers").code(64).says("is a bag already");
    let sums = "cd papers && sha256sum -c --quiet tagmanifest-sha256.txt && sha512sum -c --quiet tagmanifest-sha512.txt";
    t.shell(sums).code(0);
});

case!(a_folder_is_copied_into_a_bag, |t| {
    papers(t);
    let before = files(&t.path("papers"));
    let stamp = t.path("papers/a.txt").metadata().unwrap().modified().unwrap();
    t.run("bag create -c md5,sha3-256 -o bag papers").code(0).says("bag: a bag of 7 files");
    assert_eq!(files(&t.path("papers")), before);
    assert_eq!(files(&t.path("bag/data")), before);
    assert_eq!(t.path("bag/data/a.txt").metadata().unwrap().modified().unwrap(), stamp);
    assert!(t.has("bag/manifest-sha3256.txt") && t.leftovers().is_empty());
    t.run("bag verify bag").code(0).prints("bag: valid");
    t.run("bag create -o bag papers").code(64).says("is there already");
    t.run("bag create -o papers/inside papers").code(64).says("lies in the folder");
    t.run("bag create -o new bag").code(64).says("is a bag already");
    // Remains of an interrupted run are no obstacle.
    t.file(".other.hashmill-partial/data/junk", "x").run("bag create -o other papers").code(0);
    assert_eq!(files(&t.path("other/data")), before);
});

case!(what_a_bag_cannot_hold_is_refused_before_anything_moves, |t| {
    papers(t);
    let before = files(&t.path("papers"));
    for (make, says) in [
        ("ln -s a.txt papers/link", "papers/link: a bag can't hold it: symbolic link"),
        ("mkfifo papers/pipe", "papers/pipe: a bag can't hold it: FIFO"),
        ("touch papers/$(printf '\\377')", "its name is not UTF-8"),
        ("touch 'papers/x\\..\\y'", "its name has backslashes"),
    ] {
        t.shell(make).code(0);
        t.run("bag create papers").code(2).says(says).says("nothing was changed");
        t.run("bag create -o new papers").code(2).says(says);
        assert!(!t.has("new") && t.leftovers().is_empty());
        t.shell("find papers ! -type f ! -type d -delete; find papers -name \"$(printf '\\377')\" -delete; rm -f papers/x*")
            .code(0);
        assert_eq!(files(&t.path("papers")), before, "{make}");
    }
    t.run("bag create -c crc32 papers").code(64).says("checksum");
    t.run("bag create -c ssdeep papers").code(64);
    t.run("bag create -i Payload-Oxum=1.1 papers").code(64).says("counted");
    t.run("bag create -i nothing papers").code(64).says("LABEL=VALUE");
    t.run("bag create nowhere").code(64).says("nowhere: cannot open");
    t.run("bag create papers/a.txt").code(64).says("is not a folder");
});

case!(a_run_that_is_killed_loses_nothing, |t| {
    for number in 0..400 {
        t.file(format!("papers/f{number}"), format!("{number}"));
    }
    let before = files(&t.path("papers"));
    for round in 0..hashmill_testing::cases(8) as u64 {
        t.shell("rm -rf work && cp -r papers work").code(0);
        let mut child =
            t.command("bag create -c md5 work").stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round * 10));
        // Whether it was in time or not, the following must hold.
        let _ = child.kill();
        child.wait().unwrap();
        let now = files(&t.path("work"));
        let payload = |path: &Path| {
            let path = path.strip_prefix(".hashmill-bag-partial").unwrap_or(path);
            path.strip_prefix("data").unwrap_or(path).to_path_buf()
        };
        let found: BTreeMap<_, _> = now.iter().map(|(path, text)| (payload(path), text.clone())).collect();
        assert!(before.iter().all(|(path, text)| found.get(path) == Some(text)), "round {round}");
        let again = t.run("bag create -c md5 work");
        let code = if again.stderr().contains("is a bag already") { 64 } else { 0 };
        again.code(code);
        assert_eq!(files(&t.path("work/data")), before, "round {round}");
        t.run("bag verify work").code(0);
    }
});

case!(each_state_of_an_interrupted_run_is_undone_or_finished, |t| {
    let staging = "papers/.hashmill-bag-partial";
    let make = |parts: &[&str]| {
        t.shell("rm -rf papers").code(0);
        papers(t);
        parts.iter().for_each(|line| drop(t.shell(line).code(0)));
    };
    // Before the mark: undone, and begun anew.
    make(&[&format!("mkdir -p {staging}/tags; echo > {staging}/tags/bagit.txt")]);
    t.run("bag create -o copy papers").code(64).says("go on without -o");
    t.run("bag create papers").code(0).says("undid what an interrupted run had begun");
    make(&[&format!("mkdir -p {staging}/tags {staging}/data && mv papers/sub papers/data {staging}/data")]);
    t.run("bag create papers").code(0).says("undid what an interrupted run had begun");
    assert!(t.has("papers/data/data/data") && t.has("papers/data/sub/dir/b"));
    t.run("bag verify papers").code(0);
    // Files created meanwhile are not overwritten.
    make(&[&format!("mkdir -p {staging}/data && mv papers/a.txt {staging}/data"), "echo new > papers/a.txt"]);
    t.run("bag create papers").code(2).says("papers/a.txt").says("move it away");
    assert_eq!(
        (t.read(&format!("{staging}/data/a.txt")), t.read("papers/a.txt")),
        (b"aaa".to_vec(), b"new\n".to_vec())
    );
    // Behind it: finished.
    let back = "mv papers/manifest-sha256.txt papers/bagit.txt";
    for more in ["true".to_string(), format!("mv papers/data {staging}/data")] {
        make(&[]);
        t.run("bag create papers").code(0);
        t.shell(&format!(
            "mkdir -p {staging}/tags && {back} {staging}/tags && touch {staging}/moved && {more}"
        ))
        .code(0);
        t.run("bag create papers").code(0).says("finished what an interrupted run had begun");
        t.run("bag verify papers").code(0);
        assert!(!t.has(staging));
    }
});

case!(names_that_fall_together_elsewhere_are_told, |t| {
    t.file("papers/Read.me", "a").file("papers/read.me", "b");
    t.run("bag create papers").code(0).says("read.me: note: on other systems another file has this name");
    t.run("bag verify -f json papers").code(0);
});

case!(a_bag_is_compared_with_a_profile, |t| {
    papers(t);
    t.run("bag create -i Contact-Name=A -i BagIt-Profile-Identifier=http://x/p papers").code(0);
    let profile = |more: &str| {
        format!("{{\"BagIt-Profile-Info\": {{\"BagIt-Profile-Identifier\": \"http://x/p\"}}, {more}}}")
    };
    t.file("p.json", profile("\"Bag-Info\": {\"Contact-Name\": {\"required\": true}}"));
    t.run("bag verify --profile p.json papers").code(0);
    t.file("p.json", profile("\"Manifests-Allowed\": [\"sha512\"], \"Serialization\": \"required\""));
    let ran = t.run("bag verify --profile p.json -f json --complete papers").code(1);
    assert_eq!(kinds(&ran.json()), ["profile", "profile"]);
    t.file("p.json", profile("\"New\": 1"));
    t.run("bag verify --profile p.json papers").code(64).says("p.json: is not a BagIt profile").says("New");
    t.run("bag verify --profile none.json papers").code(64);
    std::fs::File::create(t.path("p.json")).unwrap().set_len(16 << 20).unwrap();
    t.run("bag verify --profile p.json papers").code(64).says("is no BagIt profile: it is");
});

case!(a_bag_is_updated_after_its_metadata_was_edited, |t| {
    papers(t);
    t.run("bag create papers").code(0);
    let payload = t.read("papers/manifest-sha256.txt");
    t.shell("sed -i 1iContact-Name:\\ A papers/bag-info.txt").code(0);
    t.file("papers/notes/100%.txt", "new");
    t.run("bag verify papers").code(1);
    let ran = t.run("bag update papers").code(0);
    ran.says("bag-info.txt: has changed").says("100%.txt: is new").says("tag manifests of 5 tag files");
    t.run("bag verify papers").code(0).quiet();
    assert_eq!(t.read("papers/manifest-sha256.txt"), payload);
    assert_eq!(String::from_utf8(t.read("papers/tagmanifest-sha512.txt")).unwrap().lines().count(), 5);
    fs::remove_file(t.path("papers/notes/100%.txt")).unwrap();
    t.run("bag update papers").code(0).says("100%.txt: is not there any more");

    // Damage to the payload, its manifests or tag files is not made good.
    let good = t.read("papers/tagmanifest-sha256.txt");
    t.shell("sed -i 2d papers/manifest-sha256.txt").code(0);
    t.run("bag update papers").code(64).says("is not the manifest that the tag manifest lists");
    t.file("papers/manifest-sha256.txt", payload);
    symlink("../x", t.path("papers/link")).unwrap();
    t.run("bag update papers").code(64).says("is a symbolic link");
    fs::remove_file(t.path("papers/link")).unwrap();
    t.shell("echo junk >> papers/bag-info.txt").code(0);
    t.run("bag update papers").code(64).says("can't be updated");
    assert_eq!(t.read("papers/tagmanifest-sha256.txt"), good);
    t.run("bag update nowhere").code(64);
});

case!(what_an_update_changed_is_told_to_programs, |t| {
    papers(t);
    t.run("bag create papers").code(0);
    t.shell("sed -i 1iContact-Name:\\ A papers/bag-info.txt").code(0);
    t.file("papers/notes/new.txt", "new");
    let document = t.run("bag update -f json papers").code(0).json();
    assert_eq!((&document["made"], &document["files"]), (&true.into(), &5.into()));
    let change = |path: &str, kind: &str| serde_json::json!({ "path": path, "kind": kind });
    let changes = [change("bag-info.txt", "changed"), change("notes/new.txt", "new")];
    assert_eq!(document["changes"], serde_json::Value::from(changes.to_vec()));
    assert_eq!(document["account"]["entries"]["done"], 5);
    // Of several, each that could be updated is in the list.
    fs::remove_file(t.path("papers/notes/new.txt")).unwrap();
    let documents = t.run("bag update -f json none papers").code(2).says("none: cannot open").json();
    assert_eq!(documents[0]["changes"], serde_json::Value::from(vec![change("notes/new.txt", "missing")]));
    t.shell("$hashmill bag update -f jsonl papers > made.jsonl && $hashmill report made.jsonl -o page.html")
        .code(0);
    assert!(String::from_utf8_lossy(&t.read("page.html")).contains("papers"));
});

/// Damages to a bag, with the exit code of `bag verify` and its findings.
pub const DAMAGES: &[(&str, i32, &[&str])] = &[
    ("true", 0, &[]),
    ("echo new > bag/read.me", 0, &["unlisted"]),
    ("echo x > bag/data/a.txt", 1, &["changed", "changed", "oxum-differs"]),
    ("printf bbb > bag/data/a.txt", 1, &["changed", "changed"]),
    ("rm bag/data/a.txt", 1, &["missing", "oxum-differs"]),
    ("touch bag/data/new", 1, &["new", "oxum-differs"]),
    ("rm -r bag/data", 1, &["missing", "no-payload", "oxum-differs"]),
    ("echo A: b >> bag/bag-info.txt", 1, &["changed", "changed"]),
    ("rm bag/bag-info.txt", 1, &["missing"]),
    ("sed -i s/22.7/23.7/ bag/bag-info.txt", 1, &["changed", "changed", "oxum-differs"]),
    (
        "sed -i 's|  data/a.txt| *./data/a.txt|' bag/manifest-sha512.txt",
        1,
        &["changed", "changed", "spelling", "star"],
    ),
    (
        "rm bag/tagmanifest-*; sed -i 's|  data/a.txt| *./data/a.txt|' bag/manifest-sha512.txt",
        0,
        &["spelling", "star"],
    ),
    ("rm bag/tagmanifest-*; sed -i 2d bag/manifest-sha512.txt", 1, &["not-in-all-manifests"]),
    ("rm bag/tagmanifest-*; sed -i 2p bag/manifest-sha512.txt", 1, &["repeated"]),
    ("rm bag/tagmanifest-*; echo junk >> bag/manifest-sha512.txt", 2, &["malformed"]),
    ("rm bag/tagmanifest-* bag/manifest-*", 1, &["new", "no-manifest"]),
    ("rm bag/tagmanifest-*; printf '\\377' >> bag/bag-info.txt", 2, &["not-text"]),
    ("rm bag/tagmanifest-*; touch bag/manifest-nosuch.txt", 2, &["unknown-algorithm"]),
    ("mv bag/data/a.txt . && ln -s ../../a.txt bag/data/a.txt", 1, &["link", "oxum-differs"]),
    ("mv bag/data d && ln -s ../d bag/data", 1, &["link", "missing", "no-payload", "oxum-differs"]),
    ("rm bag/data/a.txt && mkfifo bag/data/a.txt", 1, &["oxum-differs", "special"]),
    ("rm bag/tagmanifest-*; ln -s data/a.txt bag/manifest-md5.txt", 1, &["link"]),
    ("rm bag/manifest-sha256.txt && mkfifo bag/manifest-sha256.txt", 1, &["special"]),
    ("rm bag/tagmanifest-*; echo A: b >> bag/bagit.txt", 1, &["declaration"]),
    ("rm bag/tagmanifest-*; echo Payload-Oxum: 1.1 >> bag/bag-info.txt", 1, &["repeated"]),
    ("sed -i /manifest-sha512/d bag/tagmanifest-*", 1, &["not-in-all-manifests", "not-in-all-manifests"]),
    ("echo 'http://127.0.0.1/ 3 bagit.txt' > bag/fetch.txt", 1, &["unlisted", "unsafe-path"]),
    ("echo 'a.txt 3 data/a.txt' > bag/fetch.txt", 1, &["relative-url", "unlisted"]),
    (
        "echo 'http://127.0.0.1/ 3 data/a.txt' > bag/fetch.txt; rm bag/data/a.txt",
        1,
        &["oxum-differs", "to-be-fetched", "unlisted"],
    ),
];

case!(every_damage_is_told_apart, |t| {
    papers(t);
    t.run("bag create -o good papers").code(0);
    for (line, code, wanted) in DAMAGES {
        t.shell(&format!("rm -rf bag d a.txt && cp -r good bag && {line}")).code(0);
        let ran = t.run("bag verify -f json bag").code(*code);
        let mut found = kinds(&ran.json());
        found.sort();
        if found.iter().filter(|kind| ["missing", "new"].contains(&kind.as_str())).count() > 2 {
            found.dedup();
        }
        assert_eq!(&found, wanted, "{line}");
        let good = ran.json()["good"].as_bool().unwrap();
        assert_eq!(good, *code == 0, "{line}");
        t.run("bag verify bag").code(*code).prints(if good { "bag: valid" } else { "bag: not v" });
    }
});

case!(a_bag_of_checksums_alone_is_not_valid, |t| {
    t.file("b/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n").file("b/data/a", "abc");
    t.file("b/manifest-crc32.txt", "352441c2  data/a\n");
    let ran = t.run("bag verify -f json b").code(2);
    assert_eq!(kinds(&ran.json()), ["forgeable"]);
    assert_eq!(kinds(&t.run("bag verify -f json --allow-weak b").code(0).json()), ["weak"]);
    t.file("b/manifest-md5.txt", "900150983cd24fb0d6963f7d28e17f72  data/a\n").run("bag verify b").code(0);
});

case!(tag_files_take_no_more_memory_than_is_allowed, |t| {
    t.file("b/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n").file("b/data/a", "abc");
    t.file("b/manifest-md5.txt", "900150983cd24fb0d6963f7d28e17f72  data/a\n").run("bag verify b").code(0);
    fs::OpenOptions::new().write(true).open(t.path("b/manifest-md5.txt")).unwrap().set_len(2 << 30).unwrap();
    t.shell("ulimit -v 1500000; $hashmill bag verify -j 1 -m 64M --complete b")
        .code(2)
        .says("allow more with -m");
});

case!(hostile_bags_reach_nothing_outside, |t| {
    t.file("secret", "secret")
        .file("bag/data/a", "a")
        .file("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let secret = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    let a = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    let root = t.path("secret").display().to_string();
    for path in ["../secret", "data/../../secret", &root, "~/secret", "C:\\secret", "data\\..\\..\\secret"] {
        t.file("bag/manifest-sha256.txt", format!("{a}  data/a\n{secret}  {path}\n"));
        let ran = t.run("bag verify -f json bag").code(1);
        assert_eq!(kinds(&ran.json()), ["unsafe-path"], "{path}");
        t.file("bag/manifest-sha256.txt", format!("{a}  data/a\n"));
        t.file("bag/fetch.txt", format!("file://{root} 6 {path}\n"));
        assert_eq!(kinds(&t.run("bag verify -f json bag").code(1).json()), ["unsafe-path"], "{path}");
        t.remove("bag/fetch.txt");
    }
    // Links are what they are, wherever they lead.
    symlink(t.path("secret"), t.path("bag/data/link")).unwrap();
    t.file("bag/manifest-sha256.txt", format!("{a}  data/a\n{secret}  data/link\n"));
    t.run("bag verify bag").code(1).prints("data/link: link: symbolic link");
    t.remove("bag/data/link").file("bag/manifest-sha256.txt", format!("{a}  data/a\x1b[31m%0A\n"));
    t.run("bag verify bag").code(1).prints("\\data/a\x1b[31m\\n: missing\n");
});

case!(what_is_no_bag_is_refused, |t| {
    t.file("d/a", "a");
    t.run("bag verify d").code(64).says("has no bagit.txt");
    t.run("bag verify d/a").code(64).says("is not a folder");
    for (text, says) in [
        ("", "has no BagIt-Version"),
        ("BagIt-Version: 3.0\nTag-File-Character-Encoding: UTF-8\n", "BagIt 3.0 is not supported"),
        ("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-7\n", "tag files in UTF-7 are not supported"),
        ("\u{feff}BagIt-Version: 1.0\n", "byte-order mark"),
        ("junk\n", "label: value"),
    ] {
        t.file("d/bagit.txt", text).run("bag verify d").code(64).says(says);
    }
    t.remove("d/bagit.txt").link("d/bagit.txt", "a").run("bag verify d").code(64);
    t.run("bag verify --oxum --complete d").code(64);
});

case!(
    #[ignore = "campaign: needs bagit.py"]
    bags_of_older_versions_are_read,
    |t| {
        let md5 = "0cc175b9c0f1b6a831c399e269772661";
        for (version, info) in [
            ("0.93", "package-info.txt"),
            ("0.95", "package-info.txt"),
            ("0.96", "bag-info.txt"),
            ("0.97", "bag-info.txt"),
        ] {
            let name = format!("bag-{version}");
            t.file(
                format!("{name}/bagit.txt"),
                format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n"),
            );
            t.file(format!("{name}/manifest-md5.txt"), format!("{md5} *data/100%25\n"))
                .file(format!("{name}/data/100%25"), "a");
            t.file(format!("{name}/{info}"), "Payload-Oxum: 1.1\n");
            t.run(&format!("bag verify {name}")).code(0).prints("valid").says("note: data/100%25: star");
            t.run(&format!("bag verify --oxum {name}")).code(0);
            if let Some(ran) = bagit(t, &format!("--validate {name}")) {
                ran.code(0);
            }
            t.file(format!("{name}/data/100%25"), "b").run(&format!("bag verify {name}")).code(1);
        }
    }
);

case!(several_bags_are_taken_in_one_call, |t| {
    for bag in ["a", "b", "c"] {
        t.file(format!("{bag}/x"), bag).run(&format!("bag create {bag}")).code(0);
    }
    t.run("bag verify a b c").code(0).is("a: valid (1 file, 1 bytes of payload)\nb: valid (1 file, 1 bytes of payload)\nc: valid (1 file, 1 bytes of payload)\n");
    assert_eq!(t.run("bag verify -f json a b").code(0).json().as_array().unwrap().len(), 2);
    t.file("a/note", "new").file("c/data/x", "d").file("none/x", "");
    t.run("bag verify a none b").code(2).says("none: has no bagit.txt").prints("b: valid");
    t.run("bag verify a b c").code(1).prints("c: not valid");
    t.run("bag verify none").code(64);
    t.run("bag update none a b")
        .code(2)
        .says("none: has no bagit.txt")
        .says("a/note: is new")
        .says("b: tag manifests of 4");
});

case!(a_percent_sign_that_others_do_not_decode_is_told, |t| {
    t.file("papers/100%", "a").file("papers/5%", "b");
    t.run("bag create -o bag papers")
        .code(0)
        .says("100%: note: manifests have % in a name as %25")
        .says("(and 1 more)");
    t.run("bag verify bag").code(0);
});

case!(
    #[ignore = "campaign: needs bagit.py"]
    bagit_python_takes_our_bags_and_we_take_its,
    |t| {
        papers(t).shell("cp -r papers theirs").code(0);
        t.run("bag create -c md5,sha1,sha256,sha512 papers").code(0);
        let Some(ran) = bagit(t, "--validate papers") else { return };
        ran.code(0);
        bagit(t, "--validate --fast papers").unwrap().code(0);
        bagit(t, "--md5 --sha512 --contact-name A theirs").unwrap().code(0);
        // It writes names with line feeds as they are decoded, so only our reading of the rest is compared.
        t.run("bag verify theirs").code(0).prints("theirs: valid (7 files");
        t.run("bag verify --oxum theirs").code(0);
        for line in [
            "echo x >> $bag/data/a.txt",
            "rm $bag/data/empty",
            "touch $bag/data/new",
            "echo A: b >> $bag/bag-info.txt",
        ] {
            for bag in ["papers", "theirs"] {
                t.shell(&format!("rm -rf bad && cp -r {bag} bad && bag=bad; {line}")).code(0);
                t.run("bag verify bad").code(1);
                bagit(t, "--validate bad").unwrap().code(1);
            }
        }
    }
);
