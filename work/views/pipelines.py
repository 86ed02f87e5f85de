"""The pipelines: what waits, what runs under which cap; holding one back and letting it go."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from work import failure_groups, pauses, pipeline_panel, pipelines
from work.access import operators_only
from work.models import RefusedWrite
from work.pipelines import Pipeline
from work.views.requests import Question, Request, page, reading, with_reason


@require_safe
@operators_only
def overview(request: Request) -> HttpResponse:
    rows = pipeline_panel.read()
    context = {"rows": rows, "paused": [row for row in rows if row.pause], "live": reading(request)}
    return page(request, "work/pipelines.html", context, part="pipelines-live")


@require_safe
@operators_only
def pipeline(request: Request, name: str) -> HttpResponse:
    found = _pipeline(name)
    context = {
        "row": pipeline_panel.read_one(found),
        "moving": pipeline_panel.moving(found),
        "refused": RefusedWrite.objects.filter(pipeline=name).order_by("-pk")[:20],
        "groups": failure_groups.groups(pipeline=name)[:10],
        "live": reading(request),
    }
    return page(request, "work/pipeline.html", context, part="pipeline-live")


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def pause(request: Request, name: str) -> HttpResponse:
    found = _pipeline(name)

    def act(why: str) -> str:
        pauses.pause(pipeline=found, by=request.principal, why=why)
        return f"{found.title} are paused. What runs now finishes; accepting goes on."

    question = Question(
        title=f"Pause {found.title}?",
        sentence="Workers take up nothing new of it. What runs now finishes; accepting goes on.",
        act="Pause",
        back_url=reverse("pipelines"),
        kind="grave",
    )
    return with_reason(request, question, act)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def resume(request: Request, name: str) -> HttpResponse:
    found = _pipeline(name)

    def act(why: str) -> str:
        pauses.resume(pipeline=found, by=request.principal, why=why)
        return f"{found.title} go on; workers are being woken."

    question = Question(
        title=f"Resume {found.title}?",
        sentence=f"{found.rows.waiting().count()} rows wait; workers take them up at once.",
        act="Resume",
        back_url=reverse("pipelines"),
    )
    return with_reason(request, question, act)


def _pipeline(name: str) -> Pipeline:
    try:
        return pipelines.get(name)
    except KeyError:
        raise Http404 from None
