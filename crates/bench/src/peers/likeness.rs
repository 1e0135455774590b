//! The table of programs with likeness algorithms.

use super::field::{Lineup, OURS, TestFolder};
use super::presence::Program;
use super::reads::OutputFormat;
use super::table::Package;
use crate::race::{Call, Competitor, Invocation, Runner};
use hashmill_os::names;
use hashmill_similar::{Named, Similar, find};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A likeness algorithm, with its original program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// The name of the algorithm.
    pub name: &'static str,
    /// The name of the program.
    pub program: &'static str,
    version: &'static [&'static str],
    package: Package,
    /// The arguments before a file, and whether more files may follow.
    file: (&'static [&'static str], bool),
    /// The arguments before a folder whose files it hashes.
    folder: &'static [&'static str],
    /// The output format of digests.
    pub digests: OutputFormat,
    /// The arguments before a folder whose files it compares, all with all.
    pairs: &'static [&'static str],
    /// The output format of pairs.
    pub scores: OutputFormat,
    /// The exit code after success.
    code: i32,
}

/// xargs' exit code if a command exited with a code from 1 to 125.
const XARGS_ENDED: i32 = 123;

impl Likeness {
    /// All likeness algorithms.
    pub const ALL: [Likeness; 4] = [
        Likeness {
            name: "ssdeep",
            program: "ssdeep",
            version: &["-V"],
            package: Package::Debian("ssdeep"),
            file: (&["-s"], true),
            folder: &["-s", "-r"],
            digests: OutputFormat::Likeness,
            pairs: &["-s", "-d", "-r"],
            scores: OutputFormat::Matches,
            code: 0,
        },
        Likeness {
            name: "tlsh",
            program: "tlsh",
            version: &["-version"],
            package: Package::Debian("tlsh-tools"),
            file: (&["-f"], false),
            folder: &["-r"],
            digests: OutputFormat::Tlsh,
            pairs: &["-xref", "-T", "100", "-r"],
            scores: OutputFormat::Tabbed,
            code: 0,
        },
        Likeness {
            name: "sdhash",
            program: "sdhash",
            version: &["--version"],
            package: Package::None,
            file: (&[], true),
            folder: &["-r"],
            digests: OutputFormat::Line,
            pairs: &["-g", "-r"],
            scores: OutputFormat::Barred,
            code: 0,
        },
        Likeness {
            name: "mrsh-v2",
            program: "mrsh",
            version: &["-h"],
            package: Package::None,
            file: (&["-p"], true),
            folder: &["-p", "-r"],
            digests: OutputFormat::Line,
            pairs: &["-g", "-r"],
            scores: OutputFormat::Barred,
            // It exits with this code on success.
            code: 1,
        },
    ];

    /// Returns the algorithm with this name.
    pub fn find(name: &str) -> Option<Likeness> {
        Likeness::ALL.into_iter().find(|likeness| likeness.name == name)
    }

    /// Returns the algorithm in the registry.
    ///
    /// # Panics
    /// Never, since a test checks the table.
    pub fn row(&self) -> &'static Similar {
        find(self.name).expect("each is in the registry")
    }

    /// Returns the calls of hashmill and the program for the digests of one file.
    pub fn on_file(&self, field: &mut Lineup, runner: &mut dyn Runner, file: &Path) -> Vec<Competitor> {
        let ours = field.our_entry(OURS.to_string(), &self.words("digest"), file, self.digests);
        let call = Invocation::new(self.program, self.file.0.iter().copied()).and(file);
        vec![ours, self.entry(field, runner, self.program.to_string(), self.made(call))]
    }

    /// Returns the arguments of hashmill.
    pub fn words(&self, verb: &'static str) -> [&'static str; 4] {
        ["similar", verb, "-c", self.name]
    }

    /// Returns the call of the program for all files of a folder.
    pub fn on_folder(&self, field: &mut Lineup, runner: &mut dyn Runner, folder: &Path) -> Competitor {
        let call = Invocation::new(self.program, self.folder.iter().copied()).and(folder);
        self.entry(field, runner, self.program.to_string(), self.made(call))
    }

    /// Returns the calls of hashmill and the program for a folder, all files compared with all.
    pub fn all_with_all(
        &self,
        field: &mut Lineup,
        runner: &mut dyn Runner,
        folder: &Path,
    ) -> [Competitor; 2] {
        let ours = field.our_entry(OURS.to_string(), &self.words("pairs"), folder, OutputFormat::Pairs);
        let call = Invocation::new(self.program, self.pairs.iter().copied()).and(folder);
        let call = Call { code: 0, ..Call::new(call, self.scores) };
        [ours, self.entry(field, runner, self.program.to_string(), call)]
    }

    /// Returns several processes of the program on the files of a tree; `None` if only one is allowed.
    pub fn processes(
        &self,
        field: &mut Lineup,
        runner: &mut dyn Runner,
        tree: &TestFolder<'_>,
    ) -> Option<Competitor> {
        let count = field.threads;
        let call = Invocation::new(self.program, self.file.0.iter().copied());
        let invocation = tree.processes(count, self.batch(tree, count), &call);
        let call = Call { code: self.by_xargs(), ..Call::new(invocation, self.digests) };
        let name = format!("xargs -P{count} {}", self.program);
        (count > 1).then(|| self.entry(field, runner, name, call))
    }

    /// Returns the call of the program by another one that starts several of it, whose arguments end before the
    /// program.
    pub fn by(
        &self,
        field: &mut Lineup,
        runner: &mut dyn Runner,
        name: String,
        words: Invocation,
    ) -> Competitor {
        let call = words.and(self.program).with(self.file.0.iter().copied());
        self.entry(field, runner, name, Call { code: self.code, ..Call::new(call, self.digests) })
    }

    /// Returns the number of files for each process.
    pub fn batch(&self, tree: &TestFolder<'_>, processes: usize) -> usize {
        if self.file.1 { tree.batch(processes) } else { 1 }
    }

    fn by_xargs(&self) -> i32 {
        if self.code == 0 { 0 } else { XARGS_ENDED }
    }

    fn made(&self, invocation: Invocation) -> Call {
        Call { code: self.code, ..Call::new(invocation, self.digests) }
    }

    fn entry(&self, field: &mut Lineup, runner: &mut dyn Runner, name: String, call: Call) -> Competitor {
        let program = Program { name: self.program, version: self.version, package: self.package };
        field.other(runner, name, program, call)
    }

    /// Returns the right digests, computed in this process, in the format of [`OutputFormat::items`].
    ///
    /// # Errors
    /// If a file can't be read; or `Interrupted` once `go_on` returns false.
    pub fn expected(&self, files: &[PathBuf], go_on: &dyn Fn() -> bool) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        for path in files {
            if !go_on() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let bytes = fs::read(path).map_err(|error| crate::race::named(path, error))?;
            let mut stream = (self.row().stream)();
            stream.expect(bytes.len() as u64);
            stream.update(&bytes);
            // A file without a digest has no line.
            let Ok(digest) = stream.finish() else { continue };
            lines.extend(Named { name: names::path_bytes(path).into_owned(), digest }.lines());
        }
        Ok(self.digests.items(&lines, &[]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_the_registry_and_reads_its_own_lines() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("f");
        let bytes: Vec<u8> =
            (0..20_000_u32).flat_map(|at| (at.wrapping_mul(at) >> 3).to_le_bytes()).collect();
        fs::write(&file, bytes).unwrap();
        for likeness in Likeness::ALL {
            assert_eq!(likeness.row().name, likeness.name);
            let items = likeness.expected(std::slice::from_ref(&file), &|| true).unwrap();
            assert_eq!(items.len(), 1, "{}: {items:?}", likeness.name);
        }
        let error = Likeness::ALL[0].expected(&[place.path().join("absent")], &|| true).unwrap_err();
        assert!(error.to_string().contains("absent: "), "{error}");
    }
}
