//! Public addresses: which hosts can lie on the public internet, by their letters.
//!
//! Complete on purpose: what any registry sets apart is not public, though some of it could be reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{
    cidr::{block_v4, block_v6},
    web::{ends_in_number, has_encoded_label},
};

/// The blocks of the IANA IPv4 Special-Purpose Address Registry (RFC 6890), with all that was assigned until October
/// 2025, and those of the IPv4 multicast registry; a block within another is left out.
const SPECIAL_V4: &[([u8; 4], u8)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private use
    ([100, 64, 0, 0], 10),   // shared by the customers of a provider
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local
    ([172, 16, 0, 0], 12),   // private use
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 31, 196, 0], 24), // AS112
    ([192, 52, 193, 0], 24), // automatic multicast tunnelling
    ([192, 88, 99, 0], 24),  // 6to4 relays, deprecated
    ([192, 168, 0, 0], 16),  // private use
    ([192, 175, 48, 0], 24), // AS112
    ([198, 18, 0, 0], 15),   // benchmarking
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, and the broadcast address
];

/// Addresses in ordinary blocks that clouds give a service of their own.
const CLOUD_V4: &[[u8; 4]] = &[
    [168, 63, 129, 16], // Azure
];

/// What may be assigned to machines of the internet at all (RFC 4291).
const GLOBAL_UNICAST: ([u16; 8], u8) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The blocks of the IANA IPv6 Special-Purpose Address Registry within [`GLOBAL_UNICAST`], with all that was assigned
/// until October 2025; those that hold an address of version 4 are read by [`embedded`].
const SPECIAL_V6: &[([u16; 8], u8)] = &[
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),         // protocol assignments
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),     // documentation
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),         // documentation
];

/// Endings of names that never lead to the public internet, or not reliably.
///
/// The first group is the IANA registry of special-use domain names (RFC 6761 and its successors; all of `arpa` for its
/// many entries there), but for `example.com`, `.net` and `.org`, which are machines of IANA. The second are names that
/// are kept out of the root zone, and those that clusters, containers, routers and networks use within.
/// In the third, each name leads to an address of its owner's choice that is written in it, or to this machine.
pub(super) const INTERNAL_NAMES: &[&str] = &[
    "alt",
    "arpa",
    "example",
    "invalid",
    "local",
    "localhost",
    "onion",
    "test",
    //
    "cluster",
    "consul",
    "containers",
    "corp",
    "default",
    "docker",
    "domain",
    "fritz.box",
    "home",
    "host.docker",
    "internal",
    "intra",
    "intranet",
    "ip",
    "kube-system",
    "kubernetes",
    "lan",
    "localdomain",
    "mail",
    "metadata.goog",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "metadata.cloud.ibm.com",
    "nomad",
    "pod",
    "podman",
    "private",
    "router",
    "svc",
    "ts.net",
    "workgroup",
    //
    "1u.ms",
    "backname.io",
    "lacolhost.com",
    "local-ip.co",
    "local-ip.sh",
    "localho.st",
    "localtest.me",
    "lvh.me",
    "nip.io",
    "plex.direct",
    "rbndr.us",
    "sslip.io",
    "traefik.me",
    "vcap.me",
    "xip.io",
];

/// Whether `host`, in lower case, without a dot at the end and in brackets if it is a v6 address, can be public.
pub(super) fn is_public(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inner.parse().is_ok_and(is_public_v6);
    }
    if ends_in_number(host) {
        return host.parse().is_ok_and(is_public_v4);
    }
    host.contains('.') && !has_encoded_label(host) && !is_internal(host)
}

fn is_internal(name: &str) -> bool {
    INTERNAL_NAMES
        .iter()
        .any(|ending| name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = SPECIAL_V4.iter().any(|(octets, length)| block_v4(*octets, *length).holds(address.into()));
    !special && !CLOUD_V4.contains(&address.octets())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let embedded = embedded(address);
    if !embedded.is_empty() {
        return embedded.into_iter().all(is_public_v4);
    }
    let is_in = |(groups, length): &([u16; 8], u8)| block_v6(*groups, *length).holds(IpAddr::V6(address));
    is_in(&GLOBAL_UNICAST) && !SPECIAL_V6.iter().any(is_in)
}

/// The addresses of version 4 to which a packet for `address` goes: behind a mapped address (`::ffff:0:0/96`), a translator
/// (`64:ff9b::/96`), 6to4 (`2002::/16`), or Teredo (`2001::/32`), which has one of its server and one of its client.
pub(super) fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => vec![v4(high, low)],
        [0x2002, high, low, ..] => vec![v4(high, low)],
        [0x2001, 0, high, low, _, _, client_high, client_low] => {
            vec![v4(high, low), v4(!client_high, !client_low)]
        }
        _ => Vec::new(),
    }
}

/// The address of version 4 that two groups of one of version 6 spell.
pub(super) fn v4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}
