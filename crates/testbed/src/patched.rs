//! Cases again, after a program has replaced every method it can reach.
//!
//! What the library does must not change, and no call of its own may go through what was replaced: it captured what
//! it uses before any program ran.

use crate::case::Case;

/// An expression that replaces the methods, and answers the list of those that the library calls.
const SPIES: &str = include_str!("patched.js");

/// The case with every method replaced before its programs begin. A call by the library makes the outcome the list
/// of the names called, so that it is not the expected one.
pub fn patched(case: &Case) -> Case {
    let mut case = case.clone();
    case.id = format!("patched/{}", case.id);
    for run in &mut case.runs {
        run.code = format!(
            "async () => {{ const called = {};\nconst value = await ({})();\n\
             return called.length === 0 ? value : called.map((name) => `the library calls ${{name}}`); }}",
            SPIES.trim_end(),
            run.code
        );
    }
    case
}
