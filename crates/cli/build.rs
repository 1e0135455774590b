//! How the program is linked.

use std::env;

/// A program that may lie anywhere in memory has each of its pointers put right before it starts. Here these are tens of
/// thousands, which takes half a millisecond: longer than to hash a small file. At a fixed place there are none to put
/// right. Stack, heap and libraries lie anywhere nevertheless; HASHLOOM_PIE=1 makes the program do so, too.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HASHLOOM_PIE");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // A static program is linked in a way of its own.
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    if linux && !is_static && !is("HASHLOOM_PIE", "1") {
        println!("cargo::rustc-link-arg-bin=hashloom=-no-pie");
    }
}
