//! The statements of a volume, by what they are about.

use super::turtle::{Statement, Value};
use crate::error::Problem;

/// Statements, sorted by subject and property.
#[derive(Debug)]
pub(super) struct Graph(Vec<Statement>);

impl Graph {
    pub(super) fn new(mut statements: Vec<Statement>) -> Graph {
        statements.sort();
        statements.dedup();
        Graph(statements)
    }

    /// Returns the statements about a thing.
    fn about(&self, subject: &str) -> &[Statement] {
        let start = self.0.partition_point(|one| *one.subject < *subject);
        let rest = self.0.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|one| *one.subject == *subject)).unwrap_or_default()
    }

    /// Returns the values of a property with any of these names.
    pub(super) fn values(&self, subject: &str, property: &[&str]) -> std::vec::IntoIter<&Value> {
        let found = self.about(subject).iter().filter(|one| property.contains(&&*one.property));
        found.map(|one| &one.value).collect::<Vec<_>>().into_iter()
    }

    /// Returns the only value of a property.
    ///
    /// # Errors
    /// If there are several, as nothing says which one other programs take.
    fn one(&self, subject: &str, property: &[&str]) -> Result<Option<&Value>, Problem> {
        let mut found = self.values(subject, property);
        let first = found.next();
        match found.all(|other| Some(other.content()) == first.map(Value::content)) {
            true => Ok(first),
            false => Err(Problem::Header("a property has two values in its metadata")),
        }
    }

    /// Returns the only number of a property.
    pub(super) fn number(&self, subject: &str, property: &[&str]) -> Result<Option<u64>, Problem> {
        match self.one(subject, property)?.map(|value| value.content().parse()) {
            None => Ok(None),
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => Err(Problem::Header("a size in its metadata is not a number")),
        }
    }

    /// Returns the only name or text of a property.
    pub(super) fn text(&self, subject: &str, property: &[&str]) -> Result<Option<&str>, Problem> {
        Ok(self.one(subject, property)?.map(Value::content))
    }

    /// Whether a thing has one of these types.
    pub(super) fn is_a(&self, subject: &str, types: &[&str]) -> bool {
        self.values(subject, &["a"]).any(|value| types.contains(&value.content()))
    }

    /// Returns all things of these types, each once, in the order of their names.
    pub(super) fn all(&self, types: &[&str]) -> Vec<&str> {
        let is_type = |one: &&Statement| &*one.property == "a" && types.contains(&one.value.content());
        let mut found: Vec<&str> = self.0.iter().filter(is_type).map(|one| &*one.subject).collect();
        found.dedup();
        found
    }

    /// Returns the values of a property of anything, each once.
    pub(super) fn anywhere(&self, property: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for one in self.0.iter().filter(|one| &*one.property == property) {
            if !found.contains(&one.value.content()) && found.len() < 16 {
                found.push(one.value.content());
            }
        }
        found
    }
}

impl Value {
    /// Returns the name or the text.
    pub(super) fn content(&self) -> &str {
        match self {
            Value::Name(name) => name,
            Value::Text(text, _) => text,
        }
    }
}
