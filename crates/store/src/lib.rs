//! Object stores and web servers as places with objects: their listing in the order of keys, conditional reads of
//! ranges, uploads that are whole or not there.
//!
//! This crate has all libraries for requests. It knows nothing of files, digests, records or options.
//!
//! A [`Location`] says where, an [`Access`] how; [`Store::connect`] finds credentials the way the provider's own tools
//! do. Requests run side by side on a few threads; every call blocks until it has its result.
//!
//! * [`Store::list`] gives [`Object`]s, with a page or two in memory; [`Store::level`] those up to the next slash.
//! * [`Store::open`] and [`Prefetcher`] read an object that must stay as it was listed: every request has
//!   `If-Match` or the version, and every answer is checked, as some servers ignore both.
//! * [`Store::upload`] writes an object from a reader, [`Store::put`] one that is in memory, and a [`PartUpload`] one whose parts
//!   come one after another. [`Store::remove`] takes back what was written.
//! * [`Store::send`] sends requests that only one provider answers. It signs, repeats and counts them like the others.
//!
//! Credentials are never shown, neither by `Debug` nor in errors.
//!
//! ```no_run
//! use hashmill_store::{Access, Location, Store};
//!
//! let location = Location::parse(b"s3://bucket/photos/").expect("it names a store")?;
//! let store = Store::connect(&location, &Access::default())?;
//! for object in store.list(location.key()) {
//!     let object = object?;
//!     println!("{} bytes: {}", object.size, String::from_utf8_lossy(&object.key));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod client;
mod credentials;
mod error;
mod list;
mod location;
mod object;
mod provider;
mod read;
mod remote;
mod request;
mod store;
mod time;
mod upload;
mod write;

pub use access::environment::Environment;
pub use access::{Access, BadAccess};
pub use error::{Cause, Doing, Error};
pub use list::Listing;
pub use list::level::{Below, Level};
pub use location::{BadLocation, Location, Scheme};
pub use object::{Delivery, Object, Stored};
pub use read::opened::Opened;
pub use read::prefetch::{Coming, Prefetcher};
pub use read::route::Route;
pub use remote::rclone;
pub use remote::{BadRemote, Remote};
pub use request::counts::{Counts, RequestKind};
pub use request::{Request, Response};
pub use store::{ObjectKey, Store};
pub use write::Replace;
pub use write::parts::{PartUpload, SentPart};
