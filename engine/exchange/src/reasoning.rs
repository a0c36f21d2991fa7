//! Separates reasoning that a server left in the text from the answer.
//!
//! One table of marks and one scan: a draft between the marks is not the answer.

/// Words that name reasoning, in the spelling of a tag: lower case, letters only.
const WORDS: [&str; 20] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reason",
    "reasoning",
    "reflect",
    "reflection",
    "scratchpad",
    "analysis",
    "rationale",
    "cot",
    "chainofthought",
    "innerthoughts",
    "innermonologue",
    "monologue",
    "antthinking",
    "deliberation",
    "thinkingprocess",
    "thoughtprocess",
];

/// Brackets around such a word: of the opening mark, before and after; of the closing mark, before.
/// A tag may have a namespace (`<seed:think>`) and attributes.
const BRACKETS: [Brackets; 4] = [
    Brackets { open: "<|", close: "<|/", after: "|>" },
    Brackets { open: "<", close: "</", after: ">" },
    Brackets { open: "[", close: "[/", after: "]" },
    Brackets { open: "◁", close: "◁/", after: "▷" },
];

struct Brackets {
    open: &'static str,
    close: &'static str,
    after: &'static str,
}

/// Marks that are no tags with one of the words.
const PAIRS: [Pair; 18] = [
    // Harmony. Without its special tokens the names of the channels run into the text.
    Pair::of(
        "<|channel|>analysis<|message|>",
        &[("<|end|>", 0), ("<|start|>", 9), ("<|channel|>", 11)],
    ),
    Pair::first("analysis", &[("assistantfinal", 0), ("assistantcommentary", 10)]),
    // Gemma.
    Pair::of("<|channel>thought", &[("<channel|>", 0)]),
    // Command.
    Pair::tags("<|START_THINKING|>", "<|END_THINKING|>"),
    Pair::tags("<|begin_of_thought|>", "<|end_of_thought|>"),
    Pair::tags("<|inner_prefix|>", "<|inner_suffix|>"),
    Pair::tags("<|think_start|>", "<|think_end|>"),
    Pair::tags("<think_start>", "<think_end>"),
    Pair::tags("<start_think>", "<end_think>"),
    Pair::tags("[BEGIN_THINK]", "[END_THINK]"),
    // Granite.
    Pair::first("Here is my thought process:", &[("Here is my response:", 0)]),
    Pair::first("Here's my thought process:", &[("Here's my response:", 0)]),
    // ReAct: the action stays.
    Pair::first("Thought:", &[("\nAction:", 8), ("\nFinal Answer:", 0), ("\nAnswer:", 0)]),
    Pair::first("```thinking", &[("\n```", 0)]),
    Pair::first("```think", &[("\n```", 0)]),
    Pair::first("```thought", &[("\n```", 0)]),
    Pair::first("```reasoning", &[("\n```", 0)]),
    Pair::of("<details type=\"reasoning\"", &[("</details>", 0)]),
];

/// A mark that ends reasoning, and how many of its last bytes belong to what follows.
type Close = (&'static str, usize);

struct Pair {
    open: &'static str,
    /// Only these close it; any closing mark does if there are none.
    closes: &'static [Close],
    /// The closing mark that ends reasoning even without the opening one, which the prompt may have.
    orphan: Option<&'static str>,
    /// Whether it opens only at the start of the text, and only if it is closed.
    first: bool,
}

impl Pair {
    const fn of(open: &'static str, closes: &'static [Close]) -> Self {
        Pair { open, closes, orphan: None, first: false }
    }

    const fn tags(open: &'static str, close: &'static str) -> Self {
        Pair { open, closes: &[], orphan: Some(close), first: false }
    }

    const fn first(open: &'static str, closes: &'static [Close]) -> Self {
        Pair { open, closes, orphan: None, first: true }
    }

    /// The first of the closing marks from `at`: where reasoning ends, and where the answer goes on.
    fn closed(closes: &[Close], text: &str, at: usize) -> Option<(usize, usize)> {
        // One scan for all, because most of them may be far away or absent.
        (at..text.len()).find_map(|end| {
            let rest = text.get(end..)?;
            let (close, kept) = closes.iter().find(|(close, _)| rest.starts_with(close))?;
            Some((end, end + close.len() - kept))
        })
    }
}

/// Frames around the answer itself, removed from an answer that has reasoning.
const FRAMES: [&str; 26] = [
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|channel|>final <|constrain|>json<|message|>",
    "<|channel|>commentary<|message|>",
    "<|return|>",
    "<|end|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<answer>",
    "</answer>",
    "<response>",
    "</response>",
    "<output>",
    "</output>",
    "<final>",
    "</final>",
    "<final_answer>",
    "</final_answer>",
    "[ANSWER]",
    "[/ANSWER]",
    "[RESPONSE]",
    "[/RESPONSE]",
];

/// The longest mark, in bytes; a tag's attributes included.
const LONGEST_MARK: usize = 80;

/// What a mark does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mark {
    /// Opens reasoning, which these marks close; any closing mark if there are none.
    Open(&'static [Close]),
    Close,
}

/// Splits a text into its reasoning, if there is any, and the answer.
///
/// A closing mark without an opening one closes reasoning that the chat template opened, or a thought
/// that mentions the mark: all before it is reasoning. An opening mark is one if it is closed later or
/// starts a line; without a closing mark the model ran out of tokens.
pub fn split(text: &str) -> (Option<String>, String) {
    let (mut thoughts, begin) = match started(text) {
        Some((thought, rest)) => (vec![thought], rest),
        None => (Vec::new(), 0),
    };
    let mut answer = String::new();
    let (mut from, mut at) = (begin, begin);
    // Closing marks that don't occur any more, so that a text is searched for each only once.
    let mut absent: Vec<&[Close]> = Vec::new();
    let mut marked = begin > 0;
    while let Some((start, end, mark)) = next_mark(text, at) {
        at = end;
        match mark {
            Mark::Close => {
                let last = marked && text[end..].trim().is_empty();
                let before = &text[from..start];
                match last {
                    // A second closing mark behind the answer.
                    true => answer.push_str(before),
                    false if answer.is_empty() => thoughts.push(before),
                    false => {
                        answer.clear();
                        thoughts = vec![&text[..start]];
                    }
                }
                from = end;
            }
            Mark::Open(closes) => {
                let closed = if absent.contains(&closes) { None } else { close(text, end, closes) };
                if let Some((thought_end, after)) = closed {
                    answer.push_str(&text[from..start]);
                    thoughts.push(&text[end..thought_end]);
                    (from, at) = (after, after);
                } else if starts_line(&text[..start]) {
                    answer.push_str(&text[from..start]);
                    thoughts.push(&text[end..]);
                    from = text.len();
                    marked = true;
                    break;
                } else {
                    // Mentioned in a sentence.
                    absent.push(closes);
                    continue;
                }
            }
        }
        marked = true;
    }
    if !marked {
        return (None, text.to_owned());
    }
    answer.push_str(&text[from..]);
    for frame in FRAMES.iter().filter(|frame| text.contains(**frame)) {
        answer = answer.replace(frame, "");
    }
    let thoughts = thoughts.iter().map(|thought| thought.trim()).filter(|it| !it.is_empty());
    let thoughts = thoughts.collect::<Vec<_>>().join("\n\n");
    ((!thoughts.is_empty()).then_some(thoughts), answer.trim_start().to_owned())
}

/// Reasoning that only the start of a text can open, and where the answer begins.
fn started(text: &str) -> Option<(&str, usize)> {
    let begin = text.len() - text.trim_start().len();
    PAIRS.iter().filter(|pair| pair.first).find_map(|pair| {
        let from = begin + pair.open.len();
        text[begin..].starts_with(pair.open).then_some(())?;
        let (end, after) = Pair::closed(pair.closes, text, from)?;
        Some((&text[from..end], after))
    })
}

/// The next mark from `at`: where it starts and ends.
fn next_mark(text: &str, at: usize) -> Option<(usize, usize, Mark)> {
    let brackets = |letter: char| matches!(letter, '<' | '[' | '◁');
    text[at..].match_indices(brackets).find_map(|(offset, _)| {
        let start = at + offset;
        let (length, mark) = pair_mark(&text[start..]).or_else(|| tag_mark(&text[start..]))?;
        Some((start, start + length, mark))
    })
}

fn pair_mark(rest: &str) -> Option<(usize, Mark)> {
    PAIRS.iter().filter(|pair| !pair.first).find_map(|pair| match pair.orphan {
        _ if rest.starts_with(pair.open) => Some((pair.open.len(), Mark::Open(pair.closes))),
        Some(close) if rest.starts_with(close) => Some((close.len(), Mark::Close)),
        _ => None,
    })
}

fn tag_mark(rest: &str) -> Option<(usize, Mark)> {
    BRACKETS.iter().find_map(|brackets| {
        let (inside, mark) = match rest.strip_prefix(brackets.close) {
            Some(inside) => (inside, Mark::Close),
            None => (rest.strip_prefix(brackets.open)?, Mark::Open(&[])),
        };
        let end = near(inside).find(brackets.after)?;
        let name = inside[..end].split([' ', '=']).next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default();
        let plain: String = name.chars().filter(|letter| !matches!(letter, '_' | '-')).collect();
        let known = WORDS.contains(&plain.to_lowercase().as_str());
        known.then(|| (rest.len() - inside.len() + end + brackets.after.len(), mark))
    })
}

/// The part of a text in which a mark must end.
fn near(text: &str) -> &str {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= LONGEST_MARK);
    &text[..end.unwrap_or(text.len())]
}

/// Where reasoning that opened before `from` ends, and where the answer goes on.
fn close(text: &str, from: usize, closes: &[Close]) -> Option<(usize, usize)> {
    if !closes.is_empty() {
        return Pair::closed(closes, text, from);
    }
    let mut at = from;
    while let Some((start, end, mark)) = next_mark(text, at) {
        if mark == Mark::Close {
            return Some((start, end));
        }
        at = end;
    }
    None
}

fn starts_line(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRAFT: &str = "Perhaps [DeleteAccount(token='abc')]? No, that would be wrong.";
    const CALL: &str = "[GetToday()]";

    /// Opening and closing marks, with what may stand before the answer.
    const STYLES: [(&str, &str); 30] = [
        ("<think>", "</think>"),
        ("<think>\n", "\n</think>\n\n"),
        ("<thinking>", "</thinking>"),
        ("<Thinking>", "</Thinking>"),
        ("<thought>", "</thought>"),
        ("<thoughts>", "</thoughts>"),
        ("<reasoning>", "</reasoning>"),
        ("<reasoning effort=\"high\">", "</reasoning>"),
        ("<reflection>", "</reflection>"),
        ("<scratchpad>", "</scratchpad>"),
        ("<analysis>", "</analysis>"),
        ("<inner_thoughts>", "</inner_thoughts>"),
        ("<antThinking>", "</antThinking>"),
        ("<seed:think>", "</seed:think>"),
        ("<|think|>", "<|/think|>"),
        ("[THINK]", "[/THINK]"),
        ("[thinking]", "[/thinking]"),
        ("◁think▷", "◁/think▷"),
        ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
        ("<|begin_of_thought|>", "<|end_of_thought|><|begin_of_solution|>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
        ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
        ("<|channel>thought\n", "<channel|>"),
        ("<details type=\"reasoning\" done=\"true\">", "</details>\n"),
        ("<think>", "</think><answer>"),
        ("", "</think>"),
        ("", "[/THINK]\n"),
        ("The end of it ", " </think> </think>"),
        ("<think>The tag </think> ends a thought.", "</think>"),
    ];
    /// Marks that open only at the start of the text.
    const FIRST: [(&str, &str); 4] = [
        ("analysis", "assistantfinal"),
        ("Here is my thought process:\n", "\nHere is my response:\n"),
        ("Thought: ", "\nFinal Answer: "),
        ("```thinking\n", "\n```\n"),
    ];

    #[test]
    fn a_draft_between_any_marks_is_not_the_answer() {
        let check = |text: &str| {
            let (thought, answer) = split(text);
            assert!(thought.unwrap().contains(DRAFT), "{text}");
            assert_eq!(answer.trim_end(), CALL, "{text}");
        };
        for (open, close) in STYLES.iter().chain(&FIRST) {
            check(&format!("{open}{DRAFT}{close}{CALL}"));
            check(&format!("\n {open}{DRAFT}{close}{CALL}"));
        }
        for (open, close) in STYLES {
            check(&format!("{open}{DRAFT}{close}\n\n{open}{DRAFT}{close}{CALL}"));
        }
    }

    #[test]
    fn words_and_calls_outside_the_marks_stay() {
        for (text, thought, answer) in [
            ("[GetToday()]", None, "[GetToday()]"),
            ("", None, ""),
            ("<think></think>yes", None, "yes"),
            ("</think> </think> yes", None, "yes"),
            ("  <think>too long", Some("too long"), ""),
            ("First.\n<think>too long", Some("too long"), "First.\n"),
            ("a <think> in a sentence", None, "a <think> in a sentence"),
            ("<think>a</think>One. <think>b</think>Two.", Some("a\n\nb"), "One. Two."),
            ("<think>a</think>One.</think>", Some("a"), "One."),
            ("Think [of] <b>it</b>.", None, "Think [of] <b>it</b>."),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary \
                 to=functions.A <|constrain|>json<|message|>{}<|call|>",
                Some("a"),
                "<|channel|>commentary to=functions.A <|constrain|>json<|message|>{}<|call|>",
            ),
            (
                "Thought: a\nAction: Wiki\nAction Input: {}",
                Some("a"),
                "Action: Wiki\nAction Input: {}",
            ),
        ] {
            assert_eq!(split(text), (thought.map(str::to_owned), answer.to_owned()), "{text}");
        }
    }

    #[test]
    fn long_texts_are_split_quickly() {
        for piece in [
            "<think>",
            "x<think>",
            "</think>x",
            "<|channel>thought",
            " <|channel|>analysis<|message|>",
            "[",
            "<",
        ] {
            let _ = split(&piece.repeat((1 << 17) / piece.len()));
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "(<think>|</think>|[THINK]|<\\|channel\\|>|analysis|[a-zé<>\\[\\]/| \n]){0,40}") {
            let _ = split(&text);
        }
    }
}
