//! The options of a command that this build lacks: it takes any words, so that it can say how to get it.

use clap::Args;
use std::ffi::OsString;

/// hashmill COMMAND
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
#[command(override_help = "This build was made without this command; docs/features.md says how to get it.")]
pub struct Options {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}
