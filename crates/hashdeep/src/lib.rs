//! `hashdeep`, `md5deep`, `sha1deep`, `sha256deep`, `tigerdeep` and `whirlpooldeep` as in version 4.4: the same flags,
//! output, messages and exit codes. Obvious errors of 4.4 are corrected; `docs/hashdeep.md` lists them all.
//!
//! [`main`] is a whole command. This crate knows nothing of the other commands.
//!
//! ```text
//! words ─ getopt ─> flags ─ settings ─> walk ─ engine ─> run ─ report ─> screen
//!                             └─ loader ─> known ──────────────┘
//! ```
//!
//! Nothing here opens a file to hash it: the engine hashes entries like those of other commands, and returns them in
//! order.

mod algorithm;
mod date;
mod dfxml;
mod estimate;
mod flags;
mod getopt;
mod hashdeep_list;
mod hashed;
mod judge;
mod known;
mod lines;
mod loader;
mod match_list;
mod number;
mod path;
mod personality;
#[cfg(not(target_os = "linux"))]
mod plain_path;
mod report;
mod run;
mod screen;
mod settings;
mod stop;
mod usage;
mod walk;
mod windows_program;

#[cfg_attr(target_os = "linux", path = "sys/linux.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;

pub use personality::Personality;

use std::ffi::OsString;

/// Runs a command and returns its exit code; the first word is the command's name.
///
/// The original C++ commands are killed by SIGPIPE if their output is closed. To reproduce that, a program must restore
/// the default action of the signal before the call.
pub fn main(personality: Personality, words: Vec<OsString>) -> u8 {
    run::command(personality, words)
}
