//! Names that are not UTF-8: a readable form, and the exact bytes in base64.

use crate::format::malformed::{Bad, Why};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Encodes a name in base64 if it is not UTF-8.
pub(crate) fn for_name(name: &[u8]) -> Option<String> {
    str::from_utf8(name).is_err().then(|| encode(name))
}

/// Encodes bytes in base64 with padding (RFC 4648).
pub(in crate::format) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(in crate::format) fn decode(text: &[u8]) -> Result<Vec<u8>, Bad> {
    STANDARD.decode(text).map_err(|_| Bad::new("path_b64", Why::Base64))
}

/// Returns the name in `path` and `path_b64`. They must agree, so that people and programs see the same name.
pub(crate) fn name(path: &[u8], base64: &[u8]) -> Result<Box<[u8]>, Bad> {
    let bytes = decode(base64)?;
    let agrees = String::from_utf8_lossy(&bytes).as_bytes() == path;
    agrees.then(|| bytes.into_boxed_slice()).ok_or(Bad::new("path", Why::Disagrees("path_b64")))
}
