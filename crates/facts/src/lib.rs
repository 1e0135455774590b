//! Facts about the content of a file that are no digests: its type, and how evenly its bytes are spread.
//!
//! This crate opens no files: bytes are passed in any number of parts, and the parts don't change the results. Rules are
//! looked for by a [`ContentScanner`] that the caller brings. Each row
//! of [`FACTS`] is one fact. Types are decided from the [first and last bytes](ends::Ends) alone, entropy from a
//! [histogram](Histogram) of all bytes.
//!
//! ```
//! use hashmill_facts::{Ends, Histogram};
//! let mut ends = Ends::new(None);
//! ends.push(b"%PDF-1.7\n");
//! assert_eq!(ends.content_type().unwrap().mime, "application/pdf".into());
//! let mut histogram = Histogram::default();
//! histogram.update(b"abab");
//! assert_eq!(histogram.entropy().bits.to_string(), "1.000000");
//! ```

mod content;
mod ends;
mod entropy;
mod fact;
mod facts;
mod histogram;
mod limits;
mod pronom;
mod rules;

pub use content::{ContentType, is_mismatch};
pub use ends::{Ends, EndsAt};
pub use entropy::{Bits, ChiSquare, Entropy};
pub use fact::{FACTS, Fact, FactRow, FactSet, UnknownFact};
pub use facts::{Class, ContentFacts};
pub use histogram::Histogram;
pub use limits::END_BYTES;
pub use pronom::{Basis, Pronom, PronomFormat, SignatureError, Signatures};
pub use rules::{ContentScanner, Meta, MetaValue, Rule, RuleFacts, RuleMatch, ScanStatus, StringMatches};
