//! API parameters, declared once: as the struct that the implementation receives.

use crate::kind::Kind;
use crate::match_rule::Rule;
use crate::when::{Date, DateTime, MonthDay};

/// One parameter.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Name, as in API-Bank.
    pub name: &'static str,
    /// The type.
    pub kind: Kind,
    /// How a predicted value is compared with the gold one.
    pub rule: Rule,
    /// Whether a call without it fails.
    pub required: bool,
    /// One sentence, shown in prompts.
    pub description: &'static str,
}

/// Declares the arguments of an API: a struct to deserialize them into, and its
/// `PARAMS` for the descriptor.
///
/// ```text
/// params! {
///     struct Args {
///         /// The user's token.
///         #[rule(Exact)]
///         token: String,
///         /// When it is to start.
///         #[rule(DateTime)]
///         start_time: Option<DateTime>,
///     }
/// }
/// ```
///
/// Each field is a parameter, in published order. Its doc comment is the published
/// description, `#[rule(…)]` names its match rule ([`Rule`]). Its type gives its
/// [`Kind`] ([`ParamType`]); an `Option` may be omitted from a call. If the type does
/// not determine the kind, `#[kind(…)]` after the rule sets it. A parameter that
/// API-Bank publishes but the function ignores gets `#[allow(dead_code, reason = "…")]`.
macro_rules! params {
    (struct $args:ident {
        $(
            $(#[doc = $doc:literal])+
            #[rule($rule:ident)]
            $(#[kind($kind:ident)])?
            $(#[allow($($lint:tt)+)])?
            $name:ident: $type:ty,
        )+
    }) => {
        #[derive(::serde::Deserialize)]
        struct $args {
            $(
                $(#[doc = $doc])+
                $(#[allow($($lint)+)])?
                $name: $type,
            )+
        }

        impl $args {
            /// The fields as the descriptor lists them.
            const PARAMS: &'static [$crate::param::Param] = &[
                $($crate::param::Param {
                    name: stringify!($name),
                    kind: params!(@kind $type $(, $kind)?),
                    rule: $crate::match_rule::Rule::$rule,
                    required: <$type as $crate::param::ParamType>::REQUIRED,
                    // Each line of a doc comment starts with a space, which joins it to the last.
                    description: concat!($($doc),+).trim_ascii(),
                },)+
            ];
        }
    };
    (@kind $type:ty) => { <$type as $crate::param::ParamType>::KIND };
    (@kind $type:ty, $kind:ident) => { $crate::kind::Kind::$kind };
}

/// A type that a parameter can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter type",
    label = "expected String, Date, DateTime, MonthDay, i64, f64, bool, Vec, or an Option of these"
)]
pub(crate) trait ParamType {
    const KIND: Kind;
    const REQUIRED: bool = true;
}

/// An item of a list of records. All its fields are strings.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the item of a list parameter",
    label = "expected String, or a struct of Strings with an `impl Record`"
)]
pub(crate) trait Record {
    const FIELDS: &'static [&'static str];
}

impl<T: ParamType> ParamType for Option<T> {
    const KIND: Kind = T::KIND;
    const REQUIRED: bool = false;
}

impl<T: Record> ParamType for Vec<T> {
    const KIND: Kind = Kind::RecordList(T::FIELDS);
}

macro_rules! param_types {
    ($($type:ty => $kind:ident,)+) => {
        $(impl ParamType for $type {
            const KIND: Kind = Kind::$kind;
        })+
    };
}

param_types! {
    String => Text,
    Date => Date,
    DateTime => DateTime,
    MonthDay => MonthDay,
    i64 => Integer,
    f64 => Number,
    bool => Boolean,
    Vec<String> => TextList,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    params! {
        struct Args {
            /// A text
            /// of two lines.
            #[rule(Trimmed)]
            text: String,
            /// A day.
            #[rule(Date)]
            day: Option<Date>,
            /// Names.
            #[rule(Set)]
            #[kind(UntypedTextList)]
            #[allow(dead_code, reason = "shows that it can be declared")]
            names: Vec<String>,
        }
    }

    #[test]
    fn a_struct_gives_its_parameters() {
        let described: Vec<_> =
            Args::PARAMS.iter().map(|it| (it.name, it.kind, it.rule, it.required)).collect();
        let expected = [
            ("text", Kind::Text, Rule::Trimmed, true),
            ("day", Kind::Date, Rule::Date, false),
            ("names", Kind::UntypedTextList, Rule::Set, true),
        ];
        assert_eq!(described, expected);
        assert_eq!(Args::PARAMS[0].description, "A text of two lines.");
    }

    #[test]
    fn arguments_deserialize_into_the_struct() {
        let args: Args = serde_json::from_value(json!({"text": "a", "names": []})).unwrap();
        assert_eq!((args.text.as_str(), args.day), ("a", None));
    }
}
