//! Columns of entries beyond their verdict, such as digests, sizes and times.

use super::json::{text, words};
use hashmill_report::{Cell, Column};
use serde_json::{Map, Value};

/// The most columns; further keys share one.
const MOST: usize = 24;
/// Names of groups that come first, in this order.
const FIRST: [&str; 2] = ["expected", "actual"];

/// The columns of a table of entries. A key of an object within an entry is a column of its own.
pub struct Details {
    columns: Vec<Detail>,
}

struct Detail {
    keys: Vec<String>,
    /// Whether all values are numbers.
    is_number: bool,
}

impl Details {
    /// Finds the columns of these entries.
    pub fn new<'a>(entries: impl Iterator<Item = &'a Map<String, Value>>) -> Details {
        let mut columns: Vec<Detail> = Vec::new();
        for entry in entries {
            for (keys, value) in leaves(entry) {
                let place = columns.iter().position(|column| column.keys == keys);
                if let Some(place) = place {
                    columns[place].is_number &= value.is_number();
                } else if columns.len() < MOST {
                    let keys = keys.into_iter().map(str::to_string).collect();
                    columns.push(Detail { keys, is_number: value.is_number() });
                }
            }
        }
        let rank = |column: &Detail| FIRST.iter().position(|first| column.keys[0].starts_with(first));
        columns.sort_by_key(|column| rank(column).unwrap_or(FIRST.len()));
        Details { columns }
    }

    /// Returns the heads of the columns.
    pub fn columns(&self) -> impl Iterator<Item = Column> {
        let titled = |column: &Detail| {
            let keys: Vec<&str> = column.keys.iter().map(String::as_str).collect();
            let title = title(&keys);
            if column.is_number { Column::number(title) } else { Column::code(title) }
        };
        self.columns.iter().map(titled).chain([Column::words("more")])
    }

    /// Returns the cells of an entry.
    pub fn cells(&self, entry: &Map<String, Value>) -> Vec<Cell> {
        let mut cells: Vec<Cell> = self.columns.iter().map(|_| Cell::Empty).collect();
        let mut more = Vec::new();
        for (keys, value) in leaves(entry) {
            match self.columns.iter().position(|column| column.keys == keys) {
                Some(place) => cells[place] = cell(value),
                None if self.columns.len() == MOST => more.push(format!("{} {}", title(&keys), text(value))),
                None => {}
            }
        }
        cells.push(Some(more.join(", ")).filter(|more| !more.is_empty()).into());
        cells
    }
}

/// Returns the values of an entry with their keys; values within objects with all keys that lead to them.
fn leaves(entry: &Map<String, Value>) -> Vec<(Vec<&str>, &Value)> {
    let mut leaves = Vec::new();
    for (key, value) in entry {
        match value {
            Value::Null => {}
            Value::Object(object) => {
                let within = self::leaves(object).into_iter();
                leaves.extend(within.map(|(keys, value)| ([&[key.as_str()], &keys[..]].concat(), value)));
            }
            value => leaves.push((vec![key.as_str()], value)),
        }
    }
    leaves
}

/// Returns the keys as words. The word "digests" is left out: the name of the algorithm suffices.
fn title(keys: &[&str]) -> String {
    let keys = keys.iter().filter(|key| **key != "digests");
    keys.map(|key| words(key)).collect::<Vec<_>>().join(" ")
}

fn cell(value: &Value) -> Cell {
    match value.as_f64() {
        Some(number) if value.is_u64() => Cell::Number(number, 0),
        _ => Cell::Text(text(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> Map<String, Value> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn values_within_values_are_columns() {
        let first =
            object(r#"{"actual":{"size":3},"errno":null,"expected":{"digests":{"md5":"00"},"size":2}}"#);
        let second = object(r#"{"errno":"EIO","actual":{"size":"?"}}"#);
        let details = Details::new([&first, &second].into_iter());
        let columns: Vec<Column> = details.columns().collect();
        let wanted = [
            Column::code("expected md5"),
            Column::number("expected size"),
            Column::code("actual size"),
            Column::code("errno"),
            Column::words("more"),
        ];
        assert_eq!(columns, wanted);
        let cells: Vec<String> = details.cells(&first).iter().map(Cell::plain).collect();
        assert_eq!(cells, ["00", "2", "3", "", ""]);
        assert_eq!(details.cells(&object("{}")).len(), columns.len());
    }

    #[test]
    fn there_is_a_bound_of_columns_and_nothing_is_lost() {
        let pairs: Vec<String> = (0..40).map(|number| format!("\"k{number:02}\":\"v{number}\"")).collect();
        let entry = object(&format!("{{{}}}", pairs.join(",")));
        let details = Details::new([&entry].into_iter());
        assert_eq!(details.columns().count(), MOST + 1);
        assert!(details.cells(&entry).last().unwrap().plain().ends_with("k39 v39"));
    }
}
