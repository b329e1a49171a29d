//! `tar` and `zip`: what is packed, unpacked, and gone once it is packed.

use super::{
    Call,
    files::{delete, delete_with},
    options::{Options, Style},
};
use crate::effect::{
    Effect, Extent, Place, Sensitivity, Undo, Verb, path,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
};

const TAR_FLAGS: &[&str] = &[
    "-f",
    "--file",
    "-C",
    "--directory",
    "-T",
    "--files-from",
    "-X",
    "--exclude-from",
    "--exclude",
    "--transform",
    "-I",
    "--use-compress-program",
    "--to-command",
    "--checkpoint-action",
    "-F",
    "--info-script",
    "--new-volume-script",
    "--rsh-command",
    "--strip-components",
    "-b",
    "--owner",
    "--group",
    "--mode",
    "--mtime",
];

pub fn tar(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    // `tar czf x` is `tar -czf x`.
    let mut args: Vec<Arg<'_>> = call.args.to_vec();
    if let Some(first) = args.first_mut()
        && !first.as_str().starts_with('-')
        && first.as_str().bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        *first = Arg { text: format!("-{}", first.as_str()).into(), ..first.clone() };
    }
    if let Some(more) = call
        .overlay
        .iter()
        .find(|(name, _)| *name == "TAR_OPTIONS")
        .map(|(_, value)| value.clone())
        .or_else(|| walker.env.value("TAR_OPTIONS"))
    {
        let text = more.text.unwrap_or_else(|| HOLE.to_string());
        for (at, word) in text.split_whitespace().enumerate() {
            args.insert(at, Arg::literal(word.to_owned(), call.range));
        }
        if text.contains(HOLE) {
            walker.opaque("options of tar that are only known when it runs", call.range);
        }
    }
    let options = Options::read(&args, TAR_FLAGS, Style::Gnu);
    for flag in [
        "-I",
        "--use-compress-program",
        "--to-command",
        "-F",
        "--info-script",
        "--new-volume-script",
        "--rsh-command",
    ] {
        let commands: Vec<Arg<'_>> = options.values(&[flag]).cloned().collect();
        for command in commands {
            walker.nested(command.as_str(), command.range, None);
        }
    }
    let actions: Vec<Arg<'_>> = options.values(&["--checkpoint-action"]).cloned().collect();
    for action in actions {
        if let Some(command) = action.as_str().strip_prefix("exec=") {
            walker.nested(command, action.range, None);
        }
    }
    let archive = options.value(&["-f", "--file"]).cloned();
    let creates = options.has(&["-c", "--create", "-r", "--append", "-u", "--update"]);
    if creates {
        let directory = options.value(&["-C", "--directory"]).map(|arg| arg.as_str().to_owned());
        let mut origin = Origin::PLAIN;
        for arg in &options.operands {
            let text = match &directory {
                Some(directory) => path::join(directory, arg.as_str()),
                None => arg.as_str().to_owned(),
            };
            let arg = Arg { text: text.into(), ..(*arg).clone() };
            origin = origin.and(walker.read(&arg).origin).and(walker.content(arg.as_str()).origin);
            if looks_like_keys(arg.as_str()) {
                origin = origin.and(Origin::SECRET);
            }
            if options.has(&["--remove-files"]) {
                delete(walker, &arg, true);
            }
        }
        if options.has(&["-T", "--files-from"]) {
            origin = origin.and(Origin::SECRET);
        }
        return match archive {
            Some(archive) if archive.as_str() != "-" => {
                match archive.as_str().split_once(':') {
                    Some((host, _)) if !host.contains('/') && !host.is_empty() => {
                        walker.send(host, origin, archive.range)
                    }
                    _ => walker.write(&archive, Flow::unknown(origin), false),
                }
                Flow::empty()
            }
            _ => Flow::unknown(origin),
        };
    }
    let lists = options.has(&["-t", "--list"]);
    if let Some(archive) = &archive
        && archive.as_str() != "-"
    {
        walker.read(archive);
    }
    if !lists && options.has(&["-x", "--extract", "--get"]) {
        let into =
            options.value(&["-C", "--directory"]).cloned().unwrap_or_else(|| Arg::literal(".", call.range));
        let (target, found) = walker.path_target(into.as_str());
        // What is unpacked over a whole tree may replace anything in it.
        let over = found.broad && found.place != Place::Scratch;
        let target = if over { target.with(Sensitivity::System) } else { target };
        let span = walker.span(into.range);
        walker.emit(Effect::new(Verb::Write, target, span).extent(Extent::Several));
    }
    Flow::unknown(call.input_origin())
}

/// A directory that is kept for keys.
fn looks_like_keys(path: &str) -> bool {
    path.split('/').any(|part| {
        matches!(part, "certs" | "keys" | "secrets" | "private" | "credentials" | ".ssh" | ".aws" | ".gnupg")
    })
}

pub fn zip(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let options = Options::read(call.args, &["-P", "-x", "-i", "-t", "-tt", "-b", "-n"], Style::Gnu);
    let mut origin = Origin::PLAIN;
    for arg in options.operands.iter().skip(1) {
        origin = origin.and(walker.read(arg).origin);
    }
    if options.has(&["-m", "--move"]) {
        for arg in options.operands.iter().skip(1) {
            delete_with(walker, arg, Extent::Several, Undo::Impossible);
        }
    }
    if let Some(archive) = options.first() {
        walker.write(archive, Flow::unknown(origin), true);
    }
    Flow::empty()
}
