//! The page of a case.

use super::folder::Folder;
use super::like::AlikeFiles;
use super::options::Options;
use crate::cmd::report;
use crate::output;
use crate::progress;
use crate::words::message;
use crate::words::message::count;
use hashmill_lists::kinds;
use hashmill_report::{Cell, Column, Extent, Section, SectionPart, Table};

/// Writes the page, and says on standard output in a sentence what was found. `alike` are the files that are like listed
/// ones, if there were lists.
///
/// # Errors
/// If it can't be written.
pub fn write(options: &Options, folder: &Folder, alike: Option<AlikeFiles>) -> anyhow::Result<()> {
    let path = folder.page();
    let output = output::create(&folder.force().at(&path), kinds::PAGE)?;
    let more: Vec<Section> = alike.iter().map(similar).collect();
    let records = folder.records();
    let total = progress::bytes_of(&[records], 1);
    let write = || report::write_case(records, folder.path(), options.records, more, output);
    let verdict = progress::reading_of(options.resources.progress, "writing the page", total, write)?;
    let text = format!("{verdict}\n{}\n", message::Shown::path(&path));
    Ok(output::print(text.as_bytes())?)
}

/// Returns the section of files that are like listed ones.
fn similar(AlikeFiles { alike, number, .. }: &AlikeFiles) -> Section {
    let table = Table::of(alike)
        .column(Column::code("path"), |pair| pair.file.clone())
        .column(Column::code("like"), |pair| pair.listed.clone())
        .column(Column::words("list"), |pair| pair.list.clone())
        .column(Column::words("algorithm"), |pair| pair.algorithm)
        .column(Column::number("score or distance"), |pair| Cell::Number(f64::from(pair.score), 0))
        .captioned("")
        .extent(Extent::Every);
    let title = format!("Like listed files: {}", count(*number, "pair", "pairs"));
    let section = Section::new(title);
    if alike.is_empty() {
        return section.with(SectionPart::Text("No file is like one of the lists.".into()));
    }
    let left_out = number - alike.len() as u64;
    let note = (left_out > 0).then(|| format!("{left_out} more pairs are in similar.jsonl."));
    section.warning(note).with(SectionPart::Records(table))
}
