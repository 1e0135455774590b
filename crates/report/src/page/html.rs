//! A page as HTML. The template escapes all text; it only inserts pictures, the page's own style and script, and data
//! without `<` unescaped. A policy with their digests makes the browser refuse any other style or script.

use super::data::Data;
use super::model::{Page, Section, SectionPart};
use super::table::{Cell, Extent, Table};
use crate::{Chart, Theme};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const STYLE: &str = include_str!("../../templates/page.css");
const SCRIPT: &str = include_str!("../../templates/page.js");

#[derive(Template)]
#[template(path = "page.html")]
struct Whole<'a> {
    page: &'a Page,
    style: &'static str,
    script: &'static str,
    policy: String,
}

/// A section; `level` is the level of its heading.
#[derive(Template)]
#[template(path = "section.html")]
struct Headed<'a> {
    section: &'a Section,
    level: u8,
}

#[derive(Template)]
#[template(path = "facts.html")]
struct Facts<'a> {
    facts: &'a [(String, String)],
}

/// The first rows of a table.
#[derive(Template)]
#[template(path = "table.html")]
struct Listed<'a> {
    table: &'a Table,
    caption: &'a str,
    rows: &'a [Vec<Cell>],
    /// The class of a table that stacks.
    form: &'static str,
}

pub(super) fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let mut out = out;
    Whole { page, style: STYLE, script: SCRIPT, policy: policy() }.write_into(&mut out)
}

/// Returns the policy: the browser may load nothing, and only run what has these digests.
fn policy() -> String {
    let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

fn facts(facts: &[(String, String)]) -> Facts<'_> {
    Facts { facts }
}

/// Returns whether the list of chapters may fill the first sheet of paper: then it is compact, and comes first.
fn many(page: &Page) -> bool {
    page.chapters.len() > 12
}

fn headed(section: &Section, level: u8) -> Headed<'_> {
    Headed { section, level }
}

/// Returns a table in columns, which the script stacks if there is not enough room.
fn columns(table: &Table) -> Listed<'_> {
    Listed { table, caption: &table.caption, rows: &table.rows, form: "stacks" }
}

/// Returns the first rows of a table of records, for a browser without scripts, which can't measure the available room.
fn entries(table: &Table, most: usize) -> Listed<'_> {
    Listed { table, caption: "", rows: &table.rows[..table.rows.len().min(most)], form: "entries" }
}

fn data(table: &Table) -> Data<'_> {
    Data(table)
}

fn light(chart: &Chart) -> String {
    chart.svg(Theme::Light)
}

fn dark(chart: &Chart) -> String {
    chart.svg(Theme::Dark)
}

fn cell(row: &[Cell], number: &usize) -> String {
    row.get(*number).map(Cell::to_string).unwrap_or_default()
}
