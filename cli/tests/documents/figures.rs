//! The figures of `docs/lynx.md` are those of the records in `training/records/`.

use crate::found::root;
use apis::search::TOOL_SEARCHER;
use dataset::Ability;
use record::{Gold, Record, compare, table};
use scoring::Profile;
use std::fs;

fn record(name: &str) -> Record {
    let file = format!("{name}.json.gz");
    let bytes = fs::read(root().join("training/records").join(&file)).unwrap();
    let mut record = runner::results::read(&file, &bytes).unwrap();
    // The page counts searches among the calls, as the paper does.
    for sample in &mut record.samples {
        if let Gold::Call(call) = &mut sample.gold {
            call.api_name = call.api_name.replace(TOOL_SEARCHER, "Search");
        }
    }
    record
}

/// "+29.1 (+25.6 to +32.4)", in points.
fn difference(paired: &compare::Paired) -> String {
    let [middle, low, high] = [paired.difference, paired.interval.low, paired.interval.high];
    format!("{:+.1} ({:+.1} to {:+.1})", 100.0 * middle, 100.0 * low, 100.0 * high)
}

/// What the page does not say of a run beside the base. The table of all dialogues has a row for each
/// ability, that of the shares a row for each run, that of the seeds a column.
fn missing(page: &str, tuned: &str) -> Vec<String> {
    let (one, other) = (record("base"), record(tuned));
    let before = compare::rates(&one, Profile::Execution);
    let after = compare::rates(&other, Profile::Execution);
    let pairs = compare::against(&one, &other, Profile::Execution).rows;
    let percents: Vec<String> = after.iter().map(|(_, rate)| table::percent(rate)).collect();
    let differences: Vec<String> = pairs.iter().map(|pair| difference(&pair.paired)).collect();
    let (all, abilities) = percents.split_last().unwrap();
    let gap = differences.last().unwrap();
    let mut said = vec![all.clone(), gap.clone()];
    if tuned.starts_with("share") {
        said.push(format!("| {all} | {} | {gap} |", abilities.join(" | ")));
    }
    if tuned == "lynx" {
        for (index, (ability, rate)) in after.iter().enumerate() {
            let Some(name) = ability.map(Ability::title) else { continue };
            let (n, was, is) = (rate.n, table::percent(&before[index].1), &percents[index]);
            said.push(format!("| {name} ({n}) | {was} | {is} | {} |", differences[index]));
        }
    }
    said.into_iter().filter(|it| !page.contains(it)).map(|it| format!("{tuned}: {it}")).collect()
}

#[test]
fn the_page_on_fine_tuning_has_the_figures_of_its_records() {
    let page = fs::read_to_string(root().join("docs/lynx.md")).unwrap();
    let mut wrong = missing(&page, "lynx");
    for file in fs::read_dir(root().join("training/records")).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".json.gz").unwrap();
        if name.ends_with("-25-percent") {
            wrong.extend(missing(&page, name));
        }
    }
    assert!(wrong.is_empty(), "docs/lynx.md does not say:\n{}", wrong.join("\n"));
}
