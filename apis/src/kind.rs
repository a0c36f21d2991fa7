//! The types of parameters.

/// The type of a parameter. It determines the published type, the JSON Schema, the form
/// field, and how a model's text is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any string.
    Text,
    /// A calendar date, `%Y-%m-%d`.
    Date,
    /// A date and time of day, `%Y-%m-%d %H:%M:%S`.
    DateTime,
    /// A day of the year, `%m-%d`.
    MonthDay,
    /// A whole number.
    Integer,
    /// A finite number.
    Number,
    /// True or false.
    Boolean,
    /// A list of strings, published as `list(str)`.
    TextList,
    /// A list of strings, published as `list`.
    UntypedTextList,
    /// A list of objects with exactly these string fields, published as `list`.
    RecordList(&'static [&'static str]),
}

impl Kind {
    /// The type name that API-Bank publishes.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Text | Kind::Date | Kind::DateTime | Kind::MonthDay => "str",
            Kind::Integer => "int",
            Kind::Number => "float",
            Kind::Boolean => "bool",
            Kind::TextList => "list(str)",
            Kind::UntypedTextList | Kind::RecordList(_) => "list",
        }
    }

    /// The strftime format that the published description mentions.
    pub const fn format(self) -> Option<&'static str> {
        match self {
            Kind::Date => Some("%Y-%m-%d"),
            Kind::DateTime => Some("%Y-%m-%d %H:%M:%S"),
            Kind::MonthDay => Some("%m-%d"),
            _ => None,
        }
    }
}
