"""How organisations and API tokens are found. Imported by no view: registered when the app is ready."""

from collections.abc import Iterator

from django.db.models import Q

from accounts.addresses import with_organisation
from accounts.models import ApiToken
from accounts.principals import Principal
from work.finding import AT_MOST, Hit, as_uuid


def find_organisations(principal: Principal, text: str) -> Iterator[Hit]:
    """Leads to the members, so only for those who may open them."""
    matching = Q(slug__icontains=text) | Q(title__icontains=text) | Q(pk=as_uuid(text))
    for organisation in principal.organisations().filter(matching).order_by("title")[:AT_MOST]:
        if principal.can("manage", organisation):
            yield Hit(
                "Organisation",
                organisation.title,
                with_organisation("members", organisation),
                note=organisation.slug,
                exact=text in (organisation.slug, str(organisation.pk)),
            )


def find_tokens(principal: Principal, text: str) -> Iterator[Hit]:
    wanted = as_uuid(text)
    if wanted is None:
        return
    for token in principal.sees(ApiToken.objects.filter(pk=wanted)).select_related("organisation"):
        if principal.can("manage", token.organisation):
            url = f"{with_organisation('tokens', token.organisation)}#token-{token.pk}"
            yield Hit("API token", token.title, url, note=token.organisation.title, exact=True)
