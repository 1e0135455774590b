//! The volumes of an archive that was cut into several files, which stand beside each other.

use super::archive_file::{ArchiveFile, VolumeFile};
use crate::inside::site::Site;
use hashmill_archive::Volumes;
use hashmill_os::names;
use std::io;

/// The most parts of what was cut: more files are not opened at once.
const MAX_VOLUMES: usize = 512;

/// Joins an archive with the volumes beside it, if it has several. One that can't be joined says why when it is listed.
pub(super) fn joined(archive: ArchiveFile) -> ArchiveFile {
    let name = |site: &Site| site.path.file_name().map(|name| names::bytes(name).into_owned());
    let Some((site, name)) = archive.site().and_then(|site| Some((site.clone(), name(site)?))) else {
        return archive;
    };
    let files = match Volumes::of(&name, &archive) {
        None => return archive,
        Some(Volumes::NotLast(last)) => {
            Err(format!("a volume of an archive (give {}, the last one)", last.escape_ascii()))
        }
        Some(Volumes::Zip(names)) => {
            let mut all = names.into_iter().chain([name]);
            all.try_fold(Vec::new(), |files, name| add(&site, &name, files)).map(|files| (files, true))
        }
        Some(Volumes::Cut(before, size)) => cut(&site, &before, size).map(|files| (files, false)),
    };
    match files {
        Ok((files, has_places)) => archive.joined(files, has_places),
        Err(why) => archive.lacking(why),
    }
}

/// Opens the parts that are there of what was cut.
fn cut(site: &Site, before: &[u8], size: Option<u64>) -> Result<Vec<VolumeFile>, String> {
    let mut files = Vec::new();
    for number in 1..=MAX_VOLUMES {
        let name = Volumes::part(before, number);
        let is_there = !matches!(open(site, &name, 0), Err(why) if why.kind() == io::ErrorKind::NotFound);
        let known = files.last().map_or(0, |file: &VolumeFile| file.start + file.size);
        if !is_there && size.is_none_or(|size| size <= known) {
            break;
        }
        files = add(site, &name, files)?;
    }
    Ok(files)
}

/// Opens a volume behind those before it.
fn add(site: &Site, name: &[u8], mut files: Vec<VolumeFile>) -> Result<Vec<VolumeFile>, String> {
    let start = files.last().map_or(0, |file| file.start + file.size);
    let file = open(site, name, start).map_err(|why| {
        let name = name.escape_ascii();
        match why.kind() {
            io::ErrorKind::NotFound => format!("an archive of several volumes, of which {name} is missing,"),
            _ => format!("an archive of several volumes, of which {name} can't be opened ({why}),"),
        }
    })?;
    files.push(file);
    Ok(files)
}

fn open(site: &Site, name: &[u8], start: u64) -> io::Result<VolumeFile> {
    let site = Site { path: site.path.with_file_name(&*names::path_to_try(name)), ..site.clone() };
    let (opener, path) = site.opener().map_err(|error| io::Error::other(error.to_string()))?;
    let file = opener.open(&path)?;
    let size = file.size()?;
    Ok(VolumeFile { file, site, start, size })
}
