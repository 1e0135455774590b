//! `hashmill copy`: what arrives, what is kept, and what a run that is cut short leaves.

use crate::case;
use crate::faults::faulty;
use crate::resume::signal;
use crate::util::{Place, digest, installed};
use hashmill_testing::Random;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// An entry: its kind and mode, its time, its number of names, and its content or target.
pub type Facts = (u32, i64, i64, u64, Vec<u8>);

/// Returns all entries below a folder, by their paths.
pub fn tree(root: &Path) -> BTreeMap<Vec<u8>, Facts> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let content = match meta.file_type() {
                kind if kind.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                kind if kind.is_dir() => Vec::new(),
                _ => fs::read(&path).unwrap(),
            };
            if meta.is_dir() {
                folders.push(path.clone());
            }
            // The time of a link is that of its making.
            let time = if meta.is_symlink() { (0, 0) } else { (meta.mtime(), meta.mtime_nsec()) };
            let links = if meta.is_dir() { 0 } else { meta.nlink() };
            let below = path.strip_prefix(root).unwrap().as_os_str().as_encoded_bytes().to_vec();
            all.insert(below, (meta.mode(), time.0, time.1, links, content));
        }
    }
    all
}

/// Makes files of many kinds and sizes.
pub fn sources(t: &Place) {
    t.odd_names();
    let mut random = Random(5);
    for (name, size) in [("one", 1), ("page", 4096), ("middle", 300_000), ("long", 9_000_001)] {
        t.file(format!("tree/d/{name}"), random.bytes(size));
    }
    t.file("tree/d/e/sparse", "");
    fs::File::options().write(true).open(t.path("tree/d/e/sparse")).unwrap().set_len(3 << 20).unwrap();
    t.link("tree/d/link", "one").link("tree/lost", "nowhere");
    fs::hard_link(t.path("tree/d/page"), t.path("tree/d/e/second")).unwrap();
    fs::create_dir(t.path("tree/d/none")).unwrap();
    fs::set_permissions(t.path("tree/d/one"), fs::Permissions::from_mode(0o540)).unwrap();
    fs::set_permissions(t.path("tree/d/none"), fs::Permissions::from_mode(0o705)).unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    for name in ["tree/d/one", "tree/d/none", "tree/d"] {
        let times = fs::FileTimes::new().set_modified(old);
        fs::File::open(t.path(name)).unwrap().set_times(times).unwrap();
    }
}

case!(a_tree_arrives_as_it_is_at_each_destination, |t| {
    sources(t);
    t.file("two/.keep", "");
    for (options, one, two) in
        [("", "one", "two/x"), ("--verify later", "a", "two/b"), ("-m 8M -j3", "e", "two/f")]
    {
        t.run(&format!("copy {options} tree/ {one} --to {two}")).code(0).says("read back from the medium");
        for copy in [one, two] {
            assert!(tree(&t.path(copy)) == tree(&t.path("tree")), "{options} {copy}");
        }
    }
    let sparse = t.path("one/d/e/sparse").metadata().unwrap();
    assert!(sparse.blocks() < 100, "{}", sparse.blocks());
    t.run("copy tree c").code(0);
    assert!(tree(&t.path("c/tree")) == tree(&t.path("tree")));
});

case!(what_is_there_is_compared_and_kept, |t| {
    t.file("tree/a", "aaaa").file("tree/b", vec![b'b'; 3 << 20]).file("tree/c", "c").link("tree/l", "a");
    t.run("copy tree/ to").code(0);
    t.run("copy tree/ to").code(0).says("0 files copied").says("4 there already");
    // One with another length, one with the same, and one that differs at its end.
    let mut long = vec![b'b'; 3 << 20];
    *long.last_mut().unwrap() = b'x';
    t.file("to/a", "aaa").file("to/b", &long).file("to/c", "x");
    t.remove("to/l").link("to/l", "b");
    t.run("copy tree/ to")
        .code(1)
        .says("tree/a: not copied")
        .says("tree/b: not copied")
        .says("tree/l: not copied");
    assert_eq!(t.read("to/a"), b"aaa");
    assert!(t.read("to/b") == long);
    t.run("copy tree/ to --force").code(0).says("3 files copied");
    assert!(tree(&t.path("to")) == tree(&t.path("tree")));
    // Something else than a file is never replaced.
    t.remove("to/a").file("to/a/x", "");
    t.run("copy tree/ to --force").code(2).says("something else than a file is in its place");
});

case!(a_single_file_gets_the_name_of_its_destination, |t| {
    t.file("tree/a", "abc").file("dir/x", "");
    t.run("copy tree/a copy").code(0);
    t.run("copy tree/a dir --to other").code(0);
    t.feed("copy - piped", "abc").code(0);
    for copy in ["copy", "dir/a", "other", "piped"] {
        assert_eq!(t.read(copy), b"abc", "{copy}");
    }
    t.feed("copy - dir", "abc").code(2).says("it has no name");
});

case!(places_that_would_mix_are_refused_before_anything_is_written, |t| {
    t.file("tree/a", "a").file("p/tree/b", "b");
    for line in [
        "copy tree tree",
        "copy tree/ tree",
        "copy tree tree/d",
        "copy tree/a tree",
        "copy tree .",
        "copy tree p/tree to",
        "copy tree tree/a to",
        "copy tree to --to to",
        "copy tree to --to ./to",
        "copy tree to --inside all",
        "copy tree s3://",
        "copy tree to --case 7",
    ] {
        t.run(line).code(64);
        assert!(!t.has("to"), "{line}");
    }
    t.run("copy none to").code(2).says("none");
});

case!(a_manifest_names_what_was_copied, |t| {
    sources(t);
    for (number, options) in ["", "--verify later"].into_iter().enumerate() {
        let to = format!("to{number}");
        t.run(&format!("copy {options} tree/ {to} --manifest sums -c sha256")).code(0);
        let list = String::from_utf8_lossy(&t.read(&format!("{to}/SHA256SUMS"))).into_owned();
        assert!(list.contains(&format!("{}  d/one\n", digest("sha256", t.read("tree/d/one")))), "{list}");
        assert_eq!(
            list.lines().count(),
            tree(&t.path("tree")).values().filter(|facts| facts.3 > 0 && facts.0 >> 12 == 8).count()
        );
        if installed("sha256sum").is_some() {
            assert!(
                t.shell(&format!("cd {to} && sha256sum -c --quiet --strict SHA256SUMS")).exit() == Some(0)
            );
        }
    }
    t.run("copy tree/d card --manifest ascmhl").code(0);
    t.run("audit -k card/ascmhl/ card").code(0);
    t.run("copy tree j --manifest jsonl -c md5,sha1 --seal --case 7").code(0);
    t.run("seal verify j/manifest.jsonl").code(0);
    t.run("copy tree j --manifest jsonl -c md5,sha1 --seal --case 7 --force").code(0);
    t.run("audit -k j/manifest.jsonl j").code(0);
});

case!(a_copy_that_is_not_what_was_written_gets_no_name, |t| {
    t.file("tree/good", vec![b'g'; 100_000]).file("tree/bad", vec![b'x'; 100_000]);
    for (options, said) in [("", "not copied"), ("--verify later", "not copied")] {
        let faults = [("FAULT_PATH", "to/.bad"), ("FAULT_FLIP", "5000")];
        let later = [("FAULT_PATH", "to/bad"), ("FAULT_FLIP", "5000")];
        let faults = if options.is_empty() { faults } else { later };
        let Some(ran) = faulty(t, &faults, &format!("copy {options} tree/ to")) else { return };
        ran.code(1).says(said).says("what was read back");
        assert!(!t.has("to/bad") && t.has("to/good"));
        fs::remove_dir_all(t.path("to")).unwrap();
    }
    // A source that answers differently the second time.
    let faults = [("FAULT_PATH", "tree/bad"), ("FAULT_FLIP", "5000"), ("FAULT_FLIPS", "1")];
    let Some(ran) = faulty(t, &faults, "copy --verify-source --io direct tree/ to") else { return };
    ran.code(1).says("tree/bad: it had other content");
});

case!(a_source_that_can_not_be_read_is_not_copied, |t| {
    t.file("tree/good", vec![b'g'; 100_000]).file("tree/bad", vec![b'x'; 3_000_000]);
    let faults = [("FAULT_PATH", "tree/bad"), ("FAULT_AFTER", "1500000"), ("FAULT_ERRNO", "EIO")];
    let Some(ran) = faulty(t, &faults, "copy tree/ to --manifest sums -c md5") else { return };
    ran.code(2).says("tree/bad: read failed");
    assert_eq!(String::from_utf8_lossy(&t.read("to/MD5SUMS")).lines().count(), 1);
    let mut names: Vec<_> = tree(&t.path("to")).into_keys().collect();
    names.sort();
    assert_eq!(names, [b"MD5SUMS".to_vec(), b"good".to_vec()]);
});

case!(members_are_copied_and_none_leads_out, |t| {
    t.file("tree/d/a", "abc").file("tree/b", "b");
    t.shell("cd tree && python3 -c \"import zipfile; z = zipfile.ZipFile('../a.zip', 'w'); z.write('d/a'); z.write('b'); z.writestr('../out', 'x')\"");
    t.run("copy a.zip!/ to").code(2).says("leads out of its folder");
    assert_eq!((t.read("to/d/a"), t.read("to/b")), (b"abc".to_vec(), b"b".to_vec()));
    assert!(!t.has("out"));
    t.run("copy a.zip!/d/a one").code(0);
    assert_eq!(t.read("one"), b"abc");
});

case!(a_dry_run_says_what_would_go_where_and_writes_nothing, |t| {
    t.file("tree/a", "abc").file("tree/d/b", "de");
    t.run("copy --dry-run tree to")
        .code(0)
        .prints("tree/a -> to/tree/a\n")
        .prints("tree/d/b -> to/tree/d/b\n")
        .says("2 new files of 5 B");
    assert!(!t.has("to"));
    t.run("copy tree to").code(0);
    t.run("copy --dry-run tree to").code(0).says("0 new files").says("2 are there");
});

case!(results_are_json_too, |t| {
    t.file("tree/a", "abc").file("tree/b", "d");
    let json = t.run("copy -f json tree/ to --to p").code(0).json();
    assert_eq!(json["destinations"][1]["path"], "p");
    assert_eq!(
        (json["destinations"][0]["copied"].as_u64(), json["destinations"][0]["bytes"].as_u64()),
        (Some(2), Some(4))
    );
    assert_eq!(json["account"]["entries"]["done"], 2);
    assert_eq!((&json["good"], &json["verdict"]), (&true.into(), &"copied and verified".into()));
    assert_eq!((&json["run"]["operands"][0], &json["run"]["tool"]), (&"tree/".into(), &"hashmill".into()));
    let kept = t.file("p/a", "abd").run("copy -f json tree/ p").code(1).json();
    assert_eq!((&kept["good"], &kept["problems"][0]["path"]), (&false.into(), &"tree/a".into()));
    assert_eq!(kept["problems"][0]["destination"], "p");
});

/// Ends a run at a moment, and then runs it again.
fn killed(t: &Place, moments: usize) {
    sources(t);
    for number in 0..30 {
        t.file(format!("tree/many/{number}"), Random(number).bytes(200_000));
    }
    let wanted = tree(&t.path("tree"));
    let mut random = Random(11);
    for moment in 0..moments {
        let verify = ["end", "later", "no"][moment % 3];
        let line = format!("copy --verify {verify} tree/ to --to two");
        let mut run = t.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(random.below_u64(400)));
        signal(&run, "KILL");
        run.wait().unwrap();
        // Whatever has its name is whole.
        for place in ["to", "two"].into_iter().filter(|place| t.has(place)) {
            for (name, facts) in tree(&t.path(place)) {
                let is_unfinished = String::from_utf8_lossy(&name).contains(".hashmill-partial-");
                let is_whole = wanted.get(&name).is_some_and(|wanted| wanted.4 == facts.4);
                assert!(is_unfinished || is_whole, "{} {line}", name.escape_ascii());
            }
        }
        if moment % 4 == 3 {
            t.run(&line).code(0);
            for place in ["to", "two"] {
                assert!(tree(&t.path(place)) == wanted, "{place}");
                fs::remove_dir_all(t.path(place)).unwrap();
            }
        }
    }
}

case!(a_run_that_is_killed_leaves_whole_files_and_the_next_goes_on, |t| {
    killed(t, 8);
});

case!(
    #[ignore = "campaign: 200 runs that are killed"]
    runs_killed_at_any_moment_go_on,
    |t| {
        killed(t, 200);
    }
);

case!(other_names_of_a_file_are_never_names_of_something_else, |t| {
    t.file("tree/a", "right").file("to/a", "other");
    fs::hard_link(t.path("tree/a"), t.path("tree/b")).unwrap();
    for verify in ["end", "later", "no"] {
        t.run(&format!("copy --verify {verify} tree/ to --manifest sums -c sha256"))
            .code(1)
            .says("tree/a: not copied");
        assert_eq!((t.read("to/a"), t.read("to/b")), (b"other".to_vec(), b"right".to_vec()));
        assert_eq!(t.read("to/SHA256SUMS"), format!("{}  b\n", digest("sha256", "right")).into_bytes());
        t.remove("to/b").remove("to/SHA256SUMS");
    }
    // Both are there, as one file of other content: each is replaced, and they are one again.
    t.run("copy tree/ to --force").code(0);
    assert!(tree(&t.path("to")) == tree(&t.path("tree")));
    // Where the file system has no such links, each is a file.
    let inject = "-f -qq -o trace -e trace=link,linkat -e inject=link,linkat:error=EPERM";
    let traced = t.other("strace", &format!("{inject} {} copy tree/ plain", crate::util::tested()));
    let Some(ran) = traced else { return };
    if !ran.stderr().contains("ptrace") {
        ran.code(0).says("1 without their second names");
        assert_eq!((t.read("plain/a"), t.read("plain/b")), (b"right".to_vec(), b"right".to_vec()));
    }
});

case!(a_manifest_takes_no_place_of_a_copy, |t| {
    t.file("tree/SHA256SUMS", "mine")
        .file("tree/SHA256SUMS.seal", "mine")
        .file("tree/a", "a")
        .file("tree/ascmhl/x", "x");
    t.run("copy tree/ to --manifest sums -c sha256")
        .code(2)
        .says("tree/SHA256SUMS: not copied: the manifest of this run");
    assert_eq!(String::from_utf8_lossy(&t.read("to/SHA256SUMS")).lines().count(), 2);
    t.run("copy tree/ film --manifest ascmhl").code(2).says("tree/ascmhl/x: not copied");
    assert!(t.has("film/a") && !t.has("film/ascmhl/x"));
    // The same command goes on, and replaces its own manifest.
    t.run("copy tree/a again --manifest jsonl").code(0);
    t.run("copy tree/a again --manifest jsonl").code(0).says("1 there already");
});

case!(weak_digests_prove_nothing, |t| {
    // Both have the same length and the same Adler-32.
    t.file("tree/a", [5, 5, 5]).file("to/a", [6, 3, 6]);
    t.run("copy -c adler32 tree/ to").code(1).says("a file with other content is there");
    t.run("copy -c adler32 tree/ to --force --manifest csv").code(0);
    assert_eq!(t.read("to/a"), [5, 5, 5]);
    assert!(!String::from_utf8_lossy(&t.read("to/manifest.csv")).contains("blake3"));
});

case!(members_of_one_name_are_told, |t| {
    let script = "import zipfile; z = zipfile.ZipFile('a.zip', 'w'); z.writestr('x', 'one'); z.writestr('x', 'two'); z.writestr('y', 'y')";
    t.shell(&format!("python3 -W ignore -c \"{script}\""));
    for options in ["", "--force"] {
        let ran = t.run(&format!("copy {options} a.zip!/ to"));
        assert!(matches!(ran.exit(), Some(1 | 2)), "{options}: {}", ran.stderr());
        ran.says("x: ");
        assert_eq!(t.read("to/y"), b"y");
        fs::remove_dir_all(t.path("to")).unwrap();
    }
});

case!(an_interrupted_run_leaves_no_manifest_of_a_part, |t| {
    for number in 0..3 {
        t.file(format!("tree/{number}"), vec![b'x'; 1 << 20]);
    }
    let line = "copy tree/ to --manifest sums -c sha256 --bwlimit 1M";
    let mut run = t.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    crate::resume::until("no copy", || t.has("to"));
    signal(&run, "INT");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(!t.has("to/SHA256SUMS"));
    t.run("copy tree/ to --manifest sums -c sha256").code(0);
    assert_eq!(String::from_utf8_lossy(&t.read("to/SHA256SUMS")).lines().count(), 3);
});

/// Returns the length of the only state of a copy; 0 if there is none.
fn state(t: &Place) -> u64 {
    let states = fs::read_dir(t.path("settings/hashmill/copies")).into_iter().flatten();
    states.map(|state| state.unwrap().metadata().unwrap().len()).sum()
}

/// Makes many small files and a long one, all of them older than what a clock tells apart: a file that was changed a moment before it
/// is read is read again by the next run. Then begins a copy, and returns it when many of the small files are noted.
fn noted(t: &Place, line: &str, length: u64) -> std::process::Child {
    for number in 100..300 {
        t.file(format!("tree/{number}"), number.to_string());
    }
    t.file("tree/long", vec![b'x'; 60 << 20]);
    crate::resume::until("the clock stands", || {
        let changed = t.path("tree/long").metadata().unwrap().modified().unwrap();
        changed.elapsed().is_ok_and(|age| age > Duration::from_secs(4))
    });
    let slowly = format!("{line} --bwlimit 1M");
    let run = t.command(&slowly).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    crate::resume::until("nothing is noted", || state(t) > length);
    run
}

case!(
    #[ignore = "campaign: waits until clocks tell files apart"]
    what_was_verified_before_an_interruption_is_not_read_again,
    |t| {
        let line = "copy tree/ to --to two";
        let mut run = noted(t, line, 60_000);
        signal(&run, "KILL");
        run.wait().unwrap();
        // A copy that was changed since is compared, whatever its times are.
        let times = t.path("two/110").metadata().unwrap().modified().unwrap();
        t.file("two/110", "11O");
        fs::File::options().write(true).open(t.path("two/110")).unwrap().set_modified(times).unwrap();
        let again = t.run(&format!("{line} -f json")).code(1).says("files were copied and verified before");
        let again = again.says("tree/110: not copied: a file with other content is there");
        assert!(again.json()["resumed"].as_u64().unwrap() > 50);
        t.run(&format!("{line} --force")).code(0).quiet_about("before an interruption");
        for to in ["to", "two"] {
            assert!(tree(&t.path(to)) == tree(&t.path("tree")), "{to}");
        }
        assert_eq!(state(t), 0);
    }
);

case!(
    #[ignore = "campaign: waits until clocks tell files apart"]
    an_interrupted_copy_may_begin_anew,
    |t| {
        let line = "copy tree/ to --manifest sums -c md5";
        let mut run = noted(t, line, 20_000);
        signal(&run, "INT");
        assert_eq!(run.wait().unwrap().code(), Some(130));
        assert!(state(t) > 20_000);
        t.run(&format!("{line} --no-resume")).code(0).quiet_about("before an interruption");
        // Its state is as it was, and the manifest of the next run has what it knows.
        fs::remove_file(t.path("to/MD5SUMS")).unwrap();
        t.run(line).code(0).says("files were copied and verified before");
        let sums = String::from_utf8(t.read("to/MD5SUMS")).unwrap();
        assert!(sums.contains(&format!("{}  100", digest("md5", b"100"))), "{sums}");
        assert_eq!(sums.lines().count(), 201);
        assert_eq!(state(t), 0);
    }
);

case!(a_new_destination_has_the_properties_of_its_source, |t| {
    t.file("tree/a", "abc").file("there/b", "d");
    for folder in ["tree", "there"] {
        fs::set_permissions(t.path(folder), fs::Permissions::from_mode(0o750)).unwrap();
    }
    fs::set_permissions(t.path("there"), fs::Permissions::from_mode(0o711)).unwrap();
    t.run("copy tree/ to --to there").code(0);
    t.run("copy tree in").code(0);
    let meta = |path: &str| t.path(path).metadata().unwrap();
    for copy in ["to", "in/tree"] {
        assert_eq!(meta(copy).mode() & 0o7777, 0o750, "{copy}");
        assert_eq!(meta(copy).modified().unwrap(), meta("tree").modified().unwrap(), "{copy}");
    }
    // Another folder, or one that was there, stays as it is.
    assert_eq!(meta("there").mode() & 0o7777, 0o711);
    assert_ne!(meta("in").mode() & 0o7777, 0o750);
});

case!(progress_has_a_line_for_each_destination, |t| {
    t.file("tree/a", vec![b'x'; 3 << 19]);
    let ran = t.run("copy tree/ to --to two --bwlimit 1M --progress always").code(0);
    ran.says("to: 1.57 MB written").says("two: 1.57 MB written").says("all read");
});

case!(the_result_is_a_page, |t| {
    t.file("tree/a", "abc").file("tree/b", "d").file("one/b", "e");
    let json = t.run("copy -f json --case 7 tree/ one --to two").code(1).stdout().to_vec();
    t.file("copy.json", json);
    let page = t.run("report copy.json -o page.html").code(0);
    page.quiet();
    let page = String::from_utf8(t.read("page.html")).unwrap();
    for word in
        ["Not all is copied and verified", "a file with other content is there", "tree/", "two", "case"]
    {
        assert!(page.contains(word), "{word}");
    }
});

case!(many_files_are_copied_with_few_open, |t| {
    for number in 0..1500 {
        t.file(format!("tree/{number}"), number.to_string());
    }
    let program = crate::util::tested();
    for (limit, to) in [(400, &["to"][..]), (256, &["a", "b"]), (100, &["c", "d"])] {
        let line = format!("ulimit -n {limit}; {program} copy tree/ {}", to.join(" --to "));
        t.shell(&line).code(0);
        to.iter().for_each(|to| assert!(tree(&t.path(to)) == tree(&t.path("tree")), "{line}"));
    }
});

case!(a_full_disk_leaves_whole_files, |t| {
    t.file("tree/a", vec![b'a'; 300_000]).file("tree/b", vec![b'b'; 3_000_000]).file("tree/c", "c");
    fs::create_dir(t.path("small")).unwrap();
    let mount =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=1M", "none"]).arg(t.path("small")).status();
    if !mount.is_ok_and(|status| status.success()) {
        return hashmill_testing::not_possible("mount");
    }
    let ran = t.run("copy --verify no tree/ small/x --to big");
    let left = tree(&t.path("small"));
    Command::new("umount").arg(t.path("small")).status().unwrap();
    ran.code(2).says("tree/b: not copied").says("No space left");
    assert!(
        left.iter().all(|(_, facts)| facts.4.len() != 3_000_000) && !left.contains_key(b"x/b".as_slice())
    );
    assert!(tree(&t.path("big")) == tree(&t.path("tree")));
});

case!(of_too_many_linked_files_the_names_are_copied_and_counted, |t| {
    // There is room for a few hundred with so little memory; all first names come before all second ones.
    for number in 0..1000 {
        t.file(format!("tree/a/{number}"), "");
        fs::create_dir_all(t.path("tree/b")).unwrap();
        fs::hard_link(t.path(format!("tree/a/{number}")), t.path(format!("tree/b/{number}"))).unwrap();
    }
    // A file that was linked makes room for one without its first name.
    for (options, room, lost) in [("-m 192K", 256, 744 + 744 - 256), ("-m 100M", 1000, 0)] {
        let ran = t.run(&format!("copy {options} -j1 -f json tree/ to")).code(0);
        let found = ran.json()["destinations"][0].clone();
        assert_eq!(found["links"], room, "{options}");
        assert_eq!(found["lost"]["second names"].as_u64().unwrap_or(0), lost, "{options}");
        assert!(
            tree(&t.path("to"))
                .values()
                .zip(tree(&t.path("tree")).values())
                .all(|(copy, file)| copy.4 == file.4)
        );
        fs::remove_dir_all(t.path("to")).unwrap();
    }
});
