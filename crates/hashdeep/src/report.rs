//! Shows the results file by file: lines, matches, an audit, or a DFXML document.

use crate::algorithm::Algorithm;
use crate::dfxml::{Document, FileObject};
use crate::flags::{Mode, Shows, Side, Switch};
use crate::hashed::{Hashed, HashedDigests, Span};
use crate::judge::{Case, MatchResult, Tally, judge};
use crate::known::Index;
use crate::path::escape;
use crate::personality::Personality;
use crate::screen::{Screen, Target};
use crate::settings::HashdeepSettings;
use crate::walk::{Remark, Severity};
use std::borrow::Cow;

pub struct Report {
    pub settings: HashdeepSettings,
    pub screen: Screen,
    /// The text before hashdeep's first line of digests, until it is shown.
    banner: Option<Vec<u8>>,
    document: Option<Document>,
    tally: Tally,
    /// Whether a requested input could not be examined.
    failed: bool,
}

impl Report {
    /// Creates a report; the head of the document is already written.
    pub fn new(
        settings: HashdeepSettings,
        screen: Screen,
        banner: Vec<u8>,
        document: Option<Document>,
    ) -> Report {
        let banner = Some(banner).filter(|_| document.is_none());
        Report { settings, screen, banner, document, tally: Tally::default(), failed: false }
    }

    fn has(&self, switch: Switch) -> bool {
        self.settings.has(switch)
    }

    fn shown<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        if self.has(Switch::Escape) { Cow::Owned(escape(name)) } else { Cow::Borrowed(name) }
    }

    fn write_document(&mut self) {
        if let Some(document) = &mut self.document {
            let text = document.take();
            self.screen.raw(Target::Standard, &text);
        }
    }

    pub fn remark(&mut self, path: &[u8], remark: &Remark) {
        self.failed |= remark.severity == Severity::Failure;
        if let Some(document) = &mut self.document {
            document.drop_digests();
        }
        if !self.screen.wants_messages() {
            return;
        }
        match &mut self.document {
            Some(document) => {
                document.error(path, &remark.text);
                self.write_document();
            }
            None => {
                let line = [&self.shown(path), &b": "[..], remark.text.as_bytes()].concat();
                self.screen.error_line(&line);
            }
        }
    }

    /// Shows a file or piece.
    pub fn show(&mut self, file: &Hashed<'_>) {
        match self.settings.personality {
            Personality::Single(algorithm) => self.show_single(algorithm, file),
            Personality::Hashdeep => match self.settings.mode {
                Mode::Compute => self.show_digests(file),
                Mode::Match | Mode::MatchNot => self.show_match(file),
                Mode::Audit => self.audit(file),
            },
        }
    }

    /// Ends a file by writing its element of the document.
    pub fn end_file(&mut self, file: &Hashed<'_>, size: u64) {
        let Some(document) = &mut self.document else { return };
        if self.settings.piece.is_some() {
            document.plain_digests(&file.digests, self.settings.algorithms, "");
        }
        // hashdeep writes the number of the thread, which varies between runs.
        let worker = self.settings.verbose > 0 && self.settings.threads > 0 && !file.is_stdin();
        let attributes = if worker { "workerid='0'" } else { "" };
        document.file(&FileObject { file, size, attributes });
        self.write_document();
    }

    /// Drops the digests of a file without an element of its own.
    pub fn drop_file(&mut self) {
        if let Some(document) = &mut self.document {
            document.drop_digests();
        }
    }

    /// Adds digests to the document. Returns false if there is none.
    fn document_digests(&mut self, file: &Hashed<'_>, matched: bool) -> bool {
        let Some(document) = &mut self.document else { return false };
        let piece = file.span.filter(|_| self.settings.piece.is_some());
        document.digests(file, self.settings.algorithms, piece, matched);
        true
    }

    /// Shows hashdeep's line of size, digests and name.
    fn show_digests(&mut self, file: &Hashed<'_>) {
        if self.document_digests(file, self.has(Switch::ShowMatched)) {
            return;
        }
        if let Some(banner) = self.banner.take() {
            self.screen.raw(Target::Output, &banner);
        }
        let size = file.span.map_or(file.facts.size, |span| span.length);
        let mut line = format!("{size},").into_bytes();
        for algorithm in self.settings.algorithms.iter() {
            line.extend(file.digests.text(algorithm).bytes().chain([b',']));
        }
        line.extend_from_slice(&self.shown(file.name));
        line.extend(self.offsets(file.span).bytes());
        self.screen.line(Target::Output, line);
    }

    fn offsets(&self, span: Option<Span>) -> String {
        span.filter(|_| self.settings.piece.is_some()).map(Span::words).unwrap_or_default()
    }

    fn judge(&mut self, file: &Hashed<'_>) -> (MatchResult, Option<Index>) {
        let case = if self.has(Switch::IgnoreCase) { Case::Ignored } else { Case::Matters };
        judge(self.settings.known.known(), self.settings.algorithms, file, case)
    }

    /// Returns a line with a file's name, words, and the name of the known file that was found.
    fn pair(&mut self, file: &Hashed<'_>, words: &str, found: Option<Index>) -> Vec<u8> {
        let mut line = [&self.shown(file.name), words.as_bytes()].concat();
        if let Some(found) = found {
            let name = self.settings.known.known().get(found).name().to_vec();
            line.extend_from_slice(&self.shown(&name));
        }
        line
    }

    fn show_match(&mut self, file: &Hashed<'_>) {
        let (verdict, found) = self.judge(file);
        let wants_known = self.settings.mode == Mode::Match;
        let is_known = matches!(verdict, MatchResult::Match | MatchResult::Renamed);
        let collision = match verdict {
            MatchResult::OtherSize => Some(": Hash collision with "),
            MatchResult::Partial => Some(": partial hash match with "),
            _ => None,
        };
        if let Some(words) = collision {
            let line = self.pair(file, words, found);
            self.screen.error_line(&line);
        }
        if is_known != wants_known {
            return;
        }
        if self.settings.shows == Shows::Digests {
            return self.show_digests(file);
        }
        let line = if self.has(Switch::ShowMatched) && wants_known {
            self.pair(file, " matches ", found)
        } else {
            self.pair(file, "", None)
        };
        self.screen.line(Target::Output, line);
    }

    fn audit(&mut self, file: &Hashed<'_>) {
        let (verdict, found) = self.judge(file);
        self.tally.count(verdict);
        let (needed, words, found) = match verdict {
            MatchResult::Match => (3, ": Ok", None),
            MatchResult::Unknown => (2, ": No match", None),
            MatchResult::Renamed => (2, ": Moved from ", found),
            MatchResult::OtherSize | MatchResult::Partial => (0, ": Hash collision with ", found),
        };
        if self.settings.verbose >= needed {
            let line = self.pair(file, words, found);
            self.screen.line(Target::Standard, line);
        }
    }

    fn show_single(&mut self, algorithm: Algorithm, file: &Hashed<'_>) {
        if self.has(Switch::Unmatched)
            && let Some(digest) = file.digests.get(algorithm)
        {
            self.settings.known.known().find_and_mark(algorithm, digest.as_bytes(), file.name);
            return;
        }
        if let Some(side) = self.settings.side {
            self.show_single_match(algorithm, file, side);
        } else if !self.document_digests(file, self.has(Switch::ShowMatched)) {
            let line = self.single_line(algorithm, file);
            self.screen.line(Target::Output, line);
        }
    }

    /// Returns the line of the single-algorithm commands.
    fn single_line(&self, algorithm: Algorithm, file: &Hashed<'_>) -> Vec<u8> {
        let mut line = Vec::new();
        if let Some(triage) = &file.triage {
            line.extend(triage.bytes().chain([b'\t']));
        }
        line.extend(self.size_column(file).bytes());
        line.extend(file.digests.text(algorithm).bytes());
        if self.has(Switch::Quiet) {
            line.extend_from_slice(b"  ");
        } else if self.settings.piece.is_some() || !file.is_stdin() {
            line.extend(self.time_column(file).bytes());
            let gap = if self.has(Switch::Triage) { "\t" } else { "  " };
            line.extend(self.gap(gap).bytes());
            line.extend_from_slice(&self.shown(file.name));
        }
        line.extend(self.offsets(file.span).bytes());
        line
    }

    fn size_column(&self, file: &Hashed<'_>) -> String {
        match (self.has(Switch::Sizes), self.has(Switch::Csv)) {
            (false, _) => String::new(),
            (true, false) => format!("{:>10}  ", file.total),
            (true, true) => format!("{:>10}, ", file.total),
        }
    }

    fn time_column(&self, file: &Hashed<'_>) -> String {
        if !self.has(Switch::Times) {
            return String::new();
        }
        let comma = if self.has(Switch::Csv) { "," } else { " " };
        format!("{comma}{}", crate::date::columns(file.facts.ctime))
    }

    /// Returns the separator of digest and name.
    fn gap<'a>(&self, usual: &'a str) -> &'a str {
        if self.has(Switch::Csv) {
            ","
        } else if self.has(Switch::Asterisk) {
            " *"
        } else {
            usual
        }
    }

    fn show_single_match(&mut self, algorithm: Algorithm, file: &Hashed<'_>, side: Side) {
        let digest = file.digests.get(algorithm);
        let known = self.settings.known.known();
        let found = digest.and_then(|digest| known.find_and_mark(algorithm, digest.as_bytes(), file.name));
        if found.is_some() != (side == Side::Known) {
            return;
        }
        let matched = self.has(Switch::ShowMatched) || found.is_some();
        if self.document_digests(file, matched) {
            return;
        }
        let mut line = self.size_column(file).into_bytes();
        if self.settings.shows == Shows::Digests {
            line.extend(file.digests.text(algorithm).bytes());
            line.extend(self.gap("  ").bytes());
        }
        // Names are not escaped here, in contrast to all other places.
        line.extend_from_slice(file.name);
        if !self.has(Switch::ShowMatched) {
            // The empty piece of an empty file is shown differently from other lists, too.
            let pieces = self.settings.piece.is_some();
            line.extend(file.span.filter(|_| pieces).map(Span::bare_words).unwrap_or_default().bytes());
        } else if let Some(found) = found {
            line.extend_from_slice(b" matched ");
            line.extend_from_slice(self.settings.known.known().get(found).name());
        } else {
            line.extend_from_slice(b" does NOT match");
        }
        self.screen.line(Target::Output, line);
    }

    /// Shows the summary after the last file, and returns the exit code.
    pub fn finish(&mut self) -> u8 {
        let mut fine = !self.failed;
        if self.settings.mode == Mode::Audit {
            fine &= self.finish_audit();
        }
        if matches!(self.settings.mode, Mode::Match | Mode::MatchNot) || self.settings.side.is_some() {
            fine &= self.finish_match();
        }
        if let Some(document) = &mut self.document {
            document.finish();
        }
        self.write_document();
        u8::from(!self.screen.finish() || !fine)
    }

    fn unmatched(&mut self) -> Vec<Vec<u8>> {
        self.settings.known.known().unmatched().map(|file| file.name().to_vec()).collect()
    }

    /// Returns whether the audit passed: it must have examined all files and read the whole list.
    fn finish_audit(&mut self) -> bool {
        let unused = self.unmatched();
        if self.settings.verbose >= 2 {
            for name in &unused {
                self.screen.line(Target::Output, [name, &b": Known file not used"[..]].concat());
            }
        }
        let whole = !self.failed && !self.settings.known.is_incomplete();
        let passed = whole && unused.is_empty() && self.tally.is_clean();
        let word = if passed { "passed" } else { "failed" };
        let line = format!("{}: Audit {word}", self.screen.name);
        self.screen.line(Target::Output, line);
        for line in self.tally.lines(self.settings.verbose, unused.len()) {
            self.screen.line(Target::Output, line);
        }
        passed
    }

    /// Returns whether all known files were found.
    fn finish_match(&mut self) -> bool {
        if self.has(Switch::Unmatched) {
            for name in self.unmatched() {
                self.screen.line(Target::Output, name);
            }
        }
        let known = self.settings.known.known();
        let all = known.matched() == known.len();
        let hashdeep = self.settings.personality == Personality::Hashdeep;
        all && !(hashdeep && self.settings.known.is_incomplete())
    }
}

impl Hashed<'_> {
    fn is_stdin(&self) -> bool {
        self.facts.origin == hashmill_source::Origin::Stdin
    }
}

impl HashedDigests {
    /// Returns whether the digests are missing because the file was not read.
    pub fn are_stars(&self) -> bool {
        matches!(self, HashedDigests::Stars)
    }
}
