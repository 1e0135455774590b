//! Runs every target over its seeds and over mutated copies, from a fixed random seed: like `fuzz/run`, but for a
//! bounded time and with the stable compiler.

use hashmill_fuzz::{Target, find, targets};
use hashmill_testing::mutate;
use std::path::{Path, PathBuf};

/// Targets without stored seeds: `similar.rs`, `image.rs` and `media.rs` make them.
const WITHOUT_SEEDS: [&str; 5] = ["similar", "similar_index", "image", "volumes", "iso9660"];

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name)
}

fn run(target: &Target) {
    mutate::run(&corpus(target.name), target.mutation, |data| target.run(data));
}

/// The tests that share the targets, so that they run in parallel.
const SHARES: usize = 3;

/// Runs a share of the wanted targets.
fn run_share(share: usize, wanted: impl Fn(&str) -> bool) {
    let with_seeds = targets().filter(|target| !WITHOUT_SEEDS.contains(&target.name) && wanted(target.name));
    with_seeds.skip(share).step_by(SHARES).for_each(|target| run(&target));
}

fn is_known(name: &str) -> bool {
    name.starts_with("known_")
}

#[test]
#[ignore = "campaign: takes long"]
fn targets_hold_over_seeds_and_changed_copies_0() {
    run_share(0, |name| !is_known(name));
}

#[test]
#[ignore = "campaign: takes long"]
fn targets_hold_over_seeds_and_changed_copies_1() {
    run_share(1, |name| !is_known(name));
}

#[test]
#[ignore = "campaign: takes long"]
fn targets_hold_over_seeds_and_changed_copies_2() {
    run_share(2, |name| !is_known(name));
}

/// Each input is built into an index, which takes the longest time.
#[test]
#[ignore = "campaign: takes long"]
fn targets_of_sets_hold_over_seeds_and_changed_copies() {
    (0..SHARES).for_each(|share| run_share(share, is_known));
}

#[test]
fn no_name_is_there_twice_and_every_folder_of_seeds_has_a_target() {
    let names: Vec<_> = targets().map(|target| target.name).collect();
    for name in &names {
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
    }
    for entry in corpus("").read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(find(&name).is_some() || cfg!(not(feature = "libraries")), "{name}");
    }
}
