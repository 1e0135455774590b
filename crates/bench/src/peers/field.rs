//! The competitors of a case: hashmill, and every tool that has the algorithms.

use super::presence::{Installed, Presence, Program};
use super::reads::OutputFormat;
use super::table::{TOOLS, Tool, offering};
use crate::race::{Call, Competitor, Invocation, Runner};
use hashmill_digest::find;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The name of hashmill in results.
pub const OURS: &str = "hashmill";

/// hashmill and the requested tools.
#[derive(Debug, Clone)]
pub struct Lineup {
    /// The program file of hashmill.
    pub ours: PathBuf,
    /// The environment variables of hashmill.
    pub variables: Vec<(&'static str, String)>,
    /// Names of tools; all tools of the table if empty.
    pub tools: Vec<String>,
    /// The number of threads that tools are told to use, if possible.
    pub threads: usize,
    installed: Installed,
}

/// A name that is not in the table of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTool(pub String);

impl Lineup {
    /// Creates a lineup of hashmill and these tools of the table, or all if the list is empty.
    ///
    /// # Errors
    /// If a name is not in the table.
    pub fn new(ours: PathBuf, tools: Vec<String>, threads: usize) -> Result<Self, UnknownTool> {
        let known = |name: &String| name == OURS || TOOLS.iter().any(|tool| tool.name == name);
        match tools.iter().find(|name| !known(name)) {
            Some(unknown) => Err(UnknownTool(unknown.clone())),
            None => {
                Ok(Lineup { ours, variables: Vec::new(), tools, threads, installed: Installed::default() })
            }
        }
    }

    /// Returns the tools that take part with these algorithms in one run.
    pub fn tools(&self, algorithms: &[&str]) -> Vec<&'static Tool> {
        offering(algorithms).filter(|tool| self.wants(tool.name)).collect()
    }

    /// Returns whether a tool with this name takes part.
    pub fn wants(&self, name: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|wanted| wanted == name)
    }

    /// Returns the calls of all competitors for one file.
    pub fn on_file(&mut self, runner: &mut dyn Runner, algorithms: &[&str], file: &Path) -> Vec<Competitor> {
        let mut entries = vec![self.our_hash(algorithms, file)];
        for tool in self.tools(algorithms) {
            let call = tool.call(algorithms).map(|call| call.and(file));
            entries.extend(call.map(|call| self.entry(runner, tool, call, algorithms.len())));
        }
        entries
    }

    /// Returns the calls of all competitors for a folder of files; single-threaded tools also as several processes.
    pub fn on_tree(
        &mut self,
        runner: &mut dyn Runner,
        algorithms: &[&str],
        tree: &TestFolder<'_>,
    ) -> Vec<Competitor> {
        let mut entries = vec![self.our_hash(algorithms, tree.folder)];
        for tool in self.tools(algorithms) {
            let listed = || Some(listed(tree.list, &[], &tool.call(algorithms)?));
            let call = tool.tree(algorithms, self.threads, tree.folder).or_else(listed);
            entries.extend(call.map(|call| self.entry(runner, tool, call, algorithms.len())));
            entries.extend(self.processes(runner, algorithms, tool, tree));
        }
        entries
    }

    /// Returns several processes of a single-threaded tool, as many as other tools have threads; `None` for tools with
    /// threads, or if only one thread is allowed.
    pub fn processes(
        &mut self,
        runner: &mut dyn Runner,
        algorithms: &[&str],
        tool: &'static Tool,
        tree: &TestFolder<'_>,
    ) -> Option<Competitor> {
        if self.threads < 2 || !tool.is_serial() {
            return None;
        }
        let call = tree.processes(self.threads, tree.batch(self.threads), &tool.call(algorithms)?);
        let entry = self.entry(runner, tool, call, algorithms.len());
        Some(Competitor { tool: format!("xargs -P{} {}", self.threads, tool.name), ..entry })
    }

    /// Returns a call of hashmill with these arguments on a path.
    pub fn our_entry(&self, name: String, words: &[&str], path: &Path, reads: OutputFormat) -> Competitor {
        let mut invocation = Invocation::new(&self.ours, words.iter().copied()).and(path);
        invocation.variables.clone_from(&self.variables);
        Competitor { tool: name, call: Ok(Call::new(invocation, reads)) }
    }

    /// Returns an entry of a tool of the table.
    pub fn entry(
        &mut self,
        runner: &mut dyn Runner,
        tool: &'static Tool,
        invocation: Invocation,
        algorithms: usize,
    ) -> Competitor {
        let presence = self.installed.tool(runner, tool);
        entry(tool.name.to_string(), presence, Call::new(invocation, tool.reads(algorithms)))
    }

    /// Returns an entry of another program.
    pub fn other(
        &mut self,
        runner: &mut dyn Runner,
        name: String,
        program: Program<'_>,
        call: Call,
    ) -> Competitor {
        let presence = self.installed.program(runner, program);
        entry(name, presence, call)
    }

    /// Returns the versions of the installed tools that took part.
    pub fn versions(&self) -> BTreeMap<String, String> {
        self.installed.versions()
    }

    fn our_hash(&self, algorithms: &[&str], path: &Path) -> Competitor {
        let names = algorithms.join(",");
        // Lists of checksums have one digest per line, tagged if its length is ambiguous.
        let (format, reads) = match algorithms {
            [only] if find(only).is_ok_and(|row| !row.stands_alone()) => ("bsd", OutputFormat::AfterEquals),
            [_] => ("sums", OutputFormat::First),
            _ => ("hashdeep", OutputFormat::Columns),
        };
        self.our_entry(OURS.to_string(), &["hash", "-f", format, "-c", &names], path, reads)
    }
}

fn entry(tool: String, presence: Presence, call: Call) -> Competitor {
    let call = match presence {
        Presence::Here(_) => Ok(call),
        Presence::Absent(package) => Err(package.to_string()),
    };
    Competitor { tool, call }
}

/// A folder of files.
#[derive(Debug, Clone, Copy)]
pub struct TestFolder<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// A file with their names, each ended by NUL, for tools that don't enter folders.
    pub list: &'a Path,
    /// The number of files.
    pub files: usize,
}

impl TestFolder<'_> {
    /// Returns the number of files for each start of a process: all processes have work until the end, and few are
    /// started.
    pub fn batch(&self, processes: usize) -> usize {
        (self.files / (4 * processes)).clamp(1, 1024)
    }

    /// Returns several processes of a call, started by xargs, each for `batch` files. Each writes to its own file: in a
    /// shared pipe, a program that writes full buffers would tear the lines of others.
    pub(super) fn processes(&self, count: usize, batch: usize, call: &Invocation) -> Invocation {
        let outputs = self.list.with_extension("outputs");
        let (number, batch) = (count.to_string(), batch.to_string());
        let words = ["-P", &number, "-n", &batch, "sh", "-c", r#"exec "$@" >>"$0/$$""#];
        let words = words.map(OsString::from).into_iter().chain([outputs.clone().into()]);
        let words: Vec<OsString> = words.collect();
        Invocation { outputs: Some(outputs), ..listed(self.list, &words, call) }
    }
}

/// Returns the call for all files of a list, by xargs: it creates the command lines without a shell.
pub fn listed(list: &Path, options: &[OsString], call: &Invocation) -> Invocation {
    let words: [&OsStr; 3] = ["-0".as_ref(), "-a".as_ref(), list.as_os_str()];
    let xargs = Invocation::new("xargs", words).with(options.iter().cloned());
    xargs.and(&call.program).with(call.arguments.iter().cloned())
}

impl std::fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        write!(f, "unknown tool '{}'; the known ones are: {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownTool {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::{Ended, Ran};
    use std::time::Duration;

    struct Has(&'static [&'static str]);

    impl Runner for Has {
        fn run(&mut self, invocation: &Invocation, _limit: Duration) -> Ran {
            let here = self.0.iter().any(|name| invocation.program == *name);
            let ended = if here { Ended::Code(0) } else { Ended::NotRun("no such file".to_string()) };
            let stdout = format!("{} 7.1\n", invocation.program.display()).into_bytes();
            Ran { ended, wall: 0.0, user: 0.0, system: 0.0, stdout, stderr: Vec::new() }
        }
    }

    fn field(tools: &[&str]) -> Result<Lineup, UnknownTool> {
        let tools = tools.iter().map(ToString::to_string).collect();
        Lineup::new("bin/hashmill".into(), tools, 2)
    }

    fn shown(entries: &[Competitor]) -> Vec<String> {
        let shown = entries.iter().map(|entry| match &entry.call {
            Ok(call) => call.invocation.to_string(),
            Err(why) => format!("{}: {why}", entry.tool),
        });
        shown.collect()
    }

    #[test]
    fn all_who_can_take_part_and_the_missing_ones_say_what_has_them() {
        let mut field = field(&[]).unwrap();
        let mut machine = Has(&["sha256sum", "hashdeep"]);
        let entries = field.on_file(&mut machine, &["sha256"], Path::new("f"));
        let wanted = [
            "bin/hashmill hash -f sums -c sha256 f",
            "sha256sum f",
            "openssl: not installed (apt install openssl)",
            "rhash: not installed (apt install rhash)",
            "hashdeep -c sha256 f",
            "blazehash: not installed (cargo install blazehash)",
        ];
        assert_eq!(shown(&entries), wanted);
        assert_eq!(field.versions().get("sha256sum").unwrap(), "7.1");
        assert_eq!(field.versions().len(), 2);
    }

    fn tree(files: usize) -> TestFolder<'static> {
        TestFolder { folder: Path::new("d"), list: Path::new("l"), files }
    }

    #[test]
    fn trees_are_entered_or_listed() {
        let mut field = field(&["sha1sum", "hashdeep", "md5sum"]).unwrap();
        let mut machine = Has(&["sha1sum", "hashdeep"]);
        let entries = field.on_tree(&mut machine, &["sha1"], &tree(100));
        let wanted = [
            "bin/hashmill hash -f sums -c sha1 d",
            "xargs -0 -a l sha1sum",
            "xargs -0 -a l -P 2 -n 12 sh -c 'exec \"$@\" >>\"$0/$$\"' l.outputs sha1sum",
            "hashdeep -c sha1 -r -j2 d",
        ];
        assert_eq!(shown(&entries), wanted);
        assert_eq!(entries[2].tool, "xargs -P2 sha1sum");
        field.threads = 1;
        assert_eq!(
            field.on_tree(&mut machine, &["sha1"], &tree(100)).len(),
            3,
            "one process is no more than one thread"
        );
        assert_eq!((tree(100).batch(64), tree(1 << 20).batch(2)), (1, 1024));
        let several = field.on_file(&mut machine, &["md5", "sha1"], Path::new("f"));
        assert_eq!(
            shown(&several),
            ["bin/hashmill hash -f hashdeep -c md5,sha1 f", "hashdeep -c md5,sha1 f"]
        );
    }

    #[test]
    fn an_unknown_tool_names_those_that_are_known() {
        let error = field(&["sha256sum", "nosuch"]).unwrap_err();
        assert!(error.to_string().starts_with("unknown tool 'nosuch'; the known ones are: md5sum, "));
    }
}
