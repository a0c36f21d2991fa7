//! Claims with the calls that back them, and without.

use super::super::find;
use apis::{Api, Suite, registry};
use dataset::Turn;
use serde_json::{Value, json};

const APIS: [&str; 15] = [
    "AddAgenda",
    "AddAlarm",
    "AddReminder",
    "BookHotel",
    "CancelRegistration",
    "DeleteAccount",
    "DeleteAlarm",
    "DeleteReminder",
    "ModifyAlarm",
    "ModifyRegistration",
    "PlayMusic",
    "QueryAlarm",
    "QueryBalance",
    "SendEmail",
    "TimedSwitch",
];

fn said(text: &str) -> Turn {
    Turn::User { text: text.to_owned() }
}

/// A call with its output, or if that is a string, the reason for its rejection.
fn call(name: &str, arguments: Value, output: Value) -> Turn {
    let (output, exception) = match output {
        Value::String(reason) => (Value::Null, Value::String(reason)),
        output => (output, Value::Null),
    };
    let result = json!({
        "api_name": name, "input": arguments, "output": output, "exception": exception,
    });
    let recorded = json!({"api_name": name, "param_dict": arguments, "result": result});
    Turn::Api(serde_json::from_value(recorded).unwrap())
}

fn ok() -> Value {
    json!({"status": "success"})
}

fn claims_after(earlier: usize, history: &[Turn], reply: &str) -> bool {
    let described: Vec<&'static Api> =
        APIS.iter().filter_map(|name| registry::find(Suite::Dialogue, name)).collect();
    find(reply, history, earlier, &described).is_some()
}

fn check(history: &[Turn], claims: &[&str], clean: &[&str]) {
    for reply in claims {
        assert!(claims_after(0, history, reply), "{reply}");
    }
    for reply in clean {
        assert!(!claims_after(0, history, reply), "{reply}");
    }
}

#[test]
fn calls_of_earlier_dialogues_back_no_new_deed() {
    let moved = json!({"token": "t", "from_time": "2024-05-20 05:45:00",
        "to_time": "2024-05-20 06:45:00"});
    let history = [
        said("Move my alarm of 20 May from 5:45 to 6:45."),
        call("ModifyAlarm", moved, ok()),
        said("My bus is an hour late on 20 May, so I can sleep longer."),
    ];
    for reply in [
        "I've moved your alarm to 6:45.",
        "Your alarm has been moved to 6:45.",
        "I've changed the alarm.",
        "All done!",
        "Your alarm now rings at 6:45.",
    ] {
        assert!(claims_after(2, &history, reply), "{reply}");
    }
    for reply in [
        "Your alarm is set for 6:45. Shall I move it?",
        "Shall I move your alarm?",
        "I moved it to 6:45. When shall it ring?",
        "I've got it down for 6:45. When shall it ring?",
    ] {
        assert!(!claims_after(2, &history, reply), "{reply}");
    }
    assert!(!claims_after(0, &history[..2], "I've moved your alarm to 6:45."));
}

#[test]
fn a_record_that_was_found_is_not_removed() {
    let at = || json!({"token": "t", "time": "2024-05-20 06:00:00"});
    let found = json!({"time": "2024-05-20 06:00:00"});
    let gone = [
        "Your alarm is gone.",
        "The alarm at 6:00 is deleted.",
        "Your alarm is cancelled.",
        "It's deleted.",
    ];
    let asked = || said("Is there an alarm at six on 20 May? It should be deleted.");
    let balance = call("QueryBalance", json!({"token": "t"}), json!({"balance": 1400.89}));
    check(&[asked(), call("QueryAlarm", at(), found)], &gone, &["Your alarm is set for 6:00."]);
    check(&[asked(), balance], &["Your account is closed.", "The account is deleted."], &[]);
    let missing = "There is no alarm at this time.";
    check(&[asked(), call("QueryAlarm", at(), json!(missing))], &[], &["Your alarm is gone."]);
    check(&[asked(), call("DeleteAlarm", at(), ok())], &[], &gone);
}

#[test]
fn completion_needs_that_nothing_failed() {
    let at = || json!({"token": "t", "time": "2024-05-20 06:00:00"});
    let asked = || said("Delete the alarm, and remind me of the bread.");
    let reminder = || call("AddReminder", json!({"token": "t", "content": "bread"}), ok());
    let failed = || call("DeleteAlarm", at(), json!("There is no alarm at this time."));
    let done = [
        "All done!",
        "Everything is set.",
        "Both are taken care of.",
        "It's all done now.",
        "I've taken care of everything.",
        "No alarm will ring, I've made sure of that.",
    ];
    check(&[asked()], &done, &[]);
    check(&[asked(), reminder(), failed()], &done, &["I've set the reminder."]);
    check(&[asked(), reminder(), failed(), call("DeleteAlarm", at(), ok())], &[], &done);
    check(&[asked(), reminder()], &["I've done both."][..0], &["Done!"]);
}

#[test]
fn news_of_others_is_no_claim() {
    check(
        &[said("When does the window cleaner come, and how is the share?")],
        &["I've opened an account.", "The pump comes on at 5:45."],
        &[
            "The cleaner comes on Tuesday 21 May at nine.",
            "The cleaner comes on 21 May at nine.",
            "Stan is scheduled to come on Tuesday at 9.",
            "Stan is set to come on Tuesday 21 May at nine.",
            "Stan confirmed that he'll be there on Tuesday.",
            "LUMN closed at 47.54 that day. What about the other one?",
            "Bank accounts are opened at the bank.",
            "Bank accounts aren't something I can open. That's done at the bank.",
        ],
    );
}

#[test]
fn a_deed_is_told_of_what_the_call_was_about() {
    let moved = json!({"appointment_id": "12345678", "new_appointment_date": "2024-06-14"});
    let mailed = json!({"receiver": "ann@mill.example", "subject": "Key", "content": "Hi"});
    check(
        &[said("Move it to the 14th."), call("ModifyRegistration", moved, ok())],
        &[
            "I've moved the other appointment to 14 June as well.",
            "I've moved the appointment to 21 June.",
            "The other appointment is cancelled.",
            "I've moved your alarm, too.",
            "Your appointment is on 21 June now.",
        ],
        &["I've moved the appointment to 14 June.", "Your appointment is on 14 June now."],
    );
    check(
        &[said("Write to Ann."), call("SendEmail", mailed, ok())],
        &["I've sent it to bob@mill.example.", "I've emailed her and booked a table."],
        &["I've sent it to ann@mill.example.", "I've told Ann.", "Ann has your mail."],
    );
}

#[test]
fn what_is_done_and_what_failed_are_told_apart() {
    let told = json!({"token": "t", "content": "Choir", "time": "2024-09-07 17:00:00"});
    let stay = json!({"hotel_name": "Mill Inn", "check_in_time": "2024-09-06"});
    let refused = json!("Mill Inn is taken from 2024-09-05 to 2024-09-09.");
    let history = [
        said(
            "Put choir on 7 September into my agenda, and book the Mill Inn from the 6th to the 8th.",
        ),
        call("AddAgenda", told, ok()),
        call("BookHotel", stay, refused),
    ];
    check(
        &history,
        &[
            "I've booked the Mill Inn.",
            "I've booked Casa Rossi instead.",
            "The Mill Inn is booked from 6 to 8 September.",
            "The Mill Inn is already booked for you.",
            "The Mill Inn is booked from 5 to 9 September for the two of you.",
            "The hotel is done.",
            "All done!",
        ],
        &[
            "The Mill Inn is already booked from 5 to 9 September.",
            "The Mill Inn has been booked by others.",
            "I've updated your agenda, but the Mill Inn is taken.",
            "Your agenda has been updated. Which hotel shall I try?",
            "The agenda entry is done, the hotel isn't.",
            "I've taken care of the agenda.",
            "I've added the choir.",
        ],
    );
}

#[test]
fn only_an_api_issues_a_number() {
    let history = [said("My number is 4711. Book me in, please.")];
    check(
        &history,
        &["Your booking number is 8080.", "Here's your code: 123456."],
        &["You said the number is 4711.", "The number of nights is two, right?"],
    );
}

#[test]
fn playing_music_is_a_deed() {
    let play = call("PlayMusic", json!({"music_name": "Fado"}), ok());
    let told = [
        "Fado de Lisboa is playing.",
        "I've started your song.",
        "Your song is playing.",
        "I've put on some music.",
    ];
    check(&[said("Play Fado!"), play], &[], &told);
    check(&[said("Play Fado!")], &told, &["I've started to wonder which song you mean."]);
}
