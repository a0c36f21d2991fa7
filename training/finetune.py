"""Fine-tunes a language model on the benchmark's own prompts, with a LoRA adapter or in full.

Input: JSON lines of `api-bank training export --format prompts`. Each line is one step of a dialogue:
the prompt as the benchmark sends it to a model without a chat template, and the answer. The loss
counts the answers' tokens alone. All steps of a dialogue are one sequence (packing.py).

Output, in the folder --out: `settings.json`, `log.csv` (step, loss, learning rate, tokens, seconds),
`loss.svg`, `checkpoint.pt`, and at the end `adapter/` (PEFT) with `adapter.gguf` (llama.cpp), or
`model/` with --full.

Sources: LoRA, Hu et al. 2021 (arXiv 2106.09685); AdamW, Loshchilov & Hutter 2019.
"""

import argparse
import csv
import json
import math
import random
import time
from contextlib import nullcontext
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model

from base import load
from packing import apart, check, loss_of, pack

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prompts", type=Path, required=True, help="the exported JSON lines")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--base", default="gemma3-270m", help="gemma3-270m (from its Python package), or a name or path that transformers loads")
    parser.add_argument("--seed", type=int, default=1, help="order of dialogues, adapter's start, choice of the share")
    parser.add_argument("--steps", type=int, default=500, help="optimizer steps")
    parser.add_argument("--batch", type=int, default=2, help="dialogues a step")
    parser.add_argument("--share", type=float, default=1.0, help="share of the dialogues, 0 to 1, drawn by seed")
    parser.add_argument("--without", choices=["no_call", "reply"], nargs="*", default=[], help="kinds of steps to leave out")
    parser.add_argument("--decision", type=float, nargs=2, default=[1.0, 1.0], metavar=("CALL", "WORDS"), help="weight in the loss of the token that decides between call and words, where a call and where words are due; other tokens weigh 1")
    parser.add_argument("--speaker", action="store_true", help="let words begin with `Assistant:`, as in the prompt's transcript")
    parser.add_argument("--start", type=Path, help="go on from the adapter of another run: its folder adapter/")
    parser.add_argument("--longest", type=int, default=1536, help="longest dialogue in tokens; longer ones are left out and counted")
    parser.add_argument("--rank", type=int, default=32, help="rank of the adapter")
    parser.add_argument("--rate", type=float, default=3e-4, help="highest learning rate")
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32", help="of the frozen weights; bfloat16 is faster on processors with AVX-512 BF16 or AMX")
    parser.add_argument("--full", action="store_true", help="train every weight instead of an adapter")
    parser.add_argument("--apart", action="store_true", help="compute every step by itself, where a device can't compute packed dialogues")
    parser.add_argument("--save-every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--stop-after", type=int, help="stop at this step, to go on later")
    return parser.parse_args()


def read(path, share, without, seed):
    """The rows of a share of the dialogues."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = sorted({row["dialogue"] for row in rows})
    random.Random(seed).shuffle(names)
    kept = set(names[: math.ceil(share * len(names))])
    return [row for row in rows if row["dialogue"] in kept and row["kind"] not in without]


def encode(tokenizer, row, call_weight=1.0, words_weight=1.0, speaker=False):
    """The tokens of prompt and answer, and the weights of the answer's in the loss. The prompt is joined
    as the wire format Completions does it. The first token after the line break decides between a call,
    which begins with a bracket, and words; all others weigh 1. With `speaker`, words begin alike: with
    the name that the transcript in the prompt gives the assistant."""
    prompt = "\n\n".join(message["content"] for message in row["messages"])
    prompt = tokenizer(prompt).input_ids
    target = f"Assistant: {row['target']}" if speaker and row["kind"] != "call" else row["target"]
    answer = tokenizer("\n" + target, add_special_tokens=False).input_ids + [tokenizer.eos_token_id]
    line_break = tokenizer("\n", add_special_tokens=False).input_ids
    weights = [1.0] * len(answer)
    weights[len(line_break) if answer[: len(line_break)] == line_break else 0] = {"call": call_weight, "no_call": words_weight}.get(row["kind"], 1.0)
    return prompt, answer, weights


def rate_at(step, steps, highest):
    """Linear warm-up over the first 5 %, then a cosine to zero."""
    warm = max(1, steps // 20)
    if step < warm:
        return highest * (step + 1) / warm
    return highest * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def order(count, seed, needed):
    """Indexes of dialogues: each epoch a new shuffle."""
    chosen, draw = [], random.Random(seed)
    while len(chosen) < needed:
        epoch = list(range(count))
        draw.shuffle(epoch)
        chosen += epoch
    return chosen


def plot(rows, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    losses = [float(row["loss"]) for row in rows]
    width = max(1, len(losses) // 50)
    smooth = [sum(losses[max(0, i - width) : i + 1]) / len(losses[max(0, i - width) : i + 1]) for i in range(len(losses))]
    pyplot.figure(figsize=(6, 3.5))
    pyplot.plot(losses, alpha=0.25)
    pyplot.plot(smooth)
    pyplot.xlabel("step")
    pyplot.ylabel("loss of the answer's tokens (nats)")
    pyplot.tight_layout()
    pyplot.savefig(path)


def main():
    given = arguments()
    if given.full and given.precision != "float32":
        raise SystemExit("--precision bfloat16: goes with an adapter; --full trains every weight, which needs float32")
    if given.full and given.start:
        raise SystemExit("--start: goes on with an adapter; --full trains every weight")
    given.out.mkdir(parents=True, exist_ok=True)
    # What decides the result; a run goes on only with the same.
    settings = {key: str(value) if isinstance(value, Path) else value for key, value in vars(given).items() if key not in ("out", "save_every", "stop_after")}
    known = given.out / "settings.json"
    if known.exists() and json.loads(known.read_text()) != settings:
        raise SystemExit(f"{known}: this folder has a run with other settings; give another --out")
    known.write_text(json.dumps(settings, indent=1) + "\n")

    torch.manual_seed(given.seed)
    model, tokenizer = load(given.base)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device, dtype=getattr(torch, given.precision))
    if given.start:
        model = PeftModel.from_pretrained(model, given.start, is_trainable=True)
    elif not given.full:
        lora = LoraConfig(r=given.rank, lora_alpha=2 * given.rank, lora_dropout=0.0, target_modules=PROJECTIONS, task_type="CAUSAL_LM")
        model = get_peft_model(model, lora)
    model.train()
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=given.rate, weight_decay=0.0)

    dialogues = {}
    for row in read(given.prompts, given.share, given.without, given.seed):
        dialogues.setdefault(row["dialogue"], []).append(encode(tokenizer, row, *given.decision, given.speaker))
    packed = [(pack(steps), steps) for steps in dialogues.values()]
    left_out = sum(len(it[0]) > given.longest for it, _ in packed)
    packed = [(it, steps) for it, steps in packed if len(it[0]) <= given.longest]
    short = [it for it, _ in packed]
    if not short:
        raise SystemExit(f"--longest {given.longest}: no dialogue is that short")
    print(f"{len(short)} dialogues, {sum(len(it[0]) for it in short)} tokens; {left_out} are longer than {given.longest} tokens and left out", flush=True)
    parts = [apart(steps) for _, steps in packed] if given.apart else [[(it, 1)] for it in short]
    if not given.apart:
        # By the base model: a trained one's loss is so small that rounding is a large part of it.
        with model.disable_adapter() if given.start else nullcontext():
            check(model, packed[0][1])
    chosen = order(len(short), given.seed, given.steps * given.batch)

    checkpoint, log = given.out / "checkpoint.pt", given.out / "log.csv"
    done = 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=device, weights_only=True)
        for weight, value in zip(trained, saved["weights"]):
            weight.data.copy_(value)
        optimizer.load_state_dict(saved["optimizer"])
        done = saved["step"]
        print(f"goes on at step {done}", flush=True)
    logged = list(csv.DictReader(log.open())) if log.exists() else []
    logged = [row for row in logged if int(row["step"]) < done]

    def save(step):
        partial = checkpoint.with_suffix(".partial")
        torch.save({"step": step, "weights": [it.detach().cpu() for it in trained], "optimizer": optimizer.state_dict()}, partial)
        partial.replace(checkpoint)
        with log.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["step", "loss", "rate", "tokens", "seconds"])
            writer.writeheader()
            writer.writerows(logged)

    for step in range(done, given.steps):
        started = time.monotonic()
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, given.steps, given.rate)
        optimizer.zero_grad()
        total, tokens = 0.0, 0
        for index in chosen[step * given.batch : (step + 1) * given.batch]:
            for part, share in parts[index]:
                loss = loss_of(model, part) * share / given.batch
                loss.backward()
                total += loss.item()
                tokens += len(part[0])
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        logged.append({"step": step, "loss": f"{total:.6f}", "rate": f"{optimizer.param_groups[0]['lr']:.3e}", "tokens": tokens, "seconds": f"{time.monotonic() - started:.2f}"})
        stops = step + 1 in (given.steps, given.stop_after)
        if (step + 1) % given.save_every == 0 or stops:
            save(step + 1)
        if step % 10 == 0 or stops:
            recent = [float(row["seconds"]) for row in logged[-20:]]
            left = (given.steps - step - 1) * sum(recent) / len(recent) / 60
            print(f"step {step + 1} of {given.steps}: loss {total:.3f}, about {left:.0f} minutes left", flush=True)
        if step + 1 == given.stop_after:
            return

    plot(logged, given.out / "loss.svg")
    if given.full:
        model.config.quantization_config = None
        model.save_pretrained(given.out / "model")
        tokenizer.save_pretrained(given.out / "model")
    else:
        model.save_pretrained(given.out / "adapter")
        (given.out / "adapter" / "model_type").write_text(model.config.model_type + "\n")
        from adapter_to_gguf import convert

        convert(given.out / "adapter", given.out / "adapter.gguf")


if __name__ == "__main__":
    main()
