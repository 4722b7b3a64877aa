//! Counts by area, and the table they are printed in.

use std::collections::BTreeMap;
use std::fmt::Write;

/// What an area came to. All but the files are counted in runs, and what is left out in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) files: usize,
    pub(super) skipped: usize,
    pub(super) runs: usize,
    /// Fails in a plain isolate of the same engine as well.
    pub(super) engine: usize,
    /// Passes as a script and fails as eval code.
    pub(super) goal: usize,
    /// Fails here alone.
    pub(super) ours: usize,
    /// Of those that fail in the same engine, how many pass on Node.
    pub(super) node: usize,
}

impl Count {
    fn passed(&self) -> usize {
        self.runs - self.engine - self.goal - self.ours
    }

    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.skipped += other.skipped;
        self.runs += other.runs;
        self.engine += other.engine;
        self.goal += other.goal;
        self.ours += other.ours;
        self.node += other.node;
    }
}

/// Counts by area.
#[derive(Debug, Default)]
pub(super) struct Table(BTreeMap<String, Count>);

impl Table {
    pub(super) fn area(&mut self, name: &str) -> &mut Count {
        self.0.entry(name.to_owned()).or_default()
    }

    /// The table in Markdown.
    pub(super) fn render(&self, with_node: bool) -> String {
        let mut out = String::from(
            "| area | files | left out | runs | passed | fails in the engine | passes as a script | fails here alone |",
        );
        out.push_str(if with_node { " fails in the engine, passes on Node |\n" } else { "\n" });
        out.push_str("|---|---:|---:|---:|---:|---:|---:|---:|");
        out.push_str(if with_node { "---:|\n" } else { "\n" });
        let mut sum = Count::default();
        for (area, count) in &self.0 {
            row(&mut out, area, count, with_node);
            sum.add(count);
        }
        row(&mut out, "all", &sum, with_node);
        out
    }
}

fn row(out: &mut String, area: &str, count: &Count, with_node: bool) {
    let Count { files, skipped, runs, engine, goal, ours, node } = count;
    let passed = count.passed();
    let _ = write!(out, "| {area} | {files} | {skipped} | {runs} | {passed} | {engine} | {goal} | {ours} |");
    if with_node {
        let _ = write!(out, " {node} |");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_row_an_area_and_the_sum() {
        let mut table = Table::default();
        *table.area("a") = Count { files: 3, skipped: 1, runs: 4, engine: 1, goal: 1, ours: 0, node: 1 };
        *table.area("b") = Count { files: 1, skipped: 0, runs: 2, engine: 0, goal: 0, ours: 1, node: 0 };
        let text = table.render(true);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| a | 3 | 1 | 4 | 2 | 1 | 1 | 0 | 1 |",
                "| b | 1 | 0 | 2 | 1 | 0 | 0 | 1 | 0 |",
                "| all | 4 | 1 | 6 | 3 | 1 | 1 | 1 | 1 |"
            ]
        );
        assert_eq!(table.render(false).lines().last(), Some("| all | 4 | 1 | 6 | 3 | 1 | 1 | 1 |"));
    }
}
