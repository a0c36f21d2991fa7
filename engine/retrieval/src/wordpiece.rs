//! BERT's WordPiece tokenizer.
//!
//! Drops control characters, splits off CJK ideographs, strips accents (NFD without non-spacing
//! marks), lower-cases, splits at white space and punctuation, then greedily matches the longest
//! word pieces of each word from the left, and adds the special tokens. Total: any text yields the
//! special tokens and at most the maximum number of ids, all in the vocabulary.
//!
//! Source: Devlin et al. 2019 (BERT). [`tokenizer_json`](super::tokenizer_json) reads the settings
//! that vary between models.

use super::MAX_TOKENS;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// Why a tokenizer can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenizerError {
    /// Not JSON, or not a `tokenizer.json`.
    #[error("expected a tokenizer.json: {0}")]
    NotJson(String),
    /// An unsupported type of tokenizer.
    #[error(
        "{field} {found:?} of the tokenizer is not supported, only {supported}: choose a model with \
         BERT's tokenizer, such as MiniLM, BGE, E5, GTE or MPNet"
    )]
    Unsupported {
        /// The field in the file.
        field: &'static str,
        /// Its type in the file.
        found: String,
        /// The supported types.
        supported: &'static str,
    },
    /// The vocabulary does not belong to the model.
    #[error("expected a vocabulary with {0}")]
    Vocabulary(String),
}

/// The size of the vocabulary of bert-base-uncased. A piece's id is its line number, from 0.
const VOCABULARY_SIZE: usize = 30_522;

/// The special tokens of bert-base-uncased. In a text they are recognized as such.
const SPECIALS: [(&str, u32); 5] =
    [("[PAD]", 0), ("[UNK]", 100), ("[CLS]", 101), ("[SEP]", 102), ("[MASK]", 103)];

/// A WordPiece tokenizer: vocabulary and rules.
#[derive(Debug, Clone)]
pub struct WordPiece {
    pub(super) vocabulary: Vocabulary,
    pub(super) rules: Rules,
}

/// The rules that vary between models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    /// Special tokens that are recognized in a text.
    pub specials: Vec<(String, u32)>,
    /// The ids before a text.
    pub before: Vec<u32>,
    /// The ids after a text.
    pub after: Vec<u32>,
    /// The id of a word that can't be split into pieces.
    pub unknown: u32,
    /// The prefix of pieces that continue a word.
    pub inside: String,
    /// Longer words, in characters, are unknown.
    pub max_word_chars: usize,
    /// The maximum number of ids per text, including `before` and `after`.
    pub max_tokens: usize,
    pub clean: bool,
    pub split_ideographs: bool,
    pub strip_accents: bool,
    pub lowercase: bool,
}

impl Rules {
    /// The rules of bert-base-uncased.
    fn uncased() -> Self {
        Rules {
            specials: SPECIALS.map(|(special, id)| (special.to_owned(), id)).to_vec(),
            before: vec![101],
            after: vec![102],
            unknown: 100,
            inside: "##".to_owned(),
            max_word_chars: 100,
            max_tokens: MAX_TOKENS,
            clean: true,
            split_ideographs: true,
            strip_accents: true,
            lowercase: true,
        }
    }
}

impl WordPiece {
    /// Parses the vocabulary of bert-base-uncased: 30,522 lines, one piece per line, in id order.
    ///
    /// # Errors
    /// When the number of lines differs, a line is repeated, or a special token has another id.
    pub fn new(vocabulary: &str) -> Result<Self, TokenizerError> {
        let vocabulary = Vocabulary::new(vocabulary.lines().zip(0..))?;
        if vocabulary.sorted.len() != VOCABULARY_SIZE {
            return Err(TokenizerError::Vocabulary(format!(
                "the {VOCABULARY_SIZE} lines of bert-base-uncased, found {}",
                vocabulary.sorted.len()
            )));
        }
        for (special, id) in SPECIALS {
            if vocabulary.id(special.as_bytes()) != Some(id) {
                let line = id + 1;
                return Err(TokenizerError::Vocabulary(format!(
                    "{special} on line {line}: this is not the vocabulary of bert-base-uncased"
                )));
            }
        }
        Ok(Self { vocabulary, rules: Rules::uncased() })
    }

    /// The same tokenizer with another limit of ids per text, special tokens included.
    #[must_use]
    pub fn with_max_tokens(mut self, max_tokens: usize) -> Self {
        self.rules.max_tokens = max_tokens;
        self
    }

    /// The ids of a text with its special tokens, truncated to the maximum.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let rules = &self.rules;
        let mut ids = rules.before.clone();
        // Leave room for the ids after the text.
        let room = rules.max_tokens.saturating_sub(rules.after.len()).max(ids.len());
        let mut rest = text;
        while !rest.is_empty() && ids.len() < room {
            let found = |(special, id): &(String, u32)| {
                rest.find(special).map(|at| (at, special.len(), *id))
            };
            let (plain, after, id) = match rules.specials.iter().filter_map(found).min() {
                Some((at, len, id)) => (&rest[..at], &rest[at + len..], Some(id)),
                None => (rest, "", None),
            };
            self.encode_plain(plain, room, &mut ids);
            ids.extend(id);
            rest = after;
        }
        ids.truncate(room);
        ids.extend(&rules.after);
        ids
    }

    /// Appends the pieces of a text without special tokens, until `room` is reached.
    fn encode_plain(&self, text: &str, room: usize, ids: &mut Vec<u32>) {
        let mut word = String::new();
        let mut characters = self.rules.normalized(text);
        while ids.len() < room {
            let Some(c) = characters.next() else { break };
            let alone = is_punctuation(c) || self.rules.split_ideographs && is_ideograph(c);
            if !alone && !c.is_whitespace() {
                word.push(c);
                continue;
            }
            self.encode_word(&word, ids);
            word.clear();
            if alone {
                self.encode_word(c.encode_utf8(&mut [0; 4]), ids);
            }
        }
        self.encode_word(&word, ids);
    }

    /// Appends the pieces of one word by greedy longest match, or the unknown id if some part of
    /// the word has no match.
    fn encode_word(&self, word: &str, ids: &mut Vec<u32>) {
        let rules = &self.rules;
        if word.is_empty() {
            return;
        }
        if word.chars().nth(rules.max_word_chars).is_some() {
            return ids.push(rules.unknown);
        }
        let before = ids.len();
        let mut key = Vec::with_capacity(word.len() + rules.inside.len());
        let mut start = 0;
        while start < word.len() {
            key.clear();
            if start > 0 {
                key.extend_from_slice(rules.inside.as_bytes());
            }
            let mark = key.len();
            key.extend_from_slice(&word.as_bytes()[start..]);
            let found = loop {
                if key.len() == mark {
                    break None;
                }
                // No piece ends inside a character, so shortening by bytes is safe.
                if let Some(id) = self.vocabulary.id(&key) {
                    break Some(id);
                }
                key.pop();
            };
            let Some(id) = found else {
                ids.truncate(before);
                return ids.push(rules.unknown);
            };
            ids.push(id);
            start += key.len() - mark;
        }
    }
}

/// The pieces with their ids.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    /// All pieces, concatenated.
    text: String,
    /// Start, end and id of each piece, sorted by the piece's bytes.
    sorted: Vec<(u32, u32, u32)>,
}

impl Vocabulary {
    pub(super) fn new<'a>(
        pieces: impl IntoIterator<Item = (&'a str, u32)>,
    ) -> Result<Self, TokenizerError> {
        let (mut text, mut sorted) = (String::new(), Vec::with_capacity(VOCABULARY_SIZE));
        for (piece, id) in pieces {
            let start = text.len();
            text.push_str(piece);
            sorted.push((start as u32, text.len() as u32, id));
        }
        let piece =
            |&(start, end, _): &(u32, u32, u32)| &text.as_bytes()[start as usize..end as usize];
        // Comparing the first eight bytes as one number decides most comparisons.
        sorted.sort_by_cached_key(|entry| {
            let piece = piece(entry);
            let mut first = [0; 8];
            first.iter_mut().zip(piece).for_each(|(first, byte)| *first = *byte);
            (u64::from_be_bytes(first), piece)
        });
        if let Some(pair) = sorted.windows(2).find(|pair| piece(&pair[0]) == piece(&pair[1])) {
            return Err(TokenizerError::Vocabulary(format!(
                "every piece once, found the same one with the ids {} and {}",
                pair[0].2, pair[1].2
            )));
        }
        Ok(Vocabulary { text, sorted })
    }

    pub(super) fn id(&self, piece: &[u8]) -> Option<u32> {
        let bytes = self.text.as_bytes();
        self.sorted
            .binary_search_by(|&(start, end, _)| bytes[start as usize..end as usize].cmp(piece))
            .ok()
            .map(|at| self.sorted[at].2)
    }
}

impl Rules {
    /// The normalized characters of a text.
    fn normalized<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = char> + 'a> {
        let cleaned = text.chars().filter(|&c| !self.clean || !is_dropped(c));
        let plain: Box<dyn Iterator<Item = char> + 'a> = match self.strip_accents {
            true => Box::new(cleaned.nfd().filter(|&c| !is_accent(c))),
            false => Box::new(cleaned),
        };
        match self.lowercase {
            true => Box::new(plain.flat_map(char::to_lowercase)),
            false => plain,
        }
    }
}

fn is_accent(c: char) -> bool {
    get_general_category(c) == GeneralCategory::NonspacingMark
}

/// Whether a character is dropped: control, format and private-use characters, and U+FFFD. Tab,
/// line feed and carriage return are white space instead.
fn is_dropped(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        _ => matches!(get_general_category(c), Control | Format | PrivateUse),
    }
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    c.is_ascii_punctuation()
        || matches!(
            get_general_category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// Whether BERT treats a character as an ideograph, which is a separate word. Extension E starts at
/// 0x2B920 in BERT's tokenizer.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNK: u32 = 100;
    const CLS: u32 = 101;
    const SEP: u32 = 102;

    /// A tokenizer with `pieces` from id 1000, and filler for the rest of the vocabulary.
    fn tokenizer(pieces: &[&str]) -> WordPiece {
        let mut lines: Vec<String> = (0..VOCABULARY_SIZE).map(|id| format!("<{id}>")).collect();
        for (special, id) in SPECIALS {
            lines[id as usize] = special.to_owned();
        }
        for (at, piece) in pieces.iter().enumerate() {
            lines[1000 + at] = (*piece).to_owned();
        }
        WordPiece::new(&lines.join("\n")).expect("valid vocabulary")
    }

    fn check(pieces: &[&str], text: &str, expected: &[u32]) {
        let ids = tokenizer(pieces).encode(text);
        assert_eq!(&ids[1..ids.len() - 1], expected, "{text:?}");
        assert_eq!((ids[0], ids[ids.len() - 1]), (CLS, SEP));
    }

    #[test]
    fn cuts_the_longest_piece_first() {
        check(&["re", "remind", "##mind", "##er", "##e"], "reminder", &[1001, 1003]);
        check(&["re", "##mind"], "Remind", &[1000, 1001]);
        check(&["re", "##mind"], "reminder", &[UNK]);
    }

    #[test]
    fn normalizes_like_bert() {
        check(&["cafe", "!", "水", "i"], "CAFÉ! 水水 İ", &[1000, 1001, 1002, 1002, 1003]);
        check(&["ab"], "a\u{200b}b \u{0} a\u{7}b", &[1000, 1000]);
        check(&["a", "’"], "a’a\ta", &[1000, 1001, 1000, 1000]);
        check(&["a"], "a [MASK] a", &[1000, 103, 1000]);
    }

    #[test]
    fn keeps_case_and_accents_where_the_model_does() {
        let mut tokenizer = tokenizer(&["Café", "cafe"]);
        assert_eq!(tokenizer.encode("Café"), [CLS, 1001, SEP]);
        (tokenizer.rules.lowercase, tokenizer.rules.strip_accents) = (false, false);
        assert_eq!(tokenizer.encode("Café cafe café"), [CLS, 1000, 1001, UNK, SEP]);
    }

    #[test]
    fn limits_hold() {
        let mut tokenizer = tokenizer(&["a", "##a"]);
        assert_eq!(tokenizer.encode(""), [CLS, SEP]);
        assert_eq!(tokenizer.encode(&"a ".repeat(500)).len(), MAX_TOKENS);
        assert_eq!(tokenizer.encode(&"a".repeat(100)).len(), 102);
        assert_eq!(tokenizer.encode(&"a".repeat(101)), [CLS, UNK, SEP]);
        tokenizer.rules.max_tokens = 4;
        assert_eq!(tokenizer.encode("a a a a"), [CLS, 1000, 1000, SEP]);
        tokenizer.rules.max_tokens = 0;
        assert_eq!(tokenizer.encode("a"), [CLS, SEP]);
    }

    #[test]
    fn refuses_other_vocabularies() {
        for (text, part) in [("a\nb", "found 2"), ("", "found 0"), ("a\na", "ids 0 and 1")] {
            let error = WordPiece::new(text).expect_err("not this model's").to_string();
            assert!(error.contains(part), "{error}");
        }
        let plain: Vec<String> = (0..VOCABULARY_SIZE).map(|id| id.to_string()).collect();
        let error = WordPiece::new(&plain.join("\n")).expect_err("no specials").to_string();
        assert!(error.contains("[PAD]"), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_gives_legal_ids(text in "\\PC{0,300}|[\\[\\]CLSEPADUNK ]{0,60}") {
            let ids = tokenizer(&["a", "##a", "b"]).encode(&text);
            prop_assert!((2..=MAX_TOKENS).contains(&ids.len()));
            prop_assert!(ids.iter().all(|&id| (id as usize) < VOCABULARY_SIZE));
        }
    }
}
