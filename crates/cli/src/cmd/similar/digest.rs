//! `hashloom similar digest`: the lines of the reference program, or records.

use super::files::Files;
use super::members::{Sparse, plain};
use super::options::{self, DigestFormat};
use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output};
use anyhow::{Context, ensure};
use hashloom_job::manifest_writer::ManifestWriter;
use hashloom_manifest::Record;
use hashloom_manifest::format::{Layout, find_format};
use hashloom_similar::{Digest, Named, Similar};
use std::io::Write;
use std::path::Path;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or the output cannot be written.
pub fn run(args: &options::Digest) -> anyhow::Result<Exit> {
    args.variant.fits(&args.algorithms)?;
    let mut rows: Vec<&'static Similar> = Vec::new();
    for row in args.algorithms.iter().map(|row| args.variant.of(row.0)) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let default = if rows.len() == 1 { DigestFormat::Reference } else { DigestFormat::Jsonl };
    let format = args.format.unwrap_or(default);
    ensure!(
        format != DigestFormat::Reference || rows.len() == 1,
        "--format reference: a list of the reference program has digests of one algorithm only"
    );
    let output = match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => Output::file(path)?,
        None => output::stdout()?,
    };
    let files = Files {
        paths: &args.paths,
        sources: &args.sources,
        resources: &args.resources,
        algorithms: Vec::new(),
        leave_out: output.identities(),
        told: format != DigestFormat::Reference,
    };
    match format {
        DigestFormat::Reference => reference(files, rows[0], output),
        DigestFormat::Jsonl => records(files, &rows, ("jsonl", output)),
        DigestFormat::Csv => records(files, &rows, ("csv", output)),
    }
}

fn records(
    files: Files<'_>,
    rows: &[&'static Similar],
    (format, output): (&str, Output),
) -> anyhow::Result<Exit> {
    let likeness = rows.iter().copied().enumerate().collect();
    let layout = Layout { likeness, ..Layout::default() };
    let format = find_format(format).context("no such format")?;
    let writer = ManifestWriter::begin(format, layout, output.clone());
    let mut writer = writer.context("no such writer")??;
    let exit = files.hash(rows, &output, &mut |record| Ok(writer.file(record, &mut message::refused)?))?;
    if exit == Exit::Interrupted {
        writer.leave()?;
        return Ok(exit);
    }
    Ok(exit.and(Exit::Failed.when(writer.end()? > 0)))
}

fn reference(files: Files<'_>, row: &'static Similar, output: Output) -> anyhow::Result<Exit> {
    let mut list = List { row, output: output.clone(), sparse: Sparse::default(), unnamed: 0 };
    list.begin()?;
    let exit = files.hash(&[row], &output, &mut |record| list.file(record))?;
    if exit != Exit::Interrupted {
        output.finish()?;
    }
    list.sparse.tell("-f jsonl marks them");
    Ok(exit.and(Exit::Failed.when(list.unnamed > 0)))
}

/// A list as the reference program writes it.
struct List {
    row: &'static Similar,
    output: Output,
    sparse: Sparse,
    /// Files whose names the list cannot hold.
    unnamed: u64,
}

impl List {
    fn begin(&mut self) -> anyhow::Result<()> {
        self.row.header.map_or(Ok(()), |header| self.write(format!("{header}\n").as_bytes()))
    }

    fn file(&mut self, record: Record) -> anyhow::Result<()> {
        let Some(digest) = record.likeness.into_iter().find_map(|likeness| likeness.digest.ok()) else {
            return Ok(());
        };
        if !plain(&record.path) {
            self.unnamed += 1;
            message::about(&record.path, "a line of the list cannot hold this name; -f jsonl can");
            return Ok(());
        }
        self.sparse.count(&digest);
        let mrsh = matches!(digest, Digest::Mrsh(_));
        let mut lines = Named { name: record.path.into_vec(), digest }.lines();
        if mrsh {
            // The program ends every digest with an empty line.
            lines.push(b'\n');
        }
        self.write(&lines)
    }

    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.output.write_all(bytes).map_err(|error| self.output.error(error))?)
    }
}
