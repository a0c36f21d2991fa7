//! A sample or a comparison as one HTML file that opens anywhere: inline styles, no scripts, no
//! requests. Every text goes through [`escape`] here, and nowhere else.

mod sample;

pub use sample::sample;

use super::markup::escape;
use std::fmt::Write;

/// Forbids everything but the inline styles, should a text ever get through.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Maximum length of a file's name, in characters.
const LONGEST_NAME: usize = 80;

const STYLE: &str = "
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: light-dark(#1a2026, #e3e7ea); background: light-dark(#f5f6f7, #101316); }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.125rem; }
pre { padding: 0.75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  background: light-dark(#ffffff, #171b1f); border: 1px solid light-dark(#d8dde2, #2b3238); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 1rem; }
dt, .quiet { color: light-dark(#54606b, #9ba7b1); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
caption { padding: 0.5rem 0; text-align: start; }
th, td { padding: 0.25rem 0.75rem; text-align: start; border-bottom: 1px solid
  light-dark(#d8dde2, #2b3238); }
";

/// A page to write. Texts are plain, not markup.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OnePage {
    /// The language tag, for example `en`.
    pub language: String,
    /// The title and first heading.
    pub title: String,
    /// The parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A paragraph of less weight.
    Quiet(String),
    /// A text whose line breaks and spaces count.
    Code(String),
    /// Names with values.
    Facts(Vec<(String, String)>),
    /// A table; the first cell of a row is its heading.
    Table {
        /// The caption.
        caption: String,
        /// The column headings.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
}

impl OnePage {
    /// The file.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n",
            escape(&self.language)
        );
        for part in &self.parts {
            // Writing to a String cannot fail.
            let _ = part.write(&mut html);
        }
        html.push_str("</main>\n</body>\n</html>\n");
        html
    }

    /// A name for the file, made of the title's letters and digits.
    pub fn file_name(&self) -> String {
        let words = self.title.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("-").chars().take(LONGEST_NAME).chain(".html".chars()).collect()
    }

    /// Adds a heading with a text below it.
    pub fn section(&mut self, heading: &str, part: Part) {
        self.parts.push(Part::Heading(heading.to_owned()));
        self.parts.push(part);
    }
}

impl Part {
    fn write(&self, html: &mut String) -> std::fmt::Result {
        match self {
            Part::Heading(text) => writeln!(html, "<h2>{}</h2>", escape(text)),
            Part::Text(text) => writeln!(html, "<p>{}</p>", escape(text)),
            Part::Quiet(text) => writeln!(html, "<p class=\"quiet\">{}</p>", escape(text)),
            // A browser drops the first line break of a pre.
            Part::Code(text) => writeln!(html, "<pre>\n{}</pre>", escape(text)),
            Part::Facts(facts) => {
                html.push_str("<dl>\n");
                for (name, value) in facts {
                    writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value))?;
                }
                writeln!(html, "</dl>")
            }
            Part::Table { caption, head, rows } => {
                let caption = escape(caption);
                writeln!(html, "<div class=\"scroll\"><table><caption>{caption}</caption>")?;
                let heads = head.iter().map(|it| format!("<th scope=\"col\">{}</th>", escape(it)));
                writeln!(html, "<thead><tr>{}</tr></thead>\n<tbody>", heads.collect::<String>())?;
                for row in rows {
                    let cells = row.iter().enumerate().map(|(index, cell)| match index {
                        0 => format!("<th scope=\"row\">{}</th>", escape(cell)),
                        _ => format!("<td>{}</td>", escape(cell)),
                    });
                    writeln!(html, "<tr>{}</tr>", cells.collect::<String>())?;
                }
                writeln!(html, "</tbody></table></div>")
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A text that would run a script, load a picture or leave its element.
    pub(in crate::session) const HOSTILE: &str =
        "</pre></td></dd><script>alert(1)</script><img src=//x onerror='x'>\" & \u{0}";

    /// Asserts that a file has no markup but its own.
    pub(in crate::session) fn assert_harmless(html: &str) {
        let lower = html.to_lowercase();
        for bad in ["<script", "<img", "<link", "<a ", "\u{0}", "</pre></td>"] {
            assert!(!lower.contains(bad), "{bad}");
        }
        for tag in ["pre", "dl", "table", "tr", "p", "main"] {
            let count = |mark: String| lower.matches(&mark).count();
            let opened = count(format!("<{tag}>")) + count(format!("<{tag} "));
            assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
        }
    }

    #[test]
    fn every_text_is_escaped() {
        let text = HOSTILE.to_owned();
        let page = OnePage {
            language: text.clone(),
            title: text.clone(),
            parts: vec![
                Part::Heading(text.clone()),
                Part::Text(text.clone()),
                Part::Quiet(text.clone()),
                Part::Code(text.clone()),
                Part::Facts(vec![(text.clone(), text.clone())]),
                Part::Table {
                    caption: text.clone(),
                    head: vec![text.clone()],
                    rows: vec![vec![text.clone(), text.clone()]],
                },
            ],
        };
        assert!(page.file_name().starts_with("pre-td-dd-script-alert-1-script"));
        let html = page.html();
        assert_harmless(&html);
        assert_eq!(html.matches("&lt;script&gt;").count(), 13);
    }
}
