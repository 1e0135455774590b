//! Reads Parquet: columns by name, some rows at a time.

use super::folder::open_folder;
use super::guarded::guarded;
use super::{END, START};
use crate::case::{Case, line};
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::tables::cells;
use crate::format::tables::cells::{is_time, title};
use crate::format::tables::inventory::parquet as inventory;
use crate::format::values::draft::{Draft, Key, algorithms};
use crate::format::{Hint, Reader, Unusable, whole};
use crate::{Record, Time};
use hashmill_digest::Algorithm;
use hashmill_similar::Similar;
use parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The number of rows decoded together.
const BATCH: usize = 1024;

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    whole::stream(input, open)
}

pub(in crate::format) fn open(path: &Path) -> Result<Box<dyn Reader>, Unusable> {
    match path.is_dir() {
        true => open_folder(path),
        false => open_file(File::open(path).map_err(Unusable::Io)?),
    }
}

/// Like [`open`], for an open file at any position.
pub(in crate::format) fn open_file(file: File) -> Result<Box<dyn Reader>, Unusable> {
    let foreign = |error: ParquetError| Unusable::Foreign {
        what: "is not a complete Parquet file",
        source: error.into(),
    };
    let file = guarded(|| SerializedFileReader::new(file)).map_err(foreign)?;
    let file = match inventory::open(file)? {
        Ok(reader) => return Ok(reader),
        Err(file) => file,
    };
    let columns = columns(&file).map_err(|why| Unusable::Foreign {
        what: "is a Parquet file, but not a readable manifest",
        source: why.into(),
    })?;
    let keys: Vec<Key> = columns.iter().map(|column| column.key).collect();
    let (algorithms, likeness) = algorithms(&keys);
    let (case, bad) = case(&file);
    Ok(Box::new(Table {
        file,
        case,
        columns,
        algorithms,
        likeness,
        group: 0,
        readers: Vec::new(),
        left: 0,
        ready: bad.map(|bad| Err(bad.at(1))).into_iter().collect(),
        row: 0,
        ended: false,
    }))
}

/// A column that is read.
struct Column {
    key: Key,
    /// The index of the column in the file.
    place: usize,
    kind: ColumnType,
    /// Whether rows may have no value.
    optional: bool,
}

/// The type of a column's values.
#[derive(Clone, Copy)]
enum ColumnType {
    Text,
    Small {
        unsigned: bool,
    },
    Number {
        unsigned: bool,
    },
    /// A time; the number of units in a second.
    Time(i64),
    /// A fraction.
    Real,
    /// Whether something is so.
    Truth,
    /// A digest as bytes; of a fixed length or not.
    Digest {
        fixed: bool,
    },
}

enum Value {
    Text(ByteArray),
    Number(Option<u64>),
    Real(f64),
    Time(Time),
    Digest(ByteArray),
}

struct Table {
    file: SerializedFileReader<File>,
    columns: Vec<Column>,
    algorithms: Vec<&'static Algorithm>,
    likeness: Vec<(usize, &'static Similar)>,
    case: Case,
    /// The index of the next row group.
    group: usize,
    /// The columns of the current row group, and its number of remaining rows.
    readers: Vec<ColumnReader>,
    left: usize,
    ready: VecDeque<Result<Record, Malformed>>,
    row: u64,
    ended: bool,
}

impl Iterator for Table {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.ended {
            if let Err(error) = self.batch() {
                self.ended = true;
                let bad = Bad::new("row group", Why::Damaged(error.into()));
                self.ready.push_back(Err(bad.at(self.row + 1)));
            }
        }
        self.ready.pop_front()
    }
}

impl Reader for Table {
    fn columns(&self) -> &[&'static Algorithm] {
        &self.algorithms
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &self.likeness
    }

    fn case(&self) -> &Case {
        &self.case
    }
}

impl Table {
    /// Decodes the next rows, or opens the next row group.
    fn batch(&mut self) -> Result<(), ParquetError> {
        if self.left == 0 {
            return self.next_group();
        }
        let rows = self.left.min(BATCH);
        let mut drafts: Vec<Result<Draft, Bad>> = Vec::new();
        drafts.resize_with(rows, || Ok(Draft::default()));
        for (column, reader) in self.columns.iter().zip(&mut self.readers) {
            for (draft, value) in drafts.iter_mut().zip(guarded(|| column.read(reader, rows))?) {
                if let (Ok(open), Some(value)) = (draft.as_mut(), value)
                    && let Err(bad) = take(open, column.key, value)
                {
                    *draft = Err(bad);
                }
            }
        }
        self.left -= rows;
        for draft in drafts {
            self.row += 1;
            let record = draft.and_then(Draft::finish);
            self.ready.push_back(record.map_err(|bad| bad.at(self.row)));
        }
        Ok(())
    }

    fn next_group(&mut self) -> Result<(), ParquetError> {
        if self.group == self.file.num_row_groups() {
            self.ended = true;
            return Ok(());
        }
        let (file, number, columns) = (&self.file, self.group, &self.columns);
        let (left, readers) = guarded(|| {
            let group = file.get_row_group(number)?;
            let readers = columns.iter().map(|column| group.get_column_reader(column.place));
            let readers = readers.collect::<Result<Vec<_>, _>>()?;
            Ok((group.metadata().num_rows(), readers))
        })?;
        self.readers = readers;
        self.left =
            usize::try_from(left).map_err(|_| ParquetError::General("a negative number of rows".into()))?;
        self.group += 1;
        Ok(())
    }
}

/// Returns the case data, and an error if some of it can't be parsed.
fn case(file: &SerializedFileReader<File>) -> (Case, Option<Bad>) {
    let (mut case, mut bad) = (Case::NONE, None);
    let pairs = file.metadata().file_metadata().key_value_metadata().into_iter().flatten();
    for pair in pairs.filter(|pair| [START, END].contains(&pair.key.as_str())) {
        let text = pair.value.as_deref().unwrap_or_default();
        bad = bad.or(line::read(text.as_bytes(), &mut case).err());
    }
    (case, bad)
}

/// Returns the columns to read, or the reason why the file is not a manifest.
fn columns(file: &SerializedFileReader<File>) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    for (place, found) in file.metadata().file_metadata().schema_descr().columns().iter().enumerate() {
        let [name] = found.path().parts() else { continue };
        let key = Key::from_name(name.as_bytes());
        if matches!(key, Key::Other | Key::Foreign(_)) {
            continue;
        }
        if columns.iter().any(|column| column.key == key) {
            return Err(format!("the column '{name}' occurs twice"));
        }
        let kind = kind(key, found).filter(|_| found.max_rep_level() == 0);
        // Other tables have other things under these names.
        if (key == Key::Version || key.is_metadata() || key.is_fact()) && kind.is_none() {
            continue;
        }
        let kind =
            kind.ok_or_else(|| format!("the column '{name}' has the type {}", found.physical_type()))?;
        columns.push(Column { key, place, kind, optional: found.max_def_level() > 0 });
    }
    compression(file)?;
    let missing = |key| columns.iter().all(|column| column.key != key);
    if missing(Key::Path) {
        return Err(format!("it has no column '{}'", title(Key::Path)));
    }
    let digests = columns.iter().any(|column| matches!(column.key, Key::Digest(_) | Key::Likeness(_)));
    if !digests && missing(Key::Status) {
        return Err("it has no column that is named after an algorithm".to_string());
    }
    Ok(columns)
}

/// Checks that the compression is supported.
fn compression(file: &SerializedFileReader<File>) -> Result<(), String> {
    let chunks = file.metadata().row_groups().iter().flat_map(|group| group.columns());
    let mut kinds = chunks.map(|chunk| chunk.compression());
    // The library bounds what a page of these gives by the page's header; of others it takes all there is.
    let known = |kind: &Compression| {
        matches!(kind, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_))
    };
    match kinds.find(|kind| !known(kind)) {
        Some(kind) => Err(format!(
            "it is compressed by {kind}, but hashmill only reads ZSTD, SNAPPY and UNCOMPRESSED: write it again with one of these"
        )),
        None => Ok(()),
    }
}

/// Returns the type of a column's values, if it is supported.
fn kind(key: Key, column: &ColumnDescriptor) -> Option<ColumnType> {
    let number = cells::is_number(key) || cells::is_identity(key);
    // Those of inodes were text once.
    let text = !cells::is_number(key);
    let unsigned =
        matches!(column.logical_type_ref(), Some(LogicalType::Integer(integer)) if !integer.is_signed);
    let plain = column.logical_type_ref().is_none() && column.converted_type() == ConvertedType::NONE;
    match (column.physical_type(), column.logical_type_ref()) {
        (Physical::INT64, _) if number => Some(ColumnType::Number { unsigned }),
        (Physical::INT32, _) if number => Some(ColumnType::Small { unsigned }),
        (Physical::BOOLEAN, _) if cells::is_truth(key) => Some(ColumnType::Truth),
        (Physical::DOUBLE, _) if key.is_real() => Some(ColumnType::Real),
        (Physical::BYTE_ARRAY, _) if plain && matches!(key, Key::Digest(_)) => {
            Some(ColumnType::Digest { fixed: false })
        }
        (Physical::FIXED_LEN_BYTE_ARRAY, _) if plain && matches!(key, Key::Digest(_)) => {
            Some(ColumnType::Digest { fixed: true })
        }
        (Physical::INT64, Some(LogicalType::Timestamp(timestamp))) if is_time(key) => {
            Some(ColumnType::Time(match timestamp.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            }))
        }
        (Physical::BYTE_ARRAY, _) if text => Some(ColumnType::Text),
        _ => None,
    }
}

impl Column {
    /// Reads the values of the next rows.
    fn read(&self, reader: &mut ColumnReader, rows: usize) -> Result<Vec<Option<Value>>, ParquetError> {
        let mut levels = Vec::new();
        // In an undamaged file, the columns of a row group have equal numbers of values.
        macro_rules! values {
            ($reader:expr, $value:expr) => {{
                let mut values = Vec::new();
                let defined = self.optional.then_some(&mut levels);
                let (read, _, _) = $reader.read_records(rows, defined, None, &mut values)?;
                if read != rows {
                    return Err(ParquetError::General("a column has too few values".into()));
                }
                values.into_iter().map($value).collect::<Vec<Value>>()
            }};
        }
        let values = match (reader, self.kind) {
            (ColumnReader::ByteArrayColumnReader(reader), ColumnType::Text) => values!(reader, Value::Text),
            (ColumnReader::ByteArrayColumnReader(reader), ColumnType::Digest { fixed: false }) => {
                values!(reader, Value::Digest)
            }
            (ColumnReader::FixedLenByteArrayColumnReader(reader), ColumnType::Digest { fixed: true }) => {
                values!(reader, |value: FixedLenByteArray| Value::Digest(value.into()))
            }
            (ColumnReader::BoolColumnReader(reader), ColumnType::Truth) => {
                values!(reader, |value: bool| Value::Text(ByteArray::from(if value {
                    "true"
                } else {
                    "false"
                })))
            }
            (ColumnReader::DoubleColumnReader(reader), ColumnType::Real) => values!(reader, Value::Real),
            (ColumnReader::Int64ColumnReader(reader), ColumnType::Time(parts)) => {
                values!(reader, |value: i64| Value::Time(time(value, parts)))
            }
            (ColumnReader::Int64ColumnReader(reader), ColumnType::Number { unsigned: true }) => {
                values!(reader, |value: i64| Value::Number(Some(value as u64)))
            }
            (ColumnReader::Int64ColumnReader(reader), ColumnType::Number { .. }) => {
                values!(reader, |value: i64| Value::Number(u64::try_from(value).ok()))
            }
            (ColumnReader::Int32ColumnReader(reader), ColumnType::Small { unsigned: true }) => {
                values!(reader, |value: i32| Value::Number(Some(u64::from(value as u32))))
            }
            (ColumnReader::Int32ColumnReader(reader), ColumnType::Small { .. }) => {
                values!(reader, |value: i32| Value::Number(u64::try_from(value).ok()))
            }
            _ => return Err(ParquetError::General("a column has changed its type".into())),
        };
        if !self.optional {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(levels.into_iter().map(|level: i16| if level > 0 { values.next() } else { None }).collect())
    }
}

fn take(draft: &mut Draft, key: Key, value: Value) -> Result<(), Bad> {
    match value {
        Value::Text(text) => draft.text(key, text.data()),
        Value::Number(number) => draft.number(key, number.ok_or(Bad::new(key.name(), Why::Number))?),
        Value::Real(number) => draft.real(key, number),
        Value::Time(time) => draft.time(key, time),
        Value::Digest(bytes) => draft.bytes(key, bytes.data()),
    }
}

fn time(value: i64, parts: i64) -> Time {
    let rest = value.rem_euclid(parts) * (1_000_000_000 / parts);
    Time { seconds: value.div_euclid(parts), nanoseconds: rest as u32 }
}
