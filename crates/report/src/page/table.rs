//! Tables: columns with display styles, and cells.

use super::tone::Tone;
use crate::chart::grouped as digits;
use std::fmt;

/// A table: each row has a cell for each column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The caption; may be empty.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
    /// The part of it that must be visible, if it is a table of records.
    pub extent: Extent,
}

/// The part of a table of records that is visible at first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// All rows on a screen, the first rows on paper.
    #[default]
    First,
    /// All rows, also on paper, because each one matters.
    Every,
    /// Only the number of rows; the table is folded.
    Folded,
}

/// A column's title and display style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The title, with the unit.
    pub title: String,
    /// The display style of its cells.
    pub show: Show,
}

/// The display style of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Show {
    /// Words.
    Words,
    /// Fixed-width text: paths, digests and the like.
    Code,
    /// Numbers, aligned to the right.
    Number,
    /// One of a few words, each with a meaning; others are plain.
    State(Vec<(String, Tone)>),
    /// Times in RFC 3339 on one line, to the second, except in the details of a row.
    Time,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Empty,
    /// Words.
    Text(String),
    /// A number, and the number of decimals to show.
    Number(f64, usize),
}

/// A table of rows of one type, to which columns are added one by one, each with what it shows of a row.
#[derive(Debug, Clone)]
pub struct TableOf<R> {
    rows: Vec<R>,
    table: Table,
}

impl<R: Copy> TableOf<R> {
    /// Adds a column, with a cell for each row.
    #[must_use]
    pub fn column<C: Into<Cell>>(self, column: Column, cell: impl Fn(R) -> C) -> Self {
        let cells = self.cells(cell);
        self.with(column, cells)
    }

    /// Adds a column like [`TableOf::column`], unless it is empty in all rows.
    #[must_use]
    pub fn optional<C: Into<Cell>>(self, column: Column, cell: impl Fn(R) -> C) -> Self {
        let cells = self.cells(cell);
        if cells.iter().all(Cell::is_empty) { self } else { self.with(column, cells) }
    }

    /// Returns the table, with this caption.
    pub fn captioned(self, caption: impl Into<String>) -> Table {
        Table { caption: caption.into(), ..self.table }
    }

    fn cells<C: Into<Cell>>(&self, cell: impl Fn(R) -> C) -> Vec<Cell> {
        self.rows.iter().map(|row| cell(*row).into()).collect()
    }

    fn with(mut self, column: Column, cells: Vec<Cell>) -> Self {
        self.table.columns.push(column);
        self.table.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
        self
    }
}

impl Table {
    /// Begins a table of these rows, without columns.
    pub fn of<R>(rows: impl IntoIterator<Item = R>) -> TableOf<R> {
        let rows: Vec<R> = rows.into_iter().collect();
        TableOf { table: Table { rows: vec![Vec::new(); rows.len()], ..Table::default() }, rows }
    }

    /// Creates a table without rows.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            caption: caption.into(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            extent: Extent::First,
        }
    }

    /// Sets the extent.
    #[must_use]
    pub fn extent(mut self, extent: Extent) -> Self {
        self.extent = extent;
        self
    }

    /// Returns whether rows may be shown as entries below one another if there is no room for columns, which requires a
    /// state in each row for orientation.
    pub(super) fn stacks(&self) -> bool {
        self.columns.iter().any(|column| matches!(column.show, Show::State(_)))
    }

    /// Adds a row, with a cell for each column.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = row.into_iter().collect();
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each column of '{}'", self.caption);
        self.rows.push(row);
    }

    /// Adds a row with text in its first cell only, such as the number of omitted rows.
    pub fn push_remark(&mut self, text: impl Into<String>) {
        let rest = self.columns.iter().skip(1).map(|_| Cell::Empty);
        self.rows.push([Cell::Text(text.into())].into_iter().chain(rest).collect());
    }
}

impl Column {
    /// Creates a column of words.
    pub fn words(title: impl Into<String>) -> Self {
        Self { title: title.into(), show: Show::Words }
    }

    /// Creates a column of paths, digests and the like.
    pub fn code(title: impl Into<String>) -> Self {
        Self { title: title.into(), show: Show::Code }
    }

    /// Creates a column of numbers.
    pub fn number(title: impl Into<String>) -> Self {
        Self { title: title.into(), show: Show::Number }
    }

    /// Creates a column of numbers in a unit, which may be empty.
    pub fn measured(name: &str, unit: &str) -> Self {
        Self::number(if unit.is_empty() { name.to_string() } else { format!("{name} ({unit})") })
    }

    /// Creates a column of times in RFC 3339.
    pub fn time(title: impl Into<String>) -> Self {
        Self { title: title.into(), show: Show::Time }
    }

    /// Creates a column with one of a few words per cell.
    pub fn state<W: Into<String>>(
        title: impl Into<String>,
        tones: impl IntoIterator<Item = (W, Tone)>,
    ) -> Self {
        let tones = tones.into_iter().map(|(word, tone)| (word.into(), tone)).collect();
        Self { title: title.into(), show: Show::State(tones) }
    }
}

impl Cell {
    fn is_empty(&self) -> bool {
        match self {
            Cell::Empty => true,
            Cell::Text(text) => text.is_empty(),
            Cell::Number(..) => false,
        }
    }

    /// Returns its text without thousands separators, for programs and fixed-width columns.
    pub fn plain(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Number(value, decimals) => format!("{value:.decimals$}"),
        }
    }
}

impl Extent {
    /// Returns the number of rows that the page also contains as HTML, for browsers without scripts.
    pub(super) fn plain_rows(self) -> usize {
        match self {
            Extent::Every => 2000,
            Extent::First | Extent::Folded => 100,
        }
    }

    /// Returns the word in the page's data.
    pub(super) fn word(self) -> &'static str {
        match self {
            Extent::First => "first",
            Extent::Every => "every",
            Extent::Folded => "folded",
        }
    }
}

impl Show {
    /// Returns the word in the page's style and script.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Show::Words => "words",
            Show::Code => "code",
            Show::Number => "number",
            Show::State(_) => "state",
            Show::Time => "time",
        }
    }

    /// Returns the meaning of a text in a column of this style.
    pub(super) fn tone(&self, text: &str) -> Tone {
        match self {
            Show::State(tones) => {
                tones.iter().find(|(word, _)| word == text).map_or(Tone::Plain, |(_, tone)| *tone)
            }
            _ => Tone::Plain,
        }
    }
}

/// Formats its text with thousands separators.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Number(..) => f.write_str(&grouped(&self.plain())),
            Cell::Empty | Cell::Text(_) => f.write_str(&self.plain()),
        }
    }
}

/// Separates thousands of a number that may have decimals.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    format!("{}{rest}", digits(whole))
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_string())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Cell::Number(count as f64, 0)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Cell::Number(count as f64, 0)
    }
}

impl Cell {
    /// Creates a number with this many decimals, or an empty cell.
    pub fn number(value: Option<f64>, decimals: usize) -> Self {
        value.map_or(Cell::Empty, |value| Cell::Number(value, decimals))
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Empty, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_their_thousands_apart() {
        for (value, decimals, text) in [
            (0.0, 0, "0"),
            (1234.0, 0, "1234"),
            (12345.678, 1, "12\u{2009}345.7"),
            (-1_234_567.0, 0, "-1\u{2009}234\u{2009}567"),
            (f64::NAN, 0, "NaN"),
            (f64::INFINITY, 2, "inf"),
        ] {
            assert_eq!(Cell::Number(value, decimals).to_string(), text);
        }
    }

    #[test]
    fn plain_numbers_have_their_decimals_and_titles_their_units() {
        assert_eq!(Cell::Number(1234.5678, 2).plain(), "1234.57");
        assert_eq!(Cell::number(None, 2).plain(), "");
        assert_eq!(Cell::from(7_usize).plain(), "7");
        assert_eq!(Column::measured("time", "ns").title, "time (ns)");
        assert_eq!(Column::measured("name", ""), Column::number("name"));
    }

    #[test]
    fn columns_without_anything_in_them_go() {
        let of = |rows: &'static [(&'static str, &'static str, Option<u64>)]| {
            let [path, known, size, status] = ["path", "known path", "size", "status"].map(Column::words);
            Table::of(rows)
                .column(path, |row| row.0)
                .optional(known, |row| row.1)
                .optional(size, |row| row.2)
                .optional(status, |_| Cell::Empty)
                .captioned("files")
        };
        let table = of(&[("a", "", None), ("b", "", Some(1))]);
        assert_eq!(table.columns, ["path", "size"].map(Column::words));
        assert_eq!(table.rows, [["a".into(), Cell::Empty], ["b".into(), 1_u64.into()]]);
        assert_eq!((table.caption.as_str(), of(&[]).columns), ("files", ["path"].map(Column::words).into()));
    }

    #[test]
    #[should_panic(expected = "a cell for each column of 'figures'")]
    fn a_row_has_a_cell_for_each_column() {
        Table::new("figures", [Column::words("a"), Column::words("b")]).push([Cell::Empty]);
    }
}
