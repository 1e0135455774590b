//! Options of comparisons by evidence of stores.

use super::strength::strength;
use clap::Args;
use hashmill_manifest::stored::Strength;
use std::ffi::{OsStr, OsString};

/// How evidence is judged.
#[derive(Debug, Default, Clone, Args)]
pub struct Proofs {
    /// The weakest evidence that is accepted: content (a digest of all bytes), composite (of the digests of parts),
    /// crc, declared (checked by nobody), size [default: crc]
    #[arg(long, value_name = "STRENGTH", value_parser = strength)]
    pub min_strength: Option<Strength>,
    /// Download objects whose evidence is insufficient
    #[arg(long)]
    pub download: bool,
}

/// The expected state, if not from manifests.
#[derive(Debug, Default, Clone, Args)]
#[command(mut_arg("manifest", |manifest| manifest.required_unless_present("against")))]
pub struct Against {
    /// Compare with this folder, manifest or location in a store (s3://bucket/photos/) instead of -k
    #[arg(long, value_name = "WHERE", conflicts_with_all = ["manifest", "update", "reuse", "known_set"])]
    against: Option<OsString>,
}

impl Proofs {
    /// Returns the weakest evidence that is accepted.
    pub fn least(&self) -> Strength {
        self.min_strength.unwrap_or(Strength::Crc)
    }
}

impl Against {
    /// Returns the operand of `--against`.
    pub fn place(&self) -> Option<&OsStr> {
        self.against.as_deref()
    }
}
