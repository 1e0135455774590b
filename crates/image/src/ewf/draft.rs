//! Collects the content of an image's segments until all are read.

use super::geometry::{Geometry, Trust};
use super::logical;
use super::logical::LogicalTree;
use super::table::{ChunkTable, unreadable};
use crate::claim::{Claim, Claims};
use crate::error::Problem;
use crate::files::Files;
use crate::finding::{Findings, ImageLocation, ProblemKind, Section, Span};
use hashmill_digest::{Digest, MessageHasher, find};
use serde::Serialize;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// More sections than an image of a petabyte has.
const MOST_SECTIONS: u64 = 1 << 22;

/// The maximum size of metadata sections (headers, digests, error lists). Larger ones are damaged.
const MOST_CONTENT: u64 = 16 << 20;

/// The maximum number of kept header texts, and their total bytes. Writers store two or three of some hundred bytes.
const MOST_TEXTS: usize = 64;
const MOST_TEXT_BYTES: usize = 32 << 20;

/// A text of a header section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeaderText {
    /// The section, by its EWF1 name: `header`, `header2`, `xheader`, `device_information`, `case_data`.
    pub section: &'static str,
    /// The text, decompressed and decoded.
    pub text: String,
}

/// A track of an optical disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Session {
    /// The first sector.
    pub first_sector: u64,
    /// The track is audio.
    pub audio: bool,
}

#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) files: Files,
    pub(crate) findings: Findings,
    pub(crate) tables: Vec<ChunkTable>,
    /// The first chunk of the next EWF1 table; the tables don't state it.
    pub(crate) next_chunk: u64,
    /// Indexes of tables before which chunks were lost.
    pub(crate) breaks: Vec<usize>,
    pub(crate) volume: Option<(Geometry, Trust)>,
    /// The geometry repeated by later segments.
    pub(crate) repeated: Option<(Geometry, Trust)>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) texts: Vec<HeaderText>,
    pub(crate) errors: Vec<Span>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) tree: Option<LogicalTree>,
    sections: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Next,
    Done,
    Broken,
}

impl Draft {
    pub(crate) fn new(files: Files) -> Self {
        Draft {
            files,
            findings: Findings::default(),
            tables: Vec::new(),
            next_chunk: 0,
            breaks: Vec::new(),
            volume: None,
            repeated: None,
            claims: Vec::new(),
            texts: Vec::new(),
            errors: Vec::new(),
            sessions: Vec::new(),
            tree: None,
            sections: 0,
        }
    }

    /// Counts a section, up to the maximum for an image.
    pub(crate) fn count_section(&mut self) -> Result<(), Problem> {
        self.sections += 1;
        if self.sections > MOST_SECTIONS { Err(Problem::Sections) } else { Ok(()) }
    }

    /// Notes that chunks were lost before the next table.
    pub(crate) fn mark_break(&mut self) {
        self.breaks.push(self.tables.len());
    }

    /// Reads a metadata section. Failures become findings.
    pub(crate) fn content(
        &mut self,
        file: usize,
        range: &Range<u64>,
        place: &ImageLocation,
    ) -> Option<Vec<u8>> {
        let length = range.end.saturating_sub(range.start);
        if length > MOST_CONTENT {
            self.findings.add(ProblemKind::Malformed, place.clone());
            return None;
        }
        let mut content = vec![0; length as usize];
        match self.files.read_exact_at(file, range.start, &mut content) {
            Ok(()) => Some(content),
            Err(error) => {
                self.findings.add(unreadable(&error), place.clone());
                None
            }
        }
    }

    pub(crate) fn add_claims(&mut self, (digests, problem): Claims, place: &ImageLocation) {
        let intact = problem.is_none();
        self.findings.extend(problem.map(|kind| kind.at(place.clone())));
        for (name, digest) in digests {
            // All names come from a list in this crate. A digest without an algorithm in the registry can't be
            // compared.
            if let Ok(algorithm) = find(name) {
                self.claims.push(Claim { algorithm, digest, place: place.clone(), intact });
            }
        }
    }

    pub(crate) fn add_text(&mut self, section: &'static str, text: String, place: &ImageLocation) {
        let text = HeaderText { section, text };
        let bytes: usize = self.texts.iter().map(|text| text.text.len()).sum();
        if self.texts.contains(&text) {
            return;
        }
        if self.texts.len() == MOST_TEXTS || bytes + text.text.len() > MOST_TEXT_BYTES {
            return self.findings.add(ProblemKind::ExtraText, place.clone());
        }
        self.texts.push(text);
    }

    /// Adds the geometry of a volume section, or compares it with the first.
    pub(crate) fn add_geometry(
        &mut self,
        name: &str,
        geometry: Geometry,
        trust: Trust,
        place: &ImageLocation,
    ) {
        match trust {
            Trust::Whole => {}
            Trust::Unchecked => self.findings.add(ProblemKind::NoChecksum, place.clone()),
            Trust::Damaged => self.findings.add(ProblemKind::ContentChecksum, place.clone()),
        }
        if let Some((first, Trust::Whole)) = &self.volume {
            let foreign = first.is_foreign_to(&geometry);
            let differs = !first.agrees(&geometry);
            if foreign {
                self.findings.add(ProblemKind::ForeignSegment, place.clone());
            }
            if differs {
                self.findings.add(ProblemKind::GeometryDisagrees, place.clone());
            }
        }
        let known = if name == "data" { &mut self.repeated } else { &mut self.volume };
        let better =
            known.as_ref().is_none_or(|(_, held)| *held == Trust::Damaged && trust != Trust::Damaged);
        if better {
            *known = Some((geometry, trust));
        }
    }

    /// Adds ranges of sectors that could not be read at acquisition.
    pub(crate) fn add_errors(&mut self, spans: impl Iterator<Item = Span>) {
        for sectors in spans.filter(|span| span.count > 0) {
            self.errors.push(sectors);
            self.findings.add(ProblemKind::AcquisitionErrors { sectors }, ImageLocation::default());
        }
    }

    /// Reads the tree of single files in a range of a file.
    pub(crate) fn read_tree(&mut self, file: usize, range: Range<u64>, place: &ImageLocation) {
        let reader = SectionReader { files: &self.files, file, range };
        self.keep_tree(logical::read(BufReader::with_capacity(64 << 10, reader)), place);
    }

    pub(crate) fn keep_tree(&mut self, tree: LogicalTree, place: &ImageLocation) {
        if !tree.whole {
            self.findings.add(ProblemKind::Malformed, place.clone());
        }
        if self.tree.is_none() {
            self.tree = Some(tree);
        }
    }

    /// Returns the MD5 of a range of a file.
    pub(crate) fn md5(&self, file: usize, range: Range<u64>) -> io::Result<Digest> {
        let mut hasher = MessageHasher::new(find("md5").map_err(io::Error::other)?);
        let mut reader = SectionReader { files: &self.files, file, range };
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read = reader.read(&mut buffer)?;
            if read == 0 {
                return Ok(hasher.finish());
            }
            hasher.update(&buffer[..read]);
        }
    }

    pub(crate) fn path(&self, file: usize) -> Arc<Path> {
        Arc::clone(self.files.path(file))
    }

    /// Returns the place of a section.
    pub(crate) fn place(&self, file: usize, section: Section) -> ImageLocation {
        ImageLocation { section: Some(section), ..ImageLocation::file(self.files.path(file)) }
    }
}

/// Reads a range of a file in order.
struct SectionReader<'a> {
    files: &'a Files,
    file: usize,
    range: Range<u64>,
}

impl Read for SectionReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.range.end.saturating_sub(self.range.start);
        let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.files.read_at(self.file, self.range.start, &mut buffer[..length])?;
        self.range.start += read as u64;
        Ok(read)
    }
}
