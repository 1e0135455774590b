//! The inspection of contents beside their digests: facts, rules, and the signatures of formats.

use crate::error::wrong;
use crate::options::Size;
use hashmill_facts::{Fact, FactSet, Signatures};
use hashmill_job::hash::{HashJob, Scan};
use hashmill_manifest::Record;
use hashmill_manifest::format::FactColumn;
use hashmill_rules::{Limits, RuleSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An inspection of contents. It serves any number of runs, as compiling rules takes time.
#[pyclass(frozen, module = "hashmill._hashmill")]
pub(crate) struct Inspection {
    asked: FactSet,
    scan: Option<Scan>,
    pronom: Option<Arc<Signatures>>,
}

#[pymethods]
impl Inspection {
    #[new]
    #[pyo3(signature = (facts = "", *, yara = vec![], yara_strings = false, yara_max = None, yara_timeout = None, pronom = vec![]))]
    fn new(
        facts: &str,
        yara: Vec<PathBuf>,
        yara_strings: bool,
        yara_max: Option<Size>,
        yara_timeout: Option<f64>,
        pronom: Vec<PathBuf>,
    ) -> PyResult<Inspection> {
        let asked =
            if facts.is_empty() { FactSet::default() } else { FactSet::parse(facts).map_err(wrong)? };
        let scan = compiled(&yara, yara_strings, yara_max, yara_timeout)?;
        Ok(Inspection { asked, scan, pronom: signatures(&pronom)? })
    }

    /// The names of the columns that records have for what is found.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        FactColumn::all_of(self.facts()).map(FactColumn::name).collect()
    }
}

impl Inspection {
    /// Returns the job with this inspection.
    pub(crate) fn of(&self, job: HashJob) -> HashJob {
        HashJob { facts: self.asked, scan: self.scan.clone(), pronom: self.pronom.clone(), ..job }
    }

    /// Returns the facts that records have, also those of rules and signatures.
    pub(crate) fn facts(&self) -> FactSet {
        let scan = self.scan.as_ref().map(|_| FactSet::one(Fact::Yara));
        let pronom = self.pronom.as_ref().map(|_| FactSet::one(Fact::Puid));
        self.asked.with(scan.unwrap_or_default()).with(pronom.unwrap_or_default())
    }

    /// Returns what was found in the content of a record, as text, column by column.
    pub(crate) fn texts(&self, record: &Record) -> impl Iterator<Item = Option<String>> {
        FactColumn::all_of(self.facts()).map(|column| column.text(record))
    }
}

/// Compiles rules of YARA, if there are any.
fn compiled(
    rules: &[PathBuf],
    strings: bool,
    longest: Option<Size>,
    timeout: Option<f64>,
) -> PyResult<Option<Scan>> {
    if rules.is_empty() {
        let is_alone = strings || longest.is_some() || timeout.is_some();
        return if is_alone {
            Err(wrong("yara_strings, yara_max and yara_timeout need yara"))
        } else {
            Ok(None)
        };
    }
    let seconds = |seconds| {
        let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        time.ok_or_else(|| wrong("yara_timeout must be a positive number of seconds"))
    };
    let usual = Limits::default();
    let timeout = timeout.map_or(Ok(usual.timeout), seconds)?;
    let bytes = |size: Size| {
        let bytes = size.some("yara_max")?.get();
        usize::try_from(bytes).map_err(|_| wrong("yara_max is longer than the address space"))
    };
    let longest = longest.map(bytes).transpose()?;
    let rules = RuleSet::load(rules, Limits { timeout, strings }).map_err(wrong)?;
    Ok(Some(Scan { scanner: Arc::new(rules), longest }))
}

/// Reads signature files of PRONOM, if there are any.
fn signatures(paths: &[PathBuf]) -> PyResult<Option<Arc<Signatures>>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let mut signatures = Signatures::default();
    for path in paths {
        let added = signatures.add(&std::fs::read(path)?);
        added.map_err(|error| PyValueError::new_err(format!("{}: {error}", path.display())))?;
    }
    if signatures.is_empty() {
        return Err(PyValueError::new_err(
            "pronom: no file has signatures of formats; add DROID_SignatureFile_V*.xml",
        ));
    }
    Ok(Some(Arc::new(signatures)))
}
