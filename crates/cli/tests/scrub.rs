//! Verification that goes on: what a run tells of each file, and what it remembers.

use crate::case;
use crate::faults::faulty;
use crate::util::{Place, Ran};
use hashmill_testing::not_possible;
use serde_json::Value;
use std::collections::BTreeMap;

const SCRUB: &str = "scrub tree --state state -f json";

/// Returns the verdicts by path.
fn verdicts(document: &Value) -> BTreeMap<&str, &str> {
    let entries = document["entries"].as_array().unwrap().iter();
    entries.map(|entry| (entry["path"].as_str().unwrap(), entry["verdict"].as_str().unwrap())).collect()
}

/// Checks that a run tells this of some files, and `verified` of all others.
fn tells(ran: Ran, wanted: &[(&str, &str)]) -> Ran {
    let document = ran.json();
    let found = verdicts(&document);
    let other: Vec<_> = found.into_iter().filter(|(_, verdict)| *verdict != "verified").collect();
    assert_eq!(other, wanted, "{document:#}");
    ran
}

fn files(t: &Place) {
    for (name, size) in [("a", 10), ("b/c", 5000), ("b/d", 300_000), ("e", 3_000_000)] {
        t.file(format!("tree/{name}"), vec![name.as_bytes()[0]; size]);
    }
}

case!(the_first_run_remembers_and_later_ones_verify, |t| {
    files(t);
    let first = t.run(SCRUB).code(0).json();
    assert_eq!(first["counts"]["new"], 4);
    assert_eq!(first["coverage"]["files"], 4);
    assert_eq!(first["coverage"]["bytes"], 3_305_010);
    let second = t.run(SCRUB).code(0).json();
    assert_eq!((&second["counts"]["verified"], &second["counts"]["new"]), (&4.into(), &0.into()));
    assert_eq!(second["coverage"]["never_verified"], 0);
    assert_eq!(second["schema"], "scrub-1");
    t.file("tree/f", "f");
    t.run("scrub tree --state state")
        .code(0)
        .prints("verified: 4\nnew: 1\nread: 5 of 5 files that were due,")
        .prints("coverage: 5 files, all verified within ")
        .prints(" s\nseal: ");
});

case!(what_happened_to_a_file_is_told, |t| {
    files(t);
    t.file("tree/gone", "gone").file("tree/back", "back").file("tree/from", "moved");
    t.run(SCRUB).code(0);
    t.shell("echo more >> tree/a; touch -r tree/b/c stamp; printf 2 > tree/b/new-c; tail -c +2 tree/b/c >> tree/b/new-c").code(0);
    t.shell("cat tree/b/new-c > tree/b/c; rm tree/b/new-c; touch -r stamp tree/b/c").code(0);
    t.shell("rm tree/gone; mv tree/back kept; mv tree/from tree/b/to; touch tree/e").code(0);
    let wanted = [
        ("tree/a", "edited"),
        ("tree/b/c", "differs"),
        ("tree/b/to", "moved"),
        ("tree/back", "missing"),
        ("tree/gone", "missing"),
    ];
    let ran = tells(t.run(SCRUB).code(1), &wanted);
    let entry = |ran: &Ran, path: &str| -> Value {
        let document = ran.json();
        document["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == path).unwrap().clone()
    };
    assert_eq!(entry(&ran, "tree/b/c")["moved"][0], "ctime");
    assert_eq!(entry(&ran, "tree/b/c")["set_back"], true);
    assert_eq!(entry(&ran, "tree/a").get("set_back"), None);
    assert_eq!(entry(&ran, "tree/b/to")["from"], "tree/from");
    // Nothing is forgotten until it is accepted.
    t.shell("mv kept tree/back").code(0);
    let wanted =
        [("tree/a", "edited"), ("tree/b/c", "differs"), ("tree/back", "restored"), ("tree/gone", "missing")];
    let ran = tells(t.run(SCRUB).code(1), &wanted);
    assert_eq!(entry(&ran, "tree/gone")["streak"], 2);
    let ran = t.run("scrub tree --state state -f json --accept a --accept tree/g*").code(1);
    let ran =
        tells(ran, &[("tree/b/c", "differs")]).says("tree/gone: accepted: it is gone, and is forgotten");
    assert_eq!(ran.json()["accepted"], 2);
    // A glob alone doesn't accept what may have rotted.
    for glob in ["", "c", "tree/b/*"] {
        let ran = t.run(&format!("scrub tree --state state -f json --accept {glob}")).code(1);
        tells(ran, &[("tree/b/c", "differs")]).says("tree/b/c: not accepted: nothing but its inode tells");
    }
    tells(t.run("scrub tree --state state -f json --accept tree/b/c").code(0), &[]);
});

case!(a_glob_that_accepts_nothing_is_told, |t| {
    files(t);
    t.run(SCRUB).code(0);
    t.shell("echo more >> tree/a").code(0);
    t.run(SCRUB).code(0);
    let told =
        |glob: &str| format!("--accept={glob}: has no effect: it matches no file that was edited or is gone");
    let ran = t.run("scrub tree --state state -f json --accept a --accept none* --accept tree/b/*").code(2);
    let ran =
        ran.says("tree/a: accepted").says(&told("none*")).says(&told("tree/b/*")).quiet_about(&told("a"));
    assert_eq!(ran.json()["accepted"], 1);
    t.run("scrub tree --state state --accept a").code(2).says(&told("a"));
    // All that there may be is none today.
    t.run("scrub tree --state state --accept").code(0).quiet_about("has no effect");
});

case!(rot_is_told_from_what_two_reads_do_not_agree_on, |t| {
    files(t);
    t.run(SCRUB).code(0);
    for (name, offset) in [("tree/b/c", "4999"), ("tree/b/d", "123456"), ("tree/e", "2999999")] {
        let always = [("FAULT_PATH", name), ("FAULT_FLIP", offset)];
        let Some(ran) = faulty(t, &always, SCRUB) else { return };
        tells(ran.code(1), &[(name, "rot")]);
        tells(t.run(SCRUB).code(0), &[(name, "restored")]);
        let once = [("FAULT_PATH", name), ("FAULT_FLIP", offset), ("FAULT_FLIPS", "1")];
        let Some(ran) = faulty(t, &once, SCRUB) else { return };
        tells(ran.code(1), &[(name, "unstable")]);
        t.run(SCRUB).code(0);
    }
    let Some(ran) = faulty(t, &[("FAULT_PATH", "tree/b/d"), ("FAULT_FLIP", "7")], "scrub tree --state state")
    else {
        return;
    };
    ran.code(1).prints("tree/b/d: rot: the content differs, while size and times are as they were\n");
});

case!(what_cannot_be_read_is_told_with_its_place, |t| {
    files(t);
    t.run(SCRUB).code(0);
    let bad = [("FAULT_PATH", "tree/b/d"), ("FAULT_BAD", "8192-12288")];
    let Some(ran) = faulty(t, &bad, SCRUB) else { return };
    let ran = tells(ran.code(2), &[("tree/b/d", "unreadable")]);
    let document = ran.json();
    let entry =
        document["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == "tree/b/d").unwrap();
    let part = &entry["bad_blocks"][0];
    let (offset, length) = (part["offset"].as_u64().unwrap(), part["length"].as_u64().unwrap());
    assert!(offset <= 8192 && offset + length >= 12288, "{part}");
    let Some(ran) = faulty(t, &[("FAULT_PATH", "tree/a"), ("FAULT_OPEN", "EACCES")], SCRUB) else { return };
    tells(ran.code(2).says("tree/a: cannot open"), &[("tree/a", "unreadable"), ("tree/b/d", "restored")]);
});

case!(a_budget_leaves_the_rest_to_later_runs_and_suspects_come_first, |t| {
    for number in 0..20 {
        t.file(format!("tree/{number:02}"), vec![number; 100_000]);
    }
    let run = |t: &Place, more: &str| t.run(&format!("{SCRUB} --budget 500000B {more}"));
    for files in [5, 10, 15, 20] {
        let document = run(t, "").code(0).json();
        assert_eq!(document["counts"]["new"], 5);
        assert_eq!(document["coverage"]["never_verified"], 20 - files);
    }
    let Some(ran) = faulty(t, &[("FAULT_PATH", "tree/13"), ("FAULT_FLIP", "9")], SCRUB) else { return };
    ran.code(1);
    let document = t.run("scrub tree --state state -f json --budget 100000B").code(0).json();
    assert_eq!(verdicts(&document).into_iter().collect::<Vec<_>>(), [("tree/13", "restored")]);
    assert_eq!(document["budget_used_up"], true);
});

case!(files_that_are_older_than_they_may_be_are_behind_schedule, |t| {
    files(t);
    let behind = t.run("scrub tree --state state -f json --max-age 90d --budget 12B").code(3).json();
    assert_eq!(behind["coverage"]["late"], 3);
    let quiet = t.run("scrub -q tree --state other --max-age 90d --budget 12B").code(3).is("");
    quiet.says("hashmill: 3 files are older than --max-age, or were never verified\n");
    t.run("scrub tree --state state --max-age 90d").code(0);
    let nothing = t.run("scrub tree --state state -f json --max-age 90d").code(0).json();
    assert_eq!((&nothing["due"]["files"], &nothing["coverage"]["late"]), (&0.into(), &0.into()));
});

case!(any_number_of_threads_finds_the_same, |t| {
    files(t);
    t.odd_names();
    let mut all = Vec::new();
    for threads in ["1", "2", "7"] {
        let ran = t
            .shell(&format!(
                "mkdir -p s{threads}; $hashmill scrub tree --state s{threads}/state -f json -j {threads}"
            ))
            .code(0);
        let document = ran.json();
        all.push((
            document["counts"].clone(),
            document["coverage"]["bytes"].clone(),
            verdicts(&document).len(),
        ));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
});

case!(a_state_that_can_not_be_used_is_told, |t| {
    files(t);
    t.file("other/x", "x").file("text", "this is no database\n".repeat(100));
    t.run("scrub tree --state tree/b/state").code(64).says("the state would lie in tree, which it is about");
    t.run("scrub tree --state text").code(64).says("this file is no state of scrub");
    t.run(SCRUB).code(0);
    t.run("scrub other --state state").code(64).says("this state is of other folders: tree;");
    t.run("scrub tree --state state -c md5").code(64).says("this state has digests by blake3");
    t.shell("mkdir there; mv tree there/; cd there && $hashmill scrub tree --state ../state")
        .code(64)
        .says("this state is of another folder")
        .says("--moved-to");
    t.run("scrub there/tree --state state")
        .code(64)
        .says("this state is of other folders: tree; if one of them");
    t.run("scrub there/tree --state state --moved-to there").code(64).says("this state is not of there/tree");
    let moved = t.run("scrub tree --state state --moved-to there/tree -f json --max-age 9d").code(0).json();
    assert_eq!((&moved["counts"]["new"], &moved["coverage"]["files"]), (&0.into(), &4.into()));
    tells(t.run("scrub there/tree --state state -f json").code(0), &[]);
    t.run("scrub there/tree --state state --moved-to tree").code(64).says("tree: cannot open");
    t.shell("mv there/tree . && $hashmill scrub there/tree --state state --moved-to tree").code(0);
    t.run("scrub s3://bucket/ --state state").code(64).says("this state is of other folders: tree;");
    t.run("scrub tree --state nowhere/state").code(64);
});

case!(a_folder_is_the_same_however_it_is_typed, |t| {
    files(t);
    t.run(SCRUB).code(0);
    let here = t.path("tree").display().to_string();
    let lines = [
        "$hashmill scrub tree/ --state state -f json".to_string(),
        "$hashmill scrub ./tree --state state -f json".to_string(),
        format!("$hashmill scrub {here} --state state -f json"),
        "cd tree && $hashmill scrub . --state ../state -f json".to_string(),
        format!("cd / && $hashmill scrub {here} --state {here}/../state -f json"),
        "$hashmill scrub tree --state state -f json".to_string(),
    ];
    for line in lines {
        let told = t.shell(&line).code(0).json();
        assert_eq!((&told["counts"]["new"], &told["coverage"]["files"]), (&0.into(), &4.into()), "{line}");
    }
});

case!(a_folder_whose_disk_is_away_changes_nothing, |t| {
    files(t);
    t.file("other/x", "x");
    let both = "scrub tree other --state state -f json";
    t.run(both).code(0);
    let Some(ran) = faulty(t, &[("FAULT_PATH", "tree/b/d"), ("FAULT_FLIP", "7")], both) else { return };
    ran.code(1);
    let kept = t.run("scrub --state state --export -").stdout().to_vec();
    t.rename("tree", "away").shell("mkdir -p tree/lost+found").code(0);
    for _ in 0..2 {
        let ran = t.run(&format!("{both} --accept --max-age 90d")).code(2);
        let ran =
            ran.says("tree: is it mounted? 4 files of it are kept, and it is empty; nothing is changed");
        assert_eq!((&ran.json()["counts"]["missing"], &ran.json()["accepted"]), (&0.into(), &0.into()));
    }
    assert_eq!(t.run("scrub --state state --export -").stdout(), kept);
    // Rot that was known before is known again.
    t.shell("rm -r tree && mv away tree").code(0);
    let Some(ran) =
        faulty(t, &[("FAULT_PATH", "tree/b/d"), ("FAULT_FLIP", "7")], &format!("{both} --max-age 90d"))
    else {
        return;
    };
    tells(ran.code(1), &[("tree/b/d", "rot")]);
    // A run about it alone writes nothing at all.
    t.run("scrub other --state lone").code(0);
    let before = t.read("lone");
    t.shell("mv other/x x").code(0);
    t.run("scrub other --state lone --accept").code(2).says("other: is it mounted?");
    assert!(t.read("lone") == before);
});

case!(a_disk_below_a_folder_that_is_away_changes_nothing, |t| {
    files(t);
    let mount = "mkdir -p tree/disk && mount -t tmpfs none tree/disk && echo x > tree/disk/x && mkdir tree/disk/sub && \
                 echo y > tree/disk/sub/y";
    if !cfg!(target_os = "linux") || t.shell(mount).exit() != Some(0) {
        return not_possible("mounting a file system");
    }
    t.run(SCRUB).code(0);
    let kept = t.run("scrub --state state --export -").stdout().to_vec();
    t.shell("umount tree/disk").code(0);
    for _ in 0..2 {
        let ran = t.run(&format!("{SCRUB} --accept --max-age 90d")).code(2);
        let ran = ran.says("tree/disk: is it mounted? 2 files of it are kept, and it is empty");
        let json = ran.json();
        assert_eq!((&json["counts"]["missing"], &json["accepted"]), (&0.into(), &0.into()), "{json}");
    }
    assert_eq!(t.run("scrub --state state --export -").stdout(), kept);
    // Without its mount point, its files are gone like any others.
    t.shell("rmdir tree/disk").code(0);
    tells(t.run(SCRUB).code(1), &[("tree/disk/sub/y", "missing"), ("tree/disk/x", "missing")]);
});

case!(what_is_there_again_is_what_it_was, |t| {
    files(t);
    t.run(SCRUB).code(0);
    let bad = [("FAULT_PATH", "tree/b/d"), ("FAULT_FLIP", "7")];
    let Some(ran) = faulty(t, &bad, SCRUB) else { return };
    ran.code(1);
    t.rename("tree/b", "b");
    let away = [("tree/b/c", "missing"), ("tree/b/d", "missing")];
    tells(t.run(SCRUB).code(1), &away);
    t.rename("b", "tree/b");
    // A file that is there can't be accepted as gone, and known rot is read however young its last proof is.
    let Some(ran) = faulty(t, &bad, &format!("{SCRUB} --max-age 90d --accept")) else { return };
    let ran = tells(ran.code(1), &[("tree/b/c", "restored"), ("tree/b/d", "rot")]);
    assert_eq!((&ran.json()["coverage"]["files"], &ran.json()["accepted"]), (&4.into(), &0.into()));
});

case!(settings_leave_no_files_out_and_forget_nothing, |t| {
    files(t);
    t.run(SCRUB).code(0);
    t.file("settings.toml", "exclude = [\"b\"]\n");
    let set = |words: &str| t.shell(&format!("HASHMILL_CONFIG=settings.toml {words} $hashmill {SCRUB}"));
    tells(set("HASHMILL_EXCLUDE=b").code(0), &[]);
    let ran = set("").code(0);
    assert_eq!(ran.json()["counts"]["verified"], 4);
    t.remove("tree/a");
    tells(t.run(SCRUB).code(1), &[("tree/a", "missing")]);
    tells(set("HASHMILL_SCRUB_ACCEPT=*").code(1), &[("tree/a", "missing")]);
    t.file("settings.toml", "[scrub]\naccept = [\"*\"]\n");
    set("").code(64);
});

case!(where_signers_are_required_a_state_is_begun_by_name, |t| {
    files(t);
    t.shell(&format!("{KEY} key -f key")).code(0);
    let signed = "scrub tree --state state -f json --sign key --public-key key.pub --require 1";
    t.run(signed).code(64).says("state: there is no state").says("--first begins one");
    assert!(!t.has("state"));
    t.run(&format!("{signed} --first")).code(0);
    tells(t.run(signed).code(0), &[]);
    t.run(&format!("{signed} --first")).code(64).says("this state has had runs; leave out --first");
    t.shell("rm state state.seal*").code(0);
    t.run(signed).code(64).says("--first");
    t.file("state", "");
    t.run(signed).code(64).says("--first");
});

case!(a_state_is_not_made_behind_a_link_to_nothing, |t| {
    files(t);
    t.shell("ln -s victim state").code(0);
    t.run(SCRUB).code(64).says("state: this is a link to a file that is not there");
    assert!(!t.has("victim"));
});

case!(filters_leave_files_alone, |t| {
    files(t);
    t.run(SCRUB).code(0);
    let document = t.run("scrub tree --state state -f json --exclude b").code(0).json();
    assert_eq!((&document["counts"]["verified"], &document["counts"]["missing"]), (&2.into(), &0.into()));
});

case!(names_are_escaped, |t| {
    t.file("tree/a\nb\x1b[2J", "1").file("tree/c", "2");
    t.run(SCRUB).code(0);
    t.shell("mv tree/a* tree/d; mv tree/c \"tree/e$(printf '\\033')[2J\"").code(0);
    let ran = t.run("scrub tree --state state").code(0);
    let lines = String::from_utf8_lossy(ran.stdout()).into_owned();
    assert!(lines.starts_with("\\tree/d: moved from tree/a\\nb"), "{lines}");
    assert!(lines.contains("moved from tree/c\n"), "{lines}");
    // Escapes that are no ends of lines stand in files as they are, as with coreutils; terminals get none.
    assert_eq!(lines.lines().count(), 7, "{lines}");
});

case!(a_full_disk_loses_nothing, |t| {
    files(t);
    t.run(SCRUB).code(0);
    let before = t.run(SCRUB).code(0).json();
    for after in ["0", "20000"] {
        let full = [("FAULT_WRITE_PATH", "state"), ("FAULT_WRITE_AFTER", after)];
        let Some(ran) = faulty(t, &full, SCRUB) else { return };
        ran.code(2).says("state: cannot write the state: the disk is full; what was written before is kept");
    }
    let later = t.run(SCRUB).code(0).json();
    assert_eq!(
        (&later["counts"], &later["coverage"]["files"]),
        (&before["counts"], &before["coverage"]["files"])
    );
});

case!(a_path_that_is_too_long_is_told_and_all_others_are_verified, |t| {
    files(t);
    // Shells give up where a path is too long for one system call.
    let deep = "import os; [(os.mkdir('n' * 250), os.chdir('n' * 250)) for _ in range(270)]; open('deep', 'w').write('x')";
    t.shell(&format!("cd tree && python3 -c \"{deep}\"")).code(0);
    let ran = t.run(SCRUB).code(2).says("its path has ");
    assert_eq!(ran.json()["counts"]["new"], 4);
});

/// The rest of a file that is longer than budgets: its first bytes tell it from others.
const LONG: usize = 300 << 20;

/// Runs until the budget suffices. Returns how many runs it took, and what the last one told.
fn runs_on(t: &Place, command: &str) -> (u32, Ran) {
    for count in 1..=9 {
        let ran = t.run(command);
        let document = ran.json();
        let (used_up, read) = (&document["budget_used_up"], document["read"]["bytes"].as_u64().unwrap());
        if used_up == false {
            return (count, ran);
        }
        assert!(document["entries"].as_array().unwrap().is_empty(), "{document:#}");
        assert!(read >= 64 << 20 && read < LONG as u64, "{document:#}");
    }
    panic!("nine runs don't suffice");
}

case!(
    #[ignore = "campaign: takes long"]
    a_file_that_is_longer_than_the_budget_is_read_by_several_runs,
    |t| {
        for algorithms in ["blake3", "sha256,md5", "sha1,blake3,s3-etag"] {
            let (tree, state) = (format!("tree-{algorithms}"), format!("state-{algorithms}"));
            t.file(format!("{tree}/long"), vec![7; LONG]);
            let command = format!("scrub {tree} --state {state} -f json --budget 100M -c {algorithms}");
            let (count, ran) = runs_on(t, &command);
            assert!((3..=5).contains(&count), "{count} runs");
            assert_eq!(verdicts(&ran.code(0).json()).into_values().collect::<Vec<_>>(), ["new"]);
            // One run reads it in one go, and finds the same.
            let whole = t.run(&format!("scrub {tree} --state {state} -f json")).code(0);
            tells(whole, &[]);
            let (_, ran) = runs_on(t, &command);
            tells(ran.code(0), &[]);
        }
    }
);

case!(rot_in_a_long_file_is_found_by_several_runs, |t| {
    t.file("tree/long", vec![7; LONG]);
    t.run(SCRUB).code(0);
    let budget = format!("{SCRUB} --budget 100M");
    let bad = [("FAULT_PATH", "tree/long"), ("FAULT_FLIP", "5")];
    let mut told = Vec::new();
    while told.is_empty() {
        let Some(ran) = faulty(t, &bad, &budget) else { return };
        told = verdicts(&ran.json()).into_values().map(str::to_string).collect();
    }
    assert_eq!(told, ["rot"]);
});

case!(a_file_that_changes_between_two_runs_is_read_anew, |t| {
    t.file("tree/long", vec![7; LONG]);
    let budget = format!("{SCRUB} --budget 100M");
    t.run(&budget).code(0);
    // Its first part is not what was read of it any more.
    t.shell("printf 8 | dd of=tree/long conv=notrunc 2>/dev/null").code(0);
    let (_, ran) = runs_on(t, &budget);
    assert_eq!(ran.code(0).json()["counts"]["new"], 1);
    tells(t.run(SCRUB).code(0), &[]);
});

const KEY: &str = "ssh-keygen -q -t ed25519 -N '' -C";

case!(a_signed_seal_shows_that_somebody_else_wrote_the_state, |t| {
    files(t);
    t.shell(&format!("{KEY} key -f key; {KEY} other -f other")).code(0);
    let signed = "scrub tree --state state -f json --sign key";
    t.run(signed).code(0);
    for _ in 0..3 {
        tells(t.run(signed).code(0), &[]);
    }
    t.shell("$hashmill verify state.seal1 --public-key key.pub && $hashmill verify state.seal2 --public-key key.pub")
        .code(0);
    t.shell("cat state.seal1 state.seal2").code(0).prints("The seal of a state of hashmill scrub\nseal: ");
    // The owner of the key goes on with it; nobody else changes the state, and nobody signs what he did not sign.
    t.run(SCRUB)
        .code(64)
        .says("this state is signed, and this run would change it: name the key with --sign");
    t.run("scrub tree --state state --sign other")
        .code(64)
        .says(": it lacks good signatures by keys that this run trusts");
    t.shell("cp state was; cp tree/a a; echo more >> tree/a").code(0);
    t.run(&format!("{signed} --public-key key.pub --accept")).code(0);
    t.run("scrub --state state --export m.jsonl --public-key key.pub").code(0);
    t.run("scrub --state state --export m.jsonl --public-key other.pub")
        .code(64)
        .says("lacks good signatures");
    // An older state, or one that was written by somebody who knows how seals are made.
    t.shell("cp state is; cp was state").code(0);
    t.run(signed).code(64).says("it is the seal of another state");
    t.run("scrub --state state --export m.jsonl").code(64).says("it is the seal of another state");
    t.run("report state -o page.html").code(64).says("it is the seal of another state");
    t.shell("cp is state; rm state.seal*").code(0);
    t.run(signed).code(64).says("state.seal1: it is not there: nobody signed this state so far");
    t.shell("mkfifo state.seal1 && ln -s key.pub state.seal2").code(0);
    t.run(signed).code(64).says("state.seal1: it is not there: nobody signed this state so far");
    t.run(&format!("{signed} --ignore-signature")).code(0);
    t.run(signed).code(0);
    t.shell("sed -i s/seal:/Seal:/ state.seal1 state.seal2").code(0);
    t.run(signed).code(64).says("state.seal");
});

case!(a_signed_run_that_is_killed_leaves_a_signed_state, |t| {
    files(t);
    t.shell(&format!("{KEY} key -f key")).code(0);
    let signed = "scrub tree --state state -f json --sign key";
    t.run(signed).code(0);
    let mut kills = 0;
    for (round, killed) in
        ["state.seal1", "state.seal2", "state.seal1.sig", "state.seal2.sig"].iter().enumerate()
    {
        t.file(format!("tree/new-{round}"), "new");
        for change in ["FAULT_RENAME", "FAULT_WRITE_AFTER"] {
            let kill = [("FAULT_WRITE_PATH", *killed), (change, "0"), ("FAULT_WRITE_ERRNO", "KILL")];
            let Some(ran) = faulty(t, &kill, signed) else { return };
            kills += u32::from(ran.exit().is_none());
        }
        t.run(signed).code(0);
        tells(t.run(signed).code(0), &[]);
    }
    assert!(kills >= 4, "{kills} kills");
});
