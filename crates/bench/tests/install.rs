//! The installation of costs affects the whole process, so this test has its own.

use hashmill_digest::{BadCosts, Costs, find};

#[test]
fn costs_are_installed_once_and_whole_and_kernels_go_by_them() {
    let mut costs = Costs::built_in().to_vec();
    for row in &mut costs {
        (row.portable, row.hardware) = (1, 1);
    }
    let missing = Costs::install(costs[1..].to_vec());
    assert_eq!(missing, Err(BadCosts::Missing(costs[0].kernel)));
    assert_eq!(Costs::install(costs.clone()), Ok(()));
    assert_eq!((find("sha256").unwrap().bank)().lanes(), 1);
    assert_eq!(Costs::install(costs), Err(BadCosts::Late));
}
