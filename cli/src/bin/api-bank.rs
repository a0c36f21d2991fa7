//! The program `api-bank`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
