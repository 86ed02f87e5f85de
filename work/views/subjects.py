"""Where the thing that an event is about has its page."""

from django.urls import NoReverseMatch, reverse

PAGES = {
    "bulk": "bulk_action",
    "delivery": "dead_letter",
    "periodic": "periodic_run",
    "pipeline": "pipeline",
}
WITHOUT_ID = {"invariant": "invariants", "invariant_run": "invariants", "cluster": "health_panel"}


def subject_url(kind: str, subject_id: str) -> str:
    """Kinds of apps are named like their pages; empty where there is no page."""
    try:
        if kind in WITHOUT_ID:
            return reverse(WITHOUT_ID[kind])
        return reverse(PAGES.get(kind, kind), args=[subject_id])
    except NoReverseMatch:
        return ""
