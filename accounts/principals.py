"""Who acts in a request: a person by session, or a program by token; what they may see and do."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from accounts.models import RANKS, ApiToken, Membership, Organisation, User

NEEDED: dict[str, int] = {"read": 1, "upload": 1, "answer": 1, "withdraw": 1, "manage": 2, "operate": 3}

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Principal:
    user: User
    token: ApiToken | None = None

    def __str__(self) -> str:
        return self.label

    @cached_property
    def label(self) -> str:
        """How events and pages name the actor."""
        person = self.user.get_full_name() or self.user.get_username()
        return f"token {self.token.title} of {person}" if self.token else person

    @property
    def actor(self) -> str:
        """The stable id of the actor, for idempotency keys and rate limits."""
        return f"token:{self.token.pk}" if self.token else f"user:{self.user.pk}"

    @property
    def is_operator(self) -> bool:
        return self.user.is_operator and (self.token is None or self.token.role == "operator")

    @property
    def is_administrator(self) -> bool:
        return self.user.is_superuser and self.token is None

    def organisations(self) -> QuerySet[Organisation]:
        """A token sees only its own organisation, an operator's token too."""
        if self.token is not None:
            return Organisation.objects.filter(pk=self.token.organisation_id)
        if self.is_operator:
            return Organisation.objects.all()
        return Organisation.objects.filter(pk__in=self.roles)

    def sees(self, queryset: QuerySet[M], path: str = "organisation") -> QuerySet[M]:
        """The rows of organisations this principal may see; `path` leads from a row to its organisation."""
        if self.token is not None:
            return queryset.filter(**{path: self.token.organisation_id})
        if self.is_operator:
            return queryset
        return queryset.filter(**{f"{path}__in": list(self.roles)})

    def can(self, right: str, organisation: Any = None) -> bool:
        """`organisation` is a row or an id; only "operate" can be asked without one."""
        return self._rank(getattr(organisation, "pk", organisation)) >= NEEDED[right]

    def role_in(self, organisation: Any) -> str:
        """The word for this principal's role there; empty for a stranger."""
        rank = self._rank(getattr(organisation, "pk", organisation))
        return next((role for role, of_role in RANKS.items() if of_role == rank), "")

    @cached_property
    def roles(self) -> dict[Any, str]:
        """The person's own memberships: organisation id to role. Read once per request."""
        return dict(Membership.objects.filter(user=self.user).values_list("organisation_id", "role"))

    def _rank(self, organisation_id: Any) -> int:
        """A token never exceeds what its person may do now."""
        own = (
            RANKS["operator"] if self.user.is_operator else RANKS.get(self.roles.get(organisation_id, ""), 0)
        )
        if self.token is None:
            return own
        if organisation_id is not None and organisation_id != self.token.organisation_id:
            return 0
        return min(own, RANKS[self.token.role])


class Request(HttpRequest):
    """For annotations: a request that passed the middleware and `work.access.signed_in`."""

    principal: Principal
    htmx: Any
