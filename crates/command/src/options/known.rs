//! Filters of sets of known digests.

use crate::words::tip::similar;
use crate::words::typed;
use anyhow::bail;
use clap::Args;
use hashmill_job::Error;
use hashmill_known::{Filter, Index, Sets};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The application types that count.
#[derive(Debug, Clone, Default, Args)]
pub struct Types {
    /// Ignore "known" and "good" claims for this application type ('Hacker Tool'); may be given more than once
    #[arg(long, value_name = "TYPE")]
    pub exclude_type: Vec<Box<str>>,
    /// Accept "known" and "good" claims for this application type only; may be given more than once
    #[arg(long, value_name = "TYPE")]
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
    /// If one is not usable, or has no product of a type that was typed.
    pub fn open(&self, known: &[PathBuf]) -> anyhow::Result<Sets> {
        let sets = Sets::open(known, self.filter()).map_err(Error::from)?;
        for (option, wanted) in [("exclude-type", &self.exclude_type), ("only-type", &self.only_type)] {
            if !typed::has_option(option) {
                continue;
            }
            let types: BTreeSet<Box<str>> = sets.indexes().iter().flat_map(Index::types).collect();
            let is_there = |name: &str| types.iter().any(|kind| kind.eq_ignore_ascii_case(name));
            if let Some(unknown) = wanted.iter().find(|name| !is_there(name)) {
                let near = similar(unknown, types.iter().map(|kind| &**kind));
                bail!("--{option}: no product of these sets is of the type '{unknown}'{near}");
            }
        }
        Ok(sets)
    }
}
