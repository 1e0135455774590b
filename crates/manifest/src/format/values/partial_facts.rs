//! Facts about content of a record that is being read: its fields come one by one.
//!
//! Lists of other programs use the same names for other things, so values that can't be ours are ignored.

use super::draft::Key;
use super::{pronom, rule_matches};
use crate::format::Why;
use crate::format::malformed::Bad;
use hashmill_facts::{
    Bits, ChiSquare, Class, ContentFacts, ContentType, Entropy, Pronom, PronomFormat, RuleFacts, RuleMatch,
    ScanStatus,
};
use std::sync::Arc;

/// The separator of extensions in a text.
pub(in crate::format) const EXTENSIONS: char = ',';

/// The longest MIME type, name and extension that are read, in bytes.
const LONGEST: usize = 255;

/// The most extensions of a type that are read.
const MAX_EXTENSIONS: usize = 255;

/// Facts that are being parsed.
#[derive(Default)]
pub(in crate::format) struct PartialFacts {
    mime: Option<Box<str>>,
    name: Option<Box<str>>,
    extensions: Option<Box<[Box<str>]>>,
    mismatch: Option<bool>,
    bits: Option<Bits>,
    chi_square: Option<ChiSquare>,
    class: Option<Class>,
    scan: Option<ScanStatus>,
    matches: Option<Box<[RuleMatch]>>,
    formats: Option<Box<[PronomFormat]>>,
    signatures: Option<Arc<str>>,
}

impl PartialFacts {
    /// Adds a field as text.
    pub(in crate::format) fn text(&mut self, key: Key, text: &[u8]) -> Result<(), Bad> {
        let word = || str::from_utf8(text).ok().filter(|text| (1..=LONGEST).contains(&text.len()));
        let number = || str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
        match key {
            Key::Type => once(&mut self.mime, word().filter(|word| is_mime(word)).map(Into::into), key),
            Key::TypeName => once(&mut self.name, word().map(Into::into), key),
            Key::TypeExtensions => {
                let all = str::from_utf8(text).ok().filter(|all| !all.is_empty());
                self.extensions(all.into_iter().flat_map(|all| all.split(EXTENSIONS)))
            }
            Key::Mismatch => self.truth(key, text == b"true", text == b"true" || text == b"false"),
            Key::Class => once(&mut self.class, Class::from_word(text), key),
            Key::PuidFormats => once(&mut self.formats, pronom::from_json(text), key),
            Key::PuidSignatures => once(&mut self.signatures, word().map(Into::into), key),
            Key::Entropy | Key::ChiSquare => number().map_or(Ok(()), |number| self.real(key, number)),
            Key::YaraStatus => once(&mut self.scan, ScanStatus::from_word(text), key),
            Key::YaraMatches => {
                serde_json::from_slice(text).map_or(Ok(()), |array| self.rule_matches(&array))
            }
            _ => Ok(()),
        }
    }

    /// Adds the rules that match.
    pub(in crate::format) fn rule_matches(&mut self, array: &serde_json::Value) -> Result<(), Bad> {
        once(&mut self.matches, rule_matches::from_json(array), Key::YaraMatches)
    }

    /// Adds extensions.
    pub(in crate::format) fn extensions<'a>(
        &mut self,
        all: impl Iterator<Item = &'a str>,
    ) -> Result<(), Bad> {
        let is_extension = |one: &&str| {
            (1..=LONGEST).contains(&one.len())
                && one.bytes().all(|byte| byte.is_ascii_graphic())
                && !one.contains(EXTENSIONS)
        };
        let all: Box<[Box<str>]> = all.filter(is_extension).take(MAX_EXTENSIONS).map(Into::into).collect();
        once(&mut self.extensions, (!all.is_empty()).then_some(all), Key::TypeExtensions)
    }

    /// Adds whether something is so, if that is known.
    fn truth(&mut self, key: Key, is_so: bool, is_known: bool) -> Result<(), Bad> {
        once(&mut self.mismatch, is_known.then_some(is_so), key)
    }

    /// Adds a number.
    pub(in crate::format) fn real(&mut self, key: Key, number: f64) -> Result<(), Bad> {
        match key {
            Key::Entropy => once(&mut self.bits, Bits::new(number), key),
            Key::ChiSquare => once(&mut self.chi_square, ChiSquare::new(number), key),
            _ => Ok(()),
        }
    }

    /// Returns the facts; `None` if there is none.
    pub(in crate::format) fn finish(self) -> Option<Box<ContentFacts>> {
        let PartialFacts {
            mime,
            name,
            extensions,
            mismatch,
            bits,
            chi_square,
            class,
            scan,
            matches,
            formats,
            signatures,
        } = self;
        let content_type = mime.map(|mime| {
            let (name, extensions) = (name.unwrap_or_default(), extensions.unwrap_or_default());
            Arc::new(ContentType { mime, name, extensions })
        });
        let facts = ContentFacts {
            // Both say something about types only beside one.
            mismatch: mismatch.filter(|_| content_type.is_some()),
            class: class.filter(|_| bits.is_some()),
            content_type,
            pronom: signatures.map(|signatures| {
                let formats = formats.unwrap_or_default();
                Arc::new(Pronom { signatures, formats })
            }),
            entropy: bits.map(|bits| Entropy { bits, chi_square }),
            rules: scan.map(|status| Arc::new(RuleFacts { status, matches: matches.unwrap_or_default() })),
        };
        (!facts.is_empty()).then(|| Box::new(facts))
    }
}

/// Returns whether a word may be a MIME type.
fn is_mime(word: &str) -> bool {
    let parts = word.split_once('/');
    parts.is_some_and(|(kind, rest)| !kind.is_empty() && !rest.is_empty())
        && word.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Sets a value that may be given once.
fn once<T>(place: &mut Option<T>, value: Option<T>, key: Key) -> Result<(), Bad> {
    match value.and_then(|value| place.replace(value)) {
        None => Ok(()),
        Some(_) => Err(Bad::new(key.name(), Why::Twice)),
    }
}
