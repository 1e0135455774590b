//! `--definition FILE`: a command's options as data, so that a benchmark can be kept and repeated.
//!
//! A definition is TOML: `bench = "sizes"`, and a line for each option by its long name. It becomes words before
//! those of the command line, which count if both say something.

use anyhow::{Context, bail, ensure};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The words of a command line with those of a definition in front of their own.
///
/// # Errors
/// If the file can't be read, is no such definition, or is one of another command.
pub fn expand(words: &[OsString], command: &str, file: &Path) -> anyhow::Result<Vec<OsString>> {
    let shown = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("{shown}: cannot read the definition"))?;
    let options = options(&text, command).with_context(|| format!("{shown}: not a usable definition"))?;
    let bench = words.iter().position(|word| word == "bench").unwrap_or(0);
    let place =
        words.iter().skip(bench).position(|word| word == command).map_or(words.len(), |at| bench + at + 1);
    let mut expanded = words.to_vec();
    expanded.splice(place..place, options.into_iter().map(OsString::from));
    Ok(expanded)
}

fn options(text: &str, command: &str) -> anyhow::Result<Vec<String>> {
    let mut table: Table = text.parse()?;
    match table.remove("bench") {
        Some(Value::String(name)) => ensure!(name == command, "it is for 'bench {name}'"),
        _ => bail!("it does not say for what: bench = \"{command}\""),
    }
    let mut words = Vec::new();
    for (name, value) in table {
        match value {
            Value::Boolean(true) => words.push(format!("--{name}")),
            Value::Boolean(false) => {}
            value => words.push(format!("--{name}={}", word(&value).with_context(|| name.clone())?)),
        }
    }
    Ok(words)
}

fn word(value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Array(values) => values.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(","),
        _ => bail!("text, a number, true, false or a list of these is wanted"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_definition_becomes_options_in_front_of_those_that_are_typed() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("d.toml");
        let text =
            "# kept\nbench = \"sizes\"\nsizes = [\"1K\", \"1M\"]\nruns = 3\nmin-time = 0.5\ncold = true\n";
        fs::write(&file, text).unwrap();
        let expanded = expand(&words("hashloom --isa avx2 bench sizes --runs 9"), "sizes", &file).unwrap();
        let wanted = "hashloom --isa avx2 bench sizes --cold --min-time=0.5 --runs=3 --sizes=1K,1M --runs 9";
        let mut found: Vec<&str> = expanded.iter().map(|word| word.to_str().unwrap()).collect();
        // Options come in any order.
        found[5..9].sort_unstable();
        assert_eq!(found.join(" "), wanted);
    }

    #[test]
    fn what_is_no_definition_says_why() {
        for (text, why) in [
            ("runs = 3", "it does not say for what"),
            ("bench = \"tools\"", "it is for 'bench tools'"),
            ("bench = \"sizes\"\nruns = {}", "runs"),
            ("bench = ", "TOML parse error"),
        ] {
            let error = format!("{:#}", options(text, "sizes").unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }
}
