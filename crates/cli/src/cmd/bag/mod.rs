//! `hashmill bag`: folders as bags (BagIt, RFC 8493).

mod create;
mod options;
mod report;
mod show;
mod verify;

pub use options::Command;

use crate::exit::Exit;

/// Runs the command, and returns its exit code.
///
/// # Errors
/// If an option, a folder or a bag is not usable, or something cannot be written.
pub fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Create(options) => create::run(options),
        Command::Verify(options) => verify::run(options),
    }
}
