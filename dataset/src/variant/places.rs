//! Replaces cities by others of the same region, unless the pack states a fact about the city.

use super::corpus::Corpus;
use super::fold::fold;
use super::lexicon::Lexicon;
use crate::random::draw;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The tables in which one city is as good as another. What others say of a city is a fact, or part
/// of a title or recording.
const ROWS: [&str; 8] =
    ["Agenda", "Bank", "Flight", "HotelOffer", "Place", "Profile", "Synonym", "TravelStatus"];
/// Points within this distance of a city, in degrees, move with it.
const NEAR: f64 = 0.3;
/// A new city is at most this far from the old one, in degrees: weather and flights remain likely.
const FAR: f64 = 6.0;

/// Cities to draw: region as in the table `Synonym`, name, latitude and longitude.
#[rustfmt::skip]
const CITIES: [(&str, &str, f64, f64); 70] = [
    ("algeria", "Annaba", 36.9, 7.7667), ("algeria", "Mostaganem", 35.9398, 0.0898),
    ("argentina", "Rosario", -32.9587, -60.6930), ("argentina", "Luján", -34.5703, -59.1050),
    ("bangladesh", "Narayanganj", 23.6238, 90.5000), ("bangladesh", "Khulna", 22.8456, 89.5403),
    ("brazil", "Maceió", -9.6498, -35.7089), ("brazil", "Aracaju", -10.9472, -37.0731),
    ("british columbia, canada", "Kelowna", 49.8880, -119.4960),
    ("british columbia, canada", "Nanaimo", 49.1659, -123.9401),
    ("bulgaria", "Burgas", 42.5048, 27.4626), ("bulgaria", "Pleven", 43.4170, 24.6067),
    ("colombia", "Pereira", 4.8087, -75.6906), ("colombia", "Manizales", 5.0703, -75.5138),
    ("denmark", "Esbjerg", 55.4765, 8.4594), ("denmark", "Aalborg", 57.0488, 9.9217),
    ("estonia", "Tartu", 58.3780, 26.7290), ("estonia", "Pärnu", 58.3859, 24.4971),
    ("finland", "Turku", 60.4518, 22.2666), ("finland", "Lahti", 60.9827, 25.6612),
    ("france", "Grenoble", 45.1885, 5.7245), ("france", "Dijon", 47.3220, 5.0415),
    ("greece", "Kalamata", 37.0389, 22.1142), ("greece", "Volos", 39.3666, 22.9507),
    ("hokkaido, japan", "Asahikawa", 43.7706, 142.3650),
    ("hokkaido, japan", "Obihiro", 42.9239, 143.1961),
    ("iran", "Kerman", 30.2839, 57.0834), ("iran", "Yazd", 31.8974, 54.3569),
    ("ireland", "Limerick", 52.6638, -8.6267), ("ireland", "Sligo", 54.2766, -8.4761),
    ("israel", "Netanya", 32.3215, 34.8532), ("israel", "Nahariya", 33.0059, 35.0941),
    ("jordan", "Zarqa", 32.0728, 36.0880), ("jordan", "Irbid", 32.5556, 35.8500),
    ("kenya", "Nakuru", -0.3031, 36.0800), ("kenya", "Eldoret", 0.5143, 35.2698),
    ("morocco", "Meknes", 33.8950, -5.5547), ("morocco", "Tetouan", 35.5785, -5.3684),
    ("new zealand", "Tauranga", -37.6878, 176.1651),
    ("new zealand", "Hamilton", -37.7870, 175.2793), ("new zealand", "Gisborne", -38.6623, 178.0176),
    ("nigeria", "Ibadan", 7.3775, 3.9470), ("nigeria", "Abeokuta", 7.1475, 3.3619),
    ("peru", "Arequipa", -16.4090, -71.5375), ("peru", "Ayacucho", -13.1588, -74.2239),
    ("poland", "Gdynia", 54.5189, 18.5305), ("poland", "Elbląg", 54.1522, 19.4088),
    ("rajasthan, india", "Jodhpur", 26.2389, 73.0243), ("rajasthan, india", "Kota", 25.2138, 75.8648),
    ("saint lucia", "Soufrière", 13.8566, -61.0566), ("saint lucia", "Dennery", 13.9139, -60.8911),
    ("senegal", "Thiès", 14.7910, -16.9359), ("senegal", "Rufisque", 14.7158, -17.2733),
    ("sichuan, china", "Mianyang", 31.4675, 104.6796), ("sichuan, china", "Leshan", 29.5521, 103.7660),
    ("slovakia", "Prešov", 48.9984, 21.2339), ("slovakia", "Žilina", 49.2231, 18.7394),
    ("south africa", "Pietermaritzburg", -29.6006, 30.3794),
    ("spain", "Alicante", 38.3452, -0.4810), ("spain", "Murcia", 37.9922, -1.1307),
    ("sweden", "Västerås", 59.6099, 16.5448), ("sweden", "Örebro", 59.2753, 15.2134),
    ("telangana, india", "Warangal", 17.9689, 79.5941),
    ("telangana, india", "Karimnagar", 18.4386, 79.1288),
    ("türkiye", "Bodrum", 37.0344, 27.4305), ("türkiye", "Manisa", 38.6191, 27.4289),
    ("uruguay", "Maldonado", -34.9000, -54.9500), ("vietnam", "Quy Nhon", 13.7830, 109.2197),
    ("zimbabwe", "Mutare", -18.9707, 32.6709), ("zimbabwe", "Gweru", -19.4550, 29.8167),
];

/// A city with its lower-case synonyms and its replacement.
#[derive(Debug)]
struct City {
    old: String,
    new: &'static str,
    names: Vec<String>,
    /// Old and new latitude and longitude.
    from: [f64; 2],
    to: [f64; 2],
}

/// The cities that are drawn anew.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<City>);

impl Places {
    pub(super) fn draw(corpus: &Corpus, seed: u32) -> Self {
        let mut cities = cities(corpus);
        let (mut taken, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        corpus.each(&mut |found| {
            let is_fact = !found.table.is_empty() && !ROWS.contains(&found.table);
            cities.retain(|city| {
                let mut places = after(found.text, &city.old);
                !places.any(|after| is_fact || begins_name(after))
            });
            taken.extend(found.text.split(|c: char| !c.is_alphabetic()).map(fold));
            numbers.extend(decimals(found.text));
        });
        // A point in an utterance does not move.
        cities.retain(|it| it.from.iter().all(|degrees| !numbers.contains(&degrees.to_string())));
        let is_free = |name: &str| name.split(' ').all(|word| !taken.contains(&fold(word)));
        let mut free: Vec<_> = CITIES.iter().filter(|(_, name, ..)| is_free(name)).collect();
        cities.retain_mut(|city| {
            let Some(region) = region(&city.old, &city.names) else { return false };
            let is_like = |at: &usize| {
                let (it, _, latitude, longitude) = free[*at];
                *it == region && is_within(city.from, [*latitude, *longitude], FAR)
            };
            let drawn = (0..free.len()).filter(is_like).max_by_key(|at| draw(seed, free[*at].1));
            let Some(at) = drawn else { return false };
            let (_, new, latitude, longitude) = free.remove(at);
            (city.new, city.to) = (*new, [*latitude, *longitude]);
            true
        });
        Places(cities)
    }

    /// Adds names, and the other names of the table `Synonym`.
    pub(super) fn add_to(&self, lexicon: &mut Lexicon) {
        for City { old, new, names, .. } in &self.0 {
            lexicon.add(old, new);
            lexicon.add(&old.to_uppercase(), &new.to_uppercase());
            for name in names {
                let (city, region) = name.split_at(name.find(',').unwrap_or(name.len()));
                let new = if *city == old.to_lowercase() { new.to_lowercase() } else { fold(new) };
                lexicon.add(name, &(new + region));
            }
        }
    }

    /// Moves the coordinates of cities, and of what is near them.
    pub(super) fn move_points(&self, value: &mut Value) {
        match value {
            Value::Array(items) => {
                if let [Value::Number(latitude), Value::Number(longitude)] = items.as_slice()
                    && let Some(new) = self.moved([latitude.as_f64(), longitude.as_f64()])
                {
                    *items = new.into_iter().map(|degrees| json!(degrees)).collect();
                }
                items.iter_mut().for_each(|item| self.move_points(item));
            }
            Value::Object(fields) => {
                let keys = ["latitude", "longitude"];
                let old = keys.map(|key| fields.get(key).and_then(Value::as_f64));
                for (key, new) in keys.iter().zip(self.moved(old).into_iter().flatten()) {
                    fields.insert((*key).to_owned(), json!(new));
                }
                fields.values_mut().for_each(|field| self.move_points(field));
            }
            _ => {}
        }
    }

    fn moved(&self, point: [Option<f64>; 2]) -> Option<[f64; 2]> {
        let [Some(latitude), Some(longitude)] = point else { return None };
        let point = [latitude, longitude];
        let city = self.0.iter().find(|place| is_within(place.from, point, NEAR))?;
        let [north, east] = [0, 1].map(|at| {
            let new = point[at] - city.from[at] + city.to[at];
            (new * 1e4).round() / 1e4
        });
        Some([north, east])
    }

    /// The old names with the new ones.
    #[cfg(test)]
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|place| (place.old.as_str(), place.new))
    }
}

/// The cities of the table `Place` without sights there.
fn cities(corpus: &Corpus) -> Vec<City> {
    let (Some(places), Some(synonyms)) = (corpus.table("Place"), corpus.table("Synonym")) else {
        return Vec::new();
    };
    let rows = || places.as_object().into_iter().flatten();
    let sights: Vec<&str> =
        rows().filter_map(|(name, _)| name.split_once(", ")).map(|pair| pair.1).collect();
    let city = |(name, row): (&String, &Value)| {
        let degrees = |key: &str| row.get(key).and_then(Value::as_f64);
        let names = synonyms.get("Place")?.get(name)?.as_array()?;
        let names = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let from = [degrees("latitude")?, degrees("longitude")?];
        let is_city = !name.contains(", ") && !sights.contains(&name.as_str());
        is_city.then(|| City { old: name.clone(), new: "", names, from, to: from })
    };
    rows().filter_map(city).collect()
}

/// Whether two points differ by at most `degrees` in each coordinate.
fn is_within(one: [f64; 2], other: [f64; 2], degrees: f64) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= degrees)
}

/// The region in a city's longest synonym. `None` if a synonym is not a spelling of the name, because
/// the new city has no counterpart.
fn region<'a>(city: &str, names: &'a [String]) -> Option<&'a str> {
    let is_spelling =
        |name: &String| fold(name.split(',').next().unwrap_or_default()) == fold(city);
    let regions = names.iter().filter_map(|name| name.split_once(", ")).map(|(_, region)| region);
    regions.max_by_key(|region| region.len()).filter(|_| names.iter().all(is_spelling))
}

/// The numbers with a decimal point in a text.
fn decimals(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-')));
    parts.map(|it| it.trim_end_matches('.')).filter(|part| part.contains('.')).map(str::to_owned)
}

/// The text after each whole-word occurrence of `name`.
fn after<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(name).filter_map(move |(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let whole =
            !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        whole.then_some(after)
    })
}

/// Whether the text after a name makes it part of a longer one: `Brno Castle`.
fn begins_name(after: &str) -> bool {
    after.strip_prefix([' ', '-']).is_some_and(|it| it.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FILES;
    use std::collections::BTreeMap;

    fn pairs(seed: u32) -> BTreeMap<String, String> {
        let places = Places::draw(&Corpus::read(FILES).unwrap(), seed);
        places.pairs().map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
    }

    #[test]
    fn cities_with_sights_facts_and_names_of_another_kind_stay() {
        let new = pairs(7);
        println!("{} cities: {new:?}", new.len());
        assert!(new.len() >= 30, "{}", new.len());
        // A sight, a recording, a word's example, another name, a castle, a point in an utterance.
        for city in ["Paris", "Bologna", "Accra", "Chennai", "Brno", "Jaipur"] {
            assert!(!new.contains_key(city), "{city}");
        }
        assert!(["Gdynia", "Elbląg"].contains(&new["Gdańsk"].as_str()));
        assert!((1..20).any(|seed| pairs(seed)["Gdańsk"] != new["Gdańsk"]));
    }

    #[test]
    fn no_city_to_draw_occurs_in_the_pack_or_twice() {
        let mut text = String::new();
        Corpus::read(FILES).unwrap().each(&mut |found| text = format!("{text}\n{}", found.text));
        let names: BTreeSet<&str> = CITIES.iter().map(|(_, name, ..)| *name).collect();
        assert_eq!(names.len(), CITIES.len());
        let found: Vec<_> =
            names.iter().filter(|name| after(&text, name).next().is_some()).collect();
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn points_near_a_city_move_with_it() {
        let places = Places(vec![City {
            old: "Galway".to_owned(),
            new: "Sligo",
            names: vec![],
            from: [53.2707, -9.0568],
            to: [54.2766, -8.4761],
        }]);
        let mut value = json!([
            {"latitude": 53.2707, "longitude": -9.0568},
            {"coordinates": [53.28, -9.05], "name": "near"},
            {"latitude": 53.2707, "longitude": 9.0568},
        ]);
        places.move_points(&mut value);
        let new = json!([
            {"latitude": 54.2766, "longitude": -8.4761},
            {"coordinates": [54.2859, -8.4693], "name": "near"},
            {"latitude": 53.2707, "longitude": 9.0568},
        ]);
        assert_eq!(value, new);
    }
}
