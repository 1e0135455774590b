//! Keys as services and programs write them.

use crate::Cause;
use crate::credentials::renewed::Temporary;
use crate::time::moment;
use object_store::aws::AwsCredential;
use serde::Deserialize;
use std::time::SystemTime;

/// Keys with an expiry, as a program (`credential_process`), a container, an instance or STS returns them.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Given {
    access_key_id: String,
    secret_access_key: String,
    #[serde(alias = "Token")]
    session_token: Option<String>,
    expiration: Option<String>,
}

impl Given {
    /// Reads JSON with such keys; `from` names their source.
    pub(crate) fn of_json(body: &[u8], from: &str) -> Result<Temporary<AwsCredential>, Cause> {
        let wrong = |_| Cause::NoCredentials(format!("the answer of {from} has no keys").into());
        serde_json::from_slice::<Given>(body).map_err(wrong)?.checked(from)
    }

    /// Returns the keys, if they have not expired.
    pub(crate) fn checked(self, from: &str) -> Result<Temporary<AwsCredential>, Cause> {
        let wrong = |what| Cause::NoCredentials(format!("{from} gives keys {what}").into());
        let expires = match self.expiration.as_deref() {
            None | Some("") => None,
            Some(text) => Some(moment(text).ok_or_else(|| wrong("until a time that can't be read"))?),
        };
        if expires.is_some_and(|expires| expires <= SystemTime::now()) {
            return Err(wrong("that have expired"));
        }
        // They become parts of headers.
        let parts = [Some(&self.access_key_id), self.session_token.as_ref()];
        let fits = |text: &String| text.bytes().all(|byte| byte.is_ascii_graphic());
        if !parts.into_iter().flatten().all(fits) || self.access_key_id.is_empty() {
            return Err(wrong("of characters that none has"));
        }
        let Given { access_key_id: key_id, secret_access_key: secret_key, session_token, .. } = self;
        let token = session_token.filter(|token| !token.is_empty());
        Ok(Temporary { credential: AwsCredential { key_id, secret_key, token }, expires })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<AwsCredential, String> {
        let read = Given::of_json(text.as_bytes(), "it");
        read.map(|given| given.credential).map_err(|cause| cause.to_string())
    }

    #[test]
    fn keys_of_all_shapes_are_read() {
        let of_program = r#"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S","SessionToken":"T","Expiration":"2999-01-01T00:00:00Z"}"#;
        let of_instance = r#"{"Code":"Success","AccessKeyId":"A","SecretAccessKey":"S","Token":"T","Expiration":"2999-01-01T00:00:00Z"}"#;
        for text in [of_program, of_instance] {
            let keys = read(text).unwrap();
            assert_eq!(
                (keys.key_id.as_str(), keys.secret_key.as_str(), keys.token.as_deref()),
                ("A", "S", Some("T"))
            );
        }
        assert_eq!(read(r#"{"AccessKeyId":"A","SecretAccessKey":"S"}"#).unwrap().token, None);
    }

    #[test]
    fn keys_that_are_none_are_told_and_not_shown() {
        for (text, why) in [
            ("s3cr3t", "the answer of it has no keys"),
            (r#"{"SecretAccessKey":"s3cr3t"}"#, "the answer of it has no keys"),
            (
                r#"{"AccessKeyId":"A","SecretAccessKey":"s3cr3t","Expiration":"2001-01-01T00:00:00Z"}"#,
                "it gives keys that have expired",
            ),
            (r#"{"AccessKeyId":"A","SecretAccessKey":"s3cr3t","Expiration":"soon"}"#, "can't be read"),
            (r#"{"AccessKeyId":"A\r\nx: y","SecretAccessKey":"s3cr3t"}"#, "of characters that none has"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(why) && !told.contains("s3cr3t"), "{told}");
        }
    }
}
