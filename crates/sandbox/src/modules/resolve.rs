//! Which module a specifier names.

/// The normalized form of a module name or an absolute specifier: a name that starts with `/`, `./` or `../` is
/// walked from the root, anything else is itself.
///
/// Segments are walked here and never parsed as a URL, which would percent-encode them: a module named
/// `my file.js` keeps its name.
pub fn normalize_specifier(specifier: &str) -> String {
    if is_path(specifier) { walk("", specifier) } else { specifier.to_owned() }
}

/// The name that `specifier` means in the module `importer`, whose own name is normalized. The entry module is the
/// empty name. `declares` tells whether the map has a name.
///
/// A specifier that starts with `/`, `./` or `../` resolves against the folder of its importer. A bare one names a
/// sibling of the importer when the map declares one, and otherwise is an exact name.
pub fn resolve_specifier(specifier: &str, importer: &str, declares: impl Fn(&str) -> bool) -> String {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    if is_path(specifier) {
        return walk(folder, specifier);
    }
    let sibling = walk(folder, specifier);
    if declares(&sibling) { sibling } else { specifier.to_owned() }
}

fn is_path(specifier: &str) -> bool {
    ["/", "./", "../"].iter().any(|start| specifier.starts_with(start))
}

fn walk(folder: &str, specifier: &str) -> String {
    let mut segments: Vec<&str> = if specifier.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|s| !s.is_empty()).collect()
    };
    for segment in specifier.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_resolve_against_their_importer() {
        let declared = ["lib/sibling.js", "lib/a.js", "runtime:helpers", "top.js", "my file.js", "toString"];
        let declares = |name: &str| declared.contains(&name);
        for (specifier, importer, expected) in [
            ("./a.js", "", "a.js"),
            ("/a.js", "lib/x.js", "a.js"),
            ("./a.js", "lib/x.js", "lib/a.js"),
            ("../a.js", "lib/deep/x.js", "lib/a.js"),
            ("../../../a.js", "lib/x.js", "a.js"),
            ("sibling.js", "lib/x.js", "lib/sibling.js"),
            ("top.js", "lib/x.js", "top.js"),
            ("runtime:helpers", "lib/x.js", "runtime:helpers"),
            ("./my file.js", "", "my file.js"),
            ("./my%20file.js", "", "my%20file.js"),
            ("__proto__", "", "__proto__"),
            ("https://example.com/a.js", "lib/x.js", "https://example.com/a.js"),
            ("./a//b.js", "lib/x.js", "lib/a/b.js"),
        ] {
            assert_eq!(
                resolve_specifier(specifier, importer, declares),
                expected,
                "{specifier} in {importer:?}"
            );
        }
    }

    #[test]
    fn names_that_are_paths_are_walked_from_the_root() {
        for (name, expected) in [
            ("./a.js", "a.js"),
            ("/a.js", "a.js"),
            ("a.js", "a.js"),
            ("./x/../a.js", "a.js"),
            ("x/../a.js", "x/../a.js"),
        ] {
            assert_eq!(normalize_specifier(name), expected);
        }
    }
}
