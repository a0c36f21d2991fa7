"""The task, its solver and its scorer."""

import json

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolParams

from .engine import Judge, samples

PROFILES = ["execution", "exact", "f1"]


@task
def api_bank(
    protocol: str = "tools",
    split: str = "standard",
    abilities: str | list[str] = "call,retrieve,plan",
    subset: str | int = "all",
    seed: int = 1,
) -> Task:
    """API-Bank: one decision per sample, judged by the api-bank program."""
    # Inspect reads a parameter with commas as a list.
    chosen = abilities if isinstance(abilities, str) else ",".join(abilities)
    options = {
        "protocol": protocol,
        "split": split,
        "abilities": chosen,
        "subset": str(subset),
        "seed": str(seed),
    }
    rows = [row for row in samples(options) if row["rated"]]
    return Task(
        dataset=MemoryDataset([sample(row) for row in rows], name="api-bank"),
        solver=ask(),
        scorer=verdicts(options),
    )


def sample(row: dict) -> Sample:
    """A line of `api-bank samples` as a sample."""
    return Sample(
        id=row["id"],
        input=messages(row["messages"]),
        target=row["target"],
        metadata={
            "ability": row["ability"],
            "dialogue": row["dialogue"],
            "kind": row["kind"],
            "tools": row["tools"],
        },
    )


def messages(rows: list[dict]) -> list[ChatMessage]:
    """The messages of a prompt."""
    result: list[ChatMessage] = []
    functions: dict[str, str] = {}
    for row in rows:
        text = row["content"]
        if row["role"] == "system":
            result.append(ChatMessageSystem(content=text))
        elif row["role"] == "user":
            result.append(ChatMessageUser(content=text))
        elif row["role"] == "tool":
            call_id = row["call_id"]
            result.append(
                ChatMessageTool(
                    content=text, tool_call_id=call_id, function=functions.get(call_id)
                )
            )
        else:
            calls = [
                ToolCall(
                    id=call["id"],
                    function=call["name"],
                    arguments=json.loads(call["arguments"]),
                )
                for call in row.get("calls", [])
            ]
            functions |= {call.id: call.function for call in calls}
            result.append(ChatMessageAssistant(content=text, tool_calls=calls or None))
    return result


def tool(row: dict) -> Tool:
    """A tool that is described but never run: the program runs the call when it judges it."""

    async def execute(**arguments: object) -> str:
        raise NotImplementedError

    return ToolDef(
        execute,
        name=row["name"],
        description=row["description"],
        parameters=ToolParams.model_validate(row["parameters"]),
    ).as_tool()


@solver
def ask() -> Solver:
    """Asks once, with the sample's tools."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools = [tool(row) for row in state.metadata["tools"]]
        return await generate(state, tool_calls="none")

    return solve


@scorer(metrics={name: [accuracy(), stderr(cluster="dialogue")] for name in PROFILES})
def verdicts(options: dict[str, str]) -> Scorer:
    """The program's verdicts under every profile."""
    judge = Judge(options)

    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.message
        calls = [
            {
                "name": call.function,
                # The error is no JSON either, so that the judge rejects the call as unreadable.
                "arguments": call.parse_error or call.arguments,
            }
            for call in said.tool_calls or []
        ]
        judged = await judge.verdicts({"id": state.sample_id, "text": said.text, "calls": calls})
        found = judged["verdicts"]
        execution = found["execution"]
        return Score(
            value={name: float(found[name]["correct"]) for name in PROFILES},
            answer=json.dumps(judged["call"]) if judged["call"] else said.text,
            explanation=execution["explanation"],
            metadata={"error_class": execution["error_class"]},
        )

    return score
