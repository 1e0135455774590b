//! Rows as JSON inside a page, column by column, for its script.

use super::table::{Cell, Column, Show, Table};
use serde_json::{Map, Number, Value};
use std::fmt::{self, Display};

/// Up to this value, a double represents every whole number.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A table's columns and cells.
pub(super) struct Data<'a>(pub &'a Table);

impl Display for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { rows, extent, .. } = self.0;
        write!(f, "{{\"rows\":{},\"extent\":\"{}\",\"columns\":[", rows.len(), extent.word())?;
        for (number, column) in self.0.columns.iter().enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            self.column(number, column, f)?;
        }
        f.write_str("]}")
    }
}

impl Data<'_> {
    fn column(&self, number: usize, column: &Column, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\n{{\"title\":{},\"show\":\"{}\"",
            Value::from(column.title.as_str()),
            column.show.word()
        )?;
        write!(f, ",\"tones\":{},\"cells\":[", tones(&column.show))?;
        for (place, row) in self.0.rows.iter().enumerate() {
            if place > 0 {
                f.write_str(if place % 64 == 0 { ",\n" } else { "," })?;
            }
            cell(row.get(number).unwrap_or(&Cell::Empty), f)?;
        }
        f.write_str("]}")
    }
}

fn tones(show: &Show) -> Value {
    let Show::State(tones) = show else { return Value::Object(Map::new()) };
    let pairs = tones.iter().map(|(word, tone)| (word.clone(), Value::from(tone.word())));
    Value::Object(pairs.collect())
}

fn cell(cell: &Cell, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match cell {
        Cell::Empty => f.write_str("null"),
        Cell::Text(text) => f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?),
        Cell::Number(value, 0) if value.abs() < WHOLE => write!(f, "{value:.0}"),
        Cell::Number(value, _) => match Number::from_f64(*value) {
            Some(number) => write!(f, "{number}"),
            None => f.write_str("null"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tone;
    use crate::markup::in_memory;

    #[test]
    fn it_is_json_that_nothing_breaks_out_of() {
        let state = Column::state("state", [("<b>", Tone::Bad)]);
        let mut table = Table::new("", [Column::code("</script>"), Column::number("size"), state]);
        let name = "</script><!-- \" \\ \u{2028} \0 ü";
        table.push([Cell::from(name), Cell::from(1u64 << 52), "<b>".into()]);
        table.push([Cell::Empty, Cell::Number(0.5, 1), Cell::Empty]);
        table.push([Cell::Empty, Cell::Number(f64::NAN, 1), Cell::Empty]);
        let text = in_memory(|markup| markup.json(Data(&table)));
        assert!(!text.contains('<'));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["rows"], 3);
        assert_eq!(value["columns"][0]["title"], "</script>");
        assert_eq!(value["columns"][0]["cells"][0], name);
        assert_eq!(value["columns"][1]["cells"], serde_json::json!([1u64 << 52, 0.5, null]));
        assert_eq!(value["columns"][2]["cells"], serde_json::json!(["<b>", null, null]));
        assert_eq!(value["columns"][2]["tones"]["<b>"], "bad");
    }
}
