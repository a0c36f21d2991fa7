//! Example answers for the Method page. The engine judges them live, so the verdicts are those of a
//! run.

use scoring::ErrorClass;

/// An answer to a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The illustrated case.
    pub of: ExampleKind,
    /// The sample's id.
    pub sample: &'static str,
    /// The answer.
    pub answer: &'static str,
}

/// The case that an example illustrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleKind {
    /// A right call.
    Right,
    /// A call that profiles judge differently.
    Profiles,
    /// An error class.
    Class(ErrorClass),
    /// A reply's score.
    Reply,
}

/// The sample of most examples: one call, with a token and a time.
const ALARM: &str = "call/already-covered#5";

const fn example(of: ExampleKind, sample: &'static str, answer: &'static str) -> Example {
    Example { of, sample, answer }
}

const fn class(class: ErrorClass, answer: &'static str) -> Example {
    example(ExampleKind::Class(class), ALARM, answer)
}

/// All examples, in the order in which they are judged.
pub const EXAMPLES: [Example; 13] = [
    example(
        ExampleKind::Right,
        ALARM,
        "[AddAlarm(token='xe7vf9lthp6r7u1fka', time='2024-06-15 05:00:00')]",
    ),
    example(
        ExampleKind::Profiles,
        "plan/scary-movie-shed#2",
        "[OrganizationMembers(organization=\"tinkerers' shed\")]",
    ),
    class(ErrorClass::NoApiCall, "Shall I add another alarm at five?"),
    class(ErrorClass::FalseApiCallFormat, "[AddAlarm(token='xe7vf9lthp6r7u1fka', time="),
    example(
        ExampleKind::Class(ErrorClass::UnneededApiCall),
        "hard/godmothers-envelopes#1",
        "[SearchEngine(keyword='share prices')]",
    ),
    example(
        ExampleKind::Class(ErrorClass::FailedApiRetrieval),
        "retrieve/after-the-fever#1",
        "[ToolSearcher(keywords='weather tomorrow')]",
    ),
    class(
        ErrorClass::ApiHallucination,
        "[SetAlarm(token='xe7vf9lthp6r7u1fka', time='2024-06-15 05:00:00')]",
    ),
    class(
        ErrorClass::WrongApi,
        "[QueryAlarm(token='xe7vf9lthp6r7u1fka', time='2024-06-15 05:00:00')]",
    ),
    class(ErrorClass::MissingInputParameters, "[AddAlarm(time='2024-06-15 05:00:00')]"),
    class(
        ErrorClass::InvalidInputParameters,
        "[AddAlarm(token='xe7vf9lthp6r7u1fka', time='five sharp')]",
    ),
    class(
        ErrorClass::HasException,
        "[AddAlarm(token='no-such-token', time='2024-06-15 05:00:00')]",
    ),
    class(
        ErrorClass::WrongResult,
        "[AddAlarm(token='xe7vf9lthp6r7u1fka', time='2024-06-15 06:00:00')]",
    ),
    example(ExampleKind::Reply, "call/already-covered#6", "Your second alarm rings at 05:00."),
];

/// The index of an example.
pub fn place(of: ExampleKind) -> Option<usize> {
    EXAMPLES.iter().position(|example| example.of == of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_an_example() {
        for class in ErrorClass::ALL {
            assert!(place(ExampleKind::Class(class)).is_some(), "{class:?}");
        }
        for of in [ExampleKind::Right, ExampleKind::Profiles, ExampleKind::Reply] {
            assert!(place(of).is_some(), "{of:?}");
        }
    }
}
