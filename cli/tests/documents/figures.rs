//! The figures of `docs/lynx.md` are those of the records in `training/records/`.

use crate::found::root;
use dataset::Ability;
use record::{Record, compare, table};
use scoring::Profile;
use std::fs;

fn record(name: &str) -> Record {
    let file = format!("{name}.json.gz");
    let bytes = fs::read(root().join("training/records").join(&file)).unwrap();
    runner::results::read(&file, &bytes).unwrap()
}

/// "+29.1 (+25.6 to +32.4)", in points.
fn difference(paired: &compare::Paired) -> String {
    let [middle, low, high] = [paired.difference, paired.interval.low, paired.interval.high];
    format!("{:+.1} ({:+.1} to {:+.1})", 100.0 * middle, 100.0 * low, 100.0 * high)
}

/// What the page does not say of a pair of records.
fn missing(page: &str, base: &str, tuned: &str, rows: bool) -> Vec<String> {
    let (one, other) = (record(base), record(tuned));
    let [before, after] = [&one, &other].map(|it| compare::rates(it, Profile::Execution));
    let pairs = compare::against(&one, &other, Profile::Execution).rows;
    let mut said = Vec::new();
    for ((ability, after), pair) in after.iter().zip(&pairs) {
        assert_eq!(*ability, pair.ability, "{tuned}");
        let (_, before) = before.iter().find(|(it, _)| it == ability).unwrap();
        let name = ability.map(Ability::title);
        match name {
            Some(name) if rows => said.push(format!(
                "| {name} ({}) | {} | {} | {} |",
                after.n,
                table::percent(before),
                table::percent(after),
                difference(&pair.paired)
            )),
            Some(_) => said.push(table::percent(after)),
            None => said.extend([table::percent(after), difference(&pair.paired)]),
        }
    }
    said.into_iter().filter(|it| !page.contains(it)).map(|it| format!("{tuned}: {it}")).collect()
}

#[test]
fn the_page_on_fine_tuning_has_the_figures_of_its_records() {
    let page = fs::read_to_string(root().join("docs/lynx.md")).unwrap();
    let mut wrong = missing(&page, "base", "lynx", true);
    for file in fs::read_dir(root().join("training/records")).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".json.gz").unwrap();
        if name.ends_with("-25-percent") {
            wrong.extend(missing(&page, "base", name, false));
        }
    }
    assert!(wrong.is_empty(), "docs/lynx.md does not say:\n{}", wrong.join("\n"));
}
