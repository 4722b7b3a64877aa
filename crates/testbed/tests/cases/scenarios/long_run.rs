//! Many runs through one executor. `examples/soak.rs` is the same with figures.

use codemode_testbed::soak::soak;
use codemode_testbed::storm::{Length, storm};

use crate::Suite;

/// Sets how many runs the scenario makes.
const RUNS: &str = "CODEMODE_SOAK_RUNS";

pub(crate) fn a_long_run_leaks_nothing(suite: &Suite) -> Result<(), String> {
    let runs = match std::env::var(RUNS) {
        Ok(text) => text.parse().map_err(|_| format!("{RUNS} is a number of runs, not {text:?}"))?,
        Err(_) => 400,
    };
    suite.runtime.block_on(soak(runs, 2))?.verdict()
}

/// Times are the soak's to judge; here it is that every caller gets its own answer, once, whatever runs beside it.
pub(crate) fn twice_as_much_as_fits_is_answered_once_each(suite: &Suite) -> Result<(), String> {
    suite.runtime.block_on(storm(2, Length::Runs(450), 20))?.verdict()
}
