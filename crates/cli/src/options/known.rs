//! Filters of sets of known digests.

use clap::Args;
use hashmill_job::Error;
use hashmill_known::{Filter, Sets};
use std::path::PathBuf;

/// The application types that count.
#[derive(Debug, Clone, Default, Args)]
pub struct Types {
    /// Ignore "known" and "good" claims for this application type ('Hacker Tool'); may be given more than once
    #[arg(long, value_name = "TYPE", requires = "known")]
    pub exclude_type: Vec<Box<str>>,
    /// Accept "known" and "good" claims for this application type only; may be given more than once
    #[arg(long, value_name = "TYPE", requires = "known")]
    pub only_type: Vec<Box<str>>,
}

impl Types {
    /// Converts the options to the library's filter.
    pub fn filter(&self) -> Filter {
        Filter {
            categories: Vec::new(),
            exclude_types: self.exclude_type.clone(),
            only_types: self.only_type.clone(),
        }
    }

    /// Opens indexes with this filter.
    ///
    /// # Errors
    /// If one is not usable.
    pub fn open(&self, known: &[PathBuf]) -> Result<Sets, Error> {
        Ok(Sets::open(known, self.filter())?)
    }
}
