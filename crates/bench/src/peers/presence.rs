//! Detects the installed tools and their versions.

use super::table::{Package, Tool};
use crate::race::{Ended, Invocation, Runner};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The time limit for printing the version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program to look for.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Its name.
    pub name: &'static str,
    /// The arguments with which it prints its version.
    pub version: &'a [&'a str],
    /// The package that contains it.
    pub package: Package,
}

/// Whether a program is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// It is installed; its version, if it prints one.
    Here(String),
    /// It is not installed; the package that contains it.
    Absent(Package),
}

/// A cache of the programs that were looked for.
#[derive(Debug, Clone, Default)]
pub struct Installed {
    known: BTreeMap<&'static str, Presence>,
}

impl Installed {
    /// Returns whether a tool is installed.
    pub fn tool(&mut self, runner: &mut dyn Runner, tool: &Tool) -> Presence {
        let Tool { name, version, package, .. } = *tool;
        self.program(runner, Program { name, version, package })
    }

    /// Returns whether a program is installed.
    pub fn program(&mut self, runner: &mut dyn Runner, program: Program<'_>) -> Presence {
        let Program { name, version, package } = program;
        let ask = || {
            let ran = runner.run(&Invocation::new(name, version.iter().copied()), PATIENCE);
            match ran.ended {
                Ended::NotRun(_) => Presence::Absent(package),
                _ => Presence::Here(version_in(&[ran.stdout, ran.stderr].concat())),
            }
        };
        self.known.entry(name).or_insert_with(ask).clone()
    }

    /// Returns the versions of all installed programs that were looked for.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let here = self.known.iter().filter_map(|(name, presence)| match presence {
            Presence::Here(version) => Some((name.to_string(), version.clone())),
            Presence::Absent(_) => None,
        });
        here.collect()
    }
}

/// Returns the first word of the output that looks like a version.
fn version_in(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut versions = words.filter(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    versions.next().unwrap_or("unknown version").to_string()
}

/// Shows the command to install it: "not installed (apt install hashdeep)".
impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Package::Debian(name) => write!(f, "not installed (apt install {name})"),
            Package::Crate(name) => write!(f, "not installed (cargo install {name})"),
            Package::None => f.write_str("not installed (no package has it)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_wherever_they_stand() {
        for (output, version) in [
            ("b2sum (GNU coreutils) 9.1\nCopyright (C) 2022", "9.1"),
            ("RHash v1.4.3\n", "1.4.3"),
            ("4.4\n", "4.4"),
            ("xxhsum 0.8.1 by Yann Collet", "0.8.1"),
            ("OpenSSL 3.0.22 25 Aug 2026", "3.0.22"),
            ("", "unknown version"),
        ] {
            assert_eq!(version_in(output.as_bytes()), version);
        }
    }

    #[test]
    fn a_missing_tool_names_its_package() {
        assert_eq!(Package::Debian("hashdeep").to_string(), "not installed (apt install hashdeep)");
        assert_eq!(Package::Crate("blazehash").to_string(), "not installed (cargo install blazehash)");
    }
}
