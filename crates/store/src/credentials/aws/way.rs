//! Sources of AWS keys, and how each is asked.

use super::container::Container;
use super::given::Given;
use super::instance::Instance;
use super::sso::Sso;
use super::sts::Role;
use crate::Cause;
use crate::credentials::ask::Asker;
use crate::credentials::program;
use crate::credentials::renewed::{Source, Temporary};
use async_trait::async_trait;
use object_store::aws::AwsCredential;
use std::path::PathBuf;

/// A source of AWS keys.
pub(crate) enum Way {
    /// Keys in the settings or the environment.
    Keys(AwsCredential),
    /// A role, assumed with the keys of another source.
    Role { role: Role, from: Box<Way> },
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

/// A source of keys, and the client that asks it.
pub(crate) struct Asked {
    pub(crate) way: Way,
    pub(crate) asker: Asker,
}

#[async_trait]
impl Source for Asked {
    type Credential = AwsCredential;

    async fn fetch(&self) -> Result<Temporary<AwsCredential>, Cause> {
        let fetched = self.way.fetch(&self.asker).await;
        match (&self.way, fetched) {
            // An instance is asked only if nothing else is set: say so, as that helps a user without credentials more.
            (Way::Instance(_), Err(Cause::NoCredentials(why))) => {
                let why = format!("neither the environment nor a profile has any, and {why}");
                Err(Cause::NoCredentials(why.into()))
            }
            (_, fetched) => fetched,
        }
    }
}

impl Way {
    async fn fetch(&self, asker: &Asker) -> Result<Temporary<AwsCredential>, Cause> {
        match self {
            Way::Keys(AwsCredential { key_id, secret_key, token }) => {
                let (key_id, secret_key, token) = (key_id.clone(), secret_key.clone(), token.clone());
                Ok(Temporary { credential: AwsCredential { key_id, secret_key, token }, expires: None })
            }
            Way::Role { role, from } => {
                let keys = Box::pin(from.fetch(asker)).await?;
                role.assume(asker, &keys.credential).await
            }
            Way::WebIdentity { role, file } => role.with_token(asker, file).await,
            Way::Sso(sso) => sso.fetch(asker).await,
            Way::Program { profile, words } => of_program(profile, words).await,
            Way::Container(container) => container.fetch(asker).await,
            Way::Instance(instance) => instance.fetch(asker).await,
        }
    }

    /// Returns the name of the source, for tests.
    #[cfg(test)]
    pub(crate) fn name(&self) -> String {
        match self {
            Way::Keys(_) => "keys".to_owned(),
            Way::Role { role, from } => format!("role {} from {}", role.arn, from.name()),
            Way::WebIdentity { role, .. } => format!("web identity {}", role.arn),
            Way::Sso(_) => "sso".to_owned(),
            Way::Program { words, .. } => format!("program {}", words[0]),
            Way::Container(_) => "container".to_owned(),
            Way::Instance(_) => "instance".to_owned(),
        }
    }
}

async fn of_program(profile: &str, words: &[String]) -> Result<Temporary<AwsCredential>, Cause> {
    let name = format!("credential_process of the profile {profile}");
    let output = program::output(words.to_vec()).await;
    let output = output.map_err(|failure| Cause::Credentials(format!("{name} {failure}").into()))?;
    Given::of_json(&output, &name)
}
