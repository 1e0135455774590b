//! Facts about content as cells.

use crate::words::message::Shown;
use hashmill_facts::{Class, ContentFacts, RuleFacts};
use hashmill_manifest::Record;
use hashmill_report::Cell;

/// The word for a name whose extension is that of another type.
pub const MISMATCH: &str = "mismatch";
/// The word for content that looks random.
pub const RANDOM: &str = "encrypted or random";

fn facts(record: &Record) -> Option<&ContentFacts> {
    record.facts.as_deref()
}

fn shown(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}

/// Returns the MIME type.
pub fn mime(record: &Record) -> Option<String> {
    Some(shown(&facts(record)?.content_type.as_ref()?.mime))
}

/// Returns whether the name is that of another type.
pub fn is_mismatch(record: &Record) -> bool {
    facts(record).is_some_and(|facts| facts.mismatch == Some(true))
}

/// Returns the word for a name that is that of another type.
pub fn mismatch(record: &Record) -> Option<&'static str> {
    is_mismatch(record).then_some(MISMATCH)
}

/// Returns whether the content looks encrypted or random.
pub fn is_random(record: &Record) -> bool {
    facts(record).is_some_and(|facts| facts.class == Some(Class::Random))
}

/// Returns the class of the content in words.
pub fn class(record: &Record) -> Option<&'static str> {
    match facts(record)?.class? {
        Class::Random => Some(RANDOM),
        class => Some(class.word()),
    }
}

/// Returns the entropy in bits a byte.
pub fn entropy(record: &Record) -> Cell {
    let bits = facts(record).and_then(|facts| facts.entropy).map(|entropy| entropy.bits.to_f64());
    Cell::number(bits, 3)
}

/// Returns the identifiers of the formats by PRONOM.
pub fn puids(record: &Record) -> Option<String> {
    Some(shown(&facts(record)?.pronom.as_ref()?.puids().join(", ")))
}

/// Returns the names and versions of the formats by PRONOM.
pub fn formats(record: &Record) -> Option<String> {
    let formats = facts(record)?.pronom.as_ref()?.formats.iter();
    let names = formats.map(|format| format!("{} {}", format.name, format.version).trim().to_string());
    Some(shown(&names.collect::<Vec<_>>().join(", ")))
}

fn matches(record: &Record) -> Option<&RuleFacts> {
    facts(record)?.rules.as_deref().filter(|rules| !rules.matches.is_empty())
}

/// Returns whether a rule matches.
pub fn has_matches(record: &Record) -> bool {
    matches(record).is_some()
}

/// Returns the names of the rules that match.
pub fn each_rule(record: &Record) -> impl Iterator<Item = &str> {
    matches(record).into_iter().flat_map(|rules| &rules.matches).map(|matching| &*matching.rule.name)
}

/// Returns them as a list.
pub fn rules(record: &Record) -> Option<String> {
    matches(record)?;
    Some(shown(&each_rule(record).collect::<Vec<_>>().join(", ")))
}
