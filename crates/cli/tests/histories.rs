//! Histories of ASC-MHL: read, judged by, and continued. The program `ascmhl` judges, both ways.

use crate::case;
use crate::util::{Place, Ran, is_root};
use hashmill_manifest::Named;
use hashmill_manifest::format::history::{Chain, GenerationPart, Link, Parts};
use hashmill_testing::{Random, cases, set_up};
use std::collections::BTreeMap;
use std::path::Path;

/// The program; none if it is not installed.
fn program() -> Option<String> {
    let program = set_up("venv/bin/ascmhl")?;
    Some(program.display().to_string())
}

/// Writes the next generation of the history of `reel`, with its number for a date.
fn add(t: &Place, number: u32, options: &str) -> Ran {
    t.shell(&format!("SOURCE_DATE_EPOCH={number} $hashmill hash -f ascmhl {options} -o reel/ascmhl/ reel"))
}

/// The names of the generations of a folder, in order.
fn generations(t: &Place, folder: &str) -> Vec<String> {
    let names = t.shell(&format!("ls {folder}/ascmhl | grep mhl$"));
    String::from_utf8_lossy(names.stdout()).lines().map(String::from).collect()
}

fn text(t: &Place, name: &str) -> String {
    String::from_utf8(t.read(name)).unwrap()
}

/// The newest generation of `reel`.
fn newest(t: &Place) -> String {
    text(t, &format!("reel/ascmhl/{}", generations(t, "reel").last().unwrap()))
}

/// The program finds nothing wrong with the history of `reel`, nor do the schemas.
fn is_good(t: &Place, program: &str) {
    t.shell(&format!("{program}-debug verify reel")).code(0);
    t.shell(&format!("{program}-debug verify -dh reel")).code(0);
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/ascmhl").display().to_string();
    let check = |options: &str, file: &str| {
        t.shell(&format!("{program}-debug xsd-schema-check {options} {file}")).code(0);
    };
    for name in generations(t, "reel") {
        check(&format!("-xsd {schemas}/ASCMHL.xsd"), &format!("reel/ascmhl/{name}"));
    }
    check(&format!("-df -xsd {schemas}/ASCMHLDirectory__combined.xsd"), "reel/ascmhl/ascmhl_chain.xml");
    t.run("check -q reel/ascmhl/ascmhl_chain.xml").code(0);
}

case!(
    #[ignore = "campaign: takes long"]
    both_programs_go_on_with_what_the_other_wrote,
    |t| {
        let Some(program) = program() else { return };
        t.file("reel/a.mov", "first").file("reel/A/x.mov", "second").file("reel/.DS_Store", "left out");
        add(t, 1, "-c md5,sha512").code(0);
        is_good(t, &program);
        t.file("reel/b & c.mov", "third");
        t.shell(&format!("{program} create reel -h xxh128")).code(0);
        is_good(t, &program);
        let before = text(t, "reel/ascmhl/ascmhl_chain.xml");
        // Algorithms of the history, if none are typed.
        add(t, 3, "").code(0);
        is_good(t, &program);
        let names = generations(t, "reel");
        assert_eq!(names[0], "0001_reel_1970-01-01_000001Z.mhl");
        assert_eq!(names[2], "0003_reel_1970-01-01_000003Z.mhl");
        // The earlier entries of the chain are unchanged.
        let after = text(t, "reel/ascmhl/ascmhl_chain.xml");
        assert!(after.starts_with(before.split("</ascmhldirectory>").next().unwrap()));
        let third = newest(t);
        assert_eq!(third.matches("action=\"verified\"").count(), 9, "{third}");
        assert!(!third.contains(">.DS_Store</path>") && !third.contains(">ascmhl/0"), "{third}");
        t.shell(&format!("{program} create reel -h sha1")).code(0);
        is_good(t, &program);
        t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 3");
    }
);

case!(
    #[ignore = "campaign: needs ascmhl"]
    a_new_generation_says_what_became_of_each_file,
    |t| {
        t.file("reel/same.mov", "same").file("reel/changed.mov", "old").file("reel/gone.mov", "gone");
        add(t, 1, "-c md5").code(0).quiet();
        t.file("reel/changed.mov", "new").remove("reel/gone.mov").file("reel/new.mov", "new");
        let ran = add(t, 2, "-c xxh128").code(1);
        ran.says("reel/changed.mov: its md5 is not the one in the history")
            .says("gone.mov: is in the history, and missing");
        let written = newest(t);
        let of = |path: &str| {
            let file = written.split("<hash>").find(|file| file.contains(path)).unwrap();
            let elements = file.lines().filter_map(|line| line.trim().strip_prefix('<'));
            let actions = elements.filter(|line| line.contains("action"));
            actions
                .map(|line| line.split('>').next().unwrap().replace(" action=", " "))
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(of("same.mov"), "md5 \"verified\", xxh128 \"verified\"");
        assert_eq!(of("changed.mov"), "md5 \"failed\"");
        assert_eq!(of("new.mov"), "xxh128 \"original\"");
        // Digests with the action `failed` are ignored: the file has changed.
        t.run("audit -k reel/ascmhl reel")
            .code(1)
            .prints("changed.mov: changed")
            .prints("gone.mov: missing")
            .prints("matched: 2");
        t.run("check -q reel/ascmhl")
            .code(1)
            .prints("reel/changed.mov: FAILED\n")
            .prints("reel/gone.mov: FAILED open");
        if let Some(program) = program() {
            assert_eq!(t.shell(&format!("{program}-debug verify reel")).exit(), Some(11));
        }
    }
);

case!(
    #[ignore = "campaign: needs ascmhl"]
    a_file_is_judged_by_all_generations_wherever_one_stands,
    |t| {
        let Some(program) = program() else { return };
        t.file("reel/a.mov", "first");
        t.shell(&format!("{program} create reel -h md5")).code(0);
        t.file("reel/b.mov", "second").rename("reel/a.mov", "reel/c.mov");
        t.shell(&format!("{program} create reel -h md5 -dr")).code(0);
        t.run("check reel/ascmhl").code(0).is("reel/c.mov: OK\nreel/b.mov: OK\n");
        t.shell("cd reel && $hashmill check ascmhl").code(0).is("c.mov: OK\nb.mov: OK\n");
        t.shell("cd reel/ascmhl && $hashmill check -q .").code(0);
        t.shell("cd / && $hashmill check -q $OLDPWD/reel/ascmhl").code(0);
        t.run("audit -k reel/ascmhl").code(0).prints("matched: 2");
        t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 2");
        t.shell("cd reel && $hashmill audit -k ascmhl .").code(0).prints("matched: 2");
        t.shell("cd reel && $hashmill audit -k ascmhl").code(0).prints("matched: 2");
        t.shell("$hashmill audit -k reel/ascmhl $PWD/reel").code(0).prints("matched: 2");
        // A copy elsewhere, by the history of the original.
        t.shell("mkdir backup && cp -r reel backup/copy").code(0);
        t.run("audit -k reel/ascmhl backup/copy").code(0).prints("matched: 2");
        t.shell("$hashmill convert reel/ascmhl all.jsonl && $hashmill diff all.jsonl reel/ascmhl").code(0);
        t.file("reel/b.mov", "other");
        t.run("audit -k reel/ascmhl reel").code(1).prints("reel/b.mov: changed");
        assert_eq!(t.shell(&format!("{program}-debug verify reel")).exit(), Some(11));
    }
);

/// Reads of each file and folder in the newest generation of a tree where it was before, and its digests. A folder ends with
/// a slash, which alone is the whole tree.
fn told(t: &Place, folder: &str) -> BTreeMap<String, (Option<String>, Vec<Vec<String>>)> {
    let name = generations(t, folder).pop().unwrap();
    let text = t.read(&format!("{folder}/ascmhl/{name}"));
    let utf8 = |path: &[u8]| String::from_utf8(path.to_vec()).unwrap();
    let digests = |all: &[Named]| -> Vec<String> {
        let mut all: Vec<String> =
            all.iter().map(|named| format!("{} {}", named.algorithm.name, named.digest)).collect();
        all.sort();
        all
    };
    let mut told = BTreeMap::new();
    for part in Parts::new(Box::new(&text[..])) {
        match part.unwrap() {
            GenerationPart::File(record, before) => {
                let before = before.map(|path| utf8(&path));
                told.insert(utf8(&record.path), (before, vec![digests(&record.digests)]));
            }
            GenerationPart::Folder(folder) => {
                let before = folder.before.as_deref().map(utf8);
                let both = vec![digests(&folder.content), digests(&folder.structure)];
                told.insert(format!("{}/", utf8(&folder.path)), (before, both));
            }
            _ => {}
        }
    }
    told
}

/// A tree that grows, in three places alike.
struct Growing<'t> {
    t: &'t Place,
    random: Random,
    made: u32,
    folders: Vec<String>,
    /// The files that were not renamed: the program loses track of those that are renamed twice.
    files: Vec<String>,
}

const TREES: [&str; 3] = ["ours/reel", "theirs/reel", "mixed/reel"];

impl Growing<'_> {
    fn new_path(&mut self, end: &str) -> String {
        self.made += 1;
        format!("{}n{}{end}", self.random.pick(&self.folders).clone(), self.made)
    }

    fn write(&mut self, path: String) {
        let content = format!("content {} of {path}", self.made).repeat(1 + self.random.below(400));
        for tree in TREES {
            self.t.file(format!("{tree}/{path}"), &content);
        }
        self.files.push(path);
    }

    fn grow(&mut self) {
        match self.random.below(4) {
            0 => {
                let folder = format!("{}/", self.new_path(""));
                self.write(format!("{folder}first.mov"));
                self.folders.push(folder);
            }
            1 if !self.files.is_empty() => {
                let place = self.random.below(self.files.len());
                let (from, to) = (self.files.swap_remove(place), self.new_path(" renamed"));
                for tree in TREES {
                    self.t.rename(&format!("{tree}/{from}"), &format!("{tree}/{to}"));
                }
            }
            _ => {
                let end = *self.random.pick(&[".mov", " \u{e9}.mov", " & <x>"]);
                let path = self.new_path(end);
                self.write(path);
            }
        }
    }
}

case!(
    #[ignore = "campaign: needs ascmhl"]
    random_generations_are_those_of_the_reference,
    |t| {
        let Some(program) = program() else { return };
        for seed in 0..cases(6) as u64 {
            t.shell(
                "rm -rf ours theirs mixed && mkdir -p ours/reel/empty theirs/reel/empty mixed/reel/empty",
            )
            .code(0);
            let mut random = Random(seed);
            let (ours, theirs) = *random.pick(&[
                ("md5", "-h md5"),
                ("sha512", "-h c4"),
                ("xxh128,sha1", "-h xxh128 -h sha1"),
                ("xxh64", "-h xxh64"),
                ("xxh3", "-h xxh3"),
            ]);
            let (folders, files) = (vec![String::new()], Vec::new());
            let mut tree = Growing { t, random, made: 0, folders, files };
            tree.write("a.mov".into());
            for _ in 0..1 + tree.random.below(4) {
                (0..tree.random.below(5)).for_each(|_| tree.grow());
                let add = |mine: bool, tree: &str| match mine {
                    true => t.run(&format!("hash -f ascmhl -c {ours} -o {tree}/ascmhl/ {tree}")).code(0),
                    false => t.shell(&format!("{program} create {tree} {theirs} -dr")).code(0),
                };
                add(true, TREES[0]);
                add(false, TREES[1]);
                add(tree.random.one_in(2), TREES[2]);
                let all = TREES.map(|tree| told(t, tree));
                assert!(all.iter().all(|one| *one == all[0]), "seed {seed}: {all:#?}");
            }
            for tree in TREES {
                t.shell(&format!("{program}-debug verify {tree}")).code(0);
                t.run(&format!("audit -k {tree}/ascmhl {tree}")).code(0);
            }
            // Each finds in what the other wrote that a file has changed.
            tree.t.file("ours/reel/new", "new").file("theirs/reel/new", "new");
            assert_eq!(t.shell(&format!("{program}-debug verify ours/reel")).exit(), Some(21));
            t.run("audit -k theirs/reel/ascmhl theirs/reel").code(1).prints("theirs/reel/new: new");
        }
    }
);

case!(renamed_files_and_folders_keep_their_history, |t| {
    t.file("reel/A/x.mov", "x").file("reel/A/B/y.mov", "y").file("reel/a.mov", "a").file("reel/none", "");
    t.shell("mkdir reel/empty").code(0);
    add(t, 1, "-c md5").code(0).quiet();
    t.rename("reel/A", "reel/Z").rename("reel/a.mov", "reel/b.mov").rename("reel/none", "reel/other");
    t.file("reel/c.mov", "a").rename("reel/empty", "reel/void");
    let ran = add(t, 2, "-c md5").code(1);
    ran.says("Z/x.mov: was A/x.mov in the history, by its digest; written as renamed")
        .says("b.mov: was a.mov in the history")
        .says("none: is in the history, and missing");
    let written = newest(t);
    let before = |path: &str| {
        let start = written.find(&format!(">{path}</path>")).unwrap();
        let item = &written[start..][..written[start..].find("</hash>").unwrap_or(written.len() - start)];
        let item = &item[..item.find("</directoryhash>").unwrap_or(item.len())];
        item.split("<previousPath>").nth(1).map(|rest| rest.split('<').next().unwrap().to_string())
    };
    // Each that is gone has one new name, and what is empty is like all that is empty.
    let told = ["Z/x.mov", "Z/B/y.mov", "b.mov", "c.mov", "other", "Z", "Z/B", "void"].map(before);
    let wanted = [
        Some("A/x.mov"),
        Some("A/B/y.mov"),
        Some("a.mov"),
        None,
        None,
        Some("A"),
        Some("A/B"),
        Some("empty"),
    ];
    assert_eq!(told.each_ref().map(Option::as_deref), wanted);
    t.run("check reel/ascmhl").code(1).prints("reel/Z/x.mov: OK").prints("reel/none: FAILED open");
    t.file("reel/none", "");
    t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 6");
});

case!(a_folder_with_something_that_was_not_hashed_has_no_digests, |t| {
    t.file("reel/A/x.mov", "x").file("reel/B/y.mov", "y").link("reel/B/link", "y.mov");
    add(t, 1, "-c md5");
    let all = told(t, "reel");
    let digests = |path: &str| all[path].1[0].len();
    assert_eq!([digests("/"), digests("A/"), digests("B/")], [0, 1, 0]);
    if !is_root() {
        t.file("reel/C/z.mov", "z").shell("chmod 0 reel/C").code(0);
        t.shell("SOURCE_DATE_EPOCH=1 $hashmill hash -f ascmhl -c md5 -o reel/ascmhl/ reel; chmod 700 reel/C");
        assert_eq!(told(t, "reel")["C/"].1[0].len(), 0);
    }
    // Of a part of the tree, only its folders are told.
    t.shell("SOURCE_DATE_EPOCH=2 $hashmill hash -f ascmhl -c md5 -o reel/ascmhl/ reel/A").code(0);
    assert_eq!(told(t, "reel").into_keys().collect::<Vec<_>>(), ["/", "A/", "A/x.mov"]);
    t.run("check -q reel/ascmhl").code(0);
});

case!(what_is_not_known_of_a_folder_is_told, |t| {
    t.file("reel/a.mov", "first");
    add(t, 1, "-c md5").code(0);
    let name = generations(t, "reel").remove(0);
    let whole = text(t, &format!("reel/ascmhl/{name}"));
    for (from, to) in
        [("<content>", "<content><sha256>00</sha256>"), ("<roothash>", "<roothash><md5>00</md5>")]
    {
        t.file("packing.mhl", whole.replacen(from, to, 1));
        let ran = t.run("check --base reel packing.mhl").code(2).prints("reel/a.mov: OK");
        ran.says("is not known, so it was not compared");
    }
});

case!(a_single_generation_is_checked_from_anywhere, |t| {
    t.file("reel/A/a.mov", "first");
    add(t, 1, "-c md5").code(0);
    let name = generations(t, "reel").remove(0);
    t.run(&format!("check reel/ascmhl/{name}")).code(0).is("reel/A/a.mov: OK\n");
    t.shell(&format!("cd reel/ascmhl && $hashmill check {name}")).code(0).is("./../A/a.mov: OK\n");
    t.run(&format!("audit -k reel/ascmhl/{name}")).code(0).prints("matched: 1");
    // A packing list lies anywhere.
    t.shell(&format!("cp reel/ascmhl/{name} packing.mhl && cd reel && $hashmill check ../packing.mhl"))
        .code(0);
    t.run("check packing.mhl").code(1);
    t.run("check --base reel packing.mhl").code(0).is("reel/A/a.mov: OK\n");
});

case!(lists_start_where_their_formats_say_or_where_base_says, |t| {
    t.file("d/x", "abc").file("d/e.dist-info/y", "");
    t.shell("cd d && $hashmill hash -f mhl -c md5 -o x.mhl x && $hashmill hash -f gentoo -c sha512,blake2b-512 -o Manifest x").code(0);
    t.shell("cd d && $hashmill hash -f record -c sha256 -o e.dist-info/RECORD x").code(0);
    t.shell("cd d && $hashmill hash -f sums -c sha256 -o SUMS x").code(0);
    for list in ["x.mhl", "Manifest", "e.dist-info/RECORD"] {
        t.run(&format!("check d/{list}")).code(0).is("d/x: OK\n");
        t.run(&format!("audit -k d/{list}")).code(0).prints("matched: 1");
        t.run(&format!("audit -k d/{list} d/x")).code(0).prints("matched: 1");
    }
    t.run("check d/SUMS").code(1);
    t.run("check --base d d/SUMS").code(0).is("d/x: OK\n");
    t.shell("$hashmill check --base d/ < d/SUMS").code(0).is("d/x: OK\n");
    t.run("check --base d d/x.mhl").code(0);
    t.run("check --base nowhere d/x.mhl").code(1).prints("nowhere/x: FAILED open");
});

case!(
    #[ignore = "campaign: takes long"]
    histories_inside_histories_have_their_own_generations,
    |t| {
        t.file("reel/a.mov", "first")
            .file("reel/A/x.mov", "second")
            .file("reel/A/B/y.mov", "third")
            .file("reel/C/z.mov", "4");
        t.shell("$hashmill hash -f ascmhl -c md5 -o reel/A/B/ascmhl/ reel/A/B && $hashmill hash -f ascmhl -c md5 -o reel/A/ascmhl/ reel/A")
        .code(0);
        add(t, 1, "-c md5").code(0).quiet();
        let count = |folder: &str| generations(t, folder).len();
        assert_eq!([count("reel"), count("reel/A"), count("reel/A/B")], [1, 2, 3]);
        let outer = newest(t);
        assert!(
            outer.contains("<path>A/ascmhl/0002_A_1970-01-01_000001Z.mhl</path>")
                && outer.contains(">C/z.mov</path>")
        );
        assert!(!outer.contains("x.mov") && !outer.contains("y.mov"), "{outer}");
        if let Some(program) = program() {
            is_good(t, &program);
            t.shell(&format!("{program} create reel -h md5")).code(0);
            is_good(t, &program);
            t.shell(&format!("{program} diff reel")).code(0);
            add(t, 3, "").code(0).quiet();
            is_good(t, &program);
        }
        t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 4").prints("new: 0");
        t.run("check -q reel/ascmhl").code(0);
        t.file("reel/A/B/y.mov", "other");
        t.run("audit -k reel/ascmhl reel").code(1).prints("reel/A/B/y.mov: changed");
        t.shell("cd reel && $hashmill check -q ascmhl").code(1).is("A/B/y.mov: FAILED\n");
        // A folder that is gone with its history is missed by the one around it.
        t.shell("rm -r reel/A").code(0);
        t.run("audit -k reel/ascmhl reel")
            .code(1)
            .prints("reel/A/ascmhl/0002_A_1970-01-01_000001Z.mhl: missing");
        add(t, 4, "").code(1).says("A/ascmhl/0002_A_1970-01-01_000001Z.mhl: is in the history, and missing");
    }
);

case!(what_the_list_leaves_out_is_not_new_but_counted, |t| {
    t.file("reel/a.mov", "first").file("reel/b.tmp", "listed");
    add(t, 1, "-c md5").code(0);
    t.file("reel/.DS_Store", "x").file("reel/A/.DS_Store", "y").file("reel/c.tmp", "z");
    t.run("audit -k reel/ascmhl reel")
        .code(1)
        .prints("reel/c.tmp: new")
        .prints("(patterns of the manifest: .DS_Store: 2)");
    add(t, 2, "-c md5 --exclude *.tmp").code(0);
    assert!(newest(t).contains("<pattern>*.tmp</pattern>"));
    let ran = t.run("audit -f json -k reel/ascmhl reel").code(0).json();
    assert_eq!(ran["counts"]["ignored"], 3, "{ran}");
    assert!(ran["ignored"].to_string().contains("{\"files\":1,\"pattern\":\"*.tmp\"}"), "{ran}");
    t.run("check -q --new reel/ascmhl").code(0);
    t.run("diff reel/ascmhl reel")
        .code(0)
        .prints("new: 0")
        .prints("(patterns of the manifest: *.tmp: 1, .DS_Store: 2");
    t.run("check --new reel/ascmhl")
        .code(0)
        .says("left out: 3 (patterns of the list: *.tmp: 1, .DS_Store: 2)");
    // A listed file is compared, whatever patterns say.
    t.file("reel/b.tmp", "other");
    t.run("audit -k reel/ascmhl reel").code(1).prints("reel/b.tmp: changed");
    t.run("check -q reel/ascmhl").code(1).prints("reel/b.tmp: FAILED");
    // One that lists nothing hides it from nobody.
    t.file("reel/new.mov", "new");
    let one = format!("reel/ascmhl/{}", generations(t, "reel")[0]);
    t.file("all.mhl", text(t, &one).replace("<pattern>.DS_Store</pattern>", "<pattern>*</pattern>"));
    // The history that lies there is not its own.
    let ran =
        t.run("audit -k all.mhl reel").code(1).prints("new: 3\n").prints("reel/ascmhl/ascmhl_chain.xml: new");
    ran.prints("(patterns of the manifest: *: ").prints("reel/b.tmp: changed");
});

case!(a_history_that_was_tampered_with_is_told, |t| {
    t.file("reel/a.mov", "first");
    add(t, 1, "-c md5").code(0);
    t.file("reel/b.mov", "second");
    add(t, 2, "-c md5").code(0);
    let (names, chain) = (generations(t, "reel"), text(t, "reel/ascmhl/ascmhl_chain.xml"));
    let second = format!("reel/ascmhl/{}", names[1]);
    let whole = text(t, &second);
    let all = |what: &str| {
        for command in ["audit -k reel/ascmhl reel", "check reel/ascmhl", "convert reel/ascmhl x.jsonl"] {
            t.run(command).code(64).says("is not a usable history").says(what);
        }
        add(t, 3, "").code(64).says(what);
        assert!(generations(t, "reel").iter().all(|name| !name.starts_with("0003")));
    };
    t.file(&second, whole.replace("b.mov", "c.mov"));
    all("was altered: its C4 is not the one in ascmhl_chain.xml");
    t.remove(&second);
    all("is missing, and ascmhl_chain.xml names it");
    t.fifo(&second);
    all("is not a regular file");
    t.remove(&second).file(&second, &whole);
    for name in ["../../b.mov", "/etc/passwd", ".."] {
        t.file("reel/ascmhl/ascmhl_chain.xml", chain.replace(&names[1], name));
        all("which is not a file in its folder");
    }
    t.file("reel/ascmhl/ascmhl_chain.xml", chain.replace("sequencenr=\"2\"", "sequencenr=\"1\""));
    all("is out of order");
    t.file("reel/ascmhl/ascmhl_chain.xml", &chain[..chain.len() - 30]);
    all("reel/ascmhl/ascmhl_chain.xml");
    t.remove("reel/ascmhl/ascmhl_chain.xml");
    add(t, 3, "-c md5").code(64).says("has manifests, but no ascmhl_chain.xml");
    t.file("reel/ascmhl/ascmhl_chain.xml", &chain);
    // A manifest that the chain does not name is ignored, and its number is not used again.
    t.file("reel/ascmhl/0003_x.mhl", whole.replace("b.mov", "hidden.mov")).file("reel/hidden.mov", "second");
    let ran = t.run("audit -k reel/ascmhl reel").code(1).says("ignored: 0003_x.mhl is next to the chain");
    ran.prints("reel/hidden.mov: copied from reel/b.mov");
    add(t, 4, "-c md5").code(0).says("0003_x.mhl is next to the chain, but not named in it");
    assert!(generations(t, "reel").last().unwrap().starts_with("0004_reel"));
});

case!(nothing_else_writes_into_a_history, |t| {
    t.file("reel/a.mov", "first");
    add(t, 1, "-c md5").code(0);
    let (name, chain) = (generations(t, "reel").remove(0), t.read("reel/ascmhl/ascmhl_chain.xml"));
    let first = t.read(&format!("reel/ascmhl/{name}"));
    let next = "the next generation of the history is called 0002_reel_";
    for typed in [name.as_str(), "0003_reel.mhl", "x.mhl", "0001_other.mhl"] {
        t.run(&format!("hash --force -f ascmhl -c md5 -o reel/ascmhl/{typed} reel")).code(64).says(next);
    }
    for typed in [name.as_str(), "0002_reel.mhl", "ascmhl_chain.xml"] {
        let told = "is or would be a part of a history";
        t.run(&format!("hash --force -f mhl -c md5 -o reel/ascmhl/{typed} reel")).code(64).says(told);
        t.run(&format!("audit --force -k reel/ascmhl --update reel/ascmhl/{typed} reel")).code(64).says(told);
        t.run(&format!("convert --force -f ascmhl reel/ascmhl reel/ascmhl/{typed}")).code(64).says(told);
    }
    t.run("hash -f ascmhl -c md5 -o reel/ascmhl/ .")
        .code(64)
        .says(": is not in reel, which the history is of");
    t.run("hash -f ascmhl -c md5 --resume -o reel/ascmhl/ reel").code(64).says("--resume");
    t.run("hash -f ascmhl -c sha256 -o reel/ascmhl/ reel").code(64).says("-c sha256");
    assert_eq!(t.read("reel/ascmhl/ascmhl_chain.xml"), chain);
    assert_eq!(t.read(&format!("reel/ascmhl/{name}")), first);
    assert_eq!(generations(t, "reel"), [name]);
    // The proper name may be typed, and a part of the tree be hashed, from anywhere.
    t.file("reel/A/b.mov", "second");
    t.shell("cd reel/A && $hashmill hash -f ascmhl -c md5 -o ../ascmhl/0002_A.mhl .").code(0).quiet();
    assert!(newest(t).contains(">A/b.mov<"));
    t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 2");
});

case!(a_signed_chain_vouches_for_all_generations, |t| {
    t.file("reel/a.mov", "first");
    add(t, 1, "-c md5").code(0);
    t.shell("ssh-keygen -q -t ed25519 -N '' -C me -f key && echo \"me $(cat key.pub)\" > signers").code(0);
    t.run("sign --key key reel/ascmhl/ascmhl_chain.xml").code(0);
    for command in
        ["audit -k reel/ascmhl reel", "check -q reel/ascmhl", "convert --force reel/ascmhl all.jsonl"]
    {
        t.run(&format!("{command} --allowed-signers signers --require 1")).code(0);
    }
    add(t, 2, "").code(0).says("ascmhl_chain.xml.sig: WARNING: a signature of the earlier content");
    t.run("audit -k reel/ascmhl reel --allowed-signers signers --require 1").code(64).says("BROKEN");
});

/// Signs the chain of `reel`, and returns the options that need this signature.
fn sign(t: &Place) -> &'static str {
    t.shell("ssh-keygen -q -t ed25519 -N '' -C me -f key && echo \"me $(cat key.pub)\" > signers").code(0);
    t.run("sign --key key reel/ascmhl/ascmhl_chain.xml").code(0);
    "--allowed-signers signers --require 1"
}

case!(what_others_put_beside_a_history_is_new, |t| {
    t.file("reel/a", "a").file("reel/sub/b", "b").file("reel/.DS_Store", "of the Finder");
    t.run("hash -f ascmhl -c md5 -o reel/sub/ascmhl/ reel/sub").code(0);
    t.run("hash -f ascmhl -c md5 -o reel/ascmhl/ reel").code(0);
    t.run("audit -k reel/ascmhl reel").code(0).prints("new: 0");
    for path in [
        "reel/ascmhl/x.sh",
        "reel/ascmhl/x.mhl",
        "reel/ascmhl/ascmhl_collection.xml",
        "reel/sub/ascmhl/x",
        "reel/sub/ascmhl/x.mhl",
        "reel/sub/ascmhl/x.mhl.sig",
        "reel/none/ascmhl/x.mhl",
        "reel/none/ascmhl/deep/x.mhl",
        "reel/d/.DS_Store/x",
    ] {
        t.file(path, "payload");
        t.run("audit -k reel/ascmhl reel").code(1).prints("new: 1\n");
        t.run("diff reel/ascmhl reel").code(1).prints("new: 1\n");
        t.run("check --new reel/ascmhl").code(1);
        t.remove(path);
    }
    t.shell("cd reel && $hashmill check -q --new ascmhl").code(0);
    // With a manifest alone, the files of the chain that names it are its own; those of other histories are not.
    let one = format!("reel/ascmhl/{}", generations(t, "reel")[0]);
    let ran = t.run(&format!("audit -k {one} reel")).code(1).prints("reel/sub/ascmhl/ascmhl_chain.xml: new");
    assert!(!String::from_utf8_lossy(ran.stdout()).contains("reel/ascmhl/ascmhl_chain.xml: new"));
    t.shell("rm -r reel/sub").code(0);
    t.run(&format!("audit -k {one} reel")).code(0).prints("new: 0");
    t.file("reel/ascmhl/0002_x.mhl", "payload");
    t.run(&format!("audit -k {one} reel")).prints("reel/ascmhl/0002_x.mhl: new");
    // A new generation has what is not of the histories.
    t.run("hash -f ascmhl -c md5 -o reel/ascmhl/ reel").says("0002_x.mhl is next to the chain");
});

case!(a_generation_that_nobody_signed_does_not_count, |t| {
    t.file("reel/a.mov", "first").file("reel/sub/b.mov", "second");
    t.shell("$hashmill hash -f ascmhl -c md5 -o reel/sub/ascmhl/ reel/sub").code(0);
    add(t, 1, "-c md5").code(0);
    let options = sign(t);
    let audit = format!("audit -k reel/ascmhl reel {options}");
    t.run(&audit).code(0).prints("matched: 2");
    // Somebody else adds a file, and continues the inner history, which is not signed itself.
    t.file("reel/sub/new.mov", "forged");
    t.shell("$hashmill hash -f ascmhl -c md5 -o reel/sub/ascmhl/ reel/sub").code(0);
    let ran = t.run(&audit).code(2).prints("reel/sub/new.mov: new").prints("matched: 2");
    ran.says("doesn't count: the chain around it is signed, and no signed manifest names it");
    t.run(&format!("check reel/ascmhl {options}")).code(2);
    // Without a signature, all generations count.
    t.run("audit --ignore-signature -k reel/ascmhl reel").code(0).prints("matched: 3");
});

case!(a_history_that_was_begun_below_a_signed_one_does_not_count, |t| {
    t.file("reel/a.mov", "first").file("reel/sub/b.mov", "second");
    add(t, 1, "-c md5").code(0);
    let options = sign(t);
    t.file("reel/sub/b.mov", "forged").file("reel/sub/new.mov", "new");
    t.shell("$hashmill hash -f ascmhl -c md5 -o reel/sub/ascmhl/ reel/sub").code(0);
    let ran = t.run(&format!("audit -k reel/ascmhl reel {options}")).code(2);
    ran.prints("reel/sub/b.mov: changed").prints("reel/sub/new.mov: new").prints("matched: 1");
});

case!(a_run_that_ends_early_leaves_no_empty_history, |t| {
    t.file("reel/a.mov", "first");
    // Of a folder nothing can be read as a list of paths.
    t.run("hash -f ascmhl -o reel/ascmhl/ --files-from reel")
        .code(2)
        .says("cannot read the rest of the list");
    assert!(!t.has("reel/ascmhl"));
    t.file("list", "reel/a.mov\n../elsewhere\n").file("elsewhere", "x");
    t.run("hash -f ascmhl -o reel/ascmhl/ --files-from list").code(2).says("elsewhere");
    t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 1");
});

/// Makes a consistent history of these generations.
fn forge(t: &Place, folder: &str, generations: impl IntoIterator<Item = String>) {
    let sha512 = hashmill_digest::find("sha512").unwrap();
    let mut links = String::new();
    for (number, text) in (1..).zip(generations) {
        let text = format!(
            "<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\"><creatorinfo/><processinfo/>{text}</hashlist>"
        );
        let name = format!("{number:04}_x.mhl");
        let digest = hashmill_digest::hash(sha512, text.as_bytes());
        let link = Link { number, name: name.clone().into_bytes().into(), digest };
        let chain = String::from_utf8(Chain::default().with(link).unwrap().text().to_vec()).unwrap();
        links += &chain[chain.find("<hashlist ").unwrap()..chain.find("</ascmhldirectory").unwrap()];
        t.file(format!("{folder}/ascmhl/{name}"), text);
    }
    t.file(
        format!("{folder}/ascmhl/ascmhl_chain.xml"),
        format!("<ascmhldirectory>{links}</ascmhldirectory>\n"),
    );
}

fn listed(path: &str, content: &str) -> String {
    let md5 = hashmill_digest::hash(hashmill_digest::find("md5").unwrap(), content.as_bytes());
    format!("<hash><path>{path}</path><md5 action=\"original\">{md5}</md5></hash>")
}

case!(a_hostile_history_leads_nowhere, |t| {
    t.file("secret", "secret").file("reel/a.mov", "a");
    let path = t.path("secret").display().to_string();
    let all = [listed("a.mov", "a"), listed("../secret", "secret"), listed(&path, "secret")].concat();
    forge(t, "reel", [all]);
    for command in ["check reel/ascmhl", "audit -v -k reel/ascmhl reel", "audit -v -k reel/ascmhl"] {
        let ran =
            t.run(command).code(2).says("0001_x.mhl: line 1: path: ../secret leads out of the list's folder");
        assert!(!String::from_utf8_lossy(ran.stdout()).contains("secret"));
    }
    // A pattern hides no listed file, and no folder that holds one.
    let hiding = "<ignore><pattern>*</pattern><pattern>reel/</pattern></ignore>".to_string();
    forge(t, "reel", [hiding + &listed("a.mov", "a") + &listed("d/b.mov", "b")]);
    t.file("reel/evil", "x").file("reel/d/b.mov", "other");
    let ran = t.run("audit -k reel/ascmhl reel").code(1).prints("reel/d/b.mov: changed").prints("matched: 1");
    ran.prints("(patterns of the manifest: *: ");
    // Links make no loop.
    t.link("reel/d/up", "..").link("reel/d/ascmhl", "../ascmhl");
    t.run("audit -k reel/ascmhl reel").code(1).prints("matched: 1");
    // Generations that contradict each other match nothing.
    forge(t, "reel", [listed("a.mov", "a"), listed("a.mov", "b")]);
    t.run("audit -k reel/ascmhl").code(1).prints("reel/a.mov: changed");
    t.run("check reel/ascmhl").code(1).prints("reel/a.mov: FAILED");
});

case!(a_thousand_generations_are_one_list, |t| {
    t.file("reel/a.mov", "a");
    forge(t, "reel", (0..1000).map(|_| listed("a.mov", "a")));
    t.run("check reel/ascmhl").code(0).is("reel/a.mov: OK\n");
    add(t, 1001, "").code(0).quiet();
    t.run("audit -k reel/ascmhl reel").code(0).prints("matched: 1").prints("left out: 1002 (the manifest, ");
});
