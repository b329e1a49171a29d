//! Every path there is, who may use it, and how it says no. The router is made from this table, the document that describes
//! the service too, and a test asks each row as each role.

use std::{future::Future, pin::Pin};

use axum::response::Response;
use placet_core::effect::percent::percent_bytes;

use crate::{
    agentguard, ask::Asked, auditing, calls, chat, credentials, events, grants, health, holds, minting,
    notices, openapi, operating, problem::Problem, reviews, rules, searching, sign_in, stream, users,
    verifying, warrants, watching,
};

/// What is done with a request that came this far.
pub type Handler = fn(Asked) -> Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send>>;

/// A path with its method.
pub struct Endpoint {
    /// The method.
    pub verb: Verb,
    /// The path, as axum writes it.
    pub path: &'static str,
    /// Who may use it.
    pub who: &'static [As],
    /// How it says no.
    pub dialect: Dialect,
    /// What it is for.
    pub about: &'static str,
    /// What it takes, in JSON schema; empty for nothing.
    pub takes: &'static str,
    /// What is done.
    pub handler: Handler,
}

/// The methods we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Does something.
    Post,
    /// Sets something.
    Put,
    /// Takes something away.
    Delete,
}

impl Endpoint {
    /// Whether the answer goes on for as long as somebody listens.
    pub fn is_endless(&self) -> bool {
        matches!(self.path, "/v1/stream" | "/live")
    }

    /// Whether a session needs its second half for this: for all that a reader may not do. A browser that goes to a page can
    /// show its cookie only, so pages are read with the cookie alone.
    pub fn needs_both_halves(&self) -> bool {
        let reads = self.who.contains(&As::Auditor) || self.who.contains(&As::Anyone);
        let goes_to_a_page = self.dialect == Dialect::Page && self.verb == Verb::Get;
        !reads && !goes_to_a_page
    }

    /// Whether this belongs to the pages, and to nothing else that is served under the same port: it shows one, or gives a
    /// browser a cookie.
    pub fn is_of_pages(&self) -> bool {
        let is_page = self.dialect == Dialect::Page && self.path != "/assets/{name}";
        is_page || matches!(self.path, "/v1/login" | "/v1/sign-in/{link}")
    }
}

impl Verb {
    /// The method on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
            Verb::Put => "PUT",
            Verb::Delete => "DELETE",
        }
    }
}

/// As whom somebody comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// Whoever it is.
    Anyone,
    /// Somebody without a token on this machine, where that is let in; for AgentGuard, from a network that is.
    Local,
    /// A token with this role.
    Agent,
    /// A token with this role.
    Auditor,
    /// A token with this role.
    Approver,
    /// A token with this role, or the credential of whoever ran Placet first.
    Operator,
}

/// How an endpoint says no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A status, and the problem as JSON.
    Api,
    /// An answer that blocks: whoever asks wants to run something.
    Call,
    /// What the AgentGuard plugin takes for a block. It takes everything else for leave to run, so this never fails.
    AgentGuard,
    /// A page.
    Page,
}

impl Dialect {
    /// What whoever asks for `target` understands, where no row says so: a plugin that was told a wrong address, or that is
    /// answered before there is a router, takes everything but a block for leave to run. It adds its path to whatever address
    /// it was told, and others on the way may write that in another way.
    pub fn of_target(target: &[u8]) -> Self {
        let text = String::from_utf8_lossy(target);
        // Who asks a proxy names the host, too.
        let path = match text.split_once("://").filter(|(scheme, _)| !scheme.contains(['/', '?'])) {
            Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
            None => &*text,
        };
        let path = path.split(['?', '#']).next().unwrap_or("").trim_matches('/');
        if path == "v1/calls" {
            return Dialect::Call;
        }
        // That a session is over is no question, and whoever says it does not look at the answer.
        if path.contains("api/holds/_abandon-session/") {
            return Dialect::Api;
        }
        // Some encode what is encoded already.
        let once = percent_bytes(&text);
        let once = String::from_utf8_lossy(&once);
        let decoded = percent_bytes(&once);
        let letters = decoded.iter().filter(|byte| byte.is_ascii_alphanumeric());
        let letters: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
        match letters.windows(HOLDS.len()).any(|here| here == HOLDS) {
            true => Dialect::AgentGuard,
            false => Dialect::Api,
        }
    }
}

/// The letters of the plugin's path.
const HOLDS: &[u8] = b"apiholds";

use As::{Agent, Anyone, Approver, Auditor, Local, Operator};
use Verb::{Delete, Get, Post, Put};

pub(crate) const ASKS: &[As] = &[Local, Agent, Operator];
pub(crate) const READS: &[As] = &[Auditor, Approver, Operator];
pub(crate) const ANSWERS: &[As] = &[Approver, Operator];
pub(crate) const RUNS: &[As] = &[Operator];
pub(crate) const ANYONE: &[As] = &[Anyone];

const fn row(
    verb: Verb,
    path: &'static str,
    who: &'static [As],
    about: &'static str,
    takes: &'static str,
    handler: Handler,
) -> Endpoint {
    Endpoint { verb, path, who, dialect: Dialect::Api, about, takes, handler }
}

const fn asking(dialect: Dialect, row: Endpoint) -> Endpoint {
    Endpoint { dialect, ..row }
}

const CALL: &str = r#"{"type":"object","required":["call"],"additionalProperties":false,"properties":{"call":{"type":"object","required":["tool"]},"wait_ms":{"type":"integer","minimum":0},"may_retry":{"type":"boolean"},"edits":{"type":"boolean"},"warrant":{"type":"string"},"proof":{"type":"string"}}}"#;
const EVENTS: &str = r#"{"type":"object","required":["events"],"additionalProperties":false,"properties":{"events":{"type":"array","maxItems":1000,"items":{"type":"object"}}}}"#;
const OUTCOME: &str = r#"{"type":"object","additionalProperties":false,"required":["id","session","outcome"],"properties":{"id":{"type":"string"},"session":{"type":"string"},"outcome":{"enum":["ok","error","blocked","unknown"]},"agent":{"type":"string"},"host":{"type":"string"},"tool":{"type":"string"},"duration_ms":{"type":"integer","minimum":0},"result":{}}}"#;
const REASON: &str =
    r#"{"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string"}}}"#;
const NOTE: &str =
    r#"{"type":"object","additionalProperties":false,"properties":{"note":{"type":"string"}}}"#;
const SOME_DONE: &str = r#"{"type":"object","additionalProperties":false,"properties":{"session":{"type":"string"},"reviews":{"type":"array","maxItems":1000,"items":{"type":"integer","minimum":0}},"note":{"type":"string"}}}"#;
const BIND: &str = r#"{"type":"object","additionalProperties":false,"required":["warrant"],"properties":{"warrant":{"type":"string"},"parent":{"type":"string"}}}"#;
const CREDENTIAL: &str = r#"{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string"}}}"#;
const STATE: &str = r#"{"type":"object","additionalProperties":false,"required":["state"],"properties":{"state":{"enum":["acknowledged","cleared"]}}}"#;
const MODE: &str = r#"{"type":"object","additionalProperties":false,"required":["mode"],"properties":{"mode":{"enum":["enforce","observe"]},"agent":{"type":"string"}}}"#;
const TOKEN: &str = r#"{"type":"object","additionalProperties":false,"required":["name","role"],"properties":{"name":{"type":"string"},"role":{"enum":["agent","auditor","approver","operator"]},"agent":{"type":"string"}}}"#;
const YES: &str = r#"{"type":"object","additionalProperties":false,"properties":{"for":{"type":"string"},"args":{"type":"object"}}}"#;
const RULE: &str = r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","maxLength":16384}}}"#;
const RULE_POLICY: &str = r#"{"type":"object","additionalProperties":false,"required":["policy"],"properties":{"policy":{"enum":["off","log_only","hold","auto_block","default"]}}}"#;
const TRY: &str = r#"{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","maxLength":16384},"call":{"type":"object"},"record":{"type":"integer","minimum":0}}}"#;
const THRESHOLDS: &str = r#"{"type":["object","null"],"additionalProperties":false,"properties":{"run_below":{"type":"number","minimum":0,"maximum":1},"ask_above":{"type":"number","minimum":0,"maximum":1},"confidence_min":{"type":"number","minimum":0,"maximum":1}}}"#;
const WARRANT: &str = r#"{"type":"object","additionalProperties":false,"required":["warrant"],"properties":{"warrant":{"type":"string"}}}"#;
const MINT: &str = r#"{"type":"object","additionalProperties":false,"required":["ttl"],"properties":{"ttl":{"type":"string"},"holder":{"type":"string"},"agent":{"type":"string"},"session":{"type":"string"},"allow":{"type":"array","items":{"type":"string"}},"gate":{"type":"array","items":{"type":"string"}},"allow_effects":{"type":"array","items":{"type":"string"}},"gate_effects":{"type":"array","items":{"type":"string"}},"effects":{"type":"array","items":{"type":"string"}},"budget":{"type":"array","items":{"type":"string"}},"max_calls":{"type":"integer","minimum":0},"max_depth":{"type":"integer","minimum":0},"max_risk":{"type":"number","minimum":0,"maximum":1},"rate":{"type":"string"},"hours":{"type":"string"},"posture":{"type":"string"}}}"#;
const REVOCATIONS: &str = r#"{"type":"object","additionalProperties":false,"required":["list"],"properties":{"list":{"type":"string"}}}"#;
const LOGIN: &str = r#"{"type":"object","additionalProperties":false,"required":["user","password"],"properties":{"user":{"type":"string"},"password":{"type":"string"}}}"#;
const OWN_PASSWORD: &str = r#"{"type":"object","additionalProperties":false,"required":["current","password"],"properties":{"current":{"type":"string"},"password":{"type":"string","minLength":12,"maxLength":1024}}}"#;
const PASSWORD: &str = r#"{"type":"object","additionalProperties":false,"required":["password"],"properties":{"password":{"type":"string","minLength":12,"maxLength":1024}}}"#;
const CHAT: &str = r#"{"type":"object","additionalProperties":false,"required":["sender","hold","answer"],"properties":{"sender":{"type":"string"},"hold":{"type":"string"},"answer":{"enum":["approve","deny"]},"reason":{"type":"string"}}}"#;
const ROLE: &str = r#"{"type":"object","additionalProperties":false,"required":["role"],"properties":{"role":{"enum":["auditor","approver","operator"]}}}"#;
const USER: &str = r#"{"type":"object","additionalProperties":false,"required":["name","role","password"],"properties":{"name":{"type":"string"},"role":{"enum":["auditor","approver","operator"]},"password":{"type":"string","minLength":12,"maxLength":1024}}}"#;
const ROWS: &str = r#"{"type":"object","required":["columns","data"],"properties":{"columns":{"type":"array","items":{"type":"string"}},"data":{"type":"array","items":{"type":"array"}}}}"#;
const HOLD: &str = r#"{"type":"object","required":["tool_name"],"properties":{"tool_name":{"type":"string"},"tool_input":{"type":"object"},"session_id":{"type":"string"},"agent_id":{"type":"string"}}}"#;

/// Every path of the API.
#[rustfmt::skip]
pub const ENDPOINTS: &[Endpoint] = &[
    asking(Dialect::Call, row(Post, "/v1/calls", ASKS, "Decide on a call; wait for a person for up to wait_ms", CALL, |asked| Box::pin(calls::submit(asked)))),
    row(Get, "/v1/calls/{ticket}", &[Local, Agent, Auditor, Approver, Operator], "How a ticket of yours stands", "", |asked| Box::pin(calls::ticket(asked))),
    row(Post, "/v1/outcomes", ASKS, "Say how a call ended", OUTCOME, |asked| Box::pin(events::outcome(asked))),
    row(Post, "/v1/events", ASKS, "Report what happened, up to a thousand at once", EVENTS, |asked| Box::pin(events::batch(asked))),

    row(Get, "/v1/holds", READS, "What waits for a person, the most urgent first", "", |asked| Box::pin(holds::list(asked))),
    row(Get, "/v1/holds/{hold}", READS, "One hold with everything a person sees of it", "", |asked| Box::pin(holds::show(asked))),
    row(Post, "/v1/holds/{hold}/approve", ANSWERS, "Say yes: the call may run, once; with `for` others like it too, with `args` as you changed it, as `preview` shows", YES, |asked| Box::pin(holds::approve(asked))),
    row(Post, "/v1/holds/{hold}/deny", ANSWERS, "Say no, and perhaps why", REASON, |asked| Box::pin(holds::deny(asked))),
    row(Post, "/v1/chat", ANYONE, "An answer from the chat that the operator has opted in to, which signs it; off otherwise", CHAT, |asked| Box::pin(chat::answer(asked))),

    row(Post, "/v1/holds/{hold}/preview", READS, "What approving a hold more widely would newly permit, or what it would do with other arguments", YES, |asked| Box::pin(grants::preview(asked))),
    row(Get, "/v1/grants", READS, "What wider approvals have left behind, the newest first", "", |asked| Box::pin(grants::list(asked))),
    row(Get, "/v1/grants/{grant}", READS, "One grant, and how often it was used", "", |asked| Box::pin(grants::show(asked))),
    row(Delete, "/v1/grants/{grant}", ANSWERS, "Take a grant back, at once", "", |asked| Box::pin(grants::revoke(asked))),

    row(Get, "/v1/sessions", READS, "Sessions, the last seen first", "", |asked| Box::pin(watching::sessions(asked))),
    row(Get, "/v1/sessions/{session}", READS, "One session with its last records", "", |asked| Box::pin(watching::session(asked))),
    row(Post, "/v1/sessions/{session}/end", RUNS, "End a session and what waits in it", "", |asked| Box::pin(operating::end_session(asked))),
    row(Post, "/v1/sessions/{session}/stop", RUNS, "Stop a session: it ends, and what it asks is blocked until it is resumed", "", |asked| Box::pin(operating::stop_session(asked))),
    row(Post, "/v1/sessions/{session}/resume", RUNS, "Let a session go on that was stopped", "", |asked| Box::pin(operating::resume_session(asked))),
    row(Put, "/v1/sessions/{session}/warrant", RUNS, "Let a session act under this warrant, and do nothing else", BIND, |asked| Box::pin(warrants::bind(asked))),
    row(Delete, "/v1/sessions/{session}/warrant", RUNS, "Take the warrant of a session away", "", |asked| Box::pin(warrants::unbind(asked))),
    row(Get, "/v1/agents", READS, "Agents, the last seen first", "", |asked| Box::pin(watching::agents(asked))),
    row(Get, "/v1/threats", READS, "What rules found, the last matched first", "", |asked| Box::pin(watching::threats(asked))),
    row(Get, "/v1/threats/{threat}", READS, "One threat with what led to it, and what waits because of it", "", |asked| Box::pin(watching::threat(asked))),
    row(Put, "/v1/threats/{threat}", ANSWERS, "Say that you have looked at a threat, or dealt with it", STATE, |asked| Box::pin(operating::threat(asked))),
    row(Get, "/v1/reviews", READS, "Calls that ran and are to be looked at, the oldest first", "", |asked| Box::pin(reviews::list(asked))),
    row(Post, "/v1/reviews/done", ANSWERS, "Say that you have looked at those that are named, or at all that wait, of one session or of all", SOME_DONE, |asked| Box::pin(reviews::some_done(asked))),
    row(Get, "/v1/reviews/{review}", READS, "One of them: what it did, and how to undo that", "", |asked| Box::pin(reviews::show(asked))),
    row(Post, "/v1/reviews/{review}/done", ANSWERS, "Say that you have looked at one", NOTE, |asked| Box::pin(reviews::done(asked))),

    row(Get, "/v1/rules", READS, "The rules in force, and those switched off", "", |asked| Box::pin(rules::list(asked))),
    row(Get, "/v1/rules/{rule}", READS, "One rule, as it is written", "", |asked| Box::pin(rules::show(asked))),
    row(Post, "/v1/rules", RUNS, "Add a rule of your own", RULE, |asked| Box::pin(rules::create(asked))),
    row(Put, "/v1/rules/{rule}", RUNS, "Change a rule of your own", RULE, |asked| Box::pin(rules::change(asked))),
    row(Delete, "/v1/rules/{rule}", RUNS, "Remove a rule of your own", "", |asked| Box::pin(rules::remove(asked))),
    row(Put, "/v1/rules/{rule}/policy", RUNS, "What a rule does here, or that it does nothing", RULE_POLICY, |asked| Box::pin(rules::set(asked))),
    row(Post, "/v1/rules/try", READS, "What a draft says of a call or of a past decision; nothing changes", TRY, |asked| Box::pin(rules::trial(asked))),
    row(Get, "/v1/thresholds", READS, "From which risk on a person is asked", "", |asked| Box::pin(rules::thresholds(asked))),
    row(Put, "/v1/thresholds", RUNS, "Set that, or null for what the configuration says", THRESHOLDS, |asked| Box::pin(rules::set_thresholds(asked))),
    row(Post, "/v1/warrants", RUNS, "Issue a warrant, where the service was given a key for that; it is shown this once", MINT, |asked| Box::pin(minting::mint(asked))),
    row(Post, "/v1/warrants/verify", READS, "Whether a warrant holds here, and what it says", WARRANT, |asked| Box::pin(warrants::verify(asked))),
    row(Post, "/v1/warrants/revoke", RUNS, "Take up a list of revoked warrants that a root has signed", REVOCATIONS, |asked| Box::pin(warrants::revoke(asked))),

    row(Get, "/v1/records", READS, "The audit log from a record on, or what is found in it, the newest first; `next` says where to go on", "", |asked| Box::pin(searching::records(asked))),
    row(Get, "/v1/records/{index}", READS, "One record", "", |asked| Box::pin(watching::record(asked))),
    row(Get, "/v1/records/{index}/proof", READS, "Proof that a record is in the log of a checkpoint, for strangers", "", |asked| Box::pin(auditing::inclusion(asked))),
    row(Get, "/v1/consistency", READS, "Proof that the log has only grown between two checkpoints", "", |asked| Box::pin(auditing::consistency(asked))),
    row(Get, "/v1/export", READS, "All of the log as a stream: JSON Lines, CSV or OCSF", "", |asked| Box::pin(auditing::export(asked))),
    row(Get, "/v1/verify", READS, "How far the check of the log is, and what the last one has found", "", |asked| Box::pin(verifying::show(asked))),
    row(Post, "/v1/verify", READS, "Check the whole log, which takes a while; one check at a time", "", |asked| Box::pin(verifying::start(asked))),
    row(Get, "/v1/checkpoints", READS, "Signed checkpoints of the log, and the key to check them", "", |asked| Box::pin(watching::checkpoints(asked))),
    row(Post, "/v1/checkpoints", READS, "Sign a checkpoint of the log as it is now", "", |asked| Box::pin(auditing::sign(asked))),
    row(Get, "/v1/stream", READS, "Records as they are written, as server-sent events; resumes after Last-Event-ID", "", |asked| Box::pin(stream::stream(asked))),

    row(Get, "/v1/mode", READS, "Whether decisions are enforced, and whether everything is stopped", "", |asked| Box::pin(operating::standing(asked))),
    row(Put, "/v1/mode", RUNS, "Enforce or only observe, for all or for one agent", MODE, |asked| Box::pin(operating::mode(asked))),
    row(Post, "/v1/stop-all", ANSWERS, "Stop everything: every call is blocked", "", |asked| Box::pin(operating::stop_all(asked))),
    row(Post, "/v1/resume", RUNS, "Let calls be decided again", "", |asked| Box::pin(operating::resume(asked))),
    row(Get, "/v1/tokens", RUNS, "Tokens, without their secrets", "", |asked| Box::pin(operating::tokens(asked))),
    row(Post, "/v1/tokens", RUNS, "Make a token; its secret is shown this once", TOKEN, |asked| Box::pin(operating::token_create(asked))),
    row(Delete, "/v1/tokens/{token}", RUNS, "Take a token back, at once", "", |asked| Box::pin(operating::token_revoke(asked))),
    row(Get, "/v1/credentials", RUNS, "Whose credentials count", "", |asked| Box::pin(credentials::list(asked))),
    row(Post, "/v1/credentials", RUNS, "Make a credential for somebody, in place of the one they had; it is shown this once", CREDENTIAL, |asked| Box::pin(credentials::add(asked))),
    row(Delete, "/v1/credentials/{name}", RUNS, "Take a credential back, at once", "", |asked| Box::pin(credentials::revoke(asked))),

    row(Get, "/v1/users", RUNS, "Users and their roles", "", |asked| Box::pin(users::list(asked))),
    row(Post, "/v1/users", RUNS, "Add a user", USER, |asked| Box::pin(users::add(asked))),
    row(Delete, "/v1/users/{user}", RUNS, "Remove a user, who is signed out at once", "", |asked| Box::pin(users::remove(asked))),
    row(Put, "/v1/users/{user}/password", RUNS, "Give a user another password; they are signed out at once", PASSWORD, |asked| Box::pin(users::password(asked))),
    row(Put, "/v1/users/{user}/role", RUNS, "Give a user another role; they are signed out at once", ROLE, |asked| Box::pin(users::role(asked))),

    row(Post, "/v1/login", ANYONE, "Sign in with a password; sets a cookie, and gives what writes with it need", LOGIN, |asked| Box::pin(sign_in::login(asked))),
    row(Get, "/v1/sign-in/{link}", ANYONE, "Sign in with the link that `placet serve` has printed, once", "", |asked| Box::pin(sign_in::link(asked))),
    row(Post, "/v1/logout", READS, "Sign out", "", |asked| Box::pin(sign_in::logout(asked))),
    row(Get, "/v1/me", READS, "Who you are, and what writes with your cookie need", "", |asked| Box::pin(sign_in::me(asked))),
    row(Put, "/v1/me/password", READS, "Give yourself another password; you are signed out everywhere", OWN_PASSWORD, |asked| Box::pin(users::own_password(asked))),

    row(Get, "/v1/notifications", READS, "The channels over which people are told, and what they were told last", "", |asked| Box::pin(notices::list(asked))),
    row(Post, "/v1/notifications/{channel}/test", RUNS, "Send a test over a channel", "", |asked| Box::pin(notices::test(asked))),
    row(Post, "/v1/notices/{notice}/retry", RUNS, "Send again what was given up", "", |asked| Box::pin(notices::retry(asked))),

    row(Get, "/v1/openapi.json", ANYONE, "This document", "", |asked| Box::pin(openapi::document(asked))),
    row(Get, "/healthz", ANYONE, "Whether the process answers", "", |asked| Box::pin(health::healthz(asked))),
    row(Get, "/readyz", ANYONE, "Whether decisions can be made and recorded", "", |asked| Box::pin(health::readyz(asked))),
    row(Get, "/metrics", &[Local, Auditor, Approver, Operator], "Numbers for Prometheus", "", |asked| Box::pin(health::metrics(asked))),

    asking(Dialect::AgentGuard, row(Post, "/api/holds", ASKS, "AgentGuard: decide on a call, and wait for a person", HOLD, |asked| Box::pin(agentguard::hold(asked)))),
    asking(Dialect::AgentGuard, row(Post, "/agentguard/{secret}/api/holds", ASKS, "The same with a token in the path", HOLD, |asked| Box::pin(agentguard::hold(asked)))),
    row(Post, "/api/holds/_abandon-session/{*session}", ASKS, "AgentGuard: a session is over", "", |asked| Box::pin(agentguard::abandon(asked))),
    row(Post, "/agentguard/{secret}/api/holds/_abandon-session/{*session}", ASKS, "The same with a token in the path", "", |asked| Box::pin(agentguard::abandon(asked))),
    row(Post, "/proton/v1/ingest/streams/{stream}", ASKS, "AgentGuard 0.2: events", ROWS, |asked| Box::pin(agentguard::ingest(asked))),
    row(Post, "/timeplusd/v2/ingest/{db}/streams/{stream}", ASKS, "AgentGuard 0.3: events", ROWS, |asked| Box::pin(agentguard::ingest(asked))),
    row(Post, "/{workspace}/api/v1beta2/streams/{stream}/ingest", ASKS, "AgentGuard 0.4 in its REST mode: events", ROWS, |asked| Box::pin(agentguard::ingest(asked))),
    row(Post, "/agentguard/{secret}/proton/v1/ingest/streams/{stream}", ASKS, "The same with a token in the path", ROWS, |asked| Box::pin(agentguard::ingest(asked))),
    row(Post, "/agentguard/{secret}/timeplusd/v2/ingest/{db}/streams/{stream}", ASKS, "The same with a token in the path", ROWS, |asked| Box::pin(agentguard::ingest(asked))),
    row(Post, "/agentguard/{secret}/{workspace}/api/v1beta2/streams/{stream}/ingest", ASKS, "The same with a token in the path", ROWS, |asked| Box::pin(agentguard::ingest(asked))),
];

/// Every path there is, and every page.
pub fn every() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS.iter().chain(crate::pages::PAGES)
}
