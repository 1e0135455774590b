//! `hashmill bag verify` of archives: what it says of the folder it says of the archive, and hostile archives are not bags.

use crate::bag::{DAMAGES, bagit, kinds, papers};
use crate::case;
use crate::util::{Place, installed};
use hashmill_testing::{Random, all_installed, cases};
use serde_json::Value;

/// Ways to put the folder `bag` into an archive: the program that it takes, the name, the command.
const WAYS: &[(&str, &str, &str)] = &[
    ("tar", "b.tar", "tar cf b.tar bag"),
    ("gzip", "b.tar.gz", "tar czf b.tar.gz bag"),
    ("zstd", "b.tar.zst", "tar --zstd -cf b.tar.zst bag"),
    ("xz", "b.txz", "tar --format=posix -cJf b.txz ./bag"),
    ("tar", "root.tar", "tar cf root.tar -C bag ."),
    ("zip", "b.zip", "zip -qry b.zip bag"),
    ("zip", "root.zip", "cd bag && zip -qry ../root.zip ."),
    ("zip", "stored.zip", "zip -qry0 stored.zip bag"),
    ("python3", "py.zip", "python3 -c 'import shutil; shutil.make_archive(\"py\", \"zip\", \".\", \"bag\")'"),
    ("python3", "py.tar", "python3 -c 'import shutil; shutil.make_archive(\"py\", \"tar\", \".\", \"bag\")'"),
    ("7zz", "b.7z", "7zz a -bso0 -snl b.7z bag"),
];

/// Returns the result of a verification but for the path of the bag.
fn judged(t: &Place, options: &str, code: i32) -> Value {
    let mut json = t.run(&format!("bag verify -f json {options}")).code(code).json();
    json.as_object_mut().unwrap().remove("bag");
    json
}

/// Makes archives with any members: the lines of `members` are Python calls of `file`, `link`, `hard` and `folder`.
fn archive(t: &Place, name: &str, members: &str) {
    let maker = "\
import hashlib, io, sys, tarfile, zipfile
name = sys.argv[1]
all = zipfile.ZipFile(name, 'w') if name.endswith('zip') else tarfile.open(name, 'w')
def put(path, type, text=b'', target=''):
    if name.endswith('zip'):
        info = zipfile.ZipInfo(path)
        info.external_attr = (0o120777 if type == tarfile.SYMTYPE else 0o100644) << 16
        all.writestr(info, target or text)
    else:
        info = tarfile.TarInfo(path)
        info.type, info.linkname, info.size = type, target, len(text)
        all.addfile(info, io.BytesIO(text))
def file(path, text='a'): put(path, tarfile.REGTYPE, text.encode())
def link(path, target): put(path, tarfile.SYMTYPE, target=target)
def hard(path, target): put(path, tarfile.LNKTYPE, target=target)
def sums(*files): return ''.join(hashlib.sha256(text.encode()).hexdigest() + '  ' + path + '\\n' for path, text in files)
def bag(top='b/', *more, lists=(('data/a', 'a'),)):
    file(top + 'bagit.txt', 'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n')
    file(top + 'manifest-sha256.txt', sums(*lists))
    file(top + 'data/a')
import warnings
warnings.simplefilter('ignore')
exec(sys.argv[2])
all.close()
";
    t.file("make.py", maker);
    t.file("members", members).shell(&format!("python3 make.py {name} \"$(cat members)\"")).code(0);
}

case!(bags_are_written_as_archives, |t| {
    let long = "n".repeat(150);
    papers(t).file(format!("papers/deep/{long}/\u{e9}"), "long").file("papers/back\\slash", "b");
    // unzip writes other names for those with control characters.
    t.remove("papers/line\nfeed\r")
        .shell("chmod 600 papers/a.txt && touch -d @1000000001 papers/a.txt")
        .code(0);
    for name in ["b.zip", "b.tar", "b.tar.gz", "B.TGZ"] {
        let date = "SOURCE_DATE_EPOCH=1000000000 $hashmill bag create -c md5,sha256";
        t.shell(&format!("{date} -j 1 -o {name} papers")).code(0).says("a bag of 8 files, 22 bytes");
        t.run(&format!("bag verify {name}")).code(0).prints(format!("{name}: valid (8 files"));
        t.shell(&format!(
            "mkdir again && {date} -j 8 -o again/{name} papers && cmp {name} again/{name} && rm -r again"
        ))
        .code(0);
        t.run(&format!("bag create -o {name} papers")).code(64).says("is there already");
        let unpack = if name == "b.zip" { "unzip -q -d out" } else { "tar -C out -xf" };
        if name == "b.zip" {
            if !all_installed(&["unzip"]) {
                continue;
            }
            t.shell("unzip -tq b.zip").code(0);
        }
        let top = &name[..1];
        t.shell(&format!("mkdir out && {unpack} {name} && diff -r papers out/{top}/data")).code(0);
        t.shell(&format!("stat -c '%a %Y' out/{top}/data/a.txt")).is("600 1000000001\n");
        t.run(&format!("bag verify out/{top}")).code(0);
        t.shell("rm -r out").code(0);
    }
    assert!(t.leftovers().is_empty());
});

case!(an_archive_that_cannot_be_written_is_not_begun, |t| {
    t.file("papers/a", "a");
    for (name, why) in [
        ("b.7z", "bags are not written as such archives (.zip, .tar and .tar.gz are)"),
        ("b.tar.xz", "bags are not written as such archives"),
        ("papers/b.zip", "lies in the folder that is to be copied"),
        ("..zip", "is no name for the folder of a bag"),
        (".zip", "is no name for the folder of a bag"),
    ] {
        t.run(&format!("bag create -o {name} papers")).code(64).says(why);
    }
    t.link("papers/link", "a");
    t.run("bag create -o b.zip papers").code(2).says("papers/link: a bag can't hold it: symbolic link");
    assert!(!t.has("b.zip") && !t.has("b.7z") && t.leftovers().is_empty());
});

case!(
    #[ignore = "campaign: needs bagit.py"]
    bagit_python_takes_the_archives_that_we_write,
    |t| {
        if !all_installed(&["unzip"]) {
            return;
        }
        papers(t).remove("papers/line\nfeed\r");
        let mut random = Random(7);
        for round in 0..cases(6) {
            for number in 0..random.below(20) {
                let length = random.below(1 << 15);
                t.file(format!("papers/f{round}/n {number}.\u{e9}"), random.bytes(length));
            }
            let (name, unpack) = *random.pick(&[
                ("b.zip", "unzip -q -d out b.zip"),
                ("b.tar", "tar -C out -xf b.tar"),
                ("b.tar.gz", "tar -C out -xf b.tar.gz"),
            ]);
            t.run(&format!("bag create -o {name} papers")).code(0);
            t.shell(&format!("mkdir out && {unpack}")).code(0);
            let Some(ran) = bagit(t, "--validate out/b") else { return };
            ran.code(0);
            t.shell(&format!("rm -r out {name}")).code(0);
        }
    }
);

case!(
    #[ignore = "campaign: takes long"]
    what_is_said_of_a_bag_is_said_of_its_archive,
    |t| {
        papers(t);
        t.run("bag create -o bag papers").code(0);
        let mut tried = 0;
        for (program, name, command) in WAYS {
            if installed(program).is_none() {
                continue;
            }
            tried += 1;
            t.shell(command).code(0);
            for level in ["", "--complete", "--oxum"] {
                let of_folder = judged(t, &format!("{level} bag"), 0);
                assert_eq!(judged(t, &format!("{level} {name}"), 0), of_folder, "{level} {name}");
            }
            t.run(&format!("bag verify {name}"))
                .code(0)
                .quiet()
                .is(format!("{name}: valid (7 files, 22 bytes of payload)\n"));
            let one = judged(t, &format!("-j1 -m 64M {name}"), 0);
            assert_eq!(one, judged(t, "bag", 0));
        }
        assert!(tried >= 3);
    }
);

case!(a_damaged_bag_is_damaged_in_an_archive, |t| {
    papers(t);
    t.run("bag create -o good papers").code(0);
    for (line, code, _) in DAMAGES {
        t.shell(&format!("rm -rf bag d a.txt *.tar && cp -r good bag && {line}")).code(0);
        let of_folder = judged(t, "bag", *code);
        for (name, command) in [("b.tar", "tar cf b.tar bag"), ("b.zip", "rm -f b.zip; zip -qry b.zip bag")] {
            // A zip has no FIFOs, and of a link its target is content: there, it is another bag.
            let is_other = line.contains("mkfifo") || line.contains("ln -s");
            if name == "b.zip" && (is_other || installed("zip").is_none()) {
                continue;
            }
            t.shell(command).code(0);
            assert_eq!(judged(t, name, *code), of_folder, "{name}: {line}");
        }
    }
});

case!(an_empty_payload_is_a_folder_in_the_archive, |t| {
    t.file("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
        .file("bag/manifest-md5.txt", "");
    t.shell("tar cf no.tar bag && mkdir bag/data && tar cf yes.tar bag").code(0);
    t.run("bag verify yes.tar").code(0);
    assert_eq!(kinds(&t.run("bag verify -f json no.tar").code(1).json()), ["weak", "no-payload"]);
});

case!(
    #[ignore = "campaign: takes long"]
    hostile_archives_are_told,
    |t| {
        if installed("python3").is_none() {
            return;
        }
        let tries: &[(&str, i32, &[&str])] = &[
            ("bag()", 0, &[]),
            ("bag('')", 0, &[]),
            ("bag('~name of any kind/')", 0, &[]),
            ("bag(); file('b/data/a')", 0, &[]),
            ("bag(); file('b//data/./a')", 0, &[]),
            ("bag(); file('b/data/a', 'b')", 1, &["changed"]),
            ("file('b/data/a', 'b'); bag()", 1, &["changed"]),
            ("bag(); file('b//data/./a', 'b')", 1, &["changed"]),
            ("bag(); file('b/data/x'); file('b/data/x', 'y')", 2, &["ambiguous", "new"]),
            (
                "bag(); file('b/bag-info.txt', 'A: b'); file('b/bag-info.txt', 'A: c')",
                2,
                &["ambiguous", "unreadable"],
            ),
            (
                "bag(); file('b/manifest-sha256.txt', sums(('data/a', 'b')))",
                2,
                &["new", "no-manifest", "unreadable"],
            ),
            ("bag(); file('b/manifest-sha256.txt', sums(('data/a', 'a')))", 0, &[]),
            ("bag(); file('../x')", 1, &["unsafe-path"]),
            ("bag(); file('b/../../x')", 1, &["unsafe-path"]),
            ("bag(); file('b/data/../../../x')", 1, &["unsafe-path"]),
            ("bag(); file('b/data/..\\\\..\\\\x')", 1, &["unsafe-path"]),
            ("bag(); file('/etc/x')", 1, &["unsafe-path"]),
            ("bag(); file('/b/data/a', 'b')", 1, &["unsafe-path"]),
            ("bag(); file('C:\\\\x')", 1, &["unsafe-path"]),
            ("bag(); link('b/data/l', '/etc/passwd')", 1, &["link"]),
            ("bag(); link('b/data/a', '/etc/passwd')", 2, &["ambiguous"]),
            ("link('b/data', '/etc'); bag()", 2, &["ambiguous", "link"]),
            ("link('b', '/etc'); bag()", 2, &["ambiguous"]),
            ("bag(); file('b/data/a/b')", 2, &["ambiguous", "new"]),
            ("bag(); file('b', 'x')", 2, &["ambiguous"]),
            ("bag(lists=(('data/a', 'a'), ('data/A', 'b'))); file('b/data/A', 'b')", 0, &["case-twin"]),
            ("bag(); file('b/data/A', 'b')", 1, &["case-twin", "new"]),
            // A bag in a bag is payload like any other.
            (
                "bag(lists=(('data/a', 'a'), ('data/in/bagit.txt', 'x'), ('data/in/manifest-sha256.txt', 'junk'))); \
             file('b/data/in/bagit.txt', 'x'); file('b/data/in/manifest-sha256.txt', 'junk')",
                0,
                &[],
            ),
        ];
        for (members, code, wanted) in tries {
            for name in ["h.zip", "h.tar"] {
                archive(t, name, members);
                let ran = t.run(&format!("bag verify -f json {name}"));
                let mut found = kinds(&ran.json());
                found.sort();
                found.dedup();
                // A zip with one name twice is not read at all there: programs that unpack it don't agree.
                if name == "h.zip" && ran.exit() == Some(2) && found.iter().any(|kind| kind == "unreadable") {
                    let known = members.matches("file('b/data/a'").count()
                        + members.matches("file('b/data/x'").count()
                        + members.matches("file('b/bag-info.txt'").count()
                        + members.matches("file('b/manifest-sha256.txt'").count()
                        + members.matches("link('b/data/a'").count();
                    assert!(known > 0, "{members}");
                    continue;
                }
                // The target of a link is stored in a zip as the bytes of a file are, and is one.
                let is_file =
                    |kind: &&&str| name != "h.zip" || **kind != "link" || !wanted.contains(&"ambiguous");
                let kind = |kind: &&str| {
                    if name == "h.zip" { kind.replace("link", "new") } else { kind.to_string() }
                };
                assert_eq!(
                    (ran.exit(), &found[..]),
                    (Some(*code), &wanted.iter().filter(is_file).map(kind).collect::<Vec<_>>()[..]),
                    "{name}: {members}"
                );
            }
        }
        // At levels that read nothing, sizes must be the same.
        archive(t, "h.tar", "bag(); file('b/data/a', 'bb')");
        t.run("bag verify --complete h.tar").code(2).prints("data/a: ambiguous");
        t.run("bag verify h.tar").code(1).prints("data/a: changed");
    }
);

case!(archives_without_a_bag_are_refused, |t| {
    if installed("python3").is_none() {
        return;
    }
    for (members, says) in [
        ("file('b/a')", "h.zip/b: has no bagit.txt"),
        ("bag(); file('c/x')", "h.zip: has b and c on top"),
        ("bag(); bag('c/')", "h.zip: has b and c on top"),
        ("bag(); file('__MACOSX/b/._bagit.txt')", "__MACOSX is what macOS adds to archives"),
        ("file('._b'); bag()", "._b is what macOS adds to archives"),
        ("bag('b/c/')", "h.zip/b: has no bagit.txt"),
        ("bag('../b/')", "has no bagit.txt"),
        // The target of a link is its content.
        ("link('b/bagit.txt', 'data/a'); file('b/data/a')", "h.zip/b/bagit.txt: is not UTF-8 text"),
        ("file('b/bagit.txt', 'junk')", "h.zip/b/bagit.txt: is not UTF-8 text"),
        ("bag(); file('b/bagit.txt', 'other')", "several files with this path"),
        ("pass", "has no bagit.txt"),
    ] {
        archive(t, "h.zip", members);
        t.run("bag verify h.zip").code(64).says(says);
    }
    t.file("junk.zip", "PK junk").run("bag verify junk.zip").code(64).says("nothing that is known is inside");
    t.file("a.txt.gz", "junk").run("bag verify a.txt.gz").code(64);
    t.run("bag verify nowhere.zip").code(64);
});

case!(hard_links_are_files, |t| {
    if installed("python3").is_none() {
        return;
    }
    archive(t, "h.tar", "bag(lists=(('data/a', 'a'), ('data/b', 'a'))); hard('b/data/b', 'b/data/a')");
    t.run("bag verify h.tar").code(0).prints("valid (2 files, 2 bytes");
    archive(t, "h.tar", "bag(lists=(('data/a', 'a'), ('data/b', 'b'))); hard('b/data/b', 'b/data/a')");
    t.run("bag verify h.tar").code(1).prints("data/b: changed");
    for target in ["/etc/passwd", "../../etc/passwd", "b/data/b"] {
        archive(
            t,
            "h.tar",
            &format!("bag(lists=(('data/a', 'a'), ('data/b', 'b'))); hard('b/data/b', '{target}')"),
        );
        t.run("bag verify h.tar").code(2).prints("data/b: unreadable");
    }
});

case!(what_cannot_be_read_is_not_verified, |t| {
    papers(t);
    t.run("bag create -o bag papers").code(0);
    t.shell("head -c 300000 /dev/urandom > papers/long && cp -r papers more").code(0);
    t.run("bag create more").code(0);
    for (program, line, names) in [
        ("zip", "zip -qr -P secret e.zip bag", &["e.zip"][..]),
        ("7zz", "7zz a -bso0 -psecret e.7z bag", &["e.7z"]),
    ] {
        if installed(program).is_some() {
            t.shell(line).code(0);
            for name in names {
                t.run(&format!("bag verify {name}")).code(64).says("bagit.txt");
            }
        }
    }
    if installed("zip").is_some() {
        t.shell("cp bag/data/a.txt a && zip -qr e2.zip bag -x bag/data/a.txt && zip -q -P secret e2.zip bag/data/a.txt")
            .code(0);
        t.run("bag verify e2.zip").code(2).prints("data/a.txt: unreadable").says("a.txt");
        t.shell(
            "zip -qr0 f.zip bag && python3 -c '
text = bytearray(open(\"f.zip\", \"rb\").read())
at = text.index(b\"letters\")
text[at] ^= 1
open(\"f.zip\", \"wb\").write(text)'",
        )
        .code(0);
        t.run("bag verify f.zip").code(2).prints("e: unreadable");
        t.run("bag verify --complete f.zip").code(0);
    }
    t.shell("tar czf whole.tgz more && head -c 150000 whole.tgz > cut.tgz").code(0);
    t.run("bag verify whole.tgz").code(0);
    let cut = t.run("bag verify cut.tgz");
    assert!([2, 64].contains(&cut.exit().unwrap()), "{}", cut.stderr());
    t.shell(
        "tar cf ordered.tar more/bagit.txt more/manifest* more/tag* more/bag-info.txt more/data && \
             head -c 250000 ordered.tar > cut.tar",
    )
    .code(0);
    t.run("bag verify ordered.tar").code(0);
    t.run("bag verify cut.tar").code(2).prints("unreadable");
    t.run("bag verify --oxum cut.tar").code(2);
    // Tag files that would fill the memory are not read.
    t.shell("head -c 20000000 /dev/zero > bag/tagmanifest-sha256.txt && tar czf bomb.tgz bag").code(0);
    t.run("bag verify -m 64M bomb.tgz").code(64).says("allow more with -m");
});

case!(
    #[ignore = "campaign: takes long"]
    random_bags_have_the_verdict_of_their_folder,
    |t| {
        let tools = ["tar cf x.tar bag", "tar czf x.tar.gz bag", WAYS[5].2, WAYS[8].2, WAYS[9].2];
        let names = ["x.tar", "x.tar.gz", "b.zip", "py.zip", "py.tar"];
        if !all_installed(&["zip", "python3"]) {
            return;
        }
        let mut random = Random(90);
        let algorithms = ["md5", "sha1,sha256", "sha256,sha512", "sha512"];
        let damages = [
            "true",
            "true",
            "echo x >> \"$(ls -d bag/data/f*/* | head -1)\"",
            "rm \"$(ls -d bag/data/f*/* | head -1)\"",
            "touch bag/data/new",
            "echo A: b >> bag/bag-info.txt",
            "rm bag/bag-info.txt",
            "rm bag/tagmanifest-*; sed -i 1d bag/manifest-*",
            "sed -i 's/Payload-Oxum: /&1/' bag/bag-info.txt; rm bag/tagmanifest-*",
            "rm bag/manifest-*",
            "rm -r bag/data",
        ];
        for round in 0..cases(11) {
            t.shell("rm -rf bag x out *.zip *.tar *.tar.gz").code(0);
            for number in 0..1 + random.below(12) {
                let most = 1 << random.below(14);
                let length = random.below(most);
                let content = random.bytes(length);
                let folder = random.below(3);
                t.file(format!("bag/f{folder}/n {number}.é"), content);
            }
            let pick = random.pick(&algorithms);
            let damage = damages[round % damages.len()];
            t.run(&format!("bag create -c {pick} bag")).code(0);
            t.shell(damage).code(0);
            let of_folder = t.run("bag verify -f json bag");
            let code = of_folder.exit().unwrap();
            let which = random.below(names.len());
            t.shell(tools[which]).code(0);
            let of_folder = judged(t, "bag", code);
            assert_eq!(judged(t, names[which], code), of_folder, "{} {damage}", names[which]);
            // bagit-python looks at what a program unpacks.
            let unpack = if names[which].ends_with("zip") { "unzip -qq" } else { "tar -C out -xf" };
            let into = if names[which].ends_with("zip") { "-d out" } else { "" };
            if installed("unzip").is_some() && round % 2 == 0 {
                t.shell(&format!("mkdir out && {unpack} {} {into}", names[which])).code(0);
                if let Some(ran) = bagit(t, "--validate out/bag") {
                    assert_eq!(ran.exit() == Some(0), code == 0, "{damage}");
                }
            }
        }
    }
);
