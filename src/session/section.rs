//! Sections of the site, as listed in the header, with their pages.

use super::browse::DatasetFilter;
use super::route::Route;
use crate::texts::Texts;
use crate::{english, t};
use strum::{EnumCount, VariantArray};

/// A section of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[derive(EnumCount, VariantArray)]
pub enum Section {
    /// Running the benchmark and its results.
    Run,
    /// A dialogue step by step.
    Demo,
    /// Comparison of records.
    Compare,
    /// Records of the repository, ranked.
    Leaderboard,
    /// Stored records, and verification of files.
    Records,
    /// The data.
    Data,
    /// Generation of training data.
    Generate,
    /// The user's own tools.
    Tools,
    /// Tasks, protocols, scoring and metrics.
    Method,
}

impl Section {
    /// Every section, in the order of the header.
    pub const ALL: [Section; Section::COUNT] = *Section::VARIANTS.first_chunk().unwrap();

    /// The name in the header.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            Section::Run => t!(texts, "Run"),
            Section::Demo => t!(texts, "Demo"),
            Section::Compare => t!(texts, "Compare"),
            Section::Leaderboard => t!(texts, "Leaderboard"),
            Section::Records => t!(texts, "Records"),
            Section::Data => t!(texts, "Data"),
            Section::Generate => t!(texts, "Generate"),
            Section::Tools => t!(texts, "Your tools"),
            Section::Method => t!(texts, "Method"),
        }
    }

    /// Its pages with their names; the header links to the first.
    pub fn pages(self) -> Vec<(Route, &'static str)> {
        match self {
            Section::Run => vec![(Route::Run, english!("Run"))],
            Section::Demo => vec![
                (Route::Demo(None), english!("Walkthrough")),
                (Route::Play(String::new()), english!("Game")),
            ],
            Section::Compare => vec![
                (Route::Compare, english!("Records")),
                (Route::Endpoints, english!("Endpoints")),
            ],
            Section::Leaderboard => vec![(Route::Leaderboard, english!("Leaderboard"))],
            Section::Records => {
                vec![(Route::Records, english!("Saved runs")), (Route::Verify, english!("Verify"))]
            }
            Section::Data => vec![
                (Route::Dataset(DatasetFilter::default()), english!("Dataset")),
                (Route::Apis, english!("APIs")),
                (Route::Data, english!("Import")),
                (Route::Audit, english!("Gold audit")),
            ],
            Section::Generate => vec![(Route::Generate, english!("Generate"))],
            Section::Tools => vec![(Route::Tools(String::new()), english!("Your tools"))],
            Section::Method => vec![
                (Route::Method, english!("Method")),
                (Route::SearchLab, english!("Search lab")),
            ],
        }
    }

    /// The section of a route; `None` for an unknown one.
    pub fn of(route: &Route) -> Option<Section> {
        let page = page_of(route);
        Section::ALL.into_iter().find(|section| section.pages().iter().any(|(it, _)| *it == page))
    }
}

/// The page that a route belongs to: a dialogue to the Dataset page, a sample to the run.
pub fn page_of(route: &Route) -> Route {
    match route {
        Route::Fill(_) | Route::Results | Route::Sample { .. } => Route::Run,
        Route::Shared(_) => Route::Records,
        Route::Demo(_) => Route::Demo(None),
        Route::Play(_) => Route::Play(String::new()),
        Route::Tools(_) => Route::Tools(String::new()),
        Route::Dataset(_) | Route::Dialogue(_) => Route::Dataset(DatasetFilter::default()),
        Route::Api(..) => Route::Apis,
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_one_section_with_a_unique_address() {
        let mut seen = Vec::new();
        for section in Section::ALL {
            for (route, title) in section.pages() {
                assert_eq!(Section::of(&route), Some(section), "{title}");
                assert!(!seen.contains(&route.href()), "{title} is listed twice");
                seen.push(route.href());
            }
        }
    }

    #[test]
    fn subpages_belong_to_their_pages_section() {
        let filtered = DatasetFilter { text: "alarm".to_owned(), ..DatasetFilter::default() };
        for (route, section) in [
            (Route::Sample { run: None, id: "call/a#1".to_owned() }, Section::Run),
            (Route::Results, Section::Run),
            (Route::Dialogue("call/a".to_owned()), Section::Data),
            (Route::Dataset(filtered), Section::Data),
            (Route::Demo(Some("plan/a".to_owned())), Section::Demo),
            (Route::Play("seed=7".to_owned()), Section::Demo),
            (Route::Verify, Section::Records),
            (Route::SearchLab, Section::Method),
        ] {
            assert_eq!(Section::of(&route), Some(section), "{}", route.href());
        }
        assert_eq!(Section::of(&Route::Unknown("x".to_owned())), None);
    }
}
