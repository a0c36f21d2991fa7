"""Merges an adapter into its base model, so that one GGUF file is the tuned model: for the page,
Ollama, LM Studio or llama.cpp.

The adapted weights are computed in 32-bit floats, base + alpha / rank * B A, and stored in 8 bits
(Q8_0). All other tensors and fields are copied as they are.
"""

import argparse
from pathlib import Path

import gguf
from gguf.quants import dequantize, quantize

from base import gguf_file

# `GGUF.version` and the counts of tensors and fields belong to the file, not to the model.
OF_THE_FILE = "GGUF."


def read(path):
    try:
        return gguf.GGUFReader(path)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path}: can't be read as a GGUF file: {error}")


def adapted(adapter):
    """The updates of an adapter file by the name of the weight: its `a` (rank x in), `b` (out x rank) and scale."""
    reader = read(adapter)
    kind = reader.get_field("adapter.type")
    if kind is None or kind.contents() != "lora":
        raise SystemExit(f"{adapter}: not a LoRA adapter; finetune.py writes one as adapter.gguf")
    tensors = {tensor.name: tensor.data for tensor in reader.tensors}
    alpha = reader.get_field("adapter.lora.alpha").contents()
    names = sorted({name.rpartition(".")[0] for name in tensors})
    return {name: (tensors[f"{name}.lora_a"], tensors[f"{name}.lora_b"], alpha / len(tensors[f"{name}.lora_a"])) for name in names}


def merge(base, adapter, out, name):
    reader, updates = read(base), adapted(adapter)
    known = {tensor.name for tensor in reader.tensors}
    if missing := sorted(set(updates) - known):
        raise SystemExit(f"{adapter}: {base} has no weight {missing[0]}; --base has to be the model that was tuned")
    fields = {key: field for key, field in reader.fields.items() if not key.startswith(OF_THE_FILE)}
    writer = gguf.GGUFWriter(out, fields["general.architecture"].contents())
    for key, field in fields.items():
        if key == "general.name":
            writer.add_name(name)
        elif key == "general.file_type":
            writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
        elif key != "general.architecture":  # which the writer has added
            writer.add_key_value(key, field.contents(), field.types[0], field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        data, kind = tensor.data, tensor.tensor_type
        if tensor.name in updates:
            a, b, scale = updates[tensor.name]
            weight = dequantize(data, kind)
            if weight.shape != (len(b), a.shape[1]):
                raise SystemExit(f"{adapter}: {tensor.name} is {len(b)} x {a.shape[1]} there and {' x '.join(map(str, weight.shape))} in {base}; --base has to be the model that was tuned")
            kind = gguf.GGMLQuantizationType.Q8_0
            data = quantize(weight + scale * (b @ a), kind)
        writer.add_tensor(tensor.name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="folder of finetune.py, with its adapter.gguf")
    parser.add_argument("--base", default="gemma3-270m", help="as in finetune.py; gemma3-270m, or a .gguf file")
    parser.add_argument("--name", default="Lynx", help="what the file says the model is called")
    parser.add_argument("--out", type=Path, default=Path("lynx.gguf"))
    given = parser.parse_args()
    adapter = given.run / "adapter.gguf"
    if not adapter.exists():
        raise SystemExit(f"{adapter}: not there; has finetune.py finished?")
    merge(gguf_file(given.base), adapter, given.out, given.name)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
