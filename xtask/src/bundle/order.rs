//! The order in which the modules are evaluated.

use super::SOURCES;
use super::source::Module;
use crate::Outcome;
use std::collections::BTreeMap;

/// All modules, each after those it imports, as a module loader would evaluate them from `entry`.
/// Fails on a cycle, on an import of what is not there, and on a module that nothing imports.
pub(super) fn evaluation_order<'m>(
    entry: &str,
    modules: &'m BTreeMap<String, Module>,
) -> Outcome<Vec<&'m Module>> {
    let start = modules.get(entry).ok_or_else(|| format!("there is no {entry}"))?;
    let mut walk = Walk { modules, path: vec![], order: vec![] };
    walk.visit(start)?;
    let order = walk.order;
    match modules.values().find(|module| !order.iter().any(|known| known.path == module.path)) {
        Some(orphan) => Err(format!("{SOURCES}/{}: no module imports it", orphan.path)),
        None => Ok(order),
    }
}

struct Walk<'m> {
    modules: &'m BTreeMap<String, Module>,
    /// From the entry to the module being visited.
    path: Vec<&'m str>,
    order: Vec<&'m Module>,
}

impl<'m> Walk<'m> {
    fn visit(&mut self, module: &'m Module) -> Outcome {
        if self.order.iter().any(|known| known.path == module.path) {
            return Ok(());
        }
        if let Some(at) = self.path.iter().position(|path| *path == module.path) {
            let cycle = [&self.path[at..], &[module.path.as_str()]].concat();
            return Err(format!("modules import each other in a cycle: {}", cycle.join(" → ")));
        }
        self.path.push(&module.path);
        for import in &module.imports {
            let found = self.modules.get(&import.from);
            let found = found.ok_or_else(|| {
                format!("{SOURCES}/{}:{}: there is no {}", module.path, import.line, import.from)
            })?;
            self.visit(found)?;
        }
        self.path.pop();
        self.order.push(module);
        Ok(())
    }
}
