//! Real runs of programs: started without a shell, apart from this process, and watched by one loop.
//!
//! The loop waits for output and for the end at the same time, so that a program with much output is never blocked, and
//! one that hangs is ended on time.

use super::runner::{Invocation, Ran, Runner};
use crate::program::{Ended, FinishedProgram};
use crate::sys::RunningProgram;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The interval at which a wait checks for cancellation.
const GLANCE: Duration = Duration::from_millis(100);

/// Runs programs of this machine.
#[derive(Debug, Default)]
pub struct System {
    /// Set from outside to end everything.
    pub cancel: Arc<AtomicBool>,
}

impl Runner for System {
    fn run(&mut self, invocation: &Invocation, limit: Duration) -> Ran {
        self.watched(invocation, limit).unwrap_or_else(|error| Ran {
            ended: Ended::NotRun(error.to_string()),
            wall: 0.0,
            user: 0.0,
            system: 0.0,
            stdout: Vec::new(),
            stderr: Vec::new(),
        })
    }
}

impl System {
    fn watched(&self, invocation: &Invocation, limit: Duration) -> io::Result<Ran> {
        if let Some(folder) = &invocation.outputs {
            empty(folder)?;
        }
        let mut program = RunningProgram::start(command(invocation))?;
        let watched = self.until(&mut program, limit).map(|stopped| (stopped, program.started.elapsed()));
        if !matches!(watched, Ok((None, _))) {
            program.kill();
        }
        let FinishedProgram { ended, user, system, mut stdout, stderr } = program.finish()?;
        let (stopped, wall) = watched?;
        if let Some(folder) = &invocation.outputs {
            collect(folder, &mut stdout)?;
        }
        Ok(Ran { ended: stopped.unwrap_or(ended), wall: wall.as_secs_f64(), user, system, stdout, stderr })
    }

    /// Reads output until the program ends by itself (`None`), or must be ended.
    fn until(&self, program: &mut RunningProgram, limit: Duration) -> io::Result<Option<Ended>> {
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Ok(Some(Ended::Interrupted));
            }
            let Some(left) = limit.checked_sub(program.started.elapsed()) else {
                return Ok(Some(Ended::Hung(limit)));
            };
            if program.wait(left.min(GLANCE))? {
                return Ok(None);
            }
        }
    }
}

/// Adds the path to an error.
pub(crate) fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn empty(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(named(folder, error)),
        _ => fs::create_dir(folder).map_err(|error| named(folder, error)),
    }
}

/// Appends the contents of all files in a folder.
fn collect(folder: &Path, output: &mut Vec<u8>) -> io::Result<()> {
    for name in hashmill_os::all_names_in(folder).map_err(|error| named(folder, error))? {
        let path = folder.join(name);
        output.extend(fs::read(&path).map_err(|error| named(&path, error))?);
    }
    Ok(())
}

fn command(invocation: &Invocation) -> Command {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments).env("LC_ALL", "C").envs(invocation.variables.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = &invocation.directory {
        command.current_dir(directory);
    }
    command
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn sh(script: &str) -> Invocation {
        Invocation::new("sh", ["-c", script])
    }

    #[test]
    fn output_and_exit_code_are_kept() {
        let ran = System::default().run(&sh("echo out; echo err >&2; exit 7"), LONG);
        assert_eq!((ran.stdout.as_slice(), ran.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(ran.ended, Ended::Code(7));
        assert!(ran.wall > 0.0);
    }

    #[test]
    fn much_output_does_not_block_and_is_whole() {
        let ran = System::default().run(&sh("seq 300000; seq 300000 >&2"), LONG);
        assert_eq!(ran.ended, Ended::Code(0));
        assert_eq!(ran.stdout, ran.stderr);
        assert!(ran.stdout.ends_with(b"\n300000\n"), "{}", ran.stdout.len());
    }

    #[test]
    fn processor_time_counts_children_of_children() {
        let script = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        let ran =
            System::default().run(&Invocation::new("xargs", ["-a", "/dev/null", "sh", "-c", script]), LONG);
        assert_eq!(ran.ended, Ended::Code(0), "{ran:?}");
        assert!(ran.user + ran.system > 0.0 && ran.wall < 60.0, "{ran:?}");
    }

    #[test]
    fn files_of_its_processes_are_output_too_those_of_this_run_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("outputs");
        for text in ["one", "two"] {
            let script = format!("echo {text} >{0}/$$; echo more >{0}/other", folder.display());
            let ran =
                System::default().run(&Invocation { outputs: Some(folder.clone()), ..sh(&script) }, LONG);
            let mut lines: Vec<_> = ran.stdout.split(|byte| *byte == b'\n').collect();
            lines.sort_unstable();
            assert_eq!(lines, [&b""[..], b"", b"more", text.as_bytes()][1..].to_vec(), "{ran:?}");
        }
    }

    #[test]
    fn one_that_hangs_is_ended_with_all_that_it_started() {
        let limit = Duration::from_millis(50);
        let ran = System::default().run(&sh("echo begun; sleep 600 & sleep 600"), limit);
        assert_eq!(ran.ended, Ended::Hung(limit));
        assert_eq!(ran.stdout, b"begun\n");
    }

    #[test]
    fn one_whose_children_keep_its_output_open_has_ended_all_the_same() {
        // The grandchild ends by itself.
        let ran = System::default().run(&sh("sleep 2 & echo done"), LONG);
        assert_eq!((ran.ended, ran.stdout.as_slice()), (Ended::Code(0), &b"done\n"[..]));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let mut system = System::default();
        system.cancel.store(true, Ordering::Relaxed);
        assert_eq!(system.run(&sh("sleep 600"), LONG).ended, Ended::Interrupted);
    }

    #[test]
    fn one_that_is_not_there_says_so() {
        let ran = System::default().run(&Invocation::new("/nowhere/nothing", [""; 0]), LONG);
        assert!(matches!(&ran.ended, Ended::NotRun(why) if why.contains("No such file")), "{ran:?}");
        let ran = System::default().run(&sh("kill -9 $$"), LONG);
        assert_eq!(ran.ended, Ended::Signal(9));
    }
}
