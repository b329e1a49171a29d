//! `cidr`: the value is a network address in a range such as `10.0.0.0/8`.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use super::{
    Check, InvalidConstraint,
    public_address::{embedded, v4},
};
use crate::json::excerpt;

/// A range of addresses. A v4 address that is written as v6 (`::ffff:10.0.0.1`) counts as the v4 address it is. One that a
/// translator or a tunnel turns into a v4 address of the range is not in it, and not outside it either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    length: u8,
}

impl Cidr {
    /// Reads `ADDRESS/LENGTH`, or an address alone for itself.
    pub fn new(text: &str) -> Result<Self, InvalidConstraint> {
        let shown = excerpt(text);
        let wrong = || {
            InvalidConstraint::new(format!(
                "`{shown}` is no range of addresses; write it like `10.0.0.0/8` or `fd00::/8`"
            ))
        };
        let (address, length) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let network: IpAddr = address.parse().map_err(|_| wrong())?;
        let whole = if network.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => whole,
            Some(digits) if digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| wrong())?
            }
            Some(_) => return Err(wrong()),
        };
        if length > whole {
            return Err(wrong());
        }
        let first = masked(network, length);
        if first != network {
            return Err(InvalidConstraint::new(format!(
                "`{shown}` does not begin at its network; write `{first}/{length}`"
            )));
        }
        Ok(Self { network, length })
    }

    /// Whether `address` is in the range.
    pub fn holds(&self, address: IpAddr) -> bool {
        let address = match address {
            IpAddr::V6(v6) if self.network.is_ipv4() => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) | IpAddr::V6(_) => address,
        };
        address.is_ipv4() == self.network.is_ipv4() && masked(address, self.length) == self.network
    }

    /// Whether every address of `other` is in the range too.
    pub fn covers(&self, other: &Cidr) -> bool {
        self.length <= other.length && self.holds(other.network)
    }

    /// Whether packets for `address` may end in the range, though it is not in it.
    fn is_behind(&self, address: Ipv6Addr) -> bool {
        let tunnelled = match address.segments() {
            // For translators of a site (RFC 8215), which say themselves where in it the address of version 4 stands.
            [0x64, 0xff9b, 1, ..] => return self.network.is_ipv4(),
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
            // The old way to write an address of version 4, with nothing before it; stateless translation (RFC 2765); and
            // the tunnels of a site (RFC 5214).
            [0, 0, 0, 0, 0, 0, high, low]
            | [0, 0, 0, 0, 0xffff, 0, high, low]
            | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(v4(high, low)),
            _ => None,
        };
        embedded(address).into_iter().chain(tunnelled).any(|inner| self.holds(IpAddr::V4(inner)))
    }

    pub(super) fn check_text(&self, text: &str) -> Check {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let address = match inner {
            Some(inner) => inner.parse::<Ipv6Addr>().map(IpAddr::V6),
            None => text.parse::<IpAddr>(),
        };
        match address {
            Ok(address) if self.holds(address) => Check::Yes,
            Ok(IpAddr::V6(v6)) if self.is_behind(v6) => Check::Mismatch {
                expected: "a network address",
                found: "an address of version 6 for one of version 4",
            },
            Ok(_) => Check::No,
            Err(_) => Check::Mismatch { expected: "a network address", found: "other text" },
        }
    }
}

/// The block of version 4 that begins at `octets`.
pub(super) fn block_v4(octets: [u8; 4], length: u8) -> Cidr {
    Cidr { network: IpAddr::V4(octets.into()), length }
}

/// The block of version 6 that begins at `groups`.
pub(super) fn block_v6(groups: [u16; 8], length: u8) -> Cidr {
    Cidr { network: IpAddr::V6(groups.into()), length }
}

fn masked(address: IpAddr, length: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length.min(32))).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(v4) & mask))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length.min(128))).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(v6) & mask))
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.length)
    }
}
