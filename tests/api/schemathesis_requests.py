"""Points valid requests at what exists: no document can say which ids, cursors and versions there are."""

from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation as Location

from ingestion.checking.schemas import validate_schema
from work import paging

# What JSON Schema has no words for: how the parts of a schema fit together.
UNSAYABLE = {
    "bad_character",  # the other digits of Unicode; two separators that are the same
    "bad_pattern",  # patterns of RE2
    "duplicate_name",  # names that differ in more than their look
    "impossible",  # minLength above maxLength
    "no_name",  # spaces of Unicode
    "too_many_sortable",  # six fields that are marked
    "unknown_field",  # a primaryKey of fields that are there
    "unknown_format",  # each directive of a pattern once; formats of one of the types that stand together
    "unknown_property",  # decimalChar of an integer
    "wrong_type",  # bounds and allowed values that are values of the field
}
CSV = b"id,amount\n1,2\n"


def aim(case, world):
    """Only what was made to be valid is replaced; what was made to be refused stays as it is."""
    refused = {place for place, made in case.meta.components.items() if made.mode is GenerationMode.NEGATIVE}
    if Location.PATH not in refused:
        put(case, "path_parameters", path_parameters(case, world))
    if Location.QUERY not in refused:
        put(case, "query", query(case, world))
    if Location.HEADER not in refused and "If-Match" in case.headers:
        put(case, "headers", {"If-Match": '"1"'})
    if Location.BODY not in refused and isinstance(case.body, dict):
        put(case, "body", body(case, world))


def put(case, place, values):
    """Past the case's own judging of what is assigned to it, which takes bytes for invalid. Never in place:
    cases share their containers.
    """
    changed = getattr(case, place).copy()
    changed.update(values)
    object.__setattr__(case, place, changed)


def path_parameters(case, world):
    slug = world.empty.slug if case.method == "PUT" else world.dataset.slug
    if "/organisations/" in case.path:
        slug = "north"
    known = {
        "record": str(world.record.pk),
        "reindex_id": str(world.reindex.pk),
        "slug": slug,
        "upload_id": str(upload_for(case, world).pk),
    }
    return {name: known[name] for name in case.path_parameters}


def upload_for(case, world):
    if case.path.endswith("/answer"):
        return world.asking
    if case.path.endswith("/differences"):
        return world.read_again
    return world.upload if case.path.endswith(("/cancellation", "/original")) else world.verdict


def query(case, world):
    """A cursor that the list gave, and an organisation that there is, where any was asked for."""
    last = {
        "/errors": 1,
        "/differences": 1,
        "/history": 1,
        "/records": world.record.key,
        "/datasets": world.dataset.pk,
    }
    ending = "/" + case.path.rpartition("/")[2]
    known = {
        "cursor": paging.after(last.get(ending, world.verdict.pk)),
        "organisation": "north",
        "against": str(world.verdict.pk),
    }
    # No document can say by which fields of a dataset one may sort and filter; its own tests do.
    fields = {name: "" for name in case.query if name == "sort" or name.startswith("filter")}
    return fields | {name: known[name] for name in known if case.query.get(name)}


def body(case, world):
    if case.path.endswith("/infer"):
        return {"file": CSV} | ({"header_row": 1} if "header_row" in case.body else {})
    if case.media_type == "multipart/form-data":
        known = {"dataset": world.dataset.slug, "file": CSV}
        return known | {name: value for name, value in options(world).items() if name in case.body}
    if case.path.endswith("/answer"):
        return answer(case.body)
    if case.path.endswith(("/schema", "/schema/preview")):
        return alone(fitting(case.body))
    if case.path.endswith("/datasets"):
        return keyed({**case.body, "schema": alone(fitting(case.body["schema"]))})
    return {}


def options(world):
    """Of an upload: JSON in a field of a form, and what the dataset must know."""
    return {
        "sheet": "Data",
        "mapping": '{"id": "A", "amount": null}',
        "confirm": ["which_sheet"],
        "mends": str(world.verdict.pk),
    }


def alone(schema):
    """Without references: no random slug is one of a dataset."""
    return {**schema, "foreignKeys": []}


def keyed(dataset):
    """A snapshot needs a key, which is a rule between two parts."""
    if not dataset["schema"].get("primaryKey"):
        dataset["mode"] = "upsert"
    return dataset


def without_nul(value):
    if isinstance(value, dict):
        return {without_nul(name): without_nul(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_nul(each) for each in value]
    return value.replace("\0", "0") if isinstance(value, str) else value


def answer(given):
    """Which sheets, rows and columns there are stands in the question."""
    fits = {"sheet": "Data", "header_row": 3, "header_rows": 1, "confirm": ["which_columns"]}
    return {name: fits[name] for name in fits if name in given} | {"mapping": {"id": "A", "amount": None}}


def fitting(schema):
    """The schema without the parts at fault, as far as the document cannot know of their fault."""
    schema = without_nul(schema)
    for problem in validate_schema(schema):
        if problem.code not in UNSAYABLE:
            continue  # sent as it is: the document allows what is refused
        where = problem.path.partition(".")
        if where[0] == "primaryKey":
            schema["primaryKey"] = []
        elif where[0].startswith("foreignKeys"):
            schema["foreignKeys"] = []
        else:
            index = int(where[0].removeprefix("fields[").removesuffix("]"))
            schema["fields"][index] = {"name": f"field {index}"}
    return schema
