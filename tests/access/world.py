"""One of each thing, all of them North's, and somebody of each role to ask for them."""

import io
from types import SimpleNamespace

from django.utils import timezone

from accounts import tokens
from accounts.models import Organisation
from ingestion.models import Upload
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory, UserFactory
from work import storage

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
    dataset = DatasetFactory(organisation=north, slug="stations")
    return SimpleNamespace(
        north=north,
        people=people,
        secrets=secrets,
        member=member,
        token=token,
        dataset=dataset,
        upload=_waiting_upload(dataset),
        verdict=_failed_upload(dataset),
    )


def _waiting_upload(dataset):
    kept = storage.files().put(io.BytesIO(b"id,amount\n1,2\n"), organisation_slug="north", limit=1000)
    upload = UploadFactory(dataset=dataset, storage_key=kept.key, sha256=kept.sha256, size=kept.size)
    return Upload.objects.get(pk=upload.pk)


def _failed_upload(dataset):
    upload = UploadFactory(dataset=dataset)
    Upload.objects.filter(pk=upload.pk).update(
        state="failed",
        due_at=None,
        finished_at=timezone.now(),
        failure_code="no_data_rows",
        run="0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1",
    )
    return Upload.objects.get(pk=upload.pk)
