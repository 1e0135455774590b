//! `sign --model`, `verify --model` and `tree -c model` with its serializations, beside the package model_signing.

use crate::case;
use crate::util::{Place, Ran};
use hashmill_testing::{had_modules, python};
use serde_json::Value;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Returns a model with names whose order differs by bytes and by parts.
fn model(t: &Place) -> &Place {
    for name in ["a/b", "a-b/c", "a.c", "deep/1/2/3", "sp ace", "\u{e9}", "feed\nline"] {
        t.file(format!("m/{name}"), name.repeat(7));
    }
    t.file("m/empty", "").file("m/.git/HEAD", "x").file("m/.gitattributes", "x").file("m/a/.gitignore", "x");
    std::fs::create_dir(t.path("m/empty-folder")).unwrap();
    t
}

/// A key of a curve, as OpenSSL makes it: `NAME.pem` and `NAME.pub`.
fn key(t: &Place, name: &str, curve: &str) {
    t.shell(&format!(
        "umask 077; openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{curve} -out {name}.pem 2> /dev/null &&
         openssl pkey -in {name}.pem -pubout -out {name}.pub"
    ))
    .code(0);
}

fn keyed(t: &Place) -> &Place {
    key(model(t), "k", "P-256");
    t
}

/// The package, which answers requests one after another; none if it is not installed.
struct Judge {
    program: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Judge {
    fn start() -> Option<Judge> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = python()?;
        let tried = Command::new(&python).args(["-c", "import model_signing"]).output().unwrap();
        if !had_modules(&tried.stderr) {
            return None;
        }
        let mut command = Command::new(python);
        command.arg(root.join("tests/peers/model_judge.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let answers = BufReader::new(program.stdout.take().unwrap()).lines();
        Some(Judge { program, answers })
    }

    fn ask(&mut self, folder: &Path, words: &[&str]) -> Ran {
        let request = serde_json::json!({ "folder": folder, "words": words });
        writeln!(self.program.stdin.as_mut().unwrap(), "{request}").unwrap();
        let answer: Value = serde_json::from_str(&self.answers.next().unwrap().unwrap()).unwrap();
        let text = |name: &str| answer[name].as_str().unwrap().into();
        let code = answer["code"].as_i64().unwrap() as i32;
        let output = Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: text("stdout"),
            stderr: text("stderr"),
        };
        Ran::new(&format!("model_judge.py {words:?}"), output)
    }
}

/// Runs the package with these words; none if it is not installed.
fn judge(t: &Place, words: &[&str]) -> Option<Ran> {
    static JUDGE: LazyLock<Mutex<Option<Judge>>> = LazyLock::new(|| Mutex::new(Judge::start()));
    let mut judge = JUDGE.lock().unwrap_or_else(PoisonError::into_inner);
    judge.as_mut().map(|judge| judge.ask(&t.path(""), words))
}

fn signatures(t: &Place, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(t.path(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

case!(
    #[ignore = "campaign: needs Python's packages"]
    the_package_takes_what_we_sign_and_we_what_it_signs,
    |t| {
        model(t);
        for (name, curve) in [("p256", "P-256"), ("p384", "P-384"), ("p521", "P-521")] {
            key(t, name, curve);
            t.run(&format!("sign --model m --key {name}.pem -o {name}.sig"))
                .code(0)
                .is("")
                .says("9 files signed");
            t.run(&format!("verify --model m {name}.sig --public-key {name}.pub"))
                .code(0)
                .quiet()
                .prints(format!("good signature by the key ECDSA {curve} "));
            let public = format!("{name}.pub");
            let Some(ran) = judge(t, &["verify", "guess", &public, "m", &format!("{name}.sig")]) else {
                return;
            };
            ran.code(0).prints("good ");
            let (key, theirs) = (format!("{name}.pem"), format!("{name}.theirs"));
            judge(t, &["sign", "files:sha256", &key, "m", &theirs]).unwrap().code(0);
            t.run(&format!("verify --model m {theirs} --public-key {public}"))
                .code(0)
                .prints("9 entries as signed");
        }
        t.run("verify --model m p384.sig --public-key p256.pub")
            .code(1)
            .prints("BROKEN")
            .prints("another key");
    }
);

case!(
    #[ignore = "campaign: takes long"]
    shards_and_other_hashes_are_those_of_the_package,
    |t| {
        keyed(t);
        for how in [
            "files:sha256",
            "files:blake2",
            "files:blake3",
            "shards:7:sha256",
            "shards:16:blake2",
            "shards:1000:sha256",
        ] {
            let options = match how.split(':').collect::<Vec<_>>()[..] {
                ["files", hash] => format!("--hash-type {hash}"),
                [_, size, hash] => format!("--serialization shards --shard-size {size} --hash-type {hash}"),
                _ => unreachable!(),
            };
            t.run(&format!("sign --model m --key k.pem -o ours.sig {options}")).code(0);
            t.run("verify --model m ours.sig --public-key k.pub").code(0);
            let Some(ran) = judge(t, &["verify", how, "k.pub", "m", "ours.sig"]) else { return };
            ran.code(0).prints("good ");
            judge(t, &["sign", how, "k.pem", "m", "theirs.sig"]).unwrap().code(0);
            t.run("verify --model m theirs.sig --public-key k.pub").code(0);
            let root = |name: &str| {
                let bundle: Value = serde_json::from_slice(&t.read(name)).unwrap();
                let payload = bundle["dsseEnvelope"]["payload"].as_str().unwrap().to_string();
                let ran = t
                    .shell(&format!("echo {payload} | base64 -d | jq -r '.subject[0].digest.sha256'"))
                    .code(0);
                String::from_utf8_lossy(ran.stdout()).trim().to_string()
            };
            assert_eq!(root("ours.sig"), root("theirs.sig"), "{how}");
            let tree = t.run(&format!("tree -c model {options} m")).code(0);
            assert!(String::from_utf8_lossy(tree.stdout()).starts_with(&root("ours.sig")), "{how}");
            for threads in [1, 3] {
                t.run(&format!("tree -c model -j{threads} --expect {} {options} m", root("ours.sig")))
                    .code(0);
            }
        }
    }
);

case!(
    #[ignore = "campaign: needs Python's packages"]
    signatures_made_by_hand_are_judged_as_the_package_judges_them,
    |t| {
        key(t, "k", "P-256");
        t.file("m/a", "a").file("m/b/c", "c").file("m/b-c", "");
        let Some(ran) = judge(t, &["craft", "k.pem", "m", "crafted"]) else { return };
        ran.code(0);
        for (kind, theirs, ours) in
            [("good", "good", &[0][..]), ("refused", "refused", &[1, 2]), ("strict", "good", &[1])]
        {
            let paths = signatures(t, &format!("crafted/{kind}"));
            let paths: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
            let args = [&["verify", "guess", "k.pub", "m"], &paths[..]].concat();
            let ran = judge(t, &args).unwrap().code(0);
            let said = String::from_utf8_lossy(ran.stdout()).into_owned();
            let agrees = said.lines().filter(|line| line.starts_with(&format!("{theirs} "))).count();
            assert_eq!(agrees, paths.len(), "{said}");
            for path in paths {
                let ran = t.run(&format!("verify --model m {path} --public-key k.pub"));
                assert!(ours.contains(&ran.exit().unwrap()), "{path}: {:?} {}", ran.exit(), ran.stderr());
            }
        }
        for (name, what) in [
            ("certificate", "UNSUPPORTED signature: not supported: bundles by a certificate"),
            ("media-type", "UNSUPPORTED signature: not supported: bundles of the kind"),
        ] {
            t.run(&format!("verify --model m crafted/refused/{name}.sig --public-key k.pub"))
                .code(2)
                .prints(what);
        }
    }
);

case!(each_difference_is_named, |t| {
    keyed(t).run("sign --model m --key k.pem -o m/model.sig").code(0).says("m/model.sig: 9 files signed");
    let verify = "verify --model m m/model.sig --public-key k.pub";
    t.run(verify).code(0);
    // Under another name, the signature is no part of the model either.
    t.rename("m/model.sig", "m/a/other.sig");
    t.run("verify --model m m/a/other.sig --public-key k.pub").code(0);
    t.rename("m/a/other.sig", "m/model.sig");
    t.file("m/a.c", "changed")
        .remove("m/a-b/c")
        .file("m/new", "")
        .file("m/.git/config", "x")
        .link("m/link", "a.c");
    t.run(verify)
        .code(1)
        .prints("m/a.c: differs from what was signed\n")
        .prints("m/a-b/c: is signed and missing\n")
        .prints("m/new: is not signed\n")
        .prints("m/link: is not signed: is a symbolic link");
    t.file("m/\u{e9}", "x").fifo("m/pipe");
    t.run(verify).code(1).prints("m/pipe: is not signed: is a FIFO");
    // As in the package, links and the like are not allowed even in ignored paths.
    t.run(&format!("{verify} --ignore new --ignore link --ignore ./pipe"))
        .code(1)
        .prints("m/pipe: is not signed: is a FIFO")
        .prints("m/link: is not signed: is a symbolic link");
});

case!(
    #[ignore = "campaign: takes long"]
    links_are_refused_where_the_package_refuses_them,
    |t| {
        key(t, "k", "P-256");
        t.file("m/a", "a").file("m/b/c", "c").file("x/HEAD", "x");
        t.run("sign --model m --key k.pem -o out.sig").code(0);
        let alone = |place: &Place| {
            let ours = t.run("verify --model m out.sig --public-key k.pub").exit().unwrap();
            let theirs = judge(place, &["verify", "guess", "k.pub", "m", "out.sig"]);
            let theirs = theirs.map(|ran| String::from_utf8_lossy(ran.stdout()).starts_with("good "));
            (ours == 0, theirs)
        };
        let agree = |what: &str, good: bool| {
            let (ours, theirs) = alone(t);
            assert!(ours == good && theirs.is_none_or(|theirs| theirs == good), "{what}: {ours} {theirs:?}");
        };
        agree("as signed", true);
        for (link, target) in [
            (".git", "../x"),
            (".git", "nowhere"),
            (".gitignore", "a"),
            (".github", "b"),
            ("b/.git", "../../x"),
            ("l", "a"),
            ("l", "b"),
            ("l", "nowhere"),
        ] {
            t.link(&format!("m/{link}"), target);
            agree(link, false);
            t.run("sign --model m --key k.pem -o other.sig").code(2);
            t.run("tree -c model m").code(2);
            t.remove(&format!("m/{link}"));
        }
        t.file("m/.git/HEAD", "x").link("m/.git/l", "HEAD");
        agree("a link in .git", false);
        t.remove("m/.git/l").fifo("m/.git/pipe");
        agree("a FIFO in .git", false);
        t.remove("m/.git/pipe");
        agree("what is in .git", true);
        t.rename("m", "real").link("m", "real");
        agree("the model itself", false);
    }
);

case!(what_has_no_place_in_a_model_is_not_signed, |t| {
    keyed(t);
    let sign = "sign --model m --key k.pem -o out.sig";
    t.link("m/link", "a.c").link("m/outside", "/etc/passwd").link("m/folder", "a");
    t.run(sign).code(2).is("").says("m/link: is a symbolic link").says("m/outside").says("not signed");
    assert!(!t.has("out.sig"));
    t.run(&format!("{sign} --follow")).code(2).says("m/folder: is a symbolic link");
    t.remove("m/folder").run(&format!("{sign} --follow")).code(0).says("11 files signed");
    t.run("verify --model m out.sig --public-key k.pub").code(1).prints("m/link: is not signed");
    t.run("verify --model m out.sig --public-key k.pub --follow").code(0);
    t.remove("out.sig").remove("m/link").remove("m/outside").file(b"m/bytes-\xff", "");
    t.run(sign).code(2).says("not UTF-8");
    assert!(!t.has("out.sig"));
    std::fs::remove_file(t.path(b"m/bytes-\xff")).unwrap();
    t.file("m/co:lon", "x");
    t.run(&format!("{sign} --serialization shards")).code(2).says("m/co:lon: its name has a colon");
    t.run(sign).code(0);
});

case!(what_can_t_be_read_is_neither_signed_nor_missing, |t| {
    keyed(t).file("m/broken", "fine").run("sign --model m --key k.pem -o out.sig").code(0);
    t.rename("out.sig", "old.sig");
    // Reading there fails for every user.
    t.remove("m/broken").link("m/broken", "/proc/self/mem");
    t.run("sign --model m --key k.pem -o out.sig --follow")
        .code(2)
        .is("")
        .says("m/broken")
        .says("m: not signed");
    assert!(!t.has("out.sig"));
    let ran = t.run("verify --model m old.sig --public-key k.pub --follow").code(2).is("").says("m/broken");
    ran.quiet_about("missing");
    t.run("tree -c model --serialization shards --follow m").code(2).is("").says("m/broken");
    t.run("sign --model nosuch --key k.pem -o out.sig").code(2).is("").says("nosuch");
    t.run("verify --model nosuch old.sig --public-key k.pub").code(2).is("").says("nosuch");
});

case!(
    #[ignore = "campaign: takes long"]
    a_nested_git_folder_is_part_of_a_model_and_one_of_its_own_is_not,
    |t| {
        keyed(t).file("m/sub/.git/HEAD", "x");
        t.run("sign --model m --key k.pem -o out.sig").code(0).says("10 files signed");
        t.file("m/.github/new", "x");
        t.run("verify --model m out.sig --public-key k.pub").code(0);
        if let Some(ran) = judge(t, &["verify", "guess", "k.pub", "m", "out.sig"]) {
            ran.code(0).prints("good ");
        }
        t.file("m/sub/.git/HEAD", "y");
        t.run("verify --model m out.sig --public-key k.pub").code(1).prints("m/sub/.git/HEAD: differs");
    }
);

case!(empty_files_have_no_shards_and_are_told, |t| {
    keyed(t);
    let said = "m/empty: is empty: it has no shard";
    t.run("sign --model m --key k.pem -o out.sig --serialization shards").code(0).says(said);
    t.run("verify --model m out.sig --public-key k.pub").code(0).says(said);
    t.run("tree -c model --serialization shards m").code(0).says(said);
});

case!(
    #[ignore = "campaign: needs Python's packages"]
    what_is_left_out_is_in_the_signature,
    |t| {
        keyed(t);
        t.run("sign --model m --key k.pem -o out.sig --ignore a/ --ignore ./deep/1")
            .code(0)
            .says("6 files signed");
        t.file("m/a/b", "changed").file("m/deep/1/more", "");
        t.run("verify --model m out.sig --public-key k.pub").code(0);
        if let Some(ran) = judge(t, &["verify", "guess", "k.pub", "m", "out.sig"]) {
            ran.code(0).prints("good ");
        }
        for path in ["..", "/a", "", "a/../b", "."] {
            let args = ["sign", "--model", "m", "--key", "k.pem", "-o", "out.sig", "--ignore", path];
            let mut command = t.command("");
            command.args(args);
            let why = if path.is_empty() { "an empty value" } else { "no path below the model" };
            t.ran(command, path).code(64).says(why);
        }
    }
);

case!(keys_of_models_are_told_apart, |t| {
    keyed(t).shell(
        "umask 077
         openssl ec -in k.pem -out sec1.pem 2> /dev/null
         openssl ec -in k.pem -aes128 -passout pass:x -out old.pem 2> /dev/null
         openssl genpkey -algorithm ED25519 -out ed.pem
         openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out koblitz.pem 2> /dev/null
         openssl ecparam -name P-256 -genkey -out params.pem 2> /dev/null",
    );
    let sign = |key: &str| t.run(&format!("sign --model m --key {key} -o out.sig"));
    sign("sec1.pem").code(0);
    sign("params.pem").code(0);
    t.run("verify --model m out.sig --public-key k.pub").code(1);
    sign("old.pem").code(64).says("openssl pkcs8 -topk8");
    sign("ed.pem").code(64).says("models need ECDSA on P-256, P-384 or P-521");
    sign("koblitz.pem").code(64).says("models need ECDSA");
    sign("k.pub").code(64).says("models need a private key in PEM");
    sign("m/a.c").code(64).says("models need a private key");
    t.run("verify --model m out.sig --public-key k.pem").code(64).says("models need a public key in PEM");
    t.run("verify --model m nosuch --public-key k.pub").code(2).says("nosuch: cannot read");
    t.run("verify --model m m/a.c --public-key k.pub").code(1).prints("BROKEN signature: malformed");
});

case!(wrong_use_of_models_is_64, |t| {
    keyed(t);
    for (args, says) in [
        ("sign --model m --key k.pem", "one --key and one --output"),
        ("sign --model m -o x", "one --key and one --output"),
        ("sign --model m/a.c --key k.pem -o x", "is a file"),
        ("sign --model m m/a.c --key k.pem -o x", "cannot be used with"),
        ("sign", "MANIFEST"),
        ("sign m/a.c --key k.pem --serialization shards", "cannot be used with"),
        ("sign m/a.c --key k.pem --follow", "cannot be used with"),
        ("sign m/a.c --key k.pem -j 2", "cannot be used with"),
        ("verify m/a.c --public-key k.pub --stats", "--model <DIR>"),
        ("sign --model m --key k.pem -o x --shard-size 5", "--serialization shards"),
        ("sign --model m --key k.pem -o x --serialization shards --shard-size 0", "at least one byte"),
        ("sign --model m --key k.pem -o x --serialization shards --hash-type blake3", "can't go with shards"),
        ("sign --model m --key k.pem -o x --hash-type md5", "blake2b"),
        ("verify --model m x", "one --public-key"),
        ("verify --model m x --public-key k.pub --allowed-signers x", "cannot be used with"),
        ("tree -c git --serialization shards m", "for the system model alone"),
    ] {
        t.run(args).code(64).says(says);
    }
    assert!(!t.has("x"));
});
