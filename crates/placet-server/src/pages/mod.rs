//! The pages: where people see, decide and understand. Rendered here, with one stylesheet and one small script of our own;
//! everything that can be answered is a plain form, and works without that script.
//!
//! [`PAGES`] is the table of them, as [`crate::endpoint::ENDPOINTS`] is of the API. A page says no as a page.

pub mod agents;
pub mod answer;
pub mod assets;
pub mod audit;
pub mod confirm;
pub mod edit;
pub mod frame;
pub mod hold;
pub mod holds;
pub mod live;
pub mod now;
pub mod part;
pub mod refused;
pub mod reviews;
pub mod rules;
pub mod sessions;
pub mod settings;
pub mod sign_in;
pub mod stop;
pub mod threats;
pub mod trial;
pub mod warrants;

use crate::endpoint::{
    ANSWERS, ANYONE, Dialect, Endpoint, Handler, READS, RUNS,
    Verb::{self, Get, Post},
};

const fn page(
    verb: Verb,
    path: &'static str,
    who: &'static [crate::endpoint::As],
    about: &'static str,
    handler: Handler,
) -> Endpoint {
    Endpoint { verb, path, who, dialect: Dialect::Page, about, takes: "", handler }
}

/// Every page, and every form on one.
#[rustfmt::skip]
pub const PAGES: &[Endpoint] = &[
    page(Get, "/assets/{name}", ANYONE, "The stylesheet, the script and the icon", |asked| Box::pin(assets::asset(asked))),
    page(Get, "/sign-in", ANYONE, "Sign in", |asked| Box::pin(sign_in::show(asked))),
    page(Post, "/sign-in", ANYONE, "Sign in with a password", |asked| Box::pin(sign_in::enter(asked))),
    page(Get, "/sign-in/{link}", ANYONE, "Sign in with the link that `placet serve` has printed, once", |asked| Box::pin(sign_in::link(asked))),
    page(Post, "/sign-out", READS, "Sign out", |asked| Box::pin(sign_in::leave(asked))),

    page(Get, "/", READS, "What waits, and how things stand", |asked| Box::pin(now::show(asked))),
    page(Get, "/live", READS, "Tells the script when something has changed", |asked| Box::pin(live::live(asked))),
    page(Get, "/holds", READS, "Holds, a line each", |asked| Box::pin(holds::show(asked))),
    page(Get, "/holds/{hold}", READS, "One hold", |asked| Box::pin(hold::show(asked))),
    page(Post, "/holds/{hold}", ANSWERS, "Answer a hold", |asked| Box::pin(answer::answer(asked))),
    page(Post, "/holds/{hold}/edit", ANSWERS, "What a held call would do with other arguments; or approve it with them", |asked| Box::pin(edit::edit(asked))),
    page(Post, "/holds/{hold}/alike", ANSWERS, "Answer a hold and those like it", |asked| Box::pin(answer::answer_alike(asked))),

    page(Get, "/sessions", READS, "Sessions", |asked| Box::pin(sessions::list(asked))),
    page(Get, "/sessions/{session}", READS, "One session as a timeline", |asked| Box::pin(sessions::show(asked))),
    page(Get, "/stop-session", RUNS, "Whether you mean to stop a session", |asked| Box::pin(sessions::stop::ask(asked))),
    page(Post, "/stop-session", RUNS, "Stop a session: it ends, and what it asks is blocked", |asked| Box::pin(sessions::stop::stop(asked))),
    page(Post, "/resume-session", RUNS, "Let a session go on that was stopped", |asked| Box::pin(sessions::stop::resume(asked))),
    page(Get, "/agents", READS, "Agents", |asked| Box::pin(agents::list(asked))),
    page(Get, "/agents/mode", RUNS, "Whether you mean to enforce, or only observe, one agent", |asked| Box::pin(agents::ask_for_mode(asked))),
    page(Post, "/agents/mode", RUNS, "Enforce, or only observe, one agent", |asked| Box::pin(agents::mode(asked))),
    page(Get, "/threats", READS, "Threats", |asked| Box::pin(threats::list(asked))),
    page(Get, "/threats/{threat}", READS, "One threat with what led to it", |asked| Box::pin(threats::show(asked))),
    page(Post, "/threats/{threat}", ANSWERS, "Acknowledge or clear a threat", |asked| Box::pin(threats::change(asked))),
    page(Get, "/reviews", READS, "Reviews", |asked| Box::pin(reviews::list(asked))),
    page(Get, "/reviews/{review}", READS, "One review", |asked| Box::pin(reviews::show(asked))),
    page(Post, "/reviews/{review}/done", ANSWERS, "Say that you have looked at one", |asked| Box::pin(reviews::done(asked))),
    page(Post, "/reviews/done", ANSWERS, "Say that you have looked at all of a session", |asked| Box::pin(reviews::all_done(asked))),

    page(Get, "/audit", READS, "Records, found by what they say", |asked| Box::pin(audit::list(asked))),
    page(Get, "/audit/check", READS, "Whether the log is what was written", |asked| Box::pin(audit::check::show(asked))),
    page(Post, "/audit/check", READS, "Check the whole log", |asked| Box::pin(audit::check::begin(asked))),
    page(Get, "/audit/{index}", READS, "One record and its proof", |asked| Box::pin(audit::record::show(asked))),

    page(Get, "/warrants", READS, "Warrants and grants", |asked| Box::pin(warrants::list(asked))),
    page(Get, "/warrants/look", READS, "Look at a warrant", |asked| Box::pin(warrants::show::look(asked))),
    page(Post, "/warrants/look", READS, "What a pasted warrant says, and whether it holds here", |asked| Box::pin(warrants::show::looked(asked))),
    page(Get, "/warrants/draft", READS, "Draft a warrant", |asked| Box::pin(warrants::draft::show(asked))),
    page(Post, "/warrants/mint", RUNS, "Issue a warrant; it is shown this once", |asked| Box::pin(warrants::draft::mint(asked))),
    page(Post, "/warrants/revoke", RUNS, "Take up a list of revoked warrants that a root has signed", |asked| Box::pin(warrants::revoke(asked))),
    page(Get, "/warrants/{digest}", READS, "One warrant", |asked| Box::pin(warrants::show::show(asked))),
    page(Post, "/grants/{grant}/revoke", ANSWERS, "Take a grant back", |asked| Box::pin(warrants::take_back(asked))),

    page(Get, "/settings", READS, "How things run", |asked| Box::pin(settings::running::show(asked))),
    page(Post, "/settings/observe", RUNS, "Only observe", |asked| Box::pin(settings::running::observe(asked))),
    page(Post, "/settings/enforce", RUNS, "Enforce", |asked| Box::pin(settings::running::enforce(asked))),
    page(Post, "/settings/thresholds", RUNS, "Set from which risk on a person is asked", |asked| Box::pin(settings::running::thresholds(asked))),
    page(Post, "/settings/password", READS, "Give yourself another password", |asked| Box::pin(settings::running::password(asked))),
    page(Get, "/settings/people", RUNS, "Users and tokens", |asked| Box::pin(settings::people::show(asked))),
    page(Post, "/settings/people/users", RUNS, "Add a user", |asked| Box::pin(settings::people::add(asked))),
    page(Post, "/settings/people/users/{user}/remove", RUNS, "Remove a user", |asked| Box::pin(settings::people::remove(asked))),
    page(Post, "/settings/people/users/{user}/password", RUNS, "Give a user another password", |asked| Box::pin(settings::people::password(asked))),
    page(Post, "/settings/people/tokens", RUNS, "Make a token; its secret is shown this once", |asked| Box::pin(settings::people::make(asked))),
    page(Post, "/settings/people/tokens/{token}/revoke", RUNS, "Take a token back", |asked| Box::pin(settings::people::revoke(asked))),
    page(Get, "/settings/notifications", READS, "Who is told, and what came of it", |asked| Box::pin(settings::notifications::show(asked))),
    page(Post, "/settings/notifications/{channel}/test", RUNS, "Send a test over a channel", |asked| Box::pin(settings::notifications::test(asked))),
    page(Post, "/settings/notices/{notice}/again", RUNS, "Send again what was given up", |asked| Box::pin(settings::notifications::again(asked))),
    page(Get, "/rules", READS, "Rules", |asked| Box::pin(rules::list(asked))),
    page(Get, "/rules/{rule}", READS, "One rule", |asked| Box::pin(rules::show(asked))),
    page(Post, "/rules/{rule}/policy", RUNS, "What a rule does", |asked| Box::pin(rules::set_policy(asked))),
    page(Post, "/rules/{rule}/try", READS, "Try a rule on a call", |asked| Box::pin(rules::tried(asked))),
    page(Get, "/new-rule", RUNS, "Write a rule", |asked| Box::pin(rules::new(asked))),
    page(Post, "/new-rule", RUNS, "Check, try or add a rule", |asked| Box::pin(rules::create(asked))),
    page(Get, "/rules/{rule}/edit", RUNS, "Change a rule of your own", |asked| Box::pin(rules::edit(asked))),
    page(Post, "/rules/{rule}", RUNS, "Check, try or change a rule of your own", |asked| Box::pin(rules::change(asked))),
    page(Post, "/rules/{rule}/remove", RUNS, "Remove a rule of your own", |asked| Box::pin(rules::remove(asked))),
    page(Get, "/try", READS, "Try it", |asked| Box::pin(trial::show(asked))),
    page(Post, "/try", READS, "What would be decided on a call", |asked| Box::pin(trial::tried(asked))),

    page(Get, "/stop", ANSWERS, "Whether you mean to stop everything", |asked| Box::pin(stop::show(asked))),
    page(Post, "/stop", ANSWERS, "Stop everything", |asked| Box::pin(stop::stop(asked))),
    page(Post, "/resume", RUNS, "Let calls be decided again", |asked| Box::pin(stop::resume(asked))),
];
