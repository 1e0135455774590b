//! `--allow-remote`.

use crate::access;
use clap::Args;
use hashmill_lists::listed::Reach;

/// Permission to follow addresses in lists.
#[derive(Debug, Default, Clone, Copy, Args)]
pub struct Remote {
    /// Read s3://, gs://, az://, https:// and file:// addresses in lists; without it they are paths of files, so that a
    /// list can't make requests
    #[arg(long)]
    pub allow_remote: bool,
}

impl Remote {
    /// Returns where paths in lists may lead.
    pub fn reach(self) -> Reach {
        if self.allow_remote { Reach::Remote(access::stores()) } else { Reach::Files }
    }
}
