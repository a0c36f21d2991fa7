//! One call in every form in which models write it, as text, and words that are no call.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use exchange::Answer;
use exchange::call::{CallProblem, Form, Reading, parse_all, read_native, read_text};
use exchange::protocol::ToolCall;
use serde_json::{Value, json};

/// The forms of `AddAlarm(token='t0', time='2024-05-20 06:00:00')`. `{…}` is the object of arguments.
const FORMS: &[(Form, &str)] = &[
    (Form::ToolCallTag, "<tool_call>\n{\"name\": \"AddAlarm\", \"arguments\": {…}}\n</tool_call>"),
    (Form::ToolCallTag, "I set it.\n<tool_call>{'name': 'AddAlarm', 'arguments': {…}}"),
    (Form::ToolCallTag, "<TOOLCALL>[{\"name\": \"AddAlarm\", \"arguments\": {…}}]</TOOLCALL>"),
    (Form::ToolCallTag, "<|tool_call|>[{\"name\": \"AddAlarm\", \"arguments\": {…}}]"),
    (Form::ToolCallTag, "<|tool_call>[{\"name\": \"AddAlarm\", \"arguments\": {…}}]"),
    (
        Form::ToolCallTag,
        "<|tool_calls|>[{\"type\": \"function\", \"function\": {\"name\": \"AddAlarm\", \"arguments\": {…}}}]<|/tool_calls|>",
    ),
    (
        Form::ToolCallTag,
        "<function_call>{\"name\": \"AddAlarm\", \"arguments\": {…}}</function_call>",
    ),
    (Form::ToolCallTag, "<functioncall> {\"name\": \"AddAlarm\", \"arguments\": '{…}'}"),
    (
        Form::ToolCallTag,
        "<|action_start|><|plugin|>{\"name\": \"AddAlarm\", \"parameters\": {…}}<|action_end|>",
    ),
    (
        Form::ToolCallTag,
        "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"AddAlarm\", \"parameters\": {…}}]<|END_ACTION|>",
    ),
    (
        Form::ToolCallTag,
        "[TOOL_REQUEST]{\"name\": \"AddAlarm\", \"arguments\": {…}}[END_TOOL_REQUEST]",
    ),
    (
        Form::ToolCallTag,
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.AddAlarm:0<|tool_call_argument_begin|>{…}<|tool_call_end|><|tool_calls_section_end|>",
    ),
    (
        Form::ToolCallTag,
        "<|tool_call>call:AddAlarm{token:<|\"|>t0<|\"|>,time:<|\"|>2024-05-20 06:00:00<|\"|>}<tool_call|>",
    ),
    (
        Form::ToolCallTag,
        "<|tool_call_start|>[AddAlarm(token='t0', time='2024-05-20 06:00:00')]<|tool_call_end|>",
    ),
    (Form::ToolCallTag, "<longcat_tool_call>AddAlarm\n{…}</longcat_tool_call>"),
    (Form::PythonTag, "<|python_tag|>{\"name\": \"AddAlarm\", \"parameters\": {…}}<|eom_id|>"),
    (
        Form::PythonTag,
        "<|python_tag|>{\"type\": \"function\", \"name\": \"AddAlarm\", \"parameters\": {…}}; {\"name\": \"GetToday\", \"parameters\": {}}",
    ),
    (Form::PythonTag, "<|python_tag|>AddAlarm(token=\"t0\", time=\"2024-05-20 06:00:00\")"),
    (Form::FunctionTag, "<function=AddAlarm>{…}</function>"),
    (Form::FunctionTag, "<function=AddAlarm> {…}"),
    (Form::FunctionTag, "Sure.\n<function=functions.AddAlarm>\n{…}\n</function>"),
    (Form::ToolCalls, "[TOOL_CALLS][{\"name\": \"AddAlarm\", \"arguments\": {…}}]"),
    (
        Form::ToolCalls,
        "[TOOL_CALLS] [{\"name\": \"AddAlarm\", \"arguments\": {…}, \"id\": \"VvvODy9mT\"}]",
    ),
    (Form::ToolCalls, "[TOOL_CALLS]AddAlarm{…}"),
    (Form::ToolCalls, "[TOOL_CALLS]AddAlarm[ARGS]{…}"),
    (Form::ToolCalls, "[TOOL_CALLS]AddAlarm[CALL_ID]VvvODy9mT[ARGS]{…}</s>"),
    (
        Form::Xml,
        "<tool_call>\n<function=AddAlarm>\n<parameter=token>\nt0\n</parameter>\n<parameter=time>\n2024-05-20 06:00:00\n</parameter>\n</function>\n</tool_call>",
    ),
    (
        Form::Xml,
        "<function=AddAlarm><parameter=token>t0</parameter><parameter=time>2024-05-20 06:00:00</parameter></function>",
    ),
    (
        Form::Xml,
        "<seed:tool_call>\n<function=AddAlarm>\n<parameter=token>t0\n<parameter=time>2024-05-20 06:00:00\n</function>\n</seed:tool_call>",
    ),
    (
        Form::Xml,
        "<function_calls>\n<invoke name=\"AddAlarm\">\n<parameter name=\"token\">t0</parameter>\n<parameter name=\"time\">2024-05-20 06:00:00</parameter>\n</invoke>\n</function_calls>",
    ),
    (
        Form::Xml,
        "<minimax:tool_call>\n<invoke name=\"AddAlarm\">\n<parameter name=\"token\">t0</parameter>\n<parameter name=\"time\">2024-05-20 06:00:00</parameter>\n</invoke>\n</minimax:tool_call>",
    ),
    (
        Form::Xml,
        "<tool_call>AddAlarm\n<arg_key>token</arg_key>\n<arg_value>t0</arg_value>\n<arg_key>time</arg_key>\n<arg_value>2024-05-20 06:00:00</arg_value>\n</tool_call>",
    ),
    (
        Form::Xml,
        "<tool_use><tool_name>AddAlarm</tool_name><parameters><token>t0</token><time>2024-05-20 06:00:00</time></parameters></tool_use>",
    ),
    (Form::Xml, "<AddAlarm>\n<token>t0</token>\n<time>2024-05-20 06:00:00</time>\n</AddAlarm>"),
    (
        Form::Xml,
        "<function name=\"AddAlarm\"><param name=\"token\">t0</param><param name=\"time\">2024-05-20 06:00:00</param></function>",
    ),
    (
        Form::Harmony,
        "<|channel|>commentary to=functions.AddAlarm <|constrain|>json<|message|>{…}<|call|>",
    ),
    (Form::Harmony, "<|start|>assistant<|channel|>commentary to=functions.AddAlarm<|message|>{…}"),
    (
        Form::Harmony,
        "<|start|>assistant to=functions.AddAlarm<|channel|>commentary json<|message|>{…}<|call|>",
    ),
    (Form::Harmony, "commentary to=functions.AddAlarm json{…}"),
    (Form::Harmony, "<|channel|>commentary to=AddAlarm code<|message|>{…}<|call|>"),
    (
        Form::Deepseek,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>AddAlarm\n```json\n{…}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ),
    (
        Form::Deepseek,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>AddAlarm<｜tool▁sep｜>{…}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ),
    (
        Form::Deepseek,
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"AddAlarm\">\n<｜DSML｜parameter name=\"token\" string=\"true\">t0</｜DSML｜parameter>\n<｜DSML｜parameter name=\"time\" string=\"true\">2024-05-20 06:00:00</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    ),
    (
        Form::ToolCode,
        "```tool_code\nprint(default_api.AddAlarm(token='t0', time='2024-05-20 06:00:00'))\n```",
    ),
    (Form::ToolCode, "<tool_code>\nAddAlarm(token='t0', time='2024-05-20 06:00:00')\n</tool_code>"),
    (Form::ToolCode, "```tool_call\n{\"name\": \"AddAlarm\", \"args\": {…}}\n```"),
    (Form::Json, "```json\n{\"name\": \"AddAlarm\", \"arguments\": {…}}\n```"),
    (Form::Json, "{\"name\": \"AddAlarm\", \"parameters\": {…}}"),
    (Form::Json, "Here is the call: {\"tool\": \"AddAlarm\", \"args\": {…}}"),
    (Form::Json, "{\"function\": \"AddAlarm\", \"parameters\": {…}}"),
    (Form::Json, "{\"action\": \"AddAlarm\", \"action_input\": {…}}"),
    (
        Form::Json,
        "{\"action\": \"AddAlarm\", \"token\": \"t0\", \"time\": \"2024-05-20 06:00:00\"}",
    ),
    (
        Form::Json,
        "{\"tool_calls\": [{\"id\": \"1\", \"type\": \"function\", \"function\": {\"name\": \"AddAlarm\", \"arguments\": \"{\\\"token\\\": \\\"t0\\\", \\\"time\\\": \\\"2024-05-20 06:00:00\\\"}\"}}]}",
    ),
    (Form::Json, "[{\"name\": \"AddAlarm\", \"arguments\": {…}}]"),
    (Form::Json, "{\"AddAlarm\": {…}}"),
    (Form::Json, "AddAlarm {…}"),
    (Form::Json, "functools[{\"name\": \"AddAlarm\", \"arguments\": {…}}]"),
    (Form::Lines, "Action: AddAlarm\nAction Input: {…}"),
    (
        Form::Lines,
        "Thought: It is due.\nAction: AddAlarm\nAction Input:\n```json\n{…}\n```\nObservation:",
    ),
    (Form::Lines, "**Action:** `AddAlarm`\n**Action Input:** {…}"),
    (Form::Lines, "Tool: AddAlarm\nTool Input: {…}"),
    (Form::Lines, "Function: AddAlarm\nArguments: token='t0', time='2024-05-20 06:00:00'"),
    (Form::Lines, "✿FUNCTION✿: AddAlarm\n✿ARGS✿: {…}"),
    (Form::FullWidth, "[AddAlarm（token='t0', time='2024-05-20 06:00:00'）]"),
    (Form::FullWidth, "［AddAlarm（token＝'t0'，time＝'2024-05-20 06:00:00'）］"),
    (Form::FullWidth, "【AddAlarm(token='t0'，time='2024-05-20 06:00:00')】"),
    (Form::FullWidth, "[AddAlarm(token='t0'，time='2024-05-20 06:00:00')]"),
    (Form::Quotes, "[AddAlarm(token=‘t0’, time=‘2024-05-20 06:00:00’)]"),
    (Form::Quotes, "[AddAlarm(token=„t0“, time=„2024-05-20 06:00:00“)]"),
    (Form::Quotes, "[AddAlarm(token=「t0」, time=「2024-05-20 06:00:00」)]"),
    (Form::Invisible, "[Add\u{200b}Alarm(token='t0', time='2024-05-20 06:00:00')]"),
    (Form::Invisible, "[AddAlarm\u{200b}(to\u{2060}ken='t0', time='2024-05-20 06:00:00')]"),
    (Form::Invisible, "{\"name\": \"Add\u{feff}Alarm\", \"arguments\": {…}}"),
    (Form::Entities, "[AddAlarm(token=&#39;t0&#39;, time=&#39;2024-05-20 06:00:00&#39;)]"),
    (Form::Entities, "[AddAlarm(token=&quot;t0&quot;, time=&quot;2024-05-20 06:00:00&quot;)]"),
    (
        Form::Entities,
        "&lt;tool_call&gt;{&quot;name&quot;: &quot;AddAlarm&quot;, &quot;arguments&quot;: {&quot;token&quot;: &quot;t0&quot;, &quot;time&quot;: &quot;2024-05-20 06:00:00&quot;}}&lt;/tool_call&gt;",
    ),
    (Form::Escapes, "\\[AddAlarm\\(token\\='t0', time\\='2024-05-20 06:00:00')\\]"),
    (
        Form::Escapes,
        "\\{\"name\": \"AddAlarm\", \"arguments\": \\{\"token\": \"t0\", \"time\": \"2024-05-20 06:00:00\"\\}\\}",
    ),
    (Form::Escapes, "[AddAlarm\\(token='t0', time='2024-05-20 06:00:00'\\)]"),
];

/// Forms that the parser of `bracket` reads as right or as Python.
const PYTHON: [&str; 4] = [
    "[AddAlarm(token='t0', time='2024-05-20 06:00:00')]",
    "AddAlarm(token='t0', time='2024-05-20 06:00:00')",
    "**[AddAlarm(token: 't0', time: '2024-05-20 06:00:00')]**",
    "[AddAlarm(token='t0', time='2024-05-20 06:00:00'), GetToday()]",
];

/// Calls that can't be read.
const BROKEN: &[(Form, &str)] = &[
    (Form::ToolCallTag, "<tool_call>{\"name\": \"AddAlarm\", \"arguments\": {\"token\": "),
    (Form::ToolCallTag, "<tool_call>{\"name\": \"Nonsense\", \"argum"),
    (Form::ToolCalls, "[TOOL_CALLS]AddAlarm{\"token\": "),
    (Form::Deepseek, "<｜tool▁calls▁begin｜>"),
    (Form::Json, "{\"name\": \"AddAlarm\", \"arguments\": {\"token\": \"t0"),
    (Form::Lines, "Action: AddAlarm\nAction Input: tomorrow at six"),
    (
        Form::Harmony,
        "<|channel|>commentary to=functions.AddAlarm <|constrain|>json<|message|>{\"tok",
    ),
];

/// Words that are no call.
const WORDS: [&str; 22] = [
    "",
    "Which day do you mean?",
    "You owe nothing (see page 2). [1]",
    "I can't add an alarm with AddAlarm: it needs a token.",
    "Your profile: {\"name\": \"Anna Berg\", \"age\": 30}",
    "The record is {\"name\": \"pulse\", \"value\": \"80\"}.",
    "{\"name\": \"AddAlarm\", \"description\": \"d\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}",
    "It returned {\"api_name\": \"AddAlarm\", \"input\": {}, \"output\": \"success\", \"exception\": null}",
    "Action: I would call the bank.",
    "Action: Remind the user\nAction Input: none is needed",
    "Tool: a hammer\nInput: a nail",
    "Name: Wiki",
    "The options are:\n- Call: 555-0199\n- Function: dinner",
    "Use the <tool_call> tag for calls, please.",
    "Text in <b>bold</b> and [links](https://a.example/).",
    "See [tool] and [function] on page 3.",
    "```json\n{\"temperature\": 21}\n```",
    "The set {1, 2} and the list [1, 2].",
    "a = 1, b = {c}",
    "It’s “done” — 100 % (full‐width: ，（）).",
    "R&amp;D &lt;b&gt; 5 &#39;",
    "Snake\\_case \\[sic\\] \\*bold\\*",
];

fn known(name: &str) -> bool {
    ["AddAlarm", "GetToday", "Wiki"].contains(&name)
}

fn written(form: &str) -> String {
    form.replace("{…}", "{\"token\": \"t0\", \"time\": \"2024-05-20 06:00:00\"}")
}

fn native(text: &str) -> Reading {
    read_native(&Answer { text: text.to_owned(), ..Answer::default() }, &known)
}

fn bracket(text: &str) -> Reading {
    let answer = Answer { text: text.to_owned(), ..Answer::default() };
    read_text(parse_all(text), &answer, &known)
}

fn check(reading: &Reading, form: Form, text: &str) {
    let other = reading.other.as_ref().unwrap_or_else(|| panic!("{text}: {reading:?}"));
    assert_eq!(other.form, form, "{text}");
    let (first, _) = other.calls.as_ref().unwrap_or_else(|| panic!("{text}: not read"));
    assert_eq!(first.name, "AddAlarm", "{text}");
    let arguments = Value::Object(first.arguments.clone());
    assert_eq!(arguments, json!({"token": "t0", "time": "2024-05-20 06:00:00"}), "{text}");
    let problem = reading.calls.as_ref().unwrap_err();
    assert!(problem.to_string().contains(form.title()), "{text}: {problem}");
}

#[test]
fn every_form_is_recognized_as_itself() {
    for (form, text) in FORMS {
        let text = written(text);
        check(&native(&text), *form, &text);
        let reading = bracket(&text);
        // What the protocol's parser reads stays right.
        match &reading.calls {
            Ok((first, _)) => assert_eq!(first.arguments.len(), 2, "{text}"),
            Err(_) => check(&reading, *form, &text),
        }
    }
    for text in PYTHON {
        check(&native(text), Form::Python, text);
        assert!(bracket(text).calls.is_ok(), "{text}");
    }
    for form in Form::ALL {
        let own = [Form::Python, Form::Native, Form::TemplateName];
        let cases = FORMS.iter().filter(|(it, _)| *it == form).count();
        assert!(cases >= 3 || own.contains(&form), "{form:?}: {cases} cases");
    }
}

#[test]
fn a_broken_call_is_a_call() {
    for (form, text) in BROKEN {
        for reading in [native(text), bracket(text)] {
            let other = reading.other.unwrap_or_else(|| panic!("{text}: {:?}", reading.calls));
            assert_eq!((other.form, other.calls), (*form, None), "{text}");
        }
    }
}

#[test]
fn words_are_no_call() {
    for text in WORDS {
        for reading in [native(text), bracket(text)] {
            assert_eq!(reading.calls, Err(CallProblem::NoCall), "{text}");
            assert_eq!(reading.other, None, "{text}");
        }
    }
}

#[test]
fn a_template_in_a_name_is_form() {
    let arguments = "{\"token\": \"t0\", \"time\": \"2024-05-20 06:00:00\"}".to_owned();
    let read = |name: &str| {
        let call =
            ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.clone() };
        read_native(&Answer { calls: vec![call], ..Answer::default() }, &known)
    };
    for name in [
        "functions.AddAlarm",
        "functions.AddAlarm:0",
        "AddAlarm<|channel|>commentary",
        "AddAlarm<|channel|>json",
        "AddAlarm<|constrain|>json",
        "assistant<|channel|>commentary to=functions.AddAlarm",
        "default_api.AddAlarm",
        "default_api:AddAlarm",
        "functions_AddAlarm",
        "mcp__bank__AddAlarm",
        "tools/AddAlarm",
        "AddAlarm()",
        " AddAlarm\n",
        "\"AddAlarm\"",
    ] {
        check(&read(name), Form::TemplateName, name);
    }
    for name in
        ["AddAlarm", "AddAlarms", "Wiki_AddAlarm_all", "add_alarm", "functions.Nonsense", ""]
    {
        let reading = read(name);
        assert_eq!(reading.calls.unwrap().0.name, name);
    }
}

#[test]
fn a_native_call_where_calls_are_text_is_another_form() {
    let arguments = "{\"token\": \"t0\", \"time\": \"2024-05-20 06:00:00\"}".to_owned();
    let call = ToolCall { id: "1".to_owned(), name: "AddAlarm".to_owned(), arguments };
    let answer = Answer { calls: vec![call], ..Answer::default() };
    check(&read_text(Err(CallProblem::NoCall), &answer, &known), Form::Native, "native");
}

#[test]
fn long_texts_are_read_quickly() {
    for piece in [
        "<",
        "[",
        "{",
        "<tool_call>",
        "<tool",
        "[TOOL_CALLS]",
        "{\"name\":",
        "to=functions.",
        "```tool_code\n",
        "Action: AddAlarm\n",
        "='",
        "=‘",
        "（",
        "&",
        "&#",
        "\\_",
        "<a><b>",
        "AddAlarm {",
        "x=\"",
        ", a: ",
    ] {
        let text = piece.repeat((1 << 16) / piece.len());
        let _ = native(&text);
        let _ = bracket(&text);
    }
}
