//! Verdicts on their way to the report and the exit code.

use super::report::Reporter;
use crate::exit::Exit;
use crate::message;
use crate::selection::Bytes;
use hashloom_manifest::Label;
use hashloom_manifest::audit::{Category, Counts, Unjudged, Verdict};
use hashloom_source::{Error, Problem, Skip};
use std::collections::BTreeSet;

/// Verdicts on their way to the report and the exit code.
pub struct Tally {
    reporter: Reporter,
    counts: Counts,
    /// Paths below which nothing can be judged: directories that could not be listed or were left out.
    apart: Vec<(Bytes, Apart)>,
    /// Operands that are not there, until a missing file shows that the manifests know them.
    vanished: BTreeSet<Bytes>,
    exit: Exit,
}

/// Why nothing below a path can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apart {
    Failed,
    LeftOut,
}

impl Tally {
    /// Nothing counted yet; reading the manifests ended like this.
    pub fn new(reporter: Reporter, exit: Exit) -> Tally {
        Tally { reporter, counts: Counts::default(), apart: Vec::new(), vanished: BTreeSet::new(), exit }
    }

    /// Names what could not be read; `place` is what it is called in verdicts.
    pub fn failed(&mut self, error: &Error, place: &[u8]) {
        message::about(&error.path, &error.problem);
        self.exit = self.exit.and(Exit::Failed);
        if matches!(error.problem, Problem::List(_)) {
            self.apart.push((place.into(), Apart::Failed));
        }
    }

    /// Names what can't be compared.
    pub fn unjudged(&mut self, unjudged: &Unjudged) {
        message::about(
            &unjudged.path,
            "not compared: the manifests have no digest of it by the same algorithm",
        );
        self.exit = self.exit.and(Exit::Failed);
    }

    /// Of the files that manifests name, those that can't be opened are known; only operands are looked up.
    pub fn vanished(&mut self, error: &Error) {
        if matches!(error.problem, Problem::Stat(_)) {
            self.vanished.insert(error.path.clone());
        }
    }

    /// A missing file explains an operand that is not there: itself, or a directory above it.
    fn explain(&mut self, path: &[u8]) {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        for end in ends.chain([path.len()]).collect::<Vec<_>>() {
            self.vanished.remove(&path[..end]);
        }
    }

    /// Notes what was left out, and all below it.
    pub fn skipped(&mut self, path: &[u8], why: Skip) {
        if matches!(why, Skip::Filtered | Skip::OtherFileSystem) {
            self.apart.push((path.into(), Apart::LeftOut));
        }
    }

    /// A verdict of the end. What is missing below a directory that could not be listed may be there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn last(&mut self, mut verdict: Verdict) -> anyhow::Result<()> {
        if verdict.category == Category::Missing {
            self.explain(&verdict.path);
            match self.apart(&verdict.path) {
                Some(Apart::LeftOut) => return Ok(()),
                Some(Apart::Failed) => verdict.category = Category::Unreadable,
                None => {}
            }
        }
        self.count(&verdict, None)
    }

    /// Counts and prints a verdict.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn count(&mut self, verdict: &Verdict, label: Option<&Label>) -> anyhow::Result<()> {
        self.counts.add(verdict.category);
        Ok(self.reporter.verdict(verdict, label)?)
    }

    fn apart(&self, path: &[u8]) -> Option<Apart> {
        let below = |root: &[u8]| {
            path.strip_prefix(root).is_some_and(|rest| rest.starts_with(b"/") || root.ends_with(b"/"))
        };
        self.apart.iter().find(|(root, _)| below(root)).map(|(_, why)| *why)
    }

    /// Ends the report; says what all verdicts mean.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self) -> anyhow::Result<Exit> {
        for path in &self.vanished {
            message::about(path, "is not there, and no manifest names it");
            self.exit = self.exit.and(Exit::Failed);
        }
        let differs = Category::ALL.iter().any(|category| {
            !matches!(category, Category::Matched | Category::Unreadable) && self.counts.of(*category) > 0
        });
        let unreadable = self.counts.of(Category::Unreadable) > 0;
        let reported = self.reporter.end(&self.counts)?;
        Ok(self.exit.and(reported).and(Exit::Differs.when(differs)).and(Exit::Failed.when(unreadable)))
    }
}
