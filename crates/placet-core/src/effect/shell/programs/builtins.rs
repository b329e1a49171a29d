//! What the shell does itself.

use super::Call;
use crate::effect::{
    Effect, Target, TargetKind, Verb,
    shell::{
        flow::{Flow, Origin},
        walk::Walker,
    },
};

/// The programs that [`run`] may know.
pub const NAMES: &str = "\
    cd pushd chdir popd set shift compgen complete export declare typeset let test [ [[ local readonly shopt \
    return break continue wait jobs fg bg umask ulimit getopts disown enable bind compopt exit logout times \
    caller dirs suspend : true false unalias setopt unsetopt autoload unset read mapfile readarray hash \
    alias trap";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "cd" | "pushd" | "chdir" => {
            let to = call.args.iter().find(|arg| !arg.as_str().starts_with('-') || arg.as_str() == "-");
            let moved = call.overlay.iter().any(|(name, _)| *name == "CDPATH");
            // Without an operand `pushd` goes back to where it was, `cd` home.
            match to.map(|arg| arg.as_str()) {
                Some(to) if !(moved || call.name == "pushd" && to.starts_with('+')) => {
                    walker.change_directory(Some(to))
                }
                None if call.name != "pushd" => walker.change_directory(None),
                Some(_) | None => walker.change_directory(Some("-")),
            }
            Some(quiet(walker, call))
        }
        "popd" => {
            walker.change_directory(Some("-"));
            Some(quiet(walker, call))
        }
        "set" => {
            if let Some(at) = call.args.iter().position(|arg| arg.as_str() == "--") {
                let values = call.args[at + 1..].iter();
                let values =
                    values.map(|arg| Flow { text: Some(arg.text.clone().into_owned()), origin: arg.origin });
                walker.env.positional = Some(values.collect());
            }
            let output = quiet(walker, call);
            // Alone it prints every variable there is.
            Some(if call.args.is_empty() { Flow::unknown(Origin::SECRET) } else { output })
        }
        "shift" => {
            let count = call.args.first().map_or(Some(1), |arg| arg.as_str().parse::<usize>().ok());
            if let (Some(values), Some(count)) = (&mut walker.env.positional, count) {
                values.drain(..count.min(values.len()));
            }
            Some(quiet(walker, call))
        }
        "compgen" | "complete" => {
            completions(walker, call);
            Some(quiet(walker, call))
        }
        "export" | "declare" | "typeset"
            if call.args.iter().all(|arg| arg.as_str() == "-p" || arg.as_str() == "-x") =>
        {
            quiet(walker, call);
            Some(Flow::unknown(Origin::SECRET))
        }
        "let" | "test" | "[" | "[[" | "declare" | "typeset" | "local" => {
            walker.check_evaluated(call.args);
            Some(quiet(walker, call))
        }
        "export" | "readonly" | "shopt" | "return" | "break" | "continue" | "wait" | "jobs" | "fg" | "bg"
        | "umask" | "ulimit" | "getopts" | "disown" | "enable" | "bind" | "compopt" | "exit" | "logout"
        | "times" | "caller" | "dirs" | "suspend" | ":" | "true" | "false" | "unalias" | "setopt"
        | "unsetopt" | "autoload" => Some(quiet(walker, call)),
        "unset" => {
            walker.check_evaluated(call.args);
            for arg in call.args.iter().filter(|arg| !arg.as_str().starts_with('-')) {
                walker.env.set(arg.as_str(), vec![Flow::empty()], walker.is_conditional());
            }
            Some(quiet(walker, call))
        }
        "read" | "mapfile" | "readarray" => {
            walker.check_evaluated(call.args);
            if call.name != "read" {
                completions(walker, call);
            }
            let mut value = call.stdin.clone().unwrap_or_else(|| Flow::unknown(Origin::PLAIN));
            if let Some(at) = call.args.iter().position(|arg| arg.as_str() == "-u") {
                let fd = call.args.get(at + 1).map(|arg| arg.as_str().to_owned());
                if let Some(crate::effect::shell::env::Channel::Source(flow)) =
                    fd.and_then(|fd| walker.env.descriptors.get(&fd))
                {
                    value = flow.clone();
                }
            }
            if let Some(text) = &mut value.text {
                text.truncate(text.lines().next().unwrap_or("").len());
            }
            for arg in call.args.iter().filter(|arg| !arg.as_str().starts_with('-')) {
                walker.env.set(arg.as_str(), vec![value.clone()], walker.is_conditional());
            }
            Some(quiet(walker, call))
        }
        "hash" => {
            if let [flag, path, name] = call.args
                && flag.as_str() == "-p"
            {
                let body = format!("{} \"$@\"", path.as_str());
                walker.env.functions.insert(name.as_str().to_owned(), body);
                walker.env.hashed.push(name.as_str().to_owned());
            }
            Some(quiet(walker, call))
        }
        "alias" => {
            for arg in call.args {
                if let Some((name, body)) = arg.as_str().split_once('=') {
                    walker.env.functions.entry(name.to_owned()).or_insert_with(|| format!("{body} \"$@\""));
                }
            }
            Some(quiet(walker, call))
        }
        "trap" => {
            // The handler runs later, so it counts now.
            if let Some(handler) = call.args.iter().find(|arg| !arg.as_str().starts_with('-'))
                && call.args.len() > 1
                && !handler.as_str().is_empty()
            {
                walker.nested_here(handler.as_str(), handler.range, None);
            }
            Some(quiet(walker, call))
        }
        _ => None,
    }
}

/// `-C command` and `-F function` run while words are completed or lines are read.
fn completions(walker: &mut Walker<'_>, call: &Call<'_>) {
    for (at, flag) in call.args.iter().enumerate() {
        let Some(value) = call.args.get(at + 1) else { break };
        match flag.as_str() {
            "-C" => {
                walker.nested_here(value.as_str(), value.range, None);
            }
            "-F" => {
                walker.call(value.as_str(), &[], value.range, None);
            }
            "-W" => walker.check_evaluated(std::slice::from_ref(value)),
            _ => {}
        }
    }
}

fn quiet(walker: &mut Walker<'_>, call: &Call<'_>) -> Flow {
    let span = walker.span(call.range);
    walker.emit(Effect::new(Verb::Read, Target::new(TargetKind::Command, call.name), span));
    Flow::empty()
}
