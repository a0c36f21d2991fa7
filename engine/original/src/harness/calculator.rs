//! The calculator of both suites: digits, `+ - * /` and one level of parentheses.

use super::checks::{same_result, same_text};
use super::manager::{Api, Args, Fault, Shape, World, text};
use super::python::Py;

pub(super) const CALCULATOR: Api = Api {
    name: "Calculator",
    shape: Shape::Full,
    params: &[text("formula")],
    call: calculate,
    check: |r, g| {
        Ok(same_text(r, g, "formula", |formula| formula.replace(' ', ""))? && same_result(r, g)?)
    },
};

/// A token of a formula; `Op` includes parentheses.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(f64),
    Op(char),
}

fn calculate(_: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let formula = a.text("formula").replace(' ', "");
    if !formula.chars().all(|c| c.is_ascii_digit() || "+-*/()".contains(c)) {
        return Err("invalid formula".into());
    }
    evaluate(tokens(&formula)).map(Py::Float)
}

fn tokens(formula: &str) -> Vec<Token> {
    let mut out = Vec::new();
    for part in formula.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        out.extend(digits.parse().ok().map(Token::Number));
        out.extend(part[digits.len()..].chars().map(Token::Op));
    }
    out
}

/// Reduces parentheses, then products, then sums, each from left to right.
///
/// Like the original, pairs the first `(` with the first `)`, so nested parentheses fail. A leading
/// operator is never reduced: the original loops forever.
fn evaluate(mut tokens: Vec<Token>) -> Result<f64, Fault> {
    if tokens.len() < 3 {
        return Err("list index out of range".into());
    }
    let at = |tokens: &[Token], c: char| tokens.iter().position(|&token| token == Token::Op(c));
    while let Some(open) = at(&tokens, '(') {
        let close = at(&tokens, ')').ok_or("')' is not in list")?;
        let inner = tokens.get(open + 1..close).unwrap_or(&[]).to_vec();
        let value = evaluate(inner)?;
        tokens.splice(open..=close, [Token::Number(value)]);
    }
    for pair in [['*', '/'], ['+', '-']] {
        reduce(&mut tokens, pair)?;
    }
    tokens.first().map_or_else(|| Err("list index out of range".into()), |&token| number(token))
}

/// Applies both operators of a pair, from left to right.
fn reduce(tokens: &mut Vec<Token>, pair: [char; 2]) -> Result<(), Fault> {
    let wanted = |token: &Token| matches!(token, Token::Op(c) if pair.contains(c));
    while tokens.iter().any(wanted) {
        let after_first = tokens.iter().skip(1).position(wanted);
        let at = 1 + after_first.ok_or(Fault::Hang)?;
        let left = number(tokens[at - 1])?;
        let right = number(*tokens.get(at + 1).ok_or("list index out of range")?)?;
        let value = match tokens[at] {
            Token::Op('*') => left * right,
            Token::Op('+') => left + right,
            Token::Op('-') => left - right,
            _ if right == 0.0 => return Err("float division by zero".into()),
            _ => left / right,
        };
        tokens.splice(at - 1..=at + 1, [Token::Number(value)]);
    }
    Ok(())
}

fn number(token: Token) -> Result<f64, Fault> {
    match token {
        Token::Number(value) => Ok(value),
        Token::Op(c) => Err(format!("could not convert string to float: '{c}'").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(formula: &str, expect: Result<f64, Fault>) {
        assert_eq!(evaluate(tokens(formula)), expect, "{formula}");
    }

    #[test]
    fn values_errors_and_endless_loops() {
        check("25*3+7/3", Ok(25.0 * 3.0 + 7.0 / 3.0));
        check("(5*6)/(2+3)", Ok(6.0));
        check("(10+20+30)", Ok(60.0));
        check("8-2-1", Ok(5.0));
        check("5", Err("list index out of range".into()));
        check("1+2+", Err("list index out of range".into()));
        check("1+2()", Err("list index out of range".into()));
        check("((1+2))", Err("')' is not in list".into()));
        check("1/0", Err("float division by zero".into()));
        check("2*-3", Err("could not convert string to float: '-'".into()));
        check("-5+3", Err(Fault::Hang));
        check("(-1+2)*3", Err(Fault::Hang));
        check("*5+3", Err(Fault::Hang));
    }
}
