//! Writes Parquet: records are collected by column, and written as a row group at a time. While the next group is
//! collected, another thread encodes the last one.

use super::{END, START};
use crate::case::{About, End, line};
use crate::format::tables::{cells, facts};
use crate::format::values::draft::Key;
use crate::format::writer::cannot_carry;
use crate::format::{Layout, Writer};
use crate::{Record, Time};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::io::{self, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The default number of record bytes in a row group; larger groups would not be faster to read.
const GROUP: usize = 32 << 20;

/// The minimum number of record bytes in a row group, below which headers are too large a part.
const LEAST_ROW_GROUP: usize = 1 << 20;

/// The maximum number of rows of a row group, as in other writers.
const ROWS: usize = 1 << 20;

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    let columns = cells::keys(&layout).into_iter().map(Column::new).collect();
    Box::new(ParquetWriter { layout, columns, rows: 0, most: GROUP, file: None, encoding: None })
}

struct ParquetWriter {
    layout: Layout,
    columns: Vec<Column>,
    /// The number of collected records.
    rows: usize,
    /// The maximum number of their bytes.
    most: usize,
    /// The library's writer, into memory; `None` while a group is encoded.
    file: Option<File>,
    encoding: Option<JoinHandle<Result<File, ParquetError>>>,
}

type File = SerializedFileWriter<Vec<u8>>;

/// The collected values of a column.
struct Column {
    key: Key,
    /// For each row whether there is a value; empty for a required column.
    levels: Vec<i16>,
    /// The concatenated texts, and the end of each.
    text: Vec<u8>,
    ends: Vec<usize>,
    numbers: Vec<i64>,
    reals: Vec<f64>,
    truths: Vec<bool>,
}

impl Writer for ParquetWriter {
    fn memory(&mut self, bytes: usize) {
        // Of two groups at a time, one is collected, and one exists twice while it is written.
        self.most = (bytes / 6).clamp(LEAST_ROW_GROUP, GROUP);
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let fields = self.columns.iter().map(Column::field).collect::<Result<_, _>>().map_err(broken)?;
        let schema = Type::group_type_builder("records").with_fields(fields).build().map_err(broken)?;
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(self.properties()));
        self.file = Some(file.map_err(broken)?);
        if let Some(start) = self.layout.case.as_deref().cloned() {
            self.about(START, &About::Start(start))?;
        }
        self.drain(out)
    }

    fn conclude(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        self.drain(out)?;
        self.about(END, &About::End(end.clone()))
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        cells::check(record, &self.layout)?;
        let time =
            |column: &Column| cells::is_time(column.key).then(|| cells::time(column.key, record)).flatten();
        if self.columns.iter().filter_map(time).any(|time| nanoseconds(time).is_none()) {
            return Err(cannot_carry("a time in Parquet is from 1677 to 2262"));
        }
        self.columns.iter_mut().for_each(|column| column.push(record));
        self.rows += 1;
        let bytes: usize = self.columns.iter().map(Column::bytes).sum();
        if self.rows >= ROWS || bytes >= self.most { self.group(out) } else { Ok(()) }
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows > 0 {
            self.group(out)?;
        }
        self.drain(out)?;
        if let Some(file) = &mut self.file {
            file.finish().map_err(broken)?;
        }
        self.drain(out)
    }
}

impl ParquetWriter {
    fn properties(&self) -> WriterProperties {
        let about = KeyValue::new("hashmill.manifest".to_string(), "1".to_string());
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("hashmill ", env!("CARGO_PKG_VERSION")).to_string())
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(vec![about]));
        // Columns with few different values.
        for key in [
            Key::Status,
            Key::Strength,
            Key::Reason,
            Key::Category,
            Key::Set,
            Key::Device,
            Key::Container,
            Key::Allocation,
            Key::Attributes,
            Key::Type,
            Key::TypeName,
            Key::TypeExtensions,
            Key::Class,
            Key::Puid,
            Key::PuidFormats,
            Key::PuidSignatures,
        ] {
            let column = ColumnPath::from(cells::title(key).as_ref());
            properties = properties.set_column_dictionary_enabled(column, true);
        }
        properties.build()
    }

    /// Adds a part of the case data, which is written at the end.
    fn about(&mut self, key: &str, about: &About) -> io::Result<()> {
        let json = String::from_utf8_lossy(&line::json(about)?).into_owned();
        if let Some(file) = &mut self.file {
            file.append_key_value_metadata(KeyValue::new(key.to_string(), json));
        }
        Ok(())
    }

    /// Begins to write the collected records as a row group.
    fn group(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.drain(out)?;
        let Some(file) = self.file.take() else { return Ok(()) };
        let empty = self.columns.iter().map(|column| Column::new(column.key)).collect();
        let columns = std::mem::replace(&mut self.columns, empty);
        self.rows = 0;
        let encode = move || encode(file, columns);
        self.encoding = Some(thread::Builder::new().name("parquet".into()).spawn(encode)?);
        Ok(())
    }

    /// Waits for the group that is being encoded, and passes on the bytes that the library has written.
    fn drain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(encoding) = self.encoding.take() {
            let file = encoding.join().map_err(|_| io::Error::other("the encoding thread panicked"))?;
            self.file = Some(file.map_err(broken)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        file.flush()?;
        let bytes = std::mem::take(file.inner_mut());
        out.write_all(&bytes)
    }
}

/// Encodes collected values as a row group.
fn encode(mut file: File, columns: Vec<Column>) -> Result<File, ParquetError> {
    let mut group = file.next_row_group()?;
    for mut column in columns {
        if let Some(mut writer) = group.next_column()? {
            column.write(&mut writer)?;
            writer.close()?;
        }
    }
    group.close()?;
    Ok(file)
}

impl Column {
    fn new(key: Key) -> Self {
        let (levels, text, ends, numbers, reals, truths) = Default::default();
        Column { key, levels, text, ends, numbers, reals, truths }
    }

    fn is_required(&self) -> bool {
        matches!(self.key, Key::Path | Key::Status)
    }

    fn is_number(&self) -> bool {
        cells::is_number(self.key) || cells::is_identity(self.key) || cells::is_time(self.key)
    }

    fn field(&self) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self.key {
            key if cells::is_time(key) => {
                (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::NANOS)))
            }
            key if cells::is_identity(key) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            key if cells::is_truth(key) => (Physical::BOOLEAN, None),
            key if key.is_real() => (Physical::DOUBLE, None),
            _ if self.is_number() => (Physical::INT64, None),
            _ => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if self.is_required() { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let name = cells::title(self.key);
        let builder = Type::primitive_type_builder(&name, physical).with_repetition(repetition);
        builder.with_logical_type(logical).build().map(Arc::new)
    }

    fn push(&mut self, record: &Record) {
        let there = match self.key {
            key if cells::is_truth(key) => self.push_truth(record),
            key if key.is_real() => self.push_real(record),
            _ if self.is_number() => self.push_number(record),
            _ => self.push_text(record),
        };
        if !self.is_required() {
            self.levels.push(i16::from(there));
        }
    }

    fn push_number(&mut self, record: &Record) -> bool {
        let number = match self.key {
            key if cells::is_time(key) => cells::time(key, record).and_then(nanoseconds),
            // The type is unsigned.
            key if cells::is_identity(key) => cells::number(key, record).map(u64::cast_signed),
            key => cells::number(key, record).and_then(|number| i64::try_from(number).ok()),
        };
        self.numbers.extend(number);
        number.is_some()
    }

    fn push_truth(&mut self, record: &Record) -> bool {
        let truth = cells::truth(self.key, record);
        self.truths.extend(truth);
        truth.is_some()
    }

    fn push_real(&mut self, record: &Record) -> bool {
        let real = facts::real(self.key, record);
        self.reals.extend(real);
        real.is_some()
    }

    fn push_text(&mut self, record: &Record) -> bool {
        let text = cells::text(self.key, record);
        if let Some(text) = &text {
            self.text.extend_from_slice(text);
            self.ends.push(self.text.len());
        }
        text.is_some()
    }

    fn bytes(&self) -> usize {
        self.text.len()
            + 8 * (self.ends.len() + self.numbers.len() + self.reals.len())
            + 2 * self.levels.len()
            + self.truths.len()
    }

    /// Passes the collected values to the library.
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let texts = self.texts();
        let levels = (!self.is_required()).then_some(self.levels.as_slice());
        if cells::is_truth(self.key) {
            writer.typed::<BoolType>().write_batch(&self.truths, levels, None)?;
        } else if self.key.is_real() {
            writer.typed::<DoubleType>().write_batch(&self.reals, levels, None)?;
        } else if self.is_number() {
            writer.typed::<Int64Type>().write_batch(&self.numbers, levels, None)?;
        } else {
            writer.typed::<ByteArrayType>().write_batch(&texts, levels, None)?;
        }
        Ok(())
    }

    /// Returns the texts as slices of one block.
    fn texts(&mut self) -> Vec<ByteArray> {
        let all = ByteArray::from(std::mem::take(&mut self.text));
        let mut start = 0;
        let part = |end: usize| {
            let from = std::mem::replace(&mut start, end);
            all.slice(from, end - from)
        };
        self.ends.drain(..).map(part).collect()
    }
}

/// Returns nanoseconds since 1970, if 64 bits can hold them: from 1677 to 2262.
fn nanoseconds(time: Time) -> Option<i64> {
    let nanoseconds = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds);
    i64::try_from(nanoseconds).ok()
}

/// Converts an error of the library, which writes to memory, so it is no error of the output.
fn broken(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
