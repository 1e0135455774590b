//! `hashmill tree`: digests of directories, beside the programs that define them.

use crate::case;
use crate::util::{Place, is_root};
use hashmill_testing::{had_modules, python, set_up};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a tree with entries that git's order and modes depend on, and names that break careless tools.
fn hostile(t: &Place) {
    t.odd_names();
    for name in
        ["a/x", "a-b", "a.b", "a0", "A", "deep/1/2/3/4/5/6/7/8/9/file", "dir.git/x", ".gitignore", "x.git"]
    {
        t.file(format!("tree/{name}"), name);
    }
    t.file("tree/.gitignore", "*\n")
        .file("tree/run", "#!/bin/sh\n")
        .file("tree/others", "run by others only");
    mode(&t.path("tree/run"), 0o755);
    mode(&t.path("tree/others"), 0o611);
    t.link("tree/to-file", "a0").link("tree/to-folder", "a").link("tree/to-nothing", "nothing\nhere");
    fs::create_dir_all(t.path("tree/empty-folder/inner")).unwrap();
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns the first word of the command's output.
fn digest(t: &Place, args: &str) -> String {
    let ran = t.run(args).code(0);
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    text.split("  ").next().unwrap().trim_start_matches('\\').to_string()
}

/// Returns git's digest of all files in `tree`.
fn git(t: &Place, format: &str) -> String {
    let ran = t.shell(&format!(
        "export GIT_DIR=$PWD/repository GIT_WORK_TREE=$PWD/tree HOME=$PWD GIT_CONFIG_NOSYSTEM=1
         git init -q --object-format={format} && git -c core.autocrlf=false -C tree add -A -f . && git write-tree
         rm -rf repository"
    ));
    String::from_utf8_lossy(ran.code(0).stdout()).trim().to_string()
}

/// Returns the output of a peer; none, noted, if scripts/setup could not install it.
fn peer(t: &Place, program: Option<PathBuf>, args: &[&str]) -> Option<String> {
    let output = Command::new(program?).args(args).current_dir(t.path("")).output().unwrap();
    if !had_modules(&output.stderr) {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

case!(a_tree_of_git_is_what_git_writes, |t| {
    hostile(t);
    assert_eq!(digest(t, "tree -c git tree"), git(t, "sha1"));
    assert_eq!(digest(t, "tree -c git-sha256 tree/"), git(t, "sha256"));
});

case!(git_s_own_folder_is_left_out_and_one_inside_is_refused, |t| {
    t.file("tree/a", "a").file("other/a", "a").file("tree/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(digest(t, "tree -c git tree"), digest(t, "tree -c git other"));
    t.file("tree/sub/.git/HEAD", "x");
    t.run("tree -c git tree").code(2).is("").says("tree/sub/.git/HEAD: its name is that of git's own folder");
    // Without that folder there is a digest.
    t.run("tree -c git --exclude .git tree").code(0);
});

case!(
    #[ignore = "campaign: needs dirhash"]
    a_dirhash_is_what_go_computes,
    |t| {
        for name in ["go.mod", "a/b.go", "a-b/c", "a.go", "z", "\u{e9}", "sp ace", "\\back"] {
            t.file(format!("tree/{name}"), name);
        }
        t.file("tree/bytes-\u{ff}", "").link("tree/link", "go.mod");
        fs::create_dir(t.path("tree/empty")).unwrap();
        for prefix in ["example.com/m@v1.2.3", "x"] {
            let Some(wanted) = peer(t, set_up("peers/dirhash"), &["tree", prefix]) else { return };
            assert_eq!(digest(t, &format!("tree -c dirhash --prefix {prefix} tree")), wanted);
        }
    }
);

case!(a_dirhash_has_no_place_for_line_feeds_and_links_to_folders, |t| {
    t.file("feed/a\nb", "");
    t.run("tree -c dirhash feed").code(2).is("").says("has a line feed");
    t.file("links/a/b", "").link("links/l", "a");
    t.run("tree -c dirhash links").code(2).is("").says("links/l: is a link");
    t.file("dangling/a", "").link("dangling/l", "nothing");
    t.run("tree -c dirhash dangling").code(2).is("").says("dangling/l");
});

case!(
    #[ignore = "campaign: needs Python's packages"]
    a_swhid_is_what_software_heritage_computes,
    |t| {
        hostile(t);
        let script = "import sys; from swh.model.from_disk import Directory; \
                  print(Directory.from_disk(path=sys.argv[1].encode(), max_content_length=None).swhid())";
        let Some(wanted) = peer(t, python(), &["-c", script, "tree"]) else { return };
        assert_eq!(digest(t, "tree -c swhid tree"), wanted);
    }
);

case!(
    #[ignore = "campaign: needs Python's packages"]
    a_model_is_what_model_signing_computes,
    |t| {
        for name in [
            "config.json",
            "a/b",
            "a-b/c",
            "a.c",
            "model.safetensors",
            ".gitattributes",
            "a/.gitignore",
            "\u{e9}",
        ] {
            t.file(format!("tree/{name}"), name);
        }
        t.file("tree/.git/HEAD", "x").file("tree/.github/workflow", "x");
        let script = "import sys, hashlib; from model_signing import hashing; \
                  manifest = hashing.Config().use_file_serialization().hash(sys.argv[1]); root = hashlib.sha256(); \
                  [root.update(item.digest.digest_value) for item in manifest.resource_descriptors()]; \
                  print(root.hexdigest())";
        let Some(wanted) = peer(t, python(), &["-c", script, "tree"]) else { return };
        assert_eq!(digest(t, "tree -c model tree"), wanted);
    }
);

case!(a_model_follows_links_only_if_it_is_told_to, |t| {
    t.file("tree/a", "a").link("tree/l", "a").file("plain/a", "a").file("plain/l", "a");
    t.run("tree -c model tree").code(2).is("").says("tree/l: is a symbolic link");
    assert_eq!(digest(t, "tree -c model --follow tree"), digest(t, "tree -c model plain"));
});

case!(several_systems_read_each_file_once_and_say_the_same, |t| {
    hostile(t);
    let alone = ["git", "swhid", "git-sha256"].map(|system| digest(t, &format!("tree -c {system} tree")));
    for threads in [1, 2, 7] {
        let ran = t.run(&format!("tree -j{threads} -c git,swhid,git-sha256 -f json tree")).code(0);
        let rows = ran.json();
        let found: Vec<&str> =
            rows.as_array().unwrap().iter().map(|row| row["digest"].as_str().unwrap()).collect();
        assert_eq!(found, alone, "{threads} threads");
        assert_eq!(rows[0]["path"], "tree");
        assert_eq!(rows[1]["algorithm"], "swhid");
    }
    t.run("tree -c git,swhid tree tree").code(0).prints("swh:1:dir:");
});

case!(what_can_t_be_read_or_has_no_place_leaves_no_digest, |t| {
    t.file("tree/a", "a").fifo("tree/pipe");
    for system in ["git", "dirhash", "swhid", "model"] {
        t.run(&format!("tree -c {system} tree")).code(2).is("").says("tree/pipe: is a FIFO");
    }
    t.remove("tree/pipe").file("fine/a", "a");
    t.run("tree -c git missing fine").code(2).says("missing").prints("  fine\n");
    if !is_root() {
        mode(&t.path("tree/a"), 0);
        t.run("tree -c git tree").code(2).is("").says("tree/a");
    }
});

case!(an_expected_digest_is_compared, |t| {
    t.file("tree/a", "a").file("tree/b/c", "c");
    for system in ["git", "dirhash", "swhid", "model", "git-sha256"] {
        let found = digest(t, &format!("tree -c {system} tree"));
        t.run(&format!("tree -c {system} tree --expect {found}")).code(0).quiet();
        t.file("tree/a", "b");
        t.run(&format!("tree -c {system} tree --expect {found}")).code(1).says(&found);
        t.file("tree/a", "a");
    }
    t.run("tree -c git tree --expect h1:nonsense").code(64).says("is not a git digest");
    t.run("tree -c git,swhid tree --expect x").code(64).says("one system");
    t.run("tree -c git tree/a").code(64).says("is a file");
    t.run("tree -c md5 tree").code(64).says("dirhash");
    t.run("tree tree").code(64);
});
