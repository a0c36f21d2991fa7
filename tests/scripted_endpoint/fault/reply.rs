//! The bytes of a response, valid or faulty.

use serde_json::{Value, json};

use super::{Moment, ToolTrouble, Trouble};

/// Headers that let any page read the response.
const CORS: &str = "Access-Control-Allow-Origin: *\r\n\
                    Access-Control-Allow-Headers: authorization, content-type\r\n\
                    Access-Control-Max-Age: 600\r\n\
                    Access-Control-Expose-Headers: Retry-After\r\n";
/// The size of the long answer, in bytes.
const LONG: usize = 5 << 20;

/// The bytes to send before the connection closes.
pub(super) fn bytes(trouble: Option<Trouble>, text: &str) -> Vec<u8> {
    let right = whole(200, "application/json", &completion(&json!({ "content": text })));
    let Some(trouble) = trouble else { return right };
    match trouble {
        Trouble::Late => right,
        Trouble::Dropped(moment) => dropped(moment, right, text),
        Trouble::Status(status) => refusal(status, ""),
        Trouble::Wait => refusal(429, "Retry-After: 1\r\n"),
        Trouble::Unreadable => {
            b"HTTP/1.1 401 -\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec()
        }
        Trouble::WebPage => whole(200, "text/html", "<!doctype html><title>Sign in</title>"),
        Trouble::Stream => whole(200, "text/event-stream", &events(text, Ending::Done)),
        Trouble::StreamAsJson => whole(200, "application/json", &events(text, Ending::Done)),
        Trouble::ShortStream => whole(200, "text/event-stream", &events(text, Ending::Missing)),
        Trouble::BrokenStream => whole(200, "text/event-stream", &events(text, Ending::Broken)),
        Trouble::PlainText => whole(200, "text/plain", &completion(&json!({ "content": text }))),
        Trouble::BrokenJson => {
            whole(200, "application/json", r#"{"choices": [{"message": {"content": "[Get"#)
        }
        Trouble::Long => {
            let words = "one [step ".repeat(LONG / 10);
            whole(200, "application/json", &completion(&json!({ "content": words })))
        }
        Trouble::NoChoice => whole(200, "application/json", r#"{"choices": []}"#),
        Trouble::ErrorInside => {
            whole(200, "application/json", r#"{"error": {"message": "The model is loading."}}"#)
        }
        Trouble::Tools(trouble) => {
            let message = json!({ "content": null, "tool_calls": tool_calls(trouble) });
            whole(200, "application/json", &completion(&message))
        }
    }
}

/// The response to a CORS preflight.
pub(super) fn preflight() -> Vec<u8> {
    format!("HTTP/1.1 204 -\r\nConnection: close\r\n{CORS}\r\n").into_bytes()
}

/// The list of models.
pub(super) fn models() -> Vec<u8> {
    whole(200, "application/json", r#"{"data": [{"id": "faulty"}]}"#)
}

fn refusal(status: u16, headers: &str) -> Vec<u8> {
    let body = json!({ "error": { "message": format!("This is a {status} by script.") } });
    response(status, "application/json", headers, &body.to_string())
}

fn whole(status: u16, kind: &str, body: &str) -> Vec<u8> {
    response(status, kind, "", body)
}

/// One connection per response: a browser resends a request when a kept-alive connection closes.
fn response(status: u16, kind: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Type: {kind}\r\n{CORS}{headers}\
         Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

fn completion(message: &Value) -> String {
    json!({
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1 },
    })
    .to_string()
}

fn dropped(moment: Moment, right: Vec<u8>, text: &str) -> Vec<u8> {
    let head_end = right.windows(4).position(|end| end == b"\r\n\r\n").map_or(0, |at| at + 4);
    let cut = match moment {
        Moment::BeforeHead => 0,
        Moment::InHead => 5,
        Moment::AfterHead => head_end,
        Moment::InBody => (head_end + right.len()) / 2,
        Moment::InStream => {
            // Chunked, so that the browser notices the missing end.
            let head = format!(
                "HTTP/1.1 200 -\r\nConnection: close\r\nContent-Type: text/event-stream\r\n{CORS}\
                 Transfer-Encoding: chunked\r\n\r\n"
            );
            let events = events(text, Ending::Missing);
            let chunk = format!("{:x}\r\n{events}\r\n", events.len());
            return [head.as_bytes(), chunk.as_bytes()].concat();
        }
    };
    right.into_iter().take(cut).collect()
}

/// How a stream ends.
enum Ending {
    Done,
    Missing,
    Broken,
}

/// A text as a stream, a few characters per event.
fn events(text: &str, ending: Ending) -> String {
    let letters: Vec<char> = text.chars().collect();
    let delta = |content: String| {
        format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": content } }] }))
    };
    let mut stream = String::from(": a comment\n\n");
    stream.extend(letters.chunks(7).map(|piece| delta(piece.iter().collect())));
    match ending {
        Ending::Missing => {}
        Ending::Broken => stream.push_str("data: {\"choices\": [{\"delta\": \n\ndata: [DONE]\n\n"),
        Ending::Done => {
            let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
            stream.push_str(&format!("data: {end}\n\ndata: [DONE]\n\n"));
        }
    }
    stream
}

fn tool_calls(trouble: ToolTrouble) -> Value {
    let call = |id: &str, name: &str, arguments: &str| {
        let function = json!({ "name": name, "arguments": arguments });
        json!({ "id": id, "type": "function", "function": function })
    };
    match trouble {
        ToolTrouble::BrokenArguments => json!([call("c1", "GetToday", "{\"a\": ")]),
        ToolTrouble::SameIds => {
            json!([call("c1", "GetToday", "{}"), call("c1", "Calculator", "{}")])
        }
        ToolTrouble::Unknown => json!([call("c1", "OpenPodBayDoors", "{}")]),
    }
}
