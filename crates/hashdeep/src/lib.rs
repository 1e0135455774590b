//! `hashdeep`, `md5deep`, `sha1deep`, `sha256deep`, `tigerdeep` and `whirlpooldeep` as they are in
//! version 4.4: the same flags, output, messages and exit codes. Where 4.4 is plainly wrong these do
//! right; `docs/hashdeep.md` lists every such place.
//!
//! ```text
//! words ─ getopt ─> flags ─ settings ─> walk ─ engine ─> run ─ report ─> screen
//!                             └─ loader ─> known ──────────────┘
//! ```
//!
//! Nothing here opens a file to hash it: entries go to the engine like those of the other commands, and
//! come back in their order.

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
mod long_path;
mod match_list;
mod number;
mod path;
mod personality;
mod report;
mod run;
mod screen;
mod settings;
mod stop;
mod usage;
mod walk;
mod windows_program;

pub use personality::Personality;

use std::ffi::OsString;

/// Runs a command; the first word is its name. The answer is its exit code.
///
/// The commands in C++ die of SIGPIPE when nobody reads what they write. A program that is to do the same gives that
/// signal its default action before it calls this.
pub fn main(personality: Personality, words: Vec<OsString>) -> u8 {
    run::command(personality, words)
}
