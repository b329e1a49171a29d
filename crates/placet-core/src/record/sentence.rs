//! A record as one line for people: what happened, in words.

use super::View;
use crate::{Json, printable::shown};

/// What a record says, in a line. Everything in it is fit for a terminal, a log or a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// A word for what it is about: of a decision what was done, such as `hold`.
    pub about: &'static str,
    /// What happened.
    pub words: String,
}

const NAME: usize = 40;
const LONGER: usize = 60;
const SAID: usize = 100;

impl Sentence {
    /// What the record says that [`expand`](super::expand) has read.
    pub fn of(record: &Json) -> Self {
        let told = record.get("what").and_then(Json::as_object).and_then(|what| what.iter().next());
        let Some((kind, what)) = told else { return Self::new("?", "cannot be read") };
        let by = || name(what, "by");
        let ticket = || name(what, "ticket");
        match kind {
            "decision" => decision(what),
            "hold_step" => Self::new("hold", hold_step(what)),
            "vote" => {
                let answer = if text(what, "vote") == "approve" { "yes" } else { "no" };
                let words = format!("{} said {answer} to {}, one of several{}", by(), ticket(), via(what));
                Self::new("hold", words + &said(what, "reason"))
            }
            "hold_escalated" => {
                Self::new("hold", format!("{} is put to {} too", ticket(), shown(text(what, "to"), LONGER)))
            }
            "review" => {
                let cites = what.get("cites").and_then(Json::as_array).map_or(0, <[Json]>::len);
                let words = format!("{} looked at what {} did", by(), count(cites as u64, "call"));
                Self::new("review", words + &said(what, "note"))
            }
            "outcome" => Self::new("result", outcome(what)),
            "setting" => Self::new("set", setting(what)),
            "threat" => Self::new("threat", threat(what)),
            "session_warrant" => {
                let links = what.get("warrants").and_then(Json::as_array).map_or(0, <[Json]>::len);
                let session = name(what, "session");
                Self::new(
                    "warrant",
                    match links {
                        0 => format!("{} took the warrant of session {session} away", by()),
                        links => format!(
                            "{} bound session {session} to a warrant of {}",
                            by(),
                            count(links as u64, "link")
                        ),
                    },
                )
            }
            "grant" => Self::new("grant", grant(what)),
            "retention" => {
                let many = what.get("count").and_then(Json::as_u64).unwrap_or(0);
                Self::new("kept", format!("{} {many} aged out", name(what, "what")))
            }
            "crisis" => {
                let session = match text(what, "session") {
                    "" => "somewhere".to_owned(),
                    session => format!("in session {}", shown(session, NAME)),
                };
                Self::new("crisis", format!("a life in danger was spoken of {session}"))
            }
            "sign_in" => Self::new("door", sign_in(what)),
            other => Self::new("?", shown(other, NAME)),
        }
    }

    /// The same of the bytes of a record.
    pub fn of_bytes(record: &[u8]) -> Self {
        Self::of(&super::expand(record).unwrap_or(Json::Null))
    }

    fn new(about: &'static str, words: impl Into<String>) -> Self {
        Self { about, words: words.into() }
    }
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json.get(key).and_then(Json::as_str).unwrap_or("")
}

fn name(json: &Json, key: &str) -> String {
    match text(json, key) {
        "" => "nobody".to_owned(),
        name => shown(name, NAME),
    }
}

/// What somebody has said, behind a colon.
fn said(json: &Json, key: &str) -> String {
    match text(json, key) {
        "" => String::new(),
        said => format!(": {}", shown(said, SAID)),
    }
}

fn count(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn decision(what: &Json) -> Sentence {
    let about = match text(what, "carried_out") {
        "allow" => "allow",
        "hold" => "hold",
        _ => "block",
    };
    let call = what.get("call").unwrap_or(&Json::Null);
    let mut words = format!("{}: {}", shown(text(call, "tool"), NAME), arguments(call.get("args")));
    let (verdict, carried_out) = (text(what, "verdict"), text(what, "carried_out"));
    if verdict != carried_out {
        words += &match text(what, "mode") {
            "observe" => format!(" (observed: {})", shown(verdict, NAME)),
            _ => format!(" (decided: {})", shown(verdict, NAME)),
        };
    }
    if !text(what, "ticket").is_empty() {
        words += &format!(" {}", name(what, "ticket"));
    }
    Sentence::new(about, words)
}

/// The arguments of a call in a few words: the text of the only one, or all of them.
pub fn arguments(args: Option<&Json>) -> String {
    let Some(args) = args.and_then(Json::as_object) else { return String::new() };
    let only = if args.len() == 1 { args.iter().next().and_then(|(_, value)| value.as_str()) } else { None };
    let all = || serde_json::to_string(&Json::Object(args.clone())).unwrap_or_default();
    shown(&only.map_or_else(all, str::to_owned), SAID)
}

fn hold_step(what: &Json) -> String {
    let ticket = name(what, "ticket");
    let words = match (text(what, "step"), text(what, "by")) {
        ("approve", by) if !by.is_empty() => match what.get("edit") {
            Some(edit) => {
                format!("{} changed and approved {ticket}: {}", shown(by, NAME), arguments(edit.get("args")))
            }
            None => format!("{} approved {ticket}", shown(by, NAME)),
        },
        ("deny", by) if !by.is_empty() => format!("{} denied {ticket}", shown(by, NAME)),
        ("expire", _) => format!("{ticket} expired: nobody answered in time"),
        ("abandon", _) => format!("{ticket} was abandoned: nobody waits for it any more"),
        ("redeem", _) => format!("{ticket} was redeemed: the approved call came back"),
        ("lapse", _) => format!("{ticket} lapsed: the approved call did not come back in time"),
        (step, by) => format!("{ticket} {} {}", shown(step, NAME), shown(by, NAME)).trim_end().to_owned(),
    };
    words + &via(what) + &said(what, "reason")
}

/// Where somebody said something, if not to Placet itself.
fn via(what: &Json) -> String {
    match text(what, "via") {
        "" => String::new(),
        via => format!(", by {}", shown(via, LONGER)),
    }
}

fn outcome(what: &Json) -> String {
    let outcome = name(what, "outcome");
    let took = what.get("duration_ms").and_then(Json::as_u64).map(|ms| format!(" after {ms} ms"));
    let took = took.unwrap_or_default();
    let tool = match text(what, "tool") {
        "" => "a call".to_owned(),
        tool => shown(tool, NAME),
    };
    match (text(what, "ungoverned"), what.get("cites").and_then(Json::as_u64)) {
        ("", Some(cites)) => format!("the call of record {cites} ended: {outcome}{took}"),
        ("against", Some(cites)) => {
            format!("{tool} ran though record {cites} had not let it: {outcome}{took}")
        }
        ("", None) => format!("{tool} ended, and no decision on it is known: {outcome}{took}"),
        (_, _) => format!("{tool} ran though nobody had been asked: {outcome}{took}"),
    }
}

fn setting(what: &Json) -> String {
    let (by, key) = (name(what, "by"), shown(text(what, "key"), LONGER));
    let before = match text(what, "before") {
        "" => String::new(),
        before => format!(", which was `{}`", shown(before, LONGER)),
    };
    match (text(what, "key"), text(what, "after")) {
        ("stopped", "") => format!("{by} let calls be decided again"),
        ("stopped", _) => format!("{by} stopped everything"),
        ("configuration", after) => {
            format!("{by} decides by another configuration: {}{before}", shown(after, LONGER))
        }
        (key, after) if key.starts_with("stopped:") => {
            let session = shown(key.trim_start_matches("stopped:"), NAME);
            match after {
                "" => format!("{by} let session {session} go on"),
                _ => format!("{by} stopped session {session}"),
            }
        }
        ("verified", after) => format!("{by} checked the log: {}", shown(after, SAID)),
        (key, after) if person(key).is_some() => format!("{by} {}", person_change(key, after, &before)),
        (_, "") => format!("{by} cleared `{key}`{before}"),
        (_, after) => format!("{by} set `{key}` to `{}`{before}", shown(after, LONGER)),
    }
}

/// Whose setting it is, if it is that of a person or a program: a user, a token, a credential.
fn person(key: &str) -> Option<(&str, &str)> {
    let kinds = ["user", "token", "approver"];
    key.split_once(':').filter(|(kind, _)| kinds.contains(kind))
}

/// What was done to a user, a token or a credential.
fn person_change(key: &str, after: &str, before: &str) -> String {
    let (kind, name) = person(key).unwrap_or_default();
    let name = shown(name, LONGER);
    match (kind, after) {
        ("user", "removed") => format!("removed the user {name}"),
        ("user", "a new password") => format!("gave the user {name} a new password"),
        ("user", _) if after.starts_with("the role ") => {
            format!("gave the user {name} {}{before}", shown(after, LONGER))
        }
        ("user", _) => match after.strip_prefix("a user with the role ") {
            Some(role) => format!("added the user {name} with the role {}", shown(role, NAME)),
            None => format!("changed the user {name}: {}", shown(after, LONGER)),
        },
        ("token", "revoked") => format!("took the token {name} back"),
        ("token", _) => format!("made {}, {name}", shown(after, LONGER)),
        (_, "revoked") => format!("took the credential of {name} back"),
        (_, _) => format!("let whoever has {} answer as {name}", shown(after, LONGER)),
    }
}

/// Who came to the door, and what happened there.
fn sign_in(what: &Json) -> String {
    let who = match text(what, "by") {
        "" => "somebody".to_owned(),
        by => shown(by, NAME),
    };
    let from = shown(text(what, "from"), LONGER);
    let more = what.get("more").and_then(Json::as_u64).unwrap_or(0);
    let refused = match more {
        1 => "1 more try to sign in was refused".to_owned(),
        more => format!("{more} more tries to sign in were refused"),
    };
    if from.is_empty() {
        return format!("{refused}, too many to be told one by one");
    }
    let did = match text(what, "step") {
        "signed_in" => "signed in",
        "signed_out" => "signed out",
        "too_often" => "was not let in, who tries too often,",
        _ => "was not let in, whose name or password was wrong,",
    };
    let since = match more {
        0 => String::new(),
        _ => format!("; {refused} before, too many to be told one by one"),
    };
    format!("{who} {did} from {from}{since}")
}

fn threat(what: &Json) -> String {
    let (rule, session) = (shown(text(what, "rule"), LONGER), text(what, "session"));
    let place = match session {
        "" => String::new(),
        session => format!(" in session {}", shown(session, NAME)),
    };
    match (text(what, "state"), text(what, "by")) {
        ("open", _) => format!("{rule} matched{place}: a threat is open"),
        (state, "") => format!("the threat of {rule}{place} is {}", shown(state, NAME)),
        (state, by) => format!("{} {} the threat of {rule}{place}", shown(by, NAME), shown(state, NAME)),
    }
}

fn grant(what: &Json) -> String {
    let (by, grant) = (name(what, "by"), shown(text(what, "grant"), 8));
    let to = format!("{} in session {}", name(what, "agent"), name(what, "session"));
    let permits = what.get("permits").and_then(Json::as_array).unwrap_or_default();
    let permits: Vec<&str> = permits.iter().filter_map(Json::as_str).collect();
    match text(what, "step") {
        "revoked" => format!("{by} took grant {grant} back from {to}"),
        _ if permits.is_empty() => format!("{by} gave {to} a grant"),
        _ => format!("{by} gave {to} a grant: {}", shown(&permits.join("; "), SAID)),
    }
}

/// Whether `needle` stands in any text of a record, large or small letters alike.
#[derive(Clone, Debug)]
pub struct Needle(aho_corasick::AhoCorasick);

impl Needle {
    /// Looks for `text`. Nothing if it is too long to be looked for.
    pub fn new(text: &str) -> Option<Self> {
        aho_corasick::AhoCorasick::builder().ascii_case_insensitive(true).build([text]).ok().map(Self)
    }

    /// Whether it stands somewhere in there.
    pub fn is_in(&self, view: View<'_>) -> bool {
        view.texts().any(|text| self.0.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_record_is_a_sentence() {
        for (what, expected) in [
            (
                r#"{"decision":{"call":{"tool":"terminal","args":{"command":"ls"}},"verdict":"hold","carried_out":"allow","mode":"observe"}}"#,
                "allow: terminal: ls (observed: hold)",
            ),
            (
                r#"{"decision":{"call":{"tool":"pay","args":{"to":"x","sum":3}},"verdict":"hold","carried_out":"hold","ticket":"7K2M"}}"#,
                r#"hold: pay: {"sum":3,"to":"x"} 7K2M"#,
            ),
            (
                r#"{"hold_step":{"ticket":"7K2M","cites":1,"step":"approve","by":"ann","reason":"fine"}}"#,
                "hold: ann approved 7K2M: fine",
            ),
            (
                r#"{"hold_step":{"ticket":"7K2M","cites":1,"step":"deny","by":"ann","reason":"no","via":"chat as U024"}}"#,
                "hold: ann denied 7K2M, by chat as U024: no",
            ),
            (
                r#"{"hold_step":{"ticket":"7K2M","cites":1,"step":"approve","by":"ann","edit":{"args":{"command":"ls"}}}}"#,
                "hold: ann changed and approved 7K2M: ls",
            ),
            (
                r#"{"hold_step":{"ticket":"7K2M","cites":1,"step":"expire"}}"#,
                "hold: 7K2M expired: nobody answered in time",
            ),
            (
                r#"{"vote":{"ticket":"7K2M","cites":1,"vote":"deny","by":"bob"}}"#,
                "hold: bob said no to 7K2M, one of several",
            ),
            (r#"{"hold_escalated":{"ticket":"7K2M","to":"on-call"}}"#, "hold: 7K2M is put to on-call too"),
            (
                r#"{"outcome":{"cites":4,"outcome":"ok","duration_ms":12}}"#,
                "result: the call of record 4 ended: ok after 12 ms",
            ),
            (
                r#"{"outcome":{"outcome":"blocked","tool":"terminal"}}"#,
                "result: terminal ended, and no decision on it is known: blocked",
            ),
            (
                r#"{"outcome":{"outcome":"ok","tool":"terminal","ungoverned":"undecided"}}"#,
                "result: terminal ran though nobody had been asked: ok",
            ),
            (
                r#"{"setting":{"key":"mode","before":"enforce","after":"observe","by":"ann"}}"#,
                "set: ann set `mode` to `observe`, which was `enforce`",
            ),
            (
                r#"{"setting":{"key":"verified","after":"9 records, intact","by":"ann"}}"#,
                "set: ann checked the log: 9 records, intact",
            ),
            (r#"{"setting":{"key":"stopped","after":"ann","by":"ann"}}"#, "set: ann stopped everything"),
            (
                r#"{"setting":{"key":"stopped","before":"ann","after":"","by":"bob"}}"#,
                "set: bob let calls be decided again",
            ),
            (r#"{"setting":{"key":"stopped:s1","after":"ann","by":"ann"}}"#, "set: ann stopped session s1"),
            (r#"{"setting":{"key":"stopped:s1","after":"","by":"bob"}}"#, "set: bob let session s1 go on"),
            (
                r#"{"threat":{"rule":"a.b","session":"s1","state":"open"}}"#,
                "threat: a.b matched in session s1: a threat is open",
            ),
            (
                r#"{"threat":{"rule":"a.b","session":"s1","state":"cleared","by":"ann"}}"#,
                "threat: ann cleared the threat of a.b in session s1",
            ),
            (
                r#"{"session_warrant":{"session":"s1","warrants":["a","b"],"by":"ann"}}"#,
                "warrant: ann bound session s1 to a warrant of 2 links",
            ),
            (
                r#"{"grant":{"grant":"0123456789","step":"given","agent":"n","session":"s1","by":"ann","permits":["git push"]}}"#,
                "grant: ann gave n in session s1 a grant: git push",
            ),
            (
                r#"{"grant":{"grant":"0123456789","step":"revoked","agent":"n","session":"s1","by":"ann"}}"#,
                "grant: ann took grant 01234567… back from n in session s1",
            ),
            (r#"{"review":{"cites":[1,2],"by":"ann"}}"#, "review: ann looked at what 2 calls did"),
            (r#"{"retention":{"what":"holds","count":3}}"#, "kept: holds 3 aged out"),
            (r#"{"crisis":{"session":"s1"}}"#, "crisis: a life in danger was spoken of in session s1"),
            (
                r#"{"sign_in":{"by":"bob","step":"signed_in","from":"10.0.0.1"}}"#,
                "door: bob signed in from 10.0.0.1",
            ),
            (
                r#"{"sign_in":{"step":"refused","from":"10.0.0.1","more":3}}"#,
                "door: somebody was not let in, whose name or password was wrong, from 10.0.0.1; 3 more tries to sign in were refused before, too many to be told one by one",
            ),
            (
                r#"{"sign_in":{"by":"bob","step":"too_often","from":"10.0.0.1"}}"#,
                "door: bob was not let in, who tries too often, from 10.0.0.1",
            ),
            (
                r#"{"sign_in":{"step":"refused","more":1}}"#,
                "door: 1 more try to sign in was refused, too many to be told one by one",
            ),
            (
                r#"{"setting":{"key":"user:bob","after":"a user with the role approver","by":"ann"}}"#,
                "set: ann added the user bob with the role approver",
            ),
            (
                r#"{"setting":{"key":"user:bob","before":"the role approver","after":"the role operator","by":"ann"}}"#,
                "set: ann gave the user bob the role operator, which was `the role approver`",
            ),
            (
                r#"{"setting":{"key":"user:bob","after":"a new password","by":"ann"}}"#,
                "set: ann gave the user bob a new password",
            ),
            (
                r#"{"setting":{"key":"user:bob","after":"removed","by":"ann"}}"#,
                "set: ann removed the user bob",
            ),
            (
                r#"{"setting":{"key":"token:5f3a","after":"a token of ci with the role agent","by":"ann"}}"#,
                "set: ann made a token of ci with the role agent, 5f3a",
            ),
            (
                r#"{"setting":{"key":"token:5f3a","after":"revoked","by":"ann"}}"#,
                "set: ann took the token 5f3a back",
            ),
            (
                r#"{"setting":{"key":"approver:bob","after":"a new credential","by":"ann"}}"#,
                "set: ann let whoever has a new credential answer as bob",
            ),
            (
                r#"{"setting":{"key":"approver:bob","after":"revoked","by":"ann"}}"#,
                "set: ann took the credential of bob back",
            ),
            (
                r#"{"setting":{"key":"configuration","before":"00ff","after":"11ff, with 84 rules","by":"placet serve"}}"#,
                "set: placet serve decides by another configuration: 11ff, with 84 rules, which was `00ff`",
            ),
            (r#"{"later":{}}"#, "?: later"),
            (
                r#"{"setting":{"key":"a\u001b[2J","after":"\u202e","by":"x"}}"#,
                "set: x set `a\u{fffd}[2J` to `\u{fffd}`",
            ),
        ] {
            let record = Json::read(format!(r#"{{"what":{what}}}"#)).unwrap();
            let Sentence { about, words } = Sentence::of(&record);
            assert_eq!(format!("{about}: {words}"), expected);
        }
        assert_eq!(Sentence::of_bytes(b"\xff").words, "cannot be read");
    }

    #[test]
    fn a_needle_is_found_in_texts_names_and_words() {
        let json = r#"{"what":{"decision":{"call":{"tool":"terminal","args":{"Command":"ls -la /Srv/shop"}},"verdict":"hold"}}}"#;
        let bytes = super::super::compact(&Json::read(json).unwrap());
        for (needle, is_there) in
            [("srv/SHOP", true), ("terminal", true), ("HOLD", true), ("command", true), ("chmod", false)]
        {
            assert_eq!(Needle::new(needle).unwrap().is_in(View::of(&bytes)), is_there, "{needle}");
        }
    }
}
