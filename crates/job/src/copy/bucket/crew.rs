//! Threads that do tasks side by side, begun in the order in which they are given.

use super::super::threads::{join, start};
use crate::error::Error;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// A task.
type Task = Box<dyn FnOnce() + Send>;

/// Threads that do tasks. When it is dropped, they end after the last one.
#[derive(Debug)]
pub(super) struct Crew {
    tasks: Option<SyncSender<Task>>,
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Starts so many threads.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn begin(number: usize) -> Result<Crew, Error> {
        let (tasks, next) = sync_channel::<Task>(number);
        let next = Arc::new(Mutex::new(next));
        let threads = (0..number).map(|_| {
            let next = Arc::clone(&next);
            start("asking a store", move || work(&next))
        });
        Ok(Crew { threads: threads.collect::<Result<_, _>>()?, tasks: Some(tasks) })
    }

    /// Gives a task to the next thread that is free; waits while too many wait. Returns where its result will be.
    pub(super) fn give<T: Send + 'static>(&self, task: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
        let (result, results) = channel();
        let task = Box::new(move || {
            // Nobody waits for the results of some tasks.
            let _ = result.send(task());
        });
        if let Some(tasks) = &self.tasks {
            // A crew that is gone gives no results, which those who wait notice.
            let _ = tasks.send(task);
        }
        results
    }
}

fn work(next: &Mutex<Receiver<Task>>) {
    loop {
        let task = next.lock().recv();
        match task {
            Ok(task) => task(),
            Err(_) => return,
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.tasks = None;
        std::mem::take(&mut self.threads).into_iter().for_each(join);
    }
}
