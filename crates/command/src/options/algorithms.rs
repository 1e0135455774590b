//! Parsers of `-c`: algorithms by name.

pub use hashmill_job::Algorithms;

use super::format::Written;
use crate::words::message;
use hashmill_digest::{Algorithm, Class, Unknown, find};

/// One algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Name(pub &'static Algorithm);

/// The algorithms of hashdeep, by default and for `all`.
const ALL: &str = "md5,sha1,sha256,tiger,whirlpool";

/// Parses a comma-separated list of names; `all` stands for the algorithms of hashdeep.
///
/// # Errors
/// If no algorithm has one of the names.
pub fn algorithms(list: &str) -> Result<Algorithms, Unknown> {
    let names: Vec<&str> =
        list.split(',').map(|name| if name.trim() == "all" { ALL } else { name }).collect();
    Algorithms::named(&names.join(","))
}

/// Parses one name.
///
/// # Errors
/// If no algorithm has this name.
pub fn algorithm(name: &str) -> Result<Name, Unknown> {
    find(name).map(Name)
}

/// Warns of digests so short that anybody can make files with the same digest.
pub fn tell_truncated(algorithms: &Algorithms) {
    for algorithm in algorithms.digests.iter().filter(|algorithm| algorithm.class == Class::Truncated) {
        let Algorithm { name, bits, .. } = algorithm;
        message::note(format_args!(
            "{name}: is truncated to {bits} bits: anybody can make another file with the same digest"
        ));
    }
}

/// Says that hashdeep itself can't read the list, if its format was typed and the list has a digest that hashdeep lacks.
pub fn tell_foreign_to_hashdeep(typed: Option<Written>, algorithms: &Algorithms) {
    let lacks = algorithms.digests.iter().find(|row| !ALL.split(',').any(|name| name == row.name));
    if let (Some("hashdeep"), Some(Algorithm { name, .. })) = (typed.map(|format| format.0.name), lacks) {
        message::note(format_args!(
            "-f hashdeep: hashdeep itself has no {name} and can't read this list (-c {ALL} are its digests)"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_those_of_hashdeep_and_go_with_others() {
        let names =
            |list: &str| algorithms(list).unwrap().digests.iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names("all"), ALL.split(',').collect::<Vec<_>>());
        assert_eq!(names("sha256,all, blake3").len(), 6);
        assert!(algorithms("every").is_err());
    }
}
