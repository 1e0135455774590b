//! Events that are reported while manifests are read and rewritten.

use crate::error::Losses;
use crate::flow::Flow;
use crate::notice::Notice;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A step of a conversion.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertEvent<'a> {
    /// The format can't represent this, and it is left out.
    LeftOut(&'a Losses),
    /// Two manifests contradict each other about this path.
    Contradiction(&'a [u8], Contradiction<'a>),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// A contradiction between two manifests about a path.
#[derive(Debug, Clone, Copy)]
pub struct Contradiction<'a> {
    /// The name of one manifest.
    pub one: &'a [u8],
    /// The name of the other manifest.
    pub other: &'a [u8],
    /// The part that differs: `size`, or the name of an algorithm.
    pub what: &'static str,
}

/// Receives events.
pub type ConvertObserver<'a> = dyn FnMut(ConvertEvent<'_>) -> Flow + 'a;

/// Shares an observer between all places that read records.
pub(crate) struct Teller<'a> {
    observer: RefCell<Box<ConvertObserver<'a>>>,
    stopped: Cell<bool>,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(observer: &'a mut ConvertObserver<'_>) -> Rc<Teller<'a>> {
        let observer: Box<ConvertObserver<'a>> = Box::new(|event: ConvertEvent<'_>| observer(event));
        Rc::new(Teller { observer: RefCell::new(observer), stopped: Cell::new(false) })
    }

    pub(crate) fn tell(&self, event: ConvertEvent<'_>) {
        let flow = (self.observer.borrow_mut())(event);
        self.stopped.set(self.stopped.get() || flow.is_break());
    }

    /// Reports a notice.
    pub(crate) fn notice(&self, notice: Notice<'_>) {
        self.tell(ConvertEvent::Notice(notice));
    }

    /// Returns whether the observer wants no more events.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.get()
    }
}
