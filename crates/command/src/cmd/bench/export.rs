//! Outputs of results: a table on standard output, and files for programs and for reports.
//!
//! Whether each file can be written is checked before anything is measured.

use crate::options::force::Force;
use crate::output::{self, WriteError};
use clap::Args;
use hashmill_bench::{Comparison, Document, View, export, view};
use hashmill_content::output::OutputKind;
use hashmill_lists::kinds;
use hashmill_manifest::Time;
use hashmill_report::{Page, Sheet, Theme};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files that are written in addition to the table.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where results go")]
pub struct Exports {
    /// Write all measurements into FILE, as one JSON document
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Write the rows into FILE, as CSV
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,
    /// Write the tables into FILE, as Markdown
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
    /// Draw the results into FILE: .svg, or .html with the tables
    #[arg(long, value_name = "FILE", value_parser = Picture::named)]
    pub plot: Option<Picture>,
    #[command(flatten)]
    pub force: Force,
}

/// A file for pictures.
#[derive(Debug, Clone)]
pub struct Picture {
    path: PathBuf,
    form: ExportFormat,
}

#[derive(Debug, Clone, Copy)]
enum ExportFormat {
    Svg,
    Html,
}

impl Exports {
    /// Checks that each file can be written, without leaving anything behind.
    ///
    /// # Errors
    /// If one can't.
    pub fn check(&self) -> anyhow::Result<()> {
        for (file, kind) in self.files() {
            output::create(&self.force.at(file), kind)?.discard();
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = (&Path, OutputKind)> {
        let plot = self.plot.as_ref().map(|picture| (picture.path.as_path(), picture.form.kind()));
        let texts = [
            (&self.export_json, kinds::MEASUREMENTS),
            (&self.export_csv, kinds::TABLE),
            (&self.export_markdown, kinds::MARKDOWN),
        ];
        let texts = texts.into_iter().filter_map(|(path, kind)| Some((path.as_deref()?, kind)));
        texts.chain(plot)
    }

    /// Prints the results and writes the files.
    ///
    /// # Errors
    /// If something cannot be written; everything else is written.
    pub fn write<C: Comparison>(&self, document: &Document<C::KernelRow, C::Summary>) -> anyhow::Result<()> {
        let written = self.write_files::<C>(document);
        output::print_result(export::terminal(&view::<C>(document)))?;
        written
    }

    /// Writes the files.
    ///
    /// # Errors
    /// If one cannot be written; all others are written.
    pub fn write_files<C: Comparison>(
        &self,
        document: &Document<C::KernelRow, C::Summary>,
    ) -> anyhow::Result<()> {
        let view = view::<C>(document);
        let written = [
            put(self.export_json.as_deref(), || document.to_json().into_bytes()),
            put(self.export_csv.as_deref(), || export::csv(&document.rows).into_bytes()),
            put(self.export_markdown.as_deref(), || export::markdown(&view).into_bytes()),
            self.plot.as_ref().map_or(Ok(()), |picture| picture.draw(&view)),
        ];
        Ok(written.into_iter().collect::<Result<(), WriteError>>()?)
    }
}

impl ExportFormat {
    fn kind(self) -> OutputKind {
        match self {
            ExportFormat::Svg => kinds::PICTURE,
            ExportFormat::Html => kinds::PAGE,
        }
    }
}

impl Picture {
    fn named(path: &str) -> Result<Picture, String> {
        let path = PathBuf::from(path);
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let form = match ending.as_deref() {
            Some("svg") => ExportFormat::Svg,
            Some("html" | "htm") => ExportFormat::Html,
            _ => return Err("the name must end with .svg or .html".to_string()),
        };
        Ok(Picture { path, form })
    }

    fn draw(&self, view: &View) -> Result<(), WriteError> {
        let charts = Sheet(&view.charts);
        let drawn = match self.form {
            ExportFormat::Svg => charts.svg(Theme::Light).into_bytes(),
            ExportFormat::Html => {
                let mut page = Page::new(view.title.as_str());
                page.sections.push(export::section(view));
                page.html().into_bytes()
            }
        };
        put(Some(&self.path), || drawn)
    }
}

/// Writes a file, if it is requested; it gets its name when it is complete. Its place was checked before.
fn put(path: Option<&Path>, text: impl FnOnce() -> Vec<u8>) -> Result<(), WriteError> {
    let Some(path) = path else { return Ok(()) };
    let output = output::create(&Force { force: true }.at(path), OutputKind::Anything)?;
    output.put(text())?;
    output.finish()
}

/// Returns the time in RFC 3339 with its offset from UTC, to the second.
pub fn now() -> Option<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let time = Time { seconds: i64::try_from(since.as_secs()).ok()?, nanoseconds: 0 };
    Some(time.to_rfc3339()?.replace('Z', "+00:00"))
}
