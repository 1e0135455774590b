//! The data of a page, without any HTML.

use super::table::Table;
use super::tone::Tone;
use crate::Chart;

/// One HTML file that needs nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Its heading, and the name of its tab.
    pub title: String,
    /// A line below the heading; may be empty.
    pub subtitle: String,
    /// The answer that a reader came for, if there is one.
    pub verdict: Option<Verdict>,
    /// Names and values below the verdict, which hold for the whole page.
    pub about: Vec<(String, String)>,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The chapters behind them, in order. The page begins with a list of their verdicts and links to them.
    pub chapters: Vec<Chapter>,
    /// The last line, such as what made the page; may be empty.
    pub footer: String,
}

/// An answer in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is a good one.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

/// A part of a page with a verdict of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// The kind of thing that it is about, in a word or two; may be empty.
    pub kind: String,
    /// The heading.
    pub title: String,
    /// The answer.
    pub verdict: Verdict,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A heading and its content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Its content.
    pub parts: Vec<Part>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A paragraph.
    Text(String),
    /// A paragraph that must not be missed.
    Warning(String),
    /// An answer in a sentence.
    Verdict(Verdict),
    /// Smaller heading within the section.
    Heading(String),
    /// Large numbers side by side.
    Figures(Vec<Figure>),
    /// Names and values, line by line.
    Facts(Vec<(String, String)>),
    /// A table as it is, for up to some hundred rows.
    Table(Table),
    /// A table that is sorted and filtered in the browser, for up to a million rows.
    Records(Table),
    /// A picture, light or dark as the reader has it.
    Chart(Chart),
}

/// A large number with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The name of the number.
    pub label: String,
    /// The number as it is shown.
    pub value: String,
    /// Its meaning.
    pub tone: Tone,
}

impl Page {
    /// A page without content.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }
}

impl Verdict {
    /// An answer of this tone.
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

impl Section {
    /// A section without parts.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), parts: Vec::new() }
    }

    /// The same with one more part.
    #[must_use]
    pub fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

impl Figure {
    /// A number that is neither good nor bad.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into(), tone: Tone::Plain }
    }

    /// The same with a meaning.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}
