import json

from work import failure_texts, problems
from work.problems import Problem


def test_problem_is_written_with_its_code_and_members():
    answer = problems.response(
        Problem(409, "busy", "It runs.", "Wait.", headers={"Retry-After": "3"}, since="now")
    )

    assert answer.status_code == 409
    assert (answer["Content-Type"], answer["Retry-After"]) == ("application/problem+json", "3")
    assert json.loads(answer.content) == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "code": "busy",
        "detail": "It runs.",
        "remedy": "Wait.",
        "since": "now",
    }


def test_failure_is_described_with_its_detail():
    failure_texts.register(
        {
            "test_pattern": ("Sheet {sheet} has {rows} rows.", "Send at most {limit}."),
            "test_function": lambda detail: (f"{detail['rows']} rows.", ""),
        }
    )

    said = failure_texts.describe("test_pattern", {"sheet": "{x}", "rows": 3})

    assert said == ("Sheet {x} has 3 rows.", "Send at most ….")
    assert failure_texts.describe("test_function", {"rows": 3}) == ("3 rows.", "")


def test_unknown_failure_gets_an_honest_sentence():
    message, remedy = failure_texts.describe("never_heard_of", None)

    assert "never_heard_of" in message
    assert remedy
