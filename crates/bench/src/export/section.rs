//! A result as a section of a page.

use crate::view::View;
use hashmill_report::{Section, SectionPart};

/// Returns notes, charts and tables below the title. Notes that start with "warning: " become warnings.
pub fn section(view: &View) -> Section {
    let notes = view.notes.iter().map(|note| match note.strip_prefix("warning: ") {
        Some(warning) => SectionPart::Warning(warning.to_string()),
        None => SectionPart::Text(note.clone()),
    });
    let charts = view.charts.iter().cloned().map(SectionPart::Chart);
    let tables = view.tables.iter().map(|table| SectionPart::Table(table.clone()));
    let parts = notes.chain(charts).chain(tables);
    parts.fold(Section::new(view.title.as_str()), Section::with)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_report::{Cell, Column, Table};

    #[test]
    fn warnings_stand_out_and_numbers_stay_numbers() {
        let mut table = Table::new("rates", [Column::words("name"), Column::measured("time", "ns")]);
        table.push(["a".into(), Cell::Number(1.5, 1)]);
        let notes = vec!["plain".to_string(), "warning: busy".to_string()];
        let view = View { title: "Cycles".into(), notes, tables: vec![table], ..View::default() };
        let section = section(&view);
        assert_eq!(section.title, "Cycles");
        assert_eq!(
            section.parts[..2],
            [SectionPart::Text("plain".into()), SectionPart::Warning("busy".into())]
        );
        let SectionPart::Table(table) = &section.parts[2] else { panic!("{section:?}") };
        assert_eq!(table.columns[1], Column::number("time (ns)"));
        assert_eq!(table.rows[0][1], Cell::Number(1.5, 1));
    }
}
