"""The machines of publishing: their states, how each is entered and left, and the allowed moves."""

from django.db import models


class PublicationState(models.TextChoices):
    REQUESTED = "requested"  # accepted and due; leaves by a claim, a cancellation or a failure
    GET_DATA = "get_data"  # the export is made and fetched; due between looks at a service that makes it
    PERSIST_DATA = "persist_data"  # metadata is rendered, validated and written; back when the worker died
    PUBLISHED = "published"  # kept for ever; its files and its part of the catalogue go by a removal only
    CANCELLED = "cancelled"  # withdrawn by a person or a program before it was published
    FAILED = "failed"  # seen by nobody: the same transaction leaves a Failure and removes the row


PUBLICATION_TERMINAL = (PublicationState.PUBLISHED, PublicationState.CANCELLED, PublicationState.FAILED)
PUBLICATION_ACTIVE = (
    PublicationState.REQUESTED, PublicationState.GET_DATA, PublicationState.PERSIST_DATA,
)  # fmt: skip

PUBLICATION_MOVES: dict[PublicationState, tuple[PublicationState, ...]] = {
    PublicationState.REQUESTED: (
        PublicationState.GET_DATA, PublicationState.CANCELLED, PublicationState.FAILED,
    ),
    PublicationState.GET_DATA: (
        PublicationState.REQUESTED,
        PublicationState.PERSIST_DATA,
        PublicationState.CANCELLED,
        PublicationState.FAILED,
    ),
    PublicationState.PERSIST_DATA: (
        PublicationState.REQUESTED,
        PublicationState.PUBLISHED,
        PublicationState.CANCELLED,
        PublicationState.FAILED,
    ),
    PublicationState.PUBLISHED: (),
    PublicationState.CANCELLED: (),
    PublicationState.FAILED: (),
}  # fmt: skip


class RemovalState(models.TextChoices):
    REQUESTED = "requested"  # asked for; leaves by a claim
    REMOVING = "removing"  # a worker takes files and catalogue part away; back when the worker died
    REMOVED = "removed"  # nothing is left but the row of the publication, which says when
    FAILED = "failed"  # given up; asked for again it starts anew


REMOVAL_TERMINAL = (RemovalState.REMOVED, RemovalState.FAILED)

REMOVAL_MOVES: dict[RemovalState, tuple[RemovalState, ...]] = {
    RemovalState.REQUESTED: (RemovalState.REMOVING, RemovalState.FAILED),
    RemovalState.REMOVING: (RemovalState.REQUESTED, RemovalState.REMOVED, RemovalState.FAILED),
    RemovalState.REMOVED: (),
    RemovalState.FAILED: (),
}


class CleanupState(models.TextChoices):
    WAITING = "waiting"  # the data service is to be asked to delete the export, at a known time
    DONE = "done"  # it said that it has, or that there is none


class SlotOutcome(models.TextChoices):
    RAN = "ran"  # a publication was requested in time
    LATE = "late"  # more than a few ticks after its time, none missed before it
    CAUGHT_UP = "caught_up"  # slots before it were missed; one publication makes up for all
    SKIPPED = "skipped"  # `reason` says why
