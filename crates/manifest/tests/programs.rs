//! Lists of other programs: samples are read completely, the programs themselves judge if they are installed, and texts
//! that are not lists are not taken for one.

use hashmill_digest::{hash, of_bits};
use hashmill_manifest::format::{Base, Hint, PACKAGES, Unusable, open, open_path, sniff};
use hashmill_manifest::{Named, Record, Status};
use hashmill_testing::{Folder, Random, cases, installed, not_possible};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn sample(name: &str) -> Vec<u8> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Renders each record and each message of a text in this format as a line.
fn told(format: &str, text: &[u8]) -> Vec<String> {
    let opened = match open(Box::new(text), Hint::None) {
        Ok(opened) => opened,
        Err(error) => panic!("{error}: {}", text.escape_ascii()),
    };
    assert_eq!(opened.format.name, format, "{}", text.escape_ascii());
    opened.reader.map(|result| result.map_or_else(|bad| bad.to_string(), |record| line(&record))).collect()
}

fn line(record: &Record) -> String {
    let digests = record.digests.iter().map(|named| {
        let text = named.algorithm.format(&named.digest);
        format!(" {}={}", named.algorithm.name, &text[..8])
    });
    let size = record.size.map(|size| format!(" {size}")).unwrap_or_default();
    let reason = record.reason.as_deref().map(|reason| format!(" {reason}")).unwrap_or_default();
    format!("{}{size}{reason}{}", String::from_utf8_lossy(&record.path), digests.collect::<String>())
}

/// Returns the position of a text in another.
fn find(text: &[u8], wanted: &[u8]) -> usize {
    text.windows(wanted.len()).position(|part| part == wanted).unwrap()
}

/// Runs a script in a folder; returns `None` if its program isn't installed.
fn output(folder: &Folder, program: &str, script: &str) -> Option<Vec<u8>> {
    installed(program)?;
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(folder.path()).env("LC_ALL", "C.UTF-8");
    let done = command.output().unwrap();
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
    Some(done.stdout)
}

/// Returns whether a digest is that of the content by its algorithm, or, if guessed, by any of its length.
fn is_right(named: &Named, content: &[u8]) -> bool {
    let guess = || of_bits(named.digest.bits()).any(|row| hash(row, content) == named.digest);
    hash(named.algorithm, content) == named.digest || named.guessed && guess()
}

/// Returns the number of a list's files in a folder, and checks that every digest is right.
fn check(folder: &Path, format: &str, list: &[u8]) -> usize {
    let opened = open(Box::new(list), Hint::None).unwrap();
    assert_eq!(opened.format.name, format, "{}", list.escape_ascii());
    let records: Vec<Record> = opened.reader.map(Result::unwrap).collect();
    for record in &records {
        let path = folder.join(String::from_utf8(record.path.to_vec()).unwrap().trim_start_matches('/'));
        if record.status != Status::Hashed {
            continue;
        }
        let content = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(record.digests.iter().all(|named| is_right(named, &content)), "{record:?}");
        assert!(record.size.is_none_or(|size| size == content.len() as u64), "{record:?}");
    }
    records.len()
}

#[test]
fn tables_of_7zip_are_read() {
    let expected = [
        "link 3 sha256=ba7816bf",
        "sub/empty 0 sha256=e3b0c442",
        "sub/gr\u{fc} 1 sha256=2d711642",
        "a 3 sha256=ba7816bf",
        "b c 4 sha256=88d4266f",
    ];
    assert_eq!(told("7zip", &sample("7zip/sha256")), expected);
    let several = told("7zip", &sample("7zip/several"));
    assert_eq!(several[0], "a 3 crc32=352441c2 sha1=a9993e36 md5=90015098");
    let mut bare = told("7zip", &sample("7zip/bare"));
    bare.sort();
    let mut wanted = expected[1..].to_vec();
    wanted.sort_unstable();
    assert_eq!(bare, wanted);
    // A truncated table is not taken for a complete one.
    let whole = sample("7zip/sha256");
    let end = find(&whole, b"  b c");
    assert_eq!(told("7zip", &whole[..end + 6]).last().unwrap(), "line 15: table: cut short");
    let damaged = String::from_utf8(whole).unwrap().replace("ba7816bf8f", "ba7816bf8x");
    assert!(told("7zip", damaged.as_bytes())[0].contains("digest: "), "{damaged}");
}

#[test]
fn what_7zip_writes_is_right() {
    let folder = Folder::new();
    for name in ["a", "b c", "sub/empty", "sub/gr\u{fc}", "  two", "sub/x  3  y", "--------"] {
        folder.file(name, if name.ends_with("empty") { "" } else { name });
    }
    for options in ["", "'-scrc*'", "-scrcSHA256", "-scrcSHA1 -scrcXXH64", "-ba", "-ba -scrcSHA512 -scrcMD5"]
    {
        let script = format!("7zz h {options} -- *");
        let Some(list) = output(&folder, "7zz", &script) else { return };
        assert_eq!(check(folder.path(), "7zip", &list), 7, "{}", String::from_utf8_lossy(&list));
    }
}

#[test]
fn dumps_of_rpm_are_read() {
    let found = told("rpm", &sample("rpm/sha256"));
    let expected = [
        "/etc/t.conf 4 sha256=0c326c4f",
        "/usr/share/t/a 3 sha256=ba7816bf",
        "/usr/share/t/empty 0 sha256=e3b0c442",
        "/usr/share/t/gr\u{fc} 3 sha256=11507a0e",
        "/usr/share/t/link link",
        "/usr/share/t/link2 link",
        "/usr/share/t/with space/b c 0 3 sha256=ba7816bf",
        "/var/log/t.log unsupported",
    ];
    assert_eq!(found, expected);
    assert_eq!(told("rpm", &sample("rpm/md5"))[1], "/usr/share/t/a 3 md5=90015098");
    // A name or a link target that looks like the fields of another entry.
    let entry = format!("3 1767225600 {SHA256} 0100644 root root 0 0 0 X");
    let forged = format!("/a {entry}\n/b {entry} /c {entry}\n/d {entry}\nx\n");
    let found = told("rpm", forged.as_bytes());
    let expected = [
        "/a 3 sha256=ba7816bf",
        "line 2: path: two that can't be distinguished",
        "/d 3 sha256=ba7816bf",
        "line 4: line: not a line of this format",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_rpm_dumps_is_right() {
    let folder = Folder::new();
    folder.file(
        "t.spec",
        "Name: t\nVersion: 1\nRelease: 1\nSummary: s\nLicense: x\nBuildArch: noarch\n%description\nx\n%install\n\
         mkdir -p \"%{buildroot}/usr/share/t/with space\"\nprintf abc > %{buildroot}/usr/share/t/a\n\
         printf b > \"%{buildroot}/usr/share/t/with space/3 4\"\nln -s 'a b c' %{buildroot}/usr/share/t/link\n\
         cp -r %{buildroot} ../../tree\n%files\n/usr/share/t\n%ghost /var/log/t\n",
    );
    for digest in [1, 2, 8, 9, 10] {
        let script = format!(
            "rm -rf tree top; rpmbuild -bb --quiet --define \"_topdir $PWD/top\" --define '_binary_filedigest_algorithm {digest}' \
             t.spec >&2; rpm -qp --dump top/RPMS/noarch/*.rpm"
        );
        let Some(list) = output(&folder, "rpmbuild", &script) else { return };
        let tree = folder.path().join("tree");
        assert_eq!(check(&tree, "rpm", &list), 4, "{digest}: {}", String::from_utf8_lossy(&list));
    }
}

#[test]
fn the_index_of_git_is_read() {
    let expected = [
        "a git-blob=f2ba8f84",
        "gr\u{fc} b git-blob=c1b0730e",
        "l link",
        "s/y git-blob=e25f1814",
        "sub submodule",
    ];
    assert_eq!(told("git", &sample("git/index")), expected);
    assert_eq!(told("git", &sample("git/index_zero")), expected);
    let unmerged = format!("100644 {SHA1} 1\ta\n100644 {SHA1} 2\ta\n");
    assert_eq!(told("git", unmerged.as_bytes()), ["a unmerged", "a unmerged"]);
}

#[test]
fn what_git_lists_of_its_index_is_right() {
    for options in ["", "--object-format=sha256"] {
        let folder = Folder::new();
        for name in ["a", "gr\u{fc} b", "s/tab\t\"q\""] {
            folder.file(name, name);
        }
        for zero in ["", "-z"] {
            let script =
                format!("ln -sf a l && git init -q {options} . && git add -A && git ls-files -s {zero}");
            let Some(list) = output(&folder, "git", &script) else { return };
            assert_eq!(check(folder.path(), "git", &list), 4, "{}", list.escape_ascii());
        }
    }
}

#[test]
fn control_files_of_debian_are_read() {
    let whole = "hl_1.0.dsc 413 md5=ee8c7113 sha1=30ba8973 sha256=183ac747";
    assert_eq!(told("debian", &sample("debian/buildinfo"))[0], whole);
    let changes = told("debian", &sample("debian/changes"));
    assert_eq!(changes[0], "hl_1.0.dsc 413 sha1=30ba8973 sha256=183ac747 md5=ee8c7113");
    assert_eq!(changes.len(), 4);
    let package = "./hl_1.0_all.deb 748 md5=39821cd0 sha1=97bca532 sha256=f64e3b04";
    assert_eq!(told("debian", &sample("debian/packages")), [package]);
    assert!(told("debian", &sample("debian/sources"))[1].starts_with("./hl_1.0.tar.xz 640 sha1="));
    let release = told("debian", &sample("debian/release"));
    assert_eq!(release[1], "contrib/Contents-amd64.gz 20 sha256=f61f27bd");
    let signed = told("debian", &sample("debian/signed"));
    assert!(signed[0].contains("of OpenPGP, not verified here"), "{signed:?}");
    assert_eq!(signed[1], "hello_2.10.orig.tar.gz 725946 sha1=f7bebf6f sha256=31e06613 md5=6cd0ffea");
    assert_eq!(signed.len(), 4);
}

#[test]
fn what_is_wrong_in_control_files_is_told() {
    let text = format!(
        "Package: a\nFilename: a.deb\nSize: 3\nSHA256: {SHA256}\n\nPackage: b\nFilename: b.deb\n\nSHA256: {SHA256}\n\n\
         Filename: c\nFilename: e\nSize: x\nSHA256: 12\nSHA1: {SHA1}\n\nFiles:\n {MD5} 3 d\n {MD5} d\nChecksums-Sha1:\n {SHA1} 4 d\nno field\n"
    );
    let expected = [
        "a.deb 3 sha256=ba7816bf",
        "b.deb unsupported",
        "line 10: filename: missing",
        "line 12: filename: given twice",
        "line 13: size: not a decimal number below 2^64",
        "line 14: digest: SHA256 has 64 hexadecimal digits, not 2",
        "c sha1=a9993e36",
        "line 19: line: not a line of this format",
        "line 21: size: two that can't be distinguished",
        "line 22: line: not a line of this format",
        "d 3 md5=90015098",
    ];
    let found = told("debian", text.as_bytes());
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found == expected || found.starts_with("line 14: digest: "), "{found} {expected}");
    }
}

/// Lists of packages that apt fetched on this machine: the number of records equals that of file fields.
#[test]
fn lists_of_apt_are_read_whole() {
    let folder = Folder::new();
    let script = "for list in /var/lib/apt/lists/*Packages /var/lib/apt/lists/*Packages.lz4; do \
                  test -e $list && /usr/lib/apt/apt-helper cat-file $list; done | head -n 200000";
    let Some(list) = output(&folder, "/usr/lib/apt/apt-helper", script) else { return };
    let named = list.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"Filename: ")).count();
    if named == 0 {
        return not_possible("lists of apt");
    }
    let found = told("debian", &list);
    assert_eq!(found.iter().filter(|line| line.starts_with("pool/")).count(), named);
    assert!(found.len() <= named + 1, "a paragraph may be cut: {:?}", found.last());
}

#[test]
fn lists_in_json_are_read() {
    let powershell = ["C:\\Users\\u\\a b.txt sha256=ba7816bf", "C:\\Users\\u\\caf\u{e9} md5=90015098"];
    let text = sample("json-list/powershell");
    assert_eq!(told("json-list", &text), powershell);
    let pressed: String = String::from_utf8(text.clone()).unwrap().split(['\n', ' ']).collect();
    assert_eq!(told("json-list", pressed.as_bytes()).len(), 2);
    // PowerShell redirects into UTF-16 with a byte order mark.
    let wide: Vec<u8> = String::from_utf8(text).unwrap().encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(told("json-list", &[b"\xff\xfe".to_vec(), wide].concat()), powershell);
    let single = sample("json-list/single");
    assert_eq!(told("json-list", &single), ["/home/u/a sha1=a9993e36"]);
    let pressed = String::from_utf8(single).unwrap().replace(['\n', ' '], "");
    assert_eq!(told("json-list", pressed.as_bytes()), ["/home/u/a sha1=a9993e36"]);
    let scripts = [
        "a 3 sha256=ba7816bf",
        "b 3 md5=90015098",
        "c md5=90015098 sha1=a9993e36",
        "d sha256=ba7816bf",
        "e sha1=a9993e36",
    ];
    assert_eq!(told("json-list", &sample("json-list/scripts")), scripts);
}

#[test]
fn what_is_wrong_in_lists_in_json_is_told() {
    let good = format!("{{\"path\":\"a\",\"md5\":\"{MD5}\"}}");
    for (rest, wanted) in [
        ("{\"path\":\"b\"}".to_string(), "line 2: path: missing"),
        ("{\"path\":\"\",\"md5\":\"\"}".to_string(), "line 2: path: missing"),
        ("{\"path\":\"b\",\"md5\":\"12\"}".to_string(), "line 2: md5: "),
        ("{\"path\":\"b\",\"hash\":7}".to_string(), "line 2: hash: a value of the wrong type"),
        (format!("{{\"path\":\"b\",\"md5\":\"{MD5}\",\"md5\":\"{MD5}\"}}"), "line 2: object: "),
        (format!("{{\"path\":\"b\",\"algorithm\":\"SHA1\",\"hash\":\"{MD5}\"}}"), "line 2: "),
        ("\"b\"".to_string(), "line 3: list: a value of the wrong type"),
        ("[{}]".to_string(), "line 2: path: missing"),
        ("{".to_string(), "line 2: object: "),
    ] {
        let found = told("json-list", format!("[{good},\n{rest}\n]").as_bytes());
        assert_eq!(found[0], "a md5=90015098");
        assert!(found[1].starts_with(wanted), "{rest}: {found:?}");
    }
    let cut = told("json-list", format!("[{good}").as_bytes());
    assert!(cut[1].starts_with("line 1: document: "), "{cut:?}");
    // Other documents are lists of objects, too.
    for text in
        ["[{\"path\":\"a\"}]", "[{\"md5\":\"x\"}]", "[{\"name\":\"a\",\"id\":7}]", "[1]", "{\"Path\":\"a\"}"]
    {
        assert!(open(Box::new(text.as_bytes()), Hint::None).is_err(), "{text}");
    }
}

#[test]
fn headers_of_tables_have_any_order_and_case() {
    let columns = [("path", "a b"), ("hash", MD5), ("size", "3"), ("algorithm", "MD5")];
    let titles = [
        ["path", "Path", "FILE", "File Name", "filename"],
        ["hash", "Hash", "CHECKSUM", "Digest", "md5"],
        ["size", "Size", "BYTES", "File Size", "Length"],
        ["algorithm", "Algorithm", "ALGORITHM", "Hash Type", "Algorithm"],
    ];
    let mut random = Random(7);
    for _ in 0..cases(500) {
        let mut order: Vec<usize> = (0..if random.one_in(2) { 4 } else { 2 + random.below(2) }).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        let mark = *random.pick(&[",", ";", "\t"]);
        let quote = *random.pick(&["", "\""]);
        let quoted = |text: &str| format!("{quote}{text}{quote}");
        let header: Vec<String> = order.iter().map(|at| quoted(titles[*at][random.below(5)])).collect();
        let row: Vec<String> = order.iter().map(|at| quoted(columns[*at].1)).collect();
        let text = format!("{}\r\n{}\r\n", header.join(mark), row.join(mark));
        let found = told("csv", text.as_bytes());
        let size = if order.contains(&2) { " 3" } else { "" };
        assert_eq!(found.last().unwrap(), &format!("a b{size} md5=90015098"), "{text}");
    }
    let expected = ["C:\\a; b.txt sha256=ba7816bf", "b md5=90015098"];
    assert_eq!(told("csv", &sample("csv/powershell_semicolons")), expected);
    assert_eq!(told("csv", &sample("csv/powershell")), ["C:\\a, b.txt sha256=ba7816bf"]);
}

#[cfg(feature = "tables")]
#[test]
fn hash_databases_of_autopsy_are_sets_of_digests() {
    let expected = [" md5=90015098", " md5=00000000 sha1=a9993e36 sha256=ba7816bf"];
    assert_eq!(told("kdb", &sample("kdb/small")), expected);
    let folder = Folder::new();
    let script =
        format!("hfind -c x.kdb && hfind -a x.kdb {MD5} d41d8cd98f00b204e9800998ecf8427e && cat x.kdb");
    let Some(mut list) = output(&folder, "hfind", &script) else { return };
    // hfind prints a message first.
    list.drain(..find(&list, b"SQLite format 3"));
    assert_eq!(told("kdb", &list), [" md5=90015098", " md5=d41d8cd9"]);
}

/// A lock file of each kind, or its beginning.
const LOCKS: &[(&str, &str)] = &[
    (
        "bun.lock",
        "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n      \"name\": \"x\",\n    },\n  },\n  \"packages\": {\n    \"a\": [\"a@1.0.0\", \"\", {}, \"sha512-9NmyMHXo7mTeqg==\"],\n",
    ),
    (
        "yarn.lock",
        "# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.\n# yarn lockfile v1\n\n\na@^1.0.0:\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#a9993e364706816aba3e25717850c26c9cd0d89d\"\n  integrity sha512-9NmyMHXo7mTeqg==\n",
    ),
    (
        "yarn.lock",
        "# This file is generated by running \"yarn install\" inside your project.\n\n__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.0.0\n  checksum: 10c0/ba7816bf\n",
    ),
    (
        "pnpm-lock.yaml",
        "lockfileVersion: '9.0'\n\npackages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-9NmyMHXo7mTeqg==}\n",
    ),
    (
        "composer.lock",
        "{\n    \"_readme\": [\n        \"This file locks the dependencies\"\n    ],\n    \"content-hash\": \"900150983cd24fb0d6963f7d28e17f72\",\n    \"packages\": [\n        {\n            \"name\": \"a/b\",\n            \"version\": \"1\",\n            \"dist\": {\"type\": \"zip\", \"shasum\": \"\"}\n",
    ),
    (
        "Pipfile.lock",
        "{\n    \"_meta\": {\n        \"hash\": {\n            \"sha256\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"\n        },\n        \"pipfile-spec\": 6,\n",
    ),
    (
        "Python",
        "# This file is automatically @generated by Poetry 1.8.2 and should not be changed by hand.\n\n[[package]]\nname = \"a\"\nversion = \"1.0\"\noptional = false\npython-versions = \">=3.7\"\nfiles = [\n    {file = \"a-1.0.whl\", hash = \"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"},\n]\n",
    ),
    (
        "Python",
        "version = 1\nrequires-python = \">=3.12\"\n\n[[package]]\nname = \"a\"\nversion = \"1.0\"\nsource = { registry = \"https://pypi.org/simple\" }\nwheels = [\n    { url = \"https://x/a.whl\", hash = \"sha256:ba7816bf\", size = 3 },\n]\n",
    ),
    ("Python", "lock-version = \"1.0\"\ncreated-by = \"x\"\n[[packages]]\nname = \"a\"\n"),
    (
        "Cargo.lock",
        "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"\n",
    ),
    (
        "requirements",
        "a==1.0 \\\n    --hash=sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad \\\n    --hash=sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n",
    ),
    (
        "Gemfile.lock",
        "GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n\nCHECKSUMS\n  a (1.0) sha256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
    ),
    (
        "Podfile.lock",
        "PODS:\n  - A (1.0)\n\nDEPENDENCIES:\n  - A\n\nSPEC CHECKSUMS:\n  A: a9993e364706816aba3e25717850c26c9cd0d89d\n",
    ),
    (
        "pubspec.lock",
        "packages:\n  a:\n    dependency: transitive\n    description:\n      name: a\n      sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
    ),
    (
        "NuGet",
        "{\n  \"version\": 1,\n  \"dependencies\": {\n    \"net8.0\": {\n      \"A\": {\n        \"type\": \"Direct\",\n        \"resolved\": \"1.0\",\n        \"contentHash\": \"9NmyMHXo7mTeqg==\"\n",
    ),
    (
        "Swift",
        "{\n  \"pins\" : [\n    {\n      \"identity\" : \"a\",\n      \"location\" : \"https://x/a\",\n      \"state\" : {\n        \"revision\" : \"a9993e364706816aba3e25717850c26c9cd0d89d\"\n      }\n    }\n  ],\n  \"version\" : 2\n}\n",
    ),
    (
        "flake.lock",
        "{\n  \"nodes\": {\n    \"nixpkgs\": {\n      \"locked\": {\n        \"narHash\": \"sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\"\n",
    ),
    (
        "deno.lock",
        "{\n  \"version\": \"4\",\n  \"npm\": {\n    \"a@1.0.0\": {\n      \"integrity\": \"sha512-9NmyMHXo7mTeqg==\"\n",
    ),
    (
        "Terraform",
        "# This file is maintained automatically by \"terraform init\".\n\nprovider \"registry.terraform.io/hashicorp/a\" {\n  version = \"1.0\"\n  hashes = [\n    \"h1:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\",\n",
    ),
    (
        "mix.lock",
        "%{\n  \"a\": {:hex, :a, \"1.0.0\", \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\", [:mix], []},\n}\n",
    ),
    ("conda", "# platform: linux-64\n@EXPLICIT\nhttps://x/a-1.0.conda#900150983cd24fb0d6963f7d28e17f72\n"),
    ("Gradle", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<verification-metadata>\n   <components>\n"),
    (
        "Julia",
        "julia_version = \"1.10.0\"\n\n[[deps.A]]\ngit-tree-sha1 = \"a9993e364706816aba3e25717850c26c9cd0d89d\"\n",
    ),
    (
        "Helm",
        "dependencies:\n- name: a\n  version: 1.0.0\ndigest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
    ),
];

#[test]
fn lock_files_are_refused_by_name() {
    let message = |text: &str| match open(Box::new(text.as_bytes()), Hint::None) {
        Err(error @ Unusable::Document(_)) => error.to_string(),
        Err(error) => panic!("{error}: {text}"),
        Ok(opened) => panic!("read as {}: {text}", opened.format.name),
    };
    for (name, text) in LOCKS {
        let found = message(text);
        assert!(found.starts_with("is a") && found.contains(name), "{name}: {found}");
    }
    for row in PACKAGES {
        let is = format!("is {}, ", row.name);
        assert!(LOCKS.iter().any(|(_, text)| message(text).starts_with(&is)), "no sample of {}", row.name);
        assert!(row.advice.starts_with("it lists "), "{}", row.name);
    }
    let own = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock")).unwrap();
    assert!(message(&own).starts_with("is a Cargo.lock, "));
}

#[test]
fn packages_of_arch_and_settings_are_no_lists() {
    let buildinfo = sample("sniff/arch_buildinfo");
    assert!(sniff(&buildinfo).is_none(), "{:?}", sniff(&buildinfo));
    for text in [
        format!("sha256 = {SHA256}\nmd5 = {MD5}\n"),
        format!("sha256: {SHA256}\n"),
        format!("  - {SHA256}\n  - {SHA1}\nname: x\nother: y\nmore: z\n"),
        format!("commit {SHA1}\nAuthor: A <a@b>\nDate: now\n\n    Fix deadbeef in a\n\n"),
        format!("{SHA1} = a\n{SHA1} = b\n"),
        "width (px) = 300\nheight (px) = 20000000\n".to_string(),
        "ERROR  disk full\nINFO  x\n".to_string(),
        "Algorithm : RSA\nBits : 2048\n".to_string(),
        "int main() {\n{ return 0; }\n}\n".to_string(),
        "A text about names.\nName, Hash\nand more of it\n".to_string(),
        "20261124 backup of a\nall went well\nno file was lost\n".to_string(),
        "device = type=file\nname: type=file\nThe type=file of type=dir\n".to_string(),
    ] {
        assert!(sniff(text.as_bytes()).is_none(), "{:?}: {text}", sniff(text.as_bytes()));
    }
}

/// Common settings and prose with digests: none is taken for a list.
#[test]
#[ignore = "campaign: takes long"]
fn texts_with_digests_are_no_lists() {
    const WORDS: [&str; 24] = [
        "name",
        "path",
        "file",
        "the",
        "Hash",
        "size",
        "a",
        "of",
        "checksum",
        "MD5",
        "sha256",
        "is",
        "deadbeef",
        "20261124",
        "1",
        "42",
        "release",
        "see",
        "type=file",
        "Algorithm",
        "and",
        "config",
        "ERROR",
        "x-y_z",
    ];
    const SHAPES: [fn(&str, &str) -> String; 10] = [
        |key, value| format!("{key}={value}"),
        |key, value| format!("{key} = {value}"),
        |key, value| format!("{key} = \"{value}\""),
        |key, value| format!("{key}: {value}"),
        |key, value| format!("  {key}: '{value}'"),
        |key, value| format!("- {key}: {value}"),
        |key, value| format!("  - {value} # {key}"),
        |key, value| format!("export {key}=\"{value}\""),
        |key, value| format!("\"{key}\": \"{value}\","),
        |key, value| format!("<{key}>{value}</{key}>"),
    ];
    let mut random = Random(34);
    for _ in 0..cases(4000) {
        let shape = *random.pick(&SHAPES);
        let is_prose = random.one_in(3);
        let mut lines = Vec::new();
        for number in 0..4 + random.below(12) {
            let count = 1 + random.below(if is_prose { 9 } else { 2 });
            let key: Vec<&str> = (0..count).map(|_| *random.pick(&WORDS)).collect();
            let digest = *random.pick(&[MD5, SHA1, SHA256, "352441c2", "deadbeef"]);
            let word = *random.pick(&WORDS);
            lines.push(match (is_prose, number % 4 == 1) {
                (true, true) => format!("See {} {digest}", key.join(" ")),
                (true, false) => format!("The {}, {word}.", key.join(" ")),
                (false, true) => shape(&key.join("_"), digest),
                (false, false) if random.one_in(8) => format!("[{word}]"),
                (false, false) => shape(&key.join("_"), word),
            });
        }
        let text = lines.join("\n") + "\n";
        assert!(sniff(text.as_bytes()).is_none(), "{:?}:\n{text}", sniff(text.as_bytes()));
    }
}

#[test]
fn listings_of_clients_and_of_gpg_are_read() {
    let (sha256, md5) = ("sha256=ba7816bf", "md5=90015098");
    let cases: [(&str, &str, Vec<String>); 15] = [
        ("gpg", "md", vec!["x-1.0-src.tar.gz sha512=ddaf35a1".into()]),
        (
            "gpg",
            "mds",
            vec![format!("a b.txt {md5}"), "a b.txt sha1=a9993e36".into(), format!("a b.txt {sha256}")],
        ),
        ("s3cmd", "md5", vec![format!("a b.txt 3 {md5}"), "d/c 20971520 s3-etag:8M=90015098".into()]),
        ("mc", "lines", vec![format!("a.txt 3 {md5}")]),
        ("mc", "s5cmd", vec![format!("d/a.txt 3 {md5}")]),
        ("mc", "list", vec![format!("a.txt 3 {md5}")]),
        (
            "gcloud",
            "hash",
            vec![format!("a.txt crc32c=364b3fb7 {md5}"), format!("b c.txt crc32c=364b3fb7 {md5}")],
        ),
        ("gcloud", "gsutil", vec![format!("a.txt crc32c=364b3fb7 {md5}")]),
        ("gcloud", "ls", vec![format!("a.txt 3 crc32c=364b3fb7 {md5}")]),
        ("azure", "list", vec![format!("d/a.txt 3 {md5}"), "large 9 unsupported".into()]),
        (
            "huggingface",
            "tree",
            vec!["d/config.json 3 git-blob=f2ba8f84".into(), format!("model.safetensors 3 {sha256}")],
        ),
        ("huggingface", "blobs", vec!["c.json 3 git-blob=f2ba8f84".into(), format!("m.bin 3 {sha256}")]),
        ("git-lfs", "long", vec![format!("a b.bin {sha256}"), format!("c.bin {sha256}")]),
        (
            "pooch",
            "registry",
            vec![format!("a.txt {sha256}"), format!("d/b c.txt {md5}"), format!("c.txt {sha256}")],
        ),
        ("par2", "two", vec![format!("d/a.txt 3 {md5}")]),
    ];
    for (format, seed, expected) in cases {
        assert_eq!(told(format, &sample(&format!("{format}/{seed}"))), expected, "{format} {seed}");
    }
}

#[test]
fn digests_in_groups_are_of_the_names_before_them() {
    let text = format!("#c: {}\n# by hand\n  90 01\n", "90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72");
    assert_eq!(
        told("gpg", text.as_bytes()),
        ["line 3: line: left out: not a digest and a name", "#c md5=90015098"]
    );
    let folder = Folder::new();
    let long = "l".repeat(60);
    let names = ["a", "b: c", "#d", "MD5 = x", "e.f: 00 11 22", "g: DEADBEEF", "gr\u{fc}n", long.as_str()];
    for name in names {
        folder.file(name, name);
    }
    for option in ["--print-mds", "--print-md MD5", "--print-md SHA256", "--print-md SHA512"] {
        let script = format!("export GNUPGHOME=$PWD/.gnupg; mkdir -p -m 700 .gnupg; gpg {option} [!.]*");
        let Some(list) = output(&folder, "gpg", &script) else { return };
        let digests = check(folder.path(), "gpg", &list);
        assert!(digests > 0 && digests.is_multiple_of(names.len()), "{option}: {digests}");
    }
}

#[test]
fn tables_of_cfv_and_recovery_files_are_read_or_told() {
    assert_eq!(told("cfv", &sample("cfv/csv")), ["a 3 crc32=352441c2", "b,c 3 crc32=352441c2"]);
    assert_eq!(told("cfv", &sample("cfv/csv4")), ["d/a 3 crc32=352441c2", "b 3 crc32=352441c2"]);
    assert_eq!(told("cfv", &sample("cfv/csv2")), ["a 3 unsupported", "b 3 unsupported"]);
    let table = sample("crc/table");
    assert_eq!(told("crc", &table), ["a b 3 crc32=352441c2", "d/c 1352 crc32=352441c2"]);
    let text = String::from_utf8(table.clone()).unwrap();
    let less = text.replace("files: 2", "files: 3");
    assert!(told("crc", less.as_bytes())[2].contains("found 2, but the header says 3"));
    assert!(told("crc", &table[..find(&table, b"d/c")])[1].contains("cut short"));

    assert_eq!(told("par2", &sample("par2/one")), ["d a.txt 3 md5=90015098"]);
    for name in ["one", "two"] {
        let whole = sample(&format!("par2/{name}"));
        let place = find(&whole, if name == "one" { b"d\0 " } else { b"d/a.txt" });
        let mut damaged = whole.clone();
        damaged[place] = b'e';
        assert!(told("par2", &damaged)[0].contains("has another MD5 than it says"));
        let cut = told("par2", &whole[..whole.len() - 1]);
        assert!(cut.last().unwrap().contains("cut short") || cut[0].contains("another MD5"), "{cut:?}");
    }
    let two = sample("par2/two");
    let start = find(&two[8..], b"PAR2\0PKT") + 8;
    assert!(told("par2", &two[..start]).last().unwrap().contains("main packet: missing"));
    assert!(told("par2", &two[start..start + 92])[0].contains("found 0, but the header says 1"));
}

/// Returns the lines of a list with this name as `check` gets them, and whether its paths start in its folder.
fn of_files(list: &str, text: &[u8]) -> Result<(Vec<String>, bool), String> {
    let opened = open(Box::new(text), Hint::from_name(list.as_bytes())).unwrap();
    let opened = opened.of_files(list.as_bytes()).map_err(|why| why.to_string())?;
    let in_folder = matches!(opened.base, Base::Folder);
    let lines = opened.reader.map(|result| result.map_or_else(|bad| bad.to_string(), |record| line(&record)));
    Ok((lines.collect(), in_folder))
}

#[test]
fn a_digest_alone_is_of_the_file_that_the_list_s_name_tells() {
    let wide: Vec<u8> = format!("\u{feff}{SHA256}\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{SHA256}\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n\
         -----END PGP SIGNATURE-----\n"
    );
    for (list, text) in [
        ("d/x y.tar.gz.sha256", SHA256.as_bytes()),
        ("x y.tar.gz.sha256.txt", format!("{}\r\n", SHA256.to_uppercase()).as_bytes()),
        ("x y.tar.gz-sha256", format!("# made by hand\n  {SHA256}  \n").as_bytes()),
        ("x y.tar.gz.sha256", wide.as_slice()),
        ("x y.tar.gz.digest", format!("sha256:{SHA256}").as_bytes()),
        ("x y.tar.gz.sha256", format!("SHA2-256(stdin)= {SHA256}\n").as_bytes()),
    ] {
        let found = of_files(list, text).unwrap();
        assert_eq!(found, (vec!["x y.tar.gz sha256=ba7816bf".to_string()], true), "{list}");
    }
    let (lines, _) = of_files("x.sha256", signed.as_bytes()).unwrap();
    assert_eq!(lines.last().unwrap(), "x sha256=ba7816bf");
    let (lines, _) = of_files("x.jar.md5", MD5.as_bytes()).unwrap();
    assert_eq!(lines, ["x.jar md5=90015098"]);

    let refused = of_files("x.sha256", format!("{SHA256}\n{SHA256}\n").as_bytes()).unwrap_err();
    assert!(refused.contains("set of known digests"), "{refused}");
    for list in ["-", "sha256.txt", "notes.txt"] {
        let refused = of_files(list, SHA256.as_bytes()).unwrap_err();
        assert!(refused.contains("DIGEST, two spaces, NAME"), "{refused}");
    }
    // With a name in the line, the list's own says nothing.
    let (lines, in_folder) = of_files("x.sha256", format!("{SHA256}  y\n").as_bytes()).unwrap();
    assert_eq!((lines, in_folder), (vec!["y sha256=ba7816bf".to_string()], false));
}

#[test]
fn the_list_s_name_tells_digests_from_names_that_look_like_them() {
    let crc = "352441C2";
    for name in
        ["AABBCCDD EE/f h.txt", "deadbeef cafebabe/x", MD5, "deadbeef", "00000000  y", "7eventy 5ive.mkv"]
    {
        let read = |list: &str, text: String| of_files(list, text.as_bytes()).unwrap().0;
        assert_eq!(read("l.sfv", format!("{name} {crc}\n")), [format!("{name} crc32=352441c2")]);
        assert_eq!(read("l.sha1", format!("{SHA1} {name}\n")), [format!("{name} sha1=a9993e36")]);
    }
    // A table without titles is still told.
    let table = of_files("l.md5", format!("{MD5} {SHA1} a\n{MD5} {SHA1} b\n").as_bytes()).unwrap().0;
    assert!(table.iter().all(|line| line.contains("two that can't be distinguished")), "{table:?}");
    let found = of_files("SHASUMS256.txt", format!("{SHA256}  a\n").as_bytes()).unwrap().0;
    assert_eq!(found, ["a sha256=ba7816bf"]);
}

#[test]
fn forms_of_openssl_corz_uutils_and_windows_are_read() {
    let pairs = |text: &str| {
        text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap()).collect::<Vec<_>>().join(":")
    };
    let corz = format!("#md5#a#1970.01.01@00.00:00\n{MD5} *a\n#crc32#a#1970.01.01@00.00:00\n352441c2 *a\n");
    for (text, expected) in [
        (format!("SHA2-256(a b)= {}\n", pairs(SHA256)), vec!["a b sha256=ba7816bf"]),
        (format!("SHA256: a b = {SHA256}\n"), vec!["a b sha256=ba7816bf"]),
        (corz, vec!["a md5=90015098", "a crc32=352441c2"]),
        (format!("{MD5} *a\r\r\n{MD5} *b\r\r\n"), vec!["a md5=90015098", "b md5=90015098"]),
        (format!("MD5 (a) = {MD5}\nMD5 (a) = kAFQmDzST7DWlj99KOF/cg==\n"), vec!["a md5=90015098"; 2]),
        ("BLAKE2b-24 (a) = kAFQ\n".into(), vec!["a blake2b:3=900150"]),
        (
            format!(
                "\r\nC:\\t>certutil -hashfile \"a b\" MD5 \r\nMD5 hash of a b:\r\n{MD5}\r\nCertUtil: -hashfile command \
                 completed successfully.\r\n\r\nC:\\t>\r\n"
            ),
            vec!["a b md5=90015098"],
        ),
    ] {
        let opened = open(Box::new(text.as_bytes()), Hint::None).unwrap();
        let found: Vec<String> = opened.reader.map(|result| short(&result.unwrap())).collect();
        assert_eq!(found, expected, "{text}");
    }
    // Longer digests than those that were asked for are no weaker; shorter ones are.
    let blake3 = Hint::Forced(hashmill_digest::find("blake3").unwrap());
    for (digits, expected) in [(128, Ok("blake3:64")), (64, Ok("blake3")), (34, Err(()))] {
        let text = format!("{}  a\n", &SHA256.repeat(2)[..digits]);
        let mut reader = open(Box::new(text.as_bytes()), blake3).unwrap().reader;
        let found = reader.next().unwrap().map(|record| record.digests[0].algorithm.name).map_err(drop);
        assert_eq!(found, expected);
    }
}

/// Renders a record as [`line`] does, also if its digests are short.
fn short(record: &Record) -> String {
    let digests = record.digests.iter().map(|named| {
        let text = named.algorithm.format(&named.digest);
        format!(" {}={}", named.algorithm.name, &text[..text.len().min(8)])
    });
    format!("{}{}", String::from_utf8_lossy(&record.path), digests.collect::<String>())
}

#[test]
fn xml_is_read_in_its_encoding_and_with_prefixes() {
    let digest = format!("<x:hashdigest type='md5'>{MD5}</x:hashdigest>");
    let dfxml = |head: &str, name: &str, more: &str| {
        format!(
            "{head}<x:dfxml xmlns:x='y'><x:fileobject><x:filename>{name}</x:filename>{more}{digest}</x:fileobject></x:dfxml>"
        )
    };
    let latin = dfxml("<?xml version='1.0' encoding='ISO-8859-1'?>", "caf#", "").replace('#', "\u{1}");
    let latin: Vec<u8> = latin.bytes().map(|byte| if byte == 1 { 0xe9 } else { byte }).collect();
    assert_eq!(told("dfxml", &latin), ["caf\u{e9} md5=90015098"]);
    let unknown = dfxml("<?xml version='1.0' encoding='EBCDIC-DE'?>", "a", "");
    assert!(told("dfxml", unknown.as_bytes())[0].contains("its encoding EBCDIC-DE is not known"));
    // A walk of a medium also lists deleted files.
    let deleted = dfxml("", "a", "<x:name_type>r</x:name_type><x:unalloc>1</x:unalloc>");
    let told = told("dfxml", deleted.as_bytes());
    assert!(
        told.len() == 1 && told[0].contains("1 of deleted files") && told[0].ends_with("is a"),
        "{told:?}"
    );
    let mhl = format!(
        "<m:hashlist xmlns:m='y'><m:creatorinfo/><m:hash>\n<m:file>\n   d/a b.mov\n  </m:file><m:md5>\n{MD5}\n</m:md5></m:hash></m:hashlist>"
    );
    let opened = open(Box::new(mhl.as_bytes()), Hint::None).unwrap();
    assert_eq!(
        opened.reader.map(|record| line(&record.unwrap())).collect::<Vec<_>>(),
        ["d/a b.mov md5=90015098"]
    );
}

#[test]
fn compressed_lists_are_read_and_other_compressed_files_refused() {
    // gzip of the list `MD5  a`, as stored bytes.
    let gzip = |text: &[u8]| {
        let length = u16::try_from(text.len()).unwrap();
        let crc = hash(hashmill_digest::find("crc32").unwrap(), text);
        let crc: Vec<u8> = crc.as_bytes().iter().rev().copied().collect();
        let head =
            [&b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01"[..], &length.to_le_bytes(), &(!length).to_le_bytes()]
                .concat();
        [&head, text, &crc, &u32::from(length).to_le_bytes()].concat()
    };
    let list = gzip(format!("{MD5}  a\n").as_bytes());
    let opened = open(Box::new(&list[..]), Hint::None).unwrap();
    assert_eq!(opened.reader.map(|record| line(&record.unwrap())).collect::<Vec<_>>(), ["a md5=90015098"]);
    let alone = gzip(SHA256.as_bytes());
    assert_eq!(of_files("x.iso.sha256.gz", &alone).unwrap().0, ["x.iso sha256=ba7816bf"]);
    let error = |bytes: &[u8]| open(Box::new(bytes), Hint::None).err().unwrap().to_string();
    assert!(error(&gzip(b"no list")).contains("a compressed file without a list in it"));
    assert!(error(&list[..20]).contains("can't be unpacked"), "{}", error(&list[..20]));
    assert!(error(b"\x1f\x8b\x08\0 no gzip").contains("can't be unpacked"));
    let folder = Folder::new();
    folder.file("l.md5.gz", &list);
    assert!(matches!(open_path(&folder.path().join("l.md5.gz"), Hint::None), Err(Unusable::Packed)));
}
