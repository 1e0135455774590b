//! The command `hashmill` as a call: turns the words of a command line into jobs, shows their results, and ends with an exit code.
//!
//! ```text
//! words ─ typed, settings ─> args ─> cmd/NAME ─ options ─> a job of hashmill-job
//!                                        │                    │ events, summary
//!                     output, message, progress <─────────────┘──> account ─ exit ─> exit code
//! ```
//!
//! * [`run`] is the whole command. A process may call it again.
//! * `args` has the table of commands, `cmd` a folder for each of them, and `options` the options that several have.
//! * `settings` reads the files of settings; `left_out` names what this build lacks.
//! * `output` prints results, `message` what concerns them; `exit` alone makes exit codes, out of an
//!   [`Account`](hashmill_job::account::Account).
//!
//! This crate doesn't know how a byte is read or hashed, and no operation depends on it.
#![cfg_attr(
    not(all(
        feature = "images",
        feature = "sign",
        feature = "stores",
        feature = "tables",
        feature = "yara"
    )),
    allow(dead_code, unused_imports, reason = "parts that a build lacks would use it")
)]

mod access;
mod args;
mod cmd;
mod command;
mod exit;
#[cfg(feature = "sign")]
mod keys;
mod needs;
mod options;
mod output;
mod progress;
mod results;
mod settings;
mod signal;
mod stats;
#[cfg_attr(unix, path = "sys/unix.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
mod verdict;
mod words;

pub use command::run;
#[cfg(feature = "stores")]
pub use command::stores;
