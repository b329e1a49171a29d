//! Whether the log is what was written: the check with its progress, what is signed, and that it has only grown.

use axum::response::Response;
use maud::{Markup, html};
use placet_core::log::SealedCheckpoint;
use placet_engine::{Checked, Engine};

use crate::{
    ask::Asked,
    pages::{
        frame::{self, Place},
        part::{
            icon::tag,
            text::{date, lasted, meter, number, plain, several},
        },
        refused::sentence,
    },
    problem::Problem,
    verifying::{self, Run},
};

/// Older checkpoints that are shown.
const CHECKPOINTS: usize = 8;

/// `GET /audit/check`. While a check runs, the script looks again by itself.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let look = |engine: &Engine| {
        let (all, size) = engine.look(|ledger| Ok((ledger.checkpoints()?, ledger.log_size()?)))?;
        let older = all.iter().rev().skip(1).take(CHECKPOINTS);
        let older: Vec<(u64, bool)> = older
            .map(|(size, text)| {
                let from = SealedCheckpoint::from_text(text.clone());
                (*size, engine.prove_consistency(&from, None).is_ok())
            })
            .collect();
        Ok((all.last().cloned(), older, size, engine.last_verified()))
    };
    // First: a check that ends meanwhile has left what it found.
    let running = asked.server.verifying.running();
    let (signed, older, size, last) = asked.server.off(look).await?;
    let body = html! {
        div.head {
            h1 { "Is the log what was written?" }
            a.btn.bare href="/audit" { "All records" }
        }
        div.cols {
            div.stack {
                section.panel.stack #check data-live data-again[running.is_some()] aria-labelledby="whole" {
                    header { h2 #whole { "The whole log" } span.small.muted { (several(size, "record", "records")) } }
                    div role="status" aria-live="polite" {
                        @match &running {
                            Some(run) => (progress(run)),
                            None => (found(last.as_ref())),
                        }
                    }
                    @if running.is_none() {
                        form method="post" action="/audit/check" {
                            (frame::csrf(&asked))
                            button.btn.solid { @if last.is_some() { "Check again" } @else { "Check now" } }
                        }
                    }
                    p.small.muted {
                        "Every record is hashed again, compared with its seal, and all of them with the tree and each signed checkpoint. Whether somebody has put an "
                        "older copy in place of the whole shows only a checkpoint that was kept elsewhere: "
                        code { "placet audit verify --against FILE" } "."
                    }
                }
                section.panel aria-labelledby="grown" {
                    header { h2 #grown { "It has only grown" } }
                    @if older.is_empty() { p.muted { "Once there are two signed checkpoints, the later one is proved to begin with the earlier." } }
                    @else {
                        table.table {
                            caption.sr { "Earlier checkpoints, and whether the log still begins with them" }
                            thead { tr { th.num scope="col" { "At" } th scope="col" { "The log of now" } th scope="col" { "Proof" } } }
                            tbody {
                                @for (size, holds) in &older {
                                    tr {
                                        td.num { (several(*size, "record", "records")) }
                                        td { @if *holds { (tag("ok", "allow", "begins with it")) } @else { (tag("blocked", "block", "does not begin with it")) } }
                                        td { a href={ "/v1/consistency?from=" (size) } { "JSON" span.sr { " of the proof from " (several(*size, "record", "records")) } } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            div.stack {
                section.panel.stack aria-labelledby="signed" {
                    header { h2 #signed { "Signed checkpoint" } }
                    @match &signed {
                        Some((covers, text)) => {
                            p { "Covers " (number(*covers)) " of " (number(size)) " records." }
                            pre.cmd.small { (plain(text)) }
                            p.small.muted { "Keep a copy elsewhere. " a href="/v1/checkpoints?limit=1" { "As JSON" } "." }
                        }
                        None => p.muted { "Nothing is signed yet. A checkpoint is signed a moment after the first records." },
                    }
                    dl.kv.small {
                        dt { "Key" } dd.mono { (asked.server.engine.verifier().to_string()) }
                    }
                }
            }
        }
    };
    frame::page(&asked, Place::Audit, "Check the log", body).await
}

/// `POST /audit/check`.
pub async fn begin(asked: Asked) -> Result<Response, Problem> {
    // Whoever comes second sees how far the first is.
    verifying::begin(&asked).await?;
    Ok(frame::back_to("/audit/check"))
}

fn progress(run: &Run) -> Markup {
    let (done, total) = run.progress();
    let percent = u32::try_from(done * 100 / total.max(1)).unwrap_or(100);
    html! {
        p { b { "Checking: " (percent) " %" } ", " (number(done)) " of " (number(total)) " records" }
        (meter(percent, false, false))
        p.small.muted { "begun by " (plain(&run.by)) " at " (date(run.since)) }
        noscript { p { a href="/audit/check" { "Look how far it is" } } }
    }
}

fn found(last: Option<&Checked>) -> Markup {
    html! {
        @match last {
            None => p.muted { "Nobody has checked it yet." },
            Some(last) if last.is_intact() => {
                p { (tag("ok", "allow", "Intact")) " " (several(last.records, "record", "records")) ", "
                    (number(last.signed)) " of them under a signed checkpoint" }
                (by(last))
            }
            Some(last) => {
                p role="alert" {
                    (tag("blocked", "critical", "Not what was written")) " " (plain(&sentence(last.problem.as_deref().unwrap_or(""))))
                    @if let Some(record) = last.record { " " a href={ "/audit/" (record) } { "Record " (number(record)) } "." }
                }
                p.small { "Keep the data directory as it is, and compare it with a back-up." }
                (by(last))
            }
        }
    }
}

fn by(last: &Checked) -> Markup {
    html! {
        p.small.muted {
            "checked by " (plain(&last.by)) ", " (date(last.at)) ", in "
            (lasted(i64::try_from(last.took_ms).unwrap_or(i64::MAX)))
        }
    }
}
