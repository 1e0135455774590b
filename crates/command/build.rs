//! Collects the facts about the build that `--version -v` prints.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    tell_version();
}

/// Passes commit, target and compiler to the program, in variables that are not named like options: `cargo test` sets
/// them for the programs that it runs, too.
///
/// The commit is looked up for releases only, as it would make each development build longer.
fn tell_version() {
    println!("cargo::rerun-if-env-changed=HASHMILL_COMMIT");
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let commit = variable("HASHMILL_COMMIT").or_else(|| {
        let is_release = variable("PROFILE").is_some_and(|profile| profile == "release");
        is_release.then(commit).flatten()
    });
    println!("cargo::rustc-env=BUILD_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo::rustc-env=BUILD_TARGET={}", variable("TARGET").as_deref().unwrap_or("unknown"));
    let compiler = variable("RUSTC").and_then(|rustc| said(&rustc, &["--version"]));
    println!("cargo::rustc-env=BUILD_COMPILER={}", compiler.as_deref().unwrap_or("unknown"));
}

/// Returns the commit of the sources, and whether they were changed since.
fn commit() -> Option<String> {
    for place in ["HEAD", "index"] {
        if let Some(path) = said("git", &["rev-parse", "--git-path", place]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changed = said("git", &["status", "--porcelain", "--untracked-files=no"]).is_some();
    Some(if changed { format!("{commit}, with changes") } else { commit })
}

/// Returns the output of a program, if it is not empty.
fn said(program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(program).args(words).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.lines().next()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}
