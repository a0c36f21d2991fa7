//! Text to word-piece ids, as bert-base-uncased does it.
//!
//! Clean (no control characters), space out CJK ideographs, strip accents (NFD without
//! non-spacing marks), lower-case, split at white space and punctuation, then cut each word
//! into the longest pieces of the vocabulary from the left; `[CLS]` and `[SEP]` go around.
//! Total: any text gives between 2 and [`MAX_TOKENS`] ids, all inside the vocabulary.

use super::{MAX_TOKENS, RetrievalError};
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// Pieces in the vocabulary of bert-base-uncased; a piece's id is its line number from 0.
pub(crate) const VOCABULARY_SIZE: usize = 30_522;
/// Words of more characters become `[UNK]` whole.
const MAX_WORD_CHARS: usize = 100;

/// The tokens with a meaning of their own. Written out in a text they stand for themselves.
const SPECIALS: [(&str, u32); 5] =
    [("[PAD]", 0), ("[UNK]", 100), ("[CLS]", 101), ("[SEP]", 102), ("[MASK]", 103)];
const UNK: u32 = 100;
const CLS: u32 = 101;
const SEP: u32 = 102;

/// The tokenizer: a vocabulary sorted for look-up.
#[derive(Debug, Clone)]
pub struct WordPiece {
    /// All pieces, one a line, in the order of their ids.
    text: String,
    /// Start, end and id of each piece, sorted by the piece's bytes.
    sorted: Vec<(u32, u32, u32)>,
}

impl WordPiece {
    /// Reads a vocabulary: 30,522 lines, a piece a line, in the order of their ids.
    ///
    /// # Errors
    /// When the number of lines is another, a line is repeated, or a special token is not where
    /// the model expects it.
    pub fn new(vocabulary: &str) -> Result<Self, RetrievalError> {
        let text = vocabulary.to_owned();
        let mut sorted = Vec::with_capacity(VOCABULARY_SIZE);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let piece = line.trim_end_matches(['\n', '\r']);
            sorted.push((start as u32, (start + piece.len()) as u32, sorted.len() as u32));
            start += line.len();
        }
        if sorted.len() != VOCABULARY_SIZE {
            return Err(RetrievalError::Vocabulary(format!(
                "expected the {VOCABULARY_SIZE} lines of bert-base-uncased, found {}: fetch vocab.txt again",
                sorted.len()
            )));
        }
        let piece =
            |&(start, end, _): &(u32, u32, u32)| &text.as_bytes()[start as usize..end as usize];
        // By the first eight bytes as one number, which tells most of them apart.
        sorted.sort_by_cached_key(|entry| {
            let piece = piece(entry);
            let mut first = [0; 8];
            first.iter_mut().zip(piece).for_each(|(first, byte)| *first = *byte);
            (u64::from_be_bytes(first), piece)
        });
        if let Some(pair) = sorted.windows(2).find(|pair| piece(&pair[0]) == piece(&pair[1])) {
            return Err(RetrievalError::Vocabulary(format!(
                "lines {} and {} hold the same piece: fetch vocab.txt again",
                pair[0].2 + 1,
                pair[1].2 + 1
            )));
        }
        let tokenizer = Self { text, sorted };
        for (special, id) in SPECIALS {
            if tokenizer.id(special.as_bytes()) != Some(id) {
                return Err(RetrievalError::Vocabulary(format!(
                    "expected {special} on line {}: this is not the vocabulary of bert-base-uncased",
                    id + 1
                )));
            }
        }
        Ok(tokenizer)
    }

    /// The ids of a text: `[CLS]`, its pieces, `[SEP]`; what is past [`MAX_TOKENS`] is cut off.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = vec![CLS];
        let mut rest = text;
        while !rest.is_empty() && ids.len() < MAX_TOKENS {
            let special = SPECIALS
                .iter()
                .filter_map(|(special, id)| rest.find(special).map(|at| (at, special.len(), *id)))
                .min();
            let (plain, after, id) = match special {
                Some((at, len, id)) => (&rest[..at], &rest[at + len..], Some(id)),
                None => (rest, "", None),
            };
            self.encode_plain(plain, &mut ids);
            ids.extend(id);
            rest = after;
        }
        ids.truncate(MAX_TOKENS - 1);
        ids.push(SEP);
        ids
    }

    /// Appends the pieces of a text without special tokens, until there are enough.
    fn encode_plain(&self, text: &str, ids: &mut Vec<u32>) {
        let mut word = String::new();
        let mut characters = normalised(text);
        while ids.len() < MAX_TOKENS {
            let Some(c) = characters.next() else { break };
            let alone = is_split(c);
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

    /// Appends the pieces of one word: the longest that fits, again and again; `[UNK]` for the
    /// whole word when at some point none fits.
    fn encode_word(&self, word: &str, ids: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        if word.chars().nth(MAX_WORD_CHARS).is_some() {
            return ids.push(UNK);
        }
        let before = ids.len();
        let mut key = Vec::with_capacity(word.len() + 2);
        let mut start = 0;
        while start < word.len() {
            key.clear();
            if start > 0 {
                key.extend_from_slice(b"##");
            }
            let mark = key.len();
            key.extend_from_slice(&word.as_bytes()[start..]);
            let found = loop {
                if key.len() == mark {
                    break None;
                }
                // No piece ends inside a character, so cutting byte by byte finds the same one.
                if let Some(id) = self.id(&key) {
                    break Some(id);
                }
                key.pop();
            };
            let Some(id) = found else {
                ids.truncate(before);
                return ids.push(UNK);
            };
            ids.push(id);
            start += key.len() - mark;
        }
    }

    /// For every id, whether any text can bring it about: its piece, put at the start or inside
    /// of a word, must come through normalisation unchanged and whole. `[unused7]` does not,
    /// nor does an ideograph inside a word.
    #[must_use]
    pub fn reachable(&self) -> Vec<bool> {
        let mut all = vec![false; self.sorted.len()];
        for &(start, end, id) in &self.sorted {
            let piece = &self.text[start as usize..end as usize];
            all[id as usize] = SPECIALS.iter().any(|(_, special)| *special == id) || whole(piece);
        }
        all
    }

    fn id(&self, piece: &[u8]) -> Option<u32> {
        let bytes = self.text.as_bytes();
        self.sorted
            .binary_search_by(|&(start, end, _)| bytes[start as usize..end as usize].cmp(piece))
            .ok()
            .map(|at| self.sorted[at].2)
    }
}

/// The characters of a text that are left, without accents and in lower case.
fn normalised(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|&c| !is_dropped(c))
        .nfd()
        .filter(|&c| get_general_category(c) != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
}

/// Whether a piece can be found in a normalised word.
fn whole(piece: &str) -> bool {
    let (word, inside) = match piece.strip_prefix("##") {
        Some(rest) if !rest.is_empty() => (format!("a{rest}"), true),
        _ => (piece.to_owned(), false),
    };
    let alone = word.chars().count() == 1 && !inside;
    normalised(&word).eq(word.chars())
        && word.chars().all(|c| !c.is_whitespace() && (alone || !is_split(c)))
}

/// Whether a character is a word of its own.
fn is_split(c: char) -> bool {
    is_ideograph(c) || is_punctuation(c)
}

/// Control and format characters, and what stands for a damaged one, vanish; tab, line feed and
/// carriage return count as white space.
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

/// The blocks that BERT counts as ideographs: each of their characters is a word. (0x2B920 is
/// where its tokenizer lets extension E start.)
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A vocabulary of the right size whose pieces we choose; the rest is filler.
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
    fn normalises_like_bert() {
        check(&["cafe", "!", "水", "i"], "CAFÉ! 水水 İ", &[1000, 1001, 1002, 1002, 1003]);
        check(&["ab"], "a\u{200b}b \u{0} a\u{7}b", &[1000, 1000]);
        check(&["a", "’"], "a’a\ta", &[1000, 1001, 1000, 1000]);
        check(&["a"], "a [MASK] a", &[1000, 103, 1000]);
    }

    #[test]
    fn limits_hold() {
        let tokenizer = tokenizer(&["a", "##a"]);
        assert_eq!(tokenizer.encode(""), [CLS, SEP]);
        assert_eq!(tokenizer.encode(&"a ".repeat(500)).len(), MAX_TOKENS);
        assert_eq!(tokenizer.encode(&"a".repeat(100)).len(), 102);
        assert_eq!(tokenizer.encode(&"a".repeat(101)), [CLS, UNK, SEP]);
    }

    #[test]
    fn refuses_other_vocabularies() {
        for (text, part) in [("a\nb", "found 2"), ("", "found 0")] {
            let error = WordPiece::new(text).expect_err("too short").to_string();
            assert!(error.contains(part), "{error}");
        }
        let plain: Vec<String> = (0..VOCABULARY_SIZE).map(|id| id.to_string()).collect();
        let error = WordPiece::new(&plain.join("\n")).expect_err("no specials").to_string();
        assert!(error.contains("[PAD]"), "{error}");
    }

    #[test]
    fn knows_what_no_text_can_bring_about() {
        let pieces = ["[unused1]", "##水", "É", "##!", "a b", "水", "!", "##s", "word", "ß"];
        let reachable = tokenizer(&pieces).reachable();
        assert_eq!(reachable[1000..1005], [false; 5]);
        assert_eq!(reachable[1005..1010], [true; 5]);
        assert!(reachable[UNK as usize] && reachable.len() == VOCABULARY_SIZE);
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
