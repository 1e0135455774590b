//! Messages while digests are collected, and their effect on the exit code.

use crate::options::resources::ResourceOptions;
use crate::output::Output;
use crate::progress::Heartbeat;
use crate::words::message;
use crate::words::message::count;
use crate::{signal, stats};
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Live};
use hashmill_job::account::{Account, Item, Outcome};
use hashmill_job::similarity::{SimilarityEvent, SimilaritySummary};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Reports that an output is not written because a list of paths could not be read completely: its gaps would not be
/// visible.
pub fn tell_unwritten(summary: &SimilaritySummary, output: Option<&Path>) {
    if let (Some(_), Some(path)) = (&summary.list_problem, output) {
        let what = "is not written, as it would lack what the rest of the list names";
        message::about_path(path, what);
    }
}

/// A printer of events.
pub struct Teller<'a> {
    /// The options for progress and statistics.
    pub resources: &'a ResourceOptions,
    /// The name of the list of paths.
    pub list: Option<&'a Path>,
    /// The output to flush before messages.
    pub output: Output,
    /// The flag that signals set.
    pub cancel: Cancel,
    /// Whether every entry has a record that says why it has no digest.
    pub told: bool,
    /// The hint on sparse digests, if they are reported here.
    pub advice: Option<&'static str>,
    heartbeat: Option<Heartbeat>,
    /// Whether files were read.
    read: bool,
    account: Account,
    /// The account of the events so far.
    known: Account,
    error: Option<io::Error>,
}

impl<'a> Teller<'a> {
    /// Makes a printer of everything except sparse digests.
    pub fn new(
        resources: &'a ResourceOptions,
        list: Option<&'a Path>,
        output: Output,
        cancel: Cancel,
    ) -> Teller<'a> {
        let (told, advice) = (false, None);
        let (heartbeat, read, account, known, error) =
            (None, false, Account::default(), Account::default(), None);
        Teller { resources, list, output, cancel, told, advice, heartbeat, read, account, known, error }
    }

    /// Takes an event.
    pub fn take(&mut self, event: SimilarityEvent<'_>) -> Flow {
        match event {
            SimilarityEvent::Reading(live) => return self.begin(live),
            SimilarityEvent::Failed(error) => {
                message::about(&error.path, &error.problem);
                self.known.count(Item::Entry, Outcome::Failed, 1);
            }
            SimilarityEvent::Malformed(list, why) => message::about(list, why),
            SimilarityEvent::MoreMalformed(list, number) => {
                let more = count(number, "more line", "more lines");
                message::about(list, format_args!("{more} not understood"));
            }
            SimilarityEvent::AllRead => {
                self.heartbeat = None;
                let output = self.output.clone();
                self.heartbeat = Some(Heartbeat::working(self.resources.progress, "comparing", output));
            }
            SimilarityEvent::Collected(summary) => self.conclude(summary),
            SimilarityEvent::Notice(notice) => message::say(notice),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Returns the account of the events so far.
    pub fn known(&self) -> Account {
        self.known.and(self.account)
    }

    /// Prints the requested statistics. Returns the account.
    ///
    /// # Errors
    /// If signals can't be waited for.
    pub fn end(self, summary: &SimilaritySummary) -> io::Result<Account> {
        let form = self.resources.stats.filter(|_| !summary.interrupted);
        stats::print_compared(form, self.read.then_some(&summary.stats), summary.comparing);
        self.error.map_or(Ok(summary.account()), Err)
    }

    fn begin(&mut self, live: &Arc<Live>) -> Flow {
        let watched =
            if self.read { Ok(()) } else { signal::watch(self.cancel.clone(), self.output.clone()) };
        self.read = true;
        self.error = self.error.take().or(watched.err());
        if self.error.is_some() {
            return ControlFlow::Break(());
        }
        let progress = self.resources.progress;
        self.heartbeat = Some(Heartbeat::start(progress, Arc::clone(live), self.output.clone()));
        ControlFlow::Continue(())
    }

    /// Prints the summary of collecting digests.
    pub fn conclude(&mut self, summary: &SimilaritySummary) {
        if summary.interrupted {
            message::say("interrupted");
        } else {
            self.tell_of_files(summary);
        }
        if summary.known_good > 0 {
            let files = count(summary.known_good, "file", "files");
            message::say(format_args!("{files} left out: known good"));
        }
        if let Some(advice) = self.advice {
            tell_sparse(summary.sparse, advice);
        }
    }

    fn tell_of_files(&mut self, summary: &SimilaritySummary) {
        if !self.told {
            tell_without(summary);
        }
        if let Some(error) = &summary.list_problem {
            let name = self.list.unwrap_or(Path::new("-")).display();
            message::say(format_args!("{name}: cannot read the rest of the list of paths: {error}"));
        }
        self.account = summary.account();
    }
}

fn tell_without(summary: &SimilaritySummary) {
    for (why, number) in &summary.skipped {
        message::say(format_args!("{} skipped: {}", count(*number, "entry", "entries"), why.reason()));
    }
    for ((algorithm, word), number) in &summary.lacking {
        let files = count(*number, "file", "files");
        message::say(format_args!("{files} without {algorithm} digest: {word}"));
    }
}

/// Prints how many digests are sparse, with advice.
pub fn tell_sparse(number: u64, advice: &str) {
    if number > 0 {
        let digests = count(number, "digest holds", "digests hold");
        message::say(format_args!("{digests} too little to mean much (sparse); {advice}"));
    }
}
