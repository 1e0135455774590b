//! Any other result in JSON as sections of a page: its values as facts, its lists as tables.

use super::details::Details;
use super::json::{plain, shown, text, words};
use super::rows::{Rows, Weight};
use super::run;
use super::source::ReportInput;
use super::told::{self, Facts, ReportedResult};
use crate::words::message::count;
use anyhow::{Context, ensure};
use hashmill_manifest::Time;
use hashmill_report::{Column, Extent, PageVerdict, Section, SectionPart, Table, Tone};
use serde_json::{Deserializer, Map, Value};
use std::io::{BufReader, Read};

/// The members of a result.
pub type Object = Map<String, Value>;

/// Keys of acquisition data, and the names of the same facts elsewhere.
const ACQUIRED: [(&str, &str); 2] = [("case number", "case"), ("evidence number", "evidence")];

/// Returns the page of a document, or of one document per line.
///
/// # Errors
/// If it can't be read, or is not JSON.
pub fn tell(source: ReportInput, most: usize) -> anyhow::Result<ReportedResult> {
    let (title, mut facts) = (source.name(), source.facts());
    let (mut input, seal) = source.read()?;
    let mut objects = read(BufReader::new(&mut input)).context("no result in JSON")?;
    ensure!(!objects.is_empty(), "holds no result");
    facts.push(seal.fact(&mut input).context("cannot read")?);
    if objects.len() > 1 {
        return Ok(of_lines(title, facts, objects, most));
    }
    let object = objects.pop().unwrap_or_default();
    let kind = kind(&object);
    let verdict = verdict(&object);
    let (more, tables) = parts(object);
    let about = about(&more);
    let summary = Section::new("Summary").with(SectionPart::Facts(facts));
    let said = (!more.is_empty()).then(|| Section::new("What it says").with(SectionPart::Facts(more)));
    let sections = said.into_iter().chain(tables).chain([summary]).collect();
    Ok(ReportedResult { kind, title, verdict, about, sections, malformed: 0 })
}

/// Reads objects that follow one another, or are in lists.
pub fn read(input: impl Read) -> serde_json::Result<Vec<Object>> {
    let mut objects = Vec::new();
    for value in Deserializer::from_reader(input).into_iter() {
        match value? {
            Value::Object(object) => objects.push(object),
            Value::Array(values) => objects.extend(values.into_iter().filter_map(object)),
            _ => {}
        }
    }
    Ok(objects)
}

fn object(value: Value) -> Option<Object> {
    if let Value::Object(object) = value { Some(object) } else { None }
}

/// Returns the page of many results of one kind, a row for each.
fn of_lines(title: String, facts: Facts, objects: Vec<Object>, most: usize) -> ReportedResult {
    let (number, kind) = (objects.len() as u64, objects.iter().map(kind).find(|kind| *kind != RESULT));
    let mut rows = Rows::new(most);
    for mut object in objects {
        let is_wrong = matches!(verdict(&object).tone, Tone::Bad | Tone::Doubtful);
        object.remove("schema");
        rows.push(object, if is_wrong { Weight::Matters } else { Weight::Fine });
    }
    let note = rows.note("results");
    let table = table(rows.iter());
    let (tone, text) = match rows.matter().next() {
        Some(_) => (Tone::Bad, ", not all of them good"),
        None => (Tone::Plain, ""),
    };
    let verdict = PageVerdict::new(tone, format!("{}{text}.", count(number, "result", "results")));
    let sections = vec![
        Section::new("Results").warning(note).with(SectionPart::Records(table)),
        Section::new("Summary").with(SectionPart::Facts(facts)),
    ];
    ReportedResult {
        kind: kind.unwrap_or(RESULT),
        title,
        verdict,
        about: Facts::new(),
        sections,
        malformed: 0,
    }
}

const RESULT: &str = "result";

/// Verdicts on entries that nobody has to look at.
const FINE: [&str; 3] = ["matched", "verified", "new"];

/// The names of schemas, and what their documents are.
const KINDS: [(&str, &str); 23] = [
    ("algorithms", "algorithms"),
    ("bag-create", "bag"),
    ("bag-update", "bag"),
    ("bag-verify", "bag"),
    ("copy", "copy"),
    ("explain", "settings"),
    ("image-info", "image"),
    ("image-list", "contents of an image"),
    ("known-build", "set of known digests"),
    ("known-info", "set of known digests"),
    ("outboard-verify", "tree of hashes"),
    ("scrub", "scrub"),
    ("seal", "seal"),
    ("sign", "signature"),
    ("similar-compare", "similarity"),
    ("similar-index", "similarity"),
    ("similar-pairs", "similarity"),
    ("stats", "work"),
    ("tree", "digest of a tree"),
    ("verify", "signatures"),
    ("verify-model", "signed model"),
    ("verify-proof", "proof"),
    ("verify-seal", "seal"),
];

/// Returns whether documents of this schema, without its version, are shown so.
pub fn shows(schema: &str) -> bool {
    KINDS.iter().any(|(known, _)| *known == schema)
}

fn kind(object: &Object) -> &'static str {
    let schema = object.get("schema").and_then(Value::as_str).unwrap_or_default();
    let name = schema.rsplit_once('-').map_or(schema, |(name, _)| name);
    let name = if object.contains_key("score") { "similar-pairs" } else { name };
    KINDS.iter().find(|(known, _)| *known == name).map_or(RESULT, |(_, kind)| *kind)
}

/// Returns the verdict that a document states; one that states none has none.
fn verdict(object: &Object) -> PageVerdict {
    let stated = ["good", "verified"].iter().find_map(|key| object.get(*key)?.as_bool());
    let word = object.get("verdict").and_then(Value::as_str).map(words);
    let why = object.get("why").and_then(Value::as_str).map(|why| format!(": {}", plain(why)));
    let number = |key: &str| object.get(key).and_then(Value::as_array).map_or(0, |list| list.len() as u64);
    let found = number("findings") + number("acquisition_errors") + unexpected(object);
    match (stated, word) {
        (Some(good), word) => {
            let word = word.unwrap_or_else(|| if good { "verified".into() } else { "not verified".into() });
            let tone = if good { Tone::Good } else { Tone::Bad };
            PageVerdict::new(tone, format!("{}{}.", capital(&word), why.unwrap_or_default()))
        }
        (None, Some(word)) => PageVerdict::new(Tone::Plain, format!("{}.", capital(&word))),
        (None, None) if found > 0 => {
            let found = count(found, "finding", "findings");
            PageVerdict::new(Tone::Doubtful, format!("{found} to be looked at."))
        }
        (None, None) => PageVerdict::new(Tone::Plain, "It states no verdict."),
    }
}

/// Returns the number of entries with a verdict that somebody is to look at.
fn unexpected(object: &Object) -> u64 {
    let entries = object.get("entries").and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
    let category = |entry: &Value| entry.get("verdict").and_then(Value::as_str).map(str::to_string);
    let is_fine = |entry: &&Value| category(entry).is_some_and(|word| FINE.contains(&word.as_str()));
    entries.iter().filter(|entry| !is_fine(entry)).count() as u64
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Parts a document into values, and a table for each list of objects.
fn parts(mut object: Object) -> (Facts, Vec<Section>) {
    object.remove("schema");
    let mut facts = match object.remove("run").and_then(self::object) {
        Some(run) => run::facts(run),
        None => Facts::new(),
    };
    let mut tables = Vec::new();
    for (key, value) in &object {
        match value {
            Value::Array(values) if values.iter().any(Value::is_object) => {
                let rows = values.iter().filter_map(Value::as_object);
                let table = table(rows).extent(Extent::Every);
                let title = format!("{}: {}", capital(&words(key)), values.len());
                tables.push(Section::new(title).with(SectionPart::Records(table)));
            }
            Value::Object(inner) if !inner.is_empty() => {
                for (name, value) in inner {
                    push(&mut facts, &format!("{} {}", words(key), words(name)), name, value, inner);
                }
            }
            value => push(&mut facts, &words(key), key, value, &object),
        }
    }
    (facts, tables)
}

/// Adds a value of an object that says something.
fn push(facts: &mut Facts, name: &str, key: &str, value: &Value, object: &Object) {
    let b64 = object.get(&format!("{key}_b64")).and_then(Value::as_str);
    let value = match value {
        Value::Null => return,
        Value::Array(values) if values.is_empty() => return,
        Value::Object(values) if values.is_empty() => return,
        Value::String(text) => shown(text, b64),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Number(seconds) if key == "built" => time(seconds.as_i64()),
        value => text(value),
    };
    if !key.ends_with("_b64") && !value.is_empty() {
        facts.push((name.into(), value));
    }
}

fn time(seconds: Option<i64>) -> String {
    seconds.and_then(|seconds| Time { seconds, nanoseconds: 0 }.to_rfc3339()).unwrap_or_default()
}

/// Returns the facts of the case that a first page shows.
fn about(facts: &Facts) -> Facts {
    let named = facts.iter().map(|(name, value)| {
        let name = name.strip_prefix("acquisition ").unwrap_or(name);
        let known = ACQUIRED.iter().find(|(key, _)| *key == name);
        (known.map_or(name, |(_, name)| *name).to_string(), value.clone())
    });
    told::first(&named.collect::<Vec<_>>())
}

fn table<'a>(rows: impl Iterator<Item = &'a Object>) -> Table {
    let rows: Vec<&Object> = rows.collect();
    let details = Details::new(rows.iter().copied());
    let named =
        ["path", "file", "a", "bag"].into_iter().find(|key| rows.iter().any(|row| row.contains_key(*key)));
    let table = Table::of(rows);
    let table = match named {
        Some(key) => table.column(Column::code(words(key)), |row: &Object| {
            let b64 = row.get(&format!("{key}_b64")).and_then(Value::as_str);
            row.get(key).and_then(Value::as_str).map(|path| shown(path, b64))
        }),
        None => table,
    };
    details.without(named).add_to(table, |row| row).captioned("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(json: &str) -> Object {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_verdict_is_the_one_that_the_document_states() {
        for (json, tone, text) in [
            (r#"{"good":true,"verdict":"valid"}"#, Tone::Good, "Valid."),
            (r#"{"good":false,"verdict":"not valid"}"#, Tone::Bad, "Not valid."),
            (r#"{"verified":false,"why":"too short"}"#, Tone::Bad, "Not verified: too short."),
            (r#"{"verified":true}"#, Tone::Good, "Verified."),
            (r#"{"findings":[{"kind":"a"}]}"#, Tone::Doubtful, "1 finding to be looked at."),
            (r#"{"findings":[],"size":3}"#, Tone::Plain, "It states no verdict."),
        ] {
            assert_eq!(verdict(&document(json)), PageVerdict::new(tone, text), "{json}");
        }
    }

    #[test]
    fn values_are_facts_and_lists_of_objects_are_tables() {
        let json = r#"{"schema":"image-info-1","path":"?.img","path_b64":"/y5pbWc=","built":0,"none":null,
            "acquisition":{"case_number":"7","examiner":"A"},"facts":[],"words":["a","b"],
            "segments":[{"path":"d.img","number":1},{"path":"e.img","size":2}]}"#;
        let object = document(json);
        assert_eq!(kind(&object), "image");
        let (facts, tables) = parts(object);
        let pairs = [
            ("acquisition case number", "7"),
            ("acquisition examiner", "A"),
            ("built", "1970-01-01T00:00:00Z"),
            ("path", "\\xff.img"),
            ("words", "a\nb"),
        ];
        let owned = |pairs: &[(&str, &str)]| -> Facts {
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
        };
        assert_eq!(facts, owned(&pairs));
        assert_eq!(about(&facts), owned(&[("case", "7"), ("examiner", "A")]));
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].title, "Segments: 2");
    }
}
