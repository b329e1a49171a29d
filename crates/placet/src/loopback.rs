//! Both loopback addresses under one port.
//!
//! A browser asks `::1` first for a name below `localhost`, and `127.0.0.1` only if nothing listens there. A program that took
//! the other address under our port would be the same origin as our pages: it would be given their cookie and could read what
//! their script keeps. So the service listens at both, or not at all.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use placet_server::{Listener, Tls};

/// Ports that are tried where any will do.
const TRIES: usize = 16;

/// The other loopback address; nothing if this is none that browsers look for.
pub fn other(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => Some(Ipv6Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => Some(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V4(_) | IpAddr::V6(_) => None,
    }
}

/// Listens at `address`, and in the clear at the other loopback address too. The first listener is the one that was asked for.
pub fn listen(address: SocketAddr, tls: Option<&Arc<Tls>>) -> anyhow::Result<Vec<Listener>> {
    for _ in 0..TRIES {
        let first = Listener::net(address, tls.cloned())
            .with_context(|| format!("cannot listen at `{address}`; is it in use?"))?;
        let Some(other) = other(address.ip()).filter(|_| tls.is_none()) else { return Ok(vec![first]) };
        let port = first.address().map_or(address.port(), |bound| bound.port());
        let other = SocketAddr::new(other, port);
        match Listener::net(other, None) {
            Ok(second) => return Ok(vec![first, second]),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && address.port() == 0 => {}
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => bail!(
                "another program listens at `{other}`, and a browser that looks for the pages at `{address}` would find that one\n  \
                 end it, or choose another port with `--listen`"
            ),
            // Where there is no such address, no program takes it.
            Err(_) if !is_there(other.ip()) => return Ok(vec![first]),
            Err(error) => bail!(
                "cannot listen at `{other}`, where browsers look for the pages first: {error}\n  \
                 another program could listen there in its place; permit it, or serve over TLS"
            ),
        }
    }
    bail!("cannot listen at `{address}`: no port is free at both loopback addresses")
}

/// Whether this machine has the address. Where that cannot be told, it has.
fn is_there(address: IpAddr) -> bool {
    match (address, fs::read_to_string("/proc/net/if_inet6")) {
        // Each line begins with an address of this machine, in digits.
        (IpAddr::V6(address), Ok(table)) => has_line_of(address, &table),
        // A kernel without the sixth version has no such table.
        (IpAddr::V6(_), Err(error)) => error.kind() != io::ErrorKind::NotFound || !cfg!(target_os = "linux"),
        (IpAddr::V4(_), _) => true,
    }
}

fn has_line_of(address: Ipv6Addr, table: &str) -> bool {
    let digits = format!("{:032x}", u128::from(address));
    table.lines().any(|line| line.split_whitespace().next() == Some(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_the_table_of_the_system_or_not() {
        let table = "fe80000000000000fc00fffffe000001 02 40 20 80     eth0\n00000000000000000000000000000001 01 80 10 80       lo\n";
        assert!(has_line_of(Ipv6Addr::LOCALHOST, table));
        assert!(
            !has_line_of(Ipv6Addr::LOCALHOST, table.lines().next().unwrap())
                && !has_line_of(Ipv6Addr::LOCALHOST, "")
        );
    }

    #[tokio::test]
    async fn both_addresses_have_the_port_and_no_other_is_looked_for() {
        let both = listen("127.0.0.1:0".parse().unwrap(), None).unwrap();
        let ports: Vec<u16> = both.iter().map(|each| each.address().unwrap().port()).collect();
        assert!(ports.iter().all(|port| *port == ports[0]), "{ports:?}");
        assert_eq!(both.len(), if is_there(Ipv6Addr::LOCALHOST.into()) { 2 } else { 1 });
        assert_eq!(listen("127.0.0.2:0".parse().unwrap(), None).unwrap().len(), 1);
    }
}
