//! Quarterly deltas: the rows of `FILE` that they change, delete and insert.
//!
//! Changes are kept in memory, by the values that select their rows. Insertions are read a second time, after the rows
//! of the database; later changes apply to them, too.

use super::super::input::Input;
use super::super::scripts::each_script;
use super::products::SideTables;
use super::sql::{Change, Pair, ScriptEnd, StatementKind, Statements, Text, understand};
use crate::error::{Error, Why};
use hashbrown::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;

/// The memory that a change takes besides its values, in bytes.
const OF_CHANGE: u64 = 128;

/// The values of a row, in the order of the columns.
pub(super) type RowValues = Vec<Text>;

/// The changes of all deltas, in order.
#[derive(Default)]
pub(super) struct Delta {
    shapes: Vec<Shape>,
}

/// All changes that select rows by the same columns.
struct Shape {
    columns: Vec<usize>,
    /// The changes by a 128-bit hash of the values, which is taken to be unique.
    changes: HashMap<u128, Vec<Step>>,
}

struct Step {
    /// The number of the statement, counted over all deltas from 1.
    statement: u64,
    /// The values to set; `None` deletes the row.
    set: Option<Vec<(usize, Text)>>,
}

impl Delta {
    /// Reads the changes of `FILE`, and applies those of the small tables.
    pub fn read(deltas: &[Input], columns: &[String], side: &SideTables) -> Result<Self, Error> {
        let mut delta = Delta::default();
        let (most, mut left) = (side.most, side.most);
        each(deltas, &mut |input, line, number, text| {
            let bad = || Error::new(&input.path, Why::Statement(line));
            match understand(text).ok_or_else(bad)? {
                StatementKind::File(change) => {
                    // A change takes about as much memory as its text.
                    left = match change {
                        Change::Insert { .. } => left,
                        _ => left.saturating_sub(text.len() as u64 + OF_CHANGE),
                    };
                    if left == 0 {
                        return Err(Error::new(&input.path, Why::Tables { most }));
                    }
                    delta.note(change, number, columns).ok_or_else(bad)
                }
                StatementKind::Other => {
                    let what = format!("the statement on line {line}");
                    let done = side.script(&what, str::from_utf8(text).map_err(|_| bad())?);
                    done.map_err(|why| Error::new(&input.path, why))
                }
                StatementKind::Nothing => Ok(()),
            }
        })?;
        Ok(delta)
    }

    /// Returns whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    fn note(&mut self, change: Change, statement: u64, columns: &[String]) -> Option<()> {
        let (of, set) = match change {
            Change::Insert { .. } => return Some(()),
            Change::Delete { of } => (of, None),
            Change::Update { set, of } => (of, Some(places(set, columns)?)),
        };
        let mut of = places(of, columns)?;
        of.sort();
        let shape: Vec<usize> = of.iter().map(|(column, _)| *column).collect();
        let key = key(of.iter().map(|(_, text)| text));
        let at = self.shapes.iter().position(|known| known.columns == shape);
        let at = at.unwrap_or_else(|| {
            self.shapes.push(Shape { columns: shape, changes: HashMap::new() });
            self.shapes.len() - 1
        });
        self.shapes[at].changes.entry(key).or_default().push(Step { statement, set });
        Some(())
    }

    /// Returns the row after all later statements; `None` if one of them deletes it.
    pub fn apply(&self, mut row: RowValues, mut statement: u64) -> Option<RowValues> {
        while let Some(step) = self.first_after(&row, statement) {
            statement = step.statement;
            for (column, text) in step.set.as_ref()? {
                row[*column] = text.clone();
            }
        }
        Some(row)
    }

    fn first_after(&self, row: &RowValues, statement: u64) -> Option<&Step> {
        let of_shape = |shape: &Shape| {
            let values: Option<Vec<&Text>> = shape.columns.iter().map(|column| row.get(*column)).collect();
            Some(key(values?.into_iter()))
        };
        let steps = self.shapes.iter().filter_map(|shape| shape.changes.get(&of_shape(shape)?));
        let later = steps.filter_map(|steps| steps.iter().find(|step| step.statement > statement));
        later.min_by_key(|step| step.statement)
    }
}

fn places(pairs: Vec<Pair>, columns: &[String]) -> Option<Vec<(usize, Text)>> {
    let place = |(name, text): Pair| Some((columns.iter().position(|column| *column == name)?, text));
    pairs.into_iter().map(place).collect()
}

fn key<'a>(values: impl Iterator<Item = &'a Text>) -> u128 {
    let mut halves = [DefaultHasher::new(), DefaultHasher::new()];
    halves[1].write_u8(1);
    for value in values {
        let (kind, text) = match value {
            Some(text) => (1, &**text),
            None => (0, &b""[..]),
        };
        for half in &mut halves {
            half.write_u8(kind);
            half.write_usize(text.len());
            half.write(text);
        }
    }
    u128::from(halves[0].finish()) << 64 | u128::from(halves[1].finish())
}

/// A callback for rows, with the number of the inserting statement.
type TakeRow<'a> = &'a mut dyn FnMut(RowValues, u64) -> Result<(), Error>;

/// Passes each row that the deltas insert.
pub(super) fn insertions(deltas: &[Input], columns: &[String], take: TakeRow<'_>) -> Result<(), Error> {
    each(deltas, &mut |input, line, number, text| {
        let Some(StatementKind::File(Change::Insert { columns: named, rows })) = understand(text) else {
            return Ok(());
        };
        let bad = || Error::new(&input.path, Why::Statement(line));
        let named: &[String] = if named.is_empty() { columns } else { &named };
        for values in rows {
            let whole = (values.len() == named.len()).then(|| named.iter().cloned().zip(values).collect());
            let placed = places(whole.ok_or_else(bad)?, columns).ok_or_else(bad)?;
            let mut row: RowValues = vec![None; columns.len()];
            placed.into_iter().for_each(|(column, text)| row[column] = text);
            take(row, number)?;
        }
        Ok(())
    })
}

/// A callback for statements: the delta, the line, the statement's number over all deltas, its text.
type TakeStatement<'a> = &'a mut dyn FnMut(&Input, u64, u64, &[u8]) -> Result<(), Error>;

fn each(deltas: &[Input], take: TakeStatement<'_>) -> Result<(), Error> {
    let mut number = 0;
    for input in deltas {
        each_script(&input.path, &mut |stream| statements(stream, input, &mut number, take))?;
    }
    Ok(())
}

fn statements(
    stream: Box<dyn Read + '_>,
    input: &Input,
    number: &mut u64,
    take: TakeStatement<'_>,
) -> Result<(), Error> {
    let mut statements = Statements::new(stream);
    let failed = |stop| match stop {
        ScriptEnd::Io(source) => Error::io(&input.path, "read")(source),
        ScriptEnd::Endless(line) => Error::new(&input.path, Why::Statement(line)),
    };
    while let Some((line, text)) = statements.next().map_err(failed)? {
        *number += 1;
        take(input, line, *number, text)?;
    }
    Ok(())
}
