//! Identifiers of long files, with several levels of nodes of 1,024 links.
//!
//! The files are zeros, so that only two leaves are hashed and the rest is folding. Up to 5 GiB the answers are those
//! of ipfs-unixfs-importer 17.1.1 (CIDv1, raw leaves, fixed size of 1 MiB, balanced, 1,024 children, a single leaf for
//! itself), which writes wrong lengths of files from 2 to 4 GiB. All others are from a Python implementation of the
//! specifications, which gives the same ones for the first.

use hashmill_digest::leaves::Folding;
use hashmill_digest::{find, hash};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const ANSWERS: &[(u64, &str)] = &[
    (0, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"),
    (5, "bafkreieikviivlpbn3cxhuq6njef37ikoysaqxa2cs26zxleqxpay2bzuq"),
    (MIB, "bafkreibq4fevl27rgurgnxbp7adh42aqiyd6ouflxhj3gzmcxcxzbh6lla"),
    (MIB + 1, "bafybeihd4yzq7n5umhjngdum4r6k2to7egxfkf2jz6thvwzf6djus22cmq"),
    (1023 * MIB, "bafybeid4hoc6ka6t5dips4spzohacqmb6fh447dy6lr4km234zycb7upmy"),
    (GIB - 3, "bafybeif7wiluvrdpvohtbzxlca7lnswtwoxtfzzwebknxa6pp4sekgg4ie"),
    (GIB, "bafybeibqawkaltgjfdebq4no6nmfcvkcw7k52xqzclkwfmrkn6oxw7srmy"),
    (GIB + 1, "bafybeigx4uyebjbq65346xh6cjrt6yshbdudzudhnqecwbzvymslxj7gje"),
    (1025 * MIB, "bafybeigt7wofv4vnxbg3titijasuw4ptg5kfztec4smsk7opdt7z6djoxq"),
    (2047 * MIB, "bafybeibbsch4os2opqvsdwya2acdjuae35kk7ypvmqu4ytzij6t7hlps6u"),
    (2049 * MIB, "bafybeig7dztia6wgfgaqc7e4pmr4pvsv2t6myv76tfge3yboam5djw7dt4"),
    (5121 * MIB, "bafybeieosaggrs52tiu34hobzmediulfgjluwfegjzsrx5w2un6e2ikouq"),
    (5121 * MIB + 5, "bafybeiexvu5ywtg7rqlynivbpvruiqvy4b6jih6hphahsgsuw5kd7a5lwm"),
    (1024 * GIB, "bafybeidq7pbrjuduck3xps2fgsvodyw4aqfez7erlftlqxnpbffkga3isy"),
    (1024 * GIB + 1, "bafybeigwkrr3zkscbhb2drfr3jusqj34olsa4ajk376nw6xpv57uees2m4"),
    (1025 * GIB + 5, "bafybeidcvbma4rw5jwcj3nals5m2hvjwjjlr2omtvak2rtf3q3g6otl32e"),
];

#[test]
fn long_files_have_levels_of_nodes() {
    let (row, leaf) = (find("cid").unwrap(), find("sha256").unwrap());
    let zeros = vec![0; MIB as usize];
    let whole = hash(leaf, &zeros);
    for (bytes, answer) in ANSWERS {
        let mut folding = Folding::new(row.leaves.unwrap());
        (0..bytes / MIB).for_each(|_| folding.take(whole.as_bytes()));
        let rest = (bytes % MIB) as usize;
        if rest > 0 {
            folding.take(hash(leaf, &zeros[..rest]).as_bytes());
        }
        assert_eq!(row.format(&folding.finish(*bytes)), *answer, "{bytes} bytes");
    }
}
