//! Which files: lists and filters.

use clap::Args;
use hashloom_source::parse_size;
use std::ffi::OsString;
use std::path::PathBuf;

/// Which files.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Which files")]
pub struct Sources {
    /// Take the paths from FILE, one a line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The paths of --files-from end with NUL, not with a line feed
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,
    /// Only files that match; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// No files that match, nothing below directories that match; may be given more than once
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Only files of at least SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub min_size: Option<u64>,
    /// Only files of at most SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_size: Option<u64>,
    /// Only files that changed after this file did, or after this time (RFC 3339; a date means
    /// its midnight, UTC)
    #[arg(long, value_name = "FILE|TIME")]
    pub newer: Option<OsString>,
    /// Follow symbolic links below the paths, too
    #[arg(long)]
    pub follow: bool,
    /// Don't enter other file systems
    #[arg(long)]
    pub one_file_system: bool,
    /// Read forensic images (Expert Witness: E01, Ex01, S01, L01, Lx01) as their media, and logical ones
    /// as the files in them
    #[arg(long)]
    pub images: bool,
}

impl Sources {
    /// Whether any option chooses among the files of a walk.
    pub fn is_filter(&self) -> bool {
        let globs = self.include.len() + self.exclude.len() > 0;
        let bounds =
            self.images || self.min_size.is_some() || self.max_size.is_some() || self.newer.is_some();
        globs || bounds || self.follow || self.one_file_system
    }
}
