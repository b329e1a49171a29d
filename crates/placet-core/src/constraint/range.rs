//! `range`: the value is a number between bounds, compared exactly.

use std::cmp::Ordering;

use super::{Check, InvalidConstraint};
use crate::{Json, json::Number};

/// A number not below one bound and not above another; either may be missing, not both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    min: Option<Bound>,
    max: Option<Bound>,
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number.
    pub number: Number,
    /// Whether the number itself is in the range.
    pub included: bool,
}

impl Bound {
    /// A bound that is in the range.
    pub fn at(number: impl Into<Number>) -> Self {
        Self { number: number.into(), included: true }
    }

    /// A bound that is not.
    pub fn beyond(number: impl Into<Number>) -> Self {
        Self { number: number.into(), included: false }
    }
}

impl Range {
    /// Numbers from `min` to `max`.
    pub fn new(min: Option<Bound>, max: Option<Bound>) -> Result<Self, InvalidConstraint> {
        match (min, max) {
            (None, None) => Err(InvalidConstraint::new("a range needs a lower or an upper bound")),
            (Some(low), Some(high))
                if compare(low.number, high.number) == Ordering::Greater
                    || compare(low.number, high.number) == Ordering::Equal
                        && !(low.included && high.included) =>
            {
                Err(InvalidConstraint::new(format!(
                    "no number is {}; swap the bounds",
                    Self { min, max }.describe().trim_start_matches("a number ")
                )))
            }
            _ => Ok(Self { min, max }),
        }
    }

    /// The lower bound.
    pub fn min(&self) -> Option<Bound> {
        self.min
    }

    /// The upper bound.
    pub fn max(&self) -> Option<Bound> {
        self.max
    }

    pub(super) fn check(&self, value: &Json) -> Check {
        match value {
            Json::Number(number) => Check::of(self.holds(*number)),
            Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
                Check::mismatch("a number", value)
            }
        }
    }

    /// Whether `number` is in the range.
    pub fn holds(&self, number: Number) -> bool {
        let above = self.min.is_none_or(|bound| match compare(number, bound.number) {
            Ordering::Less => false,
            Ordering::Equal => bound.included,
            Ordering::Greater => true,
        });
        let below = self.max.is_none_or(|bound| match compare(number, bound.number) {
            Ordering::Less => true,
            Ordering::Equal => bound.included,
            Ordering::Greater => false,
        });
        above && below
    }

    pub(super) fn describe(&self) -> String {
        let number = |bound: Bound| super::shown(&Json::Number(bound.number));
        let low = self.min.map(|bound| match bound.included {
            true => format!("at least {}", number(bound)),
            false => format!("above {}", number(bound)),
        });
        let high = self.max.map(|bound| match bound.included {
            true => format!("at most {}", number(bound)),
            false => format!("below {}", number(bound)),
        });
        match (self.min, self.max, low, high) {
            (Some(min), Some(max), ..) if min.included && max.included => {
                format!("a number from {} to {}", number(min), number(max))
            }
            (.., Some(low), Some(high)) => format!("a number {low} and {high}"),
            (.., low, high) => format!("a number {}", low.or(high).unwrap_or_default()),
        }
    }
}

/// Which of two numbers is larger, exactly: 2⁵³ + 1 is above 2⁵³, whatever a float would say.
pub fn compare(a: Number, b: Number) -> Ordering {
    let integer = |number: Number| match number {
        Number::Int(integer) => Some(i128::from(integer)),
        Number::Uint(large) => Some(i128::from(large.get())),
        Number::Float(_) => None,
    };
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (None, None) => a.as_f64().total_cmp(&b.as_f64()),
        (Some(integer), None) => with_float(b.as_f64(), integer).reverse(),
        (None, Some(integer)) => with_float(a.as_f64(), integer),
    }
}

/// Compares a finite float that is no 64-bit integer with a 64-bit integer.
fn with_float(float: f64, integer: i128) -> Ordering {
    // Beyond these the float is beyond every such integer; within, its floor is exact in 128 bits.
    const BEYOND: f64 = 36_893_488_147_419_103_232.0;
    if float >= BEYOND {
        return Ordering::Greater;
    }
    if float <= -BEYOND {
        return Ordering::Less;
    }
    let floor = float.floor();
    (floor as i128).cmp(&integer).then(if float > floor { Ordering::Greater } else { Ordering::Equal })
}
