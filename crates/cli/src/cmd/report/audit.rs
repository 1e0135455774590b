//! The result of an audit as sections of a page.

use super::charts;
use super::rows::{Rows, Weight};
use super::source::Source;
use super::told::Told;
use crate::message::{Shown, count};
use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashloom_manifest::Status;
use hashloom_manifest::audit::Category;
use hashloom_report::{Cell, Column, Extent, Figure, Part, Section, Table, Tone, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What `audit --format json` prints.
#[derive(Deserialize)]
struct Found {
    entries: Vec<Entry>,
    counts: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Entry {
    category: String,
    path: String,
    path_b64: Option<String>,
    known_path: Option<String>,
    known_path_b64: Option<String>,
    status: Option<String>,
    offset: Option<u64>,
    length: Option<u64>,
    known_category: Option<String>,
    known_set: Option<String>,
}

/// What an audit found.
///
/// # Errors
/// If it can't be read, or is no result of an audit.
pub fn tell(source: Source, most: usize) -> anyhow::Result<Told> {
    let mut facts = source.facts();
    let (mut input, seal) = source.read()?;
    let result: Found =
        serde_json::from_reader(std::io::BufReader::new(&mut input)).context("no result of an audit")?;
    facts.push(seal.fact(&mut input).context("cannot read")?);
    let counts = counts(&result);
    let [problems, fine] = entries(result.entries, most);
    let sections = [Some(summary(&counts, facts)), problems, chart(&counts), fine];
    Ok(Told { verdict: verdict(&counts), sections: sections.into_iter().flatten().collect(), malformed: 0 })
}

/// Every category with its number, in their order; others behind them.
fn counts(result: &Found) -> Vec<(String, u64)> {
    let known = Category::ALL.map(Category::word);
    let number = |word: &str| result.counts.get(word).copied().unwrap_or(0);
    let others = result.counts.iter().filter(|(word, _)| !known.contains(&word.as_str()));
    let all = known.iter().map(|word| ((*word).to_string(), number(word)));
    all.chain(others.map(|(word, number)| (word.clone(), *number))).collect()
}

fn verdict(counts: &[(String, u64)]) -> Verdict {
    let matched = Category::Matched.word();
    let apart: Vec<String> = counts
        .iter()
        .filter(|(word, number)| word != matched && *number > 0)
        .map(|(word, number)| format!("{number} {word}"))
        .collect();
    if apart.is_empty() {
        let all: u64 = counts.iter().map(|(_, number)| number).sum();
        return Verdict::new(
            Tone::Good,
            format!("Audit passed: {} matched.", count(all, "entry", "entries")),
        );
    }
    Verdict::new(Tone::Bad, format!("Audit failed: {}.", apart.join(", ")))
}

fn tone(category: &str) -> Tone {
    match category {
        "matched" => Tone::Good,
        "moved" | "copied" | "new" => Tone::Doubtful,
        "changed" | "missing" | "unreadable" => Tone::Bad,
        _ => Tone::Plain,
    }
}

fn summary(counts: &[(String, u64)], facts: Vec<(String, String)>) -> Section {
    let figures = counts.iter().map(|(word, number)| {
        let tone = if *number > 0 { tone(word) } else { Tone::Plain };
        Figure::new(word, Cell::from(*number).to_string()).tone(tone)
    });
    Section::new("Summary").with(Part::Figures(figures.collect())).with(Part::Facts(facts))
}

fn chart(counts: &[(String, u64)]) -> Option<Section> {
    let counts = counts.iter().map(|(word, number)| (word.as_str(), *number));
    let chart = charts::counted("Entries by category", ("entries", "category"), counts)?;
    Some(Section::new("Charts").with(Part::Chart(chart)))
}

/// What is not as it should be, and what is.
fn entries(entries: Vec<Entry>, most: usize) -> [Option<Section>; 2] {
    let mut rows = Rows::new(most);
    for entry in entries {
        let fine = entry.category == Category::Matched.word();
        rows.push(entry, if fine { Weight::Fine } else { Weight::Matters });
    }
    let note = rows.note("entries");
    let (problems, fine) = rows.parted();
    let warned =
        |section| note.into_iter().fold(section, |section: Section, note| section.with(Part::Warning(note)));
    let problems = (!problems.is_empty()).then(|| {
        let table = table(problems).extent(Extent::Every);
        warned(Section::new("Not as it should be")).with(Part::Records(table))
    });
    let fine = (!fine.is_empty())
        .then(|| Section::new("As it should be").with(Part::Records(table(fine).extent(Extent::Folded))));
    [problems, fine]
}

fn table(entries: Vec<Entry>) -> Table {
    let tones = Category::ALL.map(|category| (category.word(), tone(category.word())));
    let columns = [
        Column::code("path"),
        Column::state("category", tones),
        Column::code("known path"),
        Column::words("status"),
        Column::number("offset"),
        Column::number("length"),
        Column::words("known as"),
        Column::words("set"),
    ];
    let mut table = Table::new("", columns);
    for entry in entries {
        let path = shown(&entry.path, entry.path_b64.as_deref());
        let known = entry.known_path.as_deref().map(|path| shown(path, entry.known_path_b64.as_deref()));
        // It is the same for nearly all, and then says nothing.
        let known = known.filter(|known| *known != path);
        let text = |text: Option<String>| Cell::from(text.map(|text| plain(&text)));
        let hashed = |status: &String| status != Status::Hashed.word();
        table.push([
            path.into(),
            plain(&entry.category).into(),
            known.into(),
            text(entry.status.filter(hashed)),
            entry.offset.into(),
            entry.length.into(),
            text(entry.known_category),
            text(entry.known_set),
        ]);
    }
    table.drop_empty_columns();
    table
}

/// A path as people see it: its bytes, where the text is not all of them.
pub(super) fn shown(path: &str, b64: Option<&str>) -> String {
    let exact = b64.and_then(|b64| STANDARD.decode(b64).ok());
    Shown(exact.as_deref().unwrap_or(path.as_bytes())).to_string()
}

/// Text that can't speak for itself.
pub(super) fn plain(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}
