//! Commands, one file or folder each. Those of a part that this build lacks answer with an error.

#[cfg(not(all(
    feature = "bench",
    feature = "images",
    feature = "report",
    feature = "scrub",
    feature = "sign"
)))]
mod absent;
pub mod algorithms;
pub mod audit;
pub mod bag;
#[cfg(feature = "bench")]
pub mod bench;
pub mod check;
pub mod completions;
pub mod convert;
pub mod diff;
pub mod dupes;
pub mod explain;
pub mod hash;
#[cfg(feature = "images")]
pub mod image;
pub mod known;
pub mod man;
pub mod merge;
#[cfg(feature = "report")]
pub mod report;
#[cfg(feature = "scrub")]
pub mod scrub;
pub mod seal;
#[cfg(feature = "sign")]
pub mod sign;
pub mod similar;
pub mod tree;
#[cfg(feature = "sign")]
pub mod verify;

/// Declares the command of a part: in a build without it, one that returns an error.
macro_rules! command_of {
    ($feature:literal, $part:ident: $($name:ident { $($more:item)* })+) => { $(
        #[cfg(not(feature = $feature))]
        pub mod $name {
            pub use super::absent::Options;

            /// Returns an error that names the part.
            ///
            /// # Errors
            /// Always.
            pub fn run(_: &Options) -> anyhow::Result<crate::exit::Exit> {
                Err(anyhow::anyhow!("{}: {}", stringify!($name), crate::left_out::$part))
            }

            $($more)*
        }
    )+ };
}

command_of!("bench", BENCH: bench {
    /// Returns none: definitions are not supported.
    ///
    /// # Errors
    /// Never.
    pub fn defined(_: &clap::ArgMatches) -> anyhow::Result<Option<Vec<std::ffi::OsString>>> {
        Ok(None)
    }
});
command_of!("images", IMAGES: image {});
command_of!("scrub", SCRUB: scrub {});
command_of!("report", REPORT: report {});
command_of!("sign", SIGN: sign {} verify {});
