//! Filters of files by name, size and time.

use crate::Meta;
use crate::path;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use hashmill_os::names;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{error, fmt};

/// A filter of files. The default accepts all.
///
/// A file is accepted if it matches an include glob (or there is none), matches no exclude glob, and is within all
/// bounds. A directory that matches an exclude glob is not entered.
///
/// A glob without a slash matches names at any depth. A glob with a slash matches the path below the operand, or the
/// whole path as it is shown; `*` and `?` do not match slashes, `**` does. A glob that starts with a slash is anchored
/// at the operand or at the root, even where paths are shown relative to the working directory. A slash at the end
/// means directories: excluding `d/` excludes directories named `d`, but no file of that name; including `d/` includes
/// all files below such directories.
///
/// ```
/// # use hashmill_source::Filter;
/// let filter = Filter::builder().include("*.rs").exclude("target/").min_size(1).build();
/// assert!(filter.is_ok());
/// assert!(Filter::builder().include("[").build().is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Filter {
    include: Option<Globs>,
    exclude: Globs,
    exclude_directories: Globs,
    bounds: Bounds,
    /// The only sizes that are accepted.
    sizes: Option<Arc<HashSet<u64>>>,
}

/// Collects the rules of a [`Filter`].
#[derive(Debug, Clone, Default)]
pub struct FilterBuilder {
    include: Vec<String>,
    exclude: Vec<String>,
    case: LetterCase,
    bounds: Bounds,
}

/// Whether patterns tell capital letters from small ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LetterCase {
    /// `*.jpg` does not match `A.JPG`.
    #[default]
    Matters,
    /// `*.jpg` matches `A.JPG`. This is about the letters A to Z.
    Ignored,
}

/// A glob with a syntax error.
#[derive(Debug, Clone)]
pub struct BadGlob {
    /// The glob as it was typed.
    pub glob: String,
    /// The syntax error.
    pub source: globset::Error,
}

impl BadGlob {
    /// Returns why it can't be parsed, without the glob.
    pub fn reason(&self) -> String {
        self.source.kind().to_string()
    }
}

/// The bounds on the metadata of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Bounds {
    min_size: Option<u64>,
    max_size: Option<u64>,
    newer: Option<(i64, u32)>,
    older: Option<(i64, u32)>,
}

/// The path of an entry: as it is shown, and below its operand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryPath<'a> {
    pub(crate) shown: &'a [u8],
    pub(crate) below: &'a [u8],
}

/// Globs, grouped by the path that they are compared with.
#[derive(Debug, Clone, Default)]
struct Globs {
    names: GlobSet,
    /// Globs of the path below the operand.
    below: GlobSet,
    /// Globs of the path as it is shown.
    shown: GlobSet,
    /// Globs of the path from the root.
    absolute: GlobSet,
    /// The working directory, as the system and as the shell name it.
    here: Vec<Vec<u8>>,
}

impl Filter {
    /// Returns a builder of a filter that accepts all.
    pub fn builder() -> FilterBuilder {
        FilterBuilder::default()
    }

    /// Returns a filter that accepts files of these sizes in bytes.
    pub fn of_sizes(sizes: HashSet<u64>) -> Filter {
        Filter { sizes: Some(Arc::new(sizes)), ..Filter::default() }
    }

    /// Returns whether the globs accept a file at this path.
    pub(crate) fn wants(&self, place: EntryPath<'_>) -> bool {
        self.includes(place) && !self.excludes(place)
    }

    /// Returns whether a glob includes a file at this path, or there is none.
    pub(crate) fn includes(&self, place: EntryPath<'_>) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.match_any(place))
    }

    /// Returns whether a glob excludes a file at this path.
    pub(crate) fn excludes(&self, place: EntryPath<'_>) -> bool {
        self.exclude.match_any(place)
    }

    pub(crate) fn enters(&self, place: EntryPath<'_>) -> bool {
        !self.exclude.match_any(place) && !self.exclude_directories.match_any(place)
    }

    pub(crate) fn needs_meta(&self) -> bool {
        self.bounds != Bounds::default() || self.sizes.is_some()
    }

    /// Returns whether a file with this metadata is accepted.
    pub(crate) fn wants_meta(&self, meta: &Meta) -> bool {
        self.wants_size(meta.size) && self.wants_time(|| Some(meta.mtime))
    }

    /// Returns whether a file of this size is accepted.
    pub(crate) fn wants_size(&self, size: u64) -> bool {
        let Bounds { min_size, max_size, .. } = self.bounds;
        let is_known = self.sizes.as_ref().is_none_or(|sizes| sizes.contains(&size));
        is_known && min_size.is_none_or(|bound| size >= bound) && max_size.is_none_or(|bound| size <= bound)
    }

    /// Returns whether a file of this time is accepted. The time is only looked up if it counts; a file without one is
    /// accepted.
    pub(crate) fn wants_time(&self, time: impl FnOnce() -> Option<(i64, u32)>) -> bool {
        let Bounds { newer, older, .. } = self.bounds;
        if newer.is_none() && older.is_none() {
            return true;
        }
        let fits = |time| newer.is_none_or(|bound| time > bound) && older.is_none_or(|bound| time < bound);
        time().is_none_or(fits)
    }
}

impl FilterBuilder {
    /// Accepts only files that match this glob or another included one.
    pub fn include(mut self, glob: &str) -> FilterBuilder {
        self.include.push(glob.to_owned());
        self
    }

    /// Excludes files and directories that match this glob.
    pub fn exclude(mut self, glob: &str) -> FilterBuilder {
        self.exclude.push(glob.to_owned());
        self
    }

    /// Accepts only files of at least this many bytes.
    pub fn min_size(mut self, bytes: u64) -> FilterBuilder {
        self.bounds.min_size = Some(bytes);
        self
    }

    /// Accepts only files of at most this many bytes.
    pub fn max_size(mut self, bytes: u64) -> FilterBuilder {
        self.bounds.max_size = Some(bytes);
        self
    }

    /// Accepts only files whose content changed after this time.
    pub fn newer(mut self, than: SystemTime) -> FilterBuilder {
        self.bounds.newer = Some(since_epoch(than));
        self
    }

    /// Accepts only files whose content changed before this time.
    pub fn older(mut self, than: SystemTime) -> FilterBuilder {
        self.bounds.older = Some(since_epoch(than));
        self
    }

    /// Sets whether all globs tell capital letters from small ones; by default they do.
    pub fn case(self, case: LetterCase) -> FilterBuilder {
        FilterBuilder { case, ..self }
    }

    /// Builds the filter. Fails if a glob has a syntax error.
    pub fn build(self) -> Result<Filter, BadGlob> {
        let (directories, others): (Vec<_>, Vec<_>) =
            self.exclude.into_iter().partition(|glob| glob.ends_with('/'));
        let include =
            if self.include.is_empty() { None } else { Some(Globs::parse(&self.include, self.case)?) };
        let exclude_directories: Vec<_> = directories.iter().map(|glob| without_end(glob)).collect();
        Ok(Filter {
            include,
            exclude: Globs::parse(&others, self.case)?,
            exclude_directories: Globs::parse(&exclude_directories, self.case)?,
            bounds: self.bounds,
            sizes: None,
        })
    }
}

impl Globs {
    fn parse(globs: &[impl AsRef<str>], case: LetterCase) -> Result<Globs, BadGlob> {
        let mut names = GlobSetBuilder::new();
        let mut below = GlobSetBuilder::new();
        let mut shown = GlobSetBuilder::new();
        let mut absolute = GlobSetBuilder::new();
        for typed in globs {
            let typed = typed.as_ref();
            let parse = |glob| parse(glob, case).map_err(|source| BadGlob { glob: typed.to_owned(), source });
            let glob = &whole(typed);
            if !glob.contains('/') {
                names.add(parse(glob)?);
                continue;
            }
            let glob = glob.strip_prefix("./").unwrap_or(glob);
            below.add(parse(glob.strip_prefix('/').unwrap_or(glob))?);
            shown.add(parse(glob)?);
            if names::is_from_root(glob.as_bytes()) {
                absolute.add(parse(glob)?);
            }
        }
        let build = |set: GlobSetBuilder| {
            set.build()
                .map_err(|source| BadGlob { glob: source.glob().unwrap_or_default().to_owned(), source })
        };
        let absolute = build(absolute)?;
        let here = if absolute.is_empty() { Vec::new() } else { path::working_directories() };
        Ok(Globs { names: build(names)?, below: build(below)?, shown: build(shown)?, absolute, here })
    }

    fn match_any(&self, place: EntryPath<'_>) -> bool {
        let shown = place.shown.strip_prefix(b"./").unwrap_or(place.shown);
        matches(&self.names, path::name(place.shown))
            || matches(&self.below, place.below)
            || matches(&self.shown, shown)
            || self.match_absolute(shown)
    }

    fn match_absolute(&self, shown: &[u8]) -> bool {
        let from_root = |here: &Vec<u8>| matches(&self.absolute, &path::from_root(here, shown));
        !names::is_from_root(shown) && self.here.iter().any(from_root)
    }
}

fn matches(globs: &GlobSet, path: &[u8]) -> bool {
    !globs.is_empty() && globs.is_match_candidate(&Candidate::from_bytes(path))
}

/// Parses a glob in which a backslash makes the next letter stand for itself, and only `**` matches slashes.
pub(crate) fn parse(glob: &str, case: LetterCase) -> Result<globset::Glob, globset::Error> {
    let mut builder = GlobBuilder::new(glob);
    builder
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(case == LetterCase::Ignored)
        .build()
}

/// Expands a glob that ends in a slash to everything below: `d/` at any depth, `a/d/` at its place.
fn whole(glob: &str) -> String {
    match without_end(glob) {
        same if same.len() == glob.len() => glob.to_owned(),
        name if name.contains('/') => format!("{name}/**"),
        name => format!("**/{name}/**"),
    }
}

fn without_end(glob: &str) -> &str {
    glob.strip_suffix('/').unwrap_or(glob)
}

fn since_epoch(time: SystemTime) -> (i64, u32) {
    // Times before 1970 have negative seconds and positive nanoseconds, as the kernel represents them.
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (after.as_secs() as i64, after.subsec_nanos()),
        Err(before) => match (before.duration().as_secs() as i64, before.duration().subsec_nanos()) {
            (seconds, 0) => (-seconds, 0),
            (seconds, nanoseconds) => (-seconds - 1, 1_000_000_000 - nanoseconds),
        },
    }
}

impl fmt::Display for BadGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "glob {:?}: {}", self.glob, self.source.kind())
    }
}

impl error::Error for BadGlob {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    fn place<'a>(operand: &str, shown: &'a str) -> EntryPath<'a> {
        EntryPath { shown: shown.as_bytes(), below: &shown.as_bytes()[operand.len()..] }
    }

    #[test]
    fn globs_choose_files() {
        // Glob, path of the operand, path, whether it matches.
        for (glob, operand, path, expected) in [
            ("*.c", "d/", "d/a.c", true),
            ("*.c", "d/", "d/x/y/a.c", true),
            ("*.c", "d/", "d/a.cc", false),
            ("a.c", "d/", "d/x/a.c", true),
            ("a?c", "d/", "d/a\nc", true),
            ("*", "d/", "d/.hidden", true),
            ("*.{c,h}", "d/", "d/a.h", true),
            ("[ab].c", "d/", "d/b.c", true),
            (r"\*.c", "d/", "d/a.c", false),
            (r"\*.c", "d/", "d/*.c", true),
            ("x/*.c", "d/", "d/x/a.c", true),
            ("x/*.c", "d/", "d/x/y/a.c", false),
            ("x/**", "d/", "d/x/y/a.c", true),
            ("x/*.c", "d/", "d/y/x/a.c", false),
            ("**/x/*.c", "d/", "d/y/x/a.c", true),
            ("/x/a.c", "d/", "d/x/a.c", true),
            ("/a.c", "d/", "d/x/a.c", false),
            ("/d/x/*", "/d/", "/d/x/a.c", true),
            ("d/x/*", "./d/", "./d/x/a.c", true),
            ("./d/x/*", "./d/", "./d/x/a.c", true),
            ("./x/*", "d/", "d/x/a.c", true),
            ("d/x/*", "d/", "d/x/a.c", true),
            ("x/", "d/", "d/x/a.c", true),
            ("x/", "d/", "d/y/x/z/a.c", true),
            ("x/", "d/", "d/x", false),
            ("y/x/", "d/", "d/y/x/a.c", true),
        ] {
            let filter = Filter::builder().include(glob).build().unwrap();
            assert_eq!(filter.wants(place(operand, path)), expected, "{glob} {path}");
        }
    }

    #[test]
    fn a_glob_from_the_root_is_about_relative_paths_too() {
        let here = String::from_utf8(names::into_path_bytes(std::env::current_dir().unwrap())).unwrap();
        for (glob, operand, path, wanted) in [
            (format!("{here}/d/x"), "d/", "d/x", false),
            (format!("{here}/d/x"), "./d/", "./d/x", false),
            (format!("{here}/d/x"), "d/", "d/y", true),
            (format!("{here}/*/x"), "", "d/x", false),
            (format!("{}/d/x", Path::new(&here).parent().unwrap().display()), "../d/", "../d/x", false),
        ] {
            let filter = Filter::builder().exclude(&glob).build().unwrap();
            assert_eq!(filter.wants(place(operand, path)), wanted, "{glob} {path}");
            assert_eq!(filter.enters(place(operand, path)), wanted, "{glob} {path}");
        }
    }

    #[test]
    fn excludes_win_and_prune() {
        let filter =
            Filter::builder().include("*.c").exclude("t*.c").exclude("out/").exclude("tmp").build().unwrap();
        assert!(filter.wants(place("d/", "d/a.c")));
        assert!(!filter.wants(place("d/", "d/test.c")));
        assert!(!filter.enters(place("d/", "d/x/out")) && !filter.enters(place("d/", "d/tmp")));
        assert!(filter.enters(place("d/", "d/x")));
        let filter = Filter::builder().exclude("out/").build().unwrap();
        assert!(filter.wants(place("d/", "d/out")), "a file of that name is no directory");
    }

    #[test]
    fn capital_letters_can_be_as_small_ones() {
        let of =
            |case| Filter::builder().include("*.jpg").include("D/").exclude("[s-t]mp/").case(case).build();
        let (apart, alike) = (of(LetterCase::Matters).unwrap(), of(LetterCase::Ignored).unwrap());
        for path in ["o/A.JPG", "o/b.Jpg", "o/d/x"] {
            assert!(!apart.wants(place("o/", path)) && alike.wants(place("o/", path)), "{path}");
        }
        assert!(apart.enters(place("o/", "o/TMP")) && !alike.enters(place("o/", "o/TMP")));
        assert!(!alike.wants(place("o/", "o/a.jpeg")));
    }

    #[test]
    fn names_are_bytes() {
        let filter = Filter::builder().include("a*b").build().unwrap();
        assert!(filter.wants(EntryPath { shown: b"d/a\xff\n\xfeb", below: b"a\xff\n\xfeb" }));
    }

    #[test]
    fn bad_globs_are_named() {
        let error = Filter::builder().exclude("x/[a/").build().unwrap_err();
        assert_eq!(error.glob, "x/[a");
        assert!(error.to_string().contains("x/[a"), "{error}");
    }

    #[test]
    fn bounds_include_their_ends() {
        let meta = |size, mtime| Meta {
            dev: 0,
            ino: 0,
            size,
            mtime,
            ctime: mtime,
            blocks: 0,
            mode: 0,
            attributes: 0,
            stamp: 0,
        };
        let filter = Filter::builder().min_size(10).max_size(20).build().unwrap();
        assert!(filter.needs_meta());
        let wanted: Vec<u64> = (0..30).filter(|&size| filter.wants_meta(&meta(size, (0, 0)))).collect();
        assert_eq!(wanted, (10..=20).collect::<Vec<_>>());
        let filter = Filter::builder().newer(UNIX_EPOCH + Duration::new(5, 700)).build().unwrap();
        assert!(filter.wants_meta(&meta(0, (5, 800))) && !filter.wants_meta(&meta(0, (5, 700))));
        let filter = Filter::builder().newer(UNIX_EPOCH - Duration::new(5, 700)).build().unwrap();
        assert!(
            filter.wants_meta(&meta(0, (-6, 999_999_400))) && !filter.wants_meta(&meta(0, (-6, 999_999_300)))
        );
        let [five, nine] = [5, 9].map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
        let filter = Filter::builder().newer(five).older(nine).build().unwrap();
        let wanted: Vec<i64> = (0..12).filter(|&second| filter.wants_meta(&meta(0, (second, 0)))).collect();
        assert_eq!(wanted, [6, 7, 8]);
        assert!(filter.wants_time(|| None), "a file without a time is accepted");
    }
}
