//! Amounts in words: whether a text states the value of a formula.

use apis::text::fold::{tokens, value as number};
use apis::{Api, Rule};

/// Whether the API evaluates a formula, so that a model may do without it.
pub(crate) fn is_formula(api: &Api) -> bool {
    api.params.iter().any(|param| param.rule == Rule::Formula)
}

/// Whether a text states a value without its sign, which words express ("2 less"), and possibly
/// rounded as people round: to hundredths, as in prices, from 10 up to tenths, or from 100 up to whole
/// numbers, which is off by half a percent at most.
pub(crate) fn states(text: &str, value: f64) -> bool {
    let value = value.abs();
    tokens(text).iter().filter_map(|token| number(token)).any(|stated| {
        let rounded = |digit: f64| (stated * digit - (value * digit).round()).abs() < 1e-6;
        (stated - value).abs() < 1e-9
            || rounded(100.0)
            || (value >= 10.0 && rounded(10.0))
            || (value >= 100.0 && rounded(1.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_be_rounded_and_without_its_sign() {
        for (text, value) in [
            ("It is 2 less than before.", -2.0),
            ("That is 2.33 each.", 7.0 / 3.0),
            ("1,234 in all", 1234.4),
            ("about 97.5 degrees", 97.52),
            ("exactly 1234.4", 1234.4),
        ] {
            assert!(states(text, value), "{text}");
        }
    }

    #[test]
    fn another_number_is_no_rounding() {
        for (text, value) in [
            ("2.3 each", 7.0 / 3.0),
            ("97.6 degrees", 97.52),
            ("98 degrees", 97.52),
            ("99 in all", 99.4),
            ("1,235 in all", 1234.4),
            ("none", 0.0),
        ] {
            assert!(!states(text, value), "{text}");
        }
    }
}
