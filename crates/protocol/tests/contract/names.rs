//! The reserved names.

use codemode_protocol::provider::{
    ENTRY_GLOBALS, ENTRY_NAMES, RESERVED_WORDS, is_identifier, is_reserved_name,
};

#[test]
fn reserved_sets_hold_each_name_once() {
    let mut all = [RESERVED_WORDS, ENTRY_NAMES, ENTRY_GLOBALS].concat();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    for name in all {
        assert!(is_reserved_name(name) && is_identifier(name), "{name}");
    }
}
