//! Events that are reported while manifests are read and rewritten.

use crate::error::Losses;
use crate::notice::Notice;
use hashmill_engine::flow::Flow;
use hashmill_manifest::format::Format;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A step of a conversion.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertEvent<'a> {
    /// The format can't represent this, and it is left out.
    LeftOut(&'a Losses),
    /// This number of records is left out, because the format holds none of their digests.
    Emptied(u64, &'static Format),
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

/// The bytes of events that can be held back.
const HELD: usize = 16 << 20;

/// Shares an observer between all places that read records.
pub(crate) struct Teller<'a> {
    observer: RefCell<Box<ConvertObserver<'a>>>,
    stopped: Cell<bool>,
    /// Events that are held back until it is certain that they are not told twice.
    held: RefCell<Option<HeldEvents>>,
}

/// Contradictions that were not told yet.
#[derive(Default)]
struct HeldEvents {
    contradictions: Vec<HeldContradiction>,
    bytes: usize,
    /// Whether there was an event that can't be held back.
    is_full: bool,
}

/// A path, and the contradiction about it.
struct HeldContradiction {
    path: Box<[u8]>,
    one: Box<[u8]>,
    other: Box<[u8]>,
    what: &'static str,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(observer: &'a mut ConvertObserver<'_>) -> Rc<Teller<'a>> {
        let observer: Box<ConvertObserver<'a>> = Box::new(|event: ConvertEvent<'_>| observer(event));
        Rc::new(Teller {
            observer: RefCell::new(observer),
            stopped: Cell::new(false),
            held: RefCell::default(),
        })
    }

    pub(crate) fn tell(&self, event: ConvertEvent<'_>) {
        if let Some(held) = &mut *self.held.borrow_mut() {
            return held.add(&event);
        }
        let flow = (self.observer.borrow_mut())(event);
        self.stopped.set(self.stopped.get() || flow.is_break());
    }

    /// Reports a notice.
    pub(crate) fn notice(&self, notice: Notice<'_>) {
        self.tell(ConvertEvent::Notice(notice));
    }

    /// Returns whether the observer wants no more events, or one could not be held back.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.get() || self.held.borrow().as_ref().is_some_and(|held| held.is_full)
    }

    /// Holds events back from now on.
    pub(crate) fn hold(&self) {
        self.held.replace(Some(HeldEvents::default()));
    }

    /// Tells what was held back, and all other events as they come.
    pub(crate) fn release(&self) {
        let Some(held) = self.held.borrow_mut().take_if(|held| !held.is_full) else { return };
        for HeldContradiction { path, one, other, what } in &held.contradictions {
            self.tell(ConvertEvent::Contradiction(path, Contradiction { one, other, what }));
        }
    }

    /// Ends holding events back. Returns `false` if there was one that could not be; then none was told.
    pub(crate) fn forget(&self) -> bool {
        self.held.take().is_none_or(|held| !held.is_full)
    }
}

impl HeldEvents {
    fn add(&mut self, event: &ConvertEvent<'_>) {
        match *event {
            ConvertEvent::Contradiction(path, Contradiction { one, other, what }) if self.bytes < HELD => {
                self.bytes += size_of::<HeldContradiction>() + path.len() + one.len() + other.len();
                let (path, one, other) = (path.into(), one.into(), other.into());
                self.contradictions.push(HeldContradiction { path, one, other, what });
            }
            _ => self.is_full = true,
        }
    }
}
