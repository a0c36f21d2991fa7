//! Formats the result of a verification in the reader's language.

use super::format;
use crate::t;
use crate::texts::Texts;
use dataset::Split;
use record::Subset;
use record::{Disclosure, Rate, Setting, Status, Unit, Verification, Warning};
use scoring::Profile;

/// Whether the record is consistent, as a word.
pub fn verdict(found: &Verification, texts: Texts) -> &'static str {
    if found.holds() { t!(texts, "Consistent") } else { t!(texts, "Inconsistent") }
}

/// The meaning of the verdict.
pub fn meaning(found: &Verification, texts: Texts) -> String {
    let (samples, of) = (format::count(found.samples), &found.disclosure);
    if !found.holds() {
        return t!(
            texts,
            "{n} differences between recorded and recomputed values.",
            n = format::count(found.found)
        );
    }
    if of.builtin {
        return t!(
            texts,
            "Recomputing every number from the answers to {samples} samples gives the recorded values. The built-in model reproduced these answers.",
            samples = samples
        );
    }
    t!(
        texts,
        "Recomputing every number from the answers to {samples} samples gives the recorded values. This doesn't prove that {model} wrote them.",
        samples = samples,
        model = of.model
    )
}

/// Facts about the record and its accuracy: labels and values.
pub fn facts(of: &Disclosure, texts: Texts) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        (
            t!(texts, "Model"),
            if of.builtin {
                t!(texts, "{model}, built in", model = of.model)
            } else {
                of.model.clone()
            },
        ),
        (t!(texts, "Split"), split(of, texts)),
        (t!(texts, "Subset"), subset(of, texts)),
        (t!(texts, "Protocol"), protocol(of, texts)),
        (t!(texts, "State"), state(of, texts)),
        (t!(texts, "Not scored"), not_scored(of, texts)),
    ];
    facts.extend(of.horizon.as_ref().map(|it| (t!(texts, "Horizon"), format::horizon(it, texts))));
    facts.extend([
        (t!(texts, "Accuracy"), rate(&of.accuracy, of.unit, texts)),
        (t!(texts, "Accuracy, failures counted wrong"), rate(&of.failures_wrong, of.unit, texts)),
    ]);
    if let Some(missing_wrong) = &of.missing_wrong {
        let label = t!(texts, "Accuracy, failures and missing samples counted wrong");
        facts.push((label, rate(missing_wrong, of.unit, texts)));
    }
    let settings: Vec<String> = of.settings.iter().map(|it| setting(it, texts)).collect();
    let settings = match settings.is_empty() {
        true => t!(texts, "default").to_owned(),
        false => settings.join(", "),
    };
    facts.push((t!(texts, "Settings"), settings));
    let prompts = if of.custom_prompts { t!(texts, "changed") } else { t!(texts, "default") };
    facts.push((t!(texts, "Prompts"), prompts.to_owned()));
    let dropped = match of.dropped_parameters.as_slice() {
        [] => t!(texts, "none").to_owned(),
        names => names.join(", "),
    };
    facts.push((t!(texts, "Dropped parameters"), dropped));
    let claimed = t!(texts, "claimed: neither digest nor signature covers them");
    facts.push((t!(texts, "Times"), claimed.to_owned()));
    facts
}

/// A setting that differs from the default: name and value, as in the record.
pub fn setting(of: &Setting, texts: Texts) -> String {
    let plain = format!("{} = {}", of.name, of.value);
    match of.easier {
        true => t!(texts, "{setting} (can make tasks easier)", setting = plain),
        false => plain,
    }
}

fn split(of: &Disclosure, texts: Texts) -> String {
    let abilities: Vec<&str> = of.abilities.iter().map(|it| texts.get(it.title())).collect();
    match of.split {
        _ if of.horizon.is_some() => t!(texts, "Horizon").to_owned(),
        Split::Standard => abilities.join(", "),
        Split::Hard => texts.get(of.split.title()).to_owned(),
    }
}

fn subset(of: &Disclosure, texts: Texts) -> String {
    let subset = match &of.subset {
        Subset::PerAbility(most) if of.horizon.is_some() => {
            return t!(texts, "at most {n} tasks of each tier, chosen by their outcome", n = most);
        }
        subset => format::subset(subset, texts),
    };
    let subset = match of.subset {
        Subset::Percent(_) | Subset::PerAbility(_) => {
            t!(texts, "{subset}, seed {seed}", subset = subset, seed = of.seed)
        }
        Subset::All | Subset::Dialogues(_) => subset,
    };
    let Some(shard) = &of.shard else { return subset };
    let parts: Vec<String> = shard.parts.iter().map(u32::to_string).collect();
    t!(
        texts,
        "{subset}, parts {parts} of {of}",
        subset = subset,
        parts = parts.join(", "),
        of = shard.of
    )
}

fn protocol(of: &Disclosure, texts: Texts) -> String {
    let profile = t!(texts, "profile {profile}", profile = of.profile.as_str());
    match of.trials {
        1 => format!("{}, {profile}", of.protocol.as_str()),
        trials => {
            format!("{}{}, {profile}", of.protocol.as_str(), t!(texts, ", {n} trials", n = trials))
        }
    }
}

fn state(of: &Disclosure, texts: Texts) -> String {
    let status = match of.status {
        Status::Finished => t!(texts, "Finished"),
        Status::Cancelled => t!(texts, "Stopped early"),
    };
    t!(
        texts,
        "{status}, {n} of {planned} planned samples",
        status = status,
        n = format::count(of.samples),
        planned = format::count(of.planned)
    )
}

fn not_scored(of: &Disclosure, texts: Texts) -> String {
    t!(
        texts,
        "{n} of {samples} samples, {share} %",
        n = format::count(of.failed),
        samples = format::count(of.samples),
        share = format!("{:.1}", 100.0 * of.not_scored())
    )
}

fn rate(of: &Rate, unit: Unit, texts: Texts) -> String {
    let (share, fraction, interval) =
        (format::percent(of), format::fraction(of), format::interval(of));
    match unit {
        Unit::Calls => t!(
            texts,
            "{share} ({fraction} calls right, 95 % interval {interval})",
            share = share,
            fraction = fraction,
            interval = interval
        ),
        Unit::Dialogues => t!(
            texts,
            "{share} ({fraction} dialogues right, 95 % interval {interval})",
            share = share,
            fraction = fraction,
            interval = interval
        ),
    }
}

/// A warning in words.
pub fn warning(of: &Warning, texts: Texts) -> String {
    match of {
        Warning::Unsigned => {
            t!(texts, "Nobody signed this record, so nothing says who made it.").to_owned()
        }
        Warning::UnknownSigner { signatures } => t!(texts,
            "Signed by unknown keys: {n}. Anyone can make a key and give it any name: only the fingerprint of a key that you know says who signed.",
            n = format::count(*signatures)
        ),
        Warning::EasierSettings { settings } => t!(texts,
            "Settings that can make tasks easier: {settings}. Compare only with runs that have them too.",
            settings = settings.join(", ")
        ),
        Warning::BrokenSignature { signatures } => t!(texts,
            "Broken signatures: {n}. The record was changed after it was signed, or the signature is of another record or key.",
            n = format::count(*signatures)
        ),
        Warning::UnreadableSignature { signatures } => t!(texts,
            "Signatures that can't be read: {n}. They prove nothing.",
            n = format::count(*signatures)
        ),
        Warning::NotScored { failed, samples } => t!(texts,
            "{n} of {samples} samples failed and are not scored. A wrong answer that is turned into a failure raises the accuracy; compare the one that counts failures as wrong.",
            n = format::count(*failed),
            samples = format::count(*samples)
        ),
        Warning::Missing { missing, planned } => t!(texts,
            "{n} of {planned} planned samples are missing. Whoever leaves out wrong answers raises the accuracy; compare the one that counts missing samples as wrong.",
            n = format::count(*missing),
            planned = format::count(*planned)
        ),
        Warning::PartOfRun { parts, of } => t!(texts,
            "{parts} of the {of} parts of this run are here. Merge them all.",
            parts = parts,
            of = of
        ),
        Warning::HandPicked { dialogues } => t!(texts,
            "The {n} dialogues of this run are hand-picked. Its accuracy says nothing about the others; don't compare it with other runs.",
            n = format::count(*dialogues)
        ),
        Warning::AdaptiveTasks => t!(texts,
            "The tasks were chosen during the run, so verification can't tell whether failed tasks were left out."
        )
        .to_owned(),
        Warning::CustomPrompts => {
            t!(texts, "The prompts were changed. Compare only with runs that use the same ones.")
                .to_owned()
        }
        Warning::BrowserModel => t!(texts,
            "The browser's own model answered: it has no digest, can change with the browser, and takes no settings for sampling. Nobody can repeat this run exactly."
        )
        .to_owned(),
        Warning::OtherRetriever { name } => t!(texts,
            "The retriever {name} answered the searches. Compare only with runs that use the same one, or to learn what the retriever changes.",
            name = name
        ),
        Warning::OwnTasks { written_by } => t!(texts,
            "{model} wrote these tasks. A model does better on its own tasks than on others; don't compare it with other models on them.",
            model = written_by
        ),
        Warning::DroppedParameters { names } => t!(texts,
            "The endpoint refused {names}, so the model was asked without.",
            names = names.join(", ")
        ),
        Warning::OtherProfile { profile } => t!(texts,
            "The record sums up the profile {profile}, not the default, {default}.",
            profile = profile.as_str(),
            default = Profile::Execution.as_str()
        ),
        Warning::NoDigest => t!(texts,
            "The record has no digest, as version 1 of the format had none: a changed answer can't be noticed."
        )
        .to_owned(),
        Warning::OtherBuild { made, this } => t!(texts,
            "The record was made by {made} (build {made_build}); this is {this} (build {this_build}). The difference may come from that.",
            made = made.version,
            made_build = if made.build.is_empty() { t!(texts, "unknown") } else { &made.build },
            this = this.version,
            this_build = this.build
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_warnings_are_the_engines() {
        let warnings = [
            Warning::Unsigned,
            Warning::UnknownSigner { signatures: 1 },
            Warning::EasierSettings { settings: vec!["steps = first".to_owned()] },
            Warning::BrokenSignature { signatures: 1 },
            Warning::UnreadableSignature { signatures: 2 },
            Warning::NotScored { failed: 2, samples: 9 },
            Warning::Missing { missing: 2, planned: 9 },
            Warning::PartOfRun { parts: 1, of: 3 },
            Warning::HandPicked { dialogues: 4 },
            Warning::AdaptiveTasks,
            Warning::CustomPrompts,
            Warning::BrowserModel,
            Warning::OtherRetriever { name: "bm25".to_owned() },
            Warning::DroppedParameters { names: vec!["seed".to_owned()] },
            Warning::OtherProfile { profile: Profile::F1 },
            Warning::NoDigest,
        ];
        for it in warnings {
            assert_eq!(warning(&it, Texts::ENGLISH), it.text());
        }
    }
}
