//! The table of facts, and sets of them.
//!
//! To add a fact: a variant, its row here, and its values in [`crate::ContentFacts`].

use std::fmt;

/// A fact about content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The type by content, and whether the extension of the name is that of another type.
    Type,
    /// The entropy of the bytes, and their distance from evenly spread ones.
    Entropy,
    /// The rules that match, which are found by a [`crate::ContentScanner`].
    Yara,
    /// The formats by the signatures of PRONOM.
    Puid,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactRow {
    /// The fact.
    pub fact: Fact,
    /// The name in options.
    pub name: &'static str,
    /// A description for people.
    pub about: &'static str,
    /// Whether pieces have it, too.
    pub of_pieces: bool,
    /// The option that asks for it, if its name alone is not enough.
    pub option: Option<&'static str>,
}

/// All facts.
pub static FACTS: [FactRow; 4] = [
    FactRow {
        fact: Fact::Type,
        name: "type",
        about: "the type of the content, and whether the name's extension is that of another type",
        of_pieces: false,
        option: None,
    },
    FactRow {
        fact: Fact::Entropy,
        name: "entropy",
        about: "the entropy in bits a byte, and the chi-square of evenly spread bytes",
        of_pieces: true,
        option: None,
    },
    FactRow {
        fact: Fact::Yara,
        name: "yara",
        about: "the rules of YARA that match",
        of_pieces: false,
        option: Some("--yara RULES"),
    },
    FactRow {
        fact: Fact::Puid,
        name: "puid",
        about: "the formats by the signatures of PRONOM",
        of_pieces: false,
        option: Some("--pronom FILE"),
    },
];

impl Fact {
    /// Returns the row of the table.
    pub fn row(self) -> &'static FactRow {
        match self {
            Fact::Type => &FACTS[0],
            Fact::Entropy => &FACTS[1],
            Fact::Yara => &FACTS[2],
            Fact::Puid => &FACTS[3],
        }
    }
}

/// Some of the facts, in the order of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FactSet {
    has: [bool; FACTS.len()],
}

/// A name that is no fact's, or that of a fact with an option of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFact(Box<str>, Option<&'static str>);

impl FactSet {
    /// Parses a comma-separated list of names.
    ///
    /// # Errors
    /// If a name is no fact's, or its fact has an option of its own.
    pub fn parse(list: &str) -> Result<FactSet, UnknownFact> {
        let mut set = FactSet::default();
        for name in list.split(',').map(str::trim) {
            let row = FACTS.iter().find(|row| row.name == name);
            let unknown = || UnknownFact(name.into(), row.and_then(|row| row.option));
            set.add(row.filter(|row| row.option.is_none()).ok_or_else(unknown)?.fact);
        }
        Ok(set)
    }

    /// Returns the set of one fact.
    pub fn one(fact: Fact) -> FactSet {
        let mut set = FactSet::default();
        set.add(fact);
        set
    }

    /// Returns the set of all facts.
    pub fn all() -> FactSet {
        FactSet { has: [true; FACTS.len()] }
    }

    /// Returns the facts of the set.
    pub fn iter(self) -> impl Iterator<Item = Fact> {
        FACTS.iter().zip(self.has).filter(|(_, has)| *has).map(|(row, _)| row.fact)
    }

    /// Returns whether a fact is in the set.
    pub fn has(self, fact: Fact) -> bool {
        self.iter().any(|own| own == fact)
    }

    /// Returns whether the set has no fact.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// Adds a fact.
    pub fn add(&mut self, fact: Fact) {
        for (row, has) in FACTS.iter().zip(&mut self.has) {
            *has |= row.fact == fact;
        }
    }

    /// Returns the facts of both sets.
    #[must_use]
    pub fn with(mut self, other: FactSet) -> FactSet {
        other.iter().for_each(|fact| self.add(fact));
        self
    }
}

/// The names, comma-separated.
impl fmt::Display for FactSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(|fact| fact.row().name).collect();
        f.write_str(&names.join(","))
    }
}

impl fmt::Display for UnknownFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(option) = self.1 {
            return write!(f, "the fact '{}' is asked for by {option}", self.0);
        }
        let names: Vec<&str> = FACTS.iter().filter(|row| row.option.is_none()).map(|row| row.name).collect();
        write!(f, "no fact is named '{}'; there are: {}", self.0.escape_debug(), names.join(", "))
    }
}

impl std::error::Error for UnknownFact {}
