//! A file of settings: keys are names of options, at the top or below a command.

use super::calibration;
use crate::words::message::{Shown, say};
use clap::{Arg, Command};
use hashmill_os::{Access, Links, Owner, error, open_now, others_may, owner};
use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The maximum size of a settings file in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The variable that names the user's file; if it is empty, there is none.
const VARIABLE: &str = "HASHMILL_CONFIG";

/// The table of named services.
const REMOTES: &str = "remotes";

/// Options that only the command line sets.
const TYPED_ONLY: [&str; 10] = [
    "help",
    "version",
    "isa",
    "recursive",
    "json",
    // Forgetting of a state of scrub, or its new beginning, is asked for in the moment.
    "accept",
    "first",
    "discard",
    "clock-was-wrong",
    "moved-to",
];

/// The origin of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// A variable of the environment.
    Variable(String),
    /// The user's own file.
    User(PathBuf),
    /// A file in the working directory, or in a directory above it.
    Project(PathBuf),
}

/// The settings that count for an option of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingScope {
    /// Those for the command alone.
    ThisCommand,
    /// Also those for all commands.
    AnyCommand,
}

/// A parsed file.
pub struct File {
    path: PathBuf,
    table: Table,
    is_project: bool,
}

impl File {
    /// Makes the user's own file of these settings.
    pub fn from_user(path: PathBuf, table: Table) -> File {
        File { path, table, is_project: false }
    }

    /// Makes a project's file of these settings.
    pub fn from_project(path: PathBuf, table: Table) -> File {
        File { path, table, is_project: true }
    }

    /// Returns the values of a command's option.
    pub fn find(
        &self,
        path: &[&str],
        option: &str,
        scope: SettingScope,
    ) -> Option<(Vec<String>, SettingOrigin)> {
        let groups = (1..path.len()).rev().map(|depth| path[..depth].to_vec());
        let sections = std::iter::once(path.to_vec())
            .chain(groups)
            .chain((scope == SettingScope::AnyCommand).then(Vec::new));
        let value = sections
            .filter_map(|section| self.section(&section)?.get(option))
            .find(|value| !value.is_table())?;
        let source = if self.is_project { SettingOrigin::Project } else { SettingOrigin::User };
        Some((texts(value), source(self.path.clone())))
    }

    /// Returns the table of named services, and the path of the file.
    pub fn remotes(&self) -> Option<(&Value, &Path)> {
        self.table.get(REMOTES).map(|remotes| (remotes, self.path.as_path()))
    }

    /// Returns a message if a key of the file is an option of no command: a word that is mistyped must not be lost.
    pub fn unknown(&self, all: &Command) -> Option<String> {
        let options = self.table.iter().filter(|(key, _)| *key != REMOTES);
        let options = options.map(|(key, value)| (key.clone(), value.clone())).collect();
        let key = unknown(&options, &[all], "")?;
        let shown = Shown::path(&self.path);
        Some(format!("{shown}: {}: no command has such an option", Shown(key.as_bytes())))
    }

    fn section(&self, path: &[&str]) -> Option<&Table> {
        path.iter().try_fold(&self.table, |table, name| table.get(*name)?.as_table())
    }
}

/// Reads the user's file, if there is one.
///
/// # Errors
/// If it can't be read or parsed.
pub fn of_user() -> Result<Option<File>, String> {
    let path = match std::env::var_os(VARIABLE) {
        Some(named) if named.is_empty() => return Ok(None),
        Some(named) => {
            let path = PathBuf::from(named);
            if let Err(error) = path.metadata() {
                return Err(format!("{VARIABLE}: {}: cannot open: {error}", Shown::path(&path)));
            }
            path
        }
        None => match calibration::folder() {
            Ok(folder) => folder.join("config.toml"),
            Err(_) => return Ok(None),
        },
    };
    Ok(read(&path, Links::Follow)?.map(|table| File::from_user(path, table)))
}

/// Reads the table of a file; none if there is no file, or if it belongs to another user. A symbolic link that the owner of
/// a folder may have made, and pointed to any file of the user's, must not be followed.
///
/// # Errors
/// If it can't be read or parsed. The message contains nothing of the file's text.
pub fn read(path: &Path, links: Links) -> Result<Option<Table>, String> {
    let Some(text) = text(path, links)? else { return Ok(None) };
    let shown = Shown::path(path);
    text.parse().map(Some).map_err(|error| format!("{shown}: {}", wrong(&text, &error)))
}

/// Returns the text of a settings file; none if there is no file, or if it belongs to another user.
///
/// # Errors
/// If it can't be read.
pub fn text(path: &Path, links: Links) -> Result<Option<String>, String> {
    let shown = || Shown::path(path).to_string();
    let file = match open_now(path, links) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) if links == Links::Stay && error::is_link(&error) => {
            say(format_args!("{}: is left out: it is a symbolic link", shown()));
            return Ok(None);
        }
        // In another user's folder it may be unknown whether there is a file.
        Err(_) if path.symlink_metadata().is_err() => return Ok(None),
        Err(error) => return Err(format!("{}: cannot open: {error}", shown())),
    };
    let meta = file.metadata().map_err(|error| format!("{}: cannot read: {error}", shown()))?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return Err(format!("{}: is no file of settings", shown()));
    }
    let trust = owner(&file).and_then(|owner| Ok(distrusted(&owner, others_may(&file)?)));
    if let Some(why) = trust.map_err(|error| format!("{}: cannot read: {error}", shown()))? {
        say(format_args!("{}: is left out: {why}", shown()));
        return Ok(None);
    }
    let mut text = String::new();
    file.take(MAX_FILE)
        .read_to_string(&mut text)
        .map_err(|error| format!("{}: cannot read: {error}", shown()))?;
    Ok(Some(text))
}

/// Returns where a text is not valid TOML, and why.
fn wrong(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line} is not TOML: {}", error.message().replace('\n', ", "))
}

/// Returns why a file is ignored: other users can change its content.
fn distrusted(owner: &Owner, others: Access) -> Option<&'static str> {
    match owner {
        Owner::Other(_) => Some("it is another user's"),
        _ if others.everybody_writes => Some("everybody can write to it"),
        _ => None,
    }
}

/// Returns the first key that is not an option of any command.
fn unknown(table: &Table, commands: &[&Command], before: &str) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let full = format!("{before}{key}");
        let below: Vec<&Command> =
            commands.iter().filter_map(|command| command.find_subcommand(key)).collect();
        match value {
            Value::Table(table) if !below.is_empty() => unknown(table, &below, &format!("{full}.")),
            _ if commands.iter().any(|command| has_option(command, key)) => None,
            _ => Some(full),
        }
    })
}

/// Returns whether a command, or a subcommand, has an option that can be set.
fn has_option(command: &Command, name: &str) -> bool {
    let own = command.get_arguments().any(|arg| is_settable(arg) && arg.get_long() == Some(name));
    own || command.get_subcommands().any(|below| has_option(below, name))
}

/// Returns whether an option can be set without being typed.
pub fn is_settable(arg: &Arg) -> bool {
    !arg.is_positional() && arg.get_long().is_some_and(|long| !TYPED_ONLY.contains(&long))
}

/// Returns a value as it would be typed; of an array each one.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        one => vec![typed(one)],
    }
}

/// Returns a value as it would be typed. No setting takes a table or an array of arrays.
pub fn typed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(is_set) => is_set.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(_) | Value::Table(_) => format!("{value:?}"),
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Variable(name) => write!(f, "{name}"),
            SettingOrigin::User(path) | SettingOrigin::Project(path) => {
                write!(f, "{}", Shown::path(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        File::from_user("config.toml".into(), text.parse().unwrap())
    }

    #[test]
    fn what_is_for_a_command_alone_counts_first() {
        let file = file(
            "threads = 2\nexclude = ['a', 'b']\n[hash]\nthreads = 3\n[known]\nmemory = '1G'\n[known.build]\nthreads = 4",
        );
        let found = |path: &[&str], option: &str| {
            file.find(path, option, SettingScope::AnyCommand).map(|(values, _)| values)
        };
        assert_eq!(found(&["hash"], "threads"), Some(vec!["3".to_string()]));
        assert_eq!(found(&["audit"], "threads"), Some(vec!["2".to_string()]));
        assert_eq!(found(&["known", "build"], "threads"), Some(vec!["4".to_string()]));
        assert_eq!(found(&["known", "build"], "memory"), Some(vec!["1G".to_string()]));
        assert_eq!(found(&["audit"], "exclude"), Some(vec!["a".to_string(), "b".to_string()]));
        assert_eq!(found(&["audit"], "memory"), None);
        assert_eq!(found(&["audit"], "hash"), None, "a section is no value");
    }

    #[test]
    fn any_value_is_what_would_be_typed() {
        let file =
            file("size = 1_000\nratio = 0.5\nwhole = 2.0\nfollow = true\nafter = 2026-01-02\nname = 'a b'");
        for (option, wanted) in [
            ("size", "1000"),
            ("ratio", "0.5"),
            ("whole", "2.0"),
            ("follow", "true"),
            ("after", "2026-01-02"),
            ("name", "a b"),
        ] {
            let found = file.find(&["hash"], option, SettingScope::AnyCommand).map(|(values, _)| values);
            assert_eq!(found, Some(vec![wanted.to_string()]), "{option}");
        }
    }

    #[test]
    fn keys_that_no_command_knows_are_found() {
        let unknown = |text: &str| unknown(&text.parse().unwrap(), &[&crate::args::whole()], "");
        assert_eq!(unknown("threads = 2\n[hash]\nalgorithms = 'sha256'\n[known.build]\nmemory = '1G'"), None);
        assert_eq!(unknown("thread = 2").as_deref(), Some("thread"));
        assert_eq!(unknown("[hash]\nroots = true").as_deref(), Some("hash.roots"));
        assert_eq!(unknown("[nosuch]\na = 1").as_deref(), Some("nosuch"));
        assert_eq!(unknown("isa = 'portable'").as_deref(), Some("isa"));
        assert_eq!(unknown("known-set = 's'\n[seal]\norigin = 'o'\n[seal.verify]\nsecret = 's'"), None);
        assert_eq!(unknown("[seal.verify]\nkeep = 'k'").as_deref(), Some("seal.verify.keep"));
        assert_eq!(unknown("[verify-seal]\nsecret = 's'").as_deref(), Some("verify-seal"));
        assert_eq!(unknown("[audit]\nknown = 'k'").as_deref(), Some("audit.known"));
        assert_eq!(unknown("[audit.seal]\nold = 'o'").as_deref(), Some("audit.seal"));
    }

    #[test]
    fn files_that_others_decide_are_not_heeded() {
        let closed = Access { read: true, write: true, everybody_writes: false };
        let open = Access { everybody_writes: true, ..closed };
        assert_eq!(distrusted(&Owner::Mine, closed), None);
        assert_eq!(distrusted(&Owner::System, closed), None);
        assert!(distrusted(&Owner::Mine, open).is_some());
        assert!(distrusted(&Owner::Other("7".into()), closed).is_some());
    }
}
