//! Whether a condition holds for every row.

use sqlparser::ast::{BinaryOperator, Expr, SetExpr, UnaryOperator, Value};

/// What is known of a condition without looking at a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It holds for every row, or for every row that anybody would keep.
    Always,
    /// It holds for none.
    Never,
    /// It depends on the row.
    Depends,
}

impl Truth {
    fn of(holds: bool) -> Self {
        if holds { Self::Always } else { Self::Never }
    }

    fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Depends => Self::Depends,
        }
    }

    fn not_if(self, negated: bool) -> Self {
        if negated { self.not() } else { self }
    }
}

/// What is known of `condition`. Its depth is that of the expression, which the reader bounds.
pub(super) fn truth(condition: &Expr) -> Truth {
    match condition {
        Expr::Nested(inner) | Expr::IsTrue(inner) | Expr::IsNotFalse(inner) => truth(inner),
        Expr::IsFalse(inner) | Expr::IsNotTrue(inner) => truth(inner).not(),
        Expr::UnaryOp { op: UnaryOperator::Not | UnaryOperator::BangNot, expr } => truth(expr).not(),
        Expr::Cast { expr, .. } => truth(expr),
        Expr::BinaryOp { left, op, right } => operation(left, op, right),
        Expr::IsNotDistinctFrom(left, right) => same(left, right),
        Expr::IsDistinctFrom(left, right) => same(left, right).not(),
        Expr::InList { expr, list, negated } => {
            if list.iter().any(|item| same(expr, item) == Truth::Always) {
                Truth::Always.not_if(*negated)
            } else {
                Truth::Depends
            }
        }
        Expr::Between { expr, negated, low, high } => match (number(expr), number(low), number(high)) {
            (Some(value), Some(low), Some(high)) => Truth::of(low <= value && value <= high).not_if(*negated),
            _ => Truth::Depends,
        },
        Expr::Like { negated, pattern, .. } | Expr::ILike { negated, pattern, .. } => match text(pattern) {
            Some(pattern) if !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'%') => {
                Truth::Always.not_if(*negated)
            }
            _ => Truth::Depends,
        },
        Expr::IsNotNull(inner) => match inner.as_ref() {
            Expr::Value(value) => Truth::of(value.value != Value::Null),
            inner if is_key(inner) => Truth::Always,
            _ => Truth::Depends,
        },
        Expr::IsNull(inner) => match inner.as_ref() {
            Expr::Value(value) => Truth::of(value.value == Value::Null),
            _ => Truth::Depends,
        },
        Expr::Exists { subquery, negated } => match subquery.body.as_ref() {
            SetExpr::Select(select) if select.from.is_empty() && select.selection.is_none() => {
                Truth::Always.not_if(*negated)
            }
            _ => Truth::Depends,
        },
        Expr::Value(value) => match &value.value {
            Value::Boolean(holds) => Truth::of(*holds),
            _ => number(condition).map_or(Truth::Depends, |number| Truth::of(number != 0.0)),
        },
        _ => number(condition).map_or(Truth::Depends, |number| Truth::of(number != 0.0)),
    }
}

fn operation(left: &Expr, op: &BinaryOperator, right: &Expr) -> Truth {
    match op {
        BinaryOperator::And => match (truth(left), truth(right)) {
            (Truth::Never, _) | (_, Truth::Never) => Truth::Never,
            (Truth::Always, Truth::Always) => Truth::Always,
            (Truth::Depends, _) | (_, Truth::Depends) => Truth::Depends,
        },
        BinaryOperator::Or | BinaryOperator::StringConcat => match (truth(left), truth(right)) {
            (Truth::Always, _) | (_, Truth::Always) => Truth::Always,
            (Truth::Never, Truth::Never) => Truth::Never,
            (Truth::Depends, _) | (_, Truth::Depends) => Truth::Depends,
        },
        BinaryOperator::Eq | BinaryOperator::Spaceship => same(left, right),
        BinaryOperator::NotEq => match same(left, right) {
            Truth::Depends if is_key(left) && (is_null(right) || empty(right)) => Truth::Always,
            known => known.not(),
        },
        BinaryOperator::Lt | BinaryOperator::LtEq | BinaryOperator::Gt | BinaryOperator::GtEq => {
            let (number_left, number_right) = (number(left), number(right));
            let or_same = matches!(op, BinaryOperator::LtEq | BinaryOperator::GtEq);
            let greater = matches!(op, BinaryOperator::Gt | BinaryOperator::GtEq);
            match (number_left, number_right) {
                (Some(left), Some(right)) => {
                    Truth::of(if greater { left > right } else { left < right } || (or_same && left == right))
                }
                // Keys count from 1, so `id > 0` is every row.
                (None, Some(least)) if greater && is_key(left) && least <= f64::from(u8::from(or_same)) => {
                    Truth::Always
                }
                (Some(least), None) if !greater && is_key(right) && least <= f64::from(u8::from(or_same)) => {
                    Truth::Always
                }
                _ if or_same && same(left, right) == Truth::Always => Truth::Always,
                _ => Truth::Depends,
            }
        }
        _ => Truth::Depends,
    }
}

/// Whether two sides are equal: the same constant, or the same column.
fn same(left: &Expr, right: &Expr) -> Truth {
    if let (Some(left), Some(right)) = (number(left), number(right)) {
        return Truth::of(left == right);
    }
    if let (Some(left), Some(right)) = (text(left), text(right)) {
        return Truth::of(left == right);
    }
    // A condition may be compared with what it should be: `(1=1) = TRUE`.
    match (truth_of_constant(left), truth_of_constant(right)) {
        (Truth::Depends, _) | (_, Truth::Depends) => {}
        (left, right) => return Truth::of(left == right),
    }
    match (unwrapped(left), unwrapped(right)) {
        // What the shell fills in is not known to be the same twice.
        (Expr::Identifier(left), Expr::Identifier(right)) if left == right && left.value != "_" => {
            Truth::Always
        }
        (Expr::CompoundIdentifier(left), Expr::CompoundIdentifier(right)) if left == right => Truth::Always,
        (Expr::Function(left), Expr::Function(right)) if left == right => Truth::Always,
        _ => Truth::Depends,
    }
}

fn truth_of_constant(expr: &Expr) -> Truth {
    match unwrapped(expr) {
        Expr::Value(value) => match value.value {
            Value::Boolean(holds) => Truth::of(holds),
            _ => Truth::Depends,
        },
        _ => Truth::Depends,
    }
}

fn unwrapped(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) | Expr::Cast { expr: inner, .. } = expr {
        expr = inner;
    }
    expr
}

/// Whether this is a column that numbers the rows.
fn is_key(expr: &Expr) -> bool {
    let name = match unwrapped(expr) {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(names) => names.last(),
        _ => None,
    };
    name.is_some_and(|name| {
        ["id", "_id", "rowid", "ctid", "oid", "uuid", "pk"]
            .iter()
            .any(|known| name.value.eq_ignore_ascii_case(known))
    })
}

fn is_null(expr: &Expr) -> bool {
    matches!(unwrapped(expr), Expr::Value(value) if value.value == Value::Null)
}

fn empty(expr: &Expr) -> bool {
    text(expr).is_some_and(str::is_empty)
}

/// The text of a constant.
fn text(expr: &Expr) -> Option<&str> {
    match unwrapped(expr) {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text)
            | Value::DoubleQuotedString(text)
            | Value::NationalStringLiteral(text)
            | Value::EscapedStringLiteral(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The number that a constant expression gives.
fn number(expr: &Expr) -> Option<f64> {
    match unwrapped(expr) {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => number(expr).map(|number| -number),
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => number(expr),
        Expr::BinaryOp { left, op, right } => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                BinaryOperator::Plus => Some(left + right),
                BinaryOperator::Minus => Some(left - right),
                BinaryOperator::Multiply => Some(left * right),
                _ => None,
            }
        }
        _ => None,
    }
}
