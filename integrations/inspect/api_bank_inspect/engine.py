"""The `api-bank` program: its samples, and a process that judges answers."""

import asyncio
import json
import os
import subprocess

PROGRAM = "API_BANK"


def command(name: str, options: dict[str, str]) -> list[str]:
    """A subcommand with its options."""
    words = [os.environ.get(PROGRAM, "api-bank"), name]
    for option, value in options.items():
        words += [f"--{option}", value]
    return words


def samples(options: dict[str, str]) -> list[dict]:
    """The samples of a run.

    Raises:
        FileNotFoundError: when the program is missing.
        ValueError: when it rejects the options, with its reason.
    """
    try:
        done = subprocess.run(command("samples", options), capture_output=True, text=True)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"can't find the program api-bank: put it on the PATH, or name it in {PROGRAM}"
        ) from error
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return [json.loads(line) for line in done.stdout.splitlines()]


class Judge:
    """A process that judges answers, one line each. Starts with the first answer."""

    def __init__(self, options: dict[str, str]) -> None:
        self.options = options
        self.process: subprocess.Popen | None = None
        self.lock: asyncio.Lock | None = None

    async def verdicts(self, answer: dict) -> dict:
        """The verdicts on an answer: `id`, `text` and `calls`.

        Raises:
            RuntimeError: when the program ends or can't judge the answer.
        """
        self.lock = self.lock or asyncio.Lock()
        async with self.lock:
            line = await asyncio.to_thread(self._exchange, json.dumps(answer))
        judged = json.loads(line) if line else {"error": "the program has ended"}
        if "error" in judged:
            raise RuntimeError(f"api-bank judge: {judged['error']}")
        return judged

    def _exchange(self, line: str) -> str:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                command("judge", self.options),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()
