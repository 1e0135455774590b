//! A result as a section of a page.

use crate::view::{Align, Cell, Column, Table, View};
use hashloom_report::{Part, Section};

/// Notes, charts and tables under the title. Notes that warn are shown as warnings.
pub fn section(view: &View) -> Section {
    let notes = view.notes.iter().map(|note| match note.strip_prefix("warning: ") {
        Some(warning) => Part::Warning(warning.to_string()),
        None => Part::Text(note.clone()),
    });
    let charts = view.charts.iter().cloned().map(Part::Chart);
    let tables = view.tables.iter().map(|table| Part::Table(shown(table)));
    let parts = notes.chain(charts).chain(tables);
    parts.fold(Section::new(view.title.as_str()), Section::with)
}

fn shown(table: &Table) -> hashloom_report::Table {
    let column = |column: &Column| match column.align {
        Align::Left => hashloom_report::Column::words(column.title()),
        Align::Right => hashloom_report::Column::number(column.title()),
    };
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => hashloom_report::Cell::Text(text.clone()),
        Cell::Number(value, decimals) => hashloom_report::Cell::Number(*value, *decimals),
        Cell::Empty => hashloom_report::Cell::Empty,
    };
    let mut shown = hashloom_report::Table::new(table.caption.as_str(), table.columns.iter().map(column));
    table.rows.iter().for_each(|row| shown.push(row.iter().map(cell)));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_stand_out_and_numbers_stay_numbers() {
        let mut table = Table::new("rates", [Column::text("name"), Column::number("time", "ns")]);
        table.push(["a".into(), Cell::Number(1.5, 1)]);
        let notes = vec!["plain".to_string(), "warning: busy".to_string()];
        let view = View { title: "Cycles".into(), notes, tables: vec![table], ..View::default() };
        let section = section(&view);
        assert_eq!(section.title, "Cycles");
        assert_eq!(section.parts[..2], [Part::Text("plain".into()), Part::Warning("busy".into())]);
        let Part::Table(table) = &section.parts[2] else { panic!("{section:?}") };
        assert_eq!(table.columns[1], hashloom_report::Column::number("time (ns)"));
        assert_eq!(table.rows[0][1], hashloom_report::Cell::Number(1.5, 1));
    }
}
