//! Arithmetic formulas: numbers, + - * / and brackets.

use crate::error::ApiError;
use crate::literal::Reader;

/// The deepest nesting of brackets.
const MAX_DEPTH: usize = 64;

/// The value of a formula, rounded to nine decimals.
///
/// # Errors
/// If it can't be read or has no value.
pub(crate) fn value(formula: &str) -> Result<f64, ApiError> {
    let mut reader = Reader::new(formula, 0);
    let value = sum(&mut reader, 0)?;
    reader.skip_blanks();
    if !reader.rest().is_empty() {
        return Err(unreadable(&reader));
    }
    if value.is_finite() { Ok(rounded(value)) } else { Err(too_large()) }
}

/// Rounds to nine decimals, so that 0.1 + 0.2 is 0.3.
fn rounded(value: f64) -> f64 {
    // Above this, a float does not resolve nine decimals.
    if value.abs() < 1e6 { (value * 1e9).round() / 1e9 } else { value }
}

fn unreadable(reader: &Reader<'_>) -> ApiError {
    ApiError::invalid("formula", format!("it cannot be read from character {}", reader.at + 1))
}

fn too_large() -> ApiError {
    ApiError::invalid("formula", "its value is too large")
}

fn sum(reader: &mut Reader<'_>, depth: usize) -> Result<f64, ApiError> {
    let mut value = product(reader, depth)?;
    loop {
        reader.skip_blanks();
        if reader.eat('+') {
            value += product(reader, depth)?;
        } else if reader.eat('-') {
            value -= product(reader, depth)?;
        } else {
            return Ok(value);
        }
    }
}

fn product(reader: &mut Reader<'_>, depth: usize) -> Result<f64, ApiError> {
    let mut value = factor(reader, depth)?;
    loop {
        reader.skip_blanks();
        if reader.eat('*') {
            value *= factor(reader, depth)?;
        } else if reader.eat('/') {
            let divisor = factor(reader, depth)?;
            if divisor == 0.0 {
                return Err(ApiError::invalid("formula", "it divides by zero"));
            }
            value /= divisor;
        } else {
            return Ok(value);
        }
    }
}

fn factor(reader: &mut Reader<'_>, depth: usize) -> Result<f64, ApiError> {
    if depth > MAX_DEPTH {
        return Err(ApiError::invalid("formula", "its brackets are nested too deep"));
    }
    reader.skip_blanks();
    if reader.eat('-') {
        return Ok(-factor(reader, depth + 1)?);
    }
    if reader.eat('+') {
        return factor(reader, depth + 1);
    }
    if reader.eat('(') {
        let value = sum(reader, depth + 1)?;
        reader.skip_blanks();
        return if reader.eat(')') { Ok(value) } else { Err(unreadable(reader)) };
    }
    let rest = reader.rest();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    let value = rest[..end].parse::<f64>().map_err(|_| unreadable(reader))?;
    reader.at += end;
    Ok(value)
}
