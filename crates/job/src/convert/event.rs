//! What is told while manifests are read and written anew.

use crate::error::Losses;
use crate::flow::Flow;
use crate::notice::Notice;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// One step.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// This is left out, as the format can't carry it.
    LeftOut(&'a Losses),
    /// Two manifests contradict each other: the path, and how.
    Contradiction(&'a [u8], Contradiction<'a>),
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Two manifests that contradict each other about a path.
#[derive(Debug, Clone, Copy)]
pub struct Contradiction<'a> {
    /// One manifest.
    pub one: &'a [u8],
    /// The other.
    pub other: &'a [u8],
    /// Of what they say something else: `size`, or the name of an algorithm.
    pub what: &'static str,
}

/// Hears of events.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> Flow + 'a;

/// Tells the observer, from wherever records are read.
pub(crate) struct Teller<'a> {
    observer: RefCell<Box<Observer<'a>>>,
    stopped: Cell<bool>,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(observer: &'a mut Observer<'_>) -> Rc<Teller<'a>> {
        let observer: Box<Observer<'a>> = Box::new(|event: Event<'_>| observer(event));
        Rc::new(Teller { observer: RefCell::new(observer), stopped: Cell::new(false) })
    }

    pub(crate) fn tell(&self, event: Event<'_>) {
        let flow = (self.observer.borrow_mut())(event);
        self.stopped.set(self.stopped.get() || flow.is_break());
    }

    /// Tells of something that is worth a line.
    pub(crate) fn notice(&self, notice: Notice<'_>) {
        self.tell(Event::Notice(notice));
    }

    /// Whether the observer wants no more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }
}
