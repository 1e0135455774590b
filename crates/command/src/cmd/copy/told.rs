//! Problems: printed as they are met, and kept for the result in JSON.

use crate::words::message;
use hashmill_job::copy::{Answer, CopyEvent};
use hashmill_manifest::Record;
use hashmill_os::names::path_bytes;
use hashmill_terminal::{Shown, add_path};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The most problems that a result names.
const MOST: usize = 10_000;

/// The problems of a copy.
pub struct Problems {
    /// The destinations.
    to: Vec<PathBuf>,
    /// The first problems, as the result has them.
    pub named: Vec<Value>,
    /// The number of problems that are not among them.
    pub unnamed: u64,
}

impl Problems {
    /// Begins without any.
    pub fn new(to: Vec<PathBuf>) -> Problems {
        Problems { to, named: Vec::new(), unnamed: 0 }
    }

    /// Prints what an event says is not as it should be, and notes it.
    pub fn tell(&mut self, event: &CopyEvent<'_>) {
        match event {
            CopyEvent::Copied(Record { path, .. }, answers) => self.tell_answers(path, answers),
            CopyEvent::Linked(path, answers) => self.tell_answers(path, answers),
            CopyEvent::FoundLater(path, answer) => {
                if let Some(why) = problem(answer) {
                    self.tell_path(path, why);
                }
            }
            CopyEvent::Failed(error) => self.tell_path(&error.path, error.problem.to_string()),
            CopyEvent::SourceDiffers(path, why) => self.tell_path(path, (*why).into()),
            CopyEvent::Unsettled(path, error) => self.tell_path(&path_bytes(path), error.to_string()),
            CopyEvent::Remark(remark) => message::say(remark),
            CopyEvent::Unfit(path, why) => self.tell_path(path, (*why).into()),
            _ => {}
        }
    }

    /// Tells what is wrong with the copies of an entry.
    fn tell_answers(&mut self, path: &[u8], answers: &[Answer]) {
        for (answer, at) in answers.iter().zip(0..) {
            let Some(why) = problem(answer) else { continue };
            let to = path_bytes(&self.to[at]).into_owned();
            message::about(path, format_args!("{why} ({})", Shown(&to)));
            self.note(path, &why, Some(&to));
        }
    }

    fn tell_path(&mut self, path: &[u8], why: String) {
        message::about(path, &why);
        self.note(path, &why, None);
    }

    fn note(&mut self, path: &[u8], why: &str, to: Option<&[u8]>) {
        if self.named.len() == MOST {
            self.unnamed += 1;
            return;
        }
        let mut named = json!({ "problem": why });
        add_path(&mut named, "path", path);
        if let Some(to) = to {
            add_path(&mut named, "destination", to);
        }
        self.named.push(named);
    }
}

/// Returns what is wrong with a copy, and what to do.
fn problem(answer: &Answer) -> Option<String> {
    let next = if matches!(answer, Answer::Kept(_)) { "; --force replaces it" } else { "" };
    answer.problem().map(|why| why + next)
}
