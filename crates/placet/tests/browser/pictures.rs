//! The pictures of the guide, taken of the world in `world.toml`. With `UPDATE_PICTURES=1` they are written; without, it is
//! only seen that they could be.

#![allow(clippy::unwrap_used, reason = "helpers of tests unwrap as tests do")]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::{tab::Tab, world::world};

/// How somebody looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Eye {
    Light,
    Dark,
    Phone,
}

/// A picture: its name, who looks, the page, and what is clicked before.
struct Picture {
    name: &'static str,
    eye: Eye,
    page: &'static str,
    /// A link on that page to go to first: a selector and how its name begins.
    then: &'static [(&'static str, &'static str)],
}

const fn picture(
    name: &'static str,
    eye: Eye,
    page: &'static str,
    then: &'static [(&'static str, &'static str)],
) -> Picture {
    Picture { name, eye, page, then }
}

const TERRAFORM: (&str, &str) = (".hold h2 a", "Destroys");

#[rustfmt::skip]
const PICTURES: &[Picture] = &[
    picture("now", Eye::Light, "/", &[]),
    picture("now-dark", Eye::Dark, "/", &[]),
    picture("now-phone", Eye::Phone, "/", &[]),
    picture("hold", Eye::Light, "/", &[TERRAFORM]),
    picture("hold-dark", Eye::Dark, "/", &[TERRAFORM]),
    picture("hold-phone", Eye::Phone, "/", &[TERRAFORM]),
    picture("hold-scope", Eye::Light, "/", &[(".hold h2 a", "Replaces"), ("summary", "Approve more")]),
    picture("holds", Eye::Light, "/holds", &[]),
    picture("sessions", Eye::Light, "/sessions", &[]),
    picture("session", Eye::Light, "/sessions/3f9a", &[]),
    picture("agents", Eye::Light, "/agents", &[]),
    picture("threats", Eye::Light, "/threats", &[]),
    picture("threat", Eye::Light, "/threats", &[("main td a, main li a", "")]),
    picture("reviews", Eye::Light, "/reviews", &[]),
    picture("rules", Eye::Light, "/rules", &[]),
    picture("rule", Eye::Light, "/rules/destructive.forced-push", &[]),
    picture("new-rule", Eye::Light, "/new-rule", &[]),
    picture("try", Eye::Light, "/try?example=1", &[]),
    picture("warrants", Eye::Light, "/warrants", &[]),
    picture("audit", Eye::Light, "/audit", &[]),
    picture("settings", Eye::Light, "/settings", &[]),
];

#[test]
fn every_picture_of_the_guide_can_be_taken() {
    let place = world();
    let mara = place.somebody("nadia", "operator");
    let update = std::env::var_os("UPDATE_PICTURES").is_some();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/pictures");
    let scratch = tempfile::TempDir::new().unwrap();
    let to = if update { kept } else { scratch.path().to_owned() };
    std::fs::create_dir_all(&to).unwrap();
    let files: Vec<PathBuf> = PICTURES.iter().map(|picture| take(&mara, picture, &to)).collect();
    let stranger = place.stranger();
    let sign_in = picture("sign-in", Eye::Light, "/sign-in", &[]);
    let last = take(&stranger, &sign_in, &to);
    if update {
        small(files.iter().chain([&last]));
    }
}

fn take(tab: &Tab, picture: &Picture, to: &Path) -> PathBuf {
    let (width, height) = if picture.eye == Eye::Phone { (390, 844) } else { (1280, 800) };
    tab.size(width, height);
    tab.dark(picture.eye == Eye::Dark);
    tab.go(picture.page);
    for (selector, name) in picture.then {
        tab.click(selector, name);
        tab.until("a page", || {
            (tab.ask("return document.readyState", json!([])) == "complete").then_some(())
        });
    }
    // The whole page, as if the window were as high as it is; a phone shows what a phone shows.
    if picture.eye != Eye::Phone {
        let high = tab.ask("return document.documentElement.scrollHeight", json!([])).as_u64().unwrap();
        tab.size(width, u32::try_from(high).unwrap().clamp(height, 1_320));
    }
    tab.ask("document.activeElement?.blur(); document.querySelectorAll('.toast').forEach((toast) => toast.remove())", json!([]));
    let file = to.join(format!("{}.png", picture.name));
    tab.picture(&file);
    file
}

/// Fewer colours in fewer bytes, if there is a program for that.
fn small<'a>(files: impl Iterator<Item = &'a PathBuf>) {
    let made = Command::new("pngquant")
        .args(["--force", "--ext", ".png", "--strip", "--speed", "1", "64"])
        .args(files)
        .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "pictures that are kept are made small by `pngquant`: install it"
    );
}
