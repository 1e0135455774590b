//! Object stores in a build that does not reach them: each location fails by itself.

use crate::flow::Entries;
use crate::location::Naming;
use crate::misfit::Misfit;
use hashloom_source::{Error, Found, Problem, WalkOptions};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use tempfile::NamedTempFile;

fn left_out() -> io::Error {
    let misfit = Misfit::LeftOut { what: "object stores", feature: "stores" };
    io::Error::new(io::ErrorKind::Unsupported, misfit.to_string())
}

/// None is one here.
///
/// # Errors
/// None.
pub(crate) fn check(_: &[u8]) -> Result<(), Misfit> {
    Ok(())
}

/// That it can't be read.
pub(crate) fn entries(location: &[u8], _: &WalkOptions, _: Naming) -> Entries {
    Box::new(std::iter::once(file(location)))
}

/// That it can't be read.
pub(crate) fn file(location: &[u8]) -> Found {
    Found::Failed(Error { path: location.into(), problem: Problem::Open(left_out()) })
}

/// None is one here.
///
/// # Errors
/// None.
pub(crate) fn check_base(_: &[u8], _: bool) -> Result<(), Misfit> {
    Ok(())
}

/// None is known here.
pub(crate) fn folder_here(_: &[u8]) -> Option<PathBuf> {
    None
}

/// That none of it can be read.
pub(crate) fn below(typed: &[u8], names: Vec<Box<[u8]>>) -> Entries {
    let typed: Box<[u8]> = typed.into();
    Box::new(names.into_iter().map(move |name| file(&[&*typed, &*name].concat())))
}

/// None is named here.
#[cfg(feature = "images")]
pub(crate) fn named(_: &[u8]) -> Option<hashloom_source::Entry> {
    None
}

/// # Errors
/// Always.
pub(crate) fn names(_: &[u8], _: &str) -> io::Result<Vec<String>> {
    Err(left_out())
}

/// # Errors
/// Always.
pub(crate) fn has_any(_: &[u8]) -> io::Result<bool> {
    Err(left_out())
}

/// It can't.
pub(crate) fn may_pass(_: &io::Error) -> bool {
    false
}

/// It isn't.
pub(crate) fn exists(_: &[u8]) -> bool {
    false
}

/// # Errors
/// Always.
pub(crate) fn copied(_: &[u8]) -> io::Result<NamedTempFile> {
    Err(left_out())
}

/// What can't be.
#[derive(Debug)]
pub(crate) enum Upload {}

impl Upload {
    /// # Errors
    /// Always.
    pub(crate) fn prepare(_: &[u8]) -> io::Result<Upload> {
        Err(left_out())
    }

    /// # Errors
    /// None, as there is none.
    pub(crate) fn run(self, _: &File) -> io::Result<()> {
        match self {}
    }
}
