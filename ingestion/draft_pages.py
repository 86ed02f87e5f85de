"""What the pages of a schema draft show: its fields with their evidence, its problems, the first rows."""

from dataclasses import dataclass
from typing import Any

from ingestion import field_words
from ingestion.checking.schema_problems import SchemaProblem
from ingestion.checking.schemas import validate_schema
from ingestion.models import Dataset, SchemaDraft, SchemaVersion
from ingestion.schema_editing import fields_of, key_of, target_of

MOST_PROBLEMS = 20
MOST_DATASETS = 200


@dataclass(frozen=True)
class Line:
    """One field in the list. `look`: its evidence asks for a look; `problems` are those of its own."""

    place: int
    name: str
    title: str
    kind: str
    rules: list[str]
    evidence: dict[str, Any] | None
    problems: list[str]
    is_open: bool

    @property
    def look(self) -> bool:
        return bool(self.evidence) and self.evidence["confidence"] == "look"  # type: ignore[index]


def context(draft: SchemaDraft, place: int) -> dict[str, Any]:
    problems = validate_schema(draft.schema)
    lines = _lines(draft, place, problems)
    return {
        "draft": draft,
        "place": place,
        "lines": lines,
        "line": lines[place] if 0 <= place < len(lines) else None,
        "last": len(lines) - 1,
        "looks": sum(line.look for line in lines),
        "problems": [problem.message for problem in problems if not problem.path.startswith("fields[")],
        "key": key_of(draft.schema),
        "findings": draft.findings,
        "preview": draft.findings.get("preview"),
    }


def targets(draft: SchemaDraft, name: str) -> list[tuple[str, str]]:
    """What a field may refer to: the keys, of one field, of the organisation's datasets; and what it does."""
    found = [("", "Nothing")]
    datasets = Dataset.objects.filter(organisation=draft.organisation).order_by("title")[:MOST_DATASETS]
    current: dict[Any, SchemaVersion] = {}
    for version in SchemaVersion.objects.filter(dataset__in=list(datasets)).order_by("dataset", "number"):
        current[version.dataset_id] = version
    for dataset in datasets:
        key = key_of(current[dataset.pk].schema) if dataset.pk in current else []
        if len(key) == 1 and dataset != draft.dataset:
            found.append((f"{dataset.slug}:{key[0]}", f"{dataset.title}: {key[0]}"))
    now = target_of(draft.schema, name)
    return found if now in dict(found) else [*found, (now, now)]


def renamed(findings: dict[str, Any], before: Any, after: Any) -> dict[str, Any]:
    """Evidence follows its field to a new name."""
    if before == after or "evidence" not in findings:
        return findings
    evidence = [{**each, "name": after} if each["name"] == before else each for each in findings["evidence"]]
    return {**findings, "evidence": evidence}


def _lines(draft: SchemaDraft, place: int, problems: list[SchemaProblem]) -> list[Line]:
    evidence = {each["name"]: each for each in draft.findings.get("evidence", [])}
    key = key_of(draft.schema)
    by_field: dict[str, list[str]] = {}
    for problem in problems:
        by_field.setdefault(problem.path.split(".")[0], []).append(problem.message)
    return [
        Line(
            place=number,
            name=str(field.get("name", "")),
            title=str(field.get("title", "")),
            kind=field_words.kind(field),
            rules=field_words.rules(field, in_key=field.get("name") in key),
            evidence=evidence.get(field.get("name")),
            problems=by_field.get(f"fields[{number}]", [])[:MOST_PROBLEMS],
            is_open=number == place,
        )
        for number, field in enumerate(fields_of(draft.schema))
    ]
