//! `hashmill completions SHELL`: clap's completions of options, and names of algorithms after `-c`, also after a comma.

mod bash;

use crate::output;
use clap::{Arg, Command};
use clap_complete::Shell;
use hashmill_digest::ALGORITHMS;
use hashmill_job::account::Account;
use hashmill_similar::SIMILAR;

/// Options whose values are names of algorithms, besides `-c`.
const OPTIONS: [&str; 2] = ["algorithms", "name-is"];

/// Prints the completions of all commands for a shell.
///
/// # Errors
/// If they cannot be written.
pub fn run(shell: Shell, mut all: Command) -> anyhow::Result<Account> {
    all.build();
    let text = match shell {
        Shell::Bash => bash::script(&all),
        Shell::Fish => by_clap(shell, &mut all)? + &fish() + &operands(&all),
        Shell::Zsh => zsh(&by_clap(shell, &mut all)?),
        _ => by_clap(shell, &mut all)?,
    };
    output::print_result(text)?;
    Ok(Account::default())
}

fn by_clap(shell: Shell, all: &mut Command) -> anyhow::Result<String> {
    let mut text = Vec::new();
    clap_complete::generate(shell, all, "hashmill", &mut text);
    Ok(String::from_utf8(text)?)
}

/// Returns the names of all algorithms that a command takes, with a blank between them.
fn names(command: &str) -> String {
    let digests = ALGORITHMS.iter().map(|row| row.name).filter(|_| !command.starts_with("similar"));
    digests.chain(SIMILAR.iter().map(|row| row.name)).collect::<Vec<_>>().join(" ")
}

/// Returns whether the values of an option are names of algorithms.
fn has_list(arg: &Arg) -> bool {
    arg.get_long().is_some_and(|long| OPTIONS.contains(&long))
}

/// Replaces clap's completion of file names after these options by names of algorithms.
fn zsh(text: &str) -> String {
    let is_list = |line: &str| {
        let has = |start: String| line.contains(&start);
        line.contains("'-c+[")
            || line.contains("-c+[")
            || OPTIONS.iter().any(|name| has(format!("--{name}=[")))
    };
    // After the `-c` of check there may be a list.
    let mut is_check = false;
    let mut better = |line: &str| {
        if line.starts_with('(') {
            is_check = line == "(check)";
        }
        match line.strip_suffix(":_default' \\") {
            Some(start) if is_list(line) => {
                let or_file = if is_check { "_or_file" } else { "" };
                format!("{start}:_hashmill_algorithms{or_file}' \\\n")
            }
            // `_default` offers the names of commands for the first operand.
            Some(start) => format!("{start}:_files' \\\n"),
            None => format!("{line}\n"),
        }
    };
    let function = format!(
        "# Names of algorithms, also after a comma.\n_hashmill_algorithms() {{\n    _values -s , algorithm {}\n}}\n\n\
         _hashmill_algorithms_or_file() {{\n    _alternative 'algorithms:algorithm:_hashmill_algorithms' 'files:file:_files'\n}}\n\n",
        names("").replace(':', "\\:")
    );
    let (mut all, mut is_written) = (String::new(), false);
    for line in text.lines() {
        // The first function of the script follows.
        if !is_written && line.starts_with("_hashmill() {") {
            all += &function;
            is_written = true;
        }
        all += &better(line);
    }
    all
}

/// Returns the part that is added to clap's script.
fn fish() -> String {
    let options: String = OPTIONS
        .iter()
        .map(|name| {
            format!("complete -c hashmill -n __hashmill_has_list -l {name} -x -a '(__hashmill_algorithms)'\n")
        })
        .collect();
    format!(
        r#"
# Names of algorithms behind -c, also after a comma.
function __hashmill_algorithms
    set -l word (commandline -ct | string replace -r -- '^(-c|--algorithms?=)' '')
    set -l before (string match -r -- '^.*,' $word)
    for name in {names}
        echo "$before$name"
    end
end
function __hashmill_has_list
    set -l words (commandline -opc)
    test (count $words) -gt 1
end
complete -c hashmill -n __hashmill_has_list -s c -x -a '(__hashmill_algorithms)'
{options}complete -c hashmill -n '__fish_seen_subcommand_from check' -s c -F
complete -c hashmill -n '__fish_seen_subcommand_from sign' -l key -F -a '(path filter ~/.ssh/*.pub)'
"#,
        names = names(""),
    )
}

/// Returns completions for values of operands in fish, which clap leaves out.
fn operands(all: &Command) -> String {
    let line = |command: &Command| {
        let values = command.get_positionals().flat_map(Arg::get_possible_values);
        let names: Vec<String> = values.map(|value| value.get_name().to_string()).collect();
        let name = command.get_name();
        let line = format!(
            "complete -c hashmill -n '__fish_seen_subcommand_from {name}' -f -a '{}'\n",
            names.join(" ")
        );
        (!names.is_empty()).then_some(line)
    };
    all.get_subcommands().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zsh_gets_names_where_clap_has_file_names() {
        let text = "_hashmill() {\n'*-c+[The digests]:A,B:_default' \\\n'--algorithms=[The digests]:A,B:_default' \\\n'--output=[x]:FILE:_files' \\\n";
        let better = zsh(text);
        assert_eq!(better.matches(":A,B:_hashmill_algorithms'").count(), 2, "{better}");
        assert!(better.contains(":FILE:_files'") && better.contains("sha256"));
    }

    #[test]
    fn zsh_has_such_options_at_all() {
        let mut text = Vec::new();
        clap_complete::generate(Shell::Zsh, &mut crate::args::whole(), "hashmill", &mut text);
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("\n_hashmill() {"));
        assert!(zsh(&text).matches(":_hashmill_algorithms'").count() > 10, "{text}");
        assert_eq!(zsh(&text).matches(":_hashmill_algorithms_or_file'").count(), 3, "{text}");
    }
}
