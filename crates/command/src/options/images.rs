//! `--images`, `--inside` and the options of the latter.

use super::values::number;
use crate::words::amount::BinaryBytes;
use crate::words::message::Shown;
use crate::words::{typed, unused};
use clap::{Args, ValueEnum};
use hashmill_content::imaging::ExportRefusal;
use hashmill_content::{BackingFiles, Inside, Misfit};
use hashmill_digest::parse_size;
use hashmill_output::WriteError;
use std::path::PathBuf;

/// Returns the message for an output that can't be written, with sizes in binary units.
pub fn write_message(error: &WriteError) -> String {
    let refusal = error.cause().get_ref().and_then(|cause| cause.downcast_ref::<ExportRefusal>());
    let why = match refusal {
        Some(ExportRefusal::Missing { size, held }) => format!(
            "the image should have {}, but only {} are in it; -o FILE leaves holes for the rest",
            BinaryBytes(*size),
            BinaryBytes(*held)
        ),
        Some(ExportRefusal::Room { held, free }) => format!(
            "the media may take {}, and {} are free; --force tries it, as zeros take no room",
            BinaryBytes(*held),
            BinaryBytes(*free)
        ),
        _ => return error.to_string(),
    };
    error.with_cause(&why)
}

/// The options that read what is in forensic images and archives.
#[derive(Debug, Clone, Args)]
pub struct Images {
    /// Read forensic images (Expert Witness: E01, Ex01, S01, L01, Lx01; AFF4; QCOW2, VMDK, VHD, VHDX, VDI) as the
    /// media or files that they contain
    #[arg(long)]
    images: bool,
    /// Read what is inside of these files, too: the members of archives, as ARCHIVE!/PATH, and what was compressed; for
    /// images, their media and every file in the file systems on them, as IMAGE!/p1/PATH for those of the first
    /// partition. Filters choose among them by their paths inside
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    inside: Vec<InsideKind>,
    /// With --images or --inside images, a file that QCOW2 images may be layers over, found by the file name that a layer
    /// states; may be given more than once
    #[arg(long, value_name = "FILE")]
    backing: Vec<PathBuf>,
    /// With --inside, leave out the images and archives themselves: only what is inside of them is read, and what lies beside
    /// them. Of an image, what no file uses is not read, and of a zip in a store no member that filters leave out
    #[arg(long)]
    only_inside: bool,
    /// With --inside images, read deleted files, too, as far as their content is still there
    #[arg(long)]
    deleted: bool,
    /// With --inside images, read the places that no file uses, too, as p1/$Unalloc/OFFSET-LENGTH, and print how many
    /// bytes have which use
    #[arg(long)]
    unallocated: bool,
    /// With --inside archives, refuse members beyond 64 MiB that are more than N times what is stored of them (holes of
    /// sparse files count as stored); 0 reads any
    #[arg(long, value_name = "N", default_value_t = Inside::RATIO, value_parser = number::<u64>)]
    max_ratio: u64,
    /// With --inside, read archives and images in each other to this depth
    #[arg(long, value_name = "N", default_value_t = Inside::NESTING, value_parser = number::<u32>)]
    max_nesting: u32,
    /// With --inside, stop after this many members of an archive, with those of archives in it, or files of partitions that
    /// lie over each other
    #[arg(long, value_name = "N", default_value_t = Inside::MEMBERS, value_parser = number::<u64>)]
    max_members: u64,
    /// With --inside, stop after this many bytes of members of an archive, with those of archives in it, or zeros that an
    /// image only claims
    #[arg(long, value_name = "SIZE", default_value = EXPANDED, value_parser = parse_size)]
    max_expanded: u64,
}

/// The usual limit of the bytes of members.
const EXPANDED: &str = "1T";

/// A kind of file that has other files inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InsideKind {
    /// Archives: zip, tar, 7z, cpio, ar, deb, rpm; and what gzip, zstd, xz, bzip2, lz4, lzma, lzip and compress made
    Archives,
    /// Images of disks
    Images,
    /// Both, and archives on images
    All,
    /// Neither: undoes a setting or a default
    None,
}

/// Tells at the end if no image is a layer over any of these files; there may be more than are needed.
pub fn watch_backing(files: &BackingFiles) {
    let files = files.clone();
    unused::watch(move || {
        let unused = files.first_unused().filter(|_| typed::has_option("backing"));
        let text = |path| format!("--backing: has no effect: no image is a layer over {}", Shown::path(path));
        unused.map(text).into_iter().collect()
    });
}

impl Images {
    /// Returns the files that images may be layers over.
    ///
    /// # Errors
    /// If two have the same file name.
    pub fn backing(&self) -> Result<BackingFiles, Misfit> {
        BackingFiles::new(self.backing.clone()).inspect(watch_backing)
    }

    /// Returns what is read of images.
    pub fn inside(&self) -> Inside {
        let has = |kind| self.inside.iter().any(|given| [kind, InsideKind::All].contains(given));
        let files = has(InsideKind::Images);
        Inside {
            media: self.images || files,
            files,
            deleted: self.deleted,
            unallocated: self.unallocated,
            archives: has(InsideKind::Archives),
            only: self.only_inside,
            max_ratio: self.max_ratio,
            max_nesting: self.max_nesting,
            max_members: self.max_members,
            max_expanded: self.max_expanded,
        }
    }
}
