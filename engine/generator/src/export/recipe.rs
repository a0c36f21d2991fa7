//! An Axolotl config that fine-tunes on exported chats with the paper's settings.
//!
//! The paper trained LLaMA-7B for three epochs with batches of 256 and a learning rate of 2e-5
//! (arXiv 2304.08244, section 6). Keys are from Axolotl's documentation: `type: chat_template` with
//! `messages` and `tools`, arguments as JSON text.

/// Epochs.
pub const EPOCHS: u32 = 3;
/// Dialogues per optimizer step.
pub const BATCH: u32 = 256;
/// Learning rate.
pub const LEARNING_RATE: &str = "2e-5";
/// Dialogues per GPU and forward pass; gradients accumulate up to the batch.
const MICRO_BATCH: u32 = 4;

/// The config; `chats` is the path of the exported chats.
pub fn axolotl(chats: &str) -> String {
    let steps = BATCH / MICRO_BATCH;
    format!(
        "# Fine-tuning as in the API-Bank paper: {EPOCHS} epochs, batches of {BATCH}, learning rate \
         {LEARNING_RATE}.
# axolotl train recipe.yaml
# The batch is micro_batch_size x gradient_accumulation_steps x number of GPUs: with 8 GPUs
# use {} steps.
base_model: Qwen/Qwen2.5-7B-Instruct  # any model whose chat template supports tools

datasets:
  - path: {chats}
    ds_type: json
    type: chat_template
    field_messages: messages
    field_tools: tools
    roles_to_train: [\"assistant\"]
chat_template: tokenizer_default

num_epochs: {EPOCHS}
micro_batch_size: {MICRO_BATCH}
gradient_accumulation_steps: {steps}
learning_rate: {LEARNING_RATE}
lr_scheduler: cosine
optimizer: adamw_torch

sequence_len: 4096
bf16: auto
gradient_checkpointing: true
dataset_prepared_path: prepared
output_dir: out
",
        steps / 8
    )
}
