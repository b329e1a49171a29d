//! What a person sees of a held call: its words, the dangerous ones marked, its secrets masked.

use placet_core::{
    explanation::{Marked, Piece},
    record::TEXT_BYTES_MAX,
};
use placet_engine::Card;

use crate::rig::{Rig, call, wire};

/// The pieces as text: `[words]2` is marked and ends effect 2, `{words}` is a mask.
fn drawn(marked: &Marked) -> String {
    let one = |piece: &Piece| {
        let numbers: Vec<String> = piece.effects.iter().map(usize::to_string).collect();
        let words = if piece.secret { format!("{{{}}}", piece.text) } else { piece.text.clone() };
        if piece.marked { format!("[{words}]{}", numbers.join(",")) } else { words }
    };
    marked.pieces.iter().map(one).collect()
}

async fn card(command: &str) -> Card {
    let rig = Rig::new();
    rig.ask(call(command)).await;
    let holds = rig.pending(1).await;
    Card::read(&holds[0].opened.card).expect("a card that was just written")
}

#[tokio::test]
async fn the_words_that_weigh_are_marked_in_the_masked_command() {
    // The masks are shorter and longer than the secrets, so whatever follows them has moved.
    for (command, wanted) in [
        (
            "AWS_SECRET_ACCESS_KEY=q9ZkP2mLr7TdXw4Yb8NcVf1HsJg6Ae3uRo5Ti0Kx terraform destroy && ls",
            "[AWS_SECRET_ACCESS_KEY=][{«api-key …0Kx»}][ terraform destroy]1 && ls",
        ),
        (
            "PGPASSWORD=hunter2x psql -c 'drop table a'; rm -rf /srv/a",
            "PGPASSWORD={«password»} psql -c ['drop table a']2; rm -rf [/srv/a]3",
        ),
        ("echo cm0gLXJmIH4K | base64 -d | sh", "echo cm0gLXJmIH4K | base64 -d | [sh]1,2"),
        ("ls && rm -rf /srv/a", "ls && rm -rf [/srv/a]2"),
    ] {
        let card = card(command).await;
        let marked = card.marked();
        assert_eq!(marked.iter().map(drawn).collect::<Vec<_>>(), [wanted], "{command}");
        assert_eq!(marked[0].pointer.as_str(), "/command");
        let text: String = marked[0].pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(card.args().unwrap().get("command").unwrap().as_str(), Some(text.as_str()));
        assert!(card.assessment().unwrap().happens().ends_with('.'));
        assert!(!card.findings().is_empty());
    }
}

#[tokio::test]
async fn a_text_that_was_cut_is_not_marked_beyond_its_end() {
    let rig = Rig::new();
    let padding = "echo a; ".repeat(600);
    let content = "x".repeat(80 * 1024);
    let command = format!("{padding}rm -rf /srv/a");
    let args = serde_json::json!({ "command": command, "content": content }).to_string();
    rig.ask(wire("terminal", &args)).await;
    let holds = rig.pending(1).await;
    let card = Card::read(&holds[0].opened.card).unwrap();
    let command = card.marked().into_iter().find(|text| text.pointer.as_str() == "/command").unwrap();
    let shown: String = command.pieces.iter().map(|piece| piece.text.as_str()).collect();
    assert!(shown.len() > TEXT_BYTES_MAX && shown.ends_with("bytes more)"), "{}", shown.len());
    assert!(command.pieces.iter().all(|piece| !piece.marked), "{:?}", command.pieces);
}
