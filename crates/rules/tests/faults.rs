//! Rules that are not usable, and files that are not to be taken for rules.

use crate::util::{Folder, names, rules, rules_with_strings};
use hashmill_facts::{ContentScanner, ScanStatus};
use hashmill_rules::{MAX_DEPTH, MAX_FILE_BYTES};
use hashmill_testing::Random;
use std::fs::File;
use std::time::Duration;

const RULE: &str = "rule r { condition: true }";

#[test]
fn errors_name_the_file_and_the_line_and_all_files_are_tried() {
    let folder = Folder::new(&[
        ("set/a.yar", "rule a {\n  condition:\n    nothing\n}"),
        ("set/b.yar", "rule b {"),
        ("set/c.yar", RULE),
        ("set/d.yar", "include \"c.yar\"\n\nrule r { condition: true }"),
        ("set/e.yar", "import \"magic\" rule e { condition: true }"),
    ]);
    let error = folder.error(&["set"]);
    let lines: Vec<&str> = error.lines().collect();
    let starts = [
        "set/a.yar:3:5: error: unknown identifier",
        "set/b.yar:1:9: error: ",
        "set/d.yar:3:6: error: rule `r` is already declared",
        "set/e.yar:1:1: error: unknown import magic",
    ];
    assert_eq!(lines.len(), starts.len(), "{error}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn many_errors_are_counted() {
    let names: Vec<String> = (10..30).map(|number| format!("{number}.yar")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "rule")).collect();
    let error = Folder::new(&files).error(&[""]);
    assert!(error.lines().count() == 11 && error.ends_with("\nand 10 more errors"), "{error}");
}

#[test]
fn missing_and_empty_files_are_told() {
    let folder = Folder::new(&[("empty.yar", "// nothing\n"), ("other/readme.txt", RULE)]);
    assert!(folder.error(&["none.yar"]).starts_with("none.yar: cannot read rules: "));
    assert!(folder.error(&["empty.yar"]).ends_with("empty.yar: no rule in any file"));
    assert_eq!(
        folder.error(&["other"]),
        "other: the folder has no file with rules (.yar, .yara, .rule, .rules)"
    );
}

#[test]
fn text_in_another_encoding_is_told_with_its_line() {
    let folder = Folder::new(&[]);
    folder.write("r.yar", b"// one\n// caf\xe9\n");
    assert_eq!(folder.error(&["r.yar"]), "r.yar:2: error: not UTF-8: write bytes as \\xNN");
}

#[test]
fn a_huge_file_is_not_read() {
    let folder = Folder::new(&[]);
    File::create(folder.path("r.yar")).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    assert_eq!(folder.error(&["r.yar"]), "r.yar: longer than 64 MiB, the longest file with rules");
}

#[test]
fn includes_stay_in_the_folder_and_end() {
    let folder = Folder::new(&[
        ("secret.yar", RULE),
        ("set/out.yar", "\ninclude \"../secret.yar\""),
        ("loop/a.yar", "include \"b.yar\""),
        ("loop/b.yar", "include \"a.yar\""),
        ("gone/a.yar", "\n\ninclude \"b.yar\""),
    ]);
    let error = folder.error(&["set"]);
    assert!(
        error.starts_with("set/out.yar:2: error: \"../secret.yar\": the included file is outside of "),
        "{error}"
    );
    assert!(folder.error(&["set/out.yar"]).contains("is outside of"));
    assert!(folder.load(&["secret.yar"]).is_ok());
    let error = folder.error(&["loop/a.yar"]);
    assert!(error.ends_with(&format!("more than {MAX_DEPTH} includes within each other")), "{error}");
    assert!(
        folder.error(&["gone"]).starts_with("gone/a.yar:3: error: \"b.yar\": cannot read the included file")
    );
}

#[cfg(unix)]
#[test]
fn links_in_folders_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new(&[("set/a.yar", RULE), ("outside.yar", "rule outside { condition: true }")]);
    symlink(folder.path("set"), folder.path("set/loop")).unwrap();
    assert_eq!(folder.load(&["set"]).unwrap().count(), 1);
    symlink(folder.path("outside.yar"), folder.path("set/b.yar")).unwrap();
    assert!(folder.error(&["set"]).starts_with("set/b.yar: links in folders with rules are not followed"));
    // A link that was named is followed; so is one to an included file, if that lies in the folder.
    assert!(folder.load(&["set/b.yar"]).is_ok());
}

#[test]
fn deep_folders_end() {
    let deep = "d/".repeat(MAX_DEPTH + 2);
    let folder = Folder::new(&[(&format!("{deep}r.yar"), RULE)]);
    assert!(folder.error(&["d"]).contains("more than 32 folders within each other"));
}

#[test]
fn hostile_rules_end_in_errors() {
    let operators = ["not ", "-", "~", "1 + ", "1 == ", "defined ", "\"\" contains "];
    for operator in operators {
        for (number, is_told) in [(4_000, false), (11_000, true)] {
            let text = format!("\nrule r {{ condition: {}1 == 1 }}", operator.repeat(number));
            let error =
                Folder::new(&[("r.yar", &text)]).load(&["r.yar"]).err().map(|error| error.to_string());
            let excess = error.filter(|error| error.ends_with("the condition has more than 10000 operators"));
            assert_eq!(excess.is_some(), is_told, "{operator} {number}");
        }
    }
    let deep = format!("rule r {{ condition: {}true{} }}", "(".repeat(100_000), ")".repeat(100_000));
    let index =
        format!("rule r {{ strings: $a = \"a\" condition: {}1{} }}", "@a[".repeat(9_000), "]".repeat(9_000));
    let calls = format!("rule r {{ condition: {}1{} }}", "uint8(".repeat(9_000), ")".repeat(9_000));
    let fields = format!("rule r {{ condition: pe{} }}", ".a".repeat(9_000));
    let group =
        format!("rule r {{ strings: $a = /{}a{}/ condition: $a }}", "(".repeat(100_000), ")".repeat(100_000));
    let huge = "rule r { strings: $a = /((a{1,1000}){1,1000}){1,1000}/ condition: $a }".to_string();
    for text in [deep, index, calls, fields, group, huge] {
        let folder = Folder::new(&[("r.yar", &text)]);
        assert!(folder.error(&["r.yar"]).starts_with("r.yar:1:"));
    }
}

#[test]
fn hostile_contents_are_scanned() {
    let rules = rules(
        r#"import "pe" import "elf" import "macho" import "dotnet" import "dex"
        rule r { strings: $a = /(a+)+$/ $b = /x.{0,200}y/s condition: $a or $b or pe.is_pe or elf.type == 1 }"#,
    );
    let mut random = Random(7);
    for magic in
        [&b"MZ"[..], b"\x7fELF\x02\x01", b"\xfe\xed\xfa\xcf", b"dex\n035\0", b"\xca\xfe\xba\xbe", b"aaaa"]
    {
        for size in [0, 1, 60, 4096, 20_000] {
            let content = [magic, &random.bytes(size)].concat();
            assert!(
                rules.scan((&content[..]).into()).status != ScanStatus::Broken,
                "{}",
                magic.escape_ascii()
            );
        }
    }
}

#[test]
fn a_regular_expression_without_text_ends_in_time() {
    // Each of the bytes begins a match that ends at the last one.
    let text = "rule r { strings: $a = /[ab]+$/ condition: $a }";
    let content = vec![b'a'; 10_000_000];
    let facts = rules_with_strings(text, Duration::from_millis(50)).scan((&content[..]).into());
    assert_eq!((facts.status, facts.matches.len()), (ScanStatus::TimedOut, 0));
    assert_eq!(names(&rules(text), b"xab"), ["r"]);
}
