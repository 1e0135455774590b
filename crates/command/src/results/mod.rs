//! Results for programs: documents, their schemas and their forms.

pub(crate) mod json;
pub(crate) mod report;
pub(crate) mod schema;
