//! The Dataset page's filter, its encoding in the address, and the filtered list.

use crate::messages::browse::Overview;
use apis::Domain;
use dataset::browse::ListedDialogue;
use dataset::{Ability, Split};

/// A filter of dialogues; the empty one accepts all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatasetFilter {
    /// One split.
    pub split: Option<Split>,
    /// One ability.
    pub ability: Option<Ability>,
    /// One domain.
    pub domain: Option<Domain>,
    /// One API by name; empty for all.
    pub api: String,
    /// Words that must all occur in the id, the APIs or the utterances.
    pub text: String,
}

impl DatasetFilter {
    /// Parses the query of an address, ignoring unknown fields and values.
    pub fn from_query(query: &str, decode: impl Fn(&str) -> String) -> Self {
        let mut filter = DatasetFilter::default();
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            match name {
                "split" => filter.split = Split::ALL.into_iter().find(|it| it.as_str() == value),
                "ability" => {
                    filter.ability = Ability::ALL.into_iter().find(|it| it.as_str() == value);
                }
                "domain" => {
                    filter.domain = Domain::ALL.into_iter().find(|it| domain_name(*it) == value);
                }
                "api" => filter.api = value,
                "q" => filter.text = value,
                _ => {}
            }
        }
        filter
    }

    /// The query of the address; empty for the empty filter.
    pub fn query(&self, encode: impl Fn(&str) -> String) -> String {
        let parts = [
            ("split", self.split.map(|split| split.as_str().to_owned()).unwrap_or_default()),
            ("ability", self.ability.map(|it| it.as_str().to_owned()).unwrap_or_default()),
            ("domain", self.domain.map(domain_name).unwrap_or_default()),
            ("api", self.api.clone()),
            ("q", self.text.trim().to_owned()),
        ];
        let pairs = parts.iter().filter(|(_, value)| !value.is_empty());
        pairs.map(|(name, value)| format!("{name}={}", encode(value))).collect::<Vec<_>>().join("&")
    }

    /// Whether a dialogue matches.
    pub fn passes(&self, entry: &ListedDialogue) -> bool {
        self.split.is_none_or(|split| entry.split == split)
            && self.ability.is_none_or(|ability| entry.ability == ability)
            && self.domain.is_none_or(|domain| entry.domains.contains(&domain))
            && (self.api.is_empty() || entry.apis.contains(&self.api))
            && self.matches_text(entry)
    }

    fn matches_text(&self, entry: &ListedDialogue) -> bool {
        if self.text.trim().is_empty() {
            return true;
        }
        let text = format!("{} {} {}", entry.id, entry.apis.join(" "), entry.said).to_lowercase();
        self.text.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    /// Whether the filter accepts everything.
    pub fn is_empty(&self) -> bool {
        *self == DatasetFilter::default()
    }
}

/// A domain's name in addresses.
pub fn domain_name(domain: Domain) -> String {
    domain.title().to_lowercase().replace(' ', "-")
}

/// State of the Dataset page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Browse {
    /// The worker's overview; `None` until it arrives.
    pub overview: Option<Overview>,
    /// The filter.
    pub filter: DatasetFilter,
    /// The error, if there is no overview.
    pub trouble: Option<String>,
}

impl Browse {
    /// The matching dialogues, in order.
    pub fn listed(&self) -> impl Iterator<Item = &ListedDialogue> {
        self.overview
            .iter()
            .flat_map(|overview| &overview.entries)
            .filter(|entry| self.filter.passes(entry))
    }

    /// Names of all APIs that occur, sorted.
    pub fn apis(&self) -> Vec<String> {
        let entries = self.overview.iter().flat_map(|overview| &overview.entries);
        let mut names: Vec<String> = entries.flat_map(|entry| entry.apis.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Ids of the previous and next dialogue in the list.
    pub fn neighbours(&self, id: &str) -> (Option<String>, Option<String>) {
        let ids: Vec<&str> = self.listed().map(|entry| entry.id.as_str()).collect();
        let Some(at) = ids.iter().position(|other| *other == id) else { return (None, None) };
        let name = |at: usize| ids.get(at).map(|id| (*id).to_owned());
        (at.checked_sub(1).and_then(name), name(at + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, ability: Ability, domain: Domain, api: &str, said: &str) -> ListedDialogue {
        ListedDialogue {
            id: id.to_owned(),
            split: Split::Standard,
            ability,
            domains: vec![domain],
            apis: vec![api.to_owned()],
            calls: 1,
            fails: false,
            said: said.to_owned(),
        }
    }

    fn browse(filter: DatasetFilter) -> Browse {
        let entries = vec![
            entry("call/a", Ability::Call, Domain::Schedule, "AddAlarm", "Wake me at seven"),
            entry("call/b", Ability::Call, Domain::Travel, "BookHotel", "A room in Porto"),
            entry("plan/c", Ability::Plan, Domain::Travel, "FlightSearch", "Fly me to Porto"),
        ];
        let overview = Some(Overview { entries, ..Overview::default() });
        Browse { overview, filter, trouble: None }
    }

    #[test]
    fn every_field_narrows_the_list() {
        let found = |filter: DatasetFilter| -> Vec<String> {
            browse(filter).listed().map(|entry| entry.id.clone()).collect()
        };
        assert_eq!(found(DatasetFilter::default()).len(), 3);
        let travel = DatasetFilter { domain: Some(Domain::Travel), ..DatasetFilter::default() };
        assert_eq!(found(travel.clone()), ["call/b", "plan/c"]);
        assert_eq!(found(DatasetFilter { ability: Some(Ability::Plan), ..travel }), ["plan/c"]);
        assert_eq!(
            found(DatasetFilter { api: "AddAlarm".to_owned(), ..DatasetFilter::default() }),
            ["call/a"]
        );
        assert_eq!(
            found(DatasetFilter { text: "PORTO room".to_owned(), ..DatasetFilter::default() }),
            ["call/b"]
        );
        assert!(
            found(DatasetFilter { split: Some(Split::Hard), ..DatasetFilter::default() })
                .is_empty()
        );
    }

    #[test]
    fn a_filter_round_trips_through_the_address() {
        let filter = DatasetFilter {
            split: Some(Split::Standard),
            ability: Some(Ability::Retrieve),
            domain: Some(Domain::SmartHome),
            api: "AddScene".to_owned(),
            text: "film night".to_owned(),
        };
        let query = filter.query(|text| text.replace(' ', "%20"));
        assert_eq!(
            query,
            "split=standard&ability=retrieve&domain=smart-home&api=AddScene&q=film%20night"
        );
        assert_eq!(DatasetFilter::from_query(&query, |text| text.replace("%20", " ")), filter);
        assert_eq!(DatasetFilter::default().query(str::to_owned), "");
        assert!(DatasetFilter::from_query("ability=x&other=1", str::to_owned).is_empty());
    }

    #[test]
    fn neighbours_follow_the_filtered_list() {
        let all = browse(DatasetFilter::default());
        assert_eq!(all.neighbours("call/b"), (Some("call/a".into()), Some("plan/c".into())));
        let travel =
            browse(DatasetFilter { domain: Some(Domain::Travel), ..DatasetFilter::default() });
        assert_eq!(travel.neighbours("call/b"), (None, Some("plan/c".into())));
        assert_eq!(travel.neighbours("call/a"), (None, None));
        assert_eq!(all.apis(), ["AddAlarm", "BookHotel", "FlightSearch"]);
    }
}
