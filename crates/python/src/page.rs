//! HTML pages about the results of a job on a cluster, from plain data.

use hashmill_report::{Cell, Column, Figure, Page, PageVerdict, Section, SectionPart, Table, Tone};
use pyo3::prelude::*;

/// Label, value, tone.
#[derive(FromPyObject)]
pub(crate) struct Number(String, String, String);

/// A cell of a table.
#[derive(FromPyObject)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
}

/// Title, numbers, facts, and a table: the titles of its columns, and its rows.
#[derive(FromPyObject)]
pub(crate) struct Chapter(String, Vec<Number>, Vec<(String, String)>, Vec<String>, Vec<Vec<Value>>);

/// Renders a self-contained HTML page: a heading, a verdict with its tone, and chapters.
#[pyfunction]
pub(crate) fn page(title: &str, verdict: (String, String), chapters: Vec<Chapter>) -> String {
    let page = Page {
        verdict: Some(PageVerdict::new(tone(&verdict.0), verdict.1)),
        sections: chapters.into_iter().map(section).collect(),
        footer: format!("hashmill {}", env!("CARGO_PKG_VERSION")),
        ..Page::new(title)
    };
    page.html()
}

fn section(Chapter(title, numbers, facts, columns, rows): Chapter) -> Section {
    let mut section = Section::new(title);
    if !numbers.is_empty() {
        let figures =
            numbers.into_iter().map(|Number(label, value, word)| Figure::new(label, value).tone(tone(&word)));
        section = section.with(SectionPart::Figures(figures.collect()));
    }
    if !facts.is_empty() {
        section = section.with(SectionPart::Facts(facts));
    }
    if rows.is_empty() { section } else { section.with(SectionPart::Table(table(columns, rows))) }
}

fn table(columns: Vec<String>, rows: Vec<Vec<Value>>) -> Table {
    let is_number = |at: usize| rows.iter().all(|row| matches!(row.get(at), Some(Value::Number(_))));
    let columns: Vec<Column> = columns
        .into_iter()
        .enumerate()
        .map(|(at, title)| if is_number(at) { Column::number(title) } else { Column::words(title) })
        .collect();
    let mut table = Table::new("", columns);
    for row in rows {
        let cell = |value| match value {
            Value::Number(number) => Cell::Number(number, if number.fract() == 0.0 { 0 } else { 3 }),
            Value::Text(text) => Cell::Text(text),
        };
        let cells: Vec<Cell> = row
            .into_iter()
            .map(cell)
            .chain(std::iter::repeat(Cell::Empty))
            .take(table.columns.len())
            .collect();
        table.push(cells);
    }
    table
}

fn tone(word: &str) -> Tone {
    match word {
        "good" => Tone::Good,
        "doubtful" => Tone::Doubtful,
        "bad" => Tone::Bad,
        _ => Tone::Plain,
    }
}
