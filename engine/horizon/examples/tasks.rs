//! Prints the tasks of a seed: `cargo run -p horizon --example tasks -- 1 horizon/errands-003`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let prefix = arguments.next().unwrap_or_default();
    let Ok(pack) = dataset::builtin() else { return ExitCode::FAILURE };
    match horizon::tasks(seed, pack) {
        Ok(tasks) => {
            for dialogue in tasks.pack.dialogues.iter().filter(|it| it.id.starts_with(&prefix)) {
                println!("{}\n{}", dialogue.id, dialogue.to_file());
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
