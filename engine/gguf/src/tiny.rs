//! A model of random weights that llama.cpp loads: half a megabyte, architecture `llama`, a
//! SentencePiece vocabulary of bytes and letters. It answers with random letters.

/// Name of the model.
pub const NAME: &str = "Tiny random llama";
/// The context length of the model, in tokens.
pub const CONTEXT: u32 = 8192;
/// The chat template.
pub const TEMPLATE: &str = "{% for message in messages %}{{ message['role'] }}: \
    {{ message['content'] }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}";

const WIDTH: usize = 64;
const HIDDEN: usize = 96;
const LAYERS: usize = 2;
const HEADS: u32 = 2;
const ALIGNMENT: usize = 32;

const U16: u32 = 2;
const U32: u32 = 4;
const I32: u32 = 5;
const F32: u32 = 6;
const STRING: u32 = 8;
const ARRAY: u32 = 9;

/// The encoded metadata of a file.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    bytes: Vec<u8>,
    count: u64,
}

impl Fields {
    fn start(&mut self, key: &str, kind: u32) {
        string(&mut self.bytes, key);
        self.bytes.extend(kind.to_le_bytes());
        self.count += 1;
    }

    /// Adds a text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.start(key, STRING);
        string(&mut self.bytes, value);
    }

    /// Adds a number.
    pub fn number(&mut self, key: &str, value: u32) {
        self.start(key, U32);
        self.bytes.extend(value.to_le_bytes());
    }

    fn short(&mut self, key: &str, value: u16) {
        self.start(key, U16);
        self.bytes.extend(value.to_le_bytes());
    }

    fn float(&mut self, key: &str, value: f32) {
        self.start(key, F32);
        self.bytes.extend(value.to_le_bytes());
    }

    fn array<T>(&mut self, key: &str, kind: u32, values: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
        self.start(key, ARRAY);
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend((values.len() as u64).to_le_bytes());
        values.iter().for_each(|value| write(&mut self.bytes, value));
    }
}

fn string(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// A tensor of 32-bit floats; the first dimension varies fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Name.
    pub name: String,
    /// Dimensions.
    pub shape: Vec<usize>,
    /// Values.
    pub values: Vec<f32>,
}

/// Writes a file of version 3.
#[must_use]
pub fn write(fields: &Fields, tensors: &[Tensor]) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend((tensors.len() as u64).to_le_bytes());
    bytes.extend(fields.count.to_le_bytes());
    bytes.extend(&fields.bytes);
    let mut offset = 0;
    for tensor in tensors {
        string(&mut bytes, &tensor.name);
        bytes.extend((tensor.shape.len() as u32).to_le_bytes());
        tensor.shape.iter().for_each(|size| bytes.extend((*size as u64).to_le_bytes()));
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend((offset as u64).to_le_bytes());
        offset += (4 * tensor.values.len()).next_multiple_of(ALIGNMENT);
    }
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    for tensor in tensors {
        tensor.values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
    bytes
}

/// A piece of the vocabulary with its type: 1 normal, 2 unknown, 3 control, 6 byte.
type Piece = (String, i32);

fn vocabulary() -> Vec<Piece> {
    let special = [("<unk>", 2), ("<s>", 3), ("</s>", 3)];
    let special = special.into_iter().map(|(text, kind)| (text.to_owned(), kind));
    let bytes = (0..=255).map(|byte| (format!("<0x{byte:02X}>"), 6));
    let letters = (' '..='~').map(|letter| (letter.to_string().replace(' ', "\u{2581}"), 1));
    special.chain(bytes).chain(letters).collect()
}

/// The metadata, with a chat template or without.
#[must_use]
pub fn fields(architecture: &str, template: Option<&str>) -> Fields {
    let pieces = vocabulary();
    let mut fields = Fields::default();
    let of = |key: &str| format!("{architecture}.{key}");
    fields.text("general.architecture", architecture);
    fields.text("general.name", NAME);
    fields.number("general.file_type", 0);
    fields.number(&of("context_length"), CONTEXT);
    fields.number(&of("embedding_length"), WIDTH as u32);
    fields.number(&of("block_count"), LAYERS as u32);
    fields.number(&of("feed_forward_length"), HIDDEN as u32);
    fields.number(&of("attention.head_count"), HEADS);
    fields.number(&of("attention.head_count_kv"), HEADS);
    fields.number(&of("rope.dimension_count"), WIDTH as u32 / HEADS);
    fields.float(&of("attention.layer_norm_rms_epsilon"), 1e-5);
    fields.text("tokenizer.ggml.model", "llama");
    fields.array("tokenizer.ggml.tokens", STRING, &pieces, |bytes, (text, _)| string(bytes, text));
    fields.array("tokenizer.ggml.scores", F32, &pieces, |bytes, (_, kind)| {
        let score: f32 = if *kind == 1 { -1.0 } else { 0.0 };
        bytes.extend(score.to_le_bytes());
    });
    fields.array("tokenizer.ggml.token_type", I32, &pieces, |bytes, (_, kind)| {
        bytes.extend(kind.to_le_bytes());
    });
    for (name, id) in [("unknown", 0), ("bos", 1), ("eos", 2)] {
        fields.number(&format!("tokenizer.ggml.{name}_token_id"), id);
    }
    if let Some(template) = template {
        fields.text("tokenizer.chat_template", template);
    }
    fields
}

/// The weights: reproducible random numbers, xorshift64* (Vigna, 2016).
#[must_use]
pub fn tensors() -> Vec<Tensor> {
    let pieces = vocabulary();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |name: &str, shape: [usize; 2]| {
        let next = |_| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            let bits = state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
            (bits as f32 / (1_u32 << 23) as f32 - 1.0) * 0.3
        };
        let values = (0..shape[0] * shape[1]).map(next).collect();
        Tensor { name: name.to_owned(), shape: shape.to_vec(), values }
    };
    let ones =
        |name: &str| Tensor { name: name.to_owned(), shape: vec![WIDTH], values: vec![1.0; WIDTH] };
    let mut output = random("output.weight", [WIDTH, pieces.len()]);
    // Only letters are ever likely, so that answers are text.
    for (row, (_, kind)) in output.values.chunks_mut(WIDTH).zip(&pieces) {
        if *kind != 1 {
            row.fill(0.0);
        }
    }
    let mut tensors = vec![
        random("token_embd.weight", [WIDTH, pieces.len()]),
        ones("output_norm.weight"),
        output,
    ];
    for layer in 0..LAYERS {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        tensors.push(ones(&name("attn_norm")));
        for part in ["attn_q", "attn_k", "attn_v", "attn_output"] {
            tensors.push(random(&name(part), [WIDTH, WIDTH]));
        }
        tensors.push(ones(&name("ffn_norm")));
        for (part, shape) in [
            ("ffn_gate", [WIDTH, HIDDEN]),
            ("ffn_up", [WIDTH, HIDDEN]),
            ("ffn_down", [HIDDEN, WIDTH]),
        ] {
            tensors.push(random(&name(part), shape));
        }
    }
    tensors
}

/// The model with the chat template [`TEMPLATE`].
#[must_use]
pub fn model() -> Vec<u8> {
    write(&fields("llama", Some(TEMPLATE)), &tensors())
}

/// The model in two files, as llama.cpp splits it.
#[must_use]
pub fn parts() -> [Vec<u8>; 2] {
    let tensors = tensors();
    let (first, second) = tensors.split_at(tensors.len() / 2);
    let part = |mut fields: Fields, number: u16, own: &[Tensor]| {
        fields.short("split.no", number);
        fields.short("split.count", 2);
        fields.start("split.tensors.count", I32);
        fields.bytes.extend((tensors.len() as u32).to_le_bytes());
        write(&fields, own)
    };
    [part(fields("llama", Some(TEMPLATE)), 0, first), part(Fields::default(), 1, second)]
}
