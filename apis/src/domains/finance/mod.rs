//! Accounts, stocks, salaries, taxes, sums.

use crate::api::Api;

pub mod calculator;
pub mod get_occupation_salary;
pub mod open_bank_account;
pub mod query_balance;
pub mod query_stock;
pub mod tax_calculator;

/// The APIs of this domain.
pub const APIS: &[&Api] = &[
    &calculator::API,
    &calculator::PLANNING,
    &open_bank_account::API,
    &query_balance::API,
    &query_stock::API,
    &get_occupation_salary::API,
    &tax_calculator::API,
];
