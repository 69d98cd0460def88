//! Which addresses a page may come from: public ones. Everything else is named by its kind.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is no public one, in words that follow "leads to"; `None` for a public one.
///
/// Version 4 inside of version 6 is judged by what it stands for where that is certain (mapped, and the
/// well-known prefix of NAT64), and refused where it depends on who carries it (6to4, Teredo, ISATAP).
pub(crate) fn not_public(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => not_public_v4(ip),
        IpAddr::V6(ip) => not_public_v6(ip),
    }
}

/// Addresses where clouds tell a machine its secrets. Most are link-local or private anyway.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// The same in version 6.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

fn not_public_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = ip.octets();
    Some(match (a, b, c) {
        _ if METADATA_V4.contains(&ip) => "a metadata address of a cloud",
        (127, ..) => "this machine itself",
        (0, ..) => "an unspecified address",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "a private address",
        (169, 254, _) => "a link-local address",
        (100, 64..=127, _) => "a shared address of a provider",
        (224..=239, ..) => "a multicast address",
        (192, 0, 0 | 2)
        | (192, 88, 99)
        | (198, 18 | 19, _)
        | (198, 51, 100)
        | (203, 0, 113)
        | (240.., ..) => "a reserved address",
        _ => return None,
    })
}

fn not_public_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let parts = ip.segments();
    let embedded = || {
        let [.., high, low] = parts;
        Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
    };
    Some(match parts {
        _ if METADATA_V6.contains(&ip) => "a metadata address of a cloud",
        [0, 0, 0, 0, 0, 0, 0, 0] => "an unspecified address",
        [0, 0, 0, 0, 0, 0, 0, 1] => "this machine itself",
        // Mapped, and the well-known prefix of NAT64: exactly this address of version 4 is meant.
        [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => return not_public_v4(embedded()),
        [0x2002, ..] | [0x2001, 0, ..] => "a tunnel to another network",
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => "a tunnel to another network",
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "a reserved address",
        [0xfc00..=0xfdff, ..] => "a private address",
        [0xfe80..=0xfebf, ..] => "a link-local address",
        [0xfec0..=0xfeff, ..] => "a private address",
        [0xff00..=0xffff, ..] => "a multicast address",
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_public_addresses_pass() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450:4001::8a",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert_eq!(not_public(public.parse().unwrap()), None, "{public}");
        }
        for (refused, kind) in [
            ("127.0.0.1", "itself"),
            ("127.255.0.3", "itself"),
            ("0.0.0.0", "unspecified"),
            ("0.1.2.3", "unspecified"),
            ("10.0.0.1", "private"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("169.254.1.1", "link-local"),
            ("169.254.169.254", "metadata"),
            ("100.100.100.200", "metadata"),
            ("168.63.129.16", "metadata"),
            ("100.64.0.1", "shared"),
            ("192.0.0.1", "reserved"),
            ("192.0.2.1", "reserved"),
            ("192.88.99.1", "reserved"),
            ("198.18.0.1", "reserved"),
            ("198.51.100.1", "reserved"),
            ("203.0.113.1", "reserved"),
            ("224.0.0.1", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "itself"),
            ("::ffff:127.0.0.1", "itself"),
            ("::ffff:169.254.169.254", "metadata"),
            ("::ffff:10.1.2.3", "private"),
            ("::127.0.0.1", "reserved"),
            ("64:ff9b::127.0.0.1", "itself"),
            ("64:ff9b::a9fe:a9fe", "metadata"),
            ("64:ff9b:1::1", "reserved"),
            ("2002:7f00:1::", "tunnel"),
            ("2002:808:808::", "tunnel"),
            ("2001::1", "tunnel"),
            ("2001:2::1", "reserved"),
            ("2001:db8::1", "reserved"),
            ("3fff::1", "reserved"),
            ("2a00::5efe:10.0.0.1", "tunnel"),
            ("fc00::1", "private"),
            ("fd00:ec2::254", "metadata"),
            ("fd12::1", "private"),
            ("fe80::1", "link-local"),
            ("fec0::1", "private"),
            ("ff02::1", "multicast"),
            ("100::1", "reserved"),
            ("5f00::1", "reserved"),
        ] {
            let found = not_public(refused.parse().unwrap());
            assert!(found.is_some_and(|found| found.contains(kind)), "{refused}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn a_mapped_address_is_judged_as_what_it_stands_for(bits in any::<u32>()) {
            let ip = Ipv4Addr::from(bits);
            prop_assert_eq!(not_public(IpAddr::V6(ip.to_ipv6_mapped())), not_public(IpAddr::V4(ip)));
        }

        #[test]
        fn what_the_standard_library_calls_local_never_passes(bits in any::<u32>()) {
            let ip = Ipv4Addr::from(bits);
            let local = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_multicast()
                || ip.is_broadcast() || ip.is_documentation() || ip.is_unspecified();
            if local {
                prop_assert!(not_public(IpAddr::V4(ip)).is_some());
            }
        }

        #[test]
        fn only_global_unicast_of_version_6_passes(bits in any::<u128>()) {
            let ip = Ipv6Addr::from(bits);
            if not_public(IpAddr::V6(ip)).is_none() {
                let [first, ..] = ip.segments();
                prop_assert!((0x2000..0x4000).contains(&first) || ip.to_ipv4_mapped().is_some() || first == 0x64);
            }
        }
    }
}
