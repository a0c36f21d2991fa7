"""Makes the README's moving picture of a run from its frames (tests/e2e/moving_picture.rs).

    python3 xtask/moving_picture.py FRAMES OUT.webp

Needs Pillow. The start and the last two frames stay longer; frames between are thinned out evenly.
"""

import sys
from pathlib import Path

from PIL import Image

MOST_FRAMES = 24
START_MS, STEP_MS, RESULT_MS, END_MS = 1200, 250, 2500, 4000
MOST_BYTES = 1_500_000


def main(folder, out):
    files = sorted(Path(folder).glob("*.png"))
    if len(files) < 4:
        sys.exit(f"expected at least 4 frames in {folder}, found {len(files)}: run the test first")
    first, run, ending = files[:1], files[1:-2], files[-2:]
    step = max(1, -(-len(run) // (MOST_FRAMES - 3)))
    chosen = first + run[::step] + ending
    frames = [Image.open(file).convert("RGB") for file in chosen]
    times = [START_MS] + [STEP_MS] * len(run[::step]) + [RESULT_MS, END_MS]
    frames[0].save(
        out, save_all=True, append_images=frames[1:], duration=times, loop=0, quality=70, method=6
    )
    size = Path(out).stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{out} has {size} bytes, more than {MOST_BYTES}: lower MOST_FRAMES")
    print(f"{out}: {len(frames)} frames, {size} bytes")


main(*sys.argv[1:])
