from datetime import timedelta

import pytest
from django.utils import timezone

from work import polling


@pytest.mark.parametrize(("minutes", "seconds"), [(0, 2), (2, 5), (30, 15)])
def test_interval_grows_with_age(minutes, seconds):
    assert polling.seconds_since(timezone.now() - timedelta(minutes=minutes)) == seconds


def test_interval_of_work_that_has_not_begun_is_the_shortest():
    assert polling.seconds_since(None) == 2
