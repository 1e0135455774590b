//! `known match --manifest`: the records of a manifest, classified by the digests that they have.

use super::matching::fits;
use super::options::Match;
use crate::exit::Exit;
use crate::message::{self, Shown, count};
use crate::output::{self, Output};
use anyhow::{Context, bail, ensure};
use hashloom_job::labels::Labels;
use hashloom_job::manifest_writer::ManifestWriter;
use hashloom_manifest::Record;
use hashloom_manifest::format::{Format, Hint, Layout, Malformed, Reader, Why, find_format, open, open_path};
use hashloom_similar::Similar;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Records that are labelled together.
const BATCH: usize = 1024;

/// Classifies the manifest at this path.
///
/// # Errors
/// If it is not usable, or the output cannot be written.
pub fn run(path: &Path, args: &Match, mut labels: Labels) -> anyhow::Result<Exit> {
    let bytes = path.as_os_str().as_bytes();
    let name = if bytes == b"-" { "standard input".to_string() } else { Shown(bytes).to_string() };
    let opened = match bytes {
        b"-" => open(Box::new(io::stdin()), Hint::None),
        _ => open_path(path, Hint::from_name(bytes)),
    };
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => bail!("{name}: {error}"),
    };
    let format = format(args, opened.format, &labels)?;
    fits(&labels, format)?;
    output::fits(format, args.output.as_deref())?;
    let mut records = Records { name: &name, reader: opened.reader, malformed: 0, pieces: 0 };
    let mut batch = records.batch()?;
    let output = output::named(args.output.as_deref());
    let output = output.map_or_else(output::stdout, Output::file)?;
    let layout = layout(format, &records, &batch);
    let writer = ManifestWriter::begin(format, layout, output);
    let mut writer = writer.context("hashloom does not write this format")??;
    while !batch.is_empty() {
        labels.label(&mut batch.iter_mut().collect::<Vec<_>>())?;
        Exit::Differs.when(labels.met_bad());
        for record in batch {
            if labels.show().takes(record.label.as_deref()) {
                writer.file(record, &mut message::refused)?;
            }
        }
        batch = records.batch()?;
    }
    let written = Exit::Failed.when(writer.end()? > 0);
    Ok(records.exit().and(Exit::Differs.when(labels.met_bad())).and(written))
}

fn format(args: &Match, own: &'static Format, labels: &Labels) -> anyhow::Result<&'static Format> {
    if let Some(name) = &args.format {
        return find_format(name).context("no such format");
    }
    let same = own.writer.is_some() && (own.carries.labels || labels.show().is_unknown_only());
    Ok(if same { own } else { find_format("jsonl").context("no such format")? })
}

/// The columns of the manifest; all that its records may have is kept where the format has a place for it.
fn layout(format: &Format, records: &Records<'_>, first: &[Record]) -> Layout {
    let mut algorithms = records.reader.columns().to_vec();
    if algorithms.is_empty() {
        let digests = first.iter().flat_map(|record| &record.digests);
        digests.for_each(|named| {
            if !algorithms.contains(&named.algorithm) {
                algorithms.push(named.algorithm);
            }
        });
    }
    let carries = format.carries;
    let likeness = if carries.likeness { likeness(records, first, algorithms.len()) } else { Vec::new() };
    Layout {
        algorithms,
        likeness,
        style: Default::default(),
        leaves: false,
        pieces: false,
        times: carries.mtime,
        bad_blocks: carries.bad_blocks,
        labels: carries.labels,
        case: None,
    }
}

/// The likeness algorithms of a manifest, behind so many others where it does not tell their places.
fn likeness(records: &Records<'_>, first: &[Record], digests: usize) -> Vec<(usize, &'static Similar)> {
    let mut kinds = records.reader.likeness().to_vec();
    if kinds.is_empty() {
        for likeness in first.iter().flat_map(|record| &record.likeness) {
            if kinds.iter().all(|(_, known)| *known != likeness.algorithm) {
                kinds.push((digests + kinds.len(), likeness.algorithm));
            }
        }
    }
    kinds
}

/// The records of whole files.
struct Records<'a> {
    name: &'a str,
    reader: Box<dyn Reader + 'a>,
    malformed: u64,
    pieces: u64,
}

impl Records<'_> {
    /// The next records; none at the end.
    fn batch(&mut self) -> anyhow::Result<Vec<Record>> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            match self.reader.next() {
                None => break,
                Some(Ok(record)) if record.piece.is_some() => self.pieces += 1,
                Some(Ok(record)) => batch.push(record),
                Some(Err(malformed)) => self.malformed(&malformed)?,
            }
        }
        Ok(batch)
    }

    fn malformed(&mut self, malformed: &Malformed) -> anyhow::Result<()> {
        ensure!(!matches!(malformed.why, Why::Io(_)), "{}: {malformed}", self.name);
        self.malformed += 1;
        message::say(format_args!("{}: {malformed}", self.name));
        Ok(())
    }

    fn exit(&self) -> Exit {
        if self.pieces > 0 {
            let pieces = count(self.pieces, "record of a piece is", "records of pieces are");
            message::say(format_args!("{}: {pieces} left out: sets hold digests of whole files", self.name));
        }
        Exit::Failed.when(self.malformed > 0)
    }
}
