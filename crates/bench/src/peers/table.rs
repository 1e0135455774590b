//! The table of tools. A combination of tool and algorithm is an entry of `offers`.
//!
//! jdupes compares files without printing digests, so it is not included: its results can't be verified.
//!
//! To add a tool: a row here; another form of output is read in `reads.rs`.

use super::reads::OutputFormat;
use crate::race::Invocation;
use std::path::Path;

/// The algorithms of a tool, by hashmill's names, each with the arguments that select it.
pub type Offers = &'static [(&'static str, &'static [&'static str])];

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tool {
    /// The program, which is also its name in results.
    pub name: &'static str,
    /// The package that contains it.
    pub package: Package,
    /// The arguments that print its version.
    pub version: &'static [&'static str],
    /// The first arguments for any algorithm.
    pub first: &'static [&'static str],
    /// The algorithms. A tool without a header prints several digests in this order.
    pub offers: Offers,
    /// The format of its output.
    pub reads: OutputFormat,
    /// Whether and how it enters folders.
    pub recursion: Recursion,
    /// How it computes several algorithms at once, if it can.
    pub several: Option<Several>,
}

/// The package that contains a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// A package of Debian.
    Debian(&'static str),
    /// A crate of crates.io.
    Crate(&'static str),
    /// No package of a package manager.
    None,
}

/// Whether and how a tool enters folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recursion {
    /// It does not: the files must be named.
    None,
    /// With these arguments, one file after another.
    Serial(&'static [&'static str]),
    /// With these arguments, on as many threads as it chooses.
    Own(&'static [&'static str]),
    /// With these arguments, the last of which is followed by the number of threads.
    Threads(&'static [&'static str]),
}

/// How several algorithms are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Several {
    /// With the arguments of each.
    Each,
    /// With one argument, a comma-separated list.
    Listed,
}

impl Tool {
    /// Returns the call for files appended to it; `None` if the tool lacks one of the algorithms.
    pub fn call(&self, algorithms: &[&str]) -> Option<Invocation> {
        let call = Invocation::new(self.name, self.first.iter().copied());
        let arguments: Vec<_> = algorithms.iter().map(|name| self.offer(name)).collect::<Option<_>>()?;
        match (&arguments[..], self.several) {
            ([], _) => None,
            ([one], _) => Some(call.with(one.iter().copied())),
            (_, None) => None,
            (each, Some(Several::Each)) => Some(call.with(each.iter().copied().flatten().copied())),
            (each, Some(Several::Listed)) => {
                let (_, option) = each[0].split_last()?;
                let names: Vec<&str> = each.iter().filter_map(|words| words.last()).copied().collect();
                Some(call.with(option.iter().copied()).and(names.join(",")))
            }
        }
    }

    /// Returns the call for all files below a folder; `None` if the tool can't enter folders.
    pub fn tree(&self, algorithms: &[&str], threads: usize, folder: &Path) -> Option<Invocation> {
        let call = self.call(algorithms)?;
        match self.recursion {
            Recursion::None => None,
            Recursion::Serial(words) | Recursion::Own(words) => {
                Some(call.with(words.iter().copied()).and(folder))
            }
            Recursion::Threads(words) => {
                let (last, words) = words.split_last()?;
                Some(call.with(words.iter().copied()).and(format!("{last}{threads}")).and(folder))
            }
        }
    }

    /// Returns whether it hashes one file after another, so that it needs several processes to use several cores.
    pub fn is_serial(&self) -> bool {
        matches!(self.recursion, Recursion::None | Recursion::Serial(_))
    }

    /// Returns the output format of a call with this many algorithms.
    pub fn reads(&self, algorithms: usize) -> OutputFormat {
        match (self.reads, self.several) {
            (OutputFormat::First, Some(Several::Each)) if algorithms > 1 => OutputFormat::Last(self.offers),
            (reads, _) => reads,
        }
    }

    fn offer(&self, algorithm: &str) -> Option<&'static [&'static str]> {
        self.offers.iter().find(|(name, _)| *name == algorithm).map(|(_, arguments)| *arguments)
    }
}

/// Returns the tools that have all of these algorithms (in one call).
pub fn offering<'a>(algorithms: &'a [&str]) -> impl Iterator<Item = &'static Tool> + 'a {
    TOOLS.iter().filter(move |tool| tool.call(algorithms).is_some())
}

/// Returns a program of the coreutils with one algorithm.
const fn sum(name: &'static str, offers: Offers) -> Tool {
    Tool {
        name,
        package: Package::Debian("coreutils"),
        version: &["--version"],
        first: &[],
        offers,
        reads: OutputFormat::First,
        recursion: Recursion::None,
        several: None,
    }
}

/// Returns a program of hashdeep. Other names of the same program have no rows.
const fn deep(name: &'static str, offers: Offers) -> Tool {
    Tool {
        package: Package::Debian("hashdeep"),
        version: &["-V"],
        recursion: Recursion::Threads(&["-r", "-j"]),
        ..sum(name, offers)
    }
}

/// All tools, in the order of results.
pub static TOOLS: &[Tool] = &[
    sum("md5sum", &[("md5", &[])]),
    sum("sha1sum", &[("sha1", &[])]),
    sum("sha224sum", &[("sha224", &[])]),
    sum("sha256sum", &[("sha256", &[])]),
    sum("sha384sum", &[("sha384", &[])]),
    sum("sha512sum", &[("sha512", &[])]),
    sum("b2sum", &[("blake2b-512", &[]), ("blake2b-256", &["-l", "256"])]),
    sum("cksum", &[("cksum", &[]), ("sm3", &["--untagged", "-a", "sm3"])]),
    Tool {
        package: Package::Debian("xxhash"),
        reads: OutputFormat::Xxhsum,
        ..sum("xxhsum", &[("xxh32", &["-H0"]), ("xxh64", &["-H1"]), ("xxh128", &["-H2"]), ("xxh3", &["-H3"])])
    },
    Tool { package: Package::Debian("b3sum"), ..sum("b3sum", &[("blake3", &[])]) },
    Tool {
        package: Package::Debian("openssl"),
        version: &["version"],
        first: &["dgst"],
        reads: OutputFormat::AfterEquals,
        ..sum(
            "openssl",
            &[
                ("md5", &["-md5"]),
                ("sha1", &["-sha1"]),
                ("sha224", &["-sha224"]),
                ("sha256", &["-sha256"]),
                ("sha384", &["-sha384"]),
                ("sha512", &["-sha512"]),
                ("sha512-256", &["-sha512-256"]),
                ("sha3-224", &["-sha3-224"]),
                ("sha3-256", &["-sha3-256"]),
                ("sha3-384", &["-sha3-384"]),
                ("sha3-512", &["-sha3-512"]),
                ("blake2b-512", &["-blake2b512"]),
                ("blake2s-256", &["-blake2s256"]),
                ("sm3", &["-sm3"]),
            ],
        )
    },
    Tool {
        package: Package::Debian("rhash"),
        first: &["--simple"],
        recursion: Recursion::Serial(&["-r"]),
        several: Some(Several::Each),
        ..sum(
            "rhash",
            // The order of `rhash --list-hashes`, in which it prints digests, independent of the arguments.
            &[
                ("crc32", &["--crc32"]),
                ("md5", &["--md5"]),
                ("sha1", &["--sha1"]),
                ("tiger", &["--tiger"]),
                ("whirlpool", &["--whirlpool"]),
                ("ripemd160", &["--ripemd160"]),
                ("streebog256", &["--gost12-256"]),
                ("streebog512", &["--gost12-512"]),
                ("sha224", &["--sha224"]),
                ("sha256", &["--sha256"]),
                ("sha384", &["--sha384"]),
                ("sha512", &["--sha512"]),
                ("sha3-224", &["--sha3-224"]),
                ("sha3-256", &["--sha3-256"]),
                ("sha3-384", &["--sha3-384"]),
                ("sha3-512", &["--sha3-512"]),
                ("crc32c", &["--crc32c"]),
                ("blake2s-256", &["--blake2s"]),
                ("blake2b-512", &["--blake2b"]),
            ],
        )
    },
    Tool {
        first: &[],
        reads: OutputFormat::Columns,
        several: Some(Several::Listed),
        ..deep(
            "hashdeep",
            &[
                ("md5", &["-c", "md5"]),
                ("sha1", &["-c", "sha1"]),
                ("sha256", &["-c", "sha256"]),
                ("tiger", &["-c", "tiger"]),
                ("whirlpool", &["-c", "whirlpool"]),
            ],
        )
    },
    Tool { version: &["-v"], ..deep("md5deep", &[("md5", &[])]) },
    Tool {
        package: Package::Crate("blazehash"),
        reads: OutputFormat::Columns,
        recursion: Recursion::Own(&["-r"]),
        several: Some(Several::Listed),
        ..sum(
            "blazehash",
            &[
                ("md5", &["-c", "md5"]),
                ("sha1", &["-c", "sha1"]),
                ("sha256", &["-c", "sha256"]),
                ("sha512", &["-c", "sha512"]),
                ("sha3-256", &["-c", "sha3-256"]),
                ("blake3", &["-c", "blake3"]),
                ("tiger", &["-c", "tiger"]),
                ("whirlpool", &["-c", "whirlpool"]),
            ],
        )
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;
    use std::collections::HashSet;

    #[test]
    fn rows_are_well_formed() {
        let names: HashSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len(), "each program once");
        for tool in TOOLS {
            assert!(!tool.offers.is_empty() && !tool.version.is_empty(), "{}", tool.name);
            for (name, _) in tool.offers {
                assert_eq!(find(name).unwrap().name, *name, "{}: the name of the registry", tool.name);
            }
        }
    }

    #[test]
    fn calls_are_what_one_would_type() {
        let tool = |name: &str| TOOLS.iter().find(|tool| tool.name == name).unwrap();
        let typed = |tool: &Tool, algorithms: &[&str]| tool.call(algorithms).map(|call| call.to_string());
        assert_eq!(typed(tool("b2sum"), &["blake2b-256"]).unwrap(), "b2sum -l 256");
        assert_eq!(typed(tool("openssl"), &["md5"]).unwrap(), "openssl dgst -md5");
        assert_eq!(typed(tool("openssl"), &["md5", "sha1"]), None, "one at a time");
        assert_eq!(typed(tool("rhash"), &["md5", "sha1"]).unwrap(), "rhash --simple --md5 --sha1");
        assert_eq!(typed(tool("hashdeep"), &["md5", "sha256"]).unwrap(), "hashdeep -c md5,sha256");
        assert_eq!(typed(tool("hashdeep"), &["md5", "blake3"]), None);
        assert_eq!(typed(tool("hashdeep"), &[]), None);
        let tree = |name: &str| tool(name).tree(&["sha256"], 4, Path::new("d")).map(|call| call.to_string());
        assert_eq!(tree("hashdeep").unwrap(), "hashdeep -c sha256 -r -j4 d");
        let md5deep = tool("md5deep").tree(&["md5"], 2, Path::new("d")).unwrap();
        assert_eq!(md5deep.to_string(), "md5deep -r -j2 d");
        assert_eq!(tree("rhash").unwrap(), "rhash --simple --sha256 -r d");
        assert_eq!(tree("blazehash").unwrap(), "blazehash -c sha256 -r d");
        assert_eq!(tree("sha256sum"), None);
        let serial = ["sha256sum", "rhash", "hashdeep", "blazehash"].map(|name| tool(name).is_serial());
        assert_eq!(serial, [true, true, false, false]);
        let names: Vec<&str> = offering(&["blake3"]).map(|tool| tool.name).collect();
        assert_eq!(names, ["b3sum", "blazehash"]);
    }
}
