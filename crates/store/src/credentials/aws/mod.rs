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

pub(crate) use settings::AwsSettings;

use super::ask::Asker;
use super::origin::Origin;
use super::renewed::Renewed;
use crate::Cause;
use object_store::StaticCredentialProvider;
use object_store::aws::AwsCredentialProvider;
use std::sync::Arc;
use way::AwsKeySource;

/// Returns what gives keys for requests in a region, and where they come from. Nothing is asked yet.
pub(crate) fn credentials(
    settings: &AwsSettings,
    region: &str,
) -> Result<(AwsCredentialProvider, Origin), Cause> {
    let way = chain::find(settings, region)?;
    let origin = way.to_string().into();
    let provider: AwsCredentialProvider = match way {
        AwsKeySource::Keys { keys, .. } => Arc::new(StaticCredentialProvider::new(keys)),
        way => Arc::new(Renewed::new(way, Asker::new(&settings.environment)?)),
    };
    Ok((provider, origin))
}
