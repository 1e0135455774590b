//! Options that are not typed: from the environment and from files.
//!
//! Every option has a variable, `HASHMILL_` and its name (`HASHMILL_MAX_SIZE`), and one for a single command
//! (`HASHMILL_HASH_ALGORITHMS`). Files have the same names as keys, at the top or below the command (`[hash]`,
//! `[known.build]`). Typed options take precedence, then variables, then the project's file, then the user's; within
//! each, a setting for the single command precedes the one for all.
//!
//! They become defaults of the command that is typed, so that they never conflict with typed options, and help shows
//! them.

pub(crate) mod calibration;

mod file;
mod held;
mod opposite;
mod project;
#[cfg(feature = "stores")]
pub mod remotes;

pub use held::ChangedOption;

use crate::words::{message, typed};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use file::{File, SettingOrigin, SettingScope, is_settable};
use hashmill_digest::Class;
use hashmill_os::names;
use std::ffi::OsString;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The settings of the command that was typed, and their problems.
static APPLIED: Mutex<Applied> = Mutex::new(Applied::NOTHING);

/// The places that were read for the command. They are leaked: a process runs few commands.
static READ: Mutex<Option<&Read>> = Mutex::new(None);

/// The places of settings, each read once for a command.
#[derive(Default)]
struct Read {
    has_variables: OnceLock<bool>,
    project: OnceLock<Option<File>>,
    user: OnceLock<Result<Option<File>, String>>,
}

/// The beginning of the names of our variables.
const PREFIX: &str = "HASHMILL_";

/// Variables that are not options.
const OTHERS: [&str; 4] = ["HASHMILL_CONFIG", "HASHMILL_ISA", "HASHMILL_MAP", "HASHMILL_CA_BUNDLE"];

struct Applied {
    settings: Vec<Setting>,
    problems: Vec<String>,
    /// Problems that were reported already.
    told: Vec<String>,
    /// The options that hold, once they are known.
    held: Vec<ChangedOption>,
}

impl Applied {
    const NOTHING: Applied =
        Applied { settings: Vec::new(), problems: Vec::new(), told: Vec::new(), held: Vec::new() };
}

/// Begins a command: its settings are read anew.
pub fn begin() {
    note(|applied| *applied = Applied::NOTHING);
    *READ.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn read() -> &'static Read {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.get_or_insert_with(|| Box::leak(Box::default()))
}

/// An option with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    id: String,
    option: String,
    values: Vec<String>,
    source: SettingOrigin,
}

/// Makes the settings defaults of the command that is typed; `path` are its words.
pub fn apply(command: Command, path: &[&str]) -> Command {
    if command.has_subcommands() {
        let names: Vec<String> =
            command.get_subcommands().map(|below| below.get_name().to_string()).collect();
        return names.iter().fold(command, |command, name| {
            command.mut_subcommand(name, |below| apply(below, &[path, &[name.as_str()]].concat()))
        });
    }
    let is_typed = |name: &str| {
        typed::words().iter().any(|word| word.to_str().and_then(|word| word.strip_prefix("--")) == Some(name))
    };
    settings(&command, path).into_iter().fold(opposite::add(command, &is_typed), |command, setting| {
        if let Some(why) = refusal(&command, &setting) {
            refuse(&setting, &why);
            return command;
        }
        let (id, values) = (setting.id.clone(), setting.values.clone());
        note(|applied| applied.settings.push(setting));
        command.mut_arg(id, |arg| arg.required(false).default_values(values))
    })
}

/// Records a setting that is not valid. A problem in a project's file is only printed, as it must not stop the user.
fn refuse(Setting { option, source, .. }: &Setting, why: &str) {
    let problem = format!("{source}: {option}: {why}");
    if !matches!(source, SettingOrigin::Project(_)) {
        return note(|applied| applied.problems.push(problem));
    }
    let is_new = note(|applied| {
        let is_new = !applied.told.contains(&problem);
        applied.told.extend(is_new.then(|| problem.clone()));
        is_new
    });
    if is_new {
        message::say(format_args!("{problem} (left out)"));
    }
}

/// Returns the options of a command that can be set: clap's ids, and their names.
fn options(command: &Command) -> Vec<(String, String)> {
    let settable = command.get_arguments().filter(|arg| is_settable(arg) && !opposite::is_opposite(arg));
    settable.filter_map(|arg| Some((arg.get_id().to_string(), arg.get_long()?.to_string()))).collect()
}

/// Returns the settings of a command, also those that can't be.
fn settings(command: &Command, path: &[&str]) -> Vec<Setting> {
    if is_nothing_set() {
        return Vec::new();
    }
    let set = |(id, option): (String, String)| {
        let (values, source) = find(path, &option)?;
        Some(Setting { id, option, values, source })
    };
    options(command).into_iter().filter_map(set).collect()
}

/// Returns the valid settings of a command other than the one that was typed.
pub fn valid_settings(command: &Command, path: &[&str]) -> Vec<ChangedOption> {
    let can_be = |setting: &Setting| refusal(command, setting).is_none();
    settings(command, path)
        .iter()
        .filter(|setting| can_be(setting))
        .map(|set| ChangedOption::set(path, set))
        .collect()
}

/// Returns the options of the command that was typed that do not have their defaults.
pub fn held() -> Vec<ChangedOption> {
    note(|applied| applied.held.clone())
}

/// Returns the problems of settings; `all` are the commands whose options a file may have.
pub fn problems(all: fn() -> Command) -> Vec<String> {
    let wrong = note(|applied| applied.problems.clone());
    let of_files = match user() {
        Ok(Some(user)) => user.unknown(&all()),
        Ok(None) => None,
        Err(problem) => Some(problem.clone()),
    };
    #[cfg(feature = "stores")]
    let of_files = of_files.or_else(|| remotes::problem(user().as_ref().ok()?.as_ref()?));
    of_files.into_iter().chain(wrong).collect()
}

/// Prints variables that are named like ours and set nothing, so that a mistyped one is not ignored silently.
pub fn tell_unknown(all: fn() -> Command) {
    let own = |name: &OsString| names::bytes(name).starts_with(PREFIX.as_bytes());
    let names = std::env::vars_os().map(|(name, _)| name).filter(own);
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| !OTHERS.contains(&name.as_str()));
    if names.is_empty() {
        return;
    }
    let mut known = Vec::new();
    add_variables(&all(), &mut Vec::new(), &mut known);
    names.retain(|name| !known.contains(name));
    names.sort();
    for name in names {
        message::say(format_args!("{name}: no command has an option that this variable would set"));
    }
}

/// Adds the variables of the options of a command and its subcommands; `path` are the words of the command.
fn add_variables(command: &Command, path: &mut Vec<String>, known: &mut Vec<String>) {
    for (_, option) in options(command) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        known.extend(variables(&path, &option, SettingScope::AnyCommand).iter().map(|words| variable(words)));
    }
    for below in command.get_subcommands() {
        path.push(below.get_name().to_string());
        add_variables(below, path, known);
        path.pop();
    }
}

/// Returns the words of the variables of an option of a command, in the order in which they count.
fn variables<'w>(path: &[&'w str], option: &'w str, scope: SettingScope) -> Vec<Vec<&'w str>> {
    let places = std::iter::once(path).chain((scope == SettingScope::AnyCommand).then_some(&[][..]));
    places.map(|place| [place, &[option]].concat()).collect()
}

/// Returns the variable for these words.
fn variable(words: &[&str]) -> String {
    format!("{PREFIX}{}", words.join("_")).replace('-', "_").to_uppercase()
}

/// Prints, with `-v`, the settings that take effect because their options were not typed.
pub fn tell(matches: &ArgMatches) {
    let (_, matches) = innermost(matches);
    for Setting { option, values, source, .. } in &counting(matches) {
        message::detail(format_args!("--{option} {} is set by {source}", values.join(" ")));
    }
}

/// Records the effective options of this command for [`held`].
pub fn hold(command: &Command, matches: &ArgMatches) {
    let (below, matches) = innermost(matches);
    let path: Vec<&str> = std::iter::once(command.get_name()).chain(below).collect();
    let options = options(command);
    let options = options.iter().filter(|(id, _)| has_source(matches, id, ValueSource::CommandLine));
    let typed = options.map(|(id, option)| ChangedOption::typed(&path, option, matches, id));
    let set = counting(matches);
    let held = typed.chain(set.iter().map(|setting| ChangedOption::set(&path, setting))).collect();
    note(|applied| applied.held = held);
}

/// Returns the words after the command that was typed, and the matches of the last of them.
pub fn innermost(mut matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let mut path = Vec::new();
    while let Some((name, below)) = matches.subcommand() {
        path.push(name);
        matches = below;
    }
    (path, matches)
}

/// Returns the settings of the command that was typed, without those that were typed, too.
fn counting(matches: &ArgMatches) -> Vec<Setting> {
    let counts = |setting: &&Setting| {
        has_source(matches, &setting.id, ValueSource::DefaultValue)
            && !opposite::is_undone(matches, &setting.id)
    };
    note(|applied| applied.settings.iter().filter(counts).cloned().collect())
}

fn has_source(matches: &ArgMatches, id: &str, source: ValueSource) -> bool {
    matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(source)
}

/// Returns whether no option is set at all, valid or not.
fn is_nothing_set() -> bool {
    !has_variables() && project().is_none() && matches!(user(), Ok(None))
}

/// Options that leave files out.
pub const FILTERS: [&str; 14] = [
    "include",
    "exclude",
    "exclude-from",
    "ignore-case",
    "hashignore",
    "gitignore",
    "min-size",
    "max-size",
    "newer",
    "older",
    "no-recursion",
    "max-depth",
    "one-file-system",
    "only-inside",
];

/// Commands that compare. A filter that was set for all commands would silently leave files out of the comparison.
const COMPARING: [&str; 4] = ["audit", "check", "diff", "scrub"];

/// Commands that compute the digests that `-c` names. Elsewhere it names another thing, such as the algorithm of digests in
/// a list, and a value for all commands would be none for them.
const COMPUTING: [&[&str]; 8] = [
    &["hash"],
    &["diff"],
    &["scrub"],
    &["explain"],
    &["bag", "create"],
    &["image", "acquire"],
    &["image", "hash"],
    &["image", "verify"],
];

/// Returns which settings count for an option of a command.
fn scope_of(path: &[&str], option: &str) -> SettingScope {
    let is_filter = FILTERS.contains(&option) && path.first().is_some_and(|name| COMPARING.contains(name));
    match is_filter || option == "algorithms" && !COMPUTING.contains(&path) {
        true => SettingScope::ThisCommand,
        false => SettingScope::AnyCommand,
    }
}

/// Finds the values that are set for an option of a command, by precedence. Filters of commands that compare must be
/// set for them alone.
fn find(path: &[&str], option: &str) -> Option<(Vec<String>, SettingOrigin)> {
    let scope = scope_of(path, option);
    let set = |words: &[&str]| {
        let name = variable(words);
        let value = std::env::var_os(&name)?.into_string();
        // A value that is no text names nothing, and is refused.
        let value = value.unwrap_or_else(|bytes: OsString| bytes.to_string_lossy().into_owned());
        Some((vec![value], SettingOrigin::Variable(name)))
    };
    let variables = || variables(path, option, scope).iter().find_map(|words| set(words));
    has_variables().then(variables).flatten().or_else(|| {
        let of = |file: &Option<File>| file.as_ref()?.find(path, option, scope);
        of(project()).or_else(|| of(user().as_ref().ok()?))
    })
}

/// Returns whether the environment has any variable of ours: each look-up of a single one goes through all.
fn has_variables() -> bool {
    let is_ours = |name: OsString| names::bytes(&name).starts_with(PREFIX.as_bytes());
    *read().has_variables.get_or_init(|| std::env::vars_os().any(|(name, _)| is_ours(name)))
}

/// The file of the project, which is read once.
fn project() -> &'static Option<File> {
    read().project.get_or_init(project::find)
}

/// The user's own file, which is read once.
fn user() -> &'static Result<Option<File>, String> {
    read().user.get_or_init(file::of_user)
}

/// Returns the first algorithm among the values whose digests are too short to be chosen by a setting: a digest of 8
/// bits must be typed, else users would take it for a normal one.
fn truncated(setting: &Setting) -> Option<String> {
    let named = setting.option == "algorithms";
    let names = setting.values.iter().filter(|_| named).flat_map(|value| value.split(','));
    let found = names.filter_map(|name| hashmill_digest::find(name.trim()).ok());
    let algorithm = found.into_iter().find(|algorithm| algorithm.class == Class::Truncated)?;
    Some(format!("{} has only {} bits (type it: -c {0})", algorithm.name, algorithm.bits))
}

/// Returns why an option can't have these values; none if it can.
fn refusal(command: &Command, setting: &Setting) -> Option<String> {
    if let Some(why) = truncated(setting) {
        return Some(why);
    }
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(setting.option.as_str()))?;
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count);
    if let ArgAction::Count = arg.get_action() {
        return setting
            .values
            .iter()
            .any(|value| value.parse::<u8>().is_err())
            .then(|| "not a small number".into());
    }
    if is_flag {
        let known = setting.values.iter().all(|value| matches!(value.as_str(), "true" | "false"));
        return (!known).then(|| "neither true nor false".into());
    }
    let words = setting.values.iter().map(|value| format!("--{}={value}", setting.option));
    let words = std::iter::once(command.get_name().to_string()).chain(words);
    let error = command.clone().try_get_matches_from(words).err()?;
    match error.kind() {
        // Other errors mean that something else is missing.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::ArgumentConflict => {
            let text = error.render().to_string();
            let first = text.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            Some(first.trim_start_matches("error: ").to_string())
        }
        _ => None,
    }
}

fn note<R>(change: impl FnOnce(&mut Applied) -> R) -> R {
    change(&mut APPLIED.lock().unwrap_or_else(PoisonError::into_inner))
}
