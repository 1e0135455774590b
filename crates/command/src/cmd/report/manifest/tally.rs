//! Counts over the records of a manifest, and what they say.

use super::table::{allocation, tone_of_category};
use super::{content, is_left_out, is_problem};
use crate::cmd::report::charts;
use crate::cmd::report::groups::{Groups, Measure, Titled};
use crate::cmd::report::spread::Spread;
use crate::cmd::report::timeline::Timeline;
use crate::words::message;
use crate::words::message::{Shown, count};
use anyhow::ensure;
use hashmill_job::hash::unscanned;
use hashmill_manifest::format::Reader;
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Record, Status};
use hashmill_report::{Cell, Chart, Figure, PageVerdict, PickedCells, Section, SectionPart, Tone, size};
use std::collections::BTreeMap;
use std::path::Path;

const STATUSES: [Status; 5] =
    [Status::Hashed, Status::Unreadable, Status::Changed, Status::Skipped, Status::Stored(Strength::None)];

/// Counts over the records.
#[derive(Default)]
pub struct Tally {
    files: u64,
    pieces: u64,
    /// The number of records of problems.
    troubled: u64,
    /// The number of records of entries that were not to be hashed.
    left_out: u64,
    bytes: u64,
    damaged: u64,
    /// Records of files that were deleted.
    deleted: u64,
    statuses: [u64; STATUSES.len()],
    categories: BTreeMap<Box<str>, u64>,
    spread: Spread,
    timeline: Timeline,
    contents: Contents,
    malformed: Vec<String>,
    malformed_count: u64,
}

/// Counts of facts about contents.
#[derive(Default)]
struct Contents {
    types: Groups,
    classes: Groups,
    rules: Groups,
    matching: u64,
    unscanned: u64,
    mismatches: u64,
    random: u64,
}

/// The most malformed parts that a page names.
const NAMED: usize = 100;

impl Tally {
    /// Counts the records of a manifest, and passes them on.
    ///
    /// # Errors
    /// If it can't be read to its end.
    pub fn read(
        &mut self,
        reader: &mut dyn Reader,
        path: &Path,
        take: &mut dyn FnMut(Record),
    ) -> anyhow::Result<()> {
        for record in reader {
            match record {
                Ok(record) => {
                    self.count(&record);
                    take(record);
                }
                Err(malformed) => {
                    ensure!(!malformed.is_end(), "{malformed}");
                    message::about_path(path, &malformed);
                    self.malformed_count += u64::from(!malformed.is_note());
                    if !malformed.is_note() && self.malformed.len() < NAMED {
                        self.malformed.push(Shown(malformed.to_string().as_bytes()).to_string());
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, record: &Record) {
        let number = if is_left_out(record) { &mut self.left_out } else { &mut self.troubled };
        *number += u64::from(is_problem(record));
        if record.piece.is_some() {
            self.pieces += 1;
            return;
        }
        self.files += 1;
        self.damaged += u64::from(!record.bad_blocks.is_empty());
        self.deleted += u64::from(allocation(record).is_some());
        self.statuses
            [STATUSES.iter().position(|status| status.word() == record.status.word()).unwrap_or(0)] += 1;
        if let Some(label) = &record.label {
            *self.categories.entry(label.category.clone()).or_default() += 1;
        }
        if let Some(size) =
            record.size.filter(|_| matches!(record.status, Status::Hashed | Status::Stored(_)))
        {
            self.bytes = self.bytes.saturating_add(size);
            self.spread.add(&record.path, size);
        }
        if let Some(time) = record.mtime {
            self.timeline.add(time);
        }
        self.contents.count(record);
    }

    /// Returns the number of records of problems.
    pub fn troubled(&self) -> u64 {
        self.troubled
    }

    /// Returns the number of records of entries that were not to be hashed.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Returns the number of parts of the manifest that were not understood.
    pub fn malformed(&self) -> u64 {
        self.malformed_count
    }

    /// Returns the number of records of files that were not read properly.
    fn failed(&self) -> u64 {
        self.statuses[1] + self.statuses[2] + self.damaged
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> PageVerdict {
        let bad = self.categories.get("bad").copied().unwrap_or(0);
        let mut troubles = Vec::new();
        if bad > 0 {
            troubles.push(format!("{} known bad", count(bad, "file is", "files are")));
        }
        if self.contents.matching > 0 {
            let verb = if self.contents.matching == 1 { "matches" } else { "match" };
            troubles.push(format!("{} {verb} rules", count(self.contents.matching, "file", "files")));
        }
        if self.contents.unscanned > 0 {
            let were = count(self.contents.unscanned, "file was", "files were");
            troubles.push(format!("{were} not wholly looked at by rules"));
        }
        if self.failed() > 0 {
            troubles
                .push(format!("{} not read as it should be", count(self.failed(), "file was", "files were")));
        }
        if self.malformed_count > 0 {
            let parts = count(self.malformed_count, "part of the manifest was", "parts of the manifest were");
            troubles.push(format!("{parts} not understood"));
        }
        let mut files = count(self.statuses[0], "file", "files");
        if self.left_out > 0 {
            let entries = count(self.left_out, "entry was", "entries were");
            files = format!("{files} hashed, {entries} left out");
        } else {
            files += " hashed";
        }
        if troubles.is_empty() && self.troubled == 0 {
            return PageVerdict::new(Tone::Good, format!("{files}, nothing went wrong."));
        }
        let tone = if bad + self.contents.matching > 0 { Tone::Bad } else { Tone::Doubtful };
        PageVerdict::new(tone, format!("{}. {files}.", troubles.join(", ")))
    }

    /// Returns the section of the numbers and of facts.
    pub fn summary(&self, facts: Vec<(String, String)>) -> Section {
        // Hits come before the entries that were looked at.
        let known = |(category, number): (&str, u64)| {
            Figure::count(in_category(category), number, tone_of_category(category))
        };
        let categories = self.categories.iter().map(|(category, number)| (&**category, *number));
        let (bad, others): (Vec<_>, Vec<_>) = categories.partition(|(category, _)| *category == "bad");
        let mut figures: Vec<Figure> = bad.into_iter().map(known).collect();
        figures.extend(self.contents.figures());
        figures.push(Figure::count("entries", self.files, Tone::Plain));
        figures
            .push(Figure::new(format!("{} bytes hashed", Cell::from(self.bytes)), size(self.bytes as f64)));
        let tones = [Tone::Good, Tone::Bad, Tone::Bad, Tone::Plain];
        for ((status, number), tone) in STATUSES.iter().zip(self.statuses).zip(tones) {
            figures.push(Figure::count(in_words(status.word()), number, tone));
        }
        let more = [
            ("stored by the server, not read", self.statuses[4], Tone::Plain),
            ("with parts that could not be read", self.damaged, Tone::Bad),
            ("deleted files", self.deleted, Tone::Doubtful),
            ("records of pieces", self.pieces, Tone::Plain),
            ("parts not understood", self.malformed_count, Tone::Doubtful),
        ];
        let more = more.into_iter().filter(|(_, number, _)| *number > 0);
        figures.extend(more.map(|(label, number, tone)| Figure::count(label, number, tone)));
        figures.extend(others.into_iter().map(known));
        let others = match self.malformed_count.saturating_sub(NAMED as u64) {
            0 => None,
            more => Some(format!("and {more} more parts that were not understood")),
        };
        Section::new("Summary")
            .with(SectionPart::Figures(figures))
            .with(SectionPart::Facts(facts))
            .warning(self.malformed.iter().cloned().chain(others))
    }

    /// Returns the section of charts, if there is anything to draw.
    pub fn charts(&self) -> Option<Section> {
        let statuses = STATUSES.iter().map(|status| status.word()).zip(self.statuses);
        let categories = self.categories.iter().map(|(category, number)| (&**category, *number));
        let [rules, types, bytes, classes] = self.contents.charts();
        let charts = [
            rules,
            bytes,
            types,
            classes,
            self.spread.sizes(),
            self.spread.kinds(),
            self.timeline.chart(),
            charts::counted("Files by status", "files", "status", statuses),
            charts::counted("Files by what they are known as", "files", "category", categories),
        ];
        let parts: Vec<SectionPart> = charts.into_iter().flatten().map(SectionPart::Chart).collect();
        (!parts.is_empty()).then(|| Section { title: "Charts".into(), parts })
    }
}

impl Contents {
    fn count(&mut self, record: &Record) {
        if record.status != Status::Hashed || record.facts.is_none() {
            return;
        }
        let size = record.size.unwrap_or(0);
        content::mime(record).iter().for_each(|mime| self.types.add(mime, size));
        content::class(record).iter().for_each(|class| self.classes.add(class, size));
        content::each_rule(record).for_each(|rule| self.rules.add(&Shown(rule.as_bytes()).to_string(), size));
        self.matching += u64::from(content::has_matches(record));
        self.unscanned += u64::from(unscanned(record).is_some());
        self.mismatches += u64::from(content::is_mismatch(record));
        self.random += u64::from(content::is_random(record));
    }

    /// Returns the numbers of what a reader looks for, if there is any.
    fn figures(&self) -> impl Iterator<Item = Figure> {
        let figures = [
            ("matched by rules", self.matching, Tone::Bad),
            ("not wholly looked at by rules", self.unscanned, Tone::Bad),
            ("with a name of another type", self.mismatches, Tone::Doubtful),
            ("encrypted or random", self.random, Tone::Doubtful),
        ];
        let any = figures.into_iter().filter(|(_, number, _)| *number > 0);
        any.map(|(label, number, tone)| Figure::count(label, number, tone))
    }

    /// Returns the charts of rules, of files and of bytes by type, and of classes.
    fn charts(&self) -> [Option<Chart>; 4] {
        let is = |word: &str| Some(PickedCells::Is(word.into()));
        let has = |word: &str| Some(PickedCells::Has(word.into()));
        let titled = |title, words, measure| Titled { title, words, measure };
        let (files, bytes) = (Measure::Files, Measure::Bytes);
        [
            self.rules.chart(titled("Files that rules match", "rules", files), "rules", has),
            self.types.chart(titled("Files by type", "type by content", files), "type", is),
            self.types.chart(titled("Bytes by type", "type by content", bytes), "type", is),
            self.classes.chart(titled("Files by class of content", "class", files), "class", is),
        ]
    }
}

/// Returns a category of known files in words.
fn in_category(category: &str) -> String {
    match category {
        "unknown" => "in no set".into(),
        "known" => "known, not judged".into(),
        other => format!("known {}", Shown(other.as_bytes())),
    }
}

/// Returns a status in words.
fn in_words(status: &str) -> &str {
    match status {
        "changed-while-reading" => "changed while being read",
        "skipped" => "left out",
        other => other,
    }
}
