//! The facts about the content of a file or piece.

use crate::{ContentType, Entropy, Fact, FactSet, Pronom, RuleFacts, is_mismatch};
use std::sync::Arc;

/// The facts about the content of a file or piece, beside its digests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentFacts {
    /// The type of the content; `None` if it was not asked for, or is not known. Records share it.
    pub content_type: Option<Arc<ContentType>>,
    /// Whether the extension of the name is that of another type; `None` if nothing can be said.
    pub mismatch: Option<bool>,
    /// How evenly the bytes are spread.
    pub entropy: Option<Entropy>,
    /// The formats by PRONOM, if they were asked for.
    pub pronom: Option<Arc<Pronom>>,
    /// The class on which type and entropy agree, if both were asked for and do.
    pub class: Option<Class>,
    /// The rules that match; `None` if none were looked for.
    pub rules: Option<Arc<RuleFacts>>,
}

/// The class of content on which type and entropy agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Text that is no more varied than text is.
    Text,
    /// A compressed format, whose bytes are as varied as compressed ones are.
    Compressed,
    /// No known type, and bytes that are spread as random ones are: encrypted, or random.
    Random,
}

/// The entropy of text, at most, in millionths of a bit.
const TEXT: u32 = 6_500_000;
/// The entropy of compressed content, at least.
const COMPRESSED: u32 = 7_500_000;
/// The chi-square of random bytes in all but one case of a thousand, in hundredths (255 degrees of freedom).
const RANDOM: std::ops::RangeInclusive<u64> = 18_932..=33_052;
/// The bytes that such a judgement needs, at least: some ten of each value.
const ENOUGH: u64 = 4096;

impl Class {
    const ALL: [Class; 3] = [Class::Text, Class::Compressed, Class::Random];

    /// Returns the word used in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Class::Text => "text",
            Class::Compressed => "compressed",
            Class::Random => "random",
        }
    }

    /// Parses the word used in manifests.
    pub fn from_word(word: &[u8]) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.word().as_bytes() == word)
    }
}

impl ContentFacts {
    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == ContentFacts::default()
    }

    /// Adds what follows from all facts that were asked for: of a file of this size and name, which may be a path.
    pub fn judge(&mut self, asked: FactSet, name: &[u8], size: u64) {
        self.mismatch = self.content_type.as_deref().and_then(|kind| is_mismatch(kind, name));
        let has_both = asked.has(Fact::Type) && asked.has(Fact::Entropy);
        self.class = if has_both { self.find_class(size) } else { None };
    }

    /// Returns the facts that are known.
    pub fn known(&self) -> FactSet {
        let mut set = FactSet::default();
        if self.content_type.is_some() {
            set.add(Fact::Type);
        }
        if self.entropy.is_some() {
            set.add(Fact::Entropy);
        }
        if self.rules.is_some() {
            set.add(Fact::Yara);
        }
        if self.pronom.is_some() {
            set.add(Fact::Puid);
        }
        set
    }

    /// Returns the bytes that they take in memory, beside what records share.
    pub fn memory(&self) -> usize {
        size_of_val(self)
            + self.rules.as_ref().map_or(0, |rules| rules.memory())
            + self.pronom.as_ref().map_or(0, |pronom| pronom.memory())
    }

    /// Returns the class of content of this size, if type and entropy agree on one.
    fn find_class(&self, size: u64) -> Option<Class> {
        let entropy = self.entropy.as_ref()?;
        let Some(kind) = &self.content_type else {
            let is_random = size >= ENOUGH && RANDOM.contains(&entropy.chi_square?.hundredths());
            return is_random.then_some(Class::Random);
        };
        if kind.is_text() {
            return (entropy.bits.millionths() <= TEXT).then_some(Class::Text);
        }
        let is_compressed = kind.is_compressed() && entropy.bits.millionths() >= COMPRESSED;
        is_compressed.then_some(Class::Compressed)
    }
}
