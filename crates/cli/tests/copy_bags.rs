//! `hashmill copy --manifest bag`: destinations become bags, which other programs take; foreign, hostile and unfinished ones.

use crate::bag::{bagit, papers};
use crate::case;
use crate::copy::tree;
use crate::injected::{of_the_loader, only, traced};
use crate::resume::signal;
use crate::util::Place;
use hashmill_testing::{Random, cases};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// Checks a bag by this program, and by bagit-python if that is there.
fn check(t: &Place, bag: &str) {
    t.run(&format!("bag verify {bag}")).code(0).prints(format!("{bag}: valid"));
    if let Some(ran) = bagit(t, &format!("--validate {bag}")) {
        ran.code(0).says("is valid");
    }
}

/// Returns the names in a folder.
fn names(t: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(t.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

case!(each_destination_becomes_a_bag, |t| {
    papers(t);
    fs::create_dir(t.path("papers/nothing")).unwrap();
    let line = "copy --manifest bag -c md5,sha256 -i Contact-Name=A=B --case 7 papers/ bag --to two";
    for verify in ["end", "later", "no"] {
        let ran = t.run(&format!("{line} --verify {verify} -f json")).code(0).says("now a bag");
        let json = ran.json();
        assert_eq!((&json["good"], &json["destinations"][1]["bag"]), (&true.into(), &"made".into()));
        for bag in ["bag", "two"] {
            check(t, bag);
            assert!(tree(&t.path(format!("{bag}/data"))) == tree(&t.path("papers")));
            let wanted = [
                "bag-info.txt",
                "bagit.txt",
                "data",
                "manifest-md5.txt",
                "manifest-sha256.txt",
                "tagmanifest-md5.txt",
                "tagmanifest-sha256.txt",
            ];
            assert_eq!(names(t, bag), wanted);
            let info = String::from_utf8(t.read(&format!("{bag}/bag-info.txt"))).unwrap();
            assert!(info.starts_with("External-Identifier: 7\nContact-Name: A=B\nBagging-Date: 2"), "{info}");
            assert!(info.ends_with("Payload-Oxum: 22.7\n"), "{info}");
        }
        // The same command leaves all as it is.
        let before = tree(&t.path("bag"));
        t.run(line).code(0).says("7 there already").says("a valid bag");
        assert!(tree(&t.path("bag")) == before);
        for bag in ["bag", "two"] {
            fs::remove_dir_all(t.path(bag)).unwrap();
        }
    }
    // As bag create makes it, with its digests.
    t.run("copy --manifest bag papers/ bag").code(0);
    t.run("bag create -o other papers").code(0);
    for list in ["manifest-sha256.txt", "manifest-sha512.txt", "bag-info.txt", "tagmanifest-sha512.txt"] {
        assert_eq!(t.read(&format!("bag/{list}")), t.read(&format!("other/{list}")), "{list}");
    }
    // Other programs find what tag manifests say.
    t.shell("cd bag && sha256sum -c --quiet tagmanifest-sha256.txt").code(0);
});

case!(a_single_file_and_members_become_the_payload, |t| {
    papers(t);
    t.run("copy --manifest bag papers/a.txt one").code(0);
    assert_eq!(t.read("one/data/a.txt"), b"aaa");
    t.shell("tar -C papers -cf a.tar sub a.txt").code(0);
    t.run("copy --manifest bag a.tar!/ papers/empty two").code(0);
    assert_eq!(t.read("two/data/sub/dir/b"), b"bb");
    for bag in ["one", "two"] {
        check(t, bag);
    }
    // Second names are names of one file in a bag, too, and filters choose.
    fs::hard_link(t.path("papers/a.txt"), t.path("papers/z")).unwrap();
    t.link("papers/l", "a.txt");
    t.run("copy --manifest bag --exclude l papers three").code(0).says("now a bag");
    check(t, "three");
    assert_eq!(t.path("three/data/papers/z").metadata().unwrap().nlink(), 2);
    t.run("copy --manifest bag --follow papers four").code(0);
    assert_eq!(t.read("four/data/papers/l"), b"aaa");
    check(t, "four");
});

case!(secrets_of_addresses_come_into_no_bag, |t| {
    t.file("tree/a", "");
    t.run("copy --manifest bag --examiner A --evidence https://user:secret@host/x tree/ bag").code(0);
    let info = String::from_utf8(t.read("bag/bag-info.txt")).unwrap();
    assert!(info.contains("Contact-Name: A\nExternal-Description: https://"), "{info}");
    assert!(!info.contains("secret"), "{info}");
});

case!(a_bag_can_be_empty, |t| {
    fs::create_dir(t.path("tree")).unwrap();
    for says in ["now a bag", "a valid bag"] {
        t.run("copy --manifest bag tree/ bag").code(0).says(says);
        check(t, "bag");
    }
});

case!(an_interrupted_run_leaves_no_bag, |t| {
    for number in 0..3 {
        t.file(format!("tree/{number}"), vec![b'x'; 1 << 20]);
    }
    let line = "copy --manifest bag tree/ bag --bwlimit 1M";
    let mut run = t.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    crate::resume::until("no copy", || t.has("bag/data"));
    signal(&run, "INT");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(names(t, "bag"), ["data"]);
    t.run("copy --manifest bag tree/ bag").code(0);
    check(t, "bag");
});

case!(names_with_percent_signs_are_told, |t| {
    t.file("tree/100%", "x").file("tree/A", "").file("tree/a", "");
    let ran = t.run("copy --manifest bag tree/ bag").code(0);
    ran.says("100%: note: manifests have % in a name as %25")
        .says("on other systems another file has this name");
    t.run("bag verify bag").code(0);
    assert!(String::from_utf8(t.read("bag/manifest-sha256.txt")).unwrap().contains("data/100%25\n"));
});

case!(what_a_bag_can_not_hold_is_refused_before_the_first_byte, |t| {
    papers(t);
    for (make, says) in [
        ("ln -s a.txt papers/link", "papers/link: a bag can't hold it: symbolic link"),
        ("mkfifo papers/pipe", "papers/pipe: a bag can't hold it: FIFO"),
        ("touch papers/$(printf '\\377')", "its name is not UTF-8"),
        ("touch 'papers/x\\..\\y'", "its name has backslashes"),
        ("touch papers/~x", "its name starts with ~"),
    ] {
        t.shell(make).code(0);
        for dry in ["", "--dry-run"] {
            t.run(&format!("copy {dry} --manifest bag papers/ bag --to two"))
                .code(64)
                .says(says)
                .says("because of 1 entry; nothing was copied");
            assert!(!t.has("bag") && !t.has("two"), "{make}");
        }
        t.shell("find papers ! -type f ! -type d -delete; find papers -name \"$(printf '\\377')\" -delete; rm -f papers/x* papers/~x")
            .code(0);
    }
    for (options, says) in [
        ("-c crc32", "checksum"),
        ("-c sha256,ssdeep", "likeness"),
        ("-i Payload-Oxum=1.1", "counted"),
        ("-i nothing", "LABEL=VALUE"),
        ("--seal", "has no place"),
    ] {
        t.run(&format!("copy --manifest bag {options} papers/ bag")).code(64).says(says);
        assert!(!t.has("bag"), "{options}");
    }
    t.run("copy --manifest bag papers none bag").code(64).says("none: cannot look it up");
    assert!(!t.has("bag"));
    t.run("copy -i A=b papers/ bag").code(64).says("--manifest bag");
    t.feed("copy --manifest bag - bag", "abc").code(64).says("its name is empty");
    t.run("copy --manifest bag papers/ bag --dry-run").code(0).prints("bag/data/a.txt\n");
    assert!(!t.has("bag"));
});

case!(folders_with_other_things_become_no_bags, |t| {
    papers(t);
    for (make, says) in [
        ("echo > bag/notes.txt", "holds other things than a bag, such as notes.txt"),
        ("mkdir -p bag/data && echo > bag/data/more", "bag/data/more: is in the bag, and not among"),
        (
            "mkdir -p bag/data/sub && ln -s ../../../papers bag/data/sub/l",
            "bag/data/sub/l: a bag can't hold it",
        ),
        ("ln -s ../papers bag/data", "bag/data: is no folder"),
        ("echo > bag/data", "bag/data: is no folder"),
        ("ln -s ../papers/a.txt bag/bagit.txt", "has no bagit.txt"),
        ("echo mine > bag/bagit.txt", "bagit.txt: is not UTF-8 text"),
    ] {
        fs::create_dir(t.path("bag")).unwrap();
        t.shell(make).code(0);
        let before = tree(&t.path("bag"));
        for line in ["copy --manifest bag papers/ bag", "copy --force --manifest bag papers/ two --to bag"] {
            t.run(line).code(64).says(says);
        }
        assert!(tree(&t.path("bag")) == before && !t.has("two"), "{make}");
        fs::remove_dir_all(t.path("bag")).unwrap();
    }
    t.file("file", "").run("copy --manifest bag papers/ file").code(64).says("is no folder");
    t.run("copy --manifest bag papers/ none/bag").code(64);
    // Tag files of something else keep their names, and there is no bag.
    t.file("bag/manifest-sha256.txt", "mine")
        .run("copy --manifest bag papers/ bag")
        .code(1)
        .says("move it away");
    assert_eq!((t.read("bag/manifest-sha256.txt"), t.has("bag/bagit.txt")), (b"mine".to_vec(), false));
    t.remove("bag/manifest-sha256.txt").run("copy --manifest bag papers/ bag").code(0);
    check(t, "bag");
});

case!(a_bag_that_is_there_is_compared_and_never_changed, |t| {
    papers(t);
    let line = "copy --manifest bag papers/ bag";
    t.run(line).code(0);
    // A field that was added later is the archive's own.
    t.shell("echo 'Source-Organization: X' >> bag/bag-info.txt").code(0);
    t.run(line).code(1).says("bag: bag-info.txt: changed");
    t.run("bag update bag").code(0);
    t.run(line).code(0).says("a valid bag");
    t.run(&format!("{line} -i Source-Organization=X")).code(0);
    t.run(&format!("{line} -i Source-Organization=Y")).code(64).says("without 'Source-Organization: Y'");
    t.run(&format!("{line} --force")).code(64).says("is a bag already");
    t.run(&format!("{line} -c sha256")).code(64).says("digests by sha256,sha512");
    // Sources that are others now.
    t.file("papers/new", "x");
    t.run(line).code(64).says("bag/data/new: is not what the bag that is there lists");
    t.remove("papers/new").rename("papers/a.txt", "a.txt");
    t.run(line).code(64).says("bag/data/a.txt: is in the bag, and not among");
    t.file("papers/a.txt", "aab")
        .run(line)
        .code(1)
        .says("papers/a.txt: not copied")
        .says("the bag was not compared");
    // A payload that is damaged or lacks a file.
    t.remove("papers/a.txt").rename("a.txt", "papers/a.txt").remove("bag/data/a.txt");
    t.run(line).code(0).says("1 file copied").says("a valid bag");
    t.file("papers/a.txt", "zzz").remove("bag/data/a.txt");
    t.run(line).code(1).says("data/a.txt: changed").says("no bag of these files");
    t.run("bag verify bag").code(1);
    // A manifest that was forged does not pass.
    t.shell("cd bag && sed -i 's/^./0/' manifest-sha256.txt").code(0);
    t.run(line).code(1).says("manifest-sha256.txt: changed");
});

case!(without_a_copy_there_is_no_bag, |t| {
    papers(t);
    t.file("bag/data/a.txt", "other");
    t.run("copy --manifest bag papers/ bag -f json").code(1).says("no bag was made").says("no bag so far");
    assert!(!t.has("bag/bagit.txt") && !t.has("bag/manifest-sha256.txt"));
    t.run("copy --manifest bag papers/ bag --force").code(0);
    check(t, "bag");
});

case!(a_bag_of_another_program_is_compared_too, |t| {
    papers(t);
    t.remove("papers/line\nfeed\r");
    t.shell("cp -a papers bag").code(0);
    let Some(ran) = bagit(t, "--sha256 --sha512 --contact-name A bag") else { return };
    ran.code(0);
    t.run("copy --manifest bag papers/ bag").code(0).says("6 there already").says("a valid bag");
    t.shell("echo >> bag/tagmanifest-sha512.txt; echo x >> bag/bag-info.txt").code(0);
    t.run("copy --manifest bag papers/ bag").code(2).says("malformed").says("a bag that could not be read");
});

/// Ends a run at a moment, and runs it again.
fn killed(t: &Place, moments: usize) {
    papers(t);
    for number in 0..40 {
        t.file(format!("papers/many/{number}"), Random(number).bytes(200_000));
    }
    let wanted = tree(&t.path("papers"));
    let mut random = Random(17);
    for moment in 0..moments {
        let line = "copy --manifest bag papers/ bag --to two";
        let mut run = t.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(random.below_u64(400)));
        signal(&run, "KILL");
        run.wait().unwrap();
        // A folder is a bag only when it is whole.
        for bag in ["bag", "two"].into_iter().filter(|bag| t.has(&format!("{bag}/bagit.txt"))) {
            t.run(&format!("bag verify {bag}")).code(0);
        }
        if moment % 4 == 3 {
            t.run(line).code(0);
            for bag in ["bag", "two"] {
                check(t, bag);
                assert!(tree(&t.path(format!("{bag}/data"))) == wanted);
                assert!(names(t, bag).iter().all(|name| !name.starts_with('.')));
                fs::remove_dir_all(t.path(bag)).unwrap();
            }
        }
    }
}

case!(a_run_that_is_killed_leaves_a_bag_or_none, |t| {
    killed(t, 8);
});

case!(
    #[ignore = "campaign: runs that are killed"]
    bags_killed_at_any_moment_go_on,
    |t| {
        killed(t, cases(50));
    }
);

case!(a_run_goes_on_after_each_step_of_the_end, |t| {
    papers(t);
    let line = "copy --manifest bag papers/ bag";
    t.run(line).code(0);
    let whole = tree(&t.path("bag"));
    // Tag files get their names one after another, bagit.txt last; an interrupted run was dated on another day.
    t.shell("cd bag && sed -i 's/^Bagging-Date: .*/Bagging-Date: 2001-01-01/' bag-info.txt").code(0);
    for gone in ["bagit.txt", "tagmanifest-sha512.txt", "tagmanifest-sha256.txt"] {
        t.shell(&format!(
            "rm bag/{gone}; rm -f bag/tagmanifest*; touch bag/.{gone}.hashmill-partial-abcdefghijkl"
        ))
        .code(0);
        t.run(line).code(0).says("now a bag");
        check(t, "bag");
        assert!(String::from_utf8(t.read("bag/bag-info.txt")).unwrap().contains("2001-01-01"), "{gone}");
        t.remove("bag/bagit.txt");
    }
    for gone in ["bag-info.txt", "manifest-sha512.txt", "manifest-sha256.txt"] {
        t.shell(&format!("rm -f bag/{gone} bag/tagmanifest* bag/bagit.txt")).code(0);
        t.run(line).code(0).says("now a bag");
        check(t, "bag");
    }
    assert_eq!(tree(&t.path("bag")).len(), whole.len());
});

case!(tag_files_that_can_not_be_written_are_told, |t| {
    t.file("tree/a", "abc");
    let line = "copy --manifest bag tree/ bag";
    // The thread that writes tag files gives six of them their names.
    for number in 1..=6 {
        let inject = format!(
            "-f -qq -o trace -e trace=rename,renameat2 -e inject=rename:error=EIO -e inject=renameat2:error=EIO:when={number}+"
        );
        let Some(ran) = t.other("strace", &format!("{inject} {} {line}", crate::util::tested())) else {
            return;
        };
        if ran.stderr().contains("ptrace") {
            return;
        }
        ran.code(2);
        assert!(!t.has("bag/bagit.txt"), "{number}");
        t.run(line).code(0).says("now a bag");
        check(t, "bag");
        fs::remove_dir_all(t.path("bag")).unwrap();
    }
});

case!(bags_in_stores_are_refused_by_name, |t| {
    papers(t);
    t.run("copy --manifest bag papers/ two --to s3://bucket/x/ --endpoint http://127.0.0.1:1 --anonymous")
        .code(64)
        .says("s3://bucket/x/: is in a store");
    assert!(!t.has("two"));
});

/// Calls that fail, with their errors.
const CALLS: [(&str, &str); 14] = [
    ("openat", "EIO"),
    ("read", "EIO"),
    ("pread64", "EIO"),
    ("write", "ENOSPC"),
    ("pwrite64", "ENOSPC"),
    ("fsync", "EIO"),
    ("fdatasync", "EIO"),
    ("syncfs", "EIO"),
    ("renameat2", "EIO"),
    ("mkdir", "EACCES"),
    ("unlink", "EIO"),
    ("newfstatat", "EIO"),
    ("statx", "EIO"),
    ("getdents64", "EIO"),
];

/// The number of calls of a kind that are let fail, one in each run.
const MOST_CALLS: usize = 40;

/// Returns what is wrong after a run, and after the same command once more.
fn wrong(t: &Place, line: &str, code: Option<i32>) -> Vec<String> {
    let mut wrong = Vec::new();
    let verified = || t.run("bag verify bag");
    if t.has("bag/bagit.txt") && verified().exit() != Some(0) {
        wrong.push(format!("a bag that is none: {}", String::from_utf8_lossy(verified().stdout())));
    }
    if code == Some(0) && !t.has("bag/bagit.txt") {
        wrong.push("no bag".into());
    }
    let again = t.run(line);
    if again.exit() != Some(0) || verified().exit() != Some(0) {
        wrong.push(format!("again: {}{}", again.stderr(), String::from_utf8_lossy(verified().stdout())));
    }
    wrong
}

case!(
    #[ignore = "campaign: takes long"]
    calls_that_fail_under_a_bag,
    |t| {
        t.file("tree/a", "abc").file("tree/d/b", Random(3).bytes(300_000)).file("tree/d/c", "");
        let line = "copy -j1 --manifest bag tree/ bag";
        let Some(loader) = of_the_loader(t, line) else { return };
        let mut problems = Vec::new();
        let step = MOST_CALLS.div_ceil(cases(14)).max(1);
        for (call, error) in CALLS {
            let skipped = loader.get(call).copied().unwrap_or(0);
            for number in (1..MOST_CALLS).step_by(step) {
                if t.has("bag") {
                    fs::remove_dir_all(t.path("bag")).unwrap();
                }
                let fault = format!("inject={call}:error={error}:when={}", number + skipped);
                let ran = traced(t, &only(call, &fault), line).unwrap();
                let found = wrong(t, line, ran.exit());
                if !found.is_empty() {
                    problems.push(format!("{call} {number}: {found:#?}: {}", ran.stderr()));
                }
                if ran.exit() == Some(0) && number > 12 {
                    break;
                }
            }
        }
        assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
    }
);
