//! Records as columns: those of the format parquet, and `error`.

use crate::record::Record;
use arrow_array::builder::{Int64Builder, StringBuilder, TimestampNanosecondBuilder};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use hashmill_job::Algorithms;
use hashmill_manifest::Time;
use hashmill_source::HAS_ATTRIBUTES;
use std::sync::Arc;

/// The columns of records.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    kinds: Vec<ColumnKind>,
    schema: Arc<Schema>,
}

#[derive(Debug, Clone, Copy)]
enum ColumnKind {
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
    Ctime,
    Inode,
    Device,
    Read,
    Reused,
    Accessed,
    Created,
    Container,
    Allocation,
    Attributes,
    Category,
    Set,
    Error,
}

/// The columns that only some runs have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedColumns {
    pub pieces: bool,
    pub labels: bool,
    pub versions: bool,
    pub metadata: bool,
    pub inside: bool,
}

impl Columns {
    /// Makes the columns of records with these digests, and those that are wanted.
    pub(crate) fn new(algorithms: &Algorithms, wanted: WantedColumns) -> Columns {
        let WantedColumns { pieces, labels, versions, metadata, inside } = wanted;
        let mut kinds = vec![
            ColumnKind::Path,
            ColumnKind::PathBytes,
            ColumnKind::Size,
            ColumnKind::Status,
            ColumnKind::Reason,
        ];
        kinds.extend(versions.then_some(ColumnKind::Version));
        if pieces {
            kinds.extend([ColumnKind::Offset, ColumnKind::Length]);
        }
        let mut names: Vec<&'static str> = algorithms.digests.iter().map(|row| row.name).collect();
        for (place, row) in &algorithms.likeness {
            names.insert((*place).min(names.len()), row.name);
        }
        kinds.extend(names.into_iter().map(ColumnKind::Digest));
        kinds.push(ColumnKind::Mtime);
        if metadata || inside {
            kinds.extend([ColumnKind::Ctime, ColumnKind::Inode]);
        }
        if metadata {
            kinds.extend([ColumnKind::Device, ColumnKind::Read, ColumnKind::Reused]);
        }
        if inside {
            kinds.extend([ColumnKind::Accessed, ColumnKind::Created]);
            kinds.extend([ColumnKind::Container, ColumnKind::Allocation]);
        }
        kinds.extend((inside || metadata && HAS_ATTRIBUTES).then_some(ColumnKind::Attributes));
        if labels {
            kinds.extend([ColumnKind::Category, ColumnKind::Set]);
        }
        kinds.push(ColumnKind::Error);
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

impl ColumnKind {
    fn field(self) -> Field {
        let (name, of, nullable) = match self {
            ColumnKind::Path => ("path", DataType::Utf8, false),
            ColumnKind::PathBytes => ("path_b64", DataType::Utf8, true),
            ColumnKind::Size => ("size", DataType::Int64, true),
            ColumnKind::Status => ("status", DataType::Utf8, false),
            ColumnKind::Reason => ("reason", DataType::Utf8, true),
            ColumnKind::Version => ("version", DataType::Utf8, true),
            ColumnKind::Offset => ("offset", DataType::Int64, true),
            ColumnKind::Length => ("length", DataType::Int64, true),
            ColumnKind::Digest(name) => (name, DataType::Utf8, true),
            ColumnKind::Mtime => ("mtime", time(), true),
            ColumnKind::Ctime => ("ctime", time(), true),
            ColumnKind::Inode => ("inode", DataType::UInt64, true),
            ColumnKind::Device => ("device", DataType::UInt64, true),
            ColumnKind::Read => ("read", time(), true),
            ColumnKind::Reused => ("reused", DataType::Boolean, false),
            ColumnKind::Accessed => ("atime", time(), true),
            ColumnKind::Created => ("crtime", time(), true),
            ColumnKind::Container => ("container", DataType::Utf8, true),
            ColumnKind::Allocation => ("allocation", DataType::Utf8, true),
            ColumnKind::Attributes => ("attributes", DataType::Utf8, true),
            ColumnKind::Category => ("category", DataType::Utf8, true),
            ColumnKind::Set => ("set", DataType::Utf8, true),
            ColumnKind::Error => ("error", DataType::Utf8, true),
        };
        Field::new(name, of, nullable)
    }

    fn column(self, records: &[Record]) -> ArrayRef {
        match self {
            ColumnKind::Size => numbers(records, |record| record.inner.size),
            ColumnKind::Offset => numbers(records, |record| record.inner.piece.map(|piece| piece.offset)),
            ColumnKind::Length => numbers(records, |record| record.inner.piece.map(|piece| piece.length)),
            ColumnKind::Mtime => times(records, |record| record.inner.mtime),
            ColumnKind::Ctime => times(records, |record| record.inner.metadata.as_ref()?.ctime),
            ColumnKind::Read => times(records, |record| record.inner.metadata.as_ref()?.read),
            ColumnKind::Accessed => times(records, |record| record.inner.metadata.as_ref()?.accessed),
            ColumnKind::Created => times(records, |record| record.inner.metadata.as_ref()?.created),
            ColumnKind::Inode => unsigned(records, |record| record.inner.metadata.as_ref()?.inode),
            ColumnKind::Device => unsigned(records, |record| record.inner.metadata.as_ref()?.device),
            ColumnKind::Reused => {
                let reused = records.iter().map(|record| Some(record.inner.is_reused()));
                Arc::new(reused.collect::<BooleanArray>())
            }
            _ => self.texts(records),
        }
    }

    fn texts(self, records: &[Record]) -> ArrayRef {
        let mut texts = StringBuilder::with_capacity(records.len(), 64 * records.len());
        for record in records {
            let Record { inner, error } = record;
            match self {
                ColumnKind::Path => texts.append_value(String::from_utf8_lossy(&inner.path)),
                ColumnKind::PathBytes => texts.append_option(base64(&inner.path)),
                ColumnKind::Status => texts.append_value(inner.status.word()),
                ColumnKind::Reason => texts.append_option(inner.reason.as_deref()),
                ColumnKind::Version => texts.append_option(inner.version.as_deref()),
                ColumnKind::Digest(name) => {
                    texts.append_option(
                        record.texts().find(|(known, _)| *known == name).and_then(|(_, text)| text),
                    );
                }
                ColumnKind::Container => texts.append_option(record.container()),
                ColumnKind::Allocation => texts.append_option(record.allocation()),
                ColumnKind::Attributes => texts.append_option(record.attributes()),
                ColumnKind::Category => {
                    texts.append_option(inner.label.as_ref().map(|label| &*label.category))
                }
                ColumnKind::Set => {
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

/// Makes a column of numbers that need all 64 bits.
fn unsigned(records: &[Record], of: impl Fn(&Record) -> Option<u64>) -> ArrayRef {
    Arc::new(records.iter().map(of).collect::<UInt64Array>())
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
