//! The tag files of a new bag. Each is written whole before it gets its name, and read back from the medium. Nothing that is there loses
//! its name: what an interrupted run left has the same content, but for the date.

use super::destination::{CopyBag, DATA, DECLARATION, INFO, lacking};
use super::records::BagFile;
use hashmill_bag::{Declaration, Info, ListKind, Oxum, file_name, write_line};
use hashmill_digest::hashes::Hashes;
use hashmill_digest::{About, Algorithm, Digest};
use hashmill_os::{Links, facts_at, open_now};
use hashmill_output::{RunFiles, Unfinished, WriteError};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

/// The most bytes of the fields that an interrupted run left.
const LONGEST_INFO: u64 = 1 << 20;

/// A tag file that is being written.
struct TagFile {
    name: String,
    path: PathBuf,
    file: BufWriter<File>,
    unfinished: Unfinished,
    hashes: Hashes,
}

/// A tag file that is written and has its name.
pub(super) struct WrittenTag {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Its digests, by the algorithms of tag files.
    pub(super) digests: Vec<Digest>,
    /// Whether something had its name before.
    pub(super) was_there: bool,
}

/// The manifests of a new bag.
pub(super) struct NewTags<'a> {
    bag: &'a CopyBag,
    files: &'a RunFiles,
    /// The algorithms of the bag.
    algorithms: &'a [&'static Algorithm],
    /// The algorithms by which tag files are compared: those of the bag first.
    of_tags: &'a [&'static Algorithm],
    lists: Vec<TagFile>,
    pub(super) oxum: Oxum,
}

impl<'a> NewTags<'a> {
    /// Begins the manifests of the payload.
    ///
    /// # Errors
    /// If they can't be written.
    pub(super) fn begin(
        bag: &'a CopyBag,
        files: &'a RunFiles,
        algorithms: &'a [&'static Algorithm],
        of_tags: &'a [&'static Algorithm],
    ) -> Result<NewTags<'a>, WriteError> {
        let mut tags = NewTags { bag, files, algorithms, of_tags, lists: Vec::new(), oxum: Oxum::default() };
        for algorithm in algorithms {
            tags.lists.push(tags.tag(&file_name(ListKind::Payload, algorithm))?);
        }
        Ok(tags)
    }

    /// Adds a copy.
    ///
    /// # Errors
    /// If the manifests can't be written.
    pub(super) fn add(&mut self, file: &BagFile<'_>) -> Result<(), WriteError> {
        self.oxum.add(file.size);
        let path = format!("{}/{}", DATA, file.name);
        for ((list, algorithm), digest) in self.lists.iter_mut().zip(self.algorithms).zip(&file.digests) {
            list.write(write_line(algorithm, digest, &path).as_bytes())?;
        }
        Ok(())
    }

    /// Gives the manifests their names, and writes all tag files but the last one.
    ///
    /// # Errors
    /// If one can't be written.
    pub(super) fn end(mut self) -> Result<Vec<WrittenTag>, WriteError> {
        let lists = std::mem::take(&mut self.lists);
        let mut written = lists.into_iter().map(TagFile::end).collect::<Result<Vec<_>, _>>()?;
        written.push(self.info()?);
        let mut listed: Vec<(&str, &[Digest])> =
            written.iter().map(|tag| (&*tag.name, &*tag.digests)).collect();
        let declared = self.digests_of(Declaration::TEXT.as_bytes());
        listed.push((DECLARATION, &declared));
        listed.sort_unstable();
        let texts: Vec<(String, String)> = self
            .algorithms
            .iter()
            .enumerate()
            .map(|(place, algorithm)| {
                let line = |(name, digests): &(&str, &[Digest])| write_line(algorithm, &digests[place], name);
                (file_name(ListKind::Tags, algorithm), listed.iter().map(line).collect())
            })
            .collect();
        for (name, text) in texts {
            written.push(self.text(&name, &text)?);
        }
        Ok(written)
    }

    /// Writes the file that makes the folder a bag.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn declare(
        bag: &CopyBag,
        files: &RunFiles,
        of_tags: &[&'static Algorithm],
    ) -> Result<WrittenTag, WriteError> {
        let tags = NewTags { bag, files, algorithms: &[], of_tags, lists: Vec::new(), oxum: Oxum::default() };
        tags.text(DECLARATION, Declaration::TEXT)
    }

    /// Writes the fields, or takes those that an interrupted run wrote: they have another date.
    fn info(&self) -> Result<WrittenTag, WriteError> {
        let path = self.bag.folder.join(INFO);
        let mut info = self.bag.info.clone();
        info.fields.push(("Payload-Oxum".into(), self.oxum.to_string()));
        match left(&path) {
            Some(text) if self.is_own(&Info::parse(&text).0) => {
                let digests = self.digests_of(text.as_bytes());
                Ok(WrittenTag { name: INFO.into(), path, digests, was_there: true })
            }
            _ => self.text(INFO, &info.text()),
        }
    }

    /// Returns whether fields are those that this run would write, whatever the date and the version of the program.
    fn is_own(&self, there: &Info) -> bool {
        let agent = |info: &Info| {
            info.get("Bag-Software-Agent").and_then(|agent| agent.split(' ').next().map(str::to_string))
        };
        there.oxum() == Some(Ok(self.oxum))
            && there.fields.len() == self.bag.info.fields.len() + 1
            && agent(there) == agent(&self.bag.info)
            && lacking(&self.bag.given, Some(there)).is_none()
    }

    fn text(&self, name: &str, text: &str) -> Result<WrittenTag, WriteError> {
        let mut tag = self.tag(name)?;
        tag.write(text.as_bytes())?;
        tag.end()
    }

    fn tag(&self, name: &str) -> Result<TagFile, WriteError> {
        let path = self.bag.folder.join(name);
        let made = Unfinished::passing(&path, self.files).map_err(|error| WriteError::new(&path, error));
        let (file, unfinished) = made?;
        let hashes = Hashes::new(self.of_tags, &About::file(name.as_bytes(), None));
        Ok(TagFile { name: name.into(), path, file: BufWriter::new(file), unfinished, hashes })
    }

    fn digests_of(&self, text: &[u8]) -> Vec<Digest> {
        let mut hashes = Hashes::new(self.of_tags, &About::default());
        hashes.update(text);
        hashes.end()
    }
}

impl TagFile {
    fn write(&mut self, text: &[u8]) -> Result<(), WriteError> {
        self.hashes.update(text);
        self.file.write_all(text).map_err(|error| WriteError::new(&self.path, error))
    }

    /// Brings the file onto the disk, and gives it its name. What has that name keeps it: it is compared like all others.
    fn end(self) -> Result<WrittenTag, WriteError> {
        let TagFile { name, path, file, unfinished, hashes } = self;
        let named =
            file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
                match facts_at(&path, Links::Stay) {
                    Ok(_) => Ok(true),
                    Err(_) => unfinished.give_new_name(&file).map(|()| false),
                }
            });
        let was_there = named.map_err(|error| WriteError::new(&path, error))?;
        Ok(WrittenTag { name, path, digests: hashes.end(), was_there })
    }
}

/// Returns the text of the fields that are there.
fn left(path: &std::path::Path) -> Option<String> {
    if !facts_at(path, Links::Stay).is_ok_and(|facts| facts.is_file()) {
        return None;
    }
    let mut text = String::new();
    open_now(path, Links::Stay).ok()?.take(LONGEST_INFO).read_to_string(&mut text).ok()?;
    Some(text)
}
