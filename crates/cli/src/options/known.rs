//! What counts of sets of known digests.

use clap::Args;
use hashloom_job::Error;
use hashloom_known::{Filter, Sets};
use std::path::PathBuf;

/// Which entries of the sets count.
#[derive(Debug, Clone, Default, Args)]
pub struct Types {
    /// What is of this application type ('Hacker Tool') is not good or known because of that; may be
    /// given more than once
    #[arg(long, value_name = "TYPE", requires = "known")]
    pub exclude_type: Vec<Box<str>>,
    /// Only what is of this application type is good or known; may be given more than once
    #[arg(long, value_name = "TYPE", requires = "known")]
    pub only_type: Vec<Box<str>>,
}

impl Types {
    /// The same for the library.
    pub fn filter(&self) -> Filter {
        Filter {
            categories: Vec::new(),
            exclude_types: self.exclude_type.clone(),
            only_types: self.only_type.clone(),
        }
    }

    /// Opens indexes.
    ///
    /// # Errors
    /// If one is not usable.
    pub fn open(&self, known: &[PathBuf]) -> Result<Sets, Error> {
        Ok(Sets::open(known, self.filter())?)
    }
}
