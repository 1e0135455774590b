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
    not(all(feature = "images", feature = "sign", feature = "stores", feature = "tables")),
    allow(dead_code, unused_imports, reason = "parts that a build lacks would use it")
)]

mod access;
mod amount;
mod args;
mod calibration;
mod cmd;
mod command;
mod costs;
mod examples;
mod exit;
mod facts;
mod json;
#[cfg(feature = "sign")]
mod keys;
mod left_out;
mod level;
mod line;
mod message;
mod models;
mod needs;
mod options;
mod output;
mod pace;
mod progress;
mod schema;
mod settings;
mod short;
mod signal;
mod stats;
mod status;
#[cfg_attr(unix, path = "sys/unix.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
mod tip;
mod typed;
mod unused;
mod verdict;
mod version;

pub use command::run;
#[cfg(feature = "stores")]
pub use command::stores;
