//! `--write CATEGORY=FILE`: the paths of a category as a list for programs.

use super::force::Force;
use super::sources::LISTS;
use crate::output::{self, Output, OutputKind, WriteError};
use crate::words::line;
use anyhow::{anyhow, ensure};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use hashmill_content::selection::own::OwnFiles;
use hashmill_manifest::audit::Category;
use hashmill_os::names;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The help of `-0` in commands with `--write`.
pub const NULL: &str = "Paths in the files of --files-from and --write end with NUL instead of a line feed";

/// The help of `--write` in `check`.
pub const OF_CHECK: &str = "Write the paths of a category into FILE, one per line with the escapes of sha256sum, or each with NUL after \
it (-0); may be given more than once. CATEGORY is matched, changed, missing, unreadable, new or not-compared";

/// Lists of the paths of categories.
#[derive(Debug, Default, Clone, Args)]
pub struct Write {
    /// Write the paths of a category into FILE, one per line with the escapes of sha256sum, or each with NUL after it
    /// (-0); may be given more than once. CATEGORY is matched, changed, moved, copied, new, missing, unreadable or
    /// not-compared
    #[arg(long, value_name = "CATEGORY=FILE", group = LISTS, value_parser = OsStringValueParser::new().try_map(pair))]
    pub write: Vec<CategoryFile>,
}

/// A category and the file that gets its paths.
#[derive(Debug, Clone)]
pub struct CategoryFile {
    category: &'static str,
    file: PathBuf,
}

/// Open lists. They get their names when complete.
#[derive(Debug, Default)]
pub struct Lists {
    files: Vec<(PathBuf, Output)>,
    /// Each category with the index of its file.
    wanted: Vec<(&'static str, usize)>,
    /// Whether each path ends with NUL, unescaped.
    null: bool,
}

impl Write {
    /// Opens the files.
    ///
    /// # Errors
    /// If one can't be made, or a file is there already.
    pub fn open(&self, null: bool, force: Force) -> anyhow::Result<Lists> {
        let mut lists = Lists { null, ..Lists::default() };
        for CategoryFile { category, file } in &self.write {
            let place = lists.place(file, force)?;
            lists.wanted.push((category, place));
        }
        Ok(lists)
    }

    /// Returns the first of the categories that is not among these.
    pub fn other_than(&self, known: &[&str]) -> Option<&'static str> {
        self.write.iter().map(|wanted| wanted.category).find(|category| !known.contains(category))
    }
}

impl Lists {
    /// The category of files that could not be compared.
    pub const NOT_COMPARED: &'static str = "not-compared";

    /// Returns the index of a file, which several categories may share.
    fn place(&mut self, file: &Path, force: Force) -> anyhow::Result<usize> {
        ensure!(file != Path::new("-"), "--write: standard output is taken by the result; name a file");
        if let Some(known) = self.files.iter().position(|(known, _)| known == file) {
            return Ok(known);
        }
        // A list of paths can't be recognised by its content.
        let output = output::create(&force.at(file), OutputKind::Anything)?;
        self.files.push((file.to_path_buf(), output));
        Ok(self.files.len() - 1)
    }

    /// Returns whether paths of this category are written.
    pub fn wants(&self, category: Category) -> bool {
        self.wanted.iter().any(|(wanted, _)| *wanted == category.word())
    }

    /// Adds the lists to the files that a walk skips.
    pub fn add_to(&self, own: &mut OwnFiles) {
        for (path, output) in &self.files {
            own.add_alone(path);
            own.add_output(output);
        }
    }

    /// Writes the path of a file of this category.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn take(&self, category: &str, path: &[u8]) -> Result<(), WriteError> {
        let mut line = Vec::new();
        for (_, place) in self.wanted.iter().filter(|(wanted, _)| *wanted == category) {
            if line.is_empty() {
                line = self.line(path);
            }
            let (_, output) = &self.files[*place];
            output.put(&line)?;
        }
        Ok(())
    }

    fn line(&self, path: &[u8]) -> Vec<u8> {
        if self.null { [path, b"\0"].concat() } else { line::named(path, b"\n") }
    }

    /// Completes the lists and gives them their names.
    ///
    /// # Errors
    /// If the rest of one can't be written.
    pub fn finish(&self) -> Result<(), WriteError> {
        self.files.iter().try_for_each(|(_, output)| output.finish())
    }
}

/// Parses `CATEGORY=FILE`.
fn pair(typed: OsString) -> anyhow::Result<CategoryFile> {
    let bytes = names::bytes(&typed);
    let end = bytes.iter().position(|byte| *byte == b'=');
    let end = end.ok_or_else(|| anyhow!("write it as CATEGORY=FILE"))?;
    let (name, file) = (&bytes[..end], &bytes[end + 1..]);
    ensure!(!file.is_empty(), "no file is named after the =");
    let mut words = Category::ALL.iter().map(|category| category.word()).chain([Lists::NOT_COMPARED]);
    let category = words.find(|word| word.as_bytes() == name);
    let name = String::from_utf8_lossy(name);
    let category = category.ok_or_else(|| anyhow!("no category is called '{name}'"))?;
    Ok(CategoryFile { category, file: names::path(file)?.into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_and_files_are_told_apart_at_the_first_equals_sign() {
        let of = |typed: &str| pair(typed.into()).map(|wanted| (wanted.category, wanted.file));
        assert_eq!(of("missing=a=b").unwrap(), ("missing", "a=b".into()));
        assert_eq!(of("not-compared=x").unwrap(), ("not-compared", "x".into()));
        for wrong in ["missing", "missing=", "gone=x", "=x"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lines_are_escaped_as_in_lists_of_digests() {
        let lists = Lists::default();
        assert_eq!(lists.line(b"a b"), b"a b\n");
        assert_eq!(lists.line(b"a\nb\xff"), b"\\a\\nb\xff\n");
        assert_eq!(Lists { null: true, ..Lists::default() }.line(b"a\nb"), b"a\nb\0");
    }
}
