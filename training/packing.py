"""All steps of a dialogue as one sequence.

The prompts of a dialogue's steps begin alike: the same instructions, APIs and turns. Packed, a
common beginning is computed once. The tokens form a tree; a token sees its ancestors alone and
stands at its depth, so every step has the same loss as by itself. Training costs about a third.
"""

import torch


def pack(examples):
    """Packs steps into one tree. A step is (prompt, answer, weights): two lists of tokens, and the
    weight in the loss of each of the answer's.

    Returns `tokens`, `positions`, `parents` (index of the token before, -1 for the first), and
    `targets`: the index that predicts, the token that an answer has there, and its weight.
    """
    tokens, positions, parents, children, targets = [], [], [], {}, []
    for prompt, answer, weights in examples:
        node = -1
        for depth, token in enumerate(prompt + answer):
            if depth >= len(prompt):
                targets.append((node, token, weights[depth - len(prompt)]))
            if (node, token) not in children:
                children[node, token] = len(tokens)
                tokens.append(token)
                positions.append(depth)
                parents.append(node)
            node = children[node, token]
    return tokens, positions, parents, targets


def attention(parents, positions, window, dtype):
    """The additive mask of the tree: 1 × 1 × n × n. With a window, a token sees the last `window`
    tokens alone, itself among them."""
    count = len(parents)
    seen = torch.zeros(count, count, dtype=torch.bool)
    for index, parent in enumerate(parents):
        if parent >= 0:
            seen[index] = seen[parent]
        seen[index, index] = True
    if window:
        depth = torch.tensor(positions)
        seen &= depth[:, None] - depth[None, :] < window
    mask = torch.zeros(count, count, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
    return mask[None, None]


def loss_of(model, packed):
    """Weighted mean of the cross-entropy of the answers' tokens, in nats. Logits are computed for these tokens alone:
    those of a prompt take most of a small model's memory."""
    tokens, positions, parents, targets = packed
    device, dtype = model.device, model.dtype
    config = model.config.get_text_config()
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    masks = None
    # A step by itself needs no mask.
    if parents != list(range(-1, len(parents) - 1)):
        masks = {
            kind: attention(parents, positions, config.sliding_window if kind == "sliding_attention" else None, dtype).to(device)
            for kind in kinds
        }
        masks = masks if len(masks) > 1 else masks.popitem()[1]
    logits = model(
        input_ids=torch.tensor([tokens], device=device),
        position_ids=torch.tensor([positions], device=device),
        attention_mask=masks,
        logits_to_keep=torch.tensor([at for at, _, _ in targets], device=device),
        use_cache=False,
    ).logits[0]
    answers, weights = (torch.tensor([target[part] for target in targets], device=device) for part in (1, 2))
    return (torch.nn.functional.cross_entropy(logits.float(), answers, reduction="none") * weights).sum() / weights.sum()


def apart(steps):
    """The steps of a dialogue, each packed by itself, with its part of the dialogue's loss."""
    whole = sum(sum(weights) for _, _, weights in steps)
    return [(pack([step]), sum(step[2]) / whole) for step in steps]


@torch.no_grad()
def check(model, steps, most=0.03):
    """Stops if this device computes the loss of a packed dialogue otherwise than that of its steps
    apart, by more than `most` of it. An attention kernel that passes over the mask shows the model the
    answers: Gemma 3 270M then has a loss of 9 instead of 2.5 before training, and 0 after it."""
    together = loss_of(model, pack(steps)).item()
    alone = sum(part * loss_of(model, step).item() for step, part in apart(steps))
    if not abs(together - alone) < most * alone:
        raise SystemExit(f"the loss of a packed dialogue is {together:.3f} on this device, that of its steps apart {alone:.3f}: give --apart, which packs nothing and takes about three times as long")
