//! Compiles files with rules, each in a namespace of its own, with the files that they include.

use crate::error::RulesError;
use crate::files::{self, MAX_DEPTH, RuleFile};
use crate::guard::{self, MAX_OPERATORS};
use boreal::Compiler;
use boreal::compiler::{AddRuleStatus, CompilerBuilder, CompilerParams};
use boreal::module::Console;
use boreal_parser::file::{Include, YaraFileComponent};
use hashmill_os::names;
use std::path::{Path, PathBuf};

/// Rules that are being compiled.
pub(crate) struct Compiled {
    pub(crate) compiler: Compiler,
    /// The names and texts of all files, for a digest that tells these rules from others.
    pub(crate) texts: Vec<u8>,
    /// Whether the scan by each string looks at the clock.
    pub(crate) is_stoppable: bool,
}

/// The stack for the compiler, of which only what it uses is taken.
const STACK: usize = 256 << 20;

/// Compiles all files, with a stack for the longest conditions.
///
/// # Errors
/// If some can't be compiled; all are tried.
pub(crate) fn on_large_stack(files: &[RuleFile]) -> Result<Compiled, RulesError> {
    std::thread::scope(|scope| {
        let compiling = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || compile(files));
        let compiling =
            compiling.map_err(|error| RulesError::new(format!("cannot start to compile rules: {error}")))?;
        let failed = |_| Err(RulesError::new("the compiler of rules failed".to_string()));
        compiling.join().unwrap_or_else(failed)
    })
}

fn compile(files: &[RuleFile]) -> Result<Compiled, RulesError> {
    let mut rules = Compiled::new();
    let failed = files.iter().filter_map(|file| rules.add(file).err());
    match failed.reduce(RulesError::and) {
        Some(error) => Err(error),
        None => Ok(rules),
    }
}

impl Compiled {
    pub(crate) fn new() -> Compiled {
        // Messages that rules log go nowhere.
        let mut compiler = CompilerBuilder::new().add_module(Console::with_callback(|_| {})).build();
        compiler.set_params(CompilerParams::default().compute_statistics(true));
        Compiled { compiler, texts: Vec::new(), is_stoppable: true }
    }

    /// Compiles a file in a namespace with its name.
    pub(crate) fn add(&mut self, file: &RuleFile) -> Result<(), RulesError> {
        let namespace = file.path.display().to_string();
        self.texts.extend(namespace.as_bytes());
        self.texts.push(0);
        self.add_file(&file.path, &file.root, &namespace, 0)
    }

    fn add_file(
        &mut self,
        path: &Path,
        root: &Path,
        namespace: &str,
        depth: usize,
    ) -> Result<(), RulesError> {
        let text = files::read(path)?;
        self.texts.extend((text.len() as u64).to_le_bytes());
        self.texts.extend(text.as_bytes());
        if let Some(line) = guard::find_excess(&text) {
            let why = format!("the condition has more than {MAX_OPERATORS} operators");
            return Err(RulesError::new(format!("{}:{line}: error: {why}", path.display())));
        }
        let mut done = 0;
        for Include { path: named, span } in includes(&text) {
            self.add_part(path, &text, done..span.start, namespace)?;
            done = span.end;
            let line = line_of(&text, span.start);
            let included = find_included(path, root, &named, depth)
                .map_err(|why| RulesError::new(format!("{}:{line}: error: {why}", path.display())))?;
            self.add_file(&included, root, namespace, depth + 1)?;
        }
        self.add_part(path, &text, done..text.len(), namespace)
    }

    /// Compiles a part of a file. Messages count the lines from the file's beginning.
    fn add_part(
        &mut self,
        path: &Path,
        text: &str,
        part: std::ops::Range<usize>,
        namespace: &str,
    ) -> Result<(), RulesError> {
        if text[part.clone()].trim().is_empty() {
            return Ok(());
        }
        let lines = "\n".repeat(line_of(text, part.start) - 1);
        let padded = [&lines, &text[part]].concat();
        let added = self.compiler.add_rules_str_in_namespace(&padded, namespace).map_err(|error| {
            let text = error.to_string();
            let place = text.strip_prefix("mem").unwrap_or(&text);
            RulesError::new(format!("{}{place}", path.display()))
        })?;
        self.is_stoppable &= is_stoppable(&added);
        Ok(())
    }
}

/// Returns whether each string has a fixed text, which is looked for first.
fn is_stoppable(added: &AddRuleStatus) -> bool {
    let mut strings = added.statistics().flat_map(|rule| &rule.strings);
    strings.all(|string| string.matching_algo != "Raw")
}

/// Returns the includes of a file in their order; none if its syntax is wrong, which the compiler then tells.
fn includes(text: &str) -> Vec<Include> {
    let parsed = boreal_parser::parse(text).map(|file| file.components).unwrap_or_default();
    let include = |component| match component {
        YaraFileComponent::Include(include) => Some(include),
        YaraFileComponent::Rule(_) | YaraFileComponent::Import(_) => None,
    };
    parsed.into_iter().filter_map(include).collect()
}

/// Returns the path of an included file, which is relative to the file that includes it and below the root.
fn find_included(path: &Path, root: &Path, named: &str, depth: usize) -> Result<PathBuf, String> {
    if depth >= MAX_DEPTH {
        return Err(format!("\"{named}\": more than {MAX_DEPTH} includes within each other"));
    }
    let beside = path.parent().unwrap_or(Path::new("")).join(named);
    let resolved = names::canonical(&beside)
        .map_err(|error| format!("\"{named}\": cannot read the included file: {error}"))?;
    match resolved.starts_with(root) {
        true => Ok(beside),
        false => Err(format!(
            "\"{named}\": the included file is outside of {}; name a folder that contains both",
            root.display()
        )),
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}
