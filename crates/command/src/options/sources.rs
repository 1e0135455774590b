//! Options that choose files: lists and filters.

use crate::options::values::{glob, number, only_where};
use crate::words::message;
use anyhow::{Context, bail, ensure};
use clap::{ArgGroup, Args};
use hashmill_content::entry::unread::NotLookedInto;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::{Bytes, Inside, PathList, Resources, Selection, not_looked_into};
use hashmill_digest::parse_size;
use hashmill_job::account::{Account, Item, of_unread};
use hashmill_manifest::Time;
use hashmill_os::pattern::expand;
use hashmill_os::{Facts, Stream, facts, names, path_of, read_file, standard};
use hashmill_source::{Filter, HAS_STREAMS, IgnoreRules, LetterCase, identity};
use hashmill_terminal::Shown;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The group of options that `-0` modifies.
pub const LISTS: &str = "lists_of_paths";

/// The options about what is inside of files, by their fields.
pub const OF_IMAGES: [&str; 10] = [
    "images",
    "inside",
    "backing",
    "deleted",
    "unallocated",
    "only_inside",
    "max_ratio",
    "max_nesting",
    "max_members",
    "max_expanded",
];

/// Options that choose files.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which files", group = ArgGroup::new(LISTS).multiple(true))]
pub struct Sources {
    /// Read paths of files and directories from FILE, one per line; - is standard input
    #[arg(long, value_name = "FILE", group = LISTS)]
    pub files_from: Option<PathBuf>,
    /// The paths in --files-from end with NUL instead of a line feed
    #[arg(short = '0', long)]
    pub null: bool,
    /// Take only files that match; may be given more than once
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub include: Vec<String>,
    /// Skip files that match, and directories that match with all below them; may be given more than once
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub exclude: Vec<String>,
    /// Skip files that match a pattern in FILE, in the syntax of .gitignore; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub exclude_from: Vec<PathBuf>,
    /// Match the patterns of --include, --exclude and --exclude-from whether letters are capital or small (A to Z)
    #[arg(long)]
    pub ignore_case: bool,
    /// Apply .hashignore files, in the syntax of .gitignore; skipped files are counted
    #[arg(long)]
    pub hashignore: bool,
    /// Apply .gitignore files, and skip .git; skipped files are counted
    #[arg(long)]
    pub gitignore: bool,
    /// Take only the files directly in the named directories, as --max-depth 1
    #[arg(long, conflicts_with = "max_depth")]
    pub no_recursion: bool,
    /// Descend at most N levels: 1 takes the files in the named directories, 0 enters none
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    pub max_depth: Option<usize>,
    /// Enter directories, the default; accepted for users of md5deep, and undoes --no-recursion
    #[arg(short, long, hide = true, overrides_with_all = ["no_recursion", "max_depth"])]
    pub recursive: bool,
    /// Skip files smaller than SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub min_size: Option<u64>,
    /// Skip files larger than SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_size: Option<u64>,
    /// Take only files modified after this file, or after this time (RFC 3339; a date means midnight UTC)
    #[arg(long, value_name = "FILE|TIME")]
    pub newer: Option<OsString>,
    /// Take only files modified before this file, or before this time, likewise
    #[arg(long, value_name = "FILE|TIME")]
    pub older: Option<OsString>,
    /// Follow symbolic links below the paths
    #[arg(long)]
    pub follow: bool,
    /// Don't enter other file systems
    #[arg(long)]
    pub one_file_system: bool,
    /// Take alternate data streams of files, too, as file:stream
    #[arg(long, hide = !HAS_STREAMS, value_parser = only_where(HAS_STREAMS, "files of this system have no alternate streams"))]
    pub streams: bool,
    #[cfg(feature = "images")]
    #[command(flatten)]
    pub images: crate::options::images::Images,
}

impl Sources {
    /// Returns whether any option filters the files of a walk, or looks into them.
    pub fn is_filter(&self) -> bool {
        self.is_choosing() || self.inside().is_any()
    }

    /// Returns whether any option filters the files of a walk.
    pub fn is_choosing(&self) -> bool {
        let globs = self.include.len() + self.exclude.len() + self.exclude_from.len() > 0
            || self.hashignore
            || self.gitignore
            || self.depth().is_some();
        let sizes = self.min_size.is_some() || self.max_size.is_some();
        let times = self.newer.is_some() || self.older.is_some();
        globs || sizes || times || self.follow || self.one_file_system
    }

    /// Returns what is read of images and archives.
    pub fn inside(&self) -> Inside {
        #[cfg(feature = "images")]
        return self.images.inside();
        #[cfg(not(feature = "images"))]
        Inside::default()
    }

    /// Says which operands could be looked into and are not, and of which nothing is known that is inside.
    pub fn tell_operands(&self, paths: &[OsString], resources: &Resources) {
        for path in operands(paths) {
            if let Some(why) = not_looked_into(&path, &self.inside(), resources) {
                message::say(format_args!("{}: {why}", Shown(&path)));
            }
        }
    }

    /// Returns the files that these options choose below the paths, without the file that standard output goes to.
    ///
    /// # Errors
    /// If a glob or a time is not understood.
    pub fn selection(&self, paths: &[OsString]) -> anyhow::Result<Selection> {
        let end = if self.null { 0 } else { b'\n' };
        Ok(Selection {
            paths: operands(paths).collect(),
            list: self.files_from.as_deref().map(|name| PathList::named(name, end)),
            filter: filter(self)?,
            follow: self.follow,
            one_file_system: self.one_file_system,
            streams: self.streams,
            max_depth: self.depth(),
            rules: rules(&self.exclude_from, self.case())?,
            ignore_files: self.ignore_files(),
            inside: self.inside(),
            #[cfg(feature = "images")]
            backing: self.images.backing()?,
            unread: UNREAD.get_or_init(NotLookedInto::default).clone(),
            own: redirected(),
            ..Selection::default()
        })
    }
}

impl Sources {
    /// Returns how deep directories are entered.
    fn depth(&self) -> Option<usize> {
        match self.no_recursion {
            _ if self.recursive => None,
            true => Some(1),
            false => self.max_depth,
        }
    }

    /// Returns whether typed patterns tell capital letters from small ones.
    fn case(&self) -> LetterCase {
        if self.ignore_case { LetterCase::Ignored } else { LetterCase::Matters }
    }

    /// Returns the names of ignore files; later ones take precedence.
    fn ignore_files(&self) -> Vec<Box<[u8]>> {
        let names = [(self.gitignore, ".gitignore"), (self.hashignore, ".hashignore")];
        names
            .into_iter()
            .filter(|(is_wanted, _)| *is_wanted)
            .map(|(_, name)| names::path_bytes(name).into())
            .collect()
    }
}

/// Returns the paths that were typed; on Windows, patterns stand for the files that they fit.
fn operands(paths: &[OsString]) -> impl Iterator<Item = Bytes> {
    paths.iter().flat_map(|path| expand(names::path_bytes(path).into_owned())).map(Bytes::from)
}

/// Reads the patterns of all files, in order.
fn rules(files: &[PathBuf], case: LetterCase) -> anyhow::Result<IgnoreRules> {
    let mut text = Vec::new();
    for path in files {
        let shown = message::Shown::path(path);
        text.extend(read_file(path).with_context(|| format!("--exclude-from: {shown}: cannot read"))?);
        text.push(b'\n');
    }
    Ok(IgnoreRules::parse_with(&text, case))
}

fn filter(sources: &Sources) -> anyhow::Result<Filter> {
    let mut builder = Filter::builder().case(sources.case());
    for glob in &sources.include {
        builder = builder.include(glob);
    }
    for glob in &sources.exclude {
        builder = builder.exclude(glob);
    }
    if sources.gitignore {
        builder = builder.exclude(".git");
    }
    let (least, most) = (sources.min_size.unwrap_or(0), sources.max_size.unwrap_or(u64::MAX));
    ensure!(least <= most, "--min-size, --max-size: no file has {least} bytes or more and {most} or fewer");
    if let Some(size) = sources.min_size {
        builder = builder.min_size(size);
    }
    if let Some(size) = sources.max_size {
        builder = builder.max_size(size);
    }
    let newer = sources.newer.as_ref().map(|typed| moment("--newer", typed)).transpose()?;
    let older = sources.older.as_ref().map(|typed| moment("--older", typed)).transpose()?;
    let is_none = newer.zip(older).is_some_and(|(newer, older)| newer >= older);
    ensure!(!is_none, "--newer, --older: no time is after the one and before the other");
    if let Some(newer) = newer {
        builder = builder.newer(newer);
    }
    if let Some(older) = older {
        builder = builder.older(older);
    }
    Ok(builder.build()?)
}

/// Returns a file's time of modification, or parses a time.
fn moment(option: &str, text: &OsString) -> anyhow::Result<SystemTime> {
    if let Ok(meta) = Path::new(text).metadata() {
        return meta.modified().with_context(|| format!("{option}: the file has no time of modification"));
    }
    let typed = text.to_string_lossy();
    let time = Time::from_rfc3339(&typed).or_else(|| Time::from_rfc3339(&format!("{typed}T00:00:00Z")));
    match time {
        Some(time) => system_time(time).with_context(|| format!("{option}: too far from now")),
        None => {
            bail!("{option}: '{typed}' is neither a file nor a time like 2026-11-21 or 2026-11-21T10:00:00Z")
        }
    }
}

fn system_time(time: Time) -> Option<SystemTime> {
    let whole = Duration::from_secs(time.seconds.unsigned_abs());
    let start = if time.seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    start?.checked_add(Duration::from_nanos(time.nanoseconds.into()))
}

/// The files that all selections of this run meet, and that are not looked into.
static UNREAD: OnceLock<NotLookedInto> = OnceLock::new();

/// Returns the account of the files that should have been looked into, so far; [`tell_unread`] tells it at the end.
pub fn unread() -> Account {
    Account::failed(Item::Container, UNREAD.get().map_or(0, NotLookedInto::lacking))
}

/// Says which files were met that may have something inside, and were not looked into. Returns the account of those that
/// should have been.
pub fn tell_unread() -> Account {
    let (lines, account) = UNREAD.get().map_or_else(Default::default, of_unread);
    lines.iter().for_each(message::say);
    account
}

/// Returns the file that standard output is redirected into, if it is one.
pub fn redirected() -> OwnFiles {
    let mut own = OwnFiles::default();
    let Ok(file) = standard(Stream::Output) else { return own };
    if let Some(facts) = facts(&file).ok().filter(Facts::is_file) {
        own.add_identities([identity(facts.id)]);
        // Only for regular files: a terminal has a name too.
        path_of(&file).iter().for_each(|path| own.add(path));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_be_dates() {
        let day = moment("--newer", &"1970-01-02".into()).unwrap();
        assert_eq!(day.duration_since(UNIX_EPOCH).unwrap(), Duration::from_secs(86_400));
        assert!(moment("--newer", &"yesterday".into()).is_err());
    }
}
