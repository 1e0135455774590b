//! The rows of an Arrow array as bytes.

use crate::error::wrong;
use crate::view::Rows;
use arrow_array::ArrayRef;
use arrow_array::array::{AnyDictionaryArray, Array};
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use pyo3::prelude::*;

/// Returns the row of each key of a dictionary.
fn of_dictionary(dictionary: &dyn AnyDictionaryArray) -> PyResult<Rows<'_>> {
    let values = rows(dictionary.values())?;
    if values.is_empty() {
        return Ok(vec![None; dictionary.len()]);
    }
    let keys = dictionary.normalized_keys();
    let is_there = |place| dictionary.keys().is_valid(place);
    Ok(keys.into_iter().enumerate().map(|(place, key)| values[key].filter(|_| is_there(place))).collect())
}

/// Returns the rows of an array of bytes or text, or of the only column of a table; null rows are none.
pub(crate) fn rows(array: &ArrayRef) -> PyResult<Rows<'_>> {
    macro_rules! of {
        ($array:expr) => {
            $array.iter().map(|row| row.map(|row| AsRef::<[u8]>::as_ref(row))).collect()
        };
    }
    Ok(match array.data_type() {
        DataType::Binary => of!(array.as_binary::<i32>()),
        DataType::LargeBinary => of!(array.as_binary::<i64>()),
        DataType::BinaryView => of!(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => of!(array.as_fixed_size_binary()),
        DataType::Utf8 => of!(array.as_string::<i32>()),
        DataType::LargeUtf8 => of!(array.as_string::<i64>()),
        DataType::Utf8View => of!(array.as_string_view()),
        DataType::Null => vec![None; array.len()],
        DataType::Dictionary(..) => of_dictionary(array.as_any_dictionary())?,
        DataType::Struct(fields) if fields.len() == 1 => rows(array.as_struct().column(0))?,
        DataType::Struct(fields) => {
            let count = fields.len();
            return Err(wrong(format!(
                "a column is to be hashed, and this is a table of {count}: select one"
            )));
        }
        other => {
            return Err(wrong(format!(
                "an Arrow column of bytes or text is to be hashed, not one of {other}"
            )));
        }
    })
}
