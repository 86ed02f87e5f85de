"""What the signed-in person was told, and marking it as read."""

from django.db.models.functions import Now
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from work import paging
from work.access import signed_in
from work.models import Notification
from work.views.requests import Request, page


@require_safe
@signed_in
def notifications(request: Request) -> HttpResponse:
    mine = Notification.objects.filter(user=request.principal.user).select_related("organisation")
    unread = mine.filter(read_at=None)
    only_unread = request.GET.get("show") == "unread"
    listed = paging.of_request(request, unread if only_unread else mine)
    count = unread.count()
    context = {
        "list": listed,
        "unread": count,
        "pills": [("", "all", None), ("unread", "unread", count)],
        "only_unread": only_unread,
    }
    return page(request, "work/notifications.html", context, part="notifications-list")


@require_POST
@signed_in
def opening(request: Request, pk: str) -> HttpResponse:
    """Mark one as read and lead to what it is about."""
    told = get_object_or_404(Notification, pk=pk, user=request.principal.user)
    Notification.objects.filter(pk=told.pk, read_at=None).update(read_at=Now())
    is_ours = url_has_allowed_host_and_scheme(told.path, allowed_hosts=None)
    return redirect(told.path if is_ours and told.path.startswith("/") else reverse("notifications"))


@require_POST
@signed_in
def all_read(request: Request) -> HttpResponse:
    """Only what the page had shown: what came meanwhile stays unread."""
    unread = Notification.objects.filter(user=request.principal.user, read_at=None)
    if (newest := request.POST.get("newest", "")) and _is_uuid(newest):
        unread = unread.filter(pk__lte=newest)
    unread.update(read_at=Now())
    return redirect("notifications")


def _is_uuid(text: str) -> bool:
    try:
        Notification._meta.pk.to_python(text)
    except Exception:
        return False
    return True
