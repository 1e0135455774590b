//! A part of a report: the account of one result.

use hashmill_report::{PageVerdict, Section, Tone};

/// Names and values.
pub type Facts = Vec<(String, String)>;

/// Facts on the case and the runs that the first page shows.
const FIRST: [&str; 13] = [
    "case",
    "examiner",
    "evidence",
    "manifest",
    "manifest's sha256",
    "signed by",
    "signatures",
    "looked up in",
    "looked at",
    "started",
    "ended",
    "host",
    "program",
];

/// Returns those of the facts that the first page shows.
pub fn first(facts: &[(String, String)]) -> Facts {
    facts.iter().filter(|(name, _)| FIRST.contains(&name.as_str())).cloned().collect()
}

/// Returns those of these facts that have a value.
pub fn known<'a>(facts: impl IntoIterator<Item = (&'a str, Option<String>)>) -> Facts {
    let known = facts.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?)));
    known.filter(|(_, value)| !value.is_empty()).collect()
}

/// A part of a report: the account of one result.
pub struct ReportedResult {
    /// The kind of result, in a word.
    pub kind: &'static str,
    /// The name of the subject, as it is shown.
    pub title: String,
    /// The verdict in a sentence.
    pub verdict: PageVerdict,
    /// The case data and circumstances of the run, which the first page of a report shows.
    pub about: Facts,
    /// The full account.
    pub sections: Vec<Section>,
    /// Parts of the file that were not understood.
    pub malformed: u64,
}

impl ReportedResult {
    /// Returns the part for a file that could not be used.
    pub fn unusable(title: String, reason: &str) -> ReportedResult {
        let verdict = PageVerdict::new(Tone::Bad, format!("This file could not be used: {reason}."));
        let (about, sections) = (Facts::new(), Vec::new());
        ReportedResult { kind: "not usable", title, verdict, about, sections, malformed: 0 }
    }
}
