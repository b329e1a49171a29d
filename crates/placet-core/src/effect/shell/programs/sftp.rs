//! `sftp`: a session with another machine, whose commands come from a file, a pipe or a terminal.

use super::{
    Call,
    network::send,
    options::{Options, Style},
    proxies,
};
use crate::effect::{
    Verb,
    shell::{
        flow::{Arg, Flow, Origin},
        walk::Walker,
    },
    url,
};

const FLAGS: &[&str] = &["-B", "-b", "-c", "-D", "-F", "-i", "-J", "-l", "-o", "-P", "-R", "-S", "-s", "-X"];

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, FLAGS, Style::Gnu);
    for arg in options.values(&["-o"]).cloned().collect::<Vec<_>>() {
        proxies::ssh_setting(walker, &arg);
    }
    for arg in options.values(&["-J"]).cloned().collect::<Vec<_>>() {
        proxies::jumps(walker, arg.as_str(), arg.range);
    }
    for arg in options.values(&["-S", "-D"]).cloned().collect::<Vec<_>>() {
        walker.nested(arg.as_str(), arg.range, None);
    }
    for arg in options.values(&["-F"]).cloned().collect::<Vec<_>>() {
        walker.opaque("settings of ssh from a file", arg.range);
    }
    let mut commands = call.stdin.clone();
    if let Some(batch) = options.value(&["-b"]).cloned().filter(|batch| batch.as_str() != "-") {
        commands = Some(walker.read(&batch).then(walker.content(batch.as_str())));
    }
    let mut operands = options.operands.iter();
    let Some(machine) = operands.next() else {
        super::wrappers::nothing(walker, call);
        return Flow::empty();
    };
    let machine = machine.as_str();
    let plain = machine.strip_prefix("sftp://").map_or(machine, |rest| rest.split('/').next().unwrap_or(""));
    let host = match plain.starts_with('[') || plain.contains("]:") {
        true => plain,
        false => plain.split(':').next().unwrap_or(plain),
    };
    let fetches = plain.len() > host.len() || machine.len() > plain.len() + "sftp://".len();
    let origin = commands.as_ref().map_or(Origin::PLAIN, |commands| sent_by(walker, call, commands));
    if fetches && commands.is_none() {
        let span = walker.span(call.range);
        walker.emit(url::read(host).effect(Verb::Read, span));
        let into = operands.next().copied().cloned();
        let into = into.unwrap_or_else(|| Arg { text: ".".into(), ..call.args[0].clone() });
        walker.write(&into, Flow::unknown(Origin::FETCHED), true);
    } else {
        // In a session, anything may be put there.
        send(walker, host, origin, call.range);
    }
    Flow::unknown(Origin::FETCHED)
}

/// Where the data comes from that `commands` put on the other machine; local commands among them run.
fn sent_by(walker: &mut Walker<'_>, call: &Call<'_>, commands: &Flow) -> Origin {
    let Some(text) = commands.text.clone() else { return commands.origin };
    let mut origin = commands.origin;
    for line in text.lines() {
        let line = line.trim_start().trim_start_matches(['-', '@']).trim();
        if let Some(command) = line.strip_prefix('!') {
            walker.nested(command, call.range, None);
            continue;
        }
        let mut words = line.split_ascii_whitespace();
        if !matches!(words.next(), Some("put" | "reput" | "mput")) {
            continue;
        }
        if let Some(file) = words.find(|word| !word.starts_with('-')) {
            let file = file.trim_matches(['"', '\'']).to_owned();
            let file = Arg::literal(&file, call.range);
            origin = origin.and(walker.read(&file).origin).and(walker.content(file.as_str()).origin);
        }
    }
    origin
}
