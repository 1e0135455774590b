//! Records as columns: those of the format parquet, and `error`.

use super::entries::Nulls;
use crate::record::Record;
use arrow_array::array::Array;
use arrow_array::builder::{Int64Builder, TimestampNanosecondBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, Field, Schema};
use hashmill_facts::FactSet;
use hashmill_job::Algorithms;
use hashmill_manifest::format::FactColumn;
use hashmill_manifest::{Metadata, Time};
use hashmill_source::HAS_ATTRIBUTES;
use std::borrow::Cow;
use std::sync::Arc;

/// The columns of records.
pub(crate) struct Columns {
    columns: Vec<Column>,
    schema: Arc<Schema>,
}

/// A column: its cells for some records.
type Column = Box<dyn Fn(&[Record]) -> ArrayRef + Send + Sync>;

/// The columns that only some runs have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedColumns {
    pub pieces: bool,
    pub labels: bool,
    pub versions: bool,
    pub metadata: bool,
    pub inside: bool,
    pub facts: FactSet,
}

impl Columns {
    /// Makes the columns of records with these digests, and those that are wanted.
    pub(crate) fn new(algorithms: &Algorithms, wanted: WantedColumns) -> Columns {
        let WantedColumns { pieces, labels, versions, metadata, inside, facts } = wanted;
        let mut all = Columns { columns: Vec::new(), schema: Arc::new(Schema::empty()) };
        all.texts("path", Nulls::Never, |record| Some(String::from_utf8_lossy(&record.inner.path)));
        all.texts("path_b64", Nulls::Allowed, |record| base64(&record.inner.path).map(Cow::Owned));
        all.add("size", Nulls::Allowed, |records| numbers(records, |record| record.inner.size));
        all.texts("status", Nulls::Never, |record| Some(record.inner.status.word().into()));
        all.texts("reason", Nulls::Allowed, |record| record.inner.reason.as_deref().map(Cow::Borrowed));
        if versions {
            all.texts("version", Nulls::Allowed, |record| record.inner.version.as_deref().map(Cow::Borrowed));
        }
        if pieces {
            all.add("offset", Nulls::Allowed, |records| {
                numbers(records, |record| Some(record.inner.piece?.offset))
            });
            all.add("length", Nulls::Allowed, |records| {
                numbers(records, |record| Some(record.inner.piece?.length))
            });
        }
        let mut names: Vec<&'static str> = algorithms.digests.iter().map(|row| row.name).collect();
        for (place, row) in &algorithms.likeness {
            names.insert((*place).min(names.len()), row.name);
        }
        for name in names {
            all.texts(name, Nulls::Allowed, move |record| {
                record.texts().find(|(known, _)| *known == name)?.1.map(Cow::Owned)
            });
        }
        all.add_facts(facts);
        all.add("mtime", Nulls::Allowed, |records| times(records, |record| record.inner.mtime));
        if metadata || inside {
            all.add("ctime", Nulls::Allowed, |records| times(records, |record| known(record)?.ctime));
            all.add("inode", Nulls::Allowed, |records| unsigned(records, |record| known(record)?.inode));
        }
        if metadata {
            all.add("device", Nulls::Allowed, |records| unsigned(records, |record| known(record)?.device));
            all.add("read", Nulls::Allowed, |records| times(records, |record| known(record)?.read));
            all.add("reused", Nulls::Never, |records| {
                let reused = records.iter().map(|record| Some(record.inner.is_reused()));
                Arc::new(reused.collect::<BooleanArray>())
            });
        }
        if inside {
            all.add("atime", Nulls::Allowed, |records| times(records, |record| known(record)?.accessed));
            all.add("crtime", Nulls::Allowed, |records| times(records, |record| known(record)?.created));
            all.texts("container", Nulls::Allowed, |record| record.container().map(Cow::Borrowed));
            all.texts("allocation", Nulls::Allowed, |record| record.allocation().map(Cow::Borrowed));
        }
        if inside || metadata && HAS_ATTRIBUTES {
            all.texts("attributes", Nulls::Allowed, |record| record.attributes().map(Cow::Owned));
        }
        if labels {
            all.texts("category", Nulls::Allowed, |record| record.category().map(Cow::Borrowed));
            all.texts("set", Nulls::Allowed, |record| record.set().map(Cow::Borrowed));
        }
        all.texts("error", Nulls::Allowed, |record| record.error().map(Cow::Borrowed));
        all
    }

    /// Adds the columns of facts about content.
    fn add_facts(&mut self, facts: FactSet) {
        for column in FactColumn::all_of(facts) {
            match column.name() {
                "mismatch" => self.add("mismatch", Nulls::Allowed, |records| {
                    Arc::new(records.iter().map(Record::mismatch).collect::<BooleanArray>())
                }),
                name if column.is_real() => self.add(name, Nulls::Allowed, move |records| {
                    reals(records, |record| column.real(&record.inner))
                }),
                name => {
                    self.texts(name, Nulls::Allowed, move |record| column.text(&record.inner).map(Cow::Owned))
                }
            }
        }
    }

    /// Adds a column; its type is that of its cells.
    fn add(&mut self, name: &str, nulls: Nulls, of: impl Fn(&[Record]) -> ArrayRef + Send + Sync + 'static) {
        let field = Field::new(name, of(&[]).data_type().clone(), nulls == Nulls::Allowed);
        let fields = self.schema.fields().iter().cloned().chain([Arc::new(field)]);
        self.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        self.columns.push(Box::new(of));
    }

    /// Adds a column of text.
    fn texts(
        &mut self,
        name: &str,
        nulls: Nulls,
        of: impl Fn(&Record) -> Option<Cow<'_, str>> + Send + Sync + 'static,
    ) {
        self.add(name, nulls, move |records| texts(records, &of));
    }

    /// Returns the schema of all batches.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// Makes a batch of records.
    pub(crate) fn batch(&self, records: &[Record]) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(self.schema(), self.columns.iter().map(|column| column(records)).collect())
    }
}

fn known(record: &Record) -> Option<&Metadata> {
    record.inner.metadata.as_deref()
}

/// Makes a column of text, one for each row.
pub(super) fn texts<T>(rows: &[T], of: impl Fn(&T) -> Option<Cow<'_, str>>) -> ArrayRef {
    Arc::new(rows.iter().map(of).collect::<StringArray>())
}

/// Makes a column of numbers, one for each row.
pub(super) fn numbers<T>(rows: &[T], of: impl Fn(&T) -> Option<u64>) -> ArrayRef {
    let mut numbers = Int64Builder::with_capacity(rows.len());
    for row in rows {
        numbers.append_option(of(row).and_then(|number| i64::try_from(number).ok()));
    }
    Arc::new(numbers.finish())
}

/// Makes a column of numbers that need all 64 bits.
fn unsigned(records: &[Record], of: impl Fn(&Record) -> Option<u64>) -> ArrayRef {
    Arc::new(records.iter().map(of).collect::<UInt64Array>())
}

/// Makes a column of fractions.
fn reals(records: &[Record], of: impl Fn(&Record) -> Option<f64>) -> ArrayRef {
    Arc::new(records.iter().map(of).collect::<Float64Array>())
}

/// Makes a column of times, one for each row.
pub(super) fn times<T>(rows: &[T], of: impl Fn(&T) -> Option<Time>) -> ArrayRef {
    let mut times = TimestampNanosecondBuilder::with_capacity(rows.len()).with_timezone("UTC");
    for row in rows {
        let exact =
            |time: Time| time.seconds.checked_mul(1_000_000_000)?.checked_add(i64::from(time.nanoseconds));
        times.append_option(of(row).and_then(exact));
    }
    Arc::new(times.finish())
}

/// Returns the base64 of a path that is not text.
pub(crate) fn base64(path: &[u8]) -> Option<String> {
    use base64::Engine;
    str::from_utf8(path).is_err().then(|| base64::engine::general_purpose::STANDARD.encode(path))
}
