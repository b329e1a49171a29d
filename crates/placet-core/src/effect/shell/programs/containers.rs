//! `docker`, `kubectl` and their kin: what runs inside, and what of this machine it gets to see.

use super::{
    Call,
    options::Options,
    wrappers::{elevated, nothing},
};
use crate::effect::{
    Effect, Manner, Place, Sensitivity, Undo, Verb,
    shell::{
        flow::{Arg, Flow, HOLE, Origin},
        walk::Walker,
    },
};

const EXEC_FLAGS: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "--detach-keys",
    "-n",
    "--namespace",
    "-c",
    "--container",
    "--context",
    "--kubeconfig",
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--index",
    "-H",
    "--host",
    "-l",
    "--log-level",
    "--config",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "--publish",
    "--cpus",
    "-m",
    "--memory",
    "--gpus",
    "--platform",
    "--device",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--pid",
    "--ipc",
    "--uts",
    "--userns",
    "--hostname",
    "-h",
    "--add-host",
    "--label",
    "--link",
    "--log-driver",
    "--restart",
    "--shm-size",
    "--tmpfs",
    "--ulimit",
    "--volumes-from",
    "--pull",
    "--profile",
    "--image",
    "--target",
    "--cidfile",
    "--dns",
    "--expose",
    "--group-add",
    "--health-cmd",
    "--ip",
    "--mac-address",
    "--stop-signal",
    "--runtime",
    "--sysctl",
    "--annotation",
    "-a",
    "--attach",
    "--user",
];

/// `docker exec`, `docker run`, `kubectl exec`: the command inside, and the table for the rest.
pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    let (_, mut at) = Options::leading(call.args, EXEC_FLAGS);
    while call.args.get(at).is_some_and(|arg| matches!(arg.as_str(), "container" | "compose")) {
        at += 1;
        at += Options::leading(&call.args[at..], EXEC_FLAGS).1;
    }
    let sub = call.args.get(at)?.as_str();
    if !matches!(sub, "exec" | "run") {
        super::recipes::from_the_network(walker, call);
        return None;
    }
    let rest = &call.args[at + 1..];
    let (options, flags) = Options::leading(rest, EXEC_FLAGS);
    let after = rest.get(flags + 1..).unwrap_or(&[]);
    // `kubectl exec pod -it -- command`
    let command = match matches!(call.name, "kubectl" | "k" | "oc") {
        true => match after.iter().position(|arg| arg.as_str() == "--") {
            Some(dashes) => &after[dashes + 1..],
            None => &after[Options::leading(after, EXEC_FLAGS).1..],
        },
        // Dashes behind the container are the command's own: `docker exec web sh -s -- x`.
        false => after,
    };
    if options.has_exactly(&["--help"]) || (command.is_empty() && sub == "exec") {
        return None;
    }
    let output = super::table::run(walker, call);
    if sub == "exec" && output.is_none() {
        nothing(walker, call);
    }
    if sub == "run" {
        let mounts = mounts(walker, &options);
        if let Some(command) = within_mounts(&mounts, command) {
            elevated(walker, Manner::HIDDEN, |walker| {
                walker.in_subshell(|walker| super::run(walker, &command, &[], call.range, None))
            });
        }
    }
    // A fresh container has only what is mounted into it.
    if sub == "exec" && !command.is_empty() {
        return Some(elevated(walker, Manner::REMOTE, |walker| {
            walker.in_subshell(|walker| super::run(walker, command, &[], call.range, call.stdin.clone()))
        }));
    }
    Some(output.unwrap_or_else(|| Flow::unknown(Origin::PLAIN)))
}

/// What is mounted into a container: where it lies here, and where it stands in there.
fn mounts(walker: &mut Walker<'_>, options: &Options<'_>) -> Vec<(String, String)> {
    let mut mounts = Vec::new();
    for arg in options.values(&["-v", "--volume", "--mount"]).cloned().collect::<Vec<_>>() {
        let text = arg.as_str();
        let field = |names: &[&str]| {
            text.split(',').find_map(|part| {
                let (name, value) = part.split_once('=')?;
                names.contains(&name).then_some(value)
            })
        };
        let mount = match field(&["source", "src"]) {
            Some(source) => field(&["target", "dst", "destination"]).map(|target| (source, target)),
            None => {
                text.split_once(':').map(|(source, rest)| (source, rest.split(':').next().unwrap_or(rest)))
            }
        };
        let Some((source, target)) = mount else { continue };
        if !source.starts_with(['/', '.', '~', HOLE]) {
            // A volume by its name.
            continue;
        }
        let (place, found) = walker.path_target(source);
        let telling = found.broad && found.place != Place::Scratch
            || matches!(found.sensitivity, Sensitivity::Credential | Sensitivity::Guard);
        if telling {
            let span = walker.span(arg.range);
            let effect = Effect::new(Verb::Grant, place, span).undo(Undo::Possible);
            walker.emit(effect.words("lets a container at files that are not the agent's own"));
        }
        mounts.push((source.to_owned(), target.trim_end_matches('/').to_owned()));
    }
    mounts
}

/// The command of a container with the paths it has out here, if it names something that is mounted.
fn within_mounts<'a>(mounts: &[(String, String)], command: &[Arg<'a>]) -> Option<Vec<Arg<'a>>> {
    let mut touched = false;
    let command = command.iter().map(|arg| {
        let mut text = arg.as_str().to_owned();
        for (source, target) in mounts.iter().filter(|(_, target)| target.len() > 1) {
            if let Some(outside) = replace_path(&text, target, source) {
                text = outside;
                touched = true;
            }
        }
        Arg { text: text.into(), ..arg.clone() }
    });
    let command: Vec<Arg<'_>> = command.collect();
    touched.then_some(command)
}

/// `text` with the path `from` in it, and what lies below, moved to `to`.
fn replace_path(text: &str, from: &str, to: &str) -> Option<String> {
    let mut moved = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(from) {
        let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let before = text[..at].ends_with(|letter: char| inside(letter) || letter == '/');
        if before || text[at + from.len()..].starts_with(inside) || at < done {
            continue;
        }
        moved.push_str(&text[done..at]);
        moved.push_str(to);
        done = at + from.len();
    }
    moved.push_str(&text[done..]);
    (done > 0).then_some(moved)
}
