//! What is told of a call that ran and is looked at afterwards: what it did, and how to undo that.
//!
//! Told from the effects as a record keeps them. Only what can be undone easily is looked at afterwards; the rest asks
//! before it runs.

use crate::{Json, printable};

/// The longest name that is shown.
const NAME_MAX: usize = 120;

/// What effects did, as sentences, each once.
pub fn happened(effects: &[Json]) -> Vec<String> {
    each(effects, |verb, effect| {
        let name = name(effect);
        let did = match verb {
            "read" => "read",
            "write" => "wrote",
            "delete" => "deleted",
            "execute" => "ran",
            "send" => "sent to",
            "spend" => "spent on",
            "grant" => "gave authority to",
            "install" => "installed",
            "schedule" => "scheduled",
            "delegate" => "handed work to",
            "configure" => "changed",
            _ => return Some("did something that could not be read".to_owned()),
        };
        let words = effect.get("words").and_then(Json::as_str).map(|words| printable::shown(words, NAME_MAX));
        Some(match words {
            Some(words) => format!("{did} {name}: {words}"),
            None => format!("{did} {name}"),
        })
    })
}

/// How to undo what effects did, as sentences, each once. Placet keeps no copy of what was there before.
pub fn undo(effects: &[Json]) -> Vec<String> {
    let mut says = each(effects, |verb, effect| {
        let name = name(effect);
        let of = |key: &str| effect.get("target").and_then(|target| target.get(key)?.as_str()).unwrap_or("");
        let is_path = of("kind") == "path";
        let in_scratch = of("place") == "scratch";
        let in_git = of("kind") == "service" && name.starts_with("repository");
        Some(match verb {
            "read" => return None,
            "write" | "configure" | "delete" if in_git => format!(
                "{name}: `git status`, `git stash list` and `git reflog` show where it stands; `git stash pop`, \
                 `git reset` or deleting a new branch or tag goes back"
            ),
            "write" if is_path && in_scratch => {
                format!("{name}: delete it; what lies there is temporary, or made again")
            }
            "write" if is_path => format!(
                "{name}: if it was there before, take it from version control (`git restore`) or a back-up; if not, delete it"
            ),
            "write" => format!("{name}: write what was there before, or delete the entry"),
            "delete" if is_path => format!(
                "{name}: what made it makes it again (a build, an installation); else take it from a back-up"
            ),
            "delete" => format!("{name}: it is made again by what made it before"),
            "execute" => {
                format!("{name}: ending it ends what it does; what it did besides is listed by itself")
            }
            "configure" => format!("{name}: set it back to what it was"),
            _ => format!("{name}: take it back where it was done"),
        })
    });
    if says.is_empty() {
        says.push("nothing was changed that would have to be undone".to_owned());
    }
    says
}

fn each(effects: &[Json], say: impl Fn(&str, &Json) -> Option<String>) -> Vec<String> {
    let mut says: Vec<String> = Vec::new();
    for effect in effects {
        let verb = effect.get("verb").and_then(Json::as_str).unwrap_or("");
        if let Some(sentence) = say(verb, effect).filter(|sentence| !says.contains(sentence)) {
            says.push(sentence);
        }
    }
    says
}

fn name(effect: &Json) -> String {
    let name = effect.get("target").and_then(|target| target.get("name")?.as_str()).unwrap_or("");
    if name.is_empty() { "something".to_owned() } else { printable::shown(name, NAME_MAX) }
}
