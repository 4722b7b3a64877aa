//! Which files of the suite are run: `crates/testbed/wpt/scope.tsv`.

use crate::Outcome;

/// A test file in scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) area: String,
    pub(super) path: String,
    /// How many subtests the file has where all of it runs. Subtests that do not even run count as failed.
    pub(super) subtests: usize,
}

/// The files of `text` in the areas named, or all of them.
pub(super) fn files(text: &str, areas: &[&str]) -> Outcome<Vec<File>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let files = lines.map(file).collect::<Outcome<Vec<File>>>()?;
    let wanted = |file: &File| {
        areas.is_empty()
            || areas.iter().any(|area| file.area.starts_with(area) || file.path.starts_with(area))
    };
    let files: Vec<File> = files.into_iter().filter(wanted).collect();
    if files.is_empty() { Err(format!("no file in scope is in {}", areas.join(", "))) } else { Ok(files) }
}

fn file(line: &str) -> Outcome<File> {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields[..] {
        [area, path, subtests] => Ok(File {
            area: area.to_owned(),
            path: path.to_owned(),
            subtests: subtests.parse().map_err(|_| format!("{path} has {subtests:?} subtests"))?,
        }),
        _ => Err(format!("a line of the scope has three fields: {line:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_choose() {
        let text = "# head\nurl\turl/a.any.js\t3\nstreams\tstreams/b.any.js\t4\n";
        assert_eq!(files(text, &[]).map(|files| files.len()), Ok(2));
        let streams = File { area: "streams".into(), path: "streams/b.any.js".into(), subtests: 4 };
        assert_eq!(files(text, &["streams"]), Ok(vec![streams]));
        assert!(files(text, &["none"]).is_err());
        assert!(files("url\tx", &[]).is_err());
    }
}
