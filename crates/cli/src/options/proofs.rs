//! How what stores say of their objects is compared.

use super::strength::strength;
use clap::Args;
use hashloom_manifest::stored::Strength;
use std::ffi::{OsStr, OsString};

/// How what stores say of their objects is compared.
#[derive(Debug, Default, Clone, Args)]
pub struct Proofs {
    /// What a store says proves nothing if it is weaker: content (a digest of all bytes), composite (of the digests of
    /// parts), crc, declared (nobody checked it), size [default: crc]
    #[arg(long, value_name = "STRENGTH", value_parser = strength)]
    pub min_strength: Option<Strength>,
    /// Read the objects of which their store says too little
    #[arg(long)]
    pub download: bool,
}

/// What an audit may be made against, other than manifests.
#[derive(Debug, Default, Clone, Args)]
#[command(mut_arg("manifest", |manifest| manifest.required_unless_present("against")))]
pub struct Against {
    /// What there should be, instead of a manifest: a folder, a manifest, or a location in a store (s3://bucket/photos/)
    #[arg(long, value_name = "WHERE", conflicts_with_all = ["manifest", "update", "known_set"])]
    against: Option<OsString>,
}

impl Proofs {
    /// What proves less is no proof.
    pub fn least(&self) -> Strength {
        self.min_strength.unwrap_or(Strength::Crc)
    }
}

impl Against {
    /// What was named.
    pub fn place(&self) -> Option<&OsStr> {
        self.against.as_deref()
    }
}
