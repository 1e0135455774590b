//! Programs to compare with, and random numbers from a seed.

use hashmill_testing::{installed, path};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs a program with an input, which must succeed, and returns its output; none, noted, if it is not installed.
pub fn done(program: &str, arguments: &[&str], input: &str) -> Option<Vec<u8>> {
    let (succeeded, output) = run(program, arguments, input)?;
    assert!(succeeded, "{program} {arguments:?}");
    Some(output)
}

/// Runs a program with an input; none, noted, if it is not installed.
pub fn run(program: &str, arguments: &[&str], input: &str) -> Option<(bool, Vec<u8>)> {
    let program = installed(program)?;
    // Some run without end.
    let mut command = Command::new("timeout");
    command.arg("300").arg(&program).args(arguments).env("LC_ALL", "C.UTF-8").env("PATH", path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input is none of our concern.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    if !output.status.success() {
        eprintln!("{program:?} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Some((output.status.success(), output.stdout))
}

/// Random numbers (SplitMix64).
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Unmounts a volume. A program that another test is just starting holds its open files for a moment.
pub fn unmount(root: &Path) {
    let by = |options: &[&str]| Command::new("umount").args(options).arg(root).stderr(Stdio::null()).status();
    let is_done =
        |tried: std::io::Result<std::process::ExitStatus>| tried.is_ok_and(|status| status.success());
    for _ in 0..100 {
        if is_done(by(&[])) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    // Out of sight at least: whoever waits for the program of the volume would wait as long as the holder runs.
    let _ = by(&["-l"]);
}
