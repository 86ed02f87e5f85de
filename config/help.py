"""Help pages: each template in templates/help is one page under /help/, for everyone, signed in or not."""

from django.http import Http404, HttpRequest, HttpResponse
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from work import badges

FRAME = "base"  # the template that help pages extend is not a page


@require_safe
def contents(request: HttpRequest) -> HttpResponse:
    return TemplateResponse(request, "help/contents.html")


@require_safe
def page(request: HttpRequest, page: str) -> HttpResponse:
    template_name = f"help/{page}.html"
    if page == FRAME or not _exists(template_name):
        raise Http404
    return TemplateResponse(request, template_name, {"machines": badges.machines(), "shapes": badges.SHAPES})


def _exists(template_name: str) -> bool:
    try:
        get_template(template_name)
    except TemplateDoesNotExist:
        return False
    return True
