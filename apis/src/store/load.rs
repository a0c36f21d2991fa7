//! Loads tables from database files. Errors name file, row and field.

use super::{Table, TableName, World};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use thiserror::Error;

/// Why a database file does not load.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The file has the wrong shape.
    #[error("{file}: expected {expected}")]
    Shape {
        /// The file.
        file: String,
        /// The shape, in words.
        expected: &'static str,
    },
    /// A row has the wrong shape.
    #[error("{file}: row {row:?}, field {field}: {reason}")]
    Row {
        /// The file.
        file: String,
        /// The row's key.
        row: String,
        /// Path of the field in the row; `.` for the row itself.
        field: String,
        /// The message of the deserializer.
        reason: String,
    },
}

fn shape(file: &str, expected: &'static str) -> LoadError {
    LoadError::Shape { file: file.to_owned(), expected }
}

/// Rows by key. The project's files are keyed; two of the original's are lists.
pub(super) fn keyed(name: TableName, json: &Value) -> Result<Map<String, Value>, LoadError> {
    let file = name.as_str();
    match (name, json) {
        (TableName::ImageCaptioning, Value::Array(items)) => items
            .iter()
            .map(|item| {
                let url = item.get("url").and_then(Value::as_str);
                let caption = item.get("caption").and_then(Value::as_str);
                match (url, caption) {
                    (Some(url), Some(caption)) => {
                        Ok((url.to_owned(), json!({ "caption": caption })))
                    }
                    _ => Err(shape(file, "a list of records with the texts url and caption")),
                }
            })
            .collect(),
        (TableName::SearchEngine, Value::Object(fields))
            if fields.contains_key("raw_documents") =>
        {
            let documents = fields
                .get("raw_documents")
                .and_then(Value::as_array)
                .ok_or_else(|| shape(file, "a list under raw_documents"))?;
            Ok(documents
                .iter()
                .enumerate()
                .map(|(index, document)| ((index + 1).to_string(), document.clone()))
                .collect())
        }
        (_, Value::Object(rows)) => Ok(rows.clone()),
        _ => Err(shape(file, "an object of rows by key")),
    }
}

/// A table from rows by key.
pub(super) fn table<R: DeserializeOwned>(
    file: &str,
    rows: &Map<String, Value>,
) -> Result<Table<R>, LoadError> {
    rows.iter()
        .map(|(key, row)| {
            let read = R::deserialize(row).or_else(|_| {
                // Tracking the path doubles the time, so only failed rows are parsed with it.
                serde_path_to_error::deserialize(row).map_err(|error| LoadError::Row {
                    file: file.to_owned(),
                    row: key.clone(),
                    field: error.path().to_string(),
                    reason: error.inner().to_string(),
                })
            })?;
            Ok((key.clone(), read))
        })
        .collect()
}

impl World {
    /// Loads the tables that the original keeps inside its planning APIs, from one object keyed by
    /// API name. Absent tables stay unchanged.
    ///
    /// # Errors
    /// If a table has the wrong shape.
    pub fn load_planning_tables(&mut self, file: &str, json: &Value) -> Result<(), LoadError> {
        let part = |api: &str, field: &str| json.get(api).and_then(|api| api.get(field)).cloned();
        let mut load = |name: TableName, rows: Option<Value>| match rows {
            Some(rows) => self.load_table(name, file, &rows),
            None => Ok(()),
        };
        let pairs = |value: Option<Value>, join: fn(&Value, &Value) -> Option<(String, Value)>| {
            let items = value?;
            let rows = items.as_array()?.iter().map(|pair| join(pair.get(0)?, pair.get(1)?));
            rows.collect::<Option<Map<String, Value>>>().map(Value::Object)
        };
        load(
            TableName::Profile,
            pairs(part("AccountInfo", "database"), |login, contact| {
                let mut row = contact.as_object()?.clone();
                row.insert("password".to_owned(), login.get(1)?.clone());
                Some((login.get(0)?.as_str()?.to_owned(), Value::Object(row)))
            }),
        )?;
        load(
            TableName::Weather,
            pairs(part("GetWeatherForCoordinates", "coordinates_to_weather"), |point, weather| {
                let (latitude, longitude) = (point.get(0)?, point.get(1)?);
                let mut row = weather.as_object()?.clone();
                row.insert("latitude".to_owned(), latitude.clone());
                row.insert("longitude".to_owned(), longitude.clone());
                Some((format!("{latitude},{longitude}"), Value::Object(row)))
            }),
        )?;
        load(TableName::Flight, part("FlightSearch", "flight_data").and_then(numbered))?;
        load(
            TableName::Place,
            part("Geocoding", "address_to_coordinates").and_then(|places| points(&places)),
        )?;
        load(
            TableName::Restaurant,
            part("NearbyRestaurants", "restaurants").and_then(|restaurants| {
                let rows = restaurants.as_array()?.iter().map(|restaurant| {
                    let name = restaurant.get("name")?.as_str()?.to_owned();
                    Some((name, point(restaurant.get("coordinates")?)?))
                });
                rows.collect::<Option<Map<String, Value>>>().map(Value::Object)
            }),
        )?;
        for (name, api, field) in [
            (TableName::Occupation, "GetOccupationSalary", "salary_info"),
            (TableName::HotelOffer, "HotelAvailability", "hotel_database"),
            (TableName::Post, "LikeCount", "database"),
            (TableName::Genre, "MovieRecommendations", "database"),
            (TableName::Organization, "OrganizationMembers", "database"),
            (TableName::Calendar, "QueryMeeting", "database"),
            (TableName::TaxBracket, "TaxCalculator", "tax_rates"),
            (TableName::TravelStatus, "TravelStatus", "database"),
            (TableName::UserPosts, "UserPosts", "database"),
            (TableName::WatchedMovies, "UserWatchedMovies", "database"),
            (TableName::MoviePreferences, "UserMoviePreferences", "database"),
        ] {
            load(name, part(api, field))?;
        }
        Ok(())
    }
}

fn numbered(list: Value) -> Option<Value> {
    let rows = list.as_array()?.iter().enumerate();
    Some(rows.map(|(index, row)| ((index + 1).to_string(), row.clone())).collect())
}

fn points(places: &Value) -> Option<Value> {
    let rows = places.as_object()?.iter().map(|(name, pair)| Some((name.clone(), point(pair)?)));
    rows.collect::<Option<Map<String, Value>>>().map(Value::Object)
}

fn point(pair: &Value) -> Option<Value> {
    Some(json!({ "latitude": pair.get(0)?, "longitude": pair.get(1)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_row_is_named() {
        let mut world = World::empty(0);
        let json = json!({"ann": {"password": "a", "token": 7, "email": "e"}});
        let error = world.load_table(TableName::Account, "Account.json", &json).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Account.json: row \"ann\", field token: invalid type: integer `7`, expected a string"
        );
        let error = world.load_table(TableName::Account, "Account.json", &json!([])).unwrap_err();
        assert_eq!(error.to_string(), "Account: expected an object of rows by key");
    }

    #[test]
    fn lists_of_the_original_are_keyed() {
        let mut world = World::empty(0);
        let json = json!([{"url": "a.png", "caption": "a cat"}]);
        world.load_table(TableName::ImageCaptioning, "ImageCaptioning.json", &json).unwrap();
        assert_eq!(world.image_captioning.get("a.png").unwrap().caption, "a cat");
        let json = json!({"raw_documents": [{"title": "t", "url": "u", "abstract": "a"}]});
        world.load_table(TableName::SearchEngine, "SearchEngine.json", &json).unwrap();
        assert_eq!(world.search_engine.get("1").unwrap().summary, "a");
    }
}
