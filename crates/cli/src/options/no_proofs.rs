//! Stand-in for comparisons with stores in builds without them.

use clap::Args;

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct Proofs {}

/// No options; a manifest is required.
#[derive(Debug, Default, Clone, Args)]
#[command(mut_arg("manifest", |manifest| manifest.required(true)))]
pub struct Against {}
