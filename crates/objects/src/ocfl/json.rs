//! JSON as it is written: a key that comes twice is there twice.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Text(Box<str>),
    Array(Vec<Json>),
    Object(Vec<(Box<str>, Json)>),
    /// A number, a truth value or `null`.
    Other,
}

impl Json {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Json, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn object(&self) -> Option<&[(Box<str>, Json)]> {
        if let Json::Object(pairs) = self { Some(pairs) } else { None }
    }

    /// Returns the texts of an array of nothing but texts.
    pub(crate) fn texts(&self) -> Option<Vec<&str>> {
        if let Json::Array(values) = self { values.iter().map(Json::text).collect() } else { None }
    }

    /// Returns the first value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.object()?.iter().find(|(known, _)| &**known == key).map(|(_, value)| value)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Other)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = values.next_element()? {
            all.push(value);
        }
        Ok(Json::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            all.push(pair);
        }
        Ok(Json::Object(all))
    }
}
