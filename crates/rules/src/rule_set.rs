//! Compiled rules as a scanner of content.

use crate::compile::{self, Compiled};
use crate::error::RulesError;
use crate::files;
use crate::watch::{Watch, Watched};
use boreal::scanner::{
    CallbackEvents, EvaluatedRule, RuleDetails, ScanCallbackResult, ScanError, ScanEvent, ScanParams,
    StringMatches as Found,
};
use boreal::{Metadata, MetadataValue, Scanner};
use hashmill_facts::{
    ContentScanner, Meta, MetaValue, Rule, RuleFacts, RuleMatch, ScanStatus, StringMatches,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The most matches of one string that a scan counts.
pub const MAX_MATCHES: u32 = 100_000;

/// The most places of one string that a record has.
pub const MAX_PLACES: usize = 1000;

/// The bounds of a scan, and the details that it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The time for one content.
    pub timeout: Duration,
    /// Whether the places of strings are found.
    pub strings: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: Duration::from_secs(60), strings: false }
    }
}

/// Compiled rules.
pub struct RuleSet {
    rules: Arc<Rules>,
    /// Watches the scans, if they might not end in time.
    watch: Option<Watch>,
    fingerprint: String,
}

/// The rules that scans need.
struct Rules {
    scanner: Scanner,
    limits: Limits,
    shared: SharedRules,
    count: usize,
}

/// The rules that records share, with their place in the order of results; by namespace and name.
type SharedRules = HashMap<Box<str>, HashMap<Box<str>, (usize, Arc<Rule>)>>;

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rules { limits, count, .. } = &*self.rules;
        f.debug_struct("RuleSet").field("count", count).field("limits", limits).finish()
    }
}

impl RuleSet {
    /// Compiles the rules of files and of folders.
    ///
    /// # Errors
    /// If a file can't be read or compiled, or there is no rule. All files are tried.
    pub fn load(operands: &[PathBuf], limits: Limits) -> Result<RuleSet, RulesError> {
        let files = files::find(operands)?;
        let Compiled { compiler, mut texts, is_stoppable } = compile::on_large_stack(&files)?;
        let mut scanner = compiler.finalize();
        scanner.set_scan_params(params(limits));
        let (shared, count) = shared_rules(&scanner);
        if count == 0 {
            let named: Vec<String> = operands.iter().map(|path| path.display().to_string()).collect();
            return Err(RulesError::new(format!("{}: no rule in any file", named.join(", "))));
        }
        texts.push(u8::from(limits.strings));
        let fingerprint = digest_of(&texts);
        let watch = (!is_stoppable).then(Watch::default);
        let rules = Arc::new(Rules { scanner, limits, shared, count });
        Ok(RuleSet { rules, watch, fingerprint })
    }

    /// Returns the number of rules.
    pub fn count(&self) -> usize {
        self.rules.count
    }
}

impl ContentScanner for RuleSet {
    fn scan(&self, content: Cow<'_, [u8]>) -> RuleFacts {
        let Some(watch) = &self.watch else { return self.rules.scan(&content) };
        let (rules, content) = (Arc::clone(&self.rules), content.into_owned());
        // Where boreal looks at the clock itself, it also returns the rules that match so far.
        let limit = self.rules.limits.timeout.saturating_mul(5) / 4;
        match watch.run(limit, move || rules.scan(&content)) {
            Watched::Done(facts) => facts,
            Watched::TimedOut => RuleFacts::unscanned(ScanStatus::TimedOut),
            Watched::Broken => RuleFacts::unscanned(ScanStatus::Broken),
        }
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

impl Rules {
    fn scan(&self, content: &[u8]) -> RuleFacts {
        // A fault of a parser of programs must not end the run.
        catch_unwind(AssertUnwindSafe(|| self.try_scan(content)))
            .unwrap_or_else(|_| RuleFacts::unscanned(ScanStatus::Broken))
    }

    fn try_scan(&self, content: &[u8]) -> RuleFacts {
        let (mut found, mut is_cut) = (Vec::new(), false);
        let ended = self.scanner.scan_mem_with_callback(content, |event| {
            match event {
                ScanEvent::RuleMatch(rule) => found.extend(self.found(rule)),
                ScanEvent::StringReachedMatchLimit(_) => is_cut = true,
                _ => {}
            }
            ScanCallbackResult::Continue
        });
        found.sort_by_key(|(place, _)| *place);
        let status = match ended {
            Ok(()) if is_cut => ScanStatus::TooManyMatches,
            Ok(()) => ScanStatus::Scanned,
            Err(ScanError::Timeout) => ScanStatus::TimedOut,
            Err(_) => ScanStatus::Broken,
        };
        RuleFacts { status, matches: found.into_iter().map(|(_, found)| found).collect() }
    }

    /// Returns a rule that matches, with its place in the order.
    fn found(&self, rule: EvaluatedRule<'_>) -> Option<(usize, RuleMatch)> {
        let (place, shared) = self.shared.get(rule.namespace)?.get(rule.name)?;
        let strings = rule.matches.iter().filter(|of| self.limits.strings && !of.matches.is_empty());
        Some((*place, RuleMatch { rule: Arc::clone(shared), strings: strings.map(places).collect() }))
    }
}

fn params(limits: Limits) -> ScanParams {
    let mut events = CallbackEvents::RULE_MATCH;
    events |= CallbackEvents::STRING_REACHED_MATCH_LIMIT;
    ScanParams::default()
        .compute_full_matches(limits.strings)
        .string_max_nb_matches(MAX_MATCHES)
        .match_max_length(0)
        .timeout_duration(Some(limits.timeout))
        .callback_events(events)
}

/// Returns a digest in text.
fn digest_of(texts: &[u8]) -> String {
    let algorithm = hashmill_digest::of_name("blake3").unwrap_or(&hashmill_digest::ALGORITHMS[0]);
    hashmill_digest::hash(algorithm, texts).to_string()
}

fn places(found: &Found<'_>) -> StringMatches {
    let place = |at: &boreal::scanner::StringMatch| (at.offset as u64, at.length as u64);
    StringMatches {
        name: format!("${}", found.name).into(),
        places: found.matches.iter().take(MAX_PLACES).map(place).collect(),
        count: found.matches.len() as u64,
    }
}

/// Returns all rules and their number. Their order is that of files; in a file, global rules come first.
fn shared_rules(scanner: &Scanner) -> (SharedRules, usize) {
    let all: Vec<Rule> = scanner.rules().map(|rule| to_rule(scanner, &rule)).collect();
    let mut namespaces: HashMap<Box<str>, usize> = HashMap::new();
    for rule in &all {
        let next = namespaces.len();
        namespaces.entry(rule.namespace.clone()).or_insert(next);
    }
    let count = all.len();
    let mut rules = SharedRules::new();
    for (index, rule) in all.into_iter().enumerate() {
        let place = namespaces[&rule.namespace] * count + index;
        rules.entry(rule.namespace.clone()).or_default().insert(rule.name.clone(), (place, Arc::new(rule)));
    }
    (rules, count)
}

fn to_rule(scanner: &Scanner, rule: &RuleDetails<'_>) -> Rule {
    let tags = rule.tags.iter().map(|tag| scanner.get_string_symbol(*tag).into());
    let mut meta: Vec<Meta> = rule.metadatas.iter().map(|meta| to_meta(scanner, meta)).collect();
    meta.sort_by(|one, other| one.name.cmp(&other.name));
    Rule { name: rule.name.into(), namespace: rule.namespace.into(), tags: tags.collect(), meta: meta.into() }
}

fn to_meta(scanner: &Scanner, meta: &Metadata) -> Meta {
    let value = match meta.value {
        MetadataValue::Bytes(bytes) => {
            MetaValue::Text(String::from_utf8_lossy(scanner.get_bytes_symbol(bytes)).into())
        }
        MetadataValue::Integer(number) => MetaValue::Integer(number),
        MetadataValue::Boolean(is_so) => MetaValue::Truth(is_so),
    };
    Meta { name: scanner.get_string_symbol(meta.name).into(), value }
}
