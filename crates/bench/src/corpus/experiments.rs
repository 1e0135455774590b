//! The trials of each experiment: data, and how it becomes calls.

use super::result::Experiment;
use crate::peers::{OURS, OutputFormat, Package, Recursion, Tool, Tree, listed};
use crate::race::{Call, Competitor, Invocation};
use crate::stage::Stage;
use hashloom_digest::Algorithm;
use std::path::Path;

/// The output of our own lists of checksums.
const SUMS: OutputFormat = OutputFormat::First;

/// The settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The algorithms whose digests are taken.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms, by name.
    pub likeness: Vec<Likeness>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Bounds on file data in memory, in bytes.
    pub memory: Vec<u64>,
    /// Numbers of threads that read ahead.
    pub prefetch: Vec<usize>,
    /// The experiments; empty: all.
    pub experiments: Vec<Experiment>,
}

/// One way to do the work.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Who does it, and how it is called.
    pub entry: Competitor,
    /// Whether it is another's tool.
    pub peer: bool,
    /// Threads or processes that hash; none where the tool chooses.
    pub threads: Option<usize>,
    /// The bound on file data in memory, if one was set.
    pub memory: Option<u64>,
    /// Threads that read ahead, if their number was set.
    pub prefetch: Option<usize>,
}

/// A likeness algorithm, with the program that it is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// Its name.
    pub name: &'static str,
    program: &'static str,
    version: &'static [&'static str],
    package: Package,
    /// The words that make the program digest all files below a folder, and how it prints them.
    /// None: its form is another one, or no package has the program.
    digest: Option<(&'static [&'static str], OutputFormat)>,
    /// The words that make it compare all with all, and how it prints pairs.
    pairs: Option<(&'static [&'static str], OutputFormat)>,
}

impl Likeness {
    /// All of them.
    pub const ALL: [Likeness; 4] = [
        Likeness {
            name: "ssdeep",
            program: "ssdeep",
            version: &["-V"],
            package: Package::Debian("ssdeep"),
            digest: Some((&["-s", "-r"], OutputFormat::Likeness)),
            pairs: Some((&["-s", "-d", "-r"], OutputFormat::Matches)),
        },
        Likeness {
            name: "tlsh",
            program: "tlsh",
            version: &["-version"],
            package: Package::Debian("tlsh-tools"),
            digest: None,
            pairs: Some((&["-xref", "-T", "100", "-r"], OutputFormat::Tabbed)),
        },
        Likeness {
            name: "sdhash",
            program: "sdhash",
            version: &["--version"],
            package: Package::None,
            digest: Some((&["-r"], OutputFormat::Line)),
            pairs: Some((&["-g", "-r"], OutputFormat::Barred)),
        },
        Likeness {
            name: "mrsh-v2",
            program: "mrsh",
            version: &["-h"],
            package: Package::None,
            digest: None,
            pairs: None,
        },
    ];

    /// The one of this name.
    pub fn find(name: &str) -> Option<Likeness> {
        Likeness::ALL.into_iter().find(|likeness| likeness.name == name)
    }
}

/// The options of a way, besides the algorithm.
#[derive(Debug, Clone, Copy, Default)]
struct DropMethod {
    threads: Option<usize>,
    memory: Option<u64>,
    prefetch: Option<usize>,
}

/// Makes the trials of one algorithm on one folder.
struct Maker<'a, 'b> {
    stage: &'a mut Stage<'b>,
    algorithm: &'static str,
    tree: Tree<'a>,
}

/// The experiments with digests of an algorithm.
pub fn digests(
    stage: &mut Stage<'_>,
    wanted: &Settings,
    algorithm: &'static Algorithm,
    tree: Tree<'_>,
) -> Vec<(Experiment, Vec<Trial>)> {
    let all = stage.field.threads;
    let mut make = Maker { stage, algorithm: algorithm.name, tree };
    vec![
        (Experiment::Methods, make.methods(all)),
        (Experiment::Threads, make.threads(&wanted.threads)),
        (Experiment::Memory, make.memory(&wanted.memory, all)),
        (Experiment::Prefetchers, make.prefetchers(&wanted.prefetch, all)),
        (Experiment::FirstRun, make.runs(all)),
        (Experiment::SecondRun, make.runs(all)),
        (Experiment::Processes, make.processes(all)),
    ]
}

impl Maker<'_, '_> {
    /// The paper's first table: what one had, one thread, a thread a file, and reading ahead.
    fn methods(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = self.originals();
        trials.extend(self.strongest(all));
        trials.push(self.absent_pfh());
        let threads = Some(all);
        trials.extend([
            self.ours("one thread", DropMethod { threads: Some(1), prefetch: Some(0), memory: None }),
            self.ours("a thread a file", DropMethod { threads, prefetch: Some(0), memory: None }),
            self.ours("prefetching", DropMethod { threads, prefetch: Some(1), memory: None }),
            self.ours("as it chooses", DropMethod::default()),
        ]);
        trials
    }

    fn threads(&mut self, counts: &[usize]) -> Vec<Trial> {
        let mut trials = Vec::new();
        for count in counts {
            let means = DropMethod { threads: Some(*count), prefetch: Some(1), memory: None };
            trials.push(self.ours(&format!("{count} threads"), means));
            for tool in self.stage.field.tools(&[self.algorithm]) {
                let Some(call) = tool.tree(&[self.algorithm], *count, self.tree.folder) else { continue };
                if matches!(tool.recursion, Recursion::Threads(_)) {
                    let name = format!("{}, {count} threads", tool.name);
                    trials.push(self.tool(name, tool, call, Some(*count)));
                }
            }
        }
        trials
    }

    fn memory(&mut self, bounds: &[u64], all: usize) -> Vec<Trial> {
        let ours = bounds.iter().map(|bound| {
            let means = DropMethod { threads: Some(all), prefetch: Some(1), memory: Some(*bound) };
            self.ours(&format!("{} of memory", crate::timed::shown_bytes(*bound)), means)
        });
        ours.collect::<Vec<_>>().into_iter().chain([self.absent_pfh()]).collect()
    }

    fn prefetchers(&mut self, counts: &[usize], all: usize) -> Vec<Trial> {
        let ours = counts.iter().map(|count| {
            let means = DropMethod { threads: Some(all), prefetch: Some(*count), memory: None };
            let plural = if *count == 1 { "" } else { "s" };
            self.ours(&format!("{count} prefetcher{plural}"), means)
        });
        ours.collect::<Vec<_>>().into_iter().chain([self.absent_pfh()]).collect()
    }

    /// The same, whether files are in memory or not.
    fn runs(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = self.originals();
        trials.extend(self.strongest(all));
        let threads = Some(all);
        trials.extend([
            self.ours("a thread a file", DropMethod { threads, prefetch: Some(0), memory: None }),
            self.ours("prefetching", DropMethod { threads, prefetch: Some(1), memory: None }),
            self.ours("as it chooses", DropMethod::default()),
        ]);
        trials
    }

    /// Many processes of a tool that has one thread.
    fn processes(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = vec![self.ours("as it chooses", DropMethod::default())];
        for tool in self.serial() {
            let Some(call) = tool.call(&[self.algorithm]) else { continue };
            trials.extend(self.xargs(tool, all));
            trials.push(self.parallel(tool, &call, all));
        }
        trials
    }

    /// GNU parallel. It starts each command line by a shell.
    fn parallel(&mut self, tool: &'static Tool, call: &Invocation, all: usize) -> Trial {
        let (number, batch) = (all.to_string(), self.tree.batch(all).to_string());
        let words = ["-0", "--will-cite", "-j", &number, "-n", &batch, "-m", "-a"];
        let line = Invocation::new("parallel", words).and(self.tree.list).and(&call.program);
        let call = Call { invocation: line.with(call.arguments.iter().cloned()), reads: tool.reads(1) };
        let program = ("parallel", &["--version"][..], Package::Debian("parallel"));
        let name = format!("parallel -j{all} {}", tool.name);
        let entry = self.stage.field.other(self.stage.track.runner, name, program, call);
        Trial { entry, peer: true, threads: Some(all), memory: None, prefetch: None }
    }

    /// Every tool with one thread, over all files.
    fn originals(&mut self) -> Vec<Trial> {
        let mut trials = Vec::new();
        for tool in self.serial() {
            let call = tool.call(&[self.algorithm]).map(|call| listed(self.tree.list, &[], &call));
            trials.extend(call.map(|call| self.tool(tool.name.to_string(), tool, call, Some(1))));
        }
        trials
    }

    /// What the other tools can do: those with threads, and several processes of the others.
    fn strongest(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = Vec::new();
        for tool in self.stage.field.tools(&[self.algorithm]) {
            if tool.is_serial() {
                trials.extend(self.xargs(tool, all));
                continue;
            }
            let call = tool.tree(&[self.algorithm], all, self.tree.folder);
            let (name, threads) = match tool.recursion {
                Recursion::Threads(_) => (format!("{}, {all} threads", tool.name), Some(all)),
                _ => (tool.name.to_string(), None),
            };
            trials.extend(call.map(|call| self.tool(name, tool, call, threads)));
        }
        trials
    }

    /// Several processes of a tool that has one thread; none where one is all.
    fn xargs(&mut self, tool: &'static Tool, all: usize) -> Option<Trial> {
        let Stage { field, track, .. } = &mut *self.stage;
        let entry = field.processes(track.runner, &[self.algorithm], tool, &self.tree)?;
        Some(Trial { entry, peer: true, threads: Some(all), memory: None, prefetch: None })
    }

    /// The tools that hash one file after another.
    fn serial(&self) -> Vec<&'static Tool> {
        let tools = self.stage.field.tools(&[self.algorithm]);
        tools.into_iter().filter(|tool| tool.is_serial()).collect()
    }

    fn tool(&mut self, name: String, tool: &'static Tool, call: Invocation, threads: Option<usize>) -> Trial {
        let entry = self.stage.field.entry(self.stage.track.runner, tool, call, 1);
        let entry = Competitor { tool: name, ..entry };
        Trial { entry, peer: true, threads, memory: None, prefetch: None }
    }

    /// The paper's own tool; nobody has it to install.
    fn absent_pfh(&self) -> Trial {
        let entry = Competitor { tool: "pfh".to_string(), call: Err(Package::None.to_string()) };
        Trial { entry, peer: true, threads: None, memory: None, prefetch: None }
    }

    fn ours(&self, way: &str, means: DropMethod) -> Trial {
        let DropMethod { threads, memory, prefetch } = means;
        let words = ["hash", "-f", "sums", "-c", self.algorithm].map(str::to_string);
        let options = [
            threads.map(|count| format!("-j{count}")),
            memory.map(|bound| format!("-m{bound}")),
            prefetch.map(|count| format!("--prefetch={count}")),
        ];
        let words: Vec<String> = words.into_iter().chain(options.into_iter().flatten()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let entry = self.stage.field.our_entry(format!("{OURS}, {way}"), &words, self.tree.folder, SUMS);
        Trial { entry, peer: false, threads, memory, prefetch }
    }
}

/// Why a program's digests are not compared.
const OTHER: &str = "its digests are of another form";

/// The experiments with a likeness algorithm: digests of all files, and all compared with all. Our digests and
/// pairs are the measure.
pub fn likeness(stage: &mut Stage<'_>, likeness: Likeness, folder: &Path) -> Vec<(Experiment, Vec<Trial>)> {
    let mut trials =
        |verb: &str, theirs: Option<(&'static [&'static str], OutputFormat)>, reads: OutputFormat| {
            let words = ["similar", verb, "-c", likeness.name];
            let entry = stage.field.our_entry(OURS.to_string(), &words, folder, reads);
            let ours = Trial { entry, peer: false, threads: None, memory: None, prefetch: None };
            let known = theirs.is_some();
            let (words, reads) = theirs.unwrap_or((&[], reads));
            let invocation = Invocation::new(likeness.program, words.iter().copied()).and(folder);
            let call = Call { invocation, reads };
            let name = likeness.program.to_string();
            let program = (likeness.program, likeness.version, likeness.package);
            let mut entry = stage.field.other(stage.track.runner, name, program, call);
            if !known {
                // Whatever has this name here, how it is called is not known.
                let why = if likeness.package == Package::None {
                    likeness.package.to_string()
                } else {
                    OTHER.to_string()
                };
                entry.call = Err(why);
            }
            let theirs = Trial { entry, peer: true, threads: Some(1), memory: None, prefetch: None };
            vec![ours, theirs]
        };
    let digest_reads = likeness.digest.map_or(OutputFormat::Line, |(_, reads)| reads);
    vec![
        (Experiment::LikenessDigests, trials("digest", likeness.digest, digest_reads)),
        (Experiment::AllAgainstAll, trials("pairs", likeness.pairs, OutputFormat::Pairs)),
    ]
}
