//! `hashmill check --store git-lfs REPOSITORY`: the objects that files of `HEAD` stand for, in repositories of all forms,
//! compared with what git-lfs finds.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::{Random, cases};
use std::collections::BTreeSet;

/// Runs a line in a repository, with settings of its own.
fn git(t: &Place, folder: &str, line: &str) -> Ran {
    t.shell(&format!("export HOME=$PWD && cd {folder} && {line}"))
}

/// Makes a repository `r` with two commits and settings for those beside it; `false` if git-lfs is not installed.
fn repository(t: &Place, format: &str) -> bool {
    if t.other("git-lfs", "version").is_none() {
        return false;
    }
    t.shell("rm -rf r w s top").code(0);
    let settings = "git config --global user.email a@b && git config --global user.name a && \
                    git config --global protocol.file.allow always && git lfs install --skip-repo";
    git(t, ".", settings).code(0);
    git(t, ".", &format!("git init -q --object-format={format} r")).code(0);
    git(t, "r", "git lfs track '*.bin' && seq 5000 > a.bin && mkdir d && echo 2 > d/b.bin && : > d/e.bin && git add . && git commit -qm x")
        .code(0);
    git(t, "r", "seq 5001 > a.bin && git add . && git commit -qm y").code(0);
    true
}

/// Returns the path below a store of the object that a file stands for.
fn object(t: &Place, folder: &str, file: &str) -> String {
    let pointer = git(t, folder, &format!("git show {file}")).code(0);
    let pointer = String::from_utf8_lossy(pointer.stdout()).into_owned();
    let oid = &pointer.split("sha256:").nth(1).unwrap()[..64];
    format!("{}/{}/{oid}", &oid[..2], &oid[2..4])
}

/// Checks a folder of a repository without and with an object; git-lfs says the same.
fn misses(t: &Place, folder: &str, store: &str, object: &str) {
    let (check, path) = (format!("check --store git-lfs {folder}"), format!("{store}/{object}"));
    t.run(&check).code(0).quiet();
    let whole = t.read(&path);
    t.remove(&path);
    let shown = t.run(&check).code(1);
    let missing: Vec<String> = lines(&shown, ": MISSING");
    assert!(missing.len() == 1 && missing[0].ends_with(object), "{missing:?}");
    let oid = object.rsplit('/').next().unwrap();
    let told = git(t, folder, "git lfs fsck --objects");
    assert_ne!(told.exit(), Some(0));
    // git-lfs does not read the alternates of alternates, and ends with another code.
    if told.exit() == Some(1) {
        told.prints(oid);
    }
    t.file(&path, whole).run(&check).code(0);
}

/// Returns the lines that end so, without that.
fn lines(ran: &Ran, end: &str) -> Vec<String> {
    String::from_utf8_lossy(ran.stdout())
        .lines()
        .filter_map(|line| Some(line.strip_suffix(end)?.into()))
        .collect()
}

case!(
    #[ignore = "campaign: takes long"]
    work_trees_beside_a_repository_have_its_store,
    |t| {
        for format in ["sha1", "sha256"] {
            if !repository(t, format) {
                return;
            }
            git(t, "r", "git gc -q && git worktree add -q --detach ../w HEAD~1 && git pack-refs --all")
                .code(0);
            let (new, old) = (object(t, "r", "HEAD:a.bin"), object(t, "r", "HEAD~1:a.bin"));
            misses(t, "r", "r/.git/lfs/objects", &new);
            misses(t, "w", "r/.git/lfs/objects", &old);
            git(t, "w", "git switch -qc branch && git worktree move . ../w2 && ln -s w2 ../w3").code(0);
            misses(t, "w2", "r/.git/lfs/objects", &old);
            misses(t, "w3", "r/.git/lfs/objects", &old);
            misses(t, "r/.git/worktrees/w", "r/.git/lfs/objects", &old);
            // The paths are those that the repository has.
            let shown = lines(&t.run("check --store git-lfs w2").code(0), ": OK");
            assert!(shown.iter().all(|path| path.contains("/r/.git/lfs/objects/")), "{shown:?}");
            let shown = lines(&t.run("check --store git-lfs r/.git/worktrees/w").code(0), ": OK");
            assert!(shown.iter().all(|path| path.starts_with("r/.git/lfs/objects/")), "{shown:?}");
            // A commit whose reference is in the list of them.
            git(t, "w2", "git pack-refs --all && mkdir -p ../r/.git/refs/heads/branch").code(0);
            misses(t, "w2", "r/.git/lfs/objects", &old);
            t.shell("rm -rf w2 w3").code(0);
        }
    }
);

case!(
    #[ignore = "campaign: needs git-lfs"]
    submodules_and_bare_repositories_have_their_own_store,
    |t| {
        if !repository(t, "sha1") {
            return;
        }
        git(t, ".", "git init -q top && cd top && git submodule add -q ../r sub && git commit -qm x").code(0);
        let new = object(t, "r", "HEAD:a.bin");
        misses(t, "top/sub", "top/.git/modules/sub/lfs/objects", &new);
        // Nothing of the repository around it stands for an object of git-lfs.
        t.run("check --store git-lfs top").code(64).says("no store of kind");
        git(t, ".", "git clone -q --bare r s && cp -r r/.git/lfs s/lfs").code(0);
        misses(t, "s", "s/lfs/objects", &new);
    }
);

case!(
    #[ignore = "campaign: takes long"]
    objects_of_git_may_be_in_other_repositories,
    |t| {
        for format in ["sha1", "sha256"] {
            if !repository(t, format) {
                return;
            }
            let new = object(t, "r", "HEAD:a.bin");
            git(t, ".", "GIT_LFS_SKIP_SMUDGE=1 git clone -q --shared r s && GIT_LFS_SKIP_SMUDGE=1 git clone -q --shared s w")
            .code(0);
            // Nothing was fetched: there is no store, and all of it is missing.
            t.shell("rm -rf s/.git/lfs w/.git/lfs").code(0);
            let shown = t.run("check --store git-lfs w").code(1).says("2 objects missing");
            assert_eq!(lines(&shown, ": MISSING").len(), 2);
            assert_eq!(t.run("check --store git-lfs -f json w").code(1).json()["counts"]["missing"], 2);
            assert_ne!(git(t, "w", "git lfs fsck --objects").exit(), Some(0));
            t.shell("cp -r r/.git/lfs s/.git/ && cp -r r/.git/lfs w/.git/").code(0);
            misses(t, "s", "s/.git/lfs/objects", &new);
            misses(t, "w", "w/.git/lfs/objects", &new);
            // A path from the folder of objects on, a remark, and one that is not there.
            t.file("s/.git/objects/info/alternates", "# x\n/nowhere/at/all\n../../../r/.git/objects\n");
            misses(t, "w", "w/.git/lfs/objects", &new);
            // Alternates in a circle, and one too few.
            t.file("s/.git/objects/info/alternates", "../../../w/.git/objects\n");
            t.run("check --store git-lfs w")
                .code(2)
                .prints("w/.git/HEAD: FAILED open or read\n")
                .says("is not there");
        }
    }
);

case!(
    #[ignore = "campaign: needs git-lfs"]
    the_size_in_a_pointer_is_that_of_the_object,
    |t| {
        if !repository(t, "sha1") {
            return;
        }
        let new = object(t, "r", "HEAD:a.bin");
        let oid = new.rsplit('/').next().unwrap();
        let pointer = |oid: &str, size: u64| {
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n")
        };
        let size = t.read(&format!("r/.git/lfs/objects/{new}")).len() as u64;
        let commit = |text: String| {
            t.file("r/pointer", text);
            git(t, "r", "git add pointer && git commit -qm z").code(0);
        };
        commit(pointer(oid, size) + "\n");
        t.run("check --store git-lfs r").code(0).quiet();
        commit(pointer(oid, size + 1));
        let ran = t.run("check --store git-lfs r").code(1).prints(format!("{new}: FAILED\n"));
        ran.says(&format!("has {size} bytes, and HEAD:pointer says {}", size + 1));
        commit(pointer(&oid.replace('0', "1"), 0));
        t.run("check --store git-lfs r").code(1).prints("MISSING").says("HEAD:pointer names it");
        // The object of an empty file need not be there.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        commit(pointer(empty, 0));
        t.run("check --store git-lfs r").code(0).quiet();
        commit(pointer(empty, 7));
        t.run("check --store git-lfs r").code(1).prints(format!("{empty}: MISSING\n"));
    }
);

case!(
    #[ignore = "campaign: needs git-lfs"]
    files_that_are_nearly_pointers_are_read_as_git_lfs_does,
    |t| {
        if !repository(t, "sha1") {
            return;
        }
        let (mut random, mut oids) = (Random(7), BTreeSet::new());
        for number in 0..cases(150) {
            let oid = random.digest(32).to_string();
            let extension = format!("ext-{}-x sha256:{oid}", random.below(12));
            let version = *random.pick(&[
                "https://git-lfs.github.com/spec/v1",
                "https://hawser.github.com/spec/v1",
                "http://git-media.io/v/2",
                "https://git-lfs.github.com/spec/v3",
            ]);
            let mut lines = vec![
                format!("version {version}"),
                format!("oid sha256:{oid}"),
                format!("size {}", 1 + random.below(99)),
            ];
            match random.below(9) {
                0 => lines.insert(random.below(4), extension),
                1 => lines.insert(random.below(4), String::new()),
                2 => lines.insert(random.below(4), "note x".into()),
                3 => lines.swap(0, 1 + random.below(2)),
                4 => drop(lines.remove(random.below(3))),
                5 => lines[1] = lines[1].to_uppercase(),
                6 => {
                    lines[2] = format!(
                        "size {}",
                        random.pick(&["x", "-1", "+1", "01", "9223372036854775808", " 1", "1 "])
                    )
                }
                _ => {}
            }
            let mut text = lines.join(*random.pick(&["\n", "\n", "\r\n", "\n\n"]));
            text += *random.pick(&["", "\n", "\n \n"]);
            let length = *random.pick(&[0, 0, 0, 1023, 1024]);
            text += &"\n".repeat(length.max(text.len()) - text.len());
            t.file(format!("r/p/{number}"), text);
            oids.insert(oid);
        }
        git(t, "r", "git add p && git commit -qm p").code(0);
        let listed = git(t, "r", "git lfs ls-files -l -I p").code(0);
        let listed: BTreeSet<String> =
            String::from_utf8_lossy(listed.stdout()).lines().map(|line| line[..64].to_owned()).collect();
        let missing = t.run("check --store git-lfs r").code(1);
        let missing: BTreeSet<String> =
            lines(&missing, ": MISSING").iter().map(|path| path[path.len() - 64..].to_owned()).collect();
        assert_eq!(missing, listed);
        assert!(missing.len() > 30 && missing.len() < 120 && missing.is_subset(&oids), "{}", missing.len());
    }
);

case!(
    #[ignore = "campaign: takes long"]
    what_is_wrong_with_a_repository_is_told,
    |t| {
        if !repository(t, "sha1") {
            return;
        }
        let check = "check --store git-lfs r";
        let wrong = |change: &str, why: &str| {
            t.shell("rm -rf kept && cp -a r kept").code(0);
            git(t, "r", change).code(0);
            t.run(check).code(2).prints("r/.git/HEAD: FAILED open or read\n").says(why);
            t.shell("rm -rf r && mv kept r").code(0);
        };
        let loose = |object: &str| {
            format!("f=.git/objects/$(git rev-parse {object} | sed 's,..,&/,') && chmod u+w $f")
        };
        // Objects in the places of others, of which each is a right one.
        let other = "o=.git/objects/$(echo no pointer | git hash-object -w --stdin | sed 's,..,&/,')";
        wrong(&format!("{} && {other} && cp $o $f", loose("HEAD:a.bin")), "is no blob, or damaged");
        wrong(&format!("{} && {other} && cp $o $f", loose("HEAD:")), "is no tree, or damaged");
        wrong(&format!("{} && {other} && cp $o $f", loose("HEAD")), "is no commit, or damaged");
        // Pointers that can be read are compared all the same.
        let missing = object(t, "r", "HEAD:d/b.bin");
        t.shell("cp -a r kept").code(0);
        git(t, "r", &format!("{} && rm -f $f .git/lfs/objects/{missing}", loose("HEAD:a.bin"))).code(0);
        t.run(check).code(2).prints(format!("{missing}: MISSING\n")).says("is not there");
        t.shell("rm -rf r && mv kept r").code(0);
        wrong("mkdir .git/reftable && echo ref: refs/heads/.invalid > .git/HEAD", "reftable");
        wrong(
            "mv .git/lfs/objects there && ln -s ../../there .git/lfs/objects",
            "name the one to which a link leads",
        );
        wrong("echo ref: refs/heads/../../HEAD > .git/HEAD", "lead nowhere");
        wrong("echo ref: HEAD > .git/HEAD", "lead nowhere");
        wrong(": > $(git rev-parse --symbolic-full-name HEAD | sed s,^,.git/,)", "is no reference");
        wrong("rm -rf .git/objects/info && ln -s nowhere .git/objects/info", "objects");
        // A folder of the work tree is not the store, if the repository has none.
        t.shell("cp -a r/.git/lfs/objects r/objects && rm -rf r/.git/lfs").code(0);
        t.run(check).code(1).says("2 objects missing");
        // A work tree whose repository is elsewhere.
        t.file("w/.git", "gitdir: ../r/.git\n")
            .run("check --store git-lfs w")
            .code(1)
            .says("2 objects missing");
        t.file("w/.git", "gitdir: ../nowhere\n")
            .run("check --store git-lfs w")
            .code(2)
            .says("cannot read the pointers");
        t.file("w/.git", "nothing\n").run("check --store git-lfs w").code(64);
    }
);
