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
use std::fmt;
use std::path::PathBuf;

/// A source of AWS keys.
pub(crate) enum Way {
    /// Written down in a place.
    Keys { place: String, keys: AwsCredential },
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
            Way::Keys { keys: AwsCredential { key_id, secret_key, token }, .. } => {
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
}

/// Says where keys come from, without any of them. The words of a program may have secrets.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Keys { place, .. } => write!(f, "keys in {place}"),
            Way::Role { role, from } => write!(f, "the role {}, by {from}", role.arn),
            Way::WebIdentity { role, file } => {
                write!(f, "the role {}, by the token in {}", role.arn, file.display())
            }
            Way::Sso(sso) => write!(f, "the sign-in of the profile {} (aws sso login)", sso.profile),
            Way::Program { profile, .. } => write!(f, "credential_process of the profile {profile}"),
            Way::Container(_) => f.write_str("the service of the container"),
            Way::Instance(_) => f.write_str("the metadata service of the instance, if this is one"),
        }
    }
}

async fn of_program(profile: &str, words: &[String]) -> Result<Temporary<AwsCredential>, Cause> {
    let name = format!("credential_process of the profile {profile}");
    let output = program::output(words.to_vec()).await;
    let output = output.map_err(|failure| Cause::Credentials(format!("{name} {failure}").into()))?;
    Given::of_json(&output, &name)
}
