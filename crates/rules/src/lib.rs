//! Rules of YARA: their files, compiled once, as a scanner of content.
//!
//! A [`RuleSet`] is a [`ContentScanner`](hashmill_facts::ContentScanner), by the crate boreal. This crate knows no
//! records and reads no files but those with rules.
//!
//! ```no_run
//! use hashmill_facts::ContentScanner;
//! use hashmill_rules::{Limits, RuleSet};
//! let rules = RuleSet::load(&["rules".into()], Limits::default()).unwrap();
//! let found = rules.scan(b"content"[..].into());
//! ```

mod compile;
mod error;
mod files;
mod guard;
mod rule_set;
mod watch;

pub use error::RulesError;
pub use files::{MAX_DEPTH, MAX_FILE_BYTES, MAX_FILES};
pub use rule_set::{Limits, MAX_MATCHES, MAX_PLACES, RuleSet};
pub use watch::MAX_ABANDONED;
