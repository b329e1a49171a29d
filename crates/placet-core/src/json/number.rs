//! Numbers, one form for each value.

/// A JSON number, kept exactly. There is one form for each value: an integer of 64 bits is `Int`,
/// or `Uint` where `Int` cannot hold it, however it was written; anything else is `Float`. What is
/// written with a dot or an exponent is the float that other readers take it for, or is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer from −2⁶³ to 2⁶³ − 1.
    Int(i64),
    /// An integer from 2⁶³ to 2⁶⁴ − 1.
    Uint(LargeUint),
    /// Any other number: a fraction, or one beyond those ranges.
    Float(FiniteFloat),
}

/// An integer above [`i64::MAX`]. Made by `Number::from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeUint(u64);

impl LargeUint {
    /// The integer.
    pub fn get(self) -> u64 {
        self.0
    }
}

/// A finite number that is not an integer of 64 bits. Made by [`Number::from_f64`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteFloat(f64);

// Not-a-number is the one float that differs from itself, and it is never in here.
impl Eq for FiniteFloat {}

impl FiniteFloat {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Number {
    /// The number that `float` is. Nothing if it is infinite or not a number; −0 is 0.
    pub fn from_f64(float: f64) -> Option<Self> {
        const TWO_63: f64 = 9_223_372_036_854_775_808.0;
        const TWO_64: f64 = 18_446_744_073_709_551_616.0;
        if !float.is_finite() {
            None
        } else if float.fract() != 0.0 || !(-TWO_63..TWO_64).contains(&float) {
            Some(Number::Float(FiniteFloat(float)))
        } else if float < TWO_63 {
            Some(Number::Int(float as i64))
        } else {
            Some(Number::Uint(LargeUint(float as u64)))
        }
    }

    /// The number that `lexeme`, a number in the grammar of JSON, says. Nothing if it is neither
    /// an integer of 64 bits nor the shortest decimal of some float; nor if it is an integer that is
    /// written with a dot or an exponent and that no float is: Python and JavaScript read such a
    /// number as a float, and `9007199254740993.0` would be another number there.
    pub(super) fn from_lexeme(lexeme: &str) -> Option<Self> {
        let written = Decimal::of(lexeme)?;
        if let Some(integer) = written.to_integer() {
            let read_as_float = lexeme.contains(['.', 'e', 'E']);
            let exact = || lexeme.parse().ok().and_then(Self::from_f64) == Some(integer);
            return (!read_as_float || exact()).then_some(integer);
        }
        let float: f64 = lexeme.parse().ok().filter(|float: &f64| float.is_finite())?;
        (Decimal::of(ryu_js::Buffer::new().format_finite(float))? == written)
            .then_some(Number::Float(FiniteFloat(float)))
    }

    /// The number, if it is an integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Number::Int(integer) => Some(integer),
            Number::Uint(_) | Number::Float(_) => None,
        }
    }

    /// The number, if it is a non-negative integer that fits.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Number::Int(integer) => u64::try_from(integer).ok(),
            Number::Uint(large) => Some(large.get()),
            Number::Float(_) => None,
        }
    }

    /// The nearest float: for comparing and showing, as an integer beyond 2⁵³ is rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(integer) => integer as f64,
            Number::Uint(large) => large.get() as f64,
            Number::Float(float) => float.get(),
        }
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Self {
        Number::Int(integer)
    }
}

impl From<u64> for Number {
    fn from(integer: u64) -> Self {
        match i64::try_from(integer) {
            Ok(integer) => Number::Int(integer),
            Err(_) => Number::Uint(LargeUint(integer)),
        }
    }
}

/// The exact value of a number as written: ±digits × 10^exponent, in lowest terms.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    /// Digits without leading or trailing zeros; zero has none.
    digits: u128,
    exponent: i64,
}

impl Decimal {
    /// No integer of 64 bits and no shortest float has more digits than this.
    const DIGITS_MAX: usize = 20;

    /// Reads a JSON number. Nothing if it has too many digits to be represented, so the work is
    /// one look at each byte, however long it is.
    fn of(lexeme: &str) -> Option<Self> {
        let (negative, unsigned) = match lexeme.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, lexeme),
        };
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let whole = whole.trim_start_matches('0');

        let (mut digits, mut count, mut zeros) = (0_u128, 0, 0_usize);
        for digit in whole.bytes().chain(fraction.bytes()).map(|byte| u128::from(byte.wrapping_sub(b'0'))) {
            // The reader may hand over more than a number, such as `1.5.4`.
            if digit > 9 {
                return None;
            }
            if digit == 0 {
                zeros += 1;
                continue;
            }
            // Zeros count only once another digit follows, and not while none has come before.
            let skipped = if count == 0 { 0 } else { zeros };
            count += skipped + 1;
            if count > Self::DIGITS_MAX {
                return None;
            }
            digits = digits * 10_u128.pow(skipped as u32 + 1) + digit;
            zeros = 0;
        }
        if digits == 0 {
            return Some(Self { negative: false, digits: 0, exponent: 0 });
        }
        let shift = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
        // An exponent too large for 64 bits is too large for any number that has digits.
        let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
        Some(Self { negative, digits, exponent })
    }

    fn to_integer(&self) -> Option<Number> {
        let scale = 10_i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let magnitude = i128::try_from(self.digits).ok()?.checked_mul(scale)?;
        let value = if self.negative { -magnitude } else { magnitude };
        i64::try_from(value).map(Number::from).or_else(|_| u64::try_from(value).map(Number::from)).ok()
    }
}
