//! Properties over arbitrary values, module graphs and texts, through an executor with real worker processes.
//! What Node answers decides where Node has the same rules; a model in Rust decides the rest, and stands alone
//! where no Node is installed.

mod decoders;
mod files;
mod graph;
mod host;
mod leaves;
mod modules;
mod node;
mod value;
mod values;

use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use host::Host;

/// A property. What it needs is in its table: a Node to compare with, or none.
type Property = (&'static str, fn(&Host) -> Result<(), String>);

fn main() {
    codemode_executor::run_worker_if_requested();
    let arguments = Arguments::from_args();
    let host = Arc::new(Host::new().unwrap_or_else(|problem| panic!("{problem}")));
    let alone = [values::ALONE, modules::ALONE, decoders::ALONE].concat();
    let compared = [values::COMPARED, modules::COMPARED, leaves::COMPARED].concat();
    let without_node = host.node().is_none();
    let trials = alone
        .into_iter()
        .map(|property| trial(&host, property))
        // Reported by name as ignored where there is nothing to compare with.
        .chain(compared.into_iter().map(|property| trial(&host, property).with_ignored_flag(without_node)))
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    host.end();
    conclusion.exit();
}

fn trial(host: &Arc<Host>, (name, property): Property) -> Trial {
    let host = host.clone();
    Trial::test(name, move || property(&host).map_err(Failed::from))
}
