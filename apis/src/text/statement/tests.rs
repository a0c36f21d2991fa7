//! Different wordings of one statement, and different statements in similar words.

use super::*;

fn agreement(gold: &str, predicted: &str) -> Agreement {
    compare(gold, predicted, &Said::nothing())
}

fn check(gold: &str, same: &[&str], different: &[&str]) {
    for text in same {
        assert_eq!(agreement(gold, text), Agreement::Same, "{gold} / {text}");
    }
    for text in different {
        assert_eq!(agreement(gold, text), Agreement::Different, "{gold} / {text}");
    }
}

#[test]
fn wording_is_free() {
    check(
        "return the library books",
        &[
            "Return library books.",
            "Remember to return the library books!",
            "returning books to the library",
        ],
        &["renew the library books", "return the library card"],
    );
    check(
        "phone the plumber about the leak",
        &["Call: phone plumber about leak", "telephone the plumber about the leak"],
        &["phone the electrician about the leak", "phone the plumber about the bill"],
    );
    check("swimming class", &["Swim class", "swimming course"], &["dancing class"]);
    check("hair cut", &["haircut"], &["hair dye"]);
    check("The lanterns glow softly", &["Lanterns: soft glow"], &["The lanterns glow brightly"]);
}

#[test]
fn facts_have_to_agree() {
    check(
        "The parcel with three lamps comes on Tuesday at half past nine.",
        &["On Tuesday at 9:30 the parcel with 3 lamps comes."],
        &[
            "The parcel with three lamps comes on Thursday at half past nine.",
            "The parcel with four lamps comes on Tuesday at half past nine.",
            "The parcel with three lamps comes on Tuesday at half past ten.",
            "The parcel with three lamps comes on Tuesday.",
        ],
    );
    check("five minutes late", &["5 minutes late"], &["five hours late", "five minutes early"]);
}

#[test]
fn a_fact_may_be_added_if_it_was_said() {
    let said = Said::new(|| vec!["On 2 May at 08:15 with Ida, please.".to_owned()]);
    assert_eq!(compare("feed the cat", "feed the cat on 2 May", &said), Agreement::Same);
    assert_eq!(compare("feed the cat", "feed the cat on 3 May", &said), Agreement::Different);
    assert_eq!(compare("feed the cat", "feed the cat with Ida", &said), Agreement::Same);
    assert_eq!(compare("feed the cat", "feed the cat with Olaf", &said), Agreement::Different);
}

#[test]
fn negation_and_order_are_facts() {
    check(
        "Tea with sugar, but no milk.",
        &["No milk, but tea with sugar."],
        &["Tea with milk, but no sugar.", "Tea with sugar and milk.", "No tea."],
    );
    check(
        "lock the gate",
        &["Don't forget to lock the gate"],
        &["don't lock the gate", "unlock the gate"],
    );
    check("call Ruth before the concert", &[], &["call Ruth after the concert"]);
    check("stretch for the run", &[], &["stretch after the run"]);
    check("moved from Monday to Friday", &[], &["moved from Friday to Monday"]);
    check(
        "The key is under the mat, the bill lies on the desk.",
        &["The bill lies on the desk, and the key is under the mat."],
        &["The key is on the desk, the bill lies under the mat."],
    );
}

#[test]
fn what_is_short_or_long_alone_is_unclear() {
    assert_eq!(agreement("quarterly budget review", "budget"), Agreement::Unclear);
    assert_eq!(agreement("budget", "the yearly marketing budget with slides"), Agreement::Unclear);
}

#[test]
fn a_place_keeps_its_name() {
    let said = Said::new(|| vec!["In the Blue Hall of the Alder Centre.".to_owned()]);
    let place = |gold, predicted| compare_places(gold, predicted, &said);
    for (gold, predicted) in [
        ("Blue hall", "Blue Hall, Alder Centre"),
        ("Room Birch", "Birch room"),
        ("Room Birch", "Birch"),
        ("The old mill", "Old mill"),
        ("12 Elm Street, Ghent", "12 Elm Street in Ghent"),
    ] {
        assert_eq!(place(gold, predicted), Agreement::Same, "{gold} / {predicted}");
    }
    for (gold, predicted) in [
        ("Blue hall", "Red hall"),
        ("Blue hall", "hall"),
        ("Blue hall", "Mars"),
        ("Blue hall", "Blue centre"),
        ("Blue hall", "Blue hall, Ghent"),
        ("Meeting room 1", "Meeting room 2"),
        ("Room Birch", ""),
    ] {
        assert_eq!(place(gold, predicted), Agreement::Different, "{gold} / {predicted}");
    }
}

#[test]
fn words_of_one_family_are_one_concept() {
    for (a, b) in
        [("meetings", "meeting"), ("swimming", "swim"), ("teeth", "tooth"), ("e-mail", "mail")]
    {
        let (a, b) = (a.replace('-', ""), b);
        assert_eq!(concept(&a), concept(b), "{a} {b}");
    }
    assert!(related("photograph", "photographer"));
    assert!(!related("plan", "plant"));
}

#[test]
fn a_word_has_one_group_of_synonyms() {
    let mut seen = BTreeMap::new();
    for (at, group) in SYNONYMS.iter().enumerate() {
        for word in *group {
            let before = seen.insert(root(word), at);
            assert!(before.is_none_or(|before| before == at), "{word} is in two groups");
        }
    }
}

#[test]
fn a_time_of_too_many_hours_is_no_time() {
    assert_eq!(compare("1100:0", "half past seven", &Said::nothing()), Agreement::Different);
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_compared(a in "\\PC{0,80}", b in "\\PC{0,80}") {
        let _ = compare(&a, &b, &Said::nothing());
        let _ = compare_places(&a, &b, &Said::nothing());
        assert_eq!(compare(&a, &a, &Said::nothing()), Agreement::Same);
    }

    #[test]
    fn texts_near_facts_can_be_compared(a in "[a-z0-9:.,' -]{0,40}( (to|past|half|of|may|june|no|at|in the|pm))*") {
        let _ = compare(&a, "half past seven on 4 June", &Said::nothing());
    }
}

#[test]
fn the_weekday_of_a_date_is_no_new_fact() {
    let said = Said::new(|| vec!["The road is closed until 24 May 2024.".to_owned()]);
    let gold = "The road is closed until the 24th.";
    for text in
        ["The road is closed until Friday, 24 May.", "The road is closed until Friday 24th."]
    {
        assert_eq!(compare(gold, text, &said), Agreement::Same, "{text}");
    }
    let other = "The road is closed until Thursday, 24 May.";
    assert_eq!(compare(gold, other, &said), Agreement::Different);
    let nobody_said = "The road is closed until Friday.";
    assert_eq!(compare(gold, nobody_said, &said), Agreement::Different);
}

#[test]
fn a_month_that_is_left_out_is_the_one_that_was_said() {
    let said = Said::new(|| vec!["The road is closed until 24 May 2024.".to_owned()]);
    let gold = "closed until the 24th";
    assert_eq!(compare(gold, "closed until 24 May", &said), Agreement::Same);
    assert_eq!(compare(gold, "closed until the 24th of June", &said), Agreement::Different);
    assert_eq!(compare(gold, "closed until 24 June", &Said::nothing()), Agreement::Same);
}

#[test]
fn a_verb_that_turns_the_statement_is_a_difference() {
    check(
        "water the ferns",
        &["Watering the ferns", "Don't forget to water the ferns"],
        &["stop watering the ferns", "forget to water the ferns", "skip the ferns' water"],
    );
    check("piano tuner", &[], &["Piano tuner is cancelled", "Piano tuner called off"]);
    let said =
        Said::new(|| vec!["Remind me to stop by the bakery and collect the cake.".to_owned()]);
    assert_eq!(compare("collect the cake", "stop by and collect the cake", &said), Agreement::Same);
}

#[test]
fn broken_and_out_of_order_are_the_same() {
    check(
        "The lift is out of order.",
        &["The elevator is broken.", "The lift isn't working.", "The elevator is out of service."],
        &["The lift is working.", "The lift is clean."],
    );
    check("What does a blinking light mean?", &["Why is the light flashing?"], &[]);
}

#[test]
fn a_unit_that_nobody_said_is_invented() {
    let said = Said::new(|| vec!["I weigh 51.6 kilos today.".to_owned()]);
    assert_eq!(compare("51.6", "51.6 kg", &said), Agreement::Same);
    assert_eq!(compare("51.6", "51.6 pounds", &said), Agreement::Different);
    assert_eq!(compare("96", "96 kg", &said), Agreement::Different);
}

#[test]
fn who_is_mailed_may_be_greeted() {
    let said = Said::new(|| vec!["Mail olaf.berg@fjell.example: the boat is ready.".to_owned()]);
    assert_eq!(
        compare("The boat is ready.", "Hi Olaf, the boat is ready.", &said),
        Agreement::Same
    );
    let other = compare("The boat is ready.", "Hi Ida, the boat is ready.", &said);
    assert_eq!(other, Agreement::Different);
}
