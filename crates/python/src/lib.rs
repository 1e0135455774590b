//! The module `hashmill._hashmill`, which the Python package calls.
//!
//! A thin layer: it converts arguments and results, releases the GIL, and calls `hashmill-job` and the crates below.
//! The package's Python sources (`python/hashmill`) have the public functions, with their documentation and types; this
//! crate has the objects and the code that must be fast.
//!
//! | module | has |
//! |---|---|
//! | `view` | the bytes of bytes-like objects |
//! | `algorithm`, `hasher` | algorithms as constructors, and hash objects like those of hashlib |
//! | `extendable`, `parameters` | digests of any length; keys, salts and trees of BLAKE2 and BLAKE3 |
//! | `many`, `digests` | many buffers at once, and their digests |
//! | `arrow` | Arrow arrays and streams, in and out |
//! | `options` | selections of files, and resources |
//! | `engine` | operations on a thread of their own, with signals and progress |
//! | `record`, `records`, `entry` | the items that operations give |
//! | `parts`, `objects`, `tiles` | calls for workers of a cluster: files, objects of stores, ranges of both, pairs |
//! | `page` | pages about the results of a job on a cluster |
//! | `reach` | how calls reach stores |
//! | `verdicts`, `compare`, `duplicates`, `convert`, `bags` | audits, checks and comparisons; equal files; other
//! formats; bags |
//! | `trees`, `sets`, `likeness`, `media`, `proof` | the other operations |
//! | `command` | the command line |
//! | `sys` | numbers of errors, and signals, where systems differ |
//! | `error`, `interpreter` | exceptions; the check for a single interpreter |

mod algorithm;
mod arrow;
mod bags;
mod command;
mod compare;
mod convert;
mod digests;
mod duplicates;
mod engine;
mod entry;
mod error;
mod extendable;
mod file;
mod hasher;
mod interpreter;
mod likeness;
mod many;
mod media;
mod objects;
mod options;
mod page;
mod parameters;
mod parts;
mod proof;
mod reach;
mod record;
mod records;
mod sets;
#[cfg_attr(unix, path = "sys/unix.rs")]
#[cfg_attr(windows, path = "sys/windows.rs")]
mod sys;
mod tiles;
mod trees;
mod verdicts;
mod view;

use pyo3::prelude::*;

/// The core of hashmill. Import `hashmill` instead.
#[pymodule]
mod _hashmill {
    use super::*;

    #[pymodule_export]
    use super::{
        algorithm::{Algorithm, ExtendableAlgorithm, algorithm, algorithms, check_names},
        arrow::{entries_schema, entries_stream, groups_schema, groups_stream},
        bags::{make_bag, verify_bag},
        command::command,
        compare::{compare_stores, diff},
        convert::convert,
        digests::DigestSequence,
        duplicates::{dupes, listed_dupes},
        engine::copies::copy,
        engine::inspection::Inspection,
        entry::Entry,
        extendable::ExtendableHash,
        file::file_digest,
        hasher::{Hash, new},
        likeness::{compare_digests, compare_files, similar_digest, similar_names, similar_pairs},
        many::digest_many,
        media::{image_info, image_verify},
        objects::{
            Listed, counts, is_folder, is_stored, list_level, list_one, local_path, look_up, object_part,
            reach, read_objects,
        },
        options::{Resources, Selection, Stop},
        page::page,
        parts::{fold, part, part_unit, read_many},
        proof::{prove, seal, sign, verify, verify_proof, verify_seal},
        record::Record,
        records::{Records, hash},
        sets::{Sets, build_known, verify_known},
        tiles::likeness_pairs,
        trees::tree,
        verdicts::{audit, check, check_store},
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        interpreter::check(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let error = module.py().get_type::<error::Error>();
        // Those about no file have none.
        error.setattr("filename", module.py().None())?;
        module.add("Error", error)?;
        module.add("Changed", module.py().get_type::<parts::Changed>())
    }
}
