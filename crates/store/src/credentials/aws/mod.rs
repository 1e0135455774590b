//! AWS keys, found where the AWS tools find them.

mod chain;
mod container;
mod given;
mod instance;
mod profile;
mod settings;
mod sso;
mod sts;
mod way;

pub(crate) use settings::Settings;

use super::ask::Asker;
use super::renewed::Renewed;
use crate::Cause;
use object_store::StaticCredentialProvider;
use object_store::aws::AwsCredentialProvider;
use std::sync::Arc;
use way::{Asked, Way};

/// Returns a provider of keys for requests in a region. Nothing is sent yet.
pub(crate) fn credentials(settings: &Settings, region: &str) -> Result<AwsCredentialProvider, Cause> {
    match chain::find(settings, region)? {
        Way::Keys(keys) => Ok(Arc::new(StaticCredentialProvider::new(keys))),
        way => Ok(Arc::new(Renewed::new(Asked { way, asker: Asker::new(&settings.environment)? }))),
    }
}
