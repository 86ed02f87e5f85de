"""Whatever an administrator mends in the Django admin, the invariants hold afterwards."""

import io
import json

import pytest

from accounts.models import Organisation, User
from accounts.principals import Principal
from ingestion import uploads
from ingestion.models import Dataset, Record
from ingestion.pipeline import PIPELINE
from tests.factories import DatasetFactory, MembershipFactory, UserFactory
from work import invariants, leases, runner, storage
from work.models import Decision

pytestmark = pytest.mark.django_db(transaction=True)
CHANGES = {
    "organisation": ("accounts/organisation", {"title": "North and East"}),
    "person": ("accounts/user", {"first_name": "Maja"}),
    "membership": ("accounts/membership", {"role": "manager"}),
    "dataset": ("ingestion/dataset", {"title": "Stations of the north"}),
    "record": ("ingestion/record", {"data": json.dumps({"id": "a", "amount": 7})}),
}


@pytest.fixture
def things(settings, tmp_path):
    """A dataset filled by a real upload, so that there is something for the invariants to find broken."""
    settings.FILES_DIR = tmp_path / "files"
    storage.files.cache_clear()
    membership = MembershipFactory(organisation__title="North")
    dataset = DatasetFactory(organisation=membership.organisation)
    uploads.accept(
        dataset=dataset,
        stream=io.BytesIO(b"id,amount\na,1\nb,2\n"),
        filename="stations.csv",
        by=Principal(membership.user),
    )
    runner.run(leases.claim_next(PIPELINE))
    yield {
        "organisation": membership.organisation,
        "person": membership.user,
        "membership": membership,
        "dataset": dataset,
        "record": Record.objects.get(key='["a"]'),
    }
    storage.files.cache_clear()


def test_invariants_hold_after_every_kind_of_mending(client, things):
    client.force_login(UserFactory(administrator=True))

    for name, (table, changes) in CHANGES.items():
        url = f"/admin/{table}/{things[name].pk}/change/"
        form = client.get(url).context["adminform"].form
        shown = {key: value for key in form.fields if (value := form[key].value()) not in (None, False)}
        opened = {f"initial-{key}": value for key, value in shown.items()}
        answer = client.post(url, shown | opened | changes | {"reason": f"mending the {name}"})
        assert answer.status_code == 302, name

    assert Organisation.objects.get().title == "North and East"
    assert User.objects.get(pk=things["person"].pk).first_name == "Maja"
    assert Dataset.objects.get().title == "Stations of the north"
    assert Record.objects.get(pk=things["record"].pk).data["amount"] == 7
    assert set(Decision.objects.values_list("why", flat=True)) >= {f"mending the {name}" for name in CHANGES}
    assert [finding for finding in invariants.run(deep=True).findings if finding.breaches] == []
