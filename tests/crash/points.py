"""All points at which the product can be killed, read from its source."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

from work import consumers, pipelines

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("work", "accounts", "ingestion", "config", "tests/crash/plainwork")


def every_point() -> set[str]:
    """The plain pipeline is registered in the clusters only, so its steps are written down here."""
    found = {"plain.prepare.after", "plain.store.after"}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            source = path.read_text()
            if "crash.point" in source:
                for argument in arguments(ast.parse(source)):
                    found |= set(names(argument, path))
    return found


def arguments(tree: ast.AST) -> Iterator[ast.expr]:
    """Of `crash.point(…)` and of `partial(crash.point, …)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if is_point(node.func):
                yield node.args[0]
            elif node.args and is_point(node.args[0]):
                yield node.args[1]


def is_point(node: ast.expr) -> bool:
    return ast.unparse(node) == "crash.point"


def names(argument: ast.expr, path: Path) -> list[str]:
    if isinstance(argument, ast.Constant):
        return [str(argument.value)]
    if isinstance(argument, ast.Name):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        return [getattr(importlib.import_module(module), argument.id)]
    return MADE_UP[ast.unparse(argument)]()


def after_steps() -> list[str]:
    return [f"{pipeline.name}.{step.name}.after" for pipeline in pipelines.every() for step in pipeline.steps]


def deliveries() -> list[str]:
    return [f"deliver.{consumer.name}" for consumer in consumers.every()]


MADE_UP = {
    "f'{pipeline.name}.{step.name}.after'": after_steps,
    "f'deliver.{consumer.name}'": deliveries,
}
