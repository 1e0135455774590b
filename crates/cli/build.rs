//! How the program is linked, and what `--version -v` says of it.

use std::env;
use std::process::Command;

/// A program that may lie anywhere in memory has each of its pointers put right before it starts. Here these are tens of
/// thousands, which takes half a millisecond: longer than to hash a small file. At a fixed place there are none to put
/// right. Stack, heap and libraries lie anywhere nevertheless; HASHLOOM_PIE=1 makes the program do so, too.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HASHLOOM_PIE");
    tell_version();
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // A static program is linked in a way of its own.
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if linux && !is_static && !is("HASHLOOM_PIE", "1") {
        println!("cargo::rustc-link-arg-bin=hashloom=-no-pie");
    }
    if linux && is("PROFILE", "release") && takes_order() {
        println!("cargo::rustc-link-arg-bin=hashloom=-Wl,-T,{}/start.ld", env!("CARGO_MANIFEST_DIR"));
    }
}

/// Whether the linker puts functions in an order (`start.ld`): those of GNU and of LLVM do, others know no such script.
fn takes_order() -> bool {
    println!("cargo::rerun-if-changed=start.ld");
    println!("cargo::rerun-if-env-changed=HASHLOOM_ORDER");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let other = ["mold", "gold", "wild"].into_iter().any(|linker| flags.contains(linker));
    !other && env::var("HASHLOOM_ORDER").as_deref() != Ok("0")
}

/// Commit, target and compiler. The commit is looked up for releases alone: it would make each build for development a
/// longer one.
fn tell_version() {
    println!("cargo::rerun-if-env-changed=HASHLOOM_COMMIT");
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let commit = variable("HASHLOOM_COMMIT").or_else(|| {
        let is_release = variable("PROFILE").is_some_and(|profile| profile == "release");
        is_release.then(commit).flatten()
    });
    println!("cargo::rustc-env=HASHLOOM_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo::rustc-env=HASHLOOM_TARGET={}", variable("TARGET").as_deref().unwrap_or("unknown"));
    let compiler = variable("RUSTC").and_then(|rustc| said(&rustc, &["--version"]));
    println!("cargo::rustc-env=HASHLOOM_COMPILER={}", compiler.as_deref().unwrap_or("unknown"));
}

/// The commit of the sources, and whether they were changed since.
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

/// What a program prints, if that is anything.
fn said(program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(program).args(words).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.lines().next()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}
