//! Checks the machine code for calls of intrinsics: an intrinsic that is called instead of inlined costs most of the
//! speed, and no test of values detects it.

use hashmill_digest::probe::{PROBES, Plan};
use hashmill_testing::installed;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn no_kernel_calls_an_intrinsic() {
    // The kernels must be in this binary.
    assert!(PROBES.iter().all(|probe| (probe.lanes.bank)(Plan::Single).is_some()));
    let this = std::env::current_exe().expect("a running test has a file");
    // For another processor, its own objdump.
    let named = std::env::var_os("HASHMILL_OBJDUMP").map(PathBuf::from);
    let Some(objdump) = named.or_else(|| installed("objdump")) else { return };
    let output = Command::new(objdump).args(["-d", "-C", "--no-show-raw-insn"]).arg(this).output().unwrap();
    let code = String::from_utf8_lossy(&output.stdout);
    assert!(code.lines().any(|line| line.contains("hashmill_digest")), "no kernels in the listing");
    // Other libraries are not compiled for speed in tests.
    let mut is_ours = false;
    let mut calls = Vec::new();
    for line in code.lines() {
        if line.ends_with(">:") {
            is_ours = line.contains("hashmill_digest");
        } else if is_ours && is_call(line) && names_intrinsic(line) {
            calls.push(line);
        }
    }
    calls.truncate(10);
    assert!(calls.is_empty(), "intrinsics are called:\n{}", calls.join("\n"));
}

fn is_call(line: &str) -> bool {
    line.contains("call") || line.contains("jmp") || line.contains("\tbl ") || line.contains("\tb ")
}

/// Whether the line calls an intrinsic, except for those that detect the CPU.
fn names_intrinsic(line: &str) -> bool {
    line.contains("core_arch::") && !line.contains("::xsave::") && !line.contains("::cpuid::")
}
