"""One of each thing, all of them North's, and somebody of each role to ask for them."""

import io
import uuid
from types import SimpleNamespace

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.utils import timezone

from accounts import tokens
from accounts.models import Organisation
from accounts.principals import Principal
from ingestion import schema_drafts
from ingestion.models import HeaderAlias, Record, Reindex, Report, RowError, Upload
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory, UserFactory
from tests.ingestion import askings
from work import decisions, storage
from work.models import Attempt, BulkAction, Delivery, Event, Notification, PeriodicRun
from work.recovery import PARKED

ROLES = ("anonymous", "other_tenant", "uploader", "manager", "operator", "administrator")


def make_world():
    north = Organisation.objects.create(slug="north", title="North")
    south = Organisation.objects.create(slug="south", title="South")
    people = {
        "anonymous": None,
        "other_tenant": MembershipFactory(organisation=south, role="manager").user,
        "uploader": MembershipFactory(organisation=north).user,
        "manager": MembershipFactory(organisation=north, role="manager").user,
        "operator": UserFactory(operator=True),
        "administrator": UserFactory(administrator=True),
    }
    secrets = {
        role: tokens.make(user=user, organisation=of, role=of_role, title=role, by=user)[1]
        for role, of, of_role in (
            ("other_tenant", south, "manager"),
            ("uploader", north, "uploader"),
            ("manager", north, "manager"),
            ("operator", north, "operator"),
        )
        for user in [people[role]]
    }
    member = MembershipFactory(organisation=north)
    token, _ = tokens.make(
        user=people["manager"], organisation=north, role="uploader", title="nightly", by=people["manager"]
    )
    dataset = DatasetFactory(organisation=north, slug="stations", next_sequence=1_000_000)
    verdict = _failed_upload(dataset)
    return SimpleNamespace(
        north=north,
        people=people,
        secrets=secrets,
        member=member,
        token=token,
        dataset=dataset,
        upload=_waiting_upload(dataset),
        verdict=verdict,
        asking=_asking_upload(dataset, askings.which_columns()),
        retiring=_asking_upload(dataset, askings.confirm_retirement()),
        read_again=_failed_upload(dataset, reprocesses=verdict, sha256=verdict.sha256),
        alias=HeaderAlias.objects.create(dataset=dataset, header="ident", field="id", learnt_by_label="x"),
        report=_report(verdict),
        reindex=Reindex.objects.create(organisation=north, dataset=dataset, requested_by_label="manager"),
        to_mend=_refused_upload(dataset),
        record=Record.objects.create(
            dataset=dataset, key="1", data={"id": "1", "amount": 2}, digest=b"x", upload=verdict
        ),
        draft=_draft(north, people["manager"]),
        **_console(north, people["manager"], dataset),
    )


def _console(north, manager, dataset):
    """What the console's pages are about."""
    with transaction.atomic():
        decision = decisions.record(
            "upload.withdrawn", by=manager, kind="upload", subject="1", organisation=north, why="x"
        )
    event = Event.objects.get(type="upload.withdrawn")
    parked = UploadFactory(dataset=dataset)
    asking = {"due_at": None, "asked_at": timezone.now(), "question": PARKED}
    Upload.objects.filter(pk=parked.pk).update(**asking)
    letter = Delivery.objects.create(event=event, consumer="test")
    Delivery.objects.filter(pk=letter.pk).update(**asking | {"question": "dead_letter", "state": "dead"})
    Attempt.objects.create(
        pipeline="upload",
        subject=parked.pk,
        number=1,
        token=uuid.uuid4(),
        worker=uuid.uuid4(),
        worker_label="host:1",
        organisation=north,
        ended_at=timezone.now(),
        outcome="failed",
        fingerprint="f1",
    )
    return {
        "decision": decision,
        "event": event,
        "parked": parked,
        "letter": letter,
        "notification": Notification.objects.create(
            user=manager, organisation=north, event=event.pk, kind="x", title="x", path="/"
        ),
        "bulk": BulkAction.objects.create(
            organisation=north,
            action="upload.withdraw",
            rule={},
            previewed={"matching": 1, "eligible": 1, "not_eligible": {}},
            requested_by=manager,
            requested_by_label="manager",
        ),
        "run": PeriodicRun.objects.create(name="recovery", slot=timezone.now()),
    }


def _draft(north, manager):
    """As a sample leaves it, with something to look at."""
    content = b"id;day;amount\na;02/03/2024;1\nb;03/04/2024;x\n"
    file = TemporaryUploadedFile("wells.csv", "text/csv", len(content), "utf-8")
    file.write(content)
    file.flush()
    return schema_drafts.begin_from_sample(
        organisation=north, file=file, filename="wells.csv", by=Principal(manager)
    )


def _report(verdict):
    kept = storage.files().put(io.BytesIO(b"row,problem\n"), organisation_slug="north", limit=1000)
    made = {"storage_key": kept.key, "size": kept.size, "sha256": kept.sha256}
    ended = {"state": "built", "due_at": None, "finished_at": timezone.now()}
    return Report.objects.create(
        organisation=verdict.organisation, upload=verdict, kind="csv", **made, **ended
    )


def _waiting_upload(dataset):
    kept = storage.files().put(io.BytesIO(b"id,amount\n1,2\n"), organisation_slug="north", limit=1000)
    upload = UploadFactory(dataset=dataset, storage_key=kept.key, sha256=kept.sha256, size=kept.size)
    return Upload.objects.get(pk=upload.pk)


def _asking_upload(dataset, asking):
    upload = UploadFactory(dataset=dataset, filename="asking.csv")
    Upload.objects.filter(pk=upload.pk).update(
        state="needs_answer", due_at=None, asked_at=timezone.now(), question=asking["code"], asking=asking
    )
    return Upload.objects.get(pk=upload.pk)


def _refused_upload(dataset):
    """Its one row was refused, so that may be mended."""
    upload = UploadFactory(dataset=dataset)
    run = "0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d2"
    Upload.objects.filter(pk=upload.pk).update(
        state="failed", due_at=None, finished_at=timezone.now(), failure_code="every_row_refused", run=run,
        headers=["id", "amount"], rows_read=1, refused=1, error_count=1,
    )  # fmt: skip
    error = {"column": "B", "header": "amount", "cell": "B2", "value": "x", "code": "type_integer"}
    error |= {"message": "“x” is not a whole number.", "remedy": "Type a whole number, such as 42."}
    RowError.objects.create(upload=upload, run=run, sheet="", row=2, faults=[error], cells=["a", "x"])
    return Upload.objects.get(pk=upload.pk)


def _failed_upload(dataset, **columns):
    upload = UploadFactory(dataset=dataset, **columns)
    Upload.objects.filter(pk=upload.pk).update(
        state="failed",
        due_at=None,
        finished_at=timezone.now(),
        failure_code="no_data_rows",
        run=uuid.uuid4(),
    )
    return Upload.objects.get(pk=upload.pk)
