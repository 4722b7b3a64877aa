//! [`AddressPolicy`]: which addresses native requests may connect to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use reqwest::Url;

/// Which addresses native requests may connect to. Asked after a name is resolved, for every connection and every
/// redirect, so that no name and no detour leads around it.
#[derive(Clone, Default)]
pub struct AddressPolicy(Option<Arc<dyn Fn(IpAddr) -> bool + Send + Sync>>);

impl AddressPolicy {
    /// Every address this process reaches.
    pub fn any() -> Self {
        Self(None)
    }

    /// Addresses of the public internet alone: no loopback, private, link-local, shared, reserved or multicast
    /// range, in either family, and none of those behind an IPv6 form that carries an IPv4 address.
    ///
    /// The ranges are those that the IANA special-purpose registries (RFC 6890 and its successors) do not mark
    /// globally reachable.
    pub fn public_only() -> Self {
        Self::admitting(is_public)
    }

    /// The addresses for which `admits` answers true.
    pub fn admitting(admits: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(admits)))
    }

    /// Whether a connection to `address` may be made.
    pub fn admits(&self, address: IpAddr) -> bool {
        self.0.as_ref().is_none_or(|admits| admits(address))
    }

    /// Judges a URL whose host is an address; one whose host is a name is judged when it is resolved.
    pub(super) fn admit_url(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match literal {
            Ok(address) if !self.admits(address) => Err(Self::refusal(host)),
            _ => Ok(()),
        }
    }

    pub(super) fn refusal(host: &str) -> String {
        format!("the address of \"{host}\" is not one that this host lets programs reach")
    }
}

impl fmt::Debug for AddressPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "AddressPolicy(restricted)" } else { "AddressPolicy(any)" })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match carried_v4(address) {
            Some(carried) => is_public_v4(carried),
            None => is_public_v6(address),
        },
    }
}

/// IPv4 blocks that are not globally reachable: network, prefix length.
const CLOSED_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    !CLOSED_V4.iter().any(|&(network, length)| {
        bits >> (32 - length) == u32::from(Ipv4Addr::from(network)) >> (32 - length)
    })
}

/// Within 2000::/3, the only range that is assigned to the internet, without the blocks that are set aside in it.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let internet = first & 0xe000 == 0x2000;
    let protocol_assignments = first == 0x2001 && second < 0x200;
    let documentation = (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);
    internet && !protocol_assignments && !documentation
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (64:ff9b::/96) or 6to4.
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let from = |high: u16, low: u16| Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match segments {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => from(high, low),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => from(high, low),
        [0x2002, high, low, ..] => from(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_told_from_the_rest() {
        let policy = AddressPolicy::public_only();
        for (text, public) in [
            ("93.184.215.14", true),
            ("8.8.8.8", true),
            ("172.15.255.255", true),
            ("172.32.0.1", true),
            ("100.128.0.1", true),
            ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", true),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::8.8.8.8", true),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.168.1.1", false),
            ("198.19.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:169.254.169.254", false),
            ("64:ff9b::10.0.0.1", false),
            ("2002:7f00:1::", false),
            ("::7f00:1", false),
            ("fe80::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("ff02::1", false),
            ("2001:db8::1", false),
            ("2001::1", false),
            ("64:ff9b:1::1", false),
        ] {
            assert_eq!(policy.admits(text.parse().unwrap()), public, "{text}");
        }
    }

    #[test]
    fn addresses_in_urls_are_judged_in_every_spelling() {
        let policy = AddressPolicy::public_only();
        // The URL parser turns each of these hosts into the loopback address.
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
        ] {
            let url = Url::parse(url).unwrap();
            assert!(policy.admit_url(&url).is_err(), "{url}");
            assert!(AddressPolicy::any().admit_url(&url).is_ok(), "{url}");
        }
        assert!(policy.admit_url(&Url::parse("http://8.8.8.8/").unwrap()).is_ok());
    }
}
