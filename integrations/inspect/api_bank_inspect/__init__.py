"""API-Bank as an Inspect task: the `api-bank` program makes the prompts and judges the answers."""

from .task import api_bank, verdicts

__all__ = ["api_bank", "verdicts"]
