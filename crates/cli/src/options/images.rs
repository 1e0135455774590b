//! `--images`, `--inside` and the options of the latter.

use clap::{Args, ValueEnum};
use hashloom_job::Inside;

/// The options that read what is in forensic images.
#[derive(Debug, Clone, Args)]
pub struct Images {
    /// Read forensic images (Expert Witness: E01, Ex01, S01, L01, Lx01; QCOW2, VMDK, VHD, VHDX, VDI) as the media or
    /// files that they contain
    #[arg(long)]
    images: bool,
    /// Read what is inside of these files, too: for images, their media and every file in the file systems on them, as
    /// IMAGE!/p1/PATH for those of the first partition. Filters are for the images themselves
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    inside: Vec<InsideKind>,
    /// With --inside images, read deleted files, too, as far as their content is still there
    #[arg(long, requires = "inside")]
    deleted: bool,
    /// With --inside images, read the places that no file uses, too, as p1/$Unalloc/OFFSET-LENGTH, and print how many
    /// bytes have which use
    #[arg(long, requires = "inside")]
    unallocated: bool,
    /// With --inside, refuse files beyond 64 MiB that claim more than N times the bytes that are stored of them; 0 reads
    /// any
    #[arg(long, value_name = "N", default_value_t = Inside::RATIO, requires = "inside")]
    max_ratio: u64,
}

impl Default for Images {
    fn default() -> Images {
        Images {
            images: false,
            inside: Vec::new(),
            deleted: false,
            unallocated: false,
            max_ratio: Inside::RATIO,
        }
    }
}

/// A kind of file that has other files inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InsideKind {
    /// Images of disks
    Images,
}

impl Images {
    /// Returns whether images are read as what is in them.
    pub fn is_given(&self) -> bool {
        self.inside().media
    }

    /// Returns what is read of images.
    pub fn inside(&self) -> Inside {
        let files = self.inside.contains(&InsideKind::Images);
        Inside {
            media: self.images || files,
            files,
            deleted: self.deleted,
            unallocated: self.unallocated,
            max_ratio: self.max_ratio,
        }
    }
}
