//! Warrants: ours, and those of the `tenuo` crate in the same run.
//!
//! `cargo bench --bench warrant -- --noplot`. Chains are opened from their bytes here; the peer verifies warrants that
//! are decoded already. Its chains are verified in a batch, ours link by link and strictly.

#![allow(deprecated, reason = "the peer's way to verify a chain alone is the older one")]

use std::{collections::HashMap, hint::black_box, time::Duration};

use criterion::Criterion;
use ed25519_dalek::{Signer as _, SigningKey as RawKey};
use placet_core::{
    CallDigest, Json, Policy, Timestamp, ToolCall, ToolName, decide, effect,
    json::Object,
    warrant::{
        Authority, Held, Nonce, NonceWindow, OpenWarrants, Posture, Purpose, Revocations, Scope, SealedProof,
        SealedWarrant, SigningKey, Slip, Subject, Terms, TrustedKeys, Unused, Warrant, WarrantId,
    },
};
use tenuo::{
    constraints::{Cidr, ConstraintSet, ConstraintValue, Exact, Pattern, Range, Subpath, UrlPattern},
    crypto::SigningKey as PeerKey,
    planes::DataPlane,
    warrant::Warrant as PeerWarrant,
};

const ONE: &str = "allow: ['read_file: path glob /data/*']";
const MIXED: &str = "allow: ['deploy: environment is production, cluster glob us-west-*, replicas range 1..100, source_ip cidr 10.0.0.0/8, target_url url https://*.example.com/**, path under /srv/app']";

fn now() -> Timestamp {
    Timestamp::parse("2026-03-02T12:00:00Z").expect("a time of ours")
}

fn key(number: u8) -> SigningKey {
    SigningKey::from_seed([number; 32])
}

fn scope(slip: &str) -> Scope {
    Slip::read(slip).expect("a slip of ours").scope
}

fn terms(holder: u8, scope: Scope) -> Terms {
    Terms {
        id: WarrantId::from_bytes([holder; 16]),
        subject: Subject::Holder(key(holder).public()),
        not_before: now(),
        expires: now().plus_ms(3_600_000),
        purpose: Purpose::Act,
        max_depth: None,
        scope,
    }
}

fn chain(links: u8) -> SealedWarrant {
    let mut warrant = SealedWarrant::mint(terms(2, scope(ONE)), &key(1)).expect("it can be issued");
    for link in 1..links {
        let parent = warrant.peek().expect("it can be read");
        warrant = parent.grant(terms(link + 2, scope(ONE)), &key(link + 1)).expect("it can be passed on");
    }
    warrant
}

fn roots() -> TrustedKeys {
    TrustedKeys::new([key(1).public()])
}

fn opened(sealed: &SealedWarrant) -> Warrant {
    sealed.open(&roots(), &Revocations::none(), now()).expect("it opens")
}

fn call(tool: &str, args: &[(&str, Json)]) -> ToolCall {
    let args = args.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    ToolCall::new(ToolName::parse(tool).expect("a name"), Object::from_pairs(args).expect("distinct names"))
}

fn authority<'a>(warrant: &'a Warrant, held: Held<'a>, now: Timestamp) -> Authority<'a> {
    Authority { warrant, held, posture: Posture::OPEN, counters: &Unused, now }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    ours(&mut criterion);
    peer(&mut criterion);
    criterion.final_summary();
}

fn ours(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("warrant ours");
    let at = now();
    // What the library takes for one strict verification and one signature, over as many bytes as a link has: no warrant can
    // cost less.
    let raw = RawKey::from_bytes(&[1; 32]);
    let message = [7_u8; 256];
    let signature = raw.sign(&message);
    let public = raw.verifying_key();
    group.bench_function("verify_strict alone", |bencher| {
        bencher.iter(|| public.verify_strict(black_box(&message), &signature).expect("it fits"));
    });
    group.bench_function("sign alone", |bencher| bencher.iter(|| raw.sign(black_box(&message))));
    let root = key(1);
    let wish = terms(2, scope(ONE));
    group.bench_function("mint", |bencher| {
        bencher.iter(|| SealedWarrant::mint(black_box(wish.clone()), &root).expect("it can be issued"));
    });
    let parent = chain(1).peek().expect("it can be read");
    let (holder, child) = (key(2), terms(3, scope(ONE)));
    group.bench_function("grant", |bencher| {
        bencher.iter(|| parent.grant(black_box(child.clone()), &holder).expect("it can be passed on"));
    });
    let (keys, nothing) = (roots(), Revocations::none());
    for links in [1, 2, 5, 8] {
        let sealed = chain(links);
        group.bench_function(format!("open {links}"), |bencher| {
            bencher.iter(|| black_box(&sealed).open(&keys, &nothing, at).expect("it opens"));
        });
    }
    let sealed = chain(3);
    let mut kept = OpenWarrants::new(roots(), 1024);
    let read = call("read_file", &[("path", Json::from("/data/report.txt"))]);
    let digest = CallDigest::of(&read, &[]);
    let decision = decide(&read, &Policy::default());
    let assessment = decision.assessment.expect("it can be read");
    group.bench_function("cached chain of 3, asked", |bencher| {
        bencher.iter(|| {
            let warrant = kept.open(black_box(&sealed), &nothing, at).expect("it still holds");
            authority(&warrant, Held::Taken, at).ask(&read, &assessment)
        });
    });
    let warrant = opened(&chain(1));
    let nonces = NonceWindow::with_room(16);
    let proof = SealedProof::make(warrant.last().digest, digest, now(), Nonce::from_bytes([1; 16]), &key(2));
    group.bench_function("authorize with proof", |bencher| {
        bencher.iter(|| {
            let possession =
                black_box(&proof).check(&warrant, &digest, at, &nonces).expect("the proof holds");
            authority(&warrant, Held::Proved(&possession), at).ask(&read, &assessment)
        });
    });
    let unknown = call("write_file", &[("path", Json::from("/data/report.txt"))]);
    group.bench_function("refuse unknown tool", |bencher| {
        bencher.iter(|| authority(&warrant, Held::Taken, at).ask(black_box(&unknown), &assessment));
    });
    let bad = SealedProof::make(warrant.last().digest, digest, now(), Nonce::from_bytes([1; 16]), &key(9));
    group.bench_function("refuse bad proof", |bencher| {
        bencher.iter(|| black_box(&bad).check(&warrant, &digest, at, &nonces).expect_err("the proof is bad"));
    });
    let mixed = scope(MIXED);
    let deploy = call(
        "deploy",
        &[
            ("environment", Json::from("production")),
            ("cluster", Json::from("us-west-2a")),
            ("replicas", Json::from(8)),
            ("source_ip", Json::from("10.1.2.3")),
            ("target_url", Json::from("https://api.example.com/hook")),
            ("path", Json::from("/srv/app/config.toml")),
        ],
    );
    let effects = effect::interpret(&deploy).effects;
    group.bench_function("constraints only", |bencher| {
        bencher.iter(|| {
            mixed.permit(black_box(&deploy), &effects).map(|permit| permit.number).expect("it is permitted")
        });
    });
    group.finish();
}

fn peer(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("warrant tenuo");
    let keys: Vec<PeerKey> = (0..10).map(|_| PeerKey::generate()).collect();
    let one = || {
        ConstraintSet::from_iter(vec![(
            "path".to_owned(),
            Pattern::new("/data/*").expect("a pattern").into(),
        )])
    };
    let mint = |set: ConstraintSet, tool: &str| {
        PeerWarrant::builder()
            .capability(tool, set)
            .ttl(Duration::from_secs(3600))
            .holder(keys[1].public_key())
            .build(&keys[0])
            .expect("it can be issued")
    };
    let template = one();
    group.bench_function("mint", |bencher| bencher.iter(|| mint(black_box(template.clone()), "read_file")));
    let parent = mint(one(), "read_file");
    group.bench_function("grant", |bencher| {
        bencher.iter(|| {
            parent
                .attenuate()
                .capability("read_file", black_box(template.clone()))
                .holder(keys[2].public_key())
                .build(&keys[1])
                .expect("it can be passed on")
        });
    });
    for links in [1_usize, 2, 5, 8] {
        let mut chain = vec![parent.clone()];
        for link in 1..links {
            let next = chain[link - 1]
                .attenuate()
                .inherit_all()
                .holder(keys[link + 1].public_key())
                .build(&keys[link])
                .expect("it can be passed on");
            chain.push(next);
        }
        let mut plane = DataPlane::new();
        plane.trust_issuer("root", keys[0].public_key());
        group.bench_function(format!("open {links}"), |bencher| {
            bencher.iter(|| plane.verify_chain(black_box(&chain)).expect("it holds"));
        });
    }
    let args = HashMap::from([("path".to_owned(), ConstraintValue::String("/data/report.txt".to_owned()))]);
    let proof = parent.sign(&keys[1], "read_file", &args).expect("it can be signed");
    group.bench_function("authorize with proof", |bencher| {
        bencher
            .iter(|| parent.authorize("read_file", black_box(&args), Some(&proof)).expect("it is permitted"));
    });
    group.bench_function("refuse unknown tool", |bencher| {
        bencher.iter(|| assert!(parent.authorize("write_file", black_box(&args), Some(&proof)).is_err()));
    });
    let bad = parent.sign(&keys[9], "read_file", &args).expect("it can be signed");
    group.bench_function("refuse bad proof", |bencher| {
        bencher.iter(|| assert!(parent.authorize("read_file", black_box(&args), Some(&bad)).is_err()));
    });
    let mixed = ConstraintSet::from_iter(vec![
        ("environment".to_owned(), Exact::new("production").into()),
        ("cluster".to_owned(), Pattern::new("us-west-*").expect("a pattern").into()),
        ("replicas".to_owned(), Range::new(Some(1.0), Some(100.0)).expect("a range").into()),
        ("source_ip".to_owned(), Cidr::new("10.0.0.0/8").expect("a network").into()),
        ("target_url".to_owned(), UrlPattern::new("https://*.example.com/*").expect("a shape").into()),
        ("path".to_owned(), Subpath::new("/srv/app").expect("a path").into()),
    ]);
    let deploy = mint(mixed, "deploy");
    let text = |text: &str| ConstraintValue::String(text.to_owned());
    let args = HashMap::from([
        ("environment".to_owned(), text("production")),
        ("cluster".to_owned(), text("us-west-2a")),
        ("replicas".to_owned(), ConstraintValue::Integer(8)),
        ("source_ip".to_owned(), text("10.1.2.3")),
        ("target_url".to_owned(), text("https://api.example.com/hook")),
        ("path".to_owned(), text("/srv/app/config.toml")),
    ]);
    group.bench_function("constraints only", |bencher| {
        bencher.iter(|| deploy.check_constraints("deploy", black_box(&args)).expect("it is permitted"));
    });
    group.finish();
}
