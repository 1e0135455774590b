//! `hashmill check`: `sha256sum -c` for every kind of list, and stores whose names are digests.

mod options;
mod results;
mod show;
mod store;

pub use options::Options;
pub use results::ignored;

use crate::exit::{self, Carry};
use crate::needs;
use crate::options::errors;
use crate::options::sources::redirected;
use crate::options::write::Lists as Categories;
use crate::output::{self, Output};
use crate::progress::Heartbeat;
use crate::results::report::{ListReport, Progress};
use crate::results::schema::Schema;
use crate::verdict::judging;
use crate::words::level::is_verbose;
use crate::words::message;
use crate::{signal, stats};
use anyhow::bail;
use hashmill_content::Resources;
use hashmill_content::selection::own::OwnFiles;
use hashmill_digest::Algorithm;
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Live};
use hashmill_job::account::{Account, Item, Outcome};
#[cfg(feature = "images")]
use hashmill_job::check::package::is_package;
use hashmill_job::check::{Check, CheckEvent, CheckJob};
use hashmill_job::{Error, Notice};
use hashmill_lists::companions;
use hashmill_lists::judged::Judged;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::names;
use results::{Results, Word};
use show::Show;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Runs the command, and returns its account.
///
/// # Errors
/// If the options do not go together, or the results cannot be written.
pub fn run(options: &Options) -> anyhow::Result<Account> {
    let format = if options.is_for_programs() { options.format } else { ListReport::Text };
    judging(format, Schema::CHECK, || judge(options))
}

fn judge(options: &Options) -> anyhow::Result<Account> {
    if let Some(layout) = options.layout() {
        return store::run(options, layout);
    }
    options.blake3.check_stdin(options.lists().iter().any(|list| list == "-"))?;
    let key = options.blake3.key()?;
    let guard = options.guarded.guard()?;
    let cancel = Cancel::default();
    let names = options.lists();
    let job = CheckJob {
        algorithm: options.blake3.of_unnamed(options.algorithm(), key.as_ref())?,
        strict: options.strict,
        reach: options.remote.reach(),
        base: options.base.clone(),
        new: options.new,
        sides: options.is_for_programs() || is_verbose(),
        lists: names.len(),
        resources: Resources { key, ..options.resources.resources() },
        cancel: cancel.clone(),
    };
    let unneeded = job.algorithm;
    let check = job.start()?;
    let output = output::stdout()?;
    if names == ["-"] && io::stdin().is_terminal() {
        message::note("reading the list from standard input");
    }
    let written = lists_of_categories(options)?;
    let mut company = Attendants::new(options, cancel, check.live(), output.clone());
    if !is_short(options, &names) && company.come().is_break() {
        return Ok(company.leave().map(|()| Account::default())?);
    }
    let results = Results::begin(options, &output, written)?;
    let mut lists = Lists { options, names, guard, output, results, check, company, unneeded };
    let account = lists.all();
    let Lists { output, results, check, company, .. } = lists;
    company.leave()?;
    let account = account?;
    if !account.is_interrupted {
        account.carried_by(results.written().finish())?;
    }
    account.carried_by(results.end(&account))?;
    let stats = check.finish(&mut |event| {
        if let CheckEvent::Notice(notice) = event {
            message::say(notice);
        }
        ControlFlow::Continue(())
    });
    stats::print(options.resources.stats, &stats, 0);
    account.carried_by(output.finish())?;
    Ok(account)
}

/// Opens the lists of categories.
fn lists_of_categories(options: &Options) -> anyhow::Result<Categories> {
    if let Some(other) = options.write.other_than(&Word::CATEGORIES) {
        bail!("--write: check finds no file {other}: it knows {}", Word::CATEGORIES.join(", "));
    }
    options.write.open(options.null, options.force)
}

/// The most bytes of a list that is read before progress could be noticed.
const SHORT: u64 = 64 << 10;

/// Returns whether there is only one list, and a short one. Then the files that it names decide whether the check takes
/// a while.
fn is_short(options: &Options, names: &[OsString]) -> bool {
    let short = |list: &OsString| {
        std::fs::metadata(list).is_ok_and(|meta| list != "-" && meta.is_file() && meta.len() <= SHORT)
    };
    let [list] = names else { return false };
    !options.new && options.resources.progress != Progress::Always && short(list)
}

/// The threads beside a check that takes a while: one waits for signals, one shows progress. Starting them takes longer
/// than checking a small file.
struct Attendants<'a> {
    options: &'a Options,
    cancel: Cancel,
    live: Arc<Live>,
    output: Output,
    heartbeat: Option<Heartbeat>,
    error: Option<io::Error>,
}

impl<'a> Attendants<'a> {
    fn new(options: &'a Options, cancel: Cancel, live: Arc<Live>, output: Output) -> Attendants<'a> {
        Attendants { options, cancel, live, output, heartbeat: None, error: None }
    }

    /// Starts the threads, once. Returns whether to go on: the system may refuse the signal handlers.
    fn come(&mut self) -> Flow {
        if self.heartbeat.is_none() && self.error.is_none() {
            match signal::watch(self.cancel.clone(), self.output.clone()) {
                Ok(()) => {
                    let (live, output) = (Arc::clone(&self.live), self.output.clone());
                    self.heartbeat = Some(Heartbeat::start(self.options.resources.progress, live, output));
                }
                Err(error) => self.error = Some(error),
            }
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Ends the threads.
    fn leave(self) -> io::Result<()> {
        drop(self.heartbeat);
        self.error.map_or(Ok(()), Err)
    }
}

/// Lists that are being checked.
struct Lists<'a> {
    options: &'a Options,
    names: Vec<OsString>,
    guard: Guard,
    output: Output,
    results: Results,
    check: Check,
    company: Attendants<'a>,
    /// The algorithm that was named for digests, as long as no list had any by it.
    unneeded: Option<&'static Algorithm>,
}

impl Lists<'_> {
    fn all(&mut self) -> anyhow::Result<Account> {
        let mut account = Account::default();
        for name in &self.names.clone() {
            let checked = account.carried_by(self.list(name))?;
            if checked.is_interrupted {
                return Ok(Account::interrupted());
            }
            account.add(checked);
        }
        account.add(needs::tell_unneeded(self.unneeded));
        let mut show = Show::new("", self.options, &self.results);
        let added = self.check.added(&self.own_files(), &mut |event| show.take(&event));
        account.carried_by(show.done())?;
        self.results.ignore(&added.ignored);
        Ok(account
            .and(Account::differing(Item::Record, added.new))
            .and(Account::new(Item::Entry, Outcome::NoBytes, added.unlisted))
            .and(Account::failed(Item::Entry, added.failed)))
    }

    /// Returns the lists and the files that belong to them, and the file that standard output goes to.
    fn own_files(&self) -> OwnFiles {
        let mut own = redirected();
        self.results.written().add_to(&mut own);
        self.names
            .iter()
            .filter(|list| *list != "-")
            .for_each(|list| companions::add(&mut own, Path::new(list)));
        own
    }

    /// Checks what a package states of its members.
    #[cfg(feature = "images")]
    fn package(&mut self, name: &OsStr) -> anyhow::Result<Account> {
        self.results.list(name, Vec::new());
        let shown = message::Shown::path(name).to_string();
        let mut show = Show::new(&shown, self.options, &self.results);
        let company = &mut self.company;
        let checked = self.check.package(&names::path_bytes(name), &mut |event| match event {
            CheckEvent::Long => company.come(),
            event => show.take(&event),
        });
        show.done()?;
        let _ = self.output.flush();
        Ok(match checked {
            Ok(summary) => show.end(&summary),
            Err(error) => {
                let why = errors::message(&error).to_string();
                self.results.fail(&why);
                message::say(why);
                Account::unusable(Item::List, 1)
            }
        })
    }

    fn list(&mut self, name: &OsStr) -> anyhow::Result<Account> {
        let (silent, unneeded) = (self.options.status, self.unneeded.take());
        let told = |notice: Notice<'_>| {
            if !silent {
                message::say(notice);
            }
        };
        #[cfg(feature = "images")]
        if name != "-" && is_package(&names::path_bytes(name), &self.options.resources.resources()) {
            return self.package(name);
        }
        let listing = match self.guard.pass(name) {
            Ok((listing, judged)) => {
                judged.iter().for_each(|judged| told(Notice::Signature(judged)));
                self.results.list(name, judged.iter().filter_map(Judged::signer).collect());
                listing
            }
            Err(refused) => {
                let why = errors::text(&refused.into());
                self.results.refuse(name, &why);
                message::say(why);
                return Ok(Account::unusable(Item::List, 1));
            }
        };
        let shown =
            if name == "-" { "standard input".into() } else { message::Shown::path(name).to_string() };
        let mut show = Show::new(&shown, self.options, &self.results);
        let company = &mut self.company;
        let checked = self.check.list(&names::path_bytes(name), listing, &mut |event| match event {
            CheckEvent::Long => company.come(),
            event => show.take(&event),
        });
        show.done()?;
        // Messages about a list come after its lines, even if both go to one file. An error is reported at the end.
        let _ = self.output.flush();
        match checked {
            Ok(summary) => {
                self.unneeded = summary.unneeded.and(unneeded);
                Ok(show.end(&summary))
            }
            // The list is incomplete because of the signal.
            Err(_) if signal::is_interrupted() => {
                signal::tell();
                Ok(Account::interrupted())
            }
            Err(Error::Misfit(misfit)) => {
                let why = format!("{shown}: {}", errors::of_misfit(&misfit));
                self.results.fail(&why);
                message::say(why);
                Ok(Account::unusable(Item::List, 1))
            }
            Err(error) => {
                let why = errors::message(&error).to_string();
                self.results.fail(&why);
                message::say(why);
                Ok(match exit::account_of(&error.into()) {
                    failed if failed.has(Outcome::Failed) => failed,
                    _ => Account::unusable(Item::List, 1),
                })
            }
        }
    }
}
