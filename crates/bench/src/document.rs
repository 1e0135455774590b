//! The result of a comparison as a JSON document, for programs and for later use.

use crate::Host;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The result of one comparison. Rows and summary depend on the comparison; the rest is the same for all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document<R, S> {
    /// The name of the comparison in [`COMPARISONS`](crate::COMPARISONS).
    pub comparison: String,
    /// The machine.
    pub host: Host,
    /// The start time: ISO 8601 with the offset from UTC.
    pub timestamp: String,
    /// Whether the run was interrupted; if so, the rows are those measured until then.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interrupted: bool,
    /// Warnings about doubtful figures, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The single measurements.
    pub rows: Vec<R>,
    /// The summary of the rows.
    pub summary: S,
    /// Other keys, which other programs expect or later versions wrote.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl<R: Serialize, S: Serialize> Document<R, S> {
    /// Creates a document of measurements on this machine.
    pub fn here(comparison: &str, timestamp: String, rows: Vec<R>, summary: S) -> Self {
        Document {
            comparison: comparison.to_string(),
            host: Host::here(),
            timestamp,
            interrupted: false,
            warnings: Vec::new(),
            rows,
            summary,
            more: BTreeMap::new(),
        }
    }

    /// Returns the document as JSON text.
    ///
    /// # Panics
    /// If a row can't be JSON, such as a map whose keys are not strings; measurements never are.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("rows with names as keys") + "\n"
    }
}

impl<R: DeserializeOwned, S: DeserializeOwned> Document<R, S> {
    /// Parses the document's text.
    ///
    /// # Errors
    /// If it is not JSON, or not of this comparison.
    pub fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Row {
        zeta: String,
        alpha: f64,
    }

    fn sample() -> Document<Row, Vec<u32>> {
        let rows = vec![Row { zeta: "a".into(), alpha: 1.5 }];
        let host = Host { cpu_model: "A".into(), cores: 2, hashmill: "0.1.0".into(), ..Host::default() };
        let timestamp = "2026-11-21T12:00:00+00:00".to_string();
        Document { host, ..Document::here("sample", timestamp, rows, vec![7]) }
    }

    #[test]
    fn its_shape_is_the_one_that_programs_know() {
        let wanted = r#"{
  "comparison": "sample",
  "host": {
    "cpu_model": "A",
    "processor": "",
    "cores": 2,
    "memory_bytes": 0,
    "system": "",
    "hashmill": "0.1.0"
  },
  "timestamp": "2026-11-21T12:00:00+00:00",
  "rows": [
    {
      "zeta": "a",
      "alpha": 1.5
    }
  ],
  "summary": [
    7
  ]
}
"#;
        assert_eq!(sample().to_json(), wanted);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut document = sample();
        document.interrupted = true;
        document.warnings.push("the machine was busy".into());
        document.more.insert("results".into(), Value::from(vec![1, 2]));
        let text = document.to_json();
        assert_eq!(Document::from_json(text.as_bytes()).unwrap(), document);
        assert!(Document::<Row, Vec<u32>>::from_json(&text.as_bytes()[1..]).is_err());
    }
}
