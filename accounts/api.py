"""The API's answer to "who am I": what a program checks first when its token does not do what it should."""

from typing import Any

from ninja import Router, Schema

from accounts.principals import Request
from work.problems import responses

router = Router(tags=["accounts"])


class OrganisationBody(Schema):
    slug: str
    title: str
    role: str


class Me(Schema):
    name: str
    label: str
    is_operator: bool
    token_expires_at: str | None
    organisations: list[OrganisationBody]


@router.get("/me", response={200: Me, **responses()}, summary="Who this token or session is")
def me(request: Request) -> dict[str, Any]:
    principal = request.principal
    expires_at = principal.token.expires_at if principal.token else None
    return {
        "name": principal.user.get_username(),
        "label": principal.label,
        "is_operator": principal.is_operator,
        "token_expires_at": expires_at.isoformat() if expires_at else None,
        "organisations": [
            {
                "slug": organisation.slug,
                "title": organisation.title,
                "role": principal.role_in(organisation),
            }
            for organisation in principal.organisations().order_by("slug")
        ],
    }
