//! Options of `hashmill dupes`.

use crate::options::algorithms::{Name, algorithm};
use crate::options::resources::ResourceOptions;
use crate::options::signatures::Guarded;
use crate::options::sources::{OF_IMAGES, Sources};
use crate::results::report::ListReport;
use clap::{Arg, Args};
use std::ffi::OsString;
use std::path::PathBuf;

/// The help of `-0`.
const NULL: &str = "Paths in --files-from end with NUL, and so do the names that are printed, raw; another NUL ends each group";

/// hashmill dupes
#[derive(Debug, Args)]
#[command(
    mut_args(without_images),
    mut_arg("null", |arg| arg.help(NULL)),
    after_help = "Examples:
  hashmill dupes ~/Pictures                         groups, the one that wastes most first
  hashmill dupes -f json a b > duplicates.json
  hashmill dupes photos.manifest                    the records of a manifest, no file is read
  hashmill dupes -0 d | xargs -0 -n1 ls -l     

Nothing is deleted or linked. Empty files are left out unless --min-size 0 is given."
)]
pub struct Options {
    /// Files and directories; a single file is a manifest, as one file alone has no duplicates
    #[arg(value_name = "PATH", required_unless_present_any = ["manifest", "files_from"])]
    pub paths: Vec<OsString>,
    /// Take the records of this manifest (- is standard input) and read no file; may be given more than once
    #[arg(short = 'k', long, value_name = "MANIFEST", conflicts_with_all = ["paths", "files_from"])]
    pub manifest: Vec<PathBuf>,
    /// The cryptographic digest to compare by [default: blake3; for a manifest, the strongest that all its records
    /// have]
    #[arg(short = 'c', long = "algorithms", id = "algorithms", value_name = "ALG", value_parser = algorithm)]
    pub algorithm: Option<Name>,
    /// Also list hard links of each file; they waste no space and never form a group
    #[arg(long, conflicts_with = "null")]
    pub hard_links: bool,
    /// The form of the groups
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    #[command(flatten)]
    pub guarded: Guarded,
    #[command(flatten)]
    pub sources: Sources,
    #[command(flatten)]
    pub resources: ResourceOptions,
}

/// Hides `--images` and its kin, which are refused: links can't be told apart in images.
fn without_images(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    let is_refused = OF_IMAGES.contains(&id);
    if is_refused { arg.hide(true) } else { arg }
}
