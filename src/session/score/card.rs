//! The result card: an SVG picture of a score, to pass on.
//!
//! It contains no links, scripts or fonts: it renders the same everywhere, on a canvas too, and without
//! requests.

use super::words::likely;
use crate::session::markup::escape;
use crate::texts::Texts;
use dataset::Ability;
use record::table::{self, Shape};
use record::{AbilityRow, Summary};
use std::fmt::Write;

/// The site's name.
const SITE: &str = "API-Bank in the browser";

/// Width in pixels: the size that link previews use.
pub const WIDTH: u32 = 1200;
/// Height in pixels.
pub const HEIGHT: u32 = 630;

/// The margin on every side.
const MARGIN: f64 = 72.0;
/// The space for text between the margins.
const SPACE: f64 = WIDTH as f64 - 2.0 * MARGIN;
/// Fonts that systems have.
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', \
                    'PingFang SC', 'Microsoft YaHei', sans-serif";

/// A rate with its bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What is measured.
    pub label: String,
    /// The rate, 0 to 1; `None` for an empty bar.
    pub share: Option<f64>,
    /// The rate as text.
    pub figure: String,
}

/// The contents of a card. Any text may come from a stranger.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Card {
    /// The model, or another headline.
    pub title: String,
    /// The score; empty for none.
    pub score: String,
    /// Count and interval.
    pub interval: String,
    /// The abilities, at most three.
    pub bars: Vec<Bar>,
    /// What was run.
    pub what: String,
    /// The record's digest, or a note that there is none.
    pub proof: String,
    /// The site's name.
    pub site: String,
}

/// How much wider bold letters are.
const BOLD: f64 = 1.12;

/// An upper estimate of a text's width in ems, by DejaVu Sans, the widest font that systems fall back to.
fn ems(text: &str) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ' ' | '\'' | '|' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        c if c.is_ascii_uppercase() => 0.79,
        c if c.is_ascii() => 0.65,
        c if (c as u32) < 0x0530 => 0.8,
        _ => 1.05,
    };
    text.chars().map(wide).sum()
}

/// The text and its size: as large as fits, at least `least`; a longer text is cut.
fn fitted(text: &str, most: f64, least: f64, space: f64) -> (String, f64) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let size = (space / ems(&line).max(f64::EPSILON)).clamp(least, most);
    if ems(&line) * size <= space {
        return (line, size);
    }
    let mut cut = String::new();
    for c in line.chars() {
        if (ems(&cut) + ems(c.encode_utf8(&mut [0; 4])) + 1.1) * size > space {
            break;
        }
        cut.push(c);
    }
    (cut + "…", size)
}

/// Where and how a text is written.
#[derive(Clone, Copy)]
struct Style {
    y: f64,
    most: f64,
    least: f64,
    weight: u32,
    fill: &'static str,
}

const DARK: &str = "#1a2026";
const QUIET: &str = "#54606b";

fn line(svg: &mut String, text: &str, style: Style) {
    let Style { y, most, least, weight, fill } = style;
    let space = if weight > 400 { SPACE / BOLD } else { SPACE };
    let (text, size) = fitted(text, most, least, space);
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"{size:.1}\" font-weight=\"{weight}\" fill=\"{fill}\">{}</text>",
        escape(&text)
    );
}

impl Card {
    /// The card as SVG.
    pub fn draw(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" font-family=\"{FONT}\">\n\
             <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f5f6f7\"/>\n\
             <rect width=\"{WIDTH}\" height=\"12\" fill=\"#1d5cb8\"/>\n",
            escape(&format!("{} {}", self.title, self.score))
        );
        let text = |y, most, least, weight, fill| Style { y, most, least, weight, fill };
        line(&mut svg, &self.title, text(112.0, 52.0, 30.0, 650, DARK));
        line(&mut svg, &self.score, text(248.0, 124.0, 60.0, 700, "#1d5cb8"));
        line(&mut svg, &self.interval, text(302.0, 30.0, 20.0, 400, DARK));
        for (index, bar) in self.bars.iter().take(3).enumerate() {
            bar.draw(&mut svg, index);
        }
        line(&mut svg, &self.what, text(500.0, 26.0, 18.0, 400, DARK));
        line(&mut svg, &self.proof, text(538.0, 22.0, 14.0, 400, QUIET));
        line(&mut svg, &self.site, text(588.0, 26.0, 20.0, 650, DARK));
        svg.push_str("</svg>\n");
        svg
    }
}

impl Bar {
    /// Draws the bar in its third of the width.
    fn draw(&self, svg: &mut String, index: usize) {
        const GAP: f64 = 40.0;
        let width = (SPACE - 2.0 * GAP) / 3.0;
        let x = MARGIN + (width + GAP) * index as f64;
        let (label, size) = fitted(&self.label, 26.0, 16.0, width);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"368\" font-size=\"{size:.1}\" fill=\"{QUIET}\">{}</text>",
            escape(&label)
        );
        let (figure, size) = fitted(&self.figure, 36.0, 20.0, width / BOLD);
        let right = width * self.share.unwrap_or_default().clamp(0.0, 1.0);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"412\" font-size=\"{size:.1}\" font-weight=\"650\" fill=\"{DARK}\">{}</text>\n\
             <rect x=\"{x:.1}\" y=\"430\" width=\"{width:.1}\" height=\"14\" fill=\"#d8dde2\"/>\n\
             <rect x=\"{x:.1}\" y=\"430\" width=\"{right:.1}\" height=\"14\" fill=\"#1d5cb8\"/>",
            escape(&figure)
        );
    }
}

/// The context of a result.
#[derive(Debug, Clone, Copy)]
pub struct Of<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The run in words.
    pub what: &'a str,
    /// The digest, or a note that there is none.
    pub proof: &'a str,
}

/// The card of a result; `None` without a score.
pub fn result(summary: &Summary, of: Of<'_>, texts: Texts) -> Option<Card> {
    let shape = Shape::of(summary);
    let total = shape.rate(summary.rows.last()?);
    total.value()?;
    let bar = |row: &AbilityRow| {
        let rate = shape.rate(row);
        Some(Bar {
            label: texts.get(row.ability?.title()).to_owned(),
            share: rate.value(),
            figure: table::percent(rate),
        })
    };
    Some(Card {
        title: of.model.to_owned(),
        score: table::percent(total),
        // Older links lack intervals.
        interval: likely(summary, texts).unwrap_or_default(),
        bars: summary.rows.iter().filter_map(bar).collect(),
        what: of.what.to_owned(),
        proof: of.proof.to_owned(),
        site: SITE.to_owned(),
    })
}

/// The card of the site, for link previews.
pub fn site() -> Card {
    let bar =
        |it: Ability| Bar { label: it.title().to_owned(), share: None, figure: "?".to_owned() };
    Card {
        title: "How well does a language model use tools?".to_owned(),
        score: "API-Bank".to_owned(),
        interval: "Measure it in your browser, on simulated databases.".to_owned(),
        bars: Ability::ALL.map(bar).to_vec(),
        what: "Every call is run, and every answer can be read.".to_owned(),
        proof: String::new(),
        site: SITE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Rate, summarize};
    use scoring::{Profile, wilson};

    fn drawn(model: &str) -> String {
        let calls = Rate { right: 199, n: 753, interval: wilson(199, 753) };
        let row = |ability| AbilityRow { ability, calls, ..AbilityRow::default() };
        let rows = vec![row(Some(Ability::Call)), row(None)];
        let summary = Summary { rows, ..summarize(&[], Profile::Execution) };
        let of = Of { model, what: "25 % of the dialogues", proof: "Record 0f" };
        result(&summary, of, Texts::ENGLISH).unwrap().draw()
    }

    #[test]
    fn a_card_has_the_score_and_what_it_is_of() {
        let svg = drawn("a/model");
        for text in ["a/model", "26.4 %", "likely 23 to 30 %", "Call", "25 % of", "Record 0f", SITE]
        {
            assert!(svg.contains(text), "{text}");
        }
        let none = summarize(&[], Profile::Execution);
        let of = Of { model: "m", what: "", proof: "" };
        assert_eq!(result(&none, of, Texts::ENGLISH), None);
    }

    #[test]
    fn markup_in_a_name_is_text_and_nothing_is_requested() {
        let svg = drawn("</text><script>alert(1)</script><image href='//x'/>&\u{0}");
        for bad in ["<script", "<image", "\u{0}", "href=\"", "href='", "url(", "<style"] {
            assert!(!svg.contains(bad), "{bad}");
        }
        let tags = |mark: &str| svg.matches(mark).count();
        assert_eq!(tags("<text"), tags("</text>"));
        // The namespace is a name, not an address that is asked.
        assert_eq!(tags("//"), 1 + tags("&#39;//x"));
    }

    #[test]
    fn long_names_fit() {
        for name in
            ["W".repeat(300), "模型".repeat(100), "a-rather-long/name.of-a-model:32b-q4".repeat(3)]
        {
            let (text, size) = fitted(&name, 52.0, 30.0, SPACE);
            assert!(ems(&text) * size <= SPACE, "{text}");
            assert!(text.ends_with('…') && text.chars().count() > 20, "{text}");
        }
        assert_eq!(fitted("short", 52.0, 30.0, SPACE), ("short".to_owned(), 52.0));
    }

    /// Link previews take no SVG: the site has a picture of this file, `www/card.png`, which the
    /// browser tests make with `UPDATE=1`.
    #[test]
    fn the_card_of_the_site_is_current() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/session/score/site-card.svg");
        let drawn = site().draw();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(file, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(file).unwrap_or_default();
        assert_eq!(kept, drawn, "write it again with UPDATE=1, and its picture after it");
    }
}
