//! Known answers: what rules match, and what is told of them.

use crate::util::{Folder, names, of, rules, rules_with_strings};
use hashmill_facts::{ContentScanner, Meta, MetaValue, ScanStatus, StringMatches};
use hashmill_rules::{MAX_MATCHES, MAX_PLACES};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn strings_conditions_and_modules() {
    let rules = rules(
        r#"
        import "pe" import "elf" import "math" import "hash" import "string" import "time" import "console"
        import "macho" import "dotnet" import "dex"
        rule text { strings: $a = "needle" condition: $a }
        rule wide { strings: $a = "needle" wide condition: $a }
        rule nocase { strings: $a = "NEEDLE" nocase fullword condition: $a }
        rule bytes { strings: $a = { 6E 65 ?? 64 [0-3] 65 } condition: $a }
        rule regex { strings: $a = /ne+dle{1,2}/ condition: $a }
        rule twice { strings: $a = "needle" condition: #a == 2 and @a[2] == 7 }
        rule sized { condition: filesize == 13 }
        rule digest { condition: hash.md5(0, filesize) == "2d07ad33bd85ec9a0cbf0d0e78d53ee0" }
        rule even { condition: math.entropy(0, filesize) > 2.0 }
        rule logged { condition: console.log("to nowhere") and filesize == 13 }
        rule program { condition: pe.is_pe or elf.number_of_sections > 0 }
        private rule hidden { condition: true }
        rule through { condition: hidden and filesize > 12 }
        "#,
    );
    assert_eq!(rules.count(), 13);
    let wanted = ["text", "nocase", "bytes", "regex", "twice", "sized", "even", "logged", "through"];
    assert_eq!(names(&rules, b"needle needle"), wanted);
    assert_eq!(names(&rules, b"n\0e\0e\0d\0l\0e\0"), ["wide"]);
    assert_eq!(names(&rules, b""), Vec::<String>::new());
}

#[test]
fn tags_metadata_and_places_are_told() {
    let text = r#"rule r : one two {
        meta: z = "last" author = "me \xff" number = -7 flag = true author = "you"
        strings: $a = "ab" $b = /b+/ $ = "never"
        condition: any of them
    }"#;
    let facts = rules_with_strings(text, MINUTE).scan(b"ab abb"[..].into());
    assert_eq!(facts.status, ScanStatus::Scanned);
    let found = &facts.matches[0];
    let tags: Vec<&str> = found.rule.tags.iter().map(|tag| &**tag).collect();
    assert_eq!((&*found.rule.name, &tags[..]), ("r", &["one", "two"][..]));
    assert!(found.rule.namespace.ends_with("rules.yar"));
    let meta = |name: &str, value| Meta { name: name.into(), value };
    let wanted = [
        meta("author", MetaValue::Text("me \u{fffd}".into())),
        meta("author", MetaValue::Text("you".into())),
        meta("flag", MetaValue::Truth(true)),
        meta("number", MetaValue::Integer(-7)),
        meta("z", MetaValue::Text("last".into())),
    ];
    assert_eq!(*found.rule.meta, wanted);
    let places = |name: &str, places: &[(u64, u64)]| StringMatches {
        name: name.into(),
        places: places.into(),
        count: places.len() as u64,
    };
    assert_eq!(*found.strings, [places("$a", &[(0, 2), (3, 2)]), places("$b", &[(1, 1), (4, 2), (5, 1)])]);
    assert!(rules(text).scan(b"ab"[..].into()).matches[0].strings.is_empty(), "nobody asked for them");
}

#[test]
fn the_order_is_that_of_operands_and_sorted_files_and_names_may_be_the_same_in_two() {
    let rule = |name: &str| format!("rule {name} {{ condition: true }}");
    let folder = Folder::new(&[
        ("set/b.yar", &rule("same")),
        ("set/a/z.YARA", &rule("same")),
        ("set/c.txt", "no rules"),
        ("first.yar", &[rule("later"), format!("global {}", rule("everywhere"))].concat()),
    ]);
    let rules = folder.load(&["first.yar", "set", "set/b.yar", "first.yar"]).unwrap();
    let facts = rules.scan(b""[..].into());
    assert_eq!(of(&facts), ["everywhere", "later", "same", "same"]);
    assert_eq!(facts.names(), ["everywhere", "later", "same"]);
    let files: Vec<_> = facts.matches.iter().map(|found| found.rule.namespace.rsplit('/').next()).collect();
    assert_eq!(files, ["first.yar", "first.yar", "z.YARA", "b.yar"].map(Some));
}

#[test]
fn a_global_rule_rules_its_own_file_alone() {
    let folder = Folder::new(&[
        ("a.yar", "global rule never { condition: false } rule a { condition: true }"),
        ("b.yar", "rule b { condition: true }"),
    ]);
    assert_eq!(names(&folder.load(&["a.yar", "b.yar"]).unwrap(), b""), ["b"]);
}

#[test]
fn included_files_belong_to_the_file_that_includes_them() {
    let folder = Folder::new(&[
        (
            "index.yar",
            "import \"math\"\ninclude \"sub/a.yar\"\n// include \"nowhere.yar\"\nrule last { condition: a and same }",
        ),
        ("sub/a.yar", "include \"same.yar\" rule a { condition: math.abs(-1) == 1 }"),
        ("sub/same.yar", "rule inner { condition: true }"),
        ("same.yar", "rule same { condition: true }"),
    ]);
    let text =
        "include \"same.yar\"\ninclude \"sub/a.yar\" import \"math\" rule last { condition: a and same }";
    folder.write("other.yar", text.replace("\ninclude", "\nimport \"math\" include"));
    assert_eq!(names(&folder.load(&["other.yar"]).unwrap(), b""), ["same", "inner", "a", "last"]);
    assert!(folder.error(&["index.yar"]).starts_with("index.yar:4:"), "{}", folder.error(&["index.yar"]));
}

#[test]
fn counts_beyond_the_limit_are_told() {
    let rules = rules_with_strings("rule r { strings: $a = \"aa\" condition: #a > 10 }", MINUTE);
    let mut content = vec![b'a'; 2000];
    let facts = rules.scan((&content[..]).into());
    let string = &facts.matches[0].strings[0];
    assert_eq!((facts.status, string.count, string.places.len()), (ScanStatus::Scanned, 1999, MAX_PLACES));
    content.resize(MAX_MATCHES as usize + 2, b'a');
    let facts = rules.scan((&content[..]).into());
    assert_eq!((facts.status, of(&facts)), (ScanStatus::TooManyMatches, vec!["r".to_string()]));
    content.truncate(MAX_MATCHES as usize + 1);
    assert_eq!(rules.scan((&content[..]).into()).status, ScanStatus::Scanned);
}

#[test]
fn the_time_for_a_content_ends() {
    let text = "rule slow { strings: $a = \"a\" condition: for all i in (0..2000000000) : (uint8(i % 100) == 97 or #a < 0) }";
    let facts = rules_with_strings(text, Duration::from_millis(20)).scan([b'a'; 100][..].into());
    assert_eq!((facts.status, facts.matches.len()), (ScanStatus::TimedOut, 0));
}

#[test]
fn other_rules_have_another_fingerprint() {
    let [one, other] = ["rule a { condition: true }", "rule b { condition: true }"];
    let folder = Folder::new(&[("r.yar", one)]);
    let first = folder.load(&["r.yar"]).unwrap();
    assert_eq!(first.fingerprint(), folder.load(&["r.yar"]).unwrap().fingerprint());
    folder.write("r.yar", other);
    assert_ne!(first.fingerprint(), folder.load(&["r.yar"]).unwrap().fingerprint());
}
