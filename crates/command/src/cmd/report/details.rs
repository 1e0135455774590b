//! Columns of entries beyond their verdict, such as digests, sizes and times.

use super::json::{text, words};
use hashmill_report::{Cell, Column, TableOf};
use serde_json::{Map, Value};

/// The most columns; further keys share one.
const MAX_COLUMNS: usize = 24;
/// Names of groups that come first, in this order.
const FIRST: [&str; 2] = ["expected", "actual"];

/// Keys of sentences, which are shown as words: a column has room for all of each.
const SENTENCES: [&str; 6] = ["detail", "error", "message", "problem", "reason", "why"];

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
                } else if columns.len() < MAX_COLUMNS {
                    let keys = keys.into_iter().map(str::to_string).collect();
                    columns.push(Detail { keys, is_number: value.is_number() });
                }
            }
        }
        let rank = |column: &Detail| FIRST.iter().position(|first| column.keys[0].starts_with(first));
        columns.sort_by_key(|column| rank(column).unwrap_or(FIRST.len()));
        Details { columns }
    }

    /// Leaves out the column of a key, and those with the bytes of names in base64.
    pub fn without(mut self, key: Option<&str>) -> Details {
        self.columns.retain(|column| {
            let name = column.keys[0].as_str();
            Some(name) != key && !name.ends_with("_b64")
        });
        self
    }

    /// Adds the columns to a table; `of` returns the details of a row.
    pub fn add_to<'a, R: Copy>(
        &self,
        table: TableOf<R>,
        of: impl Fn(R) -> &'a Map<String, Value>,
    ) -> TableOf<R> {
        let table = self.columns.iter().fold(table, |table, column| {
            let keys: Vec<&str> = column.keys.iter().map(String::as_str).collect();
            let title = title(&keys);
            let is_sentence = keys.last().is_some_and(|key| SENTENCES.contains(key));
            let head = match column.is_number {
                true => Column::number(title),
                false if is_sentence => Column::words(title),
                false => Column::code(title),
            };
            table.optional(head, |row| value(of(row), &keys).map(cell))
        });
        table.optional(Column::words("more"), |row| self.more(of(row)))
    }

    /// Returns the values that have no column, on one line.
    fn more(&self, entry: &Map<String, Value>) -> String {
        let leaves = if self.columns.len() == MAX_COLUMNS { leaves(entry) } else { Vec::new() };
        let more = leaves.iter().filter(|(keys, _)| self.columns.iter().all(|column| column.keys != *keys));
        more.map(|(keys, value)| format!("{} {}", title(keys), text(value))).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the value that these keys lead to.
fn value<'a>(entry: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    let (first, others) = keys.split_first()?;
    let found = others.iter().try_fold(entry.get(*first)?, |value, key| value.get(key))?;
    (!found.is_null() && !found.is_object()).then_some(found)
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
    use hashmill_report::Table;

    fn object(json: &str) -> Map<String, Value> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn values_within_values_are_columns() {
        let first =
            object(r#"{"actual":{"size":3},"errno":null,"expected":{"digests":{"md5":"00"},"size":2}}"#);
        let second = object(r#"{"errno":"EIO","actual":{"size":"?"}}"#);
        let rows = [&first, &second];
        let table = Details::new(rows.into_iter()).add_to(Table::of(rows), |row| row).captioned("");
        let wanted = [
            Column::code("expected md5"),
            Column::number("expected size"),
            Column::code("actual size"),
            Column::code("errno"),
        ];
        assert_eq!(table.columns, wanted);
        let plain = |row: &[Cell]| row.iter().map(Cell::plain).collect::<Vec<_>>();
        assert_eq!(plain(&table.rows[0]), ["00", "2", "3", ""]);
        assert_eq!(plain(&table.rows[1]), ["", "", "?", "EIO"]);
    }

    #[test]
    fn sentences_are_words() {
        let entry = object(r#"{"problem":"not copied: for a reason","destination":"a/b","x":{"why":"so"}}"#);
        let table = Details::new([&entry].into_iter()).add_to(Table::of([&entry]), |row| row).captioned("");
        let wanted = [Column::code("destination"), Column::words("problem"), Column::words("x why")];
        assert_eq!(table.columns, wanted);
    }

    #[test]
    fn there_is_a_bound_of_columns_and_nothing_is_lost() {
        let pairs: Vec<String> = (0..40).map(|number| format!("\"k{number:02}\":\"v{number}\"")).collect();
        let entry = object(&format!("{{{}}}", pairs.join(",")));
        let table = Details::new([&entry].into_iter()).add_to(Table::of([&entry]), |row| row).captioned("");
        assert_eq!(table.columns.len(), MAX_COLUMNS + 1);
        assert!(table.rows[0].last().unwrap().plain().ends_with("k39 v39"));
    }
}
