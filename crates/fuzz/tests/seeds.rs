//! Runs every target over its seeds and over mutated copies, from a fixed random seed: like `fuzz/run`, but for a
//! bounded time and with the stable compiler.

use hashloom_fuzz::{Target, find, targets};
use hashloom_testing::mutate;
use std::path::{Path, PathBuf};

/// Targets without stored seeds: `similar.rs`, `image.rs` and `media.rs` make them.
const WITHOUT_SEEDS: [&str; 5] = ["similar", "similar_index", "image", "volumes", "iso9660"];

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name)
}

fn run(target: &Target) {
    mutate::run(&corpus(target.name), target.mutation, |data| target.run(data));
}

/// Runs some of the targets, so that several tests run in parallel.
fn run_all(wanted: impl Fn(&str) -> bool) {
    let with_seeds = targets().filter(|target| !WITHOUT_SEEDS.contains(&target.name));
    with_seeds.filter(|target| wanted(target.name)).for_each(|target| run(&target));
}

fn is_known(name: &str) -> bool {
    name.starts_with("known_")
}

#[test]
fn targets_hold_over_seeds_and_changed_copies() {
    run_all(|name| !is_known(name));
}

/// Each input is built into an index, which takes the longest time.
#[test]
fn targets_of_sets_hold_over_seeds_and_changed_copies() {
    run_all(is_known);
}

#[test]
fn no_name_is_there_twice_and_every_folder_of_seeds_has_a_target() {
    let names: Vec<_> = targets().map(|target| target.name).collect();
    for name in &names {
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
    }
    for entry in corpus("").read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(find(&name).is_some() || cfg!(not(feature = "known")), "{name}");
    }
}
