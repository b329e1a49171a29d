//! `any value`: the value may be anything, `null` included.

use super::Check;

pub(super) fn check() -> Check {
    Check::Yes
}
