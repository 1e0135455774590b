//! Objects in memory, each with one thing wrong, and the codes that are found.

use super::{OcflEntry, OcflObject, OcflPlace, OcflRoot};
use hashmill_digest::{find, hash};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Files = BTreeMap<String, Vec<u8>>;

/// An object before the digests of its inventories are made.
struct Draft {
    files: Files,
    /// The inventories by their folders.
    inventories: BTreeMap<&'static str, Value>,
}

fn digest(name: &str, text: &[u8]) -> String {
    hash(find(name).unwrap(), text).to_string()
}

fn version(files: &[(&str, &str)]) -> Value {
    let mut state = json!({});
    for (path, text) in files {
        let key = digest("sha512", text.as_bytes());
        state[key] = json!([path]);
    }
    let user = json!({ "name": "A. Person", "address": "mailto:a@example.org" });
    json!({ "created": "2020-01-02T03:04:05Z", "message": "new", "user": user, "state": state })
}

/// An object of two versions without faults.
fn draft() -> Draft {
    let files =
        [("0=ocfl_object_1.1", "ocfl_object_1.1\n"), ("v1/content/a", "aaa"), ("v2/content/d/b", "bb")];
    let (a, b) = (digest("sha512", b"aaa"), digest("sha512", b"bb"));
    let inventory = |head: &str, manifest: Value, versions: Value| {
        let text = "https://ocfl.io/1.1/spec/#inventory";
        json!({ "id": "urn:x", "type": text, "digestAlgorithm": "sha512", "head": head, "manifest": manifest,
            "versions": versions })
    };
    let (one, two) = (version(&[("a", "aaa")]), version(&[("a", "aaa"), ("b", "bb")]));
    let first = inventory("v1", json!({ &a: ["v1/content/a"] }), json!({ "v1": one }));
    let manifest = json!({ &a: ["v1/content/a"], &b: ["v2/content/d/b"] });
    let last = inventory("v2", manifest, json!({ "v1": one, "v2": two }));
    Draft {
        files: files.map(|(path, text)| (path.to_string(), text.as_bytes().to_vec())).into(),
        inventories: [("", last.clone()), ("v1/", first), ("v2/", last)].into(),
    }
}

impl Draft {
    /// Makes the same change in the inventory of the object and in that of its last version.
    fn both(&mut self, change: impl Fn(&mut Value)) {
        for folder in ["", "v2/"] {
            change(self.inventories.get_mut(folder).unwrap());
        }
    }

    fn files(self) -> Files {
        let mut files = self.files;
        for (folder, inventory) in self.inventories {
            let text = inventory.to_string();
            let name = inventory["digestAlgorithm"].as_str().unwrap_or("sha512");
            let line = format!("{}  inventory.json\n", digest(name, text.as_bytes()));
            files.insert(format!("{folder}inventory.json.{name}"), line.into());
            files.insert(format!("{folder}inventory.json"), text.into());
        }
        files
    }
}

fn entries(files: &Files) -> BTreeMap<Vec<u8>, OcflEntry> {
    let mut entries = BTreeMap::new();
    for path in files.keys() {
        for (end, _) in path.match_indices('/') {
            entries.insert(path[..end].into(), OcflEntry::Folder);
        }
        if !path.ends_with('/') {
            entries.insert(path.as_bytes().into(), OcflEntry::File);
        }
    }
    entries
}

fn codes(files: &Files, change: impl Fn(&mut BTreeMap<Vec<u8>, OcflEntry>)) -> BTreeSet<&'static str> {
    let mut entries = entries(files);
    change(&mut entries);
    let mut object = OcflObject::new(entries);
    let text = |path: Vec<u8>| (path.clone(), files[str::from_utf8(&path).unwrap()].clone());
    let texts = object.texts().into_iter().map(text).collect();
    object.inspect(&texts);
    for path in object.files().map(<[u8]>::to_vec).collect::<Vec<_>>() {
        let bytes = &files[str::from_utf8(&path).unwrap()];
        object.file(&path, |algorithm| Some(hash(algorithm, bytes)));
    }
    let outcomes = object.finish();
    outcomes.into_values().flat_map(|outcome| outcome.findings).map(|finding| finding.code).collect()
}

#[track_caller]
fn finds(change: impl Fn(&mut Draft), wanted: &[&str]) {
    let mut draft = draft();
    change(&mut draft);
    let wanted: BTreeSet<&str> = wanted.iter().copied().collect();
    assert_eq!(codes(&draft.files(), |_| {}), wanted);
}

#[test]
fn a_good_object_is_good() {
    finds(|_| {}, &[]);
    let mut one = draft();
    one.inventories.remove("v1/");
    one.inventories.remove("v2/");
    assert_eq!(codes(&one.files(), |_| {}), ["W010"].into());
}

#[test]
fn files_are_those_of_the_inventory() {
    for (path, wanted) in [
        ("extra", &["E001"][..]),
        ("extra/a", &["E001"]),
        ("0=ocfl_object_1.0", &["E003", "E007"]),
        ("inventory.json.md5", &["E059"]),
        ("v1/extra", &["E015"]),
        ("v1/extra/a", &["W002"]),
        ("v1/content/extra", &["E023"]),
        ("v2/content/empty/", &["E024"]),
        ("v3/", &["E046", "W010"]),
        ("v0/", &["E001"]),
        ("extensions/a", &["E067"]),
        ("extensions/a/b", &["W013"]),
        ("extensions/0009-digest-algorithms/b", &[]),
        ("logs/a", &[]),
    ] {
        finds(|draft| drop(draft.files.insert(path.into(), b"x".into())), wanted);
    }
    finds(|draft| drop(draft.files.remove("v1/content/a")), &["E092"]);
    finds(|draft| drop(draft.files.insert("v1/content/a".into(), b"aab".into())), &["E092"]);
    finds(|draft| drop(draft.files.remove("0=ocfl_object_1.1")), &["E003"]);
    finds(|draft| drop(draft.files.insert("0=ocfl_object_1.1".into(), b"ocfl_object_1.1".into())), &["E007"]);
    let files = draft().files();
    let with = |path: &str, entry| {
        codes(&files, |entries| {
            entries.insert(path.as_bytes().into(), entry);
        })
    };
    assert_eq!(with("v1/content/a", OcflEntry::Link), ["E090", "E092"].into());
    assert_eq!(with("logs/a", OcflEntry::Link), ["E090"].into());
    assert_eq!(with("logs/a", OcflEntry::Other), ["E089"].into());
}

#[test]
fn digests_are_beside_inventories() {
    for (path, text, wanted) in [
        ("inventory.json.sha512", None, "E058"),
        ("inventory.json.sha512", Some("00 inventory.json\n"), "E061"),
        ("inventory.json.sha512", Some("junk"), "E061"),
        ("v1/inventory.json.sha512", None, "E058"),
        ("inventory.json", None, "E063"),
    ] {
        let mut files = draft().files();
        match text {
            None => drop(files.remove(path)),
            Some(text) => drop(files.insert(path.into(), text.into())),
        }
        assert!(codes(&files, |_| {}).contains(wanted), "{path}");
    }
    let mut files = draft().files();
    files.get_mut("v1/inventory.json").unwrap().push(b' ');
    assert_eq!(codes(&files, |_| {}), ["E060"].into());
    files.insert("v1/inventory.json".into(), b"{".into());
    assert_eq!(codes(&files, |_| {}), ["E033"].into());
}

/// The path of a value in an inventory, what it becomes (`null`: it is removed), and the codes.
const CHANGES: &[(&str, &str, &[&str])] = &[
    ("/id", "null", &["E036", "E037"]),
    ("/id", "1", &["E037"]),
    ("/id", "\"x y\"", &["E037", "W005"]),
    ("/type", "null", &["E036"]),
    ("/type", "\"https://ocfl.io/1.0/spec/#inventory\"", &["E038", "E103"]),
    ("/type", "\"x\"", &["E038"]),
    ("/digestAlgorithm", "null", &["E036"]),
    ("/head", "null", &["E036"]),
    ("/head", "\"v1\"", &["E040"]),
    ("/head", "2", &["E040"]),
    ("/contentDirectory", "\"a/b\"", &["E017"]),
    ("/contentDirectory", "\"..\"", &["E018"]),
    ("/contentDirectory", "\"stuff\"", &["E019", "E042", "W002"]),
    ("/manifest", "null", &["E023", "E041", "E050"]),
    ("/manifest", "[]", &["E023", "E050", "E106"]),
    ("/versions", "null", &["E043", "E046", "E066", "E107"]),
    ("/versions", "[]", &["E044", "E046", "E066", "E107"]),
    ("/versions", "{}", &["E008", "E046", "E066", "E107"]),
    ("/versions/v1", "null", &["E009", "E046", "E066"]),
    ("/versions/v1", "[]", &["E047", "E066", "W011"]),
    ("/versions/v4", "{}", &["E010", "E040", "E048", "W007"]),
    ("/versions/v03", "{}", &["E010", "E012", "E013", "E040", "E048", "W007"]),
    ("/versions/x", "{}", &["E046"]),
    ("/versions/v2/created", "null", &["E048"]),
    ("/versions/v2/created", "\"2020-01-02\"", &["E049"]),
    ("/versions/v2/state", "null", &["E048", "E107"]),
    ("/versions/v2/state", "[]", &["E050", "E107"]),
    ("/versions/v2/state/00", "[\"c\"]", &["E050"]),
    ("/versions/v2/message", "null", &["W007"]),
    ("/versions/v2/message", "1", &["E094"]),
    ("/versions/v1/message", "\"other\"", &["W011"]),
    ("/versions/v2/user", "\"x\"", &["E054"]),
    ("/versions/v2/user/name", "null", &["E054"]),
    ("/versions/v2/user/address", "null", &["W008"]),
    ("/versions/v2/user/address", "\"x\"", &["W009"]),
    ("/versions/v2/more", "1", &["E102"]),
    ("/more", "1", &["E102"]),
    ("/fixity", "{}", &[]),
    ("/fixity", "[]", &["E111"]),
    ("/fixity", "{\"x\": {}}", &["E056"]),
    ("/fixity", "{\"md5\": []}", &["E057"]),
    ("/fixity", "{\"md5\": {\"00\": [\"v1/content/a\"]}}", &["E057"]),
    ("/fixity", "{\"size\": {\"3\": [\"v1/content/a\"]}}", &["E028"]),
    ("/fixity", "{\"md5\": {\"47bce5c74f589f4867dbd57e9ca9f808\": [\"v1/content/a\"]}}", &[]),
    ("/fixity", "{\"md5\": {\"47bce5c74f589f4867dbd57e9ca9f809\": [\"v1/content/a\"]}}", &["E093"]),
    ("/fixity", "{\"md5\": {\"47bce5c74f589f4867dbd57e9ca9f808\": [\"v1/content/c\"]}}", &["E093"]),
    ("/fixity", "{\"md5\": {\"47bce5c74f589f4867dbd57e9ca9f808\": [\"/a\"]}}", &["E100"]),
    (
        "/fixity",
        "{\"md5\": {\"47bce5c74f589f4867dbd57e9ca9f808\": [], \"47BCE5C74F589F4867DBD57E9CA9F808\": []}}",
        &["E097"],
    ),
];

#[test]
fn inventories_have_what_the_standard_says() {
    for (path, value, wanted) in CHANGES {
        let value: Value = serde_json::from_str(value).unwrap();
        let change = |inventory: &mut Value| {
            let (above, key) = path.rsplit_once('/').unwrap();
            let object = inventory.pointer_mut(above).unwrap().as_object_mut().unwrap();
            match &value {
                Value::Null => drop(object.remove(key)),
                value => drop(object.insert((*key).into(), value.clone())),
            }
        };
        let mut draft = draft();
        draft.both(change);
        let wanted: BTreeSet<&str> = wanted.iter().copied().collect();
        assert_eq!(codes(&draft.files(), |_| {}), wanted, "{path} {value}");
    }
}

#[test]
fn paths_in_inventories_are_safe_and_unique() {
    let (a, b) = (digest("sha512", b"aaa"), digest("sha512", b"bb"));
    for (paths, wanted) in [
        (json!(["v1/content/a", "v1/content/a"]), &["E101"][..]),
        (json!(["v1/content/a", "v1/content/a/c"]), &["E092", "E101"]),
        (json!(["v1/content/a", "../x"]), &["E099"]),
        (json!(["v1/content/a", "/x"]), &["E100"]),
        (json!(["v1/content/a", "logs/x"]), &["E042", "E092"]),
        (json!("x"), &["E023", "E092"]),
        (json!([1]), &["E023", "E092"]),
    ] {
        finds(|draft| draft.both(|inventory| inventory["manifest"][&a] = paths.clone()), wanted);
    }
    for (paths, wanted) in [
        (json!(["b", "b"]), &["E095"][..]),
        (json!(["b", "b/c"]), &["E095"]),
        (json!(["../b"]), &["E052"]),
        (json!(["b/"]), &["E053"]),
        (json!("b"), &["E051", "E107"]),
    ] {
        finds(
            |draft| draft.both(|inventory| inventory["versions"]["v2"]["state"][&b] = paths.clone()),
            wanted,
        );
    }
    let unused = digest("sha512", b"unused");
    finds(|draft| draft.both(|inventory| inventory["manifest"][&unused] = json!([])), &["E107"]);
    let again = a.to_uppercase();
    finds(|draft| draft.both(|inventory| inventory["manifest"][&again] = json!([])), &["E096", "E107"]);
}

#[test]
fn older_inventories_agree_with_that_of_the_object() {
    let first =
        |change: fn(&mut Value)| move |draft: &mut Draft| change(draft.inventories.get_mut("v1/").unwrap());
    finds(first(|inventory| inventory["id"] = json!("urn:y")), &["E037"]);
    finds(first(|inventory| inventory["contentDirectory"] = json!("stuff")), &["E019", "E042"]);
    finds(first(|inventory| inventory["type"] = json!("https://ocfl.io/1.0/spec/#inventory")), &[]);
    finds(first(|inventory| inventory["versions"]["v1"] = version(&[("c", "aaa")])), &["E066"]);
    finds(
        |draft| drop(draft.inventories.get_mut("").unwrap()["versions"]["v2"]["message"].take()),
        &["E064", "E094", "W011"],
    );
    // Another algorithm, the same content.
    let (a, other) = (digest("sha512", b"aaa"), digest("sha256", b"aaa"));
    let change = |draft: &mut Draft| {
        let text =
            draft.inventories["v1/"].to_string().replace(&a, &other).replace("\"sha512\"", "\"sha256\"");
        draft.inventories.insert("v1/", serde_json::from_str(&text).unwrap());
    };
    finds(change, &["W004"]);
}

#[test]
fn storage_roots_are_declared() {
    let found = |files: &[(&str, &str)]| {
        let files: Files =
            files.iter().map(|(path, text)| (path.to_string(), text.as_bytes().into())).collect();
        let texts = files.iter().map(|(path, text)| (path.as_bytes().to_vec(), text.clone())).collect();
        let findings = OcflRoot::new(&entries(&files), &texts).finish();
        findings.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    let good = ("0=ocfl_1.1", "ocfl_1.1\n");
    assert_eq!(found(&[good, ("readme", "")]), [""; 0]);
    assert_eq!(found(&[]), ["E069"]);
    assert_eq!(found(&[("0=ocfl_1.1", "")]), ["E080"]);
    assert_eq!(found(&[("0=ocfl_1.9", "ocfl_1.9\n")]), ["E079"]);
    assert_eq!(found(&[good, ("0=ocfl_1.0", "ocfl_1.0\n")]), ["E076"]);
    assert_eq!(found(&[good, ("ocfl_layout.json", "{}")]), ["E070"]);
    let layout = r#"{"extension": "x", "description": ""}"#;
    assert_eq!(found(&[good, ("ocfl_layout.json", layout)]), ["E071"]);
    assert_eq!(found(&[good, ("extensions/x", ""), ("extensions/y/z", "")]), ["E112", "W016"]);
    let places = |layout: &str, places: &[(&str, &str)]| {
        let texts: BTreeMap<Vec<u8>, Vec<u8>> =
            [good, ("ocfl_layout.json", layout)].map(|(name, text)| (name.into(), text.into())).into();
        let entries = texts.keys().map(|name| (name.clone(), OcflEntry::File)).collect();
        let mut root = OcflRoot::new(&entries, &texts);
        places.iter().for_each(|(path, id)| root.object(path.as_bytes(), Some(id)));
        root.finish().into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    let flat = r#"{"extension": "0002-flat-direct-storage-layout", "description": ""}"#;
    assert_eq!(places(flat, &[("a", "a"), ("b", "b")]), [""; 0]);
    assert_eq!(places(flat, &[("a", "a"), ("x/b", "b")]), ["W015", "E083"]);
    assert_eq!(places("", &[("a/b", "x"), ("a/b/c", "y")]), ["W014", "E070"]);
    assert_eq!(places("", &[("a", "x"), ("a/b/c", "y")]), ["W015", "E070"]);
    assert_eq!(OcflPlace::new([&b"0=ocfl_1.0"[..], b"x"]), OcflPlace::Root);
    assert_eq!(OcflPlace::new([&b"0=ocfl_object_1.0"[..]]), OcflPlace::Object);
    assert_eq!(OcflPlace::new([&b"inventory.json"[..]]), OcflPlace::Object);
    assert_eq!(OcflPlace::new([&b"x"[..]]), OcflPlace::Other);
}
