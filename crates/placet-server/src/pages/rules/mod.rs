//! Rules: the packs, one rule with everything that says whether it is right, and its policy.

mod edit;
mod list;
mod show;
mod source;

use maud::Markup;
use placet_core::rule::RulePolicy;

use super::part::icon::tag;

pub use edit::{change, create, edit, new, remove};
pub use list::list;
pub use show::{set_policy, show, tried};

/// What a rule does, as a word with its shape.
pub fn policy_tag(policy: RulePolicy) -> Markup {
    match policy {
        RulePolicy::LogOnly => tag("muted", "read", "log_only"),
        RulePolicy::Hold => tag("held", "ask", "hold"),
        RulePolicy::AutoBlock => tag("blocked", "block", "auto_block"),
    }
}

fn said_policy(policy: Option<RulePolicy>) -> Markup {
    policy.map_or_else(|| tag("muted", "no", "off"), policy_tag)
}
