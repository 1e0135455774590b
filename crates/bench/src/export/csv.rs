//! Rows as CSV (RFC 4180), with the names of their JSON fields and all digits.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, de};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// Returns a header line with the names of all fields, and a line for each row. Nested fields have both names, joined
/// by a dot; lists are JSON text. A field that a row lacks is empty.
///
/// # Panics
/// If a row is not a struct of fields; rows of measurements always are.
pub fn csv<R: Serialize>(rows: &[R]) -> String {
    let rows: Vec<Vec<(String, String)>> = rows.iter().map(fields).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut text = line(names.iter().copied());
    for row in &rows {
        let value = |name: &&str| row.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
        text += &line(names.iter().map(value));
    }
    text
}

fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let fields: Vec<_> = fields.map(quoted).collect();
    fields.join(",") + "\r\n"
}

/// Quotes a field that contains what separates fields or lines.
fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\"")).into()
    } else {
        field.into()
    }
}

fn fields<R: Serialize>(row: &R) -> Vec<(String, String)> {
    let json = serde_json::to_string(row).expect("rows with names as keys");
    let Ordered(fields) = serde_json::from_str(&json).expect("a row is an object");
    let mut flat = Vec::new();
    fields.into_iter().for_each(|(name, value)| flatten(name, value, &mut flat));
    flat
}

fn flatten(name: String, value: Value, flat: &mut Vec<(String, String)>) {
    let text = match value {
        Value::Object(inner) => {
            return inner.into_iter().for_each(|(key, value)| flatten(format!("{name}.{key}"), value, flat));
        }
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    };
    flat.push((name, text));
}

/// The fields of an object in their original order.
struct Ordered(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Ordered;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Ordered(fields))
            }
        }
        deserializer.deserialize_map(Fields).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        extra: Option<f64>,
        times: Vec<f64>,
        inner: Inner,
    }

    #[derive(Serialize)]
    struct Inner {
        low: f64,
    }

    #[test]
    fn fields_keep_their_order_and_their_digits() {
        let row = |name, extra| Row { name, extra, times: vec![1.0, 2.5], inner: Inner { low: 0.1 } };
        let text = csv(&[row("a,\"b\"", None), row("c", Some(1.0 / 3.0))]);
        let wanted = "name,times,inner.low,extra\r\n\
                      \"a,\"\"b\"\"\",\"[1.0,2.5]\",0.1,\r\n\
                      c,\"[1.0,2.5]\",0.1,0.3333333333333333\r\n";
        assert_eq!(text, wanted);
        assert_eq!(csv(&[row("d\re\nf", None)]).lines().count(), 3, "a line break in quotes");
        assert!(csv(&[row("d\re", None)]).contains("\r\n\"d\re\","));
        assert_eq!(csv::<Row>(&[]), "\r\n");
    }
}
