//! The trials of each experiment, and their command lines.

use super::result::Experiment;
use crate::peers::{Likeness, OURS, OutputFormat, Package, Program, Recursion, TestFolder, Tool, listed};
use crate::race::{Call, Competitor, Invocation};
use crate::stage::Stage;
use hashmill_digest::Algorithm;

/// The output format of hashmill's lists of checksums.
const SUMS: OutputFormat = OutputFormat::First;

/// Settings of the experiments.
#[derive(Debug, Clone)]
pub struct CorpusSettings {
    /// The algorithms of digests.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms.
    pub likeness: Vec<Likeness>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Bounds on file data in memory, in bytes.
    pub memory: Vec<u64>,
    /// Numbers of threads that read ahead.
    pub prefetch: Vec<usize>,
    /// The experiments to run; all if empty.
    pub experiments: Vec<Experiment>,
    /// Whether files are removed from the page cache before the runs of all experiments with digests, except the second
    /// run.
    pub cold: bool,
}

/// GNU parallel, which starts processes of other tools.
const PARALLEL: Program<'static> =
    Program { name: "parallel", version: &["--version"], package: Package::Debian("parallel") };

/// One way to do the work of an experiment.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The program and its command line.
    pub entry: Competitor,
    /// Whether it is another tool than hashmill.
    pub peer: bool,
    /// The number of threads or processes that hash; `None` if the tool chooses.
    pub threads: Option<usize>,
    /// The bound on file data in memory, if set.
    pub memory: Option<u64>,
    /// The number of threads that read ahead, if set.
    pub prefetch: Option<usize>,
}

/// The kind of digest to compute.
#[derive(Debug, Clone, Copy)]
pub enum Subject {
    /// A digest of this algorithm.
    Digest(&'static Algorithm),
    /// A likeness digest of this algorithm.
    Likeness(Likeness),
}

impl Subject {
    /// Returns the name of the algorithm.
    pub fn name(&self) -> &'static str {
        match self {
            Subject::Digest(algorithm) => algorithm.name,
            Subject::Likeness(likeness) => likeness.name,
        }
    }
}

/// The options of a way, besides the algorithm.
#[derive(Debug, Clone, Copy, Default)]
struct WayOptions {
    threads: Option<usize>,
    memory: Option<u64>,
    prefetch: Option<usize>,
}

/// Creates the trials of one algorithm on one folder.
struct Maker<'a, 'b> {
    stage: &'a mut Stage<'b>,
    subject: Subject,
    tree: TestFolder<'a>,
}

/// Returns the experiments with digests of an algorithm.
pub fn digests(
    stage: &mut Stage<'_>,
    wanted: &CorpusSettings,
    subject: Subject,
    tree: TestFolder<'_>,
) -> Vec<(Experiment, Vec<Trial>)> {
    let all = stage.field.threads;
    let mut make = Maker { stage, subject, tree };
    let methods = make.methods(all);
    let sets = match subject {
        Subject::Digest(_) => Experiment::Methods,
        Subject::Likeness(_) => Experiment::LikenessDigests,
    };
    vec![
        (sets, methods),
        (Experiment::Threads, make.threads(&wanted.threads)),
        (Experiment::Memory, make.memory(&wanted.memory, all)),
        (Experiment::Prefetchers, make.prefetchers(&wanted.prefetch, all)),
        (Experiment::Combinations, make.combinations(wanted)),
        (Experiment::FirstRun, make.runs(all)),
        (Experiment::SecondRun, make.runs(all)),
        (Experiment::Processes, make.processes(all)),
    ]
}

/// Returns the experiment that compares all files with all, by a likeness algorithm. hashmill's pairs are the
/// reference.
pub fn all_with_all(stage: &mut Stage<'_>, likeness: Likeness, tree: TestFolder<'_>) -> Vec<Trial> {
    let Stage { field, track, .. } = stage;
    let [ours, theirs] = likeness.all_with_all(field, track.runner, tree.folder);
    let trial =
        |entry, peer: bool| Trial { entry, peer, threads: peer.then_some(1), memory: None, prefetch: None };
    vec![trial(ours, false), trial(theirs, true)]
}

impl Maker<'_, '_> {
    /// Returns the trials of the paper's first table: the original tool, one thread, a thread a file, and reading
    /// ahead.
    fn methods(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = self.originals();
        trials.extend(self.strongest(all));
        trials.push(self.absent("pfh"));
        let threads = Some(all);
        trials.extend([
            self.ours("one thread", WayOptions { threads: Some(1), prefetch: Some(0), memory: None }),
            self.ours("a thread a file", WayOptions { threads, prefetch: Some(0), memory: None }),
            self.ours("prefetching", WayOptions { threads, prefetch: Some(1), memory: None }),
            self.ours("as it chooses", WayOptions::default()),
        ]);
        trials
    }

    fn threads(&mut self, counts: &[usize]) -> Vec<Trial> {
        let mut trials = Vec::new();
        for count in counts {
            let means = WayOptions { threads: Some(*count), prefetch: Some(1), memory: None };
            trials.push(self.ours(&plural(*count, "thread"), means));
            for tool in self.tools() {
                let Some(call) = tool.tree(&[self.subject.name()], *count, self.tree.folder) else {
                    continue;
                };
                if matches!(tool.recursion, Recursion::Threads(_)) {
                    let name = format!("{}, {}", tool.name, plural(*count, "thread"));
                    trials.push(self.tool(name, tool, call, Some(*count)));
                }
            }
        }
        trials
    }

    fn memory(&mut self, bounds: &[u64], all: usize) -> Vec<Trial> {
        let ours = bounds.iter().map(|bound| {
            let means = WayOptions { threads: Some(all), prefetch: Some(1), memory: Some(*bound) };
            self.ours(&format!("{} of memory", crate::timed::shown_bytes(*bound)), means)
        });
        ours.collect::<Vec<_>>().into_iter().chain([self.absent("pfh")]).collect()
    }

    fn prefetchers(&mut self, counts: &[usize], all: usize) -> Vec<Trial> {
        let ours = counts.iter().map(|count| {
            let means = WayOptions { threads: Some(all), prefetch: Some(*count), memory: None };
            self.ours(&plural(*count, "prefetcher"), means)
        });
        ours.collect::<Vec<_>>().into_iter().chain([self.absent("pfh")]).collect()
    }

    /// Returns prefetchers × threads × memory, after one thread that does everything.
    fn combinations(&self, wanted: &CorpusSettings) -> Vec<Trial> {
        let one = WayOptions { threads: Some(1), prefetch: Some(0), memory: None };
        let mut trials = vec![self.ours("one thread", one)];
        for prefetch in &wanted.prefetch {
            for threads in &wanted.threads {
                for memory in &wanted.memory {
                    let means = WayOptions {
                        threads: Some(*threads),
                        prefetch: Some(*prefetch),
                        memory: Some(*memory),
                    };
                    let (readers, bound) =
                        (plural(*prefetch, "prefetcher"), crate::timed::shown_bytes(*memory));
                    trials.push(
                        self.ours(&format!("{readers}, {}, {bound}", plural(*threads, "thread")), means),
                    );
                }
            }
        }
        trials
    }

    /// Returns the same trials for files in memory and not in memory.
    fn runs(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = self.originals();
        trials.extend(self.strongest(all));
        let threads = Some(all);
        trials.extend([
            self.ours("a thread a file", WayOptions { threads, prefetch: Some(0), memory: None }),
            self.ours("prefetching", WayOptions { threads, prefetch: Some(1), memory: None }),
            self.ours("as it chooses", WayOptions::default()),
        ]);
        trials
    }

    /// Returns trials with many processes of a single-threaded tool.
    fn processes(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = vec![self.ours("as it chooses", WayOptions::default())];
        for tool in self.serial() {
            let Some(call) = tool.call(&[self.subject.name()]) else { continue };
            trials.extend(self.xargs(tool, all));
            trials.push(self.parallel(tool, &call, all));
        }
        if let Subject::Likeness(likeness) = self.subject {
            trials.extend(self.likeness_processes(likeness, all));
            trials.push(self.likeness_in_parallel(likeness, all));
        }
        trials.push(self.absent("ppss"));
        trials
    }

    /// Returns the command line of GNU parallel up to the program. It starts each command line with a shell.
    fn parallel_words(&self, all: usize, batch: usize) -> Invocation {
        let (number, batch) = (all.to_string(), batch.to_string());
        let words = ["-0", "--will-cite", "-j", &number, "-n", &batch, "-m", "-a"];
        Invocation::new("parallel", words).and(self.tree.list)
    }

    fn parallel(&mut self, tool: &'static Tool, call: &Invocation, all: usize) -> Trial {
        let line = self.parallel_words(all, self.tree.batch(all)).and(&call.program);
        let call = Call::new(line.with(call.arguments.iter().cloned()), tool.reads(1));
        let name = format!("parallel -j{all} {}", tool.name);
        let entry = self.stage.field.other(self.stage.track.runner, name, PARALLEL, call);
        Trial { entry, peer: true, threads: Some(all), memory: None, prefetch: None }
    }

    fn likeness_in_parallel(&mut self, likeness: Likeness, all: usize) -> Trial {
        let words = self.parallel_words(all, likeness.batch(&self.tree, all));
        let name = format!("parallel -j{all} {}", likeness.program);
        let Stage { field, track, .. } = &mut *self.stage;
        let mut entry = likeness.by(field, track.runner, name.clone(), words);
        // Both must be installed.
        if let Ok(call) = entry.call.clone() {
            entry = field.other(track.runner, name, PARALLEL, call);
        }
        Trial { entry, peer: true, threads: Some(all), memory: None, prefetch: None }
    }

    fn likeness_processes(&mut self, likeness: Likeness, all: usize) -> Option<Trial> {
        let Stage { field, track, .. } = &mut *self.stage;
        let entry = likeness.processes(field, track.runner, &self.tree)?;
        Some(Trial { entry, peer: true, threads: Some(all), memory: None, prefetch: None })
    }

    /// Returns every single-threaded tool, on all files.
    fn originals(&mut self) -> Vec<Trial> {
        let mut trials = Vec::new();
        for tool in self.serial() {
            let call = tool.call(&[self.subject.name()]).map(|call| listed(self.tree.list, &[], &call));
            trials.extend(call.map(|call| self.tool(tool.name.to_string(), tool, call, Some(1))));
        }
        if let Subject::Likeness(likeness) = self.subject {
            let Stage { field, track, .. } = &mut *self.stage;
            let entry = likeness.on_folder(field, track.runner, self.tree.folder);
            trials.push(Trial { entry, peer: true, threads: Some(1), memory: None, prefetch: None });
        }
        trials
    }

    /// Returns the other tools at their best: with threads, or as several processes.
    fn strongest(&mut self, all: usize) -> Vec<Trial> {
        let mut trials = Vec::new();
        for tool in self.tools() {
            if tool.is_serial() {
                trials.extend(self.xargs(tool, all));
                continue;
            }
            let call = tool.tree(&[self.subject.name()], all, self.tree.folder);
            let (name, threads) = match tool.recursion {
                Recursion::Threads(_) => (format!("{}, {}", tool.name, plural(all, "thread")), Some(all)),
                _ => (tool.name.to_string(), None),
            };
            trials.extend(call.map(|call| self.tool(name, tool, call, threads)));
        }
        if let Subject::Likeness(likeness) = self.subject {
            trials.extend(self.likeness_processes(likeness, all));
        }
        trials
    }

    /// Returns several processes of a single-threaded tool; `None` if only one is allowed.
    fn xargs(&mut self, tool: &'static Tool, all: usize) -> Option<Trial> {
        let Stage { field, track, .. } = &mut *self.stage;
        let entry = field.processes(track.runner, &[self.subject.name()], tool, &self.tree)?;
        Some(Trial { entry, peer: true, threads: Some(all), memory: None, prefetch: None })
    }

    /// Returns the tools of the table that support the algorithm.
    fn tools(&self) -> Vec<&'static Tool> {
        self.stage.field.tools(&[self.subject.name()])
    }

    /// Returns the tools that hash one file after another.
    fn serial(&self) -> Vec<&'static Tool> {
        self.tools().into_iter().filter(|tool| tool.is_serial()).collect()
    }

    fn tool(&mut self, name: String, tool: &'static Tool, call: Invocation, threads: Option<usize>) -> Trial {
        let entry = self.stage.field.entry(self.stage.track.runner, tool, call, 1);
        let entry = Competitor { tool: name, ..entry };
        Trial { entry, peer: true, threads, memory: None, prefetch: None }
    }

    /// Returns a tool of the paper that no package provides.
    fn absent(&self, name: &str) -> Trial {
        let entry = Competitor { tool: name.to_string(), call: Err(Package::None.to_string()) };
        Trial { entry, peer: true, threads: None, memory: None, prefetch: None }
    }

    fn ours(&self, way: &str, means: WayOptions) -> Trial {
        let WayOptions { threads, memory, prefetch } = means;
        let (words, reads) = match self.subject {
            Subject::Digest(algorithm) => (["hash", "-f", "sums", "-c", algorithm.name].to_vec(), SUMS),
            Subject::Likeness(likeness) => (likeness.words("digest").to_vec(), likeness.digests),
        };
        let options = [
            threads.map(|count| format!("-j{count}")),
            memory.map(|bound| format!("-m{bound}")),
            prefetch.map(|count| format!("--prefetch={count}")),
        ];
        let options: Vec<String> = options.into_iter().flatten().collect();
        let words: Vec<&str> = words.into_iter().chain(options.iter().map(String::as_str)).collect();
        let entry = self.stage.field.our_entry(format!("{OURS}, {way}"), &words, self.tree.folder, reads);
        Trial { entry, peer: false, threads, memory, prefetch }
    }
}

fn plural(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
