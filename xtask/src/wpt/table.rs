//! Counts by area, and the table they are printed in.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::results::Outcomes;
use super::scope::File;

/// What an area came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    files: usize,
    passed: usize,
    total: usize,
}

/// Counts by area.
pub(super) type Areas = BTreeMap<String, Count>;

/// Counts the outcomes of `files`.
pub(super) fn areas(files: &[File], outcomes: &BTreeMap<String, Outcomes>) -> Areas {
    let mut areas = Areas::new();
    for file in files {
        let count = areas.entry(file.area.clone()).or_default();
        count.files += 1;
        if let Some(outcomes) = outcomes.get(&file.path) {
            count.passed += outcomes.passed();
            count.total += outcomes.total();
        }
    }
    areas
}

/// The table in Markdown, one row an area, one column a runtime; the first column has the counts too.
pub(super) fn render(columns: &[(String, Areas)]) -> String {
    let mut out = String::from("| area | files | subtests | passed |");
    for (name, _) in columns {
        let _ = write!(out, " {name} |");
    }
    out.push_str("\n|---|---:|---:|---:|");
    out.push_str(&"---:|".repeat(columns.len()));
    out.push('\n');
    let Some((_, first)) = columns.first() else { return out };
    for area in first.keys() {
        let counts = columns.iter().map(|(_, areas)| areas.get(area).copied().unwrap_or_default());
        row(&mut out, area, &counts.collect::<Vec<_>>());
    }
    let sums: Vec<Count> =
        columns.iter().map(|(_, areas)| areas.values().copied().fold(Count::default(), add)).collect();
    row(&mut out, "all", &sums);
    out
}

fn add(one: Count, other: Count) -> Count {
    Count {
        files: one.files + other.files,
        passed: one.passed + other.passed,
        total: one.total + other.total,
    }
}

fn row(out: &mut String, area: &str, counts: &[Count]) {
    let first = counts.first().copied().unwrap_or_default();
    let _ = write!(out, "| {area} | {} | {} | {} |", first.files, first.total, first.passed);
    for count in counts {
        let _ = write!(out, " {} |", percent(*count));
    }
    out.push('\n');
}

/// Rounded down, so that only what is whole says so.
fn percent(count: Count) -> String {
    if count.total == 0 {
        return "none".to_owned();
    }
    let hundredths = count.passed * 10_000 / count.total;
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_row_an_area_and_the_sum() {
        let count = |passed, total| Count { files: 1, passed, total };
        let areas = Areas::from([("a".to_owned(), count(1, 3)), ("b".to_owned(), count(9999, 10_000))]);
        let text = render(&[("ours".to_owned(), areas)]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| a | 1 | 3 | 1 | 33.33 % |",
                "| b | 1 | 10000 | 9999 | 99.99 % |",
                "| all | 2 | 10003 | 10000 | 99.97 % |"
            ]
        );
    }
}
