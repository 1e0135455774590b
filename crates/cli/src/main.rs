//! The command.

mod hashdeep;

use hashdeep::Personality;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some((personality, words)) = Personality::of(std::env::args_os().collect()) {
        return hashdeep::main(personality, words);
    }
    ExitCode::SUCCESS
}
