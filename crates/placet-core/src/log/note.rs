//! Signed notes (C2SP `signed-note`): a text, and beneath it who signs it. Checkpoints are notes; so are other
//! statements that the key of a log makes. What a note is about, its first line says.

use data_encoding::BASE64;

use super::checkpoint::{CheckpointError, LogKey, VerifierKey};

/// No note is longer.
const BYTES_MAX: usize = 1024 * 1024;

impl LogKey {
    /// Signs `text`, which ends with a new line.
    pub fn sign_note(&self, text: &str) -> String {
        let verifier = self.verifier();
        let mut signature = verifier.id().to_vec();
        signature.extend_from_slice(&self.key().sign(text.as_bytes()));
        format!("{text}\n\u{2014} {} {}\n", verifier.origin(), BASE64.encode(&signature))
    }
}

impl VerifierKey {
    /// The text of a note, if this key has signed it. Signatures by other keys are passed over.
    pub fn open_note(&self, note: &str) -> Result<String, CheckpointError> {
        let malformed = CheckpointError::Malformed;
        if note.len() > BYTES_MAX {
            return Err(malformed);
        }
        // The last blank line: a text may have some of its own.
        let (text, signatures) = note.rsplit_once("\n\n").ok_or(malformed.clone())?;
        let text = format!("{text}\n");
        let signatures = signatures.strip_suffix('\n').ok_or(malformed.clone())?;
        for line in signatures.split('\n') {
            let (name, signature) = line
                .strip_prefix("\u{2014} ")
                .and_then(|line| line.split_once(' '))
                .ok_or(malformed.clone())?;
            let signature = BASE64.decode(signature.as_bytes()).map_err(|_| malformed.clone())?;
            if name == self.origin() && signature.starts_with(&self.id()) {
                let signature = signature[4..].try_into().map_err(|_| malformed.clone())?;
                return match self.key().verify(text.as_bytes(), &signature) {
                    true => Ok(text),
                    false => Err(CheckpointError::BadSignature),
                };
            }
        }
        Err(CheckpointError::NotSigned)
    }
}
