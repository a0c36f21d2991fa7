//! Places, weather, travel and money: planning APIs, each with its own table.

use super::calculator::CALCULATOR;
use super::checks::{
    CheckFault, Gold, all_equal, assert_name, named_all_equal, same_input, subscript,
};
use super::manager::{
    Api, Args, Fault, Kind, Response, Shape, World, dict_mut, list_mut, req, text,
};
use super::plan_people::by_key;
use super::python::Py;
use super::strptime::{DATE, strptime};
use super::tables::Table;
use super::tool_searcher::TOOL_SEARCHER;
use std::sync::Arc;

const FLIGHTS: Table = Table::Planning("FlightSearch");
const HOTELS: Table = Table::Planning("HotelAvailability");

pub(super) const APIS: &[Api] = &[
    CALCULATOR,
    TOOL_SEARCHER,
    Api {
        name: "Geocoding",
        shape: Shape::Full,
        params: &[text("address")],
        call: geocode,
        check: named_all_equal,
    },
    Api {
        name: "GetWeatherForCoordinates",
        shape: Shape::Full,
        params: &[req("latitude", Kind::Float), req("longitude", Kind::Float)],
        call: weather,
        check: all_equal,
    },
    Api {
        name: "NearbyRestaurants",
        shape: Shape::Full,
        params: &[
            req("latitude", Kind::Float),
            req("longitude", Kind::Float),
            req("distance", Kind::Int),
        ],
        call: |w, _| {
            let all = w.read(Table::Planning("NearbyRestaurants"));
            Ok(Py::dict([("restaurants", all.clone())]))
        },
        check: |r, g| {
            assert_name(r, g)?;
            Ok(r.input == *g.get("input")?)
        },
    },
    Api {
        name: "ClothingRecommendation",
        shape: Shape::Full,
        params: &[
            req("temperature", Kind::Float),
            req("humidity", Kind::Float),
            text("weather_conditions"),
        ],
        call: dress,
        check: named_all_equal,
    },
    Api {
        name: "FlightSearch",
        shape: Shape::Full,
        params: &[text("source"), text("destination"), text("travel_dates")],
        call: find_flights,
        check: named_all_equal,
    },
    Api {
        name: "HotelAvailability",
        shape: Shape::Full,
        params: &[text("destination"), text("check_in_date"), text("check_out_date")],
        call: find_hotels,
        check: check_hotels,
    },
    Api {
        name: "GetOccupationSalary",
        shape: Shape::Full,
        params: &[text("occupation")],
        call: |w, a| {
            let salaries = w.read(Table::Planning("GetOccupationSalary"));
            let salary = salaries.get(a.text("occupation"));
            let salary = salary.ok_or("The occupation is not in the database.")?;
            Ok(Py::dict([("salary", salary.clone())]))
        },
        check: named_all_equal,
    },
    Api {
        name: "TaxCalculator",
        shape: Shape::Full,
        params: &[req("salary", Kind::Float)],
        call: tax,
        check: check_tax,
    },
];

fn geocode(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let place = by_key(w, "Geocoding", a.text("address"))?;
    let part = |at: usize| place.items().get(at).cloned().unwrap_or(Py::None);
    Ok(Py::dict([("latitude", part(0)), ("longitude", part(1))]))
}

/// An unknown place raises an exception that the API does not catch.
fn weather(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let here = Py::list([a.value("latitude"), a.value("longitude")]);
    let mut pairs = w.read(Table::Planning("GetWeatherForCoordinates")).items().iter();
    let pair = pairs.find(|pair| pair.items().first() == Some(&here));
    pair.and_then(|pair| pair.items().get(1)).cloned().ok_or_else(|| {
        Fault::Escaped("TypeError", "'NoneType' object is not subscriptable".to_owned())
    })
}

/// Recommends clothes by temperature, plus a raincoat. Humidity has no effect: the data ranges from
/// 0 to 1, and the original's threshold is 70. No recorded call reaches 30 degrees; the clothes for
/// that are made up.
fn dress(_: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let temperature = a.float("temperature");
    let mut clothes = if temperature < 10.0 {
        vec!["Warm coat", "Hat", "Gloves"]
    } else if temperature < 20.0 {
        vec!["Light jacket", "Long-sleeved shirt"]
    } else if temperature < 30.0 {
        vec!["T-shirt", "Shorts"]
    } else {
        vec!["Sun hat", "Sandals"]
    };
    if a.text("weather_conditions").to_lowercase().contains("rain") {
        clothes.push("Raincoat");
    }
    Ok(Py::dict([("clothing_options", Py::list(clothes.into_iter().map(Py::text)))]))
}

/// The date in a field. Once a search has returned the row the field is a string, and the original
/// raises.
fn moment(row: &Py, field: &str, method: &str) -> Result<String, Fault> {
    match row.get(field) {
        Some(Py::Moment(moment)) => Ok(moment.date()),
        _ => Err(format!("'str' object has no attribute '{method}'").into()),
    }
}

fn find_flights(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let day = strptime(a.text("travel_dates"), DATE)?.date();
    let mut found = Vec::new();
    let count = w.read(FLIGHTS).items().len();
    for at in 0..count {
        let row = w.read(FLIGHTS).items()[at].clone();
        let route = row.field("source") == a.text("source")
            && row.field("destination") == a.text("destination");
        if route && moment(&row, "departure_date", "date")? == day {
            let shown = with_texts(&row, Py::to_text);
            if let Some(rows) = list_mut(w.write(FLIGHTS)) {
                rows[at] = shown.clone();
            }
            found.push(shown);
        }
    }
    Ok(Py::dict([("flights", Py::list(found))]))
}

fn find_hotels(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let from = strptime(a.text("check_in_date"), DATE)?.date();
    let to = strptime(a.text("check_out_date"), DATE)?.date();
    let keys: Vec<Arc<str>> = w.rows(HOTELS).map(|(key, _)| Arc::clone(key)).collect();
    let mut found = Vec::new();
    for key in keys {
        let row = w.read(HOTELS).get(&key).cloned().unwrap_or(Py::None);
        if row.field("destination") != a.text("destination") {
            continue;
        }
        let stay = [
            moment(&row, "check_in_date", "strftime")?,
            moment(&row, "check_out_date", "strftime")?,
        ];
        if stay == [from.as_str(), to.as_str()] {
            let shown = with_texts(&row, Py::to_date);
            if let Some(rows) = dict_mut(w.write(HOTELS)) {
                rows.insert(key, shown.clone());
            }
            found.push(shown);
        }
    }
    Ok(Py::dict([("hotels", Py::list(found))]))
}

/// A row with its moments formatted by `form`.
fn with_texts(row: &Py, form: fn(&Py) -> Py) -> Py {
    let fields = row.as_dict().into_iter().flatten();
    Py::dict(fields.map(|(key, value)| (&**key, form(value))))
}

/// Compares inputs and hotels. A null output crashes the original, but only if all inputs agree.
fn check_hotels(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    assert_name(r, g)?;
    for field in ["destination", "check_in_date", "check_out_date"] {
        if !same_input(r, g, field)? {
            return Ok(false);
        }
    }
    Ok(subscript(&r.output, "hotels")? == subscript(g.get("output")?, "hotels")?)
}

/// Applies the rate of the highest threshold that the salary reaches.
fn tax(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let salary = a.float("salary");
    let rate = w
        .rows(Table::Planning("TaxCalculator"))
        .filter_map(|(threshold, rate)| Some((threshold.parse::<f64>().ok()?, rate)))
        .filter(|(threshold, _)| *threshold <= salary)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    // Below every threshold, the original raises an exception without a message.
    let rate = match rate.ok_or("")?.1 {
        Py::Float(rate) => *rate,
        _ => 0.0,
    };
    Ok(Py::dict([("salary_after_tax", Py::Float(salary * (1.0 - rate)))]))
}

fn check_tax(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    assert_name(r, g)?;
    Ok(same_input(r, g, "salary")?
        && subscript(&r.output, "salary_after_tax")?
            == subscript(g.get("output")?, "salary_after_tax")?
        && r.exception == *g.get("exception")?)
}
