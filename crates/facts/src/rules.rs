//! Rules that match content, and the interface of what looks for them.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

/// Looks for rules in content. It is shared by all threads of a run.
pub trait ContentScanner: Debug + Send + Sync {
    /// Finds the rules that match content, which is complete.
    fn scan(&self, content: Cow<'_, [u8]>) -> RuleFacts;

    /// Returns a text that differs for other rules, and for the same rules with other settings.
    fn fingerprint(&self) -> &str;
}

/// The rules that match content, and whether all of it was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFacts {
    /// Whether the rules were judged on all of the content.
    pub status: ScanStatus,
    /// The rules that match, in their order.
    pub matches: Box<[RuleMatch]>,
}

/// The outcome of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanStatus {
    /// All rules were judged on all of the content.
    Scanned,
    /// The content is longer than what may be scanned. No rule was judged.
    TooLong,
    /// The time for one file was over. Rules that match may be missing.
    TimedOut,
    /// A string occurs more often than is counted. Rules that count it may have been judged wrongly.
    TooManyMatches,
    /// The scan broke off because of an error of its own. No rule was judged.
    Broken,
}

/// A rule that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    /// The rule. Records share it.
    pub rule: Arc<Rule>,
    /// The places of its strings, if they were asked for.
    pub strings: Box<[StringMatches]>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name.
    pub name: Box<str>,
    /// The file that has it.
    pub namespace: Box<str>,
    /// The tags, in their order.
    pub tags: Box<[Box<str>]>,
    /// The metadata, sorted by name. A name may come more than once.
    pub meta: Box<[Meta]>,
}

/// One item of a rule's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The name.
    pub name: Box<str>,
    /// The value.
    pub value: MetaValue,
}

/// A value of a rule's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetaValue {
    /// Text. Bytes that are no text are replaced.
    Text(Box<str>),
    /// A number.
    Integer(i64),
    /// True or false.
    Truth(bool),
}

/// The places of one string of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringMatches {
    /// The name of the string, with its `$`.
    pub name: Box<str>,
    /// The first places, as offset and length in bytes.
    pub places: Box<[(u64, u64)]>,
    /// The number of all places.
    pub count: u64,
}

impl ScanStatus {
    const ALL: [ScanStatus; 5] = [
        ScanStatus::Scanned,
        ScanStatus::TooLong,
        ScanStatus::TimedOut,
        ScanStatus::TooManyMatches,
        ScanStatus::Broken,
    ];

    /// Returns the word used in manifests.
    pub fn word(self) -> &'static str {
        match self {
            ScanStatus::Scanned => "scanned",
            ScanStatus::TooLong => "too-long",
            ScanStatus::TimedOut => "timed-out",
            ScanStatus::TooManyMatches => "too-many-matches",
            ScanStatus::Broken => "broken",
        }
    }

    /// Parses the word used in manifests.
    pub fn from_word(word: &[u8]) -> Option<ScanStatus> {
        ScanStatus::ALL.into_iter().find(|status| status.word().as_bytes() == word)
    }
}

impl RuleFacts {
    /// Returns facts of content of which no rule was judged.
    pub fn unscanned(status: ScanStatus) -> RuleFacts {
        RuleFacts { status, matches: Box::default() }
    }

    /// Returns the names of the rules that match, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::with_capacity(self.matches.len());
        for found in &self.matches {
            if !names.contains(&&*found.rule.name) {
                names.push(&found.rule.name);
            }
        }
        names
    }

    /// Returns the bytes that the places of strings take in memory; rules are shared.
    pub fn memory(&self) -> usize {
        let of_strings = |found: &RuleMatch| -> usize {
            found.strings.iter().map(|of| size_of_val(of) + of.name.len() + size_of_val(&*of.places)).sum()
        };
        size_of_val(self)
            + self.matches.iter().map(|found| size_of_val(found) + of_strings(found)).sum::<usize>()
    }
}
