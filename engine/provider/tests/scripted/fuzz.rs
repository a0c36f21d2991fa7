//! Decoders return an answer or a failure for any bytes.

use crate::answers::pairs;
use crate::support::{events, lines, received, whole};
use proptest::prelude::*;
use provider::WireFormat;
use serde_json::Value;

proptest! {
    #[test]
    fn no_bytes_make_a_decoder_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        status in prop::sample::select(vec![200_u16, 204, 400, 401, 429, 500]),
        size in 1_usize..40,
    ) {
        for format in WireFormat::ALL {
            let _ = received(format, status, bytes.chunks(size));
        }
    }

    #[test]
    fn no_json_makes_a_decoder_panic(body in any_json(), status in prop::sample::select(vec![200_u16, 400, 500])) {
        for format in WireFormat::ALL {
            let _ = whole(format, status, &body.to_string());
            let _ = whole(format, status, &lines(&[body.clone(), body.clone()]));
            let _ = whole(format, status, &events(&[body.clone(), body.clone()], true));
        }
    }

    #[test]
    fn no_mutation_of_a_stream_makes_a_decoder_panic(at in 0_usize..2000, byte in any::<u8>(), kept in 0_usize..2000) {
        for (format, stream, body) in pairs() {
            for text in [stream, body.to_string()] {
                let mut bytes = text.into_bytes();
                let at = at % bytes.len();
                bytes[at] = byte;
                bytes.truncate(kept.max(at + 1));
                let _ = received(format, 200, bytes.chunks(7));
            }
        }
    }
}

/// Random documents with the keys and values that decoders expect.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "choices",
        "message",
        "delta",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "index",
        "error",
        "type",
        "output",
        "usage",
        "done",
        "finish_reason",
        "reasoning_details",
        "text",
        "content_block",
        "item",
        "response",
        "failed_generation",
        "detail",
        "loc",
        "param",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_.]{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "tool_use",
            "content_block_delta",
            "response.completed",
            "[DONE]"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}
