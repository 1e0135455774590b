//! Tables for a terminal, with aligned columns.

use crate::view::View;
use hashmill_report::{Cell, Show, Table};

/// Returns the notes, and each table below its caption.
pub fn terminal(view: &View) -> String {
    let mut text: String = view.notes.iter().map(|note| format!("{note}\n")).collect();
    for table in &view.tables {
        if !text.is_empty() {
            text.push('\n');
        }
        if !table.caption.is_empty() {
            text += &format!("{}\n", table.caption);
        }
        text += &lines(table);
    }
    text
}

fn lines(table: &Table) -> String {
    let head: Vec<String> = table.columns.iter().map(|column| column.title.clone()).collect();
    let body = table.rows.iter().map(|row| row.iter().map(Cell::plain).collect());
    let rows: Vec<Vec<String>> = [head].into_iter().chain(body).collect();
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| {
        let cells =
            row.iter().zip(&widths).zip(&table.columns).map(|((cell, width), column)| match column.show {
                Show::Number => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_report::Column;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new("rates", [Column::words("name"), Column::measured("time", "µs")]);
        table.push(["short".into(), Cell::Number(1.5, 1)]);
        table.push(["much longer".into(), Cell::Number(12_345_678.0, 1)]);
        table.push(["none".into(), Cell::Empty]);
        let view = View { notes: vec!["a note".into()], tables: vec![table], ..View::default() };
        let wanted = "\
a note

rates
name          time (µs)
short               1.5
much longer  12345678.0
none
";
        assert_eq!(terminal(&view), wanted);
    }
}
