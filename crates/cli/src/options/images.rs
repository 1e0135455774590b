//! `--images`.

use clap::Args;

/// The option that reads forensic images as media or files.
#[derive(Debug, Default, Clone, Args)]
pub struct Images {
    /// Read forensic images (Expert Witness: E01, Ex01, S01, L01, Lx01) as the media or files that they contain
    #[arg(long)]
    images: bool,
}

impl Images {
    /// Returns whether the option was given.
    pub fn is_given(&self) -> bool {
        self.images
    }
}
