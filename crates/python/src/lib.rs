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
fn _hashmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::check(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add_class::<algorithm::Algorithm>()?;
    module.add_class::<algorithm::ExtendableAlgorithm>()?;
    module.add_class::<hasher::Hash>()?;
    module.add_class::<extendable::ExtendableHash>()?;
    module.add_class::<digests::DigestSequence>()?;
    module.add_class::<options::Selection>()?;
    module.add_class::<options::Resources>()?;
    module.add_class::<options::Stop>()?;
    module.add_class::<record::Record>()?;
    module.add_class::<records::Records>()?;
    module.add_class::<entry::Entry>()?;
    module.add_function(wrap_pyfunction!(algorithm::algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(algorithm::algorithm, module)?)?;
    module.add_function(wrap_pyfunction!(algorithm::check_names, module)?)?;
    module.add_function(wrap_pyfunction!(hasher::new, module)?)?;
    module.add_function(wrap_pyfunction!(many::digest_many, module)?)?;
    module.add_function(wrap_pyfunction!(file::file_digest, module)?)?;
    module.add_function(wrap_pyfunction!(records::hash, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::audit, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::check, module)?)?;
    module.add_function(wrap_pyfunction!(compare::diff, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_stores, module)?)?;
    module.add_function(wrap_pyfunction!(duplicates::dupes, module)?)?;
    module.add_function(wrap_pyfunction!(duplicates::listed_dupes, module)?)?;
    module.add_function(wrap_pyfunction!(convert::convert, module)?)?;
    module.add_function(wrap_pyfunction!(bags::make_bag, module)?)?;
    module.add_function(wrap_pyfunction!(bags::verify_bag, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::entries_stream, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::entries_schema, module)?)?;
    module.add("Changed", module.py().get_type::<parts::Changed>())?;
    module.add_function(wrap_pyfunction!(parts::part_unit, module)?)?;
    module.add_function(wrap_pyfunction!(parts::part, module)?)?;
    module.add_function(wrap_pyfunction!(parts::fold, module)?)?;
    module.add_function(wrap_pyfunction!(parts::read_many, module)?)?;
    module.add_function(wrap_pyfunction!(objects::is_stored, module)?)?;
    module.add_function(wrap_pyfunction!(objects::is_folder, module)?)?;
    module.add_function(wrap_pyfunction!(objects::local_path, module)?)?;
    module.add_function(wrap_pyfunction!(objects::reach, module)?)?;
    module.add_function(wrap_pyfunction!(objects::counts, module)?)?;
    module.add_function(wrap_pyfunction!(objects::look_up, module)?)?;
    module.add_function(wrap_pyfunction!(objects::read_objects, module)?)?;
    module.add_function(wrap_pyfunction!(objects::object_part, module)?)?;
    module.add_function(wrap_pyfunction!(objects::list_level, module)?)?;
    module.add_function(wrap_pyfunction!(objects::list_one, module)?)?;
    module.add_class::<objects::Listed>()?;
    module.add_function(wrap_pyfunction!(page::page, module)?)?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(tiles::likeness_pairs, module)?)?;
    module.add_class::<sets::Sets>()?;
    module.add_function(wrap_pyfunction!(trees::tree, module)?)?;
    module.add_function(wrap_pyfunction!(sets::build_known, module)?)?;
    module.add_function(wrap_pyfunction!(sets::verify_known, module)?)?;
    module.add_function(wrap_pyfunction!(likeness::similar_names, module)?)?;
    module.add_function(wrap_pyfunction!(likeness::similar_digest, module)?)?;
    module.add_function(wrap_pyfunction!(likeness::compare_digests, module)?)?;
    module.add_function(wrap_pyfunction!(likeness::compare_files, module)?)?;
    module.add_function(wrap_pyfunction!(likeness::similar_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(media::image_info, module)?)?;
    module.add_function(wrap_pyfunction!(media::image_verify, module)?)?;
    module.add_function(wrap_pyfunction!(proof::sign, module)?)?;
    module.add_function(wrap_pyfunction!(proof::verify, module)?)?;
    module.add_function(wrap_pyfunction!(proof::seal, module)?)?;
    module.add_function(wrap_pyfunction!(proof::verify_seal, module)?)?;
    module.add_function(wrap_pyfunction!(proof::prove, module)?)?;
    module.add_function(wrap_pyfunction!(proof::verify_proof, module)?)?;
    Ok(())
}
