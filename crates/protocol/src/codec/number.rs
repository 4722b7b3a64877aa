//! Numbers as JavaScript prints them.

/// Largest integer up to which every integer is a double of its own, 2^53.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// The integer that a double is, where an `i64` of the same value prints as JavaScript prints it.
pub(super) fn exact_integer(number: f64) -> Option<i64> {
    let integral = number.trunc() == number && number.abs() <= MAX_EXACT_INTEGER;
    #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53")]
    integral.then_some(number as i64)
}

/// Appends the text that `JSON.stringify` gives a number: the shortest digits that read back as the same double,
/// `null` where JSON has no number.
pub(super) fn push_number(out: &mut String, number: f64) {
    if !number.is_finite() {
        out.push_str("null");
    } else if let Some(integer) = exact_integer(number) {
        out.push_str(&integer.to_string());
    } else {
        push_fraction(out, number);
    }
}

/// `Number::toString` of the language, for finite numbers other than zero.
fn push_fraction(out: &mut String, number: f64) {
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent is always printed");
    let exponent: i32 = exponent.parse().expect("the exponent is an integer");
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let count = i32::try_from(digits.len()).expect("a double has at most 17 digits");
    // The decimal point stands behind this many digits.
    let point = exponent + 1;
    if number < 0.0 {
        out.push('-');
    }
    if count <= point && point <= 21 {
        out.push_str(&digits);
        out.extend((count..point).map(|_| '0'));
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).expect("positive"));
        out.extend([whole, ".", fraction]);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        out.extend((point..0).map(|_| '0'));
        out.push_str(&digits);
    } else {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.extend([".", rest]);
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("e{sign}{}", exponent.abs()));
    }
}
