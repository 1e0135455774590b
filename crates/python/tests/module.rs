//! That the module can be loaded by an interpreter is tested in Python. This file is what makes `cargo test` build it, with
//! the features of everything else: `scripts/test-python` takes it from there.

use std::fs;

#[test]
fn the_module_has_its_entry_point() {
    let program = std::env::current_exe().unwrap();
    let module = program.with_file_name("lib_hashmill.so");
    let bytes = fs::read(&module).unwrap_or_else(|error| panic!("{}: {error}", module.display()));
    let name = b"PyInit__hashmill\0";
    assert!(bytes.windows(name.len()).any(|window| window == name), "{}", module.display());
}
