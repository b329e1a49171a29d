//! Addresses: what a URL or a host leads to, however it is spelled.
//!
//! Programs disagree about odd addresses. Where two readings are in use, the one that leads to more is taken. Nothing
//! is looked up: a name that its owner points at this machine stays a public name.

mod letters;

use std::{
    borrow::Cow,
    net::{Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use letters::{folded, is_look_alike};

use super::{
    Effect, Manner, Place, Sensitivity, Span, Target, TargetKind, Verb, lookup::LookupSet,
    percent::percent_decoded, shell::without_holes,
};

/// Stands in a text for a part that nobody can know before the call runs.
const HOLE: char = '\u{1a}';

/// An address, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address as the connection will understand it, without credentials.
    pub name: String,
    /// Whether it names a document or a machine.
    pub kind: Kind,
    /// Where it leads.
    pub reach: Reach,
    /// Whether a password, a token or a signature stands in it.
    pub credentials: bool,
    /// Whether it belongs to a service where strangers pick up what is left: pastes, file drops, tunnels, catchers.
    pub drop: bool,
    /// Whether it is spelled so that it does not look like what it is.
    pub odd: bool,
    /// The file that a `file:` address means.
    pub path: Option<String>,
}

/// What an address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something at a machine.
    Url,
    /// A machine.
    Host,
}

/// Where an address leads, in the order in which the stricter of two readings wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// This machine.
    This,
    /// Nobody can know before the call runs.
    Unknown,
    /// The internet.
    Public,
    /// A network of somebody's own.
    Private,
    /// The service that tells a cloud machine who it is, and hands it its credentials.
    Metadata,
}

impl Address {
    /// What an effect on this address is on.
    ///
    /// A private network is `Away`: it is another machine, nobody here sees what happens there, and an address from
    /// RFC 1918 does not say whose network it is. That it is internal is told by its sensitivity.
    pub fn target(&self) -> Target {
        if let Some(path) = &self.path {
            return Target::path(path, None);
        }
        let kind = match self.kind {
            Kind::Url => TargetKind::Url,
            Kind::Host => TargetKind::Host,
        };
        let target = Target::new(kind, self.name.as_str());
        match self.reach {
            Reach::This => target,
            Reach::Unknown | Reach::Public => target.at(Place::Away),
            Reach::Private => target.at(Place::Away).with(Sensitivity::Private),
            Reach::Metadata => target.at(Place::Away).with(Sensitivity::Credential),
        }
    }

    /// The same where data goes to it: what is left with strangers is as good as a secret told.
    pub fn recipient(&self) -> Target {
        if self.drop { self.target().with(Sensitivity::Secret) } else { self.target() }
    }

    /// `verb` on this address, in the words it needs.
    pub fn effect(&self, verb: Verb, because: Span) -> Effect {
        let looks = verb == Verb::Read;
        let target = if looks { self.target() } else { self.recipient() };
        let mut effect = Effect::new(verb, target, because);
        if self.odd {
            effect = effect.manner(Manner::HIDDEN);
        }
        if self.reach == Reach::Metadata {
            effect.words("the cloud's metadata service, which hands out credentials")
        } else if self.drop && !looks {
            effect.words("a service where strangers can pick up what is left there")
        } else if self.credentials {
            effect.words("with credentials in the address")
        } else {
            effect
        }
    }

    /// Whether what comes from there was under somebody else's control.
    pub fn foreign(&self) -> bool {
        // A name or a spelling that only leads here for now is no promise.
        self.reach != Reach::This || self.odd
    }

    /// Whether fetching it already says something of the caller's choice to the other end: `gopher:` and `dict:`
    /// write their path into the connection.
    pub fn speaks(&self) -> bool {
        self.name.starts_with("gopher:") || self.name.starts_with("dict:")
    }
}

/// Reads any text as an address, in time linear in its length.
pub fn read(text: &str) -> Address {
    let trimmed = text.trim_matches(|letter: char| letter <= ' ' && letter != HOLE);
    let is_break = |letter: char| matches!(letter, '\t' | '\r' | '\n');
    let broken = trimmed.bytes().any(|byte| matches!(byte, b'\t' | b'\r' | b'\n'));
    // Browsers and libraries leave out tabs and line ends, wherever they stand.
    let clean: Cow<'_, str> =
        if broken { trimmed.replace(is_break, "").into() } else { Cow::Borrowed(trimmed) };
    let mut address = Parts::split(&clean).address();
    address.odd |= broken;
    address
}

/// Schemes of the web: any number of slashes, either way round, leads to the host.
const WEB: &[&str] = &["http", "https", "ws", "wss", "ftp", "ftps"];

/// Schemes without a host, where something may follow that looks like one.
const HOSTLESS: &[&str] = &[
    "about",
    "blob",
    "cid",
    "data",
    "file",
    "javascript",
    "magnet",
    "mailto",
    "sms",
    "sqlite",
    "tel",
    "unix",
    "urn",
    "vbscript",
];

/// Schemes whose host is the name of a container in somebody's cloud.
const BUCKETS: &[&str] = &[
    "s3", "s3a", "s3n", "gs", "gcs", "az", "azure", "abfs", "abfss", "wasb", "wasbs", "oss", "cos", "b2",
    "r2",
];

/// An address cut at its seams.
struct Parts<'t> {
    /// In lower case; empty if there is none.
    scheme: String,
    /// What stands between scheme and host, once tidied.
    lead: &'static str,
    authority: &'t str,
    /// A longer authority that some programs read, as in `http://a\@b/`.
    longer: Option<&'t str>,
    /// Path, query and fragment.
    rest: &'t str,
    odd: bool,
}

impl<'t> Parts<'t> {
    fn split(text: &'t str) -> Self {
        let is_slash = |letter: char| matches!(letter, '/' | '\\');
        let (scheme, after) = scheme_of(text);
        let lower = scheme.to_ascii_lowercase();
        let web = WEB.contains(&lower.as_str());
        let (lead, after, mut odd) = if scheme.is_empty() {
            match after.strip_prefix("//").or_else(|| after.strip_prefix(r"\\")) {
                Some(after) => ("//", after, false),
                None => ("", after, false),
            }
        } else if web {
            let rest = after.trim_start_matches(is_slash);
            ("://", rest, &after[..after.len() - rest.len()] != "//")
        } else if HOSTLESS.contains(&lower.as_str()) {
            return Self { scheme: lower, lead: ":", authority: "", longer: None, rest: after, odd: false };
        } else {
            ("://", after.trim_start_matches("//"), false)
        };
        let ends = |byte: u8| matches!(byte, b'/' | b'?' | b'#' | b'\\');
        let end = after.bytes().position(ends).unwrap_or(after.len());
        let (authority, rest) = after.split_at(end);
        let longer = end + rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
        let longer = after[end..longer].contains('@').then_some(&after[..longer]);
        odd |= !scheme.is_empty() && (rest.starts_with('\\') || authority.matches('@').nth(1).is_some());
        Self { scheme: lower, lead, authority, longer, rest, odd }
    }

    fn address(self) -> Address {
        if self.lead == ":" {
            return self.hostless();
        }
        let web = WEB.contains(&self.scheme.as_str());
        let (user, hosts) = self.authority.rsplit_once('@').unwrap_or(("", self.authority));
        let mut found = self.hosts(hosts);
        let mut odd = self.odd || found.odd;
        if let Some(longer) = self.longer {
            let other = self.hosts(longer.rsplit_once('@').map_or(longer, |(_, hosts)| hosts));
            odd |= other.reach != found.reach || self.rest.starts_with('\\');
            found.reach = found.reach.max(other.reach);
            found.drop |= other.drop;
        }
        odd |= web && looks_like_host(user);
        odd |= matches!(self.scheme.as_str(), "gopher" | "dict") && hosts.contains(':');
        if BUCKETS.contains(&self.scheme.as_str()) {
            found.reach = Reach::Public;
        }
        let secret_user = match user.split_once(':') {
            Some((_, password)) => !password.is_empty(),
            // A name alone is a token on the web, and a name elsewhere.
            None => web && !matches!(user, "" | "git" | "anonymous" | "oauth2"),
        };
        let (rest, secret_rest) = without_secrets(self.rest);
        let mut name = String::with_capacity(self.authority.len() + rest.len() + 16);
        name.push_str(&self.scheme);
        name.push_str(self.lead);
        if secret_user {
            name.push_str("…@");
        } else if !user.is_empty() {
            name.push_str(user);
            name.push('@');
        }
        name.push_str(&found.name);
        name.push_str(&rest);
        let nothing = name.is_empty();
        Address {
            name: if nothing { "another machine".to_owned() } else { without_holes(name) },
            kind: if self.scheme.is_empty() && is_port(self.rest) { Kind::Host } else { Kind::Url },
            reach: found.reach,
            credentials: secret_user || secret_rest,
            drop: found.drop,
            odd,
            path: None,
        }
    }

    /// The machines of `hosts`: one, or several with commas as databases have them.
    fn hosts(&self, hosts: &str) -> Found {
        let web = self.scheme.is_empty() || WEB.contains(&self.scheme.as_str());
        // A bare small number is a port or a count that was taken for an address, not a machine.
        let number = !hosts.is_empty() && hosts.len() < 6 && hosts.bytes().all(|byte| byte.is_ascii_digit());
        if self.lead.is_empty() && number && hosts != "0" {
            return Found { name: hosts.to_owned(), reach: Reach::Unknown, drop: false, odd: false };
        }
        if web || !hosts.contains(',') {
            return host_and_port(hosts);
        }
        let mut all = Found { name: String::new(), reach: Reach::This, drop: false, odd: false };
        for host in hosts.split(',') {
            let found = host_and_port(host);
            if !all.name.is_empty() {
                all.name.push(',');
            }
            all.name.push_str(&found.name);
            all.reach = all.reach.max(found.reach);
            all.drop |= found.drop;
            all.odd |= found.odd;
        }
        all
    }

    /// `file:`, `data:` and the like.
    fn hostless(self) -> Address {
        let (rest, credentials) = without_secrets(self.rest);
        let mut address = Address {
            name: without_holes(format!("{}:{rest}", self.scheme)),
            kind: Kind::Url,
            reach: Reach::This,
            credentials,
            drop: false,
            odd: false,
            path: None,
        };
        match self.scheme.as_str() {
            "about" | "data" | "sqlite" | "unix" | "cid" => {}
            "file" => {
                let plain = self.rest.split(['?', '#']).next().unwrap_or("");
                let after = plain.strip_prefix("//").unwrap_or(plain);
                let (host, path) = match after.find('/') {
                    Some(at) if plain.len() > after.len() => after.split_at(at),
                    _ => ("", after),
                };
                if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
                    address.path = Some(percent_decoded(path).into_owned());
                } else if host.starts_with(['~', '.', HOLE]) {
                    address.path = Some(percent_decoded(after).into_owned());
                } else {
                    let found = host_and_port(host);
                    address.reach = found.reach;
                    address.odd = found.odd;
                    address.path = (found.reach == Reach::This).then(|| percent_decoded(path).into_owned());
                }
            }
            // Code that can reach anything, and handlers that pass it on.
            _ => address.reach = Reach::Unknown,
        }
        address
    }
}

/// Whether what follows a host is nothing, or a port as `/dev/tcp` writes it.
fn is_port(rest: &str) -> bool {
    rest.strip_prefix('/').unwrap_or(rest).bytes().all(|byte| byte.is_ascii_digit())
}

/// The scheme of `text`, empty if it has none, and what follows its colon.
fn scheme_of(text: &str) -> (&str, &str) {
    let is_name = |text: &str| {
        text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b':'))
    };
    if let Some(at) = text.find("://")
        && at < 64
        && is_name(&text[..at])
    {
        // Of `jdbc:mysql://` and `view-source:http://`, the last one talks.
        let from = text[..at].rfind(':').map_or(0, |at| at + 1);
        return (&text[from..at], &text[at + 1..]);
    }
    let Some((scheme, after)) = text.split_once(':') else { return ("", text) };
    let lower = scheme.to_ascii_lowercase();
    let port = after.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
        && after.bytes().take_while(|byte| *byte != b'/').all(|byte| byte.is_ascii_digit());
    let known = WEB.contains(&lower.as_str()) && !after.is_empty()
        || HOSTLESS.contains(&lower.as_str()) && !port && !after.is_empty();
    if known { (scheme, after) } else { ("", text) }
}

/// What was found of a host.
struct Found {
    name: String,
    reach: Reach,
    drop: bool,
    odd: bool,
}

impl Found {
    fn new(name: impl Into<String>, reach: Reach) -> Self {
        Self { name: name.into(), reach, drop: false, odd: false }
    }

    fn odd(mut self, odd: bool) -> Self {
        self.odd |= odd;
        self
    }
}

fn host_and_port(text: &str) -> Found {
    if let Some((inner, after)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let decoded = percent_decoded(inner);
        let mut found = match v6(inner).or_else(|| v6(&decoded).map(|found| found.odd(true))) {
            Some(found) => found,
            None => Found { name: format!("[{inner}]"), ..host(inner) }.odd(true),
        };
        found.name.push_str(after);
        return found;
    }
    if text.matches(':').nth(1).is_some()
        && let Some(found) = v6(text)
    {
        return found;
    }
    let (name, port) = text.find(':').map_or((text, ""), |at| text.split_at(at));
    let mut found = host(name);
    found.name.push_str(port);
    found
}

/// A host without its port.
fn host(text: &str) -> Found {
    let (plain, folded) = folded(text);
    // The empty label at the end only says that the name is complete.
    let name = plain.strip_suffix('.').unwrap_or(&plain);
    let drop = is_drop(name);
    if let Some((before, _)) = name.split_once(HOLE) {
        let metadata = before.starts_with("169.254.1");
        let reach = if metadata { Reach::Metadata } else { Reach::Unknown };
        return Found { name: plain.clone().into_owned(), reach, drop, odd: folded };
    }
    if let Some(found) = v4(name) {
        return found.odd(folded);
    }
    if let Some(found) = v6(name) {
        return found.odd(folded);
    }
    let legal = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(legal) || name.contains("..") {
        return Found { name: text.to_owned(), reach: Reach::Unknown, drop, odd: folded };
    }
    let mut reach = named_reach(name);
    let mut odd = folded || name.split('.').any(is_look_alike);
    if let Some(prefix) = prefix_under(name, EMBEDDING) {
        let inner = embedded(prefix);
        odd |= inner.is_some_and(|inner| inner != Reach::Public);
        reach = inner.unwrap_or(reach);
    }
    Found { name: name.to_owned(), reach, drop, odd }
}

/// Names that every cloud machine can ask for its credentials.
const METADATA_NAMES: &[&str] = &[
    "metadata",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.azure.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "api.metadata.cloud.ibm.com",
    "instance-data",
    "instance-data.ec2.internal",
    "rancher-metadata",
];

/// Addresses of the same.
const METADATA_V4: &[[u8; 4]] = &[
    [169, 254, 169, 254], // nearly everybody
    [169, 254, 170, 2],   // AWS, containers
    [169, 254, 170, 23],  // AWS, Kubernetes
    [169, 254, 0, 23],    // Tencent
    [169, 254, 42, 42],   // Scaleway
    [100, 100, 100, 200], // Alibaba
    [168, 63, 129, 16],   // Azure
    [192, 0, 0, 192],     // Oracle
];

/// And in the new numbering.
const METADATA_V6: &[[u16; 8]] = &[
    [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x254],  // AWS
    [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x23],   // AWS, Kubernetes
    [0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x254],  // Google
    [0xfd00, 0x0042, 0, 0, 0, 0, 0, 0x42],   // Scaleway
    [0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1], // Linode
    [0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe], // OpenStack
];

/// Names for this machine.
const THIS: &[&str] = &[
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost6",
    "ip6-localhost",
    "ip6-loopback",
    "host.docker.internal",
    "gateway.docker.internal",
    "host.containers.internal",
];

/// Endings that no public name has.
const PRIVATE: &[&str] = &[
    "consul",
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
    "localdomain",
    "private",
    "test",
];

/// Where every name leads to the address that is written in it.
const EMBEDDING: &[&str] = &[
    "1u.ms",
    "backname.io",
    "local-ip.co",
    "local-ip.sh",
    "nip.io",
    "plex.direct",
    "rbndr.us",
    "sslip.io",
    "traefik.me",
    "xip.io",
];

/// Services that take anything from anybody and show it to whoever has the link or runs the other end.
static DROPS: LazyLock<LookupSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("url/drops.list").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// What stands before one of `endings` in `name`, which may be nothing.
fn prefix_under<'n>(name: &'n str, endings: &[&str]) -> Option<&'n str> {
    under(name, |ending| endings.contains(&ending))
}

/// What stands before an ending of whole labels that `is_one` knows.
fn under(name: &str, is_one: impl Fn(&str) -> bool) -> Option<&str> {
    // No ending has more labels than this, so a name of a thousand costs no more than one of four.
    const LABELS_MAX: usize = 3;
    let mut from = name.len();
    for _ in 0..LABELS_MAX {
        let label = name.as_bytes()[..from].iter().rposition(|byte| *byte == b'.');
        let start = label.map_or(0, |at| at + 1);
        if is_one(&name[start..]) {
            return Some(&name[..label.unwrap_or(0)]);
        }
        from = label?;
    }
    None
}

fn is_under(name: &str, endings: &[&str]) -> bool {
    prefix_under(name, endings).is_some()
}

fn is_drop(name: &str) -> bool {
    under(name, |ending| DROPS.contains(ending)).is_some()
}

fn named_reach(name: &str) -> Reach {
    if METADATA_NAMES.contains(&name) {
        Reach::Metadata
    } else if THIS.contains(&name) || name.ends_with(".localhost") {
        Reach::This
    } else if !name.contains('.') || is_under(name, PRIVATE) {
        Reach::Private
    } else {
        Reach::Public
    }
}

/// The furthest-reaching address written in the labels of `prefix`, as `10.0.0.1`, `10-0-0-1`, `0a000001` or `--1`.
fn embedded(prefix: &str) -> Option<Reach> {
    let mut worst: Option<Reach> = None;
    let mut add = |reach: Reach| worst = Some(worst.map_or(reach, |worst| worst.max(reach)));
    let mut numbers: Vec<u8> = Vec::new();
    for part in prefix.split(['.', '-']) {
        match part.parse::<u8>() {
            Ok(number) => numbers.push(number),
            Err(_) => numbers.clear(),
        }
        if let [.., a, b, c, d] = numbers[..] {
            add(reach_v4(Ipv4Addr::new(a, b, c, d)));
        }
        if part.len() == 8
            && let Ok(number) = u32::from_str_radix(part, 16)
        {
            add(reach_v4(Ipv4Addr::from(number)));
        }
    }
    for label in prefix.split('.').filter(|label| label.len() < 48 && label.contains("-")) {
        if let Ok(address) = label.replace('-', ":").parse::<Ipv6Addr>() {
            add(reach_v6(address).0);
        }
    }
    worst
}

/// Numbers with dots as the C library reads them: one to four of them, decimal, octal or hexadecimal.
fn v4(name: &str) -> Option<Found> {
    let last = name.rsplit('.').next().unwrap_or("");
    if !is_number(last) {
        return None;
    }
    let parts: Vec<&str> = name.split('.').take(5).collect();
    if parts.len() > 4 || !parts.iter().all(|part| is_number(part)) {
        return Some(Found::new(name, Reach::Unknown));
    }
    // Some read a leading zero as octal and some overlook it.
    let (address, large) = combined(&parts, true);
    let (other, other_large) = combined(&parts, false);
    let mut reach = reach_v4(address).max(reach_v4(other));
    if large || other_large {
        reach = reach.max(Reach::Unknown);
    }
    let spelled = address.to_string();
    let odd = spelled != name;
    Some(Found::new(if large { name.to_owned() } else { spelled }, reach).odd(odd))
}

fn is_number(part: &str) -> bool {
    let hex = part.strip_prefix("0x");
    match hex {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// The address of one to four numbers, and whether one of them was too large for its place.
fn combined(parts: &[&str], octal: bool) -> (Ipv4Addr, bool) {
    let mut address: u32 = 0;
    let mut large = false;
    for (index, part) in parts.iter().enumerate() {
        let (digits, radix) = match part.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if octal && part.starts_with('0') && part.bytes().all(|byte| byte < b'8') => (*part, 8),
            None => (*part, 10),
        };
        let mut value: u64 = 0;
        for digit in digits.chars().filter_map(|digit| digit.to_digit(radix)) {
            value = value * u64::from(radix) + u64::from(digit);
            large |= value > u64::from(u32::MAX);
            // What is too large wraps around, as it does in programs that do not look.
            value &= u64::from(u32::MAX);
        }
        let is_last = index + 1 == parts.len();
        let bits = if is_last { 8 * (4 - index as u32) } else { 8 };
        let most = u32::MAX >> (32 - bits);
        let value = value as u32;
        large |= value > most;
        let shift = if is_last { 0 } else { 8 * (3 - index as u32) };
        address |= (value & most) << shift;
    }
    (Ipv4Addr::from(address), large)
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    let octets = address.octets();
    match octets {
        _ if METADATA_V4.contains(&octets) => Reach::Metadata,
        [0, 0, 0, 0] | [127, ..] => Reach::This,
        [0, ..] => Reach::Unknown,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [169, 254, ..] | [100, 64..=127, ..] => {
            Reach::Private
        }
        // Set apart for protocols, for measuring, for many at once.
        [192, 0, 0, _] | [198, 18..=19, ..] | [224..=239, ..] | [255, 255, 255, 255] => Reach::Private,
        [240..=255, ..] => Reach::Unknown,
        _ => Reach::Public,
    }
}

/// Groups with colons, with or without the interface they are meant for.
fn v6(text: &str) -> Option<Found> {
    let (digits, zone) = text.find('%').map_or((text, ""), |at| text.split_at(at));
    // Longer than any address is.
    if digits.len() > 45 || !digits.contains(':') || zone.contains(HOLE) {
        return None;
    }
    let address: Ipv6Addr = digits.parse().ok()?;
    let (reach, inner) = reach_v6(address);
    let name = match inner {
        Some(inner) => format!("[::ffff:{inner}]"),
        None => format!("[{address}]"),
    };
    Some(Found::new(name, reach).odd(inner.is_some()))
}

/// Where it leads, and the old address that it is by another name.
fn reach_v6(address: Ipv6Addr) -> (Reach, Option<Ipv4Addr>) {
    let groups = address.segments();
    let old = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    if METADATA_V6.contains(&groups) {
        return (Reach::Metadata, None);
    }
    match groups {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => (Reach::This, None),
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => {
            let inner = old(high, low);
            (reach_v4(inner), Some(inner))
        }
        // Through a translator or a relay, to which its own loopback is another machine.
        [0x64, 0xff9b, 0 | 1, _, _, _, high, low] | [0x2002, high, low, ..] => {
            (reach_v4(old(high, low)).max(Reach::Public), None)
        }
        [0xfc00..=0xfdff | 0xfe80..=0xfeff | 0xff00..=0xffff, ..] => (Reach::Private, None),
        _ => (Reach::Public, None),
    }
}

/// Whether the part before an `@` is there to be taken for the host.
fn looks_like_host(user: &str) -> bool {
    let name = user.split(':').next().unwrap_or("");
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    end.len() > 1 && end.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !name.contains("%40")
}

/// What a query calls the values that let somebody in.
const SECRET_KEYS: &[&str] = &[
    "access_token",
    "api-key",
    "api_key",
    "apikey",
    "auth_token",
    "client_secret",
    "id_token",
    "passwd",
    "password",
    "private_key",
    "private_token",
    "pwd",
    "refresh_token",
    "secret",
    "session_token",
    "sig",
    "signature",
    "token",
    "x-amz-security-token",
    "x-amz-signature",
    "x-goog-signature",
];

/// Path, query and fragment with credentials left out, and whether there were any.
fn without_secrets(rest: &str) -> (Cow<'_, str>, bool) {
    let Some(from) = rest.find(['?', '#']) else { return (Cow::Borrowed(rest), false) };
    let mut plain = String::new();
    let mut copied = 0;
    let mut at = from;
    for piece in rest[from..].split_inclusive(['?', '#', '&', ';']) {
        let value_end = at + piece.trim_end_matches(['?', '#', '&', ';']).len();
        if let Some((key, value)) = rest[at..value_end].split_once('=')
            && !value.is_empty()
            && key.len() < 32
            && SECRET_KEYS.contains(&key.to_ascii_lowercase().as_str())
        {
            plain.push_str(&rest[copied..at + key.len() + 1]);
            plain.push('…');
            copied = value_end;
        }
        at += piece.len();
    }
    if copied == 0 {
        return (Cow::Borrowed(rest), false);
    }
    plain.push_str(&rest[copied..]);
    (Cow::Owned(plain), true)
}
