//! The keys of a role, from the Security Token Service.
//!
//! Source: AWS Security Token Service API Reference, "AssumeRole", "AssumeRoleWithWebIdentity".

use super::given::Given;
use crate::Cause;
use crate::credentials::ask::{Asker, FORM, Reach, Refused, check_address, form, question};
use crate::credentials::renewed::Temporary;
use http::Method;
use object_store::aws::{AwsAuthorizer, AwsCredential};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::SystemTime;

/// A role, and the parameters of the request for its keys.
pub(crate) struct Role {
    pub(crate) arn: String,
    pub(crate) session: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) seconds: Option<String>,
    pub(crate) region: String,
    /// The address of the service.
    pub(crate) address: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    #[serde(alias = "AssumeRoleWithWebIdentityResult")]
    assume_role_result: Assumed,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assumed {
    credentials: Given,
}

impl Role {
    /// Requests the keys of the role with the keys of another identity.
    pub(crate) async fn assume(
        &self,
        asker: &Asker,
        keys: &AwsCredential,
    ) -> Result<Temporary<AwsCredential>, Cause> {
        let body = self.body("AssumeRole", &[]);
        self.ask(asker, &body, Some(keys)).await
    }

    /// Requests the keys of the role with the token in a file. The environment that runs this process renews the file.
    pub(crate) async fn with_token(
        &self,
        asker: &Asker,
        file: &PathBuf,
    ) -> Result<Temporary<AwsCredential>, Cause> {
        let token = read_token(file)?;
        let body = self.body("AssumeRoleWithWebIdentity", &[("WebIdentityToken", &token)]);
        self.ask(asker, &body, None).await
    }

    fn body(&self, action: &str, more: &[(&str, &str)]) -> String {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let session = self.session.clone().unwrap_or_else(|| format!("hashmill-{now}"));
        let mut pairs = vec![
            ("Action", action),
            ("Version", "2011-06-15"),
            ("RoleArn", &self.arn),
            ("RoleSessionName", &session),
            ("DurationSeconds", self.seconds.as_deref().unwrap_or("3600")),
        ];
        pairs.extend(self.external_id.as_deref().map(|id| ("ExternalId", id)));
        pairs.extend(more);
        form(&pairs)
    }

    async fn ask(
        &self,
        asker: &Asker,
        body: &str,
        keys: Option<&AwsCredential>,
    ) -> Result<Temporary<AwsCredential>, Cause> {
        check_address(&self.address, "the endpoint of STS", &[])?;
        let asked = asker.ask(Reach::Outside, || {
            let mut asked = question(Method::POST, &format!("{}/", self.address), &[FORM], body.to_owned())?;
            if let Some(keys) = keys {
                let authorizer = AwsAuthorizer::new(keys, "sts", &self.region);
                let wrong = |_| Cause::Credentials("the keys for STS can't be used".into());
                authorizer.try_authorize(&mut asked, None).map_err(wrong)?;
            }
            Ok(asked)
        });
        let body = asked.await.map_err(|refused| self.refused(&refused))?;
        let wrong =
            |_| Cause::NoCredentials(format!("the answer of STS for {} has no keys", self.arn).into());
        let text = str::from_utf8(&body).unwrap_or_default();
        let answer: Answer = quick_xml::de::from_str(text).map_err(wrong)?;
        answer.assume_role_result.credentials.checked("STS")
    }

    fn refused(&self, refused: &Refused) -> Cause {
        refused.cause(&format!("STS, asked for the role {},", self.arn))
    }
}

/// Reads a token from a file.
pub(crate) fn read_token(file: &PathBuf) -> Result<String, Cause> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| {
        Cause::Credentials(format!("the token in {} can't be read: {error}", file.display()).into())
    })?;
    Ok(text.trim().to_owned())
}
