//! The schemas in docs: every document that the program writes fits the schema that it names, and has no key that the
//! schema doesn't name.

use crate::case;
use crate::image::{acquire, sample};
use crate::util::{Place, digest, is_root, stored};
use hashmill_digest::ALGORITHMS;
use hashmill_similar::SIMILAR;
use jsonschema::{Retrieve, Uri, Validator};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

fn read(name: &str) -> Value {
    let text = fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Finds the schemas that others refer to.
struct Beside;

impl Retrieve for Beside {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let name = uri.path().as_str().rsplit('/').next().unwrap_or_default();
        Ok(read(name))
    }
}

/// Returns the names of all schemas of documents.
fn names() -> BTreeSet<String> {
    let files = fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_string()))
        .filter(|name| name != "common-1")
        .collect()
}

/// All schemas, and those that some document followed.
struct Schemas {
    all: BTreeMap<String, Validator>,
    followed: RefCell<BTreeSet<String>>,
}

impl Schemas {
    fn new() -> Schemas {
        let validator = |name: &str| {
            let options = jsonschema::options().with_retriever(Beside).should_validate_formats(true);
            let options = options.with_base_uri(format!("https://hashmill.invalid/{name}.json"));
            options.build(&read(&format!("{name}.json"))).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let all = names().into_iter().map(|name| (name.clone(), validator(&name))).collect();
        Schemas { all, followed: RefCell::default() }
    }

    /// Holds a document against a schema.
    #[track_caller]
    fn fits(&self, name: &str, document: &Value) {
        let errors = self.all[name].iter_errors(document);
        let errors: Vec<String> = errors.map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}\n{document}");
        self.followed.borrow_mut().insert(name.to_string());
    }

    /// Holds a document, or each of a list of them, against the schema that it names.
    #[track_caller]
    fn named(&self, document: &Value) {
        let all = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
        assert!(!all.is_empty());
        for document in all {
            let name = document["schema"].as_str().unwrap_or_else(|| panic!("no schema: {document}"));
            self.fits(name, document);
        }
    }

    /// Runs commands, whatever their results, and validates their output by the schemas that it names: as one document
    /// and as lines.
    #[track_caller]
    fn run(&self, t: &Place, commands: &[&str]) {
        for command in commands {
            let ran = t.run(&format!("{command} -f json"));
            assert!(ran.exit() < Some(64), "{command}: {}", ran.stderr());
            self.named(&ran.json());
            let last = lines(t, &format!("{command} -f jsonl")).pop();
            self.named(&last.unwrap_or_else(|| panic!("{command}: no line")));
        }
    }
}

fn lines(t: &Place, command: &str) -> Vec<Value> {
    let ran = t.run(command);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{command}: {error}")))
        .collect()
}

/// Returns a tree in which something of every category is to be found.
fn tree(t: &Place) -> &Place {
    for name in ["same", "changed", "gone", "moved", "copied", "locked"] {
        t.file(format!("tree/{name}"), name);
    }
    t.run("hash -c md5,sha256 -f jsonl --times -o m tree").code(0);
    t.run("hash -c sha256 -f sums -o sums tree").code(0);
    t.run("hash -p 4 -f hashdeep -c md5,sha256 -o pieces tree").code(0);
    t.file("tree/changed", "otherwise").remove("tree/gone").rename("tree/moved", "tree/there");
    t.file("tree/twin", "copied").file(b"tree/\xff", "new");
    fs::set_permissions(t.path("tree/locked"), fs::Permissions::from_mode(0o000)).unwrap();
    t
}

fn comparisons(t: &Place, schemas: &Schemas) {
    tree(t);
    t.file("list.md2", "8350e5a3e24c153df2275c9f80692773  tree/same\n");
    schemas.run(t, &["audit -k m tree", "audit -k m -k sums tree", "audit -k m", "audit -k pieces tree"]);
    schemas.run(t, &["audit -k m --case 17 --examiner A --evidence disk tree", "audit -k list.md2"]);
    schemas.run(
        t,
        &[
            "diff m tree",
            "diff sums m",
            "check sums",
            "check m",
            "check --new sums m",
            "check list.md2",
            "check --name-is sha256 tree",
        ],
    );
    schemas.run(t, &["dupes tree", "dupes m"]);
    {
        schemas.run(t, &["scrub tree --state state", "scrub tree --state state --max-age 1w"]);
        schemas.named(&t.run("scrub tree --state listed -k m -f json").json());
    }
    if crate::scrub_repair::damage(t) {
        let from = "scrub tree --state state --repair-from copy";
        schemas.run(t, &[from, &format!("{from} --repair"), "scrub tree --state state --discard"]);
    }
    let entry = entry();
    for line in ["audit -k m tree", "audit -k m -k sums tree", "diff m tree", "check sums"] {
        for document in
            lines(t, &format!("{line} -f jsonl")).iter().filter(|line| line.get("category").is_some())
        {
            assert!(entry.is_valid(document), "{line}: {document}");
        }
    }
    let stats = t.run("hash --stats=json tree").stderr();
    schemas.named(&serde_json::from_str(stats.lines().last().unwrap()).unwrap());
}

/// Returns the schema of an entry, which is a line of its own.
fn entry() -> Validator {
    let entry = json!({ "$ref": "common-1.json#/$defs/entry" });
    let options = jsonschema::options().with_retriever(Beside);
    options.with_base_uri("https://hashmill.invalid/entry.json").build(&entry).unwrap()
}

fn records(t: &Place, schemas: &Schemas) {
    t.file("files/a", "a").file("files/b", "a").file(b"files/\xfe", "b").link("files/link", "a");
    t.run("hash -c sha256 -f jsonl -o bad files/a").code(0);
    t.file("rules/r.yar", "rule r : t { meta: n = 1 n = true strings: $a = \"a\" condition: $a }");
    schemas.run(t, &["known build -o set --force --bad bad", "known info set"]);
    for command in [
        "hash -f jsonl -c sha256,ssdeep,s3-etag:5M,dropbox --times --case 1 --examiner me files gone",
        "hash -f jsonl -p 1 files",
        "hash -f jsonl --facts type,entropy -p 1 files",
        "hash -f jsonl --yara rules --yara-strings files",
        "known match --known-set set --show all files",
        "similar digest -c ssdeep,tlsh -f jsonl files",
    ] {
        lines(t, command).iter().for_each(|line| schemas.fits("records-1", line));
    }
    let found =
        t.run("known query --known-set set ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
    let text = String::from_utf8(found.stdout().to_vec()).unwrap();
    schemas.fits("known-query-1", &serde_json::from_str(text.split('\t').nth(3).unwrap()).unwrap());
    schemas.run(t, &["algorithms", "tree -c git,dirhash files", "explain files https://h/f"]);
    for command in ["cycles -c crc32c --iterations 10", "throughput -c md5 --threads 1 --duration 0.01"] {
        t.run(&format!("bench {command} --export-json out.json")).code(0);
        schemas.fits("bench-1", &serde_json::from_slice(&t.read("out.json")).unwrap());
    }
}

fn likeness(t: &Place, schemas: &Schemas) {
    let text: String = (0..4000).map(|number| format!("{number} ")).collect();
    t.file("like/a", &text).file("like/b", format!("{text}and more"));
    t.run("similar index build -c ssdeep -o like.index like").code(0);
    schemas.run(t, &["similar compare -c ssdeep like/a like/b", "similar index info like.index"]);
    for command in
        ["similar pairs -c ssdeep -f jsonl like", "similar pairs -c ssdeep --cluster -f jsonl like"]
    {
        let found = lines(t, command);
        assert!(!found.is_empty(), "{command}");
        found.iter().for_each(|line| schemas.fits("similar-pairs-1", line));
    }
}

fn signatures(t: &Place, schemas: &Schemas) {
    t.file("s/a", "a").file("s/b", "b").run("hash -c sha256 -o list s").code(0);
    t.shell("ssh-keygen -q -t ed25519 -N '' -C a -f key").code(0);
    t.shell("echo \"a@example.org $(cut -d' ' -f1,2 key.pub)\" > allowed").code(0);
    schemas.run(t, &["sign list --key key --force", "verify list --allowed-signers allowed"]);
    schemas.run(t, &["verify list --public-key key.pub", "audit -k list --allowed-signers allowed s"]);
    schemas.run(t, &["seal create list --force", "seal verify list"]);
    t.run("proof create list s/a -o proof").code(0);
    schemas.run(t, &["proof verify proof --seal-file list.seal"]);
    let root = t.run("outboard create s/a").code(0);
    let root = String::from_utf8(root.stdout().to_vec()).unwrap();
    schemas.run(t, &[&format!("outboard verify s/a --root {}", root.trim())]);
    t.file("list", "0 changed\n").file("s/a", "x");
    schemas.run(t, &[&format!("outboard verify s/a --root {}", root.trim())]);
    let make =
        "umask 077; openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec 2> /dev/null";
    t.shell(&format!("{make} && openssl pkey -in ec -pubout -out ec.pub")).code(0);
    t.file("model/a", "a").run("sign --model model --key ec -o model.sig").code(0);
    schemas.run(t, &["verify --model model model.sig --public-key ec.pub"]);
    t.file("model/b", "b").file("model/a", "b");
    schemas.run(t, &["verify --model model model.sig --public-key ec.pub"]);
    t.file("model.sig", "{}");
    schemas.run(t, &["verify --model model model.sig --public-key ec.pub"]);
    schemas.named(&t.run("copy s copied --verify-source -f json").code(0).json());
    schemas.named(&t.run("copy s/ packed --manifest bag -f json").code(0).json());
    schemas.named(&t.run("bag create s -o bag -f json").code(0).json());
    schemas.named(&t.shell("ln -s a s/link && $hashmill bag create s -o none -f json").code(2).json());
    t.file("bag/data/new", "new");
    schemas.run(t, &["bag verify bag", "bag update bag"]);
}

fn images(t: &Place, schemas: &Schemas) -> bool {
    let Some(()) = sample(t, "l01/ntfs-docx.L01") else { return false };
    schemas.run(t, &["image list ntfs-docx.L01", "image info ntfs-docx.L01", "image verify ntfs-docx.L01"]);
    let Some(()) = acquire(t, "disk", "", &[7; 40_000]) else { return false };
    t.file("not.E01", "no image");
    schemas
        .run(t, &["image info disk.E01", "image verify disk.E01", "image verify -c blake3 disk.E01 not.E01"]);
    schemas.named(&t.run("image acquire not.E01 -o new.E01 -f json").code(0).json());
    true
}

case!(
    #[ignore = "campaign: takes long"]
    documents_fit_the_schemas_that_they_name,
    |t| {
        let schemas = &Schemas::new();
        comparisons(t, schemas);
        records(t, schemas);
        likeness(t, schemas);
        signatures(t, schemas);
        let has_images = images(t, schemas);
        let mut open: BTreeSet<String> = names().difference(&schemas.followed.borrow()).cloned().collect();
        open.retain(|name| has_images || !name.starts_with("image"));
        assert!(open.is_empty(), "no document of {open:?} was looked at");
    }
);

case!(an_entry_says_what_should_be_and_what_is, |t| {
    tree(t);
    let json = t.run("audit -k m -f json tree").json();
    let of = |word: &str| {
        let entries = json["entries"].as_array().unwrap();
        entries.iter().find(|entry| entry["category"] == word).unwrap_or_else(|| panic!("{word}: {json}"))
    };
    let changed = of("changed");
    assert_eq!((&changed["expected"]["size"], &changed["actual"]["size"]), (&7.into(), &9.into()));
    assert_eq!(changed["expected"]["digests"]["md5"], md5("changed"));
    assert_eq!(changed["actual"]["digests"]["md5"], md5("otherwise"));
    let times = [&changed["expected"]["mtime"], &changed["actual"]["mtime"]];
    assert!(times.iter().all(|time| time.as_str().is_some_and(|time| time.starts_with("20"))), "{changed}");
    assert_eq!(of("missing")["expected"]["digests"]["md5"], md5("gone"));
    assert_eq!((of("missing").get("actual"), of("new").get("expected")), (None, None));
    assert_eq!(of("new")["actual"]["digests"]["md5"], md5("new"));
    assert_eq!(of("moved")["expected"]["digests"], of("moved")["actual"]["digests"]);
    assert_eq!(of("copied")["actual"]["size"], 6);
    assert_eq!((of("matched").get("expected"), of("matched").get("actual")), (None, None));
    if !is_root() {
        let locked = of("unreadable");
        assert_eq!((&locked["reason"], &locked["expected"]["size"]), (&"EACCES".into(), &6.into()));
    }
});

case!(check_and_diff_say_what_should_be_and_what_is, |t| {
    tree(t);
    for command in ["check -f json sums", "diff -f json sums tree"] {
        let json = t.run(command).json();
        let entries = json["entries"].as_array().unwrap();
        let of = |word: &str| entries.iter().find(|entry| entry["category"] == word).unwrap();
        let (changed, missing) = (of("changed"), of("missing"));
        let by = |content: &Value| content["digests"]["sha256"].as_str().unwrap().to_string();
        assert_eq!(by(&changed["actual"]), sha256("otherwise"), "{command}");
        assert_eq!(by(&changed["expected"]), sha256("changed"), "{command}");
        assert_eq!(by(&missing["expected"]), sha256("gone"), "{command}");
        assert_eq!(missing.get("actual"), None, "{command}");
    }
});

case!(manifests_that_contradict_each_other_are_all_heard, |t| {
    t.file("a", "now")
        .file("one", format!("{}  a\n", sha256("one")))
        .file("two", format!("{}  a\n", sha256("two")));
    let json = t.run("audit -k one -k two -c sha256 -f json a").code(1).json();
    let expected = json!({ "digests": { "sha256": [sha256("one"), sha256("two")] } });
    assert_eq!(json["entries"][0]["expected"], expected);
});

case!(an_audit_says_of_which_run_it_is, |t| {
    tree(t);
    let command = "audit -k m -f json --case 2026-17 --examiner Ada --evidence disk tree";
    let json = t.run(command).json();
    let run = &json["run"];
    assert_eq!(run["manifest"]["path"], "m");
    assert_eq!(run["manifest"]["sha256"], sha256(t.read("m")));
    assert_eq!((&run["operands"], &run["tool"]), (&json!(["tree"]), &"hashmill".into()));
    assert_eq!([&run["case"], &run["examiner"], &run["evidence"]], ["2026-17", "Ada", "disk"]);
    assert_eq!(run["command"].as_array().unwrap().len(), 1 + command.split(' ').count());
    assert!(run["started"].as_str() <= run["ended"].as_str() && run["host"].is_string(), "{run}");
    let without = |mut json: Value| json.as_object_mut().unwrap().remove("run").map(|_| json);
    let others = ["-j1", "-j3"].map(|threads| without(t.run(&format!("{command} {threads}")).json()));
    assert!(others.iter().all(|other| *other == without(json.clone())), "only the run differs");
    t.run("audit -k m --case 1 tree").code(64).says("-f json");
});

case!(the_digest_is_of_what_was_read, |t| {
    tree(t);
    let json = t.feed("audit -k - -f json tree", t.read("m")).json();
    assert_eq!(json["run"]["manifest"]["sha256"], sha256(t.read("m")));
    assert_eq!(json["counts"]["moved"], 1);
    let json = t.shell("mkfifo pipe; cat m > pipe & $hashmill audit -k pipe -k sums -f json tree").json();
    let manifests = json["run"]["manifest"].as_array().unwrap();
    let digests: Vec<_> = manifests.iter().map(|manifest| &manifest["sha256"]).collect();
    assert_eq!(digests, [&json!(sha256(t.read("m"))), &json!(sha256(t.read("sums")))]);
    t.run("audit -k absent -f json tree").code(64).says("absent");
});

case!(signers_are_fields, |t| {
    t.file("s/a", "a").run("hash -c sha256 -o list s").code(0);
    t.shell("ssh-keygen -q -t ed25519 -N '' -C a -f key").code(0);
    t.shell("echo \"a@example.org $(cut -d' ' -f1,2 key.pub)\" > allowed").code(0);
    t.run("sign list --key key").code(0);
    let key = t.run("sign list --key key -f json --force").code(0).json()[0]["key"].clone();
    let signer = |name: Value, trusted: bool| json!({ "name": name, "key": key, "namespace": "file", "time": null, "trusted": trusted });
    let verified = t.run("verify list --allowed-signers allowed -f json").code(0).json();
    assert_eq!(verified["signatures"][0]["signer"], signer("a@example.org".into(), true));
    assert_eq!(verified["signatures"][0]["verdict"], "good");
    let audit = t.run("audit -k list --allowed-signers allowed -f json s").code(0).json();
    assert_eq!(audit["run"]["manifest"]["signers"], json!([signer("a@example.org".into(), true)]));
    let audit = t.run("audit -k list -f json s").code(0).json();
    assert_eq!(audit["run"]["manifest"]["signers"], json!([signer(Value::Null, false)]));
    let check = t.run("check --public-key key.pub -f json list").code(0).json();
    assert_eq!(check["lists"], json!([{ "path": "list", "signers": [signer(Value::Null, true)] }]));
});

/// Names of algorithms stand in one place of the schemas.
#[test]
fn schemas_name_every_algorithm() {
    let of = |names: Vec<&str>, rest: &str| format!("^({}){rest}$", names.join("|").replace('.', "\\."));
    let digests: Vec<&str> = ALGORITHMS.iter().map(|row| row.name).collect();
    let likeness = of(SIMILAR.iter().map(|row| row.name).collect(), "(_status)?");
    let mut common = read("common-1.json");
    for (part, pattern) in [
        ("digests", of(digests.clone(), "(:[0-9A-Z]+)?")),
        ("leaves", of(digests, "(:[0-9A-Z]+)?_leaves")),
        ("likeness", likeness),
    ] {
        let patterns = common["$defs"][part]["patternProperties"].as_object_mut().unwrap();
        let (_, value) = std::mem::take(patterns).into_iter().next().unwrap();
        patterns.insert(pattern, value);
    }
    let text = serde_json::to_string_pretty(&common).unwrap() + "\n";
    stored(&folder().join("common-1.json"), text.as_bytes());
}

fn md5(content: impl AsRef<[u8]>) -> String {
    digest("md5", content)
}

fn sha256(content: impl AsRef<[u8]>) -> String {
    digest("sha256", content)
}
