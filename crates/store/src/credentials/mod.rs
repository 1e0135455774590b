//! Credentials, found where the provider's own tools find them, and signatures made with them.

pub(crate) mod signature;

mod ask;
mod aws;
mod azure;
mod google;
mod library;
mod origin;
mod program;
mod renewed;

pub(crate) use aws::AwsSettings;
pub(crate) use azure::Account;
pub(crate) use library::{none, soon};
pub(crate) use origin::{Origin, UNSIGNED};

use crate::{Access, Cause, Location};
use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::azure::{AzureAuthorizer, AzureCredentialProvider};
use object_store::client::HttpRequest;
use object_store::gcp::GcpCredentialProvider;
use parking_lot::RwLock;
use std::fmt;

/// The version of the Azure interface for requests without a signature that names one.
const AZURE_VERSION: &str = "2023-11-03";

/// A method of signing requests.
pub(crate) enum Signer {
    /// No signature.
    None,
    /// No signature, but the version of the interface.
    AnonymousAzure,
    /// Version 4 of the signatures of AWS.
    Aws {
        credentials: AwsCredentialProvider,
        region: RwLock<String>,
        /// Whether the requester pays.
        payer: bool,
    },
    /// A token of Google.
    Gcp(GcpCredentialProvider),
    /// A shared key, a token, or the query of a signed address.
    Azure { credentials: AzureCredentialProvider, account: String },
}

impl Signer {
    /// Signs a request.
    pub(crate) async fn sign(&self, request: &mut HttpRequest) -> Result<(), Cause> {
        match self {
            Signer::None => Ok(()),
            Signer::AnonymousAzure => {
                request.headers_mut().insert("x-ms-version", http::HeaderValue::from_static(AZURE_VERSION));
                Ok(())
            }
            Signer::Aws { credentials, region, payer } => {
                let credential = credentials.get_credential().await.map_err(none)?;
                let region = region.read().clone();
                if signature::is_of(request) {
                    return signature::sign(request, &credential, &region, *payer, chrono::Utc::now());
                }
                let authorizer = AwsAuthorizer::new(&credential, "s3", &region).with_request_payer(*payer);
                authorizer.try_authorize(request, None).map_err(none)
            }
            Signer::Gcp(credentials) => {
                let credential = credentials.get_credential().await.map_err(none)?;
                let value = http::HeaderValue::from_str(&format!("Bearer {}", credential.bearer));
                let mut value = value.map_err(|_| Cause::NoCredentials("the token is no text".into()))?;
                value.set_sensitive(true);
                request.headers_mut().insert(http::header::AUTHORIZATION, value);
                Ok(())
            }
            Signer::Azure { credentials, account } => {
                let credential = credentials.get_credential().await.map_err(none)?;
                AzureAuthorizer::new(&credential, account).try_authorize(request).map_err(none)
            }
        }
    }

    /// Returns the region that requests are signed for, where that matters.
    pub(crate) fn region(&self) -> Option<String> {
        match self {
            Signer::Aws { region, .. } => Some(region.read().clone()),
            _ => None,
        }
    }

    /// Signs for another region from now on.
    pub(crate) fn move_to(&self, to: &str) {
        if let Signer::Aws { region, .. } = self {
            to.clone_into(&mut region.write());
        }
    }
}

/// Shows no credential.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signer::None | Signer::AnonymousAzure => "Signer(none)",
            Signer::Aws { .. } => "Signer(aws)",
            Signer::Gcp(_) => "Signer(gcp)",
            Signer::Azure { .. } => "Signer(azure)",
        })
    }
}

/// Returns what signs for S3 in a region.
pub(crate) fn aws(access: &Access, settings: &AwsSettings, region: &str) -> Result<(Signer, Origin), Cause> {
    if access.anonymous {
        return Ok((Signer::None, UNSIGNED.into()));
    }
    let payer = access.environment.get("AWS_REQUEST_PAYER");
    let payer = payer.is_some_and(|payer| payer.eq_ignore_ascii_case("requester"));
    let (credentials, origin) = aws::credentials(settings, region)?;
    Ok((Signer::Aws { credentials, region: RwLock::new(region.to_owned()), payer }, origin))
}

/// Returns what signs for Google.
pub(crate) fn google(access: &Access, location: &Location) -> Result<(Signer, Origin), Cause> {
    let environment = &access.environment;
    if access.anonymous || environment.get("STORAGE_EMULATOR_HOST").is_some() {
        return Ok((Signer::None, UNSIGNED.into()));
    }
    let (credentials, origin) = google::credentials(environment, location)?;
    Ok((Signer::Gcp(credentials), origin))
}

/// Returns the signer for Azure.
pub(crate) fn azure(
    access: &Access,
    location: &Location,
    account: &Account,
    name: &str,
) -> Result<(Signer, Origin), Cause> {
    if access.anonymous {
        return Ok((Signer::AnonymousAzure, UNSIGNED.into()));
    }
    let (credentials, origin) = azure::credentials(&access.environment, location, account, name)?;
    Ok((Signer::Azure { credentials, account: name.to_owned() }, origin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    #[test]
    fn signers_show_nothing() {
        crate::client::runtime::runtime();
        let environment = Environment::from_variables([
            ("AWS_ACCESS_KEY_ID", "id1234"),
            ("AWS_SECRET_ACCESS_KEY", "secret1234"),
        ]);
        let access = Access { environment, ..Access::default() };
        let settings = AwsSettings::find(&access.environment).unwrap();
        let (signer, origin) = aws(&access, &settings, "eu-west-1").unwrap();
        assert_eq!(&*origin, "keys in the environment (AWS_ACCESS_KEY_ID)");
        assert_eq!(format!("{signer:?}"), "Signer(aws)");
        assert!(!format!("{access:?}").contains("1234"));
    }
}
