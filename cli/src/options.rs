//! The options of a run on the command line: a fold of their declarations.

use clap::builder::{
    PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use record::RunSettings;
use record::options::{Group, NONE, Name, OPTIONS, RunOption, Values, Wrong};
use std::fmt::Debug;
use std::marker::PhantomData;

/// A subset of the options.
pub(crate) trait Choice: Debug + Clone + 'static {
    /// Whether it has one.
    fn has(option: &RunOption) -> bool;
}

macro_rules! choices {
    ($($(#[$doc:meta])+ $name:ident: $has:expr;)+) => {$(
        $(#[$doc])+
        #[derive(Debug, Clone)]
        pub(crate) struct $name;

        impl Choice for $name {
            fn has(option: &RunOption) -> bool {
                let has: fn(&RunOption) -> bool = $has;
                has(option)
            }
        }
    )+};
}

choices! {
    /// The questions and their format.
    Prompts: |option| option.group == Group::Prompts;
    /// The sampling of an endpoint.
    Sampling: |option| option.group == Group::Sampling;
    /// How requests are sent, and what the record says of the run.
    Requests: |option| matches!(option.group, Group::Requests | Group::Claims);
    /// The options that change a prompt, for programs that ask the model themselves.
    Asked: |option| ["protocol", "described_apis", "search_results", "seed"].contains(&option.name);
    /// The options of a single episode.
    Episode: |option| ["turn_limit", "seed"].contains(&option.name);
}

/// Option values from the command line.
#[derive(Debug, Clone)]
pub(crate) struct Options<C> {
    given: Vec<(&'static RunOption, String)>,
    choice: PhantomData<C>,
}

impl<C: Choice> Options<C> {
    /// Applies the given values, else the model's defaults. An option without a default keeps its value, so
    /// that a resumed run keeps its record's.
    pub(crate) fn apply(&self, settings: &mut RunSettings) {
        for option in OPTIONS.iter().filter(|option| C::has(option)) {
            let given = self.given.iter().find(|(it, _)| it.name == option.name);
            let default = || Some(option.default_of(&settings.model)).filter(|it| !it.is_empty());
            if let Some(text) = given.map(|(_, text)| text.clone()).or_else(default) {
                // Parsing the command line has checked it.
                let _ = option.set(settings, &text);
            }
        }
    }
}

impl<C: Choice> Args for Options<C> {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().filter(|it| C::has(it)).fold(command, |command, it| command.arg(arg(it)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Choice> FromArgMatches for Options<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given = Vec::new();
        for option in OPTIONS.into_iter().filter(|option| C::has(option)) {
            match option.values {
                Values::Switch if matches.get_flag(option.name) => {
                    given.push((option, (option.default != "true").to_string()));
                }
                Values::Switch => {}
                _ => given.extend(
                    matches.get_one::<String>(option.name).map(|text| (option, text.clone())),
                ),
            }
        }
        Ok(Options { given, choice: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn arg(option: &'static RunOption) -> Arg {
    let arg = Arg::new(option.name).long(option.long()).help(help(option));
    match option.values {
        Values::Switch => arg.action(ArgAction::SetTrue),
        _ => arg.value_parser(values(option)),
    }
}

fn help(option: &RunOption) -> String {
    let mut help = option.help.to_owned();
    let has_default = !option.default.is_empty() && !matches!(option.values, Values::Switch);
    if option.is_optional && has_default {
        help += &format!(" {NONE} uses the endpoint's default.");
    }
    if has_default && !help.contains("Defaults to") {
        help += &format!(" [default: {}]", option.default);
    }
    help
}

fn values(option: &'static RunOption) -> ValueParser {
    let check = move |text: String| match option.parse(&text) {
        Ok(_) => Ok(text),
        Err(Wrong::Kind) => Err(format!("expected {}", option.values)),
        Err(Wrong::Json(reason)) => Err(format!("expected {}: {reason}", option.values)),
        Err(Wrong::Member(name)) => Err(format!(
            "{name} can't be set here, because the record would not say what was asked. Leave it out"
        )),
    };
    match option.values {
        Values::Names(names) => {
            let named = |it: &'static Name| PossibleValue::new(it.id).help(it.help);
            PossibleValuesParser::new(names.iter().map(named)).into()
        }
        _ => StringValueParser::new().try_map(check).into(),
    }
}

/// The ids of a choice's arguments, for conflicts with others.
pub(crate) fn ids<C: Choice>() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().filter(|option| C::has(option)).map(|option| option.name)
}
