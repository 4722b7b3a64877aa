//! The pool against a worker without an engine.
//!
//! Workers are this binary started again, so `main` enters worker mode first.
#![allow(clippy::unwrap_used, reason = "tests state their expectations with it, in helper functions too")]

mod fake;
#[expect(unsafe_code, reason = "the worker under test makes system calls that no sane program makes")]
mod raw;
mod support;
mod warnings;

mod admission;
mod attacks;
mod bounds;
mod deaths;
mod faults;
mod hardening;
mod lifecycle;
mod memory;
mod retained;
mod runs;
mod starting;

use libtest_mimic::{Arguments, Trial};

fn main() {
    codemode_pool::serve_if_requested(|| Box::new(fake::Fake::default()));
    support::serve_as_sub_host();
    warnings::listen();
    let mut trials = Vec::new();
    for group in [
        runs::trials(),
        bounds::trials(),
        deaths::trials(),
        faults::trials(),
        admission::trials(),
        starting::trials(),
        hardening::trials(),
        attacks::trials(),
        lifecycle::trials(),
        retained::trials(),
        memory::trials(),
    ] {
        trials.extend(group.into_iter().map(|(name, test)| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
