//! Inventories in Parquet, recognised by their column names.

use super::super::parquet::guarded;
use super::object::Object;
use super::schema::{Column, Origin};
use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::{Reader, Unusable};
use parquet::basic::Repetition;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::sync::Arc;

/// Returns the reader of a file, if it is an inventory.
///
/// # Errors
/// If it is an inventory that can't be read.
pub(in crate::format) fn open(
    file: SerializedFileReader<File>,
) -> Result<Result<Box<dyn Reader>, SerializedFileReader<File>>, Unusable> {
    let schema = file.metadata().file_metadata().schema().clone();
    let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
    let Some(origin) = Origin::from_columns(&names) else { return Ok(Err(file)) };
    let wanted = |field: &&TypePtr| field.is_primitive() && origin.column(field.name()) != Column::Other;
    let fields: Vec<TypePtr> = schema.get_fields().iter().filter(wanted).map(Arc::clone).collect();
    let repeated = |field: &TypePtr| field.get_basic_info().repetition() == Repetition::REPEATED;
    let columns: Vec<Column> = fields.iter().map(|field| origin.column(field.name())).collect();
    let twice = columns.iter().any(|column| columns.iter().filter(|other| *other == column).count() > 1);
    if twice || fields.iter().any(repeated) || !columns.contains(&Column::Key) {
        return Err(foreign("its columns are not those of one".into()));
    }
    let made = Type::group_type_builder(schema.name()).with_fields(fields).build();
    let rows =
        made.and_then(|schema| guarded(|| RowIter::from_file_into(Box::new(file)).project(Some(schema))));
    let rows = rows.map_err(|source| foreign(source.into()))?;
    Ok(Ok(Box::new(Rows { rows, columns, row: 0, ended: false })))
}

fn foreign(source: crate::format::malformed::Cause) -> Unusable {
    Unusable::Foreign { what: "is an inventory in Parquet that can't be read", source }
}

struct Rows {
    rows: RowIter<'static>,
    columns: Vec<Column>,
    row: u64,
    ended: bool,
}

impl Iterator for Rows {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            self.row += 1;
            match guarded(|| self.rows.next().transpose()) {
                Ok(None) => return None,
                Ok(Some(row)) => {
                    let record = object(&row, &self.columns).transpose();
                    if let Some(record) = record {
                        return Some(record.map_err(|bad| bad.at(self.row)));
                    }
                }
                Err(source) => {
                    self.ended = true;
                    return Some(Err(Bad::new("row", Why::Damaged(source.into())).at(self.row)));
                }
            }
        }
        None
    }
}

impl Reader for Rows {}

fn object(row: &Row, columns: &[Column]) -> Result<Option<Record>, Bad> {
    let mut object = Object::default();
    for ((_, field), column) in row.get_column_iter().zip(columns) {
        match field {
            Field::Null => {}
            Field::Str(text) => object.take(*column, text.as_bytes())?,
            Field::Bytes(bytes) => object.take(*column, bytes.data())?,
            // For a time, only its presence matters.
            Field::TimestampMillis(_) | Field::TimestampMicros(_) => object.take(*column, b"1")?,
            number => object.take(*column, number.to_string().as_bytes())?,
        }
    }
    object.finish()
}
