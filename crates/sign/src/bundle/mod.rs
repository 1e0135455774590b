//! Bundles of Sigstore (v0.3) around a signed statement: a DSSE envelope and the name of its key.
//!
//! Only keys are supported: bundles with certificates or log entries are rejected with an error that names the reason.
//!
//! Sources: sigstore's protobuf-specs, `sigstore_bundle.proto` in JSON; DSSE 1.0 (secure-systems-lab/dsse,
//! `protocol.md`).

mod ec;
mod pkcs8;
mod text;

pub use crate::cryptography::ecdsa::Curve;
pub use ec::{EcKeyFile, EcPublicKey, EcSigner};

use crate::broken::{LONG, malformed, unsupported};
use crate::{Broken, Error};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use text::{BundleText, Envelope, KeyName, RawJson, Signature};

/// The media type of bundles that are written and read.
const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";

/// A parsed bundle. Its content is unverified until it is [opened](Bundle::open).
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The identifier of its key; empty if missing.
    hint: String,
    payload_type: String,
    payload: Vec<u8>,
    signature: Vec<u8>,
}

/// The content of a bundle whose signature was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The signed payload.
    pub payload: Vec<u8>,
    /// Whether the bundle names its key. Those of model_signing before 1.0 don't.
    pub names_key: bool,
}

/// Signs a payload of this type. Returns the bundle as JSON in one line.
///
/// # Errors
/// If the key can't sign.
pub fn sign(signer: &EcSigner, payload_type: &str, payload: &[u8]) -> Result<Vec<u8>, Error> {
    let signature = signer.sign(&encode(payload_type, payload))?;
    let bundle = BundleText {
        media_type: MEDIA_TYPE.into(),
        verification_material: text::Material::from_key(KeyName::new(signer.public().hint())),
        message_signature: None,
        dsse_envelope: Some(Envelope {
            payload: STANDARD.encode(payload),
            payload_type: payload_type.into(),
            signatures: vec![Signature { sig: STANDARD.encode(signature), keyid: Some(String::new()) }],
        }),
    };
    #[allow(clippy::expect_used, reason = "its values are texts and lists")]
    Ok(serde_json::to_vec(&bundle).expect("a bundle is JSON"))
}

impl Bundle {
    /// The size limit of a bundle in bytes: a statement about some 800,000 files.
    pub const LONGEST: u64 = 256 << 20;

    /// Reads a bundle.
    ///
    /// # Errors
    /// If it is not a bundle of this version, or has certificates, log entries or time stamps.
    pub fn parse(bytes: &[u8]) -> Result<Bundle, Broken> {
        if bytes.len() as u64 > Bundle::LONGEST {
            return Err(malformed(LONG));
        }
        let text: BundleText = serde_json::from_slice(bytes)
            .map_err(|source| malformed(format!("it is not a Sigstore bundle: {source}")))?;
        if text.media_type != MEDIA_TYPE {
            return Err(unsupported(format!("bundles of the kind {}", text.media_type)));
        }
        let hint = text.verification_material.key()?.hint.unwrap_or_default();
        let envelope = match (text.message_signature, text.dsse_envelope) {
            (None, Some(envelope)) => envelope,
            (Some(RawJson(_)), None) => return Err(unsupported("bundles that sign only a digest")),
            _ => return Err(malformed("it does not contain exactly one signed item")),
        };
        let [signature] = &envelope.signatures[..] else {
            return Err(malformed("it does not have exactly one signature"));
        };
        let decoded = |text: &str| STANDARD.decode(text).map_err(|source| malformed(source.to_string()));
        Ok(Bundle {
            hint,
            payload: decoded(&envelope.payload)?,
            signature: decoded(&signature.sig)?,
            payload_type: envelope.payload_type,
        })
    }

    /// Verifies the signature over a payload of this type.
    ///
    /// # Errors
    /// If it is by another key, the payload has another type, or the signature does not match.
    pub fn open(self, key: &EcPublicKey, payload_type: &str) -> Result<Opened, Broken> {
        if !self.hint.is_empty() && self.hint != key.hint() {
            return Err(Broken::OtherKey);
        }
        if self.payload_type != payload_type {
            return Err(malformed(format!("its payload has the type '{}'", self.payload_type)));
        }
        let fits = |message: &[u8]| key.verifies(message, &self.signature);
        if !fits(&encode(payload_type, &self.payload)) && !fits(&encode_old(payload_type, &self.payload)) {
            return Err(Broken::Signature);
        }
        Ok(Opened { payload: self.payload, names_key: !self.hint.is_empty() })
    }
}

/// Returns the bytes that are signed: DSSE's pre-authentication encoding.
fn encode(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    message.extend_from_slice(payload);
    message
}

/// Returns the bytes that model_signing before 1.0 signs: Python's `repr` of the payload, after another prefix.
fn encode_old(kind: &str, payload: &[u8]) -> Vec<u8> {
    let shown = as_python_shows(payload);
    format!("DSSEV1 {} {kind} {} {shown}", kind.len(), payload.len()).into_bytes()
}

fn as_python_shows(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    let mut text = format!("b{}", char::from(quote));
    for byte in bytes {
        match byte {
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\\' => text.push_str("\\\\"),
            byte if *byte == quote => text.extend(['\\', char::from(quote)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            byte => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push(char::from(quote));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_that_of_the_specification() {
        let kind = "http://example.com/HelloWorld";
        let wanted = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world";
        assert_eq!(encode(kind, b"hello world"), wanted);
    }

    #[test]
    fn bytes_are_shown_as_python_shows_them() {
        for (bytes, wanted) in [
            (&b"{\"a\": 'b'}\n"[..], r#"b'{"a": \'b\'}\n'"#),
            (b"it's", r#"b"it's""#),
            (b"\x00\x7f\xff\\\t\r", r"b'\x00\x7f\xff\\\t\r'"),
        ] {
            assert_eq!(as_python_shows(bytes), wanted);
        }
    }
}
