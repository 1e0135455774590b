//! Messages beside results: progress, summaries, and the effects of -q and -v.

use crate::case;
use crate::terminal::on_terminal;
use crate::util::{Place, installed};
use std::fs;

fn tree(t: &Place) -> &Place {
    t.file("tree/a", "abc").file("tree/b", vec![7; 5000]).link("tree/link", "a")
}

case!(a_manifest_in_a_file_is_summed_up_where_somebody_looks, |t| {
    tree(t).run("hash -f jsonl -o m tree").code(0).quiet();
    t.run("hash -f jsonl -v -o m tree")
        .code(0)
        .says("hashmill: 2 files, 5.00 kB, ")
        .says("; 1 skipped; manifest m\n");
    t.run("hash -f jsonl -v tree").code(0).quiet_about("manifest");
    let Some(text) = on_terminal(t, "$hashmill hash -f jsonl -o m tree") else { return };
    assert!(text.contains("2 files, 5.00 kB") && text.contains("; 1 skipped; manifest m"), "{text}");
    let silent = on_terminal(t, "$hashmill hash -q -f jsonl -o m tree").unwrap();
    assert_eq!(silent, "");
});

case!(what_is_left_out_is_counted_and_named_on_demand, |t| {
    tree(t).run("hash -f sums tree").code(0).says("1 entry skipped: 1 x symbolic link\n");
    t.run("hash -f sums -v tree").code(0).says("tree/link: skipped: symbolic link\n");
    t.run("hash -f sums -q tree").code(0).quiet();
    t.run("hash -f sums -q tree nosuch").code(2).says("nosuch");
});

/// Returns each state of the last line of a terminal, while a line was drawn over and over.
fn drawn(text: &str) -> Vec<&str> {
    text.split('\r')
        .map(|part| part.split('\u{1b}').next().unwrap_or_default())
        .filter(|part| !part.is_empty())
        .collect()
}

case!(progress_is_one_line_that_is_gone_before_anything_else, |t| {
    t.file("tree/a", "abc");
    // The pipe keeps the run waiting.
    for columns in [80, 40, 12] {
        let line = format!(
            "stty cols {columns} rows 24; mkfifo pipe; (sleep 0.7; echo x) > pipe & $hashmill hash -c md5 -f sums tree pipe - < tree/a; rm pipe"
        );
        let Some(text) = on_terminal(t, &line) else { return };
        let states = drawn(&text);
        let moving: Vec<_> = states
            .iter()
            .filter(|state| state.contains(" of ") && state.starts_with(['|', '/', '-', '\\']))
            .collect();
        assert!(moving.len() >= 3, "{columns}: {text:?}");
        assert!(
            moving.iter().all(|state| state.chars().count() < columns && !state.contains('\n')),
            "{text:?}"
        );
        // Each record is in a line of its own in the end.
        let is_record = |line: &str| line.len() == 40 && line.ends_with("  tree/a");
        assert!(screen(&text).lines().any(is_record), "{text:?}");
    }
});

/// Returns the final screen of a terminal, after everything that was overwritten.
fn screen(text: &str) -> String {
    let last = |line: &str| {
        let erased = line.rsplit("\u{1b}[K").next().unwrap_or_default();
        erased.rsplit('\r').find(|part| !part.is_empty()).unwrap_or_default().to_string()
    };
    text.split('\n').map(last).collect::<Vec<_>>().join("\n")
}

// Each waits for a pipe, shows that it does, and then prints the same as without progress.
case!(
    #[ignore = "campaign: takes long"]
    nothing_is_left_of_progress_on_the_screen,
    |t| {
        tree(t).run("hash -c md5 -f sums -o sums tree").code(0);
        for (line, shown) in [
            ("known build -o s.hmk --bad pipe", "digests read"),
            ("audit -k pipe tree", "reading the manifest"),
            ("similar digest -c ssdeep tree/a pipe", " of "),
        ] {
            let on = |progress: &str| {
                let line = format!(
                    "rm -f pipe s.hmk; mkfifo pipe; (sleep 0.7; cat sums) > pipe & $hashmill {line} --progress {progress}"
                );
                on_terminal(t, &line)
            };
            let Some(with) = on("always") else { return };
            assert!(drawn(&with).iter().any(|state| state.contains(shown)), "{line}: {with:?}");
            let without = on("never").unwrap();
            assert!(!without.contains(shown), "{line}: {without:?}");
            assert_eq!(screen(&with), screen(&without), "{line}: {with:?}");
        }
    }
);

case!(colours_are_for_terminals, |t| {
    tree(t).run("hash -c md5 -f sums -o sums tree").code(0);
    t.file("tree/a", "changed").file("tree/new", "");
    let Some(audit) = on_terminal(t, "$hashmill audit -k sums tree 2>/dev/null") else { return };
    assert!(audit.contains("tree/a: \u{1b}[1;31mchanged\u{1b}[0m\n"), "{audit:?}");
    assert!(
        audit.contains("tree/new: \u{1b}[33mnew\u{1b}[0m\n\u{1b}[1;31maudit failed\u{1b}[0m\n"),
        "{audit:?}"
    );
    let check = on_terminal(t, "$hashmill check sums 2>/dev/null").unwrap();
    assert!(
        check.contains("tree/a: \u{1b}[1;31mFAILED\u{1b}[0m\n") && check.contains("tree/b: OK\n"),
        "{check:?}"
    );
    for line in [
        "NO_COLOR=1 $hashmill audit -k sums tree",
        "TERM=dumb $hashmill audit -k sums tree",
        "$hashmill audit -k sums tree | cat",
    ] {
        assert!(!on_terminal(t, &format!("{line} 2>/dev/null")).unwrap().contains("[1;31m"), "{line}");
    }
});

case!(tables_stay_within_the_terminal, |t| {
    tree(t);
    for columns in [40, 60, 80] {
        let line = format!(
            "stty cols {columns} rows 24; $hashmill algorithms; $hashmill explain tree; $hashmill hash --stats tree > /dev/null"
        );
        let Some(text) = on_terminal(t, &line) else { return };
        // A word that is longer than a column is not cut, and a message is wrapped by the terminal.
        let seen = screen(&text);
        let long: Vec<_> = seen
            .lines()
            .filter(|line| line.chars().count() > columns && !line.starts_with("hashmill: "))
            .collect();
        let words = |line: &&&str| line.split_whitespace().all(|word| word.chars().count() < columns - 26);
        assert_eq!(long.iter().filter(words).count(), 0, "{columns}: {long:#?}");
        assert!(text.contains("blake3") && text.contains("peak memory"), "{text}");
    }
});

case!(numbers_of_a_run_are_aligned, |t| {
    let ran = tree(t).run("hash --stats tree").code(0);
    let text = ran.stderr();
    let starts: Vec<&str> = text.lines().filter(|line| !line.starts_with("hashmill")).collect();
    assert!(starts.len() >= 9, "{text}");
    for line in &starts {
        let place = line.find(|letter: char| letter != ' ').unwrap();
        assert!(place == 0 || place == 20, "{line:?}");
        assert!(line.chars().nth(19) == Some(' '), "{line:?}");
    }
});

case!(settings_of_another_user_are_no_matter, |t| {
    t.file("home/.config/hashmill/calibration", "what is this").file("a", "abc");
    t.shell("XDG_CONFIG_HOME= HOME=$PWD/home $hashmill hash a").code(0).says("the calibration is not used");
    // Root can look into any folder, so it has to become another user.
    let user = if crate::util::is_root() { "setpriv --reuid=65534 --clear-groups " } else { "" };
    t.shell(&format!("cp $hashmill bin; chmod 755 . bin; chmod 0 home; XDG_CONFIG_HOME= HOME=$PWD/home {user}./bin hash a; e=$?; chmod 755 home; exit $e"))
        .code(0)
        .quiet();
});

case!(what_is_verified_is_told_to_programs, |t| {
    tree(t).run("hash -c sha256 -o m tree").code(0);
    t.run("seal create m").code(0);
    let json = t.run("seal verify m -f json").code(0).json();
    assert_eq!((&json["verified"], &json["records"], &json["file"]), (&true.into(), &2.into(), &"m".into()));
    t.run("proof create m tree/a -o proof").code(0);
    let json = t.run("proof verify proof --seal-file m.seal -f json").code(0).json();
    assert_eq!((&json[0]["path"], &json[0]["verified"]), (&"tree/a".into(), &true.into()));
    let root = t.run("outboard create tree/b").code(0);
    let root = String::from_utf8(root.stdout().to_vec()).unwrap();
    let json = t.run(&format!("outboard verify tree/b -f jsonl --root {}", root.trim())).code(0).json();
    assert_eq!((&json["verified"], &json["length"]), (&true.into(), &5000.into()));
    let changed = String::from_utf8(t.read("m")).unwrap().replace("tree/a", "tree/c");
    let json = t.file("m", changed).run("seal verify m -f json").code(1).json();
    assert!(json["verified"] == false && json["why"].as_str().is_some_and(|why| !why.is_empty()), "{json}");
    t.run("similar index build -c ssdeep -o index tree").code(0);
    assert_eq!(t.run("similar index info index -f json").code(0).json()["algorithm"], "ssdeep");
});

case!(tables_are_told_to_programs, |t| {
    let all = t.run("algorithms -f json").code(0).json();
    let blake3 = all.as_array().unwrap().iter().find(|row| row["name"] == "blake3").unwrap();
    assert_eq!((&blake3["bits"], &blake3["class"]), (&256.into(), &"cryptographic".into()));
    let lines = t.run("algorithms -f jsonl").code(0);
    let lines = lines.stdout().split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    assert_eq!(lines.count(), all.as_array().unwrap().len());
    t.file("list", "900150983cd24fb0d6963f7d28e17f72").run("known build -q -o one.hmk --bad list").code(0);
    t.run("known build -q -o two.hmk --good list").code(0);
    assert_eq!(t.run("known info -f json one.hmk").code(0).json()["path"], "one.hmk");
    assert_eq!(t.run("known info -f json one.hmk two.hmk").code(0).json()[1]["path"], "two.hmk");
    t.file("tree/a", "same").file("tree/b", "same");
    assert_eq!(t.run("dupes -f json tree").code(0).json()["counts"]["groups"], 1);
    t.run("dupes -q -f jsonl tree").code(0).quiet().prints("\"counts\":{");
    assert_eq!(t.run("similar compare -f json -c ssdeep tree/a tree/b").code(0).json()["score"], 100);
});

case!(messages_say_what_to_do, |t| {
    t.file("photos/a.jpg", "abc").file("photos/b.jpg", "def").run("hash -c md5 -f sums -o m photos").code(0);
    t.run("photos").code(64).says("'hashmill hash photos' writes a manifest");
    t.run("-c md5 photos").code(64).says("'hashmill hash -c md5 photos'");
    t.run("audit m photos").code(64).says("'hashmill audit -k m photos'");
    t.run("hash -c md5 sha1 photos").code(2).says("sha1 is an algorithm: -c takes several with commas");
    t.run("audit -k photos photos")
        .code(64)
        .says("photos: is a directory, not a manifest")
        .says("'hashmill diff A B'");
    t.run("check photos")
        .code(64)
        .says("photos: is a directory, not a manifest")
        .says("'hashmill hash -o LIST DIR'");
    t.run("diff photos/a.jpg photos/b.jpg").code(64).says("diff takes folders and manifests");
    t.run("dupes photos/a.jpg").code(64).says("dupes takes folders and manifests");
    t.run("known match --known-set m photos")
        .code(64)
        .says("not an index of known digests, but a list: 'hashmill known build");
    t.run("known info photos/a.jpg").code(64).says("not an index of known digests\n");
    t.run("version").code(64).says("'hashmill --version'");
    t.run("seal verify m m.seal").code(64).says("'hashmill seal verify --seal-file m.seal m'");
    t.file("win.md5", "900150983cd24fb0d6963f7d28e17f72  C:\\data\\a.jpg\n");
    t.run("check win.md5").code(1).says("'hashmill audit -k win.md5 DIR' finds the files below DIR");
    t.run("audit -k win.md5 photos").code(1).prints("matched: 1");
});

case!(reasons_have_no_numbers, |t| {
    t.file("x (os error 2)", "x");
    for line in ["hash nosuch", "check nosuch", "audit -k nosuch .", "known info nosuch", "image info nosuch"]
    {
        t.run(line).says("nosuch").quiet_about("os error");
    }
    t.run("tree -c git nosuch").says("nosuch").quiet_about("os error");
    t.shell("$hashmill check 'x (os error 2)'").code(64).says("x (os error 2): ");
});

case!(settings_that_set_nothing_are_told, |t| {
    t.file("a", "abc");
    t.shell("HASHMILL_ALGORITMS=md5 $hashmill hash a")
        .code(0)
        .says("HASHMILL_ALGORITMS: no command has an option");
    t.shell("HASHMILL_ALGORITHMS=md5 HASHMILL_KNOWN_BUILD_MEMORY=1G HASHMILL_MAP=never $hashmill hash a")
        .code(0)
        .quiet()
        .prints("size,md5,filename");
    t.shell("HASHMILL_CONFIG=nosuch.toml $hashmill hash a")
        .code(64)
        .says("HASHMILL_CONFIG: nosuch.toml: cannot open");
});

case!(a_missing_segment_is_named, |t| {
    let Some(vectors) = hashmill_testing::vectors("ewf/e01") else { return };
    std::fs::copy(vectors.join("dfvfs-ext2-split.E01"), t.path("case.E01")).unwrap();
    t.run("image verify case.E01")
        .code(2)
        .says("case.E01: not verified: the image has no end mark: case.E02 is missing, and perhaps others");
    std::fs::copy(vectors.join("dfvfs-ext2-split.E02"), t.path("case.E03")).unwrap();
    t.run("image verify case.E01").prints("case.E03");
});

/// Returns the progress of a run that takes two seconds, drawn or as a line each second.
fn told_of(t: &Place, line: &str) -> String {
    t.shell(&format!("$hashmill {line} --progress always")).stderr()
}

// Two files of 100 KB at 100 KB a second: the first line comes after a second.
case!(
    #[ignore = "campaign: takes long"]
    a_total_that_is_known_is_told_as_a_percentage,
    |t| {
        t.file("tree/a", vec![1; 100 << 10])
            .file("tree/below/b", vec![2; 100 << 10])
            .file("tree/left.tmp", vec![3; 9999]);
        t.shell("cp -r tree other; cp -r tree bag; rm bag/left.tmp; $hashmill bag create bag").code(0);
        t.run("hash -c md5 -f sums -o sums --exclude *.tmp tree").code(0);
        t.run("hash -c md5 -f jsonl -o list.jsonl tree").code(0);
        let lines = [
            ("hash --bwlimit 100K --exclude *.tmp tree", "% of 205 kB, "),
            ("hash --bwlimit 100K tree/a tree/below", "% of 205 kB, "),
            ("audit --bwlimit 100K -k list.jsonl tree", "% of 215 kB, "),
            ("audit --bwlimit 100K -k list.jsonl", "% of 215 kB, "),
            ("check --bwlimit 100K sums", "% of 205 kB, "),
            ("diff --bwlimit 100K tree other", "% of 430 kB, "),
            ("dupes --bwlimit 100K tree other", "% of 430 kB, "),
            ("tree -c git --bwlimit 100K tree", "% of 215 kB, "),
            ("bag verify --bwlimit 100K bag", "% of 20"),
            ("known match --known-set set.hmk --bwlimit 100K --exclude *.tmp tree", "% of 205 kB, "),
        ];
        t.run("known build -o set.hmk --bad sums").code(0);
        std::thread::scope(|scope| {
            for (line, wanted) in lines {
                scope.spawn(move || {
                    let told = told_of(t, line);
                    assert!(told.contains(wanted) && told.contains("/s now, "), "{line}: {told}");
                    assert!(!told.contains("at least 2"), "{line}: {told}");
                });
            }
        });
    }
);

case!(a_total_that_is_not_known_is_told_as_at_least, |t| {
    t.file("tree/a", vec![1; 100 << 10]).fifo("pipe");
    let told = t.shell("(sleep 1.5; echo x) > pipe & $hashmill hash --progress always tree pipe").stderr();
    assert!(told.contains("of at least 102 kB, ") && !told.contains('%'), "{told}");
});

case!(
    #[ignore = "campaign: takes long"]
    commands_that_read_one_file_show_how_far_they_are,
    |t| {
        t.file("big", "");
        fs::File::options().write(true).open(t.path("big")).unwrap().set_len(1 << 38).unwrap();
        let mut lines = vec![("outboard create big", "making the outboard, ", " % of 275 GB, ")];
        if installed("ssh-keygen").is_some() {
            t.shell("ssh-keygen -q -t ed25519 -N '' -C me -f key").code(0);
            lines.push(("sign --key key big", "signing, ", " % of 275 GB, "));
        }
        for (line, what, part) in lines {
            let Some(text) = on_terminal(t, &format!("timeout --foreground -s INT 3 $hashmill {line}"))
            else {
                return;
            };
            assert!(text.contains(what) && text.contains(part), "{line}: {text:?}");
        }
    }
);

// A pager that reads standard output gets each key at once; a shell's prompt is in front of background processes.
case!(nothing_is_drawn_on_a_screen_that_another_program_has, |t| {
    t.file("tree/a", "abc");
    let begin = "rm -f pipe; mkfifo pipe; (sleep 0.7; echo x) > pipe &";
    let command = "$hashmill hash -c md5 -f sums tree pipe";
    let Some(own) = on_terminal(t, &format!("{begin} {command} > out")) else { return };
    assert!(own.contains(" of at least "), "{own:?}");
    let paged = on_terminal(t, &format!("stty -icanon; {begin} {command} > out; cat out")).unwrap();
    assert!(!paged.contains(" of ") && paged.contains("  tree/a"), "{paged:?}");
    let behind = on_terminal(t, &format!("set -m; {begin} {command} > out & wait; cat out")).unwrap();
    assert!(!behind.contains(" of ") && behind.contains("  tree/a"), "{behind:?}");
});
