//! What a list was taken for: a checksum that anyone can forge, where it may have been meant as more.

use hashloom_digest::{Algorithm, Class, of_bits};
use hashloom_manifest::audit::Learner;
use std::fmt::{self, Display};

/// Digests whose algorithm nothing names match a checksum, and digests of their length can be of a cryptographic hash as
/// well. Whoever writes to the files can make every one of them match the checksum.
#[derive(Debug, Clone, Copy)]
pub struct Forgeable {
    algorithm: &'static Algorithm,
}

impl Forgeable {
    /// If digests of so many bits were taken for such a checksum.
    pub fn of(learner: &Learner, bits: u32) -> Option<Forgeable> {
        let algorithm = learner.learnt(bits).filter(|algorithm| algorithm.class == Class::Checksum)?;
        stronger(bits).next().map(|_| Forgeable { algorithm })
    }
}

fn stronger(bits: u32) -> impl Iterator<Item = &'static Algorithm> {
    of_bits(bits).filter(|algorithm| algorithm.class != Class::Checksum)
}

impl Display for Forgeable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.algorithm.name;
        let others: Vec<&str> = stronger(self.algorithm.bits).map(|algorithm| algorithm.name).collect();
        write!(
            f,
            "WARNING: nothing names the algorithm, and files match {name}, which anyone can forge; if the list is of \
             {}, they were changed: name the algorithm with -c",
            others.join(" or ")
        )
    }
}
