//! JSON web tokens: two to five parts of base64, the first of which is a header.

use super::{class::Class, long};

/// Where the token ends that begins at `start`, if its header can be read.
pub fn end(bytes: &[u8], start: usize) -> Option<usize> {
    let header = Class::URL64.run(&bytes[start..], 4096);
    let decoded = long::decode_base64(&bytes[start..start + header])?;
    let names_algorithm = [&b"\"alg\""[..], b"\"typ\"", b"\"enc\"", b"\"kid\""]
        .iter()
        .any(|name| memchr::memmem::find(&decoded, name).is_some());
    if !names_algorithm || decoded.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    let mut at = start + header;
    let mut parts = 1;
    while parts < 5 && bytes.get(at) == Some(&b'.') {
        let length = Class::URL64.run(&bytes[at + 1..], usize::MAX);
        // An unsigned token ends in a dot; so does a sentence.
        if length == 0 {
            break;
        }
        at += 1 + length;
        parts += 1;
    }
    (parts >= 2).then_some(at)
}
