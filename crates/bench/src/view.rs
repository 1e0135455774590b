//! What people are shown of a result: notes, tables and charts, the same on a terminal, in Markdown and on a
//! page.

use hashloom_report::Chart;

/// All that is shown of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// What was compared, in a few words.
    pub title: String,
    /// What a reader must know: how it was measured, with what settings, what is doubtful.
    pub notes: Vec<String>,
    /// The figures.
    pub tables: Vec<Table>,
    /// Pictures of them.
    pub charts: Vec<Chart>,
}

/// A table: each row has a cell for each column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What it shows; may be empty where there is one table.
    pub caption: String,
    /// What stands above the cells.
    pub columns: Vec<Column>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

/// What the cells below it mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What is named, counted or measured.
    pub name: String,
    /// In what unit; empty where there is none.
    pub unit: String,
    /// Where cells stand.
    pub align: Align,
}

/// Where a cell stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number, shown with so many decimals.
    Number(f64, usize),
    /// Nothing is known.
    Empty,
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Table {
        Table { caption: caption.into(), columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not a cell for each column.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = row.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "a cell for each column of '{}'", self.caption);
        self.rows.push(row);
    }
}

impl Column {
    /// A column of words.
    pub fn text(name: impl Into<String>) -> Column {
        Column { name: name.into(), unit: String::new(), align: Align::Left }
    }

    /// A column of numbers.
    pub fn number(name: impl Into<String>, unit: impl Into<String>) -> Column {
        Column { name: name.into(), unit: unit.into(), align: Align::Right }
    }

    /// What stands above it: name and unit.
    pub fn title(&self) -> String {
        match self.unit.as_str() {
            "" => self.name.clone(),
            unit => format!("{} ({unit})", self.name),
        }
    }
}

impl Cell {
    /// The cell's words.
    pub fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(value, decimals) => format!("{value:.decimals$}"),
            Cell::Empty => String::new(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_string())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Cell {
        Cell::Number(count as f64, 0)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Number(count as f64, 0)
    }
}

/// A number if there is one, with so many decimals.
impl From<(Option<f64>, usize)> for Cell {
    fn from((value, decimals): (Option<f64>, usize)) -> Cell {
        value.map_or(Cell::Empty, |value| Cell::Number(value, decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_their_decimals_and_units_with_their_names() {
        assert_eq!(Cell::Number(1234.5678, 2).shown(), "1234.57");
        assert_eq!(Cell::from((None, 2)).shown(), "");
        assert_eq!(Cell::from(7_usize).shown(), "7");
        assert_eq!(Column::number("time", "ns").title(), "time (ns)");
        assert_eq!(Column::text("name").title(), "name");
    }

    #[test]
    #[should_panic(expected = "a cell for each column of 'figures'")]
    fn a_row_has_a_cell_for_each_column() {
        Table::new("figures", [Column::text("a"), Column::text("b")]).push([Cell::Empty]);
    }
}
