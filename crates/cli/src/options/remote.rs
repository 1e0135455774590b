//! Where the paths in lists may lead.

use clap::Args;
use hashloom_job::listed::Reach;

/// The option.
#[derive(Debug, Default, Clone, Copy, Args)]
pub struct Remote {
    /// Read what lists name as s3://, gs://, az://, https:// or file://; else these are paths of files, so that a list
    /// makes no requests
    #[arg(long)]
    pub allow_remote: bool,
}

impl Remote {
    /// Where paths may lead.
    pub fn reach(self) -> Reach {
        if self.allow_remote { Reach::Remote } else { Reach::Files }
    }
}
