//! The formats of images, their files, and facts about them.

use crate::finding::lossy;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Expert Witness version 1: E01, and S01 by SMART.
    Ewf1,
    /// Expert Witness version 1 of single files: L01.
    Ewf1Logical,
    /// Expert Witness version 2: Ex01.
    Ewf2,
    /// Expert Witness version 2 of single files: Lx01.
    Ewf2Logical,
    /// Plain media bytes, in one file or several.
    Raw,
    /// QCOW2 of QEMU, versions 2 and 3.
    Qcow2,
    /// VMDK of VMware: sparse, stream-optimised or flat, in one file or several.
    Vmdk,
    /// VHD of Virtual PC and Hyper-V: fixed or dynamic.
    Vhd,
    /// VHDX of Hyper-V.
    Vhdx,
    /// VDI of VirtualBox.
    Vdi,
    /// AFF4, the Advanced Forensic Format, of disks.
    Aff4,
}

/// One file of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// The path.
    #[serde(serialize_with = "lossy")]
    pub path: Option<Arc<Path>>,
    /// The position among the segments, from 1.
    pub number: u64,
    /// The size in bytes.
    pub size: u64,
}

/// A fact of a virtual disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Its name, in a few words.
    pub name: &'static str,
    /// Its value, as text; any characters, if it comes from the image.
    pub value: String,
}

impl Fact {
    pub(crate) fn new(name: &'static str, value: impl ToString) -> Fact {
        Fact { name, value: value.to_string() }
    }
}
