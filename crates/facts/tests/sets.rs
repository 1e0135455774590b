//! Names of facts.

use hashmill_facts::{FACTS, Fact, FactSet};

#[test]
fn every_name_is_read_and_written() {
    for row in &FACTS {
        let set = FactSet::parse(row.name).unwrap();
        assert_eq!(set.iter().collect::<Vec<_>>(), [row.fact]);
        assert_eq!(set.to_string(), row.name);
        assert_eq!(row.fact.row(), row);
    }
    let both = FactSet::parse("entropy, type,entropy").unwrap();
    assert_eq!(both.to_string(), "type,entropy");
    assert!(both.has(Fact::Type) && both.has(Fact::Entropy) && !both.is_empty());
    assert!(FactSet::default().is_empty());
}

#[test]
fn an_unknown_name_is_told_with_those_that_are() {
    for (list, name) in
        [("colour", "colour"), ("type,,entropy", ""), ("Type", "Type"), ("type entropy", "type entropy")]
    {
        let error = FactSet::parse(list).unwrap_err().to_string();
        assert_eq!(error, format!("no fact is named '{name}'; there are: type, entropy, puid"));
    }
}
