//! Stored copies of the program's own output and tables: the help of every command, lists in docs. `make regenerate`
//! writes all of them.

use crate::case;
use crate::util::{Place, golden, regenerates, stored};
use hashmill_digest::{ALGORITHMS, Class, Text};
use hashmill_manifest::format::{DOCUMENTS, FORMATS, Foreign, Format, PACKAGES};
use hashmill_similar::{Measure, SIMILAR, Similar};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The kept results that docs/speed.md has tables of; the README shows rows of the first.
const KEPT: [&str; 2] = ["amd-epyc-2026-11-21", "intel-r-xeon-r-processor-2-50ghz-2026-11-23"];

case!(help_of_every_command_is_stored, |t| {
    let mut names = BTreeSet::new();
    help(t, &[], &mut names);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("help") && !names.contains(name) {
            assert!(regenerates(), "{name} is of no command: run make regenerate");
            fs::remove_file(path).unwrap();
        }
    }
});

/// Compares the help of a command and of all its subcommands.
fn help(t: &Place, command: &[&str], names: &mut BTreeSet<String>) {
    let ran = t.run(&[command, &["--help"]].concat().join(" ")).code(0).quiet();
    let name = [&["help"], command].concat().join("-") + ".txt";
    golden(&name, ran.stdout());
    names.insert(name);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    for below in commands(&text).filter(|name| *name != "help") {
        help(t, &[command, &[below]].concat(), names);
    }
}

/// Returns the names in the lists of commands, which come first: names are indented by two columns, descriptions by more.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let lists = help.lines().take_while(|line| !matches!(*line, "Arguments:" | "Options:"));
    let names = lists.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase()))
}

#[test]
fn tables_in_docs_are_those_of_the_registries() {
    let refused = [("refused documents", documents()), ("refused lock files", lock_files())];
    let formats = [("formats", formats()), ("what formats carry", carries())];
    doc("manifest-formats.md", &[formats, refused].concat());
    doc("audit.md", &[("algorithms that can't be computed", foreign())]);
    doc("similar.md", &[("algorithms", similar()), ("variants", variants())]);
    doc("seal-format.md", &[("names of algorithms", algorithms())]);
    doc("../README.md", &[("speed", speed())]);
    doc("speed.md", &KEPT.map(|kept| (kept, speeds(kept))));
}

/// Compares the parts between `<!-- generated: NAME -->` and `<!-- end -->`.
#[track_caller]
fn doc(name: &str, parts: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let mut text = fs::read_to_string(&path).unwrap();
    for (part, wanted) in parts {
        let start = format!("<!-- generated: {part} -->\n");
        let from =
            text.find(&start).unwrap_or_else(|| panic!("{name} has no place for '{part}'")) + start.len();
        let to =
            from + text[from..].find("<!-- end -->").unwrap_or_else(|| panic!("{name}: '{part}' has no end"));
        text.replace_range(from..to, wanted);
    }
    stored(&path, text.as_bytes());
}

/// Returns a table of Markdown.
fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rows: String = rows.map(|row| line(&row)).collect();
    line(&head.map(String::from)) + "|" + &"---|".repeat(N) + "\n" + &rows
}

/// Returns the rows of `speeds` for the first kept result that the README shows.
fn speed() -> String {
    const SHOWN: [(&str, &str); 5] = [
        ("1,114 files, 426 MiB", "sha256"),
        ("10,000 files of 2 KiB", "sha256"),
        ("a file of 256 MiB", "sha256"),
        ("a file of 256 MiB", "md5,sha1,sha256"),
        ("a file of 1 KiB", "sha256"),
    ];
    let rows = speed_rows(KEPT[0]);
    let row = |(work, algorithms)| {
        let is_row = |row: &&[String; 3]| row[0] == work && row[1] == algorithms;
        rows.iter().find(is_row).unwrap_or_else(|| panic!("no row for {work} by {algorithms}")).clone()
    };
    table(SPEED_HEAD, SHOWN.into_iter().map(row))
}

/// Returns how many times as long other programs take, for each work of a kept result that others do.
fn speeds(kept: &str) -> String {
    table(SPEED_HEAD, speed_rows(kept).into_iter())
}

const SPEED_HEAD: [&str; 3] = ["of", "by", "others take, in times of hashmill"];

fn speed_rows(kept: &str) -> Vec<[String; 3]> {
    let mut rows = vec![corpus_row(kept)];
    for (work, files, bytes) in
        [("a file of 256 MiB", 1, 256 << 20), ("10,000 files of 2 KiB", 10_000, 20_480_000_u64)]
    {
        let is_of = |row: &Value| row["files"] == files && row["bytes"] == bytes;
        for algorithms in values(&result(kept, "tools"), "algorithms", &is_of) {
            let counts = |row: &Value| is_of(row) && row["algorithms"] == *algorithms;
            rows.push([work.to_string(), algorithms.clone(), ratios(&result(kept, "tools"), &counts)]);
        }
    }
    let small = |row: &Value| row["size_bytes"] == 1024;
    for algorithm in values(&result(kept, "sizes"), "algorithm", &small) {
        let counts = |row: &Value| small(row) && row["algorithm"] == *algorithm;
        rows.push([
            "a file of 1 KiB".to_string(),
            algorithm.clone(),
            ratios(&result(kept, "sizes"), &counts),
        ]);
    }
    rows.retain(|[.., others]| !others.is_empty());
    rows
}

/// Returns the row of the documents of a kept result, hashed by SHA-256.
fn corpus_row(kept: &str) -> [String; 3] {
    let document = result(kept, "corpus");
    let is = |row: &Value, key: &str, value: &str| row[key] == value;
    let counts = |row: &Value| {
        let tool = row["tool"].as_str().unwrap();
        let methods = ["sha256sum", "openssl", "hashmill, as it chooses"].contains(&tool);
        is(row, "algorithm", "sha256")
            && (is(row, "experiment", "methods") && methods
                || is(row, "experiment", "threads") && tool.starts_with("hashdeep"))
    };
    let number = |key: &str| document["summary"][key].as_u64().unwrap();
    let (files, mebibytes) = (number("files"), (number("bytes") as f64 / f64::from(1 << 20)).round());
    let files =
        if files < 1000 { files.to_string() } else { format!("{},{:03}", files / 1000, files % 1000) };
    [format!("{files} files, {mebibytes} MiB"), "sha256".into(), ratios(&document, &counts)]
}

/// Returns the values of a key in rows of results, in their order.
fn values(document: &Value, key: &str, counts: &dyn Fn(&Value) -> bool) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for row in document["rows"].as_array().unwrap().iter().filter(|row| counts(row)) {
        let value = row[key].as_str().unwrap().to_string();
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// Returns a document of a kept result.
fn result(kept: &str, name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/results").join(kept);
    serde_json::from_str(&fs::read_to_string(folder.join(format!("{name}.json"))).unwrap()).unwrap()
}

/// Returns the mean times of programs in kept results over that of hashmill, of each program's best row.
fn ratios(document: &Value, counts: &dyn Fn(&Value) -> bool) -> String {
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for row in document["rows"].as_array().unwrap().iter().filter(|row| counts(row)) {
        let Some(mean) = row["seconds"]["mean"].as_f64() else { continue };
        let tool = row["tool"].as_str().unwrap().split(',').next().unwrap();
        let time = best.entry(tool).or_insert(mean);
        *time = time.min(mean);
    }
    let Some(ours) = best.remove("hashmill") else { return String::new() };
    let mut others: Vec<(f64, &str)> = best.into_iter().map(|(tool, time)| (time / ours, tool)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    others.iter().map(|(ratio, tool)| format!("{tool} {ratio:.1}")).collect::<Vec<_>>().join(", ")
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn codes(names: impl IntoIterator<Item = String>) -> String {
    names.into_iter().map(|name| code(&name)).collect::<Vec<_>>().join(", ")
}

fn yes(holds: bool) -> String {
    if holds { "yes" } else { "no" }.to_string()
}

fn formats() -> String {
    let row = |format: &Format| {
        [
            code(format.name),
            format.about.to_string(),
            format.versions.to_string(),
            codes(format.aliases.iter().map(|name| (*name).to_string())),
            codes(format.suffixes.iter().map(|suffix| format!(".{suffix}"))),
            yes(format.writer.is_some()),
        ]
    };
    table(["format", "is", "versions", "other names", "endings", "written"], FORMATS.iter().map(row))
}

fn carries() -> String {
    let row = |format: &Format| {
        let carries = format.carries;
        [
            code(format.name),
            yes(carries.size),
            yes(carries.pieces),
            yes(carries.status),
            yes(carries.mtime),
            yes(carries.metadata),
            yes(carries.algorithm),
            yes(carries.likeness),
            yes(carries.facts),
            yes(carries.leaves),
            yes(carries.styles),
            yes(carries.bad_blocks),
            yes(carries.labels),
            yes(carries.case),
            format.limits.to_string(),
        ]
    };
    let head = [
        "format",
        "size",
        "pieces",
        "not hashed",
        "mtime",
        "`--metadata`",
        "algorithm",
        "likeness",
        "`--facts`",
        "leaves",
        "`--text`",
        "bad blocks",
        "categories",
        "case data",
        "besides",
    ];
    table(head, FORMATS.iter().map(row))
}

fn documents() -> String {
    table(["refused", "advice"], DOCUMENTS.iter().map(|row| [row.name.into(), row.advice.into()]))
}

fn lock_files() -> String {
    wrapped(String::new(), PACKAGES.iter().map(|row| row.name.to_string()))
}

fn foreign() -> String {
    item("not at all", Foreign::names().map(str::to_string))
        + &item("in other lengths", Foreign::families().map(str::to_string))
}

/// Returns whether a row is a variant: variants stand behind their algorithm, and their names extend its name.
fn is_variant(row: &Similar) -> bool {
    SIMILAR.iter().any(|other| row.name.strip_prefix(other.name).is_some_and(|rest| rest.starts_with('-')))
}

fn similar() -> String {
    let number = |row: &Similar| match row.measure {
        Measure::Distance => "distance, 0 is the same",
        Measure::Score => "score, 100 is the same",
    };
    let row = |row: &Similar| {
        let threshold = row.threshold.to_string();
        [
            code(row.name),
            row.source.into(),
            row.about.into(),
            number(row).into(),
            threshold,
            row.refuses.into(),
        ]
    };
    let rows = SIMILAR.iter().filter(|row| !is_variant(row)).map(row);
    table(["`-c`", "as in", "finds", "number", "default of `-t`", "no digest"], rows)
}

fn variants() -> String {
    let rows = SIMILAR.iter().filter(|row| is_variant(row));
    table(["`-c`", "is"], rows.map(|row| [code(row.name), row.about.into()]))
}

/// Returns the names of algorithms with their bits, a paragraph for each class.
fn algorithms() -> String {
    let classes =
        [(Class::Cryptographic, "cryptographic"), (Class::Broken, "broken"), (Class::Checksum, "checksums")];
    let class = |(class, word): (Class, &str)| {
        let rows = ALGORITHMS.iter().filter(|algorithm| algorithm.class == class);
        let names = rows.map(|algorithm| {
            let number = if algorithm.text == Text::Decimal { " (as a number)" } else { "" };
            format!("`{}` {}{number}", algorithm.name, algorithm.bits)
        });
        item(word, names)
    };
    let likeness = item("likeness", SIMILAR.iter().map(|row| code(row.name)));
    classes.map(class).concat() + &likeness
}

/// Returns an item of a list, in lines of up to 120 characters.
fn item(word: &str, names: impl Iterator<Item = String>) -> String {
    wrapped(format!("* {word}:"), names)
}

/// Returns names with commas between them, after the beginning of a line.
fn wrapped(mut line: String, names: impl Iterator<Item = String>) -> String {
    let indent = if line.is_empty() { "" } else { " " };
    let mut text = String::new();
    for (number, name) in names.enumerate() {
        if number > 0 {
            line.push(',');
        }
        if line.len() + name.len() > 118 {
            text += &(line + "\n");
            line = indent.to_string();
        }
        line += if line.is_empty() { "" } else { " " };
        line += &name;
    }
    text + &line + "\n"
}
