//! The URL Standard's "domain to ASCII", for a domain that is not ASCII already.

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

/// The ASCII form of a domain, without the checks that only a strict caller wants; `None` where it has none.
pub(crate) fn domain_to_ascii(domain: &str) -> Option<String> {
    let ascii =
        Uts46::new().to_ascii(domain.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow, DnsLength::Ignore);
    ascii.ok().map(|ascii| ascii.into_owned())
}

#[cfg(test)]
mod tests {
    use super::domain_to_ascii;

    #[test]
    fn maps_as_the_url_standard_asks() {
        let cases = [
            ("faß.de", Some("xn--fa-hia.de")),
            ("\u{ff11}", Some("1")),
            ("a\u{3002}b", Some("a.b")),
            ("-x-.ä", Some("-x-.xn--4ca")),
            ("\u{ad}", Some("")),
            ("\u{200d}ä", None),
            ("xn--a.ß", None),
        ];
        for (domain, expected) in cases {
            assert_eq!(domain_to_ascii(domain).as_deref(), expected, "{domain:?}");
        }
    }
}
