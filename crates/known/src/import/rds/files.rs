//! Imports the rows of `FILE`: applies deltas to them and adds them to the index.

use super::batch::{Batch, DIGESTS, ValuePositions};
use super::delta::{self, Delta, RowValues};
use super::pages::{Database, Item, SchemaKind, find_item};
use super::parallel_scan;
use super::products::{Columns, Packages, SideTables, failed};
use super::record::{Value, WIDEST, record};
use super::tree::TableTree;
use crate::build::Annotation;
use crate::error::{Error, Why};
use crate::import::input::Input;
use crate::import::intake::Intake;
use hashmill_digest::find;

const SIZE: &str = "file_size";

/// The column with the package of a file.
const PACKAGE: &str = "package_id";

/// The position of a column that an index lacks.
const NOWHERE: usize = usize::MAX;

/// The rows of `FILE` that are being imported.
pub(super) struct Files {
    columns: Columns,
    options: BuildOptions,
    /// Files of rows that arrive one by one.
    batch: Batch,
}

struct BuildOptions {
    wanted: ValuePositions,
    packages: Packages,
    delta: Delta,
}

/// A tree with the rows of `FILE`: the table itself, or an index of it.
struct Rows {
    root: u32,
    is_index: bool,
    /// The position of each column of the table in the tree's rows.
    places: Vec<usize>,
    wanted: ValuePositions,
}

impl Files {
    pub fn new(
        columns: Columns,
        side: &SideTables,
        deltas: &[Input],
        intake: &mut Intake<'_>,
    ) -> Result<Self, Error> {
        let wanted = wanted(|name| columns.place(name));
        if wanted.digests.is_empty() {
            let why = Why::Column { table: "FILE", column: DIGESTS[0].into() };
            return Err(Error::new(&intake.path, why));
        }
        let delta = Delta::read(deltas, &columns.names, side)?;
        intake.set(&side.name().unwrap_or_default());
        intake.take_name(&intake.path.clone());
        let packages = side.packages(intake)?;
        let options = BuildOptions { wanted, packages, delta };
        Ok(Files { columns, options, batch: Batch::default() })
    }

    /// Reads all rows of the table; from an index of it if one has all needed columns, since rows of one file are
    /// adjacent there.
    pub fn scan(
        &mut self,
        database: &Database,
        (schema, table): (&[Item], &Item),
        side: &SideTables,
        intake: &mut Intake<'_>,
    ) -> Result<(), Error> {
        let rows = match self.covering(schema, side).map_err(failed(intake))? {
            Some(rows) => rows,
            None => self.table(table.root),
        };
        let tree = match rows.is_index {
            true => TableTree::of_index(database, rows.root)?,
            false => TableTree::of_table(database, rows.root)?,
        };
        let Files { columns, options, .. } = self;
        let work = |database: &Database, batch: &mut Batch, number: u32, page: &[u8]| {
            tree.cells(database, number, page, |row, payload| {
                let mut values = [Value::Null; WIDEST];
                let count = record(payload, &mut values).ok_or_else(|| database.bad(number))?;
                let row = if rows.is_index { last_of(&values[..count]) } else { row };
                if let Some(place) = columns.row_number {
                    values[place.min(WIDEST - 1)] = Value::Integer(row);
                }
                if options.delta.is_empty() {
                    batch.row(&rows.wanted, &options.packages, row, &values[..count]);
                } else {
                    let text = |place: &usize| values[..count].get(*place).and_then(Value::text);
                    let values = rows.places.iter().map(text).collect();
                    options.change(values, (row, 0), batch);
                }
                Ok(())
            })
        };
        // If deltas change rows, their values are afterwards in the order of the table's columns.
        let wanted = if options.delta.is_empty() { &rows.wanted } else { &options.wanted };
        parallel_scan::scan(database, &tree.pages, &work, |batch: Batch| add(batch, wanted, intake))
    }

    fn table(&self, root: u32) -> Rows {
        let places: Vec<usize> = (0..self.columns.names.len()).collect();
        Rows { root, is_index: false, places, wanted: wanted(|name| self.columns.place(name)) }
    }

    /// Returns an index with all needed columns of the table.
    fn covering(&self, schema: &[Item], side: &SideTables) -> Result<Option<Rows>, rusqlite::Error> {
        if self.columns.row_number.is_some() {
            return Ok(None);
        }
        for (name, columns) in side.indexes("FILE")? {
            let place = |(column, name): (usize, &String)| {
                let place = columns.iter().position(|held| *held == Some(column));
                place.or_else(|| (!self.needs(name)).then_some(NOWHERE))
            };
            let places: Option<Vec<usize>> = self.columns.names.iter().enumerate().map(place).collect();
            let item = find_item(schema, &name).filter(|item| item.kind == SchemaKind::Index);
            let narrow = columns.len() <= WIDEST;
            if let (Some(places), Some(item), true) = (places, item, narrow) {
                let wanted = wanted(|name| self.columns.place(name).map(|column| places[column]));
                return Ok(Some(Rows { root: item.root, is_index: true, places, wanted }));
            }
        }
        Ok(None)
    }

    /// Returns whether an index must have this column: deltas may use any.
    fn needs(&self, column: &str) -> bool {
        let wanted = DIGESTS.contains(&column) || [SIZE, PACKAGE].contains(&column);
        wanted || !self.options.delta.is_empty()
    }

    /// Takes an unchanged row of the database.
    pub fn take(&mut self, number: i64, values: &[Value<'_>], intake: &mut Intake<'_>) -> Result<(), Error> {
        let Files { options, batch, .. } = self;
        if options.delta.is_empty() {
            batch.row(&options.wanted, &options.packages, number, values);
        } else {
            let row = values.iter().take(self.columns.names.len()).map(Value::text).collect();
            options.change(row, (number, 0), batch);
        }
        if self.batch.is_full() { self.flush(intake) } else { Ok(()) }
    }

    fn flush(&mut self, intake: &mut Intake<'_>) -> Result<(), Error> {
        add(std::mem::take(&mut self.batch), &self.options.wanted, intake)
    }

    /// Adds the rows that the deltas insert.
    pub fn finish(mut self, deltas: &[Input], intake: &mut Intake<'_>) -> Result<(), Error> {
        let names = self.columns.names.clone();
        delta::insertions(deltas, &names, &mut |row, statement| {
            self.options.change(row, (statement as i64, statement), &mut self.batch);
            if self.batch.is_full() { self.flush(intake) } else { Ok(()) }
        })?;
        self.flush(intake)
    }
}

impl BuildOptions {
    /// Takes a row after applying later statements. `number` names the row in messages.
    fn change(&self, row: RowValues, (number, statement): (i64, u64), batch: &mut Batch) {
        if let Some(row) = self.delta.apply(row, statement) {
            let values: Vec<Value<'_>> =
                row.iter().map(|text| text.as_deref().map_or(Value::Null, Value::Text)).collect();
            batch.row(&self.wanted, &self.packages, number, &values);
        }
    }
}

/// Returns the positions of the values to import, from the positions of columns.
fn wanted(place: impl Fn(&str) -> Option<usize>) -> ValuePositions {
    let digest = |name: &&str| Some((find(name).ok()?, place(name)?));
    ValuePositions {
        digests: DIGESTS.iter().filter_map(digest).collect(),
        size: place(SIZE),
        package: place(PACKAGE),
    }
}

/// Returns the number of the table's row, which is the last value in an index.
fn last_of(values: &[Value<'_>]) -> i64 {
    values.last().and_then(Value::integer).unwrap_or(0)
}

fn add(batch: Batch, wanted: &ValuePositions, intake: &mut Intake<'_>) -> Result<(), Error> {
    for (file, of) in batch.files() {
        let [first, others @ ..] = of else { continue };
        let detail = if others.is_empty() { *first } else { intake.union(*first, others) };
        let annotation = Annotation { detail, size: file.size };
        intake.records(file.digests(wanted), annotation, file.rows)?;
    }
    batch.malformed.into_iter().try_for_each(|malformed| intake.malformed(malformed))
}
