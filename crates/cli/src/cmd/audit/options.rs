//! What can be typed.

use crate::options::report::Report;
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::Sources;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// hashloom audit
#[derive(Debug, Args)]
pub struct Options {
    /// Files and directories [default: what the manifests name]
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// A manifest of what there should be; may be given more than once
    #[arg(short, long, value_name = "MANIFEST", required = true)]
    pub known: Vec<PathBuf>,
    /// Say of changed and new files what this index of known digests says of them; may be given more than
    /// once
    #[arg(long, value_name = "SET")]
    pub known_set: Vec<PathBuf>,
    /// List what is not as it should be; twice: list everything
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// How the result is written
    #[arg(short, long, value_enum, default_value_t = Report::Text)]
    pub format: Report,
    /// Write the next manifest here: what is there now, in the known manifest's format
    #[arg(long, value_name = "FILE")]
    pub update: Option<PathBuf>,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}
