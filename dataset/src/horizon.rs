//! Ids of horizon tasks. A record needs them without the generator (`engine/horizon`).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};

/// Calls of the shortest solution, by level.
pub const LEVELS: [u16; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
/// The folder of the tasks' ids.
pub const NAME: &str = "horizon";
/// Tasks per level and tier.
pub const TASKS: usize = 8;

/// What makes a horizon task hard besides its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Tier {
    /// Loops over rows, chained look-ups, joins, sums, times that follow from times.
    Errands,
    /// The same among look-alike rows, where order matters, calls fail or are queued, others change the
    /// same rows, and results contain instructions.
    Interference,
    /// Choices with one best legal answer, and rules over several bookings.
    Planning,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Tier; Tier::COUNT] = *Tier::VARIANTS.first_chunk().unwrap();

    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Tier::Errands => "Errands",
            Tier::Interference => "Interference",
            Tier::Planning => "Planning",
        }
    }

    /// What makes its tasks hard, in one sentence.
    pub const fn explain(self) -> &'static str {
        match self {
            Tier::Errands => "Loops over rows, and chains of look-ups.",
            Tier::Interference => {
                "Look-alike rows, calls that time out, others who book too, and instructions in results."
            }
            Tier::Planning => "Choices with one best answer, and rules over several bookings.",
        }
    }

    /// The name in ids.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Identifies a task of a seed; displayed as `horizon/errands-012-3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    /// The tier.
    pub tier: Tier,
    /// Calls of the shortest solution, 1 to 999.
    pub level: u16,
    /// Number within tier and level, from 1 to 255.
    pub number: u8,
}

impl TaskId {
    /// Parses the displayed form; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("horizon/")?.split('-');
        let tier = Tier::from_str(parts.next()?).ok()?;
        let level = parts.next()?.parse().ok()?;
        let number = parts.next()?.parse().ok()?;
        let id = TaskId { tier, level, number };
        // Rejects zeros, other paddings, signs and further parts.
        (level > 0 && number > 0 && id.to_string() == text).then_some(id)
    }
}

impl TaskId {
    /// The number of calls, and of answers, after which the task ends.
    pub fn limit(self) -> usize {
        3 * usize::from(self.level) + 10
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "horizon/{}-{:03}-{}", self.tier.as_str(), self.level, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_displayed_form_parses() {
        let id = TaskId { tier: Tier::Errands, level: 12, number: 3 };
        assert_eq!(id.to_string(), "horizon/errands-012-3");
        assert_eq!(TaskId::parse("horizon/errands-012-3"), Some(id));
        for other in [
            "errands-012-3",
            "horizon/errands-12-3",
            "horizon/errands-012-03",
            "horizon/errands-012-0",
            "horizon/errands-000-1",
            "horizon/errands-012-3-1",
            "horizon/Errands-012-3",
            "horizon/errands-012-+3",
            "horizon/errands-012",
        ] {
            assert_eq!(TaskId::parse(other), None, "{other}");
        }
    }
}
