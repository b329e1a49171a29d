//! What a word says is done: the verbs that name tools, in English and some neighbours.

use super::{Place, Sensitivity, TargetKind, Undo, Verb, words};

/// What kind of thing a tool does, as its name or its table row says.
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

    /// Whether it only looks.
    pub fn looks(self) -> bool {
        self.verb == Verb::Read
    }

    /// How much stricter one is than another; the strictest word of a name counts.
    fn weight(self) -> u8 {
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

/// The verbs, by what they do. One list a kind, plain forms only.
const VERBS: &[(Act, &[&str])] = &[
    (
        Act::LOOK,
        &[
            "get",
            "list",
            "ls",
            "show",
            "describe",
            "read",
            "fetch",
            "find",
            "search",
            "query",
            "lookup",
            "view",
            "check",
            "count",
            "preview",
            "inspect",
            "explain",
            "analyze",
            "analyse",
            "summarize",
            "summarise",
            "calculate",
            "compute",
            "compare",
            "convert",
            "translate",
            "validate",
            "parse",
            "render",
            "estimate",
            "predict",
            "evaluate",
            "rank",
            "classify",
            "detect",
            "extract",
            "diff",
            "stat",
            "status",
            "info",
            "help",
            "ping",
            "whoami",
            "history",
            "retrieve",
            "load",
            "select",
            "scan",
            "is",
            "has",
            "can",
            "exists",
            "tail",
            "head",
            "grep",
            "glob",
            "look",
            "observe",
            "measure",
            "tell",
            "suggest",
            "recommend",
            "identify",
            "monitor",
            "poll",
            "peek",
            "total",
            "sum",
            "return",
            "provide",
            "obtain",
            "hover",
            "scroll",
            "screenshot",
            "snapshot",
            "think",
            "wait",
            "resolve",
            "discover",
            "trace",
            "buscar",
            "obtener",
            "leer",
            "listar",
            "mostrar",
            "chercher",
            "lire",
            "afficher",
            "lister",
            "suchen",
            "lesen",
            "zeigen",
            "anzeigen",
            "abrufen",
            "cercare",
            "leggere",
            "mostrare",
            "procurar",
            "ler",
        ],
    ),
    (
        Act::CHANGE,
        &[
            "create",
            "add",
            "append",
            "insert",
            "update",
            "edit",
            "modify",
            "change",
            "write",
            "save",
            "put",
            "patch",
            "rename",
            "move",
            "copy",
            "import",
            "sync",
            "merge",
            "replace",
            "assign",
            "register",
            "apply",
            "generate",
            "store",
            "record",
            "mark",
            "tag",
            "label",
            "star",
            "unstar",
            "like",
            "follow",
            "unfollow",
            "vote",
            "upvote",
            "rate",
            "complete",
            "finish",
            "close",
            "reopen",
            "archive",
            "unarchive",
            "restore",
            "revert",
            "undo",
            "set",
            "make",
            "new",
            "upsert",
            "attach",
            "link",
            "pin",
            "fork",
            "clone",
            "commit",
            "push",
            "upload",
            "download",
            "export",
            "publish",
            "submit",
            "fill",
            "type",
            "click",
            "press",
            "drag",
            "verify",
            "confirm",
            "accept",
            "react",
            "increment",
            "decrement",
            "crear",
            "anadir",
            "agregar",
            "actualizar",
            "guardar",
            "creer",
            "ajouter",
            "modifier",
            "enregistrer",
            "erstellen",
            "hinzufugen",
            "andern",
            "aktualisieren",
            "speichern",
            "creare",
            "aggiungere",
            "aggiornare",
            "criar",
            "atualizar",
        ],
    ),
    (
        Act::REMOVE,
        &[
            "remove",
            "cancel",
            "clear",
            "discard",
            "unregister",
            "unlink",
            "detach",
            "dismiss",
            "unsubscribe",
            "untag",
            "unpin",
            "quitar",
            "annuler",
            "entfernen",
            "abbrechen",
            "rimuovere",
            "remover",
            "cancelar",
        ],
    ),
    (
        Act::DESTROY,
        &[
            "delete",
            "destroy",
            "drop",
            "erase",
            "purge",
            "wipe",
            "truncate",
            "terminate",
            "uninstall",
            "trash",
            "empty",
            "flush",
            "forget",
            "prune",
            "del",
            "rm",
            "nuke",
            "obliterate",
            "shred",
            "expunge",
            "deregister",
            "decommission",
            "eliminar",
            "borrar",
            "supprimer",
            "effacer",
            "loschen",
            "vernichten",
            "eliminare",
            "cancellare",
            "excluir",
            "apagar",
        ],
    ),
    (
        Act::MESSAGE,
        &[
            "send",
            "email",
            "mail",
            "message",
            "notify",
            "post",
            "tweet",
            "reply",
            "respond",
            "forward",
            "broadcast",
            "text",
            "sms",
            "dial",
            "phone",
            "comment",
            "announce",
            "alert",
            "dm",
            "contact",
            "escalate",
            "remind",
            "sendmail",
            "speak",
            "enviar",
            "mandar",
            "envoyer",
            "senden",
            "schicken",
            "inviare",
            "mandare",
        ],
    ),
    (
        Act::TRANSMIT,
        &[
            "browse",
            "navigate",
            "visit",
            "goto",
            "open",
            "request",
            "webhook",
            "exfiltrate",
            "transmit",
            "stream",
            "proxy",
        ],
    ),
    (
        Act::MONEY,
        &[
            "pay",
            "purchase",
            "buy",
            "charge",
            "transfer",
            "refund",
            "order",
            "checkout",
            "withdraw",
            "deposit",
            "trade",
            "sell",
            "bid",
            "invest",
            "tip",
            "donate",
            "reserve",
            "book",
            "rent",
            "subscribe",
            "redeem",
            "payout",
            "invoice",
            "spend",
            "pagar",
            "comprar",
            "payer",
            "acheter",
            "bezahlen",
            "kaufen",
            "uberweisen",
            "pagare",
            "comprare",
            "wire",
        ],
    ),
    (
        Act::AUTHORITY,
        &[
            "grant",
            "invite",
            "share",
            "authorize",
            "authorise",
            "permit",
            "allow",
            "approve",
            "promote",
            "elevate",
            "impersonate",
            "revoke",
            "login",
            "logon",
            "signin",
            "authenticate",
            "enroll",
            "onboard",
            "ban",
            "unban",
            "block",
            "unblock",
            "whitelist",
            "allowlist",
            "sudo",
            "invitar",
            "compartir",
            "inviter",
            "partager",
            "einladen",
            "teilen",
        ],
    ),
    (
        Act::SCHEDULE,
        &[
            "schedule",
            "reschedule",
            "cron",
            "cronjob",
            "postpone",
            "snooze",
            "defer",
            "programar",
            "planifier",
            "planen",
        ],
    ),
    (Act::DELEGATE, &["delegate", "handoff", "subagent", "spawn", "dispatch"]),
    (
        Act::RUN,
        &[
            "run",
            "execute",
            "exec",
            "eval",
            "invoke",
            "call",
            "launch",
            "trigger",
            "deploy",
            "build",
            "compile",
            "perform",
            "process",
            "ejecutar",
            "executer",
            "ausfuhren",
            "eseguire",
            "executar",
            "rollout",
            "release",
        ],
    ),
    (
        Act::CONFIGURE,
        &[
            "configure",
            "enable",
            "toggle",
            "turn",
            "lock",
            "unlock",
            "arm",
            "disarm",
            "start",
            "resume",
            "scale",
            "resize",
            "rotate",
            "switch",
            "adjust",
            "control",
            "activate",
            "tune",
            "dim",
            "play",
            "connect",
        ],
    ),
    (
        Act::DISRUPT,
        &[
            "disable",
            "stop",
            "kill",
            "restart",
            "reboot",
            "shutdown",
            "reset",
            "suspend",
            "pause",
            "deactivate",
            "rollback",
            "failover",
            "drain",
            "evict",
            "disconnect",
            "halt",
            "abort",
        ],
    ),
    (Act::INSTALL, &["install", "upgrade", "provision", "bootstrap", "setup"]),
];

/// Nouns that make a change one of authority.
const AUTHORITY_NOUNS: &[&str] = &[
    "permission",
    "permissions",
    "role",
    "roles",
    "admin",
    "password",
    "passwords",
    "apikey",
    "token",
    "credential",
    "credentials",
    "collaborator",
    "collaborators",
    "acl",
    "policy",
    "policies",
    "scope",
    "scopes",
    "privilege",
    "privileges",
    "owner",
    "membership",
    "2fa",
    "mfa",
];

/// Nouns that make a read one of secrets.
const SECRET_NOUNS: &[&str] = &[
    "secret",
    "secrets",
    "password",
    "passwords",
    "credential",
    "credentials",
    "apikey",
    "token",
    "tokens",
    "keychain",
    "vault",
];

/// Nouns of money: `send_money` is no message.
const MONEY_NOUNS: &[&str] = &[
    "money",
    "funds",
    "payment",
    "payments",
    "transaction",
    "transactions",
    "payout",
    "invoice",
    "refund",
    "purchase",
    "cash",
    "crypto",
    "bitcoin",
    "eth",
];

/// What the words of a name say is done; `None` if no word is a verb we know.
pub fn of_name(name: &[String]) -> Option<Act> {
    let found: Vec<(usize, Act)> =
        name.iter().enumerate().filter_map(|(at, word)| Some((at, verb(word)?))).collect();
    let (first_at, first) = *found.first()?;
    // `get_sent_mail` only looks, whatever it looks at; `get_and_delete` does not.
    let joined = name.iter().any(|word| matches!(word.as_str(), "and" | "or" | "then"));
    let leads = first_at == 0 || first.looks() && found.iter().all(|(_, act)| act.looks());
    // `show_delete_all` does not look like looking; `get_order` does, for an order is also a thing.
    let plain = |word: &String| {
        matches!(verb(word), Some(Act::DESTROY))
            || matches!(word.as_str(), "revoke" | "grant" | "pay" | "purchase")
    };
    let contradicts = name.iter().skip(first_at + 1).any(plain);
    let chosen = if first.looks() && leads && !joined && !contradicts {
        first
    } else {
        found.iter().map(|(_, act)| *act).max_by_key(|act| act.weight())?
    };
    Some(by_nouns(chosen, name))
}

/// The same act, seen with the things it is done to.
fn by_nouns(act: Act, name: &[String]) -> Act {
    let names = |nouns: &[&str]| name.iter().any(|word| nouns.contains(&word.as_str()));
    let key = name.windows(2).any(|pair| {
        pair[1].trim_end_matches('s') == "key"
            && matches!(
                pair[0].as_str(),
                "api" | "ssh" | "access" | "private" | "secret" | "deploy" | "signing" | "gpg"
            )
    });
    if act.looks() {
        let secret = names(SECRET_NOUNS) || key;
        return if secret { Act { sensitivity: Sensitivity::Credential, ..act } } else { act };
    }
    if names(MONEY_NOUNS) && !matches!(act.verb, Verb::Grant) {
        return Act::MONEY;
    }
    if (names(AUTHORITY_NOUNS) || key) && !matches!(act.verb, Verb::Spend) {
        return Act::AUTHORITY;
    }
    act
}

/// What a description says is done besides: the verbs its sentences begin with. It is a claim of whoever wrote
/// it, so it is only ever used to find more.
pub fn of_description(text: &str) -> Vec<Act> {
    const SENTENCES_MAX: usize = 16;
    let mut acts = Vec::new();
    for sentence in text.split(['.', '\n', ';', '!']).take(SENTENCES_MAX) {
        let words = words::split(&sentence.chars().take(200).collect::<String>());
        // `It also sends …`, `This tool will delete …`
        let lead = words.iter().position(|word| {
            !matches!(
                word.as_str(),
                "it" | "also"
                    | "this"
                    | "tool"
                    | "function"
                    | "will"
                    | "can"
                    | "to"
                    | "use"
                    | "used"
                    | "and"
                    | "you"
                    | "let"
                    | "lets"
                    | "allows"
                    | "api"
            )
        });
        let Some(lead) = lead else { continue };
        if let Some(act) = words::stems(&words[lead]).find_map(|stem| verb(&stem)) {
            acts.push(by_nouns(act, &words));
        }
    }
    acts
}

/// What a single word says is done.
fn verb(word: &str) -> Option<Act> {
    VERBS.iter().find(|(_, words)| words.contains(&word)).map(|(act, _)| *act)
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
        for name in ["charge_card", "transferFunds", "send_money", "refundOrder"] {
            check(name, Verb::Spend);
        }
        for name in ["grant_admin", "create_api_key", "revoke", "updatePassword", "add_ssh_key"] {
            check(name, Verb::Grant);
        }
        check("deploy", Verb::Execute);
        check("disable", Verb::Configure);
        check("reset", Verb::Configure);
        check("export", Verb::Write);
        check("supprimer_fichier", Verb::Delete);
    }

    #[test]
    fn letters_inside_words_say_nothing() {
        for name in
            ["evaluate_model", "get_postcode", "list_runs", "get_sent_mail", "search_deleted", "readDropdown"]
        {
            check(name, Verb::Read);
        }
        assert_eq!(of_name(&words::split("weather")), None);
        assert_eq!(of_name(&words::split("read_secrets")).unwrap().sensitivity, Sensitivity::Credential);
        check("get_and_delete_row", Verb::Delete);
    }

    #[test]
    fn a_description_can_only_add() {
        let acts = of_description("Creates an event. It also sends an invitation to everybody.");
        assert!(acts.iter().any(|act| act.verb == Verb::Send));
        assert!(of_description("Returns the sent messages of a user.").iter().all(|act| act.looks()));
    }
}
