//! `datetime.datetime(…)` with numbers, which the original uses for constants.

use super::cursor::{Cursor, Stop};

/// Year, month, day, hour, minute, second.
type Moment = [u32; 6];

/// A moment as `YYYY-MM-DD HH:MM:SS`, or in the format of the following `strftime`. The cursor is
/// after the name.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<String, Stop> {
    let moment = numbers(cursor)?;
    if !cursor.rest().starts_with(".strftime(") {
        return format(moment, "%Y-%m-%d %H:%M:%S").ok_or(Stop::NoLiteral);
    }
    cursor.at += ".strftime(".len();
    cursor.blanks(true);
    let pattern = super::text::read(cursor, true)?;
    if !cursor.eat(')') {
        return Err(Stop::NoLiteral);
    }
    format(moment, &pattern).ok_or(Stop::NoLiteral)
}

/// Three to six numbers in brackets, each in its range.
fn numbers(cursor: &mut Cursor<'_>) -> Result<Moment, Stop> {
    let mut moment = [1, 1, 1, 0, 0, 0];
    let mut given = 0;
    if !cursor.eat('(') {
        return Err(Stop::NoLiteral);
    }
    loop {
        cursor.blanks(true);
        if cursor.eat(')') {
            break;
        }
        let digits = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = cursor.rest().get(..digits.min(4)).and_then(|it| it.parse().ok());
        let (Some(number), Some(place)) = (number, moment.get_mut(given)) else {
            return Err(Stop::NoLiteral);
        };
        *place = number;
        given += 1;
        cursor.at += digits;
        cursor.blanks(true);
        if !cursor.eat(',') && cursor.peek() != Some(')') {
            return Err(Stop::NoLiteral);
        }
    }
    let [year, month, day, hour, minute, second] = moment;
    let exists = given >= 3
        && (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    exists.then_some(moment).ok_or(Stop::NoLiteral)
}

/// `None` for directives other than `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` and `%%`.
fn format(moment: Moment, pattern: &str) -> Option<String> {
    let [year, month, day, hour, minute, second] = moment;
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        out.push_str(&match letters.next()? {
            'Y' => format!("{year:04}"),
            'm' => format!("{month:02}"),
            'd' => format!("{day:02}"),
            'H' => format!("{hour:02}"),
            'M' => format!("{minute:02}"),
            'S' => format!("{second:02}"),
            '%' => "%".to_owned(),
            _ => return None,
        });
    }
    Some(out)
}
