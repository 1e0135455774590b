//! `hashmill check --store` and `--name-is`: stores that the real programs made, damaged, and compared with what these
//! programs say of them.

use crate::case;
use crate::util::{Place, Ran, is_root};
use hashmill_digest::{find, hash};
use hashmill_testing::{all_installed, had_modules, not_possible, python};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Flips a bit in the middle of a file.
fn damage(t: &Place, name: &str) {
    let mut bytes = t.read(name);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    // Programs write-protect their objects.
    fs::remove_file(t.path(name)).unwrap();
    t.file(name, bytes);
}

/// Returns the files below a folder whose path has this part, in order.
fn files(t: &Place, folder: &str, part: &str) -> Vec<String> {
    let found = t.shell(&format!("find {folder} -type f | LC_ALL=C sort")).code(0);
    let text = String::from_utf8(found.stdout().to_vec()).unwrap();
    text.lines().filter(|line| line.contains(part)).map(str::to_owned).collect()
}

/// Returns the paths of each category that matters.
#[track_caller]
fn found(ran: &Ran) -> Vec<(String, String)> {
    let entries = ran.json()["entries"].as_array().unwrap().clone();
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let told = |entry: &&Value| !["matched", "not_compared"].contains(&entry["category"].as_str().unwrap());
    entries.iter().filter(told).map(|entry| (text(entry, "category"), text(entry, "path"))).collect()
}

#[track_caller]
fn finds(ran: &Ran, wanted: &[(&str, &str)]) {
    let found = found(ran);
    let found: Vec<(&str, &str)> = found.iter().map(|(word, path)| (&**word, &**path)).collect();
    assert_eq!(found, wanted, "{}", ran.stderr());
}

/// Runs the library that owns the layout of a cache; none if it is not installed.
fn caches(t: &Place, args: &str) -> Option<Ran> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(python()?);
    command.arg(root.join("tests/peers/caches.py")).args(args.split_whitespace()).current_dir(t.path(""));
    command.env("HF_HUB_OFFLINE", "1");
    let output = command.output().unwrap();
    if !had_modules(&output.stderr) {
        return None;
    }
    Some(Ran::new(args, output))
}

case!(names_are_digests_with_and_without_folders, |t| {
    t.file("s/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc");
    t.file("s/x/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.txt", "abc");
    t.run("check --name-is sha256 s").code(0).prints(": OK\n").quiet();
    t.file("s/ba/0000bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc").file("s/README", "");
    let ran = t.run("check --name-is sha256 -v s").code(1);
    let ran = ran.prints("15ad: FAILED\n").prints("s/README: SUPERFLUOUS\n");
    ran.says("sha256: should be ba0000bf").says("WARNING: 1 object did NOT match its name");
    t.run("check --name-is sha256 -q s").code(1).is(concat!(
        "s/README: SUPERFLUOUS\n",
        "s/ba/0000bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad: FAILED\n"
    ));
    t.run("check --name-is sha256 --status s").code(1).is("").quiet();
    let ran = t.run("check --name-is sha256 -f json s").code(1);
    assert_eq!(ran.json()["counts"]["matched"], 2);
    assert_eq!(ran.json()["store"]["name_is"], "sha256");
    finds(
        &ran,
        &[
            ("new", "s/README"),
            ("changed", "s/ba/0000bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ],
    );
});

case!(
    #[ignore = "campaign: takes long"]
    results_are_the_same_for_any_number_of_threads,
    |t| {
        for number in 0..300_u32 {
            let text = number.to_string().repeat(number as usize * 10);
            t.file("f", &text);
            let ran = t.run("hash -c md5 -f sums f").code(0);
            let name = String::from_utf8(ran.stdout()[..32].to_vec()).unwrap();
            t.file(format!("s/{}/{}", &name[..2], &name[2..]), if number % 50 == 7 { "x" } else { &text });
        }
        let first = t.run("check --name-is md5 -j1 s").code(1);
        assert_eq!(String::from_utf8_lossy(first.stdout()).matches(": FAILED\n").count(), 6);
        t.run("check --name-is md5 -j4 s").code(1).is(first.stdout());
    }
);

case!(a_wrong_folder_is_no_store, |t| {
    t.file("d/a", "1").file("empty/.keep", "");
    for kind in ["oci", "restic", "git", "ostree"] {
        t.run(&format!("check --store {kind} d")).code(64).is("").says("d: is no store of kind");
    }
    t.run("check --store oci nosuch").code(64).says("nosuch: cannot list");
    t.run("check --store oci s3://bucket/").code(64).says("from a folder only");
    t.run("check --store borg d").code(64).says("borg");
    t.run("check --store oci").code(64).says("name the folder");
    t.run("check --store oci --new d").code(64).says("--new");
    t.run("check --name-is blake3-keyed d").code(64).says("key");
    t.run("check --store git-lfs d").code(1).says("no object was verified");
});

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

case!(sizes_and_layers_elsewhere_are_told_of_an_image, |t| {
    let digest = |name: &str| {
        let ran = t.run(&format!("hash -c sha256 -f sums {name}")).code(0);
        String::from_utf8_lossy(ran.stdout())[..64].to_owned()
    };
    let place = |layers: &str| {
        t.file("m", format!(r#"{{"config":{{"digest":"sha256:{ABC}","size":3}},"layers":[{layers}]}}"#));
        t.shell("rm -rf o; mkdir -p o/blobs/sha256").code(0);
        let name = digest("m");
        t.file(format!("o/blobs/sha256/{ABC}"), "abc").file(format!("o/blobs/sha256/{name}"), t.read("m"));
        t.file("o/oci-layout", "{}").file("o/index.json", format!(
            r#"{{"manifests":[{{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:{name}"}}]}}"#
        ));
        t.run("check --store oci o")
    };
    place("").code(0);
    place(&format!(r#"{{"digest":"sha256:{ABC}","size":4}}"#)).code(1).says("has 3 bytes, and");
    let elsewhere = format!(r#"{{"digest":"sha256:{}","size":4,"urls":["https://h/x"]}}"#, "0".repeat(64));
    place(&elsewhere).code(2).says("is not there, and was not checked").prints("UNSUPPORTED");
    place(&format!(r#"{{"digest":"sha256:{ABC}","size":3,"urls":["https://h/x"]}}"#)).code(0);
});

case!(a_link_to_a_part_of_a_download_leads_to_no_object, |t| {
    t.file(format!("h/models--a--b/blobs/{ABC}"), "abc");
    t.file(format!("h/models--a--b/blobs/{ABC}.incomplete"), "ab");
    t.file("h/models--a--b/refs/main", "1".repeat(40));
    let snapshot = format!("h/models--a--b/snapshots/{}", "1".repeat(40));
    t.shell(&format!("mkdir -p {snapshot}; ln -s ../../blobs/{ABC} {snapshot}/x")).code(0);
    t.run("check --store huggingface h").code(0);
    for ending in ["incomplete", "lock"] {
        t.shell(&format!("ln -sfn ../../blobs/{ABC}.{ending} {snapshot}/y")).code(0);
        t.run("check --store huggingface h")
            .code(2)
            .prints("y: UNSUPPORTED")
            .says("does not lead to an object");
    }
});

case!(all_members_of_a_compressed_object_are_hashed, |t| {
    // The digest is that of the first member alone.
    t.file("a", "abc").file("b", "def");
    let name = t.run("hash -c sha1 -f jsonl a").code(0).json()["sha1"].as_str().unwrap().to_owned();
    let object = format!("s/{}/{name}", &name[..2]);
    t.shell(&format!("mkdir -p s/{}; gzip -c a > {object}", &name[..2])).code(0);
    t.run("check --store swh s").code(0);
    t.shell(&format!("gzip -c b >> {object}")).code(0);
    t.run("check --store swh s").code(1).prints(format!("{object}: FAILED"));
});

case!(links_and_devices_in_a_store_are_told, |t| {
    let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    t.file("outside", "abc").file("s/x/.keep", "").link(&format!("s/{name}"), "../outside");
    t.fifo(&format!("s/x/{name}")).remove("s/x/.keep").link("s/other", "..");
    let ran = t.run("check --name-is sha256 s").code(2);
    let ran = ran.prints(format!("s/{name}: FAILED open or read\n")).prints("s/other: SUPERFLUOUS\n");
    ran.says("symbolic link, which is not followed").prints(format!("s/x/{name}: FAILED open or read\n"));
});

case!(a_folder_that_can_not_be_listed_is_told_once, |t| {
    if is_root() {
        return not_possible("being refused as root");
    }
    let (sha1, sha256) = ("a".repeat(40), "b".repeat(64));
    t.file(format!("s/{sha1}"), "").file(format!("s/{sha256}"), "").file("s/00/x", "");
    t.shell("chmod 0 s/00").code(0);
    let ran = t.run("check --store swh s").code(2);
    assert_eq!(ran.stderr().matches("s/00: cannot list").count(), 1, "{}", ran.stderr());
    t.shell("chmod 700 s/00").code(0);
});

case!(
    #[ignore = "campaign: needs git-lfs"]
    git_lfs_finds_what_we_find,
    |t| {
        if t.other("git-lfs", "version").is_none() {
            return;
        }
        let init = "export HOME=$PWD && git init -q r && cd r && git config user.email a@b && git config user.name a \
                && git lfs install --local && git lfs track '*.bin' && seq 20000 > a.bin && echo 2 > b.bin && \
                echo 3 > c.bin && git add . && git commit -qm x && git lfs fsck";
        t.shell(init).code(0);
        let ran = t.run("check --store git-lfs r").code(0).quiet();
        assert_eq!(String::from_utf8_lossy(ran.stdout()).lines().count(), 3);
        for folder in ["r/.git", "r/.git/lfs", "r/.git/lfs/objects"] {
            t.run(&format!("check --store git-lfs {folder}")).code(0).quiet();
        }
        let objects = files(t, "r/.git/lfs/objects", "/objects/");
        damage(t, &objects[0]);
        t.file("r/.git/lfs/objects/ab/note", "");
        let ran = t.run("check --store git-lfs -f json r").code(1);
        let mut wanted = [("changed", &*objects[0]), ("new", "r/.git/lfs/objects/ab/note")];
        wanted.sort_by_key(|(_, path)| path.to_string());
        finds(&ran, &wanted);
        let fsck = t.shell("export HOME=$PWD && cd r && git lfs fsck --objects --dry-run").code(1);
        let name = objects[0].rsplit('/').next().unwrap();
        fsck.prints(name);
    }
);

case!(
    #[ignore = "campaign: takes long"]
    pointers_of_git_lfs_name_objects,
    |t| {
        if t.other("git-lfs", "version").is_none() {
            return;
        }
        let git = |line: &str| t.shell(&format!("export HOME=$PWD && cd r && {line}"));
        for format in ["sha1", "sha256"] {
            t.shell(&format!("rm -rf r && git init -q --object-format={format} r")).code(0);
            git("git config user.email a@b && git config user.name a && git lfs install --local && git lfs track '*.bin'").code(0);
            git("mkdir -p d/e && seq 5000 > d/e/a.bin && echo 2 > b.bin && seq 3000 > plain && ln -s plain l.bin && git add . && git commit -qm x")
            .code(0);
            git("seq 5001 > d/e/a.bin && cp d/e/a.bin again.bin && echo more >> plain && git add . && git commit -qm y").code(0);
            let pointer = git("git show HEAD:d/e/a.bin").code(0);
            let pointer = String::from_utf8_lossy(pointer.stdout()).into_owned();
            let oid = pointer.split("sha256:").nth(1).unwrap()[..64].to_owned();
            let object = format!("r/.git/lfs/objects/{}/{}/{oid}", &oid[..2], &oid[2..4]);
            let kept = t.read(&object);
            for step in [
                "true",
                "git repack -adfq && git pack-refs --all",
                "git gc -q --prune=now && git checkout -q --detach",
            ] {
                git(step).code(0);
                t.run("check --store git-lfs r").code(0).quiet();
                t.remove(&object);
                let ran = t.run("check --store git-lfs r").code(1).prints(format!("{object}: MISSING\n"));
                ran.says("HEAD:").says(".bin names it").says("1 object missing");
                git("git lfs fsck --objects").code(1).prints(&oid);
                // Only the last commit counts, and a store without its repository has none.
                t.run("check --store git-lfs r/.git").code(1);
                t.run("check --store git-lfs r/.git/lfs").code(0);
                t.file(&object, &kept);
            }
            // The tree of HEAD is not there.
            let pack = of_pack(t, ".pack");
            let whole = t.read(&pack);
            t.remove(&pack).file(&pack, &whole[..whole.len() - 30]);
            let ran = t.run("check --store git-lfs r").code(2).prints("r/.git/HEAD: FAILED open or read\n");
            ran.says("cannot read the pointers of Git LFS");
            t.shell("rm -rf r/.git/objects/pack/*").code(0);
            t.run("check --store git-lfs r").code(2).says("cannot read the object");
            t.file("r/.git/HEAD", "ref: refs/heads/unborn\n");
            t.run("check --store git-lfs r").code(0);
            t.file("r/.git/HEAD", "ref: ../../../etc/passwd\n");
            t.run("check --store git-lfs r").code(2).says("lead nowhere");
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    hugging_faces_cache_is_read_by_its_links,
    |t| {
        if caches(t, "huggingface make c").is_none() {
            return;
        }
        caches(t, "huggingface check c").unwrap().code(0);
        let ran = t.run("check --store huggingface c").code(0).says("not compared: 1 file of the store");
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), 3);
        t.run("check --store huggingface c/models--own--model").code(0);
        let blobs = files(t, "c", "/blobs/");
        damage(t, &blobs[0]);
        let gone = &blobs[1];
        t.remove(gone).file("c/models--own--model/blobs/note", "");
        let orphan = format!("c/models--own--model/blobs/{}", "0".repeat(40));
        t.file(&orphan, "");
        let ran = t.run("check --store huggingface -f json c").code(1);
        let mut wanted =
            vec![("changed", &*blobs[0]), ("changed", &*orphan), ("new", "c/models--own--model/blobs/note")];
        wanted.push(("missing", gone));
        let mut told = found(&ran);
        told.sort();
        wanted.sort();
        let told: Vec<(&str, &str)> = told.iter().map(|(word, path)| (&**word, &**path)).collect();
        assert_eq!(told, wanted);
        caches(t, "huggingface check c").unwrap().code(1).prints("Blob missing");
        t.run("check --store huggingface c").code(1).says("model").says("names it");
        // A snapshot that a reference names, and links that lead elsewhere.
        let snapshot = format!("c/models--own--model/snapshots/{}", "1".repeat(40));
        fs::remove_dir_all(t.path(&snapshot)).unwrap();
        let ran = t.run("check --store huggingface c").code(1);
        let ran = ran.prints(format!("{snapshot}: MISSING\n"));
        ran.prints(format!("{}: SUPERFLUOUS\n", blobs[2]));
        t.link(&format!("c/models--own--model/snapshots/{}", "1".repeat(40)), "/");
        t.run("check --store huggingface c").code(2).says("does not lead to an object");
    }
);

case!(
    #[ignore = "campaign: needs Python's packages"]
    dvc_finds_what_we_find,
    |t| {
        if caches(t, "dvc make c").is_none() {
            return;
        }
        let ran = t.run("check --store dvc c").code(0);
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), 4);
        let objects = files(t, "c", "/md5/");
        let (list, rest): (Vec<&String>, Vec<&String>) =
            objects.iter().partition(|name| name.ends_with(".dir"));
        damage(t, rest[0]);
        t.remove(rest[1]).file("c/files/md5/note", "");
        let mut wanted = [("changed", &**rest[0]), ("missing", rest[1]), ("new", "c/files/md5/note")];
        wanted.sort();
        let mut told = found(&t.run("check --store dvc -f json c").code(1));
        told.sort();
        assert_eq!(told.iter().map(|(word, path)| (&**word, &**path)).collect::<Vec<_>>(), wanted);
        caches(t, "dvc check c").unwrap().code(1).prints("is corrupted");
        damage(t, list[0]);
        t.run("check --store dvc c").code(1).prints(format!("{}: FAILED\n", list[0]));
    }
);

case!(
    #[ignore = "campaign: needs umoci"]
    blobs_of_an_image_are_those_that_its_manifests_name,
    |t| {
        if t.other("umoci", "--version").is_none() {
            return;
        }
        t.shell(
            "umoci init --layout o && umoci new --image o:x && seq 9999 > f && umoci insert --image o:x f /f",
        )
        .code(0);
        // The image before the file was added is still there.
        let ran = t.run("check --store oci -f json o").code(1);
        assert_eq!(ran.json()["counts"]["new"], 2);
        t.shell("umoci gc --layout o").code(0);
        let ran = t.run("check --store oci o").code(0);
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), 3);
        if let Some(copied) = t.other("skopeo", "copy -q oci:o:x oci:copy:x") {
            copied.code(0);
            t.run("check --store oci copy").code(0);
        }
        let blobs = files(t, "o", "/blobs/");
        let layer = blobs.iter().find(|name| t.read(name).starts_with(b"\x1f\x8b")).unwrap();
        let config = blobs.iter().find(|name| t.read(name).starts_with(b"{\"created\"")).unwrap();
        damage(t, layer);
        t.remove(config).file("o/blobs/sha256/note", "");
        let mut wanted = [("changed", &**layer), ("missing", config), ("new", "o/blobs/sha256/note")];
        wanted.sort();
        let mut told = found(&t.run("check --store oci -f json o").code(1));
        told.sort();
        assert_eq!(told.iter().map(|(word, path)| (&**word, &**path)).collect::<Vec<_>>(), wanted);
        if let Some(copied) = t.other("skopeo", "copy -q oci:o:x oci:again:x") {
            copied.code(1);
        }
        t.file("o/index.json", "{\"manifests\":[{\"digest\":\"sha256:../../../etc/passwd\"}]}");
        t.run("check --store oci o").code(2).prints("o/index.json: FAILED open or read\n").says("digest");
    }
);

case!(
    #[ignore = "campaign: takes long"]
    restic_finds_what_we_find,
    |t| {
        if t.other("restic", "version").is_none() {
            return;
        }
        let run = |args: &str| t.shell(&format!("RESTIC_PASSWORD=x restic --no-cache -q -r r {args}"));
        t.shell("seq 99999 > f && head -c 300000 /dev/zero > z").code(0);
        run("init").code(0);
        run("backup f z").code(0);
        run("check --read-data").code(0);
        t.run("check --store restic r").code(0).prints("r/keys/").prints("r/snapshots/").prints("r/index/");
        let packs = files(t, "r/data", "/data/");
        damage(t, &packs[0]);
        t.file("r/data/00/note", "");
        let mut wanted = [("changed", &*packs[0]), ("new", "r/data/00/note")];
        wanted.sort();
        let mut told = found(&t.run("check --store restic -f json r").code(1));
        told.sort();
        assert_eq!(told.iter().map(|(word, path)| (&**word, &**path)).collect::<Vec<_>>(), wanted);
        run("check --read-data").code(1).says(&packs[0].rsplit('/').next().unwrap()[..8]);
    }
);

case!(git_finds_what_we_find, |t| {
    for format in ["sha1", "sha256"] {
        let repository = format!("r-{format}");
        let git = |line: &str| {
            t.shell(&format!(
                "export HOME=$PWD && cd {repository} && git -c user.email=a@b -c user.name=a {line}"
            ))
        };
        t.shell(&format!("git init -q --object-format={format} {repository} && cd {repository} && seq 9999 > a && mkdir d && echo 2 > d/b && ln -s a l"))
            .code(0);
        git("add .").code(0);
        git("commit -qm x").code(0);
        let check = format!("check --store git {repository}");
        let ran = t.run(&check).code(0).quiet();
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), 6);
        let loose = files(t, &format!("{repository}/.git/objects"), "/objects/");
        for (number, object) in loose.iter().enumerate() {
            let whole = t.read(object);
            damage(t, object);
            t.run(&check).code(1).prints(format!("{object}: FAILED\n"));
            assert_ne!(git("fsck --full").exit(), Some(0));
            if number == 0 {
                t.file(object, &whole[..whole.len() - 3]).run(&check).code(1);
                t.file(object, [&whole[..], b"x"].concat()).run(&check).code(1);
                assert_ne!(git("fsck --full").exit(), Some(0));
                t.file(object, "").run(&check).code(1).prints(format!("{object}: FAILED\n"));
            }
            t.file(object, whole);
        }
        t.run(&check).code(0);
        git("repack -adq --write-bitmap-index").code(0);
        git("prune-packed").code(0);
        let ran = t.run(&check).code(0);
        assert!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count() >= 2);
        for ending in [".pack", ".idx"] {
            let file = files(t, &format!("{repository}/.git/objects/pack"), ending).remove(0);
            let whole = t.read(&file);
            damage(t, &file);
            t.run(&check).code(1).prints(format!("{file}: FAILED\n"));
            assert_ne!(git("fsck --full").exit(), Some(0));
            t.remove(&file);
            t.run(&check).code(1).prints(format!("{file}: MISSING\n"));
            t.file(&file, whole);
        }
        t.file(format!("{repository}/.git/objects/pack/tmp_pack_x"), "");
        t.run(&check).code(1).prints("tmp_pack_x: SUPERFLUOUS\n");
    }
});

/// Makes a repository with long chains of deltas, in one pack, which is the same at any time.
const HISTORY: &str = "export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000' && \
    git init -q --object-format=FORMAT r && cd r && git config user.email a@b && git config user.name a && \
    seq 5000 > a && for i in $(seq 30); do echo $i >> a; sed -i \"$((i * 150))s/^/x$i/\" a; echo $i > b$i; git add . && \
    git commit -qm $i; done && git tag -am note v1 && git OPTIONS repack -adfq --depth=60 --window=60 && git prune-packed";

/// Returns the only file of the packs with this ending.
fn of_pack(t: &Place, ending: &str) -> String {
    files(t, "r/.git/objects/pack", ending).remove(0)
}

/// Changes a pack or an index, and writes the digests at the ends of both as they must be.
fn rewrite(t: &Place, algorithm: &str, change: &dyn Fn(&mut Vec<u8>, &mut Vec<u8>)) {
    let (pack_path, index_path) = (of_pack(t, ".pack"), of_pack(t, ".idx"));
    let (mut pack, mut index) = (t.read(&pack_path), t.read(&index_path));
    change(&mut pack, &mut index);
    let algorithm = find(algorithm).unwrap();
    let digest = algorithm.bits as usize / 8;
    let end = pack.len() - digest;
    let of_pack = hash(algorithm, &pack[..end]);
    pack[end..].copy_from_slice(of_pack.as_bytes());
    let end = index.len() - digest;
    index[end - digest..end].copy_from_slice(of_pack.as_bytes());
    let of_index = hash(algorithm, &index[..end]);
    index[end..].copy_from_slice(of_index.as_bytes());
    for (path, bytes) in [(pack_path, pack), (index_path, index)] {
        t.remove(&path).file(&path, bytes);
    }
}

case!(
    #[ignore = "campaign: takes long"]
    objects_in_packs_are_unpacked_as_git_does,
    |t| {
        let check = "check --store git r";
        for (format, options) in [
            ("sha1", ""),
            ("sha256", ""),
            ("sha1", "-c repack.usedeltabaseoffset=false"),
            ("sha1", "-c pack.indexversion=1"),
        ] {
            t.shell(&format!(
                "rm -rf r && {}",
                HISTORY.replace("FORMAT", format).replace("OPTIONS", options)
            ))
            .code(0);
            let git = |line: &str| t.shell(&format!("cd r && git {line}"));
            let counted = git("count-objects -v").code(0);
            let counted = String::from_utf8_lossy(counted.stdout()).into_owned();
            let number = counted.lines().find_map(|line| line.strip_prefix("in-pack: ")).unwrap();
            t.run(check).code(0).says(&format!("verified in packs: {number} objects"));
            t.run(&format!("{check} -j 3 -m 4M"))
                .code(0)
                .says(&format!("verified in packs: {number} objects"));
            let ran = t.run(&format!("{check} -f json")).code(0);
            assert_eq!(ran.json()["store"]["packed_objects"].to_string(), *number);
            t.shell("rm -rf kept && cp -a r kept").code(0);
            // Returns whether the change is found, by git as well, and what we said.
            let judged = |change: &dyn Fn(&mut Vec<u8>, &mut Vec<u8>), what: &str| {
                rewrite(t, format, change);
                let ran = t.run(check);
                let refuses = |line: &str| git(line).exit() != Some(0);
                let by_git = refuses("fsck --full") || refuses("verify-pack .git/objects/pack/*.idx");
                let is_found = ran.exit() != Some(0);
                assert_eq!(is_found, by_git, "{what}: {}", ran.stderr());
                t.shell("rm -rf r && cp -a kept r").code(0);
                (is_found, String::from_utf8_lossy(ran.stdout()).into_owned() + &ran.stderr())
            };
            let wrong = |change: &dyn Fn(&mut Vec<u8>, &mut Vec<u8>), what: &str| {
                let (is_found, said) = judged(change, what);
                assert!(is_found, "{what}: {said}");
                said
            };
            // The digests at the ends of pack and index are right.
            let length = t.read(&of_pack(t, ".pack")).len();
            for at in (12..length - 40).step_by(length / 9) {
                // A bit behind the last block of compressed content has no meaning, and an old index no checksum of it.
                judged(&|pack, _| pack[at] ^= 0x10, &format!("byte {at} of the pack"));
            }
            let first = 8 + 1024 + 5 * format.len();
            let text = wrong(&|_, index| index[first] ^= 1, "a name or another part of the index");
            assert!(text.contains("FAILED"), "{text}");
            wrong(&|_, index| drop(index.splice(900..901, [0xff])), "the table of the index");
            wrong(&|pack, _| pack[7] = 9, "the version of the pack");
            wrong(&|pack, _| pack[11] ^= 1, "the number of objects");
            t.run(check).code(0);
        }
    }
);

case!(objects_in_packs_that_are_wrong_are_named, |t| {
    t.shell(&HISTORY.replace("FORMAT", "sha1").replace("OPTIONS", "")).code(0);
    let names =
        t.shell("cd r && cat .git/objects/pack/*.idx | git show-index | sort -k2 | cut -d' ' -f2").code(0);
    let names = String::from_utf8_lossy(names.stdout()).into_owned();
    let last = names.lines().last().unwrap().to_owned();
    let count = names.lines().count();
    // Names are in the index one after the other: the last byte of the last one.
    rewrite(t, "sha1", &|_, index| index[8 + 1024 + 20 * count - 1] ^= 1);
    let mut other = last.clone().into_bytes();
    let digit = other.pop().unwrap();
    let digit = u8::from_str_radix(str::from_utf8(&[digit]).unwrap(), 16).unwrap() ^ 1;
    other.extend(format!("{digit:x}").bytes());
    let other = String::from_utf8(other).unwrap();
    let pack = of_pack(t, ".pack");
    let ran = t.run("check --store git -f json r").code(1);
    finds(&ran, &[("changed", &pack), ("changed", &format!("{pack}!/{other}"))]);
    t.run("check --store git r").code(1).says(&format!("1 of its {count} objects are not right"));
    t.shell("cd r && git fsck --full").says(&other);
    t.remove(&pack);
    t.run("check --store git r").code(1).prints(format!("{pack}: MISSING\n"));
});

case!(deltas_of_large_objects_need_memory, |t| {
    t.shell("git init -q r && cd r && git config user.email a@b && git config user.name a && \
        seq 2000000 > a && git add a && git commit -qm 1 && echo x >> a && git commit -qam 2 && git repack -adfq")
        .code(0);
    t.run("check --store git r").code(0).says("verified in packs: 6 objects");
    let ran = t.run("check --store git -m 8M -j 2 r").code(2);
    let ran = ran.says("takes more memory than there is for it").prints(": UNSUPPORTED\n");
    ran.says("verified in packs: 5 objects");
    t.run("check --store git -m 40M -j 4 r").code(0);
});

case!(
    #[ignore = "campaign: needs ostree"]
    ostree_finds_what_we_find,
    |t| {
        if t.other("ostree", "--version").is_none() {
            return;
        }
        t.shell("mkdir -p t/d && seq 9999 > t/a && echo 2 > t/d/b && ln -s a t/l && : > t/empty").code(0);
        t.shell("ostree init --repo=o --mode=archive && ostree commit --repo=o -b main -s x t && ostree fsck --repo=o -q")
        .code(0);
        // The commit before it is no longer named by a reference.
        t.shell("echo 3 > t/d/b && ostree commit --repo=o -b main -s y t && ostree fsck --repo=o -q").code(0);
        let ran = t.run("check --store ostree o").code(0);
        let objects = files(t, "o/objects", "/objects/");
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), objects.len());
        let commit = String::from_utf8(t.read("o/refs/heads/main").trim_ascii().to_vec()).unwrap();
        let last = format!("o/objects/{}/{}.commit", &commit[..2], &commit[2..]);
        let of_kind = |kind: &str| objects.iter().rfind(|name| name.ends_with(kind)).unwrap();
        for object in [&last, of_kind(".dirtree"), of_kind(".dirmeta"), of_kind(".filez")] {
            let whole = t.read(object);
            damage(t, object);
            t.run("check --store ostree o").code(1).prints(format!("{object}: FAILED\n"));
            assert_ne!(t.shell("ostree fsck --repo=o -q").exit(), Some(0), "{object}");
            t.remove(object);
            t.run("check --store ostree o").code(1).prints(format!("{object}: MISSING\n"));
            assert_ne!(t.shell("ostree fsck --repo=o -q").exit(), Some(0), "{object}");
            t.file(object, whole);
        }
        t.file("o/objects/00/note", "");
        t.run("check --store ostree o").code(1).prints("o/objects/00/note: SUPERFLUOUS\n");
        // In mode bare-user-only, modes of files and links are part of the digests.
        t.shell("ostree init --repo=u --mode=bare-user-only && ostree pull-local --repo=u o main").code(0);
        let ran = t.run("check --store ostree u").code(0);
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), objects.len() - 4);
        t.shell("ostree init --repo=m --mode=archive && ostree pull-local --repo=m --commit-metadata-only o main && ls m/state")
        .code(0)
        .prints(".commitpartial");
        t.run("check --store ostree m").code(0).prints(".commit: OK\n");
        let link = t.shell("find u/objects -type l").code(0);
        let link = String::from_utf8(link.stdout().trim_ascii().to_vec()).unwrap();
        t.remove(&link).link(&link, "b");
        let file = files(t, "u/objects", ".file").remove(0);
        t.shell(&format!("chmod 711 {file}")).code(0);
        let ran = t.run("check --store ostree u").code(1).prints(format!("{link}: FAILED\n"));
        ran.prints(format!("{file}: FAILED\n"));
        assert_ne!(t.shell("ostree fsck --repo=u -q").exit(), Some(0));
        t.remove(&link).run("check --store ostree u").code(1).prints(format!("{link}: MISSING\n"));
        // In this mode, attributes are objects of their own.
        t.shell("sed -i s/bare-user-only/bare-split-xattrs/ u/config").code(0);
        t.run("check --store ostree u").code(2).prints(".file: UNSUPPORTED\n");
    }
);

/// Makes trees with random files, modes, links and attributes.
const ATTRIBUTES: &str = r#"
import os, random
chosen = random.Random(39)
is_root = os.geteuid() == 0
os.makedirs("t/d")
for number in range(40):
    path = f"t/d/{number}"
    if number % 5 == 4:
        os.symlink("x" * chosen.choice([1, 4, 200, 300]) + str(number), path)
        if is_root and chosen.random() < 0.5:
            os.setxattr(path, "trusted.note", bytes(chosen.randbytes(chosen.choice([0, 3, 300]))), follow_symlinks=False)
    else:
        with open(path, "wb") as file:
            file.write(chosen.randbytes(chosen.choice([0, 1, 5000])))
        os.chmod(path, chosen.choice([0o644, 0o755, 0o600, 0o4755]))
        for name in chosen.sample(["user.a", "user.zz", "user.b"], chosen.randrange(4)):
            os.setxattr(path, name, chosen.randbytes(chosen.choice([0, 1, 240, 600])))
    if is_root:
        os.lchown(path, chosen.choice([0, 1000, 70000]), chosen.choice([0, 5]))
        if number % 5 != 4:
            os.chmod(path, chosen.choice([0o644, 0o4755]))
"#;

/// Damages that a repository in which files lie as they are can have, with the modes that know it.
const DAMAGES: [(&str, &str); 6] = [
    ("chmod 0711 FILE", "bare bare-user-only"),
    ("chown 77 FILE", "bare"),
    ("python3 -c \"import os; os.setxattr('FILE', 'user.new', b'1')\"", "bare"),
    ("python3 -c \"import os; os.setxattr('FILE', 'user.ostreemeta', bytes(12))\"", "bare bare-user"),
    ("python3 -c \"import os; os.removexattr('FILE', 'user.ostreemeta')\"", "bare-user"),
    ("ln -sf other LINK", "bare bare-user-only"),
];

case!(
    #[ignore = "campaign: takes long"]
    files_of_ostree_have_owners_modes_and_attributes,
    |t| {
        t.file("attributes.py", ATTRIBUTES);
        if !all_installed(&["ostree", "python3"]) {
            return;
        }
        if t.shell("python3 attributes.py").exit() != Some(0) {
            return not_possible("setting extended attributes");
        }
        for mode in ["bare", "bare-user", "bare-user-only"] {
            let canonical =
                if mode == "bare-user-only" { " --canonical-permissions --no-xattrs" } else { "" };
            t.shell(&format!(
                "ostree init --repo={mode} --mode={mode} && ostree commit --repo={mode} -b main t{canonical}"
            ))
            .code(0);
            let fsck = || t.shell(&format!("ostree fsck --repo={mode} -q"));
            let check = format!("check --store ostree {mode}");
            fsck().code(0);
            let ran = t.run(&check).code(0).quiet_about("UNSUPPORTED");
            assert!(String::from_utf8_lossy(ran.stdout()).matches(".file: OK\n").count() >= 25, "{mode}");
            let objects =
                t.shell(&format!("find {mode}/objects -name '*.file' -type f -size +1 | sort")).code(0);
            let file = String::from_utf8_lossy(objects.stdout()).lines().next().unwrap().to_owned();
            let links = t.shell(&format!("find {mode}/objects -type l | sort")).code(0);
            let link = String::from_utf8_lossy(links.stdout()).lines().next().unwrap_or("none").to_owned();
            let kept = format!("cp -a {file} kept && cp -a {link} kept-link; true");
            let restore = format!(
                "rm -f {file} && cp -a kept {file} && [ {link} = none ] || {{ rm {link}; cp -a kept-link {link}; }}"
            );
            for (damage, known) in DAMAGES {
                if !known.split(' ').any(|known| known == mode) || damage.starts_with("chown") && !is_root() {
                    continue;
                }
                t.shell(&kept).code(0);
                t.shell(&damage.replace("FILE", &file).replace("LINK", &link)).code(0);
                let object = if damage.contains("LINK") { &link } else { &file };
                t.run(&check).code(1).prints(format!("{object}: FAILED\n"));
                assert_ne!(fsck().exit(), Some(0), "{mode}: {damage}");
                t.shell(&restore).code(0);
            }
            t.run(&check).code(0);
            fsck().code(0);
            // The content of a file, and of a link that is a file. The attributes stay.
            let all =
                t.shell(&format!("find {mode}/objects -name '*.file' -type f ! -size 0 | sort")).code(0);
            for object in String::from_utf8_lossy(all.stdout()).lines().step_by(4) {
                t.shell(&format!("cp -a {object} kept && chmod u+w {object} && printf '\\001' | dd of={object} conv=notrunc status=none && chmod --reference=kept {object}"))
                .code(0);
                t.run(&check).code(1).prints(format!("{object}: FAILED\n"));
                assert_ne!(fsck().exit(), Some(0), "{mode}: {object}");
                t.shell(&format!("rm -f {object} && mv kept {object}")).code(0);
            }
            fsck().code(0);
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    contents_of_software_heritage_are_decompressed,
    |t| {
        for compression in ["none", "gzip", "zlib"] {
            let folder = format!("c-{compression}");
            if caches(t, &format!("swh make {folder} compression={compression}")).is_none() {
                return;
            }
            caches(t, &format!("swh check {folder} compression={compression}")).unwrap().code(0);
            let check = format!("check --store swh {folder}");
            let ran = t.run(&check).code(0).quiet();
            assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), 3);
            let objects = files(t, &folder, "/");
            damage(t, &objects[0]);
            t.file(format!("{folder}/00/{}", "1".repeat(40)), "");
            let ran = t.run(&check).code(1);
            ran.prints(format!("{}: FAILED\n", objects[0])).prints("11111: SUPERFLUOUS\n");
            caches(t, &format!("swh check {folder} compression={compression}")).unwrap().code(1);
        }
    }
);

case!(
    #[ignore = "campaign: needs nix-store"]
    nix_finds_what_we_find,
    |t| {
        if t.other("nix-store", "--version").is_none() {
            return;
        }
        t.shell("mkdir -p src/d && seq 99999 > src/a && echo '#!/bin/sh' > src/d/x && chmod +x src/d/x && ln -s a src/l").code(0);
        t.shell(": > src/empty && echo 1 > plain && nix-store --store $PWD/n --add src && nix-store --store $PWD/n --add plain")
        .code(0);
        let verify = || t.shell("nix-store --store $PWD/n --verify --check-contents");
        verify().code(0);
        for folder in ["n", "n/nix"] {
            let ran = t.run(&format!("check --store nix {folder}")).code(0);
            assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": OK\n").count(), 2);
        }
        let at = |name: &str| {
            let found = t.shell(&format!("ls -d n/nix/store/*-{name}")).code(0);
            String::from_utf8(found.stdout().trim_ascii().to_vec()).unwrap()
        };
        let (source, plain) = (at("src"), at("plain"));
        t.shell(&format!("chmod -R u+w {source} {plain}")).code(0);
        let wrong = |change: &str| {
            t.shell(&format!("cp -a {source} kept && cd {source} && {change}")).code(0);
            t.run("check --store nix n").code(1).prints(format!("{source}: FAILED\n"));
            assert_ne!(verify().exit(), Some(0), "{change}");
            t.shell(&format!("rm -rf {source} && mv kept {source}")).code(0);
            t.run("check --store nix n").code(0);
        };
        wrong("sed -i s/777/778/ a");
        wrong("chmod -x d/x");
        wrong("ln -sfn b l");
        wrong("mv empty f");
        wrong("rm empty");
        wrong("mkfifo fifo");
        t.remove(&plain).file("n/nix/store/note", "");
        let ran = t.run("check --store nix n").code(1);
        ran.prints(format!("{plain}: MISSING\n")).prints("n/nix/store/note: SUPERFLUOUS\n");
    }
);

/// Writes an object of OCFL with one version of one file.
fn ocfl_object(t: &Place, folder: &str, text: &str) {
    let digest = |name: &str, bytes: &[u8]| hash(find(name).unwrap(), bytes).to_string();
    let key = digest("sha512", text.as_bytes());
    let version = serde_json::json!({ "created": "2020-01-02T03:04:05Z", "state": { &key: ["a"] } });
    let inventory = serde_json::json!({
        "id": format!("urn:{folder}"), "type": "https://ocfl.io/1.0/spec/#inventory", "digestAlgorithm": "sha512",
        "head": "v1", "manifest": { &key: ["v1/content/a"] }, "versions": { "v1": version },
        "fixity": { "md5": { digest("md5", text.as_bytes()): ["v1/content/a"] } },
    })
    .to_string();
    let line = format!("{} inventory.json\n", digest("sha512", inventory.as_bytes()));
    t.file(format!("{folder}/0=ocfl_object_1.0"), "ocfl_object_1.0\n")
        .file(format!("{folder}/v1/content/a"), text);
    for place in ["", "v1/"] {
        t.file(format!("{folder}/{place}inventory.json"), &inventory);
        t.file(format!("{folder}/{place}inventory.json.sha512"), &line);
    }
}

case!(objects_of_ocfl_are_as_their_inventories_say, |t| {
    t.file("s/0=ocfl_1.1", "ocfl_1.1\n").file("s/readme", "");
    for folder in ["s/x/y", "s/x/z", "s/w"] {
        ocfl_object(t, folder, folder);
    }
    let check = "check --store ocfl -f json s";
    let ran = t.run(check).code(0);
    assert_eq!(found(&ran), []);
    assert_eq!(ran.json()["counts"]["matched"], 19);
    assert_eq!(ran.json()["counts"]["not_compared"], 1);
    ran.says("s/w/inventory.json: W007: version v1 has no user; W007: version v1 has no message")
        .says("s: W015: has objects in its folder, and others below further folders");
    t.run("check -q --store ocfl s").code(0).quiet();
    t.run("check --store ocfl s/x/y").code(0).prints("s/x/y/v1/content/a: OK\n");

    damage(t, "s/x/y/v1/content/a");
    fs::remove_file(t.path("s/w/v1/content/a")).unwrap();
    t.file("s/x/z/v1/content/b", "").file("s/x/stray", "");
    fs::create_dir(t.path("s/x/empty")).unwrap();
    let ran = t.run(check).code(1);
    finds(
        &ran,
        &[
            ("missing", "s/w/v1/content/a"),
            ("changed", "s/x/y/v1/content/a"),
            ("new", "s/x/z/v1/content/b"),
            ("new", "s/x/empty"),
            ("new", "s/x/stray"),
        ],
    );
    ran.says("a: E093: not the md5 of inventory.json; E092: not the sha512 of inventory.json")
        .says("E023")
        .says("E073")
        .says("E072");
    t.run("check --store ocfl s/x").code(64).says("is no storage root or object of OCFL");
});

case!(links_in_objects_of_ocfl_are_not_followed, |t| {
    ocfl_object(t, "o", "text");
    t.file("a", "text");
    fs::remove_file(t.path("o/v1/content/a")).unwrap();
    std::os::unix::fs::symlink("../../../a", t.path("o/v1/content/a")).unwrap();
    t.run("check --store ocfl o")
        .code(2)
        .says("E090: is a symbolic link")
        .prints("o/v1/content/a: UNSUPPORTED\n");
});
