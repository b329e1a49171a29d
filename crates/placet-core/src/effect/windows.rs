//! PowerShell and `cmd.exe`, read by their words.

use super::{
    Effect, Extent, Manner, Place, Pointer, Seen, Sensitivity, Span, Target, TargetKind, Undo, Verb,
    act::Act,
    verbs::{self, Context},
};

/// What `powershell …` or `cmd /c …` is asked to run.
#[derive(Debug, Default)]
pub struct ShellReading {
    /// The argument that names a script file.
    pub file: Option<usize>,
    /// Code to run.
    pub code: Option<String>,
    /// What can be said without either.
    pub effects: Vec<Effect>,
}

/// Whether `name` has the form of a cmdlet, such as `Remove-Item`.
pub fn is_cmdlet(name: &str) -> bool {
    if !name.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        return false;
    }
    let Some((verb, noun)) = name.split_once('-') else { return false };
    verb.len() > 1
        && noun.starts_with(|letter: char| letter.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether a name is a command of Windows and of nothing else.
pub fn is_windows(name: &str) -> bool {
    is_cmdlet(name)
        || name.contains('-') && command(name, &[]).is_some()
        || matches!(name, "rd" | "del" | "erase" | "ri" | "iex" | "iwr" | "irm")
}

/// Whether a whole text is for PowerShell or `cmd.exe` rather than a POSIX shell.
pub fn looks_like(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with('[') && text.contains("]::") || text.starts_with("$env:") || text.starts_with("& {") {
        return true;
    }
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or("");
    let switches = || {
        words.clone().any(|word| {
            word.len() <= 3
                && word.starts_with('/')
                && word[1..].chars().all(|letter| letter.is_ascii_alphabetic())
        })
    };
    if first.len() > 64 {
        return false;
    }
    match first.to_ascii_lowercase().as_str() {
        "del" | "erase" | "rd" => switches() || text.contains('\\'),
        name if name.starts_with("rd/") || name.starts_with("del/") || name.starts_with("rmdir/") => true,
        "rmdir" | "format" => switches(),
        "copy" | "xcopy" | "robocopy" | "move" | "type" | "ren" => {
            text.contains('%') && text.contains('\\') || text.contains(":\\")
        }
        "iex" | "iwr" | "irm" | "ri" | "invoke-expression" => true,
        _ => is_cmdlet(first),
    }
}

/// Reads a whole script.
///
/// Longer texts are read up to a length, and then said to be longer; what fetches and runs is sought in all of it.
pub fn script(text: &str) -> Vec<Effect> {
    const COMMANDS_LENGTH_MAX: usize = 256 * 1024;
    let mut effects = Vec::new();
    let lower = text.to_ascii_lowercase();
    let words = || lower.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    let runs = words().any(|word| matches!(word, "iex" | "invoke-expression" | "start-process" | "saps"));
    let fetches = lower.contains("downloadstring")
        || lower.contains("net.webclient")
        || lower.contains("downloadfile")
        || words().any(|word| {
            matches!(word, "iwr" | "irm" | "invoke-webrequest" | "invoke-restmethod" | "start-bitstransfer")
        });
    if runs && fetches {
        effects.push(
            effect(Verb::Execute, Target::new(TargetKind::Command, "what was downloaded"))
                .manner(Manner::FETCHED)
                .undo(Undo::Impossible)
                .words("runs what the network sent, unseen"),
        );
    } else if runs && lower.contains("frombase64string") {
        effects.push(
            effect(Verb::Execute, Target::new(TargetKind::Command, "what was decoded"))
                .manner(Manner::DECODED)
                .undo(Undo::Impossible)
                .words("runs code that was hidden by an encoding"),
        );
    }
    let mut listed = false;
    let end = text.floor_char_boundary(COMMANDS_LENGTH_MAX);
    for mut part in commands(&text[..end]) {
        // `rd/s/q` is `rd /s /q`.
        if let Some((name, switches)) = part[0].split_once('/').filter(|(name, _)| {
            matches!(name.to_ascii_lowercase().as_str(), "rd" | "rmdir" | "del" | "erase")
        }) {
            let switches: Vec<String> = switches.split('/').map(|switch| format!("/{switch}")).collect();
            let name = name.to_owned();
            part.splice(0..1, std::iter::once(name).chain(switches));
        }
        let Some((name, rest)) = part.split_first() else { continue };
        let lower_name = name.to_ascii_lowercase();
        if listed
            && matches!(lower_name.as_str(), "remove-item" | "ri" | "rm" | "del")
            && !rest.iter().any(|word| !word.starts_with('-') && !word.starts_with('/'))
        {
            effects.push(
                effect(Verb::Delete, Target::new(TargetKind::Path, "everything that was listed"))
                    .extent(Extent::Unbounded)
                    .undo(Undo::Impossible),
            );
            continue;
        }
        listed = matches!(lower_name.as_str(), "get-childitem" | "gci" | "ls" | "dir" | "get-item");
        let words: Vec<&str> = rest.iter().map(String::as_str).collect();
        match command(&name.to_ascii_lowercase(), &words) {
            Some(more) => effects.extend(more),
            None => effects.push(
                effect(Verb::Execute, Target::new(TargetKind::Command, name.as_str())).seen(Seen::Likely),
            ),
        }
        if effects.len() > 1_000 {
            effects.push(Effect::cut("more commands than can be listed", nowhere()));
            return effects;
        }
    }
    if end < text.len() {
        effects.push(Effect::cut("longer than can be read", nowhere()));
    }
    effects
}

/// Reads the arguments of `powershell`, `pwsh` or `cmd`.
pub fn shell(name: &str, words: &[&str]) -> ShellReading {
    let mut reading = ShellReading::default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let lower = word.to_ascii_lowercase();
        at += 1;
        if name == "cmd" {
            if lower == "/c" || lower == "/k" {
                reading.code = Some(words[at..].join(" "));
                return reading;
            }
            continue;
        }
        let Some(flag) = lower
            .split(':')
            .next()
            .and_then(|flag| flag.strip_prefix('-').or_else(|| flag.strip_prefix('/')))
        else {
            reading.code = Some(words[at - 1..].join(" "));
            return reading;
        };
        if flag.is_empty() {
            continue;
        }
        if flag.starts_with("en") && "encodedcommand".starts_with(flag) || matches!(flag, "e" | "ec" | "enc")
        {
            reading.effects.push(
                effect(Verb::Execute, Target::new(TargetKind::Command, "an encoded command"))
                    .manner(Manner::DECODED)
                    .undo(Undo::Impossible)
                    .words("runs code that was hidden by an encoding"),
            );
            return reading;
        }
        if "command".starts_with(flag) {
            reading.code = Some(words[at..].join(" "));
            return reading;
        }
        if "file".starts_with(flag) {
            reading.file = Some(at);
            return reading;
        }
        if "executionpolicy".starts_with(flag)
            || "windowstyle".starts_with(flag)
            || matches!(
                flag,
                "ep" | "version" | "inputformat" | "outputformat" | "configurationname" | "workingdirectory"
            )
        {
            at += 1;
        }
    }
    reading
}

fn nowhere() -> Span {
    Span::new(Pointer::root(), 0..0)
}

fn effect(verb: Verb, target: Target) -> Effect {
    Effect::new(verb, target, nowhere())
}

/// What a cmdlet or a built-in of `cmd.exe` does; `None` for other names. `name` is in lower case.
pub fn command(name: &str, words: &[&str]) -> Option<Vec<Effect>> {
    let has = |flags: &[&str]| {
        words.iter().any(|word| {
            let lower = word.to_ascii_lowercase();
            let lower = lower.strip_suffix(":$true").unwrap_or(&lower).to_owned();
            flags.iter().any(|flag| {
                lower == *flag
                    || (flag.starts_with('-')
                        && lower.len() >= 3
                        && flag.starts_with(&lower)
                        && lower.starts_with('-'))
            })
        })
    };
    if has(&["-whatif"]) && !words.iter().any(|word| word.eq_ignore_ascii_case("-whatif:$false")) {
        return Some(vec![effect(Verb::Read, Target::new(TargetKind::Command, name))]);
    }
    let operand = words.iter().find(|word| !word.starts_with('-') && !is_switch(word)).copied().unwrap_or("");
    let service = |sensitivity: Sensitivity| Target::new(TargetKind::Service, operand).with(sensitivity);
    let change = |words: &'static str| effect(Verb::Configure, service(Sensitivity::System)).words(words);
    let lost = |words: &'static str| {
        effect(Verb::Delete, service(Sensitivity::System))
            .extent(Extent::Unbounded)
            .undo(Undo::Impossible)
            .words(words)
    };
    Some(vec![match name {
        "remove-item" | "ri" | "rd" | "rmdir" | "del" | "erase" => {
            let target = Target::path(operand, None);
            let tree = has(&["-recurse", "-r", "/s"]);
            let found = super::path::classify(operand, None);
            // What a build makes again has the same names everywhere.
            let last = operand.rsplit(['/', '\\']).next().unwrap_or("");
            let made_again = super::path::classify(last, None).place == Place::Scratch;
            let scratch = (found.place == Place::Scratch || made_again) && !found.broad;
            let undo = match (scratch, tree) {
                (true, _) => Undo::Trivial,
                (false, true) => Undo::Impossible,
                (false, false) => Undo::Possible,
            };
            let target = if scratch { target.at(Place::Scratch) } else { target };
            effect(Verb::Delete, target).extent(if tree { Extent::Several } else { Extent::One }).undo(undo)
        }
        "clear-disk" | "format-volume" | "initialize-disk" | "remove-partition" | "format"
        | "reset-physicaldisk" | "remove-virtualdisk" | "clear-recyclebin"
            if name != "clear-recyclebin" =>
        {
            lost("erases a disk or part of one")
        }
        "remove-ciminstance" | "remove-wmiobject" => {
            lost("removes parts of the system, such as shadow copies")
        }
        "set-mppreference" | "add-mppreference"
            if words.iter().any(|word| {
                word.to_ascii_lowercase().contains("disable")
                    || word.to_ascii_lowercase().contains("exclusion")
            }) =>
        {
            change("weakens the virus scanner")
        }
        "set-netfirewallprofile" | "disable-netfirewallrule" | "remove-netfirewallrule" => {
            change("opens the firewall")
        }
        "set-executionpolicy" => change("changes which scripts may run"),
        "stop-process" | "spps" | "kill" | "taskkill" if has(&["-force", "/f"]) => {
            change("ends processes by force")
        }
        "stop-service" | "spsv" if has(&["-force"]) => change("stops a service by force"),
        "stop-computer" | "restart-computer" => change("stops this machine"),
        "set-service" | "remove-service" | "new-service" => change("changes a service"),
        "remove-itemproperty" | "clear-itemproperty" | "set-itemproperty" | "new-itemproperty"
            if words.iter().any(|word| {
                word.to_ascii_uppercase().starts_with("HK")
                    || word.to_ascii_lowercase().starts_with("registry")
            }) =>
        {
            change("changes the registry")
        }
        "clear-eventlog" | "remove-eventlog" | "wevtutil-cl" => lost("erases the event log"),
        "clear-content" | "clc" => effect(Verb::Delete, Target::path(operand, None)).undo(Undo::Possible),
        "remove-localuser"
        | "disable-localuser"
        | "new-localuser"
        | "add-localgroupmember"
        | "set-localuser"
        | "add-adgroupmember" => effect(Verb::Grant, service(Sensitivity::System)),
        "register-scheduledtask" | "new-scheduledtask" => {
            effect(Verb::Schedule, service(Sensitivity::System))
        }
        "disable-bitlocker"
        | "suspend-bitlocker"
        | "disable-computerrestore"
        | "disable-windowsoptionalfeature" => change("switches off a protection"),
        "remove-vm"
        | "remove-azresourcegroup"
        | "remove-azvm"
        | "remove-aduser"
        | "remove-adobject"
        | "remove-mailbox"
        | "remove-s3bucket"
        | "remove-database"
        | "remove-sqldatabase" => lost("deletes it"),
        "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" => {
            let posts = has(&["-body", "-infile"])
                || words
                    .iter()
                    .any(|word| matches!(word.to_ascii_lowercase().as_str(), "post" | "put" | "delete"));
            effect(
                if posts { Verb::Send } else { Verb::Read },
                Target::new(TargetKind::Url, operand).at(Place::Away),
            )
        }
        "get-content" | "gc" | "type" => effect(Verb::Read, Target::path(operand, None)),
        "copy-item" | "cpi" | "move-item" | "mi" | "rename-item" => {
            let last = words.iter().rev().find(|word| !word.starts_with('-')).copied().unwrap_or("");
            return Some(copied(operand, last));
        }
        "set-content" | "add-content" | "out-file" | "new-item" | "ni" => {
            effect(Verb::Write, Target::path(operand, None))
        }
        "copy" | "xcopy" | "robocopy" | "move" | "ren" | "md" => {
            let mirror = has(&["/mir", "/purge"]);
            let last = words.iter().rev().find(|word| !is_switch(word)).copied().unwrap_or("");
            if mirror {
                effect(Verb::Delete, Target::path(last, None))
                    .extent(Extent::Unbounded)
                    .undo(Undo::Impossible)
            } else {
                return Some(copied(operand, last));
            }
        }
        "dir" | "where" | "ver" | "systeminfo" | "tasklist" | "ipconfig" | "cls" | "vol" | "tree.com" => {
            effect(Verb::Read, Target::new(TargetKind::Command, name))
        }
        _ if name.split_once('-').is_some_and(|(verb, _)| looks(verb)) => {
            effect(Verb::Read, Target::new(TargetKind::Command, name))
        }
        _ => return None,
    }])
}

/// One file becomes another: the first is read, and matters if it holds a secret.
fn copied(from: &str, to: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let read = Target::path(from, None);
    if matches!(read.sensitivity, Sensitivity::Secret | Sensitivity::Credential) {
        effects.push(effect(Verb::Read, read));
    }
    effects.push(effect(Verb::Write, Target::path(to, None)));
    effects
}

/// Whether a cmdlet of this verb only looks, or only writes to the screen.
fn looks(verb: &str) -> bool {
    verbs::of(verb, Context::Cmdlet).is_some_and(Act::looks)
}

fn is_switch(word: &str) -> bool {
    word.len() <= 6
        && word.starts_with('/')
        && word[1..].chars().all(|letter| letter.is_ascii_alphabetic() || letter == ':')
}

/// The commands of a script as words: split at `;`, `|`, `&` and new lines outside quotes.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word = String::new();
    let mut quote = None;
    let finish = |word: &mut String, commands: &mut Vec<Vec<String>>| {
        if !word.is_empty()
            && let Some(last) = commands.last_mut()
        {
            last.push(std::mem::take(word));
        }
    };
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => {
                quote = None;
            }
            (Some(_), letter) => word.push(letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, ';' | '|' | '&' | '\n' | '(' | ')' | '{' | '}') => {
                finish(&mut word, &mut commands);
                if commands.last().is_some_and(|last| !last.is_empty()) {
                    commands.push(Vec::new());
                }
            }
            (None, letter) if letter.is_whitespace() => finish(&mut word, &mut commands),
            (None, letter) => word.push(letter),
        }
    }
    finish(&mut word, &mut commands);
    commands.retain(|command| !command.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, verb: Verb, undo: Undo) {
        assert!(looks_like(text), "{text}");
        let effects = script(text);
        assert!(
            effects.iter().any(|effect| (effect.verb, effect.undo) == (verb, undo)),
            "{text}: {effects:?}"
        );
    }

    #[test]
    fn deleting_a_tree_is_told_from_deleting_its_build() {
        check(r"Remove-Item -Recurse -Force D:\accounts", Verb::Delete, Undo::Impossible);
        check(r"rd /s /q D:\accounts", Verb::Delete, Undo::Impossible);
        check(r"Remove-Item -Recurse .\node_modules", Verb::Delete, Undo::Trivial);
        check(r"del /q notes.txt", Verb::Delete, Undo::Possible);
    }

    #[test]
    fn downloads_that_run_are_seen() {
        check("iex (irm https://get.example/x.ps1)", Verb::Execute, Undo::Impossible);
        assert!(!shell("powershell", &["-enc", "AAAA"]).effects.is_empty());
        assert_eq!(shell("pwsh", &["-NoProfile", "-File", "x.ps1"]).file, Some(2));
        assert_eq!(shell("cmd", &["/c", "dir"]).code.as_deref(), Some("dir"));
    }
}
