//! Values of documents in JSON as text for people. Nothing in them can control a page or reorder its text.

use crate::words::message::Shown;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// Returns a path in a form for people: its bytes, if the text does not have all of them.
pub fn shown(path: &str, b64: Option<&str>) -> String {
    let exact = b64.and_then(|b64| STANDARD.decode(b64).ok());
    Shown(exact.as_deref().unwrap_or(path.as_bytes())).to_string()
}

/// Returns the bytes of an object with text and base64, in a form for people; none for another object.
pub fn exact(object: &Map<String, Value>) -> Option<String> {
    let part = |key: &str| object.get(key).and_then(Value::as_str);
    Some(shown(part("text")?, Some(part("b64")?)))
}

/// Returns text without control characters.
pub fn plain(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}

/// Returns a key as words.
pub fn words(key: &str) -> String {
    plain(key).replace(['_', '-'], " ")
}

/// Returns the values of an object on one line.
pub fn rest(object: &Map<String, Value>) -> String {
    let pairs: Vec<String> =
        object.iter().map(|(key, value)| format!("{} {}", words(key), text(value))).collect();
    pairs.join(", ")
}

/// Returns a value on a line.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Object(object) => format!("({})", rest(object)),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
