//! Prints the entries of a walk as records that end in NUL: `file PATH`, `skipped PATH: why`, `failed PATH: why`. Tests
//! run it under the fault library.
//!
//! `walk [--follow] PATH…`

use hashmill_os::names;
use hashmill_source::{WalkItem, WalkOptions, walk};
use std::io::{self, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let follow = arguments.next_if(|argument| argument == "--follow").is_some();
    let operands: Vec<Box<[u8]>> = arguments.map(|path| names::into_path_bytes(path.into()).into()).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    for found in walk(operands.into_iter(), WalkOptions { follow, ..WalkOptions::default() }) {
        match found {
            WalkItem::File(entry) => out.write_all(&[b"file ", &*entry.path].concat())?,
            WalkItem::Skipped { path, why } => {
                out.write_all(&[b"skipped ", &*path, b": ", why.reason().as_bytes()].concat())?;
            }
            WalkItem::Failed(error) => write!(out, "failed {error}")?,
        }
        out.write_all(b"\0")?;
    }
    out.flush()
}
