//! The conditions under which options act. A typed option that the run would not use is refused by its name, for every
//! command in one place; conditions on the contents of files are checked where these are read.
//!
//! Clap's `requires` does not do for an option that excludes others: with one of those it is not required, and what requires
//! it has no effect.

use crate::access;
use crate::words::message::Shown;
use crate::words::{message, typed};
use anyhow::bail;
use clap::ArgMatches;
use clap::parser::ValueSource;
use hashmill_digest::Algorithm;
use hashmill_job::account::{Account, Item};
use hashmill_os::names;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Options that act under a condition. Clap checks simpler ones: `requires` and `conflicts_with` beside an option.
struct Need {
    /// The words of the command; after `!` of those that are exempt, comma-separated; empty for all commands that have the
    /// options and what the conditions name.
    command: &'static str,
    /// The ids of the options.
    options: &'static [&'static str],
    /// The beginning of the values that it is about; empty for all.
    value: &'static str,
    /// The conditions: one of them suffices.
    conditions: &'static [Condition],
    /// A description of the conditions, after "needs".
    text: &'static str,
}

/// A condition on the rest of the command line.
enum Condition {
    /// This option or operand is typed or set.
    Given(&'static str),
    /// This option is neither typed nor set.
    Without(&'static str),
    /// This option has one of these values, typed or by default.
    Is(&'static str, &'static [&'static str]),
    /// This operand is the only one of its kind, and no folder.
    List(&'static str),
    /// One of these operands is no folder.
    AnyList(&'static str),
    /// A word is a location in a store, or lists may name some.
    Location,
}

use Condition::{AnyList, Given, Is, List, Location, Without};

/// The options about signatures beside lists.
const OF_SIGNATURES: &[&str] = &[
    "ignore_signature",
    "allow_weak",
    "allowed_signers",
    "public_key",
    "identity",
    "require",
    "namespace",
    "verify_time",
];

/// The options that choose files of a walk, or look into them.
const FILTERS: &[&str] = &[
    "include",
    "exclude",
    "exclude_from",
    "hashignore",
    "gitignore",
    "no_recursion",
    "max_depth",
    "min_size",
    "max_size",
    "newer",
    "older",
    "follow",
    "one_file_system",
    "images",
    "inside",
];

/// The options that name outputs.
const OUTPUTS: &[Condition] = &[
    Given("output"),
    Given("update"),
    Given("write"),
    Given("export"),
    Given("metrics"),
    Given("export_json"),
    Given("export_csv"),
    Given("export_markdown"),
    Given("plot"),
];

/// The options whose values are names of outputs.
const WRITTEN: &[&str] = &[
    "output",
    "update",
    "write",
    "export",
    "metrics",
    "export_json",
    "export_csv",
    "export_markdown",
    "plot",
    "timestamp_request",
];

/// The conditions under which an audit finds files that no manifest names.
const WALKED: &[Condition] = &[Given("paths"), Given("files_from"), Given("against")];

static NEEDS: &[Need] = &[
    need(&["sign", "seal"], &[Given("manifest")], "a manifest: --manifest").of("copy"),
    need(
        &["case", "examiner", "evidence"],
        &[Given("manifest"), Is("format", &["json"])],
        "a manifest or a result: --manifest or -f json",
    )
    .of("copy"),
    need(
        &["verify", "verify_source", "format", "stats"],
        &[Without("dry_run")],
        "a run that copies: leave --dry-run out",
    )
    .of("copy"),
    // Whether a destination can become a bag is seen before anything is copied.
    need(
        &["manifest", "force", "algorithms"],
        &[Without("dry_run"), Is("manifest", &["bag"])],
        "a run that copies: leave --dry-run out",
    )
    .of("copy"),
    need(&["info"], &[Is("manifest", &["bag"])], "a bag: --manifest bag").of("copy"),
    need(&["records"], &[Is("format", &["page"])], "a page: --format page").of("report"),
    need(OF_SIGNATURES, &[Given("reuse")], "a list to read: --reuse").of("hash"),
    need(OF_SIGNATURES, &[Given("manifest"), List("paths")], "a manifest to read: --manifest").of("dupes"),
    need(OF_SIGNATURES, &[Given("manifest")], "a manifest to read: --manifest").of("known match"),
    need(OF_SIGNATURES, &[Given("from")], "a list to read: --from").of("known query"),
    need(OF_SIGNATURES, &[AnyList("old"), AnyList("new")], "a manifest among A and B").of("diff"),
    need(
        &["allow_weak", "require", "namespace"],
        &[Given("allowed_signers"), Given("public_key")],
        "trusted signers: --allowed-signers or --public-key",
    ),
    need(&["identity"], &[Given("allowed_signers")], "signers with names: --allowed-signers"),
    need(&["verify_time"], &[Given("allowed_signers")], "signers with dates: --allowed-signers"),
    need(&["deleted", "unallocated"], &[Is("inside", &["images", "all"])], "--inside images"),
    need(
        &["backing"],
        &[Is("images", &["true"]), Is("inside", &["images", "all"])],
        "--images or --inside images",
    ),
    need(&["max_ratio"], &[Is("inside", &["archives", "all"])], "--inside archives"),
    need(
        &["only_inside", "max_nesting", "max_members", "max_expanded"],
        &[Is("inside", &["archives", "images", "all"])],
        "--inside",
    ),
    need(&["null"], &[Given("files_from"), Given("write")], "--files-from, or --write where there is one")
        .of("!dupes"),
    need(&["null"], &[Given("files_from"), Is("format", &["text"])], "--files-from or -f text").of("dupes"),
    need(
        &["ignore_case"],
        &[Given("include"), Given("exclude"), Given("exclude_from")],
        "patterns: --include, --exclude or --exclude-from",
    ),
    need(&["price_list"], &[Given("stats")], "--stats"),
    need(&["endpoint", "region", "anonymous", "requests"], &[Location], "a location in a store"),
    need(&["min_strength", "download"], &[Location], "a location in a store").of("audit"),
    need(&["min_strength", "download"], &[Location], "a location in a store").of("diff"),
    need(&["counts", "status"], &[Is("format", &["text"])], "-f text: JSON has both counts and entries"),
    need(&["write"], &[Is("new", &["true"])], "--new, which looks for such files").with("new=").of("check"),
    need(&["write"], WALKED, "a PATH to look for such files in").with("new=").of("audit"),
    need(&["write"], WALKED, "a PATH to look for such files in").with("moved=").of("audit"),
    need(&["write"], WALKED, "a PATH to look for such files in").with("copied=").of("audit"),
    need(&["known_set"], &[Without("counts")], "a listing of files: leave out --counts").of("audit"),
    need(&["prune"], &[Given("update")], "a manifest to write: --update"),
    need(&["force"], OUTPUTS, "an output that is a file").of("!convert,sign,seal create,outboard create"),
    need(FILTERS, &[Without("roots")], "files to choose among: --roots compares whole manifests").of("diff"),
    need(
        OF_SIGNATURES,
        &[Without("roots")],
        "a comparison without --roots; 'hashmill verify' checks signatures",
    )
    .of("diff"),
    need(FILTERS, &[Without("export")], "files to read: --export writes all that counts").of("scrub"),
    need(&["repair_from", "discard", "sign"], &[Without("export")], "a run: --export changes nothing")
        .of("scrub"),
    need(&["exclude_type", "only_type"], &[Given("known")], "sets with types: --known-set"),
    need(&["bucket", "prefix", "min_strength"], &[Given("list")], "a list for a store: --to").of("convert"),
    need(&["ignore", "follow"], &[Given("model")], "a model: --model").of("verify"),
    need(&["prefix"], &[Is("algorithms", &["dirhash"])], "-c dirhash").of("tree"),
    need(&["follow"], &[Is("algorithms", &["model"])], "-c model").of("tree"),
    need(&["namespace", "key_format"], &[Given("key"), Is("agent", &["true"])], "a key: --key").of("sign"),
];

const fn need(
    options: &'static [&'static str],
    conditions: &'static [Condition],
    text: &'static str,
) -> Need {
    Need { command: "", options, value: "", conditions, text }
}

/// Tells that no list needed the algorithm or the key that was typed, if none did, and returns the account of that.
pub fn tell_unneeded(algorithm: Option<&Algorithm>) -> Account {
    let Some(algorithm) = algorithm else { return Account::default() };
    let mode = ["keyed", "derive-key", "length"].into_iter().find(|option| typed::has_option(option));
    let option = match mode {
        Some(mode) => format!("--{mode}"),
        None if typed::has_either('c', "algorithms") => format!("-c {}", algorithm.name),
        None => return Account::default(),
    };
    message::say(format_args!("{option}: has no effect: the lists name the algorithms of their digests"));
    Account::unusable(Item::Operand, 1)
}

/// The options to which an empty value says something: text before names, and the context of keys.
const MAY_BE_EMPTY: &[&str] = &["prefix", "derive_key"];

/// Refuses a typed option that would have no effect, or whose value is empty; `command` are the words of the command.
///
/// # Errors
/// If there is one.
pub fn check(command: &[&str], matches: &ArgMatches) -> anyhow::Result<()> {
    if let Some(option) = empty(matches, &typed::has_option) {
        bail!("--{option}: an empty value says nothing (leave the option out)");
    }
    if let Some((one, other, place)) = same_output(matches) {
        bail!("--{one} and --{other}: both write {}, and one would be lost", Shown::path(&place));
    }
    let command = command.join(" ");
    for need in NEEDS.iter().filter(|need| need.concerns(&command, matches)) {
        if let Some(option) = need.options.iter().find(|option| need.is_typed(option, matches))
            && !need.conditions.iter().any(|condition| condition.holds(matches))
        {
            let (option, equals) = (option.replace('_', "-"), if need.value.is_empty() { "" } else { " " });
            bail!("--{option}{equals}{}: has no effect here: it needs {}", need.value, need.text);
        }
    }
    Ok(())
}

/// Returns the name of an option that was typed with an empty value. Operands are looked at where they are used.
fn empty(matches: &ArgMatches, has_option: &dyn Fn(&str) -> bool) -> Option<String> {
    let is_empty = |id: &&str| {
        let has_meaning = MAY_BE_EMPTY.contains(id);
        !has_meaning && is_typed(matches, id) && values(matches, id).any(OsStr::is_empty)
    };
    let empty = matches.ids().map(clap::Id::as_str).filter(is_empty);
    empty.map(|id| id.replace('_', "-")).find(|option| has_option(option))
}

/// Returns two options that were typed with the name of one file as an output, and the file.
fn same_output(matches: &ArgMatches) -> Option<(String, String, PathBuf)> {
    let mut places: BTreeMap<PathBuf, String> = BTreeMap::new();
    let typed = WRITTEN.iter().filter(|id| is_typed(matches, id));
    let mut outputs =
        typed.flat_map(|id| values(matches, id).filter_map(|value| Some((*id, place(id, value)?))));
    outputs.find_map(|(id, place)| {
        let option = id.replace('_', "-");
        let other = places.insert(place.clone(), option.clone())?;
        // Categories may share a file.
        ((&*other, &*option) != ("write", "write")).then_some((other, option, place))
    })
}

/// Returns the file that a value names as an output, however its folder is spelled; `None` for streams and devices, which take
/// several.
fn place(id: &str, value: &OsStr) -> Option<PathBuf> {
    let name = names::bytes(value);
    // `--write CATEGORY=FILE`
    let behind = name.iter().position(|byte| *byte == b'=').filter(|_| id == "write");
    let path = names::path_to_try(&name[behind.map_or(0, |at| at + 1)..]).into_owned();
    if path.as_os_str() == "-" || path.exists() && !path.is_file() {
        return None;
    }
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let whole = folder.and_then(|folder| Some(names::canonical(folder).ok()?.join(path.file_name()?)));
    Some(whole.unwrap_or(path))
}

impl Need {
    const fn of(self, command: &'static str) -> Need {
        Need { command, ..self }
    }

    const fn with(self, value: &'static str) -> Need {
        Need { value, ..self }
    }

    /// Returns whether it is about this command.
    fn concerns(&self, command: &str, matches: &ArgMatches) -> bool {
        let is_known = |condition: &Condition| condition.id().is_none_or(|id| has(matches, id));
        let is_meant = match self.command.strip_prefix('!') {
            Some(exempt) => !exempt.split(',').any(|exempt| exempt == command),
            None => ["", command].contains(&self.command),
        };
        is_meant && self.conditions.iter().any(is_known)
    }

    /// Returns whether an option is typed, with a value that this is about.
    fn is_typed(&self, option: &str, matches: &ArgMatches) -> bool {
        let is_meant = |value: &OsStr| names::bytes(value).starts_with(self.value.as_bytes());
        is_typed(matches, option) && values(matches, option).any(is_meant)
    }
}

impl Condition {
    /// Returns the option or operand that it names.
    fn id(&self) -> Option<&'static str> {
        match self {
            Given(id) | Without(id) | Is(id, _) | List(id) | AnyList(id) => Some(id),
            Location => None,
        }
    }

    fn holds(&self, matches: &ArgMatches) -> bool {
        match self {
            Given(id) => values(matches, id).next().is_some(),
            Without(id) => values(matches, id).all(|value| value == "false"),
            Is(id, wanted) => values(matches, id).any(|value| wanted.iter().any(|word| value == *word)),
            AnyList(id) => values(matches, id).any(is_list),
            List(id) => {
                let mut operands = values(matches, id);
                operands.next().is_some_and(is_list) && operands.next().is_none()
            }
            Location => names_a_store(matches),
        }
    }
}

fn is_list(path: &OsStr) -> bool {
    !Path::new(path).is_dir()
}

/// Returns whether a command has this option or operand.
fn has(matches: &ArgMatches, id: &str) -> bool {
    matches.try_contains_id(id).is_ok()
}

/// Returns whether this option is typed, rather than set or left at its default.
fn is_typed(matches: &ArgMatches, id: &str) -> bool {
    has(matches, id) && matches.value_source(id) == Some(ValueSource::CommandLine)
}

fn values<'m>(matches: &'m ArgMatches, id: &str) -> impl Iterator<Item = &'m OsStr> {
    matches.try_get_raw(id).ok().flatten().into_iter().flatten()
}

/// Returns whether a word of the command line is a location, other than the address of the service, or lists may name
/// some.
fn names_a_store(matches: &ArgMatches) -> bool {
    let stores = access::stores();
    let is_address = |word: &[u8]| values(matches, "endpoint").any(|value| *names::bytes(value) == *word);
    let is_location = |word: &[u8]| stores.is_location(word) && !is_address(word);
    let words = typed::words().iter().skip(1).map(|word| names::bytes(word));
    let mut named = words.flat_map(|word| {
        let value = word.iter().position(|byte| *byte == b'=').map(|end| word[end + 1..].to_vec());
        [Some(word.into_owned()), value].into_iter().flatten()
    });
    named.any(|word| is_location(&word)) || Is("allow_remote", &["true"]).holds(matches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;
    use clap::Command;

    /// Returns the commands without subcommands, and their words.
    fn leaves(command: &Command, words: &str) -> Vec<(String, Command)> {
        if !command.has_subcommands() {
            return vec![(words.to_string(), command.clone())];
        }
        let below = command.get_subcommands();
        below.flat_map(|below| leaves(below, format!("{words} {}", below.get_name()).trim())).collect()
    }

    fn has_option(command: &Command, id: &str) -> bool {
        command.get_arguments().any(|arg| arg.get_id() == id)
    }

    #[test]
    fn every_row_is_about_options_that_are_there() {
        let all = leaves(&whole(), "");
        for need in NEEDS {
            let concerned = all
                .iter()
                .filter(|(words, _)| [words, ""].contains(&need.command) || need.command.starts_with('!'));
            let concerned: Vec<&Command> = concerned.map(|(_, command)| command).collect();
            let ids = need.conditions.iter().filter_map(Condition::id);
            for id in need.options.iter().copied().chain(ids) {
                let is_there = concerned.iter().any(|command| has_option(command, id));
                assert!(is_there, "{} --{id}", need.command);
            }
            for command in concerned {
                let longs =
                    command.get_arguments().filter(|arg| need.options.contains(&arg.get_id().as_str()));
                for arg in longs {
                    let id = arg.get_id().as_str().replace('_', "-");
                    assert_eq!(arg.get_long(), Some(&*id), "{}", command.get_name());
                }
            }
        }
    }

    #[test]
    fn outputs_of_one_name_are_refused() {
        for (line, options) in [
            ("audit -k m --update a --write matched=./a x", "--update and --write"),
            ("sign m --key k --key l -o a -o a", "--output and --output"),
            ("sign m --key k -o a --timestamp-request a", "--output and --timestamp-request"),
        ] {
            let said = refused(line).unwrap_or_default();
            assert!(said.starts_with(&format!("{options}: both write ")), "{line}: {said}");
        }
        for line in
            ["audit -k m --write matched=/dev/null --write new=/dev/null x", "sign m --key k -o a -o b/a"]
        {
            assert_eq!(refused(line), None, "{line}");
        }
    }

    #[test]
    fn an_empty_value_is_refused_by_every_option_but_a_few() {
        let mut met = Vec::new();
        for (words, command) in leaves(&whole(), "") {
            let takes_text = |arg: &&clap::Arg| arg.get_long().is_some() && arg.get_action().takes_values();
            for arg in command.get_arguments().filter(takes_text) {
                let (id, long) = (arg.get_id().as_str(), arg.get_long().unwrap_or_default());
                let typed = words.split(' ').map(String::from).chain([format!("--{long}=")]);
                let all = whole().ignore_errors(true);
                // A value that can't be parsed is not taken.
                let parsed =
                    all.try_get_matches_from(std::iter::once("hashmill".into()).chain(typed)).unwrap();
                let (_, matches) = crate::settings::innermost(&parsed);
                if is_typed(matches, id) && values(matches, id).any(OsStr::is_empty) {
                    let refused = empty(matches, &|option| option == long);
                    assert_eq!(refused.is_none(), MAY_BE_EMPTY.contains(&id), "{words} --{long}");
                    met.push(long.to_string());
                }
            }
        }
        for option in ["case", "as", "identity", "namespace", "column", "prefix"] {
            assert!(met.iter().any(|met| met == option), "{option}");
        }
    }

    fn refused(line: &str) -> Option<String> {
        let words: Vec<&str> = line.split(' ').collect();
        let matches = whole().try_get_matches_from(std::iter::once("hashmill").chain(words)).unwrap();
        let (mut path, mut matches) = (Vec::new(), &matches);
        while let Some((name, below)) = matches.subcommand() {
            path.push(name);
            matches = below;
        }
        check(&path, matches).err().map(|error| error.to_string())
    }

    #[test]
    fn an_option_without_what_it_acts_on_is_refused_by_its_name() {
        for (line, option) in [
            ("hash --allow-weak x", "--allow-weak"),
            ("hash --public-key k x", "--public-key"),
            ("dupes --require 1 . .", "--require"),
            ("known match -k s --namespace n x", "--namespace"),
            ("known query -k s --ignore-signature 00", "--ignore-signature"),
            ("diff --ignore-signature . .", "--ignore-signature"),
            ("check --require 2 LIST", "--require"),
            ("check --namespace n LIST", "--namespace"),
            ("verify --public-key k --verify-time 20200101 m", "--verify-time"),
            ("hash --deleted --inside archives x", "--deleted"),
            ("audit -k m --unallocated --inside archives x", "--unallocated"),
            ("hash --backing b --inside archives x", "--backing"),
            ("hash --max-ratio 3 --inside images x", "--max-ratio"),
            ("hash --endpoint http://127.0.0.1:1 x", "--endpoint"),
            ("hash --region r --files-from list", "--region"),
            ("dupes --ignore-case --gitignore x", "--ignore-case"),
            ("diff --download . .", "--download"),
            ("audit --counts -f json -k m x", "--counts"),
            ("diff --counts -f jsonl a b", "--counts"),
            ("check --status -f json LIST", "--status"),
            ("check --write new=Q LIST", "--write new="),
            ("audit -k m --write copied=Q", "--write copied="),
            ("hash --force x", "--force"),
            ("check --force LIST", "--force"),
            ("bench cycles --force", "--force"),
            ("diff --roots --include x a b", "--include"),
            ("diff --roots --public-key k a b", "--public-key"),
            ("scrub --state s --export e --exclude x", "--exclude"),
            ("scrub --state s --export e --discard", "--discard"),
            ("audit -k m --known-set s --counts x", "--known-set"),
            ("audit a --against b --prune", "--prune"),
            ("similar pairs -c ssdeep --lists --only-type t l", "--only-type"),
            ("convert --bucket b -f csv a b", "--bucket"),
            ("verify --allowed-signers s --follow m", "--follow"),
            ("hash --reuse r --identity i x", "--identity"),
            ("tree -c git --prefix p x", "--prefix"),
            ("tree -c git,dirhash --follow x", "--follow"),
        ] {
            let said = refused(line).unwrap_or_else(|| panic!("{line}"));
            assert!(said.starts_with(&format!("{option}: has no effect here: it needs ")), "{line}: {said}");
        }
        for line in [
            "hash --reuse old --public-key k --allow-weak x",
            "dupes --public-key k Cargo.toml",
            "diff --ignore-signature . Cargo.toml",
            "hash --deleted --backing b --inside all --max-ratio 3 x",
            "hash --backing b --images x",
            "image hash --backing b x",
            "audit -k m --ignore-case --exclude *.jpg x",
            "check --allow-remote --anonymous LIST",
            "bag verify --allow-weak bag",
            "audit -k m --write matched=Q",
            "audit -k m --write new=Q x",
            "check --new --write new=Q LIST",
            "tree -c git,dirhash --prefix p x",
            "audit --counts -k m x",
            "audit -k m --force --write new=Q x",
            "seal create --force m",
            "diff --roots a b",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }
}
