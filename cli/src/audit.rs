//! `api-bank audit`: runs a pack's own gold calls under every profile.

use crate::shown::{put, shown};
use crate::table::aligned;
use crate::{FINISHED, INCOMPLETE, run};
use anyhow::Result;
use clap::Args;
use scoring::audit::{Audit, AuditRow};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What to audit.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The original's data, in any of its released layouts: a folder, a file, or a zip or tar.gz
    /// archive; can be repeated. Defaults to the built-in pack.
    #[arg(long, value_name = "PATH")]
    pack: Vec<PathBuf>,
    /// Print the audit as JSON.
    #[arg(long)]
    json: bool,
    /// The folder with model.onnx, vocab.txt and vectors.bin; defaults as for run.
    #[arg(long, value_name = "DIR")]
    search_files: Option<PathBuf>,
}

/// Audits and prints. Exits with 3 when `execution` rejects a gold call.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    let bench = run::bench(&arguments.pack, arguments.search_files.as_deref())?;
    let audit = runner::audit(&bench, |_, _| {});
    if arguments.json {
        put(&(serde_json::to_string_pretty(&audit)? + "\n"));
    } else {
        put(&shown(&text(&audit)));
    }
    let refused = audit.failures.iter().any(|it| it.profile == scoring::Profile::Execution);
    Ok(if refused { INCOMPLETE } else { FINISHED })
}

fn text(audit: &Audit) -> String {
    let mut out = format!("Gold of {} {}.\n\n", audit.pack.name, audit.pack.version);
    let head =
        ["", "profile", "n", "right", "dialogues", "calls", "repeats", "corrected", "excluded"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for row in &audit.rows {
        table.extend(lines(row));
    }
    out.push_str(&aligned(&table));
    out.push_str(
        "\nn counts the items that are scored: every call, and a second time each call that stands \
         directly behind another one (repeats), as the original scores them; what the errata \
         exclude is left out but for the profile original.\n",
    );
    if !audit.original_lacks.is_empty() {
        let _ = write!(out, "\nNo profile original: {}.\n", audit.original_lacks.join("; "));
    }
    let classes = audit.errata();
    if !classes.is_empty() {
        let classes: Vec<String> = classes.iter().map(|(it, n)| format!("{it} {n}")).collect();
        let _ = write!(out, "\nErrata: {}.\n", classes.join(", "));
    }
    for failure in &audit.failures {
        let class = failure.class.map_or("", |class| class.title());
        let profile = failure.profile.as_str();
        let _ = write!(
            out,
            "\n{} {profile}: {class}. {}\n    {}\n",
            failure.sample, failure.why, failure.gold
        );
    }
    out
}

fn lines(row: &AuditRow) -> Vec<Vec<String>> {
    let line = |(index, count): (usize, &scoring::audit::AuditCount)| {
        let first = |text: String| if index == 0 { text } else { String::new() };
        vec![
            first(row.ability.title().to_owned()),
            count.profile.as_str().to_owned(),
            count.n.to_string(),
            count.right.to_string(),
            format!("{} / {}", count.dialogues, row.dialogues),
            first(row.calls.to_string()),
            first(row.repeats.to_string()),
            first(row.corrected.to_string()),
            first(row.excluded.to_string()),
        ]
    };
    row.profiles.iter().enumerate().map(line).collect()
}
