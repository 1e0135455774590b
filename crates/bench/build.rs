//! Passes the compiler version and profile to the program, since figures depend on them.

use std::env::var;
use std::process::Command;

fn main() {
    let rustc = var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    let version = version.unwrap_or_else(|_| "rustc of an unknown version".to_string());
    let [profile, level] = ["PROFILE", "OPT_LEVEL"].map(|name| var(name).unwrap_or_default());
    println!("cargo::rustc-env=HASHMILL_BUILD={version}, profile {profile}, opt-level {level}");
    println!("cargo::rerun-if-changed=build.rs");
}
