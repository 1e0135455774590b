//! The JSON of bundles. Unknown or repeated fields are errors.

use crate::Broken;
use crate::broken::{malformed, unsupported};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BundleText {
    pub media_type: String,
    pub verification_material: Material,
    #[serde(skip_serializing)]
    pub message_signature: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dsse_envelope: Option<Envelope>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Material {
    public_key: Option<KeyName>,
    #[serde(skip_serializing)]
    certificate: Option<RawJson>,
    #[serde(skip_serializing)]
    x509_certificate_chain: Option<RawJson>,
    #[serde(default)]
    tlog_entries: Vec<RawJson>,
    #[serde(skip_serializing)]
    timestamp_verification_data: Option<Stamps>,
}

/// The identification of the key.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct KeyName {
    pub hint: Option<String>,
    /// The key itself, in bundles of model_signing before 1.0. The verifier has its own copy.
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "it may be there")]
    raw_bytes: Option<RawJson>,
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "it may be there")]
    key_details: Option<RawJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stamps {
    #[serde(default)]
    rfc3161_timestamps: Vec<RawJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Envelope {
    pub payload: String,
    pub payload_type: String,
    pub signatures: Vec<Signature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signature {
    pub sig: String,
    pub keyid: Option<String>,
}

/// JSON that is not interpreted.
#[derive(Serialize, Deserialize)]
pub(super) struct RawJson(pub serde_json::Value);

impl KeyName {
    pub fn new(hint: String) -> KeyName {
        KeyName { hint: Some(hint), raw_bytes: None, key_details: None }
    }
}

impl Material {
    pub fn from_key(key: KeyName) -> Material {
        Material {
            public_key: Some(key),
            certificate: None,
            x509_certificate_chain: None,
            tlog_entries: Vec::new(),
            timestamp_verification_data: None,
        }
    }

    /// Returns the name of the key, after checking that there is nothing else.
    pub fn key(self) -> Result<KeyName, Broken> {
        if self.certificate.is_some() || self.x509_certificate_chain.is_some() {
            return Err(unsupported("bundles by a certificate (model_signing sign certificate or sigstore)"));
        }
        if !self.tlog_entries.is_empty() {
            return Err(unsupported("entries of a transparency log"));
        }
        if self.timestamp_verification_data.is_some_and(|stamps| !stamps.rfc3161_timestamps.is_empty()) {
            return Err(unsupported("time stamps in a bundle"));
        }
        self.public_key.ok_or_else(|| malformed("it does not name a key"))
    }
}
