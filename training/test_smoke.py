"""On a tiny model of random weights: steps packed into one sequence have the loss that they have
alone, and a device that passes over the mask is found out; the token that decides between call and
words has its weight; in twenty steps the loss falls, a run that stops and goes on gives the same
numbers, and a run goes on from another's adapter. A merged file is the base plus the adapter. Needs the
packages of requirements.txt and no download.

    python -m unittest discover training
"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def tiny_model(folder):
    """A Gemma 3 with two small layers and a tokenizer of bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig, PreTrainedTokenizerFast

    torch.manual_seed(0)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: index for index, word in enumerate(["<pad>", "<eos>", "<bos>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", bos_token="<bos>")
    fast.save_pretrained(folder)
    config = Gemma3TextConfig(
        vocab_size=len(vocabulary), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=32, sliding_window=8,
        layer_types=["sliding_attention", "full_attention"],
        max_position_embeddings=2048, eos_token_id=1, bos_token_id=2, pad_token_id=0,
    )
    Gemma3ForCausalLM(config).save_pretrained(folder)


class Packing(unittest.TestCase):
    def test_a_packed_dialogue_has_the_loss_of_its_steps(self):
        import torch

        from base import load
        import packing
        from packing import apart, check, loss_of, pack

        with tempfile.TemporaryDirectory() as folder:
            tiny_model(folder)
            model, _ = load(folder)
        generator = torch.Generator().manual_seed(1)
        draw = lambda count: torch.randint(3, 200, (count,), generator=generator).tolist()
        begins = draw(20)
        steps = [(begins + draw(5), draw(4), [1.0, 8.0, 1.0, 1.0]), (begins + draw(9), draw(7), [1.0] * 7), (begins, draw(3), [1.0, 20.0, 1.0])]
        packed = pack(steps)
        self.assertEqual(len(packed[0]), 20 + 5 + 4 + 9 + 7 + 3)
        with torch.no_grad():
            alone = 0.0
            for prompt, answer, weights in steps:
                logits = model(input_ids=torch.tensor([prompt + answer])).logits[0, len(prompt) - 1 : -1]
                losses = torch.nn.functional.cross_entropy(logits, torch.tensor(answer), reduction="none")
                alone += sum(weight * loss.item() for weight, loss in zip(weights, losses))
            whole = sum(sum(weights) for _, _, weights in steps)
            together = loss_of(model, packed).item() * whole
            parts = sum(part * loss_of(model, step).item() for step, part in apart(steps)) * whole
        self.assertAlmostEqual(together, alone, delta=1e-4 * alone)
        self.assertAlmostEqual(parts, alone, delta=1e-4 * alone)
        check(model, steps)
        # As if the device passed over the mask.
        with unittest.mock.patch.object(packing, "attention", lambda parents, *_: torch.zeros(1, 1, len(parents), len(parents))):
            with self.assertRaisesRegex(SystemExit, "--apart"):
                check(model, steps, most=1e-3)


class Decision(unittest.TestCase):
    def test_the_token_that_decides_has_its_weight(self):
        from base import load
        from finetune import encode

        with tempfile.TemporaryDirectory() as folder:
            tiny_model(folder)
            _, tokenizer = load(folder)
        row = {"messages": [{"role": "user", "content": "Open door 1."}]}
        for kind, target, first, weight in [
            ("call", "[Open(door='1')]", "[", 10.0),
            ("no_call", "Which door?", "W", 20.0),
            ("reply", "It is open.", "I", 1.0),
        ]:
            _, answer, weights = encode(tokenizer, {**row, "kind": kind, "target": target}, 10.0, 20.0)
            self.assertEqual(tokenizer.decode(answer[1:2]), first)
            self.assertEqual(weights, [1.0, weight] + [1.0] * (len(answer) - 2))
            _, _, weights = encode(tokenizer, {**row, "kind": kind, "target": target})
            self.assertEqual(set(weights), {1.0})
            _, answer, _ = encode(tokenizer, {**row, "kind": kind, "target": target}, speaker=True)
            speaks = "" if kind == "call" else "Assistant: "
            self.assertEqual(tokenizer.decode(answer[:-1]), f"\n{speaks}{target}")


class Merge(unittest.TestCase):
    def test_a_merged_file_has_the_update_and_nothing_else_changed(self):
        import gguf
        import numpy
        from gguf.quants import dequantize, quantize

        from merge import merge

        draw = numpy.random.default_rng(1).normal
        weight, norm = draw(size=(64, 32)).astype("float32"), draw(size=32).astype("float32")
        a, b = draw(size=(4, 32)).astype("float32"), draw(size=(64, 4)).astype("float32")
        five_bits = gguf.GGMLQuantizationType.Q5_0
        stored = quantize(weight, five_bits)

        def write(path, architecture, fields, tensors):
            writer = gguf.GGUFWriter(str(path), architecture)
            fields(writer)
            for name, data, kind in tensors:
                writer.add_tensor(name, data, raw_dtype=kind)
            writer.write_header_to_file()
            writer.write_kv_data_to_file()
            writer.write_tensors_to_file()
            writer.close()

        def of_the_base(writer):
            writer.add_name("Tiny")
            writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q5_0)
            writer.add_context_length(512)
            writer.add_token_list(["<eos>", "Öl", "a"])
            writer.add_token_scores([0.0, -1.0, -2.5])

        def of_the_adapter(writer):
            writer.add_string("adapter.type", "lora")
            writer.add_float32("adapter.lora.alpha", 8.0)

        with tempfile.TemporaryDirectory() as folder:
            base, adapter, out = (Path(folder) / name for name in ("base.gguf", "adapter.gguf", "out.gguf"))
            tensors = [("blk.0.attn_q.weight", stored, five_bits), ("blk.0.attn_k.weight", stored, five_bits), ("output_norm.weight", norm, None)]
            write(base, "gemma3", of_the_base, tensors)
            write(adapter, "gemma3", of_the_adapter, [("blk.0.attn_q.weight.lora_a", a, None), ("blk.0.attn_q.weight.lora_b", b, None)])
            merge(base, adapter, out, "Tiny Lynx")
            merged, before = gguf.GGUFReader(out), gguf.GGUFReader(base)
            fields = {key: field.contents() for key, field in merged.fields.items() if not key.startswith("GGUF.")}
            expected = {key: field.contents() for key, field in before.fields.items() if not key.startswith("GGUF.")}
            self.assertEqual(fields, expected | {"general.name": "Tiny Lynx", "general.file_type": gguf.LlamaFileType.MOSTLY_Q8_0})
            named = {tensor.name: tensor for tensor in merged.tensors}
            self.assertEqual([*named], [name for name, _, _ in tensors])
            update = dequantize(stored, five_bits) + 8.0 / 4 * (b @ a)
            changed = named["blk.0.attn_q.weight"]
            self.assertLess(abs(dequantize(changed.data, changed.tensor_type) - update).max(), abs(update).max() / 200)
            self.assertEqual(named["blk.0.attn_k.weight"].tensor_type, five_bits)
            numpy.testing.assert_array_equal(named["blk.0.attn_k.weight"].data, stored)
            numpy.testing.assert_array_equal(named["output_norm.weight"].data, norm)

            write(adapter, "gemma3", of_the_adapter, [("blk.0.attn_q.weight.lora_a", a[:, :16], None), ("blk.0.attn_q.weight.lora_b", b, None)])
            with self.assertRaisesRegex(SystemExit, "blk.0.attn_q.weight is 64 x 16 there and 64 x 32"):
                merge(base, adapter, out, "Tiny Lynx")
            with self.assertRaisesRegex(SystemExit, "not a LoRA adapter"):
                merge(base, base, out, "Tiny Lynx")
            adapter.write_bytes(b"<html>not found</html>")
            with self.assertRaisesRegex(SystemExit, "adapter.gguf: can't be read as a GGUF file"):
                merge(base, adapter, out, "Tiny Lynx")


class Evaluation(unittest.TestCase):
    def test_an_interrupted_run_goes_on_at_the_address_of_the_server(self):
        import evaluate

        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(evaluate, "HERE", Path(folder)):
            folder = Path(folder)
            (folder / "serve.py").write_text("import time; print('http://127.0.0.1:9/v1', flush=True); time.sleep(60)")
            command = folder / "api-bank"
            command.write_text(f"#!{sys.executable}\nimport sys; open({str(folder / 'given')!r}, 'w').write(' '.join(sys.argv[1:]))\n")
            command.chmod(0o755)
            out = folder / "base.json"
            for partial, expected in [(False, "--model gemma3-270m"), (True, f"--resume {out}.partial")]:
                if partial:
                    Path(f"{out}.partial").touch()
                evaluate.run(str(command), out, evaluate.SETTINGS, "gemma3-270m", None, 9)
                given = (folder / "given").read_text()
                self.assertIn(expected, given)
                # Without the address, a record's endpoint is asked only after a question.
                self.assertIn("--endpoint http://127.0.0.1:9/v1", given)

    def test_records_of_other_dialogues_are_other_files(self):
        import evaluate

        with tempfile.TemporaryDirectory() as folder:
            for more, expected in [([], "base.json"), (["--subset", "10%", "--split", "hard"], "base-10-percent-hard.json")]:
                with (
                    unittest.mock.patch.object(sys, "argv", ["evaluate.py", "--records", folder, "--api-bank", sys.executable, *more]),
                    unittest.mock.patch.object(evaluate, "run") as run,
                    unittest.mock.patch.object(evaluate.subprocess, "run"),
                ):
                    evaluate.main()
                self.assertEqual(run.call_args.args[1], Path(folder) / expected)


class Smoke(unittest.TestCase):
    def test_the_loss_falls_and_a_resumed_run_gives_the_same_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            tiny_model(folder / "base")
            rows = [
                {"dialogue": f"d{n}", "kind": "call", "target": f"[{call}(door='{n}')]",
                 "messages": [{"role": "system", "content": "Call."}, {"role": "user", "content": f"{call} door {n}."}]}
                for n in range(8)
                for call in ("Open", "Close")
            ]
            prompts = folder / "prompts.jsonl"
            prompts.write_text("".join(json.dumps(row) + "\n" for row in rows))

            def run(out, steps, *more):
                command = [sys.executable, str(HERE / "finetune.py"), "--prompts", str(prompts), "--base", str(folder / "base"),
                           "--out", str(folder / out), "--steps", str(steps), "--batch", "2", "--rate", "1e-2", "--save-every", "5", *more]
                subprocess.run(command, check=True, cwd=HERE)

            def losses(out):
                with (folder / out / "log.csv").open() as log:
                    return [float(row["loss"]) for row in csv.DictReader(log)]

            run("whole", 20)
            whole = losses("whole")
            self.assertEqual(len(whole), 20)
            self.assertLess(sum(whole[-5:]), 0.95 * sum(whole[:5]), whole)
            run("stopped", 20, "--stop-after", "10")
            self.assertEqual(losses("stopped"), whole[:10])
            run("stopped", 20)
            self.assertEqual(losses("stopped"), whole)
            run("apart", 5, "--apart")
            self.assertAlmostEqual(losses("apart")[0], whole[0], delta=1e-3)
            self.assertTrue((folder / "stopped" / "adapter.gguf").exists())
            run("further", 2, "--start", str(folder / "whole" / "adapter"))
            self.assertLess(losses("further")[0], 0.95 * whole[0])


if __name__ == "__main__":
    unittest.main()
