"""Every component in every state on one page, to look at and for tests. Served in the demo only."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_safe

from work import badges

LONG_AGO = datetime(2024, 2, 29, 23, 59, 58, tzinfo=UTC)
FINISHED_PER_HOUR = [3, 5, 4, 9, 12, 8, 0, 2, 7, 15, 11, 6, 4, 8, 9, 14, 18, 16, 9, 3, 2, 6, 7, 10]


class FilterForm(forms.Form):
    q = forms.CharField(label="Text", required=False, widget=forms.TextInput(attrs={"type": "search"}))
    status = forms.ChoiceField(
        label="State",
        required=False,
        choices=[("", "Any"), ("processed", "Processed"), ("failed", "Failed")],
    )


class ExampleForm(forms.Form):
    title = forms.CharField(help_text="As people call it. It may change later.")
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), help_text="Kept in the audit trail.")
    role = forms.ChoiceField(
        choices=[("uploader", "Uploader"), ("manager", "Manager")], widget=forms.RadioSelect
    )
    told = forms.BooleanField(label="Tell the owner by mail", required=False)


class FileForm(forms.Form):
    file = forms.FileField(label="Spreadsheet", help_text="An .xlsx workbook or a CSV file.")


@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    return TemplateResponse(request, "gallery/gallery.html", _examples(request))


@require_safe
def fragment(request: HttpRequest) -> HttpResponse:
    """The live example: its progress follows the seconds of the minute, and it ends with the minute."""
    second = timezone.now().second
    return TemplateResponse(request, "gallery/_live.html", {"done": second * 67, "heard_at": timezone.now()})


urlpatterns = [
    path("gallery/", gallery, name="gallery"),
    path("gallery/live/", fragment, name="gallery_live"),
]


def _examples(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    return {
        "shapes": badges.SHAPES,
        "filter_form": FilterForm(request.GET or None),
        "form": ExampleForm(prefix="asked"),
        "refused_form": ExampleForm({"title": ""}),
        "file_form": FileForm(),
        "page": Paginator(range(4_312), 100).page(17),
        "counts": [("", "all", 412), ("processed", "processed", 371), ("failed", "failed", 3)],
        "moments": [
            now,
            now - timedelta(minutes=12),
            now - timedelta(hours=30),
            now + timedelta(hours=2),
            LONG_AGO,
        ],
        "durations": [0.004, 6.14, 38, 131, 7_500, 93_600],
        "sizes": [812, 48_112, 7_340_032, 536_870_912],
        "finished": FINISHED_PER_HOUR,
        "hours": [f"{hour:02}:00" for hour in range(24)],
        "attempts": _attempts(),
        "steps": _steps(now),
        "done": now.second * 67,
        "heard_at": now - timedelta(seconds=2),
        "rows": [
            (row, f"73599927100{row:04}", name)
            for row, name in enumerate(("Tången", "Kärnan", "Älvsborg"), 118)
        ],
    }


def _attempts() -> list[tuple[str, str, str]]:
    shown = {
        "d": ("done", "Processed"),
        "p": ("part", "Partly processed"),
        "b": ("bad", "Failed"),
        "w": ("waiting", "None"),
    }
    return [
        (shown[mark][0], f"{day} Nov", shown[mark][1])
        for day, mark in enumerate("dddpdddbbdddddpdwwddddbddddddd", 1)
    ]


def _steps(now: datetime) -> list[dict[str, Any]]:
    return [
        {
            "shape": "done",
            "name": "Accepted",
            "detail": "original kept, sha256 9f2c…",
            "at": now - timedelta(minutes=1),
        },
        {"shape": "done", "name": "Read", "detail": "sheet Data, header in row 4", "took": 6.1},
        {
            "shape": "part",
            "name": "Checked",
            "detail": "200 of 4 000 rows refused",
            "took": timedelta(seconds=3),
        },
        {"shape": "running", "name": "Stored", "detail": "2 900 of 3 800 rows", "word": "running"},
        {"shape": "waiting", "name": "Indexed", "word": "waiting"},
    ]
