//! Numbers as people read them.

/// Four significant digits, without trailing zeros; powers of ten far from 1 as `1.5e-7`.
pub(crate) fn short(value: f64) -> String {
    significant(value, 4)
}

/// `digits` significant digits, without trailing zeros.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    // Rounding first, so that 9999.96 is printed by the rule for 10000.
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = i32::try_from(digits).unwrap_or(i32::MAX) - 1 - exponent;
        let decimals = usize::try_from(decimals.max(0)).unwrap_or(0);
        trim(&format!("{value:.decimals$}"))
    } else {
        format!("{}e{exponent}", trim(mantissa))
    }
}

fn trim(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}
