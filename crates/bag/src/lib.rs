//! BagIt 1.0 (RFC 8493) and its older drafts: reading and writing tag files, and verifying a bag.
//!
//! This crate does no I/O: the caller reads tag files, walks and hashes, and passes the results to a [`Judge`]. So a
//! path in a manifest is never opened, only compared with paths found below the bag.
//! It knows nothing of files on a disk, records or options.
//!
//! ```
//! use hashmill_bag::{Bag, Declaration, Judge, Level, PayloadFolder, Seen};
//! use hashmill_digest::{find, hash};
//!
//! let declaration = Declaration::parse(b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n").unwrap();
//! let mut bag = Bag::new(declaration);
//! bag.add_tag_file("manifest-md5.txt", b"900150983cd24fb0d6963f7d28e17f72  data/a\n");
//! let mut judge = Judge::new(bag, Level::Valid);
//! let md5 = find("md5").unwrap();
//! judge.file(b"data/a", &Seen { size: Some(3), digests: vec![(md5, hash(md5, b"abc"))] });
//! assert!(judge.finish(PayloadFolder::Present).is_good());
//! ```

mod bag;
mod declaration;
mod fetch;
mod finding;
mod info;
mod judge;
mod list;
mod listed;
mod oxum;
mod path;
mod profile;
mod text;

pub use bag::Bag;
pub use declaration::{BadDeclaration, Declaration, Version};
pub use fetch::Fetch;
pub use finding::{Finding, FindingKind, Severity};
pub use info::{BadField, Info};
pub use judge::{Judge, Judged, Level, PayloadFolder, Seen};
pub use list::{List, ListKind, algorithm_of, file_name, write_line};
pub use listed::{folded, twins};
pub use oxum::Oxum;
pub use path::{Unsafe, check, decode, encode};
pub use profile::{BadProfile, Profile};
pub use text::{Encoding, NotText};
