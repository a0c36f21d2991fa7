//! Hotels, flights, places, weather.

use crate::api::Api;

pub mod book_hotel;

/// The APIs of this domain.
pub const APIS: &[&Api] = &[&book_hotel::API];
