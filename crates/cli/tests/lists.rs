//! Lists of other programs: `check` and `audit` accept each and agree; files that are not lists get a message with
//! advice.

use crate::case;
use crate::util::Place;
use std::path::{Path, PathBuf};

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// Of `abcd`.
const OTHER: &str = "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589";

fn seed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name)
}

fn tree(t: &Place) -> &Place {
    t.file("tree/a", "abc").file("tree/b c", "abcd")
}

/// Returns a list of the tree in each form, by its name.
fn lists(t: &Place) -> Vec<(&'static str, String)> {
    let rule = format!("{} -------------  ------------", "-".repeat(64));
    let title = format!("{:64} {:>13}  Name", "SHA256", "Size");
    let rows = format!("{SHA256} {:>13}  tree/a\n{OTHER} {:>13}  tree/b c\n", 3, 4);
    let (a, b) = (t.path("tree/a"), t.path("tree/b c"));
    let dump = |path: &Path, size: usize, digest: &str| {
        format!("{} {size} 1767225600 {digest} 0100644 root root 0 0 0 X\n", path.display())
    };
    let object = |path: &str, hash: &str| {
        format!(
            "    {{\n        \"Algorithm\":  \"SHA256\",\n        \"Hash\":  \"{hash}\",\n        \"Path\":  \"{path}\"\n    }}"
        )
    };
    vec![
        (
            "7zip",
            format!(
                "\n7-Zip (z) 26.02 (x64)\n\nScanning\n\n{title}\n{rule}\n{rows}{rule}\nEverything is Ok\n"
            ),
        ),
        ("7zip without titles", rows),
        ("rpm", dump(&a, 3, SHA256) + &dump(&b, 4, OTHER)),
        (
            "git",
            "100644 f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f 0\ttree/a\n\
             100644 85df50785d62d3b05ab03d9cbf7e4a0b49449730 0\ttree/b c\n"
                .to_string(),
        ),
        (
            "debian",
            format!(
                "Package: a\nFilename: tree/a\nSize: 3\nMD5sum: {MD5}\nSHA256: {SHA256}\n\n\
                 Package: b\nFilename: tree/b c\nSize: 4\nSHA256: {OTHER}\n"
            ),
        ),
        ("json", format!("[\n{},\n{}\n]\n", object("tree/a", SHA256), object("tree/b c", OTHER))),
        (
            "json of a script",
            format!(
                "[{{\"path\":\"tree/a\",\"sha256\":\"{SHA256}\"}},{{\"path\":\"tree/b c\",\"sha256\":\"{OTHER}\"}}]"
            ),
        ),
        (
            "csv",
            format!(
                "\"Algorithm\";\"Hash\";\"Path\"\r\n\"SHA256\";\"{SHA256}\";\"tree/a\"\r\n\"SHA256\";\"{OTHER}\";\"tree/b c\"\r\n"
            ),
        ),
        ("csv in another order", format!("hash,path\n{SHA256},tree/a\n{OTHER},tree/b c\n")),
        ("csv with checksums", format!("PATH,CHECKSUM\ntree/a,{SHA256}\ntree/b c,{OTHER}\n")),
    ]
}

case!(
    #[ignore = "campaign: takes long"]
    check_and_audit_take_each_list_and_agree,
    |t| {
        tree(t);
        let lists = lists(t);
        // Lists of packages have absolute paths, as their tree has then.
        let absolute = t.path("tree").display().to_string();
        let operand = |name: &str| if name == "rpm" { absolute.clone() } else { "tree".to_string() };
        for (damage, code, matched) in
            [("abc", 0, "matched: 2"), ("abx", 1, "matched: 1"), ("abcdef", 1, "matched: 1")]
        {
            t.file("tree/a", damage);
            for (name, text) in &lists {
                t.file("list", text);
                t.run("check --quiet list").code(code);
                t.run(&format!("audit -k list {}", operand(name))).code(code).prints(matched);
            }
        }
        t.file("tree/a", "abc").remove("tree/b c");
        for (name, text) in &lists {
            t.file("list", text);
            assert_ne!(t.run("check --quiet list").exit(), Some(0), "{name}");
            t.run(&format!("audit -k list {}", operand(name))).code(1).prints("missing: 1");
        }
    }
);

case!(lists_of_other_programs_are_not_replaced, |t| {
    tree(t);
    for (name, text) in lists(t).iter().filter(|(name, _)| !name.starts_with("csv")) {
        t.file("list", text).run("hash -o list tree").code(64);
        assert_eq!(t.read("list"), text.as_bytes(), "{name}");
    }
});

case!(control_files_of_debian_are_checked_beside_their_files, |t| {
    t.file("a.deb", "abc");
    let control = format!(
        "Format: 1.0\nSource: a\nChecksums-Md5:\n {MD5} 3 a.deb\nChecksums-Sha256:\n {SHA256} 3 a.deb\n"
    );
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{control}\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\n"
    );
    for text in [&control, &signed] {
        t.file("a.buildinfo", text);
        t.run("check a.buildinfo").code(0).is("a.deb: OK\n");
        t.run("audit -k a.buildinfo a.deb").code(0).prints("matched: 1");
    }
    t.file("a.deb", "abx").run("check a.buildinfo").code(1).prints("a.deb: FAILED\n");
});

case!(links_and_submodules_of_an_index_are_named, |t| {
    t.file("a", "abc");
    let list = "100644 f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f 0\ta\n120000 2e65efe2a145dda7ee51d1741299f848e5bf752e 0\tl\n\
                160000 d8604ff2a297caf5a4e79690e7a800ded814c213 0\tsub\n100644 f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f 2\tu\n";
    t.file("list", list)
        .run("check list")
        .code(2)
        .is("a: OK\n")
        .says("l: not checked: a symbolic link, whose text the list has")
        .says("sub: not checked: a submodule")
        .says("u: not checked: in a merge that is not finished");
});

case!(what_is_said_of_a_list_is_about_its_program, |t| {
    t.file(
        "data.dvc",
        format!("outs:\n- md5: {MD5}.dir\n  size: 3\n  nfiles: 1\n  hash: md5\n  path: data\n"),
    );
    t.file("data/a", "abc");
    t.run("check data.dvc")
        .code(2)
        .says("data: not checked: a folder, whose files DVC lists")
        .quiet_about("git");
    t.file("dump", format!("/l 1 1767225600 {} 0120777 root root 0 0 0 a b\n", "0".repeat(64)));
    t.run("check dump").code(2).says("/l: not checked: a link or device").quiet_about("git");
});

case!(settings_are_no_lists, |t| {
    let buildinfo = seed("sniff/arch_buildinfo");
    for command in ["check", "audit -k"] {
        t.run(&format!("{command} {}", buildinfo.display())).code(64).says("not a manifest or digest list");
    }
});

case!(lists_of_packages_are_refused_with_what_to_do, |t| {
    t.file("bun.lock", "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {},\n  \"packages\": {}\n}\n");
    t.file("go.sum", "example.com/m v1.0.0 h1:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\n");
    for (list, advice) in
        [("bun.lock", "bun install --frozen-lockfile verifies them"), ("go.sum", "go mod verify reads it")]
    {
        for command in ["check", "audit -k", "known build -o x.hmk --bad"] {
            t.run(&format!("{command} {list}")).code(64).says(advice);
        }
    }
});

case!(
    #[ignore = "campaign: takes long"]
    packed_packages_are_checked_by_a_lock_file_of_npm,
    |t| {
        for version in ["v1", "v2", "v3"] {
            t.file("p/package-lock.json", std::fs::read(seed(&format!("npm/{version}"))).unwrap());
            t.run("check -f json p/package-lock.json")
                .code(1)
                .prints("types-ms-2.1.0.tgz")
                .prints("\"missing\"");
            t.file("p/left-pad-1.3.0.tgz", "other");
            t.run("check p/package-lock.json").code(1).prints("left-pad-1.3.0.tgz: FAILED");
            t.remove("p/left-pad-1.3.0.tgz");
        }
        if t.other("npm", "--version").is_none() {
            return;
        }
        t.file("one/package.json", "{\"name\":\"@scope/one\",\"version\":\"1.0.0\"}")
            .file("q/package.json", "{\"name\":\"project\",\"version\":\"1.0.0\"}");
        t.shell(
        "export npm_config_cache=$PWD/cache npm_config_update_notifier=false; npm pack --silent ./one && mv *.tgz q && cd q && \
         npm install --silent --offline --package-lock-only --no-audit --no-fund ./scope-one-1.0.0.tgz",
    )
    .code(0);
        t.run("check q/package-lock.json").code(0).prints("scope-one-1.0.0.tgz: OK");
        t.run("check --base q q/package-lock.json").code(0);
        t.shell("echo x >> q/scope-one-1.0.0.tgz").code(0);
        t.run("check q/package-lock.json").code(1).prints("scope-one-1.0.0.tgz: FAILED");
    }
);

case!(sets_of_known_digests_are_for_known, |t| {
    t.file("a", "abc").file("b", "x");
    t.file("rds.txt", format!("\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n\"A9993E364706816ABA3E25717850C26C9CD0D89D\",\"{MD5}\",\"352441C2\",\"a\",3,1,\"x\",\"\"\n"));
    let kdb = seed("kdb/small");
    let encase = seed("encase/two");
    for set in [kdb.as_path(), Path::new("rds.txt"), encase.as_path(), &seed("known_rds/small")] {
        for command in ["check", "audit -k"] {
            t.run(&format!("{command} {}", set.display()))
                .code(64)
                .says("set of known digests")
                .says("hashmill known build");
        }
    }
    t.run(&format!("known build -o set.hmk --bad {}", kdb.display())).code(0);
    t.run("known match --known-set set.hmk --show bad a b").code(1).prints("a").prints("bad");
});
