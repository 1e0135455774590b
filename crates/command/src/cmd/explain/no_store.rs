//! Stand-in for locations in builds without object stores.

use crate::access;
use hashmill_content::Misfit;
use hashmill_source::{Error, Problem};
use serde::Serialize;
use std::borrow::Cow;
use std::io;

/// No location.
#[derive(Serialize)]
pub enum Stored {}

impl Stored {
    /// Returns nothing, as there is none.
    pub fn shown(&self) -> &str {
        match *self {}
    }

    /// Returns nothing, as there is none.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        match *self {}
    }
}

/// An operand, as it is explained.
pub enum Operand<'t> {
    /// The path of a file or directory.
    Path(Cow<'t, [u8]>),
    /// A location in a store, which never exists.
    #[expect(dead_code, reason = "locations are refused")]
    Store(Box<Stored>),
}

impl Operand<'_> {
    /// Returns a path.
    ///
    /// # Errors
    /// If it is a location.
    pub fn parse(typed: &[u8]) -> Result<Operand<'_>, Error> {
        if !access::stores().is_location(typed) {
            return Ok(Operand::Path(Cow::Borrowed(typed)));
        }
        let misfit = Misfit::LeftOut { what: "object stores", feature: "stores" };
        let source = io::Error::new(io::ErrorKind::Unsupported, misfit.to_string());
        Err(Error { path: typed.into(), problem: Problem::Open(source) })
    }
}
