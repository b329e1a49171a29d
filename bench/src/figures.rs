//! What a benchmark of ours has measured, where criterion is not the one who measures.

/// Figures, a line of JSON each.
#[derive(Default)]
pub struct Figures(Vec<String>);

impl Figures {
    /// `value` is held against `goal`: not more than it, or for a rate not less.
    pub fn add(&mut self, what: &str, (value, unit): (f64, &str), goal: Option<f64>, detail: &str) {
        let goal = goal.map_or("null".to_owned(), |goal| goal.to_string());
        let line = format!(
            r#"{{"what": "{what}", "value": {value:.3}, "unit": "{unit}", "goal": {goal}, "detail": "{detail}"}}"#
        );
        eprintln!("{line}");
        self.0.push(line);
    }

    /// All of them, as JSON.
    pub fn to_json(&self) -> String {
        format!("[{}]\n", self.0.join(",\n "))
    }
}

/// Times, from the shortest to the longest.
pub struct Times(Vec<f64>);

impl Times {
    /// These.
    pub fn new(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    /// All of these.
    pub fn of_all(all: Vec<Self>) -> Self {
        Self::new(all.into_iter().flat_map(|times| times.0).collect())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The time that so many of a thousand stay within.
    pub fn at(&self, per_mille: usize) -> f64 {
        self.0.get((self.0.len().max(1) - 1) * per_mille / 1_000).copied().unwrap_or(f64::NAN)
    }
}
