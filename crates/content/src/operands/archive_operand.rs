//! Operands that are archives in the place of a folder. In a build without archives there are none.

use crate::archive_folder::ArchiveFolder;
use crate::archive_folder::LinkTexts;
#[cfg(feature = "images")]
pub use crate::archives::{is_known, open_folder};
use crate::chosen::{InsideFilter, without_passages};
#[cfg(feature = "images")]
use crate::images::is_image;
#[cfg(feature = "images")]
use crate::operands::inner;
use crate::resources::Resources;
use crate::wanted::{BackingFiles, Inside};
use hashmill_engine::flow::Entries;
use hashmill_os::names::path_to_try;
use hashmill_source::{Entry, Meta, WalkItem, WalkOptions};
use std::collections::HashSet;
use std::sync::Arc;

/// Returns `None`: this build knows no archives.
#[cfg(not(feature = "images"))]
pub fn open_folder(_: &[u8], _: &Resources) -> Option<Box<ArchiveFolder>> {
    None
}

/// Returns false: this build knows no images.
#[cfg(not(feature = "images"))]
fn is_image(_: &[u8], _: bool, _: &Resources) -> bool {
    false
}

/// Returns false: this build knows no archives.
#[cfg(not(feature = "images"))]
pub(crate) fn is_known(_: &[u8], _: &Resources) -> bool {
    false
}

/// Returns why what is inside of a named file is not read: it is an archive or an image and nobody asked, or it was asked for
/// and there is nothing that is known.
pub fn not_looked_into(path: &[u8], inside: &Inside, resources: &Resources) -> Option<&'static str> {
    if resources.stores.is_location(path) {
        return None;
    }
    let meta = Meta::at(&path_to_try(path)).ok()?;
    if (meta.is_file() || meta.is_block_device()) && is_image(path, inside.files, resources) {
        return (!inside.media).then_some("is an image, and is not looked into (--inside images)");
    }
    if !meta.is_file() {
        return None;
    }
    match is_known(path, resources) {
        true => (!inside.archives).then_some("is an archive, and is not looked into (--inside archives)"),
        false => (inside.archives || inside.files).then_some("nothing that is known is inside"),
    }
}

/// Returns whether a path is that of an archive, which may take the place of a folder.
pub fn is_archive(path: &[u8], resources: &Resources) -> bool {
    open_folder(path, resources).is_some()
}

/// Opens an archive or image that takes the place of a folder, or a path inside of one. Returns the path that those of its files
/// begin with.
pub fn open_operand(
    path: &[u8],
    inside: &Inside,
    backing: &BackingFiles,
    resources: &Resources,
) -> Option<(Box<[u8]>, Box<ArchiveFolder>)> {
    #[cfg(feature = "images")]
    if let Some(opened) = inner::open_folder(path, inside, backing, resources) {
        return Some(opened);
    }
    #[cfg(not(feature = "images"))]
    let _ = (inside, backing);
    Some((path.into(), open_folder(path, resources)?))
}

/// Returns the members of an archive that takes the place of a folder, as the files below it, with those left out that a
/// walk with these options leaves out; none if it is none.
pub fn as_folder(
    path: &[u8],
    resources: &Resources,
    texts: Option<LinkTexts>,
    options: WalkOptions,
) -> Option<Entries> {
    Some(chosen(open_folder(path, resources)?(texts), path, options))
}

/// Returns the files below a root, with those left out that a walk with these options leaves out.
pub(crate) fn chosen(files: Entries, root: &[u8], options: WalkOptions) -> Entries {
    Box::new(InsideFilter::new(Arc::new(options)).chosen_below(files, root).map(without_passages))
}

/// Returns the folder of an archive that all of its entries are below, as `tar cf x.tar x` makes it, unless the other side of a
/// comparison has such a folder, too.
pub fn only_root(
    path: &[u8],
    folder: &ArchiveFolder,
    is_there: impl FnOnce(&[u8]) -> bool,
) -> Option<Box<[u8]>> {
    let members = folder(None);
    let first_name = |item: WalkItem| {
        let (WalkItem::File(Entry { path: place, .. }) | WalkItem::Skipped { path: place, .. }) = item else {
            return None;
        };
        let below = place.strip_prefix(path)?.strip_prefix(b"/")?;
        let slash = below.iter().position(|&byte| byte == b'/')?;
        below.get(..slash).map(Box::<[u8]>::from)
    };
    // A passage is an archive that is looked into; a failure is told whatever its path is.
    let is_entry = |item: &WalkItem| match item {
        WalkItem::File(entry) => !entry.is_passage,
        WalkItem::Skipped { .. } => true,
        WalkItem::Failed(_) => false,
    };
    let mut entries = members.filter(is_entry);
    let root = entries.next().and_then(first_name)?;
    let mut is_only = || entries.all(|item| first_name(item).is_some_and(|name| name == root));
    (!is_there(&root) && is_only()).then_some(root)
}

/// Returns the paths of the files in an archive, as those of files below it; none if there are too many to keep.
pub fn paths_in(path: &[u8], resources: &Resources) -> HashSet<Box<[u8]>> {
    open_folder(path, resources).map_or_else(HashSet::new, |members| paths_of(members(None)))
}

/// Returns the paths of these files; none if there are too many to keep.
pub fn paths_of(files: Entries) -> HashSet<Box<[u8]>> {
    const MAX_PATHS: usize = 1 << 20;
    let paths =
        files.filter_map(|item| if let WalkItem::File(entry) = item { Some(entry.path) } else { None });
    let paths: HashSet<_> = paths.take(MAX_PATHS + 1).collect();
    if paths.len() > MAX_PATHS { HashSet::new() } else { paths }
}
