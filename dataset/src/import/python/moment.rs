//! `datetime.datetime(…)` with numbers, which the original uses for constants.

use super::cursor::{Cursor, Stop};
use jiff::civil::DateTime;

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

/// Three to six numbers in brackets that name an existing moment.
fn numbers(cursor: &mut Cursor<'_>) -> Result<DateTime, Stop> {
    let mut parts = [0; 6];
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
        let number = cursor.rest().get(..digits).and_then(|it| it.parse().ok());
        let (Some(number), Some(part)) = (number, parts.get_mut(given)) else {
            return Err(Stop::NoLiteral);
        };
        *part = number;
        given += 1;
        cursor.at += digits;
        cursor.blanks(true);
        if !cursor.eat(',') && cursor.peek() != Some(')') {
            return Err(Stop::NoLiteral);
        }
    }
    (given >= 3).then(|| moment(parts)).flatten().ok_or(Stop::NoLiteral)
}

/// Year, month, day, hour, minute, second. `None` if there is no such moment; Python has no year 0.
fn moment([year, rest @ ..]: [i16; 6]) -> Option<DateTime> {
    let small = |part: i16| i8::try_from(part).ok();
    let [month, day, hour, minute, second] = rest.map(small);
    let moment = DateTime::new(year, month?, day?, hour?, minute?, second?, 0).ok()?;
    (year > 0).then_some(moment)
}

/// `None` for directives other than `%Y`, `%m`, `%d`, `%H`, `%M`, `%S` and `%%`: the others depend
/// on Python's locale, or differ between Python and jiff.
fn format(moment: DateTime, pattern: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        out.push_str(&match letters.next()? {
            'Y' => format!("{:04}", moment.year()),
            'm' => format!("{:02}", moment.month()),
            'd' => format!("{:02}", moment.day()),
            'H' => format!("{:02}", moment.hour()),
            'M' => format!("{:02}", moment.minute()),
            'S' => format!("{:02}", moment.second()),
            '%' => "%".to_owned(),
            _ => return None,
        });
    }
    Some(out)
}
