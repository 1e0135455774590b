//! Records as columns: those of the format parquet, and `error`.

use crate::record::Record;
use arrow_array::builder::{Int64Builder, StringBuilder, TimestampNanosecondBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use hashloom_job::Algorithms;
use hashloom_manifest::Time;
use std::sync::Arc;

/// The columns of records.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    kinds: Vec<Kind>,
    schema: Arc<Schema>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Path,
    PathBytes,
    Size,
    Status,
    Reason,
    Version,
    Offset,
    Length,
    /// The digest by this algorithm.
    Digest(&'static str),
    Mtime,
    Category,
    Set,
    Error,
}

impl Columns {
    /// Makes the columns of records with these digests; on request with those of pieces, labels and versions.
    pub(crate) fn new(algorithms: &Algorithms, pieces: bool, labels: bool, versions: bool) -> Columns {
        let mut kinds = vec![Kind::Path, Kind::PathBytes, Kind::Size, Kind::Status, Kind::Reason];
        kinds.extend(versions.then_some(Kind::Version));
        if pieces {
            kinds.extend([Kind::Offset, Kind::Length]);
        }
        let mut names: Vec<&'static str> = algorithms.digests.iter().map(|row| row.name).collect();
        for (place, row) in &algorithms.likeness {
            names.insert((*place).min(names.len()), row.name);
        }
        kinds.extend(names.into_iter().map(Kind::Digest));
        kinds.push(Kind::Mtime);
        if labels {
            kinds.extend([Kind::Category, Kind::Set]);
        }
        kinds.push(Kind::Error);
        let fields: Vec<Field> = kinds.iter().map(|kind| kind.field()).collect();
        Columns { kinds, schema: Arc::new(Schema::new(fields)) }
    }

    /// Returns the schema of all batches.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// Makes a batch of records.
    pub(crate) fn batch(&self, records: &[Record]) -> Result<RecordBatch, ArrowError> {
        let columns = self.kinds.iter().map(|kind| kind.column(records)).collect();
        RecordBatch::try_new(self.schema(), columns)
    }
}

impl Kind {
    fn field(self) -> Field {
        let (name, of, nullable) = match self {
            Kind::Path => ("path", DataType::Utf8, false),
            Kind::PathBytes => ("path_b64", DataType::Utf8, true),
            Kind::Size => ("size", DataType::Int64, true),
            Kind::Status => ("status", DataType::Utf8, false),
            Kind::Reason => ("reason", DataType::Utf8, true),
            Kind::Version => ("version", DataType::Utf8, true),
            Kind::Offset => ("offset", DataType::Int64, true),
            Kind::Length => ("length", DataType::Int64, true),
            Kind::Digest(name) => (name, DataType::Utf8, true),
            Kind::Mtime => ("mtime", time(), true),
            Kind::Category => ("category", DataType::Utf8, true),
            Kind::Set => ("set", DataType::Utf8, true),
            Kind::Error => ("error", DataType::Utf8, true),
        };
        Field::new(name, of, nullable)
    }

    fn column(self, records: &[Record]) -> ArrayRef {
        match self {
            Kind::Size => numbers(records, |record| record.inner.size),
            Kind::Offset => numbers(records, |record| record.inner.piece.map(|piece| piece.offset)),
            Kind::Length => numbers(records, |record| record.inner.piece.map(|piece| piece.length)),
            Kind::Mtime => times(records, |record| record.inner.mtime),
            _ => self.texts(records),
        }
    }

    fn texts(self, records: &[Record]) -> ArrayRef {
        let mut texts = StringBuilder::with_capacity(records.len(), 64 * records.len());
        for record in records {
            let Record { inner, error } = record;
            match self {
                Kind::Path => texts.append_value(String::from_utf8_lossy(&inner.path)),
                Kind::PathBytes => texts.append_option(base64(&inner.path)),
                Kind::Status => texts.append_value(inner.status.word()),
                Kind::Reason => texts.append_option(inner.reason.as_deref()),
                Kind::Version => texts.append_option(inner.version.as_deref()),
                Kind::Digest(name) => {
                    texts.append_option(
                        record.texts().find(|(known, _)| *known == name).and_then(|(_, text)| text),
                    );
                }
                Kind::Category => texts.append_option(inner.label.as_ref().map(|label| &*label.category)),
                Kind::Set => {
                    let set = inner.label.as_ref().map(|label| &*label.set);
                    texts.append_option(set.filter(|set| !set.is_empty()));
                }
                _ => texts.append_option(error.as_ref().map(|(said, _)| said)),
            }
        }
        Arc::new(texts.finish())
    }
}

/// Makes a column of numbers, one for each row.
pub(super) fn numbers<T>(rows: &[T], of: impl Fn(&T) -> Option<u64>) -> ArrayRef {
    let mut numbers = Int64Builder::with_capacity(rows.len());
    for row in rows {
        numbers.append_option(of(row).and_then(|number| i64::try_from(number).ok()));
    }
    Arc::new(numbers.finish())
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

/// Returns the type of times.
fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into()))
}

/// Returns the base64 of a path that is not text.
pub(crate) fn base64(path: &[u8]) -> Option<String> {
    use base64::Engine;
    str::from_utf8(path).is_err().then(|| base64::engine::general_purpose::STANDARD.encode(path))
}
