//! `--definition FILE`: a command's options as data, so that a benchmark can be stored and repeated.
//!
//! A definition is JSON: `bench` names the command, `why` is its purpose, and `options` has a key for each option, by
//! its long name. It becomes words before those of the command line, which take precedence.

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    bench: String,
    /// A note for people.
    #[serde(rename = "why")]
    _why: Option<String>,
    options: Map<String, Value>,
}

/// Returns a command line with the words of a definition before its own.
///
/// # Errors
/// If the file can't be read, is no such definition, or is one of another command.
pub fn expand(words: &[OsString], command: &str, file: &Path) -> anyhow::Result<Vec<OsString>> {
    let shown = file.display();
    let text = fs::read(file).with_context(|| format!("{shown}: cannot read the definition"))?;
    let options = options(&text, command).with_context(|| format!("{shown}: not a usable definition"))?;
    let bench = words.iter().position(|word| word == "bench").unwrap_or(0);
    let place = words.iter().skip(bench).position(|word| word == command);
    let place = place.map_or(words.len(), |at| bench + at + 1);
    let mut expanded = words.to_vec();
    expanded.splice(place..place, options.into_iter().map(OsString::from));
    Ok(expanded)
}

fn options(text: &[u8], command: &str) -> anyhow::Result<Vec<String>> {
    let Definition { bench, options, .. } = serde_json::from_slice(text)?;
    ensure!(bench == command, "it is for 'bench {bench}'");
    let mut words = Vec::new();
    for (name, value) in options {
        match value {
            Value::Bool(true) => words.push(format!("--{name}")),
            Value::Bool(false) => {}
            value => words.push(format!("--{name}={}", word(&value).with_context(|| name.clone())?)),
        }
    }
    Ok(words)
}

fn word(value: &Value) -> anyhow::Result<String> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => values.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(","),
        _ => bail!("text, a number, true, false or a list of these is wanted"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::errors;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_definition_becomes_options_in_front_of_those_that_are_typed() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("d.json");
        let text = r#"{"bench": "sizes", "why": "to be kept",
            "options": {"sizes": ["1K", "1M"], "runs": 3, "min-time": 0.5, "cold": true}}"#;
        fs::write(&file, text).unwrap();
        let expanded = expand(&words("hashmill --isa avx2 bench sizes --runs 9"), "sizes", &file).unwrap();
        let wanted = "hashmill --isa avx2 bench sizes --cold --min-time=0.5 --runs=3 --sizes=1K,1M --runs 9";
        let mut found: Vec<&str> = expanded.iter().map(|word| word.to_str().unwrap()).collect();
        // The order of options is arbitrary.
        found[5..9].sort_unstable();
        assert_eq!(found.join(" "), wanted);
    }

    #[test]
    fn what_is_no_definition_says_why() {
        for (text, why) in [
            (r#"{"options": {}}"#, "has no `bench`"),
            (r#"{"bench": "tools", "options": {}}"#, "it is for 'bench tools'"),
            (r#"{"bench": "sizes", "options": {"runs": {}}}"#, "runs"),
            (r#"{"bench": "sizes", "option": {}}"#, "`option` is not known there"),
            ("{", "it ends too early"),
        ] {
            let error = errors::chain(&options(text.as_bytes(), "sizes").unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }
}
