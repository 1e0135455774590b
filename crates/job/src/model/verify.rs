//! Verifies a model: the signature of its bundle first, then what is there against what was signed.

use super::{Measure, Measured, Observer, Run};
use crate::error::Error;
use crate::resources::Resources;
use crate::selection::Bytes;
use hashloom_engine::{Cancel, Live};
use hashloom_sign::Broken;
use hashloom_sign::bundle::{Bundle, EcPublicKey};
use hashloom_source::Filter;
use hashloom_tree::model::{BadStatement, Difference, Model, PAYLOAD_TYPE, Resource, is_left_out};
use std::fmt;
use std::sync::Arc;

/// A model, and the bundle that is to be of it.
pub struct Verify {
    /// The model's directory.
    pub folder: Bytes,
    /// The bytes of the bundle.
    pub bundle: Vec<u8>,
    /// Whose signature counts.
    pub key: EcPublicKey,
    /// Paths below the directory that are no part of the model, besides those that the statement leaves out: the
    /// bundle, if it lies there.
    pub left_out: Vec<String>,
    /// Symbolic links to files are read; else they are differences.
    pub follow: bool,
    /// With what resources.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A bundle that is good, and the model that is about to be compared with it.
pub struct VerifyRun {
    run: Run,
    signed: Model,
    names_key: bool,
}

/// Why a bundle counts for nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// It or its signature is not good.
    Bundle(Broken),
    /// What it signs is no statement about a model.
    Statement(BadStatement),
}

/// How a model compares with what was signed.
#[derive(Debug)]
pub struct Verified {
    /// What differs, by name. Entries that no statement has a place for are [misfits](Measured::misfits), which differ,
    /// too.
    pub differences: Vec<(String, Difference)>,
    /// What was found.
    pub measured: Measured,
    /// The bundle names its key. Those of model_signing before 1.0 don't.
    pub names_key: bool,
}

impl Verify {
    /// Verifies the signature. Only what it covers is read from then on.
    ///
    /// # Errors
    /// If the memory is too little; and, in the inner result, if the bundle counts for nothing.
    pub fn start(self) -> Result<Result<VerifyRun, Refused>, Error> {
        let opened = Bundle::parse(&self.bundle).and_then(|bundle| bundle.open(&self.key, PAYLOAD_TYPE));
        let opened = match opened {
            Ok(opened) => opened,
            Err(broken) => return Ok(Err(Refused::Bundle(broken))),
        };
        let signed = match Model::parse(&opened.payload) {
            Ok(signed) => signed,
            Err(bad) => return Ok(Err(Refused::Statement(bad))),
        };
        let measure = Measure {
            folder: self.folder,
            method: signed.method,
            algorithm: signed.algorithm,
            left_out: [signed.all_left_out(), self.left_out].concat(),
            filter: Filter::default(),
            follow: self.follow,
            resources: self.resources,
            cancel: self.cancel,
        };
        Ok(Ok(VerifyRun { run: measure.start()?, signed, names_key: opened.names_key }))
    }
}

impl VerifyRun {
    /// Counters that go up as the run goes on.
    pub fn live(&self) -> Arc<Live> {
        self.run.live()
    }

    /// Hashes the model, and compares. Nothing is said of differences if the run was cancelled.
    pub fn run(self, observer: &mut Observer<'_>) -> Verified {
        let VerifyRun { run, signed, names_key } = self;
        let measured = run.run(observer);
        // Of what could not be read nothing is known.
        let known = |(resource, difference): &(&Resource, Difference)| {
            *difference != Difference::Missing || !is_left_out(&measured.failed, resource.path().as_bytes())
        };
        let differences = signed.differences(&measured.resources).into_iter().filter(known);
        let differences = differences.map(|(resource, difference)| (resource.name(), difference));
        let differences = differences.filter(|_| !measured.interrupted).collect();
        Verified { differences, measured, names_key }
    }
}

impl Verified {
    /// The model is exactly what was signed.
    pub fn is_good(&self) -> bool {
        self.differences.is_empty() && self.measured.is_whole()
    }
}

impl Refused {
    /// It may be good, but what it needs is not supported.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Refused::Bundle(Broken::Unsupported(_)) | Refused::Statement(BadStatement::Unknown(_)))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Bundle(broken) => broken.fmt(f),
            Refused::Statement(bad) => write!(f, "what it signs {bad}"),
        }
    }
}
