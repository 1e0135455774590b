//! Comparisons by what stores say, in a build that does not reach them: there are no options.

use clap::Args;

/// Nothing.
#[derive(Debug, Default, Clone, Args)]
pub struct Proofs {}

/// Nothing: a manifest is what an audit is made against.
#[derive(Debug, Default, Clone, Args)]
#[command(mut_arg("manifest", |manifest| manifest.required(true)))]
pub struct Against {}
