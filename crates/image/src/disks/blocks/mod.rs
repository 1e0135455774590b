//! Virtual disks: media in blocks, which tables map to places in files. The formats have a folder each; all else of
//! this crate knows only this map.

mod map;
mod opening;
mod pages;
mod read;
mod stored;
mod used;

pub(crate) use crate::inflate::Packing;
pub(crate) use map::{BlockMap, Blocks, Filling, Packed, Place, Report, Source, Stretch, Structure, fault};
pub(crate) use opening::{DiskFile, Opening};
pub(crate) use pages::Pages;
pub(crate) use read::Piece;
pub(crate) use stored::Fillings;
pub(crate) use used::Used;
