//! Backing files of layers. A layer is opened over the file that was given with the file name that it states, and never
//! over any other: the author of an image must not choose which files of this machine are read.

use super::place::{self, shown};
use crate::misfit::Misfit;
use crate::stores::Stores;
use crate::wanted::BackingFiles;
use hashmill_image::{Error, Format, Image, Opener, Problem, StatedBacking};
use hashmill_os::names;
use std::collections::HashSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The most layers over each other, as in libvirt. Each takes memory and a part of the stack.
const MOST_LAYERS: usize = 200;

impl BackingFiles {
    /// Takes files on this machine or in stores, with different file names.
    ///
    /// # Errors
    /// [`Misfit::SameBacking`] if two have the same file name.
    pub fn new(paths: Vec<PathBuf>) -> Result<BackingFiles, Misfit> {
        let mut met = HashSet::new();
        match paths.iter().map(|path| file_name(path)).find(|name| !met.insert(name.clone())) {
            Some(twice) => Err(Misfit::SameBacking(twice)),
            None => Ok(BackingFiles { paths: paths.into(), ..BackingFiles::default() }),
        }
    }

    /// Returns the first file if no image that was opened with these files is a layer over any of them.
    pub fn first_unused(&self) -> Option<&Path> {
        let is_used = self.is_met.load(Ordering::Relaxed);
        self.paths.first().filter(|_| !is_used).map(PathBuf::as_path)
    }

    /// Returns the access to stores.
    pub(crate) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Returns the files of the images that an image is a layer over, as they are opened.
    pub(crate) fn below(&self, image: &Image) -> Arc<[PathBuf]> {
        let below = iter::successors(image.backing(), |image| image.backing());
        below.flat_map(|image| self.files_of(image)).collect()
    }

    /// Returns the files of a backing image. An address that is shown without its query means the address that was typed.
    fn files_of(&self, image: &Image) -> Vec<PathBuf> {
        let is_typed = |typed: &&PathBuf| {
            let shown = shown(typed);
            shown != **typed && image.first_path() == Some(&*shown)
        };
        match self.paths.iter().find(is_typed) {
            Some(typed) => vec![typed.clone()],
            None => {
                image.segments().iter().filter_map(|file| Some(file.path.as_ref()?.to_path_buf())).collect()
            }
        }
    }

    /// Returns which file a layer is over, by the last component of the name that it states. `\` separates components,
    /// too, as the layer may have been made on Windows.
    fn find(&self, stated: &StatedBacking) -> Option<usize> {
        [b"/".as_slice(), b"/\\"].iter().find_map(|separators| {
            let name = last_component(&stated.name, separators);
            self.paths.iter().position(|path| !name.is_empty() && *file_name(path) == *name)
        })
    }
}

/// Opens an image, over its backing file if it is a layer.
pub(super) fn open_over(opener: &Arc<dyn Opener>, path: &Path, files: &BackingFiles) -> Result<Image, Error> {
    Layers { files, used: Vec::new() }.open(opener, path)
}

/// The layers of an image, while they are opened from the top.
struct Layers<'a> {
    files: &'a BackingFiles,
    /// The files that layers were found to be over.
    used: Vec<usize>,
}

impl Layers<'_> {
    fn open(&mut self, opener: &Arc<dyn Opener>, path: &Path) -> Result<Image, Error> {
        match Image::open_by(opener, path) {
            Err(Error { problem: Problem::Backing(stated), .. }) => {
                let backing = self.open_backing(path, stated)?;
                Image::open_with_backing(opener, path, backing)
            }
            opened => opened,
        }
    }

    fn open_backing(&mut self, layer: &Path, stated: StatedBacking) -> Result<Image, Error> {
        let Some(found) = self.files.find(&stated) else {
            return Err(Error::new(layer, Problem::Backing(stated)));
        };
        if self.used.contains(&found) {
            return Err(Error::new(layer, Problem::BackingLoop(stated)));
        }
        if self.used.len() == MOST_LAYERS {
            return Err(Error::new(layer, Problem::BackingDepth(stated)));
        }
        self.used.push(found);
        self.files.is_met.store(true, Ordering::Relaxed);
        let (opener, path) = place::opener(&self.files.paths[found], Some(&self.files.stores))?;
        match stated.format {
            // The bytes of raw media may look like an image whose header a guest wrote (CVE-2008-2004).
            Some(format) if is_raw(&format) => Image::open_raw_file_by(&opener, &path),
            Some(format) => {
                let image = self.open(&opener, &path)?;
                let is_stated = format_of(&format) == Some(image.format());
                if is_stated { Ok(image) } else { Err(Error::new(&path, Problem::BackingFormat(format))) }
            }
            None => self.open(&opener, &path),
        }
    }
}

/// Returns whether this is one of QEMU's names of plain bytes.
fn is_raw(format: &[u8]) -> bool {
    [b"raw".as_slice(), b"file", b"host_device"].contains(&format)
}

/// Returns the format with this name in QEMU.
fn format_of(name: &[u8]) -> Option<Format> {
    Some(match name {
        b"qcow2" => Format::Qcow2,
        b"vmdk" => Format::Vmdk,
        b"vpc" => Format::Vhd,
        b"vhdx" => Format::Vhdx,
        b"vdi" => Format::Vdi,
        _ => return None,
    })
}

/// Returns the file name of a path or a location.
fn file_name(path: &Path) -> Box<[u8]> {
    let shown = shown(path);
    let bytes = names::path_bytes(&shown);
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    last_component(&bytes[..end], b"/").into()
}

fn last_component<'n>(name: &'n [u8], separators: &[u8]) -> &'n [u8] {
    let start = name.iter().rposition(|byte| separators.contains(byte)).map_or(0, |last| last + 1);
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str], stated: &str) -> Option<usize> {
        let files = BackingFiles::new(files.iter().map(PathBuf::from).collect()).unwrap();
        files.find(&StatedBacking { name: stated.as_bytes().into(), format: None })
    }

    #[test]
    fn a_file_is_found_by_its_file_name_alone() {
        let files = ["/a/base.raw", "b/base.qcow2", "c/"];
        for (stated, expected) in [
            ("base.qcow2", Some(1)),
            ("/etc/base.qcow2", Some(1)),
            ("../../base.raw", Some(0)),
            ("C:\\images\\base.raw", Some(0)),
            ("file:base.raw", None),
            ("BASE.RAW", None),
            ("base.raw/", None),
            ("/a/base.raw/..", None),
            ("xbase.raw", None),
            ("base.ra", None),
            ("base.raw\0", None),
            ("", None),
            ("c", Some(2)),
        ] {
            assert_eq!(found(&files, stated), expected, "{stated}");
        }
        // A name may have a backslash in it, but not on Windows, where these two have the same.
        let files = ["x/b.raw", "x/a\\b.raw"];
        let is_refused = BackingFiles::new(files.map(PathBuf::from).to_vec()).is_err();
        assert_eq!(is_refused, cfg!(windows));
        assert!(is_refused || found(&files, "/x/a\\b.raw") == Some(1));
    }

    #[test]
    fn two_files_with_one_name_are_refused() {
        let new = |files: &[&str]| BackingFiles::new(files.iter().map(PathBuf::from).collect());
        assert!(new(&["a/base", "b/base2"]).is_ok());
        assert!(matches!(new(&["a/base", "b/base/"]), Err(Misfit::SameBacking(name)) if &*name == b"base"));
    }
}
