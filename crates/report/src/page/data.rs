//! Rows as JSON inside a page, column by column, for its script.

use super::table::{Cell, Column, Show, Table};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;
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
        write!(f, ",\"tones\":{}", tones(&column.show))?;
        let cells = || self.0.rows.iter().map(|row| row.get(number).unwrap_or(&Cell::Empty));
        let words = Words::new(cells());
        if let Some(words) = &words {
            write!(f, ",\"words\":{}", Value::from(words.list.as_slice()))?;
        }
        f.write_str(",\"cells\":[")?;
        for (place, each) in cells().enumerate() {
            if place > 0 {
                f.write_str(if place % 64 == 0 { ",\n" } else { "," })?;
            }
            match (&words, each) {
                (Some(words), Cell::Text(text)) => write!(f, "{}", words.place(text))?,
                _ => cell(each, f)?,
            }
        }
        f.write_str("]}")
    }
}

/// The words of a column that has few of them: each is written once, and in a cell stands its place.
struct Words<'a> {
    list: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

/// The most words that a column may have for that, and the cells to each of them that it must have.
const FEW: usize = 4096;
const CELLS: usize = 8;

impl<'a> Words<'a> {
    /// Collects the words; none if there are numbers among the cells, or too many words.
    fn new(cells: impl ExactSizeIterator<Item = &'a Cell>) -> Option<Words<'a>> {
        let most = FEW.min(cells.len() / CELLS);
        let mut words = Words { list: Vec::new(), places: HashMap::new() };
        for cell in cells {
            match cell {
                Cell::Empty => {}
                Cell::Number(..) => return None,
                Cell::Text(text) if words.places.contains_key(text.as_str()) => {}
                Cell::Text(_) if words.list.len() >= most => return None,
                Cell::Text(text) => {
                    words.places.insert(text, words.list.len());
                    words.list.push(text);
                }
            }
        }
        (!words.list.is_empty()).then_some(words)
    }

    fn place(&self, text: &str) -> usize {
        self.places.get(text).copied().unwrap_or_default()
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

    #[test]
    fn few_words_are_written_once() {
        let mut table = Table::new("", [Column::words("few"), Column::words("many"), Column::words("mixed")]);
        for number in 0..40 {
            let word = if number % 2 == 0 { Cell::from("a\"b") } else { Cell::Empty };
            let mixed = if number == 7 { Cell::from(7_u64) } else { Cell::from("x") };
            table.push([word, number.to_string().into(), mixed]);
        }
        let value: Value = serde_json::from_str(&Data(&table).to_string()).unwrap();
        let [few, many, mixed] = [0, 1, 2].map(|column| &value["columns"][column]);
        assert_eq!(
            (&few["words"], &few["cells"][0], &few["cells"][1]),
            (&serde_json::json!(["a\"b"]), &0.into(), &Value::Null)
        );
        assert_eq!((&many["words"], &many["cells"][39]), (&Value::Null, &"39".into()));
        assert_eq!((&mixed["words"], &mixed["cells"][7]), (&Value::Null, &7.into()));
    }
}
