//! Lookups, the hotel, and the APIs without a database.

use super::calculator::CALCULATOR;
use super::checks::{
    CheckFault, Gold, all_equal, same_input, same_name, same_result, same_stripped, same_text,
    same_time, text_of,
};
use super::manager::{Api, Args, Fault, Kind, Response, Shape, World, opt, req, text};
use super::python::Py;
use super::search_engine::SEARCH_ENGINE;
use super::strptime::{DATE, MONTH_DAY, normalise, strptime};
use super::tables::Table;
use super::text::{fold, is_word, strip};
use super::tool_searcher::TOOL_SEARCHER;
use std::sync::Arc;

const HOTEL: Table = Table::Database("Hotel");
const STOCK: Table = Table::Database("Stock");
const HISTORY: Table = Table::Database("History");
const WIKI: Table = Table::Database("Wiki");
const SPEECH: Table = Table::Database("SpeechRecognition");
const DOCUMENTS: Table = Table::Database("QuestionAnswering");
/// Replaces the error message of the two web services, which are never called.
const OFFLINE: &str = "The web service of this API cannot be reached.";

pub(super) const APIS: &[Api] = &[
    CALCULATOR,
    SEARCH_ENGINE,
    TOOL_SEARCHER,
    Api {
        name: "BookHotel",
        shape: Shape::Full,
        params: &[
            text("hotel_name"),
            text("check_in_time"),
            text("check_out_time"),
            req("room_count", Kind::Int),
            req("adult_count", Kind::Int),
            req("child_count", Kind::Int),
        ],
        call: book_hotel,
        check: all_equal,
    },
    Api {
        name: "QueryStock",
        shape: Shape::Full,
        params: &[text("stock_code"), text("date")],
        call: query_stock,
        check: |r, g| {
            Ok(same_text(r, g, "stock_code", |code| strip(code).to_uppercase())?
                && same_time(r, g, "date", DATE)?
                && same_result(r, g)?)
        },
    },
    Api {
        name: "QueryHistoryToday",
        shape: Shape::Full,
        params: &[text("date")],
        call: query_history,
        check: check_history,
    },
    Api {
        name: "GetToday",
        shape: Shape::NoInput,
        params: &[],
        call: |_, _| Ok(Py::text("2023-03-31")),
        check: |r, _| Ok(!r.output.is_none() && r.exception.is_none() && r.input.is_none()),
    },
    Api {
        name: "Wiki",
        shape: Shape::Full,
        params: &[text("keyword")],
        call: query_wiki,
        check: |r, g| Ok(same_name(r, g)? && same_result(r, g)?),
    },
    Api {
        name: "Dictionary",
        shape: Shape::Full,
        params: &[text("keyword")],
        call: |_, _| Err(OFFLINE.into()),
        check: |r, g| Ok(r.api_name == Some("Dictionary") && same_result(r, g)?),
    },
    Api {
        name: "Translate",
        shape: Shape::Full,
        params: &[text("src"), opt("src_lang", Kind::Raw), opt("tgt_lang", Kind::Raw)],
        call: |_, _| Err(OFFLINE.into()),
        check: |r, g| Ok(same_name(r, g)? && same_input(r, g, "src")? && same_result(r, g)?),
    },
    Api {
        name: "ImageCaption",
        shape: Shape::Full,
        params: &[text("url")],
        call: caption,
        check: all_equal,
    },
    Api {
        name: "SpeechRecognition",
        shape: Shape::Full,
        params: &[text("url")],
        call: recognize,
        check: all_equal,
    },
    Api {
        name: "DocumentQA",
        shape: Shape::Full,
        params: &[text("url"), text("question")],
        call: answer,
        check: |r, g| {
            Ok(same_stripped(r, g, "url")?
                && same_stripped(r, g, "question")?
                && same_result(r, g)?)
        },
    },
    Api {
        name: "PlayMusic",
        shape: Shape::Full,
        params: &[text("music_name")],
        call: play,
        check: |r, g| Ok(r.output == *g.get("output")?),
    },
    Api {
        name: "SendEmail",
        shape: Shape::Full,
        params: &[text("receiver"), text("subject"), text("content")],
        call: send_email,
        check: |r, g| {
            Ok(same_text(r, g, "receiver", fold)?
                && same_stripped(r, g, "subject")?
                && same_stripped(r, g, "content")?
                && same_result(r, g)?)
        },
    },
];

fn book_hotel(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let start = strptime(a.text("check_in_time"), DATE)?;
    let end = strptime(a.text("check_out_time"), DATE)?;
    if a.int("adult_count") > 2 && a.int("room_count") == 1 {
        return Err("The number of adults is greater than 2. Two rooms are ordered.".into());
    }
    // Like the original, misses a stay that encloses an existing one.
    let taken = |row: &Py| {
        let stay = |key| strptime(row.field(key), DATE);
        match (stay("check_in_time"), stay("check_out_time")) {
            (Ok(from), Ok(to)) => (from <= start && start < to) || (from < end && end <= to),
            _ => false,
        }
    };
    let hotel = a.text("hotel_name");
    if w.rows(HOTEL).any(|(_, row)| row.field("hotel_name") == hotel && taken(row)) {
        return Err("The room is not available.".into());
    }
    let id = (w.rows(HOTEL).count() + 1).to_string();
    let fields = ["hotel_name", "check_in_time", "check_out_time"];
    let counts = ["room_count", "adult_count", "child_count"];
    let row = Py::Dict(Arc::new(a.row(fields.into_iter().chain(counts))));
    w.put(HOTEL, id.as_str().into(), row);
    Ok(Py::text(&id))
}

fn query_stock(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let code = strip(a.text("stock_code")).to_uppercase();
    if code.is_empty() {
        return Err("The stock code cannot be empty.".into());
    }
    let date = normalise(a.text("date"), DATE)?.date();
    let prices = w.read(STOCK).get(&code).ok_or("The stock code does not exist.")?;
    let price = prices.get(&date).ok_or("The stock price of this date is not maintained.")?;
    Ok(price.clone())
}

/// `MM-DD` of a date with or without a year; the error is that of parsing without one.
fn month_day(text: &str) -> Result<String, String> {
    normalise(text, DATE)
        .or_else(|_| strptime(strip(text), MONTH_DAY))
        .map(|moment| moment.month_day())
}

fn query_history(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let day = month_day(a.text("date"))?;
    let events = w.read(HISTORY).get(&day).ok_or("The date is not in the database.")?;
    let line = |event: &Py| {
        let [title, date, text] = ["Title", "Date", "Description"].map(|key| event.field(key));
        Py::text(&format!("Title: {title}, Date: {date}, Description: {text}"))
    };
    Ok(Py::list(events.items().iter().map(line)))
}

fn check_history(r: &Response, g: &Gold) -> Result<bool, CheckFault> {
    let ours = month_day(text_of(r.input("date")?)?).ok();
    let gold = month_day(text_of(g.input("date")?)?).ok();
    Ok(ours.is_some() && ours == gold && same_result(r, g)?)
}

fn query_wiki(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let keyword = fold(&a.text("keyword").replace('_', " "));
    let page = w.read(WIKI).get(&keyword).ok_or("Keyword not found.")?;
    let part = |key| (key, page.get(key).cloned().unwrap_or(Py::None));
    Ok(Py::dict([part("url"), part("summary")]))
}

fn caption(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let url = a.text("url");
    if ![".jpg", ".jpeg", ".png"].iter().any(|end| url.ends_with(end)) {
        return Err("The url should end with .jpg, .jpeg or .png.".into());
    }
    let caption = w.databases.caption(url);
    Ok(caption.ok_or("The image of this url failed to be processed.")?.clone())
}

fn recognize(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let url = a.text("url");
    if !url.ends_with(".wav") {
        return Err("The url should end with .wav.".into());
    }
    let text = w.read(SPEECH).get(url);
    Ok(text.ok_or("The audio of this url failed to be processed.")?.clone())
}

/// The original looks up the question among dicts and never finds it; that is an output, not an
/// exception.
fn answer(w: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    if strip(a.text("question")).is_empty() {
        return Err("The question is empty.".into());
    }
    let document = w.read(DOCUMENTS).get(strip(a.text("url")));
    document.ok_or("The document of this url failed to be processed.")?;
    Ok(Py::text("The question is too difficult to answer."))
}

fn play(_: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    let name = fold(a.text("music_name"));
    if name.is_empty() {
        return Err("The music name cannot be empty.".into());
    }
    Ok(Py::text(&format!("music://{name}")))
}

fn send_email(_: &mut World<'_>, a: &Args) -> Result<Py, Fault> {
    if !is_address(a.text("receiver")) {
        return Err("Email address of the receiver is invalid.".into());
    }
    if strip(a.text("subject")).is_empty() {
        return Err("Subject cannot be empty.".into());
    }
    if strip(a.text("content")).is_empty() {
        return Err("Content cannot be empty.".into());
    }
    Ok(Py::text("success"))
}

/// The original's pattern: two or more lower-case letters or digits with at most one dot or
/// underscore between them, `@`, a one-word domain, a dot, and two or three word characters.
fn is_address(text: &str) -> bool {
    let small = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let Some((user, host)) = text.split_once('@') else {
        return false;
    };
    let user_fits = match user.split_once(['.', '_']) {
        Some((first, second)) => small(first) && small(second),
        None => small(user) && user.len() > 1,
    };
    let host_fits = host.split_once('.').is_some_and(|(domain, ending)| {
        !domain.is_empty()
            && domain.chars().all(is_word)
            && (2..=3).contains(&ending.chars().count())
            && ending.chars().all(is_word)
    });
    user_fits && host_fits
}
