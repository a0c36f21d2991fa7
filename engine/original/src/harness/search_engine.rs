//! SearchEngine: returns the top two documents by Okapi BM25.

use super::checks::{CheckFault, Gold, same_name};
use super::manager::{Api, Args, Fault, Response, Shape, World, text};
use super::python::Py;
use super::text::{fold, is_space};

pub(super) const SEARCH_ENGINE: Api = Api {
    name: "SearchEngine",
    shape: Shape::Full,
    params: &[text("keyword")],
    call: search,
    check,
};

fn search(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    Ok(Py::list(w.databases.documents.best(&tokenize(&fold(a.text("keyword"))))))
}

/// Compares name, exception and documents; the order of documents does not matter.
fn check(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    if !same_name(r, g)? || r.exception != *g.get("exception")? {
        return Ok(false);
    }
    let gold = g.get("output")?;
    if r.output.is_none() || gold.is_none() {
        return Err(CheckFault::Raised("UnboundLocalError"));
    }
    let sorted = |output: &Py| {
        let mut items = output.items().to_vec();
        items.sort_by_cached_key(|item| {
            format!("{}{}", item.field("title"), item.field("abstract"))
        });
        items
    };
    Ok(sorted(&r.output) == sorted(gold))
}

/// A subset of Penn Treebank tokenization. Punctuation marks and clitics are separate tokens,
/// except a comma or colon inside a number and a dot inside a word.
fn tokenize(text: &str) -> Vec<String> {
    text.split(is_space).flat_map(split_word).filter(|token| !token.is_empty()).collect()
}

fn split_word(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let mut spaced = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let next = chars.get(i + 1);
        let alone = match c {
            ',' | ':' => next.is_none_or(|next| !next.is_ascii_digit()),
            '.' => i > 1 && next.is_none_or(|next| !next.is_alphanumeric()),
            _ => ";@#$%&?!*()[]{}<>\"".contains(c),
        };
        if alone { spaced.extend([' ', c, ' ']) } else { spaced.push(c) }
    }
    spaced.split(' ').flat_map(split_clitic).map(str::to_owned).collect()
}

/// Splits `it's` into `it` and `'s`, `don't` into `do` and `n't`.
fn split_clitic(word: &str) -> [&str; 2] {
    let clitic = ["'s", "'m", "'d", "'ll", "'re", "'ve", "n't"]
        .into_iter()
        .find(|clitic| word.len() > clitic.len() && word.ends_with(clitic));
    let (stem, rest) = word.split_at(word.len() - clitic.map_or(0, str::len));
    [stem, rest]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::bm25::Bm25;
    use serde_json::json;

    #[test]
    fn the_rarest_words_decide() {
        let index = Bm25::new(Some(&json!({
            "raw_documents": [{"title": "a"}, {"title": "b"}, {"title": "c"}],
            "tokenized_documents": [["red", "apple"], ["green", "apple"], ["red", "sky", "pear"]],
        })));
        let titles = |query: &str| -> Vec<String> {
            let best = index.best(&tokenize(query));
            best.iter().map(|document| document.field("title").to_owned()).collect()
        };
        assert_eq!(titles("sky"), ["c", "a"]);
        assert_eq!(titles("green apple"), ["b", "a"]);
        assert_eq!(titles("nothing known"), ["a", "b"]);
    }

    #[test]
    fn words_are_cut_at_marks_and_clitics() {
        let expect = ["what", "'s", "new", "in", "a.i", ",", "3,000", "robots", ".", "yes", "?"];
        assert_eq!(tokenize("what's new in a.i, 3,000 robots. yes?"), expect);
    }
}
