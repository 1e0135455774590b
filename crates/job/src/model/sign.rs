//! Signing of a model.

use super::{Measure, ModelContent, Run, TreeObserver};
use crate::error::Error;
use hashmill_engine::Live;
use hashmill_sign::bundle::{self, EcSigner};
use hashmill_tree::model::{Model, PAYLOAD_TYPE, Serialization};
use std::sync::Arc;

/// A model to sign, and the key to sign it with.
pub struct Sign {
    /// The model. Paths that it leaves out are named in the statement.
    pub measure: Measure,
    /// The signing key.
    pub signer: EcSigner,
}

/// A model that is about to be signed.
pub struct SignRun {
    run: Run,
    signer: EcSigner,
}

/// The result of signing.
#[derive(Debug)]
pub struct Signed {
    /// The bundle: the bytes of the file that signs the model. None if the model is not [whole](ModelContent::is_whole).
    pub bundle: Option<Vec<u8>>,
    /// The content of the model.
    pub measured: ModelContent,
}

impl Sign {
    /// Gets ready for [`SignRun::run`].
    ///
    /// # Errors
    /// If the memory is too little.
    pub fn start(self) -> Result<SignRun, Error> {
        Ok(SignRun { run: self.measure.start()?, signer: self.signer })
    }
}

impl SignRun {
    /// Returns counters that go up as the run goes on.
    pub fn live(&self) -> Arc<Live> {
        self.run.live()
    }

    /// Hashes the model, and signs it if all of it was read.
    ///
    /// # Errors
    /// If signing fails.
    pub fn run(self, observer: &mut TreeObserver<'_>) -> Result<Signed, Error> {
        let SignRun { run, signer } = self;
        let measure = run.measure.clone();
        let measured = run.run(observer);
        let bundle = match measured.is_whole() {
            true => Some(sign(&measure, &measured, &signer)?),
            false => None,
        };
        Ok(Signed { bundle, measured })
    }
}

fn sign(measure: &Measure, measured: &ModelContent, signer: &EcSigner) -> Result<Vec<u8>, Error> {
    let how = Serialization {
        follows_links: measure.follow,
        left_out: measure.left_out.clone(),
        ..Serialization::new(measure.method, measure.algorithm)
    };
    let resources = measured.resources.clone();
    let model = Model::new(measure.name(), how, resources);
    let made = bundle::sign(signer, PAYLOAD_TYPE, model.statement().as_bytes());
    made.map_err(|why| Error::of_place(measure.folder.clone(), why))
}
