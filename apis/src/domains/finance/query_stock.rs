//! QueryStock: the price of a stock on a day.

use crate::api::{Api, Domain, Example, Field, Suite, typed};
use crate::error::{ApiError, filled};
use crate::store::{TableName, World};
use crate::when::Date;
use serde_json::Value;

pub const API: Api = Api {
    name: "QueryStock",
    suite: Suite::Dialogue,
    domain: Domain::Finance,
    description: "Looks up the share price of a listed company by its stock code on a given day.",
    hints: &[
        "stock price",
        "what were the shares worth on Friday",
        "look up a ticker symbol",
        "how did this company do on the stock market",
        "share price on a given date",
        "closing price of a stock",
        "check my investment",
    ],
    params: Args::PARAMS,
    returns: &[Field {
        name: "stock_price",
        label: "float",
        description: "The closing price of the day.",
    }],
    reads: &[TableName::Stock],
    writes: &[],
    errors: &["The code is empty.", "No stock has the code.", "There is no price for the day."],
    examples: &[
        Example { arguments: r#"{"stock_code": "NWIND", "date": "2024-05-14"}"#, succeeds: true },
        Example { arguments: r#"{"stock_code": "NWIND", "date": "2024-05-12"}"#, succeeds: false },
    ],
    run: code!(|arguments, world| call(typed(arguments)?, world)),
};

params! {
    struct Args {
        /// The code of the stock.
        #[rule(CaseFolded)]
        stock_code: String,
        /// The trading day.
        #[rule(Date)]
        date: Date,
    }
}

fn call(args: Args, world: &mut World) -> Result<Value, ApiError> {
    let code = filled("stock_code", &args.stock_code)?.to_uppercase();
    let prices =
        world.stock.get(&code).ok_or_else(|| ApiError::not_found("stock with the code", &code))?;
    let price = prices.get(&args.date).ok_or_else(|| {
        ApiError::Refused(format!("There is no price of {code} for {}.", args.date))
    })?;
    Ok(Value::from(*price))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::testing::{exception, output, same, world};
    use serde_json::json;

    fn query(code: &str, date: &str) -> Value {
        json!({"stock_code": code, "date": date})
    }

    #[test]
    fn gives_the_price_of_the_day() {
        let mut world = world();
        let price = output(&API, query(" nwind ", "2024-05-14"), &mut world);
        let day = "2024-05-14".parse().unwrap();
        assert_eq!(price, json!(world.stock.get("NWIND").unwrap()[&day]));
    }

    #[test]
    fn says_what_is_unknown() {
        let mut world = world();
        assert!(exception(&API, query("NOPE", "2024-05-14"), &mut world).contains("NOPE"));
        // A Sunday.
        assert!(exception(&API, query("NWIND", "2024-05-12"), &mut world).contains("2024-05-12"));
        assert!(exception(&API, query("", "2024-05-14"), &mut world).contains("stock_code"));
    }

    #[test]
    fn the_code_matches_in_any_case() {
        let gold = query("NWIND", "2024-05-14");
        assert!(same(&API, gold.clone(), query("nwind", "2024/05/14")));
        assert!(!same(&API, gold, query("NWIND", "2024-05-13")));
    }
}
