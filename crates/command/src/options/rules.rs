//! Options about rules of YARA.

use super::values::seconds;
use clap::Args;
use hashmill_digest::parse_size;
use hashmill_job::hash::Scan;
use hashmill_rules::{Limits, RuleSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Options about rules of YARA.
#[derive(Debug, Clone, Args)]
pub struct RuleOptions {
    /// Also find the rules of YARA that match the content of each file: those of this file, or of the files in this folder
    /// (.yar, .yara, .rule, .rules); may be given more than once. Exit code 1 says that a rule matches (formats jsonl, csv,
    /// dfxml, ecs, premis, parquet, sqlite)
    #[arg(long, value_name = "RULES")]
    pub yara: Vec<PathBuf>,
    /// Add where the strings of matching rules occur
    #[arg(long, requires = "yara")]
    pub yara_strings: bool,
    /// The longest content that is scanned, at most half of -m; a longer one is named, and the exit code is 2 [default: 64M, or
    /// half of -m if that is less]
    #[arg(long, value_name = "SIZE", value_parser = content_size, requires = "yara")]
    pub yara_max: Option<usize>,
    /// The longest time for the scan of one file; then it is named, and the exit code is 2
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "yara", default_value = "60")]
    pub yara_timeout: Duration,
}

/// Parses the length of a content.
fn content_size(text: &str) -> Result<usize, String> {
    let size = parse_size(text).map_err(|error| error.to_string())?;
    match usize::try_from(size) {
        Ok(0) => Err("nothing would be scanned".to_string()),
        Ok(size) => Ok(size),
        Err(_) => Err("longer than the address space".to_string()),
    }
}

impl RuleOptions {
    /// Compiles the rules.
    ///
    /// # Errors
    /// If they are not usable.
    pub fn scan(&self) -> anyhow::Result<Option<Scan>> {
        if self.yara.is_empty() {
            return Ok(None);
        }
        let limits = Limits { timeout: self.yara_timeout, strings: self.yara_strings };
        let rules = RuleSet::load(&self.yara, limits)?;
        Ok(Some(Scan { scanner: Arc::new(rules), longest: self.yara_max }))
    }
}
