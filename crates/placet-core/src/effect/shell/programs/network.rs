//! Programs that talk to other machines: what they fetch, what they send, and to whom.

use super::{
    Call,
    options::{Options, Style, abbreviates},
    proxies, sftp,
};
use crate::effect::{
    Effect, Extent, Manner, Place, Seen, Sensitivity, Target, TargetKind, Undo, Verb,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
    url::{self, Address},
};

/// The programs that [`run`] may know.
pub const NAMES: &str = "\
    curl curlie wget wget2 http https xh xhs aria2c axel nc ncat netcat nc.traditional nc.openbsd socat scp \
    sftp ftp lftp tftp telnet rclone";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    if !call.args.is_empty() {
        proxies::set_by_script(walker, call.range);
    }
    Some(match call.name {
        "curl" | "curlie" => curl(walker, call),
        "wget" | "wget2" => wget(walker, call),
        "http" | "https" | "xh" | "xhs" => httpie(walker, call),
        "aria2c" | "axel" => {
            let options = Options::read(call.args, ARIA_FLAGS, Style::Gnu);
            const ARIA_PROXIES: &[&str] = &["--all-proxy", "--http-proxy", "--https-proxy", "--ftp-proxy"];
            for proxy in options.values(ARIA_PROXIES).cloned().collect::<Vec<_>>() {
                proxies::passes(walker, proxy.as_str(), proxy.range);
            }
            if options.has(&["-i", "--input-file", "--conf-path", "--torrent-file", "--metalink-file"]) {
                walker.opaque("a file says what is fetched from where", call.range);
            }
            for url in &options.operands {
                fetch(walker, url);
            }
            if let Some(file) = options.value(&["-o", "--out"]).cloned() {
                walker.write(&file, Flow::unknown(Origin::FETCHED), false);
            }
            Flow::empty()
        }
        "nc" | "ncat" | "netcat" | "nc.traditional" | "nc.openbsd" => netcat(walker, call),
        "socat" => socat(walker, call),
        "scp" => scp(walker, call),
        "sftp" => sftp::run(walker, call),
        "ftp" | "lftp" | "tftp" | "telnet" => {
            let options = Options::read(call.args, &["-u", "-p", "-e", "-c", "-P"], Style::Gnu);
            for arg in options.values(&["-e", "-c"]).cloned().collect::<Vec<_>>() {
                if call.name == "lftp" && arg.as_str().contains("put") {
                    send(walker, "", Origin::PLAIN, arg.range);
                }
            }
            let host = options.first().map_or("", |arg| arg.as_str()).to_owned();
            send(walker, &host, call.input_origin(), call.range);
            Flow::unknown(Origin::FETCHED)
        }
        "rclone"
            if matches!(
                call.args.first().map(Arg::as_str),
                Some("copy" | "copyto" | "sync" | "move" | "moveto")
            ) =>
        {
            let options = Options::read(
                &call.args[1..],
                &["--config", "--include", "--exclude", "--filter"],
                Style::Gnu,
            );
            let moves = call.args[0].as_str() == "sync" || call.args[0].as_str().starts_with("move");
            transfer(walker, call, &options, moves && !options.has_exactly(&["--dry-run", "-n"]))
        }
        _ => return None,
    })
}

const ARIA_FLAGS: &[&str] = &[
    "-o",
    "-d",
    "--out",
    "--dir",
    "-x",
    "-s",
    "-i",
    "--input-file",
    "--conf-path",
    "--torrent-file",
    "--metalink-file",
    "--all-proxy",
    "--http-proxy",
    "--https-proxy",
    "--ftp-proxy",
];

/// The machine or address `text` names, as one that data may go to.
pub fn host_target(text: &str) -> Target {
    url::read(text).recipient()
}

/// Where what comes from `address` came from.
fn origin_of(address: &Address) -> Origin {
    if address.foreign() { Origin::FETCHED } else { Origin::LOCAL }
}

/// Something comes from `url`.
fn fetch(walker: &mut Walker<'_>, url: &Arg<'_>) -> Flow {
    let address = url::read(url.as_str());
    if let Some(path) = &address.path {
        let file = Arg { text: path.clone().into(), ..url.clone() };
        return walker.read(&file).then(walker.content(path));
    }
    let carries = url.origin.has(Origin::SECRET);
    let span = walker.span(url.range);
    let verb = if carries || address.speaks() { Verb::Send } else { Verb::Read };
    let mut effect = address.effect(verb, span);
    if carries {
        effect = effect.manner(Manner::CARRIES_SECRET).undo(Undo::Impossible);
    }
    if !url.known {
        effect = effect.seen(Seen::Likely);
    }
    walker.emit(effect);
    Flow::unknown(origin_of(&address))
}

/// Data of `origin` leaves for `host`.
pub(super) fn send(walker: &mut Walker<'_>, host: &str, origin: Origin, range: (usize, usize)) {
    let span = walker.span(range);
    let mut effect = url::read(host).effect(Verb::Send, span);
    if origin.has(Origin::SECRET) {
        effect = effect.manner(Manner::CARRIES_SECRET).undo(Undo::Impossible);
    }
    walker.emit(effect);
}

const CURL_FLAGS: &[&str] = &[
    "-o",
    "--output",
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "-T",
    "--upload-file",
    "-X",
    "--request",
    "-H",
    "--header",
    "-u",
    "--user",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-b",
    "--cookie",
    "-c",
    "--cookie-jar",
    "-x",
    "--proxy",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "--retry-delay",
    "--retry-max-time",
    "-w",
    "--write-out",
    "-K",
    "--config",
    "--cert",
    "-E",
    "--key",
    "--cacert",
    "--resolve",
    "--interface",
    "--url",
    "-D",
    "--dump-header",
    "--limit-rate",
    "-r",
    "--range",
    "-z",
    "-C",
    "--continue-at",
    "-t",
    "-Q",
    "--oauth2-bearer",
    "--unix-socket",
    "--abstract-unix-socket",
    "--output-dir",
    "-P",
    "-y",
    "-Y",
    "--trace",
    "--trace-ascii",
    "--stderr",
    "--url-query",
    "--variable",
    "--max-redirs",
    "--connect-to",
    "--doh-url",
    "--preproxy",
    "--proxy-user",
    "-U",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
    "--capath",
    "--ciphers",
    "--proxy1.0",
    "--dns-servers",
    "--ipfs-gateway",
];

fn curl(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, CURL_FLAGS, Style::Gnu);
    if !options.has_exactly(&["-q", "--disable"]) {
        moved_settings(walker, call, &["HOME", "XDG_CONFIG_HOME"]);
    }
    let files: Vec<Arg<'_>> = options.values(&["-K", "--config"]).cloned().collect();
    if files.is_empty() {
        return curl_with(walker, call, &options);
    }
    let mut args = call.args.to_vec();
    for file in files {
        let is_input = matches!(file.as_str(), "-" | "/dev/stdin");
        let known = if is_input {
            call.stdin.clone().unwrap_or_else(Flow::empty)
        } else {
            walker.read(&file).then(walker.content(file.as_str()))
        };
        match known.text {
            Some(text) => args.extend(configured(&text).into_iter().map(|word| {
                let literal = Arg::literal(word, file.range);
                Arg { origin: known.origin, ..literal }
            })),
            None => walker.opaque("a file says what curl does, and with whom", file.range),
        }
    }
    let options = Options::read(&args, CURL_FLAGS, Style::Gnu);
    curl_with(walker, call, &options)
}

/// The arguments that a configuration of curl stands for, a line each: `url = "https://…"`, `-d @file`, `silent`.
fn configured(text: &str) -> Vec<String> {
    let mut args = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let end = line.find([' ', '\t', '=', ':']).unwrap_or(line.len());
        let (name, value) = line.split_at(end);
        let value = value.trim_start_matches([' ', '\t', '=', ':']);
        let value = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or("").replace('\\', ""),
            None => value.split_ascii_whitespace().next().unwrap_or("").to_owned(),
        };
        args.push(if name.starts_with('-') { name.to_owned() } else { format!("--{name}") });
        if !value.is_empty() {
            args.push(value);
        }
    }
    args
}

/// One of `variables`, through which a program finds its settings, is another for this call alone.
fn moved_settings(walker: &mut Walker<'_>, call: &Call<'_>, variables: &[&str]) {
    if call.overlay.iter().any(|(name, _)| variables.contains(name)) {
        walker.opaque("settings from a file say where data goes", call.range);
    }
}

/// The options of curl whose value is sent as the body of a request.
const BODIES: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
];

fn curl_with(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>) -> Flow {
    if options.has_exactly(&["--help", "--version", "-V"]) {
        return plain(walker, call);
    }
    let mut urls: Vec<Arg<'_>> = options.operands.iter().map(|arg| (*arg).clone()).collect();
    urls.extend(options.values(&["--url"]).cloned());
    let mut sent = Origin::PLAIN;
    let mut sends = false;
    for (written, value) in &options.flags {
        // `--data-r` stands for `--data-raw`; what is written whole stands for itself.
        let whole = BODIES.iter().find(|flag| **flag == *written);
        let flag = whole.or_else(|| BODIES.iter().find(|flag| abbreviates(written, flag)));
        if let (Some(flag), Some(value)) = (flag, value) {
            sends = true;
            sent = sent.and(value.origin).and(body_origin(walker, call, value, flag));
        }
    }
    for file in options.values(&["-T", "--upload-file"]).cloned().collect::<Vec<_>>() {
        sends = true;
        sent = sent.and(named_content(walker, call, &file));
    }
    for cookies in options.values(&["-b", "--cookie"]).cloned().collect::<Vec<_>>() {
        if !cookies.as_str().contains('=') && !cookies.as_str().is_empty() {
            walker.read(&cookies);
        }
    }
    let method = options.value(&["-X", "--request"]).map(|arg| arg.as_str().to_ascii_uppercase());
    let writes = sends || matches!(method.as_deref(), Some("POST" | "PUT" | "PATCH" | "DELETE"));
    let mut output = Flow::unknown(Origin::PLAIN);
    let globs = !options.has_exactly(&["-g", "--globoff"]);
    let mut addresses: Vec<Arg<'_>> = Vec::with_capacity(urls.len());
    for url in &urls {
        if globs && url.as_str().contains(['{', '[']) {
            let expanded = expanded(url.as_str());
            addresses.extend(expanded.into_iter().map(|text| Arg { text: text.into(), ..url.clone() }));
        } else {
            addresses.push(url.clone());
        }
    }
    if !urls.is_empty() {
        for proxy in options.values(PROXIES).filter(|proxy| !proxy.as_str().is_empty()) {
            send(walker, proxy.as_str(), sent, proxy.range);
        }
        // What is meant for the host of the address goes there, and what comes back comes from there.
        for machine in stand_ins(options) {
            send(walker, machine.as_str(), sent, machine.range);
            addresses.push(machine);
        }
    }
    for path in options.values(&["--unix-socket", "--abstract-unix-socket"]).cloned().collect::<Vec<_>>() {
        socket(walker, &path);
    }
    for url in &addresses {
        if writes {
            output = output.then(request(walker, url, method.as_deref(), sent));
        } else {
            output = output.then(fetch(walker, url));
        }
    }
    if urls.is_empty() {
        plain(walker, call);
    }
    for file in options
        .values(&["-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr"])
        .cloned()
        .collect::<Vec<_>>()
    {
        if file.as_str() != "-" {
            walker.write(&file, Flow::unknown(output.origin), false);
        }
    }
    let mut saved = false;
    for file in options.values(&["-o", "--output"]).cloned().collect::<Vec<_>>() {
        if file.as_str() != "-" {
            saved = true;
            walker.write(&file, Flow::unknown(output.origin), false);
        }
    }
    if options.has(&["-O", "--remote-name", "--remote-name-all"]) {
        saved = true;
        let directory = options.value(&["--output-dir"]).map(|arg| arg.as_str().to_owned());
        save_by_name(walker, &urls, output.origin, directory.as_deref());
    }
    if saved { Flow::empty() } else { Flow::unknown(output.origin) }
}

/// The addresses that curl makes of `{a,b}` and `[1-3]` in a host. Beyond a few, the rest is unknown.
fn expanded(url: &str) -> Vec<String> {
    const ADDRESSES_MAX: usize = 32;
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    let (mut rest, path) = url.split_at(end);
    let mut addresses = vec![String::new()];
    let add = |addresses: &mut Vec<String>, text: &str| {
        addresses.iter_mut().for_each(|address| address.push_str(text));
    };
    while let Some(at) = rest.find(['{', '[']) {
        let (before, pattern) = rest.split_at(at);
        add(&mut addresses, before);
        let close = if pattern.starts_with('{') { '}' } else { ']' };
        let Some(length) = pattern.find(close) else {
            rest = pattern;
            break;
        };
        let inner = &pattern[1..length];
        let choices = if close == '}' { inner.split(',').map(str::to_owned).collect() } else { range(inner) };
        if choices.is_empty() {
            // An address in brackets.
            add(&mut addresses, &pattern[..=length]);
        } else if addresses.len() * choices.len() > ADDRESSES_MAX {
            add(&mut addresses, HOLE.encode_utf8(&mut [0; 4]));
        } else {
            addresses = addresses
                .iter()
                .flat_map(|address| choices.iter().map(move |choice| format!("{address}{choice}")))
                .collect();
        }
        rest = &pattern[length + 1..];
    }
    add(&mut addresses, rest);
    add(&mut addresses, path);
    addresses
}

/// What `1-3` or `a-c` runs through, unknown if that is long; nothing if it is no range.
fn range(text: &str) -> Vec<String> {
    const LENGTH_MAX: u32 = 16;
    let Some((from, to)) = text.split(':').next().and_then(|range| range.split_once('-')) else {
        return Vec::new();
    };
    let letter = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic).map(u32::from);
    let bounds = match (from.parse::<u32>(), to.parse::<u32>(), letter(from), letter(to)) {
        (Ok(from), Ok(to), ..) => Some((from, to, false)),
        (_, _, Some(from), Some(to)) => Some((from, to, true)),
        _ => None,
    };
    match bounds {
        Some((from, to, letters)) if from <= to && to - from < LENGTH_MAX => (from..=to)
            .map(
                |number| {
                    if letters { char::from_u32(number).unwrap_or(HOLE).into() } else { number.to_string() }
                },
            )
            .collect(),
        _ => vec![HOLE.to_string()],
    }
}

/// Options of curl that name a machine which sees what is asked for.
const PROXIES: &[&str] = &[
    "-x",
    "--proxy",
    "--proxy1.0",
    "--preproxy",
    "--socks4",
    "--socks4a",
    "--socks5",
    "--socks5-hostname",
    "--doh-url",
    "--dns-servers",
    "--ipfs-gateway",
];

/// The machines that a request goes to instead of the host of its address.
fn stand_ins<'r>(options: &Options<'r>) -> Vec<Arg<'r>> {
    let mut machines: Vec<Arg<'r>> = Vec::new();
    let mut add = |arg: &Arg<'r>, host: &str| {
        if !host.is_empty() {
            machines.push(Arg { text: host.to_owned().into(), ..arg.clone() });
        }
    };
    for arg in options.values(&["--connect-to"]) {
        // `name:port:host:port`, where a host may hold colons in brackets.
        let before = arg.as_str().rsplit_once(':').map_or("", |(before, _)| before);
        let bracket = before.rfind('[').filter(|_| before.ends_with(']'));
        add(arg, bracket.map_or_else(|| before.rsplit(':').next().unwrap_or(""), |at| &before[at..]));
    }
    for arg in options.values(&["--resolve"]) {
        for host in arg.as_str().splitn(3, ':').nth(2).unwrap_or("").split(',') {
            add(arg, host);
        }
    }
    machines
}

fn plain(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let span = walker.span(call.range);
    walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    Flow::unknown(Origin::PLAIN)
}

/// Where the body of a request comes from: `@file`, `@-`, `name=@file`, or the words themselves.
fn body_origin(walker: &mut Walker<'_>, call: &Call<'_>, value: &Arg<'_>, flag: &str) -> Origin {
    let text = value.as_str();
    let form = matches!(flag, "-F" | "--form");
    if matches!(flag, "--data-raw" | "--form-string") {
        return Origin::PLAIN;
    }
    let file = if form {
        text.find("=@").or_else(|| text.find("=<")).map(|at| at + 2)
    } else if text.starts_with('@') {
        Some(1)
    } else if flag == "--data-urlencode" {
        text.find('@').map(|at| at + 1)
    } else {
        None
    };
    let Some(from) = file else { return Origin::PLAIN };
    let mut origin = Origin::PLAIN;
    for name in text[from..].split(',') {
        let name = name.split(';').next().unwrap_or("");
        let arg = Arg { text: name.to_owned().into(), ..value.clone() };
        origin = origin.and(named_content(walker, call, &arg));
    }
    origin
}

fn named_content(walker: &mut Walker<'_>, call: &Call<'_>, file: &Arg<'_>) -> Origin {
    if matches!(file.as_str(), "-" | "." | "/dev/stdin") {
        return call.input_origin();
    }
    walker.read(file).origin.and(walker.content(file.as_str()).origin)
}

/// A request that changes something or carries data; gives what comes back.
fn request(walker: &mut Walker<'_>, url: &Arg<'_>, method: Option<&str>, sent: Origin) -> Flow {
    let address = url::read(url.as_str());
    if let Some(path) = &address.path {
        let file = Arg { text: path.clone().into(), ..url.clone() };
        walker.write(&file, Flow::unknown(sent), false);
        return Flow::empty();
    }
    let span = walker.span(url.range);
    let mut effect = match method {
        Some("DELETE") => address
            .effect(Verb::Delete, span)
            .undo(Undo::Impossible)
            .words("deletes something through an HTTP interface"),
        _ => address.effect(Verb::Send, span),
    };
    if sent.has(Origin::SECRET) || url.origin.has(Origin::SECRET) {
        effect = effect.manner(Manner::CARRIES_SECRET).undo(Undo::Impossible);
    }
    if !url.known {
        effect = effect.seen(Seen::Likely);
    }
    walker.emit(effect);
    Flow::unknown(origin_of(&address))
}

fn save_by_name(walker: &mut Walker<'_>, urls: &[Arg<'_>], origin: Origin, directory: Option<&str>) {
    for url in urls {
        let path = url.as_str().split(['?', '#']).next().unwrap_or("");
        let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("index.html");
        let path = directory.map_or_else(
            || name.to_owned(),
            |directory| format!("{}/{name}", directory.trim_end_matches('/')),
        );
        let file = Arg { text: path.into(), ..url.clone() };
        walker.write(&file, Flow::unknown(origin), false);
    }
}

const WGET_FLAGS: &[&str] = &[
    "-O",
    "--output-document",
    "-P",
    "--directory-prefix",
    "--post-data",
    "--post-file",
    "--body-data",
    "--body-file",
    "--method",
    "--header",
    "-U",
    "--user-agent",
    "-o",
    "--output-file",
    "-a",
    "-t",
    "--tries",
    "-T",
    "--timeout",
    "--user",
    "--password",
    "-i",
    "--input-file",
    "-A",
    "-R",
    "-l",
    "--level",
    "-w",
    "--wait",
    "--limit-rate",
    "-e",
    "--execute",
    "-D",
    "--load-cookies",
    "--ca-certificate",
    "-Q",
    "--referer",
    "-B",
    "-X",
    "-I",
    "--use-askpass",
    "--config",
    "--base",
];

fn wget(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, WGET_FLAGS, Style::Gnu);
    if !options.has_exactly(&["--no-config"]) {
        moved_settings(walker, call, &["HOME"]);
    }
    if options.has_exactly(&["--help", "--version", "-V"]) {
        return plain(walker, call);
    }
    let files: Vec<Arg<'_>> = options.values(&["--post-file", "--body-file"]).cloned().collect();
    let mut sent = Origin::PLAIN;
    let sends = !files.is_empty() || options.has(&["--post-data", "--body-data"]);
    for file in &files {
        sent = sent.and(named_content(walker, call, file));
    }
    for data in options.values(&["--post-data", "--body-data"]) {
        sent = sent.and(data.origin);
    }
    for setting in options.values(&["-e", "--execute"]).cloned().collect::<Vec<_>>() {
        proxies::wget_setting(walker, &setting);
    }
    if options.has(&["--config"]) {
        walker.opaque("settings of wget from a file", call.range);
    }
    for askpass in options.values(&["--use-askpass"]).cloned().collect::<Vec<_>>() {
        walker.nested(askpass.as_str(), askpass.range, None);
    }
    let method = options.value(&["--method"]).map(|arg| arg.as_str().to_ascii_uppercase());
    let mut origin = Origin::PLAIN;
    let mut urls: Vec<Arg<'_>> = options.operands.iter().map(|arg| (*arg).clone()).collect();
    for list in options.values(&["-i", "--input-file"]).cloned().collect::<Vec<_>>() {
        let is_input = list.as_str() == "-";
        let known = if is_input {
            call.stdin.clone().unwrap_or_else(Flow::empty)
        } else {
            walker.read(&list).then(walker.content(list.as_str()))
        };
        let lines = known.text.unwrap_or_else(|| HOLE.to_string());
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        urls.extend(lines.map(|line| Arg {
            text: line.to_owned().into(),
            origin: known.origin,
            ..list.clone()
        }));
    }
    for url in &urls {
        if sends || matches!(method.as_deref(), Some("POST" | "PUT" | "PATCH" | "DELETE")) {
            origin = origin.and(request(walker, url, method.as_deref(), sent).origin);
        } else {
            origin = origin.and(fetch(walker, url).origin);
        }
    }
    // A cluster such as `-qO-` ends in the value.
    match options.value(&["-O", "--output-document"]).cloned() {
        Some(file) if matches!(file.as_str(), "-" | "/dev/stdout") => Flow::unknown(origin),
        Some(file) => {
            walker.write(&file, Flow::unknown(origin), false);
            Flow::empty()
        }
        None => {
            if !options.has(&["--spider"]) {
                let directory =
                    options.value(&["-P", "--directory-prefix"]).map(|arg| arg.as_str().to_owned());
                save_by_name(walker, &urls, origin, directory.as_deref());
            }
            Flow::unknown(origin)
        }
    }
}

fn httpie(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(
        call.args,
        &["-a", "--auth", "-o", "--output", "--session", "-A", "--proxy"],
        Style::Gnu,
    );
    for proxy in options.values(&["--proxy"]).cloned().collect::<Vec<_>>() {
        // `protocol:address`, such as `http:http://proxy:3128`; xh has `all:`.
        let text = proxy.as_str();
        let address = match text.split_once(':') {
            Some(("http" | "https" | "all", rest)) if !rest.starts_with("//") => rest,
            _ => text,
        };
        proxies::passes(walker, address, proxy.range);
    }
    let mut operands = options.operands.iter().peekable();
    let method = operands
        .next_if(|arg| {
            matches!(arg.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS")
        })
        .map(|arg| arg.as_str());
    let Some(url) = operands.next() else { return plain(walker, call) };
    // `:3000/x` is short for this machine.
    let short = url.as_str().strip_prefix(':').map(|rest| {
        let port = if rest.starts_with(|letter: char| letter.is_ascii_digit()) { ":" } else { "" };
        Arg { text: format!("localhost{port}{rest}").into(), ..(*url).clone() }
    });
    let url = short.as_ref().unwrap_or(url);
    let items: Vec<_> = operands.collect();
    let mut sent = call.input_origin();
    let mut sends = call.stdin.is_some() || matches!(method, Some("POST" | "PUT" | "PATCH" | "DELETE"));
    for item in items {
        sends |= item.as_str().contains('=') && !item.as_str().contains("==");
        if let Some((_, file)) = item.as_str().split_once('@') {
            sends = true;
            let file = Arg { text: file.to_owned().into(), ..(*item).clone() };
            sent = sent.and(walker.read(&file).origin);
        }
        sent = sent.and(item.origin);
    }
    if sends && method != Some("GET") { request(walker, url, method, sent) } else { fetch(walker, url) }
}

const NETCAT_FLAGS: &[&str] = &[
    "-e",
    "-c",
    "--exec",
    "--sh-exec",
    "--lua-exec",
    "-p",
    "-s",
    "-w",
    "-q",
    "-i",
    "-x",
    "-X",
    "-I",
    "-O",
    "-T",
    "-o",
    "--source-port",
    "--proxy",
    "--wait",
];

fn netcat(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, NETCAT_FLAGS, Style::Gnu);
    let runs = options.has(&["-e", "-c", "--exec", "--sh-exec", "--lua-exec"]);
    if options.has(&["-U", "--unixsock"])
        && let Some(path) = options.first().cloned()
    {
        socket(walker, &path);
    }
    for proxy in options.values(&["-x", "--proxy"]).cloned().collect::<Vec<_>>() {
        proxies::passes(walker, proxy.as_str(), proxy.range);
    }
    let listens = options.has(&["-l", "--listen"]);
    // Who listens names a port of their own; the other end is whoever comes.
    let host = options.first().filter(|_| !listens).map_or("", |arg| arg.as_str()).to_owned();
    if runs {
        remote_control(walker, &host, call.range);
    }
    if !options.has(&["-z"]) {
        if call.stdin.is_some() || !listens {
            send(walker, &host, call.input_origin(), call.range);
        } else {
            let span = walker.span(call.range);
            let target = Target::new(TargetKind::Host, "whoever connects").at(Place::Away);
            walker.emit(Effect::new(Verb::Read, target, span));
        }
        return Flow::unknown(Origin::FETCHED);
    }
    plain(walker, call)
}

/// Speaks to whoever listens on a socket of this machine; worth naming if that is more than ordinary.
fn socket(walker: &mut Walker<'_>, path: &Arg<'_>) {
    let (target, found) = walker.path_target(path.as_str());
    if found.sensitivity > Sensitivity::None {
        let span = walker.span(path.range);
        let effect = Effect::new(Verb::Send, target, span);
        walker.emit(match found.what {
            Some(what) => effect.words(what),
            None => effect,
        });
    }
}

/// A shell, or any program, at the other end of a connection.
pub fn remote_control(walker: &mut Walker<'_>, host: &str, range: (usize, usize)) {
    let span = walker.span(range);
    let mut target = host_target(host);
    target.place = Place::Away;
    let effect = Effect::new(Verb::Grant, target, span)
        .undo(Undo::Impossible)
        .extent(Extent::Unbounded)
        .manner(Manner::REMOTE_CONTROL)
        .words("lets whoever is at the other end run commands here");
    walker.emit(effect);
}

fn socat(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &["-t", "-T", "-b", "-lf", "-r", "-R"], Style::Gnu);
    let mut secret = call.input_origin();
    let mut remote = None;
    let mut command = None;
    for arg in &options.operands {
        for part in arg.as_str().split("!!") {
            let (kind, rest) = part.split_once(':').unwrap_or((part, ""));
            let kind = kind.to_ascii_uppercase();
            let rest_plain: String =
                rest.chars().filter(|letter| !matches!(letter, '"' | '\'' | '\\')).collect();
            if kind.starts_with("EXEC") || kind.starts_with("SYSTEM") || kind.starts_with("SHELL") {
                let text = if rest.contains("\\ ") || rest.contains('"') {
                    rest_plain.clone()
                } else {
                    rest.to_owned()
                };
                command = Some((text.split(",pty").next().unwrap_or("").to_owned(), arg.range));
            } else if kind.starts_with("TCP")
                || kind.starts_with("UDP")
                || kind.starts_with("OPENSSL")
                || kind.starts_with("SSL")
                || kind.starts_with("PROXY")
                || kind.starts_with("SOCKS")
                || kind.starts_with("VSOCK")
                || kind.starts_with("SCTP")
            {
                if kind.starts_with("PROXY") || kind.starts_with("SOCKS") {
                    // `PROXY:proxy:host:port`
                    let mut machines = rest_plain.split(':');
                    proxies::passes(walker, machines.next().unwrap_or(""), arg.range);
                    remote = Some(machines.next().unwrap_or("").to_owned());
                } else {
                    remote = Some(rest_plain);
                }
            } else if matches!(kind.as_str(), "OPEN" | "FILE" | "GOPEN") {
                let file = Arg {
                    text: rest_plain.split(',').next().unwrap_or("").to_owned().into(),
                    ..(*arg).clone()
                };
                secret = secret.and(walker.read(&file).origin);
            } else if kind.starts_with("UNIX") || kind.starts_with("ABSTRACT") {
                let path = rest_plain.split(',').next().unwrap_or("").to_owned();
                socket(walker, &Arg { text: path.into(), ..(*arg).clone() });
            } else if kind.starts_with("CREAT") {
                let file = Arg { text: rest_plain.into(), ..(*arg).clone() };
                walker.write(&file, Flow::unknown(secret), false);
            } else if kind.starts_with("FD") {
                if let Some(super::super::env::Channel::Network(host)) =
                    walker.env.descriptors.get(rest).cloned()
                {
                    remote = Some(host);
                }
            } else if rest.is_empty() && part.contains('/') {
                let file = Arg { text: part.to_owned().into(), ..(*arg).clone() };
                secret = secret.and(walker.read(&file).origin);
            }
        }
    }
    let interactive = command.is_some();
    if let Some((text, range)) = command {
        let output = walker.nested(&text, range, Some(Flow::unknown(secret)));
        secret = secret.and(output.origin);
        if remote.is_none() {
            return Flow::unknown(secret);
        }
    }
    if let Some(host) = remote {
        if interactive && !secret.has(Origin::SECRET) {
            remote_control(walker, &host, call.range);
        } else {
            send(walker, &host, secret, call.range);
        }
        return Flow::unknown(Origin::FETCHED);
    }
    plain(walker, call)
}

const SCP_FLAGS: &[&str] = &["-i", "-P", "-o", "-F", "-c", "-l", "-S", "-J", "-b", "-D"];

fn scp(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, SCP_FLAGS, Style::Gnu);
    for arg in options.values(&["-o"]).cloned().collect::<Vec<_>>() {
        proxies::ssh_setting(walker, &arg);
    }
    for arg in options.values(&["-J"]).cloned().collect::<Vec<_>>() {
        proxies::jumps(walker, arg.as_str(), arg.range);
    }
    if options.has_exactly(&["-F"]) {
        walker.opaque("settings of ssh from a file", call.range);
    }
    for arg in options.values(&["-S"]).cloned().collect::<Vec<_>>() {
        walker.nested(arg.as_str(), arg.range, None);
    }
    transfer(walker, call, &options, false)
}

const RSYNC_FLAGS: &[&str] = &[
    "-e",
    "--rsh",
    "--rsync-path",
    "--exclude",
    "--include",
    "--filter",
    "-f",
    "--exclude-from",
    "--include-from",
    "--files-from",
    "--bwlimit",
    "--backup-dir",
    "--suffix",
    "--port",
    "--password-file",
    "--log-file",
    "-T",
    "--temp-dir",
    "--compare-dest",
    "--link-dest",
    "--chmod",
    "--chown",
    "-B",
    "--max-size",
    "--min-size",
    "--timeout",
    "-M",
    "--remote-option",
];

pub fn rsync(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, RSYNC_FLAGS, Style::Gnu);
    for shell in options.values(&["-e", "--rsh"]).cloned().collect::<Vec<_>>() {
        walker.nested(shell.as_str(), shell.range, None);
    }
    if options.has_exactly(&["-n", "--dry-run"]) {
        return plain(walker, call);
    }
    let deletes = options.flags.iter().any(|(flag, _)| {
        matches!(
            *flag,
            "--delete"
                | "--del"
                | "--delete-before"
                | "--delete-during"
                | "--delete-delay"
                | "--delete-after"
                | "--remove-source-files"
                | "--delete-excluded"
        )
    });
    transfer(walker, call, &options, deletes)
}

/// Copies operands to the last one; either may be `host:path`.
fn transfer(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>, deletes: bool) -> Flow {
    let Some((destination, sources)) = options.operands.split_last() else { return plain(walker, call) };
    let mut content = Flow::unknown(Origin::PLAIN);
    for source in sources {
        match remote_part(source.as_str()) {
            Some(host) => {
                let span = walker.span(source.range);
                walker.emit(url::read(host).effect(Verb::Read, span));
                content = content.then(Flow::unknown(Origin::FETCHED));
            }
            None => {
                content = content.then(walker.read(source)).then(walker.content(source.as_str()));
            }
        }
    }
    match remote_part(destination.as_str()) {
        Some(host) => send(walker, host, content.origin, destination.range),
        None => walker.write(destination, Flow::unknown(content.origin), true),
    }
    if deletes {
        let target = match remote_part(destination.as_str()) {
            Some(host) => host_target(host),
            None => walker.path_target(destination.as_str()).0,
        };
        let span = walker.span(destination.range);
        let effect = Effect::new(Verb::Delete, target, span)
            .extent(Extent::Unbounded)
            .undo(Undo::Impossible)
            .words("deletes whatever the source does not have");
        walker.emit(effect);
    }
    Flow::empty()
}

/// The host of `user@host:path`.
fn remote_part(text: &str) -> Option<&str> {
    if text.contains("://") {
        return Some(text);
    }
    let (host, _) = text.split_once(':')?;
    let drive = host.len() == 1 && text[2..].starts_with(['/', '\\']);
    (!host.is_empty() && !host.contains('/') && !drive).then_some(host)
}
