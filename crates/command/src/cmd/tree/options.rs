//! Options of `hashmill tree`.

use crate::options::model::Serialization;
use crate::options::resources::ResourceOptions;
use crate::options::values::glob;
use clap::Args;
use clap::builder::PossibleValue;
use hashmill_tree::{SYSTEMS, System, find_system};
use std::path::PathBuf;

/// hashmill tree
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hashmill tree -c git checkout                      as git write-tree, after all files are added
  hashmill tree -c dirhash --prefix example.com/m@v1.0.0 m    Go's h1: of a module
  hashmill tree -c swhid,git release-1.0             several, every file is read once
  hashmill tree -c model llama --expect 5891b5b5…    exit code 1 if it is another one

A directory that has an entry that could not be read has no digest, nor has one with an entry that the system
has no place for (a device, a link in a model): exit code 2. .gitignore files are not heeded.")]
pub struct Options {
    /// The systems, comma-separated: dirhash, git, git-sha256, swhid, model
    #[arg(
        short = 'c',
        long = "algorithms",
        id = "algorithms",
        value_name = "ALG",
        required = true,
        value_delimiter = ',',
        value_parser = SystemParser
    )]
    pub systems: Vec<&'static System>,
    /// Directories
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// The expected digest; exit code 1 if another one is found
    #[arg(long, value_name = "DIGEST")]
    pub expect: Option<String>,
    /// The text before each name in a dirhash: MODULE@VERSION for Go modules
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub prefix: String,
    /// Follow symbolic links to files, in systems that otherwise refuse links (model)
    #[arg(long)]
    pub follow: bool,
    /// Skip files that match, and directories that match with all below them; may be given more than once
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub exclude: Vec<String>,
    /// Write results as FORMAT
    #[arg(short = 'f', long, value_name = "FORMAT", value_enum, default_value_t = TreeFormat::Text)]
    pub format: TreeFormat,
    #[command(flatten)]
    pub models: Serialization,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Forms of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TreeFormat {
    /// A digest and a directory a line
    Text,
    /// One JSON array
    Json,
    /// A JSON object a line
    Jsonl,
}

/// Reads the name of a system.
#[derive(Debug, Clone)]
struct SystemParser;

impl clap::builder::TypedValueParser for SystemParser {
    type Value = &'static System;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<&'static System, clap::Error> {
        let names = clap::builder::PossibleValuesParser::new(SYSTEMS.iter().map(|row| row.name));
        let name = value.to_str().and_then(find_system);
        name.map_or_else(
            || names.parse_ref(command, arg, value).map(|name| find_system(&name).unwrap_or(&SYSTEMS[0])),
            Ok,
        )
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(SYSTEMS.iter().map(|row| PossibleValue::new(row.name).help(row.about))))
    }
}
