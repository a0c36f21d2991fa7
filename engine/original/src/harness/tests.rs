//! Consecutive calls on one world: tests state that persists between calls. Verdicts don't show it,
//! because every row has a fresh world.

use super::manager::{Response, World};
use super::*;

struct NoTool;

impl ToolRanker for NoTool {
    fn best(&self, _: Suite, _: &str) -> Option<String> {
        None
    }
}

fn original() -> Original {
    let databases = json!({
        "Account": {
            "mia": {"password": "sea", "token": "t1", "email": "m@x.org"},
            "ben": {"password": "oak", "token": "t2", "email": "b@x.org"},
        },
        "Agenda": {"1": {"content": "a", "time": "2023-05-01", "location": "l", "username": "mia"}},
        "Meeting": {"4": {
            "meeting_topic": "roof", "start_time": "2023-05-03 10:00:00",
            "end_time": "2023-05-03 11:00:00", "location": "hall", "attendees": ["Ben"],
            "username": "mia",
        }},
        "Appointments": {},
        "TimeSwitch": {},
    });
    let planning = json!({
        "FlightSearch": {"flight_data": [{
            "source": "Port", "destination": "Bay",
            "departure_date": "2023-05-07 08:00:00", "arrival_date": "2023-05-07 09:00:00",
        }]},
        "HotelAvailability": {"hotel_database": {"h": {
            "destination": "Bay",
            "check_in_date": "2023-05-07 00:00:00", "check_out_date": "2023-05-08 00:00:00",
        }}},
        "PersonalInfoUpdate": {"database": [[["Ann", "pw"], {"email": "a@x.org"}]]},
    });
    let map = |value: Json| serde_json::from_value(value).unwrap();
    Original::new(&map(databases), &map(planning), &Pools::default())
}

fn run(world: &mut World<'_>, text: &str) -> Response {
    let call = call::parse(text).unwrap();
    world.call(&call.api_name, &call.params).unwrap()
}

/// Runs calls on one world and compares output or exception of each.
fn check(suite: Suite, calls: &[(&str, Json)]) {
    let original = original();
    let mut world = original.world(suite, &NoTool);
    for (text, expect) in calls {
        let result = to_json(&run(&mut world, text));
        let got =
            if result["exception"].is_null() { &result["output"] } else { &result["exception"] };
        assert_eq!(got, expect, "{text}");
    }
}

#[test]
fn the_second_step_of_a_forgotten_password_needs_the_first() {
    let second = "[ForgotPassword(status='Verification Code', verification_code='970420', \
                  new_password='new')]";
    check(
        Suite::Dialogue,
        &[
            (second, json!("You need to call the API with status 'Forgot Password' at first.")),
            (
                "[ForgotPassword(status='Forgot Password', username='mia', email='m@x.org')]",
                json!(970_420),
            ),
            (second, json!("success")),
            ("[GetUserToken(username='mia', password='new')]", json!({"token": "t1"})),
            ("[GetUserToken(username='mia', password='sea')]", json!("The password is incorrect.")),
        ],
    );
}

#[test]
fn writes_stay_in_their_world() {
    let original = original();
    let delete = "[DeleteAccount(token='t1')]";
    let mut world = original.world(Suite::Dialogue, &NoTool);
    assert!(run(&mut world, delete).exception.is_none());
    assert!(!run(&mut world, delete).exception.is_none());
    let mut fresh = original.world(Suite::Dialogue, &NoTool);
    assert!(run(&mut fresh, delete).exception.is_none());
}

#[test]
fn an_agenda_row_can_replace_one_added_earlier() {
    let add = |content: &str| {
        format!(
            "[AddAgenda(token='t1', content='{content}', time='2023-05-09 10:00:00', location='l')]"
        )
    };
    let original = original();
    let mut world = original.world(Suite::Dialogue, &NoTool);
    let agenda = tables::Table::Database("Agenda");
    run(&mut world, &add("b"));
    run(&mut world, &add("c"));
    assert_eq!(world.rows(agenda).count(), 3);
    run(
        &mut world,
        "[DeleteAgenda(token='t1', content='a', time='2020-01-01 00:00:00', location='l')]",
    );
    // Rows 2 and 3 are left, so the next key is 3 again.
    run(&mut world, &add("d"));
    let contents: Vec<&str> = world.rows(agenda).map(|(_, row)| row.field("content")).collect();
    assert_eq!(contents, ["b", "d"]);
}

#[test]
fn a_meeting_keeps_its_place_and_its_guests() {
    let fields = "start_time='2023-05-04 10:00:00', end_time='2023-05-04 11:00:00', \
                  location='roof', attendees='Kim'";
    check(
        Suite::Dialogue,
        &[
            (
                &format!("[ModifyMeeting(token='t1', meeting_topic='roof', {fields})]"),
                json!("success"),
            ),
            (
                &format!("[QueryMeeting(token='t1', meeting_topic='roof', {fields})]"),
                json!({
                    "meeting_topic": "roof", "start_time": "2023-05-04 10:00:00",
                    "end_time": "2023-05-04 11:00:00", "location": "hall", "attendees": ["Ben"],
                    "username": "mia",
                }),
            ),
            (
                &format!("[QueryMeeting(token='t2', meeting_topic='roof', {fields})]"),
                json!("You have no meeting about roof"),
            ),
        ],
    );
}

#[test]
fn registrations_and_switches_are_kept() {
    let register = |doctor: &str| {
        format!(
            "[AppointmentRegistration(patient_name='Lou', date='2023-6-1', doctor_name='{doctor}')]"
        )
    };
    check(
        Suite::Dialogue,
        &[
            (&register("Reed"), json!("00000000")),
            (&register("Reed"), json!("This appointment has already been registered.")),
            (&register("Wood"), json!("This patient has already been registered in this day.")),
            (
                "[QueryRegistration(patient_name='Lou', date='2023-06-01')]",
                json!({"00000000": {
                    "patient_name": "Lou", "date": "2023-06-01", "doctor_name": "Reed",
                }}),
            ),
            ("[TimedSwitch(name='Lamp', time='2023-05-06 18:00:00', on='True')]", json!("success")),
            ("[CancelTimedSwitch(name='lamp ', time='2023-5-6 18:00:00')]", json!("success")),
            (
                "[CancelTimedSwitch(name='lamp', time='2023-05-06 18:00:00')]",
                json!("time does not exist."),
            ),
        ],
    );
}

#[test]
fn a_search_of_the_plans_spoils_the_rows_it_returns() {
    let flight = "[FlightSearch(source='Port', destination='Bay', travel_dates='2023-05-07')]";
    let hotel = "[HotelAvailability(destination='Bay', check_in_date='2023-05-07', \
                 check_out_date='2023-05-08')]";
    let rows = json!([{
        "source": "Port", "destination": "Bay",
        "departure_date": "2023-05-07 08:00:00", "arrival_date": "2023-05-07 09:00:00",
    }]);
    let rooms = json!([{
        "destination": "Bay", "check_in_date": "2023-05-07", "check_out_date": "2023-05-08",
    }]);
    check(
        Suite::Planning,
        &[
            (flight, json!({"flights": rows})),
            (flight, json!("'str' object has no attribute 'date'")),
            (hotel, json!({"hotels": rooms})),
            (hotel, json!("'str' object has no attribute 'strftime'")),
            (
                "[PersonalInfoUpdate(username='Ann', password='pw', address='Quay 1')]",
                json!({"status": "success"}),
            ),
        ],
    );
}

#[test]
fn both_pools_have_the_originals_number_of_apis() {
    let count = |pool: &[&[Api]]| pool.iter().map(|apis| apis.len()).sum::<usize>();
    assert_eq!(count(pool(Suite::Dialogue)), 53);
    assert_eq!(count(pool(Suite::Planning)), 22);
}
