//! Runs the target that `HASHMILL_FUZZ` names. Without it, prints the names of all.

#![no_main]

use hashmill_fuzz::{Target, find, targets};
use std::sync::LazyLock;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let Ok(name) = std::env::var("HASHMILL_FUZZ") else {
        targets().for_each(|target| println!("{}", target.name));
        std::process::exit(0);
    };
    find(&name).unwrap_or_else(|| {
        eprintln!("fuzz: no target '{name}'");
        std::process::exit(64);
    })
});

libfuzzer_sys::fuzz_target!(
    init: {
        LazyLock::force(&TARGET);
    },
    |data: &[u8]| TARGET.run(data)
);
