//! Proxies: machines that traffic passes or ends at, whatever address the command names.

use super::network::send;
use crate::effect::{
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
    url,
};

/// Variables that programs take their proxy from, in small letters.
const VARIABLES: &[&str] = &[
    "all_proxy",
    "ftp_proxy",
    "http_proxy",
    "https_proxy",
    "npm_config_http_proxy",
    "npm_config_https_proxy",
    "npm_config_proxy",
    "pip_proxy",
    "rsync_proxy",
    "socks_proxy",
    "socks_server",
    "ws_proxy",
    "wss_proxy",
];

/// Traffic goes through `host`, which sees it: a proxy, a jump host, another machine of that name.
pub(super) fn passes(walker: &mut Walker<'_>, host: &str, range: (usize, usize)) {
    let host = host.trim();
    if !host.is_empty() && !matches!(host, "none" | "direct") {
        send(walker, host, Origin::PLAIN, range);
    }
}

/// Whether `name` is a variable that programs take their proxy from.
pub(super) fn is_variable(name: &str) -> bool {
    name.len() <= 32 && VARIABLES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// What follows from a proxy variable having `value`.
pub(super) fn variable(walker: &mut Walker<'_>, value: &Flow, range: (usize, usize)) {
    match value.text.as_deref() {
        Some(host) => passes(walker, host, range),
        None => passes(walker, HOLE.encode_utf8(&mut [0; 4]), range),
    }
}

/// The proxies that this script has put into variables, by whatever command, as far as they are not known yet.
pub(super) fn set_by_script(walker: &mut Walker<'_>, range: (usize, usize)) {
    for name in VARIABLES {
        for name in [(*name).to_owned(), name.to_ascii_uppercase()] {
            let Some(value) = walker.env.value(&name) else { continue };
            let text = value.text.as_deref().unwrap_or("");
            let target = url::read(text).recipient();
            if value.text.is_none() || !walker.effects.iter().any(|effect| effect.target == target) {
                variable(walker, &value, range);
            }
        }
    }
}

/// A command of wget's settings: `https_proxy = http://proxy`.
pub(super) fn wget_setting(walker: &mut Walker<'_>, arg: &Arg<'_>) {
    let Some((name, value)) = arg.as_str().split_once('=') else { return };
    // Wget overlooks case, dashes and underscores in the names of its settings.
    let name: String = name.trim().chars().filter(|letter| !matches!(letter, '-' | '_')).collect();
    match name.to_ascii_lowercase().as_str() {
        "httpproxy" | "httpsproxy" | "ftpproxy" => passes(walker, value, arg.range),
        "input" | "configfile" => walker.opaque("settings of wget from a file", arg.range),
        "useaskpass" => drop(walker.nested(value, arg.range, None)),
        _ => {}
    }
}

/// A setting of git that sends its traffic elsewhere: a proxy, another address for a remote or for all that begin alike.
/// `key` is in lower case.
pub(super) fn git_setting(walker: &mut Walker<'_>, key: &str, value: &str, range: (usize, usize)) {
    let is = |section: &str, names: &[&str]| {
        key.strip_prefix(section).is_some_and(|rest| names.iter().any(|name| rest.ends_with(name)))
    };
    if key == "http.proxy"
        || key == "https.proxy"
        || is("http.", &[".proxy"])
        || is("remote.", &[".proxy", ".url", ".pushurl"])
    {
        passes(walker, value, range);
    } else if let Some(base) = key
        .strip_prefix("url.")
        .and_then(|rest| rest.strip_suffix(".insteadof").or_else(|| rest.strip_suffix(".pushinsteadof")))
    {
        passes(walker, base, range);
    }
}

/// An option of ssh as `-o` has it: `ProxyJump=host`, `HostName host`, `ProxyCommand="nc host 22"`.
pub(super) fn ssh_setting(walker: &mut Walker<'_>, arg: &Arg<'_>) {
    let text = arg.as_str().trim_start();
    let end = text.find(|letter: char| letter == '=' || letter.is_ascii_whitespace()).unwrap_or(text.len());
    let (key, value) = text.split_at(end);
    let value = value.trim();
    let value = value.strip_prefix('=').unwrap_or(value).trim().trim_matches('"');
    match key.to_ascii_lowercase().as_str() {
        "proxycommand" | "localcommand" | "knownhostscommand" | "pkcs11provider" | "securitykeyprovider"
            if !value.eq_ignore_ascii_case("none") =>
        {
            walker.nested(value, arg.range, None);
        }
        "proxyjump" => jumps(walker, value, arg.range),
        "hostname" => passes(walker, value, arg.range),
        "include" => walker.opaque("settings of ssh from a file", arg.range),
        _ => {}
    }
}

/// Each of the machines that a connection jumps over: `user@first,second:22`.
pub(super) fn jumps(walker: &mut Walker<'_>, hosts: &str, range: (usize, usize)) {
    for host in hosts.split(',') {
        passes(walker, host, range);
    }
}
