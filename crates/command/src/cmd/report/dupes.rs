//! Equal files as sections of a page.

use super::json::{plain, shown, text};
use super::rows::{Rows, Weight};
use super::source::ReportInput;
use super::told::{Facts, ReportedResult};
use crate::words::message::count;
use anyhow::Context;
use hashmill_report::{Cell, Column, Figure, PageVerdict, Section, SectionPart, Table, Tone, size};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io::BufReader;

/// The JSON of `dupes`.
#[derive(Deserialize)]
struct DupesJson {
    #[serde(default)]
    groups: Vec<Group>,
    counts: Counts,
}

/// Files with the same content.
#[derive(Deserialize)]
struct Group {
    size: Option<u64>,
    wasted: Option<u64>,
    files: Vec<File>,
    /// Their digest by the name of its algorithm.
    #[serde(flatten)]
    digest: Map<String, Value>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    path_b64: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    groups: u64,
    files: u64,
    duplicates: u64,
    wasted: u64,
    #[serde(default)]
    unreadable: u64,
}

/// Returns the page of a search for equal files.
///
/// # Errors
/// If it can't be read, or is not a result of such a search.
pub fn tell(source: ReportInput, most: usize) -> anyhow::Result<ReportedResult> {
    let (title, mut facts) = (source.name(), source.facts());
    let (mut input, seal) = source.read()?;
    let result: DupesJson =
        serde_json::from_reader(BufReader::new(&mut input)).context("no result of 'dupes'")?;
    facts.push(seal.fact(&mut input).context("cannot read")?);
    let verdict = verdict(&result.counts);
    let summary = Section::new("Summary")
        .with(SectionPart::Figures(figures(&result.counts)))
        .with(SectionPart::Facts(facts));
    let sections = [Some(summary), files(result.groups, most)].into_iter().flatten().collect();
    Ok(ReportedResult { kind: "equal files", title, verdict, about: Facts::new(), sections, malformed: 0 })
}

/// Returns the verdict. Equal files are neither good nor bad; those that could not be read may be equal, too.
fn verdict(counts: &Counts) -> PageVerdict {
    let groups = count(counts.groups, "group of equal files", "groups of equal files");
    let tone = if counts.unreadable > 0 { Tone::Doubtful } else { Tone::Plain };
    let unread = match counts.unreadable {
        0 => String::new(),
        files => format!(" {} not read.", count(files, "file was", "files were")),
    };
    let wasted = size(counts.wasted as f64);
    let spared = count(counts.duplicates, "file could be spared", "files could be spared");
    PageVerdict::new(tone, format!("{groups}: {spared}, which take {wasted}.{unread}"))
}

fn figures(counts: &Counts) -> Vec<Figure> {
    let number = |label: &str, number: u64| Figure::count(label, number, Tone::Plain);
    vec![
        number("groups", counts.groups),
        number("files in them", counts.files),
        number("files that could be spared", counts.duplicates),
        Figure::new(format!("{} bytes wasted", Cell::from(counts.wasted)), size(counts.wasted as f64)),
        Figure::count("unreadable", counts.unreadable, Tone::Bad),
    ]
}

/// Returns the section of all files in groups, those groups first that waste the most.
fn files(mut groups: Vec<Group>, most: usize) -> Option<Section> {
    groups.sort_by_key(|group| std::cmp::Reverse(group.wasted));
    let mut rows = Rows::new(most);
    for (number, group) in groups.iter().enumerate() {
        let digest = group.digest.iter().find(|(_, value)| !value.is_null());
        group
            .files
            .iter()
            .for_each(|file| rows.push((file, number + 1, group.size, digest), Weight::Matters));
    }
    let note = rows.note("files");
    let table = Table::of(rows.parted().0)
        .column(Column::code("path"), |(file, ..)| shown(&file.path, file.path_b64.as_deref()))
        .optional(Column::number("group"), |(_, number, ..)| number)
        .optional(Column::number("size (bytes)"), |(_, _, size, _)| size)
        .optional(Column::words("algorithm"), |(.., digest)| digest.map(|(name, _)| plain(name)))
        .optional(Column::code("digest"), |(.., digest)| digest.map(|(_, value)| text(value)))
        .captioned("");
    let section = Section::new(format!("Equal files: {}", Cell::from(table.rows.len()))).warning(note);
    (!table.rows.is_empty()).then(|| section.with(SectionPart::Records(table)))
}
