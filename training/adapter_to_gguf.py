"""Converts a PEFT LoRA adapter to the GGUF form that llama.cpp loads beside a base model.

Format: `general.type = adapter`, `adapter.type = lora`, `adapter.lora.alpha`, and two tensors for
each adapted weight: `<name>.lora_a` (rank × in) and `<name>.lora_b` (out × rank), 32-bit floats.
Source: the documentation of llama.cpp's LoRA adapters.
"""

import json
import sys
from pathlib import Path

import gguf
from safetensors.numpy import load_file

# Architectures whose query and key rows GGUF files keep in the order of transformers. Llama's are
# permuted there.
ARCHITECTURES = {"gemma3_text": "gemma3", "gemma3": "gemma3", "qwen2": "qwen2", "qwen3": "qwen3"}

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def tensor_name(name):
    """`base_model.model.model.layers.3.mlp.up_proj.lora_A.weight` as `blk.3.ffn_up.weight.lora_a`."""
    layer, _, rest = name.partition(".layers.")[2].partition(".")
    module, _, which = rest.removesuffix(".weight").rpartition(".")
    if module not in NAMES or which not in ("lora_A", "lora_B"):
        raise SystemExit(f"{name}: not an adapted projection that this script knows")
    return f"blk.{layer}.{NAMES[module]}.weight.{which.lower()}"


def convert(adapter, out, model_type=None):
    config = json.loads((adapter / "adapter_config.json").read_text())
    model_type = model_type or config.get("model_type") or (adapter / "model_type").read_text().strip()
    if model_type not in ARCHITECTURES:
        raise SystemExit(f"architecture {model_type}: expected one of {', '.join(ARCHITECTURES)}")
    writer = gguf.GGUFWriter(str(out), ARCHITECTURES[model_type])
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(config["lora_alpha"]))
    for name, weight in sorted(load_file(adapter / "adapter_model.safetensors").items()):
        writer.add_tensor(tensor_name(name), weight.astype("float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
