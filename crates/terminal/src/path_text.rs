//! Paths for programs to read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Converts a path to text, for programs; [`path_b64`] keeps what this loses.
pub fn path_text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Encodes a path in base64 if it is not UTF-8: programs find the result in `path_b64` beside `path`.
pub fn path_b64(path: &[u8]) -> Option<String> {
    str::from_utf8(path).is_err().then(|| STANDARD.encode(path))
}

/// Adds a path to a JSON object under this name, and its bytes in base64 under the name with `_b64` if it is not UTF-8.
pub fn add_path(object: &mut Value, name: &str, path: &[u8]) {
    object[name] = path_text(path).into();
    if let Some(exact) = path_b64(path) {
        object[format!("{name}_b64")] = exact.into();
    }
}
