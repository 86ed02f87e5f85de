"""Whether an entry's graph may enter the catalogue, and what is missing for a good one.

Levels: T0 is what every graph must be (`publishing.validation_basics`), T1 the profile's mandatory
properties, cardinalities and types, T2 its recommended properties, T3 its code lists. T1 to T3 are the SHACL
of `publishing/shapes/` and of the setting SHACL_EXTRA_SHAPES. Only what is about to be written is validated:
a removal never is, and what a store gives back, rewritten, neither. Nothing is ever fetched.
"""

import logging
import threading
from collections import Counter
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyshacl
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from rdflib import Graph, Literal, URIRef
from rdflib.namespace import SH
from rdflib.term import Node

from publishing import vocabularies
from publishing.models import Entry
from publishing.rendering import Rendered
from publishing.validation_basics import Basic, basics

OURS = "urn:waybill:shape:"
LEVEL, FIELD, IN_LIST = (URIRef(OURS + name) for name in ("level", "field", "inList"))
SHAPES = Path(__file__).parent / "shapes"
SEVERITIES = {SH.Violation: "violation", SH.Warning: "warning", SH.Info: "info"}
ORDER = {"violation": 0, "warning": 1, "info": 2}
LONGEST = 300  # characters of a value that a finding quotes

# rdflib logs every literal that is not of its type; such are findings here.
logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
# pyshacl writes into the shapes that it reads, so the copy of this process serves one thread at a time.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Finding:
    """`severity` is violation, warning or info; `focus` the IRI of the thing, `path` that of its property,
    `field` the path of the form's field to mend (empty: not people's to mend), `value` the value that is
    wrong (empty: one is missing).
    """

    severity: str
    level: str
    focus: str
    path: str
    field: str
    message: str
    value: str


@dataclass(frozen=True)
class Report:
    """`findings` by severity, then level. `tier` is the entry's."""

    tier: str
    findings: tuple[Finding, ...]

    @property
    def gates(self) -> list[Finding]:
        """What keeps the entry out of the catalogue at its tier: warnings never do."""
        levels = ("T0", "T1", "T3") if self.tier == Entry.Tier.HIGH else ("T0",)
        return [each for each in self.findings if each.severity == "violation" and each.level in levels]

    @property
    def conforms(self) -> bool:
        """To the profile, whatever the tier."""
        return not any(each.severity == "violation" for each in self.findings)

    def as_json(self) -> dict[str, Any]:
        """{"tier", "conforms", "gates": how many, "counts": {severity: how many}, "findings": [{severity,
        level, focus, path, field, message, value, gates: whether}]}.
        """
        gates = self.gates
        return {
            "tier": str(self.tier),
            "conforms": self.conforms,
            "gates": len(gates),
            "counts": dict(Counter(each.severity for each in self.findings)),
            "findings": [{**asdict(each), "gates": each in gates} for each in self.findings],
        }


def validate(rendered: Rendered, tier: str) -> Report:
    """Tens of milliseconds without the database: not for inside a transaction."""
    found = [_basic(each) for each in basics(rendered)]
    if not any(each.message == Basic.UNREADABLE for each in found):
        found += _by_shapes(rendered.graph)
    return Report(str(tier), tuple(sorted(set(found), key=_place)))


def _place(finding: Finding) -> tuple[Any, ...]:
    return (
        ORDER[finding.severity], finding.level, finding.field, finding.focus, finding.path, finding.message,
        finding.value,
    )  # fmt: skip


def _basic(basic: Basic) -> Finding:
    return Finding("violation", "T0", basic.focus, basic.path, basic.field, basic.message, basic.value)


def _by_shapes(graph: Graph) -> list[Finding]:
    shapes = shapes_graph(tuple(settings.SHACL_EXTRA_SHAPES))
    data = Graph(bind_namespaces="none")
    for triple in graph:
        data.add(triple)
    _tell_lists(data)
    with _one_at_a_time:
        _, results, _ = pyshacl.validate(data, shacl_graph=shapes, inplace=True, do_owl_imports=False)
    if not isinstance(results, Graph):
        raise ImproperlyConfigured(f"The shapes of the catalogue cannot be used: {results}")
    # nested results explain others; only those that the report names are findings of their own
    return [_finding(results, shapes, each) for each in results.objects(None, SH.result)]


def _tell_lists(data: Graph) -> None:
    """For each concept of our lists that the graph uses, that it is one: all that the shapes ask of lists."""
    for iri in {each for each in data.objects() if isinstance(each, URIRef)}:
        for name in vocabularies.NAMES:
            if vocabularies.get(name).holds(str(iri)):
                data.add((iri, IN_LIST, Literal(name)))


@lru_cache(maxsize=4)
def shapes_graph(extra: tuple[str, ...]) -> Graph:
    """Our shapes, and those of the files named, read once in a process. What they import is not read.

    Raises ImproperlyConfigured, which names the file.
    """
    shapes = Graph()
    for path in (*sorted(SHAPES.glob("*.ttl")), *map(Path, extra)):
        try:
            shapes.parse(data=path.read_text(encoding="utf-8"), format="turtle", publicID=OURS)
        except Exception as error:  # the parser raises what it likes
            raise ImproperlyConfigured(
                f"{path} holds no shapes in Turtle that can be read: {error}"
            ) from error
    return shapes


def _finding(results: Graph, shapes: Graph, result: Node) -> Finding:
    shape = results.value(result, SH.sourceShape)
    severity = SEVERITIES.get(results.value(result, SH.resultSeverity), "violation")  # type: ignore[call-overload]
    value = results.value(result, SH.value)
    level = shapes.value(shape, LEVEL) or ("T1" if severity == "violation" else "T2")
    return Finding(
        severity=severity,
        level=str(level),
        focus=_text(results.value(result, SH.focusNode)),
        path=_path(results.value(result, SH.resultPath)),
        field=_text(shapes.value(shape, FIELD)),
        message=_text(results.value(result, SH.resultMessage)),
        value=_text(value)[:LONGEST],
    )


def _path(path: Node | None) -> str:
    """Of a path that is no single property, nothing: the message says it."""
    return str(path) if isinstance(path, URIRef) else ""


def _text(node: Node | None) -> str:
    return "" if node is None else str(node)
