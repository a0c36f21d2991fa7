//! Who reads what in an ONNX graph.

use std::collections::BTreeMap;
use tract_onnx::pb::GraphProto;

/// The nodes that read each value, as indices; the graph's outputs are read from outside.
pub(super) struct Consumers(BTreeMap<String, Vec<Option<usize>>>);

impl Consumers {
    pub(super) fn of(graph: &GraphProto) -> Self {
        let mut consumers: BTreeMap<String, Vec<Option<usize>>> = BTreeMap::new();
        for (at, node) in graph.node.iter().enumerate() {
            for name in &node.input {
                consumers.entry(name.clone()).or_default().push(Some(at));
            }
        }
        for output in &graph.output {
            consumers.entry(output.name.clone()).or_default().push(None);
        }
        Consumers(consumers)
    }

    /// The only reader of a node with one output.
    pub(super) fn only(&self, output: &[String]) -> Option<usize> {
        let [name] = output else { return None };
        match self.0.get(name)?.as_slice() {
            [reader] => *reader,
            _ => None,
        }
    }
}
