//! JSON without duplicate keys. Of two values for one key some programs take the first and others the last (RFC 8259,
//! section 4), so duplicates could show each reader another list.

pub(crate) mod azure_list;
pub(crate) mod croissant;
pub(crate) mod cyclonedx;
pub(crate) mod dvc_dir;
pub(crate) mod ecs;
pub(crate) mod elements;
pub(crate) mod huggingface;
pub(crate) mod in_toto;
pub(crate) mod json_list;
pub(crate) mod jsonl;
pub(crate) mod lsjson;
pub(crate) mod minio;
pub(crate) mod npm;
pub(crate) mod objects;
pub(crate) mod s3;
pub(crate) mod spdx;
pub(crate) mod stix;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses JSON.
///
/// # Errors
/// If the text is not valid JSON, or an object has a duplicate key.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text).map(|Once(value)| value)
}

/// A value without duplicate keys.
struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Once, D::Error> {
        input.deserialize_any(OnceVisitor).map(Once)
    }
}

struct OnceVisitor;

impl<'de> Visitor<'de> for OnceVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_string()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Once(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if values.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            let Once(value) = object.next_value()?;
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_library() {
        let text = br#"{"a":[null,true,-1,18446744073709551615,0.5,"\u00e9\n",{}],"b":{"a":1e3}}"#;
        assert_eq!(parse(text).unwrap(), serde_json::from_slice::<Value>(text).unwrap());
        assert!(parse(b"{} x").is_err() && parse(b"").is_err());
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert!(parse(&deep).unwrap_err().to_string().starts_with("recursion limit"));
    }

    #[test]
    fn a_key_that_is_there_twice_is_told_however_it_is_written() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("duplicate key \"a\""), "{error}");
        }
    }
}
