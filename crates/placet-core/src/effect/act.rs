//! What kind of thing a tool does, as the words of its name, its description or its table row say.

use std::{borrow::Cow, sync::LazyLock};

use super::{
    Place, Sensitivity, TargetKind, Undo, Verb,
    lookup::LookupSet,
    nouns,
    verbs::{self, Class},
    words::{self, Word},
};

/// What kind of thing a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// What is done.
    pub verb: Verb,
    /// To what kind of thing.
    pub kind: TargetKind,
    /// Where that is.
    pub place: Place,
    /// Whether it can be taken back.
    pub undo: Undo,
    /// How special it is.
    pub sensitivity: Sensitivity,
}

const fn act(verb: Verb, kind: TargetKind, place: Place, undo: Undo) -> Act {
    Act { verb, kind, place, undo, sensitivity: Sensitivity::None }
}

impl Act {
    /// Looks at something.
    pub const LOOK: Self = act(Verb::Read, TargetKind::Service, Place::Machine, Undo::Trivial);
    /// Creates or changes something elsewhere.
    pub const CHANGE: Self = act(Verb::Write, TargetKind::Service, Place::Away, Undo::Possible);
    /// Takes something away that can be put back.
    pub const REMOVE: Self = act(Verb::Delete, TargetKind::Service, Place::Away, Undo::Possible);
    /// Destroys something.
    pub const DESTROY: Self = act(Verb::Delete, TargetKind::Service, Place::Away, Undo::Impossible);
    /// Sends something to people.
    pub const MESSAGE: Self = act(Verb::Send, TargetKind::Person, Place::Away, Undo::Possible);
    /// Passes data to a machine.
    pub const TRANSMIT: Self = act(Verb::Send, TargetKind::Url, Place::Away, Undo::Possible);
    /// Moves money.
    pub const MONEY: Self = act(Verb::Spend, TargetKind::Account, Place::Away, Undo::Impossible);
    /// Gives or takes authority.
    pub const AUTHORITY: Self = act(Verb::Grant, TargetKind::Account, Place::Away, Undo::Possible);
    /// Arranges for something to happen later.
    pub const SCHEDULE: Self = act(Verb::Schedule, TargetKind::Service, Place::Away, Undo::Possible);
    /// Hands work to another agent.
    pub const DELEGATE: Self = act(Verb::Delegate, TargetKind::Session, Place::Machine, Undo::Possible);
    /// Runs something.
    pub const RUN: Self = act(Verb::Execute, TargetKind::Service, Place::Away, Undo::Possible);
    /// Changes how something behaves.
    pub const CONFIGURE: Self = act(Verb::Configure, TargetKind::Service, Place::Away, Undo::Possible);
    /// Stops or resets something others may depend on.
    pub const DISRUPT: Self = Act { sensitivity: Sensitivity::System, ..Self::CONFIGURE };
    /// Adds software.
    pub const INSTALL: Self = act(Verb::Install, TargetKind::Service, Place::Machine, Undo::Possible);
    /// Keeps a note for the agent itself.
    pub const NOTE: Self = act(Verb::Write, TargetKind::Session, Place::Scratch, Undo::Trivial);

    /// The acts by the words that `verbs.list`, the tool table and the configuration have for them.
    pub const NAMES: [(&'static str, Self); 15] = [
        ("look", Self::LOOK),
        ("change", Self::CHANGE),
        ("remove", Self::REMOVE),
        ("destroy", Self::DESTROY),
        ("message", Self::MESSAGE),
        ("transmit", Self::TRANSMIT),
        ("money", Self::MONEY),
        ("authority", Self::AUTHORITY),
        ("schedule", Self::SCHEDULE),
        ("delegate", Self::DELEGATE),
        ("run", Self::RUN),
        ("configure", Self::CONFIGURE),
        ("disrupt", Self::DISRUPT),
        ("install", Self::INSTALL),
        ("note", Self::NOTE),
    ];

    /// The act of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, act)| *act)
    }

    /// Whether it only looks.
    pub fn looks(self) -> bool {
        self.verb == Verb::Read
    }

    /// How much graver one is than another; the gravest word of a name counts.
    pub fn gravity(self) -> u8 {
        match self.verb {
            Verb::Read => 0,
            Verb::Write => 1,
            Verb::Install | Verb::Schedule | Verb::Delegate | Verb::Configure => 2,
            Verb::Execute | Verb::Send => 3,
            Verb::Delete => 4,
            Verb::Grant => 5,
            Verb::Spend => 6,
            Verb::Opaque => 7,
        }
    }
}

/// What the words of a name say is done; `None` if no word is a verb we know.
pub fn of_name(name: &[Word<'_>]) -> Option<Act> {
    let mut found = verbs_of(name, false);
    from_get(name, &mut found);
    if shows(name, &found) {
        return (!hides(name, None)).then(|| by_nouns(Act::LOOK, name));
    }
    if found.is_empty() {
        found = verbs_of(name, true);
    }
    if found.is_empty() {
        // `deletes_file`, `sending`: forms of a verb count where there is nothing better.
        // Not of what may be a thing: `console_messages` are some.
        let stem = |word: &Word<'_>| {
            words::stems(word).skip(1).find_map(|stem| {
                let act = verbs::of(&stem, verbs::Context::Tool)?;
                (act.looks() || !verbs::is(&stem, Class::Thing)).then_some(act)
            })
        };
        found = name.iter().enumerate().filter_map(|(at, word)| Some((at, stem(word)?))).collect();
    }
    let &(first_at, first) = found.first()?;
    let chosen = if only_looks(name, &found, first_at, first) {
        Act::LOOK
    } else {
        found.iter().map(|(_, act)| *act).max_by_key(|act| act.gravity())?
    };
    if chosen.looks() && hides(name, Some(first_at)) {
        return None;
    }
    Some(by_nouns(chosen, name))
}

/// `order_get_status`: what stands before a plain `get` says of what, as far as it may be a thing.
fn from_get(name: &[Word<'_>], found: &mut Vec<(usize, Act)>) {
    let is_get = |at: usize| {
        gets(&name[at]) && name.get(at + 1).is_some_and(|next| *next != "request" && *next != "requests")
    };
    let Some(begins) = found.iter().position(|&(at, _)| is_get(at)) else { return };
    let is_thing = |&(at, act): &(usize, Act)| act.looks() || verbs::is(&name[at], Class::Thing);
    if begins > 0 && found[..begins].iter().all(is_thing) && !joins(name) {
        found.drain(..begins);
    }
}

/// Whether a word is a verb that looks and never a thing.
fn gets(word: &str) -> bool {
    matches!(word, "get" | "retrieve" | "fetch" | "describe" | "find")
}

/// Whether a name says no more than what it shows: `exchange_rates`, `order_details`, `html_to_markdown`.
fn shows(name: &[Word<'_>], found: &[(usize, Act)]) -> bool {
    // A verb that looks says so itself.
    if found.first().is_some_and(|&(at, act)| at > 0 || act.looks()) {
        return false;
    }
    let is_thing = |&(at, act): &(usize, Act)| act.looks() || verbs::is(&name[at], Class::Thing);
    if joins(name) || !found.iter().all(is_thing) {
        return false;
    }
    let Some(head_at) = head(name) else { return false };
    let is_head = |class| verbs::is(&name[head_at], class);
    match found {
        [] => {
            // `climate_set_temperature`, `live_stream`: what may be a verb there is one.
            let plain = |until| !name[..until].iter().skip(1).any(|word| verbs::is(word, Class::Start));
            is_head(Class::Finding)
                || turns(name)
                || is_head(Class::Topic) && plain(head_at)
                || verbs::is(&name[0], Class::Which) && plain(name.len())
        }
        [(_, act), ..] => {
            let told = head_at == 1 && is_head(Class::About) && verbs::is(&name[0], Class::Goods);
            // `launch_analyzer` starts one, `request_validation` asks for it.
            let says_of_what = match act.verb {
                Verb::Write | Verb::Spend => true,
                Verb::Send => {
                    matches!(
                        name[0].as_str(),
                        "email" | "mail" | "text" | "sms" | "message" | "tweet" | "comment"
                    )
                }
                _ => false,
            };
            told || is_head(Class::Finding) && says_of_what || turns(name)
        }
    }
}

/// Where the word stands that says what a name is about: the last, or the last before one such as `of`.
fn head(name: &[Word<'_>]) -> Option<usize> {
    const BEFORE: &[&str] = &[
        "of", "by", "for", "in", "at", "near", "from", "on", "with", "between", "per", "within", "around",
        "across", "about",
    ];
    let named = name.iter().position(|word| BEFORE.contains(&word.as_str())).unwrap_or(name.len());
    let says_nothing = |word: &Word<'_>| {
        matches!(word.as_str(), "api" | "tool" | "service" | "endpoint" | "v")
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    name[..named].iter().rposition(|word| !says_nothing(word))
}

/// `celsius_to_fahrenheit`: one form becomes another.
fn turns(name: &[Word<'_>]) -> bool {
    let is_form = |word: &Word<'_>| verbs::is(word, Class::Form);
    name.windows(3)
        .any(|near| matches!(near[1].as_str(), "to" | "2") && is_form(&near[0]) && is_form(&near[2]))
}

/// Whether a name joins several things that are done.
fn joins(name: &[Word<'_>]) -> bool {
    name.iter().any(|word| matches!(word.as_str(), "and" | "or" | "then" | "with" | "y" | "und" | "et"))
}

/// Whether a name that seems to look has a word before that which leaves open what is done: `manage_inventory`.
fn hides(name: &[Word<'_>], looks_at: Option<usize>) -> bool {
    let before = &name[..looks_at.unwrap_or(name.len())];
    let is_made = |word: &Word<'_>| {
        word.len() > 5 && (word.ends_with("ize") || word.ends_with("ify")) || verbs::is(word, Class::Vague)
    };
    let ends = |word: &Word<'_>| verbs::is(word, Class::Doer);
    // `get_task_manager` looks for one.
    let asks = looks_at.is_some_and(|at| !verbs::is(&name[at], Class::Thing));
    before.iter().any(is_made) || !asks && name.last().is_some_and(ends)
}

/// The verbs in a name with their places.
fn verbs_of(name: &[Word<'_>], anywhere: bool) -> Vec<(usize, Act)> {
    let mut found = Vec::with_capacity(4);
    let mut at = 0;
    while at < name.len() {
        match verbs::at(name, at) {
            Some((act, count)) => {
                if at == 0 || anywhere || count > 1 || !verbs::is(&name[at], Class::Start) {
                    found.push((at, act));
                }
                at += count;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a name says that only something is looked at.
fn only_looks(name: &[Word<'_>], found: &[(usize, Act)], first_at: usize, first: Act) -> bool {
    // `get_sent_mail` only looks, whatever it looks at; `get_and_delete` does not.
    if joins(name) && found.iter().any(|(_, act)| !act.looks()) {
        return false;
    }
    // `show_delete_all` does not look like looking; `get_order` does, for an order is also a thing.
    let is_plain = |at: usize, act: Act| {
        act == Act::DESTROY
            || matches!(name[at].as_str(), "revoke" | "grant" | "pay" | "purchase" | "execute" | "exec")
    };
    if found.iter().any(|&(at, act)| at != first_at && !act.looks() && is_plain(at, act)) {
        return false;
    }
    let is_thing = |at: usize| verbs::is(&name[at], Class::Thing);
    let only_things = found.iter().all(|&(at, act)| act.looks() || is_thing(at));
    let Some(&(last_at, last)) = found.last() else { return false };
    // `profile_update_photo`, `list_create`: what is done to them comes later.
    let of_thing = verbs::is(&name[first_at], Class::Named)
        || (is_thing(first_at) || first_at > 0) && last_at + 1 == name.len() && !last.looks();
    if first.looks() && (only_things || (first_at == 0 || gets(&name[first_at])) && !of_thing) {
        return true;
    }
    // `pull_request_read`, `order_history`: things, and at the end what is done with them.
    // `move_note_to_list`: that is where something goes.
    let goes = name.iter().any(|word| matches!(word.as_str(), "to" | "from" | "into" | "onto" | "as"));
    let told_last = last.looks() && last_at + 1 == name.len() && (first_at != 0 || !goes);
    // `email_list` may be either.
    // `shop_post_review` posts one: what looks may be what is given, too.
    let is_given = matches!(
        name[last_at].as_str(),
        "review" | "reviews" | "poll" | "survey" | "watch" | "profile" | "benchmark" | "critique"
    );
    let clear = first_at != 0 && !is_given
        || matches!(
            name[last_at].as_str(),
            "search"
                | "get"
                | "find"
                | "read"
                | "lookup"
                | "fetch"
                | "query"
                | "history"
                | "count"
                | "preview"
        )
        || name[last_at] == "list" && first.verb != Verb::Send;
    told_last && only_things && clear
}

/// The same act, seen with the things it is done to.
fn by_nouns(act: Act, name: &[Word<'_>]) -> Act {
    let names = |nouns: &[&str]| name.iter().any(|word| nouns.contains(&word.as_str()));
    let nouns = nouns::Nouns::of(name);
    let key = name.windows(2).any(|pair| {
        pair[1].trim_end_matches('s') == "key"
            && matches!(
                pair[0].as_str(),
                "api"
                    | "ssh"
                    | "access"
                    | "private"
                    | "secret"
                    | "deploy"
                    | "signing"
                    | "gpg"
                    | "encryption"
                    | "service"
            )
    });
    if act.looks() {
        let secret = (nouns.any(nouns::Kind::Secret) || key)
            && !names(&["count", "usage", "price", "supply", "limit", "scanning"]);
        return if secret { Act { sensitivity: Sensitivity::Credential, ..act } } else { act };
    }
    if nouns.any(nouns::Kind::Money) && act.verb != Verb::Grant && !nouns.any(nouns::Kind::Bookkeeping) {
        return Act::MONEY;
    }
    if (nouns.any(nouns::Kind::Authority) || key) && act.verb != Verb::Spend {
        return Act::AUTHORITY;
    }
    let opens = matches!(act.verb, Verb::Configure | Verb::Send | Verb::Execute)
        && names(&["open", "unlock", "disarm", "disable", "off", "start", "control"]);
    if opens && nouns.any(nouns::Kind::Safety) {
        return Act::DISRUPT;
    }
    act
}

/// Words a sentence about a tool begins with before it comes to its verb.
const PREAMBLE: &[&str] = &[
    "it",
    "also",
    "this",
    "tool",
    "function",
    "will",
    "can",
    "to",
    "use",
    "used",
    "and",
    "you",
    "let",
    "lets",
    "allows",
    "api",
    "then",
    "method",
    "endpoint",
    "may",
    "permanently",
    "irreversibly",
    "immediately",
    "automatically",
    "silently",
    "securely",
    "quickly",
    "optionally",
    "simply",
    "warning",
    "note",
    "caution",
];

/// What a sentence of a description says is done.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    /// What is done.
    pub act: Act,
    /// Whether it is what the description begins with, in a word that says nothing else.
    pub first: bool,
}

/// What a description says is done besides: the verbs its sentences begin with. It is a claim of whoever wrote
/// it, so it is only ever used to find more.
pub fn of_description(text: &str) -> Vec<Said> {
    const SENTENCES_MAX: usize = 16;
    /// Of each.
    const LETTERS_MAX: usize = 90;
    static WORDS: LazyLock<LookupSet<&str>> = LazyLock::new(|| PREAMBLE.iter().copied().collect());
    let preamble = &*WORDS;
    let mut said = Vec::new();
    let mut first = true;
    for sentence in sentences(text).take(SENTENCES_MAX) {
        let words = words::split(words::beginning(sentence, LETTERS_MAX));
        // `It also sends …`, `This tool will delete …`
        let Some(lead) = words.iter().position(|word| !preamble.contains(word.as_str())) else { continue };
        let begins = std::mem::take(&mut first);
        // `Onboarding new people` tells what it is good for, not what it does.
        if words[lead].ends_with("ing") || addresses(&words[lead..]) {
            continue;
        }
        let whole = verbs::at(&words, lead).map(|(act, _)| (act, Cow::Borrowed(words[lead].as_str())));
        let found = whole.or_else(|| {
            words::stems(&words[lead]).find_map(|stem| Some((verbs::of(&stem, verbs::Context::Tool)?, stem)))
        });
        let Some((act, verb)) = found else { continue };
        // Further on the sentence speaks of other things.
        let near = &words[lead..words.len().min(lead + 5)];
        if does_a_look(&verb, near) {
            continue;
        }
        let is = |class| verbs::is(&verb, class);
        let plain = !is(Class::Thing) && !is(Class::Start) && !OF_TEXT.contains(&&*verb);
        said.push(Said { act: by_nouns(act, near), first: begins && plain });
    }
    said
}

/// What is as often done to a text, and no more than that text comes back.
const OF_TEXT: &[&str] = &[
    "generate",
    "transform",
    "compose",
    "encrypt",
    "decrypt",
    "compress",
    "redact",
    "merge",
    "split",
    "apply",
    "convert",
    "rewrite",
    "complete",
    "draft",
    "crop",
    "resize",
    "answer",
    "return",
    "resolve",
    "confirm",
];

/// Whether a sentence speaks to whoever uses the tool: `Call this first`.
fn addresses(sentence: &[Word<'_>]) -> bool {
    const THEN: &[&str] =
        &["this", "it", "before", "after", "first", "when", "whenever", "again", "only", "once"];
    match sentence {
        [lead, then, ..] => {
            matches!(lead.as_str(), "call" | "invoke" | "run") && THEN.contains(&then.as_str())
                || matches!(lead.as_str(), "return" | "returns")
        }
        _ => false,
    }
}

/// Whether what is performed is itself a look: `Runs a quick search`.
fn does_a_look(verb: &str, near: &[Word<'_>]) -> bool {
    if !matches!(verb, "perform" | "run" | "execute") {
        return false;
    }
    let is_more = |word: &Word<'_>| {
        matches!(
            word.as_str(),
            "sql"
                | "code"
                | "script"
                | "command"
                | "statement"
                | "mutation"
                | "arbitrary"
                | "any"
                | "or"
                | "and"
        )
    };
    let is_look = |word: &Word<'_>| {
        matches!(word.as_str(), "search" | "query" | "lookup" | "scan" | "analysis" | "check")
            || verbs::is(word, Class::Finding)
    };
    near.iter().skip(1).any(is_look) && !near.iter().any(is_more)
}

/// What stands between the signs that end a sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| matches!(byte, b'.' | b'\n' | b';' | b'!'));
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, verb: Verb) {
        let act = of_name(&words::split(name));
        assert_eq!(act.map(|act| act.verb), Some(verb), "{name}");
    }

    #[test]
    fn whole_words_say_what_is_done() {
        for name in [
            "charge_card",
            "transferFunds",
            "send_money",
            "refundOrder",
            "create_order",
            "book_flight",
            "topUpWallet",
        ] {
            check(name, Verb::Spend);
        }
        for name in [
            "grant_admin",
            "create_api_key",
            "revoke",
            "updatePassword",
            "add_ssh_key",
            "log_in",
            "make_repo_public",
        ] {
            check(name, Verb::Grant);
        }
        check("deploy", Verb::Execute);
        check("disable", Verb::Configure);
        check("reset", Verb::Configure);
        check("export", Verb::Write);
        check("check_in_guest", Verb::Write);
        check("resolve_incident", Verb::Write);
        check("format_disk", Verb::Delete);
        check("reset_database", Verb::Delete);
        check("workflow_trigger", Verb::Execute);
    }

    #[test]
    fn words_of_other_languages_count() {
        for name in [
            "supprimer_fichier",
            "löschenDatei",
            "eliminar-cliente",
            "удалить_файл",
            "删除文件",
            "ファイル削除",
            "삭제하기",
        ] {
            check(name, Verb::Delete);
        }
        check("enviar_correo", Verb::Send);
        check("überweisen", Verb::Spend);
        check("查询天气", Verb::Read);
    }

    #[test]
    fn letters_inside_words_say_nothing() {
        for name in [
            "evaluate_model",
            "get_postcode",
            "list_runs",
            "get_sent_mail",
            "search_deleted",
            "readDropdown",
            "resolve_library_id",
            "weather",
        ] {
            check(name, Verb::Read);
        }
        assert_eq!(of_name(&words::split("frobnicate")), None);
        assert_eq!(of_name(&words::split("read_secrets")).unwrap().sensitivity, Sensitivity::Credential);
        check("get_and_delete_row", Verb::Delete);
    }

    #[test]
    fn what_is_done_may_stand_at_the_end() {
        for name in
            ["order_history", "pull_request_read", "invoice_list", "slack_message_search", "files_list"]
        {
            check(name, Verb::Read);
        }
        check("users_delete", Verb::Delete);
        check("email_list", Verb::Send);
        check("order_pizza", Verb::Spend);
    }

    #[test]
    fn a_description_can_only_add() {
        let acts = of_description("Creates an event. It also sends an invitation to everybody.");
        assert!(acts.iter().any(|said| said.act.verb == Verb::Send));
        assert!(of_description("Returns the sent messages of a user.").iter().all(|said| said.act.looks()));
        assert!(
            of_description("Permanently deletes a project").iter().any(|said| said.act.verb == Verb::Delete)
        );
    }
}
