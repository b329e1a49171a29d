//! Where a life in danger was spoken of, as it is kept.

/// That a life in danger was spoken of, and with whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrisisMark {
    /// With whom: a keyed digest that says nothing to anybody else, or a sign of its own.
    pub mark: String,
    /// In which language, by its code, if that is known.
    pub language: Option<String>,
}
