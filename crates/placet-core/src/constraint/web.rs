//! Web addresses that every program reads alike.

use std::{
    borrow::Cow,
    net::{Ipv4Addr, Ipv6Addr},
};

/// The parts of an address whose scheme, host and port leave no room for a second reading.
pub(super) struct Plain<'t> {
    /// In lower case.
    pub scheme: Cow<'t, str>,
    /// In lower case, without a dot at the end; a v6 address in brackets and in its one spelling.
    pub host: Cow<'t, str>,
    /// If it is written.
    pub port: Option<u16>,
    /// From the first slash, without query and fragment; empty if there is none. It may be [odd](path_oddity).
    pub path: &'t str,
}

/// Takes `text` apart, or says what is odd about it.
pub(super) fn plain(text: &str) -> Result<Plain<'_>, &'static str> {
    // Most addresses are ASCII, which a look at the bytes tells.
    let is_usual = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if !is_usual
        && text.contains(|letter: char| letter.is_whitespace() || letter.is_control() || letter == '\\')
    {
        return Err("an address with blanks, control characters or backslashes");
    }
    let (scheme, rest) = text.split_once("://").ok_or("no address with a scheme and `://`")?;
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if !is_scheme {
        return Err("no address with a scheme and `://`");
    }
    let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err("an address with a user or a password in it");
    }
    let (host, port): (Cow<'_, str>, &str) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (inner, port) = inner.split_once(']').ok_or("an address without a proper host")?;
            let address = inner.parse::<Ipv6Addr>().map_err(|_| "an address without a proper host")?;
            (format!("[{address}]").into(), port)
        }
        None => {
            let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
            let host = host.strip_suffix('.').unwrap_or(host);
            if !is_host(host) {
                return Err("an address without a proper host");
            }
            (lower(host), port)
        }
    };
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => None,
        Some(digits) if is_port(digits) => Some(digits.parse().map_err(|_| "an address with a bad port")?),
        None | Some(_) => return Err("an address with a bad port"),
    };
    let path = &after[..after.find(['?', '#']).unwrap_or(after.len())];
    Ok(Plain { scheme: lower(scheme), host, port, path })
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

pub(super) fn is_port(digits: &str) -> bool {
    !digits.is_empty()
        && digits.len() <= 5
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_host(host: &str) -> bool {
    host.len() <= 253
        && host.split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

/// Why two programs could take `path` for two different ones, if they could.
pub(super) fn path_oddity(path: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| {
        byte.is_ascii_graphic() && !matches!(byte, b'`' | b'"' | b'<' | b'>' | b'^' | b'{' | b'}' | b'|')
    };
    if !path.bytes().all(is_plain) {
        return Some("an address whose path has characters that must be encoded");
    }
    climbs(path).then_some("an address whose path has `.`, `..` or hidden slashes in it")
}

/// Whether some server could read `path` as leading up or elsewhere.
fn climbs(path: &str) -> bool {
    let encoded = |text: &str, code: &str| {
        text.match_indices('%')
            .any(|(at, _)| text.get(at + 1..at + 3).is_some_and(|hex| hex.eq_ignore_ascii_case(code)))
    };
    if ["2f", "5c", "00", "25"].iter().any(|code| encoded(path, code)) {
        return true;
    }
    // Some servers cut each segment at a semicolon.
    path.split('/').any(|segment| {
        let segment = segment.split(';').next().unwrap_or("");
        let mut rest = segment;
        let mut dots = 0;
        while let Some(after) = rest
            .strip_prefix('.')
            .or_else(|| rest.get(..3).filter(|code| code.eq_ignore_ascii_case("%2e")).map(|_| &rest[3..]))
        {
            dots += 1;
            rest = after;
        }
        rest.is_empty() && (dots == 1 || dots == 2)
    })
}

/// Whether `path` has a letter, a digit or one of `-._~` behind a percent sign: no honest writer encodes those.
pub(super) fn encodes_plain_letters(path: &str) -> bool {
    path.match_indices('%').any(|(at, _)| {
        let code = path.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        code.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~'))
    })
}

/// Whether a host ends in a number, as addresses of version 4 do and names never.
pub(super) fn ends_in_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or("");
    match last.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Whether a host is a number in another spelling than four plain ones with dots, or one of version 4 in version 6.
pub(super) fn is_oddly_numbered(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok_and(|address| address.to_ipv4_mapped().is_some()),
        None => ends_in_number(host) && host.parse::<Ipv4Addr>().is_err(),
    }
}

/// Whether a name is written in the code for letters beyond ASCII.
pub(super) fn has_encoded_label(host: &str) -> bool {
    host.split('.').any(|label| label.starts_with("xn--"))
}

/// The port that a scheme uses if none is written.
pub(super) fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        "ssh" | "sftp" => Some(22),
        _ => None,
    }
}
