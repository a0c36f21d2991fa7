"""Measures the base model and tuned ones on the benchmark, and prints the paired differences.

For the base and for each run folder of finetune.py: serves the model, runs `api-bank run` with the
settings that the training prompts have (protocol bracket, the dialogue's own APIs, one search
result), keeps the record, and at the end runs `api-bank compare` on each pair. Records that exist
are not asked again; an interrupted run goes on where it stopped.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETTINGS = ["--protocol", "bracket", "--described-apis", "own", "--search-results", "1"]


def run(command, out, settings, base, adapter, port):
    """One record: base or tuned."""
    partial = Path(f"{out}.partial")
    if out.exists():
        print(f"{out}: kept", flush=True)
        return
    serve = [sys.executable, str(HERE / "serve.py"), "--base", base, "--port", str(port)]
    server = subprocess.Popen(serve + (["--adapter", str(adapter)] if adapter else []), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = server.stdout.readline().strip()
        if not address:
            raise SystemExit("the server did not start: run training/serve.py to see why")
        what = ["--resume", str(partial)] if partial.exists() else ["--model", adapter.parent.name if adapter else base, "--format", "completions", "--concurrency", "1", "--max-tokens", "128", *settings]
        subprocess.run([command, "run", *what, "--endpoint", address, "--out", str(out)], check=True, env={**os.environ, "NO_PROXY": "127.0.0.1"})
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="*", type=Path, help="folders of finetune.py")
    parser.add_argument("--records", type=Path, default=Path("records"), help="folder of the records")
    parser.add_argument("--base", default="gemma3-270m", help="as in finetune.py")
    parser.add_argument("--subset", default="all", help="as `api-bank run --subset`")
    parser.add_argument("--split", default="standard", help="as `api-bank run --split`")
    parser.add_argument("--variant", help="as `api-bank run --variant`")
    parser.add_argument("--language", help="as `api-bank run --language`")
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--api-bank", default=os.environ.get("API_BANK", "api-bank"), help="the command line; by default found on PATH")
    given = parser.parse_args()
    command = shutil.which(given.api_bank)
    if command is None:
        raise SystemExit(f"{given.api_bank}: not found; build it with `cargo build --release -p cli` and give --api-bank target/release/api-bank")
    settings = [*SETTINGS, "--subset", given.subset, "--split", given.split]
    # What a record's name says besides the model: a record of other dialogues is not kept for these.
    edition = "" if given.subset == "all" else f"-{given.subset.replace('%', '-percent')}"
    for name in ("variant", "language"):
        if value := getattr(given, name):
            settings += [f"--{name}", value]
            edition += f"-{value}"
    edition += "-hard" if given.split == "hard" else ""
    given.records.mkdir(parents=True, exist_ok=True)
    models = [("base", None)] + [(folder.name, folder / "adapter.gguf") for folder in given.runs]
    records = []
    for name, adapter in models:
        if adapter and not adapter.exists():
            raise SystemExit(f"{adapter}: not there; has finetune.py finished?")
        records.append(given.records / f"{name}{edition}.json")
        run(command, records[-1], settings, given.base, adapter, given.port)
    for record in records:
        subprocess.run([command, "report", str(record)], check=True)
    for tuned in records[1:]:
        subprocess.run([command, "compare", str(records[0]), str(tuned)], check=True)


if __name__ == "__main__":
    main()
