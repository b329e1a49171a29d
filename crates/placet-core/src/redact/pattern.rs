//! A site's own patterns, in the format of gitleaks.

use std::{borrow::Cow, ops::Range};

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::{Found, check, mask};

/// The file as it is written. What this program does not use (`title`, `tags`, paths, commits) is read and left alone; what would
/// change the meaning and is not known is refused.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatternsFile {
    #[serde(default, rename = "title")]
    _title: Option<String>,
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default, rename = "minVersion")]
    _min_version: Option<String>,
    #[serde(default)]
    extend: Extend,
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default)]
    allowlist: Option<Allowlist>,
    #[serde(default)]
    allowlists: Vec<Allowlist>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Extend {
    /// What is built in is always there.
    #[serde(default, rename = "useDefault")]
    _use_default: bool,
    #[serde(default)]
    path: Option<String>,
    #[serde(default, rename = "url")]
    _url: Option<String>,
    #[serde(default)]
    disabled_rules: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rule {
    id: String,
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default)]
    regex: Option<String>,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default, rename = "path")]
    _path: Option<String>,
    #[serde(default, rename = "tags")]
    _tags: Vec<String>,
    #[serde(default)]
    allowlist: Option<Allowlist>,
    #[serde(default)]
    allowlists: Vec<Allowlist>,
    #[serde(default, rename = "skipReport")]
    _skip_report: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Allowlist {
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default)]
    condition: Option<String>,
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    regex_target: Option<String>,
    #[serde(default)]
    stopwords: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    commits: Vec<String>,
    #[serde(default)]
    target_rules: Vec<String>,
}

/// Why patterns cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// A regular expression is wrong.
    #[error("rule `{rule}`: its regular expression cannot be used")]
    Regex {
        /// Which rule.
        rule: String,
        /// What is wrong with it.
        #[source]
        cause: Box<regex::Error>,
    },
    /// A group that the expression does not have.
    #[error("rule `{rule}`: there is no group {group} in its regular expression; use 0 to {most}")]
    Group {
        /// Which rule.
        rule: String,
        /// The group asked for.
        group: usize,
        /// The last there is.
        most: usize,
    },
    /// A word that is not known.
    #[error("rule `{rule}`: `{word}` is no {what}; use {known}")]
    Word {
        /// Which rule.
        rule: String,
        /// The word.
        word: String,
        /// What it should have been.
        what: &'static str,
        /// What there is.
        known: &'static str,
    },
    /// Two rules have one name.
    #[error("rule `{0}` is there twice")]
    Twice(String),
    /// A rule without a name.
    #[error("a rule has an empty `id`")]
    NoName,
    /// Another file is needed.
    #[error("`extend.path` leads to another file, which is not read; put its rules here")]
    OtherFile,
}

/// Patterns, compiled.
#[derive(Debug)]
pub struct Patterns {
    rules: Vec<Compiled>,
    /// All keywords, and for each the rules that have it.
    keywords: Option<AhoCorasick>,
    rules_of_keyword: Vec<Vec<usize>>,
    allowed: Vec<Allowed>,
}

#[derive(Debug)]
struct Compiled {
    kind: Cow<'static, str>,
    id: String,
    regex: Regex,
    group: usize,
    entropy: f64,
    always: bool,
    allowed: Vec<Allowed>,
}

#[derive(Debug)]
struct Allowed {
    all: bool,
    regexes: Vec<Regex>,
    target: Target,
    stopwords: Option<AhoCorasick>,
    /// Depends on files or commits, which a text does not have: with `AND` it never applies.
    elsewhere: bool,
    rules: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Secret,
    Match,
    Line,
}

/// A compiled expression may take so much memory.
const REGEX_MAX: usize = 4 << 20;

impl PatternsFile {
    /// Compiles the patterns. Rules that look at paths alone have nothing to find in a text and are left out.
    pub fn compile(&self) -> Result<Patterns, PatternError> {
        if self.extend.path.is_some() {
            return Err(PatternError::OtherFile);
        }
        let mut rules: Vec<Compiled> = Vec::new();
        let mut words: Vec<(String, usize)> = Vec::new();
        for rule in &self.rules {
            if rule.id.is_empty() {
                return Err(PatternError::NoName);
            }
            let Some(text) = rule.regex.as_deref().filter(|text| !text.is_empty()) else { continue };
            if self.extend.disabled_rules.contains(&rule.id) {
                continue;
            }
            if rules.iter().any(|other| other.id == rule.id) {
                return Err(PatternError::Twice(rule.id.clone()));
            }
            let regex = compile(&rule.id, text)?;
            let most = regex.captures_len() - 1;
            if rule.secret_group > most {
                return Err(PatternError::Group { rule: rule.id.clone(), group: rule.secret_group, most });
            }
            words.extend(
                rule.keywords
                    .iter()
                    .filter(|word| !word.is_empty())
                    .map(|word| (word.to_ascii_lowercase(), rules.len())),
            );
            rules.push(Compiled {
                kind: mask::site_kind(&rule.id),
                id: rule.id.clone(),
                regex,
                group: rule.secret_group,
                entropy: rule.entropy,
                always: rule.keywords.iter().all(String::is_empty),
                allowed: rule
                    .allowlists
                    .iter()
                    .chain(&rule.allowlist)
                    .map(|list| list.compile(&rule.id))
                    .collect::<Result<_, _>>()?,
            });
        }
        let allowed = self
            .allowlists
            .iter()
            .chain(&self.allowlist)
            .map(|list| list.compile("allowlist"))
            .collect::<Result<_, _>>()?;
        words.sort_unstable();
        let mut literals: Vec<&str> = Vec::new();
        let mut rules_of_keyword: Vec<Vec<usize>> = Vec::new();
        for (word, rule) in &words {
            if literals.last() != Some(&word.as_str()) {
                literals.push(word);
                rules_of_keyword.push(Vec::new());
            }
            if let Some(of_word) = rules_of_keyword.last_mut() {
                of_word.push(*rule);
            }
        }
        let keywords = if literals.is_empty() {
            None
        } else {
            AhoCorasick::builder().ascii_case_insensitive(true).build(&literals).ok()
        };
        // Without the search every rule is tried.
        if keywords.is_none() {
            rules.iter_mut().for_each(|rule| rule.always = true);
        }
        Ok(Patterns { rules, keywords, rules_of_keyword, allowed })
    }
}

impl Allowlist {
    fn compile(&self, rule: &str) -> Result<Allowed, PatternError> {
        let unknown = |word: &str, what, known| PatternError::Word {
            rule: rule.to_owned(),
            word: word.to_owned(),
            what,
            known,
        };
        let all = match self.condition.as_deref().map(str::to_ascii_uppercase).as_deref() {
            None | Some("" | "OR" | "||") => false,
            Some("AND" | "&&") => true,
            Some(_) => {
                return Err(unknown(self.condition.as_deref().unwrap_or(""), "condition", "`OR` or `AND`"));
            }
        };
        let target = match self.regex_target.as_deref() {
            None | Some("" | "secret") => Target::Secret,
            Some("match") => Target::Match,
            Some("line") => Target::Line,
            Some(other) => return Err(unknown(other, "regexTarget", "`secret`, `match` or `line`")),
        };
        let stopwords: Vec<&String> = self.stopwords.iter().filter(|word| !word.is_empty()).collect();
        Ok(Allowed {
            all,
            regexes: self.regexes.iter().map(|text| compile(rule, text)).collect::<Result<_, _>>()?,
            target,
            stopwords: if stopwords.is_empty() {
                None
            } else {
                AhoCorasick::builder().ascii_case_insensitive(true).build(stopwords).ok()
            },
            elsewhere: !self.paths.is_empty() || !self.commits.is_empty(),
            rules: self.target_rules.clone(),
        })
    }
}

fn compile(rule: &str, text: &str) -> Result<Regex, PatternError> {
    RegexBuilder::new(text)
        .size_limit(REGEX_MAX)
        .dfa_size_limit(REGEX_MAX)
        .nest_limit(64)
        .build()
        .map_err(|cause| PatternError::Regex { rule: rule.to_owned(), cause: Box::new(cause) })
}

impl Patterns {
    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        let mut wanted: Vec<bool> = self.rules.iter().map(|rule| rule.always).collect();
        if let Some(keywords) = &self.keywords {
            for hit in keywords.find_overlapping_iter(text) {
                for rule in &self.rules_of_keyword[hit.pattern().as_usize()] {
                    wanted[*rule] = true;
                }
            }
        }
        for rule in self.rules.iter().zip(wanted).filter_map(|(rule, wanted)| wanted.then_some(rule)) {
            for captures in rule.regex.captures_iter(text) {
                let Some(whole) = captures.get(0) else { continue };
                let secret = match rule.group {
                    // As gitleaks does: the first group that holds something, else all of it.
                    0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()).unwrap_or(whole),
                    group => match captures.get(group) {
                        Some(group) => group,
                        None => continue,
                    },
                };
                if secret.is_empty()
                    || rule.entropy > 0.0 && check::entropy(secret.as_str().as_bytes()) <= rule.entropy
                {
                    continue;
                }
                let applies = |allowed: &Allowed| allowed.applies(text, whole.range(), secret.as_str());
                let global = self
                    .allowed
                    .iter()
                    .filter(|allowed| allowed.rules.is_empty() || allowed.rules.contains(&rule.id));
                if rule.allowed.iter().chain(global).any(applies) {
                    continue;
                }
                found.push(Found { kind: rule.kind.clone(), range: secret.range() });
            }
        }
    }
}

impl Allowed {
    fn applies(&self, text: &str, whole: Range<usize>, secret: &str) -> bool {
        let target = match self.target {
            Target::Secret => secret,
            Target::Match => &text[whole],
            Target::Line => {
                let start = text[..whole.start].rfind('\n').map_or(0, |at| at + 1);
                let end = text[whole.end..].find('\n').map_or(text.len(), |at| whole.end + at);
                &text[start..end]
            }
        };
        let regexes =
            (!self.regexes.is_empty()).then(|| self.regexes.iter().any(|regex| regex.is_match(target)));
        let stopwords = self.stopwords.as_ref().map(|words| words.is_match(secret));
        let checks = [regexes, stopwords];
        let mut checks = checks.into_iter().flatten();
        if self.all {
            !self.elsewhere && checks.clone().count() > 0 && checks.all(|holds| holds)
        } else {
            checks.any(|holds| holds)
        }
    }
}
