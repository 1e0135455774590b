//! Verification of a model: first the signature of its bundle, then its content against the statement.

use super::{Measure, ModelContent, Run, TreeObserver};
use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Bytes;
use hashmill_engine::{Cancel, Live};
use hashmill_sign::Broken;
use hashmill_sign::bundle::{Bundle, EcPublicKey};
use hashmill_source::Filter;
use hashmill_tree::model::{BadStatement, Difference, Model, PAYLOAD_TYPE, Resource, is_left_out};
use std::fmt;
use std::sync::Arc;

/// A model, and the bundle that should match it.
pub struct ModelVerification {
    /// The model's directory.
    pub folder: Bytes,
    /// The bytes of the bundle.
    pub bundle: Vec<u8>,
    /// The only key whose signature counts.
    pub key: EcPublicKey,
    /// Paths below the directory that are left out in addition to those of the statement: the bundle, if it lies there.
    pub left_out: Vec<String>,
    /// Whether symbolic links to files are read; otherwise they are differences.
    pub follow: bool,
    /// Threads, memory and limits of reading.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A bundle with a good signature, and the model that is about to be compared with it.
pub struct VerifyRun {
    run: Run,
    signed: Model,
    names_key: bool,
}

/// The reason why a bundle is rejected.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The bundle or its signature is not good.
    Bundle(Broken),
    /// The signed bytes are not a statement about a model.
    Statement(BadStatement),
}

/// The result of comparing a model with the signed statement.
#[derive(Debug)]
pub struct Verified {
    /// Differences, by name. Entries that a statement can't contain are in [misfits](ModelContent::misfits) and are
    /// differences, too.
    pub differences: Vec<(String, Difference)>,
    /// The content of the model.
    pub measured: ModelContent,
    /// Whether the bundle names its key. Those of model_signing before 1.0 don't.
    pub names_key: bool,
}

impl ModelVerification {
    /// Verifies the signature. From then on only signed data is used.
    ///
    /// # Errors
    /// If the memory is too little; in the inner result, if the bundle is rejected.
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
            method: signed.serialization.method,
            algorithm: signed.serialization.algorithm,
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
    /// Returns counters that go up as the run goes on.
    pub fn live(&self) -> Arc<Live> {
        self.run.live()
    }

    /// Hashes the model and compares it. A cancelled run reports no differences.
    pub fn run(self, observer: &mut TreeObserver<'_>) -> Verified {
        let VerifyRun { run, signed, names_key } = self;
        let measured = run.run(observer);
        // Files that could not be read are not reported as missing.
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
    /// Returns whether the model is exactly what was signed.
    pub fn is_good(&self) -> bool {
        self.differences.is_empty() && self.measured.is_whole()
    }
}

impl Refused {
    /// Returns whether the bundle needs something that is not supported: it may be good.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Refused::Bundle(Broken::Unsupported(_)) | Refused::Statement(BadStatement::Unknown(_)))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Bundle(broken) => broken.fmt(f),
            Refused::Statement(bad) => write!(f, "the signed content {bad}"),
        }
    }
}
