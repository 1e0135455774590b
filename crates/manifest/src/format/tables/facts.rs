//! The facts about content as columns of a table.

use crate::Record;
use crate::format::values::draft::Key;
use crate::format::values::partial_facts::EXTENSIONS;
use crate::format::values::{pronom, rule_matches};
use hashmill_facts::{Fact, FactSet};

/// Returns the columns of a table.
pub(in crate::format) fn keys(facts: FactSet) -> impl Iterator<Item = Key> {
    let of_type: &[Key] = match facts.has(Fact::Type) {
        true => &[Key::Type, Key::TypeName, Key::TypeExtensions, Key::Mismatch],
        false => &[],
    };
    let of_entropy: &[Key] = if facts.has(Fact::Entropy) { &[Key::Entropy, Key::ChiSquare] } else { &[] };
    let has_both = facts.has(Fact::Type) && facts.has(Fact::Entropy);
    let of_both: &[Key] = if has_both { &[Key::Class] } else { &[] };
    let of_rules: &[Key] = match facts.has(Fact::Yara) {
        true => &[Key::Yara, Key::YaraStatus, Key::YaraMatches],
        false => &[],
    };
    let of_pronom: &[Key] = match facts.has(Fact::Puid) {
        true => &[Key::Puid, Key::PuidFormats, Key::PuidSignatures],
        false => &[],
    };
    of_type.iter().chain(of_entropy).chain(of_both).chain(of_rules).chain(of_pronom).copied()
}

/// A column of facts, for other tables than those of this crate.
#[derive(Debug, Clone, Copy)]
pub struct FactColumn(Key);

impl FactColumn {
    /// Returns the columns of these facts, in the order of all tables.
    pub fn all_of(facts: FactSet) -> impl Iterator<Item = FactColumn> {
        keys(facts).map(FactColumn)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns whether the values are fractions.
    pub fn is_real(self) -> bool {
        self.0.is_real()
    }

    /// Returns a record's value as text; `true` and `false` are the texts of a truth value.
    pub fn text(self, record: &Record) -> Option<String> {
        text(self.0, record)
    }

    /// Returns a record's value, if it is a fraction.
    pub fn real(self, record: &Record) -> Option<f64> {
        real(self.0, record)
    }
}

/// Returns a record's value in one of the columns, as text.
pub(in crate::format) fn text(key: Key, record: &Record) -> Option<String> {
    let facts = record.facts.as_deref()?;
    let content = facts.content_type.as_deref();
    let some = |text: &str| (!text.is_empty()).then(|| text.to_string());
    let rules = facts.rules.as_deref();
    match key {
        Key::Type => content.map(|content| content.mime.to_string()),
        Key::TypeName => some(&content?.name),
        Key::TypeExtensions => some(&content?.extensions.join(&EXTENSIONS.to_string())),
        Key::Mismatch => facts.mismatch.map(|is_so| is_so.to_string()),
        Key::Entropy => facts.entropy.map(|entropy| entropy.bits.to_string()),
        Key::ChiSquare => facts.entropy?.chi_square.map(|chi_square| chi_square.to_string()),
        Key::Class => facts.class.map(|class| class.word().to_string()),
        Key::Yara => some(&rules?.names().join(",")),
        Key::YaraStatus => rules.map(|rules| rules.status.word().to_string()),
        // XML can't carry two characters that JSON does not escape.
        Key::YaraMatches => rules.filter(|rules| !rules.matches.is_empty()).map(|rules| {
            let json = rule_matches::to_json(&rules.matches).to_string();
            json.replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff")
        }),
        Key::Puid => some(&facts.pronom.as_ref()?.puids().join(",")),
        Key::PuidFormats => {
            let formats = &facts.pronom.as_ref()?.formats;
            (!formats.is_empty()).then(|| pronom::to_json(formats))
        }
        Key::PuidSignatures => some(&facts.pronom.as_ref()?.signatures),
        _ => None,
    }
}

/// Returns a record's value in a column of fractions.
pub(in crate::format) fn real(key: Key, record: &Record) -> Option<f64> {
    let entropy = record.facts.as_ref()?.entropy?;
    match key {
        Key::Entropy => Some(entropy.bits.to_f64()),
        Key::ChiSquare => entropy.chi_square.map(|chi_square| chi_square.to_f64()),
        _ => None,
    }
}

/// Returns whether the columns hold all facts of a record.
pub(in crate::format) fn are_held(record: &Record, columns: FactSet) -> bool {
    let known = record.facts.as_ref().map(|facts| facts.known()).unwrap_or_default();
    known.iter().all(|fact| columns.has(fact))
}
