//! Synthetic sources in the original's shape, and arbitrary text.

use super::*;
use proptest::prelude::*;
use serde_json::json;

const TEAPOTS: &str = r#"
import datetime
from apis.api import API

PRICES = {'green': 3, "black": 2.5}

class TeaPot(API):
    """Holds tea: class Fake(API)
    description = 'not this'"""
    description = "Pours tea" \
                  ' and more.' # all of it
    input_parameters = {
        'cup': {'type': 'str', 'description': "The guest's cup."},  # a comment
        'full': {'type': 'bool', 'description': '''Whether to
fill it.'''},
    }
    output_parameters = {}
    database_name: str = 'Tea'

    def __init__(self, init_database=None) -> None:
        if init_database != None:
            self.database = init_database
        else:
            self.database = [
                (('Ann', '1'), {'cups': 1_000, 'warm': True, 'note': None}),
                (('Bo',), {'cups': -2, 'share': .5, 'hex': 0x1F, 'tiny': 1e-3}),
            ]
        self.prices = PRICES
        self.steps = {0: 0.0, 1000: 0.1, float('inf'): 0.4}
        self.brewed = datetime.datetime(2022, 1, 2, 8, 30)
        self.told = datetime.datetime(2022, 1, 2).strftime('%d/%m/%Y')
        self.count = len(self.database)

    def call(self, cup):
        self.database = {'not': 'this'}
        return {'api_name': self.__class__.__name__, 'text': f"{cup}", 'regex': r'\[(\w+)\]'}

class Kettle(API): # nothing in it
    pass
"#;

#[test]
fn classes_are_read_with_their_literals() {
    let classes = classes(TEAPOTS).unwrap();
    let [pot, kettle] = &classes[..] else { panic!("{classes:?}") };
    assert_eq!((pot.name.as_str(), pot.line, kettle.name.as_str()), ("TeaPot", 7, "Kettle"));
    let attributes = json!({
        "description": "Pours tea and more.",
        "input_parameters": {
            "cup": {"type": "str", "description": "The guest's cup."},
            "full": {"type": "bool", "description": "Whether to\nfill it."},
        },
        "output_parameters": {},
        "database_name": "Tea",
    });
    assert_eq!(Value::Object(pot.attributes.clone()), attributes);
    let fields = json!({
        "database": [
            [["Ann", "1"], {"cups": 1000, "warm": true, "note": null}],
            [["Bo"], {"cups": -2, "share": 0.5, "hex": 31, "tiny": 0.001}],
        ],
        "prices": {"green": 3, "black": 2.5},
        "steps": {"0": 0.0, "1000": 0.1, "Infinity": 0.4},
        "brewed": "2022-01-02 08:30:00",
        "told": "02/01/2022",
    });
    assert_eq!(Value::Object(pot.fields.clone()), fields);
    assert_eq!(*kettle, Class { name: "Kettle".to_owned(), line: 38, ..Class::default() });
}

/// The parsed value of a class attribute that is assigned `text`.
fn assigned(text: &str) -> Option<Value> {
    let source = format!("class A:\n    x = {text}\n    y = 1\n");
    let class = classes(&source).unwrap().remove(0);
    assert_eq!(class.attributes.get("y"), Some(&json!(1)), "{text}");
    class.attributes.get("x").cloned()
}

#[test]
fn every_form_of_a_text_is_read() {
    for (source, text) in [
        (r"'a\'b\\\n\t'", "a'b\\\n\t"),
        (r#""""a "quoted" b""""#, "a \"quoted\" b"),
        ("'''a\n  b'''", "a\n  b"),
        (r"r'\d+\''", r"\d+\'"),
        (r"u'\u00e9\x41\101\U0001F600'", "éAA😀"),
        (r"'\ud83d'", "\u{fffd}"),
        (r"'\q \x4'", r"\q \x4"),
        ("'one'\\\n   'two'", "onetwo"),
        ("('one'\n   # between\n   'two')", "onetwo"),
        ("'a\\\nb'", "ab"),
    ] {
        assert_eq!(assigned(source), Some(json!(text)), "{source}");
    }
}

#[test]
fn expressions_are_skipped_and_not_read() {
    for source in [
        "load()",
        "[n for n in range(3)]",
        "{'a': b}",
        "'a' + 'b'",
        "'a'.upper()",
        "[1] * 3",
        "f'{a}'",
        "b'a'",
        "1j",
        "1 if y else 2",
        "1, 2",
        "*a",
        "{**a}",
        "lambda: 1",
        "datetime.datetime.now()",
        "datetime.datetime(2022, 13, 1)",
        "datetime.datetime(2022, 2, 30)",
        "datetime.datetime(12022, 1, 1)",
        "datetime.datetime(2022, 1, 1).strftime('%c')",
        "float('inf')",
        "1e999",
        "y = 2",
        "unknown",
        "{(1, 2): 3}",
    ] {
        assert_eq!(assigned(source), None, "{source}");
    }
    for (source, value) in [
        ("()", json!([])),
        ("(1)", json!(1)),
        ("(1,)", json!([1])),
        ("{1, 2}", json!([1, 2])),
        ("{}", json!({})),
        ("{True: 1, None: 2}", json!({"True": 1, "None": 2})),
        ("[1, 2,] # two", json!([1, 2])),
        ("[]; z = 1", json!([])),
    ] {
        assert_eq!(assigned(source), Some(value), "{source}");
    }
}

#[test]
fn what_is_broken_is_named_with_its_line() {
    let nested = format!("\nx = {}", "[".repeat(100));
    let many = format!("x = [{}]", "1,".repeat(MAX_VALUES));
    let copies = format!("x = [{}]\n{}", "1,".repeat(1000), "y = x\n".repeat(1000));
    for (source, line, reason) in [
        ("x = 1\ny = 'a\n", 2, "expected the end of the quoted text that starts here"),
        ("x = 1\n\n\"\"\"a\n", 3, "expected the end of the quoted text that starts here"),
        ("f(\n1,\n", 1, "expected the end of the bracket that opens here"),
        (&nested, 2, "expected at most 32 brackets in one another"),
        (&many, 1, "expected at most 200000 values in a file"),
        (&copies, 200, "expected at most 200000 values in a file"),
    ] {
        let error = classes(source).unwrap_err();
        assert_eq!((error.line, error.reason.as_str()), (line, reason), "{source:.40}");
    }
}

#[test]
fn indents_say_where_a_class_ends() {
    let source = "class A:\n\tif True:\n\t\tx = 1\n\tdef f(self):\n\t\ty = 2\n\tz = 3\nx = 4\n\
                  class B:\n  async def __init__(self):\n    class C:\n      x = 5\n    self.x: int = 6\n";
    let read = classes(source).unwrap();
    let values: Vec<Value> =
        read.iter().map(|class| json!([class.name, class.attributes, class.fields])).collect();
    assert_eq!(
        values,
        [
            json!(["A", {"x": 1, "z": 3}, {}]),
            json!(["B", {}, {"x": 6}]),
            json!(["C", {"x": 5}, {}]),
        ]
    );
}

proptest! {
    #[test]
    fn any_text_gives_classes_or_an_error(text in "\\PC*") {
        let _ = classes(&text);
    }

    #[test]
    fn so_does_text_that_looks_like_python(
        text in "((class|def|self\\.x|x|__init__|datetime\\.datetime)|[\\[\\]{}()'\",:=#\\\\ \\n\\tr0-9e.+-]){0,80}",
    ) {
        let _ = classes(&text);
    }

    #[test]
    fn cut_sources_are_survived(from in 0_usize..2000, length in 0_usize..2000) {
        let from = from.min(TEAPOTS.len());
        let to = (from + length).min(TEAPOTS.len());
        let _ = classes(&format!("{}{}", &TEAPOTS[..from], &TEAPOTS[to..]));
    }

    #[test]
    fn json_is_read_as_python_where_both_mean_the_same(texts in prop::collection::vec("[a-zà-ÿ '\\t]*", 0..5)) {
        let value = json!({"texts": texts, "n": [1, 2.5, -3]});
        prop_assert_eq!(assigned(&value.to_string()), Some(value));
    }
}
