//! Git: what is read, what is kept, and what cannot be had back.

use super::{
    Call,
    options::{Options, Style},
    proxies,
};
use crate::effect::{
    Effect, Extent, Manner, Place, Sensitivity, Target, TargetKind, Undo, Verb,
    shell::{
        flow::{Arg, Flow, Origin},
        walk::Walker,
    },
};

const GLOBAL_FLAGS: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix"];

/// Flags with a value, by sub-command.
fn flags_of(sub: &str) -> &'static [&'static str] {
    match sub {
        "commit" | "merge" | "notes" => &[
            "-m",
            "--message",
            "-F",
            "--file",
            "-C",
            "-c",
            "--author",
            "--date",
            "--cleanup",
            "-t",
            "-s",
            "--strategy",
            "-X",
        ],
        "tag" => &[
            "-m",
            "--message",
            "-F",
            "--file",
            "-u",
            "--local-user",
            "--sort",
            "--contains",
            "--points-at",
            "--format",
        ],
        "push" => &["--repo", "-o", "--push-option", "--receive-pack", "--exec"],
        "clean" => &["-e", "--exclude"],
        "restore" => &["-s", "--source", "--pathspec-from-file", "--conflict"],
        "checkout" => &["-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"],
        "switch" => &["-c", "-C", "--create", "--orphan", "--conflict"],
        "branch" => &[
            "-u",
            "--set-upstream-to",
            "--contains",
            "--sort",
            "--format",
            "--points-at",
            "--merged",
            "--no-merged",
        ],
        "rebase" => &["-x", "--exec", "--onto", "-s", "--strategy", "-X", "--strategy-option", "-C"],
        "init" => {
            &["--template", "--separate-git-dir", "-b", "--initial-branch", "--object-format", "--shared"]
        }
        "clone" => &[
            "-c",
            "--config",
            "-b",
            "--branch",
            "--depth",
            "-o",
            "--origin",
            "-u",
            "--upload-pack",
            "--reference",
            "--template",
            "-j",
            "--jobs",
            "--filter",
            "--separate-git-dir",
        ],
        "fetch" | "pull" | "ls-remote" => &[
            "--upload-pack",
            "--exec",
            "--depth",
            "-j",
            "--jobs",
            "-o",
            "--refmap",
            "-s",
            "--strategy",
            "-X",
        ],
        "log" | "show" | "diff" | "shortlog" | "reflog" => &[
            "-n",
            "--max-count",
            "-S",
            "-G",
            "-L",
            "--since",
            "--until",
            "--after",
            "--before",
            "--author",
            "--grep",
            "--format",
            "--pretty",
            "--expire",
            "--expire-unreachable",
        ],
        "prune" => &["--expire"],
        "stash" => &["-m", "--message"],
        "worktree" => &["-b", "-B", "--reason", "--expire"],
        "submodule" => &["-b", "--branch", "--name", "--reference", "--depth", "-j", "--jobs"],
        "filter-branch" => &[
            "--tree-filter",
            "--index-filter",
            "--msg-filter",
            "--env-filter",
            "--commit-filter",
            "--parent-filter",
            "--tag-name-filter",
            "--subdirectory-filter",
            "--original",
            "-d",
        ],
        "config" => &["-f", "--file", "--type", "--default", "--comment", "--blob"],
        "difftool" | "grep" => &["-x", "--extcmd", "-t", "--tool", "-e", "-f", "-A", "-B", "-C", "-m"],
        "reset" => &["--pathspec-from-file"],
        "cherry-pick" | "revert" => &["-m", "--mainline", "--strategy", "-X"],
        _ => &[],
    }
}

/// The programs that [`run`] may know.
pub const NAMES: &str = "git yadm hub";

pub fn run(walker: &mut Walker<'_>, call: &Call<'_>) -> Option<Flow> {
    if !matches!(call.name, "git" | "yadm" | "hub") {
        return None;
    }
    let (global, at) = Options::leading(call.args, GLOBAL_FLAGS);
    let mut settings: Vec<(String, String)> = Vec::new();
    for value in global.values(&["-c"]) {
        let (key, value) = value.as_str().split_once('=').unwrap_or((value.as_str(), "true"));
        settings.push((key.to_ascii_lowercase(), value.to_owned()));
    }
    let before = walker.env.directory.clone();
    if let Some(directory) = global.value(&["-C"]).cloned() {
        walker.change_directory(Some(directory.as_str()));
    }
    let Some(sub) = call.args.get(at) else {
        read(walker, call);
        return Some(Flow::unknown(Origin::PLAIN));
    };
    let rest = &call.args[at + 1..];
    for (key, value) in &settings {
        if let Some(name) = key.strip_prefix("alias.") {
            if name == sub.as_str() {
                let text = match value.strip_prefix('!') {
                    Some(command) => command.to_owned(),
                    None => format!("git {value}"),
                };
                walker.nested(&text, call.range, None);
                walker.env.directory = before;
                return Some(Flow::unknown(Origin::PLAIN));
            }
        } else if runs_a_program(key) {
            run_setting(walker, call, value);
        } else {
            proxies::git_setting(walker, key, value, call.range);
            if changes_what_runs(key, value) {
                setting_changed(walker, call, key);
            }
        }
    }
    if call
        .overlay
        .iter()
        .any(|(name, _)| matches!(*name, "GIT_CONFIG_PARAMETERS" | "GIT_CONFIG_COUNT" | "GIT_EXEC_PATH"))
    {
        walker.opaque("settings of git that change what it runs", call.range);
    }
    let is_another_file = |name: &str, value: &Flow| {
        matches!(name, "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM")
            && value.text.as_deref() != Some("/dev/null")
    };
    if call.overlay.iter().any(|(name, value)| is_another_file(name, value)) {
        walker.opaque("settings of git from a file", call.range);
    }
    let origin = subcommand(walker, call, sub.as_str(), rest, &settings);
    walker.env.directory = before;
    Some(Flow::unknown(origin))
}

fn subcommand(
    walker: &mut Walker<'_>,
    call: &Call<'_>,
    sub: &str,
    rest: &[Arg<'_>],
    settings: &[(String, String)],
) -> Origin {
    let options = Options::read(rest, flags_of(sub), Style::Gnu);
    let set = |key: &str, values: &[&str]| {
        settings.iter().any(|(name, value)| name == key && values.contains(&value.as_str()))
    };
    let helps = options.has_exactly(&["--help"]);
    let dry = dry_run(sub, &options);
    let operand = |number: usize| options.operands.get(number).map(|arg| arg.as_str());
    if helps {
        read(walker, call);
        return Origin::PLAIN;
    }
    super::hands_over_secrets(walker, call);
    for file in options.values(&["--output"]).cloned().collect::<Vec<_>>() {
        walker.write(&file, Flow::unknown(Origin::LOCAL), false);
    }
    for arg in rest {
        // `git grep -O<program>` opens what it finds with it.
        let text = arg.as_str();
        let pager = text
            .strip_prefix("--open-files-in-pager=")
            .or_else(|| text.strip_prefix("-O").filter(|_| sub == "grep"));
        if let Some(program) = pager.filter(|program| !program.is_empty()) {
            walker.nested(program, arg.range, None);
        }
    }
    match sub {
        "push" => push(walker, call, &options, dry),
        "reset" => {
            if options
                .flags
                .iter()
                .any(|(flag, _)| flag.len() >= 3 && flag.starts_with("--h") && "--hard".starts_with(flag))
                || options.has_exactly(&["--hard", "--merge"])
            {
                lose(walker, call, "throws away changes that are not committed");
            } else {
                change(walker, call, Undo::Trivial);
            }
        }
        "clean" => {
            let forced =
                options.has(&["-f", "--force"]) || set("clean.requireforce", &["false", "no", "0", "off"]);
            if dry || !forced {
                read(walker, call);
            } else {
                lose(walker, call, "deletes files that git does not know");
            }
        }
        "checkout" => checkout(walker, call, rest, &options),
        "switch" if options.has_exactly(&["-f", "--force", "--discard-changes"]) => {
            lose(walker, call, "throws away changes that are not committed");
        }
        "restore" => {
            let staged_only =
                options.has_exactly(&["--staged", "-S"]) && !options.has_exactly(&["--worktree", "-W"]);
            if staged_only || options.operands.is_empty() && !rest.iter().any(|arg| arg.as_str() == "--") {
                change(walker, call, Undo::Trivial);
            } else if names_files(&options.operands) {
                change(walker, call, Undo::Possible);
            } else {
                lose(walker, call, "overwrites files with an older version");
            }
        }
        "branch" => branch(walker, call, &options),
        "tag" => {
            if options.has_exactly(&["-d", "--delete"]) {
                change(walker, call, Undo::Possible);
            } else if options.operands.is_empty() || options.has_exactly(&["-l", "--list", "-n", "-v"]) {
                read(walker, call);
            } else if options.has_exactly(&["-f", "--force"]) {
                lose(walker, call, "moves a tag that others may rely on");
            } else {
                change(walker, call, Undo::Trivial);
            }
        }
        "stash" => match operand(0) {
            Some("drop" | "clear") => lose(walker, call, "drops stashed work"),
            Some("list" | "show") => read(walker, call),
            _ => change(walker, call, Undo::Trivial),
        },
        "reflog" => match operand(0) {
            Some("expire") if !dry => {
                let soon = options.values(&["--expire", "--expire-unreachable"]).any(|arg| {
                    matches!(arg.as_str(), "now" | "all" | "0" | "never.") || arg.as_str().starts_with("0.")
                });
                if soon
                    || options.has_exactly(&["--all"])
                        && options.values(&["--expire", "--expire-unreachable"]).count() == 0
                {
                    lose(walker, call, "forgets the way back to earlier commits");
                } else {
                    change(walker, call, Undo::Possible);
                }
            }
            Some("delete") if !dry => lose(walker, call, "forgets the way back to earlier commits"),
            _ => read(walker, call),
        },
        "gc" | "prune" | "repack" => {
            let now =
                options.flags.iter().any(|(flag, value)| {
                    (flag.starts_with("--p") && "--prune".starts_with(flag)
                        || flag.starts_with("--exp") && "--expire".starts_with(flag))
                        && value.as_ref().is_some_and(|value| matches!(value.as_str(), "now" | "all" | "0"))
                }) || rest.iter().any(|arg| {
                    matches!(arg.as_str(), "--prune=now" | "--prune=all" | "--prune=0" | "--expire=now")
                }) || options.values(&["--expire"]).any(|arg| matches!(arg.as_str(), "now" | "all" | "0"))
                    || set("gc.pruneexpire", &["now", "all", "0"])
                    || (sub == "prune" && options.flags.is_empty());
            if now && !dry {
                lose(walker, call, "deletes commits that nothing points to any more");
            } else {
                change(walker, call, Undo::Trivial);
            }
        }
        "filter-branch" | "filter-repo" | "replace" | "fast-import" => {
            for filter in options
                .values(&[
                    "--tree-filter",
                    "--index-filter",
                    "--msg-filter",
                    "--env-filter",
                    "--commit-filter",
                ])
                .cloned()
                .collect::<Vec<_>>()
            {
                walker.nested(filter.as_str(), filter.range, None);
            }
            lose(walker, call, "rewrites the history of this repository");
        }
        "update-ref" | "symbolic-ref" if options.has_exactly(&["-d", "--delete", "--stdin"]) => {
            lose(walker, call, "deletes a reference");
        }
        "worktree" => match operand(0) {
            Some("remove") if options.has_exactly(&["-f", "--force"]) => {
                lose(walker, call, "deletes a working tree with its changes")
            }
            Some("list") => read(walker, call),
            _ => change(walker, call, Undo::Possible),
        },
        "rm" => {
            if dry || options.has_exactly(&["--cached"]) {
                change(walker, call, Undo::Trivial);
            } else if options.has(&["-f", "--force"])
                || options.has_exactly(&["-r"])
                || options.operands.iter().any(|arg| matches!(arg.as_str(), "." | "*"))
            {
                lose(walker, call, "deletes files and what was changed in them");
            } else {
                change(walker, call, Undo::Possible);
            }
        }
        "submodule" => match operand(0) {
            Some("foreach") => {
                let text: Vec<&str> = options.operands[1..].iter().map(|arg| arg.as_str()).collect();
                walker.nested(&text.join(" "), call.range, None);
            }
            Some("deinit") if options.has(&["-f", "--force"]) => {
                lose(walker, call, "deletes submodules with their changes")
            }
            Some("status" | "summary") => read(walker, call),
            Some("update") if options.has_exactly(&["-f", "--force"]) => {
                lose(walker, call, "throws away changes in submodules")
            }
            _ => fetch(walker, call),
        },
        "rebase" | "bisect" => {
            for command in options.values(&["--exec", "-x"]).cloned().collect::<Vec<_>>() {
                walker.nested(command.as_str(), command.range, None);
            }
            if sub == "bisect" && operand(0) == Some("run") {
                super::run(walker, &rest[1..], &[], call.range, None);
            }
            change(walker, call, Undo::Possible);
        }
        "config" => config(walker, call, &options),
        "remote" => match operand(0) {
            None | Some("show" | "get-url" | "-v") => read(walker, call),
            Some("remove" | "rm" | "prune") => change(walker, call, Undo::Possible),
            Some(_) => change(walker, call, Undo::Trivial),
        },
        "clone" | "fetch" | "pull" | "ls-remote" => {
            for command in options.values(&["-u", "--upload-pack", "--exec"]).cloned().collect::<Vec<_>>() {
                walker.nested(command.as_str(), command.range, None);
            }
            for setting in options.values(&["-c", "--config"]).cloned().collect::<Vec<_>>() {
                let Some((key, value)) = setting.as_str().split_once('=') else { continue };
                let key = key.to_ascii_lowercase();
                if runs_a_program(&key) {
                    run_setting(walker, call, value);
                } else if changes_what_runs(&key, value) {
                    setting_changed(walker, call, &key);
                }
            }
            brings_hooks(walker, call, &options);
            for operand in &options.operands {
                if operand.as_str().starts_with("ext::") {
                    walker.nested(operand.as_str().trim_start_matches("ext::"), operand.range, None);
                }
            }
            fetch(walker, call);
            if sub == "pull" && options.has_exactly(&["-f", "--force"]) && options.has_exactly(&["--rebase"])
            {
                change(walker, call, Undo::Possible);
            }
        }
        "add" | "commit" | "merge" | "cherry-pick" | "revert" | "am" | "apply" | "mv" | "init" | "notes"
        | "switch" | "sparse-checkout" | "update-index" | "read-tree" | "write-tree" | "commit-tree"
        | "hash-object" | "mktag" | "maintenance" | "format-patch" | "bundle" | "lfs" | "flow"
        | "subtree" | "cherry" | "rerere" | "symbolic-ref" | "update-ref" | "checkout-index" | "archive" => {
            brings_hooks(walker, call, &options);
            change(walker, call, Undo::Possible)
        }
        "send-email" | "request-pull" | "svn" | "p4" => {
            let span = walker.span(call.range);
            let target = Target::new(TargetKind::Person, "people by e-mail").at(Place::Away);
            walker.emit(Effect::new(Verb::Send, target, span));
        }
        "credential" | "credential-store" | "credential-cache" => {
            let span = walker.span(call.range);
            let target =
                Target::new(TargetKind::Account, "stored git credentials").with(Sensitivity::Credential);
            walker.emit(Effect::new(Verb::Read, target, span));
            return Origin::SECRET;
        }
        "difftool" | "mergetool" | "grep" => {
            for command in options.values(&["-x", "--extcmd"]).cloned().collect::<Vec<_>>() {
                walker.nested(command.as_str(), command.range, None);
            }
            read(walker, call);
        }
        "status" | "log" | "diff" | "show" | "blame" | "ls-files" | "ls-tree" | "rev-parse" | "rev-list"
        | "describe" | "shortlog" | "cat-file" | "whatchanged" | "annotate" | "help" | "version"
        | "count-objects" | "fsck" | "var" | "name-rev" | "merge-base" | "show-ref" | "for-each-ref"
        | "diff-tree" | "diff-index" | "check-ignore" | "range-diff" | "verify-commit" | "verify-tag"
        | "instaweb" | "gitk" | "gui" => read(walker, call),
        _ => super::unknown_use(walker, call),
    }
    Origin::PLAIN
}

/// The last word on it counts.
fn dry_run(sub: &str, options: &Options<'_>) -> bool {
    let short = matches!(sub, "clean" | "push" | "rm" | "add" | "mv" | "prune" | "reflog");
    options.flags.iter().fold(false, |dry, (flag, _)| match *flag {
        "--dry-run" => true,
        "-n" if short => true,
        "--no-dry-run" => false,
        _ => dry,
    })
}

fn repository(walker: &Walker<'_>) -> Target {
    let name = walker.env.directory.as_deref().unwrap_or(".");
    Target::new(TargetKind::Service, format!("repository {name}")).at(Place::Tree)
}

fn read(walker: &mut Walker<'_>, call: &Call<'_>) {
    let span = walker.span(call.range);
    let target = repository(walker);
    walker.emit(Effect::new(Verb::Read, target, span));
}

fn change(walker: &mut Walker<'_>, call: &Call<'_>, undo: Undo) {
    let span = walker.span(call.range);
    let target = repository(walker);
    hooks(walker, call);
    walker.emit(Effect::new(Verb::Write, target, span).undo(undo));
}

/// The repository's own hooks run along; with borrowed authority that is a way to get it.
fn hooks(walker: &mut Walker<'_>, call: &Call<'_>) {
    if walker.manner.has(Manner::ELEVATED) {
        let span = walker.span(call.range);
        let target = Target::new(TargetKind::Command, "hooks of the repository").with(Sensitivity::System);
        walker.emit(Effect::new(Verb::Execute, target, span).words("runs the repository's hooks as root"));
    }
}

fn fetch(walker: &mut Walker<'_>, call: &Call<'_>) {
    hooks(walker, call);
    let span = walker.span(call.range);
    let target = repository(walker);
    walker.emit(
        Effect::new(Verb::Write, target, span).undo(Undo::Possible).words("brings in commits from elsewhere"),
    );
}

fn lose(walker: &mut Walker<'_>, call: &Call<'_>, words: &'static str) {
    let span = walker.span(call.range);
    let target = repository(walker);
    walker.emit(
        Effect::new(Verb::Delete, target, span).extent(Extent::Several).undo(Undo::Impossible).words(words),
    );
}

fn push(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>, dry: bool) {
    let remote = options.operands.first().map_or("origin", |arg| arg.as_str()).to_owned();
    let target = Target::new(TargetKind::Service, format!("remote {remote}")).at(Place::Away);
    let span = walker.span(call.range);
    if dry {
        walker.emit(Effect::new(Verb::Read, target, span));
        return;
    }
    for command in options.values(&["--receive-pack", "--exec"]).cloned().collect::<Vec<_>>() {
        walker.nested(command.as_str(), command.range, None);
    }
    let refspecs: Vec<&str> = options.operands.iter().skip(1).map(|arg| arg.as_str()).collect();
    let deletes = options.has_exactly(&["-d", "--delete", "--prune"])
        || refspecs.iter().any(|spec| spec.starts_with(':') && spec.len() > 1);
    let forces = options.has_exactly(&["-f", "--force", "--mirror"])
        || refspecs.iter().any(|spec| spec.starts_with('+'));
    let effect = if deletes {
        Effect::new(Verb::Delete, target, span)
            .undo(Undo::Impossible)
            .words("deletes branches or tags for everybody")
    } else if forces {
        Effect::new(Verb::Write, target, span)
            .undo(Undo::Impossible)
            .manner(Manner::FORCED)
            .words("replaces what others have pushed")
    } else {
        Effect::new(Verb::Send, target, span)
    };
    walker.emit(effect);
}

fn checkout(walker: &mut Walker<'_>, call: &Call<'_>, rest: &[Arg<'_>], options: &Options<'_>) {
    let forced = options.has_exactly(&["-f", "--force"]);
    let dashes = rest.iter().position(|arg| arg.as_str() == "--");
    let paths_after = dashes.is_some_and(|at| at + 1 < rest.len());
    let everything = options.operands.iter().any(|arg| matches!(arg.as_str(), "." | ":/" | "*" | "./"));
    if forced
        || everything
        || (paths_after && !dashes.is_some_and(|at| names_files(&rest[at + 1..].iter().collect::<Vec<_>>())))
    {
        lose(walker, call, "throws away changes that are not committed");
    } else {
        change(walker, call, Undo::Trivial);
    }
}

/// Whether single files are named, rather than everything or a directory.
fn names_files(operands: &[&Arg<'_>]) -> bool {
    !operands.is_empty()
        && operands.iter().all(|arg| {
            let name = arg.as_str().rsplit('/').next().unwrap_or("");
            arg.known && !arg.glob && name.trim_start_matches('.').contains('.')
        })
}

fn branch(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>) {
    let deletes = options.has_exactly(&["-d", "--delete"]);
    let forces = options.has_exactly(&["-f", "--force"]);
    if options.has_exactly(&["-D"]) || (deletes && forces) {
        lose(walker, call, "deletes a branch whether it is merged or not");
    } else if options.has_exactly(&["-M", "-C"]) || forces {
        lose(walker, call, "moves a branch away from the commits it had");
    } else if deletes || !options.operands.is_empty() {
        change(walker, call, Undo::Possible);
    } else {
        read(walker, call);
    }
}

/// Settings whose value git runs.
fn runs_a_program(key: &str) -> bool {
    matches!(
        key,
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.gitproxy"
            | "core.askpass"
            | "diff.external"
            | "sequence.editor"
            | "gpg.program"
            | "credential.helper"
            | "interactive.difffilter"
            | "web.browser"
            | "uploadpack.packobjectshook"
            | "man.cmd"
    ) || key.starts_with("pager.")
        || key.ends_with(".textconv")
        || key.ends_with(".cmd")
        || key.ends_with(".clean")
        || key.ends_with(".smudge")
        || key.ends_with(".process")
        || key.ends_with(".driver")
        || (key.starts_with("submodule.") && key.ends_with(".update"))
        || (key.starts_with("credential.") && key.ends_with(".helper"))
}

/// A program that git would run: pagers, editors and `ssh` are what they are for.
fn run_setting(walker: &mut Walker<'_>, call: &Call<'_>, value: &str) {
    let command = value.trim_start_matches('!');
    let program = super::base_name(command.split_whitespace().next().unwrap_or(""));
    const USUAL: &[&str] = &[
        "",
        "cat",
        "less",
        "more",
        "delta",
        "bat",
        "vim",
        "vi",
        "nvim",
        "nano",
        "emacs",
        "code",
        "subl",
        "ssh",
        "true",
        "false",
        "gpg",
        "gpg2",
        "store",
        "cache",
        "osxkeychain",
        "manager",
        "manager-core",
        "libsecret",
        "wincred",
        "diff-so-fancy",
        "difft",
        "gh",
        "git-lfs",
        "git",
        "meld",
        "diff",
    ];
    let lower = command.to_ascii_lowercase();
    let ssh_runs = program == "ssh"
        && (["proxycommand", "localcommand", "knownhostscommand", "pkcs11provider"]
            .iter()
            .any(|option| lower.contains(option))
            || command.split_whitespace().any(|word| word.starts_with("-F")));
    if USUAL.contains(&program) && !ssh_runs {
        walker.nested(command, call.range, None);
        return;
    }
    let span = walker.span(call.range);
    let target = Target::new(TargetKind::Command, command.to_owned()).with(Sensitivity::System);
    walker.emit(
        Effect::new(Verb::Configure, target, span)
            .words("makes git run a program of somebody's choice")
            .manner(Manner::HIDDEN),
    );
    walker.nested(command, call.range, None);
}

/// A template of a repository has hooks, which run from then on.
fn brings_hooks(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>) {
    if options.value(&["--template"]).is_some_and(|template| !template.as_str().is_empty()) {
        setting_changed(walker, call, "init.templatedir");
    }
}

/// Settings that make git run or trust something else.
fn changes_what_runs(key: &str, value: &str) -> bool {
    matches!(key, "core.hookspath" | "init.templatedir" | "include.path" | "core.attributesfile")
        || key.starts_with("includeif.")
        || (key.starts_with("url.") && key.ends_with("insteadof"))
        || (key == "http.sslverify" && matches!(value, "false" | "0" | "no" | "off"))
        || key.starts_with("protocol.")
}

fn setting_changed(walker: &mut Walker<'_>, call: &Call<'_>, key: &str) {
    let span = walker.span(call.range);
    let target = Target::new(TargetKind::Service, format!("git setting {key}")).with(Sensitivity::System);
    walker.emit(Effect::new(Verb::Configure, target, span).words("changes what git runs or trusts"));
}

fn config(walker: &mut Walker<'_>, call: &Call<'_>, options: &Options<'_>) {
    let mut operands: Vec<&str> = options.operands.iter().map(|arg| arg.as_str()).collect();
    if matches!(operands.first(), Some(&"set")) {
        operands.remove(0);
    }
    let reads = matches!(operands.first(), Some(&"get" | &"list"))
        || options.has_exactly(&[
            "--get",
            "--list",
            "-l",
            "--get-all",
            "--get-regexp",
            "--show-origin",
            "--get-urlmatch",
        ])
        || operands.len() < 2
            && !options.has_exactly(&["--unset", "--unset-all", "--remove-section", "--edit", "-e"]);
    if reads {
        read(walker, call);
        return;
    }
    let key = operands.first().map_or(String::new(), |key| key.to_ascii_lowercase());
    let value = operands.get(1).copied().unwrap_or("");
    if key.starts_with("alias.")
        && let Some(command) = value.strip_prefix('!')
    {
        let span = walker.span(call.range);
        let target = Target::new(TargetKind::Command, command.to_owned()).with(Sensitivity::System);
        walker
            .emit(Effect::new(Verb::Configure, target, span).words("makes a git command run something else"));
        return;
    }
    proxies::git_setting(walker, &key, value, call.range);
    if changes_what_runs(&key, value) {
        setting_changed(walker, call, &key);
        return;
    }
    if runs_a_program(&key) {
        run_setting(walker, call, value);
    }
    let span = walker.span(call.range);
    let target = Target::new(TargetKind::Service, format!("git setting {key}")).at(Place::Tree);
    walker.emit(Effect::new(Verb::Configure, target, span));
}
