//! Whether forensic images are read as what is in them.

use clap::Args;

/// `--images`.
#[derive(Debug, Default, Clone, Args)]
pub struct Images {
    /// Read forensic images (Expert Witness: E01, Ex01, S01, L01, Lx01) as their media, and logical ones
    /// as the files in them
    #[arg(long)]
    images: bool,
}

impl Images {
    /// Whether it was given.
    pub fn is_given(&self) -> bool {
        self.images
    }
}
