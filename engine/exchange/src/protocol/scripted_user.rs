//! The user of an episode: says the dialogue's lines, by what the model asks.
//!
//! After a reply the user says, by the first rule that fits:
//!
//! 1. *Yes, please*, if the reply asks for permission while a gold call is due;
//! 2. *No, thank you*, if it asks for permission after the last gold call, before further lines;
//! 3. *As I said: …*, if it asks for something else while a gold call is due: what that call needs
//!    has been said;
//! 4. of the lines before the next gold call, those that answer a question of the reply; if none
//!    does, the next line.
//!
//! Rules 1 to 3 apply once between two lines, so that the script always goes on.

use apis::text::words::{is_content, sentences, stem, words};
use dataset::{Dialogue, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// The confirmation.
const YES: &str = "Yes, please.";
/// The refusal.
const NO: &str = "No, thank you.";
/// Before a line that is said again.
const AGAIN: &str = "As I said: ";

/// Phrases that ask for permission to act.
const LEAVE: [&str; 14] = [
    "shall i",
    "should i",
    "may i",
    "can i go",
    "do you want me to",
    "would you like me to",
    "are you sure",
    "is that right",
    "is that correct",
    "is this correct",
    "do you confirm",
    "please confirm",
    "ok to proceed",
    "want to proceed",
];
/// Phrases that ask for more than yes or no.
const ASKS_FOR_MORE: [&str; 9] =
    ["what", "which", "when", "where", "who", "how", "or", "may i have", "may i ask"];
/// What questions ask for, each with the words that show it.
const TOPICS: [(&str, &[&str]); 4] = [
    ("time", &["when", "time", "day", "date", "hour", "clock", "long", "until", "start", "end"]),
    ("place", &["where", "place", "location", "room", "city", "address", "venue"]),
    ("person", &["who", "whom", "whose", "name", "attendees", "attend", "guests"]),
    ("number", &["many", "much", "number", "amount"]),
];

/// A scripted user in an episode.
#[derive(Debug, Clone)]
pub struct ScriptedUser<'a> {
    turns: &'a [Turn],
    /// The user's lines, in order.
    lines: Vec<Line<'a>>,
    /// Whether the user has answered by itself since the last line.
    improvised: bool,
    /// Names of the APIs called since the last line.
    made: Vec<String>,
}

/// A line of the script.
#[derive(Debug, Clone)]
struct Line<'a> {
    /// Index among the dialogue's turns.
    turn: usize,
    text: &'a str,
    /// The assistant's question before it; empty without one.
    question: &'a str,
    said: bool,
}

impl<'a> ScriptedUser<'a> {
    /// The dialogue's user, who has said the first line.
    pub fn new(dialogue: &'a Dialogue) -> Self {
        let turns = dialogue.own_turns();
        let lines = turns.iter().enumerate().filter_map(|(turn, said)| {
            let Turn::User { text } = said else { return None };
            let question = match turn.checked_sub(1).and_then(|before| turns.get(before)) {
                Some(Turn::Assistant { text, .. }) if text.contains('?') => text,
                _ => "",
            };
            Some(Line { turn, text, question, said: false })
        });
        let mut lines: Vec<Line<'_>> = lines.collect();
        if let Some(first) = lines.first_mut() {
            first.said = true;
        }
        ScriptedUser { turns, lines, improvised: false, made: Vec::new() }
    }

    /// Takes note of a call of the model.
    pub fn sees_call(&mut self, api: &str) {
        self.made.push(api.to_owned());
    }

    /// What the user says to a reply; `None` at the end of the script.
    pub fn answer(&mut self, reply: &str) -> Option<String> {
        if !self.improvised
            && let Some(text) = self.improvise(reply)
        {
            self.improvised = true;
            return Some(text);
        }
        (self.improvised, self.made) = (false, Vec::new());
        let mut texts = Vec::new();
        for index in self.choose(reply) {
            if let Some(line) = self.lines.get_mut(index) {
                line.said = true;
                texts.push(line.text);
            }
        }
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    /// An answer that is no line of the script (rules 1 to 3).
    fn improvise(&self, reply: &str) -> Option<String> {
        let (permission, due) = (asks_permission(reply), self.is_due());
        if permission && due {
            return Some(YES.to_owned());
        }
        let goes_on = self.lines.iter().any(|line| !line.said);
        if permission && goes_on && !asks_to_confirm(reply) && !self.has_calls_left() {
            return Some(NO.to_owned());
        }
        if due && !permission && last_sentence(reply).ends_with('?') {
            return Some(format!("{AGAIN}{}", self.line_for(reply)?));
        }
        None
    }

    /// Whether the gold dialogue has a call before the next line, other than a search, whose API the
    /// model has not called since the last one.
    fn is_due(&self) -> bool {
        let said = self.lines.iter().rposition(|line| line.said);
        let open = self.lines.iter().position(|line| !line.said).unwrap_or(self.lines.len());
        let Some(last) = said.filter(|last| *last < open) else { return false };
        let begin = self.lines.get(last).map_or(0, |line| line.turn);
        let end = self.lines.get(open).map_or(self.turns.len(), |line| line.turn);
        let calls = self.turns.get(begin..end).unwrap_or_default().iter().filter_map(Turn::as_call);
        calls.filter(|call| !call.is_search()).any(|call| !self.made.contains(&call.api_name))
    }

    /// Whether the gold dialogue has a call after the last line that was said.
    fn has_calls_left(&self) -> bool {
        let last = self.lines.iter().rfind(|line| line.said).map_or(0, |line| line.turn);
        self.turns.iter().skip(last).any(|turn| turn.as_call().is_some())
    }

    /// The line that answers the reply's question best, of those that were said; without a likeness,
    /// the last one.
    fn line_for(&self, reply: &str) -> Option<&'a str> {
        let said = self.lines.iter().filter(|line| line.said);
        let like = |line: &&Line<'_>| {
            likeness(reply, line.question) + likeness(reply, &format!("{}?", line.text))
        };
        said.max_by_key(like).map(|line| line.text)
    }

    /// The indices of the lines to say next (rule 4).
    fn choose(&self, reply: &str) -> Vec<usize> {
        let Some(next) = self.lines.iter().position(|line| !line.said) else { return Vec::new() };
        let begin = self.lines.get(next).map_or(0, |line| line.turn);
        let calls = |to: usize| self.turns.get(begin..to).is_some_and(|it| it.iter().any(is_call));
        let open = self.lines.iter().enumerate().skip(next).filter(|(_, line)| !line.said);
        let within = open.take_while(|(_, line)| !calls(line.turn));
        let within: Vec<(usize, &Line<'_>)> = within.collect();
        // The dialogue's own question has its answer in the dialogue.
        if let Some((index, _)) = within.iter().find(|(_, line)| line.question == reply) {
            return vec![*index];
        }
        let within: Vec<(usize, usize)> =
            within.iter().map(|(index, line)| (*index, likeness(reply, line.question))).collect();
        let best = within.iter().map(|(_, like)| *like).max().unwrap_or_default();
        let asked = within.into_iter().filter(|(_, like)| best > 0 && 2 * like >= best);
        let asked: Vec<usize> = asked.map(|(index, _)| index).collect();
        if asked.is_empty() { vec![next] } else { asked }
    }
}

/// The number of the dialogue's lines that the user has said in `history`. A turn of the user may be
/// several lines, or none. `history` begins with the turns of earlier dialogues.
pub fn lines_said(dialogue: &Dialogue, history: &[Turn]) -> usize {
    let of_user = |turn: &Turn| matches!(turn, Turn::User { .. });
    let text = |turn: &Turn| match turn {
        Turn::User { text } | Turn::Assistant { text, .. } => text.clone(),
        Turn::Api(_) => String::new(),
    };
    let heard = history.iter().skip(dialogue.earlier).filter(|message| of_user(message));
    let heard: Vec<String> = heard.map(text).collect();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for line in dialogue.own_turns().iter().filter(|own_turn| of_user(own_turn)).map(text) {
        *lines.entry(line).or_default() += 1;
    }
    let said = |line: &str| {
        heard.iter().filter(|text| text.contains(line) && !text.starts_with(AGAIN)).count()
    };
    lines.iter().map(|(line, times)| said(line).min(*times)).sum()
}

fn is_call(turn: &Turn) -> bool {
    turn.as_call().is_some()
}

fn last_sentence(text: &str) -> &str {
    sentences(text).last().copied().unwrap_or_default()
}

/// Whether the last sentence is a yes-or-no question that asks for permission to act.
fn asks_permission(text: &str) -> bool {
    let last = last_sentence(text).to_lowercase();
    last.ends_with('?')
        && LEAVE.iter().any(|phrase| last.contains(phrase))
        && !ASKS_FOR_MORE.iter().any(|phrase| has_phrase(&last, phrase))
}

/// Whether the last sentence asks if something is right, to which "no" is no refusal.
fn asks_to_confirm(text: &str) -> bool {
    let last = last_sentence(text).to_lowercase();
    ["right", "correct", "sure", "confirm"].iter().any(|word| has_phrase(&last, word))
}

/// Whether a text has a phrase as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).any(|window| window == phrase)
}

/// How many content words and topics the questions of two texts share.
fn likeness(a: &str, b: &str) -> usize {
    asked(a).intersection(&asked(b)).count()
}

/// The stems and topics of a text's questions.
fn asked(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for question in sentences(text).into_iter().filter(|sentence| sentence.ends_with('?')) {
        for word in words(question) {
            let topics = TOPICS.iter().filter(|(_, of)| of.contains(&word.as_str()));
            found.extend(topics.map(|(topic, _)| format!("?{topic}")));
            if is_content(&word) {
                found.insert(stem(&word).to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use dataset::Ability;
    use serde_json::{Value, json};

    fn user(text: &str) -> Value {
        json!({"role": "User", "text": text})
    }

    fn assistant(text: &str) -> Value {
        json!({"role": "AI", "text": text})
    }

    fn call(api: &str) -> Value {
        json!({"role": "API", "api_name": api, "param_dict": {}, "result": {"api_name": api}})
    }

    fn dialogue(lines: &[Value]) -> Dialogue {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Dialogue::read_lines("a.jsonl", Ability::Call, &text).unwrap()
    }

    /// Three facts before a call, and one line after it.
    fn booking() -> Dialogue {
        dialogue(&[
            user("A meeting with Ida, please."),
            assistant("When does it start?"),
            user("At ten."),
            assistant("Which room?"),
            user("The blue one."),
            call("AddMeeting"),
            assistant("Booked."),
            user("Thanks."),
        ])
    }

    #[test]
    fn what_is_asked_for_gets_its_line() {
        let dialogue = booking();
        let mut user = ScriptedUser::new(&dialogue);
        assert_eq!(user.answer("In what room shall it be?").unwrap(), "The blue one.");
        assert_eq!(user.answer("And at what time?").unwrap(), "At ten.");
        user.sees_call("AddMeeting");
        assert_eq!(user.answer("It is booked.").unwrap(), "Thanks.");
        assert_eq!(user.answer("You're welcome."), None);
    }

    #[test]
    fn two_questions_get_two_lines() {
        let dialogue = booking();
        let mut user = ScriptedUser::new(&dialogue);
        let both = "Sure! What time should it start, and in which room?";
        assert_eq!(user.answer(both).unwrap(), "At ten. The blue one.");
    }

    #[test]
    fn without_a_likeness_the_next_line_follows() {
        let dialogue = booking();
        let mut user = ScriptedUser::new(&dialogue);
        assert_eq!(user.answer("Could you tell me more?").unwrap(), "At ten.");
        assert_eq!(user.answer("A great hour.").unwrap(), "The blue one.");
    }

    #[test]
    fn what_was_said_is_said_again_once() {
        let dialogue = booking();
        let mut user = ScriptedUser::new(&dialogue);
        user.answer("When, and in which room?").unwrap();
        assert_eq!(user.answer("Which room was it?").unwrap(), "As I said: The blue one.");
        assert_eq!(user.answer("Which room was it?").unwrap(), "Thanks.");
    }

    #[test]
    fn permission_is_given_while_a_call_is_due_and_refused_after_the_last() {
        let dialogue = booking();
        let mut user = ScriptedUser::new(&dialogue);
        user.answer("When, and in which room?").unwrap();
        assert_eq!(user.answer("Shall I book it?").unwrap(), YES);
        user.sees_call("AddMeeting");
        assert_eq!(user.answer("Booked. Shall I invite Ben?").unwrap(), "Thanks.");
        let mut user = ScriptedUser::new(&dialogue);
        user.answer("When, and in which room?").unwrap();
        user.sees_call("AddMeeting");
        user.answer("Booked.").unwrap();
        assert_eq!(user.answer("Shall I invite Ben?"), None, "the script is at its end");
    }

    #[test]
    fn an_offer_beyond_the_task_is_declined() {
        let dialogue = dialogue(&[
            user("What day is it?"),
            call("GetToday"),
            assistant("The 15th."),
            user("And what do you do all day?"),
            assistant("I help."),
            user("Thanks."),
        ]);
        let mut user = ScriptedUser::new(&dialogue);
        user.sees_call("GetToday");
        assert_eq!(user.answer("The 15th.").unwrap(), "And what do you do all day?");
        assert_eq!(user.answer("Should I set an alarm?").unwrap(), NO);
        assert_eq!(user.answer("Is that right?").unwrap(), "Thanks.");
    }

    #[test]
    fn only_a_question_for_permission_is_one() {
        for text in [
            "Shall I really cancel it?",
            "I found it. Do you want me to delete the alarm?",
            "You'd lose everything. Are you sure?",
            "Shall I show you the alarm?",
            "Should I book somewhere nearby?",
        ] {
            assert!(asks_permission(text), "{text}");
        }
        for text in [
            "What is your username?",
            "May I have your username?",
            "Shall I cancel it or move it?",
            "Should I? I did.",
            "Which one shall I take?",
            "Done.",
            "",
        ] {
            assert!(!asks_permission(text), "{text}");
        }
    }
}
