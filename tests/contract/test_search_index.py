import pytest

from ingestion.search.postgres import PostgresIndex
from tests.contract.search_index import SearchIndexContract
from tests.factories import DatasetFactory

pytestmark = pytest.mark.django_db


class TestPostgresIndex(SearchIndexContract):
    @pytest.fixture
    def index(self):
        return PostgresIndex()

    @pytest.fixture
    def datasets(self):
        return [DatasetFactory().pk, DatasetFactory().pk]
