//! Hotels, flights, places, weather.

use crate::api::Api;
use crate::error::ApiError;

mod book_hotel;
mod clothing_recommendation;
mod flight_search;
mod geocoding;
mod get_weather_for_coordinates;
mod hotel_availability;
mod nearby_restaurants;

pub const APIS: &[&Api] = &[
    &book_hotel::API,
    &hotel_availability::API,
    &flight_search::API,
    &geocoding::API,
    &get_weather_for_coordinates::API,
    &nearby_restaurants::API,
    &clothing_recommendation::API,
];

/// Normalizes a place name: no case, punctuation or extra blanks.
fn place_name(text: &str) -> String {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Checks the ranges of latitude and longitude, in degrees.
fn check_point(latitude: f64, longitude: f64) -> Result<(), ApiError> {
    if !(-90.0..=90.0).contains(&latitude) {
        return Err(ApiError::invalid("latitude", "it lies between -90 and 90 degrees"));
    }
    if !(-180.0..=180.0).contains(&longitude) {
        return Err(ApiError::invalid("longitude", "it lies between -180 and 180 degrees"));
    }
    Ok(())
}
