//! Known answers of every system, and the entries that it refuses.

use hashmill_digest::{find, hash};
use hashmill_tree::model::{
    BadStatement, Difference, Method, Model, Resource, Serialization, is_left_out, path_below,
};
use hashmill_tree::{Entry, EntryKind, Error, Options, SYSTEMS, find_system};
use proptest::prelude::*;

/// Returns the digest of a file's content by the system's algorithm.
fn content(system: &str, bytes: &[u8]) -> hashmill_digest::Digest {
    let blob = [format!("blob {}\0", bytes.len()).as_bytes(), bytes].concat();
    match find_system(system).unwrap().files {
        "git-blob" => hash(find("sha1").unwrap(), &blob),
        "git-blob-sha256" => hash(find("sha256").unwrap(), &blob),
        name => hash(find(name).unwrap(), bytes),
    }
}

fn file(system: &str, path: &str, bytes: &[u8], executable: bool) -> Entry {
    let digest = content(system, bytes);
    Entry { path: path.as_bytes().into(), kind: EntryKind::File { executable, digest } }
}

fn digest(system: &str, entries: &[Entry]) -> Result<String, Error> {
    find_system(system).unwrap().digest(entries, &Options::default())
}

#[test]
fn an_empty_directory_has_the_digest_that_everybody_knows() {
    assert_eq!(digest("git", &[]).unwrap(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    let sha256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
    assert_eq!(digest("git-sha256", &[]).unwrap(), sha256);
    assert_eq!(digest("swhid", &[]).unwrap(), "swh:1:dir:4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    assert_eq!(digest("dirhash", &[]).unwrap(), "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(digest("model", &[]).unwrap(), nothing);
}

/// The digest of
/// `git init; echo hello > a; mkdir d; echo hi > d/x; chmod +x d/x; ln -s a l; git add .; git write-tree`.
#[test]
fn modes_and_links_are_as_git_has_them() {
    let entries = [
        file("git", "a", b"hello\n", false),
        file("git", "d/x", b"hi\n", true),
        Entry { path: (*b"l").into(), kind: EntryKind::Link { target: (*b"a").into() } },
    ];
    assert_eq!(digest("git", &entries).unwrap(), "049ad19e4cee10b7d765e007b62993af0a45a3e4");
}

#[test]
fn folders_sort_as_if_a_slash_were_at_their_end() {
    // git sorts by `a-b`, `a.b`, `a/`: the bytes 0x2d, 0x2e, 0x2f.
    let entries = ["a/x", "a-b", "a.b", "a0"].map(|path| file("git", path, b"", false));
    assert_eq!(digest("git", &entries).unwrap(), "a15d226b4127d7ba6ba528d2ed9eebc1261e92ef");
}

#[test]
fn only_software_heritage_sees_empty_folders() {
    let folder = [Entry { path: (*b"empty/inner").into(), kind: EntryKind::Folder }];
    assert_eq!(digest("git", &folder).unwrap(), digest("git", &[]).unwrap());
    assert_ne!(digest("swhid", &folder).unwrap(), digest("swhid", &[]).unwrap());
}

#[test]
fn what_a_system_has_no_place_for_is_named() {
    let link = Entry { path: (*b"l").into(), kind: EntryKind::Link { target: (*b"a").into() } };
    for system in ["dirhash", "model"] {
        assert!(matches!(digest(system, std::slice::from_ref(&link)), Err(Error::Kind { .. })), "{system}");
    }
    let feed = file("dirhash", "a\nb", b"", false);
    assert!(matches!(digest("dirhash", &[feed]), Err(Error::Name { .. })));
    for name in [".git/config", "sub/.GIT", ".Git"] {
        assert!(matches!(digest("git", &[file("git", name, b"", false)]), Err(Error::Name { .. })), "{name}");
        digest("swhid", &[file("swhid", name, b"", false)]).unwrap();
    }
    let unreadable = Entry { path: (*b"\xff").into(), ..file("model", "a", b"", false) };
    assert!(matches!(digest("model", &[unreadable]), Err(Error::Name { .. })));
    for system in ["git", "swhid", "dirhash"] {
        let twice = [file(system, "a", b"1", false), file(system, "a", b"2", false)];
        assert!(matches!(digest(system, &twice), Err(Error::Twice(_))), "{system}");
    }
    let below = [file("git", "a", b"1", false), file("git", "a/b", b"2", false)];
    assert!(matches!(digest("git", &below), Err(Error::Twice(_))));
}

#[test]
fn digests_that_a_user_writes_are_read() {
    let read = |system: &str, text: &str| find_system(system).unwrap().read(text);
    let tree = "4B825DC642CB6EB9A060E54BF8D69288FBEE4904";
    assert_eq!(read("git", tree), Some(tree.to_lowercase()));
    assert_eq!(read("swhid", tree), read("swhid", &format!("swh:1:dir:{tree};origin=https://x")));
    let h1 = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(read("dirhash", h1), Some(h1.to_string()));
    assert_eq!(read("dirhash", hex), Some(h1.to_string()));
    assert_eq!(read("model", &format!("sha256:{hex}")), Some(hex.to_string()));
    for system in SYSTEMS {
        assert_eq!(system.read("nonsense"), None, "{}", system.name);
        assert_eq!(system.read(""), None, "{}", system.name);
    }
}

fn model(method: Method, names: &[(&str, Option<(u64, u64)>)]) -> Model {
    let sha256 = find("sha256").unwrap();
    let resource =
        |(name, range): &(&str, _)| Resource::new(name.as_bytes(), *range, hash(sha256, b"x")).unwrap();
    let left_out = vec!["model.sig".to_string()];
    let serialization = Serialization { left_out, ..Serialization::new(method, sha256) };
    Model::new("m".into(), serialization, names.iter().map(resource).collect())
}

#[test]
fn a_model_s_paths_stand_in_the_order_of_their_parts() {
    let model = model(Method::Files, &[("a.c", None), ("a-b/c", None), ("a/b", None)]);
    let names: Vec<String> = model.resources().iter().map(Resource::name).collect();
    assert_eq!(names, ["a/b", "a-b/c", "a.c"]);
}

#[test]
fn a_statement_is_read_back() {
    let shards = [("a", Some((0, 10))), ("a", Some((10, 12))), ("b/c", Some((0, 1)))];
    for model in [model(Method::Files, &[("a", None), ("b/c", None)]), model(Method::Shards(10), &shards)] {
        assert_eq!(Model::parse(model.statement().as_bytes()).unwrap(), model);
    }
    let model = model(Method::Shards(10), &shards);
    let float = model.statement().replace("\"shard_size\":10", "\"shard_size\":10.0");
    assert_eq!(Model::parse(float.as_bytes()).unwrap(), model);
}

#[test]
fn a_statement_that_says_something_else_is_refused() {
    let text = model(Method::Files, &[("a", None), ("b", None)]).statement();
    let parse = |from: &str, to: &str| Model::parse(text.replace(from, to).as_bytes());
    assert!(matches!(parse("signature/v1.0", "signature/v9"), Err(BadStatement::Type(_))));
    assert!(matches!(parse("Statement/v1", "Statement/v2"), Err(BadStatement::Type(_))));
    assert!(matches!(parse("\"name\":\"a\"", "\"name\":\"../a\""), Err(BadStatement::Resource(_))));
    assert!(matches!(parse("\"name\":\"a\"", "\"name\":\"/a\""), Err(BadStatement::Resource(_))));
    assert!(matches!(
        parse("\"hash_type\":\"sha256\"", "\"hash_type\":\"md5\""),
        Err(BadStatement::Unknown(_))
    ));
    assert!(matches!(parse("\"method\":\"files\"", "\"method\":\"shards\""), Err(BadStatement::Unknown(_))));
    assert!(matches!(
        parse("{\"name\":\"b\"", "{\"name\":\"b\",\"x\":0}, {\"name\":\"b\""),
        Err(BadStatement::Json(_))
    ));
    let digest = hash(find("sha256").unwrap(), b"x").to_string();
    let other = hash(find("sha256").unwrap(), b"y").to_string();
    assert!(matches!(parse(&digest, &other), Err(BadStatement::Inconsistent)));
    let upper = digest.to_ascii_uppercase();
    assert_eq!(parse(&digest, &upper).unwrap(), model(Method::Files, &[("a", None), ("b", None)]));
    assert!(matches!(parse("\"name\":\"b\"", "\"name\":\"a\""), Err(BadStatement::Twice(_))));
    for algorithm in ["sha512", "blake3", "sha256-sharded-10"] {
        let to = format!("\"algorithm\":\"{algorithm}\"");
        assert!(matches!(parse("\"algorithm\":\"sha256\"", &to), Err(BadStatement::Resource(_))));
    }
    for path in [".", "", "./"] {
        let to = format!("\"ignore_paths\":[\"{path}\"]");
        let parsed = parse("\"ignore_paths\":[\"model.sig\"]", &to);
        assert!(matches!(parsed, Err(BadStatement::LeavesAllOut)), "{path}");
    }
    let links = parse("\"allow_symlinks\":false,", "");
    assert!(matches!(links, Err(BadStatement::Json(_))), "{links:?}");
    let shards = model(Method::Shards(10), &[("a", Some((0, 10)))]).statement();
    for name in ["a:0:+10", "a:00:10", "a:10:0", "a:0", "a", ":0:10", "a:b:0:10"] {
        let text = shards.replace("a:0:10", name);
        assert!(matches!(Model::parse(text.as_bytes()), Err(BadStatement::Resource(_))), "{name}");
    }
}

#[test]
fn what_is_left_out_is_told_by_whole_parts() {
    let left_out = ["a", "b/c"];
    for (path, wanted) in [
        ("a", true),
        ("a/x", true),
        ("ab", false),
        ("b", false),
        ("b/c", true),
        ("b/c/d", true),
        ("x/a", false),
    ] {
        assert_eq!(is_left_out(&left_out, path.as_bytes()), wanted, "{path}");
    }
    for (text, wanted) in [
        ("./a//b/", Some("a/b")),
        (".", Some("")),
        ("/a", None),
        ("a/../b", None),
        ("..", None),
        ("..a", Some("..a")),
    ] {
        assert_eq!(path_below(text).as_deref(), wanted, "{text}");
    }
    let signed = model(Method::Files, &[(".gitignore", None), ("a", None)]);
    let all = signed.all_left_out();
    assert!(all.contains(&".git".to_string()) && !all.contains(&".gitignore".to_string()), "{all:?}");
    assert!(all.contains(&"model.sig".to_string()));
}

#[test]
fn differences_are_named() {
    let signed = model(Method::Files, &[("a", None), ("b", None)]);
    let sha256 = find("sha256").unwrap();
    let resources = vec![
        Resource::new(b"a", None, hash(sha256, b"other")).unwrap(),
        Resource::new(b"c", None, hash(sha256, b"x")).unwrap(),
    ];
    let expected = [("a", Difference::Changed), ("b", Difference::Missing), ("c", Difference::Unsigned)];
    let expected = expected.map(|(name, difference)| (name.to_string(), difference));
    let named = |found: &[Resource]| -> Vec<_> {
        let all = signed.differences(found).into_iter();
        all.map(|(resource, difference)| (resource.name(), difference)).collect()
    };
    assert_eq!(named(&resources), expected);
    assert_eq!(named(signed.resources()), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

    /// Entries may come in any order, and folders may be included or not.
    #[test]
    fn the_order_of_entries_does_not_matter(names in proptest::collection::btree_set("[a-c]{1,2}(/[a-c.-]{1,2}){0,3}", 0..12), seed in any::<u64>()) {
        for system in SYSTEMS {
            let mut entries: Vec<Entry> = Vec::new();
            for name in &names {
                let above = |other: &String| name.starts_with(&format!("{other}/")) || other.starts_with(&format!("{name}/"));
                if !names.iter().any(above) {
                    entries.push(file(system.name, name, name.as_bytes(), name.len() % 2 == 0));
                }
            }
            let before = system.digest(&entries, &Options::default()).unwrap();
            entries.sort_by_key(|entry| hash(find("xxh64").unwrap(), &[&entry.path[..], &seed.to_le_bytes()].concat()));
            let folders: Vec<Entry> = entries.iter().filter_map(|entry| {
                let at = entry.path.iter().rposition(|byte| *byte == b'/')?;
                Some(Entry { path: entry.path[..at].into(), kind: EntryKind::Folder })
            }).collect();
            entries.extend(folders);
            prop_assert_eq!(system.digest(&entries, &Options::default()).unwrap(), before);
        }
    }
}
