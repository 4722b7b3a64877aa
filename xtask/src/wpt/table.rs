//! Counts by area, and the table they are printed in.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::ledger::Ledger;
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
    count(files, |file| outcomes.get(file).map(|outcomes| (outcomes.passed(), outcomes.total())))
}

/// The same without the subtests that take what is absent by design, told from `ours`.
pub(super) fn comparable(
    files: &[File],
    outcomes: &BTreeMap<String, Outcomes>,
    ours: &BTreeMap<String, Outcomes>,
    ledger: &Ledger,
) -> Areas {
    count(files, |file| Some(outcomes.get(file)?.without(&ledger.absent(file), ours.get(file)?)))
}

fn count(files: &[File], of: impl Fn(&str) -> Option<(usize, usize)>) -> Areas {
    let mut areas = Areas::new();
    for file in files {
        let count = areas.entry(file.area.clone()).or_default();
        let (passed, total) = of(&file.path).unwrap_or_default();
        *count = add(*count, Count { files: 1, passed, total });
    }
    areas
}

/// What one runtime came to.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) areas: Areas,
    /// Without the subtests that take what is absent by design.
    pub(super) comparable: Areas,
}

/// The table in Markdown, one row an area. Two columns a runtime: all subtests, and those that take nothing that is
/// absent by design. The first runtime has the counts too.
pub(super) fn render(columns: &[Column]) -> String {
    let names: String = columns.iter().map(|column| format!(" {} |", column.name)).collect();
    let rules = "---:|".repeat(columns.len());
    let mut out = format!("| area | files | subtests | passed |{names} comparable |{names}\n");
    let _ = writeln!(out, "|---|---:|---:|---:|{rules}---:|{rules}");
    let Some(first) = columns.first() else { return out };
    for area in first.areas.keys() {
        let of = |areas: &Areas| areas.get(area).copied().unwrap_or_default();
        row(&mut out, area, columns, of);
    }
    row(&mut out, "all", columns, |areas| areas.values().copied().fold(Count::default(), add));
    out
}

/// The areas in which another runtime passes a larger part of the comparable subtests than the first.
pub(super) fn behind(columns: &[Column]) -> Vec<String> {
    let Some((first, others)) = columns.split_first() else { return Vec::new() };
    let mut areas = Vec::new();
    for (area, ours) in &first.comparable {
        let theirs = |column: &Column| column.comparable.get(area).copied().unwrap_or_default();
        for other in others.iter().filter(|other| less(*ours, theirs(other))) {
            areas.push(format!("{area}: {} is ahead", other.name));
        }
    }
    areas
}

fn less(one: Count, other: Count) -> bool {
    one.passed * other.total < other.passed * one.total
}

fn add(one: Count, other: Count) -> Count {
    Count {
        files: one.files + other.files,
        passed: one.passed + other.passed,
        total: one.total + other.total,
    }
}

fn row(out: &mut String, area: &str, columns: &[Column], of: impl Fn(&Areas) -> Count) {
    let first = columns.first().map(|column| of(&column.areas)).unwrap_or_default();
    let _ = write!(out, "| {area} | {} | {} | {} |", first.files, first.total, first.passed);
    for column in columns {
        let _ = write!(out, " {} |", percent(of(&column.areas)));
    }
    let comparable = columns.first().map(|column| of(&column.comparable)).unwrap_or_default();
    let _ = write!(out, " {} |", comparable.total);
    for column in columns {
        let _ = write!(out, " {} |", percent(of(&column.comparable)));
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

    fn column(name: &str, areas: &[(&str, usize, usize)], comparable: &[(&str, usize, usize)]) -> Column {
        let counts = |list: &[(&str, usize, usize)]| -> Areas {
            let count = |&(area, passed, total): &(&str, usize, usize)| {
                (area.to_owned(), Count { files: 1, passed, total })
            };
            list.iter().map(count).collect()
        };
        Column { name: name.to_owned(), areas: counts(areas), comparable: counts(comparable) }
    }

    #[test]
    fn a_table_has_a_row_an_area_and_the_sum() {
        let ours = column("ours", &[("a", 1, 3), ("b", 9_999, 10_000)], &[("a", 1, 1), ("b", 9_999, 10_000)]);
        let text = render(&[ours]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| a | 1 | 3 | 1 | 33.33 % | 1 | 100.00 % |",
                "| b | 1 | 10000 | 9999 | 99.99 % | 10000 | 99.99 % |",
                "| all | 2 | 10003 | 10000 | 99.97 % | 10001 | 99.99 % |"
            ]
        );
    }

    #[test]
    fn an_area_is_behind_where_a_peer_passes_more_of_what_counts() {
        let ours = column("ours", &[("a", 1, 3), ("b", 2, 3)], &[("a", 1, 1), ("b", 2, 3)]);
        let peer = column("peer", &[("a", 3, 3), ("b", 3, 3)], &[("a", 1, 1), ("b", 3, 3)]);
        assert_eq!(behind(&[ours, peer]), ["b: peer is ahead"]);
    }
}
