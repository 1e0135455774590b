//! Archives that bags are written as: zip without compression, tar, and tar with gzip.

mod tar;
mod zip;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tar::Tar;
use zip::Zip;

/// A form of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArchiveForm {
    Zip,
    Tar,
    TarGzip,
}

/// The ends of names, and the forms that they stand for.
const FORMS: [(&str, Option<ArchiveForm>); 12] = [
    (".zip", Some(ArchiveForm::Zip)),
    (".tar", Some(ArchiveForm::Tar)),
    (".tar.gz", Some(ArchiveForm::TarGzip)),
    (".tgz", Some(ArchiveForm::TarGzip)),
    (".tar.bz2", None),
    (".tbz2", None),
    (".tar.xz", None),
    (".txz", None),
    (".tar.zst", None),
    (".tar.lz4", None),
    (".7z", None),
    (".rar", None),
];

/// The form that the name of a file stands for.
pub(super) enum NamedForm<'n> {
    /// None: it is the name of a folder.
    Folder,
    /// An archive that is not written here.
    Unwritten,
    /// An archive, and the name without its end.
    Archive(ArchiveForm, &'n str),
}

impl NamedForm<'_> {
    /// Returns the form that a path stands for.
    pub(super) fn new(path: &Path) -> NamedForm<'_> {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return NamedForm::Folder };
        let stem = |end: &str| {
            let start = name.len().checked_sub(end.len())?;
            let (stem, last) = name.split_at_checked(start)?;
            last.eq_ignore_ascii_case(end).then_some(stem)
        };
        match FORMS.iter().find_map(|(end, form)| Some((form, stem(end)?))) {
            None => NamedForm::Folder,
            Some((None, _)) => NamedForm::Unwritten,
            Some((Some(form), stem)) => NamedForm::Archive(*form, stem),
        }
    }
}

/// A member of an archive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'m> {
    /// The path; that of a folder ends with a slash.
    pub(super) path: &'m str,
    pub(super) size: u64,
    /// The permission bits.
    pub(super) mode: u32,
    /// Seconds since 1970.
    pub(super) mtime: i64,
}

impl Member<'_> {
    fn is_folder(&self) -> bool {
        self.path.ends_with('/')
    }
}

/// A writer of an archive. The content of each member is written between its beginning and its end.
pub(super) trait Pack {
    /// Begins a member.
    fn begin(&mut self, member: &Member<'_>) -> io::Result<()>;

    /// Returns the place for the content, which must have the size of the member.
    fn content(&mut self) -> &mut dyn Write;

    /// Ends a member, whose content has this CRC-32.
    fn end(&mut self, crc: u32) -> io::Result<()>;

    /// Ends the archive.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Begins an archive of a form in a new file.
pub(super) fn begin(form: ArchiveForm, file: File) -> Box<dyn Pack> {
    let file = BufWriter::with_capacity(1 << 18, file);
    match form {
        ArchiveForm::Zip => Box::new(Zip::new(file)),
        ArchiveForm::Tar => Box::new(Tar::new(file)),
        ArchiveForm::TarGzip => Box::new(Tar::new(GzEncoder::new(file, Compression::default()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_is_the_form() {
        let form = |name: &str| match NamedForm::new(Path::new(name)) {
            NamedForm::Archive(form, stem) => Some(Some((form, stem.to_string()))),
            NamedForm::Unwritten => Some(None),
            NamedForm::Folder => None,
        };
        assert_eq!(form("a/b.zip"), Some(Some((ArchiveForm::Zip, "b".into()))));
        assert_eq!(form("b.c.TAR.GZ"), Some(Some((ArchiveForm::TarGzip, "b.c".into()))));
        assert_eq!(form("b.tar"), Some(Some((ArchiveForm::Tar, "b".into()))));
        assert_eq!(form("b.tar.xz"), Some(None));
        for name in ["b", "zip", "b.zip.d", "é.7"] {
            assert_eq!(form(name), None, "{name}");
        }
    }
}
