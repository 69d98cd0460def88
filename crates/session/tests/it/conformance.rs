//! The results of a session pass the suite for stores.

use pegboard_session::SessionDir;
use pegboard_test_support::conformance::store_conformance;

#[test]
fn results_on_disk_keep_the_contract() {
    let root = tempfile::tempdir().unwrap();
    store_conformance(|| SessionDir::create(root.path().join("s")).unwrap().results());
}
