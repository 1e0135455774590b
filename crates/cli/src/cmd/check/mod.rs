//! `hashloom check`: `sha256sum -c` for every kind of list.

mod options;
mod show;

pub use options::Options;

use crate::exit::Exit;
use crate::message;
use crate::options::sources::redirected;
use crate::output::{self, Output, WriteError};
use crate::progress::Heartbeat;
use crate::{signal, stats};
use hashloom_engine::Cancel;
use hashloom_job::check::{Check, Event, Job};
use hashloom_job::signatures::guard::Guard;
use hashloom_job::{Identity, identity};
use show::Show;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or the results cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Exit> {
    let guard = options.guarded.guard()?;
    let cancel = Cancel::default();
    let job = Job {
        algorithm: options.algorithm.map(|name| name.0),
        strict: options.strict,
        new: options.new,
        resources: options.resources.resources(),
        cancel: cancel.clone(),
    };
    let check = job.start()?;
    let output = output::stdout()?;
    signal::watch(cancel, output.clone())?;
    let heartbeat = Heartbeat::start(options.resources.progress, check.live(), output.clone());
    let mut lists = Lists { options, guard, output, check };
    let exit = lists.all();
    drop(heartbeat);
    let exit = exit?;
    let Lists { output, check, .. } = lists;
    let stats = check.finish(&mut |event| {
        if let Event::Notice(notice) = event {
            message::say(notice);
        }
        ControlFlow::Continue(())
    });
    if let Some(form) = options.resources.stats {
        stats::print(form, &stats, 0);
    }
    output.finish()?;
    Ok(exit)
}

/// Lists that are being checked.
struct Lists<'a> {
    options: &'a Options,
    guard: Guard,
    output: Output,
    check: Check,
}

impl Lists<'_> {
    fn all(&mut self) -> Result<Exit, WriteError> {
        let mut exit = Exit::Fine;
        for name in &self.options.lists {
            let checked = self.list(name)?;
            if checked == Exit::Interrupted {
                return Ok(Exit::Interrupted);
            }
            exit = exit.and(checked);
        }
        let mut show = Show::new("", self.options, &self.output);
        let leave_out = self.leave_out();
        let added = self.check.added(leave_out, &mut |event| show.take(&event));
        show.done()?;
        Ok(exit.and(Exit::Differs.when(added.new > 0)).and(Exit::Failed.when(added.failed > 0)))
    }

    /// The lists themselves, and the file that standard output goes to.
    fn leave_out(&self) -> Vec<Identity> {
        let lists = self.options.lists.iter().filter_map(|list| identity(Path::new(list)));
        lists.chain(redirected()).collect()
    }

    fn list(&mut self, name: &OsStr) -> Result<Exit, WriteError> {
        let (listing, signatures) = match self.guard.pass(name) {
            Ok(passed) => passed,
            Err(refused) => {
                message::say(crate::options::errors::text(&refused.into()));
                return Ok(Exit::Unusable.noted());
            }
        };
        signatures.iter().filter(|_| !self.options.status).for_each(message::say);
        let shown =
            if name == "-" { "standard input".into() } else { message::Shown(name.as_bytes()).to_string() };
        let mut show = Show::new(&shown, self.options, &self.output);
        let checked = self.check.list(name.as_bytes(), listing, &mut |event| show.take(&event));
        show.done()?;
        match checked {
            Ok(summary) => Ok(show.end(&summary)),
            Err(error) => {
                message::say(error);
                Ok(Exit::Unusable.noted())
            }
        }
    }
}
