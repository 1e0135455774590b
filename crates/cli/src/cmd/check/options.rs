//! What can be typed.

use crate::options::algorithms::{Name, algorithm};
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use clap::Args;
use std::ffi::OsString;

/// hashloom check
#[derive(Debug, Args)]
pub struct Options {
    /// Lists of digests, in any format; - is standard input
    #[arg(value_name = "SUMFILE", required = true)]
    pub lists: Vec<OsString>,
    /// The algorithm, where lines do not name it [default: learnt from the first file that matches]
    #[arg(short = 'c', long, value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// Ignore missing files: no message, no failure
    #[arg(long)]
    pub ignore_missing: bool,
    /// Also report files that no list names, below the directories of the files that one names
    #[arg(long)]
    pub new: bool,
    /// Print nothing; the exit code tells
    #[arg(short, long)]
    pub status: bool,
    /// Also fail for titles and other lines without digest and name; damaged lines always fail
    #[arg(long)]
    pub strict: bool,
    /// Name each line that is not understood, not only the first ten
    #[arg(short, long)]
    pub warn: bool,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub resources: ResourceOptions,
}
