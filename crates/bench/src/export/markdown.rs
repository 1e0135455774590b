//! Markdown tables, as GitHub and most other programs read them.

use crate::view::View;
use hashmill_report::{Cell, Column, Show, Table};

/// Returns title, notes and tables.
pub fn markdown(view: &View) -> String {
    let mut text = format!("# {}\n", escaped(&view.title));
    if !view.notes.is_empty() {
        text.push('\n');
        text.extend(view.notes.iter().map(|note| format!("- {}\n", escaped(note))));
    }
    for table in &view.tables {
        if !table.caption.is_empty() {
            text += &format!("\n## {}\n", escaped(&table.caption));
        }
        text.push('\n');
        text += &rows(table);
    }
    text
}

fn rows(table: &Table) -> String {
    let rule = |column: &Column| match column.show {
        Show::Number => "--:",
        _ => ":--",
    };
    let mut text = line(table.columns.iter().map(|column| escaped(&column.title)));
    text += &line(table.columns.iter().map(|column| rule(column).to_string()));
    for row in &table.rows {
        text += &line(row.iter().map(Cell::plain).map(|cell| escaped(&cell)));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Escapes text so that names are shown unchanged: a backslash before characters that end a cell, mark up text or open
/// a tag.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if matches!(letter, '|' | '\\' | '`' | '*' | '_' | '<' | '[') {
            escaped.push('\\');
        }
        escaped.push(if letter.is_control() { ' ' } else { letter });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_a_rule_and_cells_that_cannot_break_out() {
        let mut table = Table::new("Rates", [Column::words("name"), Column::measured("time", "ns")]);
        table.push(["a|b\n*c*".into(), Cell::Number(2.0, 1)]);
        let notes = vec!["<b>".to_string()];
        let view = View { title: "Cycles".into(), notes, tables: vec![table], ..View::default() };
        let wanted = "# Cycles\n\n- \\<b>\n\n## Rates\n\n| name | time (ns) |\n| :-- | --: |\n\
                      | a\\|b \\*c\\* | 2.0 |\n";
        assert_eq!(markdown(&view), wanted);
    }
}
