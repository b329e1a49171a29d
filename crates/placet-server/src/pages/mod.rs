//! The pages: where people see, decide and understand. Rendered here, with one stylesheet and one small script of our own;
//! everything that can be answered is a plain form, and works without that script.
//!
//! [`PAGES`] is the table of them, as [`crate::endpoint::ENDPOINTS`] is of the API. A page says no as a page.

pub mod assets;
pub mod frame;
pub mod hold;
pub mod holds;
pub mod live;
pub mod now;
pub mod part;
pub mod refused;
pub mod sign_in;
pub mod stop;

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
    page(Post, "/holds/{hold}", ANSWERS, "Answer a hold", |asked| Box::pin(hold::answer(asked))),
    page(Post, "/holds/{hold}/alike", ANSWERS, "Answer a hold and those like it", |asked| Box::pin(hold::answer_alike(asked))),
    page(Get, "/stop", ANSWERS, "Whether you mean to stop everything", |asked| Box::pin(stop::show(asked))),
    page(Post, "/stop", ANSWERS, "Stop everything", |asked| Box::pin(stop::stop(asked))),
    page(Post, "/resume", RUNS, "Let calls be decided again", |asked| Box::pin(stop::resume(asked))),
];
