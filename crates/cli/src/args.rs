//! What can be typed: the commands. Each has its options where it lies.

use crate::cmd::{
    audit, bag, bench, check, convert, diff, dupes, explain, hash, image, known, merge, report, seal, sign,
    similar, tree, verify,
};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use hashloom_digest::Machine;
use std::path::PathBuf;

/// Hashes trees of files as fast as the machine allows, and says with proof what is in them
#[derive(Debug, Parser)]
#[command(name = "hashloom", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// Use no instructions beyond NAME (portable, sse4.1, avx2, avx512, shani, auto); the environment
    /// variable HASHLOOM_ISA does the same
    #[arg(long, value_name = "NAME", global = true, value_parser = Machine::named)]
    pub isa: Option<Machine>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a manifest: one record for each file below the paths
    Hash(Box<hash::Options>),
    /// Compare what is there with a manifest
    Audit(Box<audit::Options>),
    /// Check the files that lists of digests name, as sha256sum -c does
    Check(Box<check::Options>),
    /// BagIt (RFC 8493): make a folder a bag, verify a bag
    #[command(subcommand)]
    Bag(bag::Command),
    /// Compare two folders, two manifests, or one of each
    Diff(Box<diff::Options>),
    /// List groups of files with the same content
    Dupes(Box<dupes::Options>),
    /// One digest of a whole directory, as Go, git, Software Heritage and model signing define it
    Tree(Box<tree::Options>),
    /// Likeness: digests by ssdeep, TLSH, sdhash and mrsh-v2, one against one, all against all
    Similar {
        #[command(subcommand)]
        command: similar::Command,
    },
    /// Compile sets of known digests, and say what files or digests are known as
    #[command(subcommand)]
    Known(known::Command),
    /// Write a manifest in another format
    Convert(convert::Options),
    /// Make one manifest of several
    Merge(merge::Options),
    /// Forensic images: what they say, whether they are whole, what is in them
    Image(image::Options),
    /// Sign a manifest: OpenSSH or minisign, and time stamps
    Sign(Box<sign::Options>),
    /// Verify signatures and time stamps of a manifest
    Verify(Box<verify::Options>),
    /// Make one page of manifests, audits and verifications, to be read, filtered and printed
    Report(report::Options),
    /// Seal a manifest: a checkpoint of a few lines stands for all its records
    Seal(Box<seal::options::Seal>),
    /// Verify that a manifest, or a redacted one, is what was sealed
    VerifySeal(seal::options::VerifySeal),
    /// Prove that records are in a sealed manifest, without the others
    Prove(seal::options::Prove),
    /// Verify a proof
    VerifyProof(seal::options::VerifyProof),
    /// Give a sealed manifest away with some records hidden
    Redact(seal::options::Redact),
    /// BLAKE3 trees of large files, to verify any range without the rest
    Outboard {
        /// What is done with them
        #[command(subcommand)]
        command: seal::options::Outboard,
    },
    /// Say how these paths would be read and hashed here, and why
    Explain(Box<explain::Options>),
    /// Measure this machine
    Bench(bench::Options),
    /// List every algorithm with the kernel that this machine uses
    Algorithms,
    /// Print the completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print a man page
    Man {
        /// The command that it is about [default: hashloom itself]
        command: Option<String>,
        /// Write the pages of all commands into this directory
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
}
