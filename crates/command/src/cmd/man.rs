//! `hashmill man`: the man pages, made from the same text as `--help`.

use crate::output;
use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use hashmill_hashdeep::Personality;
use hashmill_job::account::Account;
use std::fs;
use std::io;
use std::path::Path;

/// Exit codes of every command; commands that describe their own have a section for them.
const EXITS: [(&str, &str); 7] = [
    ("0", "Everything was read, and there are no differences."),
    ("1", "Something differs: changed, missing, new, known bad, a stored digest that fails."),
    ("2", "Some input could not be read or understood; each is named on standard error."),
    ("3", "Files were not verified for longer than --max-age, and nothing worse (hashmill scrub alone)."),
    ("64", "The command line is wrong, or an input that everything depends on is not usable."),
    ("130", "It was interrupted; complete results are kept if --resume can continue from them."),
    ("141", "The reader of standard output closed it."),
];

/// The exit codes of hashdeep's commands.
const HASHDEEP_EXITS: [(&str, &str); 4] = [
    ("0", "All files were read, everything matched, or the audit passed."),
    ("1", "A file could not be read, a known hash matched no file, or the audit failed."),
    ("2", "A file matched no known hash; 3 where a known hash matched no file, too."),
    ("64", "The command line is wrong."),
];

const ENVIRONMENT: [(&str, &str); 5] = [
    (
        "HASHMILL_OPTION",
        "Sets the option of that name unless it is typed: HASHMILL_MAX_SIZE is --max-size. HASHMILL_HASH_ALGORITHMS \
         is for hashmill hash alone.",
    ),
    ("HASHMILL_CONFIG", "Another file of settings; if it is empty, none is read."),
    ("HASHMILL_ISA", "The same as --isa."),
    ("NO_COLOR", "If it is not empty, output has no colours."),
    ("TMPDIR", "The directory for data that is too large for memory."),
];

const FILES: [(&str, &str); 3] = [
    (
        "~/.config/hashmill/config.toml",
        "Settings: names of options, at the top or below the name of a command.",
    ),
    (
        ".hashmill.toml",
        "In the working directory or above it: how the manifests of a project are written. It can't set \
         what is read, left out, written elsewhere or checked.",
    ),
    ("~/.config/hashmill/calibration", "The costs of kernels on this machine, by hashmill bench calibrate."),
];

/// Prints the page of a command, or of hashmill itself.
///
/// # Errors
/// If there is no such command, or the page cannot be written.
pub fn print(name: Option<&str>, all: Command) -> anyhow::Result<Account> {
    output::print_result(page(&find(name, all)?)?)?;
    Ok(Account::default())
}

/// Writes all pages into a directory, which is made if it is not there.
///
/// # Errors
/// If one cannot be written.
pub fn write_all(directory: &Path, all: Command) -> anyhow::Result<Account> {
    let write = || {
        fs::create_dir_all(directory)?;
        let mut all = all.disable_help_subcommand(true);
        all.build();
        write_below(&all, "hashmill", directory)?;
        Personality::all().try_for_each(|personality| {
            let name = personality.name();
            fs::write(directory.join(format!("{name}.1")), hashdeep_page(personality, &name))
        })
    };
    write().with_context(|| format!("{}: cannot write the man pages", directory.display()))?;
    Ok(Account::default())
}

fn write_below(command: &Command, name: &str, directory: &Path) -> io::Result<()> {
    fs::write(directory.join(format!("{name}.1")), page(&command.clone().name(name.to_string()))?)?;
    let listed = command.get_subcommands().filter(|below| !below.is_hide_set());
    listed
        .into_iter()
        .try_for_each(|below| write_below(below, &format!("{name}-{}", below.get_name()), directory))
}

/// Returns the page of a command.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let version = format!("hashmill {}", env!("CARGO_PKG_VERSION"));
    let title = command.get_name().to_uppercase();
    let man = Man::new(command.clone()).title(title).source(version).manual("hashmill");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    page.extend(sections(&text, command.has_subcommands()).into_bytes());
    Ok(ascii(&String::from_utf8_lossy(&page)))
}

/// Returns the page of one of hashdeep's commands, with the options as its help lists them.
fn hashdeep_page(personality: Personality, name: &str) -> Vec<u8> {
    let options = plain(&personality.option_lines().join("\n"));
    let title = name.to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    let page = format!(
        ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.TH {title} 1 \"\" \"hashmill {version}\" hashmill\n\
         .SH NAME\n{name} \\- compute and match digests of files, as hashdeep 4.4 does\n\
         .SH SYNOPSIS\n\\fB{name}\\fR [\\fIOPTION\\fR]... [\\fIFILES\\fR]...\n\
         .SH DESCRIPTION\nThis is hashmill under the name of one of the commands of hashdeep. It takes the options of version \
         4.4 and writes the same output.\n\
         .SH OPTIONS\n.nf\n{options}\n.fi\n{account}.SH SEE ALSO\n\\fBhashmill\\fR(1), \\fBhashmill\\-audit\\fR(1)\n",
        account = list("EXIT STATUS", &HASHDEEP_EXITS),
    );
    ascii(&page)
}

/// Escapes the characters that not every roff has, by their numbers.
fn ascii(page: &str) -> Vec<u8> {
    let letter = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => format!("\\[u{:04X}]", letter as u32),
    };
    page.chars().map(letter).collect::<String>().into_bytes()
}

/// Returns the sections made from the text after the options in help, and the sections of all commands.
fn sections(text: &str, is_group: bool) -> String {
    let (mut examples, mut own_exits) = (Vec::new(), None);
    let mut notes = Vec::new();
    for part in text.split("\n\n").map(|part| part.trim_matches('\n')).filter(|part| !part.is_empty()) {
        match part.split_once(":\n") {
            Some(("Examples" | "Example", lines)) => examples.push(lines),
            // Another block of examples.
            _ if part.starts_with("  hashmill ") => examples.push(part),
            _ if part.starts_with("Exit code: ") => own_exits = part.strip_prefix("Exit code: "),
            _ if part.starts_with("Exit codes: ") => own_exits = part.strip_prefix("Exit codes: "),
            _ => notes.push(part),
        }
    }
    let block = |title: &str, parts: &[&str]| match parts.is_empty() {
        true => String::new(),
        false => format!(".SH {title}\n.nf\n{}\n.fi\n", plain(&parts.join("\n\n"))),
    };
    let mut page = block("NOTES", &notes) + &block("EXAMPLES", &examples);
    if !is_group {
        page += &match own_exits {
            Some(account) => format!(".SH EXIT STATUS\n{}\n", plain(&account.replace('\n', " "))),
            None => list("EXIT STATUS", &EXITS),
        };
    }
    page + &list("ENVIRONMENT", &ENVIRONMENT) + &list("FILES", &FILES)
}

fn list(title: &str, rows: &[(&str, &str)]) -> String {
    let rows = rows.iter().map(|(name, what)| format!(".TP\n\\fB{}\\fR\n{}\n", plain(name), plain(what)));
    format!(".SH {title}\n{}", rows.collect::<String>())
}

/// Escapes text for roff.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn find(name: Option<&str>, mut all: Command) -> anyhow::Result<Command> {
    all.build();
    let Some(name) = name else { return Ok(all) };
    let found = descend(&all, name).with_context(|| format!("there is no command '{name}'"))?;
    let full = found.get_bin_name().unwrap_or(name).replace(' ', "-");
    Ok(found.clone().name(full))
}

fn descend<'a>(command: &'a Command, name: &str) -> Option<&'a Command> {
    command.get_subcommands().find_map(|below| match name.strip_prefix(below.get_name())? {
        "" => Some(below),
        rest => descend(below, rest.strip_prefix([' ', '-'])?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;

    fn text(name: &str) -> String {
        String::from_utf8(page(&find(Some(name), whole()).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn pages_have_examples_and_exit_status() {
        for name in ["hash", "audit", "check", "diff", "dupes", "known build", "similar-pairs", "bag create"]
        {
            let page = text(name);
            for section in [".SH EXAMPLES\n", ".SH EXIT STATUS\n", ".SH ENVIRONMENT\n", ".SH FILES\n"] {
                assert_eq!(page.matches(section).count(), 1, "{name}: {section}");
            }
        }
        assert!(text("diff").contains("no difference"), "a command's own words");
    }

    #[test]
    fn a_command_is_found_by_its_words() {
        for name in ["seal verify", "seal-verify"] {
            assert!(text(name).contains("hashmill\\-seal\\-verify"), "{name}");
        }
        assert!(text("seal").contains("hashmill\\-seal "), "the noun");
        assert!(find(Some("verify-nosuch"), whole()).is_err());
    }
}
