"""Rows for tests, with no surprises: each factory makes one valid row in its first state."""

import datetime as dt
import hashlib
import uuid

import factory
from django.utils import timezone

from accounts.models import Membership, Organisation, Role, User
from ingestion.models import Dataset, SchemaVersion, Upload
from ingestion.states import UploadState
from publishing.models import Entry, Publication


class OrganisationFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Organisation

    slug = factory.Sequence(lambda n: f"organisation-{n}")
    title = factory.Sequence(lambda n: f"Organisation {n}")


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = User
        skip_postgeneration_save = True

    class Params:
        operator = factory.Trait(is_operator=True)
        administrator = factory.Trait(is_operator=True, is_staff=True, is_superuser=True)

    username = factory.Sequence(lambda n: f"user-{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password("a-long-password")


class MembershipFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Membership

    class Params:
        manager = factory.Trait(role=Role.MANAGER)

    user = factory.SubFactory(UserFactory)
    organisation = factory.SubFactory(OrganisationFactory)
    role = Role.UPLOADER


class DatasetFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Dataset
        skip_postgeneration_save = True

    organisation = factory.SubFactory(OrganisationFactory)
    slug = factory.Sequence(lambda n: f"dataset-{n}")
    title = factory.Sequence(lambda n: f"Dataset {n}")

    @factory.post_generation
    def schema(self, create, extracted, **kwargs):
        default = {
            "fields": [
                {"name": "id", "type": "string", "constraints": {"required": True}},
                {"name": "amount", "type": "integer"},
            ],
            "primaryKey": ["id"],
        }
        SchemaVersion.objects.create(dataset=self, number=1, schema=extracted or default)


class UploadFactory(factory.django.DjangoModelFactory):
    """An accepted upload. `running` puts it under a lease that no process holds; age it to make it expire."""

    class Meta:
        model = Upload

    class Params:
        running = factory.Trait(
            state=UploadState.PROCESSING,
            due_at=None,
            lease_token=factory.LazyFunction(uuid.uuid4),
            locked_by=factory.LazyFunction(uuid.uuid4),
            locked_until=factory.LazyFunction(lambda: timezone.now() + dt.timedelta(minutes=1)),
            starts=1,
            unanswered=1,
        )

    dataset = factory.SubFactory(DatasetFactory)
    organisation = factory.SelfAttribute("dataset.organisation")
    sequence = factory.Sequence(lambda n: n + 1)
    precedence = factory.SelfAttribute("sequence")
    filename = "stations.csv"
    size = 10
    kind = "csv"
    sha256 = factory.LazyAttribute(lambda upload: hashlib.sha256(str(upload.sequence).encode()).hexdigest())
    storage_key = factory.LazyAttribute(lambda upload: f"{upload.organisation.slug}/{upload.sha256}")
    uploaded_by_label = "uploader"


class EntryFactory(factory.django.DjangoModelFactory):
    """An entry of a dataset of ours, with the least that its metadata must have."""

    class Meta:
        model = Entry

    dataset = factory.SubFactory(DatasetFactory)
    organisation = factory.SelfAttribute("dataset.organisation")
    identifier = factory.Sequence(lambda n: f"entry-{n}")
    title = factory.Sequence(lambda n: f"Entry {n}")
    metadata = factory.LazyAttribute(
        lambda entry: {"title": {"en": entry.title}, "description": {"en": f"What {entry.title} holds."}}
    )


class PublicationFactory(factory.django.DjangoModelFactory):
    """A requested publication, its number taken from its entry."""

    class Meta:
        model = Publication
        skip_postgeneration_save = True

    entry = factory.SubFactory(EntryFactory)
    organisation = factory.SelfAttribute("entry.organisation")
    version = factory.LazyAttribute(lambda publication: publication.entry.last_version + 1)
    trigger = "manual"
    requested_by_label = "Mia Manager"

    @factory.post_generation
    def counter(self, create, extracted, **kwargs):
        self.entry.last_version = self.version
        self.entry.save(update_fields=["last_version"])
