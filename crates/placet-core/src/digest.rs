//! The name of exactly one call: what an approval binds to.

use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::{canonical, tool_call::ToolCall};

/// SHA-256 over what a call would do and where: host, agent, session, working directory, tool and
/// arguments. Two calls with one digest do the same thing, so the approval of one is good for the
/// other. What the agent says about the call, and when, is not part of it.
///
/// A digest is a name, not a secret: hosts are given it and screens show it. So comparing two need
/// not take constant time, and `==` does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallDigest([u8; 32]);

impl CallDigest {
    /// What the hash begins with, so that no other kind of digest can pass for one of these.
    const DOMAIN: &[u8] = b"placet call digest 1\0";

    /// The digest of `call`, leaving out the arguments named in `without`: those that the tool is
    /// known to ignore, such as a free-text `description`. Only arguments at the top are left out,
    /// never members of the same name further down.
    pub fn of(call: &ToolCall, without: &[&str]) -> Self {
        let mut bytes = Vec::with_capacity(1024);
        bytes.extend_from_slice(Self::DOMAIN);
        write_subject(call, without, &mut bytes);
        Self(Sha256::digest(&bytes).into())
    }

    /// The digest of `call` with all its arguments: what a proof of possession is over, whose maker knows no table of tools.
    pub fn of_all(call: &ToolCall) -> Self {
        Self::of(call, &[])
    }

    /// The digest whose bytes these are, as a store gives them back.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 hexadecimal digits, lower case.
    pub fn parse(hex: &str) -> Result<Self, InvalidCallDigest> {
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(InvalidCallDigest),
        };
        let digits: &[u8; 64] = hex.as_bytes().try_into().map_err(|_| InvalidCallDigest)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }

    /// The digest as bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The canonical JSON of what the digest covers. Its keys are in canonical order as they stand.
fn write_subject(call: &ToolCall, without: &[&str], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"agent\":");
    canonical::write_string(call.agent(), out);
    out.extend_from_slice(b",\"args\":");
    canonical::write_object(call.args_object(), without, out);
    out.extend_from_slice(b",\"cwd\":");
    match call.cwd() {
        Some(cwd) => canonical::write_string(cwd, out),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"host\":");
    canonical::write_string(call.host(), out);
    out.extend_from_slice(b",\"session\":");
    canonical::write_string(call.session(), out);
    out.extend_from_slice(b",\"tool\":");
    canonical::write_string(call.tool().as_str(), out);
    out.push(b'}');
}

impl fmt::Display for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        f.write_str(&text)
    }
}

impl fmt::Debug for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallDigest({self})")
    }
}

impl Serialize for CallDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Something is not a [`CallDigest`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a call digest is 64 hexadecimal digits in lower case")]
pub struct InvalidCallDigest;
