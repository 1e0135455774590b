//! Object stores in a build that does not reach them: each location fails by itself.

pub mod location;

use crate::misfit::Misfit;
use crate::output::Destination;
use crate::stores::location::Naming;
use hashmill_engine::flow::{Entries, one};
use hashmill_source::{EntryContent, Error, Problem, WalkItem, WalkOptions};
use std::fs::File;
use std::io;
use std::path::PathBuf;

fn left_out() -> io::Error {
    let misfit = Misfit::LeftOut { what: "object stores", feature: "stores" };
    io::Error::new(io::ErrorKind::Unsupported, misfit.to_string())
}

/// A job's access to stores; a build without stores has none.
#[derive(Debug, Clone, Default)]
pub struct Stores(());

impl Stores {
    /// Returns `None`, because no service has a name in a build without stores.
    pub(crate) fn of_remote<'t>(&self, _: &'t [u8]) -> Option<&'t [u8]> {
        None
    }

    /// Returns `None`: no service has a name here.
    pub fn remote_hint(&self, _: &[u8]) -> Option<String> {
        None
    }

    /// Accepts every location: each one fails when it is read.
    ///
    /// # Errors
    /// Never.
    pub fn check(&self, _: &[u8]) -> Result<(), Misfit> {
        Ok(())
    }

    /// Returns one failure in place of the objects below a location.
    pub fn entries(&self, location: &[u8], _: &WalkOptions, _: Naming) -> Entries {
        one(self.file(location))
    }

    /// Returns a failure in place of the object.
    pub fn file(&self, location: &[u8]) -> WalkItem {
        WalkItem::Failed(Error { path: location.into(), problem: Problem::Open(left_out()) })
    }

    /// Accepts every location: each name below it fails when it is read.
    ///
    /// # Errors
    /// Never.
    pub fn check_base(&self, _: &[u8], _: bool) -> Result<(), Misfit> {
        Ok(())
    }

    /// Returns `None`: each name fails by itself.
    pub fn why_unreached(&self, _: &[u8], _: &[u8]) -> Option<Misfit> {
        None
    }

    /// Returns `None`: this build asks no store.
    pub fn why_nothing(&self, _: &[u8]) -> Option<String> {
        None
    }

    /// Returns `None`: this build resolves no locations.
    pub fn folder_here(&self, _: &[u8]) -> Option<PathBuf> {
        None
    }

    /// Returns a failure for each of these names.
    pub fn below(&self, typed: &[u8], names: Vec<Box<[u8]>>) -> Entries {
        let (typed, stores): (Box<[u8]>, _) = (typed.into(), self.clone());
        Box::new(names.into_iter().map(move |name| stores.file(&[&*typed, &*name].concat())))
    }

    /// Returns `None`: this build knows no objects.
    pub(crate) fn named(&self, _: &[u8]) -> Option<hashmill_source::Entry> {
        None
    }

    /// Fails: a store can't be listed.
    ///
    /// # Errors
    /// Always.
    pub fn names(&self, _: &[u8], _: &str) -> io::Result<Vec<String>> {
        Err(left_out())
    }

    /// Fails: a store can't be listed.
    ///
    /// # Errors
    /// Always.
    pub fn has_any(&self, _: &[u8]) -> io::Result<bool> {
        Err(left_out())
    }

    /// Returns `false`: no object can be looked up.
    pub fn exists(&self, _: &[u8]) -> bool {
        false
    }

    /// Fails: a list in a store can't be read.
    ///
    /// # Errors
    /// Always.
    pub fn copied(&self, _: &[u8]) -> io::Result<File> {
        Err(left_out())
    }
}

/// Returns `None`: no content is in a store.
pub(crate) fn stores_of(_: &dyn EntryContent) -> Option<&Stores> {
    None
}

/// Returns `false`: no failure here is a temporary one of a store.
pub fn may_pass(_: &io::Error) -> bool {
    false
}

/// An output on its way to a store; a build without stores has none.
#[derive(Debug)]
pub(crate) enum Upload {}

impl Upload {
    /// Fails: nothing can be written to a store.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn prepare(_: &Stores, _: &[u8]) -> io::Result<Upload> {
        Err(left_out())
    }
}

impl Destination for Upload {
    fn take(self: Box<Self>, _: &File) -> io::Result<()> {
        match *self {}
    }
}
