//! Sources of AWS keys, and how each is asked.

use super::container::Container;
use super::given::Given;
use super::instance::Instance;
use super::sso::Sso;
use super::sts::Role;
use crate::Cause;
use crate::credentials::ask::Asker;
use crate::credentials::program;
use crate::credentials::renewed::{CredentialSource, Temporary};
use async_trait::async_trait;
use object_store::aws::AwsCredential;
use std::fmt;
use std::path::PathBuf;

/// A source of AWS keys.
pub(crate) enum AwsKeySource {
    /// Written down in a place.
    Keys { place: String, keys: AwsCredential },
    /// A role, assumed with the keys of another source.
    Role { role: Role, from: Box<AwsKeySource> },
    /// A role, assumed with the token in a file.
    WebIdentity { role: Role, file: PathBuf },
    /// A role of a user who signed in.
    Sso(Sso),
    /// A program that prints keys.
    Program { profile: String, words: Vec<String> },
    /// The service of a container.
    Container(Container),
    /// The metadata service of an instance.
    Instance(Instance),
}

#[async_trait]
impl CredentialSource for AwsKeySource {
    type Credential = AwsCredential;

    async fn fetch(&self, asker: &Asker) -> Result<Temporary<AwsCredential>, Cause> {
        match (self, self.ask(asker).await) {
            // An instance is asked only if nothing else is set: say so, as that helps a user without credentials more.
            (AwsKeySource::Instance(_), Err(Cause::NoCredentials(why))) => {
                let why = format!("neither the environment nor a profile has any, and {why}");
                Err(Cause::NoCredentials(why.into()))
            }
            (_, fetched) => fetched,
        }
    }
}

impl AwsKeySource {
    async fn ask(&self, asker: &Asker) -> Result<Temporary<AwsCredential>, Cause> {
        match self {
            AwsKeySource::Keys { keys: AwsCredential { key_id, secret_key, token }, .. } => {
                let (key_id, secret_key, token) = (key_id.clone(), secret_key.clone(), token.clone());
                Ok(Temporary { credential: AwsCredential { key_id, secret_key, token }, expires: None })
            }
            AwsKeySource::Role { role, from } => {
                let keys = Box::pin(from.ask(asker)).await?;
                role.assume(asker, &keys.credential).await
            }
            AwsKeySource::WebIdentity { role, file } => role.with_token(asker, file).await,
            AwsKeySource::Sso(sso) => sso.fetch(asker).await,
            AwsKeySource::Program { profile, words } => of_program(profile, words).await,
            AwsKeySource::Container(container) => container.fetch(asker).await,
            AwsKeySource::Instance(instance) => instance.fetch(asker).await,
        }
    }
}

/// Says where keys come from, without any of them. The words of a program may have secrets.
impl fmt::Display for AwsKeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AwsKeySource::Keys { place, .. } => write!(f, "keys in {place}"),
            AwsKeySource::Role { role, from } => write!(f, "the role {}, by {from}", role.arn),
            AwsKeySource::WebIdentity { role, file } => {
                write!(f, "the role {}, by the token in {}", role.arn, file.display())
            }
            AwsKeySource::Sso(sso) => write!(f, "the sign-in of the profile {} (aws sso login)", sso.profile),
            AwsKeySource::Program { profile, .. } => write!(f, "credential_process of the profile {profile}"),
            AwsKeySource::Container(_) => f.write_str("the service of the container"),
            AwsKeySource::Instance(_) => f.write_str("the metadata service of the instance, if this is one"),
        }
    }
}

async fn of_program(profile: &str, words: &[String]) -> Result<Temporary<AwsCredential>, Cause> {
    let name = format!("credential_process of the profile {profile}");
    let output = program::output(words.to_vec()).await;
    let output = output.map_err(|failure| Cause::Credentials(format!("{name} {failure}").into()))?;
    Given::of_json(&output, &name)
}
