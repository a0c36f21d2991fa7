//! Accounts, stocks, salaries, taxes, sums.

use crate::api::Api;

mod calculator;
mod get_occupation_salary;
mod open_bank_account;
mod query_balance;
mod query_stock;
mod tax_calculator;

pub const APIS: &[&Api] = &[
    &calculator::API,
    &calculator::PLANNING,
    &open_bank_account::API,
    &query_balance::API,
    &query_stock::API,
    &get_occupation_salary::API,
    &tax_calculator::API,
];
