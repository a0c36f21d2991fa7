//! Imports of small data in every released shape.

use super::*;
use crate::ability::Ability;
use crate::dialogue::{Dialogue, Turn};
use serde_json::json;

const DIALOGUE: &str = r#"{"role": "User", "text": "Wake me."}
{"role": "API", "api_name": "DeleteAccount", "param_dict": {"token": "t"}, "result": {"input": {"token": "t"}, "output": {"status": "success"}, "exception": null}}
{"role": "API", "api_name": "TimedSwitch", "param_dict": {"device_id": "lamp"}, "result": {"api_name": "TimedSwitch", "input": {}, "output": null, "exception": "no"}}

{"role": "AI", "text": "Done."}"#;

const PLAN: &str = r#"[{"requirement": " Plan it ", "response": "Planned.", "apis": [
    {"api_name": "ToolSearcher", "input": {"keywords": "tea"}, "output": {"api_name": "ToolSearcher",
     "input": {"keywords": "tea"}, "output": {"name": "TeaFinder", "description": "Finds tea.",
     "input_parameters": {}, "output_parameters": {}}, "exception": null}}]}]"#;

const ROW: &str = r#"[{"file": "A-level-1-1.jsonl", "id": 2, "instruction":
    "APIs:\n{\"name\": \"PourTea\", \"description\": \"Pours.\", \"input_parameters\": {}, \"output_parameters\": {}}",
    "input": "User: Hi", "expected_output": "API-Request: [PourTea()]"}]"#;

#[test]
fn every_shape_is_found_below_any_folder() {
    for top in ["", "api-bank/", "C:\\data\\api-bank\\"] {
        let path = |path: &str| format!("{top}{path}");
        let files = [
            (path("lv1-lv2-samples/level-1-given-desc/A-level-1-1.jsonl"), DIALOGUE),
            (path("lv1-lv2-samples/level-2-toolsearcher/B-level-3-1.jsonl"), DIALOGUE),
            (path("init_database/Stock.json"), r#"{"ABC": {"2023-01-02": 4.5}}"#),
            (path("test-data/level-3.json"), PLAN),
            (path("test-data/level-1-api.json"), ROW),
            (path("planning-tables.json"), r#"{"LikeCount": {"database": {"1": 10}}}"#),
            (path("README.md"), "# Read me"),
        ];
        let (original, report) = import(files.iter().map(|(path, text)| (path.as_str(), *text)));
        assert_eq!(report.problems, []);
        assert_eq!(report.ignored, 1);
        let found: Vec<usize> = report.found.iter().map(|found| found.count).collect();
        assert_eq!(found, [1, 1, 1, 1, 1, 1]);
        assert!(report.missing.iter().any(|line| line.contains("Account.json")), "{report:?}");
        assert!(original.dialogues.contains_key(&(2, "B-level-3-1.jsonl".to_owned())));
        let (world, problems) = original.world();
        assert_eq!((world.rows(TableName::Stock), world.rows(TableName::Post)), (1, 1));
        assert_eq!(problems, []);
        assert_eq!(original.prompt(1, "A-level-1-1.jsonl", 2, 0).unwrap().input, "User: Hi");
        let pour = &original.pools[&Suite::Dialogue]["PourTea"];
        assert_eq!(pour.search_text, "pour teaPours.");
        assert_eq!(
            original.pools[&Suite::Planning]["TeaFinder"].search_text,
            "tea finderFinds tea."
        );
    }
}

/// An API of each suite, and one with a name in both.
const PYTHON: [(&str, &str); 4] = [
    (
        "lv3_apis/like_count.py",
        "from apis.api import API\nclass LikeCount(API):\n    description = 'Likes.'\n    input_parameters = {}\n\
         \x20   output_parameters = {}\n    def __init__(self):\n        self.database = {\n            1: 10,\n        }\n",
    ),
    (
        "apis/wiki.py",
        "class Wiki(API):\n    description = 'Looks ' \\\n        'up.'\n    input_parameters = {'keyword': {}}\n\
         \x20   output_parameters = {}\n    database_name = 'Wiki'\n",
    ),
    (
        "lv3_apis/add_meeting.py",
        "class AddMeeting(API):\n    description = 'Meets.'\n    input_parameters = {'token': {}}\n    output_parameters = {}\n",
    ),
    ("apis/api.py", "class API:\n    def call(self):\n        raise NotImplementedError\n"),
];

#[test]
fn apis_are_read_out_of_python_files() {
    let files = PYTHON.map(|(path, text)| (format!("DAMO-ConvAI-main/api-bank/{path}"), text));
    let (original, report) = import(files.iter().map(|(path, text)| (path.as_str(), *text)));
    assert_eq!((&report.problems[..], report.ignored), (&[][..], 1));
    let found: Vec<(&str, usize)> = report.found.iter().map(|it| (it.what, it.count)).collect();
    assert_eq!(found, [("planning tables", 2), ("API descriptions", 3)]);
    assert!(
        report
            .missing
            .iter()
            .any(|line| line.starts_with("lv3_apis: no class ") && line.contains("Calculator"))
    );
    assert_eq!(original.planning_tables["LikeCount"], json!({"database": {"1": 10}}));
    assert_eq!(original.world().0.rows(TableName::Post), 1);
    let wiki = &original.pools[&Suite::Dialogue]["Wiki"];
    assert_eq!((wiki.search_text.as_str(), wiki.origin), ("wikiLooks up.", Origin::Pool));
    assert!(original.pools[&Suite::Planning].contains_key("AddMeeting"), "the folder decides");
}

#[test]
fn a_python_file_alone_is_known_by_its_class() {
    let files = PYTHON.map(|(path, text)| (path.rsplit('/').next().unwrap(), text));
    let (original, _) = import(files);
    assert!(original.pools[&Suite::Planning].contains_key("LikeCount"));
    assert!(original.pools[&Suite::Dialogue].contains_key("Wiki"));
    assert!(original.pools[&Suite::Dialogue].contains_key("AddMeeting"), "it takes a token");
    let (original, report) = import([("data/tools.py", PYTHON[0].1)]);
    assert_eq!((original.described, report.ignored), (0, 1), "no folder of the original");
}

#[test]
fn a_python_file_that_cannot_be_read_is_named_with_its_line() {
    let (original, report) = import([
        ("lv3_apis/a.py", "class LikeCount(API):\n    description = 'open\n"),
        ("lv3_apis/b.py", "\nclass UserPosts(API):\n    description = load()\n"),
        (
            "lv3_apis/c.py",
            "\n\nclass Geocoding(API):\n    description = 'd'\n    input_parameters = 'x'\n",
        ),
        PYTHON[0],
    ]);
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "lv3_apis/a.py, line 2: expected the end of the quoted text that starts here",
            "lv3_apis/b.py, line 2: expected a text under description of the class UserPosts",
            "lv3_apis/c.py, line 3: expected a dict under input_parameters of the class Geocoding",
        ]
    );
    assert_eq!(original.described, 1);
}

#[test]
fn copies_of_a_file_change_nothing() {
    let file = "A-level-1-1.jsonl";
    let copy = DIALOGUE.lines().next().unwrap();
    let longer = PLAN.replacen('[', &format!("[{},", &PLAN[1..PLAN.len() - 1]), 1);
    let (original, report) = import([
        (&*format!("lv1-lv2-samples/level-1-given-desc-e2e/{file}"), copy),
        (&*format!("lv1-lv2-samples/level-1-given-desc/{file}"), DIALOGUE),
        (&*format!("other/{file}"), copy),
        ("json_test_data/level-3.json", &*longer),
        ("test-data/level-3.json", PLAN),
        ("json_test_data/level-1-api.json", ROW),
        ("test-data/level-1-api.json", ROW),
    ]);
    assert_eq!(report.problems, []);
    assert_eq!(original.dialogues[&(1, file.to_owned())].lines.len(), 4);
    assert_eq!((original.plans.len(), original.prompts.len()), (2, 1));
}

#[test]
fn level_three_stands_in_for_itself_in_files_of_its_own() {
    let lines = DIALOGUE.replace("Wake me.", "Plan three.");
    let [two, ten] = ["Plan two", "Plan ten"].map(|text| PLAN.replace("Plan it", text));
    let files = [
        ("lv3-samples/level-3-10.json", ten.as_str()),
        ("lv3-samples/level-3-2.json", &two[1..two.len() - 1]),
        ("lv3-samples/level-3-3.jsonl", &lines),
        ("lv3-samples/level-3-4.json", "{\"requirement\": \"x\"}"),
    ];
    let (original, report) = import(files);
    let asked = |plan: &Plan| match &plan.dialogue.turns[0] {
        Turn::User { text } => text.clone(),
        other => panic!("{other:?}"),
    };
    let all: Vec<String> = original.plans.iter().map(asked).collect();
    assert_eq!(all, ["Plan two", "Plan three.", "Plan ten"], "ordered by number");
    assert_eq!(original.plans[1].steps.len(), 2);
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    let (original, _) = import([files[0], files[1], ("test-data/level-3.json", PLAN)]);
    assert_eq!(original.plans.len(), 1, "level-3.json takes precedence");
}

#[test]
fn files_of_level_three_are_known_without_their_folder() {
    let [one, two] = ["Plan one", "Plan two"].map(|text| PLAN.replace("Plan it", text));
    let lines = DIALOGUE.replace("Wake me.", "Plan three.");
    let (original, report) = import([
        ("level-3-1.json", one.as_str()),
        ("Downloads/level-3-2.json", &two),
        ("level-3-3.jsonl", &lines),
        // Copies, as a folder dropped twice.
        ("api-bank/lv3-samples/level-3-2.json", &two),
        ("copy/api-bank/lv3-samples/level-3-2.json", &two),
    ]);
    assert_eq!((&report.problems[..], report.ignored), (&[][..], 0));
    let asked: Vec<&Turn> = original.plans.iter().map(|plan| &plan.dialogue.turns[0]).collect();
    let text = |text: &str| Turn::User { text: text.to_owned() };
    assert_eq!(asked, [&text("Plan one"), &text("Plan two"), &text("Plan three.")]);
    // The training set and the dialogues of the other levels keep their meaning.
    assert!(!is_part("lv3-train.json") && is_part("AddAlarm-level-3-1.jsonl"));
    let (original, _) = import([("AddAlarm-level-3-1.jsonl", DIALOGUE)]);
    assert!(original.plans.is_empty() && original.dialogues.len() == 1);
}

/// Plan dialogues of this project, as files in the original's shapes: `level-3.json`, one file per
/// dialogue, and lines as on the other levels.
#[test]
fn own_dialogues_are_the_same_in_every_shape_of_level_three() {
    let pack = crate::builtin().unwrap();
    let own: Vec<&Dialogue> =
        pack.dialogues.iter().filter(|it| it.ability == Ability::Plan).take(12).collect();
    let entry = |dialogue: &Dialogue| {
        let text = |turn: Option<&Turn>| match turn {
            Some(Turn::User { text } | Turn::Assistant { text, .. }) => text.clone(),
            other => panic!("{other:?}"),
        };
        let calls = dialogue.calls().map(|call| {
            json!({"api_name": call.api_name, "input": call.param_dict, "output": call.result})
        });
        json!({
            "requirement": text(dialogue.turns.first()),
            "response": text(dialogue.turns.last()),
            "apis": calls.collect::<Vec<_>>(),
        })
    };
    let lines = |dialogue: &Dialogue| {
        let line = |turn: &Turn| match turn {
            Turn::User { text } => json!({"role": "User", "text": text}),
            Turn::Assistant { text, .. } => json!({"role": "AI", "text": text}),
            Turn::Api(call) => json!({
                "role": "API", "api_name": call.api_name, "param_dict": call.param_dict,
                "result": call.result,
            }),
        };
        dialogue.turns.iter().map(|turn| line(turn).to_string() + "\n").collect::<String>()
    };
    let whole = Value::from(own.iter().map(|it| entry(it)).collect::<Vec<_>>()).to_string();
    let numbered = |end: &str, text: &dyn Fn(&Dialogue) -> String| -> Vec<(String, String)> {
        let path = |index: usize| format!("api-bank/lv3-samples/level-3-{index}.{end}");
        own.iter().enumerate().map(|(index, it)| (path(index + 1), text(it))).collect()
    };
    let shapes = [
        vec![("test-data/level-3.json".to_owned(), whole)],
        numbered("json", &|dialogue| entry(dialogue).to_string()),
        numbered("jsonl", &|dialogue| lines(dialogue)),
    ];
    for files in shapes {
        let (original, report) = import(files.iter().map(|(path, text)| (&**path, &**text)));
        assert_eq!(report.problems, []);
        let turns: Vec<&[Turn]> =
            original.plans.iter().map(|plan| &plan.dialogue.turns[..]).collect();
        let bare: Vec<Vec<Turn>> = own.iter().map(|dialogue| undeclared(&dialogue.turns)).collect();
        assert_eq!(turns, bare.iter().map(|it| &it[..]).collect::<Vec<_>>());
    }
}

/// Turns without declarations: the original's shapes have none.
fn undeclared(turns: &[Turn]) -> Vec<Turn> {
    let mut turns = turns.to_vec();
    for turn in &mut turns {
        match turn {
            Turn::Api(call) => call.declared = crate::Declared::default(),
            Turn::Assistant { tell, .. } => tell.clear(),
            Turn::User { .. } => {}
        }
    }
    turns
}

#[test]
fn samples_are_numbered_as_the_original_does() {
    let (original, _) = import([("x/level-1-given-desc/A.jsonl", DIALOGUE)]);
    let dialogue = &original.dialogues[&(1, "A.jsonl".to_owned())];
    // The second of two adjacent API lines is two samples.
    assert_eq!(dialogue.samples(), [1, 2, 2, 3]);
    assert_eq!(dialogue.dialogue.id, "call/A");
    let Turn::Api(call) = &dialogue.dialogue.turns[1] else { panic!("a call") };
    assert_eq!(call.result.api_name, "DeleteAccount", "the recorded result omits the name");
}

#[test]
fn a_damaged_file_costs_only_itself() {
    let (original, report) = import([
        ("level-1-given-desc/a.jsonl", DIALOGUE),
        ("level-1-given-desc/b.jsonl", "{\"role\": \"User\", \"text\": \"Hi\"}\n{\"role\": 1}"),
        ("init_database/Stock.json", "[1,"),
        ("test-data/level-3.json", r#"[{"requirement": "x"}]"#),
    ]);
    assert_eq!(original.dialogues.len(), 1);
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems.iter().any(|it| it.starts_with("level-1-given-desc/b.jsonl, line 2: ")));
    assert!(problems.iter().any(|problem| problem.contains("entry 0")), "{problems:?}");
}

#[test]
fn names_are_split_at_every_capital() {
    assert_eq!(spaced_name("DocumentQA"), "document q a");
    assert_eq!(spaced_name("Wiki"), "wiki");
}

#[test]
fn errata_are_read_and_parameters_renamed() {
    assert!(Errata::builtin().is_ok());
    let list = r#"[{"level": 1, "file": "a.jsonl", "sample": 2, "class": "wrong_arguments",
        "what": "It is wrong."}]"#;
    let errata = Errata::from_json(list).unwrap();
    assert_eq!(errata.find(1, "a.jsonl", 2, 0).unwrap().class, DefectClass::WrongArguments);
    assert_eq!(errata.find(1, "a.jsonl", 3, 0), None);
    let old = json!({"device_id": "lamp", "time": "x"});
    let new = renamed("TimedSwitch", old.as_object().unwrap()).unwrap();
    assert_eq!(Value::Object(new.clone()), json!({"name": "lamp", "time": "x"}));
    assert_eq!(renamed("TimedSwitch", &new), None);
    assert_eq!(renamed("Wiki", old.as_object().unwrap()), None);
}

#[test]
fn the_released_data_is_read_whole() {
    let what = "the import of the released data";
    let Some(root) = fixtures::shared("apibank", what) else { return };
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    let (original, report) = import(files.iter().map(|(p, t)| (p.as_str(), t.as_str())));
    assert_eq!(report.problems, []);
    let missing: Vec<&str> = report.missing.iter().filter_map(|it| it.split(':').next()).collect();
    assert_eq!(missing, ["apis/*.py, lv3_apis/*.py"], "no other part is missing");
    // The counts in its README.
    let level = |level: u8| original.dialogues.keys().filter(|key| key.0 == level).count();
    assert_eq!((level(1), level(2), original.plans.len()), (125, 30, 32));
    assert_eq!((original.databases.len(), original.world().1), (19, vec![]));
    // Call prompts belong to samples that are calls, reply prompts to the others.
    for row in original.prompts.iter().filter(|row| row.level < 3) {
        let dialogue = &original.dialogues[&(row.level, row.file.clone())];
        let turn = &dialogue.dialogue.turns[dialogue.samples()[row.id]];
        assert_eq!(
            turn.as_call().is_some(),
            row.kind == PromptKind::Call,
            "{} {}",
            row.file,
            row.id
        );
    }
}
