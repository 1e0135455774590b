//! The data of a page, independent of HTML.

use super::table::{Cell, Table};
use super::tone::Tone;
use crate::Chart;

/// A self-contained HTML file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The heading, and the title of the tab.
    pub title: String,
    /// The main result, if there is one.
    pub verdict: Option<PageVerdict>,
    /// Names and values below the verdict, valid for the whole page.
    pub about: Vec<(String, String)>,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The chapters after them, in order. The page begins with a list of their verdicts and links to them.
    pub chapters: Vec<Chapter>,
    /// The last line, such as the program that made the page; may be empty.
    pub footer: String,
}

/// A result in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageVerdict {
    /// The meaning of the result.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

/// A part of a page with a verdict of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// The kind of its subject, in a word or two; may be empty.
    pub kind: String,
    /// The heading.
    pub title: String,
    /// The result.
    pub verdict: PageVerdict,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// A heading and its content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Its content.
    pub parts: Vec<SectionPart>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum SectionPart {
    /// A paragraph.
    Text(String),
    /// A paragraph that is highlighted as a warning.
    Warning(String),
    /// Large numbers side by side.
    Figures(Vec<Figure>),
    /// Names and values, line by line.
    Facts(Vec<(String, String)>),
    /// A static table, for up to a few hundred rows.
    Table(Table),
    /// A table that can be sorted and filtered in the browser, for up to a million rows.
    Records(Table),
    /// A picture in the reader's theme, light or dark.
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
    /// Creates a page without content.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }
}

impl PageVerdict {
    /// Creates a result.
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { tone, text: text.into() }
    }
}

impl Section {
    /// Creates a section without parts.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), parts: Vec::new() }
    }

    /// Adds a part.
    #[must_use]
    pub fn with(mut self, part: SectionPart) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds warnings.
    #[must_use]
    pub fn warning(self, warnings: impl IntoIterator<Item = String>) -> Self {
        warnings.into_iter().map(SectionPart::Warning).fold(self, Section::with)
    }
}

impl Figure {
    /// Creates a number with a neutral meaning.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into(), tone: Tone::Plain }
    }

    /// Creates a count, which has a meaning only if it isn't zero.
    pub fn count(label: impl Into<String>, count: u64, tone: Tone) -> Self {
        let tone = if count > 0 { tone } else { Tone::Plain };
        Self { label: label.into(), value: Cell::from(count).to_string(), tone }
    }

    /// Sets the meaning.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}
