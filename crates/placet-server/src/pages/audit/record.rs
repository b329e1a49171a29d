//! One record in full, and the proof that it is in the log.

use axum::response::Response;
use data_encoding::{BASE64, HEXLOWER};
use maud::{Markup, html};
use placet_core::{
    Finding, Json, canonical,
    log::{Checkpoint, InclusionProof, leaf},
    record::{Sentence, expand},
};
use placet_engine::{Engine, ProveError};
use placet_store::StoredRecord;

use super::{mark, told, whose, word};
use crate::{
    ask::Asked,
    pages::{
        frame::{self, Place},
        part::{
            icon::{icon, tag},
            json::tree,
            text::{date, escaped, number, plain, several, short},
            told::who_spoke,
        },
    },
    problem::Problem,
};

/// `GET /audit/{index}`.
pub async fn show(asked: Asked) -> Result<Response, Problem> {
    let none = || Problem::unknown("there is no such record");
    let index: u64 = asked.param("index").parse().ok().filter(|i| *i <= i64::MAX as u64).ok_or_else(none)?;
    let look = move |engine: &Engine| {
        let (record, size) = engine.look(|ledger| Ok((ledger.record_get(index)?, ledger.log_size()?)))?;
        Ok((record, size, engine.prove_inclusion(index, None)))
    };
    let (record, size, proof) = asked.server.off(look).await?;
    let record = record.ok_or_else(none)?;
    let read = expand(&record.body).unwrap_or(Json::Null);
    let said = Sentence::of(&read).words;
    let what = told(&read);
    let body = html! {
        div.head {
            h1 { "Record " (number(index)) }
            nav.row aria-label="Other records" {
                @if index > 0 { a.btn href={ "/audit/" (index - 1) } rel="prev" { "Before" } }
                @if index + 1 < size { a.btn href={ "/audit/" (index + 1) } rel="next" { "After" } }
                a.btn.bare href="/audit" { "All records" }
            }
        }
        div.cols {
            div.stack {
                section.panel.stack aria-label="In words" {
                    p.row { (mark(&read)) span.muted.small { (date(record.at)) } }
                    p.saying { (said) }
                    (facts(&read))
                }
                section.panel aria-labelledby="all" {
                    header { h2 #all { "All of it" } span.small.muted { "masked as it is stored" } }
                    @match what {
                        Some((_, what)) => div.small.mono { (tree(what)) },
                        None => p.blocked { "These bytes cannot be read as a record. They are counted and proved all the same." },
                    }
                }
            }
            div.stack {
                section.panel.stack aria-labelledby="proof" {
                    header { h2 #proof { "Is it in the log?" } }
                    (proved(&record, &proof))
                }
            }
        }
    };
    frame::page(&asked, Place::Audit, &format!("Record {index}"), body).await
}

/// What leads elsewhere.
fn facts(read: &Json) -> Markup {
    let Some((kind, what)) = told(read) else { return html! {} };
    let (agent, session) = whose(read);
    let call = what.get("call");
    let tool = call.map_or(word(what, "tool"), |call| word(call, "tool"));
    let cites = what.get("cites").and_then(Json::as_u64);
    let warrants = what.get("warrants").and_then(Json::as_array).unwrap_or_default();
    let findings = what.get("findings").map(canonical::to_string);
    let findings: Vec<Finding> =
        findings.and_then(|findings| serde_json::from_str(&findings).ok()).unwrap_or_default();
    html! {
        dl.kv {
            dt { "Kind" } dd { (plain(&kind.replace('_', " "))) }
            @if !agent.is_empty() { dt { "Agent" } dd { a href={ "/audit?agent=" (escaped(agent)) } { (plain(agent)) } } }
            @if !session.is_empty() { dt { "Session" } dd { a.mono href=(crate::pages::sessions::path(session)) { (plain(session)) } } }
            @if !tool.is_empty() { dt { "Tool" } dd { a.mono href={ "/audit?tool=" (escaped(tool)) } { (plain(tool)) } } }
            @let ticket = word(what, "ticket");
            @if !ticket.is_empty() { dt { "Hold" } dd { a.mono href={ "/holds/" (escaped(ticket)) } { (plain(ticket)) } } }
            @if !word(what, "by").is_empty() { dt { "By" } dd { (plain(word(what, "by"))) } }
            @if let Some(cites) = cites { dt { "Cites" } dd { a href={ "/audit/" (cites) } { "record " (number(cites)) } } }
            @if !warrants.is_empty() {
                dt { "Warrants" } dd.mono { @for each in warrants { (short(each.as_str().unwrap_or(""), 40)) " " } }
            }
        }
        (who_spoke(&findings))
    }
}

fn proved(record: &StoredRecord, proof: &Result<(InclusionProof, Checkpoint), ProveError>) -> Markup {
    html! {
        @match proof {
            Ok((proof, checkpoint)) => {
                p { (tag("ok", "allow", "Proved")) " Its hash leads to the signed checkpoint of " (several(checkpoint.size, "record", "records")) "." }
                dl.kv.small {
                    dt { "Leaf" } dd.mono { (HEXLOWER.encode(&leaf(&proof.record))) }
                    dt { "Root" } dd.mono { (BASE64.encode(&checkpoint.root)) }
                    dt { "Path" } dd { (several(proof.path.len() as u64, "hash", "hashes")) }
                    dt { "Bytes" } dd { (number(record.body.len() as u64)) }
                }
                details {
                    summary { "The proof, for a stranger" }
                    pre.cmd.small { (plain(&proof.to_string())) }
                }
                p.small.muted {
                    "C2SP tlog-proof; " code { "placet audit prove " (record.index) } " writes the same. As data: "
                    a href={ "/v1/records/" (record.index) "/proof" } { "JSON" } "."
                }
            }
            Err(ProveError::NotCovered { .. } | ProveError::NotSigned) => {
                p { (tag("held", "clock", "Not signed yet")) " The next signed checkpoint covers it; that is a matter of seconds." }
                p.small { a href={ "/audit/" (record.index) } { "Look again" } }
            }
            Err(error) => {
                p.blocked role="alert" { (icon("critical")) " It cannot be proved: " (plain(&error.to_string())) "." }
                p { a.btn href="/audit/check" { "Check the whole log" } }
            }
        }
    }
}
