//! The pages, as people meet them: the real program, a real browser.
//!
//! Chromium is driven through its WebDriver (`chromium` and `chromium-driver` of Debian; `make test` installs them). Whatever the
//! browser complains of (a script that fails, something the content-security policy refuses) fails the test that caused it.

#[path = "../it/run.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod run;
#[path = "../it/service.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod service;

mod driver;
mod editing;
mod place;
mod tab;
mod tour;
mod world;

mod access;
mod answering;
mod hostile;
mod keyboard;
mod many;
mod operating;
mod pictures;
mod ports;
mod shapes;
mod sign_in;
mod together;
mod weight;
